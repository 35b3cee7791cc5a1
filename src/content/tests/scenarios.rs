//! The scenarios as shipped.
#![cfg(feature = "authoring")]

mod support;

use std::collections::BTreeSet;
use std::fs;
use std::path::PathBuf;

use fenceline_content::authoring;
use fenceline_content::scenario::GROUPS;

use support::{ASSETS, cases, files_in, lines, shipped, stem, syllabus};

const FOLDER: &str = "scenarios";

#[test]
fn files_are_clean_and_survive_json() {
    let files = shipped(FOLDER);
    support::files_are_clean_and_survive_json(&files);
    for group in GROUPS {
        assert!(files.values().any(|file| file.group == group), "no scenario in {group}");
    }
}

#[test]
fn questions_cards_and_interviews_refer_to_scenarios_that_exist() {
    let mut files = vec![("points.toml".to_owned(), PathBuf::from(ASSETS).join("points.toml"))];
    for folder in ["quiz", "cards", "interview"] {
        let paths = files_in(folder).into_iter();
        files.extend(paths.map(|path| (format!("{folder}/{}.toml", stem(&path)), path)));
    }
    let texts: Vec<(String, String)> =
        files.into_iter().map(|(name, path)| (name, fs::read_to_string(path).unwrap())).collect();
    let scenarios = shipped(FOLDER);
    let texts = texts.iter().map(|(name, text)| (name.as_str(), text.as_str()));
    let study = authoring::study(texts, scenarios.keys().map(String::as_str));
    assert!(study.is_ok(), "{}", lines(&study.unwrap_err()));
}

#[test]
fn texts_are_short_and_dry() {
    support::texts_are_short_and_dry(&shipped(FOLDER));
}

#[test]
fn claims_come_out_exactly() {
    support::claims_come_out_exactly(&cases(FOLDER));
}

/// What the command line plays says the same.
#[test]
fn each_file_bears_out_what_it_says() {
    let known = support::known();
    for path in ["scenarios", "incidents"].into_iter().flat_map(files_in) {
        let proved = authoring::proved(path.to_str().unwrap(), &fs::read_to_string(&path).unwrap(), &known);
        assert!(proved.is_ok(), "{}", lines(&proved.unwrap_err()));
    }
}

#[test]
fn doing_nothing_satisfies_none() {
    support::doing_nothing_satisfies_none(&cases(FOLDER));
}

#[test]
fn near_misses_miss() {
    support::near_misses_miss(&cases(FOLDER));
}

#[test]
fn remedies_do_what_they_say() {
    support::remedies_do_what_they_say(&cases(FOLDER));
}

#[test]
fn other_seeds_give_the_same_claims() {
    support::other_seeds_give_the_same_claims(&cases(FOLDER));
}

#[test]
fn times_in_texts_are_those_of_the_run() {
    assert!(support::times_in_texts_are_those_of_the_run(&shipped(FOLDER)) >= 8);
}

#[test]
fn the_length_of_a_step_changes_nothing() {
    support::the_length_of_a_step_changes_nothing(&cases(FOLDER));
}

#[test]
fn digests_are_the_ones_kept() {
    support::digests_are_the_ones_kept(&cases(FOLDER), "digests.txt");
}

#[test]
fn every_drivable_point_can_be_driven() {
    let files = shipped(FOLDER);
    let driven: BTreeSet<&str> =
        files.values().flat_map(|file| file.points.iter().map(String::as_str)).collect();
    let missing: Vec<String> = syllabus()
        .points
        .into_iter()
        .filter(|point| point.drivable && !driven.contains(point.id.as_str()))
        .map(|point| point.id)
        .collect();
    assert_eq!(missing, Vec::<String>::new());
}

/// The soundness table (`src/sim/tests/soundness.rs`): a scenario for each claim that some schedule
/// violates, behind that very sink and fence. A list of its own on purpose: that table draws schedules for
/// rules as types, a test of another package; this one names files, and in the words of files.
#[test]
fn what_the_soundness_table_says_breaks_can_be_seen_to_break() {
    const BREAKS: [(&str, &str, &str, &[&str]); 23] = [
        ("flagship", "append", "", &["one-output", "rows-as-expected"]),
        ("rows-before-the-raise", "append", "claim", &["one-output", "rows-as-expected"]),
        ("commit-log-rebase", "log", "", &["one-output", "rows-as-expected"]),
        ("log-by-token", "log per-token", "", &["one-output", "rows-as-expected"]),
        ("late-overwrite", "overwrite", "", &["no-stale-over-newer", "rows-as-expected"]),
        ("volatile-fence", "append", "claim volatile", &["tokens-in-order", "rows-as-expected"]),
        ("retention", "overwrite", "claim forgets 30s", &["no-stale-over-newer", "rows-as-expected"]),
        ("text-order", "overwrite", "first-write text", &["no-stale-over-newer", "rows-as-expected"]),
        ("fence-per-shard", "overwrite", "claim per-shard", &["no-stale-over-newer", "rows-as-expected"]),
        ("fence-by-client", "overwrite", "claim client-side", &["no-stale-over-newer", "rows-as-expected"]),
        ("fence-gap", "overwrite", "first-write gap 11s", &["no-stale-over-newer", "rows-as-expected"]),
        (
            "raise-not-awaited",
            "overwrite",
            "scheduler unconfirmed",
            &["no-stale-over-newer", "rows-as-expected"],
        ),
        ("time-fence-alone", "overwrite", "nobody not-after", &["no-stale-over-newer", "rows-as-expected"]),
        ("boolean-fence", "overwrite", "claim boolean", &["holder-not-refused"]),
        ("less-or-equal", "overwrite", "claim or-equal", &["holder-not-refused"]),
        ("counter-at-restart", "overwrite", "claim", &["tokens-in-order", "rows-as-expected"]),
        ("merged-outputs", "merge", "", &["one-output", "no-stale-over-newer", "rows-as-expected"]),
        (
            "compare-and-set-late-start",
            "objects compare-and-set",
            "",
            &["no-stale-over-newer", "rows-as-expected"],
        ),
        (
            "compare-and-set-retries",
            "objects compare-and-set retries",
            "",
            &["no-stale-over-newer", "rows-as-expected"],
        ),
        ("lock-then-twice", "locked", "", &["one-output", "rows-as-expected"]),
        ("lock-lease-ends", "locked 20s", "", &["one-output", "rows-as-expected", "tokens-in-order"]),
        ("key-per-attempt", "api attempt-key", "", &["effects-once"]),
        ("key-forgotten", "api task-key 30s", "", &["effects-once"]),
    ];
    let files = shipped(FOLDER);
    for (id, kind, fence, verdicts) in BREAKS {
        let file = &files[id];
        let sink = &file.sinks[0];
        assert_eq!((sink.kind.as_str(), sink.fence.as_deref().unwrap_or("")), (kind, fence), "{id}");
        for verdict in verdicts {
            let claim = file.claims.iter().find(|claim| claim.verdict == *verdict);
            assert_eq!(claim.map(|claim| claim.is.as_str()), Some("violated"), "{id}: {verdict}");
        }
    }
}
