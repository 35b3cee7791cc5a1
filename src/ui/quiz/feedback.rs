//! What follows an answer, and the end of a session.

use fenceline_content::quiz::Kind;
use leptos::prelude::*;

use super::meta;
use crate::app::library;
use crate::app::route::Place;
use crate::app::study::quiz::{Given, Mark, Session};
use crate::app::words::study as words;
use crate::ui::progress::keeping;
use crate::ui::site::{focus_next, site};

/// The question with every option's reason, the rule, and what leads on.
pub(super) fn feedback(
    title: &str,
    place: String,
    given: &Given,
    session: RwSignal<Option<Session>>,
) -> AnyView {
    let site = site();
    let question = &given.question;
    let ordered = question.kind == Kind::Order;
    let option = |(n, (option, mark, said)): (usize, (usize, Mark, Option<usize>))| {
        let it = question.options.get(option)?;
        let (glyph, word) = words::mark(mark);
        let word = if ordered { words::place_mark(n + 1, said) } else { word.to_owned() };
        let look = match mark {
            Mark::Both | Mark::Right => "key",
            Mark::Said => "you",
            Mark::Neither => "",
        };
        Some(
            view! {
                <li class=look>
                    <span class="k" aria-hidden="true">{glyph}</span>
                    <span>
                        <span class="w">{word}</span>
                        <span>{it.text.clone()}</span>
                        <small>{it.why.clone()}</small>
                    </span>
                </li>
            }
            .into_any(),
        )
    };
    let options: Vec<_> = given.marks().into_iter().enumerate().filter_map(option).collect();
    let source = question.source.as_ref().map(|it| words::source(&it.system, &it.text, &it.as_of));
    let lab = question.scenario.clone().map(|id| {
        let to = Place::lab(&id).href();
        view! { <a class="btn" href=move || site.href(&to)>{words::OPEN_IN_LAB}</a> }
    });
    let (at, of) = session.with_untracked(|it| it.as_ref().map(Session::place).unwrap_or_default());
    let onward = if at < of { words::NEXT_QUESTION } else { words::TO_THE_END };
    let next = move |_| {
        session.update(|it| {
            if let Some(it) = it {
                it.next()
            }
        });
        focus_next("main h1");
    };
    view! {
        {meta(place, title, words::you_were(given.right, given.confidence))}
        <h1 class="stem">{question.stem.clone()}</h1>
        <ol class="options answered">{options}</ol>
        <section class="feedback">
            <h2 id="feedback" tabindex="-1">{question.principle.clone()}</h2>
            {question.near_true.clone().map(|near| view! { <p class="near">{near}</p> })}
            {source.map(|source| view! { <p class="muted">{source}</p> })}
        </section>
        <div class="acts">
            {lab}
            <button class="next" type="button" data-act="next" on:click=next>{onward}</button>
        </div>
    }
    .into_any()
}

/// What was wrong, the sure ones first.
pub(super) fn end(it: &Session, session: RwSignal<Option<Session>>) -> AnyView {
    let site = site();
    let wrong = it.wrong();
    let count = wrong.len();
    let right = it.given().len() - count;
    let rows: Vec<_> = wrong
        .iter()
        .map(|given| {
            let question = &given.question;
            let lab = question.scenario.clone().map(|id| {
                let to = Place::lab(&id).href();
                view! { <a href=move || site.href(&to)>{words::OPEN_IN_LAB}</a> }
            });
            view! {
                <li>
                    <span class="w">{library::concept(&question.concept)} " · " {words::you_were(false, given.confidence)}</span>
                    <b>{question.principle.clone()}</b>
                    <small>{question.stem.clone()} " " {lab}</small>
                </li>
            }
            .into_any()
        })
        .collect();
    let again = it.retry();
    let retry = move |_| {
        session.set(Some(again.clone()));
        focus_next("main h1");
    };
    let next = if count > 0 {
        view! { <button class="next" type="button" data-act="retry-wrong" on:click=retry>{words::retry(count)}</button> }.into_any()
    } else {
        view! { <a class="next" href=move || site.href("#/quiz")>{words::ALL_SETS}</a> }.into_any()
    };
    let anew = move |_| {
        session.set(None);
        focus_next("main h1");
    };
    view! {
        <h1 tabindex="-1" data-part="score">{words::score(right, it.given().len())}</h1>
        {(count == 0).then(|| view! { <p class="lead">{words::ALL_RIGHT}</p> })}
        <ol class="wrong">{rows}</ol>
        <div class="acts">
            <button class="btn" type="button" on:click=anew>{words::BACK}</button>
            {next}
        </div>
        {keeping()}
    }
    .into_any()
}
