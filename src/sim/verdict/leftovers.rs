//! *Not blocked by leftovers*: a lock or staging table of an ended execution fails no attempt.

use super::facts::Facts;
use super::{Claim, Ruling};
use crate::record::Record;
use crate::scenario::{Role, Scenario};
use fenceline_engine::{Ending, Exec, NodeId, SinkKind, StagingName};

#[derive(Clone, Debug, Default)]
pub(super) struct Leftovers {
    pub(super) ruling: Ruling,
    /// Staged and not yet swapped.
    staged: Vec<(NodeId, Exec)>,
    /// Who was turned away by what an ended execution left, and where.
    met: Vec<(Exec, NodeId, u32)>,
}

impl Leftovers {
    /// A lock or a name was held by another execution.
    pub(super) fn refused(&mut self, facts: &Facts, id: u32, record: &Record) {
        let (exec, holder) = (record.exec(), record.holder());
        self.met.retain(|(by, ..)| *by != exec);
        if facts.has_ended(holder) {
            self.ruling.exercise(record.at, id);
            self.met.push((exec, record.node, id));
        }
    }

    /// A lock with a lease ran out; the record names its last holder.
    pub(super) fn lock_expired(&mut self, facts: &Facts, id: u32, record: &Record) {
        if facts.has_ended(record.exec()) {
            self.ruling.exercise(record.at, id);
        }
    }

    /// An execution got what it asked for.
    pub(super) fn passed(&mut self, record: &Record) {
        let exec = record.exec();
        self.met.retain(|(by, ..)| *by != exec);
    }

    pub(super) fn staged(&mut self, facts: &Facts, scenario: &Scenario, id: u32, record: &Record) {
        let (node, exec) = (record.node, record.exec());
        let Role::Sink(sink) = scenario.role(node) else { return };
        let fixed =
            matches!(scenario.sinks[sink].rules.kind, SinkKind::Staged { name: StagingName::Fixed, .. });
        let replaces =
            |(at, by): &(NodeId, Exec)| *at == node && fixed && by.task == exec.task && *by != exec;
        if self.staged.iter().any(|found| replaces(found) && facts.has_ended(found.1)) {
            self.ruling.exercise(record.at, id);
        }
        self.staged.retain(|found| !replaces(found) && *found != (node, exec));
        self.staged.push((node, exec));
        self.passed(record);
    }

    pub(super) fn swapped(&mut self, record: &Record) {
        self.staged.retain(|found| *found != (record.node, record.exec()));
    }

    /// A cleanup deleted what an execution had staged.
    pub(super) fn cleaned(&mut self, facts: &Facts, id: u32, record: &Record) {
        let of = record.holder();
        if facts.has_ended(of) {
            self.ruling.exercise(record.at, id);
        }
        self.staged.retain(|found| *found != (record.node, of));
    }

    /// An attempt has taken longer than it may, while it waited for what another left.
    pub(super) fn overran(&mut self, id: u32, record: &Record) {
        let is_its = |by: &Exec| (by.task, by.attempt) == (record.task, record.attempt);
        if let Some((_, sink, refusal)) = self.met.iter().find(|(by, ..)| is_its(by)) {
            let place = (record.task, Some(*sink));
            self.ruling.violate(Claim::NotBlockedByLeftovers, place, record.at, [*refusal, id]);
        }
    }

    pub(super) fn ended(&mut self, id: u32, record: &Record) {
        let exec = record.exec();
        if let Some((_, sink, refusal)) = self.met.iter().copied().find(|(by, ..)| *by == exec)
            && record.ending() == Ending::Leftover
        {
            let place = (record.task, Some(sink));
            self.ruling.violate(Claim::NotBlockedByLeftovers, place, record.at, [refusal, id]);
        }
        self.met.retain(|(by, ..)| *by != exec);
    }
}
