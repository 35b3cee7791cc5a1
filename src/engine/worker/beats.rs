//! Heartbeats, and what a worker believes of its leases because of them.

use super::{Execution, Phase, Worker, mono_timer};
use crate::WHOLE;
use crate::ids::Exec;
use crate::io::{Note, Output, TimerClock, TimerKey, TimerKind};
use crate::message::{Message, RenewalAnswer};
use crate::rules::{
    BeliefAnchor, BeliefClock, BeliefRules, HeartbeatRules, HeartbeatSource, LeaseScope, OnLoss, Period,
    Rules,
};
use crate::time::{Mono, Now, Span};

/// When the beats of an execution are due, and the call under way.
#[derive(Clone, Copy, Debug)]
pub(super) struct Beats {
    /// Tick `first` was due at `start` (tick 0 when the execution began); one more each interval.
    start: Mono,
    first: u32,
    every: Span,
    /// The next due tick.
    next: u32,
    /// The call under way.
    open: Option<Call>,
    /// A beat that fell due while the loop was blocked.
    starved: Option<u32>,
    /// A beat that waits for the call under way.
    waiting: Option<u32>,
    /// Renewals that failed one after another.
    failed: u8,
}

#[derive(Clone, Copy, Debug)]
struct Call {
    tick: u32,
    retry: u8,
    sent: Now,
}

/// A reading of one of the holder's own clocks.
#[derive(Clone, Copy, Debug)]
pub(super) struct Deadline {
    clock: BeliefClock,
    at: i64,
}

impl Deadline {
    /// The end of a lease of this length, counted from a holder's `start`.
    pub(super) fn after(start: Now, lease: Span, rules: &BeliefRules) -> Self {
        let from = Self { clock: rules.clock, at: 0 }.reading(start);
        Self { clock: rules.clock, at: from.saturating_add((lease - rules.gap).0) }
    }

    fn reading(self, now: Now) -> i64 {
        match self.clock {
            BeliefClock::Monotonic => now.mono.0,
            BeliefClock::Wall => now.wall.0,
        }
    }

    pub(super) fn believed(self, exec: Exec) -> Output {
        Output::Note(Note::Believes { exec, until: self.at, clock: self.clock })
    }
}

/// Until when a holder counts on its lease: advisory, the scheduler's record decides.
#[derive(Clone, Copy, Debug)]
pub(super) struct Belief {
    deadline: Deadline,
    told_lost: bool,
}

impl Belief {
    pub(super) fn until(deadline: Deadline) -> Self {
        Self { deadline, told_lost: false }
    }

    pub(super) fn lost(&self, now: Now) -> bool {
        self.told_lost || self.left(now) <= Span::ZERO
    }

    pub(super) fn is_told_lost(&self) -> bool {
        self.told_lost
    }

    /// How long the lease still lasts; nothing or less once it is over, or lost as far as it knows.
    pub(super) fn left(&self, now: Now) -> Span {
        let left = Span(self.deadline.at.saturating_sub(self.deadline.reading(now)));
        if self.told_lost { left.min(Span::ZERO) } else { left }
    }
}

impl Beats {
    pub(super) fn starting(now: Now, every: Span) -> Self {
        Self {
            start: now.mono,
            first: 0,
            every,
            next: 1,
            open: None,
            starved: None,
            waiting: None,
            failed: 0,
        }
    }

    /// Another interval counts from the tick that is due now.
    fn keep(&mut self, every: Span, now: Now) {
        if self.every != every {
            (self.start, self.first, self.every) = (now.mono, self.next, every);
        }
    }

    /// Ticks come by a timer from now on. Checkpoints may have used up more of them than were due.
    fn go_on(&mut self, every: Span, now: Now) {
        self.keep(every, now);
        let due = self.passed(now) + 1;
        if self.next > due {
            (self.start, self.first) = (now.mono, self.next - 1);
        } else {
            self.next = due;
        }
    }

    fn due(&self, tick: u32) -> Mono {
        self.start + self.every.times(i64::from(tick - self.first))
    }

    pub(super) fn next_due(&self) -> Mono {
        self.due(self.next)
    }

    /// As another execution takes them over: the call under way was not its own.
    pub(super) fn handed_over(self) -> Self {
        Self { open: None, starved: None, waiting: None, ..self }
    }

    /// The last tick due by now.
    fn passed(&self, now: Now) -> u32 {
        let more = (now.mono - self.start).0 / self.every.0.max(1);
        self.first.saturating_add(u32::try_from(more).unwrap_or(u32::MAX))
    }
}

impl Worker {
    pub(super) fn renewal_answered(
        &mut self,
        now: Now,
        exec: Exec,
        tick: u32,
        retry: u8,
        answer: RenewalAnswer,
        out: &mut Vec<Output>,
    ) {
        let Some(index) = self.index(exec) else {
            return;
        };
        let Rules { belief, heartbeat, on_loss, .. } = *self.rules;
        let execution = &mut self.running[index];
        if !execution.is_led() {
            return;
        }
        let call = execution.beats.open.filter(|call| call.tick == tick && call.retry == retry);
        match answer {
            RenewalAnswer::Error => {
                let key = TimerKey::numbered(TimerKind::BeatTimeout, exec, tick, retry);
                self.beat_timed_out(now, index, key, out);
            }
            RenewalAnswer::Renewed(length) => {
                let Some(call) = call else { return };
                execution.beats.open = None;
                execution.beats.failed = 0;
                let anchor = match belief.anchor {
                    BeliefAnchor::Send => call.sent,
                    BeliefAnchor::Reply => now,
                };
                let deadline = Deadline::after(anchor, length, &belief);
                for other in 0..self.running.len() {
                    if self.covers(index, other) {
                        self.believe(other, deadline, out);
                    }
                }
                if heartbeat.period == Period::FixedDelay {
                    self.beat_timer(&self.running[index], now.mono + heartbeat.every, out);
                }
                self.send_waiting(now, index, out);
            }
            RenewalAnswer::Unanswered => {}
            RenewalAnswer::Refused | RenewalAnswer::Stop => {
                let stops = matches!(on_loss, OnLoss::SelfFence | OnLoss::SelfFenceAfter(_));
                self.each_covered(index, |worker, index| {
                    let execution = &mut worker.running[index];
                    execution.belief.told_lost = true;
                    out.push(Output::Note(Note::ToldLost { exec: execution.id }));
                    if stops {
                        worker.stop_wrapper(index, out);
                    }
                });
            }
        }
    }

    fn believe(&mut self, index: usize, deadline: Deadline, out: &mut Vec<Output>) {
        let execution = &mut self.running[index];
        execution.belief.deadline = deadline;
        out.push(deadline.believed(execution.id));
        self.deadline_timer(&self.running[index], out);
    }

    /// Does something to every execution whose lease is this one's; it may end them.
    fn each_covered(&mut self, index: usize, mut act: impl FnMut(&mut Self, usize)) {
        let covered = (0..self.running.len()).filter(|other| self.covers(index, *other));
        let covered: Vec<Exec> = covered.map(|other| self.running[other].id).collect();
        for exec in covered {
            if let Some(index) = self.index(exec) {
                act(self, index);
            }
        }
    }

    pub(super) fn beat_due(&mut self, now: Now, index: usize, key: TimerKey, out: &mut Vec<Output>) {
        let HeartbeatRules { every, source, period, .. } = self.rules.heartbeat;
        let blocked = self.loop_is_busy();
        let execution = &self.running[index];
        // A timer of before the source was changed, and changed back, is not the one that counts.
        let beats = source.is_timed() && key.n == execution.beats.next && self.beats_itself(index);
        if !execution.is_led() || execution.belief.told_lost || !beats {
            return;
        }
        let execution = &mut self.running[index];
        let exec = execution.id;
        let tick = execution.beats.next;
        if period == Period::FixedRate {
            execution.beats.keep(every, now);
            let passed = execution.beats.passed(now);
            if passed > tick {
                let count = u16::try_from(passed - tick).unwrap_or(u16::MAX);
                out.push(Output::Note(Note::BeatsMissed { exec, first: tick + 1, count }));
            }
            execution.beats.next = passed.max(tick) + 1;
            let at = execution.beats.due(execution.beats.next);
            self.beat_timer(&self.running[index], at, out);
        } else {
            execution.beats.next += 1;
        }
        let execution = &mut self.running[index];
        if blocked && source == HeartbeatSource::TaskLoop {
            execution.beats.starved = Some(tick);
            out.push(Output::Note(Note::BeatStarved { exec, tick }));
        } else {
            self.beat(now, index, tick, out);
        }
    }

    /// The program is at a step that beats: of a session all have, by the one that carries it.
    pub(super) fn checkpoint(&mut self, now: Now, index: usize, out: &mut Vec<Output>) {
        let exec = self.running[index].id;
        let carrier = if self.is_session() { self.carrier() } else { Some(index) };
        let beats = |by: &usize| self.running[*by].is_led() && !self.running[*by].belief.told_lost;
        if self.rules.heartbeat.source == HeartbeatSource::Checkpoint
            && let Some(by) = carrier.filter(beats)
        {
            let tick = self.running[by].beats.next;
            self.running[by].beats.next += 1;
            self.beat(now, by, tick, out);
        }
        // It may have given up on its lease at that.
        if let Some(index) = self.index(exec) {
            self.advance(index, out);
        }
    }

    /// Sends beat `tick`, unless the call before it is still open.
    fn beat(&mut self, now: Now, index: usize, tick: u32, out: &mut Vec<Output>) {
        let call = self.rules.heartbeat.call;
        let execution = &self.running[index];
        let exec = execution.id;
        if let Some(open) = execution.beats.open {
            // One that is to be retried goes on, even if its time-out falls due with this beat.
            let is_over = call.timeout.is_some_and(|after| now.mono >= open.sent.mono + after);
            if !is_over || open.retry < call.retries {
                out.push(Output::Note(Note::BeatWaited { exec, tick }));
                self.running[index].beats.waiting = Some(tick);
                return;
            }
            self.renewal_failed(index, open.tick, out);
            if !self.is_led(exec) {
                return;
            }
        }
        self.send_beat(now, index, tick, 0, out);
    }

    fn send_beat(&mut self, now: Now, index: usize, tick: u32, retry: u8, out: &mut Vec<Output>) {
        let execution = &mut self.running[index];
        execution.beats.open = Some(Call { tick, retry, sent: now });
        execution.beats.waiting = execution.beats.waiting.filter(|waiting| *waiting > tick);
        let (exec, token, step) = (execution.id, execution.token, execution.step);
        self.send(Message::Heartbeat { exec, token, tick, retry, stamp: now.wall, step }, out);
        self.tell_progress(now, index, tick, out);
        if let Some(timeout) = self.rules.heartbeat.call.timeout {
            out.push(mono_timer(
                TimerKey::numbered(TimerKind::BeatTimeout, exec, tick, retry),
                now.mono + timeout,
            ));
        }
    }

    /// A call has failed: no answer in time, or an error.
    pub(super) fn beat_timed_out(&mut self, now: Now, index: usize, key: TimerKey, out: &mut Vec<Output>) {
        let execution = &self.running[index];
        let is_open = execution.beats.open.is_some_and(|call| call.tick == key.n && call.retry == key.retry);
        if !is_open || !execution.is_led() {
            return;
        }
        if key.retry < self.rules.heartbeat.call.retries {
            return self.send_beat(now, index, key.n, key.retry + 1, out);
        }
        let exec = key.exec;
        self.renewal_failed(index, key.n, out);
        if !self.is_led(exec) {
            return;
        }
        if self.rules.heartbeat.period == Period::FixedDelay {
            self.beat_timer(&self.running[index], now.mono + self.rules.heartbeat.every, out);
        }
        self.send_waiting(now, index, out);
    }

    /// The call before it has ended: the beat that waited for it leaves now.
    fn send_waiting(&mut self, now: Now, index: usize, out: &mut Vec<Output>) {
        if let Some(tick) = self.running[index].beats.waiting.take() {
            self.send_beat(now, index, tick, 0, out);
        }
    }

    /// Other rules are in force: what they ask for from now on and the old ones did not.
    pub(super) fn obey_from_now_on(&mut self, before: &Rules, now: Now, out: &mut Vec<Output>) {
        if !WHOLE {
            return;
        }
        let fences = before.on_loss != OnLoss::SelfFence;
        let beats = !before.heartbeat.source.is_timed() && self.rules.heartbeat.source.is_timed();
        let carried =
            before.lease.scope == LeaseScope::Worker && self.rules.lease.scope == LeaseScope::Attempt;
        let carrier = self.session.as_ref().map(|session| session.carrier());
        for index in 0..self.running.len() {
            if !self.running[index].is_led() {
                continue;
            }
            if fences {
                self.deadline_timer(&self.running[index], out);
            }
            // At a fixed delay the next beat waits for the answer; at a fixed rate for nothing.
            let waits = before.heartbeat.period == Period::FixedDelay
                && self.rules.heartbeat.period == Period::FixedRate
                && self.running[index].beats.open.is_some();
            // Those that another has beaten for begin to beat for themselves.
            if beats || waits || carried && carrier != Some(self.running[index].id) {
                let beats = &mut self.running[index].beats;
                beats.go_on(self.rules.heartbeat.every, now);
                let at = beats.due(beats.next);
                self.beat_timer(&self.running[index], at, out);
            }
        }
    }

    fn renewal_failed(&mut self, index: usize, tick: u32, out: &mut Vec<Output>) {
        let execution = &mut self.running[index];
        execution.beats.open = None;
        execution.beats.failed = execution.beats.failed.saturating_add(1);
        out.push(Output::Note(Note::RenewalFailed { exec: execution.id, tick }));
        if matches!(self.rules.on_loss, OnLoss::SelfFenceAfter(n) if execution.beats.failed >= n) {
            self.each_covered(index, |worker, index| worker.stop_wrapper(index, out));
        }
    }

    pub(super) fn deadline_due(&mut self, now: Now, index: usize, out: &mut Vec<Output>) {
        let execution = &self.running[index];
        if self.rules.on_loss == OnLoss::SelfFence && execution.is_led() && execution.belief.lost(now) {
            self.stop_wrapper(index, out);
        }
    }

    fn loop_is_busy(&self) -> bool {
        self.held.is_some() || self.running.iter().any(|execution| execution.phase == Phase::Blocking)
    }

    /// The loop is free again: beats that fell due meanwhile leave now.
    pub(super) fn release_starved(&mut self, now: Now, out: &mut Vec<Output>) {
        if self.loop_is_busy() {
            return;
        }
        for index in 0..self.running.len() {
            if let Some(tick) = self.running[index].beats.starved.take()
                && self.running[index].is_led()
            {
                self.beat(now, index, tick, out);
            }
        }
    }

    pub(super) fn beat_timer(&self, execution: &Execution, at: Mono, out: &mut Vec<Output>) {
        if !self.rules.heartbeat.source.is_timed() {
            return;
        }
        out.push(Output::Timer {
            key: TimerKey::numbered(TimerKind::Beat, execution.id, execution.beats.next, 0),
            clock: TimerClock::Mono,
            at: at.0,
            spread: self.rules.heartbeat.jitter,
        });
    }

    pub(super) fn deadline_timer(&self, execution: &Execution, out: &mut Vec<Output>) {
        if self.rules.on_loss == OnLoss::SelfFence {
            let Deadline { clock, at } = execution.belief.deadline;
            let key = TimerKey::of(TimerKind::Deadline, execution.id);
            out.push(Output::Timer { key, clock: clock.reads(), at, spread: Span::ZERO });
        }
    }
}
