//! What faults and changes of the rules do to the world, one behaviour a test.

use fenceline_engine::{
    CallRules, Exec, ExpiryPolicy, FenceRaise, FenceRules, Found, HeartbeatSource, IdempotencyKey, KeyRules,
    NodeId, OnLoss, Period, RetryDelay, Service, SinkKind, SinkRules, Span, StagingName, Step, TaskId,
    TaskSpec,
};
use fenceline_sim::workload::first_run;
use fenceline_sim::{
    Act, Fate, Intervention, Kind, MessageKind, Path, Record, Run, Scenario, Setting, Simulation, Way, When,
};
use std::sync::Arc;

const SCHEDULER: NodeId = NodeId(0);
const WORKER_1: NodeId = NodeId(1);
const GRANT_1: When = When::HalfDispatched { task: TaskId(0), attempt: 1 };

fn at(seconds: u64, act: Act) -> Intervention {
    Intervention { when: When::At(seconds * 1_000_000), act }
}

fn played(scenario: Scenario, interventions: &[Intervention]) -> Simulation {
    let mut simulation =
        Simulation::new(&Run { interventions: interventions.to_vec(), ..Run::new(scenario) });
    simulation.finish();
    simulation
}

/// When (in seconds), for which attempt, and the operand.
fn seen(simulation: &Simulation, kind: Kind) -> Vec<(u64, u8, i64)> {
    let of = |r: &Record| (r.at / 1_000_000, r.attempt, r.b);
    simulation.trace().iter().filter(|r| r.kind == kind).map(of).collect()
}

fn sent(simulation: &Simulation, message: MessageKind) -> Vec<(u64, u8)> {
    let of = |r: &&Record| r.kind == Kind::Sent && r.message() == Some(message);
    simulation.trace().iter().filter(of).map(|r| (r.at / 1_000_000, r.attempt)).collect()
}

#[test]
fn a_crash_between_record_and_dispatch_leaves_a_lease_that_nobody_knows_of() {
    let crash = Act::Crash { node: SCHEDULER, lasts: Some(Span::secs(5)) };
    let run = played(first_run(), &[Intervention { when: GRANT_1, act: crash }]);
    assert_eq!(seen(&run, Kind::Granted), [(0, 1, 7), (30, 2, 8)]);
    assert_eq!(seen(&run, Kind::Expired), [(30, 1, 30_000_000)]);
    assert_eq!(sent(&run, MessageKind::Dispatch), [(30, 2)]);
}

#[test]
fn a_pause_between_record_and_dispatch_delays_the_dispatch() {
    let pause = Act::Pause { node: SCHEDULER, lasts: Some(Span::secs(5)) };
    let run = played(first_run(), &[Intervention { when: GRANT_1, act: pause }]);
    assert_eq!(seen(&run, Kind::Granted), [(0, 1, 7)]);
    assert_eq!(sent(&run, MessageKind::Dispatch), [(5, 1)]);
}

#[test]
fn a_host_that_crashes_in_its_sleep_has_running_clocks_again() {
    let freeze = Act::Freeze { node: WORKER_1, lasts: Some(Span::secs(50)), counts_sleep: false };
    let crash = Act::Crash { node: WORKER_1, lasts: Some(Span::secs(5)) };
    let run = played(first_run(), &[at(10, freeze), at(20, crash)]);
    assert_eq!(seen(&run, Kind::Thawed), [(20, 0, 0)]);
    assert_eq!(run.world().clocks(WORKER_1).mono.0, 92_000_000);
}

#[test]
fn the_end_of_an_older_slowness_leaves_a_newer_one_alone() {
    let slow = |percent, seconds| Act::Slow { node: WORKER_1, percent, lasts: Some(Span::secs(seconds)) };
    let run = played(first_run(), &[at(1, slow(50, 10)), at(6, slow(20, 20))]);
    assert_eq!(seen(&run, Kind::Slowed), [(1, 0, 50), (6, 0, 20), (26, 0, 100)]);
}

#[test]
fn another_heartbeat_interval_counts_from_the_next_beat() {
    let mut scenario = first_run();
    scenario.rules.heartbeat.every = Span::secs(2);
    let run = played(scenario, &[at(11, Act::Set(Setting::Heartbeat(Span::secs(7))))]);
    let beats: Vec<u64> = sent(&run, MessageKind::Heartbeat).iter().map(|(at, _)| *at).collect();
    assert_eq!(beats, [2, 4, 6, 8, 10, 12, 19, 26]);
    assert_eq!(seen(&run, Kind::BeatsMissed), []);
}

#[test]
fn a_later_expiry_rule_overrides_the_tasks_own() {
    let mut scenario = first_run();
    scenario.tasks[0].expiry = Some(ExpiryPolicy::Hold { alert_after: Span::secs(10) });
    let rule = Act::Set(Setting::Expiry(ExpiryPolicy::Redispatch));
    let pause = Act::Pause { node: WORKER_1, lasts: None };
    let run = played(scenario, &[at(1, pause), at(2, rule)]);
    assert_eq!(seen(&run, Kind::HeldForOperator), []);
    assert_eq!(seen(&run, Kind::AttemptTimedOut), [(30, 1, 0)]);
}

#[test]
fn lengths_beyond_all_time_do_no_harm() {
    let forever = Span(i64::MAX);
    let mut scenario = first_run();
    scenario.rules.retry.delay = RetryDelay::Exponential { base: forever, cap: forever };
    let settings =
        [Setting::Lease(forever), Setting::Heartbeat(forever), Setting::Sweep { every: forever, most: None }];
    let run = played(scenario, &settings.map(|setting| at(1, Act::Set(setting))));
    assert_eq!(seen(&run, Kind::AttemptSucceeded).len(), 1);
}

/// Held, not lost: what a cut kept arrives when it ends, in the order in which it was sent.
#[test]
fn a_cut_that_holds_delivers_in_order_when_it_ends() {
    let cut = |fate| Act::Cut {
        node: WORKER_1,
        path: Path::Control,
        way: Way::Out,
        fate,
        lasts: Some(Span::secs(35)),
    };
    let beats = |run: &Simulation| -> Vec<(u64, u16)> {
        let of = |r: &&Record| r.kind == Kind::Delivered && r.message() == Some(MessageKind::Heartbeat);
        let first = |r: &&Record| r.attempt == 1 && r.at < 60_000_000;
        run.trace().iter().filter(of).filter(first).map(|r| (r.at / 1_000_000, r.n)).collect()
    };
    let mut scenario = first_run();
    scenario.rules.lease.duration = Span::secs(50);
    let held = played(scenario.clone(), &[at(5, cut(Fate::Held))]);
    assert_eq!(beats(&held), [(40, 1), (40, 2), (40, 3)]);
    assert_eq!(seen(&held, Kind::Lost), []);
    assert_eq!(seen(&held, Kind::Expired), []);
    // The same messages lost: nothing arrives.
    let lost = played(scenario, &[at(5, cut(Fate::Lost))]);
    assert_eq!(beats(&lost), []);
    assert_eq!(seen(&lost, Kind::Expired).len(), 1);
}

/// Two fenced tables, slow to answer: the first claim's retry is answered while the second's is lost.
#[test]
fn a_claim_answered_twice_does_not_stand_for_another_tables() {
    let mut scenario = first_run();
    let (first, second) = (NodeId(3), NodeId(4));
    let mut sink = scenario.sinks[0].clone();
    let fence = FenceRules::raised(FenceRaise::Claim);
    sink.rules = Arc::new(SinkRules { fence: Some(fence), ..SinkRules::clone(&sink.rules) });
    scenario.sinks = vec![sink.clone(), sink];
    let write = |sink| Step::Write { sink, part: 0, parts: 1 };
    scenario.tasks[0].program = vec![write(first), write(second), Step::Acknowledge];
    scenario.rules.call = CallRules { timeout: Some(Span::millis(300)), retries: 9 };
    let cut = Act::Cut {
        node: second,
        path: Path::Both,
        way: Way::In,
        fate: Fate::Lost,
        lasts: Some(Span::secs(2)),
    };
    let run = played(scenario, &[at(0, cut)]);
    let raised: Vec<(u64, NodeId)> =
        run.trace().iter().filter(|r| r.kind == Kind::Raised).map(|r| (r.at / 100_000, r.node)).collect();
    assert_eq!(raised, [(4, first), (25, second)]);
    let first_write = run.trace().iter().find(|r| r.kind == Kind::Applied).map(|r| r.at / 100_000);
    assert_eq!(first_write, Some(29));
}

/// With no time-out the next beat waits for the reply: each due one that is not sent says so.
#[test]
fn a_beat_that_waits_for_the_one_before_it_leaves_a_record() {
    let mut scenario = first_run();
    scenario.rules.heartbeat.call = CallRules::PATIENT;
    let cut = Act::Cut { node: WORKER_1, path: Path::Control, way: Way::In, fate: Fate::Lost, lasts: None };
    let run = played(scenario, &[at(15, cut)]);
    let of = |kind| {
        let is_it = move |r: &&Record| r.kind == kind && r.node == WORKER_1;
        run.trace().iter().filter(is_it).map(|r| (r.at / 100_000, r.n)).collect::<Vec<_>>()
    };
    assert_eq!(sent(&run, MessageKind::Heartbeat), [(10, 1), (20, 1)]);
    assert_eq!(of(Kind::BeatWaited), [(302, 3)], "its task ended at 30.8 s");
}

/// A vendor that takes 8 s over a call, asked twice: by the retry of one attempt.
#[test]
fn a_key_in_use_is_answered_busy_and_not_as_a_repeat() {
    let vendor = |service, retries| {
        let mut scenario = first_run();
        scenario.tasks[0].program = vec![Step::Effect { sink: NodeId(3) }, Step::Acknowledge];
        scenario.rules.call = CallRules { timeout: Some(Span::secs(5)), retries };
        scenario.sinks[0].rules = Arc::new(SinkRules {
            kind: SinkKind::Api(IdempotencyKey::FromTask(KeyRules::PLAIN)),
            fence: None,
            service: Service { base: Span::secs(service), per_active: Span::ZERO },
        });
        played(scenario, &[])
    };
    let run = vendor(8, 9);
    assert_eq!(seen(&run, Kind::KeyBusy).len(), 1, "asked again at 5.2 s, while the first is served");
    assert_eq!(seen(&run, Kind::Repeated), []);
    assert_eq!(seen(&run, Kind::EffectDone).len(), 1);
    assert_eq!(seen(&run, Kind::AttemptSucceeded).len(), 1);
    let last = vendor(8, 1);
    assert_eq!(
        seen(&last, Kind::AttemptSucceeded).len(),
        1,
        "the first is answered before the last gives up"
    );
    let slow = vendor(30, 1);
    assert_eq!(seen(&slow, Kind::Repeated), []);
    assert_eq!(seen(&slow, Kind::AttemptFailed)[0].1, 1, "its outcome is unknown");
}

/// A beat falls due at the very instant at which the call before it times out: that call has failed.
#[test]
fn renewals_fail_one_after_another_though_the_call_lasts_as_long_as_the_interval() {
    for timeout in [4, 5] {
        let mut scenario = first_run();
        scenario.rules.heartbeat.every = Span::secs(5);
        scenario.rules.heartbeat.call = CallRules { timeout: Some(Span::secs(timeout)), retries: 0 };
        scenario.rules.on_loss = OnLoss::SelfFenceAfter(3);
        let down = Act::Crash { node: SCHEDULER, lasts: None };
        let simulation = played(scenario, &[at(7, down)]);
        let failed: Vec<u64> = seen(&simulation, Kind::RenewalFailed).iter().map(|(at, ..)| *at).collect();
        assert_eq!(failed.len(), 3, "time-out {timeout} s: {failed:?}");
        let ended = seen(&simulation, Kind::Ended);
        assert_eq!(ended.first().map(|(at, ..)| *at), failed.last().copied(), "time-out {timeout} s");
    }
}

/// The reply is kept until 33 s: the beat of 30.2 s waits for it and leaves then.
#[test]
fn a_beat_that_waited_leaves_when_the_reply_is_there() {
    let mut scenario = first_run();
    scenario.rules.heartbeat.call = CallRules::PATIENT;
    scenario.tasks[0].program[1] = Step::Compute(Span::secs(60));
    let lasts = Some(Span::secs(18));
    let held = Act::Cut { node: WORKER_1, path: Path::Control, way: Way::In, fate: Fate::Held, lasts };
    let run = played(scenario, &[at(15, held)]);
    let beats: Vec<u64> = run
        .trace()
        .iter()
        .filter(|r| r.kind == Kind::Sent && r.message() == Some(MessageKind::Heartbeat))
        .map(|r| r.at / 100_000)
        .collect();
    assert_eq!(beats[..4], [102, 202, 330, 402]);
}

/// A rule set in the middle of a lease is obeyed from then on, not from the next renewal.
#[test]
fn a_rule_set_later_is_obeyed_from_then_on() {
    let ends = |rule, when| {
        let cut =
            Act::Cut { node: WORKER_1, path: Path::Control, way: Way::Both, fate: Fate::Lost, lasts: None };
        let mut scenario = first_run();
        scenario.tasks[0].program[1] = Step::Compute(Span::secs(60));
        let simulation = played(scenario, &[at(22, cut), at(when, Act::Set(rule))]);
        seen(&simulation, Kind::Ended).first().map(|(at, ..)| *at)
    };
    let fence = Setting::OnLoss(OnLoss::SelfFence);
    assert_eq!(ends(fence, 0), ends(fence, 30));
    assert!(ends(fence, 30) < ends(Setting::OnLoss(OnLoss::Ignore), 30));

    let mut silent = first_run();
    silent.rules.heartbeat.source = HeartbeatSource::Nobody;
    let run = played(silent, &[at(15, Act::Set(Setting::Source(HeartbeatSource::OwnThread)))]);
    assert_eq!(sent(&run, MessageKind::Heartbeat).first().map(|(at, _)| *at), Some(20));
}

/// The swap is done and its answer lost: asked again, the sink knows whose it was.
#[test]
fn a_swap_whose_answer_was_lost_is_a_repeat_and_no_leftover() {
    let sink = NodeId(3);
    let mut scenario = first_run();
    let kind = SinkKind::Staged { name: StagingName::Fixed, found: Found::InTheWay };
    Arc::make_mut(&mut scenario.sinks[0].rules).kind = kind;
    scenario.rules.call = CallRules { timeout: Some(Span::secs(2)), retries: 3 };
    scenario.tasks[0].program = vec![
        Step::Read,
        Step::Compute(Span::secs(30)),
        Step::Stage { sink },
        Step::Swap { sink },
        Step::Acknowledge,
    ];
    // The swap is sent at 30.6 s and done at 30.8 s.
    let lasts = Some(Span::secs(1));
    let cut = Act::Cut { node: WORKER_1, path: Path::Data, way: Way::In, fate: Fate::Lost, lasts };
    let when = When::At(30_700_000);
    let simulation = played(scenario, &[Intervention { when, act: cut }]);
    let trace = simulation.trace();
    let count = |kind| trace.iter().filter(|record| record.kind == kind).count();
    assert_eq!((count(Kind::Swapped), count(Kind::Repeated)), (1, 1));
    assert_eq!((count(Kind::AttemptSucceeded), count(Kind::AttemptFailed)), (1, 0));
}

/// However many a link kept, and however many links let go at once.
#[test]
fn what_many_links_kept_arrives_in_order_when_they_heal() {
    let mut scenario = first_run();
    scenario.rules.heartbeat.every = Span::millis(100);
    scenario.rules.heartbeat.call = CallRules { timeout: Some(Span::millis(50)), retries: 0 };
    scenario.rules.lease.duration = Span::secs(300);
    let (task, judged) = (scenario.tasks[0].clone(), scenario.judged[0].clone());
    scenario.tasks = vec![TaskSpec { program: vec![Step::Compute(Span::secs(1000))], ..task }; 2];
    scenario.judged = vec![judged; 2];
    let lasts = Some(Span::secs(60));
    let cut = |node| Act::Cut { node, path: Path::Control, way: Way::Out, fate: Fate::Held, lasts };
    let run = played(scenario, &[at(5, cut(WORKER_1)), at(5, cut(NodeId(2)))]);
    assert_eq!(run.stop(), None);
    let arrived = |node: NodeId| {
        let is_its = |r: &&Record| r.message() == Some(MessageKind::Heartbeat) && r.peer == node;
        let of = |r: &Record| (r.at, r.cause);
        run.trace().iter().filter(|r| r.kind == Kind::Delivered).filter(is_its).map(of).collect::<Vec<_>>()
    };
    for node in [WORKER_1, NodeId(2)] {
        let arrived = arrived(node);
        assert!(arrived.iter().filter(|(at, _)| (65_000_000..65_001_000).contains(at)).count() > 500);
        assert!(arrived.is_sorted(), "in the order in which they were sent");
    }
}

/// An act that waits for a step is done when the step begins, not when it is due at a paused process.
#[test]
fn what_is_aimed_at_a_step_waits_until_it_begins() {
    let mut scenario = first_run();
    let (task, judged) = (scenario.tasks[0].clone(), scenario.judged[0].clone());
    (scenario.tasks, scenario.judged) = (vec![task; 2], vec![judged; 2]);
    scenario.workers[0].slots = 2;
    let before = |task, act| Intervention {
        when: When::BeforeStep { exec: Exec::first(TaskId(task), 1), step: 1 },
        act,
    };
    let lasts = Some(Span::secs(10));
    let pause = before(0, Act::Pause { node: WORKER_1, lasts });
    let crash = before(1, Act::Crash { node: WORKER_1, lasts });
    assert_eq!(seen(&played(scenario, &[pause, crash]), Kind::Crashed), [(10, 0, 0)]);
}

/// What slows it for a while leaves it as slow as it was.
#[test]
fn slowness_nests() {
    let slow = |percent, lasts| Act::Slow { node: WORKER_1, percent, lasts: Some(Span::secs(lasts)) };
    let run = played(first_run(), &[at(1, slow(50, 60)), at(2, slow(10, 1)), at(4, slow(20, 80))]);
    let speeds = [(1, 0, 50), (2, 0, 10), (3, 0, 50), (4, 0, 20), (84, 0, 100)];
    assert_eq!(seen(&run, Kind::Slowed), speeds);
}

/// A cut that keeps messages makes none faster.
#[test]
fn what_a_cut_kept_arrives_no_sooner_than_without_it() {
    let mut scenario = first_run();
    scenario.control.latency = Span::secs(5);
    let (path, way, fate) = (Path::Control, Way::Out, Fate::Held);
    let cut = Act::Cut { node: WORKER_1, path, way, fate, lasts: Some(Span::secs(1)) };
    let beats = |acts: &[Intervention]| {
        let run = played(scenario.clone(), acts);
        let is_beat = |r: &&Record| r.kind == Kind::Delivered && r.message() == Some(MessageKind::Heartbeat);
        run.trace().iter().filter(is_beat).map(|r| r.at).collect::<Vec<_>>()
    };
    assert_eq!(beats(&[at(14, cut), at(24, cut)]), beats(&[]));
}

/// What beats from the loop starves, and the program waits before its next step; a thread of its own beats on.
#[test]
fn a_held_loop_starves_what_beats_from_it() {
    let block = Act::Block { node: WORKER_1, lasts: Some(Span::secs(45)) };
    let of = |source| {
        let scenario = first_run();
        let source = at(0, Act::Set(Setting::Source(source)));
        played(scenario, &[source, at(15, block)])
    };
    let starved = of(HeartbeatSource::TaskLoop);
    assert_eq!(seen(&starved, Kind::Expired), [(41, 1, 40_400_000)], "the last beat was that of 10 s");
    let beats = of(HeartbeatSource::OwnThread);
    assert_eq!(seen(&beats, Kind::Expired), []);
    let written = |run: &Simulation| seen(run, Kind::Applied).iter().map(|(at, ..)| *at).collect::<Vec<_>>();
    assert_eq!(written(&beats), [60], "not at 30 s: its computing is done, and its next step waits");
}

/// Freed while it does not run, it is free when it runs again.
#[test]
fn a_loop_is_free_when_the_process_runs_again() {
    let block = Act::Block { node: WORKER_1, lasts: Some(Span::secs(20)) };
    let pause = Act::Pause { node: WORKER_1, lasts: Some(Span::secs(20)) };
    let run = played(first_run(), &[at(20, block), at(30, pause)]);
    assert_eq!(seen(&run, Kind::LoopFreed), [(40, 0, 0)]);
    assert_eq!(seen(&run, Kind::Applied).first().map(|(at, ..)| *at), Some(50));
}

/// A call is open when the period becomes a fixed rate: the beats go on.
#[test]
fn another_period_does_not_stop_the_beats() {
    let period = |period| Act::Set(Setting::Period(period));
    let acts = [at(0, period(Period::FixedDelay)), at(10, period(Period::FixedRate))];
    let beats = |run: &Simulation| run.trace().iter().filter(|r| r.kind == Kind::Renewed).count();
    assert_eq!(beats(&played(first_run(), &acts)), 3);
}
