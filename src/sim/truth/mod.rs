//! The ground truth of a run, in true time: what really ran, when each lease really ended, which
//! writes came too late. No actor knows any of this; it is read from the whole trace.

mod build;

use crate::clock::At;
use crate::rulebook::Rulebook;
use crate::trace::Trace;
use fenceline_engine::{Ending, Exec, NodeId, Span, TaskId, Token};

/// What really happened up to one instant.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Truth {
    /// In order of their start.
    pub executions: Vec<ExecutionTruth>,
    /// In order of their grants.
    pub leases: Vec<LeaseTruth>,
    pub stale_writes: Vec<StaleWrite>,
    /// When two executions of one task had not ended, in order of their start.
    pub overlaps: Vec<Overlap>,
}

/// One process running one attempt.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExecutionTruth {
    pub exec: Exec,
    pub token: Token,
    pub node: NodeId,
    pub start: At,
    pub end: Option<(At, Ending)>,
    /// Times in which its process or host ran no code.
    pub pauses: Vec<Stretch>,
    /// The input version it read.
    pub version: Option<u8>,
    /// When it went on after its lease had ended.
    pub zombie: Option<Zombie>,
}

/// A stretch of true time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stretch {
    pub from: At,
    /// Its end, or the present instant while it lasts.
    pub until: At,
    pub lasts: bool,
}

/// From the end of a lease to the end of its execution.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Zombie {
    pub window: Stretch,
    /// How much of it the process was paused.
    pub paused: Span,
}

/// One lease: attempt, grant and token are one to one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LeaseTruth {
    pub exec: Exec,
    pub token: Token,
    pub owner: NodeId,
    /// The scheduler by whose clock it is judged.
    pub judge: NodeId,
    pub granted: At,
    /// Each setting of its T: the start, then renewals, clean windows, extensions.
    pub terms: Vec<Term>,
    pub end: Option<(At, LeaseEnd)>,
    /// What its holder believed, each until the next.
    pub beliefs: Vec<Belief>,
}

/// A T, as true time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Term {
    pub record: u32,
    pub from: At,
    /// When the judge's clock reads T, as its clock is known to go; none if it stands still.
    pub until: Option<At>,
    /// T itself.
    pub reading: i64,
}

/// What a holder believed about its lease from `from` on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Belief {
    pub from: At,
    /// When its own clock reads its own deadline; `from` when it was told that the lease is lost.
    pub until: Option<At>,
    pub told_lost: bool,
}

/// Why a lease ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LeaseEnd {
    /// The judge's clock reached its final T.
    Expired,
    /// Its attempt was closed in the record.
    Revoked,
    NewerGrant,
    /// Its completion was accepted.
    Released,
}

/// A write (or effect) handled by a sink after a newer grant for its target was recorded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StaleWrite {
    pub record: u32,
    pub at: At,
    pub exec: Exec,
    pub token: Token,
    /// The newest token granted by then.
    pub newest: Token,
    pub sink: NodeId,
    /// Accepted, else fenced.
    pub accepted: bool,
    /// An irreversible effect, not a write to a table.
    pub is_effect: bool,
}

/// Two executions of one task that had not ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Overlap {
    pub task: TaskId,
    pub time: Stretch,
}

impl Stretch {
    pub fn span(&self) -> Span {
        Span(i64::try_from(self.until.saturating_sub(self.from)).unwrap_or(i64::MAX))
    }

    /// How much of it lies at or after `from`.
    fn after(&self, from: At) -> Span {
        Stretch { from: self.from.max(from), ..*self }.span()
    }
}

impl Zombie {
    /// The working part.
    pub fn worked(&self) -> Span {
        self.window.span() - self.paused
    }
}

impl LeaseTruth {
    /// When it began to run.
    pub fn start(&self) -> Option<At> {
        self.terms.first().map(|term| term.from)
    }

    /// Each time its T was set anew.
    pub fn renewals(&self) -> impl Iterator<Item = At> {
        self.terms.iter().skip(1).map(|term| term.from)
    }
}

impl Truth {
    /// The truth at true time `now`, from the first `upto` records of the trace.
    pub fn of(rules: impl Into<Rulebook>, trace: &Trace, upto: u32, now: At) -> Self {
        let mut builder = build::Builder::new(rules.into());
        for (id, record) in trace.iter().take(upto as usize).enumerate() {
            builder.observe(id as u32, record, trace);
        }
        builder.finish(now)
    }

    pub fn lease(&self, task: TaskId, attempt: u8) -> Option<&LeaseTruth> {
        self.leases.iter().find(|lease| lease.exec == Exec::first(task, attempt))
    }

    /// The lease of an execution: its own, if a second scheduler granted its attempt as well, else that of
    /// its attempt.
    pub fn lease_of(&self, exec: Exec) -> Option<&LeaseTruth> {
        let own = self.leases.iter().find(|lease| lease.exec == exec);
        own.or_else(|| self.lease(exec.task, exec.attempt))
    }

    pub fn execution(&self, exec: Exec) -> Option<&ExecutionTruth> {
        self.executions.iter().find(|execution| execution.exec == exec)
    }
}
