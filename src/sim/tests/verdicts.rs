//! Every claim: a run in which it holds, one that violates it, one that does not exercise it.

mod support;

use fenceline_engine::{
    Compare, Counter, Decision, FenceRaise, FenceRules, FenceScope, Found, IdempotencyKey, KeyRules,
    LateCompletion, RestartPolicy, RetryDelay, SinkKind, Span, StagingName, Step, TaskId,
};
use fenceline_sim::scenario::AlertRule;
use fenceline_sim::verdict::State::{Holds, NotExercised, Violated};
use fenceline_sim::verdict::{Detail, EffectCounts, RowCounts, timeline};
use fenceline_sim::workload::first_run;
use fenceline_sim::{Act, Claim, Kind, Run, Scenario, Setting, Simulation};
use support::*;

const EFFECT: [Step; 1] = [Step::Effect { sink: SINK }];

fn append() -> Run {
    Run::new(first_run())
}

fn overwrite() -> Run {
    Run::new(onto(SinkKind::Overwrite))
}

#[test]
fn nothing_is_claimed_of_a_run_in_which_nothing_went_wrong() {
    let exercised: Vec<Claim> =
        append().verdicts().iter().filter(|v| v.state != NotExercised).map(|v| v.claim).collect();
    assert_eq!(exercised, [Claim::RowsAsExpected, Claim::EndsInBound]);
}

#[test]
fn one_output() {
    let doubled = append().paused_for(55).played().verdict(Claim::OneOutput);
    assert_eq!((doubled.state, doubled.since, doubled.evidence.len()), (Violated, Some(85_400_000), 2));
    assert_eq!(state(&overwrite().paused_for(55), Claim::OneOutput), Holds);
    let fenced = Run::new(guarded(first_run(), fence(FenceRaise::Claim))).paused_for(55);
    assert_eq!(state(&fenced, Claim::OneOutput), Holds);
    assert_eq!(state(&append(), Claim::OneOutput), NotExercised);
}

#[test]
fn a_mixture_of_two_input_versions_is_not_one_output() {
    let merged = with_changed_input(onto(SinkKind::Merge)).paused_for(55);
    assert_eq!(state(&merged, Claim::OneOutput), Holds, "the older output covers all keys of the newer");
    let smaller = changed_to(onto(SinkKind::Merge), 2000).paused_for(55);
    assert_eq!(state(&smaller, Claim::OneOutput), Violated);
}

#[test]
fn no_stale_over_newer() {
    assert_eq!(state(&overwrite().paused_for(55), Claim::NoStaleOverNewer), Violated);
    assert_eq!(state(&append().paused_for(55), Claim::NoStaleOverNewer), Holds);
    let fenced = Run::new(guarded(onto(SinkKind::Overwrite), fence(FenceRaise::FirstWrite)));
    assert_eq!(state(&fenced.clone().paused_for(55), Claim::NoStaleOverNewer), Holds);
    assert_eq!(state(&fenced.paused_for(45), Claim::NoStaleOverNewer), NotExercised);
}

#[test]
fn rows_as_expected() {
    let doubled = append().paused_for(55).played().verdict(Claim::RowsAsExpected);
    assert_eq!((doubled.state, doubled.since), (Violated, Some(85_400_000)));
    let counts = RowCounts { visible: 2408, expected: 1204, twice: 1204, ..RowCounts::default() };
    assert_eq!(doubled.detail, Detail::Rows(counts));
    assert_eq!(state(&append(), Claim::RowsAsExpected), Holds);
    assert_eq!(state(&overwrite().paused_for(55), Claim::RowsAsExpected), Holds);
    let dead = append().with(22, Act::Crash { node: WORKER_1, lasts: None });
    let dead = dead.with(22, Act::Crash { node: WORKER_2, lasts: None });
    assert_eq!(state(&dead, Claim::RowsAsExpected), NotExercised);
}

/// Six writes of a thousand million rows: more than 32 bits count.
#[test]
fn rows_beyond_32_bits_are_counted() {
    let mut scenario = first_run();
    scenario.tasks[0].rows = vec![1_000_000_000];
    let repeated = scenario.tasks[0].program[2];
    scenario.tasks[0].program.splice(2..3, [repeated; 6]);
    let counts = RowCounts {
        visible: 6_000_000_000,
        expected: 1_000_000_000,
        twice: 5_000_000_000,
        ..RowCounts::default()
    };
    assert_eq!(Run::new(scenario).played().verdict(Claim::RowsAsExpected).detail, Detail::Rows(counts));
}

#[test]
fn a_late_overwrite_is_wrong_only_if_the_two_attempts_read_different_input() {
    let changed = with_changed_input(onto(SinkKind::Overwrite)).paused_for(55).played();
    let verdict = changed.verdict(Claim::RowsAsExpected);
    let counts =
        RowCounts { visible: 1204, expected: 1000, outdated: 1000, foreign: 204, ..RowCounts::default() };
    assert_eq!((verdict.state, verdict.detail), (Violated, Detail::Rows(counts)));
    assert_eq!(verdict.since, Some(86_000_000), "judged when the task is quiet");
}

#[test]
fn a_smaller_rerun_leaves_foreign_keys_in_a_merged_table() {
    let run = with_changed_input(onto(SinkKind::Merge)).paused_for(45).played();
    let verdict = run.verdict(Claim::RowsAsExpected);
    let counts = RowCounts { visible: 1204, expected: 1000, foreign: 204, ..RowCounts::default() };
    assert_eq!((verdict.state, verdict.detail), (Violated, Detail::Rows(counts)));
}

#[test]
fn effects_once() {
    let paying = |key| Run::new(doing(SinkKind::Api(key), &EFFECT));
    let twice = paying(IdempotencyKey::None).paused_for(55).played().verdict(Claim::EffectsOnce);
    let counts = EffectCounts { done: 2, expected: 1, twice: 1, never: 0 };
    assert_eq!((twice.state, twice.since), (Violated, Some(85_400_000)));
    assert_eq!(twice.detail, Detail::Effects(counts));
    assert_eq!(state(&paying(IdempotencyKey::FromAttempt).paused_for(55), Claim::EffectsOnce), Violated);
    let kept = paying(IdempotencyKey::FromTask(KeyRules::PLAIN));
    assert_eq!(state(&kept.clone().paused_for(55), Claim::EffectsOnce), Holds);
    assert_eq!(state(&kept, Claim::EffectsOnce), NotExercised);
    let brief =
        paying(IdempotencyKey::FromTask(KeyRules { retention: Some(Span::secs(2)), ..KeyRules::PLAIN }));
    assert_eq!(state(&brief.paused_for(55), Claim::EffectsOnce), Violated);
    let mail = Run::new(doing(SinkKind::Mailbox, &EFFECT)).paused_for(55);
    assert_eq!(state(&mail, Claim::EffectsOnce), Violated);
}

#[test]
fn no_accepted_commit_lost() {
    assert_eq!(state(&overwrite().paused_for(55), Claim::NoCommitLost), Violated);
    assert_eq!(state(&overwrite().paused_for(45), Claim::NoCommitLost), Holds);
    assert_eq!(state(&append().paused_for(55), Claim::NoCommitLost), NotExercised);
}

#[test]
fn tokens_in_order() {
    assert_eq!(state(&append().paused_for(55), Claim::TokensInOrder), Violated);
    assert_eq!(state(&append().paused_for(45), Claim::TokensInOrder), Holds);
    assert_eq!(state(&append(), Claim::TokensInOrder), NotExercised);
}

#[test]
fn holder_not_refused() {
    let fenced = Run::new(guarded(first_run(), fence(FenceRaise::Claim)));
    assert_eq!(state(&fenced.paused_for(55), Claim::HolderNotRefused), Holds);
    assert_eq!(state(&append().paused_for(55), Claim::HolderNotRefused), NotExercised);
    let mut two = first_run();
    two.tasks.push(two.tasks[0].clone());
    two.judged.push(two.judged[0].clone());
    let by_table = fenceline_engine::FenceRules { scope: FenceScope::Table, ..fence(FenceRaise::Claim) };
    assert_eq!(state(&Run::new(guarded(two, by_table)), Claim::HolderNotRefused), Violated);
}

#[test]
fn exclusive() {
    let mut scenario = first_run();
    scenario.judged[0].exclusive = true;
    let run = Run::new(scenario);
    assert_eq!(state(&run.clone().paused_for(55), Claim::Exclusive), Violated);
    let died = run.clone().with(22, Act::Crash { node: WORKER_1, lasts: None });
    assert_eq!(state(&died, Claim::Exclusive), Holds);
    assert_eq!(state(&run, Claim::Exclusive), NotExercised);
    assert_eq!(state(&append().paused_for(55), Claim::Exclusive), NotExercised, "the task is not so marked");
}

#[test]
fn one_ending() {
    assert_eq!(state(&append().paused_for(55), Claim::OneEnding), Holds);
    assert_eq!(state(&append(), Claim::OneEnding), NotExercised);
    // Timed out at 51 s, and accepted as success while the retry still waits.
    let waiting = append()
        .with(0, Act::Set(Setting::Delay(RetryDelay::Fixed(Span::secs(60)))))
        .with(0, Act::Set(Setting::Late(LateCompletion::Accept)));
    assert_eq!(state(&waiting.paused_for(40), Claim::OneEnding), Violated);
}

#[test]
fn ends_in_its_bound() {
    assert_eq!(state(&append(), Claim::EndsInBound), Holds);
    let late = append().paused_for(90).with(22, Act::Crash { node: WORKER_2, lasts: None });
    let verdict = late.played().verdict(Claim::EndsInBound);
    assert_eq!((verdict.state, verdict.since), (Violated, Some(100_000_000)));
    let mut early = Simulation::new(&append());
    early.advance_to(20_000_000);
    let verdicts = fenceline_sim::judge(&append(), early.trace(), early.trace().len(), 20_000_000);
    let bound = verdicts.iter().find(|v| v.claim == Claim::EndsInBound).expect("judged");
    assert_eq!((bound.state, bound.detail), (NotExercised, Detail::FallsDue(100_000_000)));
}

#[test]
fn not_blocked_by_leftovers() {
    let write = Step::Write { sink: SINK, part: 0, parts: 1 };
    let steps = [Step::Lock { sink: SINK }, Step::Compute(Span::secs(5)), write, Step::Unlock { sink: SINK }];
    let locked = |lease| Run::new(doing(SinkKind::Locked { lease }, &steps));
    let killed = |run: Run| run.with(33, Act::Crash { node: WORKER_1, lasts: None });
    let claim = Claim::NotBlockedByLeftovers;
    assert_eq!(state(&killed(locked(None)), claim), Violated);
    assert_eq!(state(&killed(locked(Some(Span::secs(20)))), claim), Holds);
    assert_eq!(state(&locked(None), claim), NotExercised);

    let steps = [Step::Stage { sink: SINK }, Step::Compute(Span::secs(5)), Step::Swap { sink: SINK }];
    let staged = |name, found| killed(Run::new(doing(SinkKind::Staged { name, found }, &steps)));
    assert_eq!(state(&staged(StagingName::Fixed, Found::InTheWay), claim), Violated);
    assert_eq!(state(&staged(StagingName::Fixed, Found::Dropped), claim), Holds);
    assert_eq!(state(&staged(StagingName::Unique, Found::InTheWay), claim), NotExercised);
}

#[test]
fn damage_raises_an_alert() {
    let claim = Claim::SilentDamage;
    assert_eq!(state(&append().paused_for(55), claim), Violated);
    assert_eq!(state(&append(), claim), NotExercised);
    let watched = |rule| state(&Run::new(alerting(first_run(), rule)).paused_for(55), claim);
    assert_eq!(watched(AlertRule::Retried), Holds);
    assert_eq!(watched(AlertRule::Reconcile(Span::secs(20))), Holds);
    assert_eq!(watched(AlertRule::FencedWrite), Violated, "there is no fence");
    assert_eq!(watched(AlertRule::LeaseExpired(Span::secs(20))), Violated, "it was re-dispatched at once");
    assert_eq!(watched(AlertRule::SchedulerSilent(Span::secs(10))), Violated, "it was never silent");
}

#[test]
fn silence_is_judged_at_the_end_of_the_run() {
    let run = append().paused_for(55);
    let mut simulation = Simulation::new(&run);
    simulation.advance_to(90_000_000);
    let verdicts = fenceline_sim::judge(&run, simulation.trace(), simulation.trace().len(), 90_000_000);
    let silence = verdicts.last().expect("judged");
    assert_eq!((silence.state, silence.detail), (NotExercised, Detail::FallsDue(102_000_000)));
}

#[test]
fn a_timeline_names_each_change() {
    let played = append().paused_for(55).played();
    let line = |claim| timeline(&played.run, &played.trace, played.now, claim);
    assert_eq!(line(Claim::OneOutput), [(0, NotExercised), (85_400_000, Violated)]);
    assert_eq!(line(Claim::TokensInOrder), [(0, NotExercised), (51_000_000, Holds), (85_400_000, Violated)]);
    assert_eq!(line(Claim::EndsInBound), [(0, NotExercised), (81_800_000, Holds)]);
    assert_eq!(line(Claim::SilentDamage), [(0, NotExercised), (102_000_000, Violated)]);
}

#[test]
fn a_fence_switched_on_half_way_is_judged_from_then_on() {
    let rules = Some(fence(FenceRaise::Claim));
    let run = append().paused_for(55).with(45, Act::Set(Setting::Fence { node: SINK, fence: rules }));
    assert_eq!(state(&run, Claim::OneOutput), Holds);
    assert_eq!(state(&run, Claim::HolderNotRefused), Holds);
}

#[test]
fn a_judge_taken_from_a_snapshot_agrees_with_one_that_saw_everything() {
    let played = append().paused_for(55).played();
    for cut in (0..played.trace.len()).step_by(7) {
        let mut resumed = fenceline_sim::Judge::over(&played.run, &played.trace, cut).clone();
        played.trace.since(cut).for_each(|(id, record)| resumed.observe(id, record));
        let (resumed, whole) = (resumed.verdicts(&played.trace, played.now), played.run.verdicts());
        assert_eq!(resumed, whole);
    }
}

/// The adversary's: worker 1 gets its dispatch late and reads another input, after a copy of it has
/// written, said so and been believed.
#[test]
fn the_winner_is_an_execution_not_an_attempt() {
    let bound = FenceRules { compare: Compare::Bound, ..fence(FenceRaise::Claim) };
    let run = with_changed_input(guarded(onto(SinkKind::Overwrite), bound));
    let paused = Act::Pause { node: WORKER_1, lasts: Some(Span::secs(50)) };
    let run = run.with(0, paused).with(0, Act::Redeliver { node: WORKER_2, task: TASK });
    let run = run.with(0, Act::Set(Setting::Lease(Span::secs(90))));
    assert_eq!(state(&run, Claim::RowsAsExpected), Holds);
}

/// The trace has a record of each part; a reader never sees the first without the last.
#[test]
fn parts_of_one_commit_become_visible_as_one() {
    let parts = [0, 1].map(|part| Step::Write { sink: SINK, part, parts: 2 });
    let output = |raise| {
        let scenario = guarded(doing(SinkKind::Overwrite, &parts), fence(raise));
        state(&with_changed_input(scenario).paused_for(50), Claim::OneOutput)
    };
    assert_eq!(output(FenceRaise::Commit), Holds);
    assert_eq!(output(FenceRaise::FirstWrite), Violated);
}

/// Attempt 2 has the lower token: the restarted scheduler counts from the beginning again.
#[test]
fn the_winner_has_the_highest_token_not_the_highest_attempt() {
    let mut scenario = onto(SinkKind::Overwrite);
    scenario.rules.counter = Counter::Volatile;
    scenario.rules.restart = RestartPolicy::Reset;
    scenario.rules.late_completion = LateCompletion::Accept;
    scenario.tasks.push(scenario.tasks[0].clone());
    scenario.judged.push(scenario.judged[0].clone());
    scenario.tasks[0].program = vec![Step::Acknowledge];
    scenario.tasks[1].rows.push(1000);
    let run = Run::new(scenario).with(10, Act::Crash { node: SCHEDULER, lasts: Some(Span::secs(2)) });
    let played = run.with(11, Act::Input { task: TaskId(1), version: 2 }).played();
    let granted = played.trace.iter().filter(|record| record.kind == Kind::Granted).map(|record| record.b);
    assert_eq!(granted.collect::<Vec<_>>(), [7, 8, 7]);
    let counts =
        RowCounts { visible: 1000, expected: 1204, lost: 204, outdated: 1000, ..RowCounts::default() };
    let verdict = played.verdict(Claim::RowsAsExpected);
    assert_eq!((verdict.state, verdict.detail), (Violated, Detail::Rows(counts)), "token 8 read version 1");
}

/// An operator records success while the task waits for its retry: nobody has written anything.
#[test]
fn a_success_that_nobody_worked_for_is_judged_by_what_the_input_was() {
    let declared = |scenario: Scenario| {
        let run = with_changed_input(scenario).with(5, Act::Crash { node: WORKER_1, lasts: None });
        let run = run.with(0, Act::Set(Setting::Delay(RetryDelay::Fixed(Span::secs(60)))));
        run.with(50, Act::Operator { task: TASK, decision: Decision::Succeed }).played()
    };
    let verdict = declared(first_run()).verdict(Claim::RowsAsExpected);
    let counts = RowCounts { expected: 1000, lost: 1000, ..RowCounts::default() };
    assert_eq!((verdict.state, verdict.detail), (Violated, Detail::Rows(counts)));
    let verdict = declared(doing(SinkKind::Mailbox, &EFFECT)).verdict(Claim::EffectsOnce);
    let counts = EffectCounts { expected: 1, never: 1, ..EffectCounts::default() };
    assert_eq!((verdict.state, verdict.detail), (Violated, Detail::Effects(counts)));
}
