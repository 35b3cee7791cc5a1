//! The scenarios as shipped: what each claims comes out, its remedies cure it, and nothing short of
//! it satisfies its claims.
#![cfg(feature = "authoring")]

mod library;

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use fenceline_content::authoring;
use fenceline_content::report::from_json;
use fenceline_content::scenario::{Case, Expected, GROUPS, ScenarioFile};
use fenceline_sim::verdict::State;
use fenceline_sim::{Act, Claim, Intervention, Judge, Kind, Record, Run, Simulation, Verdict, When};
use library::{ASSETS, files_in, known, lines, stem, syllabus};

/// Every shipped scenario file, by name.
fn shipped() -> BTreeMap<String, ScenarioFile> {
    let known = known();
    let read = |path: &PathBuf| {
        let name = stem(path);
        let text = fs::read_to_string(path).unwrap();
        let file = authoring::scenario(&format!("scenarios/{name}.toml"), &text, &known);
        (name, file.unwrap_or_else(|mistakes| panic!("{}", lines(&mistakes))))
    };
    files_in("scenarios").iter().map(read).collect()
}

fn cases() -> Vec<Case> {
    let read = |(name, file): (String, ScenarioFile)| file.read(&name).unwrap();
    shipped().into_iter().map(read).collect()
}

// --- runs ---

/// The scenario as given, with its own faults.
fn given(case: &Case) -> Run {
    Run::new(case.scenario.clone())
}

/// The scenario with other faults in place of its own.
fn with_faults(case: &Case, faults: &[Intervention]) -> Run {
    let mut scenario = (*case.scenario).clone();
    scenario.script = faults.to_vec();
    Run::new(scenario)
}

fn with_settings(case: &Case, settings: &[Intervention]) -> Run {
    Run { interventions: settings.to_vec(), ..given(case) }
}

fn verdicts(run: &Run) -> Vec<Verdict> {
    let mut simulation = Simulation::new(run);
    simulation.finish();
    assert_eq!(simulation.stop(), None);
    let trace = simulation.trace();
    Judge::over(run, trace, trace.len()).verdicts(trace, run.scenario.until)
}

fn state(verdicts: &[Verdict], claim: Claim) -> State {
    verdicts.iter().find(|verdict| verdict.claim == claim).unwrap().state
}

fn satisfies(verdicts: &[Verdict], expected: &[Expected]) -> bool {
    expected.iter().all(|expected| state(verdicts, expected.claim) == expected.state)
}

/// Each claim comes out as it says, and no claim is broken that it does not name.
fn assert_exactly(what: &str, verdicts: &[Verdict], expected: &[Expected]) {
    for Expected { claim, state: wanted } in expected {
        assert_eq!(state(verdicts, *claim), *wanted, "{what}: {claim:?}");
    }
    for verdict in verdicts.iter().filter(|verdict| verdict.state == State::Violated) {
        let is_named = expected.iter().any(|expected| expected.claim == verdict.claim);
        assert!(is_named, "{what}: {:?} is violated and not named", verdict.claim);
    }
}

// --- tests ---

#[test]
fn files_are_clean_and_survive_json() {
    let files = shipped();
    for (name, file) in &files {
        assert_eq!(file.id, *name, "the id is the file's name");
        let json = serde_json::to_string(file).unwrap();
        assert_eq!(from_json::<ScenarioFile>(name, &json).as_ref(), Ok(file));
    }
    for group in GROUPS {
        assert!(files.values().any(|file| file.group == group), "no scenario in {group}");
    }
    let titles: BTreeSet<&str> = files.values().map(|file| file.title.as_str()).collect();
    assert_eq!(titles.len(), files.len(), "two scenarios have one title");
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
    let scenarios = shipped();
    let texts = texts.iter().map(|(name, text)| (name.as_str(), text.as_str()));
    let study = authoring::study(texts, scenarios.keys().map(String::as_str));
    assert!(study.is_ok(), "{}", lines(&study.unwrap_err()));
}

#[test]
fn texts_are_short_and_dry() {
    for (name, file) in shipped() {
        let remedies = file.remedies.iter().flat_map(|remedy| [&remedy.title, &remedy.why]);
        let misses = file.near_misses.iter().map(|miss| &miss.title);
        let next = file.next.iter().map(|next| &next.title);
        let texts: Vec<&String> =
            [&file.title, &file.about].into_iter().chain(remedies).chain(misses).chain(next).collect();
        for text in texts {
            let words = text.to_lowercase();
            for word in words.split(|sign: char| !sign.is_alphabetic()) {
                assert!(
                    !["please", "simply", "oops", "obviously", "frozen", "you"].contains(&word),
                    "{name}: {word}"
                );
            }
            assert!(!text.contains('!') && text.len() <= 150, "{name}: {text}");
        }
        assert!(file.title.len() <= 40 && !file.title.ends_with('.'), "{name}: {}", file.title);
        assert!(
            file.about.ends_with('.') && !file.about.contains(". "),
            "{name}: one sentence: {}",
            file.about
        );
        for remedy in &file.remedies {
            assert!(remedy.title.len() <= 45 && remedy.why.ends_with('.'), "{name}: {}", remedy.title);
        }
    }
}

#[test]
fn claims_come_out_exactly() {
    for case in cases() {
        assert_exactly(&case.id, &verdicts(&given(&case)), &case.expected);
    }
}

#[test]
fn doing_nothing_satisfies_no_scenario() {
    for case in cases() {
        let untouched = verdicts(&with_faults(&case, &[]));
        assert!(!satisfies(&untouched, &case.expected), "{}: nobody has to do anything", case.id);
        let broken = untouched.iter().find(|verdict| verdict.state == State::Violated);
        assert!(broken.is_none(), "{}: nobody touches it, and yet {broken:?}", case.id);
        if case.expected.iter().all(|expected| expected.state == State::Holds) {
            let rests = |expected: &Expected| state(&untouched, expected.claim) == State::NotExercised;
            assert!(case.expected.iter().any(rests), "{}: holds by itself", case.id);
        }
    }
}

#[test]
fn near_misses_miss() {
    for case in cases() {
        assert!(!case.near_misses.is_empty(), "{} has no near miss", case.id);
        for (title, faults) in &case.near_misses {
            assert!(!faults.is_empty(), "{}: {title}", case.id);
            assert!(
                !satisfies(&verdicts(&with_faults(&case, faults)), &case.expected),
                "{}: {title}",
                case.id
            );
        }
    }
}

/// The first remedy of what is broken cures it whole. Of what is not, it may show the contrast.
#[test]
fn remedies_do_what_they_say() {
    for case in cases() {
        assert!(!case.remedies.is_empty(), "{} has no remedy", case.id);
        let is_broken = case.expected.iter().any(|expected| expected.state == State::Violated);
        for (n, remedy) in case.remedies.iter().enumerate() {
            let what = format!("{}: {}", case.id, remedy.title);
            for act in &remedy.settings {
                let Act::Set(setting) = act.act else { panic!("{what}: not a rule") };
                let mut changed = (*case.scenario).clone();
                changed.set(setting);
                assert_ne!(changed, *case.scenario, "{what}: {setting:?} is in force already");
            }
            let verdicts = verdicts(&with_settings(&case, &remedy.settings));
            assert_exactly(&what, &verdicts, &remedy.expected);
            if n == 0 && is_broken {
                let broken = verdicts.iter().find(|verdict| verdict.state == State::Violated);
                assert!(broken.is_none(), "{what}: {broken:?}");
            }
        }
    }
}

/// Chance, where there is any, decides no claim.
#[test]
fn other_seeds_give_the_same_claims() {
    for case in cases() {
        for seed in 2..=9 {
            assert_exactly(&case.id, &verdicts(&Run { seed, ..given(&case) }), &case.expected);
            for remedy in &case.remedies {
                let run = Run { seed, ..with_settings(&case, &remedy.settings) };
                assert_exactly(&format!("{}: {}", case.id, remedy.title), &verdicts(&run), &remedy.expected);
            }
        }
    }
}

/// The times a text names, `at 51.4 s`, in microseconds.
fn times(text: &str) -> Vec<i64> {
    let figures =
        text.split("at ").skip(1).filter_map(|rest| rest.split_once(" s").map(|(figure, _)| figure));
    let read = |figure: &str| {
        let (whole, tenth) = figure.split_once('.')?;
        Some(whole.parse::<i64>().ok()? * 1_000_000 + tenth.parse::<i64>().ok()? * 100_000)
    };
    figures.filter_map(read).collect()
}

/// No figure is written by hand: something happens then, or a lease ends then, in the run it is
/// about.
#[test]
fn times_in_texts_are_those_of_the_run() {
    let mut checked = 0;
    for (name, file) in shipped() {
        let case = file.read(&name).unwrap();
        let remedies = file.remedies.iter().zip(&case.remedies);
        let texts = remedies.map(|(file, remedy)| (&file.why, with_settings(&case, &remedy.settings)));
        let misses = case.near_misses.iter().map(|(title, faults)| (title, with_faults(&case, faults)));
        for (text, run) in texts.chain(misses).chain([(&file.about, given(&case))]) {
            let mut simulation = Simulation::new(&run);
            simulation.finish();
            for time in times(text) {
                let happens =
                    |at: u64, reading: i64| at / 100_000 == time as u64 / 100_000 || reading == time;
                assert!(
                    simulation.trace().iter().any(|record| happens(record.at, record.b)),
                    "{name}: nothing happens at {time} in: {text}"
                );
                checked += 1;
            }
        }
    }
    assert!(checked >= 8, "{checked} times were found");
}

/// What records that an act was done.
fn kind_of(act: &Act) -> Kind {
    match act {
        Act::Pause { .. } => Kind::Paused,
        Act::Freeze { .. } => Kind::Frozen,
        Act::Crash { .. } | Act::Reboot { .. } => Kind::Crashed,
        Act::Slow { .. } => Kind::Slowed,
        Act::Cut { .. } => Kind::LinkCut,
        Act::Degrade { .. } => Kind::LinkDegraded,
        Act::StepClock { .. } => Kind::ClockStepped,
        Act::ClockRate { .. } => Kind::ClockRated,
        Act::Input { .. } => Kind::InputChanged,
        Act::Operator { .. } => Kind::Decided,
        Act::Set(_) => Kind::RuleSet,
    }
}

/// What records that it is over, if it has an end.
fn end_of(act: &Act) -> Option<Kind> {
    Some(match act {
        Act::Pause { .. } => Kind::Resumed,
        Act::Freeze { .. } => Kind::Thawed,
        Act::Crash { .. } | Act::Reboot { .. } => Kind::Restarted,
        Act::Slow { .. } => Kind::Slowed,
        Act::Cut { .. } => Kind::LinkHealed,
        Act::Degrade { .. } => Kind::LinkRestored,
        Act::StepClock { .. }
        | Act::ClockRate { .. }
        | Act::Input { .. }
        | Act::Operator { .. }
        | Act::Set(_) => return None,
    })
}

/// Whether a record is about the node an act is done to.
fn is_there(act: &Act, record: &Record) -> bool {
    act.node().is_none_or(|node| node == record.node)
}

/// Advances by lengths that `next` gives, in microseconds, to the end.
fn by_lengths(run: &Run, mut next: impl FnMut() -> u64) -> Simulation {
    let mut simulation = Simulation::new(run);
    let mut at = 0;
    while !simulation.has_ended() {
        at += next();
        simulation.advance_to(at);
    }
    simulation
}

#[test]
fn the_length_of_a_step_changes_nothing() {
    for case in cases() {
        let run = given(&case);
        let mut whole = Simulation::new(&run);
        while whole.step() {}
        let mut drawn = 0x2545_f491_4f6c_dd1d_u64;
        let mut random = || {
            drawn = drawn.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            1 + (drawn >> 33) % 10_u64.pow(1 + (drawn >> 60) as u32 % 8)
        };
        for (what, other) in [
            ("1 ms", by_lengths(&run, || 1_000)),
            ("16 ms", by_lengths(&run, || 16_000)),
            ("1 h", by_lengths(&run, || 3_600_000_000)),
            ("random", by_lengths(&run, &mut random)),
        ] {
            let (whole, other) = (whole.trace(), other.trace());
            assert_eq!((whole.len(), whole.digest()), (other.len(), other.digest()), "{} by {what}", case.id);
        }
        for Intervention { when, act } in &case.scenario.script {
            let is_it = |record: &&Record| record.kind == kind_of(act) && is_there(act, record);
            let done = whole.trace().iter().filter(is_it).find(|record| match when {
                When::At(at) => record.at == *at,
                _ => true,
            });
            let done = done.unwrap_or_else(|| panic!("{}: {act:?} was not done in time", case.id)).at;
            let is_end = |record: &Record| end_of(act) == Some(record.kind) && is_there(act, record);
            let is_over = |at: u64| whole.trace().iter().any(|record| record.at == at && is_end(record));
            if let Some(ends) =
                act.lasts().map(|lasts| done + lasts.0 as u64).filter(|ends| *ends <= case.scenario.until)
            {
                assert!(is_over(ends), "{}: {act:?} does not end at {ends}", case.id);
            }
        }
        assert!(whole.trace().iter().all(|record| record.kind != Kind::Void), "{}: an act is void", case.id);
    }
}

/// Points that can be driven without a scenario of their own, and by what.
const DRIVEN: [(&str, &str); 2] = [
    ("L08", "the figure *heartbeat load*, under the rule `heartbeat`"),
    ("Z10", "the policy `expiry grace` with `loss self-fence`: the stop is asked for and obeyed"),
];

#[test]
fn every_drivable_point_can_be_driven() {
    let files = shipped();
    let driven: BTreeSet<&str> = files
        .values()
        .flat_map(|file| file.points.iter().map(String::as_str))
        .chain(DRIVEN.iter().map(|(point, _)| *point))
        .collect();
    let missing: Vec<String> = syllabus()
        .points
        .into_iter()
        .filter(|point| point.drivable && !driven.contains(point.id.as_str()))
        .map(|point| point.id)
        .collect();
    assert_eq!(missing, Vec::<String>::new());
    for (point, _) in DRIVEN {
        assert!(
            files.values().all(|file| !file.points.iter().any(|id| id == point)),
            "{point} has a scenario"
        );
    }
}

/// The digest of every scenario as given, seed 1: id, records, digest, separated by tabs. The page is
/// held to the same file. Set `GOLDEN=write` to write it anew, on purpose.
#[test]
fn digests_are_the_ones_kept() {
    let mut got = String::new();
    for case in cases() {
        let mut simulation = Simulation::new(&given(&case));
        simulation.finish();
        let trace = simulation.trace();
        got += &format!("{}\t{}\t{:016x}\n", case.id, trace.len(), trace.digest());
    }
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/digests.txt");
    if std::env::var("GOLDEN").as_deref() == Ok("write") {
        fs::write(&path, &got).unwrap();
    }
    let kept = fs::read_to_string(&path).expect("the digests, which GOLDEN=write writes");
    for (got, kept) in got.lines().zip(kept.lines()) {
        assert_eq!(got, kept);
    }
    assert_eq!(got.lines().count(), kept.lines().count());
}
