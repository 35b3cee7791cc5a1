//! The scheduler's durable record: what survives its crash.
//!
//! It changes only through [`Change`]s, each of which the scheduler emits as an output; the driver
//! applies the same change to the stored copy. A crash can therefore fall between the decision and
//! the record, or between the record and the message that follows it.

use crate::ids::{Exec, NodeId, TaskId, Token};
use crate::lease::Lease;
use crate::time::{Mono, Now, Span};

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ledger {
    pub tasks: Vec<TaskRecord>,
    pub last_token: Token,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TaskRecord {
    pub state: TaskState,
    pub attempts: Vec<AttemptRecord>,
    /// An older attempt that was kept on its return and holds it since; 0: the newest does.
    pub kept: u8,
    /// What it waits for in this state; the next change of state ends it.
    pub countdown: Option<Countdown>,
    /// Whether it fell due in time and waits for another task.
    pub fell_due: bool,
    /// How often it was run again on purpose, and how many attempts it had had before the last time.
    pub generation: u8,
    pub before: u8,
}

/// A wait as it was decided: the grace of an expired attempt, the alert about a held one, the delay
/// before a retry. It outlives a crash of the scheduler.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Countdown {
    /// A monotonic reading, good under `boot` alone.
    from: Mono,
    boot: u16,
    length: Span,
    /// Longer by a draw below this.
    pub spread: Span,
}

impl Countdown {
    pub fn starting(now: Now, boot: u16, length: Span, spread: Span) -> Self {
        Self { from: now.mono, boot, length, spread }
    }

    /// The same, counted anew if its reading was taken under another boot.
    pub fn under(self, now: Now, boot: u16) -> Self {
        if self.boot == boot { self } else { Self { from: now.mono, boot, ..self } }
    }

    /// When it is over, before the spread.
    pub fn ends(&self) -> Mono {
        self.from + self.length
    }
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum TaskState {
    /// Not yet due.
    #[default]
    Waiting,
    /// Due, or to be retried; waits for its delay, a slot and a worker.
    Queued,
    /// Its newest attempt is open.
    Running,
    Succeeded,
    Failed,
    /// Never to be run.
    Skipped,
}

impl TaskRecord {
    /// The attempt that holds it or held it last, with its number.
    pub fn holder(&self) -> Option<(u8, &AttemptRecord)> {
        let newest = u8::try_from(self.attempts.len()).unwrap_or(u8::MAX);
        let number = if self.kept > 0 { self.kept } else { newest };
        Some((number, self.attempts.get(usize::from(number).checked_sub(1)?)?))
    }
}

impl TaskState {
    pub fn is_terminal(self) -> bool {
        matches!(self, Self::Succeeded | Self::Failed | Self::Skipped)
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AttemptRecord {
    pub token: Token,
    pub owner: NodeId,
    pub state: AttemptState,
    /// The deliberate run that it is part of.
    pub generation: u8,
    /// None before its start (delivery or first heartbeat, by the rules).
    pub lease: Option<Lease>,
    pub delivered: bool,
    /// What its limits count from: the grant, and its last progress, with the step it was then at.
    pub granted: Since,
    pub moved: Since,
    pub step: u8,
}

/// Since when something goes on: a monotonic reading, good under `boot` alone.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Since {
    from: Mono,
    boot: u16,
}

impl Since {
    pub fn starting(now: Now, boot: u16) -> Self {
        Self { from: now.mono, boot }
    }

    /// The same, counted anew if its reading was taken under another boot.
    pub fn under(self, now: Now, boot: u16) -> Self {
        if self.boot == boot { self } else { Self::starting(now, boot) }
    }

    pub fn from(&self) -> Mono {
        self.from
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AttemptState {
    Running,
    /// Running with an expired lease, asked to stop; re-dispatched when the grace is over.
    Stopping,
    /// Running with an expired lease, left to an operator.
    Held,
    Succeeded,
    Failed,
    TimedOut,
    /// Given up by a scheduler that restarted.
    Orphaned,
    /// Granted, never delivered, no longer wanted.
    Withdrawn,
}

impl AttemptState {
    /// Occupies its slot in the record.
    pub fn is_open(self) -> bool {
        matches!(self, Self::Running | Self::Stopping | Self::Held)
    }
}

/// One durable write.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Change {
    TaskIs {
        task: TaskId,
        state: TaskState,
    },
    Granted {
        task: TaskId,
        attempt: u8,
        token: Token,
        owner: NodeId,
        lease: Option<Lease>,
    },
    Delivered {
        task: TaskId,
        attempt: u8,
    },
    LeaseIs {
        task: TaskId,
        attempt: u8,
        lease: Lease,
    },
    AttemptIs {
        task: TaskId,
        attempt: u8,
        state: AttemptState,
    },
    CountdownIs {
        task: TaskId,
        countdown: Option<Countdown>,
    },
    /// An attempt that was given up is the task's again.
    Kept {
        task: TaskId,
        attempt: u8,
    },
    /// It need not be asked again whether it is too late.
    FellDue {
        task: TaskId,
    },
    /// It is to be run again, as a new generation.
    Reopened {
        task: TaskId,
    },
    /// Its limits count from here.
    Began {
        task: TaskId,
        attempt: u8,
        since: Since,
    },
    /// It is known to be at another step.
    MovedOn {
        task: TaskId,
        attempt: u8,
        step: u8,
        since: Since,
    },
}

impl Ledger {
    /// Nothing granted yet; the first token is `first_token`.
    pub fn new(tasks: u16, first_token: Token) -> Self {
        Self {
            tasks: vec![TaskRecord::default(); usize::from(tasks)],
            last_token: Token(first_token.0.saturating_sub(1)),
        }
    }

    pub fn apply(&mut self, change: Change) {
        match change {
            Change::TaskIs { task, state } => {
                let record = self.task_mut(task);
                // A wait for the retry ends with it; that of an open attempt is the attempt's own.
                if record.state == TaskState::Queued || state == TaskState::Queued {
                    record.countdown = None;
                }
                record.state = state;
            }
            Change::Granted { task, attempt, token, owner, lease } => {
                self.last_token = token;
                let record = self.task_mut(task);
                (record.state, record.kept, record.countdown) = (TaskState::Running, 0, None);
                // Another scheduler may have granted it: whoever writes last stands there.
                let row = AttemptRecord {
                    token,
                    owner,
                    state: AttemptState::Running,
                    generation: record.generation,
                    lease,
                    delivered: false,
                    granted: Since::default(),
                    moved: Since::default(),
                    step: 0,
                };
                match record.attempts.get_mut(usize::from(attempt).saturating_sub(1)) {
                    Some(standing) => *standing = row,
                    None => record.attempts.push(row),
                }
            }
            Change::Delivered { task, attempt } => self.attempt_mut(task, attempt).delivered = true,
            Change::LeaseIs { task, attempt, lease } => self.attempt_mut(task, attempt).lease = Some(lease),
            Change::AttemptIs { task, attempt, state } => {
                self.attempt_mut(task, attempt).state = state;
                if self.holds(task, attempt) {
                    self.task_mut(task).countdown = None;
                }
            }
            Change::Kept { task, attempt } => {
                self.attempt_mut(task, attempt).state = AttemptState::Running;
                let record = self.task_mut(task);
                (record.kept, record.countdown) = (attempt, None);
            }
            Change::CountdownIs { task, countdown } => self.task_mut(task).countdown = countdown,
            Change::Reopened { task } => {
                let record = self.task_mut(task);
                record.generation = record.generation.saturating_add(1);
                record.before = u8::try_from(record.attempts.len()).unwrap_or(u8::MAX);
            }
            Change::FellDue { task } => self.task_mut(task).fell_due = true,
            Change::Began { task, attempt, since } => {
                let record = self.attempt_mut(task, attempt);
                (record.granted, record.moved) = (since, since);
            }
            Change::MovedOn { task, attempt, step, since } => {
                let record = self.attempt_mut(task, attempt);
                (record.step, record.moved) = (step, since);
            }
        }
    }

    pub fn task(&self, task: TaskId) -> &TaskRecord {
        &self.tasks[usize::from(task.0)]
    }

    fn task_mut(&mut self, task: TaskId) -> &mut TaskRecord {
        &mut self.tasks[usize::from(task.0)]
    }

    pub fn attempt(&self, task: TaskId, attempt: u8) -> Option<&AttemptRecord> {
        self.task(task).attempts.get(usize::from(attempt).checked_sub(1)?)
    }

    fn attempt_mut(&mut self, task: TaskId, attempt: u8) -> &mut AttemptRecord {
        &mut self.task_mut(task).attempts[usize::from(attempt) - 1]
    }

    /// Whether `attempt` holds the task, or held it last.
    pub fn holds(&self, task: TaskId, attempt: u8) -> bool {
        self.task(task).holder().is_some_and(|(holder, _)| holder == attempt)
    }

    /// The open attempts of an owner.
    pub(crate) fn held_by(
        &self,
        is_owner: impl Fn(NodeId) -> bool,
    ) -> impl Iterator<Item = (Exec, AttemptRecord)> {
        let holder = |(index, record): (usize, &TaskRecord)| {
            let (attempt, last) = record.holder()?;
            let task = TaskId(u16::try_from(index).unwrap_or(u16::MAX));
            Some((Exec::first(task, attempt), *last))
        };
        let is_its =
            move |(_, record): &(Exec, AttemptRecord)| is_owner(record.owner) && record.state.is_open();
        self.tasks.iter().enumerate().filter_map(holder).filter(is_its)
    }

    /// Whether a change concerns an attempt that the store has renewed, or heard of, since the record was
    /// read as `self` has it.
    pub fn is_overtaken(&self, change: &Change, stored: &Self) -> bool {
        let (task, attempt) = match *change {
            Change::LeaseIs { task, attempt, .. }
            | Change::AttemptIs { task, attempt, .. }
            | Change::MovedOn { task, attempt, .. } => (task, attempt),
            _ => return false,
        };
        let as_it_was = |record: &AttemptRecord| (record.token, record.lease, record.state, record.step);
        match (self.attempt(task, attempt), stored.attempt(task, attempt)) {
            (Some(read), Some(stands)) => as_it_was(read) != as_it_was(stands),
            _ => false,
        }
    }

    /// Whether `attempt` is the task's newest.
    pub fn is_newest(&self, task: TaskId, attempt: u8) -> bool {
        self.task(task).attempts.len() == usize::from(attempt)
    }
}
