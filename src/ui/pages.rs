//! Which pages there are. Two programs draw them: the first visit loads one that holds the start page
//! alone and is small; every other page is in the second, which it fetches when it has nothing to do.

use leptos::prelude::*;

use crate::app::route::Place;
use crate::app::words::shell as words;
use crate::ui::progress::Store;
use crate::ui::site::Site;
use crate::ui::tag::nothing;
use crate::ui::{about, cards, incidents, interview, lab, learn, quiz, start};

/// What one of the two programs can draw.
#[derive(Clone, Copy)]
pub struct Pages {
    /// Provides what its pages share, so that it outlives any of them.
    pub open: fn(),
    pub page: fn(Place) -> AnyView,
    /// Reads a place before it is shown in place of another; says what is wrong with it.
    pub check: fn(Site, Place, Box<dyn FnOnce()>),
    /// Where in a link it is what a complaint names.
    pub locate: fn(&str, &str) -> AnyView,
    /// Puts the address of what is shown in place of a wrong one.
    pub settle: fn(Site),
}

/// Every page.
pub const ALL: Pages = Pages {
    open: || provide_context(Store::open()),
    page: any,
    check: lab::check,
    locate: lab::locate,
    settle: |site| site.write(&site.place.peek(Place::href)),
};

/// The start page; for any other the whole program is asked for.
pub const START: Pages = Pages {
    open: || (),
    page: start_or_more,
    check: |_, _, show| show(),
    locate: |_, _| nothing(),
    settle: |_| (),
};

fn any(place: Place) -> AnyView {
    match place {
        Place::Start => start::page(),
        Place::Lab(parameters) => view! { <lab::Lab parameters /> }.into_any(),
        Place::Learn => learn::page(),
        Place::Incidents => incidents::page(),
        Place::Quiz(pick) => quiz::page(pick),
        Place::Cards(pick) => cards::page(pick),
        Place::Interview(id) => interview::page(id),
        Place::About => about::page(),
    }
}

fn start_or_more(place: Place) -> AnyView {
    if place == Place::Start {
        return start::page();
    }
    // `boot.js` listens; the whole program takes this one's place when it is there.
    super::announce(super::WANTED);
    view! { <p class="fetching" role="status">{words::FETCHING}</p> }.into_any()
}
