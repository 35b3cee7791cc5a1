//! What every page shares: where it is, how it is framed, what the bar offers for it.

use leptos::prelude::*;

use crate::app::route::{self, Frame, Place, Route, Theme};
use crate::app::words::shell as words;
use crate::ui::storage;

/// Reached from any page with [`site`].
#[derive(Clone, Copy)]
pub struct Site {
    /// The page shown. A page is made anew when this changes, never for a new frame.
    pub place: Memo<Place>,
    pub frame: Memo<Frame>,
    route: RwSignal<Route>,
    /// One line on top of the page: what is wrong with a link or a file. See [`Site::complain`].
    pub notice: RwSignal<Option<String>>,
    /// Set by a page that has a state worth a link: gives the fragment (`#/lab?…`) that the bar's
    /// *Copy link* copies. Reset when another page is shown.
    pub link: RwSignal<Option<Callback<(), String>>>,
    pub theme: RwSignal<Theme>,
}

/// The site this component belongs to.
pub fn site() -> Site {
    expect_context()
}

impl Site {
    pub(crate) fn new() -> Self {
        let (route, wrong) = match route::read(&fragment()) {
            Ok(route) => (route, None),
            Err(what) => (Route::default(), Some(words::bad_link(&what))),
        };
        let stored = || storage::get("theme").and_then(|word| Theme::of_word(&word));
        let theme = RwSignal::new(route.frame.theme.or_else(stored).unwrap_or_default());
        let route = RwSignal::new(route);
        Self {
            place: Memo::new(move |_| route.with(|route| route.place.clone())),
            frame: Memo::new(move |_| route.with(|route| route.frame)),
            route,
            notice: RwSignal::new(wrong),
            link: RwSignal::new(None),
            theme,
        }
    }

    /// Follows the address. A wrong one leaves the page as it was.
    pub(crate) fn follow(self) {
        match route::read(&fragment()) {
            Ok(route) => {
                self.notice.set(None);
                if let Some(theme) = route.frame.theme {
                    self.theme.set(theme);
                }
                if self.place.with_untracked(|place| *place != route.place) {
                    self.link.set(None);
                }
                self.route.set(route);
            }
            Err(what) => self.complain(words::bad_link(&what)),
        }
    }

    /// Says on top of the page what is wrong; the page stays.
    pub fn complain(self, what: impl Into<String>) {
        self.notice.set(Some(what.into()));
    }

    /// A link to a fragment (`#/quiz`) that keeps an embed's frame. Reactive.
    pub fn href(self, to: &str) -> String {
        self.frame.with(|frame| frame.href(to))
    }

    /// Goes to a fragment, as a link there would.
    pub fn go(self, to: &str) {
        let _ = window().location().set_hash(&self.frame.get_untracked().href(to));
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
        self.theme.set(theme);
    }
}

fn system_is_dark() -> bool {
    let query = window().match_media("(prefers-color-scheme: dark)");
    query.ok().flatten().is_some_and(|query| query.matches())
}

/// As it stands in the address, still encoded.
fn fragment() -> String {
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
