//! What silence means: sweeps that find expired leases, what is done with them, and the waits in
//! between.

use super::{Earliest, Scheduler};
use crate::WHOLE;
use crate::ids::{Exec, TaskId};
use crate::io::{Note, Output, SuccessBy, TimerClock, TimerKey, TimerKind};
use crate::lease::Lease;
use crate::ledger::{AttemptRecord, AttemptState, Change, Countdown, TaskState};
use crate::message::{Decision, FailCause, Message};
use crate::rules::{ExpiryPolicy, RetryRules, Signal};
use crate::time::{Now, Span};

impl Scheduler {
    /// Looks for expired leases and does what the policy says.
    pub(super) fn sweep(&mut self, now: Now, out: &mut Vec<Output>) {
        let suspicious = self.clock_is_suspicious(now);
        let Earliest { wall, mono } = self.volatile.earliest;
        if !suspicious && now.wall.0 < wall && now.mono.0 < mono {
            return;
        }
        self.volatile.earliest = Earliest { wall: i64::MAX, mono: i64::MAX };
        let mut over = Vec::new();
        for index in 0..self.tasks.len() {
            let task = TaskId(u16::try_from(index).unwrap_or(u16::MAX));
            let record = self.ledger.task(task);
            let Some((attempt, last)) = record.holder().filter(|(_, a)| a.state == AttemptState::Running)
            else {
                continue;
            };
            let Some(lease) = last.lease else { continue };
            let exec = Exec::first(task, attempt);
            if suspicious {
                self.guard(now, exec, lease, out);
            } else if self.is_over(now, &lease) && self.rules.sweep.most.is_some() {
                over.push((exec, lease));
            } else if self.is_over(now, &lease) {
                self.end_lease(now, exec, lease, out);
            } else {
                self.observe(now, exec, lease, out);
            }
        }
        self.end_oldest(now, over, out);
    }

    fn end_lease(&mut self, now: Now, exec: Exec, lease: Lease, out: &mut Vec<Output>) {
        out.push(Output::Note(Note::Expired { exec, ends: lease.ends() }));
        self.expire(now, exec, out);
    }

    /// As many as one sweep may end, those first that have been over for longest; the next sweep finds the rest.
    fn end_oldest(&mut self, now: Now, mut over: Vec<(Exec, Lease)>, out: &mut Vec<Output>) {
        over.sort_by_key(|(_, lease)| lease.ends());
        let most =
            self.rules.sweep.most.map_or(over.len(), |most| usize::try_from(most).unwrap_or(usize::MAX));
        for (place, (exec, lease)) in over.into_iter().enumerate() {
            if place < most {
                self.end_lease(now, exec, lease, out);
            } else {
                self.note_bound(&lease);
            }
        }
    }

    /// Leaves a lease that runs; an observer that sees it changed begins to count.
    fn observe(&mut self, now: Now, exec: Exec, lease: Lease, out: &mut Vec<Output>) {
        let lease = match lease.observed(now, self.volatile.boot, self.rules.lease.duration) {
            Some(counted) => {
                self.persist(Change::LeaseIs { task: exec.task, attempt: exec.attempt, lease: counted }, out);
                out.push(Output::Note(Note::Observed { exec, ends: counted.ends() }));
                counted
            }
            None => lease,
        };
        self.note_bound(&lease);
    }

    pub(super) fn next_sweep(&mut self, now: Now, out: &mut Vec<Output>) {
        let every = self.rules.sweep.every;
        let due = match self.volatile.swept {
            // Ticks missed while the process did not run are not made up.
            Some((_, due)) => {
                let behind = (now.mono - due).0.max(0) / every.0.max(1);
                due + every.times(behind + 1)
            }
            None => now.mono + every,
        };
        self.volatile.swept = Some((now, due));
        out.push(Output::Lead);
        Self::timer_at(TimerKey::of(TimerKind::Sweep, Exec::default()), due, out);
    }

    /// The jump guard: the clocks disagree about how long it is since the last sweep, or this sweep
    /// is late. Either way silence proves even less than usual.
    fn clock_is_suspicious(&self, now: Now) -> bool {
        let (Some(limit), Some((before, due))) = (self.rules.sweep.jump_guard, self.volatile.swept) else {
            return false;
        };
        let disagreement = (now.wall - before.wall) - (now.mono - before.mono);
        disagreement.0.abs() > limit.0 || now.mono - due > limit
    }

    fn guard(&mut self, now: Now, exec: Exec, lease: Lease, out: &mut Vec<Output>) {
        let lease = match lease.guarded(now, self.volatile.boot, self.rules.lease.duration) {
            Some(clean) => {
                self.persist(Change::LeaseIs { task: exec.task, attempt: exec.attempt, lease: clean }, out);
                out.push(Output::Note(Note::Guarded { exec, ends: clean.ends() }));
                clean
            }
            None => lease,
        };
        self.note_bound(&lease);
    }

    pub(super) fn policy(&self, task: TaskId) -> ExpiryPolicy {
        self.tasks[usize::from(task.0)].expiry.unwrap_or(self.rules.expiry)
    }

    pub(super) fn expire(&mut self, now: Now, exec: Exec, out: &mut Vec<Output>) {
        if !WHOLE {
            return self.time_out(now, exec, out);
        }
        match self.policy(exec.task) {
            ExpiryPolicy::Redispatch => self.time_out(now, exec, out),
            ExpiryPolicy::Grace(grace) => self.stop_within(now, exec, grace, out),
            ExpiryPolicy::Hold { alert_after } => {
                self.hold(exec, out);
                self.count_down(now, exec.task, alert_after, Span::ZERO, out);
            }
            ExpiryPolicy::Cancel { after: Some(after) } => {
                self.stop_within(now, exec, after, out);
                self.ask_to_kill(exec, out);
            }
            ExpiryPolicy::Cancel { after: None } => {
                self.hold(exec, out);
                self.ask_to_kill(exec, out);
            }
            ExpiryPolicy::Fail => {
                self.record_time_out(exec, out);
                if !self.ledger.task(exec.task).state.is_terminal() {
                    self.set_task(exec.task, TaskState::Failed, out);
                }
            }
        }
    }

    /// An attempt that took too long is treated as one whose lease is over, and its worker told, if it is
    /// to be and the policy does not do so.
    pub(super) fn give_up(&mut self, now: Now, exec: Exec, signal: Signal, out: &mut Vec<Output>) {
        if signal == Signal::Kill && !matches!(self.policy(exec.task), ExpiryPolicy::Cancel { .. }) {
            self.ask_to_kill(exec, out);
        }
        self.expire(now, exec, out);
    }

    /// Waits for the worker to stop, and re-dispatches after this long whether it has or not.
    fn stop_within(&mut self, now: Now, exec: Exec, wait: Span, out: &mut Vec<Output>) {
        let (task, attempt) = (exec.task, exec.attempt);
        self.persist(Change::AttemptIs { task, attempt, state: AttemptState::Stopping }, out);
        out.push(Output::Note(Note::StopAsked { exec }));
        self.count_down(now, task, wait, Span::ZERO, out);
    }

    fn hold(&mut self, exec: Exec, out: &mut Vec<Output>) {
        let (task, attempt) = (exec.task, exec.attempt);
        self.persist(Change::AttemptIs { task, attempt, state: AttemptState::Held }, out);
        out.push(Output::Note(Note::HeldForOperator { exec }));
    }

    pub(super) fn time_out(&mut self, now: Now, exec: Exec, out: &mut Vec<Output>) {
        self.record_time_out(exec, out);
        self.retry(now, exec, out);
    }

    fn record_time_out(&mut self, exec: Exec, out: &mut Vec<Output>) {
        self.close(exec, AttemptState::TimedOut, out);
        out.push(Output::Note(Note::AttemptTimedOut { exec }));
    }

    /// Queues the next attempt after its delay, or fails the task if none is left.
    pub(super) fn retry(&mut self, now: Now, exec: Exec, out: &mut Vec<Output>) {
        if self.ledger.task(exec.task).state.is_terminal() {
            return;
        }
        if self.has_none_left(exec.task) {
            return self.set_task(exec.task, TaskState::Failed, out);
        }
        self.set_task(exec.task, TaskState::Queued, out);
        let since = exec.attempt.saturating_sub(self.ledger.task(exec.task).before);
        let (wait, spread) = self.rules.retry.delay.after(since);
        if wait == Span::ZERO && spread == Span::ZERO {
            self.volatile.ready.push_back(exec.task);
        } else {
            self.count_down(now, exec.task, wait, spread, out);
        }
    }

    /// Whether a task has used up its attempts; no task has more of them than can be numbered.
    fn has_none_left(&self, task: TaskId) -> bool {
        let RetryRules { attempts, expiry_counts, .. } = self.rules.retry;
        let record = self.ledger.task(task);
        let had = &record.attempts;
        let counts = |a: &&AttemptRecord| expiry_counts || a.state == AttemptState::Failed;
        had.len() >= usize::from(u8::MAX)
            || had.iter().skip(usize::from(record.before)).filter(counts).count() >= usize::from(attempts)
    }

    /// What a task waits for, if its record has a countdown.
    fn awaited(&self, task: TaskId) -> Option<TimerKey> {
        let record = self.ledger.task(task);
        let (attempt, last) = record.holder()?;
        let kind = match (last.state, record.state) {
            // Also of a task that has ended otherwise: its attempt keeps a slot until it is closed.
            (AttemptState::Stopping, _) => TimerKind::Grace,
            (AttemptState::Held, TaskState::Running) => TimerKind::HoldAlert,
            (AttemptState::Running, TaskState::Running) if last.lease.is_none() => TimerKind::StartTimeout,
            (_, TaskState::Queued) => TimerKind::Retry,
            _ => return None,
        };
        Some(TimerKey::of(kind, Exec::first(task, attempt)))
    }

    /// Starts the wait that belongs to the task's new state.
    pub(super) fn count_down(
        &mut self,
        now: Now,
        task: TaskId,
        length: Span,
        spread: Span,
        out: &mut Vec<Output>,
    ) {
        let countdown = Countdown::starting(now, self.volatile.boot, length, spread);
        self.persist(Change::CountdownIs { task, countdown: Some(countdown) }, out);
        self.set_countdown(task, countdown, out);
    }

    fn set_countdown(&self, task: TaskId, countdown: Countdown, out: &mut Vec<Output>) {
        if let Some(key) = self.awaited(task) {
            let (at, spread) = (countdown.ends().0, countdown.spread);
            out.push(Output::Timer { key, clock: TimerClock::Mono, at, spread });
        }
    }

    /// After a restart a wait ends when it would have; under another boot nobody knows how much of it
    /// has passed.
    pub(super) fn go_on_waiting(&mut self, now: Now, task: TaskId, out: &mut Vec<Output>) {
        let Some(before) = self.ledger.task(task).countdown else { return };
        let countdown = before.under(now, self.volatile.boot);
        if countdown != before {
            self.persist(Change::CountdownIs { task, countdown: Some(countdown) }, out);
        }
        self.set_countdown(task, countdown, out);
    }

    pub(super) fn counted_down(&mut self, now: Now, key: TimerKey, out: &mut Vec<Output>) {
        let TimerKey { kind, exec, .. } = key;
        let is_over = self.ledger.task(exec.task).countdown.is_some_and(|wait| wait.ends() <= now.mono);
        // An attempt that was held, revived and held again has an older alert on its way.
        if !is_over || self.awaited(exec.task) != Some(key) {
            return;
        }
        self.persist(Change::CountdownIs { task: exec.task, countdown: None }, out);
        match kind {
            TimerKind::Retry => self.volatile.ready.push_back(exec.task),
            TimerKind::Grace => self.time_out(now, exec, out),
            TimerKind::StartTimeout => {
                let signal = self.rules.lease.start_timeout.map_or(Signal::None, |limit| limit.signal);
                self.give_up(now, exec, signal, out);
            }
            _ => out.push(Output::Note(Note::HoldAlert { exec })),
        }
    }

    pub(super) fn decide(&mut self, now: Now, task: TaskId, decision: Decision, out: &mut Vec<Output>) {
        if self.ledger.task(task).state.is_terminal() {
            if decision == Decision::Rerun {
                self.reopen(task, out);
                self.fill_slots(now, out);
            }
            return;
        }
        let attempt = self.ledger.task(task).holder().map_or(0, |(attempt, _)| attempt);
        let exec = Exec::first(task, attempt);
        let open = self.ledger.attempt(task, attempt).is_some_and(|a| a.state.is_open());
        match decision {
            Decision::Redispatch if open => self.time_out(now, exec, out),
            Decision::Extend if open => {
                self.persist(Change::AttemptIs { task, attempt, state: AttemptState::Running }, out);
                self.leased_with(exec).into_iter().for_each(|exec| self.start_lease(now, exec, out));
            }
            // Given to another worker when its worker confirms; held or judged as before until then.
            Decision::Cancel => self.ask_to_kill(exec, out),
            Decision::Redispatch | Decision::Extend | Decision::Rerun => {}
            Decision::Fail => {
                if open {
                    self.close(exec, AttemptState::Failed, out);
                    out.push(Output::Note(Note::AttemptFailed { exec, cause: FailCause::Operator }));
                }
                self.end_by_decision(task, TaskState::Failed, out);
            }
            Decision::Succeed => {
                if open {
                    self.close(exec, AttemptState::Succeeded, out);
                    out.push(Output::Note(Note::AttemptSucceeded { exec, by: SuccessBy::Operator }));
                }
                self.end_by_decision(task, TaskState::Succeeded, out);
            }
        }
        self.fill_slots(now, out);
    }

    /// A task that has ended is run once more, with its attempts counted anew. One that is still open is
    /// given up.
    fn reopen(&mut self, task: TaskId, out: &mut Vec<Output>) {
        let record = self.ledger.task(task);
        let last = u8::try_from(record.attempts.len()).unwrap_or(u8::MAX);
        // Attempts are numbered on, and their numbers are small.
        if last.checked_add(self.rules.retry.attempts).is_none() {
            return;
        }
        if record.attempts.last().is_some_and(|attempt| attempt.state.is_open()) {
            self.record_time_out(Exec::first(task, last), out);
        }
        self.persist(Change::Reopened { task }, out);
        self.take_back_permit(task, None);
        let generation = self.ledger.task(task).generation;
        out.push(Output::Note(Note::Reopened { task, generation }));
        self.enqueue(task, out);
    }

    fn end_by_decision(&mut self, task: TaskId, state: TaskState, out: &mut Vec<Output>) {
        self.volatile.ready.retain(|waiting| *waiting != task);
        self.volatile.awaiting.retain(|waiting| *waiting != task);
        self.set_task(task, state, out);
    }

    pub(super) fn ask_to_kill(&self, exec: Exec, out: &mut Vec<Output>) {
        if let Some(record) = self.ledger.attempt(exec.task, exec.attempt).filter(|a| a.state.is_open()) {
            let on = record.owner;
            let message = Message::Kill { exec, token: record.token, on };
            out.push(Output::Note(Note::KillAsked { exec }));
            out.push(Output::Send { to: self.executor.unwrap_or(on), message });
        }
    }
}
