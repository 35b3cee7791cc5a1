//! Deliberate re-runs of tasks that have ended, and what takes them for repeats; commits of older
//! intervals likewise.

mod support;

use fenceline_engine::{
    Decision, FenceRaise, IdempotencyKey, KeyReach, KeyRules, LateCompletion, LogGuard, SinkKind, Span, Step,
    TaskId, TaskSpec,
};
use fenceline_sim::verdict::State::{Holds, NotExercised, Violated};
use fenceline_sim::{Act, Claim, Kind, Run, Setting};
use support::*;

fn operator(decision: Decision) -> Act {
    Act::Operator { task: TASK, decision }
}

fn times(run: &Run, kind: Kind) -> Vec<u64> {
    run.played().trace.iter().filter(|r| r.kind == kind).map(|r| r.at / 1_000_000).collect()
}

/// The first run, which succeeds at 30.6 s, with its input changed at 40 s and run again at 50 s.
fn corrected(kind: SinkKind) -> Run {
    with_changed_input(onto(kind)).with(50, operator(Decision::Rerun))
}

#[test]
fn a_task_that_ended_is_run_again_and_its_newest_success_is_what_counts() {
    let run = corrected(SinkKind::Overwrite).with(0, Act::Set(Setting::Attempts(1)));
    assert_eq!(times(&run, Kind::Reopened), [50]);
    assert_eq!(times(&run, Kind::Granted), [0, 50], "its attempts are counted anew");
    let rows = run.played().judge().rows(TASK);
    assert!(rows.is_right() && rows.expected == 1000, "{rows:?}");
    assert_eq!(state(&run, Claim::RowsAsExpected), Holds);
    assert_eq!(state(&run, Claim::NoStaleOverNewer), NotExercised);
    assert_ne!(state(&run, Claim::OneEnding), Violated, "it was opened again on purpose");
    // A failure by decision is run again likewise; what has not ended is not.
    let failed = Run::new(onto(SinkKind::Append)).with(10, operator(Decision::Fail));
    assert_eq!(times(&failed.with(50, operator(Decision::Rerun)), Kind::Granted), [0, 50]);
    let open = Run::new(onto(SinkKind::Append)).with(10, operator(Decision::Rerun));
    assert_eq!((times(&open, Kind::Reopened).len(), times(&open, Kind::Granted).len()), (0, 1));
}

#[test]
fn an_attempt_that_is_open_still_is_given_up_by_a_rerun() {
    // Attempt 1 wakes at 60 s, before attempt 2 is done, and its success is accepted at 68 s.
    let late = Act::Set(Setting::Late(LateCompletion::Accept));
    let run = Run::new(onto(SinkKind::Overwrite)).paused_for(38).with(0, late);
    let run = run.with(70, operator(Decision::Rerun));
    assert_eq!(times(&run, Kind::AttemptTimedOut).last(), Some(&70));
    assert_eq!(times(&run, Kind::Granted), [0, 51, 70]);
}

#[test]
fn a_guard_against_zombies_takes_a_correction_for_a_repeat() {
    let log = |guard| corrected(SinkKind::Log(guard));
    let swallowed = log(LogGuard::Interval);
    assert_eq!(times(&swallowed, Kind::CommitFound).len(), 1);
    let rows = swallowed.played().judge().rows(TASK);
    assert_eq!((rows.outdated, rows.foreign), (1000, 204), "the rows of before the correction");
    assert_eq!(state(&swallowed, Claim::RowsAsExpected), Violated);
    assert_eq!(state(&corrected(SinkKind::Overwrite), Claim::RowsAsExpected), Holds);
    let fenced = guarded(onto(SinkKind::Overwrite), fence(FenceRaise::Claim));
    let fenced = with_changed_input(fenced).with(50, operator(Decision::Rerun));
    assert_eq!(state(&fenced, Claim::RowsAsExpected), Holds, "a fence orders runs, too");
}

#[test]
fn a_key_is_the_same_in_a_rerun_or_new() {
    let run = |reach| {
        let key = IdempotencyKey::FromTask(KeyRules { reach, ..KeyRules::PLAIN });
        let scenario = doing(SinkKind::Api(key), &[Step::Effect { sink: SINK }]);
        Run::new(scenario).with(50, operator(Decision::Rerun))
    };
    let same = run(KeyReach::EveryRun);
    assert_eq!((times(&same, Kind::EffectDone).len(), state(&same, Claim::EffectsOnce)), (1, Violated));
    let new = run(KeyReach::OneGeneration);
    assert_eq!(times(&new, Kind::EffectDone).len(), 2);
    assert_ne!(state(&new, Claim::EffectsOnce), Violated, "once for each run");
    // Within one run a repeat is a repeat.
    let zombie = Run::new((*new.scenario).clone()).paused_for(50);
    assert_eq!(times(&zombie, Kind::EffectDone).len(), 1);
}

/// Two intervals of one task: the second commits at 50 s, the first, held up, at 55 s.
fn two_intervals(guard: LogGuard, applications: [u16; 2]) -> Run {
    let mut scenario = onto(SinkKind::Log(guard));
    let first = scenario.tasks[0].clone();
    scenario.tasks.push(TaskSpec { due: Span::secs(20), ..first });
    for (task, application) in scenario.tasks.iter_mut().zip(applications) {
        task.application = TaskId(application);
    }
    scenario.judged.push(scenario.judged[0].clone());
    Run::new(scenario).paused_for(25)
}

#[test]
fn a_log_that_knows_the_tasks_newest_interval_skips_an_older_one() {
    let skipped = |guard, applications| times(&two_intervals(guard, applications), Kind::CommitFound).len();
    assert_eq!(skipped(LogGuard::Interval, [0, 0]), 0);
    assert_eq!(skipped(LogGuard::Token, [0, 0]), 0);
    assert_eq!(skipped(LogGuard::TaskInterval, [0, 0]), 1);
    assert_eq!(skipped(LogGuard::TaskToken, [0, 0]), 1, "token 7 after token 8");
    assert_eq!(skipped(LogGuard::TaskInterval, [0, 1]), 0, "two tasks");
    let lost = two_intervals(LogGuard::TaskInterval, [0, 0]);
    assert_eq!(state(&lost, Claim::RowsAsExpected), Violated);
    assert_eq!(lost.played().judge().rows(TASK).lost, 1204, "another interval's commit is not its own");
}
