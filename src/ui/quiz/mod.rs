//! The quiz: sets, a question, its feedback, the end.

mod feedback;
mod question;

use std::sync::Arc;

use fenceline_content::quiz::{Question, QuizSet};
use leptos::prelude::*;

use crate::app::library::{self, Kind};
use crate::app::route::{Pick, Place};
use crate::app::study::quiz::Session;
use crate::app::words::study as words;
use crate::ui::fetch::{fetched, fetched_page};
use crate::ui::progress::{keeping, store};
use crate::ui::site::{focus_next, site};
use crate::ui::state::{State, key};
use crate::ui::tag::{button, heading, link, live, nothing, tag, text};

/// None until it has been started.
type Seat = State<Option<Session>>;

pub(super) fn page(pick: Pick) -> AnyView {
    if pick == Pick::All {
        return sets();
    }
    let pick = named(pick, Kind::Quiz);
    let seat: Seat = State::of(&Place::Quiz(pick.clone()).href(), || None);
    let entries = match &pick {
        Pick::Set(id) => library::find(Kind::Quiz, id).into_iter().collect(),
        _ => library::all(Kind::Quiz).collect(),
    };
    let title = match &pick {
        Pick::One(_) => words::QUIZ.to_owned(),
        pick => title_of(pick, Kind::Quiz),
    };
    let body = fetched_page(&title, entries, move |sets: Vec<QuizSet>| {
        let about = sets.first().map(|set| set.about.clone()).filter(|_| matches!(pick, Pick::Set(_)));
        let questions = picked(&pick, sets);
        if matches!(pick, Pick::One(_)) && !questions.is_empty() && seat.peek(Option::is_none) {
            seat.edit(|it| *it = Some(Session::new(questions.clone())));
        }
        session(&pick, about.unwrap_or_default(), questions, seat)
    });
    tag("div", "page study").child(body).end()
}

fn picked(pick: &Pick, sets: Vec<QuizSet>) -> Vec<Arc<Question>> {
    let wanted = |question: &Question| match pick {
        Pick::All | Pick::Set(_) => true,
        Pick::Concept(concept) => question.concept == *concept,
        Pick::Point(point) => question.points.contains(point),
        Pick::One(id) => question.id == *id,
    };
    sets.into_iter().flat_map(|set| set.questions).filter(wanted).map(Arc::new).collect()
}

/// An address may name a set as it names a question: by its id.
pub(super) fn named(pick: Pick, kind: Kind) -> Pick {
    match pick {
        Pick::One(id) if library::find(kind, &id).is_some() => Pick::Set(id),
        other => other,
    }
}

/// What a pick is called.
pub(super) fn title_of(pick: &Pick, kind: Kind) -> String {
    match pick {
        Pick::Set(id) => library::find(kind, id).map_or(id.as_str(), |entry| entry.title).to_owned(),
        Pick::Concept(id) => {
            Some(library::concept(id)).filter(|name| !name.is_empty()).unwrap_or(id).to_owned()
        }
        Pick::Point(id) => words::point(id),
        Pick::One(id) => id.clone(),
        Pick::All => String::new(),
    }
}

/// All sets, with what has been answered of each.
fn sets() -> AnyView {
    let list = fetched(library::all(Kind::Quiz).collect(), |sets: Vec<QuizSet>| {
        let counted = |set: &QuizSet| {
            store().with(|progress| {
                let answers = set.questions.iter().filter_map(|it| progress.answers.get(&it.id));
                answers.fold((0, 0), |(all, right), answer| (all + 1, right + usize::from(answer.right)))
            })
        };
        let next = sets.iter().find(|set| counted(set).0 < set.questions.len()).or(sets.first());
        let next = next.map(|set| {
            let to = site().href(&format!("#/quiz/{}", set.id));
            let link = link("next", to, words::start_of(set.questions.len(), &set.title));
            tag("p", "lead-act").child(link.end()).end()
        });
        let rows = sets.iter().map(|set| {
            let (answered, right) = counted(set);
            let side = words::progress_of(answered, right, set.questions.len());
            row(&format!("#/quiz/{}", set.id), &set.title, &set.about, side)
        });
        let rows = tag("ul", "rows").children(rows).end();
        vec![next.unwrap_or_else(nothing), rows, keeping()].into_any()
    });
    tag("div", "page study")
        .child(heading("h1", "", words::QUIZ).end())
        .child(text("p", "lead", words::QUIZ_ABOUT))
        .child(list)
        .end()
}

/// One line of a list of things to open.
pub(super) fn row(to: &str, title: &str, about: &str, side: String) -> AnyView {
    let name = link("", site().href(to), "").child(text("b", "", title)).child(text("span", "", about));
    let side = (!side.is_empty()).then(|| text("small", "", side));
    tag("li", "").child(name.end()).maybe(side).end()
}

fn session(pick: &Pick, about: String, questions: Vec<Arc<Question>>, seat: Seat) -> AnyView {
    let sets = || link("btn", site().href("#/quiz"), words::ALL_SETS);
    if questions.is_empty() {
        return vec![
            heading("h1", "", words::QUIZ).end(),
            text("p", "lead", words::NO_SUCH),
            tag("p", "lead-act").child(link("next", site().href("#/quiz"), words::ALL_SETS).end()).end(),
        ]
        .into_any();
    }
    let title = title_of(pick, Kind::Quiz);
    // Only this changes what is drawn; a choice does not.
    let state = key(move || {
        seat.with(|it| it.as_ref().map_or(0, |it| it.place().0 * 2 + usize::from(it.answered().is_some())))
    });
    live(move || {
        if state.get() == 0 {
            let (count, start) = (questions.len(), questions.clone());
            let start = button("next", "start", words::start(count), move || {
                seat.edit(|it| *it = Some(Session::new(start.clone())));
                focus_next("main h1");
            });
            return vec![
                heading("h1", "", title.clone()).end(),
                text("p", "lead", about.clone()),
                tag("p", "lead-act").child(start.end()).child(sets().end()).end(),
                contents(&questions),
            ]
            .into_any();
        }
        seat.peek(|it| {
            let Some(it) = it else { return nothing() };
            match (it.question(), it.answered()) {
                (Some(_), Some(given)) => feedback::feedback(&title, it.place(), given, seat),
                (Some(question), None) => question::asked(&title, it.place(), question, it.chosen(), seat),
                (None, _) => feedback::end(it, seat),
            }
        })
    })
}

/// What a set asks about, and what has been answered of it.
fn contents(questions: &[Arc<Question>]) -> AnyView {
    // Each once, in the order of the set.
    let mut concepts: Vec<&str> = Vec::new();
    for question in questions {
        if !concepts.contains(&question.concept.as_str()) {
            concepts.push(&question.concept);
        }
    }
    let row = |concept: &str| {
        let of: Vec<_> = questions.iter().filter(|it| it.concept == concept).collect();
        let answers = store().with(|progress| {
            of.iter().filter_map(|it| progress.answers.get(&it.id)).map(|it| it.right).collect::<Vec<_>>()
        });
        let right = answers.iter().filter(|right| **right).count();
        let side = words::progress_of(answers.len(), right, of.len());
        tag("li", "").child(text("b", "", library::concept(concept))).child(text("small", "", side)).end()
    };
    tag("ul", "rows contents").children(concepts.into_iter().map(row)).end()
}

/// The line above a question. One that stands alone has no number.
fn meta((at, of): (usize, usize), title: &str, question: &Question, side: &str) -> AnyView {
    let place = if of > 1 { words::place(at, of) } else { library::concept(&question.concept).to_owned() };
    tag("p", "meta")
        .child(text("b", "", place))
        .child(text("span", "", title))
        .child(text("span", "said-how", side))
        .end()
}

/// Where the lab shows it.
pub(super) fn in_lab(class: &'static str, scenario: Option<&String>) -> Option<AnyView> {
    scenario.map(|id| link(class, site().href(&Place::lab(id).href()), words::OPEN_IN_LAB).end())
}
