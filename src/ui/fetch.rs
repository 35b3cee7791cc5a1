//! Content that the page fetches when it needs it, kept in memory once it is there.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::sync::Arc;

use fenceline_content::plain::{self, Plain};
use leptos::prelude::*;
use wasm_bindgen::JsCast;
use wasm_bindgen_futures::JsFuture;

use crate::app::library::Entry;
use crate::app::words::shell as words;
use crate::ui::site::focus_next;
use crate::ui::tag::{button, heading, live, tag};

thread_local! {
    static FETCHED: RefCell<BTreeMap<&'static str, Arc<str>>> = const { RefCell::new(BTreeMap::new()) };
}

/// The JSON of one entry.
///
/// # Errors
/// What went wrong, to be shown: the network, or the server.
pub async fn text(entry: &'static Entry) -> Result<Arc<str>, String> {
    if let Some(text) = FETCHED.with_borrow(|all| all.get(entry.file).cloned()) {
        return Ok(text);
    }
    let say = |error: wasm_bindgen::JsValue| {
        let text = error.dyn_ref::<js_sys::Error>().map(|error| String::from(error.message()));
        format!("{}: {}", entry.file, text.unwrap_or_default())
    };
    let promise = window().fetch_with_str(&format!("content/{}", entry.file));
    let answer: web_sys::Response = JsFuture::from(promise).await.map_err(say)?.unchecked_into();
    if !answer.ok() {
        return Err(format!("{}: {}", entry.file, answer.status()));
    }
    let body = JsFuture::from(answer.text().map_err(say)?).await.map_err(say)?;
    let text: Arc<str> = body.as_string().unwrap_or_default().into();
    FETCHED.with_borrow_mut(|all| all.insert(entry.file, text.clone()));
    Ok(text)
}

async fn texts(entries: Vec<&'static Entry>) -> Result<Vec<Arc<str>>, String> {
    let mut all = Vec::new();
    for entry in entries {
        all.push(text(entry).await?);
    }
    Ok(all)
}

/// Draws what is made of the fetched entries; until then that they are being fetched, or what went
/// wrong and *Try again*. For a part of a page; see [`fetched_page`].
pub fn fetched<T: Plain>(
    entries: Vec<&'static Entry>,
    draw: impl Fn(Vec<T>) -> AnyView + Send + 'static,
) -> AnyView {
    fetched_page("", entries, draw)
}

/// The same for a page whose heading comes with what is fetched: `title` stands in for it.
pub fn fetched_page<T: Plain>(
    title: &str,
    entries: Vec<&'static Entry>,
    draw: impl Fn(Vec<T>) -> AnyView + Send + 'static,
) -> AnyView {
    let draw = move |texts: &[Arc<str>]| {
        let mut all = Vec::new();
        for text in texts {
            all.push(plain::read(text)?);
        }
        Ok(draw(all))
    };
    when_there(title.to_owned(), entries, Box::new(draw))
}

type Draw = Box<dyn Fn(&[Arc<str>]) -> Result<AnyView, String> + Send>;

fn when_there(title: String, entries: Vec<&'static Entry>, draw: Draw) -> AnyView {
    let state = RwSignal::new(None::<Result<Vec<Arc<str>>, String>>);
    let start = Callback::new(move |()| {
        state.set(None);
        let entries = entries.clone();
        leptos::task::spawn_local(async move {
            let texts = texts(entries).await;
            // A reader who is at the heading stays at it.
            let at_heading = document().query_selector("main h1:focus").ok().flatten().is_some();
            // The page may be gone when it arrives.
            let is_gone = state.try_set(Some(texts)).is_some();
            if at_heading && !is_gone {
                focus_next("main h1");
            }
        });
    });
    start.run(());
    let page_heading = move || (!title.is_empty()).then(|| heading("h1", "", title.clone()).end());
    let failed = {
        let page_heading = page_heading.clone();
        move |what: String| {
            tag("div", "failed")
                .maybe(page_heading())
                .child(tag("p", "").attr("role", "alert").text(words::fetch_failed(&what)).end())
                .child(button("next", "retry", words::RETRY, move || start.run(())).end())
                .end()
        }
    };
    live(move || match state.get() {
        None => {
            let fetching = tag("p", "fetching").attr("role", "status").text(words::FETCHING);
            tag("div", "").maybe(page_heading()).child(fetching.end()).end()
        }
        Some(Ok(texts)) => draw(&texts).unwrap_or_else(&failed),
        Some(Err(what)) => failed(what),
    })
}
