//! The store of the scheduler's record, where heartbeats go to it: it renews leases itself, by its own clock.

use crate::ids::{Exec, NodeId};
use crate::io::{Note, Output};
use crate::lease::Lease;
use crate::ledger::{AttemptRecord, AttemptState, Change, Ledger};
use crate::message::{Message, RenewalAnswer};
use crate::rules::{LeaseScope, Rules};
use crate::scheduler::renewals::judged;
use crate::time::Now;

/// Handles a heartbeat, and answers it. An observer counts by its own clock: what stands in its record is that
/// the lease was renewed, with `now.mono` as the earliest from which it can count.
pub fn hear(record: &Ledger, rules: &Rules, now: Now, from: NodeId, beat: &Message, out: &mut Vec<Output>) {
    let Message::Heartbeat { exec, token, tick, retry, stamp, step } = *beat else { return };
    let judge =
        |row: &AttemptRecord| judged(rules, row, row.lease.is_some_and(|lease| lease.expired_at_store(now)));
    let is_renewed = |row: &AttemptRecord| matches!(judge(row), RenewalAnswer::Renewed(_));
    let mut rows: Vec<(Exec, AttemptRecord)> = match rules.lease.scope {
        LeaseScope::Attempt => Vec::new(),
        LeaseScope::Worker => record
            .held_by(|owner| owner == from)
            .filter(|(_, row)| row.token >= token && is_renewed(row))
            .collect(),
    };
    if rows.is_empty() {
        let named = record.attempt(exec.task, exec.attempt).filter(|row| row.token == token);
        rows.extend(named.map(|row| (exec, *row)));
    }
    let mut answer = RenewalAnswer::Refused;
    for (of, row) in rows {
        answer = judge(&row);
        let RenewalAnswer::Renewed(length) = answer else { continue };
        let (task, attempt) = (of.task, of.attempt);
        let lease = Lease::renewed(now, stamp, 0, rules.lease.clock, length);
        let mut persist = |change| out.push(Output::Persist { change, then: None });
        if row.state == AttemptState::Held {
            persist(Change::AttemptIs { task, attempt, state: AttemptState::Running });
        }
        persist(Change::LeaseIs { task, attempt, lease });
        if of == exec && row.step != step {
            persist(Change::MovedOn { task, attempt, step, since: row.moved });
        }
        out.push(Output::Note(Note::Renewed { exec: of, tick, ends: lease.ends() }));
    }
    if !matches!(answer, RenewalAnswer::Renewed(_)) {
        out.push(Output::Note(Note::Refused { exec, tick, answer }));
    }
    out.push(Output::Send { to: from, message: Message::HeartbeatReply { exec, tick, retry, answer } });
}
