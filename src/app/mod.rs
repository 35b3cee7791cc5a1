//! What the user is doing. Pure: no DOM and no Leptos, so all of it is tested natively.

#![cfg_attr(
    not(test),
    deny(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing, clippy::panic)
)]

pub mod route;
pub mod words;
