//! What stands around every page: bar, menu, notice, embed foot.

use leptos::prelude::*;
use wasm_bindgen::JsCast;
use wasm_bindgen_futures::JsFuture;

use crate::app::route::Chrome;
use crate::app::words::shell as words;
use crate::ui::pages::Pages;
use crate::ui::site::{Site, address, focus, focus_next, fragment, site};
use crate::ui::state::{key, watch};
use crate::ui::tag::{Tag, button, link, live, live_text, nothing, tag, text};

#[component]
pub fn Shell(pages: Pages) -> impl IntoView {
    let site = Site::new(pages);
    provide_context(site);
    (pages.open)();
    let listener = window_event_listener(leptos::ev::hashchange, move |_| site.follow());
    on_cleanup(move || listener.remove());
    mark_root(site);
    let mut first = true;
    watch(move || {
        document().set_title(&site.place.with(words::document_title));
        // A reader of a new page starts at its heading; the first page is left alone, in an
        // embed above all.
        if !std::mem::take(&mut first) {
            focus_next("main h1");
        }
    });
    let chrome = key(move || site.frame.with(|frame| frame.chrome() as usize));
    let around = move |wanted: Chrome, draw: fn() -> AnyView| {
        live(move || if chrome.get() == wanted as usize { draw() } else { nothing() })
    };
    let skip = button("skip", "skip", words::SKIP, || focus("main h1"));
    let shown = live(move || {
        site.frame.with(|_| ());
        (pages.page)(site.place.get())
    });
    vec![
        skip.end(),
        around(Chrome::Full, bar),
        notice(),
        tag("main", "").attr("id", "main").child(shown).end(),
        around(Chrome::Min, foot),
    ]
}

/// The root element says how it is drawn: the style sheets read it.
fn mark_root(site: Site) {
    watch(move || {
        if let Some(root) = document().document_element() {
            let _ = root.set_attribute("data-theme", site.theme.with(|theme| theme.word()));
            let _ = root.set_attribute("data-chrome", site.frame.with(|frame| frame.chrome().word()));
        }
    });
}

fn bar() -> AnyView {
    let site = site();
    // The style sheet shows one of the two: it knows at once when the system's own theme changes.
    let theme = button("btn quiet", "theme", "", move || site.switch_theme())
        .child(text("span", "to-light", words::LIGHT))
        .child(text("span", "to-dark", words::DARK));
    let menu = button("btn quiet menu", "menu", words::MENU, || {
        if let Some(sheet) = sheet() {
            let _ = sheet.show_modal();
        }
    });
    // A press on the ground beside the sheet, or on anything in it, closes it.
    let pages = words::BAR.into_iter().chain([words::ABOUT]);
    let sheet = tag("dialog", "sheet").attr("id", "menu").attr("aria-label", words::PAGES).click(close);
    let sheet = sheet
        .child(tag("nav", "").attr("aria-label", words::PAGES).children(pages.map(page_link)).end())
        .child(button("btn", "close", words::CLOSE, || ()).end());
    tag("header", "bar")
        .child(link("brand", site.href("#/"), words::BRAND).end())
        .child(
            tag("nav", "")
                .attr("aria-label", words::PAGES)
                .children(words::BAR.into_iter().map(page_link))
                .end(),
        )
        .child(tag("span", "space").end())
        .child(copy_link())
        .child(theme.end())
        .child(menu.attr("aria-haspopup", "dialog").end())
        .child(sheet.end())
        .end()
}

fn sheet() -> Option<web_sys::HtmlDialogElement> {
    document().get_element_by_id("menu")?.dyn_into().ok()
}

fn close() {
    if let Some(sheet) = sheet() {
        sheet.close();
    }
}

fn page_link((name, to): (&'static str, &'static str)) -> AnyView {
    let site = site();
    let here = move || site.place.with(|place| place.href().starts_with(to));
    let current = move || here().then(|| "page".to_owned());
    link("", site.href(to), name).live("aria-current", current).end()
}

/// Only where the page has a state worth a link.
fn copy_link() -> AnyView {
    let site = site();
    live(move || {
        let Some(link) = site.link.get() else { return nothing() };
        let copied = move || link.run(()).map(|link| format!("{}{link}", address()));
        copy_button("btn", "copy-link", words::COPY_LINK, copied)
    })
}

/// A button that copies a text; where the clipboard is refused the text is there to copy by hand.
pub fn copy_button(
    class: &'static str,
    act: &'static str,
    name: &'static str,
    read: impl Fn() -> Option<String> + 'static,
) -> AnyView {
    // 0: not yet, 1: copied, 2: refused.
    let state = RwSignal::new(0_usize);
    let refused = RwSignal::new(String::new());
    let copy = move || {
        let Some(text) = read() else { return state.set(0) };
        leptos::task::spawn_local(async move {
            let done = copied(&text).await;
            refused.set(text);
            state.set(if done { 1 } else { 2 });
        });
    };
    let name = live_text(move || (if state.get() == 1 { words::COPIED } else { name }).to_owned());
    let by_hand = live(move || {
        if state.get() != 2 {
            return nothing();
        }
        let field = tag("input", "").attr("readonly", "").attr("value", refused.get()).on("focus", |event| {
            event_target::<web_sys::HtmlInputElement>(&event).select();
        });
        tag("label", "by-hand").text(words::COPY_BY_HAND).child(field.end()).end()
    });
    vec![button(class, act, "", copy).child(name).end(), by_hand].into_any()
}

async fn copied(text: &str) -> bool {
    // Without a secure context there is no clipboard at all: asking for it gives undefined.
    let clipboard = js_sys::Reflect::get(&window().navigator(), &"clipboard".into());
    let there = clipboard.is_ok_and(|clipboard| clipboard.is_object());
    there && JsFuture::from(window().navigator().clipboard().write_text(text)).await.is_ok()
}

fn notice() -> AnyView {
    let site = site();
    live(move || {
        let Some(what) = site.notice.get() else { return nothing() };
        tag("div", "notice")
            .attr("role", "alert")
            .child(text("p", "", what))
            .maybe(site.wrong.get().map(|what| (site.pages.locate)(&fragment(), &what)))
            .child(button("btn", "dismiss", words::DISMISS, move || site.dismiss()).end())
            .end()
    })
}

/// Under a page in somebody else's frame: what it is and where it comes from.
fn foot() -> AnyView {
    let site = site();
    live(move || {
        let (title, full) =
            site.place.with(|place| (words::title(place), format!("{}{}", address(), place.href())));
        let away = |link: Tag| link.attr("target", "_blank").attr("rel", "noopener").end();
        tag("footer", "foot")
            .child(text("span", "", title))
            .child(away(link("", address(), words::BRAND)))
            .child(away(link("", full, words::FULL_SIZE).attr("data-act", "full-size")))
            .child(text("span", "", words::STAYS))
            .end()
    })
}
