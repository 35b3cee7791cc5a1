//! *One ending*: an attempt gets one terminal state, and a task's never changes, unless it is run again on
//! purpose.

use super::facts::Facts;
use super::{Claim, Ruling};
use crate::record::{NONE, Record};
use fenceline_engine::TaskState;

#[derive(Clone, Debug, Default)]
pub(super) struct OneEnding {
    pub(super) ruling: Ruling,
    /// By task: endings that reached the scheduler.
    endings: Vec<u32>,
    /// By task: the record that made it terminal.
    terminal: Vec<u32>,
}

impl OneEnding {
    pub(super) fn new(tasks: usize) -> Self {
        Self { ruling: Ruling::default(), endings: vec![0; tasks], terminal: vec![NONE; tasks] }
    }

    /// A completion, failure or stop report was delivered.
    pub(super) fn reported(&mut self, id: u32, record: &Record) {
        let count = &mut self.endings[usize::from(record.task.0)];
        *count += 1;
        if *count > 1 {
            self.ruling.exercise(record.at, id);
        }
    }

    /// An attempt gets a terminal state.
    pub(super) fn closed(&mut self, facts: &mut Facts, id: u32, record: &Record) {
        let Some(grant) = facts.grant_mut(record.exec()) else { return };
        let before = std::mem::replace(&mut grant.closed, id);
        if before != NONE {
            self.ruling.violate(Claim::OneEnding, (record.task, None), record.at, [before, id]);
        }
    }

    /// A task's state is recorded; the facts still have the one before.
    pub(super) fn task_is(&mut self, facts: &Facts, id: u32, record: &Record) {
        let (before, after): (TaskState, TaskState) = (facts.task(record.task).state, record.task_state());
        let terminal = &mut self.terminal[usize::from(record.task.0)];
        let is_reopened = facts.task(record.task).reopened;
        if before.is_terminal() && after != before && !is_reopened {
            self.ruling.violate(Claim::OneEnding, (record.task, None), record.at, [*terminal, id]);
        }
        if after.is_terminal() {
            *terminal = id;
        }
    }
}
