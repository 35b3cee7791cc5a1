//! Calls that are answered with errors: at once or after a while, with nothing done or all of it.

mod support;

use fenceline_engine::{
    CallRules, Ending, FailEffect, Failing, FenceRaise, IdempotencyKey, KeyRules, OnLoss, SinkKind, Span,
    Step, StoredAnswers,
};
use fenceline_sim::verdict::State::{Holds, NotExercised, Violated};
use fenceline_sim::{Act, Claim, Kind, MessageKind, Run, Scenario, Setting};
use support::*;

fn fail(node: fenceline_engine::NodeId, held: i64, effect: FailEffect, lasts: i64) -> Act {
    let failing = Failing { held: Span::secs(held), effect };
    Act::Fail { node, failing, lasts: Some(Span::secs(lasts)) }
}

fn times(run: &Run, kind: Kind) -> Vec<u64> {
    run.played().trace.iter().filter(|r| r.kind == kind).map(|r| r.at / 1_000_000).collect()
}

fn endings(run: &Run) -> Vec<Ending> {
    run.played().trace.iter().filter(|r| r.kind == Kind::Ended).map(|r| r.ending()).collect()
}

fn calls(timeout: Option<i64>, retries: u8) -> Act {
    Act::Set(Setting::Call(CallRules { timeout: timeout.map(Span::secs), retries }))
}

#[test]
fn an_error_is_asked_again_and_then_given_up() {
    // The write is sent at 30.2 s.
    let run = |lasts| Run::new(onto(SinkKind::Append)).with(25, fail(SINK, 0, FailEffect::Nothing, lasts));
    let patient = run(10);
    assert_eq!(endings(&patient), [Ending::Errored, Ending::Finished]);
    assert_eq!(times(&patient, Kind::Applied), [61]);
    let again = run(8).with(0, calls(Some(5), 1));
    assert_eq!(times(&again, Kind::Errored), [30]);
    assert_eq!((times(&again, Kind::Applied), endings(&again)), (vec![35], vec![Ending::Finished]));
    assert_eq!(endings(&run(60).with(0, calls(Some(5), 1)))[0], Ending::Errored);
    assert_eq!(state(&again, Claim::RowsAsExpected), Holds);
}

#[test]
fn an_error_that_is_held_comes_when_its_caller_has_given_up() {
    let run = |timeout| {
        let run = Run::new(onto(SinkKind::Append)).with(25, fail(SINK, 20, FailEffect::Nothing, 10));
        run.with(0, calls(timeout, 1))
    };
    // Sent again at 35.2 s, when calls are answered well again; the first one's error is too late.
    let in_time = run(Some(5));
    assert_eq!((times(&in_time, Kind::Applied), endings(&in_time)), (vec![35], vec![Ending::Finished]));
    // Without a time-out it waits for the error, at 50.6 s, and asks again a second later.
    assert_eq!(times(&run(None), Kind::Applied), [51]);
}

#[test]
fn an_error_may_hide_that_all_was_done() {
    let run = |kind| Run::new(onto(kind)).with(25, fail(SINK, 0, FailEffect::Done, 10));
    let twice = run(SinkKind::Append).with(0, calls(Some(5), 1));
    assert_eq!(times(&twice, Kind::Applied), [30, 35]);
    assert_eq!(state(&twice, Claim::RowsAsExpected), Violated);
    let once = run(SinkKind::Overwrite).with(0, calls(Some(5), 1));
    assert_eq!(state(&once, Claim::RowsAsExpected), Holds);
}

#[test]
fn a_claim_or_a_look_that_fails_is_asked_again() {
    let claimed = || guarded(onto(SinkKind::Append), fence(FenceRaise::Claim));
    let run = |scenario: Scenario| Run::new(scenario).with(0, fail(SINK, 0, FailEffect::Nothing, 3));
    assert_eq!(endings(&run(claimed()))[0], Ending::Errored);
    let again = run(claimed()).with(0, calls(Some(5), 1));
    assert_eq!((times(&again, Kind::Raised), endings(&again)), (vec![5], vec![Ending::Finished]));
    let looking = || doing(SinkKind::Append, &[Step::Look { sink: SINK }]);
    let look = |calls| Run::new(looking()).with(25, fail(SINK, 0, FailEffect::Nothing, 10)).with(0, calls);
    assert_eq!(endings(&look(calls(None, 0)))[0], Ending::Errored);
    assert_eq!(endings(&look(calls(Some(6), 1)))[0], Ending::Finished);
    let by_scheduler = fence(FenceRaise::Scheduler(fenceline_engine::Confirmation::Awaited));
    let raised = run(guarded(onto(SinkKind::Append), by_scheduler));
    assert_eq!(times(&raised, Kind::Started), [3], "asked again each second, and dispatched when confirmed");
}

#[test]
fn an_error_is_stored_under_its_key_or_not() {
    let run = |stored, effect| {
        let keyed = SinkKind::Api(IdempotencyKey::FromTask(KeyRules { stored, ..KeyRules::PLAIN }));
        let scenario = doing(keyed, &[Step::Effect { sink: SINK }]);
        Run::new(scenario).with(25, fail(SINK, 0, effect, 10)).with(0, calls(Some(5), 2))
    };
    use {FailEffect::*, StoredAnswers::*};
    let effects = |run: &Run| times(run, Kind::EffectDone).len();
    let fine = run(Successes, Nothing);
    assert_eq!((effects(&fine), state(&fine, Claim::EffectsOnce)), (1, Holds));
    let never = run(Every, Nothing);
    assert_eq!(effects(&never), 0);
    assert!(!endings(&never).contains(&Ending::Finished));
    assert!(times(&never, Kind::Repeated).len() > 2, "long after the store is well again");
    let twice = run(Successes, Done);
    assert_eq!((effects(&twice), state(&twice, Claim::EffectsOnce)), (2, Violated));
    let hidden = run(Every, Done);
    assert_eq!(effects(&hidden), 1);
}

/// The renewal sent at 10 s hangs until 35 s.
fn hung(on_loss: OnLoss, timeout: Option<i64>) -> Run {
    let call = CallRules { timeout: timeout.map(Span::secs), retries: 0 };
    let run = Run::new(first_run_of(60)).with(5, fail(SCHEDULER, 25, FailEffect::Nothing, 50));
    run.with(0, Act::Set(Setting::BeatCall(call))).with(0, Act::Set(Setting::OnLoss(on_loss)))
}

fn first_run_of(seconds: i64) -> Scenario {
    let mut scenario = onto(SinkKind::Append);
    scenario.tasks[0].program[1] = Step::Compute(Span::secs(seconds));
    scenario.judged[0].bound = None;
    scenario.until = 160_000_000;
    scenario
}

#[test]
fn a_renewal_that_hangs_is_noticed_by_its_return_or_by_the_workers_own_clock() {
    let stopped = |run: &Run| {
        let trace = run.played().trace;
        let ended = trace.iter().find(|r| r.kind == Kind::Ended);
        ended.map(|r| (r.at / 1_000_000, r.ending()))
    };
    // With no time-out the next beat waits for the reply: nothing fails before it is there.
    assert_eq!(stopped(&hung(OnLoss::SelfFenceAfter(1), None)), Some((35, Ending::SelfFenced)));
    // The lease that it believes in ends at 30.2 s, 30 s after the grant was delivered.
    assert_eq!(stopped(&hung(OnLoss::SelfFence, None)), Some((30, Ending::SelfFenced)));
    assert_eq!(stopped(&hung(OnLoss::SelfFenceAfter(1), Some(5))), Some((15, Ending::SelfFenced)));
    assert_eq!(stopped(&hung(OnLoss::SelfFenceAfter(3), Some(5))), Some((35, Ending::SelfFenced)));
}

#[test]
fn a_renewal_that_was_made_and_answered_badly_keeps_the_lease() {
    let run = Run::new(first_run_of(60)).with(5, fail(SCHEDULER, 0, FailEffect::Done, 90));
    assert_eq!(times(&run, Kind::Expired), []);
    assert_eq!(state(&run, Claim::OneOutput), NotExercised);
    let trace = run.played().trace;
    let replies =
        |r: &&fenceline_sim::Record| r.kind == Kind::Sent && r.message() == Some(MessageKind::HeartbeatReply);
    assert_eq!(trace.iter().filter(replies).count(), times(&run, Kind::Errored).len());
    let idle = Run::new(first_run_of(60)).with(5, fail(SCHEDULER, 0, FailEffect::Nothing, 90));
    assert_eq!(times(&idle, Kind::Expired)[0], 30);
}

#[test]
fn a_worker_answers_nobody() {
    let run = Run::new(onto(SinkKind::Append)).with(5, fail(WORKER_1, 0, FailEffect::Nothing, 9));
    assert_eq!(times(&run, Kind::Void).len(), 1);
    let mended = Run::new(onto(SinkKind::Append)).with(5, fail(SINK, 0, FailEffect::Nothing, 9));
    assert_eq!((times(&mended, Kind::Failing), times(&mended, Kind::Recovered)), (vec![5], vec![14]));
}
