//! A question before it is answered: its options, and how sure the reader is.

use std::sync::Arc;

use fenceline_content::quiz::{Kind, Question};
use leptos::prelude::*;

use super::meta;
use crate::app::progress::Answer;
use crate::app::study::quiz::{CONFIDENCES, Confidence, Session};
use crate::app::words::study as words;
use crate::ui::progress::{store, today};
use crate::ui::site::{focus, focus_next};

/// Choosing and then saying how sure is the check: there is no other button.
pub(super) fn asked(
    title: &str,
    place: String,
    question: &Arc<Question>,
    session: RwSignal<Option<Session>>,
) -> AnyView {
    let store = store();
    let check = move |confidence: Confidence| {
        let mut answer = None;
        session.update(|it| {
            let given = it.as_mut().and_then(|it| it.check(confidence));
            answer = given.map(|given| (given.question.id.clone(), given.right));
        });
        if let Some((id, right)) = answer {
            let answer = Answer { right, confidence, day: today() };
            store.edit(|progress| {
                progress.answers.insert(id, answer);
            });
            focus_next("#feedback");
        }
    };
    let hint = match question.kind {
        Kind::One => None,
        Kind::Many => Some(words::ALL_THAT_APPLY),
        Kind::Order => Some(words::PUT_IN_ORDER),
    };
    let options = match question.kind {
        Kind::Order => order(question, session),
        kind => choices(question, kind, session),
    };
    let missing = move || session.with(|it| it.as_ref().and_then(Session::missing));
    let buttons = CONFIDENCES.map(|confidence| {
        view! {
            <button
                class="btn"
                type="button"
                data-confidence=words::confidence(confidence)
                aria-disabled=move || missing().map(|_| "true")
                aria-describedby="unready"
                on:click=move |_| check(confidence)
            >
                {words::confidence(confidence)}
            </button>
        }
        .into_any()
    });
    // Enter in an option checks, and claims no more than it must.
    let enter = move |event: leptos::ev::KeyboardEvent| {
        let on_option = event_target::<web_sys::Element>(&event).tag_name() == "INPUT";
        if event.key() == "Enter" && on_option {
            event.prevent_default();
            check(Confidence::Fairly);
        }
    };
    view! {
        {meta(place, title, "")}
        <fieldset class="question" data-question=question.id.clone() on:keydown=enter>
            <legend><h1 tabindex="-1" class="stem">{question.stem.clone()}</h1></legend>
            {hint.map(|hint| view! { <p class="muted">{hint}</p> })}
            {options}
        </fieldset>
        <div class="acts" role="group" aria-labelledby="sure">
            <p id="sure">{words::HOW_SURE}</p>
            <div class="thirds">{Vec::from(buttons)}</div>
            <p id="unready" class="muted">{missing}</p>
        </div>
    }
    .into_any()
}

fn choices(question: &Arc<Question>, kind: Kind, session: RwSignal<Option<Session>>) -> AnyView {
    let chosen = session.with_untracked(|it| it.as_ref().map(|it| it.chosen().to_vec()).unwrap_or_default());
    let input = if kind == Kind::One { "radio" } else { "checkbox" };
    let option = |(n, text): (usize, String)| {
        let choose = move |_| {
            session.update(|it| {
                if let Some(it) = it {
                    it.choose(n)
                }
            })
        };
        view! {
            <li>
                <label>
                    <input type=input name="option" value=n checked=chosen.contains(&n) on:change=choose />
                    <span>{text}</span>
                </label>
            </li>
        }
        .into_any()
    };
    let options: Vec<_> = question.options.iter().map(|it| it.text.clone()).enumerate().map(option).collect();
    view! { <ul class="options">{options}</ul> }.into_any()
}

/// Steps to be put in order: by buttons, or by Alt and the arrows.
fn order(question: &Arc<Question>, session: RwSignal<Option<Session>>) -> AnyView {
    let question = Arc::clone(question);
    let said = RwSignal::new(String::new());
    let count = question.options.len();
    let rows = move || {
        let chosen = session.with(|it| it.as_ref().map(|it| it.chosen().to_vec()).unwrap_or_default());
        let row = |(at, n): (usize, usize)| {
            let text = question.options.get(n).map(|option| option.text.clone()).unwrap_or_default();
            let spoken = text.clone();
            let shift = Callback::new(move |down: bool| {
                let mut to = None;
                session.update(|it| to = it.as_mut().and_then(|it| it.shift(at, down)));
                let Some(to) = to else { return };
                said.set(words::moved(&spoken, to + 1, count));
                let direction = if down { "down" } else { "up" };
                request_animation_frame(move || {
                    focus(&format!(".order [data-at='{to}'][data-move='{direction}']"))
                });
            });
            let button = |down: bool, glyph: &'static str| {
                let ends = if down { at + 1 == count } else { at == 0 };
                view! {
                    <button
                        class="btn icon"
                        type="button"
                        data-at=at
                        data-move=if down { "down" } else { "up" }
                        aria-label=words::move_name(!down, &text)
                        aria-disabled=ends.then_some("true")
                        on:click=move |_| shift.run(down)
                    >
                        {glyph}
                    </button>
                }
                .into_any()
            };
            let keys = move |event: leptos::ev::KeyboardEvent| {
                let down = event.key() == "ArrowDown";
                if event.alt_key() && (down || event.key() == "ArrowUp") {
                    event.prevent_default();
                    shift.run(down);
                }
            };
            view! {
                <li on:keydown=keys>
                    <span class="k">{at + 1}</span>
                    <span>{text.clone()}</span>
                    {button(false, "↑")}
                    {button(true, "↓")}
                </li>
            }
            .into_any()
        };
        chosen.into_iter().enumerate().map(row).collect::<Vec<_>>()
    };
    view! { <ol class="options order">{rows}</ol> <p class="hide" role="status">{move || said.get()}</p> }
        .into_any()
}
