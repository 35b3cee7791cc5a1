//! The lease scheduler: grants attempts, renews their leases, and decides what silence means.
//!
//! It sees messages, never workers. Its durable state is the [`Ledger`]; every durable write is an
//! output, and by default a grant is sent only after the driver says that its record is safe.

mod endings;
mod expiry;
mod leading;
mod limits;
mod permits;
mod raising;
pub(crate) mod renewals;
mod restart;
mod returning;
mod triggers;

use crate::WHOLE;
use crate::ids::{Exec, NodeId, TaskId, Token};
use crate::io::{Failing, Input, Note, Output, TimerClock, TimerKey, TimerKind};
use crate::lease::Lease;
use crate::ledger::{AttemptRecord, Change, Ledger, TaskState};
use crate::message::Message;
use crate::program::TaskSpec;
use crate::rules::{DispatchOrder, LeaseStart, Rules, SinkAt};
use crate::time::{Mono, Now, Span, Wall};
use raising::Raising;
use renewals::{Beat, Heartbeat, Heartbeats};
use std::collections::VecDeque;
use std::fmt::Debug;
use std::sync::Arc;

#[derive(Clone, Debug)]
pub struct Scheduler {
    rules: Arc<Rules>,
    tasks: Arc<[TaskSpec]>,
    workers: Arc<[WorkerAt]>,
    sinks: Arc<[SinkAt]>,
    /// Who kills for it; none: the workers themselves.
    executor: Option<NodeId>,
    /// The first token it ever grants.
    first_token: Token,
    /// When the run's schedule began, by its wall clock.
    epoch: Wall,
    ledger: Ledger,
    /// How renewals fail, while they do.
    failing: Option<Failing>,
    volatile: Volatile,
}

/// A worker as its scheduler knows it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WorkerAt {
    pub node: NodeId,
    /// How many attempts it may run.
    pub slots: u16,
    /// The number of its name: those with one name have one number.
    pub name: u16,
}

/// What a crash loses. All of it can be had again from the ledger.
#[derive(Clone, Debug, Default)]
struct Volatile {
    boot: u16,
    /// Whether it decides; else it stands by for another that does.
    leads: bool,
    /// Tasks that wait for a slot and a worker, first come first served.
    ready: VecDeque<TaskId>,
    /// Due tasks that wait for another to end.
    awaiting: Vec<TaskId>,
    /// Attempts in the record by worker.
    load: Vec<u16>,
    open: u16,
    /// No worker before this index is free.
    first_free: usize,
    /// The previous sweep's readings and when this one was due.
    swept: Option<(Now, Mono)>,
    /// Grants whose fences are being raised.
    raising: Vec<Raising>,
    /// Heartbeats above its capacity.
    heartbeats: Heartbeats,
    /// Attempts that may commit, by task. Known to nobody else: a restart forgets them.
    permits: Vec<(TaskId, u8)>,
    /// Errors that are not sent yet.
    errors: Vec<(TimerKey, NodeId, Message)>,
    /// No wall or monotonic lease can be over before these readings.
    earliest: Earliest,
    /// No lease is over before this reading, whatever its T (restart policy *wait*).
    quiet_until: Option<Mono>,
    /// Grants sent and not recorded yet (dispatch order *send first*), and whether their time has come.
    unrecorded: VecDeque<(Exec, Change, bool)>,
}

/// A lower bound for the next expiry, so that a sweep with nothing to do costs nothing.
#[derive(Clone, Copy, Debug)]
struct Earliest {
    wall: i64,
    mono: i64,
}

impl Default for Earliest {
    fn default() -> Self {
        Self { wall: i64::MIN, mono: i64::MIN }
    }
}

impl Scheduler {
    pub fn new(
        rules: Arc<Rules>,
        tasks: Arc<[TaskSpec]>,
        workers: Arc<[WorkerAt]>,
        sinks: Arc<[SinkAt]>,
        executor: Option<NodeId>,
        (epoch, first_token): (Wall, Token),
    ) -> Self {
        let count = u16::try_from(tasks.len()).unwrap_or(u16::MAX);
        Self {
            rules,
            tasks,
            workers,
            sinks,
            executor,
            first_token,
            epoch,
            ledger: Ledger::new(count, first_token),
            failing: None,
            volatile: Volatile::default(),
        }
    }

    /// Everything it goes by beside its rules.
    pub fn memory(&self) -> impl Debug {
        (&self.ledger, self.failing, &self.volatile)
    }

    pub fn handle(&mut self, now: Now, input: Input, out: &mut Vec<Output>) {
        match input {
            Input::Start { ledger, boot } => self.start(now, ledger, boot, out),
            Input::StandBy { boot } => self.stand_by(now, boot, out),
            Input::Crash => self.volatile = Volatile::default(),
            Input::Message { .. } | Input::Timer(_) | Input::Persisted(_) if !self.volatile.leads => {
                self.ask_to_lead(now, &input, out);
            }
            Input::Renewals(stored) => self.read_renewals(now, &stored, out),
            Input::Message { from, message } => self.receive(now, from, message, out),
            Input::Timer(key) => self.timer(now, key, out),
            Input::Persisted(key) => self.raise_and_send(now, key.exec, out),
            // No code runs for it, since the process may be paused: the next timer fills new slots.
            Input::Rules { rules, tasks, sinks } => {
                (self.rules, self.tasks, self.sinks) = (rules, tasks, sinks);
            }
            Input::RestoreCounter(last) => {
                self.ledger.last_token = last;
                self.lift_counter();
            }
            Input::Failing(failing) => self.failing = failing,
            Input::Step { .. }
            | Input::SinkRules(_)
            | Input::Restore(_)
            | Input::ForceUnlock
            | Input::GoesOn
            | Input::LoopHeld(_)
            | Input::KilledFromOutside { .. } => {}
        }
    }

    fn persist(&mut self, change: Change, out: &mut Vec<Output>) {
        self.ledger.apply(change);
        out.push(Output::Persist { change, then: None });
    }

    fn timer_at(key: TimerKey, at: Mono, out: &mut Vec<Output>) {
        out.push(Output::Timer { key, clock: TimerClock::Mono, at: at.0, spread: Span::ZERO });
    }

    // --- grants ---

    fn enqueue(&mut self, task: TaskId, out: &mut Vec<Output>) {
        self.set_task(task, TaskState::Queued, out);
        self.volatile.ready.push_back(task);
    }

    fn set_task(&mut self, task: TaskId, state: TaskState, out: &mut Vec<Output>) {
        self.persist(Change::TaskIs { task, state }, out);
        out.push(Output::Note(Note::TaskIs { task, state }));
    }

    /// Grants ready tasks while there are slots and workers.
    fn fill_slots(&mut self, now: Now, out: &mut Vec<Output>) {
        self.release_awaiting(out);
        while let Some(&task) = self.volatile.ready.front() {
            if self.rules.pool.is_some_and(|pool| self.volatile.open >= pool) {
                return;
            }
            let last_owner = self.ledger.task(task).holder().map(|(_, a)| a.owner);
            let Some(owner) = self.choose_worker(last_owner) else {
                return;
            };
            self.volatile.ready.pop_front();
            self.grant(now, task, owner, out);
        }
    }

    /// The free worker with the lowest id other than the last owner, else the last owner; where none is
    /// free, one that may hold another in waiting.
    fn choose_worker(&mut self, last_owner: Option<NodeId>) -> Option<NodeId> {
        let has_room = |index: &usize, beyond: u16| {
            self.volatile.load[*index] < self.workers[*index].slots.saturating_add(beyond)
        };
        let choose = |first: usize, beyond: u16| {
            let mut open = (first..self.workers.len()).filter(|index| has_room(index, beyond));
            let lowest = open.next()?;
            let other = std::iter::once(lowest)
                .chain(open)
                .find(|index| Some(self.workers[*index].node) != last_owner);
            Some((lowest, self.workers[other.unwrap_or(lowest)].node))
        };
        match choose(self.volatile.first_free, 0) {
            Some((lowest, owner)) => {
                self.volatile.first_free = lowest;
                Some(owner)
            }
            None if self.rules.prefetch > 0 => choose(0, self.rules.prefetch).map(|(_, owner)| owner),
            None => None,
        }
    }

    fn slot_of(&self, owner: NodeId) -> Option<usize> {
        self.workers.binary_search_by_key(&owner, |worker| worker.node).ok()
    }

    fn take_slot(&mut self, owner: NodeId) {
        self.volatile.open += 1;
        if let Some(index) = self.slot_of(owner) {
            self.volatile.load[index] += 1;
        }
    }

    fn free_slot(&mut self, owner: NodeId) {
        self.volatile.open = self.volatile.open.saturating_sub(1);
        if let Some(index) = self.slot_of(owner) {
            self.volatile.load[index] = self.volatile.load[index].saturating_sub(1);
            self.volatile.first_free = self.volatile.first_free.min(index);
        }
    }

    fn new_lease(&self, now: Now) -> Lease {
        Lease::starting(now, self.volatile.boot, self.rules.lease.clock, self.rules.lease.duration)
    }

    /// Gives an open attempt a new lease outside of renewals.
    fn start_lease(&mut self, now: Now, exec: Exec, out: &mut Vec<Output>) {
        self.lease_is(exec, self.new_lease(now), out);
    }

    fn lease_is(&mut self, exec: Exec, lease: Lease, out: &mut Vec<Output>) {
        self.persist(Change::LeaseIs { task: exec.task, attempt: exec.attempt, lease }, out);
        self.note_bound(&lease);
        out.push(Output::Note(Note::LeaseStarted { exec, ends: lease.ends() }));
    }

    /// Whether a lease is over as the scheduler judges it now.
    fn is_over(&self, now: Now, lease: &Lease) -> bool {
        self.volatile.quiet_until.is_none_or(|until| now.mono >= until)
            && lease.expired(now, self.volatile.boot)
    }

    /// Chooses a token and an owner; then record and message go out, in the order of the rules.
    fn grant(&mut self, now: Now, task: TaskId, owner: NodeId, out: &mut Vec<Output>) {
        let token = Token(self.ledger.last_token.0 + 1);
        let lease = (self.rules.lease.start == LeaseStart::Grant).then(|| self.lease_for(now, owner));
        let attempt = u8::try_from(self.ledger.task(task).attempts.len() + 1).unwrap_or(u8::MAX);
        let change = Change::Granted { task, attempt, token, owner, lease };
        self.ledger.apply(change);
        self.take_slot(owner);
        let exec = Exec::first(task, attempt);
        let half = TimerKey::of(TimerKind::HalfDispatched, exec);
        match self.rules.dispatch {
            DispatchOrder::RecordFirst => self.record_grant(now, exec, change, Some(half), out),
            DispatchOrder::SendFirst => {
                self.raise_and_send(now, exec, out);
                self.volatile.unrecorded.push_back((exec, change, false));
                Self::timer_at(half, now.mono, out);
            }
        }
    }

    fn record_grant(
        &mut self,
        now: Now,
        exec: Exec,
        change: Change,
        then: Option<TimerKey>,
        out: &mut Vec<Output>,
    ) {
        let Change::Granted { task, token, owner, lease, .. } = change else { return };
        out.push(Output::Note(Note::TaskIs { task, state: TaskState::Running }));
        out.push(Output::Note(Note::Granted { exec, token, owner }));
        out.push(Output::Persist { change, then });
        if let Some(lease) = lease {
            self.note_bound(&lease);
            out.push(Output::Note(Note::LeaseStarted { exec, ends: lease.ends() }));
        } else if let Some(limit) = self.rules.lease.start_timeout {
            self.count_down(now, task, limit.after, Span::ZERO, out);
        }
        self.begin_limits(now, exec, out);
    }

    /// Records the grants that were sent and are not recorded yet: this one, or all of them. Whatever
    /// the order of their timers, tokens are recorded in the order in which they were given.
    fn record_sent(&mut self, now: Now, only: Option<Exec>, out: &mut Vec<Output>) {
        for (exec, _, due) in &mut self.volatile.unrecorded {
            *due |= only.is_none_or(|only| only == *exec);
        }
        while let Some((exec, change, true)) = self.volatile.unrecorded.front().copied() {
            self.volatile.unrecorded.pop_front();
            self.record_grant(now, exec, change, None, out);
        }
    }

    fn note_bound(&mut self, lease: &Lease) {
        let bound = match lease.clock().reads() {
            TimerClock::Wall => &mut self.volatile.earliest.wall,
            TimerClock::Mono | TimerClock::Process => &mut self.volatile.earliest.mono,
        };
        *bound = (*bound).min(lease.needs_a_look_at());
    }

    // --- messages ---

    fn receive(&mut self, now: Now, from: NodeId, message: Message, out: &mut Vec<Output>) {
        self.record_sent(now, None, out);
        match message {
            Message::Heartbeat { exec, token, tick, retry, stamp, step } => {
                let beat = Beat { tick, retry, stamp, step };
                self.heard(now, Heartbeat { from, exec, token, beat }, out)
            }
            Message::Delivered { exec, token } => self.delivered(now, exec, token, out),
            Message::Completed { exec, token, retry } => self.completed(now, from, exec, token, retry, out),
            Message::Failed { exec, token, cause } => self.failed(now, exec, token, cause, out),
            Message::Stopped { exec, token } => self.stopped(now, exec, token, out),
            _ if !WHOLE => {}
            Message::Operator { task, decision } => self.decide(now, task, decision, out),
            Message::Ask { exec, token, step, retry } => {
                let granted = self.permit(exec, token, out);
                let message = Message::MayCommit { exec, step, retry, granted };
                out.push(Output::Send { to: from, message });
            }
            Message::Reply { exec, answer, .. } => self.raise_answered(now, from, exec, answer, out),
            // Not for a scheduler.
            Message::Dispatch { .. }
            | Message::Kill { .. }
            | Message::HeartbeatReply { .. }
            | Message::CompletionReply { .. }
            | Message::Raise { .. }
            | Message::Request { .. }
            | Message::Look { .. }
            | Message::MayCommit { .. }
            | Message::Seen { .. }
            | Message::StoreCall { .. }
            | Message::StoreReply { .. } => {}
        }
    }

    /// The record of an attempt, if the token shown is its token.
    fn attempt(&self, exec: Exec, token: Token) -> Option<AttemptRecord> {
        self.ledger.attempt(exec.task, exec.attempt).copied().filter(|a| a.token == token)
    }

    // --- timers ---

    fn timer(&mut self, now: Now, key: TimerKey, out: &mut Vec<Output>) {
        // What is decided next may be about a grant that is sent and not yet recorded.
        if key.kind != TimerKind::HalfDispatched {
            self.record_sent(now, None, out);
        }
        match key.kind {
            TimerKind::Sweep => {
                self.sweep(now, out);
                self.next_sweep(now, out);
            }
            TimerKind::Due => {
                if self.ledger.task(key.exec.task).state == TaskState::Waiting {
                    self.fall_due(now, key.exec.task, out);
                }
            }
            TimerKind::Retry | TimerKind::Grace | TimerKind::HoldAlert | TimerKind::StartTimeout => {
                self.counted_down(now, key, out)
            }
            _ if !WHOLE => {}
            TimerKind::ProgressLimit | TimerKind::RunLimit => self.limit_reached(now, key, out),
            TimerKind::NextHeartbeat => self.next_heartbeat(now, out),
            TimerKind::HalfDispatched => self.record_sent(now, Some(key.exec), out),
            TimerKind::Error => self.send_error(key, out),
            TimerKind::RaiseTimeout => self.raise_timed_out(now, key, out),
            // Not a scheduler's.
            TimerKind::Beat
            | TimerKind::BeatTimeout
            | TimerKind::Compute
            | TimerKind::Deadline
            | TimerKind::CallTimeout
            | TimerKind::LockRetry
            | TimerKind::AckTimeout
            | TimerKind::LookTimeout
            | TimerKind::Serve
            | TimerKind::Apply
            | TimerKind::CarryOut
            | TimerKind::Lead
            | TimerKind::StoreTimeout
            | TimerKind::Launch => {}
        }
        self.fill_slots(now, out);
    }
}
