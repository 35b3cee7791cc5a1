//! Mistakes in content, collected so that an author sees all of them at once.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use serde::de::DeserializeOwned;

use crate::words::did_you_mean;

/// One mistake: where it is, and what was expected there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mistake {
    pub file: String,
    /// Line and column, both from 1, where the text is at hand.
    pub line: Option<(usize, usize)>,
    /// The place within the data, counted from 1: `question[3].option[2].why`.
    pub place: String,
    pub what: String,
}

impl fmt::Display for Mistake {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.file)?;
        if let Some((line, column)) = self.line {
            write!(f, ", line {line}, column {column}")?;
        }
        if !self.place.is_empty() {
            write!(f, ", {}", self.place)?;
        }
        write!(f, ": {}", self.what)
    }
}

/// What the other files define. `None` means: not at hand, so not checked.
#[derive(Debug, Clone, Default)]
pub struct Known {
    pub points: Option<BTreeSet<String>>,
    pub concepts: Option<BTreeSet<String>>,
    pub scenarios: Option<BTreeSet<String>>,
}

/// A kind of content file. Missing fields take their default when read, so
/// that `check` can name every one of them instead of stopping at the first.
pub trait Content: DeserializeOwned + Default {
    fn check(&self, known: &Known, report: &mut Report);
}

/// Mistakes named of one file. Whoever has more reads them after the first ones are corrected.
pub const MOST_MISTAKES: usize = 100;

/// Collects the mistakes of one file.
#[derive(Debug)]
pub struct Report {
    file: String,
    /// The text, and the byte at which each place of it begins.
    text: String,
    begins: BTreeMap<String, usize>,
    /// Places that were not read, and of which enough is said.
    unread: Vec<String>,
    mistakes: Vec<Mistake>,
    /// What is legal and seldom meant.
    #[cfg(feature = "authoring")]
    warnings: Vec<Mistake>,
}

impl Report {
    pub fn new(file: &str) -> Self {
        Self {
            file: file.to_owned(),
            text: String::new(),
            begins: BTreeMap::new(),
            unread: Vec::new(),
            mistakes: Vec::new(),
            #[cfg(feature = "authoring")]
            warnings: Vec::new(),
        }
    }

    /// Tells where in the text each place begins.
    #[cfg(feature = "authoring")]
    pub(crate) fn set_text(&mut self, text: &str, begins: BTreeMap<String, usize>) {
        text.clone_into(&mut self.text);
        self.begins = begins;
    }

    /// From now on nothing more is said of a place, or with `""` of all: it could not be read.
    #[cfg(feature = "authoring")]
    pub(crate) fn leave(&mut self, place: &str) {
        self.unread.push(place.to_owned());
    }

    /// Whether a place as a whole could not be read.
    pub(crate) fn is_unread(&self, place: &str) -> bool {
        self.unread.iter().any(|unread| unread == place)
    }

    /// How many mistakes there are so far.
    #[cfg(feature = "authoring")]
    pub(crate) fn count(&self) -> usize {
        self.mistakes.len()
    }

    #[cfg(feature = "authoring")]
    pub(crate) fn is_full(&self) -> bool {
        self.mistakes.len() > MOST_MISTAKES
    }

    pub fn add(&mut self, place: &str, what: impl Into<String>) {
        let is_within = |unread: &String| {
            let rest = place.strip_prefix(unread.as_str());
            rest.is_some_and(|rest| unread.is_empty() || rest.is_empty() || rest.starts_with(['.', '[']))
        };
        if !self.unread.iter().any(is_within) {
            self.add_at(self.line_of(place), place, what);
        }
    }

    pub(crate) fn add_at(&mut self, line: Option<(usize, usize)>, place: &str, what: impl Into<String>) {
        let (line, place, what) = match self.mistakes.len() {
            ..MOST_MISTAKES => (line, place, what.into()),
            MOST_MISTAKES => (None, "", format!("more than {MOST_MISTAKES} mistakes; these are the first")),
            _ => return,
        };
        self.mistakes.push(Mistake { file: self.file.clone(), line, place: place.to_owned(), what });
    }

    /// The line of the place, or of the nearest thing around it; the first where the text has neither.
    fn line_of(&self, place: &str) -> Option<(usize, usize)> {
        let mut place = place;
        while !self.begins.is_empty() {
            if let Some(byte) = self.begins.get(place) {
                return Some(line(&self.text, *byte));
            }
            match place.rfind(['.', '[']).and_then(|end| place.get(..end)) {
                Some(around) => place = around,
                None => return Some((1, 1)),
            }
        }
        None
    }

    /// Says that something is legal and seldom meant.
    #[cfg(feature = "authoring")]
    pub(crate) fn warn(&mut self, place: &str, what: impl Into<String>) {
        let (file, line) = (self.file.clone(), self.line_of(place));
        self.warnings.push(Mistake { file, line, place: place.to_owned(), what: what.into() });
    }

    #[cfg(feature = "authoring")]
    pub(crate) fn into_warnings(self) -> Vec<Mistake> {
        self.warnings
    }

    pub fn into_mistakes(self) -> Vec<Mistake> {
        self.mistakes
    }

    /// The content if nothing was wrong with it, else every mistake.
    ///
    /// # Errors
    /// Every mistake reported so far.
    pub fn end<T>(self, content: T) -> Result<T, Vec<Mistake>> {
        if self.mistakes.is_empty() { Ok(content) } else { Err(self.mistakes) }
    }

    /// A text that must be there.
    pub fn text(&mut self, place: &str, key: &str, text: &str, what: &str) {
        let trimmed = text.trim();
        if trimmed.is_empty() {
            self.add(&join(place, key), format!("missing. Write {what}"));
        } else if trimmed.len() != text.len() {
            self.add(&join(place, key), "begins or ends with white space. Remove it");
        }
    }

    /// A text that may be left out, but not left empty.
    pub fn maybe(&mut self, place: &str, key: &str, text: Option<&str>, what: &str) {
        if let Some(text) = text {
            self.text(place, key, text, what);
        }
    }

    /// An id: lower-case words and figures joined by single hyphens.
    pub fn id(&mut self, place: &str, id: &str) {
        let good = id
            .split('-')
            .all(|w| !w.is_empty() && w.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit()));
        if id.is_empty() {
            self.add(&join(place, "id"), "missing. Write an id such as `late-fence`");
        } else if !good {
            self.add(
                &join(place, "id"),
                format!(
                    "`{id}` is not an id. Write lower-case words joined by hyphens, such as `late-fence`"
                ),
            );
        }
    }

    /// Ids that must differ from each other.
    pub fn distinct<'a>(&mut self, what: &str, ids: impl IntoIterator<Item = (String, &'a str)>) {
        let mut seen: BTreeMap<&str, String> = BTreeMap::new();
        for (place, id) in ids {
            if id.is_empty() {
                continue;
            }
            if let Some(first) = seen.get(id) {
                let what = format!("`{id}` is already the id of {first}. Give each {what} its own");
                self.add(&join(&place, "id"), what);
            } else {
                seen.insert(id, place);
            }
        }
    }

    /// The source points an item covers: at least one, each known, none twice.
    pub fn points(&mut self, place: &str, points: &[String], known: &Known) {
        let place = join(place, "points");
        if points.is_empty() {
            self.add(&place, "missing. Name at least one point, such as `L11`");
        }
        let mut seen = BTreeSet::new();
        for (n, point) in points.iter().enumerate() {
            let at = format!("{place}[{}]", n + 1);
            if !seen.insert(point) {
                self.add(&at, format!("`{point}` is named twice. Name it once"));
            } else if known.points.as_ref().is_some_and(|all| !all.contains(point)) {
                self.add(&at, format!("there is no point `{point}`. The points are listed in points.toml"));
            }
        }
    }

    pub fn concept(&mut self, place: &str, concept: &str, known: &Known) {
        let place = join(place, "concept");
        if concept.is_empty() {
            self.add(&place, "missing. Name a concept of points.toml");
        } else if let Some(all) = known.concepts.as_ref().filter(|all| !all.contains(concept)) {
            let hint = did_you_mean(concept, all.iter().map(String::as_str));
            self.add(&place, format!("there is no concept `{concept}`. Write one of: {}{hint}", list(all)));
        }
    }

    pub fn scenario(&mut self, place: &str, scenario: Option<&str>, known: &Known) {
        if let Some(scenario) = scenario {
            self.scenario_at(&join(place, "scenario"), scenario, known);
        }
    }

    /// The id of a scenario, at a place of any name.
    pub fn scenario_at(&mut self, place: &str, scenario: &str, known: &Known) {
        if let Some(all) = known.scenarios.as_ref().filter(|all| !all.contains(scenario)) {
            let hint = did_you_mean(scenario, all.iter().map(String::as_str));
            let listed = if hint.is_empty() { format!(". Write one of: {}", list(all)) } else { hint };
            self.add(place, format!("there is no scenario `{scenario}`{listed}"));
        }
    }

    /// One of a fixed list of words.
    pub fn choice(&mut self, place: &str, key: &str, word: &str, choices: &[&str]) {
        let place = join(place, key);
        if word.is_empty() {
            self.add(&place, format!("missing. Write one of: {}", choices.join(", ")));
        } else if !choices.contains(&word) {
            let hint = did_you_mean(word, choices.iter().copied());
            self.add(
                &place,
                format!("there is no {key} `{word}`. Write one of: {}{hint}", choices.join(", ")),
            );
        }
    }
}

/// Line and column, from 1, of a byte of the text.
pub(crate) fn line(text: &str, byte: usize) -> (usize, usize) {
    let before = text.get(..byte).unwrap_or(text);
    let start = before.rfind('\n').map_or(0, |newline| newline + 1);
    let column = before.get(start..).map_or(0, |line| line.chars().count());
    (before.matches('\n').count() + 1, column + 1)
}

pub(crate) fn join(place: &str, key: &str) -> String {
    if place.is_empty() { key.to_owned() } else { format!("{place}.{key}") }
}

/// The place of the n-th (from 0) of a list.
pub(crate) fn nth(place: &str, key: &str, n: usize) -> String {
    format!("{}[{}]", join(place, key), n + 1)
}

fn list(all: &BTreeSet<String>) -> String {
    all.iter().map(String::as_str).collect::<Vec<_>>().join(", ")
}
