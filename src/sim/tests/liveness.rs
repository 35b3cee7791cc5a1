//! Liveness: once nothing is wrong any more, each task with attempts left ends, and no later than a
//! bound computed from the rules and the state at that time.

mod support;
mod worlds;

use fenceline_engine::*;
use fenceline_sim::clock::TRUE_RATE;
use fenceline_sim::scenario::SCHEDULER;
use fenceline_sim::{Act, At, Fate, Intervention, Kind, Path, Record, Run, Setting, Simulation, Way, When};
use proptest::prelude::*;
use proptest::test_runner::TestCaseResult;
use std::cell::Cell;
use std::sync::Arc;
use support::{SINK, TASK, WORKER_1, With, doing, onto};
use worlds::{each, run};

const CASES: u64 = 3_000;

/// A random run in which nothing is wrong from a drawn time on: faults have ended, nothing is lost,
/// clocks run true again, every worker has a slot for every task, and no policy waits for a person.
fn quieted() -> impl Strategy<Value = (Run, At)> {
    (run(), 5_000_000..70_000_000_u64).prop_map(|(mut run, quiet)| {
        let scenario = Arc::make_mut(&mut run.scenario);
        (scenario.control.loss, scenario.data.loss) = (0, 0);
        let tasks = scenario.tasks.len() as u16;
        for worker in &mut scenario.workers {
            (worker.slots, worker.rate) = (tasks, TRUE_RATE);
        }
        for task in &mut scenario.tasks {
            task.expiry = task.expiry.map(without_hold);
        }
        let rules = &mut scenario.rules;
        rules.expiry = without_hold(rules.expiry);
        rules.pool = None;
        rules.lease.start = LeaseStart::Grant;
        rules.call = in_time(rules.call);
        let nodes = scenario.node_count() as u16;
        run.interventions.retain(|act| match act.when {
            When::At(at) => at < quiet,
            // Nobody knows when its point comes.
            _ => false,
        });
        for act in &mut run.interventions {
            act.act = harmless(act.act, act.when, quiet);
        }
        let true_again = (0..nodes).map(|node| Act::ClockRate { node: NodeId(node), ppm: 0 });
        let when = When::At(quiet);
        run.interventions.extend(true_again.map(|act| Intervention { when, act }));
        (run, quiet)
    })
}

fn without_hold(policy: ExpiryPolicy) -> ExpiryPolicy {
    match policy {
        ExpiryPolicy::Hold { alert_after } => ExpiryPolicy::Grace(alert_after),
        other => other,
    }
}

/// A call without a time-out whose answer was lost is waited for without end.
fn in_time(call: CallRules) -> CallRules {
    CallRules { timeout: call.timeout.or(Some(Span::secs(4))), ..call }
}

/// The same act, over by the time of quiet.
fn harmless(act: Act, when: When, quiet: At) -> Act {
    let left = match when {
        When::At(at) => Span((quiet - at) as i64),
        _ => Span::ZERO,
    };
    match act {
        Act::Set(Setting::Expiry(policy)) => Act::Set(Setting::Expiry(without_hold(policy))),
        Act::Set(Setting::Pool(_)) => Act::Set(Setting::Pool(None)),
        Act::Set(Setting::LeaseStart(_)) => Act::Set(Setting::LeaseStart(LeaseStart::Grant)),
        Act::Set(Setting::Call(call)) => Act::Set(Setting::Call(in_time(call))),
        act => act.lasting(Some(act.lasts().map_or(left, |lasts| Span(lasts.0.min(left.0))))),
    }
}

/// What a task's end may still take from the time of quiet on.
#[derive(Debug)]
struct Bound {
    /// Longest way of a message.
    way: Span,
    /// Longest program: its steps, with every time-out and retry of its calls.
    program: Span,
    /// Longest time from an execution's last renewal to the record that it is over: the lease runs out
    /// and the next sweep comes; once more, if a jump guard gives a clean window; and the grace ends.
    silence: Span,
    /// Longest wait from the end of an attempt to the dispatch of the next: the delay, and a raise sent
    /// again because the first was lost before all was quiet.
    between: Span,
}

fn bound(run: &Run, quiet: At, simulation: &Simulation, task: TaskId) -> Span {
    let scenario = &run.scenario;
    let rules = &scenario.rules;
    let settings = || {
        run.interventions.iter().filter_map(|act| match act.act {
            Act::Set(setting) => Some(setting),
            _ => None,
        })
    };
    let most = |first: Span, other: &dyn Fn(Setting) -> Option<Span>| {
        settings().filter_map(other).fold(first, |most, span| Span(most.0.max(span.0)))
    };
    let lease = most(rules.lease.duration, &|s| if let Setting::Lease(span) = s { Some(span) } else { None });
    let sweep = most(rules.sweep.every, &|s| if let Setting::Sweep(span) = s { Some(span) } else { None });
    let grace_of = |policy| if let ExpiryPolicy::Grace(span) = policy { span } else { Span::ZERO };
    let own = scenario.tasks[usize::from(task.0)].expiry.map_or(Span::ZERO, grace_of);
    let grace = most(Span(own.0.max(grace_of(rules.expiry).0)), &|s| match s {
        Setting::Expiry(policy) => Some(grace_of(policy)),
        _ => None,
    });
    let delay_of = |delay: RetryDelay| match delay {
        RetryDelay::None => Span::ZERO,
        RetryDelay::Fixed(span) => span,
        RetryDelay::Exponential { cap, .. } | RetryDelay::FullJitter { cap, .. } => cap,
    };
    let delay = most(delay_of(rules.retry.delay), &|s| match s {
        Setting::Delay(delay) => Some(delay_of(delay)),
        _ => None,
    });
    let attempts = settings().fold(rules.retry.attempts, |most, setting| match setting {
        Setting::Attempts(attempts) => most.max(attempts),
        _ => most,
    });
    let call = |call: CallRules| call.timeout.unwrap_or(Span::ZERO).times(i64::from(call.retries) + 1);
    let call =
        most(call(rules.call), &|s| if let Setting::Call(rules) = s { Some(call(rules)) } else { None });
    let links = [scenario.control, scenario.data].map(|link| link.latency + link.jitter);
    let slower = run.interventions.iter().filter_map(|act| match act.act {
        Act::Degrade { latency, .. } => Some(latency),
        _ => None,
    });
    let way =
        Span(links.iter().map(|span| span.0).fold(0, i64::max) + slower.map(|span| span.0).sum::<i64>());
    let spec = &scenario.tasks[usize::from(task.0)];
    // A claim first; then each step, with a look before it and one after a conflict; what is *busy* is
    // waited for as long again.
    let step = |step: &Step| match *step {
        Step::Compute(span) | Step::Block(span) => span,
        Step::Look { .. } => call,
        Step::Lock { .. } | Step::Effect { .. } | Step::Clean { .. } => call.times(2),
        Step::Write { .. } | Step::Stage { .. } | Step::Swap { .. } => call.times(3),
        Step::Unlock { .. } | Step::Work { .. } => call,
        Step::Read | Step::CheckLease | Step::Acknowledge => Span::ZERO,
    };
    let program = spec.program.iter().map(step).fold(call, |sum, span| sum + span);
    let guards = rules.sweep.jump_guard.is_some()
        || settings().any(|setting| matches!(setting, Setting::JumpGuard(Some(_))));
    let silence = (lease + sweep).times(if guards { 2 } else { 1 }) + grace;
    let raise = most(rules.call.timeout.unwrap_or(Span::ZERO), &|s| match s {
        Setting::Call(rules) => rules.timeout,
        _ => None,
    });
    let between = delay + raise;
    let bound = Bound { way, program, silence, between };
    remaining(&bound, quiet, simulation, task, attempts, scenario.epoch + spec.due)
}

fn remaining(
    bound: &Bound,
    quiet: At,
    simulation: &Simulation,
    task: TaskId,
    attempts: u8,
    due: Wall,
) -> Span {
    let world = simulation.world();
    assert_eq!(world.now(), quiet);
    let now = world.clocks(SCHEDULER);
    let record = world.ledger().task(task);
    let until_due = Span((due - now.wall).0.max(0));
    // What the record's lease has left: a clock that was set back may have made it long.
    let left = record.attempts.last().and_then(|attempt| attempt.lease).map_or(Span::ZERO, |lease| {
        let reading = match lease.clock() {
            ExpiryClock::Wall | ExpiryClock::WorkerStamp => now.wall.0,
            ExpiryClock::Monotonic | ExpiryClock::Observer => now.mono.0,
        };
        Span((lease.ends() - reading).max(0))
    });
    // Raise and answer, dispatch; at the end a renewal or a completion.
    let each = bound.between + bound.way.times(4) + bound.program + bound.silence;
    let first = until_due + left + each;
    let more = attempts.saturating_sub(u8::try_from(record.attempts.len()).unwrap_or(u8::MAX));
    first + each.times(i64::from(more))
}

#[test]
fn when_nothing_is_wrong_any_more_each_task_ends_within_its_bound() {
    let (open, closest) = (Cell::new(0), Cell::new(0));
    each(&quieted(), CASES, |(run, quiet): (Run, At)| -> TestCaseResult {
        let mut long = run.clone();
        // Far enough for any bound; what ends later is seen.
        Arc::make_mut(&mut long.scenario).until = 3_600_000_000;
        let mut simulation = Simulation::new(&long).limited(200_000);
        simulation.advance_to(quiet);
        let tasks = (0..long.scenario.tasks.len() as u16).map(TaskId);
        let is_open = |task: &TaskId| !simulation.world().ledger().task(*task).state.is_terminal();
        let deadline = |task| (task, quiet + bound(&long, quiet, &simulation, task).0 as u64);
        let deadlines: Vec<(TaskId, At)> = tasks.filter(is_open).map(deadline).collect();
        let latest = deadlines.iter().map(|(_, at)| *at).max().unwrap_or(0);
        simulation.advance_to(latest);
        prop_assert!(simulation.stop().is_none(), "it feeds itself");
        for (task, deadline) in deadlines {
            let ends = |record: &&Record| {
                (record.kind, record.task) == (Kind::TaskIs, task) && record.task_state().is_terminal()
            };
            let ended = simulation.trace().iter().find(ends).map_or(At::MAX, |record| record.at);
            let record = simulation.world().ledger().task(task);
            prop_assert!(
                ended <= deadline,
                "quiet from {quiet}: {task:?} not over at {deadline}: {record:?}"
            );
            open.set(open.get() + 1);
            closest.set(closest.get().max((ended - quiet) * 100 / (deadline - quiet)));
        }
        Ok(())
    });
    println!("{} tasks were open; the latest took {} % of its bound", open.get(), closest.get());
    assert!(std::env::var("CASE").is_ok() || open.get() > 1_000);
}

/// Whether the one task of a run is over long after everything has calmed down.
fn ends(run: &Run) -> bool {
    let mut run = run.clone();
    Arc::make_mut(&mut run.scenario).until = 3_600_000_000;
    let mut simulation = Simulation::new(&run);
    simulation.finish();
    simulation.world().ledger().task(TASK).state.is_terminal()
}

/// Without any one of them a task may wait for ever.
#[test]
fn each_condition_is_needed() {
    let plain =
        Run::new(onto(SinkKind::Overwrite)).with(0, Act::Set(Setting::Call(in_time(CallRules::PATIENT))));
    let lasts = Some(Span::secs(5));
    let lost = |node, path| Act::Cut { node, path, way: Way::Both, fate: Fate::Lost, lasts };
    let crash = Act::Crash { node: WORKER_1, lasts };
    // A policy that waits for a person.
    let held = Act::Set(Setting::Expiry(ExpiryPolicy::Hold { alert_after: Span::ZERO }));
    assert!(ends(&plain.clone().with(20, crash)));
    assert!(!ends(&plain.clone().with(20, crash).with(0, held)));
    // A call without a time-out: the task hangs, its heart beats.
    let mute = lost(WORKER_1, Path::Data);
    assert!(ends(&plain.clone().with(28, mute)));
    assert!(!ends(&plain.clone().with(28, mute).with(0, Act::Set(Setting::Call(CallRules::PATIENT)))));
    // A lease that begins with a delivery that never comes.
    let deaf = plain.clone().with(0, lost(WORKER_1, Path::Control));
    for start in [LeaseStart::Delivery, LeaseStart::FirstHeartbeat] {
        let unstarted = deaf.clone().with(0, Act::Set(Setting::LeaseStart(start)));
        let mut scenario = unstarted.scenario.as_ref().clone();
        scenario.tasks[0].due = Span::secs(1);
        assert!(ends(&Run { scenario: scenario.clone().into(), ..deaf.clone() }));
        assert!(!ends(&Run { scenario: scenario.into(), ..unstarted }), "{start:?}");
    }
    // A fault that does not end.
    assert!(!ends(&plain.clone().with(20, Act::Pause { node: SCHEDULER, lasts: None })));
    // No room.
    assert!(!ends(&plain.clone().with(0, Act::Set(Setting::Pool(Some(0))))));
    // A clock that stands still.
    let still = Act::ClockRate { node: SCHEDULER, ppm: -1_000_000 };
    assert!(!ends(&plain.with(20, crash).with(10, still)));
}

/// It was tried 255 times, with a look between any two, while the heart went on beating.
#[test]
fn what_a_store_cannot_do_is_not_tried_again() {
    for step in [Step::Lock { sink: SINK }, Step::Stage { sink: SINK }, Step::Swap { sink: SINK }] {
        let kind = SinkKind::Objects(Put::CompareAndSet(OnConflict::Retry));
        let played = Run::new(doing(kind, &[step])).played();
        let failed = played.trace.iter().filter(|record| record.kind == Kind::AttemptFailed);
        assert_eq!(failed.count(), 3, "{step:?}");
    }
}
