//! Cleanups: what they delete, whose it was, and who minds.

mod support;

use fenceline_engine::{
    CallRules, Clean, FenceRaise, FenceRules, Found, LateCompletion, Put, SinkKind, Span, StagingName, Step,
};
use fenceline_sim::verdict::State;
use fenceline_sim::{Act, Claim, Fate, Kind, Path, Run, Scenario, Way};
use support::*;

const WRITE: Step = Step::Write { sink: SINK, part: 0, parts: 1 };

fn cleaning(kind: SinkKind, what: Clean) -> Scenario {
    let wait = Step::Compute(Span::secs(20));
    let mut scenario = doing(kind, &[WRITE, wait, Step::Clean { sink: SINK, what }]);
    scenario.rules.late_completion = LateCompletion::Accept;
    scenario.until = 200_000_000;
    scenario
}

/// Attempt 1 sleeps from 22 s and writes late; attempt 2 writes at 81.6 s and cleans at 101.6 s.
fn late(scenario: Scenario, seconds: i64) -> Run {
    Run::new(scenario).paused_for(seconds)
}

/// What was deleted: when, in seconds, by which attempt, of which, and how many rows.
fn deleted(run: &Run) -> Vec<(u64, u8, u8, u32)> {
    let trace = run.played().trace;
    let cleaned = trace.iter().filter(|r| r.kind == Kind::Cleaned);
    cleaned.map(|r| (r.at / 1_000_000, r.attempt, r.holder().attempt, r.deleted())).collect()
}

fn visible(run: &Run) -> u64 {
    let played = run.played();
    played.judge().rows(TASK).visible
}

#[test]
fn deleting_an_older_generation_that_is_live_leaves_nothing() {
    // Attempt 1 wakes at 90 s and overwrites the newer output at about 98 s.
    let run = late(cleaning(SinkKind::Overwrite, Clean::Older), 68);
    assert_eq!(deleted(&run), [(101, 2, 1, 1204)]);
    assert_eq!(visible(&run), 0);
    assert_eq!(state(&run, Claim::NoCommitLost), State::Violated);
    assert_eq!(state(&run, Claim::RowsAsExpected), State::Violated);
    let careful = late(cleaning(SinkKind::Overwrite, Clean::Staged), 68);
    assert!(deleted(&careful).is_empty());
    assert_eq!(visible(&careful), 1204);
}

#[test]
fn an_append_is_made_right_by_deleting_what_was_there_before() {
    // Attempt 1 wakes at 60 s and writes at 68 s, before attempt 2 does.
    let run = late(cleaning(SinkKind::Append, Clean::Older), 38);
    assert_eq!(deleted(&run)[0], (101, 2, 1, 1204));
    assert_eq!(visible(&run), 1204);
    assert_eq!(state(&run, Claim::NoStaleOverNewer), State::NotExercised);
    let stale = late(cleaning(SinkKind::Append, Clean::Older), 100);
    assert_eq!(visible(&stale), 2408, "the older comes after the cleanup");
}

#[test]
fn a_zombie_that_keeps_only_its_own_deletes_the_newer() {
    let run = late(cleaning(SinkKind::Append, Clean::Others), 58);
    assert!(deleted(&run).iter().any(|(_, by, of, _)| (*by, *of) == (1, 2)), "{:?}", deleted(&run));
    assert_eq!(state(&run, Claim::NoStaleOverNewer), State::Violated);
    assert_eq!(state(&run, Claim::NoCommitLost), State::Violated);
    let fence = FenceRules::raised(FenceRaise::Claim);
    let fenced = late(guarded(cleaning(SinkKind::Append, Clean::Others), fence), 58);
    assert!(deleted(&fenced).is_empty());
    assert_eq!(state(&fenced, Claim::RowsAsExpected), State::Holds);
}

#[test]
fn a_fence_refuses_a_stale_cleanup_after_its_write_was_let_in() {
    // Attempt 1 writes at 30.4 s, sleeps before its cleanup, and finds the fence raised.
    let fence = FenceRules::raised(FenceRaise::Claim);
    let run =
        |scenario| Run::new(scenario).with(35, Act::Pause { node: WORKER_1, lasts: Some(Span::secs(90)) });
    let bare = run(cleaning(SinkKind::Overwrite, Clean::Others));
    assert_eq!(visible(&bare), 0, "deleted by the older one");
    assert_eq!(state(&bare, Claim::NoStaleOverNewer), State::Violated);
    let fenced = run(guarded(cleaning(SinkKind::Overwrite, Clean::Others), fence));
    assert_eq!(visible(&fenced), 1204);
    assert_eq!(state(&fenced, Claim::NoStaleOverNewer), State::NotExercised);
}

#[test]
fn a_leftover_staging_table_can_be_cleaned_away_first() {
    let kind = SinkKind::Staged { name: StagingName::Fixed, found: Found::InTheWay };
    let wait = Step::Compute(Span::secs(10));
    let steps = [
        Step::Clean { sink: SINK, what: Clean::Staged },
        Step::Stage { sink: SINK },
        wait,
        Step::Swap { sink: SINK },
    ];
    let crash = Act::Crash { node: WORKER_1, lasts: None };
    let with = |steps: &[Step]| {
        let scenario = Scenario { until: 150_000_000, ..doing(kind, steps) };
        Run::new(scenario).with(35, crash)
    };
    assert_eq!(state(&with(&steps[1..]), Claim::NotBlockedByLeftovers), State::Violated);
    let cleaned = with(&steps);
    assert_eq!(deleted(&cleaned).len(), 1);
    assert_eq!(state(&cleaned, Claim::NotBlockedByLeftovers), State::Holds);
    assert_eq!(visible(&cleaned), 1204);
}

#[test]
fn what_was_deleted_is_forgotten_by_if_absent() {
    // Attempt 2 finds the object of attempt 1, which died after its write, deletes it and puts its own.
    let steps = |clean: &[Step]| [clean, &[WRITE, Step::Compute(Span::secs(20))]].concat();
    let clean = [Step::Clean { sink: SINK, what: Clean::Older }];
    let run = |clean: &[Step]| {
        let mut scenario = doing(SinkKind::Objects(Put::IfAbsent), &steps(clean));
        scenario.rules.call = CallRules { timeout: Some(Span::secs(5)), retries: 1 };
        Run::new(scenario).with(35, Act::Crash { node: WORKER_1, lasts: None })
    };
    let applied = |run: &Run| run.played().trace.iter().filter(|r| r.kind == Kind::Applied).count();
    assert_eq!(applied(&run(&[])), 1);
    assert_eq!(applied(&run(&clean)), 2);
}

/// Its answer was lost on the way, and a newer attempt has swapped since: it has swapped all the same.
#[test]
fn a_swap_that_is_done_is_not_done_again() {
    let kind = SinkKind::Staged { name: StagingName::Unique, found: Found::InTheWay };
    let mut scenario = doing(kind, &[Step::Stage { sink: SINK }, Step::Swap { sink: SINK }]);
    scenario.rules.call = CallRules { timeout: Some(Span::secs(50)), retries: 1 };
    scenario.rules.late_completion = LateCompletion::Accept;
    scenario.until = 200_000_000;
    let cut = |path, way, lasts| Act::Cut { node: WORKER_1, path, way, fate: Fate::Lost, lasts };
    let run = Run::new(scenario)
        .with(25, cut(Path::Control, Way::Out, None))
        .at_micros(30_700_000, cut(Path::Data, Way::In, Some(Span::secs(20))));
    let trace = run.played().trace;
    let of = |kind| trace.iter().filter(|r| r.kind == kind).map(|r| r.attempt).collect::<Vec<_>>();
    assert_eq!((of(Kind::Swapped), of(Kind::Repeated)), (vec![1, 2], vec![1]));
}
