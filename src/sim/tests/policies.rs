//! What the scheduler does with an expired lease, policy by policy.

mod support;

use fenceline_engine::{
    AttemptState, Ending, ExpiryPolicy, LateCompletion, LeaseStart, Limit, Signal, Span, Step, TaskState,
};
use fenceline_sim::verdict::State;
use fenceline_sim::workload::first_run;
use fenceline_sim::{
    Act, Claim, Fate, Intervention, Kind, Path, Record, Run, Setting, Simulation, Way, When,
};
use support::*;

fn limit(seconds: i64) -> Option<Limit> {
    Some(Limit { after: Span::secs(seconds), signal: Signal::None })
}

fn under(policy: ExpiryPolicy) -> Run {
    Run::new(first_run()).with(0, Act::Set(Setting::Expiry(policy)))
}

/// Worker 1 beats no more from 22 s on, and hears nothing.
fn cut(run: Run) -> Run {
    run.with(
        22,
        Act::Cut { node: WORKER_1, path: Path::Control, way: Way::Both, fate: Fate::Lost, lasts: None },
    )
}

/// Its beats are lost from 22 s on; what the scheduler says reaches it.
fn mute(run: Run, seconds: i64) -> Run {
    let lasts = Some(Span::secs(seconds));
    run.with(22, Act::Cut { node: WORKER_1, path: Path::Control, way: Way::Out, fate: Fate::Lost, lasts })
}

/// The state of the task and of its attempts in the record at the end.
fn recorded(run: &Run) -> (TaskState, Vec<AttemptState>) {
    let mut simulation = Simulation::new(run);
    simulation.finish();
    let record = simulation.world().ledger().task(TASK);
    (record.state, record.attempts.iter().map(|attempt| attempt.state).collect())
}

fn of_kind(run: &Run, kind: Kind) -> Vec<Record> {
    run.played().trace.iter().filter(|r| r.kind == kind).copied().collect()
}

fn granted(run: &Run) -> Vec<u64> {
    of_kind(run, Kind::Granted).iter().map(|record| record.at / 100_000).collect()
}

/// The program works for two minutes, so that attempt 1 runs when its lease is over.
fn long(run: Run) -> Run {
    let mut scenario = (*run.scenario).clone();
    scenario.tasks[0].program.insert(1, Step::Compute(Span::secs(90)));
    scenario.until = 300_000_000;
    Run { scenario: scenario.into(), ..run }
}

#[test]
fn to_fail_is_to_give_up_on_the_task() {
    let run = cut(under(ExpiryPolicy::Fail));
    assert_eq!(granted(&run), [0]);
    assert_eq!(recorded(&run), (TaskState::Failed, vec![AttemptState::TimedOut]));
}

#[test]
fn a_failed_task_stays_failed_when_its_attempt_succeeds_late() {
    let late = |late| under(ExpiryPolicy::Fail).paused_for(55).with(0, Act::Set(Setting::Late(late)));
    let accepted = late(LateCompletion::IfNoNewer);
    assert_eq!(recorded(&accepted), (TaskState::Failed, vec![AttemptState::Succeeded]));
    assert_eq!(state(&accepted, Claim::OneEnding), State::Violated, "both failed and finished");
    let refused = late(LateCompletion::Refuse);
    assert_eq!(recorded(&refused), (TaskState::Failed, vec![AttemptState::TimedOut]));
}

#[test]
fn to_cancel_is_to_kill_and_to_go_on_when_that_is_confirmed() {
    for after in [None, Some(Span::secs(30))] {
        let run = mute(long(under(ExpiryPolicy::Cancel { after })), 29);
        // Expired at 51 s; the order arrives at 51.2 s, its confirmation at 51.4 s.
        let ended = of_kind(&run, Kind::Ended);
        assert_eq!((ended[0].at, ended[0].ending()), (51_200_000, Ending::Killed), "{after:?}");
        assert_eq!(granted(&run), [0, 514], "{after:?}");
        assert_eq!(recorded(&run).1, [AttemptState::TimedOut, AttemptState::Succeeded]);
        assert_eq!(state(&run, Claim::OneOutput), State::NotExercised);
    }
}

#[test]
fn a_death_that_nobody_confirms_is_waited_for_as_long_as_was_said() {
    let run = |after| cut(long(under(ExpiryPolicy::Cancel { after })));
    assert_eq!(granted(&run(Some(Span::secs(30)))), [0, 810]);
    assert_eq!(granted(&run(None)), [0]);
    assert_eq!(recorded(&run(None)), (TaskState::Running, vec![AttemptState::Held]));
}

#[test]
fn the_wait_for_a_confirmation_outlives_a_crash() {
    let run = cut(long(under(ExpiryPolicy::Cancel { after: Some(Span::secs(30)) })));
    let crash = Act::Crash { node: SCHEDULER, lasts: Some(Span::secs(5)) };
    assert_eq!(granted(&run.with(60, crash)), [0, 810]);
}

#[test]
fn a_lease_that_does_not_begin_in_time_is_given_up() {
    let lost = |start| {
        let cut =
            Act::Cut { node: WORKER_1, path: Path::Control, way: Way::In, fate: Fate::Lost, lasts: None };
        let run = Run::new(first_run()).with(0, Act::Set(Setting::LeaseStart(start)));
        let mut run = run.with(0, Act::Set(Setting::StartTimeout(limit(20))));
        run.interventions
            .push(Intervention { when: When::HalfDispatched { task: TASK, attempt: 1 }, act: cut });
        run
    };
    for start in [LeaseStart::Delivery, LeaseStart::FirstHeartbeat] {
        assert_eq!(granted(&lost(start)), [0, 200], "{start:?}");
        let crash = Act::Crash { node: SCHEDULER, lasts: Some(Span::secs(5)) };
        assert_eq!(granted(&lost(start).with(10, crash)), [0, 200], "it outlives a crash");
        let reset = lost(start).with(30, Act::Set(Setting::StartTimeout(None)));
        assert_eq!(granted(&reset), [0, 200]);
    }
    assert_eq!(granted(&lost(LeaseStart::Grant)), [0, 300], "it has begun");
}

#[test]
fn a_lease_that_begins_in_time_is_not_given_up() {
    let run = Run::new(first_run()).with(0, Act::Set(Setting::LeaseStart(LeaseStart::FirstHeartbeat)));
    assert_eq!(granted(&run.with(0, Act::Set(Setting::StartTimeout(limit(20))))), [0]);
}

/// Four workers die at one time; a sweep ends two leases, those that have been over for longest.
#[test]
fn a_sweep_ends_so_many_leases_and_the_next_one_the_rest() {
    let ended = |most| {
        let mut scenario = fenceline_sim::workload::w1(4, Span::secs(60));
        // The last task is granted first, so its lease is over first.
        for (task, due) in scenario.tasks.iter_mut().zip([3, 2, 1, 0]) {
            task.due = Span::secs(due);
        }
        let nodes = (0..4).map(|index| scenario.worker(index)).collect::<Vec<_>>();
        let run = Run::new(scenario).with(0, Act::Set(Setting::Sweep { every: Span::secs(5), most }));
        let run = nodes.into_iter().fold(run, |run, node| run.with(4, Act::Crash { node, lasts: None }));
        let expired = of_kind(&run, Kind::Expired);
        expired.iter().map(|record| (record.at / 1_000_000, record.task.0)).take(4).collect::<Vec<_>>()
    };
    assert_eq!(ended(None), [(30, 3), (35, 0), (35, 1), (35, 2)]);
    assert_eq!(ended(Some(2)), [(30, 3), (35, 2), (35, 1), (40, 0)]);
    assert_eq!(ended(Some(1)), [(30, 3), (35, 2), (40, 1), (45, 0)]);
}
