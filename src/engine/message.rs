//! What nodes say to each other. Messages are `Copy` and carry durations, never timestamps to be
//! compared with another node's clock.

use crate::ids::{Exec, NodeId, TaskId, Token};
use crate::program::Clean;
use crate::time::{Span, Wall};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Message {
    /// To a worker, or to an executor that starts what runs there: run this attempt under a lease of this
    /// length. `started`: whether it was started before, as whoever sends it knows. `generation`: how often
    /// the task was run again on purpose.
    Dispatch { exec: Exec, token: Token, lease: Span, started: bool, generation: u8, on: NodeId },
    /// Worker to scheduler: the dispatch arrived.
    Delivered { exec: Exec, token: Token },
    /// Worker to scheduler: extend my lease. `tick` is the beat's due number, sent or not; `stamp` what
    /// the worker's wall clock shows, which only the expiry clock *worker stamp* compares; `step` where its program is.
    Heartbeat { exec: Exec, token: Token, tick: u32, retry: u8, stamp: Wall, step: u8 },
    /// Scheduler to worker: what became of that heartbeat.
    HeartbeatReply { exec: Exec, tick: u32, retry: u8, answer: RenewalAnswer },
    /// Worker to scheduler: the program ended well.
    Completed { exec: Exec, token: Token, retry: u8 },
    /// Scheduler to worker: whether the completion was recorded.
    CompletionReply { exec: Exec, retry: u8, accepted: bool },
    /// Worker to scheduler: the program ended badly.
    Failed { exec: Exec, token: Token, cause: FailCause },
    /// Worker, or executor, to scheduler: this execution runs no more, or never began. It was asked to stop
    /// or killed.
    Stopped { exec: Exec, token: Token },
    /// To a sink, from a holder or the scheduler: raise the fence to this token before any work.
    Raise { exec: Exec, token: Token, retry: u8 },
    /// Worker to sink, from step `step` of its program. `not_after` is the end of its lease as it
    /// believes, on its own wall clock: the one timestamp shown to another node's clock.
    Request { exec: Exec, token: Token, step: u8, retry: u8, op: SinkOp, not_after: Wall },
    /// The sink's answer. Step 0 answers a raise.
    Reply { exec: Exec, step: u8, retry: u8, answer: Answer },
    /// Kill this execution, on this worker, and confirm with a stop report: to the worker, or to the
    /// executor, which passes it on.
    Kill { exec: Exec, token: Token, on: NodeId },
    /// Operator to scheduler.
    Operator { task: TaskId, decision: Decision },
    /// Worker to sink, at step `step`: would my write be let in, and what is there? `after` counts the
    /// requests of that step so far. Or, with `reads`: what do others' tables hold? Then `after` is the
    /// input version known so far.
    Look { exec: Exec, token: Token, step: u8, after: u8, retry: u8, reads: bool },
    /// Worker to scheduler, at step `step`: may this attempt commit?
    Ask { exec: Exec, token: Token, step: u8, retry: u8 },
    /// Scheduler to worker: whether it may.
    MayCommit { exec: Exec, step: u8, retry: u8, granted: bool },
    /// Sink to worker: how things stood when the look was handled; none: an error.
    Seen { exec: Exec, step: u8, after: u8, retry: u8, sight: Option<Sight> },
    /// Scheduler to the store of its record: read or write. `exec` and `n` say what it is about, `call` which
    /// of all calls it is; what it asks for is with the driver.
    StoreCall { call: u32, exec: Exec, n: u32, retry: u8 },
    /// The store's answer.
    StoreReply { call: u32, exec: Exec, n: u32, retry: u8 },
}

impl Message {
    /// The execution this message is about, if any.
    pub fn exec(&self) -> Option<Exec> {
        match *self {
            Self::Dispatch { exec, .. }
            | Self::Kill { exec, .. }
            | Self::Delivered { exec, .. }
            | Self::Heartbeat { exec, .. }
            | Self::HeartbeatReply { exec, .. }
            | Self::Completed { exec, .. }
            | Self::CompletionReply { exec, .. }
            | Self::Failed { exec, .. }
            | Self::Stopped { exec, .. }
            | Self::Raise { exec, .. }
            | Self::Request { exec, .. }
            | Self::Reply { exec, .. }
            | Self::Look { exec, .. }
            | Self::Seen { exec, .. }
            | Self::Ask { exec, .. }
            | Self::MayCommit { exec, .. }
            | Self::StoreCall { exec, .. }
            | Self::StoreReply { exec, .. } => Some(exec),
            Self::Operator { .. } => None,
        }
    }
}

/// The scheduler's answer to a heartbeat.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RenewalAnswer {
    /// The lease runs this long from when the scheduler handled the heartbeat.
    Renewed(Span),
    /// The attempt no longer holds a lease.
    Refused,
    /// The lease is over and the scheduler waits for the worker to stop (expiry policy *grace*).
    Stop,
    /// The call failed; whether the lease was renewed is not known.
    Error,
    /// None is given, though the heartbeat was handled.
    Unanswered,
}

/// Why an attempt ended badly, by its worker's own account or an operator's decision.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FailCause {
    /// A sink refused its token.
    Fenced,
    /// A sink call got no answer within its time-out and retries: its outcome is unknown.
    NoAnswer,
    /// A lock or staging table left by another execution stood in the way.
    Leftover,
    /// None: the operator recorded it as failed.
    Operator,
    /// Another write had come before its own.
    Conflict,
    /// A sink answered with an error, as often as it was asked: the outcome is unknown.
    Error,
    /// Another attempt was allowed to commit, or it was given up itself.
    Denied,
}

/// What a step asks of a sink.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SinkOp {
    /// Write part `part` of `parts` of the output for input version `version`, based on this version
    /// of the target. `application`: the task of which the own one is an interval.
    Write { version: u8, part: u8, parts: u8, rows: u32, base: u32, application: TaskId },
    /// Write the output to a staging table.
    Stage { version: u8, rows: u32 },
    /// Make the staged output visible.
    Swap,
    /// Take the sink's lock.
    Lock,
    /// Give the lock back.
    Unlock,
    /// Delete what other executions left.
    Clean(Clean),
    /// One irreversible effect, a payment or a mail, for input version `version`, in this deliberate run.
    Effect { version: u8, generation: u8 },
    /// Work done by a shared resource, which slows with its load.
    Work,
    /// Write down that the effect of this deliberate run is done.
    Note { generation: u8 },
    /// Look that up: *repeat* if it is.
    Check { generation: u8 },
}

/// What a look at a sink showed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Sight {
    /// Whether the fence would have refused the token.
    pub fenced: bool,
    /// The version of the target: how often it was written. Of what was read, which of the contents the
    /// task was ever shown it is, in order of their first showing: the driver numbers them.
    pub version: u32,
    /// Whether the asker wrote that version, with the step it is at.
    pub is_mine: bool,
}

/// What a sink answers. The cases stay apart because each asks for different behaviour.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Answer {
    Accepted,
    /// Recognised as a repeat; the stored answer is given again.
    Repeat,
    /// A precondition is lost: re-read, it may be my own.
    Conflict,
    /// Not judged: retry.
    Busy,
    /// The fence lets it in no more, by its token or by the end of its lease: stop.
    Fenced,
    /// The call failed; whether it did anything is not known.
    Error,
}

/// An operator's decision about a task.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Decision {
    /// Give up on the running attempt and grant a new one.
    Redispatch,
    /// Record the task as failed.
    Fail,
    /// Record the task as succeeded.
    Succeed,
    /// Extend the running attempt's lease by its length.
    Extend,
    /// Have the running attempt killed; once that is confirmed, grant a new one.
    Cancel,
    /// Run a task that has ended once more, on purpose: a new generation of it.
    Rerun,
}
