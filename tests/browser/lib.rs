//! Drives the built page (`dist/`) in a real browser.
//!
//! A test is a file in `tests/`:
//!
//! ```no_run
//! # use fenceline_browser_tests::drive;
//! #[test]
//! fn the_lab_opens() {
//!     drive(async |page| {
//!         page.open("#/lab").await;
//!         page.click("[data-act=play]").await;
//!         page.wait_for_text("[data-part=truth]", "2,408 rows").await;
//!     });
//! }
//! ```
//!
//! Every test has its own server, driver, browser and profile. Tests wait for a state, never for
//! a time. An error on the console or a violation of the Content-Security-Policy fails the test;
//! one that expects them takes them with [`Page::take_errors`].

mod driver;
mod page;
mod played;
mod server;
mod study;

pub use page::{Page, Theme, drive};
pub use played::played_in_a_worker;
pub use server::{Server, framing};
pub use study::answer;
pub use thirtyfour::Key;
