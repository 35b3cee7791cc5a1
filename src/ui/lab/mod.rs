//! The lab's page: the run, what is done to it, what came of it.

pub mod board;
pub mod desk;
pub mod head;
pub mod pop;
pub mod rules;
pub mod side;
pub mod table;
pub mod transport;

use std::sync::Arc;

use fenceline_content::scenario::Case;
use fenceline_sim::Intervention;
use leptos::prelude::*;

pub use desk::{Desk, Kept, prefers_reduced_motion};
pub use head::account;

use crate::app::route::Chrome;
use crate::ui::site::site;

/// A scenario's run on the desk, with as much around it as the frame asks for.
#[component]
pub fn Bench(case: Arc<Case>, seed: u64, acts: Option<Vec<Intervention>>) -> impl IntoView {
    let desk = Desk::open(case, seed, acts);
    let site = site();
    site.link.set(Some(Callback::new(move |()| format!("#/lab?{}", desk.read(|lab| lab.link())))));
    let chrome = move || site.frame.get().chrome();
    let shows_all = Memo::new(move |_| chrome() == Chrome::Full);
    let shows_bars = Memo::new(move |_| chrome() != Chrome::None);
    view! {
        <div class="lab" data-digest=move || format!("{:016x}", desk.derived.read().0.history.digest()) on:keydown=move |event| head::undo_keys(desk, &event)>
            <head::Head desk=desk full=shows_all />
            <Show when=move || shows_all.get()><rules::Rules desk=desk /></Show>
            <Show when=move || shows_bars.get()><head::Outcome desk=desk /></Show>
            <div class="lab-main">
                <section class="frame" aria-label=crate::app::words::lab::RUN>
                    <Show when=move || shows_bars.get()><transport::Transport desk=desk /></Show>
                    <board::Board desk=desk />
                </section>
                <Show when=move || shows_all.get()>
                    <aside class="side">
                        <side::Inspector desk=desk />
                        <side::Verdicts desk=desk />
                        <side::Cost desk=desk />
                    </aside>
                    <div class="below">
                        <table::Program desk=desk />
                        <table::TraceTable desk=desk />
                    </div>
                </Show>
            </div>
        </div>
    }
}

/// The lab's page: fetches the scenario the link names, then opens its run.
#[component]
pub fn Lab(parameters: crate::app::route::Parameters) -> impl IntoView {
    let _ = parameters;
    view! { <Bench case=crate::ui::library::first_run() seed=1 acts=None /> }
}
