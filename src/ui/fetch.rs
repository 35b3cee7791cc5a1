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
use crate::ui::tag::{button, live, tag, text as tag_text};

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
/// wrong and *Try again*.
pub fn fetched<T: Plain>(
    entries: Vec<&'static Entry>,
    draw: impl Fn(Vec<T>) -> AnyView + Send + 'static,
) -> AnyView {
    when_there(
        entries,
        Box::new(move |texts| {
            let mut all = Vec::new();
            for text in texts {
                all.push(plain::read(text)?);
            }
            Ok(draw(all))
        }),
    )
}

type Draw = Box<dyn Fn(&[Arc<str>]) -> Result<AnyView, String> + Send>;

fn when_there(entries: Vec<&'static Entry>, draw: Draw) -> AnyView {
    let state = RwSignal::new(None::<Result<Vec<Arc<str>>, String>>);
    let start = Callback::new(move |()| {
        state.set(None);
        let entries = entries.clone();
        leptos::task::spawn_local(async move {
            // The page may be gone when it arrives.
            let _ = state.try_set(Some(texts(entries).await));
        });
    });
    start.run(());
    let failed = move |what: String| {
        tag("div", "failed")
            .attr("role", "alert")
            .child(tag_text("p", "", words::fetch_failed(&what)))
            .child(button("next", "retry", words::RETRY, move || start.run(())).end())
            .end()
    };
    live(move || match state.get() {
        None => tag("p", "fetching").attr("role", "status").text(words::FETCHING).end(),
        Some(Ok(texts)) => draw(&texts).unwrap_or_else(failed),
        Some(Err(what)) => failed(what),
    })
}
