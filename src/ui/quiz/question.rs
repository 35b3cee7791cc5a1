//! A question before it is answered: its options, and how sure the reader is.

use std::sync::Arc;

use fenceline_content::quiz::{Kind, Question};
use leptos::prelude::*;

use super::{Seat, meta};
use crate::app::progress::Answer;
use crate::app::study::quiz::{CONFIDENCES, Confidence, Session};
use crate::app::words::study as words;
use crate::ui::progress::{store, today};
use crate::ui::site::{focus, focus_next};
use crate::ui::tag::{button, heading, live, live_text, tag, text};

/// Choosing and then saying how sure is the check: there is no other button.
pub(super) fn asked(
    title: &str,
    place: (usize, usize),
    question: &Arc<Question>,
    chosen: &[usize],
    seat: Seat,
) -> AnyView {
    let store = store();
    let check = move |confidence: Confidence| {
        let answer = seat.edit(|it| {
            let given = it.as_mut()?.check(confidence)?;
            Some((given.question.id.clone(), given.right))
        });
        if let Some((id, right)) = answer {
            let answer = Answer { right, confidence, day: today() };
            store.edit(|progress| progress.answers.insert(&id, &answer));
            focus_next("#feedback");
        }
    };
    let hint = match question.kind {
        Kind::One => None,
        Kind::Many => Some(words::ALL_THAT_APPLY),
        Kind::Order => Some(words::PUT_IN_ORDER),
    };
    let options = match question.kind {
        Kind::Order => order(question, seat),
        kind => choices(question, kind, chosen, seat),
    };
    let missing = move || seat.with(|it| it.as_ref().and_then(Session::missing));
    let buttons = CONFIDENCES.map(|confidence| {
        let name = words::confidence(confidence);
        button("btn", "check", name, move || check(confidence))
            .attr("data-confidence", name)
            .live("aria-disabled", move || missing().map(|_| "true".to_owned()))
            .attr("aria-describedby", "unready")
            .end()
    });
    let acts = tag("div", "acts")
        .attr("role", "group")
        .attr("aria-labelledby", "sure")
        .child(tag("p", "").attr("id", "sure").text(words::HOW_SURE).end())
        .child(tag("div", "thirds").children(buttons).end())
        .child(
            tag("p", "muted")
                .attr("id", "unready")
                .child(live_text(move || missing().unwrap_or_default().to_owned()))
                .end(),
        );
    let stem = heading("h1", "stem", question.stem.clone()).end();
    let asked = tag("fieldset", "question")
        .attr("data-question", question.id.clone())
        // Enter in an option checks, and claims no more than it must.
        .keys(move |event| {
            let on_option = event_target::<web_sys::Element>(&event).tag_name() == "INPUT";
            if event.key() == "Enter" && on_option {
                event.prevent_default();
                check(Confidence::Fairly);
            }
        })
        .child(tag("legend", "").child(stem).end())
        .maybe(hint.map(|hint| text("p", "muted", hint)))
        .child(options);
    vec![meta(place, title, question, ""), asked.end(), acts.end()].into_any()
}

fn choices(question: &Question, kind: Kind, chosen: &[usize], seat: Seat) -> AnyView {
    let options = question.options.iter().enumerate().map(|(n, option)| {
        let input = tag("input", "")
            .attr("type", if kind == Kind::One { "radio" } else { "checkbox" })
            .attr("name", "option")
            .attr("value", n.to_string())
            .flag("checked", chosen.contains(&n))
            .on("change", move |_| {
                seat.edit(|it| {
                    if let Some(it) = it {
                        it.choose(n)
                    }
                })
            });
        let label = tag("label", "").child(input.end()).child(text("span", "", option.text.clone()));
        tag("li", "").child(label.end()).end()
    });
    tag("ul", "options").children(options).end()
}

/// Steps to be put in order: by buttons, or by Alt and the arrows.
fn order(question: &Arc<Question>, seat: Seat) -> AnyView {
    let question = Arc::clone(question);
    let said = RwSignal::new(String::new());
    let rows = live(move || {
        let chosen = seat.with(|it| it.as_ref().map(|it| it.chosen().to_vec()).unwrap_or_default());
        let row = |(at, n): (usize, usize)| step(&question, at, n, seat, said);
        tag("ol", "options order").children(chosen.into_iter().enumerate().map(row)).end()
    });
    let spoken = tag("p", "hide").attr("role", "status").child(live_text(move || said.get()));
    vec![rows, spoken.end()].into_any()
}

/// The option `n`, which stands at `at`.
fn step(question: &Question, at: usize, n: usize, seat: Seat, said: RwSignal<String>) -> AnyView {
    let words_of = question.options.get(n).map(|option| option.text.clone()).unwrap_or_default();
    let (count, spoken) = (question.options.len(), words_of.clone());
    let shift = Callback::new(move |down: bool| {
        let Some(to) = seat.edit(|it| it.as_mut()?.shift(at, down)) else { return };
        said.set(words::moved(&spoken, to + 1, count));
        let way = if down { "down" } else { "up" };
        request_animation_frame(move || focus(&format!(".order [data-at='{to}'][data-act='{way}']")));
    });
    let arrow = |down: bool| {
        let (act, glyph) = if down { ("down", "↓") } else { ("up", "↑") };
        let stuck = if down { at + 1 == count } else { at == 0 };
        let button = button("btn icon", act, glyph, move || shift.run(down)).attr("data-at", at.to_string());
        let button = button.attr("aria-label", words::move_name(!down, &words_of));
        match stuck {
            true => button.attr("aria-disabled", "true").attr("title", words::stuck(down)).end(),
            false => button.end(),
        }
    };
    tag("li", "")
        .keys(move |event| {
            let down = event.key() == "ArrowDown";
            if event.alt_key() && (down || event.key() == "ArrowUp") {
                event.prevent_default();
                shift.run(down);
            }
        })
        .child(text("span", "k", (at + 1).to_string()))
        .child(text("span", "", words_of.clone()))
        .child(arrow(false))
        .child(arrow(true))
        .end()
}
