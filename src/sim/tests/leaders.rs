//! Several schedulers over one record: takeovers, and what a leader does that does not know of one.

mod support;
mod worlds;

use fenceline_engine::{
    ExpiryClock, FenceRaise, LeadershipRules, NodeId, OnLoss, RestartPolicy, SinkKind, Span, Step, TaskId,
};
use fenceline_sim::scenario::{AlertRule, Role};
use fenceline_sim::story::{Story, Told};
use fenceline_sim::verdict::State;
use fenceline_sim::workload::first_run;
use fenceline_sim::{Act, Bounds, Claim, Fate, Kind, Path, Record, Run, Scenario, Search, Way};
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;
use proptest::test_runner::RngSeed;
use support::*;

const STANDBY: NodeId = NodeId(4);

/// The first run with a second scheduler, which leads 15 s after the first was heard last.
fn pair() -> Scenario {
    let mut scenario = first_run();
    scenario.standby = vec!["scheduler 2".into()];
    scenario.until = 200_000_000;
    scenario
}

fn unchecked() -> Scenario {
    let mut scenario = pair();
    scenario.rules.leadership.checks_epoch = false;
    scenario
}

fn of_kind(run: &Run, kind: Kind) -> Vec<Record> {
    run.played().trace.iter().filter(|r| r.kind == kind).copied().collect()
}

fn pause(node: NodeId, lasts: i64) -> Act {
    Act::Pause { node, lasts: Some(Span::secs(lasts)) }
}

/// (second, node, attempt, copy, token) of each grant.
fn grants(run: &Run) -> Vec<(u64, u16, u8, u8, i64)> {
    let grant = |r: &Record| (r.at / 1_000_000, r.node.0, r.attempt, r.copy, r.b);
    of_kind(run, Kind::Granted).iter().map(grant).collect()
}

fn seconds(run: &Run, kind: Kind) -> Vec<(u64, u16)> {
    of_kind(run, kind).iter().map(|r| (r.at / 1_000_000, r.node.0)).collect()
}

/// The first scheduler and the first worker stop together: at 5 s, for 60 s.
fn stopped_together(scenario: Scenario) -> Run {
    Run::new(scenario).with(5, pause(SCHEDULER, 60)).with(5, pause(WORKER_1, 60))
}

#[test]
fn nothing_changes_while_the_leader_is_well() {
    let (alone, two) = (Run::new(first_run()), Run::new(pair()));
    let until = two.scenario.until;
    let alone = Run { scenario: Scenario { until, ..(*alone.scenario).clone() }.into(), ..alone };
    let trace = |run: &Run| run.played().trace.iter().copied().collect::<Vec<_>>();
    assert_eq!(trace(&alone), trace(&two));
    assert_eq!(two.scenario.role(STANDBY), Role::Scheduler);
}

#[test]
fn a_standby_leads_once_the_leadership_is_over() {
    let run = Run::new(pair()).with(5, Act::Crash { node: SCHEDULER, lasts: None });
    // Renewed at 5 s, over at 20.
    assert_eq!(seconds(&run, Kind::Leads), [(20, STANDBY.0)]);
    assert_eq!(grants(&run), [(0, 0, 1, 0, 7)], "and the worker's attempt goes on under it");
    assert_eq!(state(&run, Claim::RowsAsExpected), State::Holds);
    let played = run.played();
    let story = Story::of(&run, &played.trace, played.trace.len(), played.now);
    assert_eq!((story.leader, story.tasks[0].now(), story.silent_since), (STANDBY, Told::Succeeded, None));
}

#[test]
fn a_leader_that_is_back_in_time_leads_on_under_another_epoch() {
    let run = Run::new(pair()).with(5, Act::Crash { node: SCHEDULER, lasts: Some(Span::secs(4)) });
    let leads = of_kind(&run, Kind::Leads);
    assert_eq!(leads.iter().map(|r| (r.node, r.b)).collect::<Vec<_>>(), [(SCHEDULER, 2)]);
    assert_eq!(state(&run, Claim::RowsAsExpected), State::Holds);
}

#[test]
fn a_leader_that_wakes_decides_by_what_it_knew() {
    let run = stopped_together(unchecked());
    assert_eq!(seconds(&run, Kind::Leads)[0], (20, STANDBY.0));
    // Both find the lease of attempt 1 over, and each gives the next token to the next attempt.
    assert_eq!(grants(&run), [(0, 0, 1, 0, 7), (30, 4, 2, 0, 8), (65, 0, 2, 1, 8)]);
    assert_eq!(seconds(&run, Kind::SteppedDown), [(65, 0)], "after that it is told");
    assert_eq!(state(&run, Claim::TokensInOrder), State::Violated);
    assert_eq!(state(&run, Claim::RowsAsExpected), State::Violated);
    let started = of_kind(&run, Kind::Started);
    assert_eq!(started.iter().map(|r| (r.attempt, r.copy)).collect::<Vec<_>>(), [(1, 0), (2, 0), (2, 1)]);
}

#[test]
fn a_store_that_checks_the_epoch_refuses_it() {
    let run = stopped_together(pair());
    assert_eq!(grants(&run), [(0, 0, 1, 0, 7), (30, 4, 2, 0, 8)]);
    let refused = of_kind(&run, Kind::DecisionRefused);
    assert_eq!(
        refused.iter().map(|r| (r.node, r.n, r.b, r.flag)).collect::<Vec<_>>(),
        [(SCHEDULER, 1, 2, 0)]
    );
    assert_eq!(seconds(&run, Kind::SteppedDown), [(65, 0)]);
}

#[test]
fn a_fence_does_not_part_two_that_have_one_token() {
    let fenced = |scenario| guarded(scenario, fence(FenceRaise::Claim));
    let run = stopped_together(fenced(unchecked()));
    assert_eq!(state(&run, Claim::RowsAsExpected), State::Violated);
    assert_eq!(state(&stopped_together(fenced(pair())), Claim::RowsAsExpected), State::Holds);
}

#[test]
fn a_leader_paused_less_than_its_leadership_is_still_the_leader() {
    let run = Run::new(unchecked()).with(5, pause(SCHEDULER, 14));
    assert!(of_kind(&run, Kind::Leads).is_empty());
    assert_eq!(state(&run, Claim::RowsAsExpected), State::Holds);
}

#[test]
fn what_has_succeeded_is_run_again_by_the_one_that_heard_nothing() {
    // Heartbeats and the completion reach the new leader; the old one finds the lease over all the same.
    let run = Run::new(unchecked()).with(2, pause(SCHEDULER, 40));
    assert_eq!(grants(&run), [(0, 0, 1, 0, 7), (42, 0, 2, 0, 8)]);
    assert_eq!(state(&run, Claim::RowsAsExpected), State::Violated);
    assert_eq!(grants(&Run { scenario: pair().into(), ..run }), [(0, 0, 1, 0, 7)]);
}

#[test]
fn a_healthy_worker_is_told_by_it_that_its_lease_is_lost() {
    let mut scenario = unchecked();
    scenario.tasks[0].program[1] = Step::Compute(Span::secs(90));
    scenario.rules.on_loss = OnLoss::SelfFence;
    let run = Run::new(scenario.clone()).with(2, pause(SCHEDULER, 40));
    // The heartbeat that waited for it is refused: worker 1 stops, and the new leader grants anew.
    assert_eq!(grants(&run), [(0, 0, 1, 0, 7), (42, 0, 2, 0, 8), (42, 4, 2, 1, 8)]);
    scenario.rules.leadership.checks_epoch = true;
    let run = Run { scenario: scenario.into(), ..run };
    assert_eq!(grants(&run), [(0, 0, 1, 0, 7)], "with the epoch it hears what waited as one that stands by");
    assert_eq!(state(&run, Claim::RowsAsExpected), State::Holds);
}

#[test]
fn one_that_is_cut_off_decides_nothing() {
    for scenario in [pair(), unchecked()] {
        let lasts = Some(Span::secs(60));
        let cut = |node| Act::Cut { node, path: Path::Control, way: Way::Both, fate: Fate::Lost, lasts };
        let run = Run::new(scenario.clone()).with(5, cut(SCHEDULER));
        assert_eq!(seconds(&run, Kind::Leads), [(20, STANDBY.0)]);
        assert_eq!(state(&run, Claim::RowsAsExpected), State::Holds);
        let both =
            Run::new(scenario).with(5, cut(SCHEDULER)).with(5, cut(STANDBY)).with(5, pause(WORKER_1, 100));
        // Its lease is over at 30 s: the leader is the one that has something to decide.
        let refused = of_kind(&both, Kind::DecisionRefused);
        assert_eq!(
            refused.iter().map(|r| (r.at / 1_000_000, r.node.0, r.flag)).collect::<Vec<_>>(),
            [(30, 0, 1)]
        );
        assert_eq!(grants(&both)[1].0, 66, "as soon as one reaches the store: {:?}", grants(&both));
    }
}

#[test]
fn a_monotonic_lease_counts_anew_under_another_host() {
    let mut scenario = pair();
    scenario.rules.lease.clock = ExpiryClock::Monotonic;
    let run = stopped_together(scenario);
    // Taken over at 20 s, 30 s from then.
    assert_eq!(grants(&run)[1].0, 50);
}

#[test]
fn the_new_leader_takes_over_by_the_restart_policy() {
    let mut scenario = pair();
    scenario.rules.restart = RestartPolicy::Reset;
    let run = Run::new(scenario).with(5, Act::Crash { node: SCHEDULER, lasts: None });
    assert_eq!(seconds(&run, Kind::AttemptOrphaned), [(20, STANDBY.0)]);
    assert_eq!(state(&run, Claim::RowsAsExpected), State::Violated, "the first attempt went on");
}

#[test]
fn the_schedulers_are_silent_until_one_of_them_leads() {
    let silent = |after| {
        let scenario = alerting(pair(), AlertRule::SchedulerSilent(Span::secs(after)));
        let run = Run::new(scenario).with(5, Act::Crash { node: SCHEDULER, lasts: None });
        let played = run.played();
        played.judge().alerts(played.now).len()
    };
    assert_eq!((silent(10), silent(16)), (1, 0));
}

#[test]
fn operator_decisions_reach_whoever_leads() {
    let decide = Act::Operator { task: TaskId(0), decision: fenceline_engine::Decision::Fail };
    let run = Run::new(pair()).with(5, Act::Crash { node: SCHEDULER, lasts: None }).with(25, decide);
    let failed = of_kind(&run, Kind::AttemptFailed);
    assert_eq!(failed.iter().map(|r| r.node).collect::<Vec<_>>(), [STANDBY]);
}

/// A small instance, to be explored: lease 6 s, leadership 4 s, a fence by claim.
fn small(checks_epoch: bool) -> Run {
    let mut scenario = guarded(onto(SinkKind::Overwrite), fence(FenceRaise::Claim));
    scenario.standby = vec!["scheduler 2".into()];
    scenario.rules.leadership = LeadershipRules { lease: Span::secs(4), checks_epoch };
    scenario.rules.lease.duration = Span::secs(6);
    scenario.rules.heartbeat.every = Span::secs(3);
    scenario.tasks[0].program[1] = Step::Compute(Span::secs(4));
    scenario.until = 45_000_000;
    Run::new(scenario)
}

#[test]
fn no_two_faults_give_a_number_twice_where_the_store_checks_epochs() {
    let node = SCHEDULER;
    let lasts = Some(Span::secs(12));
    let menu = vec![
        Act::Pause { node, lasts },
        Act::Pause { node: STANDBY, lasts },
        Act::Pause { node: WORKER_1, lasts },
        Act::Crash { node, lasts: Some(Span::secs(2)) },
        Act::Crash { node, lasts },
        Act::Cut { node, path: Path::Control, way: Way::Both, fate: Fate::Lost, lasts },
        Act::Cut { node, path: Path::Control, way: Way::In, fate: Fate::Held, lasts },
    ];
    let claims = vec![Claim::TokensInOrder, Claim::OneOutput, Claim::RowsAsExpected, Claim::NoStaleOverNewer];
    let find = |checks| {
        let bounds = Bounds { menu: menu.clone(), faults: 2, claims: claims.clone() };
        let mut search = Search::new(small(checks), bounds);
        search.finish();
        let found = search.found().map(|found| (found.acts.len(), found.claims.clone()));
        (found, search.schedules())
    };
    let (checked, schedules) = find(true);
    assert_eq!(checked, None);
    assert!(schedules > 500, "{schedules}");
    assert_eq!(find(false).0, Some((1, vec![Claim::TokensInOrder])));
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, failure_persistence: None, rng_seed: RngSeed::Fixed(29), ..ProptestConfig::default() })]

    /// Whatever two more schedulers and the faults done to them bring about: each execution has a number of
    /// its own, grants are in the truth one to one, and a store that checks epochs never has two records of
    /// one attempt.
    #[test]
    fn schedulers_disagree_and_the_truth_does_not(
        (run, acts) in worlds::run().prop_flat_map(|run| {
            let mut scenario = Scenario::clone(&run.scenario);
            scenario.standby = vec!["b".into(), "c".into()];
            let run = Run { scenario: scenario.into(), ..run };
            let nodes: Vec<NodeId> = run.scenario.schedulers().collect();
            let act = (0_u64..150, select(nodes), 0_u8..4, 1_i64..90);
            (Just(run), vec(act, 0..6))
        }),
        checks in any::<bool>(),
        lease in 2_i64..40,
    ) {
        let mut run = run;
        let mut scenario = Scenario::clone(&run.scenario);
        scenario.rules.leadership.lease = Span::secs(lease);
        scenario.rules.leadership.checks_epoch = checks;
        run.scenario = scenario.into();
        for (at, node, what, lasts) in acts {
            let lasts = Some(Span::secs(lasts));
            run = run.with(at, match what {
                0 => Act::Crash { node, lasts },
                1 => Act::Reboot { node, lasts },
                2 => Act::Cut { node, path: Path::Control, way: Way::Both, fate: Fate::Held, lasts },
                _ => Act::Pause { node, lasts },
            });
        }
        let mut simulation = fenceline_sim::Simulation::new(&run).limited(30_000);
        simulation.finish();
        let now = simulation.now();
        let trace = simulation.into_trace();
        let upto = trace.len();
        let truth = fenceline_sim::Truth::of(&run, &trace, upto, now);
        let granted: Vec<_> = trace.iter().filter(|r| r.kind == Kind::Granted).map(Record::exec).collect();
        prop_assert_eq!(&granted, &truth.leases.iter().map(|lease| lease.exec).collect::<Vec<_>>());
        let mut executions: Vec<_> = truth.executions.iter().map(|e| e.exec).collect();
        executions.sort();
        let before = executions.len();
        executions.dedup();
        prop_assert_eq!(before, executions.len(), "two executions of one number");
        let mut attempts: Vec<_> = granted.iter().map(|exec| (exec.task, exec.attempt)).collect();
        attempts.sort();
        let before = attempts.len();
        attempts.dedup();
        prop_assert!(!checks || before == attempts.len(), "granted twice though epochs are checked");
        let _ = Story::of(&run, &trace, upto, now);
    }
}
