//! The stage for the keyboard: lanes are rows, events cells, one tab stop. Only cells near the focus
//! are in the document; the drawing itself is hidden from readers.

use crate::app::stage::{Cell, Picture, Walk};
use fenceline_sim::{At, order};
use leptos::prelude::*;
use std::sync::Arc;
use wasm_bindgen::JsCast;
use web_sys::{FocusEvent, KeyboardEvent};

use crate::app::words::lane::EVENTS;
use crate::ui::site::focus;
use crate::ui::tag::{each, live_text, tag};

/// Whether the focus is nowhere, or on an event.
fn is_at_rest() -> bool {
    let active = document().active_element();
    active.is_none_or(|active| active.tag_name() == "BODY" || active.has_attribute("data-cell"))
}

/// The grid of events. `focused` is the record the keyboard stands on, while it does.
pub fn grid(
    picture: Signal<Arc<Picture>>,
    selected: Signal<Option<u32>>,
    focused: RwSignal<Option<u32>>,
) -> AnyView {
    // The last place stood on; kept when the focus leaves.
    let stood = RwSignal::new(0_usize);
    let near = move || {
        let picture = picture.get();
        let at = stood.get().min(picture.cells.len().saturating_sub(1));
        let steps = [Walk::Above, Walk::Before, Walk::After, Walk::Below];
        let mut near: Vec<usize> = steps.into_iter().map(|step| picture.walk(at, step)).chain([at]).collect();
        order::distinct(&mut near, |cell| *cell as u64);
        near.retain(|index| *index < picture.cells.len());
        near
    };
    // The same as a lane and a time, once the focus has been here; and whether it still is.
    let place = StoredValue::new(None::<(usize, At)>);
    let holds = StoredValue::new(false);
    let take = move |index: usize| {
        let of = |cell: &Cell| (cell.lane, cell.at, cell.record);
        let cell = picture.with_untracked(|picture| picture.cells.get(index).map(of));
        place.set_value(cell.map(|(lane, at, _)| (lane, at)));
        focused.set(cell.map(|(.., record)| record));
    };
    let go = move |to: usize| {
        stood.set(to);
        take(to);
        // The cell is in the document by now: effects of signals run before this one.
        request_animation_frame(move || focus(&format!("[data-cell='{to}']")));
    };
    let keydown = move |event: KeyboardEvent| {
        if event.ctrl_key() || event.meta_key() || event.alt_key() {
            return;
        }
        if let Some(step) = Walk::asked(&event.key()) {
            let from = stood.get_untracked();
            event.prevent_default();
            event.stop_propagation();
            go(picture.with_untracked(|picture| picture.walk(from, step)));
        }
    };
    // Another picture has other events: the keyboard stays in its lane, at its time. What is selected
    // by other means is where it comes in.
    Effect::new(move |_| {
        let chosen = selected.get();
        picture.with(|picture| {
            let chosen = picture.cells.iter().find(|cell| Some(cell.record) == chosen);
            if let Some(cell) = chosen.filter(|_| !holds.get_value()) {
                place.set_value(Some((cell.lane, cell.at)));
            }
            let to = place.get_value().and_then(|(lane, at)| picture.nearest(lane, at));
            match to.filter(|to| *to != stood.get_untracked()) {
                Some(to) if holds.get_value() && is_at_rest() => go(to),
                Some(to) => stood.set(to),
                None => {}
            }
        });
    });
    let cell = move |index: usize| {
        let read =
            move |read: fn(&Cell) -> String| picture.with(|picture| picture.cells.get(index).map(read));
        let chosen = move || {
            let record = picture.with(|picture| picture.cells.get(index).map(|cell| cell.record));
            record.is_some() && selected.get() == record
        };
        let here = move || if stood.get() == index { "0" } else { "-1" };
        let cell = tag("div", "")
            .attr("role", "gridcell")
            .attr("data-cell", index.to_string())
            .live("data-record", move || read(|cell| cell.record.to_string()))
            .live("tabindex", move || Some(here().to_owned()))
            .live("aria-selected", move || Some(chosen().to_string()))
            .on("focus", move |_| {
                holds.set_value(true);
                take(index);
            })
            .on("blur", move |event| {
                // An event that is no longer drawn loses the focus to nobody.
                let to = event.dyn_ref::<FocusEvent>().and_then(FocusEvent::related_target);
                holds.set_value(to.is_none());
                focused.set(None);
            })
            .child(live_text(move || read(|cell| cell.name.clone()).unwrap_or_default()));
        tag("div", "")
            .attr("role", "row")
            .live("aria-rowindex", move || read(|cell| (cell.lane + 1).to_string()))
            .child(cell.end())
            .end()
    };
    let rows = move || Some(picture.with(|picture| picture.lanes.len()).to_string());
    tag("div", "hide")
        .attr("role", "grid")
        .attr("aria-label", EVENTS)
        .live("aria-rowcount", rows)
        .keys(keydown)
        .child(each(move || near().into_iter().map(|index| (index as u64, index)).collect(), cell))
        .end()
}
