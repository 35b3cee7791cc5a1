//! *Holder not refused*: a fence never turns away the current holder.

use super::facts::Facts;
use super::{Claim, Ruling};
use crate::record::{NONE, Record};
use crate::scenario::{Role, Scenario};

/// A request that the fence judges reached its sink.
pub(super) fn reached(ruling: &mut Ruling, facts: &Facts, scenario: &Scenario, id: u32, record: &Record) {
    let Role::Sink(sink) = scenario.role(record.node) else { return };
    let rules = &scenario.sinks[sink].rules;
    if rules.fence.is_some() && rules.kind.can_compare() && facts.is_holder(record.exec()) {
        ruling.exercise(record.at, id);
    }
}

/// A write or claim was refused for its token. Of two executions of one attempt, one that a fence bound
/// to the other is no holder.
pub(super) fn refused(ruling: &mut Ruling, facts: &Facts, id: u32, record: &Record) {
    let exec = record.exec();
    let is_bound = record.b == i64::from(facts.token(exec).0)
        && facts.task(exec.task).started.iter().any(|other| other.attempt == exec.attempt && *other != exec);
    if facts.is_holder(exec) && !is_bound {
        ruling.violate(Claim::HolderNotRefused, (record.task, Some(record.node)), record.at, [NONE, id]);
    }
}
