//! `check`: reads files and folders, names every mistake, and counts what is there.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use fenceline_content::authoring::{self, Form};
use fenceline_content::cards::Deck;
use fenceline_content::interview::Interview;
use fenceline_content::points::Syllabus;
use fenceline_content::quiz::QuizSet;
use fenceline_content::report::{Content, Known, Mistake, Report};

use super::Outcome;
use super::arguments::Arguments;
use super::input::{self, Text};
use super::output::put;

pub(crate) const HELP: &str = "\
fenceline-cli check PATH… [--play yes|no]

Reads files and folders: scenarios (TOML, or JSON) and, by the folder they lie in, `quiz`, `cards`
and `interview`, and `points.toml`. Names every mistake with its file, line and column, and prints
how many of each kind there are. `-` is a scenario on standard input.

Each scenario is played: its claims have to come out and no other verdict may be violated, under
nine seeds; each remedy has to do what it claims, the first to cure it whole; doing nothing and each
near miss must not satisfy the claims; every fault has to find what it is aimed at.

  --play no     reads, and plays nothing

Exit: 0 all right, 2 a mistake.";

/// What a file is, by its name and folder.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Scenario,
    Points,
    Quiz,
    Cards,
    Interview,
}

fn kind(path: &Path) -> Kind {
    let part =
        |part: Option<&std::ffi::OsStr>| part.and_then(|name| name.to_str()).unwrap_or_default().to_owned();
    match part(path.parent().and_then(Path::file_name)).as_str() {
        _ if part(path.file_name()) == "points.toml" => Kind::Points,
        "quiz" => Kind::Quiz,
        "cards" => Kind::Cards,
        "interview" => Kind::Interview,
        _ => Kind::Scenario,
    }
}

/// How many of each kind were read.
#[derive(Default)]
struct Counts {
    scenarios: usize,
    incidents: usize,
    points: usize,
    questions: usize,
    cards: usize,
    interviews: usize,
}

pub(crate) fn check(arguments: &[String]) -> Result<Outcome, String> {
    let arguments = Arguments::read(arguments, &["play"])?;
    let plays = arguments.one("play", "`yes` or `no`", |word| match word {
        "yes" => Some(true),
        "no" => Some(false),
        _ => None,
    })?;
    let read_one = if plays == Some(false) { authoring::scenario } else { authoring::proved };
    let paths = arguments.files;
    if paths.is_empty() {
        return Err("name a file or a folder, or `-` for standard input".into());
    }
    let files = texts(&paths)?;
    let mut mistakes = Vec::new();
    let mut counts = Counts::default();
    let mut known = Known::default();
    // The others refer to the points, and to each other.
    let scenarios: Vec<&Text> = of(&files, Kind::Scenario).collect();
    // A folder is a library; files by themselves may refer to others.
    if scenarios.len() > 1 && paths.iter().any(|path| Path::new(path).is_dir()) {
        let stems = scenarios.iter().filter_map(|text| Path::new(&text.name).file_stem()?.to_str());
        known.scenarios = Some(stems.map(str::to_owned).collect());
    }
    for text in of(&files, Kind::Points) {
        let syllabus: Syllabus = read(text, &known, &mut mistakes);
        counts.points += syllabus.points.len();
        known.points = Some(syllabus.points.iter().map(|point| point.id.clone()).collect());
        known.concepts = Some(syllabus.concepts.iter().map(|concept| concept.id.clone()).collect());
    }
    let mut ids = BTreeSet::new();
    for text in scenarios {
        match read_one(&text.name, &text.text, &known) {
            Ok(file) => {
                input::warn(text);
                match file.incident {
                    None => counts.scenarios += 1,
                    Some(_) => counts.incidents += 1,
                }
                if !ids.insert(file.id.clone()) {
                    let mut report = Report::new(&text.name);
                    report.add("id", format!("`{}` is the id of another scenario already", file.id));
                    mistakes.extend(report.into_mistakes());
                }
            }
            Err(found) => mistakes.extend(found),
        }
    }
    for text in of(&files, Kind::Quiz) {
        counts.questions += read::<QuizSet>(text, &known, &mut mistakes).questions.len();
    }
    for text in of(&files, Kind::Cards) {
        counts.cards += read::<Deck>(text, &known, &mut mistakes).cards.len();
    }
    for text in of(&files, Kind::Interview) {
        let _: Interview = read(text, &known, &mut mistakes);
        counts.interviews += 1;
    }
    if !mistakes.is_empty() {
        let count = mistakes.len();
        return Err(format!(
            "{count} {}\n{}",
            if count == 1 { "mistake" } else { "mistakes" },
            input::lines(&mistakes)
        ));
    }
    for (name, count) in [
        ("scenarios", counts.scenarios),
        ("incidents", counts.incidents),
        ("points", counts.points),
        ("questions", counts.questions),
        ("cards", counts.cards),
        ("interviews", counts.interviews),
    ] {
        if count > 0 {
            put(&format!("{name} {count}\n"));
        }
    }
    Ok(Outcome::Fine)
}

fn of(files: &[(Kind, Text)], wanted: Kind) -> impl Iterator<Item = &Text> {
    files.iter().filter(move |(kind, _)| *kind == wanted).map(|(_, text)| text)
}

fn read<T: Content>(text: &Text, known: &Known, mistakes: &mut Vec<Mistake>) -> T {
    let mut report = Report::new(&text.name);
    let content: T = authoring::read(Form::of(&text.name, &text.text), &text.text, &mut report);
    content.check(known, &mut report);
    mistakes.extend(report.into_mistakes());
    content
}

fn texts(paths: &[String]) -> Result<Vec<(Kind, Text)>, String> {
    let mut files = Vec::new();
    for path in paths {
        if path == "-" || Path::new(path).is_file() {
            files.push((kind(Path::new(path)), input::text(path)?));
            continue;
        }
        let mut found = Vec::new();
        collect(Path::new(path), &mut found)?;
        if found.is_empty() {
            return Err(format!("{path}: no TOML or JSON file in this folder"));
        }
        found.sort();
        for path in found {
            files.push((kind(&path), input::text(&path.to_string_lossy())?));
        }
    }
    Ok(files)
}

fn collect(folder: &Path, found: &mut Vec<PathBuf>) -> Result<(), String> {
    let say = |error: std::io::Error| format!("{}: {error}", folder.display());
    for entry in std::fs::read_dir(folder).map_err(say)? {
        let entry = entry.map_err(say)?;
        let (path, kind) = (entry.path(), entry.file_type().map_err(say)?);
        // A link to a folder may lead back to this one.
        if kind.is_dir() {
            collect(&path, found)?;
        } else if path.extension().is_some_and(|ending| ending == "toml" || ending == "json")
            && path.is_file()
        {
            found.push(path);
        }
    }
    Ok(())
}
