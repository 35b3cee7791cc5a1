//! The keys of the lab: what a pressed key does, and the list of them.

use fenceline_engine::NodeId;
use leptos::prelude::*;
use wasm_bindgen::JsCast;
use web_sys::{Element, HtmlDialogElement, KeyboardEvent};

use super::desk::Desk;
use crate::app::lab::keys::{Command, Focus, KEYS, Zoom, chord, find, is_single};
use crate::app::words::{keys as words, lab as lab_words, shell};
use crate::ui::site::focus;
use crate::ui::state::State;
use crate::ui::storage;
use crate::ui::tag::{button, tag, text};

/// Half as much again, or a third less.
pub const CLOSER: f64 = 2.0 / 3.0;
const SETTING: &str = "keys";
const LIST: &str = "keys";

/// Where *Back one level* leads to, the first that is there: the event stood on, or the row of a phone.
const STAGE: [&str; 3] = ["[data-cell][tabindex='0']", ".down-row.here button", ".transport .play"];
pub const INSPECTOR: &str = "[data-part=inspector] h2";
const TRACE: &str = "[data-part=trace] h2";

/// A key pressed anywhere in the lab.
pub fn pressed(desk: Desk, event: &KeyboardEvent) {
    let Some(target) = event.target().and_then(|target| target.dyn_into::<Element>().ok()) else { return };
    let within = |css: &str| target.closest(css).ok().flatten().is_some();
    let ctrl = event.ctrl_key() || event.meta_key();
    if event.alt_key() || event.default_prevented() || within("dialog") {
        return;
    }
    let pressed = chord(&event.key(), ctrl, event.shift_key());
    let in_run = within(".stage, .transport, .zooms");
    let allowed = |command: &Command| {
        let single_off = is_single(&pressed) && (within(".pop-list") || !singles().peek(|on| *on));
        // A button's own key, and a box's; a range has no use for it.
        let own = *command == Command::Play && within("button, input:not([type=range]), summary");
        !single_off && !own
    };
    let of = |is: bool, focus| if is { find(focus, &pressed) } else { None };
    let command = of(within("[data-cell]"), Focus::Event).or_else(|| of(in_run, Focus::Run));
    let Some(command) = command.or_else(|| of(true, Focus::Lab)).filter(allowed) else { return };
    if command == Command::Out && !in_run {
        // Elsewhere in the page Escape is not the lab's.
        if within(".side, .below") {
            event.prevent_default();
            back_to_stage();
        }
        return;
    }
    event.prevent_default();
    desk.answer.set(String::new());
    obey(desk, command, &target);
}

/// The focus came into a lane: keys mean it, also from the transport.
pub fn entered(desk: Desk, event: &web_sys::Event) {
    let target = event.target().and_then(|target| target.dyn_into::<Element>().ok());
    if let Some(node) = target.and_then(|target| lane_of(desk, &target)) {
        desk.lane.set(node);
    }
}

/// The node of the lane in which the focus is.
fn lane_of(desk: Desk, target: &Element) -> Option<NodeId> {
    let named = |css: &str, name: &str| {
        let found = target.closest(css).ok().flatten()?;
        found.get_attribute(name)?.parse::<u32>().ok()
    };
    let lane = named("[data-lane]", "data-lane").and_then(|node| u16::try_from(node).ok()).map(NodeId);
    let of = |record| desk.peek(|lab| lab.derived().history.trace().get(record).map(|record| record.node));
    lane.or_else(|| named("[data-record]", "data-record").and_then(of))
}

fn obey(desk: Desk, command: Command, target: &Element) {
    let (node, at) = (desk.lane.get_untracked(), desk.cursor.get_untracked());
    match command {
        Command::Select => {
            if let Some(record) = target.get_attribute("data-record").and_then(|id| id.parse().ok()) {
                look(desk, record);
            }
        }
        Command::Out => desk.selected.set(None),
        Command::Event { forward } => desk.step(forward),
        Command::Interesting { forward } => {
            if !desk.leap(forward) {
                desk.say(if forward { words::NONE_AFTER } else { words::NONE_BEFORE });
            }
        }
        Command::Play => desk.toggle(),
        Command::Faults => faults(desk, node),
        Command::Direct(direct) => match desk.peek(|lab| lab.direct(node, at, direct)) {
            Ok(offer) => {
                desk.answer.set(offer.full_name);
                desk.take(offer.deed);
            }
            Err(why) => desk.say(why),
        },
        Command::Edit => edit(desk, node),
        Command::FirstViolation => match desk.peek(|lab| lab.first_violation()) {
            Some((_, record, _)) => desk.show(record),
            None => desk.say(lab_words::NO_VIOLATION),
        },
        Command::Why => show(desk, INSPECTOR),
        Command::Trace => show(desk, TRACE),
        Command::Zoom(zoom) => self::zoom(desk, zoom),
        Command::Undo => match desk.peek(|lab| lab.undoes()) {
            Some(_) => desk.edit(|lab| lab.undo()),
            None => desk.say(lab_words::NOTHING_TO_UNDO),
        },
        Command::Redo => match desk.peek(|lab| lab.redoes()) {
            Some(_) => desk.edit(|lab| lab.redo()),
            None => desk.say(lab_words::NOTHING_TO_REDO),
        },
        Command::List => open_list(),
        // Of the grid, and of a grip.
        Command::Walk(_) | Command::Move(_) | Command::Keep | Command::Restore => {}
    }
}

/// Selects a record; the reader goes on at the inspector's heading.
pub fn look(desk: Desk, record: u32) {
    desk.show(record);
    request_animation_frame(move || {
        if !is_there(INSPECTOR) {
            return desk.say(words::NOT_HERE);
        }
        focus(INSPECTOR);
    });
}

fn is_there(css: &str) -> bool {
    document().query_selector(css).ok().flatten().is_some()
}

/// Goes to a part below or beside the run, into view.
fn show(desk: Desk, css: &'static str) {
    let Some(part) = document().query_selector(css).ok().flatten() else { return desk.say(words::NOT_HERE) };
    if let Ok(part) = part.dyn_into::<web_sys::HtmlElement>() {
        let _ = part.focus();
    }
}

fn faults(desk: Desk, node: NodeId) {
    if is_there(&format!(".lane-acts[data-lane='{}']", node.0)) {
        return desk.menu.set(Some(node));
    }
    desk.breaking.set(Some(node));
    desk.sheet.set(true);
}

/// Takes hold of the end of the fault that is meant.
fn edit(desk: Desk, node: NodeId) {
    let (selected, at) = (desk.selected.get_untracked(), desk.cursor.get_untracked());
    let Some(index) = desk.peek(|lab| lab.fault_meant(selected, node, at)) else {
        return desk.say(words::NO_FAULT);
    };
    let grip = format!(".grip[data-fault='{index}']");
    if !is_there(&grip) {
        return desk.say(words::NO_FAULT);
    }
    desk.window.set(None);
    request_animation_frame(move || focus(&grip));
}

/// Back from a grip, or from a part beside the run.
pub fn back_to_stage() {
    if let Some(css) = STAGE.into_iter().find(|css| is_there(css)) {
        focus(css);
    }
}

/// Whether single keys work, as the reader has it.
fn singles() -> State<bool> {
    State::of("single keys", || storage::get(SETTING).as_deref() != Some("off"))
}

// --- zoom ---

pub fn zoom(desk: Desk, zoom: Zoom) {
    let before = desk.shown();
    let about = desk.cursor.get_untracked();
    match zoom {
        Zoom::In => desk.zoom(CLOSER, about),
        Zoom::Out => desk.zoom(1.0 / CLOSER, about),
        Zoom::Fit => desk.window.set(None),
    }
    if desk.shown() == before {
        desk.say(if zoom == Zoom::In { words::CLOSEST } else { words::WHOLE });
    }
}

/// The three buttons of the zoom, and the list of keys.
pub fn buttons(desk: Desk) -> AnyView {
    let whole = move || desk.window.get().is_none();
    let step = |act, sign: &'static str, name: &'static str, asked| {
        let off = move || asked != Zoom::In && whole();
        button("btn", act, sign, move || zoom(desk, asked))
            .attr("aria-label", name)
            .live("title", move || Some(if off() { words::WHOLE } else { name }.to_owned()))
            .live("aria-disabled", move || off().then(|| "true".to_owned()))
            .end()
    };
    tag("span", "zooms")
        .child(step("zoom-out", "−", words::ZOOM_OUT, Zoom::Out))
        .child(step("zoom-in", "+", words::ZOOM_IN, Zoom::In))
        .child(step("fit", words::FIT, words::FIT_NAME, Zoom::Fit))
        .child(
            button("btn", "keys", "?", open_list)
                .attr("aria-label", words::OPEN)
                .attr("title", words::OPEN)
                .end(),
        )
        .end()
}

// --- the list ---

fn dialog() -> Option<HtmlDialogElement> {
    document().get_element_by_id(LIST)?.dyn_into().ok()
}

fn open_list() {
    if let Some(dialog) = dialog().filter(|dialog| !dialog.open()) {
        let _ = dialog.show_modal();
        // The button at its end has the focus now.
        dialog.set_scroll_top(0);
    }
}

/// The list of keys, closed until it is asked for.
pub fn list() -> AnyView {
    let on = singles();
    let row = |row: &crate::app::lab::keys::Row| {
        let keys = row.keys.split(' ').map(|key| {
            if matches!(key, "or") { format!(" {key} ").into_any() } else { text("kbd", "", key) }
        });
        tag("div", "").child(tag("dt", "").children(keys).end()).child(text("dd", "", row.does)).end()
    };
    let switch = tag("input", "").attr("type", "checkbox").flag("checked", on.peek(|on| *on)).on(
        "change",
        move |event| {
            let now = event_target_checked(&event);
            on.keep(now);
            storage::set(SETTING, if now { "on" } else { "off" });
        },
    );
    let close = button("btn", "close-keys", shell::CLOSE, || {
        if let Some(dialog) = dialog() {
            dialog.close();
        }
    });
    tag("dialog", "sheet keys-list")
        .attr("id", LIST)
        .attr("aria-label", words::TITLE)
        .child(text("h2", "", words::TITLE))
        .child(text("p", "muted", words::WHERE))
        .child(tag("dl", "").children(KEYS.iter().map(row)).end())
        .child(tag("label", "").child(switch.end()).text(words::SINGLE).end())
        .child(close.end())
        .end()
}
