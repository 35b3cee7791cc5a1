//! Start and restart: what is taken over from the record, and how.

use super::{Scheduler, Volatile};
use crate::ids::{Exec, TaskId, Token};
use crate::io::{Note, Output, TimerClock, TimerKey, TimerKind};
use crate::lease::Lease;
use crate::ledger::{AttemptState, Ledger, TaskState};
use crate::rules::{Counter, RestartPolicy};
use crate::time::{Now, Span};

impl Scheduler {
    /// Starts, or restarts from the record: due tasks are queued, open attempts taken over, waits go
    /// on as they were decided, and a sweep is made at once, so that leases which ran out meanwhile
    /// are found without having been seen to.
    pub(super) fn start(&mut self, now: Now, ledger: Option<Ledger>, boot: u16, out: &mut Vec<Output>) {
        let restarts = ledger.is_some();
        if let Some(ledger) = ledger {
            self.ledger = ledger;
            if self.rules.counter == Counter::Volatile {
                self.ledger.last_token = Token(self.first_token.0.saturating_sub(1));
            }
            self.lift_counter();
        }
        self.volatile =
            Volatile { boot, leads: true, load: vec![0; self.workers.len()], ..Volatile::default() };
        if restarts && self.rules.restart == RestartPolicy::Wait {
            self.volatile.quiet_until = Some(now.mono + self.rules.lease.duration);
        }
        for index in 0..self.tasks.len() {
            let task = TaskId(u16::try_from(index).unwrap_or(u16::MAX));
            match self.ledger.task(task).state {
                TaskState::Waiting if self.ledger.task(task).fell_due => self.volatile.awaiting.push(task),
                TaskState::Waiting => self.await_due(now, task, out),
                TaskState::Queued if self.ledger.task(task).countdown.is_none() => {
                    self.volatile.ready.push_back(task);
                }
                TaskState::Queued => self.go_on_waiting(now, task, out),
                // The newest attempt of a task that has ended may still be open.
                TaskState::Running | TaskState::Succeeded | TaskState::Failed | TaskState::Skipped => {
                    self.take_over(now, task, out);
                }
            }
        }
        if restarts {
            self.sweep(now, out);
        }
        let next = now.mono + self.rules.sweep.every;
        Self::timer_at(TimerKey::of(TimerKind::Sweep, Exec::default()), next, out);
        self.volatile.swept = Some((now, next));
        self.fill_slots(now, out);
    }

    /// A counter that may have gone back begins above every token that the record knows of.
    pub(super) fn lift_counter(&mut self) {
        if self.rules.counter == Counter::Floored {
            let granted = self.ledger.tasks.iter().flat_map(|task| &task.attempts);
            let known = granted.map(|attempt| attempt.token).max();
            self.ledger.last_token =
                known.map_or(self.ledger.last_token, |known| known.max(self.ledger.last_token));
        }
    }

    fn await_due(&mut self, now: Now, task: TaskId, out: &mut Vec<Output>) {
        let due = self.epoch + self.tasks[usize::from(task.0)].due;
        if now.wall >= due {
            return self.fall_due(now, task, out);
        }
        out.push(Output::Timer {
            key: TimerKey::of(TimerKind::Due, Exec::first(task, 0)),
            clock: TimerClock::Wall,
            at: due.0,
            spread: Span::ZERO,
        });
    }

    /// Takes an open attempt from the record into the counts, and adopts it or gives it up.
    fn take_over(&mut self, now: Now, task: TaskId, out: &mut Vec<Output>) {
        let record = self.ledger.task(task);
        let Some((attempt, last)) = record.holder().filter(|(_, a)| a.state.is_open()) else {
            return;
        };
        let (exec, last) = (Exec::first(task, attempt), *last);
        self.take_slot(last.owner);
        let is_judged = last.state == AttemptState::Running;
        match self.rules.restart {
            RestartPolicy::Reset => self.orphan(exec, out),
            RestartPolicy::AdoptIfRecorded if !last.delivered => self.orphan(exec, out),
            RestartPolicy::Adopt | RestartPolicy::AdoptIfRecorded if is_judged => self.adopt(now, exec, out),
            RestartPolicy::Sweep
            | RestartPolicy::Adopt
            | RestartPolicy::AdoptIfRecorded
            | RestartPolicy::Wait => {
                self.go_on_limiting(now, exec, out);
                self.go_on_waiting(now, task, out);
                let anchors = |lease: &Lease| is_judged && lease.needs_anchor(self.volatile.boot);
                if last.lease.as_ref().is_some_and(anchors) {
                    self.start_lease(now, exec, out);
                }
            }
        }
    }

    /// Owner and token stay, and the lease runs anew; nobody is asked.
    fn adopt(&mut self, now: Now, exec: Exec, out: &mut Vec<Output>) {
        out.push(Output::Note(Note::Adopted { exec }));
        self.go_on_limiting(now, exec, out);
        self.start_lease(now, exec, out);
    }

    /// Gives an attempt up, whatever it does and whatever its lease, and queues the next, unless the
    /// task has ended.
    fn orphan(&mut self, exec: Exec, out: &mut Vec<Output>) {
        self.close(exec, AttemptState::Orphaned, out);
        out.push(Output::Note(Note::AttemptOrphaned { exec }));
        if !self.ledger.task(exec.task).state.is_terminal() {
            self.enqueue(exec.task, out);
        }
    }
}
