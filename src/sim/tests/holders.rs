//! What a holder goes by: the steps at which its own code beats, what it does first when it runs again, and
//! the clock by which it reckons its lease.

mod support;

use fenceline_engine::{
    BeliefClock, Ending, Exec, HeartbeatSource, LeaseScope, OnLoss, SinkKind, Span, Step, TaskId, WakeOrder,
};
use fenceline_sim::verdict::State;
use fenceline_sim::{
    Act, Claim, Intervention, Kind, MessageKind, Record, Run, Scenario, Setting, Trace, When,
};
use support::{SINK, TASK, WORKER_1, With, onto, state};

const WRITE: Step = Step::Write { sink: SINK, part: 0, parts: 1 };

fn compute(seconds: i64) -> Step {
    Step::Compute(Span::secs(seconds))
}

/// The first run, beating at its checkpoints alone.
fn beating(steps: &[Step]) -> Scenario {
    let mut scenario = onto(SinkKind::Append);
    scenario.tasks[0].program = [steps, &[Step::Acknowledge]].concat();
    scenario.rules.heartbeat.source = HeartbeatSource::Checkpoint;
    scenario
}

/// When the heartbeats of worker 1 left.
fn beats(trace: &Trace) -> Vec<u64> {
    let is_beat = |record: &&Record| {
        (record.kind, record.node, record.message()) == (Kind::Sent, WORKER_1, Some(MessageKind::Heartbeat))
    };
    trace.iter().filter(is_beat).map(|record| record.at / 1_000_000).collect()
}

fn count(trace: &Trace, kind: Kind) -> usize {
    trace.iter().filter(|record| record.kind == kind).count()
}

#[test]
fn a_checkpoint_beats_and_nothing_else_does() {
    let often = beating(&[Step::Beat, compute(20), Step::Beat, compute(20), Step::Beat, WRITE]);
    let played = Run::new(often.clone()).played();
    assert_eq!(beats(&played.trace), [0, 20, 40]);
    assert_eq!(count(&played.trace, Kind::Expired), 0);
    // The same work between two that lie further apart.
    let seldom = beating(&[Step::Beat, compute(40), Step::Beat, WRITE]);
    assert!(count(&Run::new(seldom).played().trace, Kind::Expired) > 0);
    // Where something else beats, the step is passed over.
    let thread = Run::new(often).with(0, Act::Set(Setting::Source(HeartbeatSource::OwnThread)));
    assert_eq!(beats(&thread.played().trace), [10, 20, 30, 40]);
}

#[test]
fn ticks_go_on_by_a_timer_after_checkpoints() {
    let scenario = beating(&[Step::Beat, Step::Beat, Step::Beat, Step::Beat, compute(40), WRITE]);
    let run = Run::new(scenario).with(5, Act::Set(Setting::Source(HeartbeatSource::OwnThread)));
    assert_eq!(beats(&run.played().trace), [0, 0, 15, 25, 35], "one open call keeps the others");
}

/// It went on beating until its program ended.
#[test]
fn a_source_that_is_switched_off_sends_nothing_more() {
    let off = Run::new(onto(SinkKind::Append)).with(15, Act::Set(Setting::Source(HeartbeatSource::Nobody)));
    assert_eq!(beats(&off.clone().played().trace), [10]);
    // And on again, before the timer of before has passed: once each.
    let on = off.with(17, Act::Set(Setting::Source(HeartbeatSource::OwnThread)));
    assert_eq!(beats(&on.played().trace), [10, 20, 30]);
}

#[test]
fn any_checkpoint_of_a_session_beats_for_it() {
    let mut scenario = beating(&[Step::Beat, compute(10), Step::Beat, compute(10), Step::Beat, WRITE]);
    scenario.rules.lease.scope = LeaseScope::Worker;
    scenario.workers.truncate(1);
    scenario.workers[0].slots = 2;
    // The other one computes for 45 s without a checkpoint: nobody beats but for the first.
    let mut long = scenario.tasks[0].clone();
    long.program = vec![compute(45), Step::Acknowledge];
    scenario.tasks.push(long);
    scenario.judged.push(Default::default());
    // The sink moves up as a worker is gone.
    for task in &mut scenario.tasks {
        for step in &mut task.program {
            if let Step::Write { sink, .. } = step {
                sink.0 = 2;
            }
        }
    }
    let played = Run::new(scenario).played();
    let renewed = |task| played.trace.iter().filter(|it| (it.kind, it.task) == (Kind::Renewed, task)).count();
    assert_eq!((renewed(TASK), renewed(TaskId(1))), (3, 3));
}

/// Stopped just before its write, for longer than its lease; it stops itself at its deadline, if it comes
/// to that.
fn woken(order: WakeOrder) -> Run {
    let mut scenario = onto(SinkKind::Append);
    (scenario.rules.on_loss, scenario.rules.wake) = (OnLoss::SelfFence, order);
    let mut run = Run::new(scenario);
    let when = When::BeforeStep { exec: Exec::first(TASK, 1), step: 3 };
    let act = Act::Pause { node: WORKER_1, lasts: Some(Span::secs(55)) };
    run.interventions.push(Intervention { when, act });
    run
}

#[test]
fn a_program_that_goes_on_first_writes_before_its_own_deadline_is_seen() {
    for (order, is) in [
        (WakeOrder::Timers, State::NotExercised),
        (WakeOrder::Messages, State::NotExercised),
        (WakeOrder::Program, State::Violated),
    ] {
        assert_eq!(state(&woken(order), Claim::OneOutput), is, "{order:?}");
    }
}

#[test]
fn what_waited_is_handled_in_the_order_of_the_rule() {
    let first = |order| {
        // Three beats fall due and the reply to the first waits.
        let run = Run::new(onto(SinkKind::Append)).with(0, Act::Set(Setting::Wake(order)));
        let pause = Act::Pause { node: WORKER_1, lasts: Some(Span::secs(20)) };
        let played = run.at_micros(10_300_000, pause).played();
        let is_its = |record: &&Record| record.at == 30_300_000 && record.node == WORKER_1;
        let kinds = [Kind::BeatsMissed, Kind::Delivered];
        played.trace.iter().filter(is_its).map(|record| record.kind).find(|kind| kinds.contains(kind))
    };
    assert_eq!(first(WakeOrder::Timers), Some(Kind::BeatsMissed));
    assert_eq!(first(WakeOrder::Messages), Some(Kind::Delivered));
    assert_eq!(first(WakeOrder::Program), Some(Kind::BeatsMissed));
}

#[test]
fn a_deadline_on_the_wall_clock_moves_with_it() {
    let ended = |clock, by| {
        let mut scenario = onto(SinkKind::Append);
        (scenario.rules.on_loss, scenario.rules.belief.clock) = (OnLoss::SelfFence, clock);
        // No renewal: the lease is believed up to 30.2 s, and the program takes 30.2 s and more.
        scenario.rules.heartbeat.source = HeartbeatSource::Nobody;
        scenario.tasks[0].program[1] = compute(40);
        let run = Run::new(scenario).with(10, Act::StepClock { node: WORKER_1, by: Span::secs(by) });
        let played = run.played();
        let ended = played.trace.iter().find(|record| record.kind == Kind::Ended).expect("it ends");
        (ended.at, ended.ending())
    };
    let at = |tenths: u64| tenths * 100_000;
    for by in [-60, 15] {
        assert_eq!(ended(BeliefClock::Monotonic, by), (at(302), Ending::SelfFenced), "{by}");
    }
    assert_eq!(ended(BeliefClock::Wall, 0), (at(302), Ending::SelfFenced));
    assert_eq!(ended(BeliefClock::Wall, 15), (at(152), Ending::SelfFenced));
    assert_eq!(ended(BeliefClock::Wall, -60).1, Ending::Finished);
}

/// The truth has the belief at the true time at which the holder's clock shows its end.
#[test]
fn a_belief_on_the_wall_clock_is_drawn_where_it_ends() {
    let scenario = onto(SinkKind::Append);
    let run = Run::new(scenario)
        .with(0, Act::Set(Setting::Belief(BeliefClock::Wall)))
        .with(0, Act::Set(Setting::Source(HeartbeatSource::Nobody)))
        .with(10, Act::StepClock { node: WORKER_1, by: Span::secs(-60) });
    let played = run.played();
    let truth = fenceline_sim::Truth::of(&played.run, &played.trace, played.trace.len(), played.now);
    assert_eq!(truth.leases[0].beliefs[0].until, Some(90_200_000));
}
