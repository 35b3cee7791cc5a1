//! Liveness: once nothing is wrong any more, each task with attempts left ends, and no later than a
//! bound computed from the rules and the state at that time.

mod support;
mod worlds;

use fenceline_engine::*;
use fenceline_sim::clock::TRUE_RATE;
use fenceline_sim::scenario::SCHEDULER;
use fenceline_sim::{
    Act, At, Fate, Intervention, Kind, Path, Record, Run, Setting, Simulation, Way, When, World,
};
use proptest::prelude::*;
use proptest::test_runner::TestCaseResult;
use std::cell::Cell;
use std::sync::Arc;
use support::{SINK, TASK, WORKER_1, With, doing, onto};
use worlds::{each, run};

const CASES: u64 = 3_000;

/// A random run in which nothing is wrong from a drawn time on: faults have ended, nothing is lost,
/// clocks run true again, every worker has a slot for every task, a lease begins in time or not at all,
/// and no policy waits for a person or for a confirmation. A store is at hand and prompt: a scheduler that waits
/// for one for longer than it has between two heartbeats falls behind for ever.
fn quieted() -> impl Strategy<Value = (Run, At)> {
    (run(), 5_000_000..70_000_000_u64).prop_map(|(mut run, quiet)| {
        let scenario = Arc::make_mut(&mut run.scenario);
        (scenario.control.loss, scenario.data.loss) = (0, 0);
        if scenario.control.latency + scenario.control.jitter > Span::ZERO {
            scenario.store = None;
        }
        let tasks = scenario.tasks.len() as u16;
        for worker in &mut scenario.workers {
            (worker.slots, worker.rate) = (tasks, TRUE_RATE);
        }
        for task in &mut scenario.tasks {
            task.expiry = task.expiry.map(impatient);
        }
        let rules = &mut scenario.rules;
        rules.expiry = impatient(rules.expiry);
        rules.pool = None;
        // A task whose attempts do not count may be begun for ever.
        rules.retry.expiry_counts = true;
        rules.store = prompt(rules.store);
        // A process that takes longer to start than a lease lasts is never there in time.
        rules.launch = None;
        rules.lease.start_timeout = rules.lease.start_timeout.or(Some(START));
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

const START: Limit = Limit { after: Span::secs(25), signal: Signal::None };

/// A policy that goes on by itself in the end.
fn impatient(policy: ExpiryPolicy) -> ExpiryPolicy {
    match policy {
        ExpiryPolicy::Hold { alert_after } => ExpiryPolicy::Grace(alert_after),
        ExpiryPolicy::Cancel { after } => ExpiryPolicy::Cancel { after: after.or(Some(Span::secs(15))) },
        other => other,
    }
}

/// A store that serves all there are in no time worth the name.
fn prompt(store: StoreRules) -> StoreRules {
    StoreRules { takes: Span(store.takes.0.min(10_000)), ..store }
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
        Act::Set(Setting::Expiry(policy)) => Act::Set(Setting::Expiry(impatient(policy))),
        Act::Set(Setting::Launch(_)) => Act::Set(Setting::Launch(None)),
        Act::Set(Setting::ExpiryCounts(_)) => Act::Set(Setting::ExpiryCounts(true)),
        Act::Set(Setting::Store(store)) => Act::Set(Setting::Store(prompt(store))),
        Act::Set(Setting::Pool(_)) => Act::Set(Setting::Pool(None)),
        Act::Set(Setting::StartTimeout(limit)) => Act::Set(Setting::StartTimeout(limit.or(Some(START)))),
        Act::Set(Setting::Call(call)) => Act::Set(Setting::Call(in_time(call))),
        act => act.lasting(Some(act.lasts().map_or(left, |lasts| Span(lasts.0.min(left.0))))),
    }
}

/// A run, for the longest that its rules allow: those of the scenario and those set on the way.
struct Longest<'a>(&'a Run);

impl Longest<'_> {
    fn settings(&self) -> impl Iterator<Item = Setting> {
        self.0.interventions.iter().filter_map(|act| match act.act {
            Act::Set(setting) => Some(setting),
            _ => None,
        })
    }

    fn most(&self, first: Span, other: impl Fn(Setting) -> Option<Span>) -> Span {
        self.settings().filter_map(other).fold(first, longer)
    }

    /// Of a message on its way.
    fn way(&self) -> Span {
        let links = [self.0.scenario.control, self.0.scenario.data];
        let slower = self.0.interventions.iter().filter_map(|act| match act.act {
            Act::Degrade { latency, .. } => Some(latency),
            _ => None,
        });
        links.map(|link| link.latency + link.jitter).into_iter().fold(Span::ZERO, longer)
            + slower.fold(Span::ZERO, |sum, latency| sum + latency)
    }

    /// Of a program: a claim first; then each step, with a look before it and one after a conflict; what
    /// is *busy* is waited for as long again.
    fn program(&self, spec: &TaskSpec) -> Span {
        let call = |call: CallRules| call.timeout.unwrap_or(Span::ZERO).times(i64::from(call.retries) + 1);
        let call = self.most(call(self.0.scenario.rules.call), |setting| match setting {
            Setting::Call(rules) => Some(call(rules)),
            _ => None,
        });
        let step = |step: &Step| match *step {
            Step::Compute(span) | Step::Block(span) => span,
            Step::Look { .. } | Step::ReadFrom { .. } => call,
            Step::Lock { .. } | Step::Effect { .. } | Step::Clean { .. } => call.times(2),
            Step::Write { .. } | Step::Stage { .. } | Step::Swap { .. } => call.times(3),
            Step::Unlock { .. } | Step::Work { .. } | Step::Note { .. } | Step::Check { .. } | Step::Ask => {
                call
            }
            Step::Read | Step::Beat | Step::CheckLease | Step::Acknowledge => Span::ZERO,
        };
        spec.program.iter().map(step).fold(call, |sum, span| sum + span)
    }

    fn lease(&self) -> Span {
        self.most(self.0.scenario.rules.lease.duration, |setting| match setting {
            Setting::Lease(span) => Some(span),
            _ => None,
        })
    }

    /// From an execution's last renewal to the record that it is over. The lease runs out, and the next
    /// sweep comes; once more, if a jump guard gives a clean window. An observer counts from a sweep on;
    /// by the worker's stamp a lease is as much longer as its clock is ahead. Then a grace ends, or the
    /// wait for a confirmation. No limit on an attempt lets it run for longer.
    fn silence(&self, spec: &TaskSpec, ahead: Span) -> Span {
        let Rules { lease, sweep, expiry, .. } = &self.0.scenario.rules;
        let by = |clock| lease.clock == clock || self.settings().any(|set| set == Setting::Clock(clock));
        let every = self.most(sweep.every, |setting| match setting {
            Setting::Sweep { every, .. } => Some(every),
            _ => None,
        });
        // Those that end one lease at a time come to the last of them as many sweeps later.
        let is_limited = sweep.most.is_some()
            || self.settings().any(|setting| matches!(setting, Setting::Sweep { most: Some(_), .. }));
        let every = every.times(if is_limited { self.0.scenario.tasks.len() as i64 } else { 1 });
        let grace = self.most(longer(grace(*expiry), spec.expiry.map_or(Span::ZERO, grace)), |setting| {
            if let Setting::Expiry(policy) = setting { Some(grace(policy)) } else { None }
        });
        let is_guarded = sweep.jump_guard.is_some()
            || self.settings().any(|setting| matches!(setting, Setting::JumpGuard(Some(_))));
        let sweeps = every.times(if by(ExpiryClock::Observer) { 2 } else { 1 });
        let ahead = if by(ExpiryClock::WorkerStamp) { ahead } else { Span::ZERO };
        (self.lease() + ahead + sweeps).times(if is_guarded { 2 } else { 1 }) + grace
    }

    /// From a grant to the begin of its lease, or to the record that it has not begun.
    fn start(&self) -> Span {
        let Rules { lease, .. } = &self.0.scenario.rules;
        let waits = lease.start != LeaseStart::Grant
            || self
                .settings()
                .any(|set| matches!(set, Setting::LeaseStart(start) if start != LeaseStart::Grant));
        let after = |limit: Option<Limit>| limit.map_or(Span::ZERO, |limit| limit.after);
        let most = self.most(after(lease.start_timeout), |setting| match setting {
            Setting::StartTimeout(limit) => Some(after(limit)),
            _ => None,
        });
        if waits { most } else { Span::ZERO }
    }

    /// From the end of an attempt to the dispatch of the next: the delay, and a raise sent again because
    /// the first was lost before all was quiet.
    fn between(&self) -> Span {
        let delay_of = |delay: RetryDelay| match delay {
            RetryDelay::None => Span::ZERO,
            RetryDelay::Fixed(span) => span,
            RetryDelay::Exponential { cap, .. } | RetryDelay::FullJitter { cap, .. } => cap,
        };
        let rules = &self.0.scenario.rules;
        let delay = self.most(delay_of(rules.retry.delay), |setting| match setting {
            Setting::Delay(delay) => Some(delay_of(delay)),
            _ => None,
        });
        let raise = self.most(rules.call.timeout.unwrap_or(Span::ZERO), |setting| match setting {
            Setting::Call(rules) => rules.timeout,
            _ => None,
        });
        delay + raise
    }

    /// What calls to a store add: one that was lost is made again, and those before it are served first.
    fn store(&self) -> Span {
        let retry = self.most(self.0.scenario.rules.store.retry, |setting| match setting {
            Setting::Store(store) => Some(store.retry),
            _ => None,
        });
        self.0.scenario.store.as_ref().map_or(Span::ZERO, |_| retry + Span::secs(2))
    }

    fn attempts(&self) -> u8 {
        self.settings().fold(self.0.scenario.rules.retry.attempts, |most, setting| match setting {
            Setting::Attempts(attempts) => most.max(attempts),
            _ => most,
        })
    }

    /// Whether an interval may wait for the one before it.
    fn queues(&self) -> bool {
        let waits = Overlap::Wait;
        self.0.scenario.rules.overlap == waits || self.settings().any(|set| set == Setting::Overlap(waits))
    }

    /// After a restart of the scheduler nothing expires for a while.
    fn waits(&self) -> Span {
        let wait = RestartPolicy::Wait;
        let may =
            self.0.scenario.rules.restart == wait || self.settings().any(|set| set == Setting::Restart(wait));
        if may { self.lease() } else { Span::ZERO }
    }
}

fn longer(one: Span, other: Span) -> Span {
    Span(one.0.max(other.0))
}

fn grace(policy: ExpiryPolicy) -> Span {
    match policy {
        ExpiryPolicy::Grace(span) | ExpiryPolicy::Cancel { after: Some(span) } => span,
        _ => Span::ZERO,
    }
}

/// What a task's end may still take from the time of quiet on. It begins when it is due and when what
/// it waits for has ended; skipped is an end, too.
fn bound(run: &Run, world: &World, task: TaskId) -> Span {
    let longest = Longest(run);
    let (scenario, now, record) = (&run.scenario, world.clocks(SCHEDULER), world.ledger().task(task));
    if record.state.is_terminal() {
        return Span::ZERO;
    }
    let spec = &scenario.tasks[usize::from(task.0)];
    let follows = spec.follows.filter(|_| longest.queues());
    let due = longer(Span::ZERO, scenario.epoch + spec.due - now.wall);
    let begins =
        [follows, spec.after].into_iter().flatten().map(|task| bound(run, world, task)).fold(due, longer);
    // What the record's lease has left: a clock that was set back may have made it long.
    let left = record.attempts.last().and_then(|attempt| attempt.lease).map_or(Span::ZERO, |lease| {
        let reading = match lease.clock() {
            ExpiryClock::Wall | ExpiryClock::WorkerStamp => now.wall.0,
            ExpiryClock::Monotonic | ExpiryClock::Observer => now.mono.0,
        };
        longer(Span::ZERO, Span(lease.ends() - reading))
    });
    let ahead = (0..scenario.workers.len())
        .map(|worker| world.clocks(scenario.worker(worker)).wall - now.wall)
        .fold(Span::ZERO, longer);
    // Raise and answer, dispatch; at the end a renewal or a completion.
    let each = longest.between()
        + longest.way().times(4)
        + longest.start()
        + longest.program(spec)
        + longest.store()
        + longest.silence(spec, ahead);
    let had = u8::try_from(record.attempts.len()).unwrap_or(u8::MAX).saturating_sub(record.before);
    let more = longest.attempts().saturating_sub(had);
    begins + longest.waits() + longest.store() + left + each.times(i64::from(more) + 1)
}

#[test]
fn when_nothing_is_wrong_any_more_each_task_ends_within_its_bound() {
    let (open, closest) = (Cell::new(0), Cell::new(0));
    each(&quieted(), CASES, |(run, quiet): (Run, At)| -> TestCaseResult {
        let mut long = run.clone();
        // Far enough for any bound; what ends later is seen.
        Arc::make_mut(&mut long.scenario).until = 36_000_000_000;
        let mut simulation = Simulation::new(&long).limited(200_000);
        simulation.advance_to(quiet);
        let tasks = (0..long.scenario.tasks.len() as u16).map(TaskId);
        let is_open =
            |simulation: &Simulation, task| !simulation.world().ledger().task(task).state.is_terminal();
        let deadline = |task| (task, quiet + bound(&long, simulation.world(), task).0 as u64);
        let deadlines: Vec<(TaskId, At)> =
            tasks.filter(|task| is_open(&simulation, *task)).map(deadline).collect();
        let latest = deadlines.iter().map(|(_, at)| *at).max().unwrap_or(0);
        while simulation.now() < latest && deadlines.iter().any(|(task, _)| is_open(&simulation, *task)) {
            simulation.advance_to(latest.min(simulation.now() + 30_000_000));
            prop_assert!(simulation.stop().is_none(), "it feeds itself");
        }
        for (task, deadline) in deadlines {
            let ends = |record: &&Record| {
                // It may have ended before, and been run again.
                let is_its = (record.kind, record.task) == (Kind::TaskIs, task) && record.at >= quiet;
                is_its && record.task_state().is_terminal()
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
    // One that waits for a confirmation: the order to kill is lost.
    let cancels = |after| Act::Set(Setting::Expiry(ExpiryPolicy::Cancel { after }));
    let gone = plain.clone().with(20, Act::Crash { node: WORKER_1, lasts: None });
    assert!(ends(&gone.clone().with(0, cancels(Some(Span::secs(5))))));
    assert!(!ends(&gone.with(0, cancels(None))));
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
        let unstarted = Run { scenario: scenario.into(), ..unstarted };
        assert!(!ends(&unstarted), "{start:?}");
        assert!(ends(&unstarted.with(0, Act::Set(Setting::StartTimeout(Some(START))))), "{start:?}");
    }
    // The like of one whose worker has it from before, and says nothing of letting it go.
    let again = plain.clone().with(0, Act::Set(Setting::LeaseStart(LeaseStart::FirstHeartbeat)));
    let again = again.with(0, Act::Set(Setting::Respawn(Respawn::Again)));
    let again = again.with(1, crash);
    assert!(ends(&again.clone().with(0, Act::Set(Setting::StartGuard(StartGuard::Reports)))));
    let silent = again.with(0, Act::Set(Setting::StartGuard(StartGuard::Silent)));
    assert!(!ends(&silent));
    assert!(ends(&silent.with(0, Act::Set(Setting::StartTimeout(Some(START))))));
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
