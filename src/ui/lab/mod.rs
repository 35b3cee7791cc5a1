//! The lab's page: the run, what is done to it, what came of it.

pub mod address;
pub mod board;
pub mod desk;
mod follow;
pub mod grips;
pub mod head;
pub mod keys;
pub mod pop;
pub mod rules;
pub mod side;
pub mod table;
pub mod transport;
pub mod voice;

use std::sync::Arc;

use fenceline_content::link::RunLink;
use fenceline_content::scenario::{Case, ScenarioFile};
use fenceline_sim::Intervention;
use leptos::prelude::*;

pub use address::{check, locate};
pub use desk::{Desk, Look};

use crate::app::library;
use crate::app::route::{Chrome, Parameters};
use crate::app::words::lab as words;
use crate::ui::fetch::fetched_page;
use crate::ui::first_run;
use crate::ui::site::site;

/// A scenario's run on the desk, with as much around it as the frame asks for.
#[component]
pub fn Bench(case: Arc<Case>, seed: u64, acts: Option<Vec<Intervention>>, look: Look) -> impl IntoView {
    let desk = Desk::open(case, seed, acts, look);
    let site = site();
    site.link.set(Some(Callback::new(move |()| address::link(desk, site))));
    address::follow(desk);
    let chrome = move || site.frame.get().chrome();
    let shows_all = Memo::new(move |_| chrome() == Chrome::Full);
    let shows_bars = Memo::new(move |_| chrome() != Chrome::None);
    view! {
        <div class="lab" data-scenario=move || desk.read(|lab| lab.case().id.clone()) data-digest=move || format!("{:016x}", desk.derived.read().0.history.digest())
            on:keydown=move |event| keys::pressed(desk, &event)
            on:focusin=move |event| keys::entered(desk, &event)>
            {desk.speaker.region()}
            <head::Head desk=desk full=shows_all />
            <Show when=move || shows_all.get()><rules::Rules desk=desk /></Show>
            <Show when=move || shows_bars.get()><head::Outcome desk=desk /></Show>
            <div class="lab-main">
                <section class="frame" aria-label=crate::app::words::lab::RUN>
                    <Show when=move || shows_bars.get()><transport::Transport desk=desk /></Show>
                    {board::board(desk)}
                    {board::legend()}
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
            {keys::list()}
        </div>
    }
}

/// The lab's page: fetches the scenario the link names, then opens its run. Without one, the run that
/// was open last; else the first run's world, with nobody touching it.
#[component]
pub fn Lab(parameters: Parameters) -> impl IntoView {
    let site = site();
    let last = address::last().peek(Parameters::clone);
    let parameters = if parameters.is_empty() { last } else { parameters };
    let link = match address::read(&parameters) {
        Ok(Some(link)) => {
            address::last().keep(parameters);
            link
        }
        Ok(None) => RunLink::of(FIRST_RUN, Some(Vec::new())),
        Err(what) => {
            site.refuse(&what);
            RunLink::of(FIRST_RUN, None)
        }
    };
    if link.id == FIRST_RUN {
        return bench(first_run(), &link);
    }
    let Some(entry) = library::run(&link.id) else { return bench(None, &link) };
    fetched_page::<ScenarioFile>(entry.title, vec![entry], move |files| {
        let case = files.first().map(|file| file.read(&file.id));
        match case {
            Some(Ok(case)) => bench(Some(Arc::new(case)), &link),
            _ => bench(None, &link),
        }
    })
}

/// A case with the link's acts on it. What does not fit the scenario is named, and its own stands.
fn bench(case: Option<Arc<Case>>, link: &RunLink) -> AnyView {
    let Some(case) = case else { return words::UNREADABLE.into_any() };
    let refused = |what: String| site().refuse(&what);
    let acts = link.interventions(case.cast()).map_err(refused).ok().flatten();
    let on = link.selects(case.cast()).map_err(refused).ok().flatten();
    let (seed, look) = (link.seed, Look { at: link.at, on });
    view! { <Bench case seed acts look /> }.into_any()
}

pub(crate) const FIRST_RUN: &str = "flagship";
