//! An interview: what was asked for, what has been revealed, how the reader rates the answer.

use fenceline_content::interview::Interview;

/// The phases, in order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Phase {
    /// Only what Finance said, and what may be asked.
    Ask,
    /// The reader's own answer.
    Answer,
    /// Beside the points of a strong one.
    Compare,
    /// How to confirm, contain and repair.
    Mend,
    /// The change put in midway.
    FollowUp,
    Result,
}

pub const PHASES: [Phase; 6] =
    [Phase::Ask, Phase::Answer, Phase::Compare, Phase::Mend, Phase::FollowUp, Phase::Result];

impl Phase {
    pub fn next(self) -> Option<Phase> {
        PHASES.into_iter().find(|phase| *phase > self)
    }
}

/// How far an answer went on one point.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Band {
    Missing,
    Named,
    Explained,
    Shown,
}

pub const BANDS: [Band; 4] = [Band::Missing, Band::Named, Band::Explained, Band::Shown];

/// What is kept of an interview.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Rated {
    /// By the id of the answer's point.
    pub bands: Vec<(String, Band)>,
    /// Ids of the facts asked for.
    pub asked: Vec<String>,
    pub day: u32,
}

/// What came of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Summary {
    /// Telling facts asked for, and how many there are.
    pub asked: (usize, usize),
    /// Titles of what was explained or shown.
    pub strong: Vec<String>,
    /// Titles of what was only named, or missing.
    pub gaps: Vec<String>,
    /// Titles of what has not been rated.
    pub unrated: Vec<String>,
}

impl Rated {
    pub fn ask(&mut self, fact: &str) {
        if !self.has_asked(fact) {
            self.asked.push(fact.to_owned());
        }
    }

    pub fn has_asked(&self, fact: &str) -> bool {
        self.asked.iter().any(|asked| asked == fact)
    }

    pub fn band(&self, point: &str) -> Option<Band> {
        self.bands.iter().find_map(|(id, band)| (id == point).then_some(*band))
    }

    pub fn rate(&mut self, point: &str, band: Band) {
        self.bands.retain(|(id, _)| id != point);
        self.bands.push((point.to_owned(), band));
    }

    pub fn summary(&self, interview: &Interview) -> Summary {
        let telling = interview.facts.iter().filter(|fact| fact.telling);
        let asked = telling.clone().filter(|fact| self.has_asked(&fact.id)).count();
        let rows = interview.answers.iter().chain(&interview.follow_up.answers);
        let titles = |wanted: fn(Option<Band>) -> bool| {
            rows.clone().filter(|row| wanted(self.band(&row.id))).map(|row| row.title.clone()).collect()
        };
        Summary {
            asked: (asked, telling.count()),
            strong: titles(|band| band.is_some_and(|band| band >= Band::Explained)),
            gaps: titles(|band| band.is_some_and(|band| band < Band::Explained)),
            unrated: titles(|band| band.is_none()),
        }
    }
}

#[cfg(test)]
mod tests {
    use fenceline_content::interview::{AnswerPoint, Fact};

    use super::*;

    #[test]
    fn phases_follow_each_other_to_the_result() {
        let mut phases = vec![Phase::Ask];
        while let Some(next) = phases.last().and_then(|phase| phase.next()) {
            phases.push(next);
        }
        assert_eq!(phases, PHASES);
    }

    #[test]
    fn the_summary_counts_what_was_asked_and_sorts_what_was_said() {
        let fact = |id: &str, telling| Fact { id: id.into(), telling, ..Fact::default() };
        let row =
            |id: &str| AnswerPoint { id: id.into(), title: id.to_uppercase(), ..AnswerPoint::default() };
        let interview = Interview {
            facts: vec![fact("sink", true), fact("log", true), fact("weather", false)],
            answers: vec![row("a"), row("b"), row("c")],
            ..Interview::default()
        };
        let mut rated = Rated::default();
        rated.ask("sink");
        rated.ask("sink");
        rated.ask("weather");
        rated.rate("a", Band::Named);
        rated.rate("a", Band::Shown);
        rated.rate("b", Band::Named);
        let summary = rated.summary(&interview);
        assert_eq!(summary.asked, (1, 2));
        assert_eq!(summary.strong, ["A"]);
        assert_eq!(summary.gaps, ["B"]);
        assert_eq!(summary.unrated, ["C"]);
        assert_eq!(rated.asked.len(), 2);
    }
}
