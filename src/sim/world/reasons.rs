//! Why: what each record was caused by, and the earlier ones that it names as its reasons.

use super::World;
use crate::record::{Body, Kind, NONE};
use crate::scenario::{Role, Scenario};
use crate::trace::Trace;
use fenceline_engine::{FenceScope, NodeId, TaskId};

/// Records that later ones name as their reasons.
#[derive(Clone, Debug)]
pub(super) struct Landmarks {
    /// By task: what last set its lease's end.
    lease: Vec<u32>,
    /// By task: what last ended an attempt of it.
    ending: Vec<u32>,
    /// What last raised a fence.
    raises: Vec<(NodeId, TaskId, u32)>,
}

impl Landmarks {
    pub(super) fn of(scenario: &Scenario) -> Self {
        let none = vec![NONE; scenario.tasks.len()];
        Self { lease: none.clone(), ending: none, raises: Vec::new() }
    }
}

/// What the outputs of a handler are caused by: what it says and does about one task, it does because of what it
/// said before.
#[derive(Clone, Copy, Debug)]
pub(super) struct Said {
    pub(super) trigger: u32,
    pub(super) cause: u32,
    pub(super) of: Option<TaskId>,
    /// For what it says first.
    pub(super) reason: Option<u32>,
    /// Which contents of others' tables it shows.
    pub(super) shown: Option<u32>,
}

impl Said {
    pub(super) fn because_of(trigger: u32, reason: Option<u32>) -> Self {
        Self { trigger, cause: trigger, of: None, reason, shown: None }
    }
}

impl World {
    /// Names the reasons of the record just made, and keeps it if later ones will name it.
    pub(super) fn give_reasons(&mut self, node: NodeId, body: &Body, id: u32, trace: &mut Trace) {
        let marks = &mut self.landmarks;
        let of_task = body.exec.task;
        let task = usize::from(of_task.0);
        match body.kind {
            Kind::LeaseStarted | Kind::Renewed | Kind::Guarded | Kind::Observed => marks.lease[task] = id,
            Kind::AttemptTimedOut | Kind::AttemptFailed | Kind::AttemptOrphaned => marks.ending[task] = id,
            Kind::Raised => {
                marks.raises.retain(|(at, of, _)| (*at, *of) != (node, of_task));
                marks.raises.push((node, of_task, id));
            }
            Kind::Expired => add_reason(trace, id, marks.lease[task]),
            Kind::Granted | Kind::Refused => add_reason(trace, id, marks.ending[task]),
            Kind::Fenced => {
                // Where a fence guards the whole table, any task's raise may be what stands.
                let by_table = matches!(self.scenario.role(node), Role::Sink(sink)
                    if self.scenario.sinks[sink].rules.fence.is_some_and(|f| f.scope == FenceScope::Table));
                let is_its =
                    |(at, of, _): &&(NodeId, TaskId, u32)| *at == node && (by_table || *of == of_task);
                let raise = marks.raises.iter().rev().find(is_its);
                add_reason(trace, id, raise.map_or(NONE, |(_, _, raise)| *raise));
            }
            _ => {}
        }
    }
}

fn add_reason(trace: &mut Trace, record: u32, reason: u32) {
    if reason != NONE && reason != record {
        trace.reason(record, reason);
    }
}
