//! Fenceline, the page: `app` is what the user is doing, `ui` is what is drawn.

#[cfg(target_arch = "wasm32")]
pub mod ui;
