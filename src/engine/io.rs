//! What goes into an actor and what comes out.

use crate::ids::{Exec, NodeId, TaskId, Token};
use crate::ledger::{Change, Ledger, TaskState};
use crate::message::{FailCause, Message, RenewalAnswer};
use crate::program::TaskSpec;
use crate::rules::{BeliefClock, LimitKind, Rules, SinkAt, SinkRules};
use crate::sink::SinkCopy;
use crate::time::{Span, Wall};
use std::sync::Arc;

#[derive(Clone, Debug)]
pub enum Input {
    /// The process starts. The scheduler gets its durable record and the boot it runs under.
    Start {
        ledger: Option<Ledger>,
        boot: u16,
    },
    /// The scheduler's process starts, or it learns that another leads: it decides nothing, and asks the
    /// store for the leadership.
    StandBy {
        boot: u16,
    },
    /// The process runs, again or still, after something was done to it from outside.
    GoesOn,
    /// To a worker: something holds its event loop from now on, or no longer.
    LoopHeld(bool),
    /// To a worker: its host kills an attempt, whether the worker's own code runs or not.
    KilledFromOutside {
        by: NodeId,
        exec: Exec,
        token: Token,
    },
    /// The process dies: volatile state is lost, and nothing but notes comes of it.
    Crash,
    /// What the store of the record has renewed and heard, where heartbeats go to it.
    Renewals(Box<Ledger>),
    Message {
        from: NodeId,
        message: Message,
    },
    Timer(TimerKey),
    /// A durable write that the actor waits for is done.
    Persisted(TimerKey),
    /// Run the next step of this execution; `version` is the input's version at this instant.
    Step {
        exec: Exec,
        version: u8,
    },
    /// New rules are in force from now on.
    Rules {
        rules: Arc<Rules>,
        tasks: Arc<[TaskSpec]>,
        sinks: Arc<[SinkAt]>,
    },
    SinkRules(Arc<SinkRules>),
    /// What a store keeps is put back to what it was when this copy was taken.
    Restore(Box<SinkCopy>),
    /// The counter that tokens come from is put back to the number it had given last.
    RestoreCounter(Token),
    /// A lock is taken away from whoever holds it.
    ForceUnlock,
    /// From now on calls are answered with errors, or no longer.
    Failing(Option<Failing>),
}

/// How calls fail: of a sink all of them, of a scheduler the renewals.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Failing {
    /// How long each is held before its error is sent.
    pub held: Span,
    pub effect: FailEffect,
}

/// What a call that fails has done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum FailEffect {
    Nothing,
    /// Whatever it was to do: the error hides that.
    Done,
}

#[derive(Clone, Copy, Debug)]
pub enum Output {
    Send {
        to: NodeId,
        message: Message,
    },
    /// Fire at reading `at` of one of the node's clocks, later by a draw below `spread`. Timers are
    /// never cancelled: an actor ignores one that no longer applies.
    Timer {
        key: TimerKey,
        clock: TimerClock,
        at: i64,
        spread: Span,
    },
    /// Write durably; with `then`, tell me when it is done.
    Persist {
        change: Change,
        then: Option<TimerKey>,
    },
    /// Ask the store of a record that several schedulers share for the leadership, or for more of it.
    Lead,
    /// Let the program of this execution go on with step `step`.
    Step {
        exec: Exec,
        step: u8,
    },
    Note(Note),
}

/// By which of the node's clocks a timer runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TimerClock {
    Mono,
    /// Triggers only.
    Wall,
    /// Time in which the process ran: stops while it is paused, stretches while it is slow. `at` is
    /// a length from now.
    Process,
}

/// What a timer is for; also its structural id.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TimerKey {
    pub kind: TimerKind,
    pub exec: Exec,
    /// Step or tick.
    pub n: u32,
    pub retry: u8,
}

impl TimerKey {
    pub fn of(kind: TimerKind, exec: Exec) -> Self {
        Self { kind, exec, n: 0, retry: 0 }
    }

    pub fn numbered(kind: TimerKind, exec: Exec, n: u32, retry: u8) -> Self {
        Self { kind, exec, n, retry }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u8)]
pub enum TimerKind {
    Due,
    Sweep,
    Retry,
    Grace,
    HoldAlert,
    HalfDispatched,
    Beat,
    BeatTimeout,
    Compute,
    Deadline,
    CallTimeout,
    LockRetry,
    AckTimeout,
    Serve,
    Apply,
    // later kinds stand last: the order of timers at one instant is in every digest
    RaiseTimeout,
    LookTimeout,
    StartTimeout,
    CarryOut,
    ProgressLimit,
    RunLimit,
    NextHeartbeat,
    /// The store's answer about the leadership.
    Lead,
    /// The error of a call that was held.
    Error,
    /// No answer of the store of the record: ask again.
    StoreTimeout,
    /// A process that an executor was told to start is there.
    Launch,
}

/// What an actor did, for the trace. Checkers, log and stage read these, never an actor's insides.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Note {
    // scheduler
    TaskIs {
        task: TaskId,
        state: TaskState,
    },
    Granted {
        exec: Exec,
        token: Token,
        owner: NodeId,
    },
    /// The lease runs to `ends`, a reading of the judge's clock.
    LeaseStarted {
        exec: Exec,
        ends: i64,
    },
    Renewed {
        exec: Exec,
        tick: u32,
        ends: i64,
    },
    Refused {
        exec: Exec,
        tick: u32,
        answer: RenewalAnswer,
    },
    /// A heartbeat that waits until those before it are handled.
    BeatQueued {
        exec: Exec,
        tick: u32,
        ahead: u32,
    },
    DeliveryRecorded {
        exec: Exec,
    },
    Expired {
        exec: Exec,
        ends: i64,
    },
    /// An observer saw the record changed: T counts from here.
    Observed {
        exec: Exec,
        ends: i64,
    },
    /// The jump guard gave a clean window instead of expiring.
    Guarded {
        exec: Exec,
        ends: i64,
    },
    StopAsked {
        exec: Exec,
    },
    HeldForOperator {
        exec: Exec,
    },
    HoldAlert {
        exec: Exec,
    },
    /// It has taken longer than it may.
    Overran {
        exec: Exec,
        which: LimitKind,
    },
    /// The attempt's worker is ordered to kill it.
    KillAsked {
        exec: Exec,
    },
    AttemptSucceeded {
        exec: Exec,
        by: SuccessBy,
    },
    AttemptFailed {
        exec: Exec,
        cause: FailCause,
    },
    AttemptTimedOut {
        exec: Exec,
    },
    AttemptWithdrawn {
        exec: Exec,
    },
    /// Given up by a scheduler that restarted.
    AttemptOrphaned {
        exec: Exec,
    },
    /// Taken over by a scheduler that restarted.
    Adopted {
        exec: Exec,
    },
    /// Given up, heard of again, and the task's attempt once more.
    Kept {
        exec: Exec,
        token: Token,
        owner: NodeId,
    },
    CompletionRefused {
        exec: Exec,
    },
    /// An ending that arrived too late to change anything.
    CompletionIgnored {
        exec: Exec,
    },
    // worker
    /// It has the dispatch and runs others first.
    Reserved {
        exec: Exec,
    },
    Started {
        exec: Exec,
    },
    StepBegan {
        exec: Exec,
        step: u8,
    },
    /// A step that takes process time is done.
    StepEnded {
        exec: Exec,
        step: u8,
    },
    InputRead {
        exec: Exec,
        version: u8,
    },
    /// It counts on its lease up to `until`, a reading of that clock of its own.
    Believes {
        exec: Exec,
        until: i64,
        clock: BeliefClock,
    },
    BeatStarved {
        exec: Exec,
        tick: u32,
    },
    /// A beat that fell due while the call before it was still open: not sent.
    BeatWaited {
        exec: Exec,
        tick: u32,
    },
    /// Beats due while the process did not run; they are not made up.
    BeatsMissed {
        exec: Exec,
        first: u32,
        count: u16,
    },
    /// No answer came within the time-out of the last retry.
    RenewalFailed {
        exec: Exec,
        tick: u32,
    },
    ToldLost {
        exec: Exec,
    },
    Ended {
        exec: Exec,
        how: Ending,
    },
    /// The wrapper that beat and reported for it is gone; the child goes on.
    WrapperEnded {
        exec: Exec,
        how: Ending,
    },
    // sink
    Raised {
        exec: Exec,
        token: Token,
    },
    Applied {
        exec: Exec,
        version: u8,
        part: u8,
        rows: u32,
    },
    Fenced {
        exec: Exec,
        highest: Token,
    },
    Repeated {
        exec: Exec,
    },
    /// A request whose key another one, by `holder`, has in use: not judged.
    KeyBusy {
        exec: Exec,
        holder: Exec,
    },
    EffectDone {
        exec: Exec,
        step: u8,
    },
    Locked {
        exec: Exec,
    },
    LockRefused {
        exec: Exec,
        holder: Exec,
    },
    Unlocked {
        exec: Exec,
    },
    /// A lock with a lease ran out.
    LockExpired {
        exec: Exec,
    },
    Staged {
        exec: Exec,
        version: u8,
        rows: u32,
    },
    StageRefused {
        exec: Exec,
        holder: Exec,
    },
    Swapped {
        exec: Exec,
        version: u8,
        rows: u32,
    },
    /// A cleanup deleted what execution `of` had there: rows that were visible, or that were staged.
    Cleaned {
        exec: Exec,
        of: Exec,
        rows: u32,
        visible: bool,
    },
    Worked {
        exec: Exec,
        active: u16,
    },
    FenceForgotten,
    /// A write that came after the end its holder believed its lease to have.
    TooLate {
        exec: Exec,
        not_after: Wall,
    },
    /// A write whose base is no longer the target's version, made `by` another.
    Conflicted {
        exec: Exec,
        by: Exec,
    },
    /// What others' tables hold was read, by an execution that knew input version `known`.
    TableRead {
        exec: Exec,
        step: u8,
        known: u8,
    },
    /// A commit that was skipped: the log has one, `by` this execution, that counts as it.
    CommitFound {
        exec: Exec,
        by: Exec,
    },
    /// An operator took the lock away from its holder, without asking whether that is dead.
    LockForced {
        exec: Exec,
    },
    /// The first of its task's attempts to ask may commit.
    CommitAllowed {
        exec: Exec,
    },
    /// It may not: this attempt may, or none if it was given up itself.
    CommitDenied {
        exec: Exec,
        to: u8,
    },
    /// An own ledger has it that the effect is done.
    Noted {
        exec: Exec,
    },
    /// A task that had ended is run again, as this generation.
    Reopened {
        task: TaskId,
        generation: u8,
    },
    /// A call fails: step or tick `n`.
    Errored {
        exec: Exec,
        n: u32,
        effect: FailEffect,
    },
}

/// On whose word a success was recorded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum SuccessBy {
    /// The worker's completion.
    Report,
    /// An operator's decision.
    Operator,
}

/// How an execution ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Ending {
    Finished,
    /// Stopped itself: it reckoned or was told that its lease was lost.
    SelfFenced,
    /// A sink refused its token.
    Fenced,
    NoAnswer,
    Leftover,
    /// The process died.
    Crashed,
    /// Killed at the scheduler's request.
    Killed,
    /// Another write had come before its own.
    Conflict,
    /// It found that its attempt had been started before.
    StoodDown,
    /// A sink answered with errors only.
    Errored,
    /// It was not allowed to commit.
    Denied,
    /// Its worker runs a newer attempt of the task in its place.
    Replaced,
}
