//! More heartbeats than the scheduler can handle.

mod support;

use fenceline_engine::{LeaseScope, Span};
use fenceline_sim::figures::Figures;
use fenceline_sim::workload::first_run;
use fenceline_sim::{Act, Kind, Record, Run, Scenario, Setting};
use support::*;

/// Three workers with four attempts each: 72 heartbeats a minute, of which this many can be handled.
fn scenario(capacity: Option<u32>) -> Scenario {
    let mut scenario = first_run();
    let worker = scenario.workers[0].clone();
    scenario.workers = vec![fenceline_sim::WorkerSpec { slots: 4, ..worker }; 3];
    let mut task = scenario.tasks[0].clone();
    task.program =
        vec![fenceline_engine::Step::Compute(Span::secs(400)), fenceline_engine::Step::Acknowledge];
    scenario.tasks = vec![task; 12];
    scenario.judged = vec![scenario.judged[0].clone(); 12];
    scenario.sinks.clear();
    scenario.rules.heartbeat.capacity = capacity;
    scenario.until = 300_000_000;
    scenario
}

fn of_kind(run: &Run, kind: Kind) -> Vec<Record> {
    run.played().trace.iter().filter(|r| r.kind == kind).copied().collect()
}

fn figures(run: &Run) -> Figures {
    let played = run.played();
    Figures::of(run, &played.trace, played.trace.len(), played.now)
}

#[test]
fn what_can_be_handled_is_handled_as_it_comes() {
    let mut first = first_run();
    first.rules.heartbeat.capacity = Some(600);
    let digest = |scenario| Run::new(scenario).played().trace.digest();
    assert_eq!(digest(first), digest(first_run()));
}

#[test]
fn above_the_capacity_heartbeats_wait_and_leases_end_though_all_beat_in_time() {
    let free = Run::new(scenario(None));
    let loaded = Run::new(scenario(Some(20)));
    assert!(of_kind(&free, Kind::Expired).is_empty() && of_kind(&free, Kind::BeatQueued).is_empty());
    assert!(of_kind(&loaded, Kind::BeatQueued).len() > 50);
    let figures = figures(&loaded);
    assert!(figures.false_expiries.running >= 3, "{:?}", figures.false_expiries);
    assert_eq!(figures.heartbeats.highest, 20, "no more than it can handle");
}

#[test]
fn what_waits_renews_the_dead() {
    let crash = Act::Crash { node: WORKER_1, lasts: None };
    let found = |capacity| {
        let run = Run::new(scenario(capacity)).with(100, crash);
        of_kind(&run, Kind::Expired)[0].at / 1_000_000
    };
    // Renewed every 18 s, all live; but what is handled at 100 s was sent long before.
    assert_eq!(found(None), 121);
    assert!(found(Some(40)) > 150, "{}", found(Some(40)));
}

#[test]
fn a_beat_for_a_whole_session_is_a_beat_less_for_each() {
    let mut scenario = scenario(Some(40));
    scenario.rules.lease.scope = LeaseScope::Worker;
    let run = Run::new(scenario);
    assert!(of_kind(&run, Kind::Expired).is_empty());
    assert_eq!(figures(&run).heartbeats.highest, 18);
}

#[test]
fn without_a_capacity_all_that_wait_are_handled() {
    let run = Run::new(scenario(Some(10))).with(21, Act::Set(Setting::Capacity(None)));
    assert!(of_kind(&run, Kind::BeatQueued).len() >= 12);
    assert!(of_kind(&run, Kind::Expired).is_empty());
}

#[test]
fn a_crash_loses_those_that_wait() {
    let crash = Act::Crash { node: SCHEDULER, lasts: Some(Span::secs(1)) };
    let run = |acts: &[Act]| acts.iter().fold(Run::new(scenario(Some(6))), |run, act| run.with(12, *act));
    let handled = |run: &Run| of_kind(run, Kind::Renewed).iter().filter(|r| r.n == 1).count();
    assert_eq!(handled(&run(&[crash])), 1, "the one that was handled at 10.4 s");
    assert!(handled(&run(&[])) >= 2);
}
