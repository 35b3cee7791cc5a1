//! The stage for the keyboard: lanes are rows, events cells, one tab stop. Only cells near the focus
//! are in the document; the drawing itself is hidden from readers.

use crate::app::stage::{Cell, Picture, Walk};
use fenceline_sim::order;
use leptos::html::Div;
use leptos::prelude::*;
use std::sync::Arc;
use wasm_bindgen::JsCast;
use web_sys::{HtmlElement, KeyboardEvent};

/// The step a key asks for.
fn asked(key: &str) -> Option<Walk> {
    Some(match key {
        "ArrowLeft" => Walk::Before,
        "ArrowRight" => Walk::After,
        "ArrowUp" => Walk::Above,
        "ArrowDown" => Walk::Below,
        "Home" => Walk::First,
        "End" => Walk::Last,
        _ => return None,
    })
}

/// The grid of events.
#[component]
pub fn Grid(
    picture: Signal<Arc<Picture>>,
    selected: Signal<Option<u32>>,
    /// The record the keyboard stands on, while it does.
    focused: RwSignal<Option<u32>>,
    on_select: Callback<u32>,
) -> impl IntoView {
    // The last place stood on; kept when the focus leaves.
    let stood = RwSignal::new(0_usize);
    let grid = NodeRef::<Div>::new();
    let near = move || {
        let picture = picture.get();
        let at = stood.get().min(picture.cells.len().saturating_sub(1));
        let steps = [Walk::Above, Walk::Before, Walk::After, Walk::Below];
        let mut near: Vec<usize> = steps.into_iter().map(|step| picture.walk(at, step)).chain([at]).collect();
        order::distinct(&mut near, |cell| *cell as u64);
        near.into_iter()
            .filter_map(|index| Some((index, picture.cells.get(index)?.clone())))
            .collect::<Vec<_>>()
    };
    let go = move |to: usize| {
        stood.set(to);
        let record = picture.with_untracked(|picture| picture.cells.get(to).map(|cell| cell.record));
        focused.set(record);
        // The cell is in the document by now: effects of signals run before this one.
        request_animation_frame(move || {
            let Some(grid) = grid.get_untracked() else { return };
            let cell = grid.query_selector(&format!("[data-cell=\"{to}\"]")).ok().flatten();
            if let Some(cell) = cell.and_then(|cell| cell.dyn_into::<HtmlElement>().ok()) {
                let _ = cell.focus();
            }
        });
    };
    let keydown = move |event: KeyboardEvent| {
        if event.ctrl_key() || event.meta_key() || event.alt_key() {
            return;
        }
        let from = stood.get_untracked();
        if event.key() == "Enter" {
            let record = picture.with_untracked(|picture| picture.cells.get(from).map(|cell| cell.record));
            if let Some(record) = record {
                event.prevent_default();
                on_select.run(record);
            }
            return;
        }
        if let Some(step) = asked(&event.key()) {
            event.prevent_default();
            event.stop_propagation();
            go(picture.with_untracked(|picture| picture.walk(from, step)));
        }
    };
    let cell = move |(index, cell): (usize, Cell)| {
        let here = move || stood.get() == index;
        let record = cell.record;
        view! {
            <div role="row" aria-rowindex=(cell.lane + 1).to_string()>
                <div
                    role="gridcell"
                    data-cell=index.to_string()
                    tabindex=move || if here() { "0" } else { "-1" }
                    aria-selected=move || (selected.get() == Some(record)).to_string()
                    on:focus=move |_| focused.set(Some(record))
                    on:blur=move |_| focused.set(None)
                >
                    {cell.name}
                </div>
            </div>
        }
    };
    view! {
        <div
            class="hide"
            role="grid"
            aria-label="Events of the run, a row for each lane"
            aria-rowcount=move || picture.with(|picture| picture.lanes.len()).to_string()
            node_ref=grid
            on:keydown=keydown
        >
            <For each=near key=|(index, cell)| (*index, cell.record) children=cell />
        </div>
    }
}
