//! What a person has answered and rated: read once, written at each change, exported and imported.

use std::any::Any;
use std::cell::RefCell;
use std::collections::BTreeMap;

use leptos::prelude::*;
use wasm_bindgen::JsCast;
use wasm_bindgen_futures::JsFuture;

use crate::app::progress::Progress;
use crate::app::words::study as words;
use crate::ui::site::site;
use crate::ui::storage::{self, Kept};

const KEY: &str = "progress";

/// The progress of this browser. One for the whole page: see [`store`].
#[derive(Clone, Copy)]
pub struct Store(RwSignal<Progress>);

impl Store {
    /// To be provided by the shell, so that it outlives any page.
    pub(crate) fn open() -> Self {
        let text = storage::get(KEY);
        let read = text.as_deref().map_or_else(|| Ok(Progress::new()), Progress::read);
        Self(RwSignal::new(read.unwrap_or_else(|_| {
            // A newer page's, or damaged: it is put aside, not written over.
            storage::set("progress-unread", &text.unwrap_or_default());
            Progress::new()
        })))
    }

    pub fn with<T>(self, read: impl FnOnce(&Progress) -> T) -> T {
        self.0.with(read)
    }

    pub fn edit(self, edit: impl FnOnce(&mut Progress)) {
        self.0.update(edit);
        storage::set(KEY, &self.0.with_untracked(Progress::write));
    }
}

pub fn store() -> Store {
    expect_context()
}

/// Today, in days since 1970 by the reader's own clock.
pub fn today() -> u32 {
    let now = js_sys::Date::new_0();
    let minutes = now.get_time() / 60_000.0 - now.get_timezone_offset();
    // A day of this century: it fits.
    (minutes / 1_440.0) as u32
}

thread_local! {
    static SITTINGS: RefCell<BTreeMap<String, Box<dyn Any>>> = const { RefCell::new(BTreeMap::new()) };
}

/// What was being done under this name before the reader went elsewhere, to the lab say.
pub fn recall<T: Clone + 'static>(name: &str) -> Option<T> {
    SITTINGS.with_borrow(|all| all.get(name)?.downcast_ref().cloned())
}

pub fn remember<T: 'static>(name: &str, sitting: T) {
    SITTINGS.with_borrow_mut(|all| all.insert(name.to_owned(), Box::new(sitting)));
}

/// Where progress is kept, in one line, and what can be done with it.
pub fn keeping() -> AnyView {
    let store = store();
    let said = RwSignal::new(None::<String>);
    let sure = RwSignal::new(false);
    let place = move || {
        store.with(|_| match storage::kept() {
            Kept::InBrowser => words::KEPT,
            Kept::InMemory => words::KEPT_UNTIL,
        })
    };
    let import = move |event: leptos::ev::Event| {
        let input: web_sys::HtmlInputElement = event_target(&event);
        let Some(file) = input.files().and_then(|files| files.get(0)) else { return };
        leptos::task::spawn_local(async move {
            let text = JsFuture::from(file.text()).await.ok().and_then(|text| text.as_string());
            let read = Progress::read(&text.unwrap_or_default());
            let line = match read {
                Ok(other) => {
                    store.edit(|progress| progress.merge(other));
                    words::IMPORTED.to_owned()
                }
                Err(what) => words::import_failed(&what),
            };
            said.set(Some(line));
            input.set_value("");
        });
    };
    let forget = move |_| {
        if sure.get_untracked() {
            store.edit(|progress| *progress = Progress::new());
        }
        sure.update(|sure| *sure = !*sure);
    };
    view! {
        <section class="keeping" data-part="keeping">
            <p>{place}</p>
            <button class="btn quiet" type="button" data-act="export" on:click=move |_| export(store)>
                {words::EXPORT}
            </button>
            <label class="btn quiet file">
                {words::IMPORT} <input type="file" accept=".json,application/json" on:change=import />
            </label>
            <button class="btn quiet" type="button" data-act="forget" on:click=forget>
                {move || if sure.get() { words::RESET_SURE } else { words::RESET }}
            </button>
            <p role="status">{move || said.get()}</p>
        </section>
    }
    .into_any()
}

/// Saves the progress as a file of the reader's.
fn export(store: Store) {
    let text = store.with(Progress::write);
    let save = || -> Result<(), wasm_bindgen::JsValue> {
        let parts = js_sys::Array::of1(&text.as_str().into());
        let blob = web_sys::Blob::new_with_str_sequence(&parts)?;
        let url = web_sys::Url::create_object_url_with_blob(&blob)?;
        let link: web_sys::HtmlElement = document().create_element("a")?.unchecked_into();
        link.set_attribute("href", &url)?;
        link.set_attribute("download", words::EXPORT_FILE)?;
        link.click();
        web_sys::Url::revoke_object_url(&url)
    };
    if save().is_err() {
        site().complain(words::EXPORT_REFUSED);
    }
}
