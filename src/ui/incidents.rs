//! The library of scenarios, and below it the incidents that were reported.

use fenceline_content::incident::{Account, Accounts};
use leptos::prelude::*;

use crate::app::library::{self, Entry, Kind};
use crate::app::route::Place;
use crate::app::words::study as words;
use crate::ui::fetch::fetched;
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
    let reported = fetched(library::all(Kind::Accounts).collect(), |all: Vec<Accounts>| {
        reported(all.iter().flat_map(|it| &it.accounts))
    });
    tag("div", "page wide")
        .child(top(words::INCIDENTS, words::incidents_about(all.len()), first))
        .children(groups)
        .child(reported)
        .end()
}

fn group(entries: &[&'static Entry]) -> AnyView {
    let name = entries.first().map(|it| it.group).unwrap_or_default();
    let rows = entries.iter().map(|it| row(&Place::lab(it.id).href(), it.title, it.about, String::new()));
    section(name, words::group(name), tag("ul", "rows").children(rows).end())
}

fn section(name: &'static str, about: &'static str, what: AnyView) -> AnyView {
    let side = tag("div", "topic-name").child(text("h2", "", name)).child(text("p", "muted", about));
    tag("section", "topic").child(side.end()).child(what).end()
}

fn reported<'a>(accounts: impl Iterator<Item = &'a Account>) -> AnyView {
    let rows = tag("ul", "facts-of").children(accounts.map(account)).end();
    section(words::REPORTED, words::REPORTED_ABOUT, rows)
}

fn account(it: &Account) -> AnyView {
    let about = tag("div", "").child(text("p", "", it.incident.reported.clone())).child(text(
        "p",
        "muted",
        words::filled(&it.incident.filled),
    ));
    let lab = link("", site().href(&Place::lab(&it.scenario).href()), it.title.clone());
    let source = link("", it.incident.source.clone(), it.incident.system.clone())
        .attr("target", "_blank")
        .attr("rel", "noopener");
    let links = tag("p", "links").child(lab.end()).child(source.end());
    tag("li", "").child(about.end()).child(links.end()).end()
}
