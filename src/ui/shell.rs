//! What stands around every page: bar, menu, notice, embed foot.

use leptos::html::Dialog;
use leptos::prelude::*;
use wasm_bindgen_futures::JsFuture;

use crate::app::route::{Chrome, Place};
use crate::app::words::shell as words;
use crate::ui::pages::Pages;
use crate::ui::site::{Site, address, focus, focus_next, site};

#[component]
pub fn Shell(pages: Pages) -> impl IntoView {
    let site = Site::new();
    provide_context(site);
    (pages.open)();
    let listener = window_event_listener(leptos::ev::hashchange, move |_| site.follow());
    on_cleanup(move || listener.remove());
    mark_root(site);
    Effect::new(move |shown: Option<()>| {
        document().set_title(&site.place.with(words::document_title));
        // A reader of a new page starts at its heading; the first page is left alone, in an
        // embed above all.
        if shown.is_some() {
            focus_next("main h1");
        }
    });
    let chrome = move || site.frame.get().chrome();
    view! {
        <button class="skip" type="button" on:click=move |_| focus("main h1")>{words::SKIP}</button>
        {move || (chrome() == Chrome::Full).then(bar)}
        {notice}
        <main id="main">{move || (pages.page)(site.place.get())}</main>
        {move || (chrome() == Chrome::Min).then(foot)}
    }
}

/// The root element says how it is drawn: the style sheets read it.
fn mark_root(site: Site) {
    Effect::new(move |_| {
        if let Some(root) = document().document_element() {
            let _ = root.set_attribute("data-theme", site.theme.get().word());
            let _ = root.set_attribute("data-chrome", site.frame.get().chrome().word());
        }
    });
}

fn bar() -> AnyView {
    let site = site();
    let menu = NodeRef::<Dialog>::new();
    let close = move || {
        if let Some(menu) = menu.get() {
            menu.close();
        }
    };
    view! {
        <header class="bar">
            <a class="brand" href=move || site.href("#/")>{words::BRAND}</a>
            <nav aria-label=words::PAGES>{links(&words::BAR)}</nav>
            <span class="space"></span>
            {copy_link}
            <button class="btn quiet" type="button" data-act="theme" on:click=move |_| site.switch_theme()>
                {move || if site.is_dark() { words::LIGHT } else { words::DARK }}
            </button>
            <button
                class="btn menu"
                type="button"
                aria-haspopup="dialog"
                data-act="menu"
                on:click=move |_| {
                    if let Some(menu) = menu.get() {
                        let _ = menu.show_modal();
                    }
                }
            >
                {words::MENU}
            </button>
            // A press on the ground beside the sheet, or on a link in it, closes it.
            <dialog class="sheet" aria-label=words::PAGES node_ref=menu on:click=move |_| close()>
                <nav aria-label=words::PAGES>{links(&words::BAR)} {links(&[words::ABOUT])}</nav>
                <button class="btn" type="button">{words::CLOSE}</button>
            </dialog>
        </header>
    }
    .into_any()
}

fn links(pages: &[(&'static str, &'static str)]) -> Vec<AnyView> {
    let site = site();
    let link = |&(name, to): &(&'static str, &'static str)| {
        let here = move || site.place.with(|place| words::title(place) == name || place.href() == to);
        let current = move || here().then_some("page");
        view! { <a href=move || site.href(to) aria-current=current>{name}</a> }.into_any()
    };
    pages.iter().map(link).collect()
}

/// Only where the page has a state worth a link.
fn copy_link() -> AnyView {
    let site = site();
    let copied = RwSignal::new(false);
    let by_hand = RwSignal::new(None::<String>);
    let copy = move |link: Callback<(), String>| {
        let text = format!("{}{}", address(), link.run(()));
        copy_text(text.clone(), move |done| {
            copied.set(done);
            by_hand.set((!done).then_some(text));
        });
    };
    let button = move |link| {
        let name = move || if copied.get() { words::COPIED } else { words::COPY_LINK };
        view! { <button class="btn" type="button" data-act="copy-link" on:click=move |_| copy(link)>{name}</button> }
    };
    // Another page has another link.
    Effect::new(move |_| {
        site.link.track();
        copied.set(false);
        by_hand.set(None);
    });
    view! {
        {move || site.link.get().map(button)}
        {move || by_hand.get().map(copy_by_hand)}
    }
    .into_any()
}

/// A text to copy, where the clipboard is refused.
pub fn copy_by_hand(text: String) -> AnyView {
    let select = |event: leptos::ev::FocusEvent| event_target::<web_sys::HtmlInputElement>(&event).select();
    view! {
        <label class="by-hand">
            {words::COPY_BY_HAND} <input type="text" readonly prop:value=text on:focus=select />
        </label>
    }
    .into_any()
}

/// Copies a text and says whether it could.
pub fn copy_text(text: String, then: impl FnOnce(bool) + 'static) {
    leptos::task::spawn_local(async move {
        // Without a secure context there is no clipboard at all: asking for it gives undefined.
        let clipboard = js_sys::Reflect::get(&window().navigator(), &"clipboard".into());
        let there = clipboard.is_ok_and(|clipboard| clipboard.is_object());
        then(there && JsFuture::from(window().navigator().clipboard().write_text(&text)).await.is_ok());
    });
}

fn notice() -> AnyView {
    let site = site();
    let line = move |what: String| {
        view! {
            <div class="notice" role="alert">
                <p>{what}</p>
                <button class="btn" type="button" data-act="dismiss" on:click=move |_| site.notice.set(None)>
                    {words::DISMISS}
                </button>
            </div>
        }
    };
    (move || site.notice.get().map(line)).into_any()
}

/// Under a page in somebody else's frame: what it is and where it comes from.
fn foot() -> AnyView {
    let site = site();
    let full = move || format!("{}{}", address(), site.place.with(Place::href));
    let title = move || site.place.with(|place| words::title(place));
    view! {
        <footer class="foot">
            <span>{title}</span>
            <a href=address() target="_blank" rel="noopener">{words::BRAND}</a>
            <a href=full target="_blank" rel="noopener" data-act="full-size">{words::FULL_SIZE}</a>
            <span>{words::STAYS}</span>
        </footer>
    }
    .into_any()
}
