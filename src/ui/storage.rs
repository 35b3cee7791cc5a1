//! What is kept between visits. A browser may refuse, throw or be full: then it is kept in memory,
//! and the page can say so.

use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;

const PREFIX: &str = "fenceline:";

thread_local! {
    static MEMORY: RefCell<BTreeMap<String, String>> = const { RefCell::new(BTreeMap::new()) };
    static REFUSED: Cell<bool> = const { Cell::new(false) };
}

/// Where what is written is kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kept {
    InBrowser,
    /// Until the tab closes: the browser refused.
    InMemory,
}

pub fn get(key: &str) -> Option<String> {
    let memory = MEMORY.with_borrow(|memory| memory.get(key).cloned());
    memory.or_else(|| browser()?.get_item(&format!("{PREFIX}{key}")).ok().flatten())
}

pub fn set(key: &str, value: &str) -> Kept {
    let done = browser().is_some_and(|storage| storage.set_item(&format!("{PREFIX}{key}"), value).is_ok());
    MEMORY.with_borrow_mut(|memory| {
        if done {
            memory.remove(key);
        } else {
            memory.insert(key.to_owned(), value.to_owned());
        }
    });
    REFUSED.set(!done);
    kept()
}

/// Where the last thing written went; before that, where the next would go.
pub fn kept() -> Kept {
    let refused = REFUSED.get() || browser().is_none();
    if refused { Kept::InMemory } else { Kept::InBrowser }
}

/// In a frame of another site merely asking for the storage throws.
fn browser() -> Option<web_sys::Storage> {
    web_sys::window()?.local_storage().ok().flatten()
}
