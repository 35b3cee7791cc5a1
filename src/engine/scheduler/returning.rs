//! Who is who on return: an attempt that was given up and beats again, and an owner known by its name.

use super::Scheduler;
use crate::WHOLE;
use crate::ids::{Exec, NodeId, Token};
use crate::io::{Note, Output};
use crate::ledger::{AttemptRecord, AttemptState, Change, TaskState};
use crate::message::RenewalAnswer;
use crate::rules::{OwnerBy, Returning};
use crate::time::Now;

impl Scheduler {
    /// Whose attempt a message is about. Where owners are known by name it is the one that whoever has the
    /// sender's name holds, whatever the message shows.
    pub(super) fn meant(&self, from: NodeId, exec: Exec, token: Token) -> (Exec, Token) {
        if !WHOLE {
            return (exec, token);
        }
        if self.rules.owner == OwnerBy::Token {
            return (exec, token);
        }
        let holder = self.ledger.task(exec.task).holder();
        match holder.filter(|(_, record)| record.state.is_open() && self.is_same(record.owner, from)) {
            Some((attempt, record)) => (Exec::first(exec.task, attempt), record.token),
            None => (exec, token),
        }
    }

    /// Whether two are one owner.
    pub(super) fn is_same(&self, one: NodeId, other: NodeId) -> bool {
        let name = |node| self.slot_of(node).map(|index| self.workers[index].name);
        one == other || self.rules.owner == OwnerBy::Name && name(one).is_some() && name(one) == name(other)
    }

    /// Whether a heartbeat is of an attempt that was given up, and is wanted or at least not told so.
    pub(super) fn returns(&self, now: Now, exec: Exec, record: &AttemptRecord) -> bool {
        let is_given_up = matches!(record.state, AttemptState::TimedOut | AttemptState::Orphaned);
        is_given_up
            && match self.rules.returning {
                Returning::Refuse => false,
                Returning::Ignore => true,
                // What takes too long is not kept for its heartbeats.
                Returning::Keep => {
                    !self.ledger.task(exec.task).state.is_terminal() && !self.is_overdue(now, exec, record)
                }
            }
    }

    pub(super) fn reconcile(
        &mut self,
        now: Now,
        exec: Exec,
        record: AttemptRecord,
        out: &mut Vec<Output>,
    ) -> RenewalAnswer {
        if self.rules.returning != Returning::Keep {
            return RenewalAnswer::Unanswered;
        }
        let task = exec.task;
        let holder = self.ledger.task(task).holder().filter(|(_, holder)| holder.state.is_open());
        if let Some(newer) = holder.map(|(attempt, _)| Exec::first(task, attempt)) {
            self.ask_to_kill(newer, out);
            self.close(newer, AttemptState::Withdrawn, out);
            out.push(Output::Note(Note::AttemptWithdrawn { exec: newer }));
        }
        self.volatile.ready.retain(|waiting| *waiting != task);
        self.persist(Change::Kept { task, attempt: exec.attempt }, out);
        out.push(Output::Note(Note::Kept { exec, token: record.token, owner: record.owner }));
        if self.ledger.task(task).state != TaskState::Running {
            self.set_task(task, TaskState::Running, out);
        }
        self.take_slot(record.owner);
        self.go_on_limiting(now, exec, out);
        RenewalAnswer::Renewed(self.rules.lease.duration)
    }
}
