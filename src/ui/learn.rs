//! What can be learnt: every concept with its points, and what there is for each.

use fenceline_content::outline::{Outline, Topic, TopicPoint};
use leptos::prelude::*;

use crate::app::library::{self, Kind};
use crate::app::route::{Pick, Place};
use crate::app::words::study as words;
use crate::ui::fetch::fetched;
use crate::ui::progress::keeping;
use crate::ui::site::site;

#[component]
pub fn Learn() -> impl IntoView {
    let site = site();
    let topics =
        fetched(library::find(Kind::Outline, "learn").into_iter().collect(), |mut all: Vec<Outline>| {
            let topics = all.pop().unwrap_or_default().topics;
            topics.iter().map(topic).collect::<Vec<_>>().into_any()
        });
    view! {
        <div class="page wide">
            <div class="top">
                <div><h1 tabindex="-1">{words::LEARN}</h1> <p class="lead">{words::LEARN_ABOUT}</p></div>
                <a class="next" href=move || site.href("#/lab?id=flagship")>{words::FIRST_INCIDENT}</a>
            </div>
            {topics}
            {keeping()}
        </div>
    }
}

fn topic(it: &Topic) -> AnyView {
    let concept = || Pick::Concept(it.id.clone());
    let points: Vec<_> = it.points.iter().map(point).collect();
    view! {
        <section class="topic" id=it.id.clone()>
            <div class="side">
                <h2>{it.title.clone()}</h2>
                <p class="links">
                    {link(Place::Quiz(concept()), words::questions(it.questions), it.questions)}
                    {link(Place::Cards(concept()), words::cards(it.cards), it.cards)}
                </p>
            </div>
            <ul class="facts-of">{points}</ul>
        </section>
    }
    .into_any()
}

fn point(it: &TopicPoint) -> AnyView {
    let pick = || Pick::Point(it.id.clone());
    let incident = |id: &String| {
        let title = library::find(Kind::Scenario, id).map(|entry| entry.title.to_owned());
        link(Place::lab(id), title.unwrap_or_else(|| id.clone()), 1)
    };
    view! {
        <li>
            <p>{it.text.clone()}</p>
            <p class="links">
                {it.scenarios.iter().map(incident).collect::<Vec<_>>()}
                {link(Place::Quiz(pick()), words::questions(it.questions), it.questions)}
                {link(Place::Cards(pick()), words::cards(it.cards), it.cards)}
            </p>
        </li>
    }
    .into_any()
}

/// A link, if there is something behind it.
fn link(place: Place, name: String, count: usize) -> Option<AnyView> {
    let site = site();
    let to = place.href();
    (count > 0).then(|| view! { <a href=move || site.href(&to)>{name}</a> }.into_any())
}
