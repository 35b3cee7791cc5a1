//! Reads everything under `assets/`, fails with every mistake in it, and writes what the page
//! needs: one JSON file for each thing to fetch, and an index of them that the program holds.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use fenceline_content::authoring::{self, Form};
use fenceline_content::incident::Accounts;
use fenceline_content::outline::Outline;
use fenceline_content::report::{Content, Known, Mistake, Report};
use fenceline_content::scenario::{GROUPS, ScenarioFile};
use fenceline_content::study::Study;
use serde::Serialize;

/// The scenario of the start page: the only one that the program itself holds.
const FIRST: &str = "flagship";
const STUDY: [&str; 4] = ["points.toml", "quiz", "cards", "interview"];
/// Scenarios, and those that replay an incident.
const SCENARIOS: [&str; 2] = ["scenarios", "incidents"];

fn main() -> ExitCode {
    let root = PathBuf::from(env("CARGO_MANIFEST_DIR"));
    let assets = root.join("assets");
    for name in STUDY.iter().chain(&SCENARIOS) {
        println!("cargo::rerun-if-changed={}", assets.join(name).display());
    }
    println!("cargo::rerun-if-changed=build.rs");
    match read(&assets) {
        Ok((study, scenarios)) => {
            let library = Library::of(&study, scenarios);
            library.write(Path::new(&env("OUT_DIR")));
            ExitCode::SUCCESS
        }
        Err(mistakes) => {
            for mistake in mistakes {
                println!("cargo::error=assets/{mistake}");
            }
            ExitCode::FAILURE
        }
    }
}

fn read(assets: &Path) -> Result<(Study, Vec<ScenarioFile>), Vec<Mistake>> {
    let mut mistakes = Vec::new();
    let mut scenarios = Vec::new();
    for (path, text) in SCENARIOS.iter().flat_map(|folder| files(assets, folder)) {
        let mut report = Report::new(&path);
        let scenario: ScenarioFile = authoring::read(Form::Toml, &text, &mut report);
        scenarios.push((scenario, report));
    }
    let study_files: Vec<_> = STUDY.iter().flat_map(|name| files(assets, name)).collect();
    let texts = study_files.iter().map(|(path, text)| (path.as_str(), text.as_str()));
    let ids: Vec<String> = scenarios.iter().map(|(scenario, _)| scenario.id.clone()).collect();
    let mut known = Known { scenarios: Some(ids.iter().cloned().collect()), ..Known::default() };
    let study = match authoring::study(texts, ids.iter().map(String::as_str)) {
        Ok(study) => {
            known.points = Some(study.syllabus.points.iter().map(|point| point.id.clone()).collect());
            Some(study)
        }
        Err(found) => {
            mistakes.extend(found);
            None
        }
    };
    let mut read = Vec::new();
    for (n, (scenario, mut report)) in scenarios.into_iter().enumerate() {
        if ids.iter().position(|id| *id == scenario.id) != Some(n) {
            report.add("id", format!("`{}` is the id of another scenario already", scenario.id));
        }
        scenario.check(&known, &mut report);
        mistakes.extend(report.into_mistakes());
        read.push(scenario);
    }
    if !ids.iter().any(|id| id == FIRST) {
        let mut report = Report::new(SCENARIOS[0]);
        report.add("", format!("there is no `{FIRST}`, which the start page shows"));
        mistakes.extend(report.into_mistakes());
    }
    match study {
        Some(study) if mistakes.is_empty() => Ok((study, read)),
        _ => Err(mistakes),
    }
}

/// The files of one folder, or the one file, by their path below `assets/`.
fn files(assets: &Path, name: &str) -> Vec<(String, String)> {
    let path = assets.join(name);
    if path.is_file() {
        return vec![(name.to_owned(), text(&path))];
    }
    // A folder without files need not be there: git keeps none.
    let Ok(entries) = std::fs::read_dir(&path) else { return Vec::new() };
    let paths =
        entries.map(|entry| entry.unwrap_or_else(|error| panic!("{}: {error}", path.display())).path());
    let mut paths: Vec<_> = paths.filter(|path| path.extension().is_some_and(|it| it == "toml")).collect();
    paths.sort();
    let named = |path: PathBuf| {
        let file = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        (format!("{name}/{file}"), text(&path))
    };
    paths.into_iter().map(named).collect()
}

fn text(path: &Path) -> String {
    std::fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

fn env(name: &str) -> String {
    std::env::var(name).unwrap_or_else(|error| panic!("{name}: {error}"))
}

/// The index and the files it names.
#[derive(Default)]
struct Library {
    entries: String,
    concepts: String,
    files: Vec<(String, String)>,
    first: String,
}

struct About<'a> {
    kind: &'a str,
    id: &'a str,
    title: &'a str,
    about: &'a str,
    group: &'a str,
    items: usize,
}

impl Library {
    fn of(study: &Study, mut scenarios: Vec<ScenarioFile>) -> Library {
        let mut library = Library::default();
        let place = |id: &str| study.syllabus.concepts.iter().position(|concept| concept.id == id);
        let group = |scenario: &ScenarioFile| GROUPS.iter().position(|group| *group == scenario.group);
        scenarios.sort_by_key(|it| (group(it), it.id != FIRST, it.title.clone()));
        for concept in &study.syllabus.concepts {
            let _ = writeln!(library.concepts, "    ({:?}, {:?}),", concept.id, concept.title);
        }
        for it in &scenarios {
            let about = About {
                kind: if it.incident.is_some() { "Incident" } else { "Scenario" },
                id: &it.id,
                title: &it.title,
                about: &it.about,
                group: &it.group,
                items: 1,
            };
            // The accounts are listed together, see below.
            let file = library.add(&about, &ScenarioFile { incident: None, ..it.clone() });
            if it.id == FIRST {
                library.first = file;
            }
        }
        // In the order of what they are about, as the concepts are ordered.
        let average = |concepts: Vec<&String>| {
            concepts.iter().filter_map(|it| place(it)).sum::<usize>() * 1000 / concepts.len().max(1)
        };
        let mut sets: Vec<_> = study.quiz.iter().collect();
        sets.sort_by_key(|set| average(set.questions.iter().map(|it| &it.concept).collect()));
        for it in sets {
            let items = it.questions.len();
            library.add(
                &About { kind: "Quiz", id: &it.id, title: &it.title, about: &it.about, group: "", items },
                it,
            );
        }
        let mut decks: Vec<_> = study.cards.iter().collect();
        decks.sort_by_key(|deck| average(deck.cards.iter().map(|it| &it.concept).collect()));
        for it in decks {
            let items = it.cards.len();
            library.add(
                &About { kind: "Cards", id: &it.id, title: &it.title, about: &it.about, group: "", items },
                it,
            );
        }
        for it in &study.interviews {
            let items = it.answers.len();
            library.add(
                &About { kind: "Interview", id: &it.id, title: &it.title, about: &it.task, group: "", items },
                it,
            );
        }
        let accounts = Accounts::of(&scenarios);
        let items = accounts.accounts.len();
        library.add(
            &About { kind: "Accounts", id: "incidents", title: "", about: "", group: "", items },
            &accounts,
        );
        scenarios.retain(|it| it.incident.is_none());
        let outline = Outline::of(study, &scenarios);
        library.add(
            &About { kind: "Outline", id: "learn", title: "", about: "", group: "", items: 1 },
            &outline,
        );
        library
    }

    /// Adds a file to fetch, and returns its name. The name changes with what is in it.
    fn add(&mut self, about: &About<'_>, content: &impl Serialize) -> String {
        let text = serde_json::to_string(content).expect("content is plain data");
        let About { kind, id, title, about, group, items } = about;
        let name = format!("{}-{id}-{:016x}.json", kind.to_lowercase(), hash(&text));
        let _ = writeln!(
            self.entries,
            "    Entry {{ kind: Kind::{kind}, id: {id:?}, file: {name:?}, title: {title:?}, about: {about:?}, group: {group:?}, items: {items} }},"
        );
        self.files.push((name.clone(), text));
        name
    }

    fn write(&self, out: &Path) {
        let content = out.join("content");
        // What was written before may be of a text that is gone.
        let _ = std::fs::remove_dir_all(&content);
        let put = |path: PathBuf, text: &str| {
            std::fs::write(&path, text).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        };
        std::fs::create_dir_all(&content).unwrap_or_else(|error| panic!("{}: {error}", content.display()));
        let mut all = String::new();
        for (name, text) in &self.files {
            put(content.join(name), text);
            let _ = writeln!(all, "    ({name:?}, include_str!({:?})),", content.join(name));
        }
        let index = format!(
            "/// Everything to fetch, in the order it is listed.\npub static ENTRIES: &[Entry] = &[\n{}];\n\
             /// The ids and titles of the concepts.\npub static CONCEPTS: &[(&str, &str)] = &[\n{}];\n\
             /// The scenario of the start page.\npub static FIRST: &str = include_str!({:?});\n\
             /// What `fenceline-cli site` writes beside the page.\n#[cfg(not(target_arch = \"wasm32\"))]\n\
             pub static FILES: &[(&str, &str)] = &[\n{all}];\n",
            self.entries,
            self.concepts,
            content.join(&self.first),
        );
        put(out.join("library.rs"), &index);
    }
}

/// FNV-1a.
fn hash(text: &str) -> u64 {
    text.bytes()
        .fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3))
}
