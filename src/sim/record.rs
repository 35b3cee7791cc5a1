//! The trace record: 32 bytes, `Copy`, its id its index in the trace.

mod messages;

pub use messages::{MessageKind, message_parts};

use crate::clock::At;
use fenceline_engine::{Ending, Exec, FailCause, NodeId, Note, RenewalAnswer, SuccessBy, TaskId, TaskState};

/// No record.
pub const NONE: u32 = u32::MAX;

/// One thing that happened, or did not happen and should have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C)]
pub struct Record {
    /// True time, microseconds.
    pub at: At,
    /// The second operand: a token, a reading, a count; see [`Kind`].
    pub b: i64,
    /// The record that triggered it, or [`NONE`].
    pub cause: u32,
    pub node: NodeId,
    /// The other node of a message, grant or link; else 0.
    pub peer: NodeId,
    pub task: TaskId,
    pub attempt: u8,
    pub copy: u8,
    pub kind: Kind,
    /// A small enum of the kind's own.
    pub flag: u8,
    /// The first operand: a tick, step or part.
    pub n: u16,
}

const _: () = assert!(size_of::<Record>() == 32);

impl Record {
    pub fn exec(&self) -> Exec {
        Exec { task: self.task, attempt: self.attempt, copy: self.copy }
    }

    /// The record as four words, for the digest.
    pub fn words(&self) -> [u64; 4] {
        [
            self.at,
            self.b as u64,
            u64::from(self.cause) | u64::from(self.node.0) << 32 | u64::from(self.peer.0) << 48,
            u64::from(self.task.0)
                | u64::from(self.attempt) << 16
                | u64::from(self.copy) << 24
                | u64::from(self.kind as u8) << 32
                | u64::from(self.flag) << 40
                | u64::from(self.n) << 48,
        ]
    }

    /// What kind of message a message record is about.
    pub fn message(&self) -> Option<MessageKind> {
        MessageKind::ALL.get(usize::from(self.flag)).copied()
    }

    /// Whether a message record is about a call to the store of the record, or its answer.
    pub fn is_store_call(&self) -> bool {
        self.flag >= MessageKind::StoreCall as u8
    }

    /// The task state of a [`Kind::TaskIs`].
    pub fn task_state(&self) -> TaskState {
        match self.flag {
            0 => TaskState::Waiting,
            1 => TaskState::Queued,
            2 => TaskState::Running,
            3 => TaskState::Succeeded,
            4 => TaskState::Failed,
            _ => TaskState::Skipped,
        }
    }

    /// How the execution of a [`Kind::Ended`], or the wrapper of a [`Kind::WrapperEnded`], ended.
    pub fn ending(&self) -> Ending {
        match self.flag {
            0 => Ending::Finished,
            1 => Ending::SelfFenced,
            2 => Ending::Fenced,
            3 => Ending::NoAnswer,
            4 => Ending::Leftover,
            5 => Ending::Crashed,
            6 => Ending::Killed,
            7 => Ending::Conflict,
            8 => Ending::StoodDown,
            9 => Ending::Errored,
            10 => Ending::Denied,
            _ => Ending::Replaced,
        }
    }

    /// On whose word a [`Kind::AttemptSucceeded`] was recorded.
    pub fn success_by(&self) -> SuccessBy {
        if self.flag == 0 { SuccessBy::Report } else { SuccessBy::Operator }
    }

    /// The rows that a [`Kind::Cleaned`] deleted.
    pub fn deleted(&self) -> u32 {
        (self.b >> 32) as u32
    }

    /// The execution named in `b` (lock and staging refusals).
    pub fn holder(&self) -> Exec {
        Exec { task: TaskId((self.b >> 16) as u16), attempt: (self.b >> 8) as u8, copy: self.b as u8 }
    }
}

/// What a record is about. Operands not named are 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Kind {
    // messages; `flag` is the MessageKind, `n` the tick or step, `b` the retry
    /// By `node` to `peer`.
    Sent,
    /// To `node` from `peer`.
    Delivered,
    /// On the way to `node` from `peer`; `b` says how: see [`Loss`].
    Lost,
    // scheduler
    /// `flag`: see [`Record::task_state`].
    TaskIs,
    /// `peer` the owner, `b` the token.
    Granted,
    /// `b`: T on the judge's clock.
    LeaseStarted,
    /// `n` the tick, `b`: T on the judge's clock.
    Renewed,
    /// `n` the tick; `flag` 1: asked to stop; 2: not answered.
    Refused,
    DeliveryRecorded,
    /// `b`: T on the judge's clock.
    Expired,
    Guarded,
    StopAsked,
    HeldForOperator,
    HoldAlert,
    /// `flag`: see [`Record::success_by`].
    AttemptSucceeded,
    /// `flag` the cause.
    AttemptFailed,
    AttemptTimedOut,
    AttemptWithdrawn,
    CompletionRefused,
    CompletionIgnored,
    // worker
    Started,
    /// `n` the step.
    StepBegan,
    /// `n` the step.
    StepEnded,
    /// `flag` the version.
    InputRead,
    /// `b`: own deadline, on the worker's monotonic clock; `flag` 1: on its wall clock.
    Believes,
    BeatStarved,
    /// `n` the first tick, `b` how many.
    BeatsMissed,
    RenewalFailed,
    ToldLost,
    /// `flag`: see [`Record::ending`].
    Ended,
    // sink
    /// `b` the token.
    Raised,
    /// `flag` the version, `n` the part, `b` the rows.
    Applied,
    /// `b` the fence's token.
    Fenced,
    Repeated,
    /// `n` the step.
    EffectDone,
    Locked,
    /// `b` the holder: see [`Record::holder`].
    LockRefused,
    Unlocked,
    LockExpired,
    /// `flag` the version, `b` the rows.
    Staged,
    StageRefused,
    Swapped,
    /// `n`: requests still in service.
    Worked,
    FenceForgotten,
    // the world
    Paused,
    Resumed,
    /// `b` 1: the monotonic clock counts the sleep.
    Frozen,
    Thawed,
    /// `b`: under which boot the host comes back; 0 if the process alone died.
    Crashed,
    Restarted,
    /// `b` percent.
    Slowed,
    /// `flag` the path, `n` the way.
    LinkCut,
    LinkHealed,
    LinkDegraded,
    LinkRestored,
    /// `b` microseconds.
    ClockStepped,
    /// `b` parts per million off true.
    ClockRated,
    /// `flag` the version.
    InputChanged,
    /// `b` the index of the act.
    RuleSet,
    Decided,
    /// An intervention whose target did not occur, or that would do nothing; `b` its index.
    Void,
    // later kinds stand last: the numbers above are in every digest
    /// `n` the tick.
    BeatWaited,
    /// `b` the holder: see [`Record::holder`].
    KeyBusy,
    /// `b`: the end its holder believed its lease to have, on the holder's wall clock.
    TooLate,
    /// `b` who wrote what it should have rested on: see [`Record::holder`].
    Conflicted,
    /// `b` whose commit was found: see [`Record::holder`].
    CommitFound,
    /// A dispatch delivered once more.
    Redelivered,
    KillAsked,
    AttemptOrphaned,
    Adopted,
    /// `b`: T on the judge's clock.
    Observed,
    /// `flag`: see [`Record::ending`].
    WrapperEnded,
    /// `b` whose output: see [`Record::holder`] and [`Record::deleted`]; `flag` 1: it was visible.
    Cleaned,
    /// `flag` 0: without progress; 1: in all.
    Overran,
    /// `n` the tick, `b` how many are before it.
    BeatQueued,
    /// A worker has the dispatch and runs others first.
    Reserved,
    /// A host starts again what ran in its process.
    Respawned,
    /// A scheduler has the leadership, after `peer`; `b` the epoch.
    Leads,
    /// What a scheduler decided was not recorded, and nothing of it left it. `flag` 0: its epoch `n` is older
    /// than `b`; 1: the store did not answer; 2: a lease it rests on was renewed meanwhile.
    DecisionRefused,
    /// A scheduler goes by what it knew no longer: `peer` leads.
    SteppedDown,
    /// Others' tables as a reader saw them; `flag` the input version they come to, `n` the step, `b` the rows.
    TableRead,
    /// What a sink keeps, or the scheduler's counter, is copied; `b` the index of the act that puts it back.
    CopyTaken,
    /// It is put back; `b` the index of the act.
    Restored,
    /// An operator took its lock away from an execution.
    LockForced,
    /// A node answers calls with errors from now on. `b`: how long it holds each; `flag` 1: they are carried
    /// out before.
    Failing,
    /// It does no longer.
    Recovered,
    /// A call is answered with an error, or will be. `n` the step or tick; `flag` 1: it was carried out.
    Errored,
    /// A task that had ended is run again on purpose; `b` the generation.
    Reopened,
    /// An attempt may commit.
    CommitAllowed,
    /// It may not; `n` the attempt that may, 0 if it was given up itself.
    CommitDenied,
    /// An own ledger has it that the effect of a task is done.
    Noted,
    /// An attempt that was given up is the task's again: `peer` the owner, `b` the token.
    Kept,
    /// A link makes a second copy of a message by `node` to `peer`, as of [`Kind::Sent`].
    Duplicated,
    /// Something holds a worker's event loop from now on.
    LoopHeld,
    /// It is free again.
    LoopFreed,
}

/// How a message was lost.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Loss {
    Cut,
    Chance,
    /// The receiver was not running.
    Down,
}

fn short(n: u32) -> u16 {
    u16::try_from(n).unwrap_or(u16::MAX)
}

fn pack(exec: Exec) -> i64 {
    i64::from(exec.task.0) << 16 | i64::from(exec.attempt) << 8 | i64::from(exec.copy)
}

/// Everything of a record but when, where and why.
#[derive(Clone, Copy, Debug)]
pub struct Body {
    pub kind: Kind,
    pub exec: Exec,
    pub peer: NodeId,
    pub flag: u8,
    pub n: u16,
    pub b: i64,
}

impl Body {
    pub fn new(kind: Kind, exec: Exec) -> Self {
        Self { kind, exec, peer: NodeId(0), flag: 0, n: 0, b: 0 }
    }

    fn b(self, b: i64) -> Self {
        Self { b, ..self }
    }

    fn n(self, n: u32) -> Self {
        Self { n: short(n), ..self }
    }

    fn flag(self, flag: u8) -> Self {
        Self { flag, ..self }
    }
}

/// What a note of an actor's says, as a record's body.
pub fn body_of(note: &Note) -> Body {
    let of = Body::new;
    match *note {
        Note::TaskIs { task, state } => of(Kind::TaskIs, Exec::first(task, 0)).flag(match state {
            TaskState::Waiting => 0,
            TaskState::Queued => 1,
            TaskState::Running => 2,
            TaskState::Succeeded => 3,
            TaskState::Failed => 4,
            TaskState::Skipped => 5,
        }),
        Note::Granted { exec, token, owner } => {
            Body { peer: owner, ..of(Kind::Granted, exec).b(i64::from(token.0)) }
        }
        Note::LeaseStarted { exec, ends } => of(Kind::LeaseStarted, exec).b(ends),
        Note::Renewed { exec, tick, ends } => of(Kind::Renewed, exec).n(tick).b(ends),
        Note::Refused { exec, tick, answer } => of(Kind::Refused, exec).n(tick).flag(match answer {
            RenewalAnswer::Renewed(_) | RenewalAnswer::Refused | RenewalAnswer::Error => 0,
            RenewalAnswer::Stop => 1,
            RenewalAnswer::Unanswered => 2,
        }),
        Note::BeatQueued { exec, tick, ahead } => of(Kind::BeatQueued, exec).n(tick).b(i64::from(ahead)),
        Note::DeliveryRecorded { exec } => of(Kind::DeliveryRecorded, exec),
        Note::Expired { exec, ends } => of(Kind::Expired, exec).b(ends),
        Note::Observed { exec, ends } => of(Kind::Observed, exec).b(ends),
        Note::Guarded { exec, ends } => of(Kind::Guarded, exec).b(ends),
        Note::StopAsked { exec } => of(Kind::StopAsked, exec),
        Note::HeldForOperator { exec } => of(Kind::HeldForOperator, exec),
        Note::HoldAlert { exec } => of(Kind::HoldAlert, exec),
        Note::Overran { exec, which } => of(Kind::Overran, exec).flag(which as u8),
        Note::KillAsked { exec } => of(Kind::KillAsked, exec),
        Note::AttemptSucceeded { exec, by } => of(Kind::AttemptSucceeded, exec).flag(by as u8),
        Note::AttemptFailed { exec, cause } => of(Kind::AttemptFailed, exec).flag(match cause {
            FailCause::Fenced => 0,
            FailCause::NoAnswer => 1,
            FailCause::Leftover => 2,
            FailCause::Operator => 3,
            FailCause::Conflict => 4,
            FailCause::Error => 5,
            FailCause::Denied => 6,
        }),
        Note::AttemptTimedOut { exec } => of(Kind::AttemptTimedOut, exec),
        Note::AttemptWithdrawn { exec } => of(Kind::AttemptWithdrawn, exec),
        Note::AttemptOrphaned { exec } => of(Kind::AttemptOrphaned, exec),
        Note::Adopted { exec } => of(Kind::Adopted, exec),
        Note::Kept { exec, token, owner } => {
            Body { peer: owner, ..of(Kind::Kept, exec).b(i64::from(token.0)) }
        }
        Note::CompletionRefused { exec } => of(Kind::CompletionRefused, exec),
        Note::CompletionIgnored { exec } => of(Kind::CompletionIgnored, exec),
        Note::Started { exec } => of(Kind::Started, exec),
        Note::StepBegan { exec, step } => of(Kind::StepBegan, exec).n(u32::from(step)),
        Note::StepEnded { exec, step } => of(Kind::StepEnded, exec).n(u32::from(step)),
        Note::InputRead { exec, version } => of(Kind::InputRead, exec).flag(version),
        Note::Believes { exec, until, clock } => of(Kind::Believes, exec).flag(clock as u8).b(until),
        Note::BeatStarved { exec, tick } => of(Kind::BeatStarved, exec).n(tick),
        Note::BeatWaited { exec, tick } => of(Kind::BeatWaited, exec).n(tick),
        Note::BeatsMissed { exec, first, count } => of(Kind::BeatsMissed, exec).n(first).b(i64::from(count)),
        Note::RenewalFailed { exec, tick } => of(Kind::RenewalFailed, exec).n(tick),
        Note::ToldLost { exec } => of(Kind::ToldLost, exec),
        Note::Ended { exec, how } => of(Kind::Ended, exec).flag(how as u8),
        Note::Reserved { exec } => of(Kind::Reserved, exec),
        Note::WrapperEnded { exec, how } => of(Kind::WrapperEnded, exec).flag(how as u8),
        Note::Raised { exec, token } => of(Kind::Raised, exec).b(i64::from(token.0)),
        Note::Applied { exec, version, part, rows } => {
            of(Kind::Applied, exec).flag(version).n(u32::from(part)).b(i64::from(rows))
        }
        Note::Fenced { exec, highest } => of(Kind::Fenced, exec).b(i64::from(highest.0)),
        Note::Repeated { exec } => of(Kind::Repeated, exec),
        Note::KeyBusy { exec, holder } => of(Kind::KeyBusy, exec).b(pack(holder)),
        Note::EffectDone { exec, step } => of(Kind::EffectDone, exec).n(u32::from(step)),
        Note::Locked { exec } => of(Kind::Locked, exec),
        Note::LockRefused { exec, holder } => of(Kind::LockRefused, exec).b(pack(holder)),
        Note::Unlocked { exec } => of(Kind::Unlocked, exec),
        Note::LockExpired { exec } => of(Kind::LockExpired, exec),
        Note::Staged { exec, version, rows } => of(Kind::Staged, exec).flag(version).b(i64::from(rows)),
        Note::StageRefused { exec, holder } => of(Kind::StageRefused, exec).b(pack(holder)),
        Note::Swapped { exec, version, rows } => of(Kind::Swapped, exec).flag(version).b(i64::from(rows)),
        Note::Cleaned { exec, of: by, rows, visible } => {
            of(Kind::Cleaned, exec).flag(u8::from(visible)).b(i64::from(rows) << 32 | pack(by))
        }
        Note::Worked { exec, active } => of(Kind::Worked, exec).n(u32::from(active)),
        Note::FenceForgotten => of(Kind::FenceForgotten, Exec::default()),
        Note::TooLate { exec, not_after } => of(Kind::TooLate, exec).b(not_after.0),
        Note::Conflicted { exec, by } => of(Kind::Conflicted, exec).b(pack(by)),
        Note::TableRead { exec, step, known } => of(Kind::TableRead, exec).n(u32::from(step)).flag(known),
        Note::CommitFound { exec, by } => of(Kind::CommitFound, exec).b(pack(by)),
        Note::LockForced { exec } => of(Kind::LockForced, exec),
        Note::CommitAllowed { exec } => of(Kind::CommitAllowed, exec),
        Note::CommitDenied { exec, to } => of(Kind::CommitDenied, exec).n(u32::from(to)),
        Note::Noted { exec } => of(Kind::Noted, exec),
        Note::Reopened { task, generation } => {
            of(Kind::Reopened, Exec::first(task, 0)).b(i64::from(generation))
        }
        Note::Errored { exec, n, effect } => of(Kind::Errored, exec).n(n).flag(effect as u8),
    }
}

impl Record {
    /// One line that people can read and tests can keep: time in seconds, node, kind, operands.
    pub fn line(&self) -> String {
        let mut line = format!(
            "{:>10}.{:06} {:>3} {:?}",
            self.at / 1_000_000,
            self.at % 1_000_000,
            self.node.0,
            self.kind
        );
        if let (Kind::Sent | Kind::Duplicated | Kind::Delivered | Kind::Lost, Some(message)) =
            (self.kind, self.message())
        {
            line += &format!(" {message:?}");
        }
        if self.attempt > 0 {
            line += &format!(" {}.{}", self.task.0, self.attempt);
            if self.copy > 0 {
                line += &format!("+{}", self.copy);
            }
        }
        for (name, value) in [("peer", i64::from(self.peer.0)), ("n", i64::from(self.n)), ("b", self.b)] {
            if value != 0 {
                line += &format!(" {name}={value}");
            }
        }
        if self.flag != 0
            && !matches!(self.kind, Kind::Sent | Kind::Duplicated | Kind::Delivered | Kind::Lost)
        {
            line += &format!(" flag={}", self.flag);
        }
        line
    }
}
