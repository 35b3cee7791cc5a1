//! The interview: what is told, what may be asked, and what a strong answer covers.

use std::sync::Arc;

use fenceline_content::interview::{AnswerPoint, Interview as Content, Step};
use leptos::prelude::*;

use crate::app::library::{self, Kind};
use crate::app::route::Place;
use crate::app::study::interview::{BANDS, PHASES, Phase, Rated};
use crate::app::words::study as words;
use crate::ui::fetch::fetched;
use crate::ui::progress::{keeping, store, today};
use crate::ui::quiz::in_lab;
use crate::ui::site::{focus_next, site};
use crate::ui::state::{State, key};
use crate::ui::tag::{button, heading, link, live, nothing, tag, text};

/// Where the reader is in it.
#[derive(Default)]
struct Sitting {
    phase: usize,
    /// Points shown, of the answer and of the follow-up.
    shown: [usize; 2],
    notes: String,
    rated: Rated,
}

type Seat = State<Sitting>;

pub(super) fn page(id: Option<String>) -> AnyView {
    let entry = match &id {
        Some(id) => library::find(Kind::Interview, id),
        None => library::all(Kind::Interview).next(),
    };
    let page = tag("div", "page study");
    let Some(entry) = entry else {
        let back = link("next", site().href("#/interview"), words::INTERVIEW).end();
        let page =
            page.child(heading("h1", "", words::INTERVIEW).end()).child(text("p", "lead", words::NO_SUCH));
        return page.child(tag("p", "lead-act").child(back).end()).end();
    };
    let seat: Seat = State::of(&format!("interview {}", entry.id), Sitting::default);
    let body = fetched(vec![entry], move |mut all: Vec<Content>| {
        all.pop().map_or_else(nothing, |it| sitting(Arc::new(it), seat))
    });
    page.child(phases(seat)).child(heading("h1", "", entry.title).end()).child(body).end()
}

fn go(seat: Seat, phase: Phase) {
    seat.edit(|it| it.phase = phase as usize);
    focus_next("#phase");
}

/// The phases as one line; any can be gone to.
fn phases(seat: Seat) -> AnyView {
    let steps = PHASES.into_iter().map(|phase| {
        let current = move || seat.with(|it| it.phase == phase as usize).then(|| "step".to_owned());
        let button =
            button("", "phase", words::phase(phase), move || go(seat, phase)).live("aria-current", current);
        tag("li", "").child(button.end()).end()
    });
    tag("ol", "phases").children(steps).end()
}

fn sitting(it: Arc<Content>, seat: Seat) -> AnyView {
    let now = key(move || seat.with(|it| it.phase));
    let (told, task) = (it.prompt.clone(), it.task.clone());
    // Told in full while asking and answering; after that it is at hand, and the page is the answer's.
    let past = key(move || usize::from(now.get() > Phase::Answer as usize));
    let prompt = live(move || {
        let prompt = tag("blockquote", "prompt")
            .child(text("p", "", told.clone()))
            .child(tag("p", "").child(text("b", "", task.clone())).end())
            .end();
        if past.get() == 0 {
            return prompt;
        }
        tag("details", "told").child(text("summary", "", words::PROMPT)).child(prompt).end()
    });
    let body = live(move || match PHASES.get(now.get()).copied().unwrap_or(Phase::Ask) {
        Phase::Ask => ask(&it, seat),
        Phase::Answer => answer(&it, seat),
        Phase::Compare => compare(&it, seat, 0),
        Phase::Mend => mend(&it, seat),
        Phase::FollowUp => compare(&it, seat, 1),
        Phase::Result => result(&it, seat),
    });
    vec![prompt, body].into_any()
}

fn titled(title: impl Into<String>) -> AnyView {
    heading("h2", "part", title).attr("id", "phase").attr("data-part", "phase").end()
}

/// The dark button that leads on.
fn onward(seat: Seat, phase: Phase) -> AnyView {
    let next = phase.next().unwrap_or(Phase::Result);
    tag("div", "acts")
        .child(button("next", "onward", words::onward(phase), move || go(seat, next)).end())
        .end()
}

fn ask(it: &Content, seat: Seat) -> AnyView {
    let facts = it.facts.iter().map(|fact| {
        let (id, asked, answer) = (fact.id.clone(), fact.id.clone(), fact.answer.clone());
        let open = key(move || usize::from(seat.with(|it| it.rated.has_asked(&asked))));
        let ask = button("", "ask", fact.ask.clone(), move || seat.edit(|it| it.rated.ask(&id)));
        let ask = ask.attr("data-ask", fact.id.clone());
        let ask = ask.live("aria-expanded", move || Some((open.get() == 1).to_string()));
        let answer = live(move || {
            if open.get() == 0 {
                return nothing();
            }
            tag("p", "").attr("role", "status").text(answer.clone()).end()
        });
        tag("li", "").child(ask.end()).child(answer).end()
    });
    let facts = tag("ul", "facts").children(facts).end();
    vec![titled(words::ASK), text("p", "muted", words::ASK_ABOUT), facts, onward(seat, Phase::Ask)].into_any()
}

fn answer(it: &Content, seat: Seat) -> AnyView {
    let asked = it.facts.iter().filter(|fact| seat.peek(|it| it.rated.has_asked(&fact.id)));
    let asked = list(asked.map(|fact| fact.answer.clone()).collect());
    let notes = tag("textarea", "")
        .attr("rows", "9")
        .value(move || seat.peek(|it| it.notes.clone()))
        .on("input", move |event| seat.edit(|it| it.notes = event_target_value(&event)));
    vec![
        titled(words::YOUR_ANSWER),
        text("p", "muted", words::NOTES_ABOUT),
        tag("label", "notes").text(words::NOTES).child(notes.end()).end(),
        text("h3", "part", words::ASKED),
        asked,
        onward(seat, Phase::Answer),
    ]
    .into_any()
}

fn list(items: Vec<String>) -> AnyView {
    let none = items.is_empty().then(|| text("li", "muted", words::NONE));
    tag("ul", "plain").children(items.into_iter().map(|item| text("li", "", item)).chain(none)).end()
}

/// The points of a strong answer, shown on request; `part` 1 is the follow-up's.
fn compare(it: &Arc<Content>, seat: Seat, part: usize) -> AnyView {
    let (phase, title, said) = match part {
        0 => (Phase::Compare, words::STRONG, String::new()),
        _ => (Phase::FollowUp, words::FOLLOW_UP, it.follow_up.prompt.clone()),
    };
    let it = Arc::clone(it);
    let shown = key(move || seat.with(|it| it.shown.get(part).copied().unwrap_or_default()));
    let show = move |upto: usize| {
        seat.edit(|it| {
            if let Some(shown) = it.shown.get_mut(part) {
                *shown = upto
            }
        })
    };
    let rows = live(move || {
        let points = if part == 0 { &it.answers } else { &it.follow_up.answers };
        let (open, count) = (shown.get(), points.len());
        let row = |(n, point)| match n < open {
            true => self::point(&it, point, seat),
            false => text("li", "hidden-point", words::hidden_point(n + 1, count)),
        };
        let rows = tag("ol", "points").children(points.iter().enumerate().map(row)).end();
        let acts = if open >= count {
            onward(seat, phase)
        } else {
            let all = button("btn", "show-all", words::SHOW_ALL, move || show(count));
            let next = button("next", "show-next", words::SHOW_NEXT, move || show(open + 1));
            tag("div", "acts").child(all.end()).child(next.end()).end()
        };
        vec![rows, acts].into_any()
    });
    let said = if said.is_empty() { nothing() } else { text("p", "said", said) };
    vec![titled(title), said, text("p", "muted", words::STRONG_ABOUT), rows].into_any()
}

fn point(whole: &Content, it: &AnswerPoint, seat: Seat) -> AnyView {
    let store = store();
    let was = seat.peek(|seat| seat.rated.band(&it.id));
    let bands = BANDS.map(|band| {
        let (interview, id) = (whole.id.clone(), it.id.clone());
        let rate = move |_| {
            let rated = seat.edit(|it| {
                it.rated.rate(&id, band);
                it.rated.day = today();
                it.rated.clone()
            });
            store.edit(|progress| progress.interviews.insert(&interview, &rated));
        };
        let input = tag("input", "").attr("type", "radio").attr("name", format!("band-{}", it.id));
        let input = input.flag("checked", was == Some(band)).on("change", rate);
        tag("label", "").child(input.end()).child(text("span", "", words::band(band))).end()
    });
    let trap = it.trap.then(|| {
        let name = tag("p", "trap").child(text("b", "", words::TRAP)).text(words::TRAP_ASKS);
        name.maybe(in_lab("", whole.scenario.as_ref())).end()
    });
    tag("li", "")
        .attr("data-point", it.id.clone())
        .maybe(trap)
        .child(text("h3", "", it.title.clone()))
        .child(text("p", "", it.what.clone()))
        .child(text("p", "muted", it.why.clone()))
        .child(tag("fieldset", "bands").child(text("legend", "hide", it.title.clone())).children(bands).end())
        .end()
}

fn mend(it: &Content, seat: Seat) -> AnyView {
    let part = |title: &'static str, steps: &[Step]| {
        let steps = steps.iter().map(|step| {
            tag("li", "").text(step.act.clone()).child(text("small", "", step.why.clone())).end()
        });
        let steps = tag("ol", "steps").children(steps).end();
        tag("section", "").child(text("h3", "", title)).child(steps).end()
    };
    let parts = [
        part(words::CONFIRM, &it.confirm),
        part(words::CONTAIN, &it.contain),
        part(words::REPAIR, &it.repair),
    ];
    let parts = tag("div", "mend").children(parts).end();
    vec![titled(words::MEND), parts, onward(seat, Phase::Mend)].into_any()
}

fn result(it: &Content, seat: Seat) -> AnyView {
    let summary = seat.peek(|seat| seat.rated.summary(it));
    let line = words::result(&summary);
    let missed =
        it.facts.iter().filter(|fact| fact.telling && !seat.peek(|seat| seat.rated.has_asked(&fact.id)));
    let missed = missed.map(|fact| fact.ask.clone()).collect();
    let parts = [
        (words::STRENGTHS, summary.strong),
        (words::GAPS, summary.gaps),
        (words::UNRATED, summary.unrated),
        (words::NOT_ASKED, missed),
    ];
    let parts =
        parts.map(|(title, items)| tag("section", "").child(text("h3", "", title)).child(list(items)).end());
    let anew = button("btn", "anew", words::BEGIN_ANEW, move || {
        seat.edit(|it| *it = Sitting::default());
        focus_next("main h1");
    });
    let to = Place::lab(it.scenario.as_deref().unwrap_or_default()).href();
    let run = link("next", site().href(&to), words::onward(Phase::Result));
    vec![
        titled(line),
        tag("div", "mend").children(parts).end(),
        tag("div", "acts").child(anew.end()).child(run.end()).end(),
        keeping(),
    ]
    .into_any()
}
