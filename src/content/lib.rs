//! What the assets say: file formats, loading, and checks that name every mistake at once.

#![cfg_attr(
    not(test),
    deny(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing, clippy::panic)
)]

#[cfg(feature = "authoring")]
pub mod authoring;
pub mod cards;
#[cfg(feature = "authoring")]
pub mod handbook;
pub mod incident;
pub mod interview;
pub mod link;
pub mod outline;
pub mod plain;
pub mod points;
#[cfg(feature = "authoring")]
pub mod proof;
pub mod quiz;
pub mod report;
pub mod scenario;
#[cfg(feature = "authoring")]
pub mod schema;
pub mod study;
pub mod words;
