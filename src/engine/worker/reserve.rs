//! What a worker does with a dispatch: starts it, lets it wait for a slot, or stands down because the
//! attempt was started before.

use super::Worker;
use super::beats::Deadline;
use crate::WHOLE;
use crate::ids::{Exec, Token};
use crate::io::{Ending, Note, Output};
use crate::message::Message;
use crate::rules::{SameOwner, StartGuard};
use crate::time::Now;

/// An attempt that waits for a slot at its worker.
#[derive(Clone, Copy, Debug)]
pub(super) struct Reserved {
    pub(super) id: Exec,
    pub(super) token: Token,
    /// The end of its lease, as its worker believes.
    pub(super) deadline: Deadline,
    pub(super) generation: u8,
}

impl Worker {
    pub(super) fn dispatched(&mut self, now: Now, waits: Reserved, started: bool, out: &mut Vec<Output>) {
        if !WHOLE {
            return self.start(now, waits, true, out);
        }
        let Reserved { id: exec, token, .. } = waits;
        if self.index(exec).is_some() || self.reserved.iter().any(|waits| waits.id == exec) {
            return;
        }
        let is_copy = |other: Exec| (other.task, other.attempt) == (exec.task, exec.attempt);
        let is_here =
            self.running.iter().any(|it| is_copy(it.id)) || self.reserved.iter().any(|it| is_copy(it.id));
        // Of what it runs itself it has nothing to report.
        if is_here && self.rules.start_guard != StartGuard::Off {
            return self.drop_unsaid(exec, out);
        }
        if started && self.rules.start_guard != StartGuard::Off {
            return self.stand_down(exec, token, out);
        }
        if !self.makes_room(exec, token, out) {
            return self.drop_unsaid(exec, out);
        }
        if self.has_slot() {
            return self.start(now, waits, true, out);
        }
        out.push(Output::Note(Note::Reserved { exec }));
        self.send(Message::Delivered { exec, token }, out);
        self.reserved.push_back(waits);
    }

    /// What a new attempt meets that has an older one of its task running here: false if it is not to begin.
    fn makes_room(&mut self, exec: Exec, token: Token, out: &mut Vec<Output>) -> bool {
        if self.rules.same_owner == SameOwner::Both {
            return true;
        }
        let is_other = |other: Exec| other.task == exec.task && other.attempt != exec.attempt;
        let running = self.running.iter().filter(|it| it.is_led() && is_other(it.id)).map(|it| it.token);
        let waiting = self.reserved.iter().filter(|it| is_other(it.id)).map(|it| it.token);
        let others: Vec<Token> = running.chain(waiting).collect();
        let is_newest = others.iter().all(|other| *other < token);
        if !others.is_empty() && (self.rules.same_owner == SameOwner::Ignore || !is_newest) {
            return false;
        }
        self.reserved.retain(|waits| !is_other(waits.id));
        while let Some(index) = self.running.iter().position(|it| it.is_led() && is_other(it.id)) {
            self.end_wrapper(index, Ending::Replaced, out);
        }
        true
    }

    /// Ends an execution that should not have begun.
    fn stand_down(&self, exec: Exec, token: Token, out: &mut Vec<Output>) {
        if self.rules.start_guard == StartGuard::Reports {
            self.send(Message::Stopped { exec, token }, out);
        }
        self.drop_unsaid(exec, out);
    }

    fn drop_unsaid(&self, exec: Exec, out: &mut Vec<Output>) {
        out.push(Output::Note(Note::Started { exec }));
        out.push(Output::Note(Note::Ended { exec, how: Ending::StoodDown }));
    }

    /// One that takes nothing in advance starts what it is given: whoever grants counts its slots, and
    /// counts a zombie as gone.
    fn has_slot(&self) -> bool {
        if self.rules.prefetch == 0 {
            return true;
        }
        let busy = self.running.iter().filter(|execution| !execution.has_ended()).count();
        busy < usize::from(self.slots)
    }

    /// Starts what waits while there are slots.
    pub(super) fn begin_reserved(&mut self, now: Now, out: &mut Vec<Output>) {
        if !WHOLE {
            return;
        }
        while !self.reserved.is_empty() && self.has_slot() {
            if let Some(next) = self.reserved.pop_front() {
                self.start(now, next, false, out);
            }
        }
    }
}
