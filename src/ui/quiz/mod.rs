//! The quiz: sets, a question, its feedback, the end.

mod feedback;
mod question;

use std::sync::Arc;

use fenceline_content::quiz::{Question, QuizSet};
use leptos::prelude::*;

use crate::app::library::{self, Kind as Content};
use crate::app::route::{Pick, Place};
use crate::app::study::quiz::Session;
use crate::app::words::study as words;
use crate::ui::fetch::fetched;
use crate::ui::progress::{keeping, recall, remember, store};
use crate::ui::site::{focus_next, site};

#[component]
pub fn Quiz(pick: Pick) -> impl IntoView {
    if pick == Pick::All {
        return sets();
    }
    let name = Place::Quiz(pick.clone()).href();
    let session = RwSignal::new(recall::<Session>(&name));
    Effect::new(move |_| {
        if let Some(session) = session.get() {
            remember(&name, session);
        }
    });
    let entries: Vec<_> = match &pick {
        Pick::Set(id) => library::find(Content::Quiz, id).into_iter().collect(),
        _ => library::all(Content::Quiz).collect(),
    };
    let body = fetched(entries, move |sets: Vec<QuizSet>| {
        let about = sets.first().map(|set| set.about.clone()).filter(|_| matches!(pick, Pick::Set(_)));
        let questions = picked(&pick, sets);
        if matches!(pick, Pick::One(_)) && !questions.is_empty() && session.with_untracked(Option::is_none) {
            session.set(Some(Session::new(questions.clone())));
        }
        overview_or_session(pick.clone(), about, questions, session)
    });
    view! { <div class="page study">{body}</div> }.into_any()
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

/// What a pick is called, where it is not a set by itself.
pub(crate) fn title_of(pick: &Pick, kind: Content) -> String {
    match pick {
        Pick::Set(id) => library::find(kind, id).map_or(id.as_str(), |entry| entry.title).to_owned(),
        Pick::Concept(id) => library::concept(id).to_owned(),
        Pick::Point(id) => words::point(id),
        Pick::All | Pick::One(_) => String::new(),
    }
}

/// All sets, with what has been answered of each.
fn sets() -> AnyView {
    let (site, store) = (site(), store());
    let list = fetched(library::all(Content::Quiz).collect(), move |sets: Vec<QuizSet>| {
        let counted = move |set: &QuizSet| {
            store.with(|progress| {
                let answers: Vec<_> =
                    set.questions.iter().filter_map(|it| progress.answers.get(&it.id)).collect();
                (answers.len(), answers.iter().filter(|answer| answer.right).count())
            })
        };
        let next = sets.iter().find(|set| counted(set).0 < set.questions.len()).or(sets.first());
        let next =
            next.map(|set| (format!("#/quiz/{}", set.id), words::start_of(set.questions.len(), &set.title)));
        let rows: Vec<_> = sets
            .iter()
            .map(|set| {
                let (answered, right) = counted(set);
                let to = format!("#/quiz/{}", set.id);
                row(
                    move || site.href(&to),
                    set.title.clone(),
                    set.about.clone(),
                    words::progress_of(answered, right, set.questions.len()),
                )
            })
            .collect();
        view! {
            {next.map(|(to, name)| view! { <p class="lead-act"><a class="next" href=move || site.href(&to)>{name}</a></p> })}
            <ul class="rows">{rows}</ul>
            {keeping()}
        }
        .into_any()
    });
    view! {
        <div class="page study">
            <h1 tabindex="-1">{words::QUIZ}</h1>
            <p class="lead">{words::QUIZ_ABOUT}</p>
            {list}
        </div>
    }
    .into_any()
}

/// One line of a list of things to open.
pub(crate) fn row(
    href: impl Fn() -> String + Send + 'static,
    title: String,
    about: String,
    side: String,
) -> AnyView {
    view! {
        <li>
            <a href=href><b>{title}</b> <span>{about}</span></a>
            <small>{side}</small>
        </li>
    }
    .into_any()
}

fn overview_or_session(
    pick: Pick,
    about: Option<String>,
    questions: Vec<Arc<Question>>,
    session: RwSignal<Option<Session>>,
) -> AnyView {
    let site = site();
    if questions.is_empty() {
        return view! {
            <h1 tabindex="-1">{words::QUIZ}</h1>
            <p class="lead">{words::NO_SUCH}</p>
            <p class="lead-act"><a class="next" href=move || site.href("#/quiz")>{words::ALL_SETS}</a></p>
        }
        .into_any();
    }
    let title = title_of(&pick, Content::Quiz);
    // Only these change what is drawn; a choice does not.
    let state = Memo::new(move |_| {
        session.with(|session| session.as_ref().map(|it| (it.place().0, it.answered().is_some())))
    });
    let view = move || match state.get() {
        None => {
            let (count, start) = (questions.len(), questions.clone());
            view! {
                <h1 tabindex="-1">{title.clone()}</h1>
                <p class="lead">{about.clone()}</p>
                <p class="lead-act">
                    <button
                        class="next"
                        type="button"
                        data-act="start"
                        on:click=move |_| {
                            session.set(Some(Session::new(start.clone())));
                            focus_next("main h1");
                        }
                    >
                        {words::start(count)}
                    </button>
                    <a class="btn" href=move || site.href("#/quiz")>{words::ALL_SETS}</a>
                </p>
            }
            .into_any()
        }
        Some(_) => session
            .with_untracked(|it| {
                let it = it.as_ref()?;
                let place = words::place(it.place().0, it.place().1);
                Some(match (it.question(), it.answered()) {
                    (Some(_), Some(given)) => feedback::feedback(&title, place, given, session),
                    (Some(it), None) => question::asked(&title, place, it, session),
                    (None, _) => feedback::end(it, session),
                })
            })
            .into_any(),
    };
    view.into_any()
}

fn meta(place: String, title: &str, side: &'static str) -> AnyView {
    let title = title.to_owned();
    view! { <p class="meta"><b>{place}</b> <span>{title}</span> <span class="side">{side}</span></p> }
        .into_any()
}
