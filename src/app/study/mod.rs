//! Studying: a session of questions, of cards, or an interview.

pub mod cards;
pub mod interview;
pub mod quiz;
