//! What an author is told of a wrong scenario file.
#![cfg(feature = "authoring")]

mod support;

use std::fs;
use std::path::Path;

use fenceline_content::authoring;
use support::{ASSETS, known, lines};

/// What is said about the flagship after the replacements.
fn said(changes: &[(&str, &str)]) -> String {
    let mut text = fs::read_to_string(Path::new(ASSETS).join("scenarios/flagship.toml")).unwrap();
    for (from, to) in changes {
        assert!(text.contains(from), "{from}");
        text = text.replacen(from, to, 1);
    }
    let read = authoring::scenario("flagship.toml", &text, &known());
    read.err().map(|mistakes| lines(&mistakes)).unwrap_or_default()
}

#[test]
fn a_wrong_file_is_told_where_and_what() {
    assert_eq!(said(&[]), "");
    let step = "\"write revenue\"";
    let steps = ["\"compute 1s\""; 101].join(", ");
    for (from, to, expected) in [
        ("kind = \"append\"", "knd = \"append\"", "sink[1].knd: unknown field `knd`. Did you mean `kind`?"),
        ("group = \"Zombies\"", "", "group: missing. Write one of: Zombies, Fences"),
        ("\"Zombies\"", "\"Undead\"", "group: there is no group `Undead`. Write one of: Zombies"),
        ("format = 1", "format = 2", "line 1, column 1, format: 2 is not a known format. Write 1"),
        ("\"102s\"", "\"102 sec\"", "until: `102 sec` is not a duration. Write one such as `30s`"),
        ("\"102s\"", "\"-1s\"", "until: `-1s` is below zero"),
        ("compute 30s", "compute 30", "task[1].program[2]: `30` is not a duration. Write one such as `30s`"),
        ("compute 30s", "compote 30s", "`compote` is not a step. Did you mean `compute`?"),
        (
            step,
            "\"write revenues\"",
            "task[1].program[3]: there is no sink `revenues`. Did you mean `revenue`?",
        ),
        (
            "pause w1 55s",
            "pause w3 55s",
            "faults[1]: there is no node `w3` here. Write `scheduler`, `w1`, `sink1` …",
        ),
        ("pause w1 55s", "puase w1 55s", "faults[1]: `puase` is not an act. Did you mean `pause`?"),
        ("fence sink1 claim", "fence sink2 claim", "remedy[1].set[1]: there is no sink `sink2` here"),
        ("\"append\"", "\"appnd\"", "sink[1].kind: `appnd` is not known here"),
        (
            "kind = \"append\"",
            "kind = \"mailbox\"\nfence = \"claim\"",
            "sink[1].fence: `revenue` is `mailbox`, which cannot compare tokens, so no fence can stand before it",
        ),
        ("\"append\"", "\"mailbox\"", "remedy[1].set: `revenue` is `mailbox`, which cannot compare tokens"),
        ("\"append\"", "\"append\"\nfence = \"first write\"", "sink[1].fence: `first` is not known here"),
        ("\"worker 2\"", "\"worker 2\"\ncount = 200", "worker: 201 are too many; the limit is 200"),
        ("rows = [1204]", "rows = [1204]\ncount = 1001", "task: 1001 are too many; the limit is 1000"),
        (step, steps.as_str(), "task[1].program: 104 steps are too many; the limit is 100"),
        ("until =", "standby = [\"\"]\nuntil =", "standby[1]: missing. Write a name such as `scheduler 2`"),
        (
            "until =",
            "standby = [\"a\", \"b\", \"c\", \"d\", \"e\", \"f\"]\nuntil =",
            "standby: 6 further schedulers; the limit is 5",
        ),
        ("\"worker 2\"", "\"worker 2\"\nslots = 0", "worker[2].slots: a worker without slots runs nothing"),
        ("rows = [1204]", "rows = [-1]", "task[1].rows"),
        (
            "\"one-output\"",
            "\"one-outptu\"",
            "claim[1].verdict: there is no verdict `one-outptu`. Write one of: `one-output`",
        ),
        (
            "is = \"violated\"",
            "is = \"broken\"",
            "claim[1].is: `broken` is not a verdict's value. Write one of: `holds`",
        ),
        ("\"L01\"", "\"L99\"", "points[1]: there is no point `L99`"),
        ("\"late-fence\"", "\"later-fence\"", "next.id: there is no scenario `later-fence`. Write one of: "),
        (
            "title = \"A pause that ends before the lease does is survived\"\n",
            "",
            "near_miss[1].title: missing",
        ),
        (
            "until =",
            "rules.epoch = \"off\"\nuntil =",
            "rules.epoch: means nothing to a scheduler alone. Name another in `standby`",
        ),
        (
            "until =",
            "[rules]\nleese = \"30s\"\n[x]\nuntil =",
            "rules.leese: there is no rule `leese`. Did you mean `lease`?",
        ),
    ] {
        let said = said(&[(from, to)]);
        assert!(said.contains(expected), "{from} -> {to}\nsaid: {said}expected: {expected}");
    }
}

#[test]
fn every_mistake_of_a_scenario_is_told_at_once() {
    let said =
        said(&[("kind =", "knd ="), ("102s", "102"), ("pause w1", "pause w7"), ("\"L01\"", "\"L99\"")]);
    for expected in ["`knd`", "`102`", "`w7`", "`L99`"] {
        assert!(said.contains(expected), "{expected} is not in\n{said}");
    }
}

#[test]
fn a_task_keeps_its_own_policy_beside_the_rules() {
    let text = fs::read_to_string(Path::new(ASSETS).join("scenarios/expiry-hold.toml")).unwrap();
    let text = text.replacen("rows = [1204]", "rows = [1204]\nexpiry = \"redispatch\"", 1);
    let case = authoring::scenario("own.toml", &text, &known()).unwrap().read("own.toml").unwrap();
    assert_eq!(case.scenario.tasks[0].expiry, Some(fenceline_engine::ExpiryPolicy::Redispatch));
    assert!(matches!(case.scenario.rules.expiry, fenceline_engine::ExpiryPolicy::Hold { .. }));
}
