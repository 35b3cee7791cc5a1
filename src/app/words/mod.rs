//! Every word the page shows, so that its tone is one and could be another language's.

pub mod shell;
