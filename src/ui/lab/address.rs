//! The lab in the address: what is done to a run is written there, and what is typed there is read
//! before it takes the place of a run.

use std::time::Duration;

use fenceline_content::link::RunLink;
use fenceline_content::plain;
use fenceline_content::scenario::{Case, ScenarioFile};
use leptos::prelude::*;

use super::FIRST_RUN;
use super::desk::{Desk, now};
use crate::app::lab::speech::REST;
use crate::app::library;
use crate::app::route::{self, Parameters, Place};
use crate::app::words::{lab as words, shell};
use crate::ui::fetch;
use crate::ui::first_run;
use crate::ui::site::{Site, site};
use crate::ui::state::State;
use crate::ui::tag::{tag, text};

/// Milliseconds between two writes while the edits go on: browsers refuse them if they come fast.
const PACE: f64 = 1_000.0;

/// The run that was open last in this tab; `#/lab` alone leads back to it.
pub fn last() -> State<Parameters> {
    State::of("last run", Vec::new)
}

/// Writes every edit of the run into the address.
pub fn follow(desk: Desk) {
    let site = site();
    let wrote = StoredValue::new(0.0_f64);
    let write = move || {
        // Another page may be shown by now.
        let is_here =
            wrote.try_set_value(now()).is_none() && site.place.peek(|place| matches!(place, Place::Lab(_)));
        let Some(link) = desk.peek(|lab| lab.link()).filter(|_| is_here) else { return };
        site.write(&format!("#/lab?{link}"));
        remember(site);
    };
    let mut opened = false;
    Effect::new(move |_| {
        let edit = desk.edits();
        if !std::mem::replace(&mut opened, true) {
            return;
        }
        if now() - wrote.get_value() > PACE {
            return write();
        }
        let rest = move || {
            if desk.has_rested(edit) {
                write();
            }
        };
        set_timeout(rest, Duration::from_millis(REST));
    });
}

/// Notes which run is open.
pub fn remember(site: Site) {
    if let Place::Lab(parameters) = site.place.peek(Place::clone) {
        last().keep(parameters);
    }
}

/// A link to the run, or why there is none.
pub fn link(desk: Desk, site: Site) -> Option<String> {
    let link = desk.peek(|lab| lab.link());
    if link.is_none() {
        site.complain(words::too_long(desk.peek(|lab| lab.acts().len())));
    }
    Some(format!("#/lab?{}", link?))
}

/// Reads a link to a run before it takes the place of the one that is open.
pub fn check(site: Site, place: Place, show: Box<dyn FnOnce()>) {
    let open = site.place.peek(|open| matches!(open, Place::Lab(_)));
    let parameters = match place {
        Place::Lab(parameters) if open => parameters,
        _ => return show(),
    };
    if parameters.is_empty() {
        // The run that is asked for is open.
        return site.write(&site.place.peek(Place::href));
    }
    leptos::task::spawn_local(async move {
        match wrong(&parameters).await {
            Some(what) => site.refuse(&what),
            None => show(),
        }
    });
}

/// A link with its wrong part marked, for who asks.
pub fn locate(link: &str, what: &str) -> AnyView {
    let [before, wrong, after] = route::marked(link, what);
    let link = tag("code", "").text(before).child(text("mark", "", wrong)).text(after);
    tag("details", "").child(text("summary", "btn", shell::SHOW)).child(link.end()).end()
}

/// What is wrong with the parameters of a run.
async fn wrong(parameters: &Parameters) -> Option<String> {
    let link = match read(parameters) {
        Ok(link) => link?,
        Err(what) => return Some(what),
    };
    let case = match case(&link.id).await? {
        Ok(case) => case,
        Err(what) => return Some(what),
    };
    let cast = case.cast();
    link.interventions(cast).err().or_else(|| link.selects(cast).err())
}

/// The parameters of a run, read.
pub fn read(parameters: &Parameters) -> Result<Option<RunLink>, String> {
    let link = RunLink::read(parameters.iter().map(|(name, value)| (name.as_str(), value.as_str())))?;
    match link {
        Some(link) if library::run(&link.id).is_none() => Err(words::no_scenario(&link.id)),
        link => Ok(link),
    }
}

/// The scenario a link names. None where it does not arrive: its page says so, and tries again.
async fn case(id: &str) -> Option<Result<Case, String>> {
    if id == FIRST_RUN {
        return first_run().map(|case| Ok(std::sync::Arc::unwrap_or_clone(case)));
    }
    let text = fetch::text(library::run(id)?).await.ok()?;
    let file: ScenarioFile = plain::read(&text).ok()?;
    Some(file.read(&file.id).map_err(|_| words::UNREADABLE.to_owned()))
}
