//! What a person has answered and rated, as it is kept, exported and imported.

use std::marker::PhantomData;

use serde_json::{Map, Value};

use crate::app::study::cards::Schedule;
use crate::app::study::interview::{BANDS, Rated};
use crate::app::study::quiz::Confidence;
use crate::app::words::progress as words;

/// The version of the format written here.
pub const FORMAT: u64 = 1;

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Progress {
    /// By the question's id: the last answer given.
    pub answers: Kept<Answer>,
    /// By the card's id.
    pub cards: Kept<Schedule>,
    /// By the interview's id: the last rating of its rows, and what was asked for.
    pub interviews: Kept<Rated>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Answer {
    pub right: bool,
    pub confidence: Confidence,
    /// The day it was given: days since 1970, by the reader's own clock.
    pub day: u32,
}

/// Something kept by the id of what it is about.
pub trait Item: Sized {
    /// As it is written.
    fn write(&self) -> Value;

    /// None if this is not such an item.
    fn read(value: &Value) -> Option<Self>;

    /// The day it is from: of two the later counts.
    fn day(&self) -> u32;
}

/// Items by their ids, held as they are written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Kept<T> {
    items: Map<String, Value>,
    kind: PhantomData<T>,
}

impl<T> Default for Kept<T> {
    fn default() -> Self {
        Self { items: Map::new(), kind: PhantomData }
    }
}

impl<T: Item> Kept<T> {
    pub fn get(&self, id: &str) -> Option<T> {
        self.items.get(id).and_then(T::read)
    }

    pub fn insert(&mut self, id: &str, item: &T) {
        self.items.insert(id.to_owned(), item.write());
    }

    pub fn remove(&mut self, id: &str) {
        self.items.remove(id);
    }

    pub fn is_empty(&self) -> bool {
        self.items.is_empty()
    }

    fn merge(&mut self, other: Kept<T>) {
        let day = |value: &Value| T::read(value).map(|item| item.day());
        for (id, theirs) in other.items {
            if self.items.get(&id).is_none_or(|ours| day(ours) <= day(&theirs)) {
                self.items.insert(id, theirs);
            }
        }
    }

    /// None if there is an item that is not one.
    fn read(value: Option<&Value>) -> Option<Self> {
        let items = match value {
            None => Map::new(),
            Some(value) => value.as_object()?.clone(),
        };
        items.values().all(|item| T::read(item).is_some()).then_some(Self { items, kind: PhantomData })
    }
}

impl Progress {
    /// Reads what [`Progress::write`] wrote.
    ///
    /// # Errors
    /// A sentence that says what is wrong and what was expected.
    pub fn read(text: &str) -> Result<Self, String> {
        let place = |error: serde_json::Error| words::broken_at(error.line(), error.column());
        let value: Value = serde_json::from_str(text).map_err(place)?;
        match value.get("format").and_then(Value::as_u64) {
            Some(FORMAT) => {}
            Some(format) => return Err(words::strange_format(format, FORMAT)),
            None => return Err(words::NOT_ONE.to_owned()),
        }
        Ok(Self {
            answers: Kept::read(value.get("answers")).ok_or_else(|| words::strange_part("answers"))?,
            cards: Kept::read(value.get("cards")).ok_or_else(|| words::strange_part("cards"))?,
            interviews: Kept::read(value.get("interviews"))
                .ok_or_else(|| words::strange_part("interviews"))?,
        })
    }

    pub fn write(&self) -> String {
        let all = [
            ("format", FORMAT.into()),
            ("answers", self.answers.items.clone().into()),
            ("cards", self.cards.items.clone().into()),
            ("interviews", self.interviews.items.clone().into()),
        ];
        object(all).to_string()
    }

    /// Takes over what another device knows: for each item the later of the two.
    pub fn merge(&mut self, other: Progress) {
        self.answers.merge(other.answers);
        self.cards.merge(other.cards);
        self.interviews.merge(other.interviews);
    }

    pub fn is_empty(&self) -> bool {
        self.answers.is_empty() && self.cards.is_empty() && self.interviews.is_empty()
    }
}

fn object<const N: usize>(all: [(&str, Value); N]) -> Value {
    Value::Object(all.into_iter().map(|(name, value)| (name.to_owned(), value)).collect())
}

fn number(value: &Value, name: &str) -> Option<u32> {
    value.get(name)?.as_u64()?.try_into().ok()
}

impl Item for Answer {
    fn write(&self) -> Value {
        let confidence = self.confidence.word().into();
        object([("right", self.right.into()), ("confidence", confidence), ("day", self.day.into())])
    }

    fn read(value: &Value) -> Option<Self> {
        let right = value.get("right")?.as_bool()?;
        let confidence = Confidence::of_word(value.get("confidence")?.as_str()?)?;
        Some(Self { right, confidence, day: number(value, "day")? })
    }

    fn day(&self) -> u32 {
        self.day
    }
}

impl Item for Schedule {
    fn write(&self) -> Value {
        object([
            ("interval", self.interval.into()),
            ("due", self.due.into()),
            ("rated", self.rated.into()),
            ("lapses", self.lapses.into()),
        ])
    }

    fn read(value: &Value) -> Option<Self> {
        Some(Self {
            interval: number(value, "interval")?,
            due: number(value, "due")?,
            rated: number(value, "rated")?,
            lapses: number(value, "lapses")?,
        })
    }

    fn day(&self) -> u32 {
        self.rated
    }
}

impl Item for Rated {
    fn write(&self) -> Value {
        let bands = self.bands.iter().map(|(id, band)| (id.clone(), (*band as usize).into()));
        let asked: Vec<Value> = self.asked.iter().map(|id| id.as_str().into()).collect();
        let bands = Value::Object(bands.collect());
        object([("bands", bands), ("asked", asked.into()), ("day", self.day.into())])
    }

    fn read(value: &Value) -> Option<Self> {
        let band = |(id, band): (&String, &Value)| Some((id.clone(), *BANDS.get(band.as_u64()? as usize)?));
        let bands = value.get("bands")?.as_object()?.iter().map(band).collect::<Option<_>>()?;
        let asked = value.get("asked")?.as_array()?.iter().map(|id| Some(id.as_str()?.to_owned()));
        Some(Self { bands, asked: asked.collect::<Option<_>>()?, day: number(value, "day")? })
    }

    fn day(&self) -> u32 {
        self.day
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::app::study::cards::Rating;

    fn progress(right: bool, day: u32) -> Progress {
        let mut progress = Progress::default();
        progress.answers.insert("when-it-ends", &Answer { right, confidence: Confidence::Sure, day });
        progress.cards.insert("silence-proves", &Schedule::default().rated(Rating::Good, day));
        let bands = vec![("by-design".to_owned(), BANDS[2])];
        progress.interviews.insert("double-revenue", &Rated { bands, asked: vec!["sink".into()], day });
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
            "cards":{"silence-proves":{"interval":2,"due":20002,"rated":20000,"lapses":0}},
            "interviews":{"double-revenue":{"bands":{"by-design":2},"asked":["sink"],"day":20000}}}"#;
        assert_eq!(Progress::read(text), Ok(progress(true, 20_000)));
    }

    #[test]
    fn a_wrong_file_says_what_was_expected() {
        for (text, expected) in [
            ("", "line 1, column 0: this is not a progress file"),
            ("{\"format\":1,\n\"answers\":}", "line 2, column 11: this is not a progress file"),
            ("{\"format\":1,\"answers\":7}", "`answers`: this is not a progress file"),
            ("{\"format\":1,\"cards\":{\"x\":{\"due\":-1}}}", "`cards`: this is not a progress file"),
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
        assert_eq!(mine.answers.get("when-it-ends").map(|answer| answer.right), Some(false));
    }
}
