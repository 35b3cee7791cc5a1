//! What an attempt does: a list of steps, the same for every attempt of a task.

use crate::ids::{NodeId, TaskId};
use crate::rules::{ExpiryPolicy, Limits};
use crate::time::Span;

/// One step of a program. A pause or crash can be aimed between any two.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// Read the input; the output is a function of the version found.
    Read,
    /// Read what a reader of the sink sees of the task it comes after, or of all earlier tasks that write
    /// there: the output is a function of that.
    ReadFrom {
        sink: NodeId,
    },
    /// Work in process time: stops while the process is paused, stretches while it is slow.
    Compute(Span),
    /// The same, holding the worker's own event loop, so that a heartbeat sent from it starves.
    Block(Span),
    /// Send a heartbeat, where the task's own code does that.
    Beat,
    /// Stop here if the lease is lost by the worker's own reckoning.
    CheckLease,
    /// Look at what the sink holds: the next write rests on it.
    Look {
        sink: NodeId,
    },
    /// Write part `part` of `parts` of the output.
    Write {
        sink: NodeId,
        part: u8,
        parts: u8,
    },
    Stage {
        sink: NodeId,
    },
    Swap {
        sink: NodeId,
    },
    Lock {
        sink: NodeId,
    },
    Unlock {
        sink: NodeId,
    },
    /// Delete what other executions left in the sink.
    Clean {
        sink: NodeId,
        what: Clean,
    },
    /// Cause one irreversible effect through the sink.
    Effect {
        sink: NodeId,
    },
    /// Use a shared resource.
    Work {
        sink: NodeId,
    },
    /// Ask the scheduler whether it may commit: of the attempts of a task the first one to ask may.
    Ask,
    /// Write down, in an own ledger, that the task's effect is done.
    Note {
        sink: NodeId,
    },
    /// Look it up there: if it is, the next effect is left out.
    Check {
        sink: NodeId,
    },
    /// Report success to the scheduler.
    Acknowledge,
}

/// What a cleanup takes for rubbish.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Clean {
    /// Staging tables and parts of older attempts: what no reader sees.
    Staged,
    /// All output of older attempts, also what is visible.
    Older,
    /// All output but its own, also a newer attempt's.
    Others,
}

impl Step {
    /// The sink that this step changes, or prepares to.
    pub fn changes(&self) -> Option<NodeId> {
        self.sink().filter(|_| !matches!(self, Self::ReadFrom { .. }))
    }

    /// The sink this step talks to.
    pub fn sink(&self) -> Option<NodeId> {
        match *self {
            Self::ReadFrom { sink }
            | Self::Look { sink }
            | Self::Write { sink, .. }
            | Self::Stage { sink }
            | Self::Swap { sink }
            | Self::Lock { sink }
            | Self::Unlock { sink }
            | Self::Clean { sink, .. }
            | Self::Effect { sink }
            | Self::Work { sink }
            | Self::Note { sink }
            | Self::Check { sink } => Some(sink),
            Self::Read
            | Self::Compute(_)
            | Self::Block(_)
            | Self::Beat
            | Self::CheckLease
            | Self::Ask
            | Self::Acknowledge => None,
        }
    }
}

/// A task as its actors know it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TaskSpec {
    /// When it falls due, by the scheduler's wall clock since the run's start.
    pub due: Span,
    /// The steps; numbered from 1 in records and faults. Step 0 is the claim.
    pub program: Vec<Step>,
    /// How many rows the output has for each input version (index 0 is version 1). Later versions have
    /// as many as the last.
    pub rows: Vec<u32>,
    /// What to do with an expired lease of this task, if not what the rules say.
    pub expiry: Option<ExpiryPolicy>,
    /// What an attempt may take, if not what the rules say.
    pub limits: Limits,
    /// The interval before it, where a trigger makes one after the other.
    pub follows: Option<TaskId>,
    /// It begins once this one has succeeded by the record.
    pub after: Option<TaskId>,
    /// The first of the tasks that are intervals of one: a log may ask which interval of it is the newest.
    pub application: TaskId,
}

impl TaskSpec {
    /// The step numbered `number` (from 1).
    pub fn step(&self, number: u8) -> Option<Step> {
        self.program.get(usize::from(number).checked_sub(1)?).copied()
    }

    /// Rows of part `part` of `parts` for an input version; the last part takes the remainder.
    pub fn part_rows(&self, version: u8, part: u8, parts: u8) -> u32 {
        let total =
            self.rows.get(usize::from(version.saturating_sub(1))).or(self.rows.last()).copied().unwrap_or(0);
        let parts = u32::from(parts.max(1));
        let share = total / parts;
        if u32::from(part) + 1 >= parts { total - share * (parts - 1) } else { share }
    }
}
