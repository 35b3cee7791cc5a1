//! Grips at the ends of faults that last: dragged, or moved by keys, the run follows at once.

use std::sync::Arc;

use fenceline_engine::NodeId;
use fenceline_sim::At;
use leptos::prelude::*;
use web_sys::{Element, PointerEvent};

use super::desk::Desk;
use super::keys::back_to_stage;
use crate::app::lab::faults::Standing;
use crate::app::lab::keys::{Command, Focus, chord, find};
use crate::app::stage::{LaneOf, Picture};
use crate::app::words::{faults as words, instant};

/// One grip for each end, over the picture.
pub fn grips(desk: Desk, picture: Memo<Arc<Picture>>) -> AnyView {
    // Only which faults there are: a grip that is held must stay the same element.
    let ends = Memo::new(move |_| {
        let shown: Vec<NodeId> = picture.read().lanes.iter().filter_map(|lane| node_of(lane.of)).collect();
        desk.read(|lab| {
            let of = |node: &NodeId| lab.standing(*node).into_iter().filter(|fault| fault.until.is_some());
            shown.iter().flat_map(|node| of(node).map(|fault| (*node, fault.index))).collect::<Vec<_>>()
        })
    });
    crate::ui::tag::live(move || {
        ends.get().into_iter().map(|(node, index)| grip(desk, picture, node, index)).collect_view().into_any()
    })
}

fn node_of(lane: LaneOf) -> Option<NodeId> {
    match lane {
        LaneOf::Node(node) => Some(node),
        LaneOf::Task(_) | LaneOf::Tasks(_) | LaneOf::Executing | LaneOf::Rail => None,
    }
}

fn grip(desk: Desk, picture: Memo<Arc<Picture>>, node: NodeId, index: usize) -> impl IntoView {
    let starts = desk.read(|lab| lab.case().starts);
    let fault = move || desk.read(|lab| lab.standing(node).into_iter().find(|fault| fault.index == index));
    let end = move || fault().and_then(|fault| fault.until).unwrap_or(0);
    let left = move || format!("{}px", picture.read().axis.x(end()).round() as i32);
    let top = move || {
        let picture = picture.read();
        let lane = picture.lanes.iter().find(|lane| node_of(lane.of) == Some(node));
        let middle =
            lane.map_or(0.0, |lane| lane.strips.first().map_or(lane.y + 20.0, |(_, middle)| *middle));
        format!("{}px", middle.round() as i32)
    };
    let name = {
        let whom = desk.read(|lab| words::node(&lab.derived().scenario, node));
        fault().map_or(String::new(), |fault| words::end_of(&fault.act, &whom))
    };
    let move_to = move |until: At| {
        if let Some(Standing { from, .. }) = fault() {
            desk.edit(|lab| lab.move_fault_end(index, from, until));
            // What the whole run comes to is seen while it is moved.
            desk.seek(desk.until());
        }
    };
    let settle = move || desk.change(|lab| lab.settle());
    let down = move |event: PointerEvent| {
        let target: Element = event_target(&event);
        let _ = target.set_pointer_capture(event.pointer_id());
        event.prevent_default();
        event.stop_propagation();
        // Undo and the other keys of the run are at hand after a drag.
        crate::ui::site::focus("[data-part=stage]");
    };
    let moved = move |event: PointerEvent| {
        let target: Element = event_target(&event);
        let plot = target.parent_element().filter(|_| target.has_pointer_capture(event.pointer_id()));
        if let Some(plot) = plot {
            let x = f64::from(event.client_x()) - plot.get_bounding_client_rect().left();
            move_to(picture.with_untracked(|picture| picture.axis.at_rounded(x as f32)));
        }
    };
    let keys = move |event: web_sys::KeyboardEvent| {
        let pressed = chord(&event.key(), event.ctrl_key() || event.meta_key(), event.shift_key());
        match find(Focus::Grip, &pressed) {
            Some(Command::Move(by)) => move_to(end().saturating_add_signed(by)),
            Some(Command::Keep) => back_to_stage(),
            Some(Command::Restore) => {
                desk.edit(|lab| lab.restore());
                back_to_stage();
            }
            _ => return,
        }
        event.prevent_default();
        event.stop_propagation();
    };
    let away = move || !picture.read().axis.shows(end());
    view! {
        <button
            type="button"
            class="grip"
            class:away=away
            role="slider"
            data-fault=index.to_string()
            aria-label=name
            aria-valuemin="0"
            aria-valuemax=move || (desk.until() / 100_000).to_string()
            aria-valuenow=move || (end() / 100_000).to_string()
            aria-valuetext=move || instant(end(), starts)
            style:left=left
            style:top=top
            on:pointerdown=down
            on:pointermove=moved
            on:pointerup=move |_| settle()
            on:focus=move |_| settle()
            on:keydown=keys
        ></button>
    }
}
