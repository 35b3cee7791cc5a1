//! Kills by an executor, what it says of them, and what outlives them.

mod support;

use fenceline_engine::{
    Child, Decision, Ending, ExpiryPolicy, FenceRaise, KillReport, KillRules, OnLoss, SinkKind, Span, Step,
};
use fenceline_sim::verdict::State;
use fenceline_sim::workload::first_run;
use fenceline_sim::{Act, Claim, Fate, Kind, Path, Record, Run, Scenario, Setting, Way};
use support::*;

const EXECUTOR: fenceline_engine::NodeId = fenceline_engine::NodeId(4);

/// The first run, whose program works for 120 s, under *cancel*, with an executor.
fn scenario() -> Scenario {
    let mut scenario = first_run();
    scenario.executor = Some("kubelet".into());
    scenario.rules.expiry = ExpiryPolicy::Cancel { after: None };
    scenario.tasks[0].program.insert(1, Step::Compute(Span::secs(90)));
    scenario.until = 400_000_000;
    scenario
}

fn killing(delay: i64, report: KillReport) -> Scenario {
    let mut scenario = scenario();
    scenario.rules.kill = KillRules { delay: Span::secs(delay), report };
    scenario
}

/// Beats of worker 1 are lost from 22 s to 51 s.
fn mute(scenario: Scenario) -> Run {
    let lasts = Some(Span::secs(29));
    let cut = Act::Cut { node: WORKER_1, path: Path::Control, way: Way::Out, fate: Fate::Lost, lasts };
    Run::new(scenario).with(22, cut)
}

fn of_kind(run: &Run, kind: Kind) -> Vec<Record> {
    run.played().trace.iter().filter(|r| r.kind == kind).copied().collect()
}

/// Grants, in tenths of a second.
fn granted(run: &Run) -> Vec<u64> {
    of_kind(run, Kind::Granted).iter().map(|record| record.at / 100_000).collect()
}

/// When and how executions ended, in tenths of a second.
fn ended(run: &Run) -> Vec<(u64, u8, Ending)> {
    of_kind(run, Kind::Ended).iter().map(|r| (r.at / 100_000, r.attempt, r.ending())).collect()
}

#[test]
fn an_executor_kills_what_is_paused() {
    let run = Run::new(killing(5, KillReport::Confirmed)).paused_for(200);
    // Expired at 51 s, ordered at 51.2, carried out at 56.2, dead at 56.4, known at 56.8.
    assert_eq!(ended(&run)[0], (564, 1, Ending::Killed));
    assert_eq!(granted(&run), [0, 568]);
    assert_eq!(state(&run, Claim::OneOutput), State::NotExercised);
    let mut alone = killing(5, KillReport::Confirmed);
    alone.executor = None;
    assert_eq!(granted(&Run::new(alone).paused_for(200)), [0, 2222], "a paused worker kills nothing");
}

#[test]
fn a_sleeping_host_kills_nothing() {
    let freeze = Act::Freeze { node: WORKER_1, lasts: Some(Span::secs(100)), counts_sleep: true };
    let run = Run::new(killing(0, KillReport::Confirmed)).with(22, freeze);
    assert_eq!(granted(&run), [0, 1224]);
}

#[test]
fn an_order_that_is_reported_as_a_death_is_none() {
    let run = Run::new(killing(150, KillReport::Requested)).paused_for(55);
    assert_eq!(granted(&run), [0, 514], "as soon as the executor has the order");
    assert_eq!(state(&run, Claim::OneOutput), State::Violated);
    assert_eq!(granted(&Run::new(killing(150, KillReport::Confirmed)).paused_for(55)), [0], "it finished");
}

#[test]
fn an_executor_that_is_cut_off_or_dead_kills_nobody() {
    let out = Act::Cut { node: EXECUTOR, path: Path::Control, way: Way::Out, fate: Fate::Lost, lasts: None };
    let run = |act| Run::new(killing(5, KillReport::Confirmed)).paused_for(400).with(52, act);
    assert_eq!(granted(&run(out)), [0]);
    assert!(ended(&run(out)).is_empty());
    let crash = Act::Crash { node: EXECUTOR, lasts: Some(Span::secs(1)) };
    assert_eq!(granted(&run(crash)), [0], "it has forgotten the order");
}

#[test]
fn a_child_outlives_the_wrapper_that_was_killed() {
    let with = |child| {
        let mut scenario = scenario();
        scenario.rules.child = child;
        mute(scenario)
    };
    let run = with(Child::Outlives);
    assert_eq!(granted(&run), [0, 518], "the wrapper is dead, and that is confirmed");
    assert_eq!(of_kind(&run, Kind::WrapperEnded)[0].ending(), Ending::Killed);
    assert_eq!(ended(&run)[0].1, 1, "attempt 1 goes on to its end");
    assert_eq!(ended(&run)[0].2, Ending::Finished);
    let beats = |r: &&Record| r.message() == Some(fenceline_sim::MessageKind::Heartbeat) && r.attempt == 1;
    let last = of_kind(&run, Kind::Sent).iter().filter(beats).map(|r| r.at).max();
    assert_eq!(last, Some(50_200_000), "nothing beats for it");
    assert_eq!(state(&run, Claim::OneOutput), State::Violated);
    assert_eq!(state(&with(Child::Ends), Claim::OneOutput), State::NotExercised);
}

#[test]
fn a_child_outlives_the_wrapper_that_fences_itself() {
    let with = |child, fence| {
        let mut scenario = scenario();
        scenario.rules.expiry = ExpiryPolicy::Redispatch;
        scenario.rules.on_loss = OnLoss::SelfFence;
        scenario.rules.child = child;
        mute(if fence {
            guarded(scenario, fenceline_engine::FenceRules::raised(FenceRaise::Claim))
        } else {
            scenario
        })
    };
    assert_eq!(state(&with(Child::Ends, false), Claim::RowsAsExpected), State::Holds);
    let run = with(Child::Outlives, false);
    assert_eq!(of_kind(&run, Kind::WrapperEnded)[0].ending(), Ending::SelfFenced);
    assert_eq!(state(&run, Claim::RowsAsExpected), State::Violated);
    assert_eq!(
        state(&with(Child::Outlives, true), Claim::RowsAsExpected),
        State::Holds,
        "only the sink is left"
    );
}

#[test]
fn a_child_that_checks_stops_when_nobody_renews_for_it() {
    let mut scenario = scenario();
    scenario.rules.child = Child::Outlives;
    scenario.tasks[0].program.insert(2, Step::CheckLease);
    let run = mute(scenario);
    assert_eq!(ended(&run)[0].2, Ending::SelfFenced);
    assert_eq!(state(&run, Claim::OneOutput), State::NotExercised);
}

#[test]
fn a_crash_takes_the_child_with_it() {
    let mut scenario = onto(SinkKind::Append);
    scenario.rules.child = Child::Outlives;
    let run = Run::new(scenario).with(22, Act::Crash { node: WORKER_1, lasts: None });
    assert_eq!(ended(&run)[0].2, Ending::Crashed);
}

/// Its process is there some time after the grant, while its lease runs; an executor that dies has started
/// nothing, and one that is told to kill starts nothing any more.
#[test]
fn an_executor_takes_its_time_to_start_a_process() {
    let run = Run::new(scenario()).with(0, Act::Set(Setting::Launch(Some(Span::secs(20)))));
    let started = |run: &Run| of_kind(run, Kind::Started).iter().map(|r| r.at / 100_000).collect::<Vec<_>>();
    assert_eq!(started(&run)[0], 204, "one way to the executor, one from there");
    assert_eq!(of_kind(&run, Kind::LeaseStarted)[0].at, 0);
    let crash = Act::Crash { node: EXECUTOR, lasts: Some(Span::secs(1)) };
    let lost = run.clone().with(10, crash);
    assert!(started(&lost).iter().all(|at| *at > 300), "{:?}", started(&lost));
    let cancel = Act::Operator { task: fenceline_engine::TaskId(0), decision: Decision::Cancel };
    let cancelled = run.with(10, cancel);
    assert!(of_kind(&cancelled, Kind::Started).iter().all(|r| r.attempt > 1));
}
