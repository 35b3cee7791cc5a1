//! What a person has answered and rated, as it is kept, exported and imported.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::app::study::cards::Schedule;
use crate::app::study::interview::Rated;
use crate::app::study::quiz::Confidence;

/// The version of the format written here.
pub const FORMAT: u32 = 1;

#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Progress {
    format: u32,
    /// By the question's id: the last answer given.
    #[serde(default)]
    pub answers: BTreeMap<String, Answer>,
    /// By the card's id.
    #[serde(default)]
    pub cards: BTreeMap<String, Schedule>,
    /// By the interview's id: the last rating of its rows, and what was asked for.
    #[serde(default)]
    pub interviews: BTreeMap<String, Rated>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Answer {
    pub right: bool,
    pub confidence: Confidence,
    /// The day it was given: days since 1970, by the reader's own clock.
    pub day: u32,
}

impl Progress {
    pub fn new() -> Self {
        Self { format: FORMAT, ..Self::default() }
    }

    /// Reads what [`Progress::write`] wrote.
    ///
    /// # Errors
    /// A sentence that says what is wrong and what was expected.
    pub fn read(text: &str) -> Result<Self, String> {
        #[derive(Deserialize)]
        struct Version {
            format: u32,
        }
        let place = |error: serde_json::Error| {
            format!(
                "line {}, column {}: this is not a progress file. Choose one that was exported here",
                error.line(),
                error.column()
            )
        };
        let version: Version = serde_json::from_str(text).map_err(place)?;
        if version.format != FORMAT {
            return Err(format!(
                "format {} is not known here. This page reads format {FORMAT}",
                version.format
            ));
        }
        serde_json::from_str(text).map_err(place)
    }

    pub fn write(&self) -> String {
        // Plain maps of plain data: there is nothing that could fail.
        serde_json::to_string(self).unwrap_or_default()
    }

    /// Takes over what another device knows: for each item the later of the two.
    pub fn merge(&mut self, other: Progress) {
        merge(&mut self.answers, other.answers, |answer| answer.day);
        merge(&mut self.cards, other.cards, |schedule| schedule.rated);
        merge(&mut self.interviews, other.interviews, |rated| rated.day);
    }

    pub fn is_empty(&self) -> bool {
        self.answers.is_empty() && self.cards.is_empty() && self.interviews.is_empty()
    }
}

fn merge<T>(mine: &mut BTreeMap<String, T>, other: BTreeMap<String, T>, day: impl Fn(&T) -> u32) {
    for (id, theirs) in other {
        if mine.get(&id).is_none_or(|ours| day(ours) <= day(&theirs)) {
            mine.insert(id, theirs);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::app::study::cards::Rating;

    fn progress(right: bool, day: u32) -> Progress {
        let mut progress = Progress::new();
        progress.answers.insert("when-it-ends".into(), Answer { right, confidence: Confidence::Sure, day });
        progress.cards.insert("silence-proves".into(), Schedule::default().rated(Rating::Good, day));
        progress
    }

    #[test]
    fn what_is_written_reads_back() {
        let before = progress(true, 20_000);
        assert_eq!(Progress::read(&before.write()), Ok(before));
    }

    /// A file of format 1 as it was first given out. It must read for ever.
    #[test]
    fn the_first_file_still_reads() {
        let text = r#"{"format":1,"answers":{"when-it-ends":{"right":true,"confidence":"sure","day":20000}},
            "cards":{"silence-proves":{"interval":2,"due":20002,"rated":20000,"lapses":0}},"interviews":{}}"#;
        assert_eq!(Progress::read(text), Ok(progress(true, 20_000)));
    }

    #[test]
    fn a_wrong_file_says_what_was_expected() {
        for (text, expected) in [
            ("", "line 1, column 0: this is not a progress file"),
            ("{\"format\":1,\n\"answers\":7}", "line 2, column 11: this is not a progress file"),
            ("{\"format\":2}", "format 2 is not known here. This page reads format 1"),
            ("{\"id\":\"flagship\"}", "this is not a progress file"),
        ] {
            let said = Progress::read(text).expect_err(text);
            assert!(said.contains(expected), "{text}: {said}");
        }
    }

    #[test]
    fn of_two_devices_the_later_answer_counts() {
        let mut mine = progress(true, 20_000);
        mine.merge(progress(false, 19_000));
        assert_eq!(mine, progress(true, 20_000));
        mine.merge(progress(false, 20_001));
        assert!(!mine.answers["when-it-ends"].right);
    }
}
