//! The words around every page: bar, menu, titles, notices, embed foot, about.

use crate::app::route::{Pick, Place};

pub const BRAND: &str = "Fenceline";
pub const SKIP: &str = "Skip to the content";
pub const PAGES: &str = "Pages";
pub const MENU: &str = "Menu";
pub const CLOSE: &str = "Close";
pub const DISMISS: &str = "Dismiss";
pub const RETRY: &str = "Try again";
pub const DARK: &str = "Dark";
pub const LIGHT: &str = "Light";

pub const COPY_LINK: &str = "Copy link";
pub const COPIED: &str = "Copied";
pub const COPY_BY_HAND: &str = "The browser refuses the clipboard. Copy from here:";

pub const FULL_SIZE: &str = "Open full size";
pub const STAYS: &str = "nothing leaves this page";

pub const FETCHING: &str = "Fetching…";

/// The pages in the bar.
pub const BAR: [(&str, &str); 6] = [
    ("Learn", "#/learn"),
    ("Lab", "#/lab"),
    ("Incidents", "#/incidents"),
    ("Quiz", "#/quiz"),
    ("Cards", "#/cards"),
    ("Interview", "#/interview"),
];
pub const ABOUT: (&str, &str) = ("About and embedding", "#/about");

/// The page's name in the bar, and in the browser's title.
pub fn title(place: &Place) -> &'static str {
    match place {
        Place::Start => "Nothing failed. The revenue is double.",
        Place::Lab(_) => "Lab",
        Place::Learn => "Learn",
        Place::Incidents => "Incidents",
        Place::Quiz(Pick::One(_)) => "A question",
        Place::Quiz(_) => "Quiz",
        Place::Cards(Pick::One(_)) => "A card",
        Place::Cards(_) => "Cards",
        Place::Interview(_) => "Interview",
        Place::About => "About",
    }
}

pub fn document_title(place: &Place) -> String {
    format!("{} · {BRAND}", title(place).trim_end_matches('.'))
}

pub fn bad_link(what: &str) -> String {
    format!("The link leads nowhere, so this page stays: {what}.")
}

pub fn fetch_failed(what: &str) -> String {
    format!("This part of the page did not arrive: {what}. It needs the network once.")
}
