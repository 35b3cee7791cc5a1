//! Interview questions: what is said, what may be asked, what a strong answer covers.

use serde::{Deserialize, Serialize};

use crate::report::{Content, Known, Report, join, nth};

#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Interview {
    pub id: String,
    pub title: String,
    pub points: Vec<String>,
    pub scenario: Option<String>,
    /// All that the candidate is told.
    pub prompt: String,
    /// What the candidate is to do with it.
    pub task: String,
    /// What the candidate learns only by asking.
    #[serde(rename = "fact")]
    pub facts: Vec<Fact>,
    /// What a strong answer covers, in the order it is best told.
    #[serde(rename = "answer")]
    pub answers: Vec<AnswerPoint>,
    /// How to be sure that it was a duplicate execution.
    #[serde(rename = "confirm")]
    pub confirm: Vec<Step>,
    /// How to keep it from getting worse.
    #[serde(rename = "contain")]
    pub contain: Vec<Step>,
    /// How to put the wrong day right.
    #[serde(rename = "repair")]
    pub repair: Vec<Step>,
    pub follow_up: FollowUp,
}

#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Fact {
    pub id: String,
    pub ask: String,
    pub answer: String,
    /// Whether a strong candidate asks for it.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub telling: bool,
}

#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct AnswerPoint {
    pub id: String,
    pub title: String,
    pub what: String,
    pub why: String,
    pub points: Vec<String>,
    /// A proposal that sounds good and must not be the answer.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub trap: bool,
}

#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Step {
    #[serde(rename = "do")]
    pub act: String,
    pub why: String,
}

/// A change of the facts, put in midway.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct FollowUp {
    pub prompt: String,
    #[serde(rename = "answer")]
    pub answers: Vec<AnswerPoint>,
}

fn answers(at: &str, answers: &[AnswerPoint], known: &Known, report: &mut Report) {
    let key = join(at, "answer");
    if answers.is_empty() {
        report.add(&key, "missing. Write what a strong answer covers");
    }
    for (n, answer) in answers.iter().enumerate() {
        let at = nth(at, "answer", n);
        report.id(&at, &answer.id);
        report.text(&at, "title", &answer.title, "the point in a few words");
        report.text(&at, "what", &answer.what, "what the candidate says");
        report.text(&at, "why", &answer.why, "why it matters");
        report.points(&at, &answer.points, known);
    }
    report.distinct(
        "answer",
        answers.iter().enumerate().map(|(n, answer)| (nth(at, "answer", n), answer.id.as_str())),
    );
}

fn steps(key: &str, steps: &[Step], report: &mut Report) {
    if steps.is_empty() {
        report.add(key, "missing. Write at least one step");
    }
    for (n, step) in steps.iter().enumerate() {
        let at = nth("", key, n);
        report.text(&at, "do", &step.act, "what to do");
        report.text(&at, "why", &step.why, "why it is done");
    }
}

impl Interview {
    /// Every source point the interview covers, with repetitions.
    pub fn covered(&self) -> impl Iterator<Item = &String> {
        let answers = self.answers.iter().chain(&self.follow_up.answers);
        self.points.iter().chain(answers.flat_map(|answer| &answer.points))
    }
}

impl Content for Interview {
    fn check(&self, known: &Known, report: &mut Report) {
        report.id("", &self.id);
        report.text("", "title", &self.title, "the name of the interview");
        report.points("", &self.points, known);
        report.scenario("", self.scenario.as_deref(), known);
        if self.scenario.is_none() {
            report.add("scenario", "missing. Name the scenario that shows the answer");
        }
        report.text("", "prompt", &self.prompt, "what the candidate is told");
        report.text("", "task", &self.task, "what the candidate is to do");
        for (n, fact) in self.facts.iter().enumerate() {
            let at = nth("", "fact", n);
            report.id(&at, &fact.id);
            report.text(&at, "ask", &fact.ask, "what the candidate asks");
            report.text(&at, "answer", &fact.answer, "the answer");
        }
        let ids = self.facts.iter().enumerate();
        report.distinct("fact", ids.map(|(n, fact)| (nth("", "fact", n), fact.id.as_str())));
        if !self.facts.iter().any(|fact| fact.telling) {
            report
                .add("fact", "none is telling. Mark with `telling = true` what a strong candidate asks for");
        }
        answers("", &self.answers, known, report);
        steps("confirm", &self.confirm, report);
        steps("contain", &self.contain, report);
        steps("repair", &self.repair, report);
        report.text("follow_up", "prompt", &self.follow_up.prompt, "the change put in midway");
        answers("follow_up", &self.follow_up.answers, known, report);
    }
}
