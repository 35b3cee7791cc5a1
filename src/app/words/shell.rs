//! The words around every page: bar, menu, titles, notices, embed foot, about.

use crate::app::route::{Pick, Place};

pub const BRAND: &str = "Fenceline";
pub const SKIP: &str = "Skip to the content";
pub const PAGES: &str = "Pages";
pub const MENU: &str = "Menu";
pub const CLOSE: &str = "Close";
pub const DISMISS: &str = "Dismiss";
pub const SHOW: &str = "Show";
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

/// Longer texts of a link are not repeated to the reader.
const MOST_OF_A_LINK: usize = 240;

pub fn bad_link(what: &str) -> String {
    let what: String = match what.char_indices().nth(MOST_OF_A_LINK) {
        Some((end, _)) => format!("{} …", what.get(..end).unwrap_or_default()),
        None => what.to_owned(),
    };
    let stop = if what.ends_with(['.', '…', '?']) { "" } else { "." };
    format!("The link leads nowhere, so this page stays: {what}{stop}")
}

pub fn fetch_failed(what: &str) -> String {
    format!("This part of the page did not arrive: {what}. It needs the network once.")
}

// --- about ---

pub const ABOUT_TITLE: &str = "About and embedding";
pub const ABOUT_TEXT: [&str; 3] = [
    "Fenceline is a lab for worker leases, heartbeats, fencing tokens and the zombie task. A scheduler, its workers and a fenced table run in this page, compiled from Rust; nothing on screen is scripted. Pause a worker, cut a link, move a clock, and read what the scheduler says beside what is true.",
    "Nothing leaves this page. There is no account, no counter and no server behind it. What you answer is kept in this browser; a link carries a run and nothing about you.",
    "Licensed under MIT or Apache-2.0, as you choose.",
];
pub const EMBED: &str = "Embed it";
pub const EMBED_ABOUT: &str = "One frame, no script. It works without storage and from 320 px up.";
pub const EMBED_WHAT: &str = "What";
pub const EMBED_THEME: &str = "Theme";
pub const EMBED_CHROME: &str = "Around it";
pub const EMBED_CODE: &str = "The code";
pub const COPY_CODE: &str = "Copy the embed code";
pub const PREVIEW: &str = "Open in a new tab";

/// What can be embedded: name, fragment, height in CSS pixels.
pub const EMBEDS: [(&str, &str, u32); 2] =
    [("All cards that are due", "#/cards", 340), ("The 02:40 interview", "#/interview", 680)];

pub const EMBED_THEMES: [(&str, &str); 3] =
    [("as the reader's system", "auto"), ("light", "light"), ("dark", "dark")];
pub const EMBED_CHROMES: [(&str, &str); 3] =
    [("a foot with title and source", "min"), ("nothing", "none"), ("the whole site", "full")];

pub fn embed_quiz(title: &str) -> String {
    format!("Quiz: {title}")
}

pub fn embed_lab(title: &str) -> String {
    format!("Lab: {title}")
}

pub fn embed_code(url: &str, title: &str, height: u32) -> String {
    format!(
        "<iframe src=\"{url}\" title=\"{title}\" loading=\"lazy\" allow=\"fullscreen; clipboard-write\" \
         style=\"width:100%;height:{height}px;border:0\"></iframe>"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sentence_has_one_full_stop() {
        for (what, end) in
            [("x: write y", "x: write y."), ("Did you mean `z`?", "Did you mean `z`?"), ("a. b.", "a. b.")]
        {
            assert!(bad_link(what).ends_with(&format!(": {end}")), "{}", bad_link(what));
        }
        let long = bad_link(&"x".repeat(400));
        assert!(long.ends_with("x …"), "{long}");
    }
}
