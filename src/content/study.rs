//! Everything there is to study, taken together.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use crate::cards::{Card, Deck};
use crate::interview::Interview;
use crate::points::Syllabus;
use crate::quiz::{Question, QuizSet};

#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Study {
    pub syllabus: Syllabus,
    pub quiz: Vec<QuizSet>,
    pub cards: Vec<Deck>,
    pub interviews: Vec<Interview>,
}

impl Study {
    pub fn questions(&self) -> impl Iterator<Item = &Question> {
        self.quiz.iter().flat_map(|set| &set.questions)
    }

    pub fn all_cards(&self) -> impl Iterator<Item = &Card> {
        self.cards.iter().flat_map(|deck| &deck.cards)
    }

    /// The points that some question, card or interview covers.
    pub fn covered(&self) -> BTreeSet<&str> {
        let questions = self.questions().flat_map(|question| &question.points);
        let cards = self.all_cards().flat_map(|card| &card.points);
        let interviews = self.interviews.iter().flat_map(Interview::covered);
        questions.chain(cards).chain(interviews).map(String::as_str).collect()
    }

    /// The points of the syllabus that nothing covers.
    pub fn uncovered(&self) -> Vec<&str> {
        let covered = self.covered();
        let all = self.syllabus.points.iter().map(|point| point.id.as_str());
        all.filter(|id| !covered.contains(id)).collect()
    }
}
