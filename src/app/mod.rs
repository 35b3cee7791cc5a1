//! What the user is doing. Pure: no DOM, no Leptos, no rule of the protocol; tested natively.

pub mod bench;
pub mod lab;
pub mod library;
pub mod progress;
pub mod route;
pub mod stage;
pub mod start;
pub mod study;
pub mod words;
