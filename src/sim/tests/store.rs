//! The store of the record as a node: what its delay, its faults and its own renewals do.

mod support;

use fenceline_engine::{
    AttemptState, BeatsTo, ExpiryClock, ExpiryPolicy, FenceRaise, LateRenewal, NodeId, RestartPolicy,
    SinkKind, Span, Step, StoreRules,
};
use fenceline_sim::scenario::Role;
use fenceline_sim::verdict::State;
use fenceline_sim::workload::first_run;
use fenceline_sim::{
    Act, Bounds, Claim, Fate, Kind, MessageKind, Path, Record, Run, Scenario, Search, Simulation, Way, causes,
};
use support::*;

const STORE: NodeId = NodeId(4);

/// The first run with its record on a node 0.2 s away that takes no time.
fn stored() -> Scenario {
    let mut scenario = first_run();
    scenario.store = Some("database".into());
    scenario.rules.store.takes = Span::ZERO;
    scenario.until = 200_000_000;
    scenario
}

/// The same, and heartbeats go there.
fn renewing() -> Scenario {
    let mut scenario = stored();
    scenario.rules.heartbeat.to = BeatsTo::Store;
    scenario
}

/// A program that takes so long.
fn taking(mut scenario: Scenario, seconds: i64) -> Scenario {
    scenario.tasks[0].program[1] = Step::Compute(Span::secs(seconds));
    scenario
}

fn pause(node: NodeId, lasts: i64) -> Act {
    Act::Pause { node, lasts: Some(Span::secs(lasts)) }
}

fn crash(node: NodeId, lasts: i64) -> Act {
    Act::Crash { node, lasts: Some(Span::secs(lasts)) }
}

fn of_kind(run: &Run, kind: Kind) -> Vec<Record> {
    run.played().trace.iter().filter(|r| r.kind == kind).copied().collect()
}

/// (tenth of a second, node) of each.
fn tenths(run: &Run, kind: Kind) -> Vec<(u64, u16)> {
    of_kind(run, kind).iter().map(|r| (r.at / 100_000, r.node.0)).collect()
}

/// (tenth of a second, attempt) of each grant.
fn grants(run: &Run) -> Vec<(u64, u8)> {
    of_kind(run, Kind::Granted).iter().map(|r| (r.at / 100_000, r.attempt)).collect()
}

fn messages(run: &Run, kind: Kind, message: MessageKind) -> Vec<u64> {
    let is_it = |r: &&Record| r.message() == Some(message);
    of_kind(run, kind).iter().filter(is_it).map(|r| r.at / 100_000).collect()
}

fn ends(run: &Run) -> Option<AttemptState> {
    let mut simulation = Simulation::new(run);
    simulation.finish();
    let record = simulation.world().ledger().clone();
    record.attempt(TASK, 1).map(|attempt| attempt.state)
}

#[test]
fn the_store_is_a_node_after_all_others() {
    let mut scenario = stored();
    assert_eq!((scenario.role(STORE), scenario.store()), (Role::Store, Some(STORE)));
    scenario.standby = vec!["scheduler 2".into()];
    assert_eq!((scenario.role(STORE), scenario.role(NodeId(5))), (Role::Scheduler, Role::Store));
}

#[test]
fn a_grant_is_recorded_at_the_store_and_sent_when_its_answer_is_back() {
    let run = Run::new(stored());
    let granted = of_kind(&run, Kind::Granted);
    assert_eq!((granted[0].at, granted[0].node), (200_000, SCHEDULER), "when the call arrived");
    assert_eq!(messages(&run, Kind::Sent, MessageKind::Dispatch), [4], "0.2 s there, 0.2 s back");
    assert_eq!(state(&run, Claim::RowsAsExpected), State::Holds);
}

#[test]
fn a_scheduler_that_dies_before_its_call_arrives_has_decided_and_the_record_says_so() {
    // The call is on its way from 0 s to 0.2 s.
    let run = Run::new(stored()).at_micros(100_000, crash(SCHEDULER, 5));
    assert_eq!(of_kind(&run, Kind::Granted)[0].at, 200_000, "what was sent arrives");
    assert!(messages(&run, Kind::Sent, MessageKind::Dispatch)[0] > 300, "and was not dispatched");
}

#[test]
fn a_call_that_is_lost_with_its_scheduler_was_never_decided() {
    let cut = Act::Cut {
        node: STORE,
        path: Path::Control,
        way: Way::In,
        fate: Fate::Lost,
        lasts: Some(Span::secs(3)),
    };
    let run = Run::new(stored()).at_micros(50_000, cut).at_micros(100_000, crash(SCHEDULER, 5));
    // Restarted at 5.1 s, it reads the record, finds nothing granted, and grants.
    assert_eq!(grants(&run), [(57, 1)]);
    assert_eq!(state(&run, Claim::RowsAsExpected), State::Holds);
}

#[test]
fn one_that_dies_before_the_answer_is_back_finds_the_change_applied() {
    let run = Run::new(stored()).at_micros(300_000, crash(SCHEDULER, 5));
    assert_eq!(grants(&run)[0], (2, 1));
    assert_eq!(messages(&run, Kind::Sent, MessageKind::Dispatch).len(), grants(&run).len() - 1);
}

#[test]
fn a_slow_store_holds_up_the_loop_and_the_sweep_is_late() {
    let mut scenario = taking(stored(), 90);
    scenario.rules.store.takes = Span::secs(8);
    let run = Run::new(scenario.clone()).with(5, pause(WORKER_1, 120));
    // The first renewal does not come; the lease of the grant is over at 30 s.
    assert!(tenths(&run, Kind::Expired)[0].0 >= 380, "{:?}", tenths(&run, Kind::Expired));
    let sweeps_wait = |guard: Option<i64>| {
        let mut scenario = scenario.clone();
        scenario.rules.sweep.jump_guard = guard.map(Span::secs);
        of_kind(&Run::new(scenario), Kind::Guarded).len()
    };
    assert_eq!(sweeps_wait(None), 0);
    assert!(sweeps_wait(Some(5)) > 0, "a sweep that comes 8 s late is suspicious to a guard of 5 s");
    assert_eq!(sweeps_wait(Some(12)), 0);
}

#[test]
fn calls_queue_behind_each_other_and_slowness_stretches_them() {
    let mut scenario = renewing();
    scenario.rules.store.takes = Span::secs(1);
    let slow = Act::Slow { node: STORE, percent: 25, lasts: None };
    let run = Run::new(scenario).with(9, slow);
    let renewed = tenths(&run, Kind::Renewed);
    assert!(renewed[0].0 >= 147, "4 s in place of 1 s, and behind the call of a sweep: {renewed:?}");
}

#[test]
fn a_paused_store_answers_when_it_is_back() {
    let run = Run::new(stored()).with(9, pause(STORE, 15));
    assert_eq!(tenths(&run, Kind::Renewed)[0], (240, SCHEDULER.0), "recorded 14 s late");
    assert_eq!(grants(&run), [(2, 1)]);
    assert_eq!(state(&run, Claim::RowsAsExpected), State::Holds);
}

#[test]
fn a_healthy_lease_expires_while_the_loop_waits_for_the_store() {
    let run = Run::new(taking(stored(), 90)).with(12, pause(STORE, 40));
    // Renewed at 20.6 s and recorded at 52; the beats of 30 and 40 s wait behind the sweep that waits.
    assert_eq!(grants(&run), [(2, 1), (524, 2)]);
    let mut scenario = taking(stored(), 90);
    scenario.rules.sweep.jump_guard = Some(Span::secs(10));
    let run = Run::new(scenario).with(12, pause(STORE, 40));
    assert_eq!(grants(&run), [(2, 1)], "a guard sees that the sweep is late");
}

#[test]
fn a_cut_off_store_is_asked_again_until_it_answers() {
    let lasts = Some(Span::secs(12));
    for way in [Way::In, Way::Out, Way::Both] {
        let cut = Act::Cut { node: STORE, path: Path::Control, way, fate: Fate::Lost, lasts };
        let run = Run::new(stored()).with(9, cut);
        let asked = messages(&run, Kind::Sent, MessageKind::StoreCall);
        assert!(asked.iter().filter(|at| (100..220).contains(*at)).count() >= 10, "{way:?}: {asked:?}");
        let renewals = of_kind(&run, Kind::Renewed);
        let ticks: Vec<u16> = renewals.iter().map(|r| r.n).collect();
        assert_eq!(ticks, [1, 2, 3], "each is recorded once, {way:?}");
        assert_eq!(state(&run, Claim::RowsAsExpected), State::Holds);
    }
}

#[test]
fn a_crash_of_the_store_loses_calls_and_nothing_of_the_record() {
    let mut scenario = stored();
    scenario.rules.store.takes = Span::secs(2);
    let run = Run::new(scenario).with(11, crash(STORE, 3));
    assert_eq!(state(&run, Claim::RowsAsExpected), State::Holds);
    assert_eq!(grants(&run).len(), 1);
    assert!(tenths(&run, Kind::Renewed)[0].0 >= 140, "the call it was serving was asked again");
}

#[test]
fn with_heartbeats_to_the_store_nothing_expires_while_the_scheduler_is_down() {
    let down = crash(SCHEDULER, 60);
    let run = |scenario| Run::new(taking(scenario, 90)).with(5, down);
    let to_store = run(renewing());
    assert_eq!(grants(&to_store), [(2, 1)]);
    assert_eq!(of_kind(&to_store, Kind::Renewed).len(), 9);
    assert!(of_kind(&to_store, Kind::Renewed).iter().all(|r| r.node == STORE));
    assert_eq!(state(&to_store, Claim::RowsAsExpected), State::Holds);
    let to_scheduler = run(stored());
    assert_eq!(grants(&to_scheduler).len(), 2, "its renewals were lost");
    assert_eq!(state(&to_scheduler, Claim::RowsAsExpected), State::Violated);
}

#[test]
fn the_store_refuses_what_is_not_open_and_what_comes_late() {
    let run = Run::new(taking(renewing(), 90)).with(5, pause(WORKER_1, 40));
    // Woken at 45 s, its beat is of an attempt that was closed when the lease was over.
    let refused = tenths(&run, Kind::Refused);
    assert_eq!((refused[0].1, refused[0].0), (STORE.0, 452));
    assert_eq!(grants(&run).len(), 2);
    // Before any sweep: by the rule, on the store's own clock.
    for (late, grants_made) in [(LateRenewal::Refuse, 2), (LateRenewal::Revive, 1)] {
        let mut scenario = taking(renewing(), 60);
        scenario.rules.sweep.every = Span::secs(50);
        scenario.rules.lease.late_renewal = late;
        let run = Run::new(scenario).with(5, pause(WORKER_1, 30));
        assert_eq!(grants(&run).len(), grants_made, "{late:?}");
    }
}

#[test]
fn a_store_whose_clock_is_behind_gives_shorter_leases() {
    let step = Act::StepClock { node: STORE, by: Span::secs(-25) };
    let run = Run::new(taking(renewing(), 60)).with(2, step);
    assert_eq!(tenths(&run, Kind::Expired)[0].0 / 10, 16, "T is 5 s from then on the scheduler's clock");
}

#[test]
fn an_observer_counts_from_when_it_saw_the_renewal() {
    let mut scenario = taking(renewing(), 90);
    scenario.rules.lease.clock = ExpiryClock::Observer;
    let healthy = Run::new(scenario.clone());
    assert_eq!(grants(&healthy), [(2, 1)]);
    let run = Run::new(scenario).with(15, pause(WORKER_1, 200));
    // Renewed at 10.4 s, seen by a sweep a second later at most, over 30 s after that.
    let expired = tenths(&run, Kind::Expired)[0].0;
    assert!((405..430).contains(&expired), "{expired}");
}

#[test]
fn a_held_attempt_revived_by_the_store_is_seen_as_running() {
    let mut scenario = taking(renewing(), 60);
    scenario.rules.lease.late_renewal = LateRenewal::Revive;
    scenario.rules.expiry = ExpiryPolicy::Hold { alert_after: Span::secs(60) };
    let run = Run::new(scenario).with(5, pause(WORKER_1, 40));
    assert_eq!(of_kind(&run, Kind::HeldForOperator).len(), 1);
    assert_eq!(of_kind(&run, Kind::HoldAlert).len(), 0);
    assert_eq!(ends(&run), Some(AttemptState::Succeeded));
}

#[test]
fn a_decision_about_a_lease_renewed_since_it_was_read_is_made_anew() {
    let mut scenario = taking(renewing(), 60);
    scenario.rules.sweep.every = Span::millis(500);
    scenario.rules.store.takes = Span::millis(300);
    scenario.rules.lease.late_renewal = LateRenewal::Revive;
    // It wakes about the time at which its lease is over, and beats.
    let found = (0..30).find_map(|tenth| {
        let lasts = Some(Span::millis(24_500 + tenth * 100));
        let run = Run::new(scenario.clone()).with(5, Act::Pause { node: WORKER_1, lasts });
        of_kind(&run, Kind::DecisionRefused).iter().any(|r| r.flag == 2).then_some(run)
    });
    let run = found.expect("one of them falls between reading and writing");
    assert_eq!(grants(&run), [(5, 1)], "the renewal stands");
    assert_eq!(state(&run, Claim::RowsAsExpected), State::Holds);
}

#[test]
fn a_restarted_scheduler_reads_its_record_from_the_store() {
    let mut scenario = stored();
    scenario.rules.restart = RestartPolicy::Adopt;
    let run = Run::new(scenario).with(5, crash(SCHEDULER, 5)).with(9, pause(STORE, 20));
    assert_eq!(tenths(&run, Kind::Adopted)[0].0 / 10, 29, "when the store is back");
    assert_eq!(state(&run, Claim::RowsAsExpected), State::Holds);
}

/// Two schedulers over the node; the first sleeps through its leadership.
fn pair(checks_epoch: bool) -> Scenario {
    let mut scenario = taking(stored(), 60);
    scenario.standby = vec!["scheduler 2".into()];
    scenario.rules.leadership.checks_epoch = checks_epoch;
    scenario
}

const STANDBY: NodeId = NodeId(4);

#[test]
fn an_old_leaders_delayed_decision_is_refused_there() {
    // The worker's beats stop at 2 s. At 30 s the leader decides; its call is kept by a cut for 40 s.
    let held = Act::Cut {
        node: SCHEDULER,
        path: Path::Control,
        way: Way::Out,
        fate: Fate::Held,
        lasts: Some(Span::secs(40)),
    };
    let run = |checks| Run::new(pair(checks)).with(2, pause(WORKER_1, 190)).at_micros(29_500_000, held);
    let checked = run(true);
    assert_eq!(tenths(&checked, Kind::Leads)[0].1, STANDBY.0);
    let refused = of_kind(&checked, Kind::DecisionRefused);
    assert_eq!(
        refused.iter().map(|r| (r.node, r.n, r.b, r.flag)).collect::<Vec<_>>(),
        [(SCHEDULER, 1, 2, 0)]
    );
    assert!(refused[0].at >= 69_500_000, "when it arrived, not when it was decided");
    assert_eq!(of_kind(&checked, Kind::Granted).len(), 2);
    assert_eq!(state(&checked, Claim::TokensInOrder), State::Holds);
    let unchecked = run(false);
    assert_eq!(state(&unchecked, Claim::TokensInOrder), State::Violated, "{:?}", grants(&unchecked));
}

#[test]
fn leadership_is_asked_for_over_the_same_link() {
    let run = Run::new(pair(true)).with(5, crash(SCHEDULER, 100));
    let leads = tenths(&run, Kind::Leads);
    assert!((200..215).contains(&leads[0].0) && leads[0].1 == STANDBY.0, "{leads:?}");
    let paused = Run::new(pair(true)).with(5, crash(SCHEDULER, 100)).with(6, pause(NodeId(5), 60));
    assert!(tenths(&paused, Kind::Leads)[0].0 >= 660);
    assert_eq!(state(&run, Claim::RowsAsExpected), State::Holds);
}

/// A small instance over the store, to be explored: lease 6 s, leadership 4 s, a fence by claim.
#[test]
fn no_two_faults_break_a_fenced_table_where_the_store_checks_epochs() {
    let mut scenario = guarded(onto(SinkKind::Overwrite), fence(FenceRaise::Claim));
    scenario.store = Some("database".into());
    scenario.standby = vec!["scheduler 2".into()];
    scenario.rules.leadership.lease = Span::secs(4);
    scenario.rules.lease.duration = Span::secs(6);
    scenario.rules.heartbeat.every = Span::secs(3);
    scenario.rules.sweep.every = Span::secs(2);
    scenario.tasks[0].program[1] = Step::Compute(Span::secs(4));
    scenario.until = 40_000_000;
    let (node, lasts) = (SCHEDULER, Some(Span::secs(12)));
    let store = scenario.store().expect("it has one");
    let menu = vec![
        Act::Pause { node, lasts },
        Act::Pause { node: WORKER_1, lasts },
        Act::Crash { node, lasts: Some(Span::secs(2)) },
        Act::Pause { node: store, lasts },
        Act::Cut { node, path: Path::Control, way: Way::Out, fate: Fate::Held, lasts },
    ];
    let claims = vec![Claim::TokensInOrder, Claim::OneOutput, Claim::RowsAsExpected, Claim::NoStaleOverNewer];
    for to in [BeatsTo::Scheduler, BeatsTo::Store] {
        scenario.rules.heartbeat.to = to;
        let bounds = Bounds { menu: menu.clone(), faults: 2, claims: claims.clone() };
        let mut search = Search::new(Run::new(scenario.clone()), bounds);
        search.finish();
        assert_eq!(search.found().map(|found| (found.acts.clone(), found.claims.clone())), None, "{to:?}");
        assert!(search.schedules() > 300, "{}", search.schedules());
    }
}

#[test]
fn an_expiry_behind_a_slow_store_names_the_store_as_its_cause() {
    let mut scenario = taking(renewing(), 60);
    scenario.rules.store = StoreRules { takes: Span::secs(1), retry: Span::secs(30) };
    let run = Run::new(scenario).with(8, Act::Slow { node: STORE, percent: 2, lasts: Some(Span::secs(60)) });
    let played = run.played();
    let expired =
        (0..played.trace.len()).find(|id| played.trace.get(*id).is_some_and(|r| r.kind == Kind::Expired));
    let found =
        causes::causes(&played.trace, expired.expect("renewals wait at the store for longer than a lease"));
    let is_slow = |id: &u32| played.trace.get(*id).is_some_and(|r| r.kind == Kind::Slowed && r.node == STORE);
    assert!(found.iter().any(is_slow), "{found:?}");
}

#[test]
fn heartbeat_load_counts_what_the_store_handles() {
    let load = |run: &Run| {
        let played = run.played();
        let figures = fenceline_sim::figures::Figures::of(run, &played.trace, played.trace.len(), played.now);
        figures.heartbeats.handled
    };
    assert_eq!(load(&Run::new(renewing())), load(&Run::new(stored())));
}
