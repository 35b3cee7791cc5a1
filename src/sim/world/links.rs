//! What links do to the messages on them: cut, held back, slow, lossy.

use super::{World, message_body};
use crate::clock::At;
use crate::draw::{self, Purpose};
use crate::fault::{Fate, Path};
use crate::link::{LinkEffect, LinkFault, LinkSpec};
use crate::queue::{Item, StructuralId, message_id};
use crate::record::{Kind, Loss};
use crate::trace::Trace;
use fenceline_engine::WHOLE;
use fenceline_engine::{Exec, Message, NodeId, Span};

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
    pub(super) fn stopped_by_cut(&mut self, item: &Item, way_left: Span, trace: &mut Trace) -> bool {
        WHOLE && !self.link_faults.is_empty() && self.stopped_by_fault(item, way_left, trace)
    }

    fn stopped_by_fault(&mut self, item: &Item, way_left: Span, trace: &mut Trace) -> bool {
        let Item::Message { from, to, ref message, sent } = *item else { return false };
        match self.cut(from, to) {
            None => return false,
            Some(Fate::Lost) => self.lose(from, to, message, sent, Loss::Cut, trace),
            Some(Fate::Held) => {
                let due = self.now.saturating_add(u64::try_from(way_left.0).unwrap_or(0));
                self.held.push((*item, due));
            }
        }
        true
    }

    /// Lets through what no cut keeps any more: of each link one message a microsecond, so that they
    /// arrive in the order in which they were stopped; and none before it would have without the cut.
    pub(super) fn release(&mut self, trace: &mut Trace) {
        // Of each link the arrival of the last one.
        let mut freed: Vec<((NodeId, NodeId), At)> = Vec::new();
        for (item, due) in std::mem::take(&mut self.held) {
            let Item::Message { from, to, .. } = item else { continue };
            let way_left = Span(i64::try_from(due.saturating_sub(self.now)).unwrap_or(i64::MAX));
            if self.stopped_by_cut(&item, way_left, trace) {
                continue;
            }
            let before = freed.iter_mut().find(|(link, _)| *link == (from, to));
            let at = before.as_ref().map_or(self.now, |(_, before)| *before + 1).max(due);
            match before {
                Some((_, before)) => *before = at,
                None => freed.push(((from, to), at)),
            }
            self.push(at, item);
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
        let item = Item::Message { from, to, message, sent: copied };
        let purposes = (Purpose::CopyLoss, Purpose::CopyLatency);
        self.carry(&self.link(from, to), &id, item, purposes, trace);
    }

    pub(super) fn link(&self, from: NodeId, to: NodeId) -> LinkSpec {
        let path = self.path(from, to);
        let mut link = if path == Path::Data { self.scenario.data } else { self.scenario.control };
        for fault in self.link_faults.iter().filter(|fault| WHOLE && fault.touches(from, to, path)) {
            if let LinkEffect::Degraded { latency, loss, duplicate } = fault.effect {
                link.latency = link.latency + latency;
                link.loss = link.loss.saturating_add(loss).min(1_000_000);
                link.duplicate = link.duplicate.saturating_add(duplicate).min(1_000_000);
            }
        }
        link
    }

    pub(super) fn send(
        &mut self,
        from: NodeId,
        to: NodeId,
        message: &Message,
        cause: u32,
        trace: &mut Trace,
    ) {
        let id = message_id(from, to, message);
        let sent = self.record(from, message_body(Kind::Sent, &id, to, i64::from(id.retry)), cause, trace);
        if usize::from(to.0) >= self.nodes.len() {
            return;
        }
        let link = self.link(from, to);
        if self.stopped_by_cut(&Item::Message { from, to, message: *message, sent }, link.latency, trace) {
            return;
        }
        let purposes = (Purpose::Loss, Purpose::Latency);
        self.carry(&link, &id, Item::Message { from, to, message: *message, sent }, purposes, trace);
        if WHOLE
            && link.duplicate > 0
            && draw::below(self.seed, Purpose::Duplicate, &id, 1_000_000) < u64::from(link.duplicate)
        {
            self.double(from, to, *message, sent, trace);
        }
    }

    /// Puts one copy of a message on its way, or loses it.
    #[cfg_attr(not(target_family = "wasm"), inline(always))]
    pub(super) fn carry(
        &mut self,
        link: &LinkSpec,
        id: &StructuralId,
        item: Item,
        (losing, lasting): (Purpose, Purpose),
        trace: &mut Trace,
    ) {
        let Item::Message { from, to, ref message, sent } = item else { return };
        let mut delay = u64::try_from(link.latency.0).unwrap_or(0);
        if WHOLE && (link.loss > 0 || link.jitter > Span::ZERO) {
            if draw::below(self.seed, losing, id, 1_000_000) < u64::from(link.loss) {
                return self.lose(from, to, message, sent, Loss::Chance, trace);
            }
            delay = delay.saturating_add(draw::spread(self.seed, lasting, id, link.jitter));
        }
        let round = if delay == 0 { self.round + 1 } else { 0 };
        self.queue.push(self.now.saturating_add(delay), round, id, item);
    }

    pub(super) fn lose(
        &mut self,
        from: NodeId,
        to: NodeId,
        message: &Message,
        sent: u32,
        how: Loss,
        trace: &mut Trace,
    ) {
        if let Some(store) = self.store.as_mut().filter(|_| WHOLE) {
            store.lost(message);
        }
        let id = message_id(from, to, message);
        self.record(to, message_body(Kind::Lost, &id, from, how as i64), sent, trace);
    }
}
