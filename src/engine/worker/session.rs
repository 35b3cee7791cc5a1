//! One lease for all that a worker holds: one of its executions beats for all of them.

use super::{Execution, Worker, beats::Beats};
use crate::WHOLE;
use crate::ids::Exec;
use crate::io::Output;
use crate::message::Message;
use crate::rules::{LeaseScope, Period};
use crate::time::Now;

/// Who beats for all, and its beats so far: they go on when another takes over.
#[derive(Clone, Copy, Debug)]
pub(super) struct Session {
    carrier: Exec,
    beats: Beats,
}

impl Session {
    pub(super) fn carrier(&self) -> Exec {
        self.carrier
    }
}

impl Worker {
    pub(super) fn is_session(&self) -> bool {
        WHOLE && self.rules.lease.scope == LeaseScope::Worker
    }

    /// Of those that count on their lease, the one with the lowest token.
    pub(super) fn carrier(&self) -> Option<usize> {
        let counts =
            |index: &usize| self.running[*index].is_led() && !self.running[*index].belief.is_told_lost();
        (0..self.running.len()).filter(counts).min_by_key(|index| self.running[*index].token)
    }

    /// Whether it sends the beats that fall due.
    pub(super) fn beats_itself(&self, index: usize) -> bool {
        !self.is_session() || self.carrier() == Some(index)
    }

    /// Whether one that begins now begins to beat, too.
    pub(super) fn begins_to_beat(&self) -> bool {
        self.rules.heartbeat.source.is_timed() && !(self.is_session() && self.session.is_some())
    }

    /// Whether what is heard of the lease of one is about another, too.
    pub(super) fn covers(&self, one: usize, other: usize) -> bool {
        one == other || self.is_session() && self.running[other].is_led()
    }

    /// A beat for all says where its carrier is. Another that has got on since, and whose progress is
    /// limited, says so itself.
    pub(super) fn tell_progress(&mut self, now: Now, carrier: usize, tick: u32, out: &mut Vec<Output>) {
        if !self.is_session() {
            return;
        }
        for index in (0..self.running.len()).filter(|index| *index != carrier) {
            let Execution { id: exec, token, step, told, .. } = self.running[index];
            let own = self.tasks.get(usize::from(exec.task.0)).and_then(|task| task.limits.progress);
            let is_limited = own.or(self.rules.limits.progress).is_some();
            if is_limited && step != told && self.running[index].is_led() {
                self.running[index].told = step;
                self.send(Message::Heartbeat { exec, token, tick, retry: 0, stamp: now.wall, step }, out);
            }
        }
    }

    /// After each input: if the carrier has ended, the next goes on where it stopped.
    pub(super) fn hand_over(&mut self, now: Now, out: &mut Vec<Output>) {
        if !WHOLE {
            return;
        }
        if !self.is_session() && self.session.is_none() {
            return;
        }
        let next = if self.is_session() { self.carrier() } else { None };
        let Some(index) = next else {
            self.session = None;
            return;
        };
        let carrier = self.running[index].id;
        let before = self.session.as_deref().filter(|session| session.carrier != carrier);
        if let Some(Session { beats, .. }) = before.copied() {
            self.running[index].beats = beats.handed_over();
            let at = match self.rules.heartbeat.period {
                Period::FixedRate => beats.next_due(),
                Period::FixedDelay => now.mono + self.rules.heartbeat.every,
            };
            self.beat_timer(&self.running[index], at, out);
        }
        let session = Session { carrier, beats: self.running[index].beats };
        self.session = Some(Box::new(session));
    }
}
