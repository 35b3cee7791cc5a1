//! Where a lab opens, and what it looks at.

use fenceline_engine::NodeId;
use fenceline_sim::{At, Kind, Record};

use super::Lab;
use crate::app::words::event::is_interesting;

const SECOND: At = 1_000_000;

impl Lab {
    /// A run that does damage opens at its end, where the two accounts contradict each other. Any other
    /// opens where something can be done: just before its first fault, else at the beginning.
    pub fn opening(&self) -> At {
        if self.derived().is_damaged() {
            return self.until();
        }
        let trace = self.derived().history.trace();
        let fault =
            trace.since(0).find(|(_, record)| record.at > 0 && is_fault(record)).map(|(_, record)| record.at);
        fault.map_or(0, |at| at.saturating_sub(1) / SECOND * SECOND)
    }

    /// The first thing done to a node, else the first that matters there.
    pub fn first_of(&self, node: NodeId) -> Option<u32> {
        let trace = self.derived().history.trace();
        let find = |wanted: fn(&Record) -> bool| {
            trace.since(0).find(|(_, record)| record.node == node && wanted(record)).map(|(id, _)| id)
        };
        find(is_fault).or_else(|| find(is_interesting)).or_else(|| find(|_| true))
    }
}

/// Whether a record says that somebody broke, or changed, something.
pub fn is_fault(record: &Record) -> bool {
    use Kind::*;
    matches!(
        record.kind,
        Paused
            | Frozen
            | Crashed
            | Slowed
            | LoopHeld
            | LinkCut
            | LinkDegraded
            | ClockStepped
            | ClockRated
            | InputChanged
            | Decided
            | Redelivered
            | Respawned
    )
}
