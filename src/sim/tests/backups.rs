//! What happens to a store behind its clients' backs: put back from an older copy, its lock taken away.

mod support;

use fenceline_engine::{
    Counter, FenceMemory, FenceRaise, FenceRules, IdempotencyKey, KeyRules, SinkKind, Span, Step,
};
use fenceline_sim::verdict::State::{Holds, NotExercised, Violated};
use fenceline_sim::{Act, Claim, Fate, Kind, Path, Run, Setting, Way};
use support::*;

fn restore(node: fenceline_engine::NodeId, back: i64) -> Act {
    Act::Restore { node, back: Span::secs(back) }
}

fn times(run: &Run, kind: Kind) -> Vec<u64> {
    run.played().trace.iter().filter(|r| r.kind == kind).map(|r| r.at / 1_000_000).collect()
}

/// Attempt 2 claims token 8 at 51 s; attempt 1 wakes at 72 s and writes at 80 s.
fn woken(raised: FenceRules) -> Run {
    Run::new(guarded(onto(SinkKind::Append), raised)).paused_for(50)
}

#[test]
fn a_fence_put_back_lets_the_older_token_in() {
    let claimed = fence(FenceRaise::Claim);
    let run = woken(claimed).with(70, restore(SINK, 40));
    assert_eq!(times(&run, Kind::CopyTaken), [30]);
    assert_eq!(times(&run, Kind::Restored), [70]);
    assert_eq!(times(&run, Kind::Fenced), []);
    assert_eq!(state(&run, Claim::OneOutput), Violated);
    // The copy has token 8 already: nothing is changed by it.
    let late = woken(claimed).with(70, restore(SINK, 10));
    assert_eq!(times(&late, Kind::Void).len(), 1);
    assert_eq!(state(&late, Claim::OneOutput), Holds);
    // A memory that is no part of the data is no part of its copy.
    let apart = FenceRules { memory: FenceMemory::Volatile, ..claimed };
    assert_eq!(times(&woken(apart).with(70, restore(SINK, 40)), Kind::Fenced), [80]);
}

#[test]
fn rows_accepted_after_the_copy_are_lost_and_those_before_it_stay() {
    let run = |at, back| Run::new(onto(SinkKind::Append)).with(at, restore(SINK, back));
    let lost = run(60, 40);
    assert_eq!(state(&lost, Claim::NoCommitLost), Violated);
    assert_eq!(lost.played().judge().rows(TASK).lost, 1204);
    assert_eq!(state(&lost, Claim::RowsAsExpected), Violated, "judged anew, though the task was quiet");
    let kept = run(60, 20);
    assert_eq!(state(&kept, Claim::NoCommitLost), NotExercised);
    assert_eq!(state(&kept, Claim::RowsAsExpected), Holds);
}

#[test]
fn a_key_that_is_put_back_is_forgotten_and_its_effect_is_not() {
    let keyed = SinkKind::Api(IdempotencyKey::FromTask(KeyRules::PLAIN));
    let run = || {
        let mut scenario = doing(keyed, &[Step::Effect { sink: SINK }, Step::Compute(Span::secs(10))]);
        scenario.judged[0].bound = None;
        Run::new(scenario).with(35, Act::Crash { node: WORKER_1, lasts: None })
    };
    assert_eq!(state(&run(), Claim::EffectsOnce), Holds);
    assert_eq!(state(&run().with(50, restore(SINK, 30)), Claim::EffectsOnce), Violated);
}

#[test]
fn a_counter_put_back_gives_tokens_again_and_a_floor_lifts_it() {
    // Three attempts: 7, 8, and the next one after the restore.
    let run = |counter| {
        let crash = |node| Act::Crash { node, lasts: None };
        let mut scenario = guarded(onto(SinkKind::Append), fence(FenceRaise::Claim));
        scenario.workers.push(fenceline_sim::WorkerSpec::named("worker 3"));
        scenario.until = 200_000_000;
        let sink = scenario.sink(0);
        scenario.tasks[0].program[2] = Step::Write { sink, part: 0, parts: 1 };
        scenario.judged[0].bound = None;
        let run = Run::new(scenario).with(10, crash(WORKER_1)).with(50, crash(WORKER_2));
        run.with(55, restore(SCHEDULER, 50)).with(0, Act::Set(Setting::Counter(counter)))
    };
    let back = run(Counter::Durable);
    assert_eq!(times(&back, Kind::Restored), [55]);
    assert_eq!(state(&back, Claim::TokensInOrder), Violated);
    assert_eq!(state(&run(Counter::Floored), Claim::TokensInOrder), Holds);
}

#[test]
fn a_lock_is_forced_whether_its_holder_lives_or_not() {
    let write = Step::Write { sink: SINK, part: 0, parts: 1 };
    let steps =
        [Step::Lock { sink: SINK }, Step::Compute(Span::secs(20)), write, Step::Unlock { sink: SINK }];
    let run = || {
        let mut scenario = doing(SinkKind::Locked { lease: None }, &steps);
        scenario.until = 200_000_000;
        scenario.judged[0].bound = None;
        Run::new(scenario)
    };
    let force = Act::ForceUnlock { node: SINK };
    let dead = run().with(40, Act::Crash { node: WORKER_1, lasts: None });
    assert_eq!(state(&dead, Claim::NotBlockedByLeftovers), Violated);
    let forced = dead.with(60, force);
    assert_eq!(times(&forced, Kind::LockForced), [60]);
    assert_eq!(state(&forced, Claim::NotBlockedByLeftovers), Holds);
    assert_eq!(state(&forced, Claim::RowsAsExpected), Holds);
    // It only could not be heard.
    let cut = Act::Cut { node: WORKER_1, path: Path::Control, way: Way::Both, fate: Fate::Lost, lasts: None };
    let alive = run().with(32, cut).with(35, force);
    let alive = alive.with(36, Act::Pause { node: WORKER_1, lasts: Some(Span::secs(90)) });
    assert_eq!(state(&alive, Claim::OneOutput), Violated);
    // Nobody holds it.
    assert_eq!(times(&run().with(10, force), Kind::Void).len(), 1);
}
