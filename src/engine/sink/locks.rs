//! Locks: who holds one, for how long, and who takes it away.

use super::{LockState, Sink};
use crate::ids::Exec;
use crate::io::{Note, Output};
use crate::message::Answer;
use crate::rules::SinkKind;
use crate::time::Now;

impl Sink {
    pub(super) fn lock(&mut self, now: Now, exec: Exec, out: &mut Vec<Output>) -> Answer {
        let SinkKind::Locked { lease } = self.rules.kind else {
            return Answer::Conflict;
        };
        if let Some(lock) = self.data.lock.filter(|lock| lock.holder != exec) {
            if lock.ends.is_none_or(|ends| now.mono < ends) {
                out.push(Output::Note(Note::LockRefused { exec, holder: lock.holder }));
                return Answer::Busy;
            }
            out.push(Output::Note(Note::LockExpired { exec: lock.holder }));
        }
        self.data.lock = Some(LockState { holder: exec, ends: lease.map(|length| now.mono + length) });
        out.push(Output::Note(Note::Locked { exec }));
        Answer::Accepted
    }

    pub(super) fn unlock(&mut self, exec: Exec, out: &mut Vec<Output>) {
        if self.data.lock.is_some_and(|lock| lock.holder == exec) {
            self.data.lock = None;
            out.push(Output::Note(Note::Unlocked { exec }));
        }
    }

    /// Its holder, if it lives, goes on as if it had the lock.
    pub(super) fn force_unlock(&mut self, out: &mut Vec<Output>) {
        if let Some(lock) = self.data.lock.take() {
            out.push(Output::Note(Note::LockForced { exec: lock.holder }));
        }
    }

    /// A lock's lease rests on a monotonic reading: under another boot than it was taken in it counts
    /// anew.
    pub(super) fn recount_lock(&mut self, now: Now, before: u16, boot: u16) {
        if let (SinkKind::Locked { lease: Some(length) }, Some(lock)) = (self.rules.kind, &mut self.data.lock)
            && before != boot
        {
            lock.ends = lock.ends.map(|_| now.mono + length);
        }
    }
}
