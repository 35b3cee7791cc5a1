//! Decks of flashcards.

use serde::{Deserialize, Serialize};

use crate::report::{Content, Known, Report, nth};

#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Deck {
    pub id: String,
    pub title: String,
    /// What the deck is about, in one line.
    pub about: String,
    #[serde(rename = "card")]
    pub cards: Vec<Card>,
}

#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Card {
    /// Stable: the schedule is kept under it.
    pub id: String,
    pub points: Vec<String>,
    pub concept: String,
    pub front: String,
    pub back: String,
    /// What explains the back, shown below it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub more: Option<String>,
    /// The scenario of the lab that shows it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub scenario: Option<String>,
}

impl Card {
    fn check(&self, at: &str, known: &Known, report: &mut Report) {
        report.id(at, &self.id);
        report.points(at, &self.points, known);
        report.concept(at, &self.concept, known);
        report.text(at, "front", &self.front, "what is asked");
        report.text(at, "back", &self.back, "the answer");
        report.maybe(at, "more", self.more.as_deref(), "the explanation, or leave it out");
        report.scenario(at, self.scenario.as_deref(), known);
    }
}

impl Content for Deck {
    fn check(&self, known: &Known, report: &mut Report) {
        report.id("", &self.id);
        report.text("", "title", &self.title, "the name of the deck");
        report.text("", "about", &self.about, "what the deck is about, in one line");
        if self.cards.is_empty() {
            report.add("card", "missing. Write at least one [[card]]");
        }
        for (n, card) in self.cards.iter().enumerate() {
            card.check(&nth("", "card", n), known, report);
        }
        let ids = self.cards.iter().enumerate();
        report.distinct("card", ids.map(|(n, c)| (nth("", "card", n), c.id.as_str())));
    }
}
