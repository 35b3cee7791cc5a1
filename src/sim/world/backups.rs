//! What is done to a store behind its clients' backs: its data put back from an older copy, its lock taken
//! away, its answers turned into errors.

use super::{Actor, World};
use crate::fault::Act;
use crate::record::{Body, Kind, NONE};
use crate::trace::Trace;
use fenceline_engine::WHOLE;
use fenceline_engine::{Exec, Failing, Input, NodeId, SinkCopy, Token};

/// A copy that the act with this index puts back.
#[derive(Clone, Debug)]
pub(super) struct Backup {
    index: u32,
    of: Copied,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Copied {
    Sink(Box<SinkCopy>),
    Counter(Token),
}

impl World {
    /// Takes the copy that an act will put back. Only scenarios with such an act have any.
    pub fn back_up(&mut self, index: u32, act: Act, trace: &mut Trace) {
        if !WHOLE {
            return;
        }
        if let Some((node, of)) = act.node().and_then(|node| Some((node, self.copied(node)?))) {
            self.backups.push(Backup { index, of });
            self.record_fault(node, Kind::CopyTaken, i64::from(index), trace);
        }
    }

    /// What there is to copy: a sink's data, the scheduler's counter.
    fn copied(&self, node: NodeId) -> Option<Copied> {
        match &self.nodes.get(usize::from(node.0))?.actor {
            Actor::Sink(sink) => Some(Copied::Sink(Box::new(sink.copy()))),
            Actor::Scheduler(_) => Some(Copied::Counter(self.stored.last_token)),
            Actor::Worker(_) | Actor::Executor(_) | Actor::Store => None,
        }
    }

    /// False if there is no copy, or nothing has changed since.
    pub(super) fn restore(&mut self, index: u32, node: NodeId, trace: &mut Trace) -> bool {
        let Some(at) = self.backups.iter().position(|backup| backup.index == index) else { return false };
        let Backup { of, .. } = self.backups.remove(at);
        if self.copied(node).as_ref() == Some(&of) {
            return false;
        }
        let restored = self.record_fault(node, Kind::Restored, i64::from(index), trace);
        match of {
            Copied::Sink(copy) => self.input(node, Input::Restore(copy), restored, None, trace),
            Copied::Counter(last) => {
                self.stored.last_token = last;
                let schedulers: Vec<NodeId> = self.scenario.schedulers().collect();
                for node in schedulers {
                    self.input(node, Input::RestoreCounter(last), restored, None, trace);
                }
            }
        }
        true
    }

    /// Has a node answer calls with errors, or well again. False if it answers none.
    pub(super) fn let_fail(
        &mut self,
        by: u32,
        node: NodeId,
        failing: Option<Failing>,
        trace: &mut Trace,
    ) -> bool {
        let acting = &mut self.nodes[usize::from(node.0)];
        if !matches!(acting.actor, Actor::Sink(_) | Actor::Scheduler(_)) {
            return false;
        }
        acting.fails_by = by;
        let kind = if failing.is_some() { Kind::Failing } else { Kind::Recovered };
        let (b, flag) = failing.map_or((0, 0), |failing| (failing.held.0, failing.effect as u8));
        let body = Body { b, flag, ..Body::new(kind, Exec::default()) };
        let id = self.record(node, body, NONE, trace);
        self.input(node, Input::Failing(failing), id, None, trace);
        true
    }

    /// False if nobody holds a lock there.
    pub(super) fn force_unlock(&mut self, node: NodeId, trace: &mut Trace) -> bool {
        let is_locked =
            matches!(&self.nodes[usize::from(node.0)].actor, Actor::Sink(sink) if sink.is_locked());
        if is_locked {
            self.input(node, Input::ForceUnlock, NONE, None, trace);
        }
        is_locked
    }
}
