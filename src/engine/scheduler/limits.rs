//! What an attempt may take beside its lease: until it gets on with its program, and in all. A lease
//! only says that somebody beats.

use super::Scheduler;
use crate::WHOLE;
use crate::ids::{Exec, TaskId};
use crate::io::{Note, Output, TimerKey, TimerKind};
use crate::ledger::{AttemptRecord, AttemptState, Change, Since};
use crate::rules::{Limit, LimitKind};
use crate::time::{Mono, Now};

const KINDS: [LimitKind; 2] = [LimitKind::Progress, LimitKind::Run];

impl Scheduler {
    /// A task's own limit, or else that of the rules.
    fn limit(&self, task: TaskId, which: LimitKind) -> Option<Limit> {
        self.tasks[usize::from(task.0)].limits.of(which).or(self.rules.limits.of(which))
    }

    /// Begins to count, from the grant on.
    pub(super) fn begin_limits(&mut self, now: Now, exec: Exec, out: &mut Vec<Output>) {
        if !WHOLE {
            return;
        }
        if KINDS.iter().any(|which| self.limit(exec.task, *which).is_some()) {
            let since = Since::starting(now, self.volatile.boot);
            self.persist(Change::Began { task: exec.task, attempt: exec.attempt, since }, out);
            KINDS.iter().for_each(|which| self.await_limit(exec, *which, out));
        }
    }

    /// A heartbeat says at which step the program is: another one is progress.
    pub(super) fn heard_at(&mut self, now: Now, exec: Exec, step: u8, out: &mut Vec<Output>) {
        if !WHOLE {
            return;
        }
        let moved = self.ledger.attempt(exec.task, exec.attempt).is_some_and(|record| record.step != step);
        if moved && self.limit(exec.task, LimitKind::Progress).is_some() {
            let since = Since::starting(now, self.volatile.boot);
            self.persist(Change::MovedOn { task: exec.task, attempt: exec.attempt, step, since }, out);
            self.await_limit(exec, LimitKind::Progress, out);
        }
    }

    /// After a restart what is left of a limit is left; under another boot it counts anew.
    pub(super) fn go_on_limiting(&mut self, now: Now, exec: Exec, out: &mut Vec<Output>) {
        if !WHOLE {
            return;
        }
        let Some(record) = self.ledger.attempt(exec.task, exec.attempt).copied() else { return };
        let (task, attempt, step, boot) = (exec.task, exec.attempt, record.step, self.volatile.boot);
        let (granted, moved) = (record.granted.under(now, boot), record.moved.under(now, boot));
        if granted != record.granted {
            self.persist(Change::Began { task, attempt, since: granted }, out);
        }
        if moved != record.moved {
            self.persist(Change::MovedOn { task, attempt, step, since: moved }, out);
        }
        KINDS.iter().for_each(|which| self.await_limit(exec, *which, out));
    }

    fn await_limit(&self, exec: Exec, which: LimitKind, out: &mut Vec<Output>) {
        let record = self.ledger.attempt(exec.task, exec.attempt);
        if let (Some(limit), Some(record)) = (self.limit(exec.task, which), record) {
            Self::timer_at(key_of(exec, which, record), ends(record, which, limit), out);
        }
    }

    /// The policy for an expired lease is the one for an attempt that takes too long.
    pub(super) fn limit_reached(&mut self, now: Now, key: TimerKey, out: &mut Vec<Output>) {
        if !WHOLE {
            return;
        }
        let which = if key.kind == TimerKind::RunLimit { LimitKind::Run } else { LimitKind::Progress };
        let exec = key.exec;
        let record = self.ledger.attempt(exec.task, exec.attempt).copied();
        let (Some(record), Some(limit)) = (record, self.limit(exec.task, which)) else { return };
        // It may have got on, or have ended.
        let is_its = key_of(exec, which, &record) == key && self.ledger.holds(exec.task, exec.attempt);
        if !is_its || record.state != AttemptState::Running {
            return;
        }
        if now.mono < ends(&record, which, limit) {
            return self.await_limit(exec, which, out);
        }
        out.push(Output::Note(Note::Overran { exec, which }));
        self.give_up(now, exec, limit.signal, out);
    }

    /// Whether an attempt has taken longer than it may, whatever its lease says.
    pub(super) fn is_overdue(&self, now: Now, exec: Exec, record: &AttemptRecord) -> bool {
        let is_over = |which: &LimitKind| {
            self.limit(exec.task, *which).is_some_and(|limit| now.mono >= ends(record, *which, limit))
        };
        KINDS.iter().any(is_over)
    }
}

fn key_of(exec: Exec, which: LimitKind, record: &AttemptRecord) -> TimerKey {
    match which {
        LimitKind::Run => TimerKey::of(TimerKind::RunLimit, exec),
        LimitKind::Progress => TimerKey::numbered(TimerKind::ProgressLimit, exec, u32::from(record.step), 0),
    }
}

fn ends(record: &AttemptRecord, which: LimitKind, limit: Limit) -> Mono {
    match which {
        LimitKind::Run => record.granted.from() + limit.after,
        LimitKind::Progress => record.moved.from() + limit.after,
    }
}
