//! Reading what authors write: TOML, with the line and column of every mistake.

use std::collections::BTreeMap;
use std::ops::Range;

use serde::de::DeserializeOwned;
use toml::Spanned;
use toml::de::{DeTable, DeValue, Deserializer};

use crate::cards::Deck;
use crate::interview::Interview;
use crate::points::Syllabus;
use crate::quiz::QuizSet;
use crate::report::{Content, Known, Mistake, Report, join, nth};
use crate::scenario::ScenarioFile;
use crate::study::Study;
use crate::words::nearest;

/// Reads one file as far as it can be read and reports all that cannot.
///
/// A wrong part is reported, cut out, and the rest read again, so that one
/// mistake does not hide the next. What comes back is whole only if nothing
/// was reported.
pub fn read<T: DeserializeOwned + Default>(text: &str, report: &mut Report) -> T {
    let (mut root, errors) = DeTable::parse_recoverable(text);
    if !errors.is_empty() {
        for error in errors {
            report.add_at(error.span().map(|span| line(text, span.start)), "", error.message());
        }
        return T::default();
    }
    let mut lines = BTreeMap::new();
    note(text, "", root.get_ref(), &mut lines);
    report.set_lines(lines);
    loop {
        let error = match T::deserialize(Deserializer::from(root.clone())) {
            Ok(content) => return content,
            Err(error) => error,
        };
        let span = error.span();
        let cut = span.as_ref().and_then(|span| cut(root.get_mut(), span, ""));
        let at = span.map(|span| line(text, span.start));
        report.add_at(at, cut.as_deref().unwrap_or_default(), with_hint(error.message()));
        if cut.is_none() {
            return T::default();
        }
    }
}

/// Reads and checks all study files together. Each is given by its path below
/// the assets folder (`quiz/leases.toml`) and its text.
///
/// # Errors
/// Every mistake in every file.
pub fn study<'a>(
    files: impl IntoIterator<Item = (&'a str, &'a str)>,
    scenarios: impl IntoIterator<Item = &'a str>,
) -> Result<Study, Vec<Mistake>> {
    let mut files: Vec<_> = files.into_iter().collect();
    // The syllabus comes first, because the others refer to it.
    files.sort_unstable_by_key(|(path, _)| (*path != SYLLABUS, *path));
    let mut study = Study::default();
    let scenarios = scenarios.into_iter().map(str::to_owned).collect();
    let mut reader =
        Reader { known: Known { scenarios: Some(scenarios), ..Known::default() }, ..Reader::default() };
    if files.first().is_none_or(|(path, _)| *path != SYLLABUS) {
        reader.refuse(SYLLABUS, "missing. It lists the concepts and the points");
    }
    for (path, text) in files {
        match path.split('/').next() {
            Some(SYLLABUS) => {
                study.syllabus = reader.read(path, text, |_: &Syllabus| Vec::new());
                let all = &study.syllabus;
                reader.known.points = Some(all.points.iter().map(|point| point.id.clone()).collect());
                reader.known.concepts = Some(all.concepts.iter().map(|concept| concept.id.clone()).collect());
            }
            Some("quiz") => study.quiz.push(reader.read(path, text, |set: &QuizSet| {
                ids("set", &set.id, "question", set.questions.iter().map(|question| &question.id))
            })),
            Some("cards") => study.cards.push(reader.read(path, text, |deck: &Deck| {
                ids("deck", &deck.id, "card", deck.cards.iter().map(|card| &card.id))
            })),
            Some("interview") => study.interviews.push(
                reader.read(path, text, |interview: &Interview| ids("interview", &interview.id, "", [])),
            ),
            _ => reader.refuse(path, "is not a study file. Put it under quiz, cards or interview"),
        }
    }
    if reader.mistakes.is_empty() { Ok(study) } else { Err(reader.mistakes) }
}

const SYLLABUS: &str = "points.toml";

#[derive(Default)]
struct Reader {
    known: Known,
    /// The file in which each id was first used, by kind of thing.
    ids: BTreeMap<(&'static str, String), String>,
    mistakes: Vec<Mistake>,
}

/// An id that must be unique over all files: its place, the kind of thing, the id.
type Named = (String, &'static str, String);

fn ids<'a>(
    file: &'static str,
    id: &str,
    item: &'static str,
    items: impl IntoIterator<Item = &'a String>,
) -> Vec<Named> {
    let items = items.into_iter().enumerate();
    let items = items.map(|(n, id)| (format!("{}.id", nth("", item, n)), item, id.clone()));
    std::iter::once(("id".to_owned(), file, id.to_owned())).chain(items).collect()
}

impl Reader {
    fn read<T: Content>(&mut self, path: &str, text: &str, ids: impl Fn(&T) -> Vec<Named>) -> T {
        let mut report = Report::new(path);
        let content: T = read(text, &mut report);
        content.check(&self.known, &mut report);
        for (place, kind, id) in ids(&content) {
            let first = self.ids.entry((kind, id.clone())).or_insert_with(|| path.to_owned());
            // Within one file `check` has said so already.
            if !id.is_empty() && first != path {
                report.add(
                    &place,
                    format!("`{id}` is already the id of a {kind} in {first}. Give each its own"),
                );
            }
        }
        self.mistakes.extend(report.into_mistakes());
        content
    }

    fn refuse(&mut self, path: &str, what: &str) {
        let mut report = Report::new(path);
        report.add("", what);
        self.mistakes.extend(report.into_mistakes());
    }
}

/// Where a word is not known and another was probably meant, that one instead of the list of all.
fn with_hint(message: &str) -> String {
    let mut quoted = message.split('`').skip(1).step_by(2);
    let near =
        quoted.next().filter(|_| message.starts_with("unknown ")).and_then(|word| nearest(word, quoted));
    match (near, message.split_once(", expected")) {
        (Some(near), Some((what, _))) => format!("{what}. Did you mean `{near}`?"),
        _ => message.to_owned(),
    }
}

/// Reads and checks one scenario file.
///
/// # Errors
/// Every mistake in it.
pub fn scenario(path: &str, text: &str, known: &Known) -> Result<ScenarioFile, Vec<Mistake>> {
    let mut report = Report::new(path);
    let file: ScenarioFile = read(text, &mut report);
    file.check(known, &mut report);
    report.end(file)
}

/// Line and column, from 1, of a byte of the text.
fn line(text: &str, byte: usize) -> (usize, usize) {
    let before = text.get(..byte).unwrap_or(text);
    let start = before.rfind('\n').map_or(0, |newline| newline + 1);
    let column = before.get(start..).map_or(0, |line| line.chars().count());
    (before.matches('\n').count() + 1, column + 1)
}

/// Notes where each place of the table begins.
fn note(text: &str, at: &str, table: &DeTable<'_>, lines: &mut BTreeMap<String, (usize, usize)>) {
    for (key, value) in table {
        let place = join(at, key.get_ref());
        lines.insert(place.clone(), line(text, key.span().start));
        note_value(text, &place, value, lines);
    }
}

fn note_value(
    text: &str,
    at: &str,
    value: &Spanned<DeValue<'_>>,
    lines: &mut BTreeMap<String, (usize, usize)>,
) {
    match value.get_ref() {
        DeValue::Table(table) => note(text, at, table, lines),
        DeValue::Array(array) => {
            for (n, item) in array.iter().enumerate() {
                let place = format!("{at}[{}]", n + 1);
                lines.insert(place.clone(), line(text, item.span().start));
                note_value(text, &place, item, lines);
            }
        }
        _ => {}
    }
}

/// Cuts out the innermost entry that the span is the key or value of, and names its place.
fn cut(table: &mut DeTable<'_>, span: &Range<usize>, at: &str) -> Option<String> {
    let keys: Vec<_> = table.keys().cloned().collect();
    for key in keys {
        let place = join(at, key.get_ref());
        let value = table.get_mut(&key)?;
        let mut hit = key.span() == *span || value.span() == *span;
        let inner = match value.get_mut() {
            DeValue::Table(inner) => cut(inner, span, &place),
            DeValue::Array(items) => items.iter_mut().enumerate().find_map(|(n, item)| {
                let place = format!("{place}[{}]", n + 1);
                hit |= item.span() == *span;
                match item.get_mut() {
                    DeValue::Table(inner) => cut(inner, span, &place),
                    _ => None,
                }
            }),
            _ => None,
        };
        if inner.is_some() {
            return inner;
        }
        if hit {
            table.remove(&key);
            return Some(place);
        }
    }
    None
}
