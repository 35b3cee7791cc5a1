//! Fences that the scheduler raises before it dispatches a grant.

use super::Scheduler;
use crate::WHOLE;
use crate::ids::{Exec, NodeId, Token};
use crate::io::{Output, TimerKey, TimerKind};
use crate::message::{Answer, FailCause, Message};
use crate::rules::{Confirmation, FenceRaise, SinkAt};
use crate::time::{Now, Span};

/// A grant whose dispatch waits for these sinks.
#[derive(Clone, Debug)]
pub(super) struct Raising {
    exec: Exec,
    open: Vec<NodeId>,
}

impl Scheduler {
    /// Raises the fences of a grant, then dispatches it.
    pub(super) fn raise_and_send(&mut self, now: Now, exec: Exec, out: &mut Vec<Output>) {
        if !WHOLE {
            return self.dispatch(exec, out);
        }
        let Some(record) = self.ledger.attempt(exec.task, exec.attempt).filter(|a| a.state.is_open()) else {
            return;
        };
        let (token, mut open) = (record.token, Vec::new());
        for (sink, confirmation) in self.to_raise(exec) {
            self.send_raise(now, exec, token, sink, (0, confirmation), out);
            if confirmation == Confirmation::Awaited {
                open.push(sink);
            }
        }
        if open.is_empty() {
            self.dispatch(exec, out);
        } else {
            self.volatile.raising.push(Raising { exec, open });
        }
    }

    /// The sinks of a task's program whose fence is the scheduler's to raise.
    fn to_raise(&self, exec: Exec) -> Vec<(NodeId, Confirmation)> {
        let program = &self.tasks[usize::from(exec.task.0)].program;
        let its = |sink: &SinkAt| match sink.fence()?.raise {
            FenceRaise::Scheduler(confirmation) => Some((sink.node, confirmation)),
            FenceRaise::Claim | FenceRaise::FirstWrite | FenceRaise::Commit | FenceRaise::Nobody => None,
        };
        let used = |sink: &&SinkAt| program.iter().any(|step| step.changes() == Some(sink.node));
        self.sinks.iter().filter(used).filter_map(its).collect()
    }

    /// Sends raise number `retry`. One that is awaited is sent again until it is answered.
    fn send_raise(
        &self,
        now: Now,
        exec: Exec,
        token: Token,
        sink: NodeId,
        (retry, confirmation): (u8, Confirmation),
        out: &mut Vec<Output>,
    ) {
        out.push(Output::Send { to: sink, message: Message::Raise { exec, token, retry } });
        if confirmation == Confirmation::Awaited {
            let wait = self.rules.call.timeout.unwrap_or(Span::secs(1));
            let key = TimerKey::numbered(TimerKind::RaiseTimeout, exec, u32::from(sink.0), retry);
            Self::timer_at(key, now.mono + wait, out);
        }
    }

    pub(super) fn raise_timed_out(&mut self, now: Now, key: TimerKey, out: &mut Vec<Output>) {
        let waits = |raising: &Raising| {
            raising.exec == key.exec && raising.open.iter().any(|sink| u32::from(sink.0) == key.n)
        };
        let record = self.ledger.attempt(key.exec.task, key.exec.attempt).filter(|a| a.state.is_open());
        let (Some(record), true) = (record, self.volatile.raising.iter().any(waits)) else {
            return;
        };
        let sink = NodeId(u16::try_from(key.n).unwrap_or(0));
        let next = (key.retry.saturating_add(1), Confirmation::Awaited);
        self.send_raise(now, key.exec, record.token, sink, next, out);
    }

    /// The sink has raised its fence, or stands at a newer token: then this attempt cannot write.
    pub(super) fn raise_answered(
        &mut self,
        now: Now,
        sink: NodeId,
        exec: Exec,
        answer: Answer,
        out: &mut Vec<Output>,
    ) {
        let Some(at) = self.volatile.raising.iter().position(|raising| raising.exec == exec) else {
            return;
        };
        // It is asked again when its time-out is over.
        if answer == Answer::Error {
            return;
        }
        let raising = &mut self.volatile.raising[at];
        raising.open.retain(|open| *open != sink);
        let is_refused = answer == Answer::Fenced;
        if !is_refused && !raising.open.is_empty() {
            return;
        }
        self.volatile.raising.swap_remove(at);
        match self.ledger.attempt(exec.task, exec.attempt).map(|attempt| attempt.token) {
            Some(token) if is_refused => self.failed(now, exec, token, FailCause::Fenced, out),
            _ => self.dispatch(exec, out),
        }
    }

    fn dispatch(&self, exec: Exec, out: &mut Vec<Output>) {
        let Some(record) = self.ledger.attempt(exec.task, exec.attempt).filter(|a| a.state.is_open()) else {
            return;
        };
        let message = Message::Dispatch {
            exec,
            token: record.token,
            lease: self.rules.lease.duration,
            started: record.delivered,
            generation: record.generation,
            on: record.owner,
        };
        let executor = self.executor.filter(|_| self.rules.launch.is_some());
        out.push(Output::Send { to: executor.unwrap_or(record.owner), message });
    }
}
