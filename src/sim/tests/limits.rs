//! What an attempt may take beside its lease: until it gets on, in all, and until it begins.

mod support;

use fenceline_engine::{
    CallRules, Ending, ExpiryPolicy, LateRenewal, LeaseStart, Limit, OnLoss, Signal, SinkKind, Span, Step,
    TaskState,
};
use fenceline_sim::verdict::State;
use fenceline_sim::workload::first_run;
use fenceline_sim::{Act, Claim, Fate, Kind, Path, Record, Run, Scenario, Setting, Way};
use support::*;

fn limit(seconds: i64, signal: Signal) -> Option<Limit> {
    Some(Limit { after: Span::secs(seconds), signal })
}

fn scenario() -> Scenario {
    let mut scenario = first_run();
    scenario.until = 200_000_000;
    scenario
}

/// Worker 1 beats on time and computes at this many percent of its speed from 5 s on.
fn slow(scenario: Scenario, percent: u32) -> Run {
    Run::new(scenario).with(5, Act::Slow { node: WORKER_1, percent, lasts: None })
}

fn set(run: Run, setting: Setting) -> Run {
    run.with(0, Act::Set(setting))
}

fn of_kind(run: &Run, kind: Kind) -> Vec<Record> {
    run.played().trace.iter().filter(|r| r.kind == kind).copied().collect()
}

/// In tenths of a second.
fn times(run: &Run, kind: Kind) -> Vec<u64> {
    of_kind(run, kind).iter().map(|record| record.at / 100_000).collect()
}

#[test]
fn what_beats_and_does_not_get_on_is_given_up() {
    let hung = slow(scenario(), 1);
    assert_eq!(times(&hung, Kind::Granted), [0], "its lease is renewed for ever");
    // The beat that arrives at 10.4 s tells of step 2, and no later one of another.
    let limited = set(hung, Setting::ProgressTimeout(limit(40, Signal::None)));
    assert_eq!(times(&limited, Kind::Overran), [504]);
    assert_eq!(times(&limited, Kind::Granted), [0, 504]);
    assert_eq!(state(&limited, Claim::EndsInBound), State::Holds);
}

#[test]
fn what_gets_on_is_not() {
    let mut scenario = scenario();
    let steps = [Step::Compute(Span::secs(15)); 6];
    scenario.tasks[0].program.splice(1..2, steps);
    let run = set(Run::new(scenario), Setting::ProgressTimeout(limit(30, Signal::Kill)));
    assert_eq!(times(&run, Kind::Overran), [0; 0]);
    assert_eq!(times(&run, Kind::AttemptSucceeded).len(), 1);
}

#[test]
fn a_limit_without_a_signal_makes_a_zombie_and_one_with_it_none() {
    let run = |signal| set(slow(scenario(), 25), Setting::RunTimeout(limit(60, signal)));
    let (silent, told) = (run(Signal::None), run(Signal::Kill));
    for run in [&silent, &told] {
        assert_eq!(times(run, Kind::Granted), [0, 600]);
        assert!(times(run, Kind::Expired).is_empty(), "its lease was never over");
    }
    assert_eq!(state(&silent, Claim::OneOutput), State::Violated);
    assert_eq!(state(&told, Claim::OneOutput), State::NotExercised);
    let ended = of_kind(&told, Kind::Ended)[0];
    assert_eq!((ended.at, ended.ending()), (60_200_000, Ending::Killed));
}

#[test]
fn a_tasks_own_limit_stands_over_the_rules() {
    let mut own = scenario();
    own.rules.limits.run = limit(60, Signal::None);
    own.tasks[0].limits.run = limit(45, Signal::None);
    let run = slow(own, 25);
    assert_eq!(times(&run, Kind::Granted), [0, 450]);
    let changed = set(run, Setting::RunTimeout(limit(50, Signal::None)));
    assert_eq!(times(&changed, Kind::Granted), [0, 500], "a rule for all is one for each");
}

#[test]
fn a_limit_outlives_a_crash_and_counts_anew_after_a_reboot() {
    let run = set(slow(scenario(), 25), Setting::RunTimeout(limit(60, Signal::None)));
    let crash = Act::Crash { node: SCHEDULER, lasts: Some(Span::secs(5)) };
    assert_eq!(times(&run.clone().with(20, crash), Kind::Overran), [600]);
    let reboot = Act::Reboot { node: SCHEDULER, lasts: Some(Span::secs(5)) };
    assert_eq!(times(&run.with(20, reboot), Kind::Overran), [850]);
}

#[test]
fn a_longer_limit_is_waited_for() {
    let run = set(slow(scenario(), 25), Setting::RunTimeout(limit(60, Signal::None)));
    let longer = run.clone().with(30, Act::Set(Setting::RunTimeout(limit(80, Signal::None))));
    assert_eq!(times(&longer, Kind::Overran), [800]);
    let off = run.with(30, Act::Set(Setting::RunTimeout(None)));
    assert!(times(&off, Kind::Overran).is_empty());
}

#[test]
fn the_expiry_policy_says_what_follows() {
    let under = |policy| {
        let run = set(slow(scenario(), 25), Setting::RunTimeout(limit(60, Signal::None)));
        set(run, Setting::Expiry(policy))
    };
    let held = under(ExpiryPolicy::Hold { alert_after: Span::secs(20) });
    assert_eq!((times(&held, Kind::HeldForOperator), times(&held, Kind::Granted)), (vec![600], vec![0]));
    let grace = under(ExpiryPolicy::Grace(Span::secs(10)));
    assert_eq!(times(&grace, Kind::Granted), [0, 700]);
    let failed = of_kind(&under(ExpiryPolicy::Fail), Kind::TaskIs);
    assert_eq!(failed.last().map(Record::task_state), Some(TaskState::Failed));
}

#[test]
fn one_that_did_not_begin_in_time_is_killed_wherever_it_is() {
    let mut scenario = scenario();
    scenario.rules.lease.start = LeaseStart::Delivery;
    scenario.rules.lease.start_timeout = limit(20, Signal::Kill);
    // Its acknowledgement is lost, and the program runs.
    let lasts = Some(Span::secs(15));
    let cut = Act::Cut { node: WORKER_1, path: Path::Control, way: Way::Out, fate: Fate::Lost, lasts };
    let run = Run::new(scenario).at_micros(100_000, cut);
    assert_eq!(times(&run, Kind::Granted), [0, 200]);
    let ended = of_kind(&run, Kind::Ended)[0];
    assert_eq!((ended.at, ended.ending()), (20_200_000, Ending::Killed));
}

/// It waits at a dead holder's lock for longer than it may run.
#[test]
fn a_leftover_that_is_waited_for_beyond_a_limit_blocks() {
    let steps = [Step::Lock { sink: SINK }, Step::Compute(Span::secs(10))];
    let mut scenario = doing(SinkKind::Locked { lease: None }, &steps);
    scenario.tasks[0].program.drain(..2);
    scenario.rules.call = CallRules { timeout: Some(Span::secs(1)), retries: 200 };
    scenario.until = 200_000_000;
    let crash = Act::Crash { node: WORKER_1, lasts: Some(Span::secs(3)) };
    let run = set(Run::new(scenario).with(5, crash), Setting::RunTimeout(limit(60, Signal::Kill)));
    assert_eq!(state(&run, Claim::NotBlockedByLeftovers), State::Violated);
}

/// Held because it takes too long: its heartbeats, which come in time, do not revive it.
#[test]
fn a_heartbeat_does_not_undo_a_limit() {
    let mut run = set(slow(scenario(), 50), Setting::RunTimeout(limit(20, Signal::None)));
    for setting in [
        Setting::Expiry(ExpiryPolicy::Hold { alert_after: Span::secs(60) }),
        Setting::LateRenewal(LateRenewal::Revive),
    ] {
        run = set(run, setting);
    }
    assert_eq!(times(&run, Kind::HeldForOperator), [200]);
    assert_eq!(of_kind(&run, Kind::Renewed).iter().filter(|renewed| renewed.at > 20_000_000).count(), 0);
}

#[test]
fn a_start_that_takes_too_long_is_given_up_by_the_policy() {
    let cut = Act::Cut { node: WORKER_1, path: Path::Control, way: Way::In, fate: Fate::Lost, lasts: None };
    let mut run = set(Run::new(scenario()).with(0, cut), Setting::LeaseStart(LeaseStart::Delivery));
    run = set(run, Setting::StartTimeout(limit(20, Signal::None)));
    assert_eq!(times(&run, Kind::Granted), [0, 200]);
    assert_eq!(times(&set(run, Setting::Expiry(ExpiryPolicy::Fail)), Kind::Granted), [0]);
}

/// By the limit's signal or by the policy, and not by both.
#[test]
fn a_kill_is_ordered_once() {
    let run = set(slow(scenario(), 1), Setting::RunTimeout(limit(20, Signal::Kill)));
    assert_eq!(times(&run, Kind::KillAsked).first(), Some(&200));
    let cancels = set(run, Setting::Expiry(ExpiryPolicy::Cancel { after: None }));
    assert_eq!(times(&cancels, Kind::KillAsked).iter().filter(|at| **at == 200).count(), 1);
}

/// What stops itself before the sweep comes has no second attempt either.
#[test]
fn under_fail_a_stop_report_is_the_end() {
    let cut = Act::Cut { node: WORKER_1, path: Path::Control, way: Way::In, fate: Fate::Lost, lasts: None };
    let mut run = Run::new(scenario()).with(1, cut);
    run = set(
        set(run, Setting::OnLoss(OnLoss::SelfFence)),
        Setting::Sweep { every: Span::secs(60), most: None },
    );
    let of = |policy| times(&set(run.clone(), Setting::Expiry(policy)), Kind::Granted).len();
    assert!(of(ExpiryPolicy::Redispatch) > 1);
    assert_eq!(of(ExpiryPolicy::Fail), 1);
}
