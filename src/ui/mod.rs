//! What is drawn. Only built for the browser.

#![deny(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing, clippy::panic)]

pub mod about;
pub mod board;
pub mod cards;
pub mod fetch;
pub mod incidents;
pub mod interview;
pub mod kept;
pub mod lab;
pub mod learn;
pub mod pages;
pub mod progress;
pub mod quiz;
pub mod shell;
pub mod site;
pub mod stage;
pub mod start;
pub mod state;
pub mod storage;
pub mod tag;

pub use pages::Pages;

use std::cell::RefCell;

use std::sync::Arc;

use crate::app::library;
use fenceline_content::scenario::Case;
use leptos::mount::mount_to;
use leptos::prelude::*;
use wasm_bindgen::JsCast;
use web_sys::{CustomEvent, CustomEventInit, HtmlElement};

/// The start page's program asks for the whole one.
const WANTED: &str = "fenceline-wanted";
/// A program that starts tells the one before it to go.
const LEAVE: &str = "fenceline-leave";

/// Puts the page in place of what `index.html`, or the program before this one, shows there, and marks
/// it as ready.
///
/// # Panics
/// If the document has no element `#app`: the page is broken, and the panic screen says so.
#[allow(clippy::expect_used, reason = "without its mount point the page can only say that it is broken")]
pub fn mount(pages: Pages) {
    std::panic::set_hook(Box::new(panicked));
    // The start page's program has promised a page, and its reader waits at that page's heading.
    let is_awaited = document().query_selector("main .fetching").ok().flatten().is_some();
    announce(LEAVE);
    let app: HtmlElement = document()
        .get_element_by_id("app")
        .and_then(|element| element.dyn_into().ok())
        .expect("index.html has an element #app");
    app.set_inner_html("");
    let mounted = RefCell::new(Some(mount_to(app, move || view! { <shell::Shell pages /> })));
    let leave = window_event_listener_untyped(LEAVE, move |_| drop(mounted.take()));
    // It listens for as long as the page is there.
    std::mem::forget(leave);
    if let Some(root) = document().document_element() {
        // Tests and screenshots wait for this.
        let _ = root.set_attribute("data-state", "ready");
    }
    if is_awaited {
        site::focus_next("main h1");
    }
}

/// Tells the rest of the page that something happened.
fn announce(event: &str) {
    if let Ok(event) = CustomEvent::new(event) {
        let _ = window().dispatch_event(&event);
    }
}

/// Tells `boot.js`, which draws the panic screen: after a panic no wasm code can be relied on.
fn panicked(info: &std::panic::PanicHookInfo<'_>) {
    console_error_panic_hook::hook(info);
    let init = CustomEventInit::new();
    init.set_detail(&info.to_string().into());
    if let Ok(event) = CustomEvent::new_with_event_init_dict("fenceline-panic", &init) {
        let _ = window().dispatch_event(&event);
    }
}

/// The start page's scenario, which the programs themselves hold.
pub fn first_run() -> Option<Arc<Case>> {
    let file = library::first();
    file.read(&file.id).ok().map(Arc::new)
}

/// Whether the user asked the system for less motion.
pub fn prefers_reduced_motion() -> bool {
    let query = window().match_media("(prefers-reduced-motion: reduce)");
    query.ok().flatten().is_some_and(|query| query.matches())
}
