//! What a person has answered and rated: read once, written at each change, exported and imported.

use leptos::prelude::*;
use wasm_bindgen::JsCast;
use wasm_bindgen_futures::JsFuture;

use crate::app::progress::Progress;
use crate::app::words::study as words;
use crate::ui::site::site;
use crate::ui::state::State;
use crate::ui::storage::{self, Kept};
use crate::ui::tag::{button, live_text, tag};

const KEY: &str = "progress";

/// The progress of this browser. One for the whole page: see [`store`].
#[derive(Clone, Copy)]
pub struct Store(State<Progress>);

impl Store {
    /// To be provided by the shell, so that it outlives any page.
    pub(crate) fn open() -> Self {
        Self(State::of("progress", || {
            let text = storage::get(KEY);
            let read = text.as_deref().map_or_else(|| Ok(Progress::default()), Progress::read);
            read.unwrap_or_else(|_| {
                // A newer page's, or damaged: it is put aside, not written over.
                storage::set("progress-unread", &text.unwrap_or_default());
                Progress::default()
            })
        }))
    }

    pub fn with<T>(self, read: impl FnOnce(&Progress) -> T) -> T {
        self.0.with(read)
    }

    pub fn edit(self, edit: impl FnOnce(&mut Progress)) {
        self.0.edit(edit);
        storage::set(KEY, &self.0.peek(Progress::write));
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

/// Where progress is kept, in one line, and what can be done with it.
pub fn keeping() -> AnyView {
    let store = store();
    let said = RwSignal::new(String::new());
    // 1: asked whether to forget all.
    let sure = RwSignal::new(0_usize);
    let place = live_text(move || {
        let kept = store.with(|_| storage::kept());
        (if kept == Kept::InBrowser { words::KEPT } else { words::KEPT_UNTIL }).to_owned()
    });
    let import = tag("input", "").attr("type", "file").attr("accept", ".json,application/json");
    let import = import.on("change", move |event| import_file(&event, store, said));
    let forget = move || {
        if sure.get_untracked() == 1 {
            store.edit(|progress| *progress = Progress::default());
        }
        sure.update(|sure| *sure = 1 - *sure);
    };
    let forget_name = live_text(move || {
        [words::RESET, words::RESET_SURE].get(sure.get()).copied().unwrap_or_default().to_owned()
    });
    tag("section", "keeping")
        .attr("data-part", "keeping")
        .child(tag("p", "").child(place).end())
        .child(button("btn quiet", "export", words::EXPORT, move || export(store)).end())
        .child(tag("label", "btn quiet file").text(words::IMPORT).child(import.end()).end())
        .child(button("btn quiet", "forget", "", forget).child(forget_name).end())
        .child(tag("p", "").attr("role", "status").child(live_text(move || said.get())).end())
        .end()
}

fn import_file(event: &web_sys::Event, store: Store, said: RwSignal<String>) {
    let input: web_sys::HtmlInputElement = event_target(event);
    let Some(file) = input.files().and_then(|files| files.get(0)) else { return };
    leptos::task::spawn_local(async move {
        let text = JsFuture::from(file.text()).await.ok().and_then(|text| text.as_string());
        said.set(match Progress::read(&text.unwrap_or_default()) {
            Ok(other) => {
                store.edit(|progress| progress.merge(other));
                words::IMPORTED.to_owned()
            }
            Err(what) => words::import_failed(&what),
        });
        input.set_value("");
    });
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
