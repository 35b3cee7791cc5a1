//! The worker: runs attempts as small programs, sends heartbeats, and holds beliefs about its leases.
//!
//! Everything it knows is volatile: a crash loses it. Its belief that it holds a lease is advisory;
//! the scheduler's record decides.

mod beats;
mod calls;
mod endings;
mod permits;
mod reserve;
mod session;

use crate::WHOLE;
use crate::ids::{Exec, NodeId, Token};
use crate::io::{Ending, Input, Note, Output, TimerClock, TimerKey, TimerKind};
use crate::message::Message;
use crate::program::{Step, TaskSpec};
use crate::rules::{OnLoss, Rules, SinkAt};
use crate::time::{Mono, Now, Span};
use beats::{Beats, Belief, Deadline};
use reserve::Reserved;
use session::Session;
use std::collections::VecDeque;
use std::fmt::Debug;
use std::sync::Arc;

#[derive(Clone, Debug)]
pub struct Worker {
    scheduler: NodeId,
    rules: Arc<Rules>,
    tasks: Arc<[TaskSpec]>,
    sinks: Arc<[SinkAt]>,
    /// How many attempts it may run at once.
    slots: u16,
    running: Vec<Execution>,
    /// Under one lease for all.
    session: Option<Box<Session>>,
    /// What it has beyond that, first come first served.
    reserved: VecDeque<Reserved>,
    /// Whether something else holds its event loop, and whose next steps wait for it.
    held: Option<Vec<Exec>>,
}

/// One process running one attempt's program.
#[derive(Clone, Debug)]
struct Execution {
    id: Exec,
    token: Token,
    /// The step it is at, numbered from 1.
    step: u8,
    phase: Phase,
    /// Sinks that have not answered its claim. The first request waits for all of them.
    claims_open: Vec<NodeId>,
    /// The version of a target that its next write rests on, by sink.
    bases: Vec<(NodeId, u32)>,
    version: u8,
    /// Which deliberate run of its task it is.
    generation: u8,
    beats: Beats,
    belief: Belief,
    /// Whether its next effect is left out, since it is noted as done.
    spared: bool,
    /// Whether its wrapper is gone: nothing beats or reports for it.
    orphan: bool,
    /// The step that it told last where another beats for it.
    told: u8,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Phase {
    /// The next step is on its way.
    Going,
    Computing,
    /// Computing on the worker's own loop.
    Blocking,
    /// At a request, until all claims are answered.
    AwaitingClaims,
    /// Sent request number `retry` of this step.
    Awaiting {
        retry: u8,
    },
    /// Sent look number `retry` of this step.
    Looking {
        retry: u8,
        why: Why,
    },
    /// Ended; only its acknowledgement is still being retried.
    Acknowledging {
        retry: u8,
    },
}

/// What a look is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Why {
    /// It is the step.
    Step,
    /// To compare tokens for itself.
    Compare,
    /// Request number `request` met a conflict: it may be its own.
    Conflict { request: u8 },
    /// To read what others' tables hold, the input known so far being version `known`.
    Read { known: u8 },
}

impl Why {
    /// How many requests of its step came before the look; of a reading, the version known before it.
    fn after(self) -> u8 {
        match self {
            Self::Step | Self::Compare => 0,
            Self::Conflict { request } => request.saturating_add(1),
            Self::Read { known } => known,
        }
    }
}

impl Worker {
    pub fn new(
        scheduler: NodeId,
        rules: Arc<Rules>,
        tasks: Arc<[TaskSpec]>,
        sinks: Arc<[SinkAt]>,
        slots: u16,
    ) -> Self {
        Self {
            scheduler,
            rules,
            tasks,
            sinks,
            slots,
            running: Vec::new(),
            reserved: VecDeque::new(),
            session: None,
            held: None,
        }
    }

    /// The attempts whose programs run, with their tokens.
    pub fn runs(&self) -> impl Iterator<Item = (Exec, Token)> {
        self.running.iter().filter(|execution| !execution.has_ended()).map(|it| (it.id, it.token))
    }

    /// Everything it goes by beside its rules.
    pub fn memory(&self) -> impl Debug {
        (&self.running, &self.reserved, &self.session, &self.held)
    }

    pub fn handle(&mut self, now: Now, input: Input, out: &mut Vec<Output>) {
        match input {
            Input::Start { .. }
            | Input::StandBy { .. }
            | Input::Renewals(_)
            | Input::Persisted(_)
            | Input::SinkRules(_)
            | Input::Restore(_)
            | Input::RestoreCounter(_)
            | Input::ForceUnlock
            | Input::Failing(_)
            | Input::GoesOn => {}
            Input::LoopHeld(held) => self.loop_is_held(now, held, out),
            Input::Crash => self.crash(out),
            // No code runs for these, since the process may be paused.
            Input::Rules { rules, tasks, sinks } => {
                let before = std::mem::replace(&mut self.rules, rules);
                (self.tasks, self.sinks) = (tasks, sinks);
                return self.obey_from_now_on(&before, now, out);
            }
            Input::KilledFromOutside { by, exec, token } => return self.kill(by, exec, token, out),
            Input::Message { from, message } => self.receive(now, from, message, out),
            Input::Timer(key) => self.timer(now, key, out),
            Input::Step { exec, version } => self.run_step(now, exec, version, out),
        }
        self.hand_over(now, out);
        self.begin_reserved(now, out);
    }

    fn crash(&mut self, out: &mut Vec<Output>) {
        self.reserved.clear();
        self.held = None;
        for execution in self.running.drain(..).filter(|e| !e.has_ended()) {
            out.push(Output::Note(Note::Ended { exec: execution.id, how: Ending::Crashed }));
        }
    }

    /// Whether something still beats for it.
    fn is_led(&self, exec: Exec) -> bool {
        self.index(exec).is_some_and(|index| self.running[index].is_led())
    }

    fn index(&self, exec: Exec) -> Option<usize> {
        self.running.iter().position(|e| e.id == exec)
    }

    // --- messages ---

    fn receive(&mut self, now: Now, from: NodeId, message: Message, out: &mut Vec<Output>) {
        match message {
            Message::Dispatch { exec, token, lease, started, generation, .. } => {
                let deadline = Deadline::after(now, lease, &self.rules.belief);
                self.dispatched(now, Reserved { id: exec, token, deadline, generation }, started, out);
            }
            Message::HeartbeatReply { exec, tick, retry, answer } => {
                self.renewal_answered(now, exec, tick, retry, answer, out);
            }
            Message::Reply { exec, step: 0, retry: _, answer } => {
                self.claim_answered(from, exec, answer, out)
            }
            Message::Reply { exec, step, retry, answer } => {
                self.request_answered(now, exec, step, retry, answer, out)
            }
            _ if !WHOLE => {}
            Message::Seen { exec, step, after, retry, sight } => {
                self.seen(now, exec, (step, after, retry), sight, out);
            }
            Message::MayCommit { exec, step, retry, granted } => {
                self.may_commit(exec, (step, retry), granted, out);
            }
            Message::Kill { exec, token, .. } => self.kill(from, exec, token, out),
            Message::CompletionReply { exec, .. } => {
                self.running.retain(|e| e.id != exec || !e.has_ended());
            }
            // Not for a worker.
            Message::Delivered { .. }
            | Message::Heartbeat { .. }
            | Message::Completed { .. }
            | Message::Failed { .. }
            | Message::Stopped { .. }
            | Message::Raise { .. }
            | Message::Request { .. }
            | Message::Look { .. }
            | Message::Ask { .. }
            | Message::Operator { .. }
            | Message::StoreCall { .. }
            | Message::StoreReply { .. } => {}
        }
    }

    /// `arrives`: its delivery is still to be acknowledged.
    fn start(&mut self, now: Now, it: Reserved, arrives: bool, out: &mut Vec<Output>) {
        let Reserved { id: exec, token, deadline, generation } = it;
        out.push(Output::Note(Note::Started { exec }));
        if arrives {
            self.send(Message::Delivered { exec, token }, out);
        }
        out.push(deadline.believed(exec));
        let mut execution = Execution {
            id: exec,
            token,
            step: 1,
            phase: Phase::Going,
            claims_open: Vec::new(),
            bases: Vec::new(),
            version: 1,
            generation,
            beats: Beats::starting(now, self.rules.heartbeat.every),
            belief: Belief::until(deadline),
            spared: false,
            orphan: false,
            told: 0,
        };
        self.claim(&mut execution, now, out);
        if self.begins_to_beat() {
            self.beat_timer(&execution, now.mono + self.rules.heartbeat.every, out);
        }
        self.deadline_timer(&execution, out);
        self.running.push(execution);
        out.push(Output::Step { exec, step: 1 });
    }

    // --- timers ---

    fn timer(&mut self, now: Now, key: TimerKey, out: &mut Vec<Output>) {
        let Some(index) = self.index(key.exec) else {
            return;
        };
        match key.kind {
            TimerKind::Beat => self.beat_due(now, index, key, out),
            TimerKind::BeatTimeout => self.beat_timed_out(now, index, key, out),
            TimerKind::Compute => self.computed(now, index, key, out),
            _ if !WHOLE => {}
            TimerKind::Deadline => self.deadline_due(now, index, out),
            TimerKind::CallTimeout => self.call_timed_out(now, index, key, out),
            TimerKind::LookTimeout => self.look_timed_out(now, index, key, out),
            TimerKind::LockRetry => {
                if self.is_awaiting(index, key) {
                    self.request(now, index, key.retry, out);
                }
            }
            TimerKind::AckTimeout => self.acknowledge(now, index, key.retry, out),
            // Not a worker's.
            TimerKind::Due
            | TimerKind::Lead
            | TimerKind::Sweep
            | TimerKind::Retry
            | TimerKind::Grace
            | TimerKind::HoldAlert
            | TimerKind::RaiseTimeout
            | TimerKind::HalfDispatched
            | TimerKind::Serve
            | TimerKind::Apply
            | TimerKind::StartTimeout
            | TimerKind::CarryOut
            | TimerKind::ProgressLimit
            | TimerKind::RunLimit
            | TimerKind::NextHeartbeat
            | TimerKind::Error
            | TimerKind::StoreTimeout
            | TimerKind::Launch => {}
        }
    }

    fn computed(&mut self, now: Now, index: usize, key: TimerKey, out: &mut Vec<Output>) {
        let execution = &mut self.running[index];
        if u32::from(execution.step) != key.n {
            return;
        }
        let was_blocking = execution.phase == Phase::Blocking;
        out.push(Output::Note(Note::StepEnded { exec: execution.id, step: execution.step }));
        self.advance(index, out);
        if was_blocking {
            self.release_starved(now, out);
        }
    }

    /// Something else holds the loop: its beats starve, and no program comes to its next step.
    fn loop_is_held(&mut self, now: Now, held: bool, out: &mut Vec<Output>) {
        if held {
            self.held.get_or_insert_default();
            return;
        }
        for exec in self.held.take().unwrap_or_default() {
            if let Some(execution) = self.index(exec).map(|index| &self.running[index]) {
                out.push(Output::Step { exec, step: execution.step });
            }
        }
        self.release_starved(now, out);
    }

    // --- the program ---

    fn run_step(&mut self, now: Now, exec: Exec, version: u8, out: &mut Vec<Output>) {
        let Some(index) = self.index(exec) else {
            return;
        };
        let execution = &mut self.running[index];
        if execution.phase != Phase::Going {
            return;
        }
        if let Some(waiting) = self.held.as_mut().filter(|_| WHOLE) {
            waiting.push(exec);
            return;
        }
        let number = execution.step;
        let Some(step) = self.step_of(exec, number) else {
            return self.end(index, Ending::Finished, out);
        };
        let execution = &mut self.running[index];
        out.push(Output::Note(Note::StepBegan { exec, step: execution.step }));
        match step {
            Step::Read => {
                execution.version = version;
                out.push(Output::Note(Note::InputRead { exec, version }));
                self.advance(index, out);
            }
            Step::Compute(span) => self.compute(index, Phase::Computing, span, out),
            Step::Acknowledge => self.acknowledge(now, index, 0, out),
            Step::Write { .. } if !WHOLE && execution.claims_open.is_empty() => {
                self.request(now, index, 0, out)
            }
            _ if !WHOLE => execution.phase = Phase::AwaitingClaims,
            Step::Block(span) => self.compute(index, Phase::Blocking, span, out),
            Step::Beat => self.checkpoint(now, index, out),
            Step::CheckLease if execution.belief.lost(now) => self.stop(index, out),
            Step::CheckLease => self.advance(index, out),
            Step::Ask => self.ask(now, index, 0, out),
            Step::Effect { .. } if std::mem::take(&mut execution.spared) => self.advance(index, out),
            Step::Write { .. } | Step::Swap { .. } | Step::Clean { .. } | Step::Effect { .. }
                if self.rules.on_loss == OnLoss::CheckBeforeWrite && execution.belief.lost(now) =>
            {
                self.stop(index, out);
            }
            Step::ReadFrom { .. }
            | Step::Look { .. }
            | Step::Write { .. }
            | Step::Stage { .. }
            | Step::Swap { .. }
            | Step::Clean { .. }
            | Step::Lock { .. }
            | Step::Unlock { .. }
            | Step::Effect { .. }
            | Step::Work { .. }
            | Step::Note { .. }
            | Step::Check { .. } => {
                if !execution.claims_open.is_empty() {
                    execution.phase = Phase::AwaitingClaims;
                } else {
                    self.call(now, index, step, out);
                }
            }
        }
    }

    fn compute(&mut self, index: usize, phase: Phase, span: Span, out: &mut Vec<Output>) {
        let execution = &mut self.running[index];
        execution.phase = phase;
        let key = TimerKey::numbered(TimerKind::Compute, execution.id, u32::from(execution.step), 0);
        out.push(Output::Timer { key, clock: TimerClock::Process, at: span.0, spread: Span::ZERO });
    }

    fn advance(&mut self, index: usize, out: &mut Vec<Output>) {
        let execution = &mut self.running[index];
        execution.step += 1;
        execution.phase = Phase::Going;
        out.push(Output::Step { exec: execution.id, step: execution.step });
    }

    /// Sends acknowledgement number `retry`; the program ends with the first.
    fn acknowledge(&mut self, now: Now, index: usize, retry: u8, out: &mut Vec<Output>) {
        let execution = &self.running[index];
        let (exec, token) = (execution.id, execution.token);
        if retry > 0 && execution.phase != (Phase::Acknowledging { retry: retry - 1 }) {
            return;
        }
        if execution.orphan {
            return self.end(index, Ending::Finished, out);
        }
        self.send(Message::Completed { exec, token, retry }, out);
        if retry == 0 {
            out.push(Output::Note(Note::Ended { exec, how: Ending::Finished }));
        }
        let rules = self.rules.acknowledgement;
        match rules.timeout {
            Some(timeout) if retry < rules.retries => {
                self.running[index].phase = Phase::Acknowledging { retry };
                let key = TimerKey::numbered(TimerKind::AckTimeout, exec, 0, retry + 1);
                out.push(mono_timer(key, now.mono + timeout));
            }
            _ => {
                self.running.remove(index);
            }
        }
    }

    // --- helpers ---

    fn step_of(&self, exec: Exec, number: u8) -> Option<Step> {
        self.tasks.get(usize::from(exec.task.0))?.step(number)
    }

    fn send(&self, message: Message, out: &mut Vec<Output>) {
        out.push(Output::Send { to: self.scheduler, message });
    }
}

impl Execution {
    fn has_ended(&self) -> bool {
        matches!(self.phase, Phase::Acknowledging { .. })
    }

    /// Whether something beats for it and hears of its lease.
    fn is_led(&self) -> bool {
        !self.orphan && !self.has_ended()
    }
}

fn mono_timer(key: TimerKey, at: Mono) -> Output {
    Output::Timer { key, clock: TimerClock::Mono, at: at.0, spread: Span::ZERO }
}
