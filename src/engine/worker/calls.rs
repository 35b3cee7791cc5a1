//! A worker's calls to sinks: claims, looks and requests, their answers and their time-outs.

use super::{Execution, Phase, Why, Worker, mono_timer};
use crate::ids::{Exec, NodeId, Token};
use crate::io::{Ending, Note, Output, TimerKey, TimerKind};
use crate::message::{Answer, FailCause, Message, Sight, SinkOp};
use crate::program::{Step, TaskSpec};
use crate::rules::{FenceCheck, FenceRaise, OnConflict, Put, SinkAt, SinkKind};
use crate::time::{Now, Span};

impl Worker {
    // --- claims ---

    /// The holder's first act: raise every fence that waits for a claim.
    pub(super) fn claim(&self, execution: &mut Execution, now: Now, out: &mut Vec<Output>) {
        let Some(task) = self.tasks.get(usize::from(execution.id.task.0)) else {
            return;
        };
        let by_claim = |sink: &&SinkAt| sink.fence().is_some_and(|fence| fence.raise == FenceRaise::Claim);
        for sink in self.sinks.iter().filter(by_claim).map(|sink| sink.node) {
            if task.program.iter().any(|step| step.changes() == Some(sink)) {
                execution.claims_open.push(sink);
                self.send_claim(execution.id, execution.token, sink, 0, now, out);
            }
        }
    }

    fn send_claim(&self, exec: Exec, token: Token, sink: NodeId, retry: u8, now: Now, out: &mut Vec<Output>) {
        out.push(Output::Send { to: sink, message: Message::Raise { exec, token, retry } });
        if let Some(timeout) = self.rules.call.timeout {
            // Step 0 is the claim; which sink it went to rides in the high bits.
            let key = TimerKey::numbered(TimerKind::CallTimeout, exec, u32::from(sink.0) << 8, retry);
            out.push(mono_timer(key, now.mono + timeout));
        }
    }

    pub(super) fn claim_answered(&mut self, sink: NodeId, exec: Exec, answer: Answer, out: &mut Vec<Output>) {
        let Some(index) = self.index(exec) else {
            return;
        };
        match answer {
            Answer::Fenced => return self.fail(index, Ending::Fenced, FailCause::Fenced, out),
            // Its time-out asks again, or gives up.
            Answer::Error if self.rules.call.timeout.is_some() => return,
            Answer::Error => return self.fail(index, Ending::Errored, FailCause::Error, out),
            Answer::Accepted | Answer::Repeat | Answer::Conflict | Answer::Busy => {}
        }
        let execution = &mut self.running[index];
        execution.claims_open.retain(|open| *open != sink);
        if execution.claims_open.is_empty() && execution.phase == Phase::AwaitingClaims {
            execution.phase = Phase::Going;
            out.push(Output::Step { exec, step: execution.step });
        }
    }

    // --- looks ---

    /// How a program meets a conflict at this step; none if its sink gives none that can be looked at.
    fn on_conflict(&self, step: Step) -> Option<OnConflict> {
        match (step, self.sink_of(step)?.rules.kind) {
            (Step::Write { .. }, SinkKind::Objects(Put::CompareAndSet(on_conflict))) => Some(on_conflict),
            (Step::Write { .. }, SinkKind::Objects(Put::IfAbsent)) => Some(OnConflict::Stop),
            _ => None,
        }
    }

    fn sink_of(&self, step: Step) -> Option<&SinkAt> {
        let node = step.sink()?;
        self.sinks.iter().find(|sink| sink.node == node)
    }

    /// Begins a step that calls a sink: with a look, if that is the step or the worker compares tokens
    /// for itself.
    pub(super) fn call(&mut self, now: Now, index: usize, step: Step, out: &mut Vec<Output>) {
        let writes =
            matches!(step, Step::Write { .. } | Step::Stage { .. } | Step::Swap { .. } | Step::Clean { .. });
        let fence = self.sink_of(step).and_then(SinkAt::fence);
        match step {
            Step::Look { .. } => self.look(now, index, 0, Why::Step, out),
            Step::ReadFrom { .. } => {
                let known = self.running[index].version;
                self.look(now, index, 0, Why::Read { known }, out);
            }
            _ if writes && fence.is_some_and(|fence| fence.check == FenceCheck::ByClient) => {
                self.look(now, index, 0, Why::Compare, out);
            }
            _ => self.request(now, index, 0, out),
        }
    }

    /// Sends look number `retry` of the step the execution is at.
    fn look(&mut self, now: Now, index: usize, retry: u8, why: Why, out: &mut Vec<Output>) {
        let execution = &mut self.running[index];
        let (exec, token, step) = (execution.id, execution.token, execution.step);
        execution.phase = Phase::Looking { retry, why };
        let Some(to) = self.step_of(exec, step).and_then(|step| step.sink()) else {
            return;
        };
        let reads = matches!(why, Why::Read { .. });
        out.push(Output::Send {
            to,
            message: Message::Look { exec, token, step, after: why.after(), retry, reads },
        });
        if let Some(timeout) = self.rules.call.timeout {
            let key = TimerKey::numbered(TimerKind::LookTimeout, exec, number(step, why), retry);
            out.push(mono_timer(key, now.mono + timeout));
        }
    }

    /// Goes on by what it saw, however old that is by now.
    pub(super) fn seen(
        &mut self,
        now: Now,
        exec: Exec,
        (step, after, retry): (u8, u8, u8),
        sight: Option<Sight>,
        out: &mut Vec<Output>,
    ) {
        let Some(index) = self.index(exec) else {
            return;
        };
        let asked = self.step_of(exec, step);
        let Some((asked, sink)) = asked.and_then(|step| Some((step, step.sink()?))) else {
            return;
        };
        let execution = &self.running[index];
        let why = match execution.phase {
            Phase::Looking { retry: at, why }
                if (execution.step, why.after()) == (step, after) && at >= retry =>
            {
                why
            }
            _ => return,
        };
        let Some(sight) = sight else {
            return self.look_erred(now, index, retry, why, out);
        };
        let execution = &mut self.running[index];
        if let Why::Read { .. } = why {
            let version = u8::try_from(sight.version).unwrap_or(u8::MAX);
            execution.version = version;
            out.push(Output::Note(Note::InputRead { exec, version }));
            return self.advance(index, out);
        }
        if why != Why::Compare {
            execution.bases.retain(|(of, _)| *of != sink);
            execution.bases.push((sink, sight.version));
        }
        match why {
            Why::Step | Why::Read { .. } => self.advance(index, out),
            Why::Compare if sight.fenced => self.fail(index, Ending::Fenced, FailCause::Fenced, out),
            Why::Compare => self.request(now, index, 0, out),
            // Its answer was lost on the way.
            Why::Conflict { .. } if sight.is_mine => self.advance(index, out),
            Why::Conflict { request } => match self.on_conflict(asked) {
                Some(OnConflict::Retry) if request < u8::MAX => self.request(now, index, request + 1, out),
                _ => self.fail(index, Ending::Conflict, FailCause::Conflict, out),
            },
        }
    }

    /// With a time-out that asks again, or gives up; without one it is asked again at once.
    fn look_erred(&mut self, now: Now, index: usize, retry: u8, why: Why, out: &mut Vec<Output>) {
        if self.rules.call.timeout.is_some() {
            return;
        }
        if retry < self.rules.call.retries {
            self.look(now, index, retry + 1, why, out);
        } else {
            self.fail(index, Ending::Errored, FailCause::Error, out);
        }
    }

    pub(super) fn look_timed_out(&mut self, now: Now, index: usize, key: TimerKey, out: &mut Vec<Output>) {
        let execution = &self.running[index];
        let Phase::Looking { retry, why } = execution.phase else {
            return;
        };
        if number(execution.step, why) != key.n || retry != key.retry {
            return;
        }
        if retry < self.rules.call.retries {
            self.look(now, index, retry + 1, why, out);
        } else {
            self.fail(index, Ending::NoAnswer, FailCause::NoAnswer, out);
        }
    }

    // --- requests ---

    /// Sends request number `retry` of the step the execution is at.
    pub(super) fn request(&mut self, now: Now, index: usize, retry: u8, out: &mut Vec<Output>) {
        let execution = &mut self.running[index];
        let (exec, token, number) = (execution.id, execution.token, execution.step);
        let Some(task) = self.tasks.get(usize::from(exec.task.0)) else {
            return;
        };
        let asked = task.step(number);
        let Some((sink, op)) = asked.and_then(|step| request_of(step, task, execution)) else {
            return;
        };
        let not_after = now.wall + execution.belief.left(now);
        execution.phase = Phase::Awaiting { retry };
        out.push(Output::Send {
            to: sink,
            message: Message::Request { exec, token, step: number, retry, op, not_after },
        });
        if let Some(timeout) = self.rules.call.timeout {
            let key = TimerKey::numbered(TimerKind::CallTimeout, exec, u32::from(number), retry);
            out.push(mono_timer(key, now.mono + timeout));
        }
    }

    pub(super) fn request_answered(
        &mut self,
        now: Now,
        exec: Exec,
        step: u8,
        retry: u8,
        answer: Answer,
        out: &mut Vec<Output>,
    ) {
        let Some(index) = self.index(exec) else {
            return;
        };
        let asked = self.step_of(exec, step);
        let locks = asked.is_some_and(|step| matches!(step, Step::Lock { .. }));
        let execution = &self.running[index];
        if execution.step != step || !matches!(execution.phase, Phase::Awaiting { retry: at } if at >= retry)
        {
            return;
        }
        match answer {
            Answer::Accepted | Answer::Repeat => {
                // What stands there now is its own, unless it only deleted.
                let is_no_write =
                    |step: &Step| matches!(step, Step::Clean { .. } | Step::Note { .. } | Step::Check { .. });
                let writes = asked.filter(|step| !is_no_write(step));
                let sink = writes.and_then(|step| step.sink());
                if let Some((_, base)) =
                    self.running[index].bases.iter_mut().find(|(of, _)| Some(*of) == sink)
                {
                    *base += 1;
                }
                if answer == Answer::Repeat && matches!(asked, Some(Step::Check { .. })) {
                    self.running[index].spared = true;
                }
                self.advance(index, out);
            }
            Answer::Fenced => self.fail(index, Ending::Fenced, FailCause::Fenced, out),
            Answer::Conflict if asked.is_some_and(|step| self.on_conflict(step).is_some()) => {
                self.look(now, index, 0, Why::Conflict { request: retry }, out);
            }
            Answer::Conflict if matches!(asked, Some(Step::Effect { .. })) => {
                self.fail(index, Ending::Conflict, FailCause::Conflict, out);
            }
            Answer::Conflict => self.fail(index, Ending::Leftover, FailCause::Leftover, out),
            // The error of a request that was given up: another is under way.
            Answer::Error if execution.phase != (Phase::Awaiting { retry }) => {}
            // A lock is held, a key in use, or something failed: ask again, as often as a call may be retried.
            Answer::Busy | Answer::Error if retry < self.rules.call.retries => {
                let wait = self.rules.call.timeout.unwrap_or(Span::secs(1));
                out.push(mono_timer(
                    TimerKey::numbered(TimerKind::LockRetry, exec, u32::from(step), retry + 1),
                    now.mono + wait,
                ));
            }
            Answer::Error => self.fail(index, Ending::Errored, FailCause::Error, out),
            Answer::Busy if locks => self.fail(index, Ending::Leftover, FailCause::Leftover, out),
            // Its own earlier request may be the one in service: its answer may still come in time.
            Answer::Busy if self.rules.call.timeout.is_some() => {}
            Answer::Busy => self.fail(index, Ending::NoAnswer, FailCause::NoAnswer, out),
        }
    }

    /// Whether the execution still waits at the request a timer belongs to.
    pub(super) fn is_awaiting(&self, index: usize, key: TimerKey) -> bool {
        let execution = &self.running[index];
        u32::from(execution.step) == key.n
            && matches!(execution.phase, Phase::Awaiting { retry } if retry + 1 == key.retry)
    }

    pub(super) fn call_timed_out(&mut self, now: Now, index: usize, key: TimerKey, out: &mut Vec<Output>) {
        let step = key.n & 0xff;
        let execution = &self.running[index];
        if step == 0 {
            let sink = NodeId(u16::try_from(key.n >> 8).unwrap_or(0));
            if !execution.claims_open.contains(&sink) || execution.has_ended() {
                return;
            }
            if key.retry < self.rules.call.retries {
                return self.send_claim(execution.id, execution.token, sink, key.retry + 1, now, out);
            }
            return self.fail(index, Ending::NoAnswer, FailCause::NoAnswer, out);
        }
        let waits =
            u32::from(execution.step) == step && execution.phase == (Phase::Awaiting { retry: key.retry });
        if !waits {
            return;
        }
        if key.retry < self.rules.call.retries {
            if self.step_of(key.exec, self.running[index].step) == Some(Step::Ask) {
                self.ask(now, index, key.retry + 1, out);
            } else {
                self.request(now, index, key.retry + 1, out);
            }
        } else {
            self.fail(index, Ending::NoAnswer, FailCause::NoAnswer, out);
        }
    }
}

/// Which look of an execution it is.
fn number(step: u8, why: Why) -> u32 {
    u32::from(step) | u32::from(why.after()) << 8
}

/// The sink a step talks to and what it asks.
fn request_of(step: Step, task: &TaskSpec, execution: &Execution) -> Option<(NodeId, SinkOp)> {
    let sink = step.sink()?;
    let version = execution.version;
    let op = match step {
        Step::Write { part, parts, .. } => {
            let base = execution.bases.iter().find(|(of, _)| *of == sink).map_or(0, |(_, base)| *base);
            let rows = task.part_rows(version, part, parts);
            SinkOp::Write { version, part, parts, rows, base, application: task.application }
        }
        Step::Stage { .. } => SinkOp::Stage { version, rows: task.part_rows(version, 0, 1) },
        Step::Swap { .. } => SinkOp::Swap,
        Step::Clean { what, .. } => SinkOp::Clean(what),
        Step::Lock { .. } => SinkOp::Lock,
        Step::Unlock { .. } => SinkOp::Unlock,
        Step::Effect { .. } => SinkOp::Effect { version, generation: execution.generation },
        Step::Work { .. } => SinkOp::Work,
        Step::Note { .. } => SinkOp::Note { generation: execution.generation },
        Step::Check { .. } => SinkOp::Check { generation: execution.generation },
        Step::Read
        | Step::ReadFrom { .. }
        | Step::Compute(_)
        | Step::Block(_)
        | Step::Beat
        | Step::CheckLease
        | Step::Look { .. }
        | Step::Ask
        | Step::Acknowledge => return None,
    };
    Some((sink, op))
}
