//! The command line, as its users call it: what it prints, and what its exit says.

use std::io::Write;
use std::process::{Command, Output, Stdio};

use serde_json::Value;

const FLAGSHIP: &str = "assets/scenarios/flagship.toml";

fn command(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_fenceline-cli"));
    command.args(arguments).current_dir(env!("CARGO_MANIFEST_DIR"));
    command
}

fn call(arguments: &[&str]) -> Output {
    command(arguments).output().expect("the command line starts")
}

/// The same with a text on standard input.
fn fed(arguments: &[&str], text: &str) -> Output {
    let piped =
        command(arguments).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn();
    let mut child = piped.expect("the command line starts");
    child.stdin.take().expect("a pipe").write_all(text.as_bytes()).expect("it reads");
    child.wait_with_output().expect("it ends")
}

fn out(output: &Output) -> String {
    String::from_utf8(output.stdout.clone()).expect("text")
}

fn error(output: &Output) -> String {
    String::from_utf8(output.stderr.clone()).expect("text")
}

fn flagship() -> String {
    std::fs::read_to_string(format!("{}/{FLAGSHIP}", env!("CARGO_MANIFEST_DIR"))).expect("a scenario")
}

/// A folder of this test's own.
fn folder(name: &str) -> std::path::PathBuf {
    let folder = std::path::Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).expect("a folder");
    folder
}

// --- run ---

#[test]
fn run_tells_both_accounts_and_says_that_the_claims_hold() {
    let output = call(&["run", FLAGSHIP]);
    assert_eq!(output.status.code(), Some(0), "{}", error(&output));
    let text = out(&output);
    for line in [
        "The scheduler says: success, 0 alerts",
        "51.0 s  attempt 2, token 8 runs on worker 2",
        "The truth: 2,408 rows, not 1,204",
        "✕ One output per interval: violated, from 85.4 s",
        "35.2 s  zombie, of which 26.6 s paused",
        "open  no alert of one-output of revenue 28 Nov",
        "2  executions of one task at once, at most",
        "as claimed   one-output is violated",
    ] {
        assert!(text.contains(line), "`{line}` is not in\n{text}");
    }
    let golden =
        std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/src/content/tests/digests.txt"));
    let golden = golden.expect("golden digests");
    let digest =
        golden.lines().find(|line| line.starts_with("flagship")).and_then(|line| line.split('\t').nth(2));
    assert!(text.contains(&format!("Digest {}", digest.expect("a digest"))), "{text}");
}

#[test]
fn run_says_what_was_reported_of_an_incident() {
    let output = call(&["run", "assets/incidents/hbase-long-gc.toml"]);
    assert_eq!(output.status.code(), Some(0), "{}", error(&output));
    let text = out(&output);
    for part in
        ["Reported (I34, HBase, read 2026-11): A garbage collection", "https://", "Filled in: A session"]
    {
        assert!(text.contains(part), "`{part}` is not in\n{text}");
    }
    let json = out(&call(&["run", "assets/incidents/hbase-long-gc.toml", "--format", "json"]));
    let whole: Value = serde_json::from_str(&json).expect("JSON");
    assert_eq!(whole["incident"]["id"], "I34");
}

/// The remedy as an intervention: the claims no longer come out, and the exit says so.
#[test]
fn run_with_interventions_fails_a_claim() {
    let with = folder("with").join("fence.txt");
    std::fs::write(&with, "# the remedy\n0s fence sink1 claim\n").expect("written");
    let with = with.to_str().expect("a path");
    let output = call(&["run", FLAGSHIP, "--with", with]);
    assert_eq!(output.status.code(), Some(1));
    assert!(out(&output).contains("not so       one-output is holds, not violated"), "{}", out(&output));

    std::fs::write(with, "0s fence sink1 clam\n").expect("written");
    let output = call(&["run", FLAGSHIP, "--with", with]);
    assert_eq!(output.status.code(), Some(2));
    assert!(
        error(&output).contains("line 1, column 1") && error(&output).contains("`claim`"),
        "{}",
        error(&output)
    );
}

/// A violated verdict that no claim names is not passed over.
#[test]
fn run_fails_a_verdict_that_is_violated_and_not_claimed() {
    let text = flagship().replacen("[[claim]]\nverdict = \"one-output\"\nis = \"violated\"\n", "", 1);
    let output = fed(&["run", "-"], &text);
    assert_eq!(output.status.code(), Some(1));
    let said = "not claimed  one-output is violated, and no claim names it";
    assert!(out(&output).contains(said), "{}", out(&output));
    let json: Value =
        serde_json::from_str(&out(&fed(&["run", "-", "--format", "json"], &text))).expect("JSON");
    assert_eq!(json["violated_and_not_claimed"], serde_json::json!(["one-output"]));
}

#[test]
fn run_tells_of_acts_that_find_nothing_to_do() {
    let with = folder("void").join("void.txt");
    std::fs::write(&with, "task1 a9 1 pause w2 5s\n").expect("written");
    let with = ["run", FLAGSHIP, "--with", with.to_str().expect("a path")];
    let output = call(&with);
    assert_eq!(output.status.code(), Some(0), "it changes nothing");
    let said = "Acts that find nothing to do\n         2.  task1 a9 1 pause w2 5s\n";
    assert!(out(&output).contains(said), "{}", out(&output));
    let json = call(&[&with[..], &["--format", "json"]].concat());
    let json: Value = serde_json::from_str(&out(&json)).expect("JSON");
    assert_eq!(json["void_acts"], serde_json::json!([{ "act": 2, "phrase": "task1 a9 1 pause w2 5s" }]));
}

/// What derives from wrong rows, and before whom.
#[test]
fn run_counts_the_tables_made_of_a_wrong_one() {
    let file = "assets/scenarios/doubled-downstream.toml";
    let text = out(&call(&["run", file]));
    assert!(text.contains("2  tables made of a wrong one before any alert"), "{text}");
    assert!(text.contains("82.2 s  Token 9 reads 2,408 rows of revenue"), "{text}");
    let said = "218.6 s  from one-output of revenue 28 Nov to its first alert; 2 tables made of it before";
    assert!(text.contains(said), "{text}");
    let json: Value = serde_json::from_str(&out(&call(&["run", file, "--format", "json"]))).expect("JSON");
    let figures = &json["figures"];
    assert_eq!((&figures["spread"], &figures["detections"][0]["spread"]), (&2.into(), &2.into()));
    assert_eq!(figures["derived_tables"][1]["made_of"], serde_json::json!(["revenue 28 Nov"]));
}

#[test]
fn run_gives_the_whole_trace_as_json_and_csv() {
    let whole: Value =
        serde_json::from_str(&out(&call(&["run", FLAGSHIP, "--format", "json"]))).expect("JSON");
    let records = whole["trace"].as_array().expect("a trace");
    assert!(records.len() > 50);
    for (id, record) in records.iter().enumerate() {
        assert_eq!(record["id"], id);
        assert!(record["cause"].as_u64().is_none_or(|cause| (cause as usize) < id), "{record}");
    }
    let stale = whole["verdicts"][0]["evidence"][1].as_u64().expect("a record") as usize;
    assert_eq!((&records[stale]["kind"], &records[stale]["at_us"]), (&"applied".into(), &85_400_000.into()));
    let table = out(&call(&["run", FLAGSHIP, "--format", "csv"]));
    assert_eq!(table.lines().count(), records.len() + 1);
    let columns = table.lines().next().expect("a head").split(',').count();
    assert!(table.lines().all(|line| line.split(',').count() >= columns));
}

#[test]
fn run_reads_standard_input_in_both_forms() {
    let toml = fed(&["run", "-"], &flagship());
    assert_eq!(toml.status.code(), Some(0), "{}", error(&toml));
    let json = std::fs::read_to_string(format!("{}/{FLAGSHIP}", env!("CARGO_MANIFEST_DIR"))).expect("a file");
    let value: toml::Table = json.parse().expect("TOML");
    let json = fed(&["run", "-"], &serde_json::to_string(&value).expect("JSON"));
    assert_eq!(json.status.code(), Some(0), "{}", error(&json));
    assert_eq!(out(&toml), out(&json));
}

#[test]
fn run_ends_where_it_is_told_to_and_takes_another_seed() {
    let short = call(&["run", FLAGSHIP, "--until", "40s", "--seed", "9"]);
    assert_eq!(short.status.code(), Some(1), "nothing is broken by then");
    assert!(out(&short).contains("seed 9 · 40 s"), "{}", out(&short));
}

// --- check ---

#[test]
fn check_counts_what_ships() {
    let output = call(&["check", "assets"]);
    assert_eq!(output.status.code(), Some(0), "{}", error(&output));
    let text = out(&output);
    for folder in ["scenarios", "incidents"] {
        let files = std::fs::read_dir(format!("{}/assets/{folder}", env!("CARGO_MANIFEST_DIR")));
        let count = files.expect("a folder").count();
        assert!(text.lines().any(|line| line == format!("{folder} {count}")), "{count} {folder}: {text}");
    }
    assert!(text.contains("questions ") && text.contains("cards ") && text.contains("points "), "{text}");
}

#[test]
fn check_names_every_mistake_and_its_place() {
    let folder = folder("wrong");
    let wrong = flagship()
        .replace("until = \"102s\"", "until = \"102 sec\"")
        .replace("kind = \"append\"", "kind = \"apend\"");
    std::fs::write(folder.join("flagship.toml"), &wrong).expect("written");
    let output = call(&["check", folder.to_str().expect("a path")]);
    assert_eq!(output.status.code(), Some(2));
    assert!(out(&output).is_empty());
    let text = error(&output);
    assert!(text.contains("2 mistakes"), "{text}");
    assert!(text.contains("flagship.toml, line 7, column 1, until: `102 sec` is not a duration"), "{text}");
    assert!(text.contains("`append`"), "{text}");
}

/// Legal and seldom meant: said aside, and no mistake.
#[test]
fn what_is_seldom_meant_is_a_warning_on_standard_error() {
    let short =
        flagship().replacen("until =", "rules.expiry = \"grace 5s\"\nrules.guard = \"25s\"\nuntil =", 1);
    let output = fed(&["check", "--play", "no", "-"], &short);
    assert_eq!((output.status.code(), out(&output).as_str()), (Some(0), "scenarios 1\n"));
    let said = error(&output);
    assert_eq!(
        said.lines().filter(|line| line.starts_with("warning: standard input, line ")).count(),
        2,
        "{said}"
    );
    assert!(error(&fed(&["run", "-"], &short)).contains("warning: "));
    assert_eq!(error(&call(&["check", FLAGSHIP])), "");
}

#[test]
fn check_reads_json_as_it_reads_toml() {
    let wrong = r#"{ "format": 1, "id": "mine", "titel": "Mine",
  "faults": ["22s puase w1"], "worker": [{ "name": "worker 1" }] }"#;
    let output = fed(&["check", "-"], wrong);
    assert_eq!(output.status.code(), Some(2));
    let text = error(&output);
    for said in [
        "standard input, line 1, column 30, titel: there is no key `titel` here. Did you mean `title`?",
        "standard input, line 2, column 14, faults[1]: `puase` is not an act. Did you mean `pause`?",
        "standard input, line 1, column 1, until: missing. Write a duration such as `102s`",
    ] {
        assert!(text.contains(said), "`{said}` is not in\n{text}");
    }
}

#[test]
fn schema_prints_what_is_checked_in() {
    let kept = std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/docs/scenario.schema.json"));
    let output = call(&["schema"]);
    assert_eq!(output.status.code(), Some(0));
    assert_eq!(out(&output), kept.expect("the schema"));
    assert_eq!(call(&["schema", "quiz"]).status.code(), Some(2));
}

/// A scenario is played, and what it does not do is a mistake in it.
#[test]
fn check_names_what_the_run_does_not_bear_out() {
    let named = |text: &str| {
        let output = fed(&["check", "-"], text);
        assert_eq!(output.status.code(), Some(2), "{}", out(&output));
        error(&output).replace("standard input, ", "")
    };
    let cut = |from: &str, to: &str| {
        let text = flagship();
        let (before, rest) = text.split_once(from).expect("it is there");
        let after = rest.split_once(to).map_or("", |(_, after)| after);
        if to.is_empty() { before.to_owned() } else { format!("{before}{to}{after}") }
    };
    for (text, said) in [
        (
            flagship().replacen("is = \"violated\"", "is = \"holds\"", 1),
            "line 28, column 1, claim[1]: `one-output` is `violated`, not `holds`",
        ),
        (
            cut("[[claim]]\nverdict = \"tokens-in-order\"", "[[claim]]"),
            "claim: `tokens-in-order` is violated and not named. Claim it",
        ),
        (
            flagship().replacen("\"fence sink1 claim\"", "\"lease 30s\"", 1),
            "remedy[1].set[1]: is in force already",
        ),
        (
            flagship().replacen("w1 20s", "w1 55s", 1),
            "near_miss[1]: is the scenario itself. Change its `faults` or `set` a rule",
        ),
        (
            flagship().replacen("w1 20s", "w1 56s", 1),
            "near_miss[1]: satisfies the claims as well, so it is no near miss",
        ),
        (
            flagship().replacen("w1 55s\"", "w1 55s\", \"task1 a9 1 pause w2\"", 1),
            "faults[2]: does nothing: what it is aimed at does not occur",
        ),
        (cut("[[near_miss]]", ""), "near_miss: missing. Give a run that is nearly the same"),
        (cut("[[remedy]]", ""), "remedy: missing. Name at least one that cures it, with its own claims"),
    ] {
        let text = named(&text);
        assert!(text.contains(said), "`{said}` is not in\n{text}");
    }
    // Its name is its file's.
    let other = folder("other-name").join("other-name.toml");
    std::fs::write(&other, flagship()).expect("written");
    let path = other.to_str().expect("a path");
    let output = call(&["check", path]);
    assert!(
        error(&output).contains("id: `flagship` is not the file's name. Write `other-name`"),
        "{}",
        error(&output)
    );
    // Read alone, what it claims is not looked into.
    let read = fed(&["check", "-", "--play", "no"], &cut("[[near_miss]]", ""));
    assert_eq!((read.status.code(), out(&read).as_str()), (Some(0), "scenarios 1\n"), "{}", error(&read));
}

#[test]
fn check_names_a_syntax_error_and_none_of_its_echoes() {
    let output = fed(&["check", "-"], &flagship().replacen("w1 55s\"]", "w1 55s\"", 1));
    let said =
        "1 mistake\nstandard input, line 9, column 1: a comma is missing before this, or the list's `]`\n";
    assert!(error(&output).ends_with(said), "{}", error(&output));
}

/// `GOLDEN=write` writes the page anew.
#[test]
fn rules_prints_what_is_checked_in() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/docs/rules.md");
    let printed = out(&call(&["rules"]));
    if std::env::var("GOLDEN").as_deref() == Ok("write") {
        std::fs::write(path, &printed).expect("written");
    }
    assert_eq!(printed, std::fs::read_to_string(path).expect("the page"));
    assert_eq!(call(&["rules", "lease"]).status.code(), Some(2));
}

// --- sweep ---

const GRID: [&str; 9] = [
    "sweep",
    FLAGSHIP,
    "--param",
    "lease=20s..60s:20s",
    "--param",
    "heartbeat=5s,10s",
    "--seeds",
    "5",
    "--pauses=2:5s..60s",
];

#[test]
fn sweep_prints_a_line_for_each_point_and_the_same_each_time() {
    let output = call(&GRID);
    assert_eq!(output.status.code(), Some(0), "{}", error(&output));
    let text = out(&output);
    let points: Vec<&str> = text.lines().skip(1).collect();
    assert_eq!(points.len(), 6, "{text}");
    assert!(text.starts_with("lease,heartbeat,seeds,granted,"), "{text}");
    assert!(points[0].starts_with("20s,5s,5,") && points[5].starts_with("1min,10s,5,"), "{text}");
    assert_eq!(out(&call(&GRID)), text);
    // A longer lease survives more pauses; a shorter interval costs more heartbeats.
    let figure =
        |line: &str, column: usize| line.split(',').nth(column).and_then(|cell| cell.parse::<f64>().ok());
    assert!(figure(points[0], 4) > figure(points[4], 4), "{text}");
    assert!(figure(points[0], 11) > figure(points[1], 11), "{text}");
}

#[test]
fn sweep_shards_make_up_the_whole() {
    let whole = out(&call(&GRID));
    for of in [2, 4, 9] {
        let part = |n: usize| {
            let shard = format!("{n}/{of}");
            out(&call(&[&GRID[..], &["--shard", &shard]].concat()))
        };
        assert_eq!((1..=of).map(part).collect::<String>(), whole, "{of} shards");
    }
}

// --- wrong calls ---

#[test]
fn wrong_calls_say_what_was_expected() {
    for (arguments, expected) in [
        (&["rum"][..], "Did you mean `run`?"),
        (&["run"], "name a scenario file"),
        (&["run", "no-such.toml"], "no-such.toml: "),
        (&["run", FLAGSHIP, "--sed", "1"], "Did you mean `--seed`?"),
        (&["run", FLAGSHIP, "--seed", "one"], "write a number"),
        (&["run", FLAGSHIP, "--until", "0s"], "above zero"),
        (&["run", FLAGSHIP, "--format", "xml"], "write `text`, `json` or `csv`"),
        (&["run", FLAGSHIP, FLAGSHIP], "takes one file"),
        (&["run", "-", "--with", "-"], "standard input holds one file"),
        (&["check", "assets", "--play", "maybe"], "write `yes` or `no`"),
        (&["check"], "name a file or a folder"),
        (&["check", "src/ui"], "no TOML or JSON file"),
        (&["sweep", FLAGSHIP], "name what to vary"),
        (&["sweep", FLAGSHIP, "--param", "lese=20s"], "Did you mean `lease`?"),
        (&["sweep", FLAGSHIP, "--param", "control-latancy=1s"], "Did you mean `control-latency`?"),
        (&["sweep", FLAGSHIP, "--param", "expiry=redispach"], "Did you mean `redispatch`?"),
        (&["sweep", FLAGSHIP, "--param", "lease=20s..60s"], "a range needs a step"),
        (&["sweep", FLAGSHIP, "--param", "lease=60s..20s:1s"], "rising"),
        (&["sweep", FLAGSHIP, "--param", "lease=20s", "--shard", "3/2"], "a part such as `1/4`"),
        (&["sweep", FLAGSHIP, "--param", "lease=1s..2h:1s", "--param", "sweep=1s..2h:1s"], "the limit"),
    ] {
        let output = call(arguments);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}: {}", out(&output));
        assert!(out(&output).is_empty(), "{arguments:?} prints {}", out(&output));
        assert!(error(&output).contains(expected), "{arguments:?}: {}", error(&output));
    }
}

#[test]
fn help_is_there_for_every_command() {
    let all = out(&call(&["--help"]));
    for command in ["run", "check", "sweep", "schema", "rules", "bench", "site"] {
        assert!(all.contains(command));
        let output = call(&[command, "--help"]);
        assert_eq!(output.status.code(), Some(0));
        assert!(out(&output).starts_with(&format!("fenceline-cli {command}")), "{command}");
    }
}

/// `head` reads a line and closes the pipe.
#[test]
fn a_reader_that_has_seen_enough_ends_the_command_quietly() {
    let mut command = Command::new(env!("CARGO_BIN_EXE_fenceline-cli"));
    let mut child = command
        .args(["run", "assets/scenarios/heartbeat-load.toml", "--format", "csv"])
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("started");
    drop(child.stdout.take());
    let output = child.wait_with_output().expect("ended");
    assert_eq!((output.status.code(), error(&output).as_str()), (Some(0), ""));
}

#[cfg(unix)]
#[test]
fn a_word_that_is_no_text_is_refused() {
    use std::os::unix::ffi::OsStrExt;
    let mut command = Command::new(env!("CARGO_BIN_EXE_fenceline-cli"));
    let output = command.args(["run".as_ref(), std::ffi::OsStr::from_bytes(b"\xff")]).output().expect("ran");
    assert_eq!(output.status.code(), Some(2));
    assert!(error(&output).contains("is not text in UTF-8"), "{}", error(&output));
}

/// A link that leads back is not followed.
#[cfg(unix)]
#[test]
fn check_reads_each_file_of_a_folder_once() {
    let folder = folder("loop");
    std::fs::write(folder.join("flagship.toml"), flagship()).expect("written");
    for link in ["x", "y"] {
        let _ = std::os::unix::fs::symlink(&folder, folder.join(link));
    }
    let output = call(&["check", "--play", "no", folder.to_str().expect("a path")]);
    assert_eq!((out(&output).as_str(), error(&output).as_str()), ("scenarios 1\n", ""));
}

#[test]
fn a_shard_of_very_many_is_a_part_as_any_other() {
    let shard = "9223372036854775808/9223372036854775809";
    let output = call(&["sweep", FLAGSHIP, "--param", "lease=10s,20s", "--seeds", "1", "--shard", shard]);
    assert_eq!((output.status.code(), out(&output).as_str()), (Some(0), ""));
}

/// What they lead on to is in the library, which was not named.
#[test]
fn files_by_themselves_may_refer_to_others() {
    let output = call(&["check", "--play", "no", FLAGSHIP, "assets/scenarios/text-order.toml"]);
    assert_eq!((out(&output).as_str(), error(&output).as_str()), ("scenarios 2\n", ""));
}
