//! What every page shares: where it is, how it is framed, what the bar offers for it.

use leptos::prelude::*;

use crate::app::route::{self, Frame, Place, Route, Theme};
use crate::app::words::shell as words;
use crate::ui::pages::Pages;
use crate::ui::state::State;
use crate::ui::storage;

/// Reached from any page with [`site`].
#[derive(Clone, Copy)]
pub struct Site {
    /// The page shown. A page is made anew when this changes, never for another theme.
    pub place: State<Place>,
    pub frame: State<Frame>,
    /// One line on top of the page: what is wrong with a link or a file. See [`Site::complain`].
    pub notice: RwSignal<Option<String>>,
    /// The same where it is about the address, to be shown in it.
    pub wrong: RwSignal<Option<String>>,
    /// Set by a page that has a state worth a link: gives the fragment (`#/lab?…`) that the bar's
    /// *Copy link* copies, or nothing and says why. Reset when another page is shown.
    pub link: RwSignal<Option<Callback<(), Option<String>>>>,
    pub theme: State<Theme>,
    pub(crate) pages: Pages,
}

/// The site this component belongs to.
pub fn site() -> Site {
    expect_context()
}

impl Site {
    pub(crate) fn new(pages: Pages) -> Self {
        let read = route::read(&fragment());
        let bad = read.as_ref().err().cloned();
        let route = read.unwrap_or_default();
        let stored = || storage::get("theme").and_then(|word| Theme::of_word(&word));
        let theme = route.frame.theme.or_else(stored).unwrap_or_default();
        let site = Self {
            place: State::of("place", || route.place),
            frame: State::of("frame", || route.frame),
            notice: RwSignal::new(None),
            wrong: RwSignal::new(None),
            link: RwSignal::new(None),
            theme: State::of("theme", || theme),
            pages,
        };
        if let Some(what) = bad {
            site.refuse(&what);
        }
        site
    }

    /// Follows the address. A wrong one leaves the page as it was.
    pub(crate) fn follow(self) {
        let asked = fragment();
        match route::read(&asked) {
            // The reader may have gone on while it was read.
            Ok(route) => (self.pages.check)(
                self,
                route.place.clone(),
                Box::new(move || {
                    if fragment() == asked {
                        self.show(route)
                    }
                }),
            ),
            Err(what) => self.refuse(&what),
        }
    }

    fn show(self, Route { place, frame }: Route) {
        self.notice.set(None);
        // Links carry the frame's theme along: only another one overrules what the reader chose.
        if let Some(theme) = frame.theme.filter(|theme| self.frame.peek(|now| now.theme != Some(*theme))) {
            self.theme.edit(|now| *now = theme);
        }
        if self.frame.peek(|now| (now.embed, now.chrome) != (frame.embed, frame.chrome)) {
            self.frame.edit(|now| *now = frame);
        }
        if self.place.peek(|now| *now != place) {
            self.link.set(None);
            self.place.edit(|now| *now = place);
        }
    }

    /// Says on top of the page what is wrong; the page stays.
    pub fn complain(self, what: impl Into<String>) {
        self.wrong.set(None);
        self.notice.set(Some(what.into()));
    }

    /// Says what is wrong with the address, and where.
    pub fn refuse(self, what: &str) {
        self.complain(words::bad_link(what));
        self.wrong.set(Some(what.to_owned()));
    }

    /// Takes the line away; the address is again that of what is shown.
    pub(crate) fn dismiss(self) {
        self.notice.set(None);
        if self.wrong.get_untracked().is_some() {
            (self.pages.settle)(self);
        }
    }

    /// Writes into the address what is shown by now, which it is to lead back to.
    pub fn write(self, to: &str) {
        let to = self.href(to);
        if let (Ok(history), Ok(route)) = (window().history(), route::read(&to)) {
            self.place.keep(route.place);
            // A browser may refuse when it is asked too often: the next one is written.
            let _ = history.replace_state_with_url(&wasm_bindgen::JsValue::NULL, "", Some(&to));
        }
    }

    /// A link to a fragment (`#/quiz`) that keeps an embed's frame.
    pub fn href(self, to: &str) -> String {
        self.frame.peek(|frame| frame.href(to))
    }

    /// Goes to a fragment, as a link there would.
    pub fn go(self, to: &str) {
        let _ = window().location().set_hash(&self.href(to));
    }

    /// Whether the page is drawn dark.
    pub fn is_dark(self) -> bool {
        match self.theme.get() {
            Theme::Dark => true,
            Theme::Light => false,
            Theme::Auto => system_is_dark(),
        }
    }

    pub(crate) fn switch_theme(self) {
        let theme = if self.is_dark() { Theme::Light } else { Theme::Dark };
        storage::set("theme", theme.word());
        self.theme.edit(|now| *now = theme);
    }
}

fn system_is_dark() -> bool {
    let query = window().match_media("(prefers-color-scheme: dark)");
    query.ok().flatten().is_some_and(|query| query.matches())
}

/// As it stands in the address, still encoded.
pub(crate) fn fragment() -> String {
    window().location().hash().unwrap_or_default()
}

/// The address without its fragment.
pub fn address() -> String {
    let href = window().location().href().unwrap_or_default();
    href.split('#').next().unwrap_or_default().to_owned()
}

/// An element by its id or selector, focused; the page does not jump there.
pub fn focus(selector: &str) {
    use wasm_bindgen::JsCast;
    let found = document().query_selector(selector).ok().flatten();
    if let Some(element) = found.and_then(|element| element.dyn_into::<web_sys::HtmlElement>().ok()) {
        let options = web_sys::FocusOptions::new();
        options.set_prevent_scroll(true);
        let _ = element.focus_with_options(&options);
    }
}

/// Focuses what the next drawing puts there: a new page's or question's heading, with the page at
/// its top.
pub fn focus_next(selector: &'static str) {
    request_animation_frame(move || {
        window().scroll_to_with_x_and_y(0.0, 0.0);
        focus(selector);
    });
}
