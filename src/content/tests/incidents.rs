//! The incidents as shipped: what public accounts report, replayed.
#![cfg(feature = "authoring")]

mod support;

use support::{cases, shipped};

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
