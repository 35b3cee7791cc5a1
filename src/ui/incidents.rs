//! The library of scenarios.

use leptos::prelude::*;

use crate::app::library::{self, Entry, Kind};
use crate::app::route::Place;
use crate::app::words::study as words;
use crate::ui::learn::top;
use crate::ui::quiz::row;
use crate::ui::site::site;
use crate::ui::tag::{link, nothing, tag, text};

pub(super) fn page() -> AnyView {
    let all: Vec<&Entry> = library::all(Kind::Scenario).collect();
    let first = all.first().map_or_else(nothing, |it| {
        link("next", site().href(&Place::lab(it.id).href()), words::open_first(it.title)).end()
    });
    let groups = all.chunk_by(|a, b| a.group == b.group).map(group);
    tag("div", "page wide")
        .child(top(words::INCIDENTS, words::incidents_about(all.len()), first))
        .children(groups)
        .end()
}

fn group(entries: &[&'static Entry]) -> AnyView {
    let name = entries.first().map(|it| it.group).unwrap_or_default();
    let side =
        tag("div", "topic-name").child(text("h2", "", name)).child(text("p", "muted", words::group(name)));
    let rows = entries.iter().map(|it| row(&Place::lab(it.id).href(), it.title, it.about, String::new()));
    tag("section", "topic").child(side.end()).child(tag("ul", "rows").children(rows).end()).end()
}
