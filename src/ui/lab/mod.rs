//! The lab's page: the run, what is done to it, what came of it.

pub mod board;
pub mod desk;
pub mod grips;
pub mod head;
pub mod pop;
pub mod rules;
pub mod side;
pub mod table;
pub mod transport;

use std::sync::Arc;

use fenceline_content::link::RunLink;
use fenceline_content::scenario::{Case, ScenarioFile};
use fenceline_sim::Intervention;
use leptos::prelude::*;

pub use desk::Desk;

use crate::app::library;
use crate::app::route::{Chrome, Parameters};
use crate::app::words::{lab as words, shell};
use crate::ui::fetch::fetched_page;
use crate::ui::first_run;
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
        <div class="lab" data-scenario=move || desk.read(|lab| lab.case().id.clone()) data-digest=move || format!("{:016x}", desk.derived.read().0.history.digest()) on:keydown=move |event| head::undo_keys(desk, &event)>
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
        </div>
    }
}

/// The lab's page: fetches the scenario the link names, then opens its run. Without one the first
/// run's world is opened, with nobody touching it.
#[component]
pub fn Lab(parameters: Parameters) -> impl IntoView {
    let site = site();
    let given = parameters.iter().map(|(name, value)| (name.as_str(), value.as_str()));
    let link = match RunLink::read(given) {
        Ok(Some(link)) => link,
        Ok(None) => RunLink { id: FIRST_RUN.into(), seed: 1, acts: Some(Vec::new()) },
        Err(what) => {
            site.complain(shell::bad_link(&what));
            RunLink { id: FIRST_RUN.into(), seed: 1, acts: None }
        }
    };
    if link.id == FIRST_RUN {
        return bench(first_run(), &link);
    }
    match library::run(&link.id) {
        Some(entry) => fetched_page::<ScenarioFile>(entry.title, vec![entry], move |files| {
            let case = files.first().map(|file| file.read(&file.id));
            match case {
                Some(Ok(case)) => bench(Some(Arc::new(case)), &link),
                _ => bench(None, &link),
            }
        }),
        None => {
            site.complain(words::no_scenario(&link.id));
            bench(first_run(), &RunLink { id: FIRST_RUN.into(), seed: 1, acts: None })
        }
    }
}

/// A case with the link's acts on it. Acts that do not fit the scenario are named, and its own stand.
fn bench(case: Option<Arc<Case>>, link: &RunLink) -> AnyView {
    let Some(case) = case else { return words::UNREADABLE.into_any() };
    let acts = link.interventions(case.cast()).unwrap_or_else(|what| {
        site().complain(shell::bad_link(&what));
        None
    });
    let seed = link.seed;
    view! { <Bench case seed acts /> }.into_any()
}

const FIRST_RUN: &str = "flagship";
