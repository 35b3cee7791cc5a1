//! Rules of a sink: how output lands, and the fence in front of it.

use crate::contents::Landing;
use crate::ids::NodeId;
use crate::time::Span;
use std::sync::Arc;

/// A sink and what stands in front of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SinkRules {
    pub kind: SinkKind,
    /// The guard that compares tokens; only a sink that can compare has one.
    pub fence: Option<FenceRules>,
    pub service: Service,
}

impl SinkRules {
    /// The fence in force: none before a sink that cannot compare.
    pub fn fence(&self) -> Option<FenceRules> {
        self.fence.filter(|_| self.kind.can_compare())
    }
}

/// A sink as its clients know it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SinkAt {
    pub node: NodeId,
    pub rules: Arc<SinkRules>,
}

impl SinkAt {
    /// The fence in front of it, if it can compare.
    pub fn fence(&self) -> Option<FenceRules> {
        self.rules.fence()
    }
}

/// How output lands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SinkKind {
    /// Rows are added.
    Append,
    /// A write replaces the same part of the partition: the last writer wins.
    Overwrite,
    /// Rows replace those with the same natural key.
    Merge,
    /// Output goes to a staging table, then one swap makes it visible.
    Staged { name: StagingName, found: Found },
    /// An append table guarded by a lock, which a killed task leaves behind if it has no lease.
    Locked { lease: Option<Span> },
    /// A vendor's interface; what it recognises a repeat by.
    Api(IdempotencyKey),
    /// An object store: a partition is one object.
    Objects(Put),
    /// A commit log with optimistic appends: one that loses the race rebases and lands all the same.
    Log(LogGuard),
    /// Mail cannot be called back and nobody compares.
    Mailbox,
    /// A shared resource (a database pool) that only does work.
    Resource,
}

impl SinkKind {
    /// Whether a fence can stand before it.
    pub fn can_compare(&self) -> bool {
        match self {
            Self::Append
            | Self::Overwrite
            | Self::Merge
            | Self::Staged { .. }
            | Self::Locked { .. }
            | Self::Objects(_)
            | Self::Log(_) => true,
            Self::Api(_) | Self::Mailbox | Self::Resource => false,
        }
    }

    /// How a write joins the rows that are there.
    pub fn landing(&self) -> Landing {
        match self {
            Self::Append
            | Self::Locked { .. }
            | Self::Log(_)
            | Self::Api(_)
            | Self::Mailbox
            | Self::Resource => Landing::Append,
            Self::Overwrite | Self::Objects(_) => Landing::Replace,
            Self::Staged { found: Found::Taken, .. } => Landing::Append,
            Self::Staged { .. } => Landing::ReplaceAll,
            Self::Merge => Landing::Merge,
        }
    }
}

/// On what condition an object store takes a put.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Put {
    /// None: the last writer wins.
    Plain,
    /// Only if there is no object.
    IfAbsent,
    /// Only if the object is still the one that the program's last look found.
    CompareAndSet(OnConflict),
}

/// What a program does when its put comes too late.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OnConflict {
    /// Stops, unless the object is its own.
    Stop,
    /// Looks again and puts again, as if it had just begun.
    Retry,
}

/// What a commit log skips: a commit whose version is not above the one recorded for its application. The
/// application is a task's interval, or the task; the version is a token, or the interval.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LogGuard {
    /// Nothing.
    Blind,
    /// A commit for an interval that has one.
    Interval,
    /// A commit with a token that is not above the one recorded for its interval.
    Token,
    /// A commit for an interval when the task has one for it, or for a later interval.
    TaskInterval,
    /// A commit with a token that is not above the one recorded for any interval of its task.
    TaskToken,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StagingName {
    /// The same for every attempt.
    Fixed,
    /// One for each attempt.
    Unique,
}

/// What a stage step does with what it finds under its name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Found {
    /// It fails on it.
    InTheWay,
    /// Drops it first.
    Dropped,
    /// Leaves it there and adds its own: the swap adds all of it to the table (SPARK-29037).
    Taken,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum IdempotencyKey {
    None,
    /// From task and step: the same for every attempt.
    FromTask(KeyRules),
    /// Wrongly from the attempt: de-duplicates nothing across attempts.
    FromAttempt,
}

/// What becomes of a key once it was used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct KeyRules {
    /// Kept this long, or for ever.
    pub retention: Option<Span>,
    pub body: KeyBody,
    pub stored: StoredAnswers,
    pub reach: KeyReach,
}

impl KeyRules {
    /// Kept for ever, whatever is asked under it, once it was answered well.
    pub const PLAIN: Self = Self {
        retention: None,
        body: KeyBody::Ignored,
        stored: StoredAnswers::Successes,
        reach: KeyReach::EveryRun,
    };
}

/// Whether a repeat has to ask for the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum KeyBody {
    Ignored,
    /// Another body under a known key is a conflict.
    Compared,
}

/// Whether a key is the same in a task's deliberate re-run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum KeyReach {
    /// It is: the re-run is taken for a repeat.
    EveryRun,
    /// Each has its own.
    OneGeneration,
}

/// Which answers are stored under a key, and given again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StoredAnswers {
    /// An error leaves the key unused.
    Successes,
    /// An error is given again, too, for as long as the key is kept.
    Every,
}

/// The guard in front of a sink that compares tokens.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FenceRules {
    pub raise: FenceRaise,
    pub compare: Compare,
    pub memory: FenceMemory,
    /// The highest token is forgotten this long after its last raise, by the sink's wall clock.
    pub retention: Option<Span>,
    pub check: FenceCheck,
    pub scope: FenceScope,
    /// A write carries the end of its holder's lease, as the holder believes it, and is refused after
    /// that by the sink's wall clock.
    pub not_after: bool,
}

impl FenceRules {
    /// The sound fence with this raise: an older token is refused, in one event with the write, by a
    /// memory as durable as the data.
    pub const fn raised(raise: FenceRaise) -> Self {
        Self {
            raise,
            compare: Compare::Older,
            memory: FenceMemory::Durable,
            retention: None,
            check: FenceCheck::Atomic,
            scope: FenceScope::Partition,
            not_after: false,
        }
    }

    /// Whether a raise comes before the holder's first write: only then can a comparison ask for the
    /// very token that was raised.
    pub fn raises_first(&self) -> bool {
        matches!(self.raise, FenceRaise::Scheduler(_) | FenceRaise::Claim)
    }
}

/// What raises the fence to a holder's token.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FenceRaise {
    /// The scheduler, before it dispatches.
    Scheduler(Confirmation),
    /// The holder's first act.
    Claim,
    /// Its first accepted write.
    FirstWrite,
    /// Its commit. Parts are staged, uncompared; the last one makes all of them visible.
    Commit,
    /// Nothing: no token is compared.
    Nobody,
}

/// Whether a dispatch waits until the sink has confirmed the raise.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Confirmation {
    Awaited,
    /// Unsound: the raise may still be on its way, or lost, when the holder writes.
    NotAwaited,
}

/// Which token `k` a fence at `h` refuses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Compare {
    /// `k < h`.
    Older,
    /// `k != h`.
    Exact,
    /// `k < h`, and `k = h` from another execution than the first to present it.
    Bound,
    /// Broken: `k <= h` turns away a holder's own second part or retry.
    OrEqual,
    /// Broken: as text, `10` comes before `9`.
    Text,
    /// Broken: it remembers that somebody raised it, and never whether a token is newer.
    Boolean,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FenceMemory {
    /// As durable as the data.
    Durable,
    /// Forgotten when the store restarts.
    Volatile,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FenceCheck {
    /// Compare, raise and apply are one event.
    Atomic,
    /// Compared at arrival, applied this much later, not compared again.
    Gap(Span),
    /// Broken: the holder looks, compares for itself and writes; the sink does not compare.
    ByClient,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FenceScope {
    Partition,
    Table,
    /// Broken: a mark on each of the store's front ends. What was raised on one, the others do not
    /// know; every node talks to its own.
    Shard,
}

/// How long a sink takes to handle a request: `base + per_active * requests already in service`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Service {
    pub base: Span,
    pub per_active: Span,
}

impl Service {
    pub const INSTANT: Self = Self { base: Span::ZERO, per_active: Span::ZERO };

    pub fn time(&self, active: u32) -> Span {
        self.base + self.per_active.times(i64::from(active))
    }
}
