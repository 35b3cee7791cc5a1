//! Beside the stage: what is looked into and why it happened; the verdicts; what the run cost.

use fenceline_sim::order;
use std::sync::Arc;

use fenceline_sim::Record;
use fenceline_sim::verdict::{Claim, State, Verdict};
use leptos::prelude::*;

use super::desk::Desk;
use crate::app::lab::Lab;
use crate::app::words::event::{self, Names};
use crate::app::words::{instant, lab as words};
use crate::ui::stage::sentence;

/// Looks into the selected record; else the first violation; else says what was not exercised.
#[component]
pub fn Inspector(desk: Desk) -> impl IntoView {
    let shown = move || {
        let selected = desk.selected.get();
        desk.read(|lab| selected.or_else(|| lab.first_violation().map(|(_, record, _)| record)))
    };
    view! {
        <section class="why" aria-live="off" data-part="inspector">
            {move || match shown() {
                Some(record) => desk.read(|lab| look_into(desk, lab, record)).into_any(),
                None => nothing_violated(desk).into_any(),
            }}
        </section>
    }
}

fn look_into(desk: Desk, lab: &Lab, id: u32) -> impl IntoView + use<> {
    let starts = lab.case().starts;
    let derived = lab.derived();
    let record = derived.history.trace().get(id).copied();
    let claim = derived
        .end
        .verdicts
        .iter()
        .find(|verdict| verdict.state == State::Violated && verdict.evidence.contains(&id))
        .map(|verdict| verdict.claim);
    // When the claim was broken: of a task that is late, not when its record was last written.
    let since =
        derived.end.verdicts.iter().find(|v| Some(v.claim) == claim && v.evidence.last() == Some(&id));
    let when = since.and_then(|verdict| verdict.since).or(record.map(|record| record.at));
    let guard = claim.and_then(|claim| lab.had_it_been_guarded(id, claim));
    let names = Names::new(Arc::clone(&derived.scenario), &derived.truth);
    let told = record.map(|record| sentence(&event::tell(&record, &names)));
    let note = record.and_then(|record| words::late_fence(derived, &record, claim));
    let line = |at: Option<u64>, text: AnyView, otherwise: Option<String>, to: Option<u32>| {
        let time = at.map(|at| instant(at, starts));
        view! {
            <li>
                <time>{time}</time>
                <span>
                    {match to {
                        Some(to) => view! {
                            <button type="button" class="link" on:click=move |_| super::keys::look(desk, to)>{text}</button>
                        }.into_any(),
                        None => text,
                    }}
                    {otherwise.map(|text| view! { <small>{text}</small> })}
                </span>
            </li>
        }
    };
    let tell = |record: &Record| sentence(&event::tell(record, &names)).into_any();
    let causes: Vec<_> = lab
        .why(id)
        .into_iter()
        .filter_map(|cause| {
            let record = derived.history.trace().get(cause.record)?;
            Some(line(Some(cause.at), tell(record), cause.otherwise, Some(cause.record)))
        })
        .collect();
    view! {
        <h2 tabindex="-1">
            <span>{claim.map_or(words::SELECTED.to_owned(), words::violated)}</span>
            <time>{when.map(|at| instant(at, starts))}</time>
        </h2>
        <p>{told}</p>
        {note.map(|note| view! { <p class="note">{note}</p> })}
        <ol class="chain">
            {guard.map(|text| line(record.map(|r| r.at), words::NO_GUARD.into_any(), Some(text), None))}
            {causes}
        </ol>
    }
}

fn nothing_violated(desk: Desk) -> impl IntoView {
    let unexercised = move || {
        let now = desk.instant.read();
        now.0.verdicts.iter().filter(|verdict| verdict.state == State::NotExercised).count()
    };
    view! {
        <h2 tabindex="-1"><span>{words::NOTHING_VIOLATED}</span></h2>
        <p>{move || words::not_proof(unexercised())}</p>
    }
}

/// The verdicts at the cursor: violated first, then what holds, then what nothing put to the test.
#[component]
pub fn Verdicts(desk: Desk) -> impl IntoView {
    let sorted = move || {
        let mut verdicts = desk.instant.read().0.verdicts.clone();
        order::by(&mut verdicts, |verdict| match verdict.state {
            State::Violated => 0,
            State::Holds => 1,
            State::NotExercised => 2,
        });
        verdicts
    };
    let shown =
        move |state| sorted().into_iter().filter(move |verdict| verdict.state == state).collect::<Vec<_>>();
    view! {
        <section data-part="verdicts">
            <h2>{words::VERDICTS}</h2>
            <ul class="verdicts">
                {move || [shown(State::Violated), shown(State::Holds)].concat().into_iter().map(|v| verdict(desk, v)).collect_view()}
            </ul>
            <details>
                <summary>{move || words::not_exercised(shown(State::NotExercised).len())}</summary>
                <ul class="verdicts">
                    {move || shown(State::NotExercised).into_iter().map(|v| verdict(desk, v)).collect_view()}
                </ul>
            </details>
        </section>
    }
}

fn verdict(desk: Desk, verdict: Verdict) -> impl IntoView {
    let Verdict { claim, state, evidence, detail, .. } = verdict;
    let class = match state {
        State::Violated => "verdict bad",
        State::Holds => "verdict ok",
        State::NotExercised => "verdict na",
    };
    let said = words::claim_with(claim, detail);
    let text = match evidence.last().copied() {
        Some(record) => view! {
            <button type="button" class="link" on:click=move |_| desk.show(record)>{said}</button>
        }
        .into_any(),
        None => said.into_any(),
    };
    view! {
        <li data-claim=claim_id(claim) data-state=words::state(state)>
            <span class=class>{words::glyph(state)}" "{words::state(state)}</span>
            <span>{text}</span>
        </li>
    }
}

fn claim_id(claim: Claim) -> &'static str {
    fenceline_content::scenario::CLAIMS.iter().find(|(_, known)| *known == claim).map_or("", |(name, _)| name)
}

/// Quality figures of the whole run.
#[component]
pub fn Cost(desk: Desk) -> impl IntoView {
    let lines = move || crate::app::words::figures::costs(&desk.derived.read().0.figures());
    view! {
        <section data-part="cost">
            <h2>{words::COST}</h2>
            <dl class="cost">
                {move || lines().into_iter().map(|(figure, text)| view! { <div><dt>{figure}</dt><dd>{text}</dd></div> }).collect_view()}
            </dl>
        </section>
    }
}
