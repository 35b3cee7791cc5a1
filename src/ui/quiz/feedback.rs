//! What follows an answer, and the end of a session.

use fenceline_content::quiz::Kind;
use leptos::prelude::*;

use super::{Seat, in_lab, meta};
use crate::app::library;
use crate::app::study::quiz::{Given, Mark, Session};
use crate::app::words::study as words;
use crate::ui::progress::keeping;
use crate::ui::site::{focus_next, site};
use crate::ui::tag::{button, heading, link, tag, text};

/// The question with every option's reason, the rule, and what leads on.
pub(super) fn feedback(title: &str, place: (usize, usize), given: &Given, seat: Seat) -> AnyView {
    let question = &given.question;
    let ordered = question.kind == Kind::Order;
    let options = given.marks().into_iter().enumerate().filter_map(|(n, (option, mark, said))| {
        let it = question.options.get(option)?;
        let (glyph, word) = words::mark(mark);
        let word = if ordered { words::place_mark(n + 1, said) } else { word.to_owned() };
        let look = match mark {
            Mark::Both | Mark::Right => "key",
            Mark::Said => "you",
            Mark::Neither => "",
        };
        let body = tag("span", "")
            .child(text("span", "w", word))
            .child(text("span", "", it.text.clone()))
            .child(text("small", "", it.why.clone()));
        let glyph = tag("span", "k").attr("aria-hidden", "true").text(glyph);
        Some(tag("li", look).child(glyph.end()).child(body.end()).end())
    });
    let source = question.source.as_ref().map(|it| words::source(&it.system, &it.text, &it.as_of));
    let rule = tag("section", "feedback")
        .child(heading("h2", "", question.principle.clone()).attr("id", "feedback").end())
        .maybe(question.near_true.clone().map(|near| text("p", "near", near)))
        .maybe(source.map(|source| text("p", "muted", source)));
    let onward = if place.0 < place.1 { words::NEXT_QUESTION } else { words::TO_THE_END };
    let next = button("next", "next", onward, move || {
        seat.edit(|it| {
            if let Some(it) = it {
                it.next()
            }
        });
        focus_next("main h1");
    });
    vec![
        meta(place, title, question, words::you_were(given.right, given.confidence)),
        text("h1", "stem", question.stem.clone()),
        tag("ol", "options answered").children(options).end(),
        rule.end(),
        tag("div", "acts").maybe(in_lab("btn", question.scenario.as_ref())).child(next.end()).end(),
    ]
    .into_any()
}

/// What was wrong, the sure ones first.
pub(super) fn end(it: &Session, seat: Seat) -> AnyView {
    let wrong = it.wrong();
    let count = wrong.len();
    let right = it.given().len() - count;
    let rows = wrong.iter().map(|given| {
        let question = &given.question;
        let concept = library::concept(&question.concept);
        tag("li", "")
            .child(text("span", "w", words::wrong_of(concept, given.confidence)))
            .child(text("b", "", question.principle.clone()))
            .child(text("small", "", question.stem.clone()))
            .maybe(in_lab("", question.scenario.as_ref()))
            .end()
    });
    let rows = tag("ol", "wrong").children(rows).end();
    let again = it.retry();
    let next = if count > 0 {
        button("next", "retry-wrong", words::retry(count), move || {
            seat.edit(|it| *it = Some(again.clone()));
            focus_next("main h1");
        })
    } else {
        link("next", site().href("#/quiz"), words::ALL_SETS)
    };
    let back = button("btn", "back", words::BACK, move || {
        seat.edit(|it| *it = None);
        focus_next("main h1");
    });
    vec![
        heading("h1", "", words::score(right, it.given().len())).attr("data-part", "score").end(),
        if count > 0 { rows } else { text("p", "lead", words::ALL_RIGHT) },
        tag("div", "acts").child(back.end()).child(next.end()).end(),
        keeping(),
    ]
    .into_any()
}
