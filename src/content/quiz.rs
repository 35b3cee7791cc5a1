//! Quiz sets: questions whose every option carries its reason.

use fenceline_sim::order;
use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use crate::report::{Content, Known, Report, join, nth};

#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct QuizSet {
    pub id: String,
    pub title: String,
    /// What the set is about, in one line.
    pub about: String,
    #[serde(rename = "question")]
    pub questions: Vec<Question>,
}

#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Question {
    /// Stable: progress is kept under it.
    pub id: String,
    pub points: Vec<String>,
    pub concept: String,
    pub stem: String,
    pub kind: Kind,
    #[serde(rename = "option")]
    pub options: Vec<Choice>,
    /// The rule, or the thought behind the commonest error, in one sentence.
    pub principle: String,
    /// The nearest case in which the commonest wrong answer would be right.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub near_true: Option<String>,
    /// The scenario of the lab that shows it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub scenario: Option<String>,
    /// A system that does it so.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub source: Option<Source>,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Kind {
    /// Exactly one option is right.
    #[default]
    One,
    /// Two or more options are right; all of them are asked for.
    Many,
    /// The options are put in order; each says its own place.
    Order,
}

#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Choice {
    pub text: String,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub right: bool,
    /// In an order: the place it belongs to, from 1. The file's order is the one shown.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub place: Option<usize>,
    /// Why it is right, or which thought is behind it.
    pub why: String,
}

/// A real system, in words of our own, with the date or version it was true of.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Source {
    pub system: String,
    pub text: String,
    pub as_of: String,
}

impl Question {
    /// The right answer as positions in `options`: for an order in the order
    /// asked for, otherwise ascending.
    pub fn key(&self) -> Vec<usize> {
        let mut key: Vec<(usize, usize)> = self
            .options
            .iter()
            .enumerate()
            .filter_map(|(n, option)| match self.kind {
                Kind::Order => option.place.map(|place| (place, n)),
                Kind::One | Kind::Many => option.right.then_some((n, n)),
            })
            .collect();
        order::by(&mut key, |(place, _)| *place as u64);
        key.into_iter().map(|(_, n)| n).collect()
    }

    fn check(&self, at: &str, known: &Known, report: &mut Report) {
        report.id(at, &self.id);
        report.points(at, &self.points, known);
        report.concept(at, &self.concept, known);
        report.text(at, "stem", &self.stem, "the question");
        report.text(at, "principle", &self.principle, "the rule in one sentence");
        report.maybe(at, "near_true", self.near_true.as_deref(), "the nearest true case, or leave it out");
        report.scenario(at, self.scenario.as_deref(), known);
        if let Some(source) = &self.source {
            let at = join(at, "source");
            report.text(&at, "system", &source.system, "the name of the system");
            report.text(&at, "text", &source.text, "what it does");
            report.text(&at, "as_of", &source.as_of, "the date or version this was true of");
        }
        let mut texts = BTreeSet::new();
        for (n, option) in self.options.iter().enumerate() {
            let at = nth(at, "option", n);
            report.text(&at, "text", &option.text, "the answer offered");
            report.text(&at, "why", &option.why, "the reason this option is right or wrong");
            if !option.text.is_empty() && !texts.insert(&option.text) {
                report.add(&join(&at, "text"), "is offered twice. Give each option its own text");
            }
            match (self.kind, option.place) {
                (Kind::Order, None) => report.add(&join(&at, "place"), "missing. Write its place, from 1"),
                (Kind::One | Kind::Many, Some(_)) => {
                    report
                        .add(&join(&at, "place"), "has no meaning here. Only `kind = \"order\"` has places");
                }
                _ => {}
            }
            if self.kind == Kind::Order && option.right {
                report.add(&join(&at, "right"), "has no meaning in an order. Write `place` instead");
            }
        }
        self.check_key(at, report);
    }

    fn check_key(&self, at: &str, report: &mut Report) {
        let options = self.options.len();
        let right = self.options.iter().filter(|option| option.right).count();
        let place = join(at, "option");
        match self.kind {
            _ if options < 3 => {
                report.add(&place, format!("there are {options} options. Write at least 3"));
            }
            Kind::One if right != 1 => {
                report
                    .add(&place, format!("{right} options are right. Mark exactly one with `right = true`"));
            }
            Kind::Many if right < 2 || right == options => {
                let what = "Mark at least two with `right = true` and leave at least one wrong";
                report.add(&place, format!("{right} of {options} options are right. {what}"));
            }
            Kind::Order => {
                let places: Vec<usize> = self.options.iter().filter_map(|option| option.place).collect();
                let mut sorted = places.clone();
                order::by(&mut sorted, |place| *place as u64);
                if sorted.iter().copied().ne(1..=options) {
                    report.add(&place, format!("the places are {places:?}. Use each of 1 to {options} once"));
                } else if places == sorted {
                    report.add(&place, "stand in the right order already. Show them in another");
                }
            }
            Kind::One | Kind::Many => {}
        }
    }
}

impl Content for QuizSet {
    fn check(&self, known: &Known, report: &mut Report) {
        report.id("", &self.id);
        report.text("", "title", &self.title, "the name of the set");
        report.text("", "about", &self.about, "what the set is about, in one line");
        if self.questions.is_empty() {
            report.add("question", "missing. Write at least one [[question]]");
        }
        for (n, question) in self.questions.iter().enumerate() {
            question.check(&nth("", "question", n), known, report);
        }
        let ids = self.questions.iter().enumerate();
        report.distinct("question", ids.map(|(n, q)| (nth("", "question", n), q.id.as_str())));
    }
}
