//! The library of scenarios.

use leptos::prelude::*;

use crate::app::library::{self, Entry, Kind};
use crate::app::route::Place;
use crate::app::words::study as words;
use crate::ui::site::site;

#[component]
pub fn Incidents() -> impl IntoView {
    let site = site();
    let all: Vec<&Entry> = library::all(Kind::Scenario).collect();
    let first = all.first().map(|it| {
        let to = Place::lab(it.id).href();
        view! { <a class="next" href=move || site.href(&to)>{words::open_first(it.title)}</a> }
    });
    let groups: Vec<_> = all.chunk_by(|a, b| a.group == b.group).map(group).collect();
    view! {
        <div class="page wide">
            <div class="top">
                <div>
                    <h1 tabindex="-1">{words::INCIDENTS}</h1>
                    <p class="lead">{words::incidents_about(all.len())}</p>
                </div>
                {first}
            </div>
            {groups}
        </div>
    }
}

fn group(entries: &[&'static Entry]) -> AnyView {
    let site = site();
    let name = entries.first().map(|it| it.group).unwrap_or_default();
    let row = |it: &&'static Entry| {
        let to = Place::lab(it.id).href();
        view! { <li><a href=move || site.href(&to)><b>{it.title}</b> <span>{it.about}</span></a></li> }
            .into_any()
    };
    view! {
        <section class="topic">
            <div class="side"><h2>{name}</h2> <p class="muted">{words::group(name)}</p></div>
            <ul class="rows">{entries.iter().map(row).collect::<Vec<_>>()}</ul>
        </section>
    }
    .into_any()
}
