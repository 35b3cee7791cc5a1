//! What holds in every run, whatever its rules and faults.
//!
//! The cases are the same each time, so that a failure is never somebody else's. To look further:
//! `PROPTEST_CASES=20000 PROPTEST_RNG_SEED=7 cargo test -p fenceline-sim --release --test properties`.

mod worlds;

use fenceline_engine::{
    Compare, Confirmation, Counter, DispatchOrder, Exec, FenceRaise, FenceRules, FenceScope, Found,
    LeaseScope, NodeId, Period, RetryDelay, SinkKind, Span, TaskId, TaskState,
};
use fenceline_sim::clocks::Clocks;
use fenceline_sim::record::Loss;
use fenceline_sim::scenario::{OPERATOR, SCHEDULER};
use fenceline_sim::{
    Act, At, Claim, Fate, History, Intervention, Judge, Kind, MessageKind, NONE, Record, Run, Scenario,
    Setting,
};
use fenceline_sim::{Simulation, Trace, When, judge};
use proptest::prelude::*;
use proptest::test_runner::RngSeed;
use std::collections::{BTreeMap, BTreeSet};
use worlds::{edited_run, run};

/// More events than any of these runs needs, unless it feeds itself.
const LIMIT: u64 = 30_000;

/// For each property, unless told otherwise.
const CASES: u32 = 600;

fn config() -> ProptestConfig {
    let given = ProptestConfig::default();
    let rng_seed = if given.rng_seed == RngSeed::Random { RngSeed::Fixed(29) } else { given.rng_seed };
    let cases = if std::env::var_os("PROPTEST_CASES").is_none() { CASES } else { given.cases };
    ProptestConfig { cases, rng_seed, failure_persistence: None, ..given }
}

fn begun(run: &Run) -> Simulation {
    Simulation::new(run).limited(LIMIT)
}

fn played(run: &Run) -> Trace {
    let mut simulation = begun(run);
    simulation.finish();
    simulation.into_trace()
}

fn kinds(trace: &Trace, kind: Kind) -> impl Iterator<Item = &Record> {
    trace.iter().filter(move |record| record.kind == kind)
}

/// Neither a restart nor a restore takes back the counter that tokens come from.
fn counts_on(run: &Run) -> bool {
    let counter = run.scenario.rules.counter;
    let set = |act: &Intervention| matches!(act.act, Act::Set(Setting::Counter(set)) if set != counter);
    let restored = |act: &Intervention| matches!(act.act, Act::Restore { node: SCHEDULER, .. });
    let goes_back = counter == Counter::Volatile
        || run.interventions.iter().any(set)
        || counter == Counter::Durable && run.interventions.iter().any(restored);
    !goes_back
}

/// The fences that no later setting touches and that promise order.
fn sound_fences(run: &Run) -> Vec<(NodeId, FenceRules)> {
    let mut scenario = Scenario::clone(&run.scenario);
    let mut touched = Vec::new();
    for act in &run.interventions {
        match (act.when, act.act) {
            (When::At(0), Act::Set(setting)) => scenario.set(setting),
            (_, Act::Set(Setting::Sink { node, .. } | Setting::Fence { node, .. }))
            | (_, Act::Restore { node, .. }) => touched.push(node),
            _ => {}
        }
    }
    let sound = |fence: &FenceRules| {
        let plain = FenceRules::raised(fence.raise);
        let compares = !matches!(fence.compare, Compare::Text | Compare::Boolean);
        let keeps = (fence.memory, fence.retention, fence.check) == (plain.memory, None, plain.check);
        let raises =
            !matches!(fence.raise, FenceRaise::Nobody | FenceRaise::Scheduler(Confirmation::NotAwaited));
        compares && keeps && fence.scope != FenceScope::Shard && raises
    };
    if !counts_on(run) {
        return Vec::new();
    }
    (0..scenario.sinks.len())
        .filter_map(|index| {
            let rules = &scenario.sinks[index].rules;
            // A swap that takes along what lay there brings in rows of older attempts.
            let mixes = matches!(rules.kind, SinkKind::Staged { found: Found::Taken, .. });
            let fence = rules.fence.filter(|fence| rules.kind.can_compare() && !mixes && sound(fence))?;
            Some((scenario.sink(index), fence))
        })
        .filter(|(node, _)| !touched.contains(node))
        .collect()
}

/// The token that each execution shows to a sink. One sent by a scheduler that died before it recorded
/// the grant shows one that no record names, and so does what its host starts again: none.
fn shown(trace: &Trace) -> BTreeMap<Exec, Option<i64>> {
    let (mut shown, mut granted) = (BTreeMap::new(), BTreeMap::new());
    let mut unrecorded: Vec<Exec> = Vec::new();
    for record in trace.iter() {
        let is_sent = matches!(record.kind, Kind::Sent | Kind::Duplicated)
            && record.message() == Some(MessageKind::Dispatch);
        let is_dispatch = is_sent || matches!(record.kind, Kind::Redelivered | Kind::Respawned);
        let attempt = Exec::first(record.task, record.attempt);
        match record.kind {
            Kind::Granted => {
                granted.insert(attempt, record.b);
                let its = |exec: &Exec| Exec::first(exec.task, exec.attempt) == attempt;
                shown.extend(unrecorded.extract_if(.., |exec| its(exec)).map(|exec| (exec, Some(record.b))));
            }
            Kind::Crashed if record.node == SCHEDULER => {
                shown.extend(unrecorded.drain(..).map(|exec| (exec, None)));
            }
            _ if is_dispatch => {
                let is_copy_of_lost = |(of, token): (&Exec, &Option<i64>)| {
                    (of.task, of.attempt) == (attempt.task, attempt.attempt) && token.is_none()
                };
                let may_be_lost = record.kind == Kind::Respawned && shown.iter().any(is_copy_of_lost);
                match granted.get(&attempt) {
                    Some(_) if may_be_lost => drop(shown.insert(record.exec(), None)),
                    Some(token) => drop(shown.insert(record.exec(), Some(*token))),
                    None => unrecorded.push(record.exec()),
                }
            }
            _ => {}
        }
    }
    shown.extend(unrecorded.into_iter().map(|exec| (exec, None)));
    shown
}

/// Names a message by its place in the run.
type MessageId = (NodeId, NodeId, Option<MessageKind>, Exec, u16, i64);

/// What chance decided about each message: lost, or how long it was on its way.
fn decided(trace: &Trace) -> BTreeMap<String, Option<At>> {
    let mut decided = BTreeMap::new();
    for (id, record) in trace.since(0) {
        let Some(sent) = trace.get(record.cause).filter(|sent| sent.kind == Kind::Sent) else { continue };
        let name: MessageId = (sent.node, sent.peer, sent.message(), sent.exec(), sent.n, sent.b);
        let fate = match record.kind {
            // What waited for a paused process came when it resumed.
            Kind::Delivered if trace.reasons(id).next().is_none() => Some(record.at - sent.at),
            Kind::Lost if record.b == Loss::Chance as i64 => None,
            _ => continue,
        };
        let before = decided.insert(format!("{name:?}"), fate);
        assert!(before.is_none_or(|before| before == fate), "{name:?} was drawn twice, differently");
    }
    decided
}

/// The record that an act which does something leaves.
fn done_by(act: &Act) -> Option<(Kind, NodeId)> {
    let kind = match act {
        Act::Pause { .. } => Kind::Paused,
        Act::Freeze { .. } => Kind::Frozen,
        Act::Crash { .. } | Act::Reboot { .. } => Kind::Crashed,
        Act::Slow { .. } => Kind::Slowed,
        Act::Block { .. } => Kind::LoopHeld,
        Act::Cut { .. } => Kind::LinkCut,
        Act::Degrade { .. } => Kind::LinkDegraded,
        Act::StepClock { .. } => Kind::ClockStepped,
        Act::ClockRate { .. } => Kind::ClockRated,
        Act::Input { .. } => Kind::InputChanged,
        Act::Operator { .. } => Kind::Decided,
        Act::Redeliver { .. } => Kind::Redelivered,
        Act::Restore { .. } => Kind::Restored,
        Act::ForceUnlock { .. } => Kind::LockForced,
        Act::Fail { .. } => Kind::Failing,
        Act::Set(_) => Kind::RuleSet,
    };
    Some((kind, act.node().unwrap_or(OPERATOR)))
}

/// Without acts that change the bounds of a draw, which is then another one of the same name, whose tick
/// a beat is, or that keep a message back for longer than was drawn.
fn with_fixed_bounds(mut run: Run) -> Run {
    let bends = |act: &Act| {
        matches!(
            act,
            Act::Degrade { .. }
                | Act::Cut { fate: Fate::Held, .. }
                | Act::Set(
                    Setting::Delay(_)
                        | Setting::Heartbeat(_)
                        | Setting::Jitter(_)
                        | Setting::Period(_)
                        | Setting::LeaseScope(_)
                )
        )
    };
    run.interventions.retain(|act| !bends(&act.act));
    run
}

/// How late chance made each timer that has a spread: beats with jitter, retries with full jitter.
fn spreads(run: &Run, trace: &Trace) -> BTreeMap<String, i64> {
    let scenario = &run.scenario;
    let beats = scenario.rules.heartbeat;
    let mut clocks = Clocks::new(scenario);
    let mut started = BTreeMap::new();
    let mut queued = BTreeMap::new();
    // What waited for the loop, or for the call before it, is late for another reason, as is
    let mut held_up = BTreeSet::new();
    // what waited for a process that did not run.
    let mut back = BTreeMap::new();
    let mut spreads = BTreeMap::new();
    for (id, record) in trace.since(0) {
        clocks.observe(record);
        let now = clocks.of(record.node).mono.read(record.at);
        let in_time = back.get(&record.node) != Some(&record.at);
        match record.kind {
            Kind::Resumed | Kind::Thawed | Kind::Restarted => drop(back.insert(record.node, record.at)),
            Kind::Started => drop(started.insert(record.exec(), now)),
            Kind::BeatStarved | Kind::BeatWaited => drop(held_up.insert((record.exec(), record.n))),
            Kind::Sent if record.message() == Some(MessageKind::Heartbeat) => {
                // One that beats for all has its ticks from whoever did before.
                let is_own = scenario.rules.lease.scope == LeaseScope::Attempt;
                let is_punctual = in_time && is_own && record.b == 0 && beats.period == Period::FixedRate;
                if is_punctual && !held_up.contains(&(record.exec(), record.n)) {
                    let due = started[&record.exec()] + beats.every.times(i64::from(record.n)).0;
                    let name = format!("beat {} of {:?} on {:?}", record.n, record.exec(), record.node);
                    spreads.insert(name, now - due);
                }
            }
            Kind::TaskIs if record.task_state() == TaskState::Queued => {
                queued.insert((id, record.task), now);
            }
            Kind::Granted if record.attempt > 1 => {
                // Granted by its own retry's timer, not when a slot became free.
                let running = trace.get(record.cause);
                let by_timer = running.and_then(|running| queued.get(&(running.cause, record.task)));
                // Sent first, it is recorded because it was sent; and a store takes its time.
                let spread = matches!(scenario.rules.retry.delay, RetryDelay::FullJitter { .. })
                    && scenario.rules.dispatch == DispatchOrder::RecordFirst
                    && scenario.store.is_none();
                if let Some(since) = by_timer.filter(|_| in_time && spread) {
                    spreads.insert(format!("retry {:?}", record.exec()), now - since);
                }
            }
            _ => {}
        }
    }
    spreads
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn grants_have_rising_tokens(run in run()) {
        if !counts_on(&run) {
            return Ok(());
        }
        let trace = played(&run);
        let tokens: Vec<i64> = kinds(&trace, Kind::Granted).map(|r| r.b).collect();
        prop_assert!(tokens.windows(2).all(|pair| pair[0] < pair[1]), "{tokens:?}");
    }

    /// Older is refused and newer raises: what is accepted is as high as the fence stands.
    #[test]
    fn a_durable_atomic_fence_keeps_order(run in run()) {
        let trace = played(&run);
        let tokens = shown(&trace);
        for (sink, fence) in sound_fences(&run) {
            let mut raised: BTreeMap<Option<TaskId>, i64> = BTreeMap::new();
            for record in trace.iter().filter(|r| r.node == sink) {
                let scope = (fence.scope == FenceScope::Partition).then_some(record.task);
                let highest = raised.entry(scope).or_default();
                match record.kind {
                    Kind::Raised => {
                        prop_assert!(record.b > *highest, "raised {highest} to {}", record.b);
                        *highest = record.b;
                    }
                    Kind::Applied => {
                        prop_assert!(*highest > 0, "{:?} accepted before any raise", record.exec());
                        let token = tokens.get(&record.exec());
                        prop_assert!(token.is_some(), "nobody dispatched {:?}", record.exec());
                        if let Some(Some(token)) = token {
                            prop_assert_eq!(token, highest, "accepted from {:?}", record.exec());
                        }
                    }
                    _ => {}
                }
            }
        }
    }

    /// Of a plain fence on each partition: its mark is the holder's own token at most.
    #[test]
    fn a_holder_is_never_refused_for_its_token(run in run()) {
        let plain = |fence: &FenceRules| {
            let waits = fence.raise == FenceRaise::Scheduler(Confirmation::Awaited) || fence.raise == FenceRaise::Claim;
            fence.scope == FenceScope::Partition
                && (fence.compare == Compare::Older || fence.compare == Compare::Exact && waits)
        };
        let sound: Vec<NodeId> =
            sound_fences(&run).into_iter().filter(|(_, fence)| plain(fence)).map(|(node, _)| node).collect();
        let trace = played(&run);
        let mut judge = Judge::new(&run);
        trace.since(0).for_each(|(id, record)| judge.observe(id, record));
        for violation in judge.violations(run.scenario.until) {
            let refused = violation.claim == Claim::HolderNotRefused;
            prop_assert!(!refused || violation.sink.is_none_or(|sink| !sound.contains(&sink)), "{violation:?}");
        }
    }

    #[test]
    fn the_trace_is_in_order_and_names_earlier_causes(run in run()) {
        let trace = played(&run);
        let mut before = 0;
        for (id, record) in trace.since(0) {
            prop_assert!(record.at >= before, "record {id} goes back in time");
            prop_assert!(record.cause == NONE || record.cause < id, "record {id} is caused by {}", record.cause);
            prop_assert!(trace.reasons(id).all(|reason| reason < id));
            before = record.at;
        }
    }

    #[test]
    fn the_record_holds_every_grant_and_one_open_attempt_a_task(run in run()) {
        let mut simulation = begun(&run);
        while simulation.step() {
            for task in &simulation.world().ledger().tasks {
                let holder = task.holder().map(|(attempt, _)| attempt);
                let others = (1_u8..).zip(&task.attempts).filter(|(attempt, _)| Some(*attempt) != holder);
                prop_assert!(others.map(|(_, other)| other).all(|it| !it.state.is_open()), "{task:?}");
            }
        }
        let granted = kinds(simulation.trace(), Kind::Granted).count();
        let recorded: usize = simulation.world().ledger().tasks.iter().map(|t| t.attempts.len()).sum();
        prop_assert_eq!(granted, recorded);
    }

    #[test]
    fn a_task_that_has_ended_stays_as_it_is(run in run()) {
        let trace = played(&run);
        let mut ended = BTreeMap::new();
        for record in trace.iter().filter(|r| matches!(r.kind, Kind::TaskIs | Kind::Reopened)) {
            // Unless somebody wants it so.
            if record.kind == Kind::Reopened {
                prop_assert!(ended.remove(&record.task).is_some(), "it had not ended");
                continue;
            }
            let before = ended.get(&record.task);
            prop_assert!(before.is_none(), "{:?}: {before:?}, then {:?}", record.task, record.task_state());
            if record.task_state().is_terminal() {
                ended.insert(record.task, record.task_state());
            }
        }
    }

    #[test]
    fn every_timed_act_is_recorded_at_its_time(run in run()) {
        let mut simulation = begun(&run);
        simulation.finish();
        prop_assume!(simulation.stop().is_none());
        for (index, act) in (0..).zip(&run.interventions) {
            let (When::At(at), act) = (act.when, act.act) else { continue };
            if at == 0 && matches!(act, Act::Set(_)) {
                continue;
            }
            let at = at.min(run.scenario.until);
            let recorded = simulation.trace().iter().any(|r| {
                r.at == at && (done_by(&act) == Some((r.kind, r.node)) || (r.kind, r.b) == (Kind::Void, index))
            });
            prop_assert!(recorded, "{act:?} at {at}");
        }
    }

    #[test]
    fn replay_gives_the_same_trace(run in run()) {
        prop_assert_eq!(played(&run).digest(), played(&run).digest());
    }

    #[test]
    fn seeking_equals_playing(run in run(), instants in prop::collection::vec(0..150_000_000_u64, 4)) {
        let history = History::snapping(run.clone(), LIMIT, 7);
        let whole = played(&run);
        prop_assert_eq!(history.digest(), whole.digest());
        let mut playing = begun(&run);
        let mut instants = instants;
        instants.extend(whole.iter().map(|r| r.at).step_by(whole.len() as usize / 3 + 1));
        instants.sort_unstable();
        for at in instants {
            playing.advance_to(at);
            let sought = history.at(at);
            prop_assert_eq!(format!("{:?}", sought.world()), format!("{:?}", playing.world()), "at {}", at);
            let judged = judge(&run, &whole, whole.len_at(at), at);
            prop_assert_eq!(history.judged(at).verdicts(history.trace(), at), judged, "at {}", at);
            let mut rest = Simulation::resume(sought.clone(), Trace::continuing(sought.records()));
            rest.finish();
            let (got, want) = (rest.trace().since(sought.records()), whole.since(sought.records()));
            prop_assert!(got.eq(want), "from {at} on");
        }
    }

    #[test]
    fn step_size_does_not_matter(run in run(), random in prop::collection::vec(1..9_000_000_u64, 1..40)) {
        let want = played(&run).digest();
        let mut by_event = begun(&run);
        while by_event.step() {}
        prop_assert_eq!(by_event.trace().digest(), want, "one event");
        for steps in [vec![1_000], vec![16_000], vec![3_600_000_000], random] {
            let mut simulation = begun(&run);
            let mut at = 0;
            for step in steps.iter().cycle() {
                at += step;
                simulation.advance_to(at);
                if simulation.has_ended() {
                    break;
                }
                prop_assert_eq!(simulation.now(), at);
            }
            prop_assert_eq!(simulation.trace().digest(), want, "steps of {:?}", steps);
        }
    }

    #[test]
    fn forking_equals_running_from_the_beginning((run, edited) in edited_run()) {
        let edited = Run { interventions: edited, ..run.clone() };
        let fork = History::snapping(run, LIMIT, 7).fork(edited.clone());
        let whole = played(&edited);
        prop_assert!(fork.trace().iter().eq(whole.iter()));
        prop_assert_eq!(fork.digest(), whole.digest());
        let middle = edited.scenario.until / 2;
        let mut playing = begun(&edited);
        playing.advance_to(middle);
        prop_assert_eq!(format!("{:?}", fork.at(middle).world()), format!("{:?}", playing.world()));
    }

    #[test]
    fn removing_an_intervention_leaves_common_draws_alone(run in run(), which in any::<prop::sample::Index>()) {
        let run = with_fixed_bounds(run);
        if run.interventions.is_empty() {
            return Ok(());
        }
        let mut interventions: Vec<Intervention> = run.interventions.clone();
        interventions.remove(which.index(interventions.len()));
        let edited = Run { interventions, ..run.clone() };
        let (with, without) = (played(&run), played(&edited));
        let other = decided(&without);
        for (message, fate) in &decided(&with) {
            prop_assert!(other.get(message).is_none_or(|other| other == fate), "{message}");
        }
        let other = spreads(&edited, &without);
        for (timer, spread) in &spreads(&run, &with) {
            // A clock that is off true is read to the microsecond.
            prop_assert!(other.get(timer).is_none_or(|other| other.abs_diff(*spread) <= 2), "{timer}: {spread}");
        }
    }
}

/// The comparison of spreads is worth as much as what it finds.
#[test]
fn spreads_are_seen() {
    let mut scenario = fenceline_sim::workload::first_run();
    scenario.rules.heartbeat.jitter = Span::secs(3);
    scenario.rules.retry.delay = RetryDelay::FullJitter { base: Span::secs(9), cap: Span::secs(9) };
    let pause = Act::Pause { node: NodeId(1), lasts: None };
    let acts = vec![Intervention { when: When::At(15_000_000), act: pause }];
    let run = Run { interventions: acts, ..Run::new(scenario) };
    let spreads = spreads(&run, &played(&run));
    assert!(spreads.len() >= 4 && spreads.keys().any(|name| name.starts_with("retry")), "{spreads:?}");
    assert!(spreads.values().all(|spread| (0..9_000_000).contains(spread)), "{spreads:?}");
    assert!(spreads.values().all(|spread| *spread > 0), "{spreads:?}");
}
