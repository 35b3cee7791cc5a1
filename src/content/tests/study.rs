//! The study files as shipped, and what an author is told about wrong ones.
#![cfg(feature = "authoring")]

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use fenceline_content::authoring;
use fenceline_content::quiz::{Kind, Question, QuizSet};
use fenceline_content::report::{Known, Mistake};
use fenceline_content::study::Study;

/// The scenarios that study items may refer to.
const SCENARIOS: [&str; 18] = [
    "flagship",
    "late-fence",
    "scheduler-restart",
    "vendor-paid-twice",
    "customer-mailed-twice",
    "retry-storm",
    "late-overwrite",
    "late-overwrite-same-input",
    "leftover-lock",
    "leftover-staging",
    "long-pause",
    "partition",
    "starved-heartbeat",
    "clock-forward",
    "clock-back",
    "token-7-vs-8",
    "volatile-fence",
    "read-only",
];

type Files = BTreeMap<String, String>;

fn shipped() -> Files {
    let assets = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../../assets"));
    let mut files = Files::new();
    files.insert("points.toml".into(), fs::read_to_string(assets.join("points.toml")).unwrap());
    for folder in ["quiz", "cards", "interview"] {
        for entry in fs::read_dir(assets.join(folder)).unwrap() {
            let path = entry.unwrap().path();
            let name = path.file_name().unwrap().to_str().unwrap();
            files.insert(format!("{folder}/{name}"), fs::read_to_string(&path).unwrap());
        }
    }
    files
}

fn read(files: &Files) -> Result<Study, Vec<Mistake>> {
    authoring::study(files.iter().map(|(path, text)| (path.as_str(), text.as_str())), SCENARIOS)
}

fn study() -> Study {
    read(&shipped()).unwrap_or_else(|mistakes| panic!("{}", lines(&mistakes)))
}

fn lines(mistakes: &[Mistake]) -> String {
    mistakes.iter().map(|mistake| format!("{mistake}\n")).collect()
}

#[test]
fn shipped_files_are_clean_and_cover_every_point() {
    let study = study();
    assert_eq!(study.syllabus.points.len(), 65);
    assert_eq!(study.uncovered(), Vec::<&str>::new());
    for concept in &study.syllabus.concepts {
        assert!(
            study.questions().any(|question| question.concept == concept.id),
            "no question on {}",
            concept.id
        );
    }
    for scenario in SCENARIOS {
        let named = study.questions().filter_map(|question| question.scenario.as_deref());
        let named = named.chain(study.all_cards().filter_map(|card| card.scenario.as_deref()));
        assert!(named.into_iter().any(|name| name == scenario), "nothing refers to {scenario}");
    }
}

#[test]
fn there_is_enough_of_each_kind() {
    let study = study();
    assert!(study.questions().count() >= 15);
    assert!(study.all_cards().count() >= 15);
    assert!(study.questions().any(|question| question.kind == Kind::Many));
    assert!(study.questions().any(|question| question.kind == Kind::Order));
    let [interview] = study.interviews.as_slice() else { panic!("one interview") };
    assert_eq!(interview.answers.len(), 7);
    assert_eq!(interview.answers.iter().filter(|answer| answer.trap).count(), 1);
}

/// The position or the length of an option must not give the answer away.
#[test]
fn options_do_not_betray_the_answer() {
    let study = study();
    let ones: Vec<&Question> = study.questions().filter(|question| question.kind == Kind::One).collect();
    let mut positions = [0_usize; 4];
    let mut longest = 0;
    for question in &ones {
        let right = question.key()[0];
        positions[right] += 1;
        let length = |n: usize| question.options[n].text.chars().count();
        let others = (0..question.options.len()).filter(|n| *n != right).map(length);
        longest += usize::from(others.clone().all(|other| other < length(right)));
        let mean = others.clone().sum::<usize>() / others.count();
        assert!(
            length(right) * 2 <= mean * 3 + 12 && mean * 2 <= length(right) * 3 + 12,
            "{}: the right option has {} signs, the others {mean}",
            question.id,
            length(right)
        );
    }
    let fair = ones.len() / 4;
    assert!(positions.iter().all(|count| count.abs_diff(fair) <= 3), "right options stand at {positions:?}");
    assert!(longest * 3 <= ones.len(), "the right option is the longest {longest} times of {}", ones.len());
}

#[test]
fn wording_is_dry() {
    let files = shipped();
    for (path, text) in &files {
        for (n, line) in text.lines().enumerate() {
            let words = line.to_lowercase();
            let words: Vec<&str> = words.split(|sign: char| !sign.is_alphabetic()).collect();
            for word in ["please", "simply", "oops", "obviously", "frozen"] {
                assert!(!words.contains(&word), "{path}, line {}: {word}", n + 1);
            }
            assert!(!line.contains('!'), "{path}, line {}: exclamation mark", n + 1);
        }
    }
}

#[test]
fn the_page_reads_what_the_build_writes() {
    for set in study().quiz {
        let json = serde_json::to_string(&set).unwrap();
        assert_eq!(authoring::one::<QuizSet>("quiz.json", &json, &Known::default()), Ok(set));
    }
    let study = study();
    let json = serde_json::to_string(&study).unwrap();
    assert_eq!(serde_json::from_str::<Study>(&json).unwrap(), study);
}

#[test]
fn keys_follow_the_kind() {
    let study = study();
    let key = |id: &str| study.questions().find(|question| question.id == id).map(Question::key);
    assert_eq!(key("two-lost"), Some(vec![1]));
    assert_eq!(key("what-silence-fits"), Some(vec![0, 1, 3]));
    assert_eq!(key("order-of-the-zombie"), Some(vec![2, 4, 0, 5, 3, 1]));
}

const GOOD: &str = r#"id = "set"
title = "Set"
about = "About"

[[question]]
id = "first"
points = ["L01"]
concept = "lease"
stem = "Which?"
principle = "This."

[[question.option]]
text = "A"
right = true
why = "Right."

[[question.option]]
text = "B"
why = "Wrong."

[[question.option]]
text = "C"
why = "Wrong too."
"#;

/// What is said about the good set after the replacements.
fn said(changes: &[(&str, &str)]) -> String {
    let mut text = GOOD.to_owned();
    for (from, to) in changes {
        assert!(text.contains(from), "{from}");
        text = text.replacen(from, to, 1);
    }
    let points =
        "[[concept]]\nid = \"lease\"\ntitle = \"Leases\"\n[[point]]\nid = \"L01\"\ntext = \"A fact.\"\n";
    let files = [("points.toml", points), ("quiz/set.toml", text.as_str())];
    authoring::study(files, SCENARIOS).err().map(|mistakes| lines(&mistakes)).unwrap_or_default()
}

#[test]
fn a_wrong_file_is_told_where_and_what() {
    assert_eq!(said(&[]), "");
    for (change, expected) in [
        (
            ("stem =", "steam ="),
            "quiz/set.toml, line 9, column 1, question[1].steam: there is no key `steam` here. Did you mean `stem`?",
        ),
        (("why = \"Wrong.\"\n", ""), "quiz/set.toml, line 17, column 1, question[1].option[2].why: missing"),
        (
            ("why = \"Wrong.\"", "why = 3"),
            "quiz/set.toml, line 19, column 7, question[1].option[2].why: is the number `3`. Write a text in quotes",
        ),
        (
            ("right = true\n", ""),
            "quiz/set.toml, line 12, column 12, question[1].option: 0 options are right",
        ),
        (
            ("\"L01\"", "\"L99\""),
            "quiz/set.toml, line 7, column 11, question[1].points[1]: there is no point `L99`",
        ),
        (("\"lease\"", "\"leese\""), "question[1].concept: there is no concept `leese`. Write one of: lease"),
        (("stem =", "scenario = \"x\"\nstem ="), "question[1].scenario: there is no scenario `x`"),
        (
            ("stem =", "kind = \"two\"\nstem ="),
            "line 9, column 8, question[1].kind: there is no word `two` here",
        ),
        (("stem =", "kind = \"order\"\nstem ="), "question[1].option[1].place: missing"),
        (("\"first\"", "\"First one\""), "question[1].id: `First one` is not an id"),
        (("stem = \"Which?\"", "stem = "), "quiz/set.toml, line 9, column 8"),
    ] {
        let said = said(&[change]);
        assert!(said.contains(expected), "{change:?}\nsaid: {said}expected: {expected}");
    }
}

#[test]
fn every_mistake_is_told_at_once() {
    let said = said(&[
        ("stem =", "steam ="),
        ("concept = \"lease\"", "concept = 4"),
        ("why = \"Right.\"", "why = \"\"\nweight = 2"),
        ("why = \"Wrong too.\"", "wy = \"Wrong too.\""),
        ("\"L01\"", "\"L99\""),
    ]);
    for expected in
        ["`steam`", "concept: is the number `4`", "`weight`", "`wy`", "`L99`", "option[1].why: missing"]
    {
        assert!(said.contains(expected), "{expected} is not in\n{said}");
    }
}

#[test]
fn an_id_is_used_once() {
    let question = GOOD.split_once("[[question]]").unwrap().1;
    let twice = format!("{GOOD}\n[[question]]{question}");
    let told = |files: &[(&str, &str)]| {
        let mistakes = authoring::study(files.iter().copied(), SCENARIOS).unwrap_err();
        lines(&mistakes)
    };
    let within = told(&[("quiz/set.toml", &twice)]);
    assert!(within.contains("question[2].id: `first` is already the id of question[1]"), "{within}");
    let between = told(&[("quiz/a.toml", GOOD), ("quiz/b.toml", GOOD)]);
    assert!(between.contains("quiz/b.toml, line 6, column 1, question[1].id: `first` is already the id of a question in quiz/a.toml"), "{between}");
    assert!(between.contains("points.toml: missing"), "{between}");
    let elsewhere = told(&[("notes/a.toml", GOOD)]);
    assert!(elsewhere.contains("notes/a.toml: is not a study file"), "{elsewhere}");
}

#[test]
fn json_from_elsewhere_is_refused_with_its_place() {
    let read = |text: &str| authoring::one::<QuizSet>("quiz.json", text, &Known::default()).unwrap_err();
    let unknown = read("{\"id\":\"a\",\n\"tittle\":\"b\"}");
    let expected =
        "quiz.json, line 2, column 1, tittle: there is no key `tittle` here. Did you mean `title`?";
    assert!(lines(&unknown).starts_with(expected), "{}", lines(&unknown));
    let empty = lines(&read("{}"));
    assert!(empty.contains("quiz.json, question: missing"), "{empty}");
}
