//! What is done with bytes from anywhere. A wrong file is told what is wrong with it; what is taken can
//! be written and read again, and plays and is judged without a panic.

#![allow(dead_code, reason = "each target uses one")]

use std::sync::Arc;

use fenceline_content::authoring;
use fenceline_content::link::RunLink;
use fenceline_content::report::Known;
use fenceline_content::scenario::Case;
use fenceline_content::words::{self, Cast};
use fenceline_sim::figures::Figures;
use fenceline_sim::story::Story;
use fenceline_sim::verdict::timelines;
use fenceline_sim::{Intervention, Run, Scenario, Simulation, Truth, judge};

/// Events that a run may have. Most that ship have fewer.
const EVENTS: u64 = 2_000;
/// Interventions that are played; more make a run slower, not stranger.
const ACTS: usize = 40;

/// Scenarios to intervene in, of which the first byte chooses one.
const SCENES: [&str; 6] = [
    include_str!("../assets/scenarios/flagship.toml"),
    include_str!("../assets/scenarios/leftover-staging.toml"),
    include_str!("../assets/scenarios/key-forgotten.toml"),
    include_str!("../assets/scenarios/commit-log-rebase.toml"),
    include_str!("../assets/scenarios/retry-storm.toml"),
    include_str!("../assets/scenarios/leftover-lock.toml"),
];

/// Reads a scenario's file; plays it, and each remedy and near miss, if there is nothing wrong with it.
/// Says whether there was not.
pub(crate) fn scenario(bytes: &[u8]) -> bool {
    let Ok(text) = str::from_utf8(bytes) else { return false };
    let file = match authoring::scenario("-", text, &Known::default()) {
        Ok(file) => file,
        Err(mistakes) => {
            assert!(!mistakes.is_empty(), "refused, and nothing is said of it");
            for mistake in mistakes {
                let (line, column) = mistake.line.unwrap_or((1, 1));
                assert!(line >= 1 && column >= 1 && line <= text.matches('\n').count() + 1, "{mistake}");
                assert!(!mistake.what.is_empty());
            }
            return false;
        }
    };
    let json = serde_json::to_string(&file).expect("plain data");
    assert_eq!(authoring::scenario("-", &json, &Known::default()).as_ref(), Ok(&file), "as JSON");
    let case = file.read("-").expect("it was checked");
    play(&case.scenario, &[]);
    for remedy in case.remedies.iter().take(2) {
        play(&case.scenario, &remedy.settings);
    }
    for (_, acts) in case.near_misses.iter().take(2) {
        play(&Arc::new(Scenario { script: acts.clone(), ..Scenario::clone(&case.scenario) }), &[]);
    }
    true
}

/// Reads interventions, a phrase a line or with commas between, and plays those that can be read.
/// Says whether there were any.
pub(crate) fn interventions(bytes: &[u8]) -> bool {
    let Some((first, bytes)) = bytes.split_first() else { return false };
    let Ok(text) = str::from_utf8(bytes) else { return false };
    let scene = SCENES[usize::from(*first) % SCENES.len()];
    let case = scene_of(scene);
    let mut acts = Vec::new();
    for phrase in text.split(['\n', ',']) {
        match words::intervention(phrase, case.cast()) {
            Ok(act) => {
                written_and_read_again(&act, case.cast());
                acts.push(act);
            }
            Err(what) => assert!(!what.is_empty()),
        }
    }
    let parameters = [("v", "1"), ("id", "any"), ("do", text), ("on", text), ("at", text)];
    if let Ok(Some(link)) = RunLink::read(parameters) {
        let _ = (link.interventions(case.cast()), link.selects(case.cast()));
    }
    acts.truncate(ACTS);
    play(&case.scenario, &acts);
    !acts.is_empty()
}

fn scene_of(text: &str) -> Case {
    let file = authoring::scenario("scene.toml", text, &Known::default());
    file.and_then(|file| file.read("scene.toml")).expect("it ships")
}

fn written_and_read_again(act: &Intervention, cast: Cast) {
    let phrase = words::intervention_words(act, cast);
    assert_eq!(words::intervention(&phrase, cast).as_ref(), Ok(act), "{phrase}");
    let link = RunLink::write("any", 1, Some(std::slice::from_ref(act)), cast);
    assert!(!link.contains(' '), "{link}");
}

fn play(scenario: &Arc<Scenario>, acts: &[Intervention]) {
    let run = Run { interventions: acts.to_vec(), ..Run::new(Arc::clone(scenario)) };
    let mut simulation = Simulation::new(&run).limited(EVENTS);
    simulation.finish();
    let (trace, now) = (simulation.trace(), simulation.now());
    let _ = (
        judge(&run, trace, trace.len(), now),
        Truth::of(&run, trace, trace.len(), now),
        Story::of(&run, trace, trace.len(), now),
        Figures::of(&run, trace, trace.len(), now),
    );
    // Most runs have more events than are played: what falls due later is asked for at the end as well.
    let _ = (judge(&run, trace, trace.len(), scenario.until), timelines(&run, trace, scenario.until));
}
