//! What is asserted of every run that is shipped, be it a scenario or an incident: what it claims
//! comes out, its remedies cure it, and nothing short of it satisfies its claims.

#![allow(dead_code, reason = "each test uses a part")]

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use fenceline_content::authoring::{self, Form};
use fenceline_content::points::Syllabus;
use fenceline_content::report::{Known, Mistake, Report};
use fenceline_content::scenario::{Case, Expected, ScenarioFile};
use fenceline_sim::verdict::State;
use fenceline_sim::{Act, Claim, Intervention, Judge, Kind, Record, Run, Simulation, Verdict, When};

pub(crate) const ASSETS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../assets");

pub(crate) fn files_in(folder: &str) -> Vec<PathBuf> {
    let entries = fs::read_dir(Path::new(ASSETS).join(folder)).unwrap();
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    paths
}

pub(crate) fn stem(path: &Path) -> String {
    path.file_stem().unwrap().to_str().unwrap().to_owned()
}

pub(crate) fn lines(mistakes: &[Mistake]) -> String {
    mistakes.iter().map(|mistake| format!("{mistake}\n")).collect()
}

pub(crate) fn syllabus() -> Syllabus {
    let text = fs::read_to_string(Path::new(ASSETS).join("points.toml")).unwrap();
    authoring::read(Form::Toml, &text, &mut Report::new("points.toml"))
}

pub(crate) fn known() -> Known {
    Known {
        points: Some(syllabus().points.into_iter().map(|point| point.id).collect()),
        scenarios: Some(
            ["scenarios", "incidents"].into_iter().flat_map(files_in).map(|path| stem(&path)).collect(),
        ),
        ..Known::default()
    }
}

/// Every shipped file of one folder, by name.
pub(crate) fn shipped(folder: &str) -> BTreeMap<String, ScenarioFile> {
    let known = known();
    let read = |path: &PathBuf| {
        let name = stem(path);
        let text = fs::read_to_string(path).unwrap();
        let file = authoring::scenario(&format!("{folder}/{name}.toml"), &text, &known);
        (name, file.unwrap_or_else(|mistakes| panic!("{}", lines(&mistakes))))
    };
    files_in(folder).iter().map(read).collect()
}

pub(crate) fn cases(folder: &str) -> Vec<Case> {
    let read = |(name, file): (String, ScenarioFile)| file.read(&name).unwrap();
    shipped(folder).into_iter().map(read).collect()
}

// --- runs ---

/// The scenario as given, with its own faults.
pub(crate) fn given(case: &Case) -> Run {
    Run::new(case.scenario.clone())
}

/// The scenario with other faults in place of its own.
pub(crate) fn with_faults(case: &Case, faults: &[Intervention]) -> Run {
    let mut scenario = (*case.scenario).clone();
    scenario.script = faults.to_vec();
    Run::new(scenario)
}

pub(crate) fn with_settings(case: &Case, settings: &[Intervention]) -> Run {
    Run { interventions: settings.to_vec(), ..given(case) }
}

pub(crate) fn verdicts(run: &Run) -> Vec<Verdict> {
    let mut simulation = Simulation::new(run);
    simulation.finish();
    assert_eq!(simulation.stop(), None);
    let trace = simulation.trace();
    Judge::over(run, trace, trace.len()).verdicts(trace, run.scenario.until)
}

pub(crate) fn state(verdicts: &[Verdict], claim: Claim) -> State {
    verdicts.iter().find(|verdict| verdict.claim == claim).unwrap().state
}

pub(crate) fn satisfies(verdicts: &[Verdict], expected: &[Expected]) -> bool {
    expected.iter().all(|expected| state(verdicts, expected.claim) == expected.state)
}

/// Each claim comes out as it says, and no claim is broken that it does not name.
pub(crate) fn assert_exactly(what: &str, verdicts: &[Verdict], expected: &[Expected]) {
    for Expected { claim, state: wanted } in expected {
        assert_eq!(state(verdicts, *claim), *wanted, "{what}: {claim:?}");
    }
    for verdict in verdicts.iter().filter(|verdict| verdict.state == State::Violated) {
        let is_named = expected.iter().any(|expected| expected.claim == verdict.claim);
        assert!(is_named, "{what}: {:?} is violated and not named", verdict.claim);
    }
}

// --- what is asserted ---

pub(crate) fn files_are_clean_and_survive_json(files: &BTreeMap<String, ScenarioFile>) {
    for (name, file) in files {
        assert_eq!(file.id, *name, "the id is the file's name");
        let json = serde_json::to_string(file).unwrap();
        assert_eq!(authoring::scenario("a.json", &json, &Known::default()).as_ref(), Ok(file), "{name}");
    }
    let titles: BTreeSet<&str> = files.values().map(|file| file.title.as_str()).collect();
    assert_eq!(titles.len(), files.len(), "two have one title");
}

pub(crate) fn texts_are_short_and_dry(files: &BTreeMap<String, ScenarioFile>) {
    for (name, file) in files {
        let remedies = file.remedies.iter().flat_map(|remedy| [&remedy.title, &remedy.why]);
        let misses = file.near_misses.iter().map(|miss| &miss.title);
        let next = file.next.iter().map(|next| &next.title);
        let incident = file.incident.iter().flat_map(|it| [&it.reported, &it.filled]);
        let texts = [&file.title, &file.about].into_iter().chain(remedies).chain(misses).chain(next);
        let texts = texts.map(|text| (text, 150)).chain(incident.map(|text| (text, 300)));
        for (text, most) in texts {
            let words = text.to_lowercase();
            for word in words.split(|sign: char| !sign.is_alphabetic()) {
                assert!(
                    !["please", "simply", "oops", "obviously", "frozen", "you"].contains(&word),
                    "{name}: {word}"
                );
            }
            assert!(!text.contains('!') && text.len() <= most, "{name}: {text}");
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

pub(crate) fn claims_come_out_exactly(cases: &[Case]) {
    for case in cases {
        assert_exactly(&case.id, &verdicts(&given(case)), &case.expected);
    }
}

/// Unless it needs nothing to be done: then the rules alone are what goes wrong, and its near misses
/// have other rules.
pub(crate) fn doing_nothing_satisfies_none(cases: &[Case]) {
    for case in cases.iter().filter(|case| !case.scenario.script.is_empty()) {
        let untouched = verdicts(&with_faults(case, &[]));
        assert!(!satisfies(&untouched, &case.expected), "{}: nobody has to do anything", case.id);
        let broken = untouched.iter().find(|verdict| verdict.state == State::Violated);
        assert!(broken.is_none(), "{}: nobody touches it, and yet {broken:?}", case.id);
        if case.expected.iter().all(|expected| expected.state == State::Holds) {
            let rests = |expected: &Expected| state(&untouched, expected.claim) == State::NotExercised;
            assert!(case.expected.iter().any(rests), "{}: holds by itself", case.id);
        }
    }
}

pub(crate) fn near_misses_miss(cases: &[Case]) {
    for case in cases {
        assert!(!case.near_misses.is_empty(), "{} has no near miss", case.id);
        for (title, acts) in &case.near_misses {
            assert_ne!(*acts, case.scenario.script, "{}: {title}", case.id);
            let verdicts = verdicts(&with_faults(case, acts));
            assert!(!satisfies(&verdicts, &case.expected), "{}: {title}", case.id);
        }
    }
}

/// The first remedy of what is broken cures it whole. Of what is not, it may show the contrast.
pub(crate) fn remedies_do_what_they_say(cases: &[Case]) {
    for case in cases {
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
            let verdicts = verdicts(&with_settings(case, &remedy.settings));
            assert_exactly(&what, &verdicts, &remedy.expected);
            if n == 0 && is_broken {
                let broken = verdicts.iter().find(|verdict| verdict.state == State::Violated);
                assert!(broken.is_none(), "{what}: {broken:?}");
            }
        }
    }
}

/// Chance, where there is any, decides no claim.
pub(crate) fn other_seeds_give_the_same_claims(cases: &[Case]) {
    for case in cases {
        for seed in 2..=9 {
            assert_exactly(&case.id, &verdicts(&Run { seed, ..given(case) }), &case.expected);
            for remedy in &case.remedies {
                let run = Run { seed, ..with_settings(case, &remedy.settings) };
                assert_exactly(&format!("{}: {}", case.id, remedy.title), &verdicts(&run), &remedy.expected);
            }
        }
    }
}

/// The times a text names, `at 51.4 s`, in microseconds.
pub(crate) fn times(text: &str) -> Vec<i64> {
    let figures =
        text.split("at ").skip(1).filter_map(|rest| rest.split_once(" s").map(|(figure, _)| figure));
    let read = |figure: &str| {
        let (whole, tenth) = figure.split_once('.')?;
        Some(whole.parse::<i64>().ok()? * 1_000_000 + tenth.parse::<i64>().ok()? * 100_000)
    };
    figures.filter_map(read).collect()
}

/// No figure is written by hand: something happens then, or a lease ends then, in the run it is
/// about. Says how many figures there are.
pub(crate) fn times_in_texts_are_those_of_the_run(files: &BTreeMap<String, ScenarioFile>) -> usize {
    let mut checked = 0;
    for (name, file) in files {
        let case = &file.read(name).unwrap();
        let remedies = file.remedies.iter().zip(&case.remedies);
        let texts = remedies.map(|(file, remedy)| (&file.why, with_settings(case, &remedy.settings)));
        let misses = case.near_misses.iter().map(|(title, faults)| (title, with_faults(case, faults)));
        for (text, run) in texts.chain(misses).chain([(&file.about, given(case))]) {
            let mut simulation = Simulation::new(&run);
            simulation.finish();
            for time in times(text) {
                let happens = |record: &Record| {
                    is_notable(record.kind) && record.at / 100_000 == time as u64 / 100_000
                        || has_deadline(record.kind) && record.b == time
                };
                assert!(
                    simulation.trace().iter().any(happens),
                    "{name}: nothing happens at {time} in: {text}"
                );
                checked += 1;
            }
        }
    }
    checked
}

/// Whether a text may tell of such a record: messages and beats come all the time.
fn is_notable(kind: Kind) -> bool {
    !matches!(
        kind,
        Kind::Sent
            | Kind::Delivered
            | Kind::StepBegan
            | Kind::StepEnded
            | Kind::Believes
            | Kind::BeatStarved
            | Kind::BeatsMissed
            | Kind::BeatWaited
            | Kind::BeatQueued
            | Kind::Observed
            | Kind::DeliveryRecorded
            | Kind::Worked
    )
}

/// Whether `b` is the end of a lease.
fn has_deadline(kind: Kind) -> bool {
    matches!(kind, Kind::LeaseStarted | Kind::Renewed | Kind::Expired | Kind::Guarded | Kind::Observed)
}

/// What records that an act was done.
pub(crate) fn kind_of(act: &Act) -> Kind {
    match act {
        Act::Pause { .. } => Kind::Paused,
        Act::Freeze { .. } => Kind::Frozen,
        Act::Crash { .. } | Act::Reboot { .. } => Kind::Crashed,
        Act::Slow { .. } => Kind::Slowed,
        Act::Block { .. } => Kind::LoopHeld,
        Act::Cut { .. } => Kind::LinkCut,
        Act::Degrade { .. } => Kind::LinkDegraded,
        Act::StepClock { .. } => Kind::ClockStepped,
        Act::ClockRate { .. } => Kind::ClockRated,
        Act::Input { .. } => Kind::InputChanged,
        Act::Operator { .. } => Kind::Decided,
        Act::Redeliver { .. } => Kind::Redelivered,
        Act::Restore { .. } => Kind::Restored,
        Act::ForceUnlock { .. } => Kind::LockForced,
        Act::Fail { .. } => Kind::Failing,
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
        Act::Block { .. } => Kind::LoopFreed,
        Act::Cut { .. } => Kind::LinkHealed,
        Act::Degrade { .. } => Kind::LinkRestored,
        Act::Fail { .. } => Kind::Recovered,
        Act::StepClock { .. }
        | Act::ClockRate { .. }
        | Act::Input { .. }
        | Act::Operator { .. }
        | Act::Redeliver { .. }
        | Act::Restore { .. }
        | Act::ForceUnlock { .. }
        | Act::Set(_) => return None,
    })
}

/// Whether a record is about the node an act is done to.
fn is_there(act: &Act, record: &Record) -> bool {
    act.node().is_none_or(|node| node == record.node)
}

/// Advances by lengths that `next` gives, in microseconds, to the end.
pub(crate) fn by_lengths(run: &Run, mut next: impl FnMut() -> u64) -> Simulation {
    let mut simulation = Simulation::new(run);
    let mut at = 0;
    while !simulation.has_ended() {
        at += next();
        simulation.advance_to(at);
    }
    simulation
}

pub(crate) fn the_length_of_a_step_changes_nothing(cases: &[Case]) {
    for case in cases {
        let run = given(case);
        let mut whole = Simulation::new(&run);
        while whole.step() {}
        let mut drawn = 0x2545_f491_4f6c_dd1d_u64;
        // A day in steps of 1 ms would take as long as all other tests.
        let shortest = (case.scenario.until / 2_000_000).max(1_000);
        let mut random = || {
            drawn = drawn.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            1 + (drawn >> 33) % 10_u64.pow(1 + (drawn >> 60) as u32 % 8)
        };
        for (what, other) in [
            ("1 ms, or a two-millionth of the run", by_lengths(&run, || shortest)),
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

/// The digest of every case as given, seed 1: id, records, digest, separated by tabs. The page is
/// held to the same file. Set `GOLDEN=write` to write it anew, on purpose.
pub(crate) fn digests_are_the_ones_kept(cases: &[Case], file: &str) {
    let mut got = String::new();
    for case in cases {
        let mut simulation = Simulation::new(&given(case));
        simulation.finish();
        let trace = simulation.trace();
        got += &format!("{}\t{}\t{:016x}\n", case.id, trace.len(), trace.digest());
    }
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests").join(file);
    if std::env::var("GOLDEN").as_deref() == Ok("write") {
        fs::write(&path, &got).unwrap();
    }
    let kept = fs::read_to_string(&path).expect("the digests, which GOLDEN=write writes");
    for (got, kept) in got.lines().zip(kept.lines()) {
        assert_eq!(got, kept);
    }
    assert_eq!(got.lines().count(), kept.lines().count());
}
