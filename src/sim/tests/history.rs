//! A history gives the same as playing from the beginning, whatever way one comes to an instant.

use fenceline_engine::{NodeId, Span};
use fenceline_sim::workload::{first_run, w1};
use fenceline_sim::{Act, History, Intervention, Run, Setting, Simulation, When, judge};

const LIMIT: u64 = 1_000_000;

fn at(seconds: u64, act: Act) -> Intervention {
    Intervention { when: When::At(seconds * 1_000_000), act }
}

fn pause(node: u16, seconds: i64) -> Act {
    Act::Pause { node: NodeId(node), lasts: Some(Span::secs(seconds)) }
}

/// 50 workers for an hour: some 54,000 events, so that there are snapshots.
fn long_run(interventions: &[Intervention]) -> Run {
    Run { interventions: interventions.to_vec(), ..Run::new(w1(50, Span::secs(3600))) }
}

fn played_digest(run: &Run) -> u64 {
    let mut simulation = Simulation::new(run);
    simulation.finish();
    simulation.trace().digest()
}

#[test]
fn a_history_is_the_run_played() {
    let run = long_run(&[at(100, pause(3, 60))]);
    let history = History::new(run.clone(), LIMIT);
    assert_eq!(history.digest(), played_digest(&run));
    assert!(history.snapshots() > 5, "{} snapshots", history.snapshots());
    assert_eq!(history.len_at(u64::MAX), history.trace().len());
}

#[test]
fn any_instant_goes_on_as_the_run_did() {
    let history = History::new(long_run(&[at(100, pause(3, 60)), at(2000, pause(4, 500))]), LIMIT);
    for seconds in [0, 1, 100, 131, 1999, 2000, 2001, 3599, 3600, 9999] {
        let instant = seconds * 1_000_000;
        let state = history.at(instant);
        assert_eq!(state.now(), instant.min(3_600_000_000));
        assert_eq!(state.records(), history.len_at(instant), "at {seconds} s");
        let mut simulation = Simulation::resume(state.clone(), history.trace().prefix(state.records()));
        simulation.finish();
        assert_eq!(simulation.trace().digest(), history.digest(), "from {seconds} s on");
    }
}

#[test]
fn a_fork_shares_the_past_and_equals_a_run_from_the_beginning() {
    let past = [at(100, pause(3, 60)), at(2000, pause(4, 500))];
    let history = History::new(long_run(&past), LIMIT);
    let edits: [(&str, Vec<Intervention>); 7] = [
        ("nothing", past.to_vec()),
        ("one more", [&past[..], &[at(2500, pause(5, 90))]].concat()),
        ("one less", past[..1].to_vec()),
        ("another length", vec![past[0], at(2000, pause(4, 50))]),
        ("another index", vec![past[1], past[0]]),
        ("a rule from the start", [&past[..], &[at(0, Act::Set(Setting::Lease(Span::secs(21))))]].concat()),
        ("after the end", [&past[..], &[at(4000, pause(5, 90))]].concat()),
    ];
    for (name, interventions) in edits {
        let run = long_run(&interventions);
        let fork = history.fork(run.clone());
        assert_eq!(fork.digest(), played_digest(&run), "{name}");
        let instant = 2_600_000_000;
        assert_eq!(fork.at(instant).records(), fork.len_at(instant), "{name}");
        let judged = judge(&run, fork.trace(), fork.len_at(instant), instant);
        assert_eq!(fork.judged(instant).verdicts(fork.trace(), instant), judged, "{name}");
    }
}

#[test]
fn an_armed_act_begins_anew() {
    let act = Intervention {
        when: When::BeforeStep {
            exec: fenceline_engine::Exec::first(fenceline_engine::TaskId(0), 1),
            step: 3,
        },
        act: pause(1, 55),
    };
    let run = Run { interventions: vec![act], ..Run::new(first_run()) };
    let fork = History::new(Run::new(first_run()), LIMIT).fork(run.clone());
    assert_eq!(fork.digest(), played_digest(&run));
    assert_ne!(fork.digest(), played_digest(&Run::new(first_run())));
}

#[test]
fn a_run_stops_at_its_limit() {
    let history = History::new(long_run(&[]), 10_000);
    assert_eq!(history.stop(), Some(fenceline_sim::Stop::Events(10_000)));
    assert_eq!(history.end().events(), 10_000);
    assert_eq!(history.at(u64::MAX).records(), history.trace().len());
}

#[test]
fn stepping_through_records_finds_the_middle_of_an_instant() {
    let history = History::new(Run::new(first_run()), LIMIT);
    for records in 0..=history.trace().len() {
        let state = history.after(records);
        assert!(state.records() >= records);
    }
}

#[test]
fn a_judge_stands_between_two_events_of_one_instant() {
    let run = long_run(&[at(100, pause(3, 60))]);
    let history = History::new(run.clone(), LIMIT);
    for records in [1, 500, 40_001, 40_002, 60_000] {
        let now = history.trace().get(records - 1).expect("a record").at;
        let judged = judge(&run, history.trace(), records, now);
        assert_eq!(history.judged_after(records).verdicts(history.trace(), now), judged, "after {records}");
    }
}
