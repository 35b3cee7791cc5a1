//! One lease for all that a worker holds.

mod support;

use fenceline_engine::{LeaseScope, Limit, OnLoss, Signal, Span, Step, TaskSpec};
use fenceline_sim::workload::first_run;
use fenceline_sim::{Act, Kind, MessageKind, Record, Run, Scenario, Setting};
use support::*;

/// Tasks that fall due at these seconds, for one worker with room for all; another stands by.
fn scenario(scope: LeaseScope, due: &[i64]) -> Scenario {
    let mut scenario = first_run();
    let (task, judged) = (scenario.tasks[0].clone(), scenario.judged[0].clone());
    scenario.tasks = due.iter().map(|due| TaskSpec { due: Span::secs(*due), ..task.clone() }).collect();
    scenario.judged = vec![judged; due.len()];
    scenario.workers[0].slots = 9;
    scenario.workers[1].slots = 9;
    scenario.rules.lease.scope = scope;
    scenario.until = 200_000_000;
    scenario
}

fn of_kind(run: &Run, kind: Kind) -> Vec<Record> {
    run.played().trace.iter().filter(|r| r.kind == kind).copied().collect()
}

/// Heartbeats of worker 1, in tenths of a second.
fn beats(run: &Run) -> Vec<u64> {
    let is_beat = |r: &&Record| r.message() == Some(MessageKind::Heartbeat) && r.node == WORKER_1;
    of_kind(run, Kind::Sent).iter().filter(is_beat).map(|r| r.at / 100_000).collect()
}

/// Tasks and tenths of a second.
fn told(run: &Run, kind: Kind) -> Vec<(u16, u64)> {
    of_kind(run, kind).iter().map(|r| (r.task.0, r.at / 100_000)).collect()
}

#[test]
fn one_beat_renews_all() {
    let run = Run::new(scenario(LeaseScope::Worker, &[0, 0, 0]));
    assert_eq!(beats(&run), [102, 202, 302], "the fourth would fall after their end");
    let renewed = of_kind(&run, Kind::Renewed);
    assert_eq!(renewed.len(), 9);
    assert!(renewed.chunks(3).all(|of| of.iter().all(|r| (r.at, r.b) == (of[0].at, of[0].b))));
    assert_eq!(beats(&Run::new(scenario(LeaseScope::Attempt, &[0, 0, 0]))).len(), 9);
}

#[test]
fn they_expire_together_whenever_they_were_granted() {
    let pause = Act::Pause { node: WORKER_1, lasts: None };
    let silent = |scope| Run::new(scenario(scope, &[0, 0, 25])).with(22, pause);
    // The last beat at 20.2 s reaches the scheduler at 20.4 s.
    assert_eq!(told(&silent(LeaseScope::Worker), Kind::Expired), [(0, 510), (1, 510), (2, 510)]);
    assert_eq!(told(&silent(LeaseScope::Attempt), Kind::Expired), [(0, 510), (1, 510), (2, 550)]);
}

#[test]
fn another_goes_on_beating_when_the_first_has_ended() {
    for due in [3, 7, 9] {
        let run = Run::new(scenario(LeaseScope::Worker, &[0, due, 2 * due]));
        let beats = beats(&run);
        assert!(beats.windows(2).all(|pair| pair[1] - pair[0] == 100), "{due}: {beats:?}");
        assert!(told(&run, Kind::Expired).is_empty() && beats.len() >= 3);
    }
}

#[test]
fn a_worker_that_starts_again_renews_nothing_it_has_lost() {
    let mut scenario = scenario(LeaseScope::Worker, &[0, 25]);
    scenario.workers.truncate(1);
    scenario.sinks[0].name = "revenue".into();
    for task in &mut scenario.tasks {
        task.program.retain(|step| step.sink().is_none());
    }
    let run = Run::new(scenario).with(22, Act::Crash { node: WORKER_1, lasts: Some(Span::secs(1)) });
    assert_eq!(told(&run, Kind::Expired), [(0, 510)], "though its worker beats for the second task");
}

#[test]
fn who_is_told_that_the_session_is_lost_stops_all() {
    let mut scenario = scenario(LeaseScope::Worker, &[0, 0]);
    scenario.rules.on_loss = OnLoss::SelfFence;
    let run = Run::new(scenario).paused_for(40);
    let stopped: Vec<_> =
        of_kind(&run, Kind::Ended).iter().filter(|r| r.node == WORKER_1).map(|r| r.at).collect();
    assert_eq!(stopped, [62_000_000, 62_000_000]);
}

#[test]
fn a_session_says_nothing_of_one_attempt() {
    let redispatch = Act::Operator { task: TASK, decision: fenceline_engine::Decision::Redispatch };
    let run = |scope| {
        let mut scenario = scenario(scope, &[0, 0]);
        scenario.rules.on_loss = OnLoss::SelfFence;
        Run::new(scenario).with(15, redispatch)
    };
    assert_eq!(told(&run(LeaseScope::Attempt), Kind::ToldLost), [(0, 206)]);
    assert!(told(&run(LeaseScope::Worker), Kind::ToldLost).is_empty(), "the worker lives");
}

#[test]
fn scopes_can_be_changed_while_they_run() {
    let change = |scope| Act::Set(Setting::LeaseScope(scope));
    let (attempt, worker) = (LeaseScope::Attempt, LeaseScope::Worker);
    let to_worker = Run::new(scenario(attempt, &[0, 3, 6])).with(12, change(worker));
    let to_attempt = Run::new(scenario(worker, &[0, 3, 6])).with(12, change(attempt));
    for run in [to_worker, to_attempt] {
        assert!(told(&run, Kind::Expired).is_empty());
        assert_eq!(told(&run, Kind::AttemptSucceeded).len(), 3);
    }
}

/// The beat is the carrier's; whoever else got on says so, where somebody heeds it.
#[test]
fn the_progress_of_all_is_heard() {
    let mut scenario = scenario(LeaseScope::Worker, &[0, 0]);
    for task in &mut scenario.tasks {
        task.program.splice(1..2, [Step::Compute(Span::secs(15)); 6]);
    }
    let run = Run::new(scenario);
    let limit = Some(Limit { after: Span::secs(30), signal: Signal::None });
    let limited = run.clone().with(0, Act::Set(Setting::ProgressTimeout(limit)));
    assert_eq!(of_kind(&limited, Kind::Overran).len(), 0);
    assert_eq!(of_kind(&limited, Kind::AttemptSucceeded).len(), 2);
    assert!(beats(&limited).len() > beats(&run).len());
}
