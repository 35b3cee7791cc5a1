//! The rules in force: one sentence, each value a button.

use leptos::prelude::*;

use super::desk::Desk;
use super::pop::{Item, Pop};
use crate::app::lab::rules::{Choice, Piece, Sentence, Slot};
use crate::app::words::lab as words;

#[component]
pub fn Rules(desk: Desk) -> impl IntoView {
    let sentence = move || Sentence::of(&desk.derived.read().0.scenario);
    view! {
        <section class="rules" aria-label=words::RULES>
            <p>{move || pieces(desk, sentence().main)}</p>
            <details>
                <summary>{words::MORE_RULES}</summary>
                <p>{move || pieces(desk, sentence().more)}</p>
            </details>
        </section>
    }
}

fn pieces(desk: Desk, pieces: Vec<Piece>) -> Vec<AnyView> {
    let piece = |piece| match piece {
        Piece::Text(text) => text.into_any(),
        Piece::Figure(figure) => view! { <b>{figure}</b> }.into_any(),
        Piece::Slot(slot) => value(desk, slot).into_any(),
    };
    pieces.into_iter().map(piece).collect()
}

fn value(desk: Desk, slot: Slot) -> impl IntoView {
    let Slot { name, value, risky, choices } = slot;
    let full = format!("{name}: {value}");
    let items = Callback::new(move |()| choices.iter().map(|choice| item(desk, choice)).collect::<Vec<_>>());
    let class = if risky { "rule risky" } else { "rule" };
    view! { <Pop label=value name=Signal::stored(full) class=class title=name.to_owned() items=items /> }
}

/// A choice, and what it would change in this run.
fn item(desk: Desk, choice: &Choice) -> Item {
    let setting = choice.setting;
    let mut note = choice.note.to_owned();
    if !choice.current {
        let change =
            desk.read(|lab| words::would(&lab.derived().end.verdicts, &lab.preview(setting).end.verdicts));
        note += &format!(" {change}");
    }
    Item {
        group: String::new(),
        label: choice.text.clone(),
        name: None,
        note,
        refused: None,
        current: choice.current,
        stays: false,
        choose: Callback::new(move |()| desk.edit(|lab| lab.set(setting))),
    }
}
