//! Asking the scheduler for permission to commit.

use super::{Phase, Worker, mono_timer};
use crate::ids::Exec;
use crate::io::{Ending, Output, TimerKey, TimerKind};
use crate::message::{FailCause, Message};
use crate::time::Now;

impl Worker {
    /// Asks for the `retry`th time, under the rules of calls to a sink.
    pub(super) fn ask(&mut self, now: Now, index: usize, retry: u8, out: &mut Vec<Output>) {
        let execution = &mut self.running[index];
        let (exec, token, step) = (execution.id, execution.token, execution.step);
        execution.phase = Phase::Awaiting { retry };
        self.send(Message::Ask { exec, token, step, retry }, out);
        if let Some(timeout) = self.rules.call.timeout {
            let key = TimerKey::numbered(TimerKind::CallTimeout, exec, u32::from(step), retry);
            out.push(mono_timer(key, now.mono + timeout));
        }
    }

    pub(super) fn may_commit(
        &mut self,
        exec: Exec,
        (step, retry): (u8, u8),
        granted: bool,
        out: &mut Vec<Output>,
    ) {
        let Some(index) = self.index(exec) else {
            return;
        };
        let execution = &self.running[index];
        let waits = matches!(execution.phase, Phase::Awaiting { retry: at } if at >= retry);
        if execution.step != step || !waits {
            return;
        }
        if granted {
            self.advance(index, out);
        } else {
            self.fail(index, Ending::Denied, FailCause::Denied, out);
        }
    }
}
