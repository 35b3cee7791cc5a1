//! What can be learnt: every concept with its points, and what there is for each.

use fenceline_content::outline::{Outline, Topic, TopicPoint};
use leptos::prelude::*;

use crate::app::library::{self, Kind};
use crate::app::route::{Pick, Place};
use crate::app::words::study as words;
use crate::ui::fetch::fetched;
use crate::ui::progress::keeping;
use crate::ui::site::site;
use crate::ui::tag::{heading, link, tag, text};

pub(super) fn page() -> AnyView {
    let topics =
        fetched(library::find(Kind::Outline, "learn").into_iter().collect(), |mut all: Vec<Outline>| {
            let topics = all.pop().unwrap_or_default().topics;
            topics.iter().map(topic).collect::<Vec<_>>().into_any()
        });
    let first = link("next", site().href("#/lab?id=flagship"), words::FIRST_INCIDENT).end();
    tag("div", "page wide")
        .child(top(words::LEARN, words::LEARN_ABOUT.to_owned(), first))
        .child(topics)
        .child(keeping())
        .end()
}

/// A page's heading with its next step beside it.
pub(super) fn top(title: &'static str, about: String, next: AnyView) -> AnyView {
    let words = tag("div", "").child(heading("h1", "", title).end()).child(text("p", "lead", about));
    tag("div", "top").child(words.end()).child(next).end()
}

fn topic(it: &Topic) -> AnyView {
    let concept = || Pick::Concept(it.id.clone());
    let links = tag("p", "links")
        .maybe(linked(&Place::Quiz(concept()), words::questions(it.questions), it.questions))
        .maybe(linked(&Place::Cards(concept()), words::cards(it.cards), it.cards));
    let side = tag("div", "topic-name").child(text("h2", "", it.title.clone())).child(links.end());
    let points = tag("ul", "facts-of").children(it.points.iter().map(point));
    tag("section", "topic").child(side.end()).child(points.end()).end()
}

fn point(it: &TopicPoint) -> AnyView {
    let pick = || Pick::Point(it.id.clone());
    let incident = |id: &String| {
        let title = library::find(Kind::Scenario, id).map_or(id.as_str(), |entry| entry.title);
        linked(&Place::lab(id), title.to_owned(), 1)
    };
    let links = tag("p", "links")
        .children(it.scenarios.iter().filter_map(incident))
        .maybe(linked(&Place::Quiz(pick()), words::questions(it.questions), it.questions))
        .maybe(linked(&Place::Cards(pick()), words::cards(it.cards), it.cards));
    tag("li", "").child(text("p", "", it.text.clone())).child(links.end()).end()
}

/// A link, if there is something behind it.
fn linked(place: &Place, name: String, count: usize) -> Option<AnyView> {
    (count > 0).then(|| link("", site().href(&place.href()), name).end())
}
