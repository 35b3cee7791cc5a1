//! What a sink has comes from accepted writes and from nothing else; and that the random runs reach
//! every fault, every kind of record, and a violation of every claim, without which no property over
//! them would mean much.

mod worlds;

use fenceline_engine::{Chunk, Contents, Decision, Ending, Exec, Landing, NodeId, Step, TaskId, TaskState};
use fenceline_sim::record::Loss;
use fenceline_sim::scenario::Role;
use fenceline_sim::verdict::State;
use fenceline_sim::{Act, Claim, Judge, Kind, MessageKind, NONE, Record, Run, Setting, Simulation, Trace};
use proptest::prelude::*;
use proptest::test_runner::TestCaseResult;
use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use worlds::{each, run, sent_first};

const LIMIT: u64 = 30_000;
const CASES: u64 = 5_000;

fn played(run: &Run) -> Simulation {
    let mut simulation = Simulation::new(run).limited(LIMIT);
    simulation.finish();
    simulation
}

/// The request that a record at a sink came of.
fn request_of(trace: &Trace, mut id: u32) -> Option<u32> {
    while id != NONE {
        let record = trace.get(id)?;
        if record.kind == Kind::Delivered {
            return (record.message() == Some(MessageKind::Request)).then_some(id);
        }
        id = record.cause;
    }
    None
}

/// Each accepted write or effect comes of one request, made by its own execution, and each request has
/// one at most; parts that waited for their commit come with it, and so does what another execution
/// staged and a swap takes along, once.
fn each_write_has_its_request(run: &Run, trace: &Trace) -> TestCaseResult {
    let (mut granted, mut staged) = (BTreeSet::new(), BTreeSet::new());
    let sent_first = sent_first(trace);
    let mut answers: BTreeMap<(u32, u8, u16, Exec), u32> = BTreeMap::new();
    let is_swap = |of: &Record| {
        let step = run.scenario.tasks[usize::from(of.task.0)].step(of.n as u8);
        matches!(step, Some(Step::Swap { .. }))
    };
    for (id, record) in trace.since(0) {
        match record.kind {
            Kind::Granted => drop(granted.insert((record.task, record.attempt))),
            Kind::Staged => drop(staged.insert((record.node, record.exec()))),
            Kind::Cleaned if record.flag == 0 => drop(staged.remove(&(record.node, record.holder()))),
            Kind::Applied | Kind::EffectDone => {
                let request = request_of(trace, id);
                prop_assert!(request.is_some(), "nobody asked for record {id}");
                let of = trace.get(request.unwrap_or(NONE)).expect("it is there");
                prop_assert_eq!((of.task, of.node), (record.task, record.node), "record {}", id);
                let lay_there = is_swap(of) && staged.remove(&(record.node, record.exec()));
                prop_assert!(lay_there || of.exec() == record.exec(), "record {id} is another's");
                let attempt = (record.task, record.attempt);
                prop_assert!(
                    granted.contains(&attempt) || sent_first.contains_key(&attempt),
                    "record {id}: never granted"
                );
                let part = (request.unwrap_or(NONE), record.kind as u8, record.n, record.exec());
                let before = answers.insert(part, id);
                prop_assert!(before.is_none(), "{before:?} and {id} come of one request");
            }
            _ => {}
        }
    }
    Ok(())
}

/// How rows land in each sink, if that stays the same all the time.
fn landings(run: &Run) -> BTreeMap<NodeId, Landing> {
    let mut scenario = run.scenario.as_ref().clone();
    let mut changed = Vec::new();
    for act in &run.interventions {
        if let Act::Set(setting @ Setting::Sink { node, .. }) = act.act {
            match act.when {
                fenceline_sim::When::At(0) => scenario.set(setting),
                _ => changed.push(node),
            }
        }
    }
    let sinks = (0..scenario.sinks.len()).map(|index| scenario.sink(index));
    let landing = |node: NodeId| match scenario.role(node) {
        Role::Sink(index) => Some((node, scenario.sinks[index].rules.kind.landing())),
        _ => None,
    };
    sinks.filter(|node| !changed.contains(node)).filter_map(landing).collect()
}

/// The rows a sink has are those of its accepted writes, less those that later ones replaced and
/// cleanups deleted.
fn rows_are_conserved(run: &Run, simulation: &Simulation) -> TestCaseResult {
    let trace = simulation.trace();
    let judge = Judge::over(run, trace, trace.len());
    let visible =
        |record: &&Record| record.kind == Kind::Applied || record.kind == Kind::Cleaned && record.flag == 1;
    let is_copied = |record: &&Record| matches!(record.kind, Kind::CopyTaken | Kind::Restored);
    let visible = |record: &&Record| visible(record) || is_copied(record);
    let changes: Vec<&Record> = trace.iter().filter(visible).collect();
    for (node, landing) in landings(run) {
        for task in (0..run.scenario.tasks.len() as u16).map(TaskId) {
            let (mut contents, mut written, mut gone) = (Contents::default(), 0, 0);
            let mut copies = BTreeMap::new();
            let here = |record: &&&Record| record.node == node && (record.task == task || is_copied(record));
            for record in changes.iter().filter(here) {
                match record.kind {
                    Kind::CopyTaken => drop(copies.insert(record.b, (contents.clone(), written, gone))),
                    Kind::Restored => (contents, written, gone) = copies[&record.b].clone(),
                    _ => {}
                }
                if is_copied(record) {
                    continue;
                }
                if record.kind == Kind::Cleaned {
                    let deleted = contents.remove(record.holder());
                    prop_assert_eq!(deleted, u64::from(record.deleted()), "of {:?}", record.holder());
                    gone += deleted;
                    continue;
                }
                let (part, to) = (record.n as u8, record.b as u32);
                let chunk = Chunk { exec: record.exec(), version: record.flag, part, from: 0, to };
                written += u64::from(chunk.rows());
                contents.land(chunk, landing, |old| gone += u64::from(old.rows()));
            }
            let here = simulation.world().contents(node, task);
            prop_assert_eq!(here, contents.chunks(), "sink {:?}, task {:?}", node, task);
            prop_assert_eq!(here, judge.contents(node, task), "as judged: sink {:?}, task {:?}", node, task);
            prop_assert_eq!(written, contents.rows() + gone);
        }
    }
    Ok(())
}

/// How often each thing was seen.
#[derive(Debug, Default)]
struct Reached {
    /// By what a record says: its kind, or one of the enums in it.
    records: BTreeMap<(&'static str, i64), u32>,
    /// By what it is the value of and its name: the rules and acts of the runs.
    names: BTreeMap<String, u32>,
    verdicts: BTreeMap<String, u32>,
}

impl Reached {
    fn see(&mut self, run: &Run, simulation: &Simulation) {
        let trace = simulation.trace();
        for record in trace.iter() {
            let (flag, b) = (i64::from(record.flag), record.b);
            *self.records.entry(("kind", record.kind as i64)).or_default() += 1;
            let within = match record.kind {
                Kind::TaskIs => ("task", record.task_state() as i64),
                Kind::Ended => ("ended", flag),
                Kind::WrapperEnded => ("wrapper", flag),
                Kind::Overran => ("overran", flag),
                Kind::Cleaned => ("cleaned", flag),
                Kind::Delivered => ("delivered", flag),
                Kind::Lost => ("lost", b),
                Kind::AttemptFailed => ("failed", flag),
                Kind::AttemptSucceeded => ("succeeded", flag),
                Kind::Decided => ("decided", flag),
                _ => continue,
            };
            *self.records.entry(within).or_default() += 1;
        }
        for verdict in Judge::over(run, trace, trace.len()).verdicts(trace, simulation.now()) {
            *self.verdicts.entry(format!("{:?} {:?}", verdict.claim, verdict.state)).or_default() += 1;
        }
        let text = format!(
            "rules: {:?}, sinks: {:?}, tasks: {:?}, acts: {:?}",
            run.scenario.rules, run.scenario.sinks, run.scenario.tasks, run.interventions
        );
        for pair in pairs(&text).into_iter().collect::<BTreeSet<_>>() {
            *self.names.entry(pair).or_default() += 1;
        }
    }

    /// Everything there is was seen.
    fn is_everything(&self) {
        let up_to = |what: &'static str, last: u8| (0..=i64::from(last)).map(move |n| (what, n));
        // The kinds after these tell of leadership, and these runs have one scheduler: `leaders.rs` has them.
        let later = (Kind::TableRead as i64..=Kind::LoopFreed as i64).map(|kind| ("kind", kind));
        let kinds =
            up_to("kind", Kind::Respawned as u8).chain(later).chain(up_to("ended", Ending::Replaced as u8));
        let messages =
            up_to("delivered", MessageKind::StoreReply as u8).chain(up_to("lost", Loss::Down as u8));
        // Cause 6, an open attempt that may not commit, takes a late success of an earlier one: `permits.rs` has it.
        let rest =
            up_to("failed", 5).chain(up_to("succeeded", 1)).chain(up_to("decided", Decision::Rerun as u8));
        // A task waits before anything is said of it.
        let tasks = (1..=TaskState::Skipped as i64).map(|state| ("task", state));
        let wrappers = [Ending::Killed, Ending::SelfFenced].map(|how| ("wrapper", how as i64));
        let pairs = up_to("overran", 1).chain(up_to("cleaned", 1)).chain(tasks).chain(wrappers);
        let missing: Vec<_> = kinds
            .chain(messages)
            .chain(rest)
            .chain(pairs)
            .filter(|what| !self.records.contains_key(what))
            .collect();
        assert!(missing.is_empty(), "no run reached {missing:?}: {:?}", self.records);
        let wanted = NAMES.lines().filter_map(|line| line.trim().split_once(": "));
        let wanted = wanted
            .flat_map(|(of, values)| values.split_whitespace().map(move |value| format!("{of} {value}")));
        let missing: Vec<_> = wanted.filter(|pair| !self.names.contains_key(pair)).collect();
        assert!(missing.is_empty(), "no run has {missing:?}: {:?}", self.names);
        for claim in Claim::ALL {
            for state in [State::Holds, State::Violated, State::NotExercised] {
                let (name, least) = (format!("{claim:?} {state:?}"), 3);
                let seen = self.verdicts.get(&name).copied().unwrap_or(0);
                assert!(seen >= least, "{name}: {seen} times: {:?}", self.verdicts);
            }
        }
    }
}

/// Every name in a text made by `Debug`, after what it is the value of: the field it stands in, else the
/// name around it.
fn pairs(text: &str) -> Vec<String> {
    let mut pairs = Vec::new();
    // The owner at each depth; the last name seen becomes that of the next.
    let mut owners = vec![String::new()];
    let mut last = String::new();
    for token in text.split_inclusive(|c: char| !c.is_alphanumeric() && c != '_') {
        let (name, end) = token.split_at(token.trim_end_matches(|c: char| !c.is_alphanumeric()).len());
        match end {
            ":" => name.clone_into(owners.last_mut().expect("there is always one")),
            _ if name.starts_with(char::is_uppercase) => {
                pairs.push(format!("{} {name}", owners.last().expect("there is always one")));
                name.clone_into(&mut last);
            }
            _ => {}
        }
        match end {
            "(" => owners.push(std::mem::take(&mut last)),
            "{" => owners.push(String::new()),
            ")" | "}" => drop(owners.pop()),
            _ => {}
        }
    }
    pairs
}

/// Every setting and every value of one, every act, every step; but the two of a leadership, which mean nothing
/// to a scheduler alone: `leaders.rs` has them.
const NAMES: &str = "
    LeaseScope: Attempt Worker
    LeaseStart: Grant Delivery FirstHeartbeat
    StartTimeout: None Some
    ProgressTimeout: None Some
    RunTimeout: None Some
    signal: None Kill
    LateRenewal: Refuse Revive
    Source: OwnThread TaskLoop Nobody
    Period: FixedRate FixedDelay
    timeout: None Some
    Capacity: None Some
    JumpGuard: None Some
    Restart: Sweep Reset Adopt AdoptIfRecorded Wait
    Dispatch: RecordFirst SendFirst
    Clock: Wall Monotonic Observer WorkerStamp
    Expiry: Redispatch Grace Hold Cancel Fail
    Delay: None Fixed Exponential FullJitter
    Misfire: RunAll RunLatest Skip
    Overlap: Allow Wait Skip
    Pool: None Some
    Respawn: Never Again
    StartGuard: Off Silent
    report: Confirmed Requested
    Child: Ends Outlives
    Launch: None Some
    Counter: Durable Volatile Floored
    Late: Accept Refuse IfNoNewer
    OnLoss: Ignore SelfFence SelfFenceAfter CheckBeforeWrite
    Anchor: Send Reply
    Alert: None Some
    Some: LeaseExpired Retried FencedWrite SchedulerSilent TwoOpen Reconcile
    kind: Append Overwrite Merge Staged Locked Api Objects Log Mailbox Resource
    name: Fixed Unique
    found: InTheWay Dropped Taken
    lease: None Some
    Api: None FromTask FromAttempt
    body: Ignored Compared
    stored: Successes Every
    reach: EveryRun OneGeneration
    Objects: Plain IfAbsent CompareAndSet
    CompareAndSet: Stop Retry
    Log: Blind Interval Token TaskInterval TaskToken
    fence: None Some
    raise: Scheduler Claim FirstWrite Commit Nobody
    Scheduler: Awaited NotAwaited
    compare: Older Exact Bound OrEqual Text Boolean
    memory: Durable Volatile
    retention: None Some
    check: Atomic Gap ByClient
    scope: Attempt Worker Partition Table Shard
    program: Read ReadFrom Compute Block CheckLease Look Write Stage Swap Lock Unlock Clean Effect Work Ask Note
    program: Check Acknowledge
    what: Staged Older Others
    act: Pause Freeze Crash Reboot Slow Cut Degrade StepClock ClockRate Input Operator Redeliver
    act: Restore ForceUnlock Fail Block Set
    effect: Nothing Done
    lasts: None Some
    fate: Lost Held
    path: Control Data Both
    way: Both Out In
    decision: Redispatch Fail Succeed Extend Cancel Rerun
    when: At BeforeStep HalfDispatched
    Set: Lease LeaseScope LeaseStart StartTimeout ProgressTimeout RunTimeout LateRenewal Heartbeat Source Period
    Set: BeatCall Jitter Capacity Sweep JumpGuard Restart Dispatch Clock Expiry Attempts Delay Misfire Overlap Pool
    Set: Prefetch Respawn StartGuard Kill Launch Child Counter Late OnLoss Anchor Gap Call Acknowledgement Sink Fence Alert";

#[test]
fn a_name_is_the_value_of_the_field_or_the_name_around_it() {
    let text = "acts: [When { act: Set(OnLoss(SelfFence)), at: At(3) }], rules: Rules { on_loss: Ignore }";
    let expected =
        ["acts When", "act Set", "Set OnLoss", "OnLoss SelfFence", "at At", "rules Rules", "on_loss Ignore"];
    assert_eq!(pairs(text), expected);
}

#[test]
fn rows_come_of_accepted_writes_and_every_kind_of_thing_happens() {
    let reached = RefCell::new(Reached::default());
    each(&run(), CASES, |run: Run| {
        let simulation = played(&run);
        each_write_has_its_request(&run, simulation.trace())?;
        rows_are_conserved(&run, &simulation)?;
        reached.borrow_mut().see(&run, &simulation);
        Ok(())
    });
    // With one case alone there is nothing to count.
    if std::env::var("CASE").is_err() {
        reached.borrow().is_everything();
    }
}
