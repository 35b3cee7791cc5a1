//! Title, undo and branch; and the outcome bar: the two accounts and the one next step.

use leptos::prelude::*;

use super::desk::Desk;
use super::pop::{Item, Pop};
use crate::app::lab::Lab;
use crate::app::lab::outcome::Next;
use crate::app::words::{lab as words, outcome};
use crate::ui::site::site;
use crate::ui::start::account;

#[component]
pub fn Head(desk: Desk, full: Memo<bool>) -> impl IntoView {
    let title = desk.read(|lab| lab.case().title.clone());
    let about = desk.read(|lab| lab.case().about.clone());
    let undo = move || desk.read(|lab| lab.undoes()).map(words::edit);
    let redo = move || desk.read(|lab| lab.redoes()).map(words::edit);
    let branch = move || desk.read(|lab| lab.kept().is_some());
    let given = move || desk.read(|lab| lab.acts() == lab.case().scenario.script);
    view! {
        <header class="lab-head">
            <h1 tabindex="-1" title=about>{title}</h1>
            <Show when=move || full.get()>
                <button type="button" class="btn quiet" title=move || undo().map_or(words::NOTHING_TO_UNDO.into(), |what| words::undo(&what))
                    aria-disabled=move || undo().is_none().then_some("true")
                    on:click=move |_| desk.edit(|lab| lab.undo())>{words::UNDO}</button>
                <button type="button" class="btn quiet" title=move || redo().map_or(words::NOTHING_TO_REDO.into(), |what| words::redo(&what))
                    aria-disabled=move || redo().is_none().then_some("true")
                    on:click=move |_| desk.edit(|lab| lab.redo())>{words::REDO}</button>
                <button type="button" class="btn quiet" title=move || if given() { words::IS_AS_GIVEN } else { words::RESET_NOTE }
                    aria-disabled=move || given().then_some("true")
                    on:click=move |_| desk.edit(|lab| lab.reset())>{words::RESET}</button>
                <button type="button" class="btn" title=move || if branch() { words::BRANCH_NOTE } else { words::NO_BRANCH }
                    aria-disabled=move || (!branch()).then_some("true")
                    on:click=move |_| desk.edit(|lab| lab.switch_branch())>{words::BRANCH}</button>
                <span class="narrow-only">
                    <Pop label="…".to_owned() name=Signal::stored(words::MORE.to_owned()) class="btn" title=words::MORE.to_owned() items=Callback::new(move |()| narrow_items(desk)) />
                </span>
            </Show>
        </header>
    }
}

/// What there is no room for on the phone.
fn narrow_items(desk: Desk) -> Vec<Item> {
    let item = |label: &str, note: String, refused: Option<&str>, edit: fn(&mut Lab)| Item {
        group: String::new(),
        label: label.into(),
        name: None,
        note,
        refused: refused.map(str::to_owned),
        current: false,
        stays: false,
        choose: Callback::new(move |()| desk.edit(edit)),
    };
    desk.read(|lab| {
        let redo = lab.redoes().map(words::edit);
        let given = lab.acts() == lab.case().scenario.script;
        vec![
            item(
                words::REDO,
                redo.as_deref().map_or(words::REDO_NOTE.into(), words::redo),
                redo.is_none().then_some(words::NOTHING_TO_REDO),
                Lab::redo,
            ),
            item(words::RESET, words::RESET_NOTE.into(), given.then_some(words::IS_AS_GIVEN), Lab::reset),
            item(
                words::BRANCH,
                words::BRANCH_NOTE.into(),
                lab.kept().is_none().then_some(words::NO_BRANCH),
                Lab::switch_branch,
            ),
        ]
    })
}

#[component]
pub fn Outcome(desk: Desk) -> impl IntoView {
    let site = site();
    let says = move || desk.instant.read().0.outcome.scheduler.clone();
    let truth = move || desk.instant.read().0.outcome.truth.clone();
    let next = move || desk.read(|lab| lab.next_step());
    let go = move |_| match next() {
        Next::Break(_) => {
            desk.edit(|lab| lab.reset());
            desk.seek(desk.until());
        }
        Next::Remedy(index, _) => {
            desk.edit(|lab| lab.remedy(index));
            desk.seek(desk.until());
        }
        Next::Open { id, .. } => site.go(&format!("#/lab?v=1&id={id}")),
        Next::Library => site.go("#/incidents"),
    };
    view! {
        {move || desk.derived.read().0.history.stop().map(|stop| view! { <p class="stopped">{words::stopped(stop)}</p> })}
        <div class="outcome" data-part="outcome">
            <div data-part="scheduler-says"><h2>{outcome::SCHEDULER_SAYS}</h2>{move || account(&says())}</div>
            <div data-part="truth"><h2>{outcome::THE_TRUTH}</h2>{move || account(&truth())}</div>
            <div class="outcome-next">
                <button type="button" class="next" data-act="next" on:click=go>{move || next().title().to_owned()}</button>
            </div>
        </div>
    }
}
