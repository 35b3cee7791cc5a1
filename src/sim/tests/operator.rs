//! What an operator decides about a held attempt, and how the attempt then ends.

mod support;

use fenceline_engine::{AttemptState, Decision, Ending, ExpiryPolicy, Span, SuccessBy, TaskState};
use fenceline_sim::truth::LeaseEnd;
use fenceline_sim::workload::first_run;
use fenceline_sim::{Act, Claim, Fate, Kind, Path, Run, Setting, Simulation, Way};
use support::*;

/// Worker 1 is silent from 22 s for `seconds`; its attempt is held at 51 s; at 60 s somebody decides.
fn decided(seconds: i64, decision: Decision) -> Run {
    let hold = ExpiryPolicy::Hold { alert_after: Span::secs(100) };
    let run = Run::new(first_run()).with(0, Act::Set(Setting::Expiry(hold))).paused_for(seconds);
    run.with(60, Act::Operator { task: TASK, decision })
}

/// The state of the task and of its attempts in the record at the end.
fn recorded(run: &Run) -> (TaskState, Vec<AttemptState>) {
    let mut simulation = Simulation::new(run);
    simulation.finish();
    let record = simulation.world().ledger().task(TASK);
    (record.state, record.attempts.iter().map(|attempt| attempt.state).collect())
}

fn of_kind(run: &Run, kind: Kind) -> Vec<fenceline_sim::Record> {
    run.played().trace.iter().filter(|r| r.kind == kind).copied().collect()
}

fn lease_end(run: &Run) -> Option<LeaseEnd> {
    let played = run.played();
    let truth = fenceline_sim::Truth::of(run, &played.trace, played.trace.len(), 62_000_000);
    truth.lease(TASK, 1).and_then(|lease| lease.end).map(|(_, why)| why)
}

#[test]
fn a_success_by_decision_is_the_attempts_own_ending() {
    let run = decided(90, Decision::Succeed);
    assert_eq!(recorded(&run), (TaskState::Succeeded, vec![AttemptState::Succeeded]));
    let closed = of_kind(&run, Kind::AttemptSucceeded);
    assert_eq!(
        closed.iter().map(|r| (r.at, r.success_by())).collect::<Vec<_>>(),
        [(60_000_000, SuccessBy::Operator)]
    );
    assert!(of_kind(&run, Kind::AttemptTimedOut).is_empty());
    // The lease had run out before; nothing released it.
    assert_eq!(lease_end(&run), Some(LeaseEnd::Expired));
}

#[test]
fn a_success_by_decision_stands_for_the_rows_its_attempt_wrote() {
    use fenceline_sim::verdict::State::{Holds, Violated};
    let dead = decided(1, Decision::Succeed).with(24, Act::Crash { node: WORKER_1, lasts: None });
    assert_eq!(state(&dead, Claim::RowsAsExpected), Violated, "it never wrote");
    let cut = Act::Cut { node: WORKER_1, path: Path::Control, way: Way::Both, fate: Fate::Lost, lasts: None };
    assert_eq!(state(&decided(1, Decision::Succeed).with(24, cut), Claim::RowsAsExpected), Holds);
}

#[test]
fn a_failure_by_decision_is_the_attempts_own_ending_and_is_not_retried() {
    let run = decided(90, Decision::Fail);
    assert_eq!(recorded(&run), (TaskState::Failed, vec![AttemptState::Failed]));
    assert_eq!(of_kind(&run, Kind::AttemptFailed).len(), 1);
    assert_eq!(of_kind(&run, Kind::Granted).len(), 1);
}

#[test]
fn a_cancelled_attempt_is_killed_and_given_to_another_when_that_is_confirmed() {
    let run = decided(30, Decision::Cancel);
    // It resumed at 52 s, computes until 60.2 s, and dies of the order at 60.2 s, confirmed at 60.4 s.
    let ended = of_kind(&run, Kind::Ended);
    assert_eq!((ended[0].at, ended[0].ending()), (60_200_000, Ending::Killed));
    let granted: Vec<u64> = of_kind(&run, Kind::Granted).iter().map(|r| r.at).collect();
    assert_eq!(granted, [0, 60_400_000]);
    assert_eq!(recorded(&run).1, [AttemptState::TimedOut, AttemptState::Succeeded]);
}

#[test]
fn an_attempt_whose_death_nobody_confirms_stays_held() {
    let run = decided(90, Decision::Cancel);
    assert_eq!(recorded(&run), (TaskState::Running, vec![AttemptState::Held]));
    assert_eq!(of_kind(&run, Kind::Granted).len(), 1);
}

#[test]
fn a_worker_confirms_the_death_of_what_it_lost_in_a_crash() {
    let crash = Act::Crash { node: WORKER_1, lasts: Some(Span::secs(3)) };
    let run = decided(1, Decision::Cancel).with(24, crash);
    let granted: Vec<u64> = of_kind(&run, Kind::Granted).iter().map(|r| r.at).collect();
    assert_eq!(granted, [0, 60_400_000]);
}

#[test]
fn an_extended_lease_runs_its_full_length_from_then_on() {
    let run = decided(90, Decision::Extend);
    let starts: Vec<(u64, i64)> = of_kind(&run, Kind::LeaseStarted).iter().map(|r| (r.at, r.b)).collect();
    assert_eq!(starts, [(0, 30_000_000), (60_000_000, 90_000_000)]);
    assert_eq!(of_kind(&run, Kind::HeldForOperator).len(), 2, "and is held again at 90 s");
}
