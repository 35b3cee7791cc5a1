//! What links do to the messages on them: cut, held back, slow, lossy.

use super::{World, message_body};
use crate::draw::Purpose;
use crate::fault::{Fate, Path};
use crate::link::{LinkEffect, LinkFault, LinkSpec};
use crate::queue::{Item, message_id};
use crate::record::{Kind, Loss};
use crate::trace::Trace;
use fenceline_engine::{Exec, Message, NodeId};

/// Messages of one link let through in order at one instant; rounds are few.
const MOST_IN_ORDER: usize = 500;

impl World {
    fn path(&self, from: NodeId, to: NodeId) -> Path {
        let is_sink = |node: NodeId| self.sinks.contains(&node);
        if is_sink(from) || is_sink(to) { Path::Data } else { Path::Control }
    }

    /// What a cut does to messages on this link; none if there is no cut. Of two, the one that loses.
    pub(super) fn cut(&self, from: NodeId, to: NodeId) -> Option<Fate> {
        let path = self.path(from, to);
        let fate = |fault: &LinkFault| match fault.effect {
            LinkEffect::Cut(fate) if fault.touches(from, to, path) => Some(fate),
            LinkEffect::Cut(_) | LinkEffect::Degraded { .. } => None,
        };
        let mut fates = self.link_faults.iter().filter_map(fate);
        let first = fates.next()?;
        Some(if fates.any(|fate| fate == Fate::Lost) { Fate::Lost } else { first })
    }

    /// Loses or keeps a message on a cut link; false if nothing is in its way.
    #[inline]
    pub(super) fn stopped_by_cut(&mut self, item: &Item, trace: &mut Trace) -> bool {
        !self.link_faults.is_empty() && self.stopped_by_fault(item, trace)
    }

    fn stopped_by_fault(&mut self, item: &Item, trace: &mut Trace) -> bool {
        let Item::Message { from, to, ref message, sent } = *item else { return false };
        match self.cut(from, to) {
            None => return false,
            Some(Fate::Lost) => self.lose(from, to, message, sent, Loss::Cut, trace),
            Some(Fate::Held) => self.held.push(*item),
        }
        true
    }

    /// Lets through what no cut keeps any more: of each link one message a round, so that they arrive
    /// in the order in which they were stopped.
    pub(super) fn release(&mut self, trace: &mut Trace) {
        let mut freed: Vec<(NodeId, NodeId)> = Vec::new();
        for item in std::mem::take(&mut self.held) {
            let Item::Message { from, to, .. } = item else { continue };
            if !self.stopped_by_cut(&item, trace) {
                let before = freed.iter().filter(|link| **link == (from, to)).count().min(MOST_IN_ORDER);
                freed.push((from, to));
                self.queue.push(self.now, self.round + 1 + before as u16, &item.id(), item);
            }
        }
    }

    /// A second copy of a message, as the link makes it: of a dispatch it is another execution.
    pub(super) fn double(
        &mut self,
        from: NodeId,
        to: NodeId,
        mut message: Message,
        sent: u32,
        trace: &mut Trace,
    ) {
        if let Message::Dispatch { exec, .. } = &mut message {
            *exec = self.another_copy(Exec { copy: 0, ..*exec });
        }
        let id = message_id(from, to, &message);
        let body = message_body(Kind::Duplicated, &id, to, i64::from(id.retry));
        let copied = self.record(from, body, sent, trace);
        self.carry(from, to, &message, copied, (Purpose::CopyLoss, Purpose::CopyLatency), trace);
    }

    pub(super) fn link(&self, from: NodeId, to: NodeId) -> LinkSpec {
        let path = self.path(from, to);
        let mut link = if path == Path::Data { self.scenario.data } else { self.scenario.control };
        for fault in self.link_faults.iter().filter(|fault| fault.touches(from, to, path)) {
            if let LinkEffect::Degraded { latency, loss, duplicate } = fault.effect {
                link.latency = link.latency + latency;
                link.loss = link.loss.saturating_add(loss).min(1_000_000);
                link.duplicate = link.duplicate.saturating_add(duplicate).min(1_000_000);
            }
        }
        link
    }
}
