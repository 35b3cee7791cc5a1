//! The reconciliation: row counts reported against row counts there.

use super::length;
use crate::clock::At;
use crate::scenario::Scenario;
use crate::verdict::facts::{Facts, tables};
use crate::verdict::rows::count_target;
use fenceline_engine::{NodeId, Span, TaskId, TaskState};

/// Compares, for each task recorded as success, the rows its attempt reported with the rows there.
/// Counts only: rows of the wrong version are as many.
pub(super) fn reconcile(
    known: &mut Vec<(TaskId, NodeId)>,
    facts: &Facts,
    scenario: &Scenario,
    mut differs: impl FnMut(TaskId, NodeId),
) {
    for index in 0..facts.tasks.len() {
        let task = TaskId(u16::try_from(index).unwrap_or(u16::MAX));
        if facts.task(task).state != TaskState::Succeeded {
            continue;
        }
        let Some((_, version)) = facts.winner(task) else { continue };
        for sink in tables(scenario, task) {
            let counts = count_target(facts, scenario, task, sink, Some(version));
            let is_known = known.contains(&(task, sink));
            if counts.visible == counts.expected {
                known.retain(|found| *found != (task, sink));
            } else if !is_known {
                known.push((task, sink));
                differs(task, sink);
            }
        }
    }
}

/// The first comparison after `from`, at `at` or later.
pub(super) fn tick(from: At, every: Span, at: At) -> At {
    let every = length(every);
    let ticks = at.saturating_sub(from).div_ceil(every).max(1);
    from.saturating_add(every.saturating_mul(ticks))
}
