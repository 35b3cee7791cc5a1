//! What an attempt is heard of while it runs: its delivery, and heartbeats that renew its lease or are
//! refused.

use super::Scheduler;
use crate::ids::{Exec, NodeId, Token};
use crate::io::{Note, Output};
use crate::lease::Lease;
use crate::ledger::{AttemptRecord, AttemptState, Change};
use crate::message::{Message, RenewalAnswer};
use crate::rules::{LateRenewal, LeaseStart};
use crate::time::{Now, Wall};

impl Scheduler {
    pub(super) fn heartbeat(
        &mut self,
        now: Now,
        from: NodeId,
        exec: Exec,
        token: Token,
        (tick, retry, stamp, step): (u32, u8, Wall, u8),
        out: &mut Vec<Output>,
    ) {
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
        out.push(Output::Send { to: from, message: Message::HeartbeatReply { exec, tick, retry, answer } });
    }

    fn judge_renewal(&self, now: Now, record: &AttemptRecord) -> RenewalAnswer {
        let revives = self.rules.lease.late_renewal == LateRenewal::Revive;
        let renewed = RenewalAnswer::Renewed(self.rules.lease.duration);
        match record.state {
            AttemptState::Stopping => RenewalAnswer::Stop,
            AttemptState::Held if revives => renewed,
            AttemptState::Running => match record.lease {
                Some(lease) if self.is_over(now, &lease) && !revives => RenewalAnswer::Refused,
                None if self.rules.lease.start == LeaseStart::Delivery => RenewalAnswer::Refused,
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

    pub(super) fn delivered(&mut self, now: Now, exec: Exec, token: Token, out: &mut Vec<Output>) {
        let Some(record) = self.attempt(exec, token).filter(|a| a.state.is_open() && !a.delivered) else {
            return;
        };
        self.persist(Change::Delivered { task: exec.task, attempt: exec.attempt }, out);
        out.push(Output::Note(Note::DeliveryRecorded { exec }));
        if record.lease.is_none() && self.rules.lease.start == LeaseStart::Delivery {
            self.start_lease(now, exec, out);
        }
    }
}
