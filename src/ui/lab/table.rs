//! Below the stage: the program of an attempt with its counter, and the trace as a table.

use std::sync::Arc;

use fenceline_engine::{Exec, TaskId};
use fenceline_sim::{Act, Intervention, Kind, When};
use leptos::prelude::*;

use super::desk::Desk;
use crate::app::words::event::{self, Names};
use crate::app::words::{instant, lab as words};
use crate::ui::stage::sentence;

/// The program of the attempt looked at, its counter at the cursor, and a pause to aim at each step.
#[component]
pub fn Program(desk: Desk) -> impl IntoView {
    // The attempt of the selected record, else the first one.
    let exec = Memo::new(move |_| {
        let derived = desk.derived.get().0;
        let selected = desk.selected.get().and_then(|id| derived.history.trace().get(id).copied());
        selected.filter(|record| record.attempt > 0).map_or(Exec::first(TaskId(0), 1), |record| record.exec())
    });
    let counter = move || {
        let derived = desk.derived.get().0;
        let (exec, upto) = (exec.get(), desk.instant.read().0.records);
        let trace = derived.history.trace();
        (0..upto)
            .rev()
            .filter_map(|id| trace.get(id))
            .find(|r| r.kind == Kind::StepBegan && r.exec() == exec)
            .map_or(0, |r| r.n)
    };
    let steps = move || {
        let derived = desk.derived.get().0;
        let exec = exec.get();
        let at = counter();
        let program = derived.scenario.tasks.get(usize::from(exec.task.0)).map(|task| task.program.clone());
        let names = Names::new(Arc::clone(&derived.scenario), &derived.truth);
        program
            .unwrap_or_default()
            .into_iter()
            .enumerate()
            .map(|(index, step)| {
                let number = u8::try_from(index + 1).unwrap_or(u8::MAX);
                let current = u16::from(number) == at;
                let node = derived.truth.execution(exec).map(|execution| execution.node);
                let aim = node.map(|node| {
                    view! {
                        <button type="button" class="link" on:click=move |_| {
                            let act = Act::Pause { node, lasts: Some(fenceline_engine::Span::secs(55)) };
                            let when = When::BeforeStep { exec, step: number };
                            desk.edit(|lab| lab.intervene(Intervention { when, act }));
                        }>{words::PAUSE_BEFORE}</button>
                    }
                });
                view! {
                    <li class:pc=current aria-current=current.then_some("step")>
                        <i>{number}</i><span>{event::step(&step, &names)}</span>{aim}
                    </li>
                }
            })
            .collect_view()
    };
    view! {
        <section class="program" data-part="program">
            <h2>{move || words::program_of(exec.get().attempt)}</h2>
            <ol class="code">{steps}</ol>
        </section>
    }
}

/// Rows of the table at most; the rest is reached by moving the cursor.
const ROWS: usize = 60;

/// The trace as a readable table: what matters, up to the cursor, latest first.
#[component]
pub fn TraceTable(desk: Desk) -> impl IntoView {
    let all = RwSignal::new(false);
    let rows = move || {
        let derived = desk.derived.get().0;
        let names = Names::new(Arc::clone(&derived.scenario), &derived.truth);
        let upto = desk.instant.read().0.records;
        let starts = desk.read(|lab| lab.case().starts);
        let trace = derived.history.trace();
        let shown =
            |id: &u32| trace.get(*id).is_some_and(|record| all.get() || event::is_interesting(record));
        let ids: Vec<u32> = (0..upto).rev().filter(shown).take(ROWS).collect();
        ids.into_iter()
            .filter_map(|id| Some((id, *trace.get(id)?)))
            .map(|(id, record)| {
                let told = sentence(&event::tell(&record, &names));
                view! {
                    <tr class:sel=move || desk.selected.get() == Some(id)>
                        <td>{instant(record.at, starts)}</td>
                        <td>{names.node(record.node)}</td>
                        <td><button type="button" class="link" on:click=move |_| desk.show(id)>{told}</button></td>
                    </tr>
                }
            })
            .collect_view()
    };
    view! {
        <section class="trace" data-part="trace">
            <h2 tabindex="-1">
                <span>{words::TRACE}</span>
                <label><input type="checkbox" prop:checked=move || all.get() on:change=move |event| all.set(event_target_checked(&event)) />{words::EVERY_RECORD}</label>
            </h2>
            <table>
                <thead><tr><th>{words::WHEN}</th><th>{words::WHERE}</th><th>{words::WHAT}</th></tr></thead>
                <tbody>{rows}</tbody>
            </table>
        </section>
    }
}
