//! Reading what authors write, TOML, and what programs exchange, the same as JSON: with the line and
//! column of every mistake.

mod json;
mod places;
mod said;

use std::collections::BTreeMap;
use std::path::Path;

use serde::de::DeserializeOwned;
use toml::Spanned;
use toml::de::{DeTable, Deserializer};

use crate::cards::Deck;
use crate::interview::Interview;
use crate::points::Syllabus;
use crate::proof;
use crate::quiz::QuizSet;
use crate::report::{Content, Known, Mistake, Report, line, nth};
use crate::scenario::ScenarioFile;
use crate::study::Study;

/// How a text is written: as authors write it, or as programs exchange it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    Toml,
    Json,
}

impl Form {
    /// By the file's ending; where that says nothing, an object in braces is JSON.
    pub fn of(path: &str, text: &str) -> Self {
        match Path::new(path).extension().and_then(|ending| ending.to_str()) {
            Some("json") => Self::Json,
            Some("toml") => Self::Toml,
            _ if text.trim_start().starts_with('{') => Self::Json,
            _ => Self::Toml,
        }
    }
}

/// Reads one file as far as it can be read and reports all that cannot.
///
/// A wrong part is reported, cut out, and the rest read again, so that one
/// mistake does not hide the next. What comes back is whole only if nothing
/// was reported.
pub fn read<T: DeserializeOwned + Default>(form: Form, text: &str, report: &mut Report) -> T {
    let root = match form {
        Form::Toml => from_toml(text, report),
        Form::Json => from_json(text, report),
    };
    let root = root.and_then(|root| parts(root, text, report));
    root.unwrap_or_else(|| {
        report.leave("");
        T::default()
    })
}

/// Reads a table part by part; nothing if that led to nothing.
fn parts<T: DeserializeOwned>(mut root: Spanned<DeTable<'_>>, text: &str, report: &mut Report) -> Option<T> {
    while !report.is_full() {
        let error = match T::deserialize(Deserializer::from(root.clone())) {
            Ok(content) => return Some(content),
            Err(error) => error,
        };
        let span = error.span();
        let Some(cut) = span.as_ref().and_then(|span| places::cut(root.get_mut(), span, "")) else {
            report.add_at(span.map(|span| line(text, span.start)), "", error.message());
            break;
        };
        let key = cut.key.rsplit('.').next().unwrap_or_default();
        let said = said::of_type(error.message(), key);
        report.add_at(span.map(|span| line(text, span.start)), &cut.place, said.what);
        // What was meant is missing, then, and that needs no saying.
        let around = cut.key.strip_suffix(key).unwrap_or_default();
        report.leave(&said.meant.map_or(cut.key.clone(), |meant| format!("{around}{meant}")));
    }
    None
}

fn from_toml<'a>(text: &'a str, report: &mut Report) -> Option<Spanned<DeTable<'a>>> {
    let (root, errors) = DeTable::parse_recoverable(text);
    // What follows the first may be no more than its echo.
    let first = errors.iter().min_by_key(|error| error.span().map_or(0, |span| span.start));
    if let Some(error) = first {
        let span = error.span().unwrap_or_default();
        let what = said::syntax(error.message(), text.get(span.clone()).unwrap_or_default());
        report.add_at(Some(line(text, span.start)), "", what);
    }
    report.set_text(text, places::of(root.get_ref()));
    errors.is_empty().then_some(root)
}

fn from_json<'a>(text: &'a str, report: &mut Report) -> Option<Spanned<DeTable<'a>>> {
    match json::parse(text) {
        Ok(mut read) => {
            // Where the file says what it is to an editor.
            read.root.get_mut().remove("$schema");
            for (span, key) in &read.twice {
                report.add_at(Some(line(text, span.start)), "", said::twice(key));
            }
            report.set_text(text, places::of(read.root.get_ref()));
            Some(read.root)
        }
        Err(wrong) => {
            report.add_at(Some(wrong.at), "", wrong.what);
            None
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
        let content: T = read(Form::Toml, text, &mut report);
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

/// Reads and checks one scenario file, in either form.
///
/// # Errors
/// Every mistake in it.
pub fn scenario(path: &str, text: &str, known: &Known) -> Result<ScenarioFile, Vec<Mistake>> {
    one(path, text, known)
}

/// The same, and plays it: what it claims has to come out, and nothing short of it may satisfy that.
///
/// # Errors
/// Every mistake in it.
pub fn proved(path: &str, text: &str, known: &Known) -> Result<ScenarioFile, Vec<Mistake>> {
    let mut report = Report::new(path);
    let form = Form::of(path, text);
    let file: ScenarioFile = read(form, text, &mut report);
    file.check(known, &mut report);
    if let Some(name) = Path::new(path).file_stem().filter(|_| Path::new(path).extension().is_some())
        && *name != *file.id
        && !file.id.is_empty()
    {
        let name = name.to_string_lossy();
        report.add("id", format!("`{}` is not the file's name. Write `{name}`, or rename the file", file.id));
    }
    if report.count() == 0
        && let Ok(case) = file.read(path)
    {
        proof::prove(&case, &mut report);
    }
    report.end(file)
}

/// What is legal in a scenario file and seldom meant.
pub fn warnings(path: &str, text: &str) -> Vec<Mistake> {
    let mut report = Report::new(path);
    let file: ScenarioFile = read(Form::of(path, text), text, &mut report);
    file.check(&Known::default(), &mut report);
    report.into_warnings()
}

/// Reads and checks one file by itself, in either form.
///
/// # Errors
/// Every mistake in it.
pub fn one<T: Content>(path: &str, text: &str, known: &Known) -> Result<T, Vec<Mistake>> {
    let mut report = Report::new(path);
    let content: T = read(Form::of(path, text), text, &mut report);
    content.check(known, &mut report);
    report.end(content)
}
