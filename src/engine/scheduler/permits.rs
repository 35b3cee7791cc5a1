//! Permission to commit: of the attempts of a task the first one to ask has it, until it is recorded as
//! anything but a success. It says who may begin to commit, and nothing of when that ends.

use super::Scheduler;
use crate::ids::{Exec, TaskId, Token};
use crate::io::{Note, Output};

impl Scheduler {
    /// Whether an attempt may commit. One that was given up may not, nor one whose task has ended without
    /// it, whoever has asked before.
    pub(super) fn permit(&mut self, exec: Exec, token: Token, out: &mut Vec<Output>) -> bool {
        let is_open = self.attempt(exec, token).is_some_and(|attempt| attempt.state.is_open())
            && !self.ledger.task(exec.task).state.is_terminal();
        let known = self.volatile.permits.iter().find(|(task, _)| *task == exec.task).map(|(_, of)| *of);
        let granted = known.map_or(is_open, |attempt| attempt == exec.attempt);
        if granted && known.is_none() {
            self.volatile.permits.push((exec.task, exec.attempt));
        }
        out.push(Output::Note(match granted {
            true => Note::CommitAllowed { exec },
            false => Note::CommitDenied { exec, to: known.unwrap_or(0) },
        }));
        granted
    }

    /// Takes a permission back: its attempt, or whichever of its task's has it.
    pub(super) fn take_back_permit(&mut self, task: TaskId, only: Option<u8>) {
        self.volatile
            .permits
            .retain(|(of, attempt)| *of != task || only.is_some_and(|only| only != *attempt));
    }
}
