//! The stage: draws a [`Picture`] and takes what is pointed at. Decides nothing.

use crate::app::stage::{LaneOf, Picture};
use fenceline_sim::At;
use leptos::prelude::*;
use std::sync::Arc;

/// The space-time picture, time running right.
#[component]
pub fn Stage(
    /// Built by `app::stage::draw` for the room in `width`.
    #[prop(into)]
    picture: Signal<Arc<Picture>>,
    /// The instant looked at.
    #[prop(into)]
    cursor: Signal<At>,
    /// The record looked into.
    #[prop(into)]
    selected: Signal<Option<u32>>,
    /// The stage writes here how wide its plot is.
    width: RwSignal<f32>,
    /// The cursor shall go there.
    on_seek: Callback<At>,
    /// This record shall be looked into.
    on_select: Callback<u32>,
    /// What can be done to a lane, for its gutter.
    acts: Callback<LaneOf, AnyView>,
) -> impl IntoView {
    let _ = (picture, cursor, selected, width, on_seek, on_select, acts);
}
