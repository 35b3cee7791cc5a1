//! Heartbeats: whose leases they renew.

use super::Scheduler;
use crate::ids::{Exec, NodeId, TaskId, Token};
use crate::io::{Note, Output, TimerKey, TimerKind};
use crate::lease::Lease;
use crate::ledger::{AttemptRecord, AttemptState, Change, Ledger};
use crate::message::{Message, RenewalAnswer};
use crate::rules::{LateRenewal, LeaseScope, LeaseStart, Rules};
use crate::time::{Mono, Now, Wall};
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
        let Heartbeat { from, exec, token, beat } = heartbeat;
        self.volatile.heartbeats.busy = self.rules.heartbeat.handling().map(|time| now.mono + time);
        let answer = match self.rules.lease.scope {
            LeaseScope::Attempt => self.renew(now, (exec, token), beat, out),
            LeaseScope::Worker => self.renew_session(now, from, (exec, token), beat, out),
        };
        let Beat { tick, retry, .. } = beat;
        out.push(Output::Send { to: from, message: Message::HeartbeatReply { exec, tick, retry, answer } });
    }

    fn renew(
        &mut self,
        now: Now,
        (exec, token): (Exec, Token),
        Beat { tick, stamp, step, .. }: Beat,
        out: &mut Vec<Output>,
    ) -> RenewalAnswer {
        let record = self.attempt(exec, token);
        let answer = record.map_or(RenewalAnswer::Refused, |record| self.judge_renewal(now, &record));
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
            RenewalAnswer::Refused | RenewalAnswer::Stop => {
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
        let is_renewed = |record: &AttemptRecord| {
            record.token >= token && matches!(self.judge_renewal(now, record), RenewalAnswer::Renewed(_))
        };
        let held: Vec<_> = self.ledger.held_by(from).filter(|(_, record)| is_renewed(record)).collect();
        if held.is_empty() {
            return self.renew(now, (exec, token), beat, out);
        }
        for (of, record) in held {
            let step = if of == exec { beat.step } else { record.step };
            self.renew(now, (of, record.token), Beat { step, ..beat }, out);
        }
        RenewalAnswer::Renewed(self.rules.lease.duration)
    }

    /// The lease that a new holder begins with: a new one, or the one its worker's session has.
    pub(super) fn lease_for(&self, now: Now, owner: NodeId) -> Lease {
        let of_session = || {
            let mut leases = self.ledger.held_by(owner).filter_map(|(_, record)| record.lease);
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
                self.ledger.held_by(owner).filter(runs).map(|(of, _)| of).collect()
            }
            _ => vec![exec],
        }
    }

    fn judge_renewal(&self, now: Now, record: &AttemptRecord) -> RenewalAnswer {
        judged(&self.rules, record, record.lease.is_some_and(|lease| self.is_over(now, &lease)))
    }

    /// Takes over what the store has renewed since it was read last, and counts the progress it heard of
    /// from now.
    pub(super) fn read_renewals(&mut self, now: Now, stored: &Ledger, out: &mut Vec<Output>) {
        for index in 0..self.tasks.len() {
            let task = TaskId(u16::try_from(index).unwrap_or(u16::MAX));
            let attempts = &self.ledger.task(task).attempts;
            let attempt = u8::try_from(attempts.len()).unwrap_or(u8::MAX);
            let (Some(own), Some(there)) = (attempts.last().copied(), stored.attempt(task, attempt)) else {
                continue;
            };
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
