//! Fenceline, the page: `app` is what the user is doing, `ui` is what is drawn.

pub mod app;
#[cfg(target_arch = "wasm32")]
pub mod ui;
