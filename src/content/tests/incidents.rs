//! The incidents as shipped: what public accounts report, replayed.
#![cfg(feature = "authoring")]

mod support;

use std::fs;
use std::path::Path;

use fenceline_content::authoring;

use support::{ASSETS, cases, known, lines, shipped};

const FOLDER: &str = "incidents";

#[test]
fn files_are_clean_and_survive_json() {
    let files = shipped(FOLDER);
    support::files_are_clean_and_survive_json(&files);
    for (name, file) in &files {
        assert!(file.incident.is_some(), "{name} does not say what was reported");
    }
}

#[test]
fn texts_are_short_and_dry() {
    support::texts_are_short_and_dry(&shipped(FOLDER));
}

#[test]
fn claims_come_out_exactly() {
    support::claims_come_out_exactly(&cases(FOLDER));
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
    assert!(support::times_in_texts_are_those_of_the_run(&shipped(FOLDER)) >= 1);
}

#[test]
fn the_length_of_a_step_changes_nothing() {
    support::the_length_of_a_step_changes_nothing(&cases(FOLDER));
}

#[test]
fn digests_are_the_ones_kept() {
    support::digests_are_the_ones_kept(&cases(FOLDER), "incidents.txt");
}

/// What is said about an incident's file after a replacement.
fn said(from: &str, to: &str) -> String {
    let text = fs::read_to_string(Path::new(ASSETS).join("incidents/hangfire-invisibility.toml")).unwrap();
    assert!(text.contains(from), "{from}");
    let read = authoring::scenario("hangfire.toml", &text.replacen(from, to, 1), &known());
    read.err().map(|mistakes| lines(&mistakes)).unwrap_or_default()
}

#[test]
fn a_wrong_account_is_told_where_and_what() {
    assert_eq!(said("I05", "I05"), "");
    for (from, to, expected) in [
        ("\"I05\"", "\"5\"", "incident.id: `5` is not an incident's number. Write one such as `I05`"),
        ("https://", "http://", "incident.source: is not an address. Write one that begins with `https://`"),
        (
            "reported = ",
            "filed = \"\"\nreported = ",
            "incident.filed: there is no key `filed` here. Did you mean `filled`?",
        ),
        ("\"Hangfire\"", "\"\"", "incident.system: missing. Write the system it happened in"),
        ("\"2026-11\"", "\"autumn\"", "incident.as_of: `autumn` is not a month. Write one such as `2026-11`"),
        ("set = [\"lease 2h1min\"]", "set = [\"leese 2h\"]", "near_miss[1].set[1]: there is no rule `leese`"),
    ] {
        let said = said(from, to);
        assert!(said.contains(expected), "{from} -> {to}\nsaid: {said}expected: {expected}");
    }
}
