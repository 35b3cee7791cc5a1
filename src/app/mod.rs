//! What the user is doing. Pure: no DOM, no Leptos, no rule of the protocol; tested natively.

pub mod words;
