//! The mutation table: each broken fence, the smallest run that shows it, and exactly what that run
//! violates. The sound fence comes through the same run whole.

mod support;

use Claim::{HolderNotRefused, NoCommitLost, NoStaleOverNewer, OneOutput, RowsAsExpected, TokensInOrder};
use fenceline_engine::{
    Compare, Confirmation, Counter, FenceCheck, FenceMemory, FenceRaise, FenceRules, FenceScope,
    LateCompletion, SinkKind, Span, Step, Token,
};
use fenceline_sim::verdict::State::Violated;
use fenceline_sim::{Act, Claim, Fate, Path, Run, Scenario, Setting, Way};
use support::*;

/// What a run violates, but for silence: no alert is placed.
fn violated(run: &Run) -> Vec<Claim> {
    let verdicts = run.verdicts();
    let broken = verdicts.iter().filter(|verdict| verdict.state == Violated).map(|verdict| verdict.claim);
    broken.filter(|claim| *claim != Claim::SilentDamage).collect()
}

/// The run breaks these claims and no others, and fewer without any one of its acts.
fn needs_all(run: &Run, expected: &[Claim]) {
    assert_eq!(violated(run), expected, "{:?}", run.scenario.sinks);
    for place in 0..run.interventions.len() {
        let mut without = run.clone();
        let act = without.interventions.remove(place);
        let left = violated(&without);
        let is_less = left.len() < expected.len() && left.iter().all(|claim| expected.contains(claim));
        assert!(is_less, "{expected:?} does not need {act:?}: {left:?}");
    }
}

/// The fence breaks these and no others; the sound one with the same raise breaks none.
fn kills(broken: FenceRules, run: impl Fn(FenceRules) -> Run, expected: &[Claim]) {
    let sound = match broken.raise {
        FenceRaise::Scheduler(_) => FenceRaise::Scheduler(Confirmation::Awaited),
        raise => raise,
    };
    needs_all(&run(broken), expected);
    assert_eq!(violated(&run(fence(sound))), [], "the sound fence in place of {broken:?}");
}

fn overwriting(fence: FenceRules) -> Scenario {
    guarded(onto(SinkKind::Overwrite), fence)
}

/// The stale write comes at 95 s, the newer one at 82 s.
fn late(scenario: Scenario) -> Run {
    with_changed_input(scenario).paused_for(65)
}

const OVERWRITTEN: [Claim; 4] = [NoStaleOverNewer, RowsAsExpected, NoCommitLost, TokensInOrder];

#[test]
fn equal_tokens_refused() {
    let broken = FenceRules { compare: Compare::OrEqual, ..fence(FenceRaise::Claim) };
    kills(broken, |fence| Run::new(overwriting(fence)), &[HolderNotRefused]);
    // Raised at the first write: the second part is refused.
    let broken = FenceRules { raise: FenceRaise::FirstWrite, ..broken };
    let parts = [0, 1].map(|part| Step::Write { sink: SINK, part, parts: 2 });
    let in_parts = |fence| Run::new(guarded(doing(SinkKind::Overwrite, &parts), fence));
    kills(broken, in_parts, &[HolderNotRefused]);
}

/// Tokens 9 and 10.
#[test]
fn tokens_compared_as_text() {
    let from_9 = |fence| Scenario { first_token: Token(9), ..overwriting(fence) };
    let broken = FenceRules { compare: Compare::Text, ..fence(FenceRaise::FirstWrite) };
    kills(broken, |fence| late(from_9(fence)), &OVERWRITTEN);
    // By claim, 9 stands, and every later holder is turned away.
    let broken = FenceRules { compare: Compare::Text, ..fence(FenceRaise::Claim) };
    kills(broken, |fence| Run::new(from_9(fence)).paused_for(65), &[HolderNotRefused]);
}

#[test]
fn a_memory_that_a_restart_empties() {
    let broken = FenceRules { memory: FenceMemory::Volatile, ..fence(FenceRaise::Claim) };
    let restarts = Act::Crash { node: SINK, lasts: Some(Span::secs(1)) };
    kills(broken, |fence| late(overwriting(fence)).with(83, restarts), &OVERWRITTEN);
    // Time alone does the same.
    let broken = FenceRules { retention: Some(Span::secs(30)), ..fence(FenceRaise::Claim) };
    kills(broken, |fence| late(overwriting(fence)), &OVERWRITTEN);
}

#[test]
fn a_raise_that_comes_too_late() {
    let broken = fence(FenceRaise::Scheduler(Confirmation::NotAwaited));
    let lasts = Some(Span::secs(47));
    let held = Act::Cut { node: SCHEDULER, path: Path::Data, way: Way::Out, fate: Fate::Held, lasts };
    let run = |fence| {
        let mut scenario = overwriting(fence);
        // A dispatch that waits is late.
        scenario.judged[0].bound = None;
        late(scenario).with(50, held)
    };
    kills(broken, run, &OVERWRITTEN);
}

#[test]
fn a_mark_on_each_shard() {
    let broken = FenceRules { scope: FenceScope::Shard, ..fence(FenceRaise::Claim) };
    kills(broken, |fence| late(overwriting(fence)), &OVERWRITTEN);
}

#[test]
fn a_fence_that_knows_yes_and_no() {
    let broken = FenceRules { compare: Compare::Boolean, ..fence(FenceRaise::Claim) };
    kills(broken, |fence| Run::new(overwriting(fence)).paused_for(65), &[HolderNotRefused]);
}

/// Paused between the look and the write.
#[test]
fn tokens_compared_by_the_client() {
    let broken = FenceRules { check: FenceCheck::ByClient, ..fence(FenceRaise::Claim) };
    let run = |fence| {
        let pause = Act::Pause { node: WORKER_1, lasts: Some(Span::secs(70)) };
        let mut scenario = overwriting(fence);
        scenario.until = 110_000_000;
        // The step begins at 30.2 s, what it looks for comes back at 30.6 s.
        let mut run = with_changed_input(scenario);
        let when = fenceline_sim::When::At(30_300_000);
        run.interventions.push(fenceline_sim::Intervention { when, act: pause });
        run
    };
    kills(broken, run, &OVERWRITTEN);
}

/// Compared at 84 s, applied at 95 s; the newer one came at 82 s and was applied at 93 s.
#[test]
fn a_write_some_time_after_its_check() {
    let gap = FenceCheck::Gap(Span::secs(11));
    let run = |fence| with_changed_input(overwriting(fence)).paused_for(54);
    kills(FenceRules { check: gap, ..fence(FenceRaise::FirstWrite) }, run, &OVERWRITTEN);
}

/// Token 7 once more: attempt 2 gets the token of the zombie.
#[test]
fn a_counter_that_a_restart_empties() {
    let run = |counter| {
        let restarts = Act::Crash { node: SCHEDULER, lasts: Some(Span::secs(1)) };
        let run = late(overwriting(fence(FenceRaise::Claim))).with(30, restarts);
        run.with(0, Act::Set(Setting::Counter(counter)))
    };
    // Not *no stale over newer*: the tokens are equal.
    needs_all(&run(Counter::Volatile), &[RowsAsExpected, NoCommitLost, TokensInOrder]);
    assert_eq!(violated(&run(Counter::Durable)), []);
}

/// A fence raised by time alone refuses by the sink's clock; one that is behind lets the write in.
#[test]
fn a_time_fence_is_as_good_as_its_clocks() {
    let by_time = FenceRules { not_after: true, ..fence(FenceRaise::Nobody) };
    let run = |step| {
        let run = late(overwriting(by_time)).with(0, Act::Set(Setting::Late(LateCompletion::IfNoNewer)));
        violated(&match step {
            0 => run,
            by => run.with(1, Act::StepClock { node: SINK, by: Span::secs(by) }),
        })
    };
    assert_eq!(run(0), []);
    assert_eq!(run(-90), OVERWRITTEN);
    assert_eq!(run(40), [Claim::EndsInBound], "a clock ahead refuses the holder, and not for its token");
}

/// The dispatch arrives twice: both executions hold token 7.
#[test]
fn equal_tokens_need_a_fence_bound_to_one_execution() {
    let again = Act::Redeliver { node: WORKER_2, task: TASK };
    let run = |fence| Run::new(guarded(onto(SinkKind::Append), fence)).with(5, again);
    let plain = fence(FenceRaise::Claim);
    assert_eq!(violated(&run(plain)), [OneOutput, RowsAsExpected]);
    assert_eq!(violated(&run(FenceRules { compare: Compare::Exact, ..plain })), [OneOutput, RowsAsExpected]);
    for raise in [FenceRaise::Claim, FenceRaise::Scheduler(Confirmation::Awaited), FenceRaise::FirstWrite] {
        let bound = FenceRules { compare: Compare::Bound, ..fence(raise) };
        assert_eq!(violated(&run(bound)), [], "{raise:?}");
    }
}
