//! What raises a fence, and when.

mod support;

use fenceline_engine::{
    CallRules, Confirmation, Decision, DispatchOrder, FenceRaise, FenceRules, SinkKind, Span, Step,
};
use fenceline_sim::verdict::State::{Holds, Violated};
use fenceline_sim::{Act, Claim, Fate, Kind, MessageKind, Path, Record, Run, Scenario, Way};
use support::*;

const RAISED: FenceRaise = FenceRaise::Scheduler(Confirmation::Awaited);
const UNCONFIRMED: FenceRaise = FenceRaise::Scheduler(Confirmation::NotAwaited);

fn raised(kind: SinkKind, raise: FenceRaise) -> Scenario {
    guarded(onto(kind), fence(raise))
}

/// The true times, in microseconds, of the records that fit.
fn when(played: &Played, fits: impl Fn(&Record) -> bool) -> Vec<u64> {
    played.trace.iter().filter(|record| fits(record)).map(|record| record.at).collect()
}

fn cut_to_sink(fate: Fate, lasts: i64) -> Act {
    let lasts = Some(Span::secs(lasts));
    Act::Cut { node: SCHEDULER, path: Path::Data, way: Way::Out, fate, lasts }
}

#[test]
fn a_dispatch_waits_for_the_raise() {
    let played = Run::new(raised(SinkKind::Append, RAISED)).played();
    assert_eq!(when(&played, |r| r.kind == Kind::Raised), [200_000]);
    let dispatched = |r: &Record| r.kind == Kind::Sent && r.message() == Some(MessageKind::Dispatch);
    assert_eq!(when(&played, dispatched), [400_000], "there and back");
    let mut sent_first = raised(SinkKind::Append, RAISED);
    sent_first.rules.dispatch = DispatchOrder::SendFirst;
    assert_eq!(when(&Run::new(sent_first).played(), dispatched), [400_000], "in either order");
    let played = Run::new(raised(SinkKind::Append, UNCONFIRMED)).played();
    assert_eq!(when(&played, dispatched), [0]);
}

#[test]
fn a_raise_that_is_awaited_is_sent_until_it_is_answered() {
    let run = |raise| Run::new(raised(SinkKind::Append, raise)).with(0, cut_to_sink(Fate::Lost, 3)).played();
    let lost = run(RAISED);
    assert_eq!(when(&lost, |r| r.kind == Kind::Raised), [4_200_000]);
    assert_eq!(when(&lost, |r| r.kind == Kind::Started), [4_600_000]);
    let lost = run(UNCONFIRMED);
    assert_eq!(when(&lost, |r| r.kind == Kind::Raised), []);
    assert_eq!(when(&lost, |r| r.kind == Kind::Started), [200_000]);
}

/// The pause ends at 67 s: token 8 was granted at 51 s and has not written.
#[test]
fn nothing_stale_lands_after_a_confirmed_raise() {
    let run = |raise| Run::new(raised(SinkKind::Overwrite, raise)).paused_for(45);
    let stale = |run: &Run| when(&run.played(), |r| r.kind == Kind::Applied && r.attempt == 1).len();
    assert_eq!(stale(&run(FenceRaise::FirstWrite)), 1);
    assert_eq!(stale(&run(RAISED)), 0);
    assert_eq!(stale(&run(UNCONFIRMED)), 0, "as long as nothing delays it");
}

/// The pause ends at 87 s: token 8 has written at 82 s, its raise has not arrived.
#[test]
fn a_raise_that_is_not_awaited_may_come_too_late() {
    let cut = cut_to_sink(Fate::Held, 60);
    let run = |raise| Run::new(raised(SinkKind::Overwrite, raise)).paused_for(65).with(40, cut);
    assert_eq!(state(&run(UNCONFIRMED), Claim::NoStaleOverNewer), Violated);
    let awaited = when(&run(RAISED).played(), |r| r.kind == Kind::Started && r.attempt > 1);
    // Behind 30 raises of an attempt that expired meanwhile.
    assert_eq!(awaited, [100_400_030], "not dispatched before the cut ends");
}

#[test]
fn a_refused_raise_fails_the_attempt() {
    // Task 2's attempt has the higher token, and one mark guards the table.
    let mut scenario = raised(SinkKind::Append, RAISED);
    let second = scenario.tasks[0].clone();
    scenario.tasks.push(second);
    scenario.judged.push(scenario.judged[0].clone());
    let fence = FenceRules { scope: fenceline_engine::FenceScope::Table, ..fence(RAISED) };
    // The link brings the second raise first.
    scenario.data.jitter = Span::secs(2);
    let runs = (0..40).map(|seed| Run { seed, ..Run::new(guarded(scenario.clone(), fence)) }.played());
    let refused = runs
        .filter(|played| !when(played, |r| r.kind == Kind::AttemptFailed && r.flag == 0).is_empty())
        .inspect(|played| {
            let failed = when(played, |r| r.kind == Kind::AttemptFailed)[0];
            let granted = when(played, |r| r.kind == Kind::Granted);
            assert!(granted.contains(&failed), "granted anew, with a higher token");
        })
        .count();
    assert!(refused > 0);
}

/// Two parts, between which attempt 1 is paused for so long that attempt 2 has written both.
#[test]
fn at_a_commit_both_parts_land_or_none() {
    let part = |part| Step::Write { sink: SINK, part, parts: 2 };
    let steps = [part(0), Step::Compute(Span::secs(5)), part(1)];
    let run = |raise| {
        let scenario = guarded(doing(SinkKind::Append, &steps), fence(raise));
        Run::new(scenario).with(32, Act::Pause { node: WORKER_1, lasts: Some(Span::secs(70)) })
    };
    let mut late = run(FenceRaise::Commit);
    std::sync::Arc::make_mut(&mut late.scenario).until = 140_000_000;
    let played = late.played();
    let applied = |attempt| when(&played, |r| r.kind == Kind::Applied && r.attempt == attempt);
    assert_eq!(when(&played, |r| r.kind == Kind::Staged && r.attempt == 1).len(), 1);
    assert_eq!((applied(1).len(), applied(2).len()), (0, 2));
    assert_eq!(applied(2)[0], applied(2)[1], "in one event");
    assert_eq!(state(&late, Claim::OneOutput), Holds);
    let mut early = run(FenceRaise::Claim);
    std::sync::Arc::make_mut(&mut early.scenario).until = 140_000_000;
    assert_eq!(state(&early, Claim::OneOutput), Violated, "rows before the raise stay");
}

/// What it was told it knows: a write that carries the end of its lease carries none.
#[test]
fn a_holder_that_was_told_shows_no_time_that_is_left() {
    let by_time = FenceRules { not_after: true, ..fence(FenceRaise::Nobody) };
    let run = Run::new(guarded(onto(SinkKind::Overwrite), by_time))
        .with(12, Act::Operator { task: TASK, decision: Decision::Redispatch });
    let trace = run.played().trace;
    let applied = trace.iter().filter(|r| r.kind == Kind::Applied).map(|r| r.attempt);
    assert_eq!(applied.collect::<Vec<_>>(), [2]);
}

/// A part that is sent once more and arrives when its commit has made it visible is not staged again.
#[test]
fn a_part_that_comes_after_its_commit_is_a_repeat() {
    let parts = [0, 1].map(|part| Step::Write { sink: SINK, part, parts: 2 });
    let mut scenario = guarded(doing(SinkKind::Append, &parts), fence(FenceRaise::Commit));
    scenario.rules.call = CallRules { timeout: Some(Span::secs(1)), retries: 9 };
    // The first part is on its way for 5 s, and is sent again.
    let slow = Act::Degrade {
        node: SINK,
        path: Path::Data,
        way: Way::In,
        latency: Span::secs(5),
        loss: 0,
        duplicate: 0,
        lasts: Some(Span::millis(2_500)),
    };
    let trace = Run::new(scenario).with(30, slow).played().trace;
    let of = |kind| trace.iter().filter(|r| r.kind == kind).count();
    assert_eq!((of(Kind::Applied), of(Kind::Repeated) > 0), (2, true));
}
