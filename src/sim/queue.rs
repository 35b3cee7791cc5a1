//! The event queue: a heap of small keys over a slab of items.
//!
//! Events order by (true time, round, phase, node, structural id); insertion order never decides.

use crate::clock::At;
use fenceline_engine::{Exec, Message, NodeId, TimerClock, TimerKey};
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// What kind of thing happens; within one round, in this order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Phase {
    Delivery = 0,
    Timer = 1,
    Program = 2,
}

/// The name of an event by its place in the run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StructuralId {
    /// Where it happens.
    pub node: u16,
    /// Who sent it, or 0.
    pub peer: u16,
    /// Message kind or timer kind.
    pub kind: u8,
    pub exec: Exec,
    /// Tick or step.
    pub n: u32,
    pub retry: u8,
}

impl StructuralId {
    pub fn high(&self) -> u64 {
        u64::from(self.node) << 48
            | u64::from(self.kind) << 40
            | u64::from(self.exec.task.0) << 24
            | u64::from(self.exec.attempt) << 16
            | u64::from(self.exec.copy) << 8
            | u64::from(self.retry)
    }

    pub fn low(&self) -> u64 {
        u64::from(self.peer) << 32 | u64::from(self.n)
    }
}

/// Something due.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Item {
    Message {
        from: NodeId,
        to: NodeId,
        message: Message,
        sent: u32,
    },
    /// A timer of `node`, due when one of its clocks reads `at`.
    Timer {
        node: NodeId,
        key: TimerKey,
        clock: TimerClock,
        at: i64,
        cause: u32,
    },
    Persisted {
        node: NodeId,
        key: TimerKey,
        cause: u32,
    },
    Program {
        node: NodeId,
        exec: Exec,
        step: u8,
        cause: u32,
    },
}

impl Item {
    pub fn node(&self) -> NodeId {
        match *self {
            Self::Message { to: node, .. }
            | Self::Timer { node, .. }
            | Self::Persisted { node, .. }
            | Self::Program { node, .. } => node,
        }
    }

    /// The record that made it due.
    pub fn cause(&self) -> u32 {
        match *self {
            Self::Message { sent: cause, .. }
            | Self::Timer { cause, .. }
            | Self::Persisted { cause, .. }
            | Self::Program { cause, .. } => cause,
        }
    }

    pub fn phase(&self) -> Phase {
        match self {
            Self::Message { .. } => Phase::Delivery,
            Self::Timer { .. } | Self::Persisted { .. } => Phase::Timer,
            Self::Program { .. } => Phase::Program,
        }
    }

    pub fn id(&self) -> StructuralId {
        match *self {
            Self::Message { from, to, message, .. } => message_id(from, to, &message),
            Self::Timer { node, key, .. } | Self::Persisted { node, key, .. } => timer_id(node, &key),
            Self::Program { node, exec, step, .. } => {
                StructuralId { node: node.0, peer: 0, kind: 0, exec, n: u32::from(step), retry: 0 }
            }
        }
    }
}

pub fn timer_id(node: NodeId, key: &TimerKey) -> StructuralId {
    StructuralId { node: node.0, peer: 0, kind: key.kind as u8, exec: key.exec, n: key.n, retry: key.retry }
}

pub fn message_id(from: NodeId, to: NodeId, message: &Message) -> StructuralId {
    let (kind, exec, n, retry) = crate::record::message_parts(message);
    StructuralId { node: to.0, peer: from.0, kind: kind as u8, exec, n, retry }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Entry {
    /// True time above, then the order key.
    order: u128,
    /// The part of the structural id that does not fit into the order key.
    rest: u64,
    /// The record that caused it: parts two items of one name.
    cause: u32,
    slot: u32,
}

#[derive(Clone, Debug, Default)]
pub struct Queue {
    heap: BinaryHeap<Reverse<Entry>>,
    slab: Vec<Option<Item>>,
    free: Vec<u32>,
    /// Timers on a stopped clock: due at no time until it runs again.
    parked: Vec<Item>,
}

/// An item taken from the queue.
#[derive(Clone, Copy, Debug)]
pub struct Due {
    pub at: At,
    pub round: u16,
    pub item: Item,
}

impl Queue {
    pub fn push(&mut self, at: At, round: u16, item: Item) {
        let id = item.id();
        let key = u64::from(round) << 54
            | (item.phase() as u64) << 52
            | u64::from(id.node) << 36
            | u64::from(id.kind) << 28
            | u64::from(id.exec.task.0) << 12
            | u64::from(id.exec.attempt) << 4
            | u64::from(id.exec.copy & 0xf);
        let rest = u64::from(id.n) << 24 | u64::from(id.peer) << 8 | u64::from(id.retry);
        let slot = match self.free.pop() {
            Some(slot) => {
                self.slab[slot as usize] = Some(item);
                slot
            }
            None => {
                self.slab.push(Some(item));
                (self.slab.len() - 1) as u32
            }
        };
        let order = u128::from(at) << 64 | u128::from(key);
        self.heap.push(Reverse(Entry { order, rest, cause: item.cause(), slot }));
    }

    /// Keeps a timer whose clock stands still.
    pub fn park(&mut self, item: Item) {
        self.parked.push(item);
    }

    /// When the next item is due.
    pub fn next_at(&mut self) -> Option<At> {
        while let Some(Reverse(entry)) = self.heap.peek() {
            if self.slab[entry.slot as usize].is_some() {
                return Some((entry.order >> 64) as u64);
            }
            self.free.push(entry.slot);
            self.heap.pop();
        }
        None
    }

    pub fn pop(&mut self) -> Option<Due> {
        while let Some(Reverse(entry)) = self.heap.pop() {
            self.free.push(entry.slot);
            if let Some(item) = self.slab[entry.slot as usize].take() {
                return Some(Due {
                    at: (entry.order >> 64) as u64,
                    round: ((entry.order as u64) >> 54) as u16,
                    item,
                });
            }
        }
        None
    }

    /// Takes out every item that matches, in no particular order; the caller pushes back what stays.
    pub fn take(&mut self, mut matches: impl FnMut(&Item) -> bool) -> Vec<Item> {
        let mut taken = Vec::new();
        for slot in &mut self.slab {
            if slot.is_some_and(|item| matches(&item)) {
                taken.extend(slot.take());
            }
        }
        self.parked.retain(|item| {
            let take = matches(item);
            if take {
                taken.push(*item);
            }
            !take
        });
        taken
    }

    pub fn len(&self) -> usize {
        self.slab.len() - self.free.len() + self.parked.len()
    }

    /// Bytes held.
    pub fn bytes(&self) -> usize {
        self.heap.len() * size_of::<Entry>()
            + (self.slab.len() + self.parked.len()) * size_of::<Item>()
            + self.free.len() * size_of::<u32>()
    }

    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}
