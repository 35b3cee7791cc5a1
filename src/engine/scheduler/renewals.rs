//! Heartbeats: whose leases they renew.

use super::Scheduler;
use crate::WHOLE;
use crate::ids::{Exec, NodeId, TaskId, Token};
use crate::io::{FailEffect, Failing, Note, Output, TimerKey, TimerKind};
use crate::lease::Lease;
use crate::ledger::{AttemptRecord, AttemptState, Change, Ledger};
use crate::message::{Message, RenewalAnswer};
use crate::rules::{LateRenewal, LeaseScope, LeaseStart, OwnerBy, Rules};
use crate::time::{Mono, Now, Span, Wall};
use std::collections::VecDeque;

/// What a heartbeat says beside whose it is.
#[derive(Clone, Copy, Debug)]
pub(super) struct Beat {
    pub(super) tick: u32,
    pub(super) retry: u8,
    pub(super) stamp: Wall,
    pub(super) step: u8,
}

#[derive(Clone, Copy, Debug)]
pub(super) struct Heartbeat {
    pub(super) from: NodeId,
    pub(super) exec: Exec,
    pub(super) token: Token,
    pub(super) beat: Beat,
}

/// Those that have arrived and wait; a sweep does not see them.
#[derive(Clone, Debug, Default)]
pub(super) struct Heartbeats {
    waiting: VecDeque<Heartbeat>,
    /// Until when it is busy with the one before.
    busy: Option<Mono>,
}

impl Scheduler {
    /// A heartbeat arrives: it is handled at once, or after those before it.
    pub(super) fn heard(&mut self, now: Now, heartbeat: Heartbeat, out: &mut Vec<Output>) {
        if !WHOLE {
            return self.handle_heartbeat(now, heartbeat, out);
        }
        let Heartbeats { waiting, busy } = &mut self.volatile.heartbeats;
        let free = busy.filter(|free| now.mono < *free || !waiting.is_empty());
        let (Some(_), Some(free)) = (self.rules.heartbeat.capacity, free) else {
            return self.handle_heartbeat(now, heartbeat, out);
        };
        let Heartbeat { exec, beat: Beat { tick, .. }, .. } = heartbeat;
        let ahead = u32::try_from(waiting.len()).unwrap_or(u32::MAX);
        if ahead == 0 {
            Self::timer_at(TimerKey::of(TimerKind::NextHeartbeat, Exec::default()), free, out);
        }
        waiting.push_back(heartbeat);
        out.push(Output::Note(Note::BeatQueued { exec, tick, ahead }));
    }

    /// The one before is done: the next, or all that wait if there is no capacity any more.
    pub(super) fn next_heartbeat(&mut self, now: Now, out: &mut Vec<Output>) {
        while let Some(heartbeat) = self.volatile.heartbeats.waiting.pop_front() {
            self.handle_heartbeat(now, heartbeat, out);
            let Heartbeats { waiting, busy } = &self.volatile.heartbeats;
            if let Some(free) = busy {
                if !waiting.is_empty() {
                    Self::timer_at(TimerKey::of(TimerKind::NextHeartbeat, Exec::default()), *free, out);
                }
                return;
            }
        }
    }

    fn handle_heartbeat(&mut self, now: Now, heartbeat: Heartbeat, out: &mut Vec<Output>) {
        let Heartbeat { from, exec: shown, token, beat } = heartbeat;
        let (exec, token) = self.meant(from, shown, token);
        self.volatile.heartbeats.busy = self.rules.heartbeat.handling().map(|time| now.mono + time);
        let Beat { tick, retry, .. } = beat;
        let fails_idly = WHOLE && self.failing.is_some_and(|failing| failing.effect == FailEffect::Nothing);
        let answer = match self.rules.lease.scope {
            _ if fails_idly => RenewalAnswer::Error,
            _ if !WHOLE => self.renew(now, (exec, token), beat, out),
            LeaseScope::Attempt => self.renew(now, (exec, token), beat, out),
            LeaseScope::Worker => self.renew_session(now, from, (exec, token), beat, out),
        };
        if let Some(failing) = self.failing.filter(|_| WHOLE) {
            return self.answer_badly(now, failing, from, (shown, tick, retry), out);
        }
        if answer != RenewalAnswer::Unanswered {
            let message = Message::HeartbeatReply { exec: shown, tick, retry, answer };
            out.push(Output::Send { to: from, message });
        }
    }

    /// An error in place of the answer, at once or later.
    fn answer_badly(
        &mut self,
        now: Now,
        Failing { held, effect }: Failing,
        to: NodeId,
        (exec, tick, retry): (Exec, u32, u8),
        out: &mut Vec<Output>,
    ) {
        out.push(Output::Note(Note::Errored { exec, n: tick, effect }));
        let message = Message::HeartbeatReply { exec, tick, retry, answer: RenewalAnswer::Error };
        if held <= Span::ZERO {
            return out.push(Output::Send { to, message });
        }
        let key = TimerKey::numbered(TimerKind::Error, exec, tick, retry);
        self.volatile.errors.push((key, to, message));
        Self::timer_at(key, now.mono + held, out);
    }

    pub(super) fn send_error(&mut self, key: TimerKey, out: &mut Vec<Output>) {
        if let Some(at) = self.volatile.errors.iter().position(|(of, ..)| *of == key) {
            let (_, to, message) = self.volatile.errors.remove(at);
            out.push(Output::Send { to, message });
        }
    }

    fn renew(
        &mut self,
        now: Now,
        (exec, token): (Exec, Token),
        Beat { tick, stamp, step, .. }: Beat,
        out: &mut Vec<Output>,
    ) -> RenewalAnswer {
        let record = self.attempt(exec, token);
        let answer = match record {
            Some(record) if WHOLE && self.returns(now, exec, &record) => {
                self.reconcile(now, exec, record, out)
            }
            Some(record) => self.judge_renewal(now, exec, &record),
            None => RenewalAnswer::Refused,
        };
        match answer {
            RenewalAnswer::Renewed(length) => {
                let lease = Lease::renewed(now, stamp, self.volatile.boot, self.rules.lease.clock, length);
                if record.is_some_and(|record| record.state == AttemptState::Held) {
                    let state = AttemptState::Running;
                    self.persist(Change::AttemptIs { task: exec.task, attempt: exec.attempt, state }, out);
                }
                self.persist(Change::LeaseIs { task: exec.task, attempt: exec.attempt, lease }, out);
                // A lease that moves back after a clock step must still be found in time.
                self.note_bound(&lease);
                out.push(Output::Note(Note::Renewed { exec, tick, ends: lease.ends() }));
                self.heard_at(now, exec, step, out);
            }
            RenewalAnswer::Refused
            | RenewalAnswer::Stop
            | RenewalAnswer::Error
            | RenewalAnswer::Unanswered => {
                out.push(Output::Note(Note::Refused { exec, tick, answer }));
            }
        }
        answer
    }

    /// Renews all that the worker holds, but what it held before it lost its memory: that has lower
    /// tokens than the one shown. The answer is about the session: of one that is lost it says nothing.
    fn renew_session(
        &mut self,
        now: Now,
        from: NodeId,
        (exec, token): (Exec, Token),
        beat: Beat,
        out: &mut Vec<Output>,
    ) -> RenewalAnswer {
        let is_renewed = |(of, record): &(Exec, AttemptRecord)| {
            (record.token >= token || self.rules.owner == OwnerBy::Name)
                && matches!(self.judge_renewal(now, *of, record), RenewalAnswer::Renewed(_))
        };
        let held: Vec<_> = self.held_by(from).filter(is_renewed).collect();
        if held.is_empty() {
            return self.renew(now, (exec, token), beat, out);
        }
        for (of, record) in held {
            let step = if of == exec { beat.step } else { record.step };
            self.renew(now, (of, record.token), Beat { step, ..beat }, out);
        }
        RenewalAnswer::Renewed(self.rules.lease.duration)
    }

    /// The open attempts of a worker.
    fn held_by(&self, owner: NodeId) -> impl Iterator<Item = (Exec, AttemptRecord)> {
        self.ledger.held_by(move |node| self.is_same(node, owner))
    }

    /// The lease that a new holder begins with: a new one, or the one its worker's session has.
    pub(super) fn lease_for(&self, now: Now, owner: NodeId) -> Lease {
        let of_session = || {
            let mut leases = self.held_by(owner).filter_map(|(_, record)| record.lease);
            leases.find(|lease| !self.is_over(now, lease))
        };
        let found = (self.rules.lease.scope == LeaseScope::Worker).then(of_session).flatten();
        found.unwrap_or_else(|| self.new_lease(now))
    }

    /// An attempt, and what has its lease in common with it.
    pub(super) fn leased_with(&self, exec: Exec) -> Vec<Exec> {
        let owner = self.ledger.attempt(exec.task, exec.attempt).map(|record| record.owner);
        match (self.rules.lease.scope, owner) {
            (LeaseScope::Worker, Some(owner)) => {
                let runs = |(of, record): &(Exec, AttemptRecord)| {
                    *of == exec || record.state == AttemptState::Running
                };
                self.held_by(owner).filter(runs).map(|(of, _)| of).collect()
            }
            _ => vec![exec],
        }
    }

    fn judge_renewal(&self, now: Now, exec: Exec, record: &AttemptRecord) -> RenewalAnswer {
        // What is held because it takes too long no heartbeat revives.
        if record.state == AttemptState::Held && self.is_overdue(now, exec, record) {
            return RenewalAnswer::Refused;
        }
        judged(&self.rules, record, record.lease.is_some_and(|lease| self.is_over(now, &lease)))
    }

    /// Takes over what the store has renewed since it was read last, and counts the progress it heard of
    /// from now.
    pub(super) fn read_renewals(&mut self, now: Now, stored: &Ledger, out: &mut Vec<Output>) {
        for index in 0..self.tasks.len() {
            let task = TaskId(u16::try_from(index).unwrap_or(u16::MAX));
            let Some((attempt, own)) = self.ledger.task(task).holder().map(|(n, own)| (n, *own)) else {
                continue;
            };
            let Some(there) = stored.attempt(task, attempt) else { continue };
            if own.token != there.token || !own.state.is_open() {
                continue;
            }
            if (own.state, there.state) == (AttemptState::Held, AttemptState::Running) {
                self.ledger.apply(Change::AttemptIs { task, attempt, state: AttemptState::Running });
            }
            if let Some(lease) = there.lease.filter(|lease| own.lease != Some(*lease)) {
                self.ledger.apply(Change::LeaseIs { task, attempt, lease });
                self.note_bound(&lease);
            }
            self.heard_at(now, Exec::first(task, attempt), there.step, out);
        }
    }

    pub(super) fn delivered(&mut self, now: Now, exec: Exec, token: Token, out: &mut Vec<Output>) {
        let Some(record) = self.attempt(exec, token).filter(|a| a.state.is_open() && !a.delivered) else {
            return;
        };
        self.persist(Change::Delivered { task: exec.task, attempt: exec.attempt }, out);
        out.push(Output::Note(Note::DeliveryRecorded { exec }));
        if record.lease.is_none() && self.rules.lease.start == LeaseStart::Delivery {
            self.lease_is(exec, self.lease_for(now, record.owner), out);
        }
    }
}

/// What becomes of a renewal, given whether its lease is over.
pub(crate) fn judged(rules: &Rules, record: &AttemptRecord, is_over: bool) -> RenewalAnswer {
    let revives = rules.lease.late_renewal == LateRenewal::Revive;
    let renewed = RenewalAnswer::Renewed(rules.lease.duration);
    match record.state {
        AttemptState::Stopping => RenewalAnswer::Stop,
        AttemptState::Held if revives => renewed,
        AttemptState::Running => match record.lease {
            Some(_) if is_over && !revives => RenewalAnswer::Refused,
            None if rules.lease.start == LeaseStart::Delivery => RenewalAnswer::Refused,
            _ => renewed,
        },
        AttemptState::Held
        | AttemptState::Succeeded
        | AttemptState::Failed
        | AttemptState::TimedOut
        | AttemptState::Orphaned
        | AttemptState::Withdrawn => RenewalAnswer::Refused,
    }
}
