//! How an attempt ends by what is reported of it: completed, in time or late; failed; stopped.

use super::Scheduler;
use crate::ids::{Exec, NodeId, TaskId, Token};
use crate::io::{Note, Output, SuccessBy};
use crate::ledger::{AttemptState, Change, TaskState};
use crate::message::{FailCause, Message};
use crate::rules::{ExpiryPolicy, LateCompletion};
use crate::time::Now;

impl Scheduler {
    pub(super) fn completed(
        &mut self,
        now: Now,
        from: NodeId,
        exec: Exec,
        token: Token,
        retry: u8,
        out: &mut Vec<Output>,
    ) {
        let shown = exec;
        let (exec, token) = self.meant(from, exec, token);
        let accepted = self.judge_completion(now, exec, token);
        let record = self.attempt(exec, token);
        let already = record.is_some_and(|a| a.state == AttemptState::Succeeded);
        let reply = Message::CompletionReply { exec: shown, retry, accepted: accepted || already };
        out.push(Output::Send { to: from, message: reply });
        if already {
            return;
        }
        if !accepted {
            out.push(Output::Note(Note::CompletionRefused { exec }));
            return;
        }
        self.close(exec, AttemptState::Succeeded, out);
        out.push(Output::Note(Note::AttemptSucceeded { exec, by: SuccessBy::Report }));
        if !self.ledger.task(exec.task).state.is_terminal() {
            self.withdraw_undelivered(exec.task, out);
            if self.rules.late_completion == LateCompletion::AcceptAndCancel {
                self.cancel_holder(exec.task, out);
            }
            self.volatile.ready.retain(|task| *task != exec.task);
            self.set_task(exec.task, TaskState::Succeeded, out);
        }
        self.fill_slots(now, out);
    }

    fn judge_completion(&self, now: Now, exec: Exec, token: Token) -> bool {
        let Some(record) = self.attempt(exec, token) else {
            return false;
        };
        let in_time = self.ledger.holds(exec.task, exec.attempt)
            && match record.state {
                AttemptState::Running => !record.lease.is_some_and(|lease| self.is_over(now, &lease)),
                AttemptState::Stopping | AttemptState::Held => true,
                _ => false,
            };
        in_time
            || match self.rules.late_completion {
                LateCompletion::Accept | LateCompletion::AcceptAndCancel => true,
                LateCompletion::Refuse => false,
                // One that was cancelled for an older one is not the last word either.
                LateCompletion::IfNoNewer => {
                    self.ledger.is_newest(exec.task, exec.attempt) && self.ledger.task(exec.task).kept == 0
                }
            }
    }

    /// A late success makes a newer grant that never arrived unwanted; a running one goes on.
    fn withdraw_undelivered(&mut self, task: TaskId, out: &mut Vec<Output>) {
        let record = self.ledger.task(task);
        let attempt = u8::try_from(record.attempts.len()).unwrap_or(u8::MAX);
        if record.attempts.last().is_some_and(|a| a.state == AttemptState::Running && !a.delivered) {
            let exec = Exec::first(task, attempt);
            self.close(exec, AttemptState::Withdrawn, out);
            out.push(Output::Note(Note::AttemptWithdrawn { exec }));
        }
    }

    /// A late success makes what runs unwanted.
    fn cancel_holder(&mut self, task: TaskId, out: &mut Vec<Output>) {
        if let Some((attempt, _)) = self.ledger.task(task).holder() {
            self.ask_to_kill(Exec::first(task, attempt), out);
        }
    }

    pub(super) fn failed(
        &mut self,
        now: Now,
        exec: Exec,
        token: Token,
        cause: FailCause,
        out: &mut Vec<Output>,
    ) {
        if self.attempt(exec, token).is_none_or(|a| !a.state.is_open()) {
            out.push(Output::Note(Note::CompletionIgnored { exec }));
            return;
        }
        self.close(exec, AttemptState::Failed, out);
        out.push(Output::Note(Note::AttemptFailed { exec, cause }));
        self.retry(now, exec, out);
        self.fill_slots(now, out);
    }

    /// Its own word ends an attempt under every policy: only what is silent is held. What has no second
    /// attempt after an expiry has none after this.
    pub(super) fn stopped(&mut self, now: Now, exec: Exec, token: Token, out: &mut Vec<Output>) {
        if self.attempt(exec, token).is_none_or(|a| !a.state.is_open()) {
            return;
        }
        match self.policy(exec.task) {
            ExpiryPolicy::Fail => self.expire(now, exec, out),
            _ => self.time_out(now, exec, out),
        }
        self.fill_slots(now, out);
    }

    /// Gives an attempt its ending and its slot back.
    pub(super) fn close(&mut self, exec: Exec, state: AttemptState, out: &mut Vec<Output>) {
        let Some(record) = self.ledger.attempt(exec.task, exec.attempt).copied() else {
            return;
        };
        if record.state.is_open() {
            self.free_slot(record.owner);
        }
        if state != AttemptState::Succeeded {
            self.take_back_permit(exec.task, Some(exec.attempt));
        }
        self.persist(Change::AttemptIs { task: exec.task, attempt: exec.attempt, state }, out);
    }
}
