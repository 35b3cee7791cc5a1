//! The quality figures of a run. Data only: lengths in microseconds, counts, and what is still open.

use crate::clock::At;
use crate::record::{Kind, MessageKind, Record};
use crate::rulebook::Rulebook;
use crate::trace::Trace;
use crate::truth::{ExecutionTruth, Truth};
use crate::verdict::silence::first_alert;
use crate::verdict::spread;
use crate::verdict::{Judge, Violation};
use fenceline_engine::{Ending, Exec, NodeId, Span, TaskId};
use std::collections::VecDeque;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Figures {
    /// Attempts granted; the rate of false expiries is per attempt.
    pub granted: u32,
    /// Expiries recorded.
    pub expired: u32,
    pub false_expiries: FalseExpiries,
    /// Every execution that died with its process or host while its attempt was open in the record.
    pub deaths: Vec<Death>,
    /// All zombie windows together, the longest, and the part in which zombies worked.
    pub zombie: Zombies,
    /// Time in which two executions of one task had not ended, all tasks together.
    pub overlap: Span,
    /// Working time of all executions but the winners'.
    pub wasted: Span,
    /// From each death to the freeing of its slot, all together.
    pub dead_slot: Span,
    pub heartbeats: HeartbeatLoad,
    /// Most unended executions of one task at one instant.
    pub peak: u32,
    pub detections: Vec<Detection>,
    /// Every table derived from a wrong one.
    pub derived: Vec<Derived>,
}

/// A table partition whose rows would be others had what it was made from been right.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Derived {
    pub task: TaskId,
    pub sink: NodeId,
    /// Its first such write.
    pub at: At,
    /// The tasks whose rows were wrong.
    pub from: Vec<TaskId>,
    /// Whether an alert that belongs to one of those had been raised by then.
    pub warned: bool,
}

/// Expiries of attempts none of whose executions had died or been killed, by what they were doing; one
/// without any counts if its owner's process ran, and might have begun it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FalseExpiries {
    pub running: u32,
    pub paused: u32,
    /// Not started yet.
    pub waiting: u32,
    /// Ended by itself, and the scheduler did not know.
    pub finished: u32,
}

impl FalseExpiries {
    pub fn total(&self) -> u32 {
        self.running + self.paused + self.waiting + self.finished
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Death {
    pub exec: Exec,
    pub at: At,
    /// To the recorded expiry of its attempt, 0 if that came earlier; none while undetected.
    pub detected: Option<Span>,
    /// To the start of the next execution of its task.
    pub recovered: Option<Span>,
    /// To the freeing of its slot in the record.
    pub slot_freed: Option<Span>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Zombies {
    pub count: u32,
    pub total: Span,
    pub worked: Span,
    pub longest: Span,
}

/// Heartbeat requests handled by the scheduler, each of which it answers; retries count.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct HeartbeatLoad {
    pub handled: u32,
    /// Over how long.
    pub over: Span,
    /// The most in any 60 s.
    pub highest: u32,
}

impl HeartbeatLoad {
    /// Thousandths of a request per minute.
    pub fn mean_milli(&self) -> u64 {
        let over = u128::from(self.over.0.unsigned_abs().max(1));
        u64::try_from(u128::from(self.handled) * 60_000_000_000 / over).unwrap_or(u64::MAX)
    }
}

/// How long a violation went unnoticed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Detection {
    pub violation: Violation,
    /// To its first belonging alert, 0 if that came earlier; none while open.
    pub after: Option<Span>,
    /// Tables derived before that from the one it made wrong.
    pub spread: u32,
}

impl Figures {
    /// The figures at true time `now`, from the first `upto` records of the trace.
    pub fn of(rules: impl Into<Rulebook>, trace: &Trace, upto: u32, now: At) -> Self {
        let rules = rules.into();
        let truth = Truth::of(rules.clone(), trace, upto, now);
        let judge = Judge::over(rules, trace, upto);
        Self::from_parts(&truth, &judge, trace, upto, now)
    }

    /// The same, from a truth and a judge that are there already.
    pub fn from_parts(truth: &Truth, judge: &Judge, trace: &Trace, upto: u32, now: At) -> Self {
        let mut seen = Seen::default();
        for record in trace.iter().take(upto as usize) {
            seen.observe(record, truth);
        }
        let deaths: Vec<Death> = truth.executions.iter().filter_map(|e| death(e, truth, &seen)).collect();
        let total = |spans: &mut dyn Iterator<Item = Span>| spans.fold(Span::ZERO, |sum, span| sum + span);
        let derived = derived(judge, trace, upto, now);
        let open = |death: &Death| death.slot_freed.unwrap_or(between(death.at, now));
        Self {
            granted: u32::try_from(truth.leases.len()).unwrap_or(u32::MAX),
            expired: u32::try_from(seen.expiries.len()).unwrap_or(u32::MAX),
            false_expiries: seen.false_expiries,
            zombie: zombies(truth),
            overlap: total(&mut truth.overlaps.iter().map(|overlap| overlap.time.span())),
            wasted: total(
                &mut truth.executions.iter().filter(|e| is_waste(e, judge)).map(|e| worked(e, now)),
            ),
            dead_slot: total(&mut deaths.iter().map(open)),
            deaths,
            heartbeats: HeartbeatLoad { over: between(0, now), ..seen.load },
            peak: seen.peak,
            detections: detections(judge, trace, now, &derived),
            derived,
        }
    }

    /// Tables derived from a wrong one before an alert said that it is.
    pub fn spread(&self) -> usize {
        self.derived.iter().filter(|derived| !derived.warned).count()
    }
}

/// What one pass over the records gathers.
#[derive(Default)]
struct Seen {
    expiries: Vec<(Exec, At)>,
    closed: Vec<(Exec, At)>,
    false_expiries: FalseExpiries,
    load: HeartbeatLoad,
    /// Heartbeats of the last minute.
    minute: VecDeque<At>,
    unended: Vec<(u16, u32)>,
    peak: u32,
    /// Nodes without a process.
    down: Vec<NodeId>,
}

impl Seen {
    fn observe(&mut self, record: &Record, truth: &Truth) {
        match record.kind {
            Kind::Sent if record.message() == Some(MessageKind::HeartbeatReply) => self.heartbeat(record.at),
            Kind::Refused if record.flag == 2 => self.heartbeat(record.at),
            Kind::Expired => {
                self.expiries.push((record.exec(), record.at));
                self.judge_expiry(record, truth);
            }
            Kind::AttemptSucceeded
            | Kind::AttemptFailed
            | Kind::AttemptTimedOut
            | Kind::AttemptWithdrawn
            | Kind::AttemptOrphaned => self.closed.push((record.exec(), record.at)),
            Kind::Started => self.count(record, 1),
            Kind::Ended => self.count(record, -1),
            Kind::Crashed => self.down.push(record.node),
            Kind::Restarted => self.down.retain(|node| *node != record.node),
            _ => {}
        }
    }

    fn heartbeat(&mut self, at: At) {
        self.load.handled += 1;
        while self.minute.front().is_some_and(|old| old + 60_000_000 <= at) {
            self.minute.pop_front();
        }
        self.minute.push_back(at);
        self.load.highest = self.load.highest.max(u32::try_from(self.minute.len()).unwrap_or(u32::MAX));
    }

    fn count(&mut self, record: &Record, by: i32) {
        let at = match self.unended.binary_search_by_key(&record.task.0, |(task, _)| *task) {
            Ok(at) => at,
            Err(at) => {
                self.unended.insert(at, (record.task.0, 0));
                at
            }
        };
        self.unended[at].1 = self.unended[at].1.saturating_add_signed(by);
        self.peak = self.peak.max(self.unended[at].1);
    }

    fn judge_expiry(&mut self, record: &Record, truth: &Truth) {
        let at = record.at;
        let of_attempt = |e: &&ExecutionTruth| (e.exec.task, e.exec.attempt) == (record.task, record.attempt);
        let started = truth.executions.iter().filter(of_attempt).filter(|e| e.start <= at);
        let mut kind: Option<&mut u32> = None;
        let counts = &mut self.false_expiries;
        let executions: Vec<&ExecutionTruth> = started.collect();
        let ended = |e: &ExecutionTruth| e.end.filter(|(end, _)| *end <= at);
        let is_death = |how| matches!(how, Ending::Crashed | Ending::Killed);
        let died = |e: &&ExecutionTruth| ended(e).is_some_and(|(_, how)| is_death(how));
        if executions.iter().any(died) {
            return;
        }
        if executions.is_empty() {
            if truth.lease_of(record.exec()).is_some_and(|lease| self.down.contains(&lease.owner)) {
                return;
            }
            kind = Some(&mut counts.waiting);
        } else if executions.iter().all(|e| ended(e).is_some()) {
            kind = Some(&mut counts.finished);
        } else if executions
            .iter()
            .any(|e| e.pauses.iter().any(|p| p.from <= at && (p.until > at || p.lasts)))
        {
            kind = Some(&mut counts.paused);
        }
        *kind.unwrap_or(&mut counts.running) += 1;
    }
}

fn between(from: At, to: At) -> Span {
    Span(i64::try_from(to.saturating_sub(from)).unwrap_or(i64::MAX))
}

fn death(execution: &ExecutionTruth, truth: &Truth, seen: &Seen) -> Option<Death> {
    let (at, how) = execution.end?;
    if how != Ending::Crashed {
        return None;
    }
    let exec = execution.exec;
    let lease = truth.lease_of(exec).map(|lease| lease.exec);
    let its = |of: &[(Exec, At)]| {
        let mut its = of.iter().filter(|(by, _)| truth.lease_of(*by).map(|lease| lease.exec) == lease);
        its.next().map(|(_, when)| *when)
    };
    let (expired, closed) = (its(&seen.expiries), its(&seen.closed));
    if closed.is_some_and(|closed| closed <= at) {
        return None;
    }
    let later = |e: &&ExecutionTruth| e.exec.task == exec.task && e.exec != exec && e.start >= at;
    let next = truth.executions.iter().filter(later).map(|e| e.start).min();
    Some(Death {
        exec,
        at,
        detected: expired.map(|when| between(at, when)),
        recovered: next.map(|start| between(at, start)),
        slot_freed: closed.map(|when| between(at, when)),
    })
}

fn zombies(truth: &Truth) -> Zombies {
    let mut sum = Zombies::default();
    for zombie in truth.executions.iter().filter_map(|execution| execution.zombie) {
        let window = zombie.window.span();
        sum.count += 1;
        sum.total = sum.total + window;
        sum.worked = sum.worked + zombie.worked();
        sum.longest = sum.longest.max(window);
    }
    sum
}

/// Not the winner's: another won, nobody will, or it ended without finishing.
fn is_waste(execution: &ExecutionTruth, judge: &Judge) -> bool {
    let Exec { task, .. } = execution.exec;
    match judge.facts().winner(task) {
        Some((winner, _)) => winner != execution.exec,
        None => {
            judge.facts().task(task).state.is_terminal()
                || execution.end.is_some_and(|(_, how)| how != Ending::Finished)
        }
    }
}

fn worked(execution: &ExecutionTruth, now: At) -> Span {
    let lived = between(execution.start, execution.end.map_or(now, |(at, _)| at));
    execution.pauses.iter().fold(lived, |left, pause| left - pause.span())
}

fn detections(judge: &Judge, trace: &Trace, now: At, derived: &[Derived]) -> Vec<Detection> {
    let alerts = judge.alerts(now);
    let of = |violation: Violation| {
        let alert = first_alert(&alerts, &violation, trace);
        let before =
            |it: &&Derived| it.from.contains(&violation.task) && alert.is_none_or(|alert| it.at < alert.at);
        Detection {
            violation,
            after: alert.map(|alert| between(violation.at, alert.at)),
            spread: u32::try_from(derived.iter().filter(before).count()).unwrap_or(u32::MAX),
        }
    };
    judge.violations(now).into_iter().map(of).collect()
}

/// In order of time.
fn derived(judge: &Judge, trace: &Trace, upto: u32, now: At) -> Vec<Derived> {
    let facts = judge.facts();
    let mut derived: Vec<Derived> = Vec::new();
    if facts.readings.is_empty() {
        return derived;
    }
    let roots = spread::roots(facts, judge.scenario());
    let (alerts, violations) = (judge.alerts(now), judge.violations(now));
    for record in trace.iter().take(upto as usize).filter(|record| record.kind == Kind::Applied) {
        let is_known = derived.iter().any(|it| (it.task, it.sink) == (record.task, record.node));
        let from = spread::of(&roots, record.exec()).to_vec();
        if is_known || from.is_empty() {
            continue;
        }
        let of_root = violations.iter().filter(|violation| from.contains(&violation.task));
        let warned = of_root
            .filter_map(|violation| first_alert(&alerts, violation, trace))
            .any(|alert| alert.at <= record.at);
        derived.push(Derived { task: record.task, sink: record.node, at: record.at, from, warned });
    }
    derived
}
