//! Triggers: what falls due, what is too late for it, and what waits for another task first.

use super::Scheduler;
use crate::WHOLE;
use crate::ids::TaskId;
use crate::io::Output;
use crate::ledger::{Change, TaskState};
use crate::rules::{Misfire, Overlap};
use crate::time::Now;

/// Whether a due task may be queued.
enum Turn {
    Now,
    Later,
    Never,
}

impl Scheduler {
    /// A waiting task is due by the scheduler's wall clock.
    pub(super) fn fall_due(&mut self, now: Now, task: TaskId, out: &mut Vec<Output>) {
        if !WHOLE {
            return self.enqueue(task, out);
        }
        if self.is_missed(now, task) {
            return self.set_task(task, TaskState::Skipped, out);
        }
        if self.rules.overlap == Overlap::Skip && self.predecessor_runs(task) {
            return self.set_task(task, TaskState::Skipped, out);
        }
        self.volatile.awaiting.push(task);
        self.release_awaiting(out);
        if self.volatile.awaiting.contains(&task) {
            self.persist(Change::FellDue { task }, out);
        }
    }

    /// Queues what waited for another task, or skips what waited in vain.
    pub(super) fn release_awaiting(&mut self, out: &mut Vec<Output>) {
        if !WHOLE {
            return;
        }
        let mut at = 0;
        while let Some(&task) = self.volatile.awaiting.get(at) {
            match self.turn_of(task) {
                Turn::Later => at += 1,
                Turn::Now => {
                    self.volatile.awaiting.remove(at);
                    self.enqueue(task, out);
                    at = 0;
                }
                Turn::Never => {
                    self.volatile.awaiting.remove(at);
                    self.set_task(task, TaskState::Skipped, out);
                    at = 0;
                }
            }
        }
    }

    fn turn_of(&self, task: TaskId) -> Turn {
        if self.rules.overlap == Overlap::Wait && self.predecessor_runs(task) {
            return Turn::Later;
        }
        match self.tasks[usize::from(task.0)].after.map(|upstream| self.ledger.task(upstream).state) {
            None | Some(TaskState::Succeeded) => Turn::Now,
            Some(TaskState::Failed | TaskState::Skipped) => Turn::Never,
            Some(TaskState::Waiting | TaskState::Queued | TaskState::Running) => Turn::Later,
        }
    }

    /// Whether an earlier interval of its trigger has not ended, by the record.
    fn predecessor_runs(&self, task: TaskId) -> bool {
        let mut earlier = self.tasks[usize::from(task.0)].follows;
        while let Some(task) = earlier {
            if !self.ledger.task(task).state.is_terminal() {
                return true;
            }
            earlier = self.tasks[usize::from(task.0)].follows;
        }
        false
    }

    /// Whether it falls due so late that the rules let it go.
    fn is_missed(&self, now: Now, task: TaskId) -> bool {
        let due = |task: TaskId| self.epoch + self.tasks[usize::from(task.0)].due;
        let is_late = |late| now.wall - due(task) > late;
        match self.rules.misfire {
            Misfire::RunAll => false,
            Misfire::Skip { late } => is_late(late),
            Misfire::RunLatest { late } => {
                let next = self.tasks.iter().position(|spec| spec.follows == Some(task));
                let next = next.and_then(|index| u16::try_from(index).ok()).map(TaskId);
                is_late(late) && next.is_some_and(|next| now.wall >= due(next))
            }
        }
    }
}
