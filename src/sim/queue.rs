//! The event queue: a few runs that are in order as they come, and a heap for the rest.
//!
//! Events order by (true time, round, phase, node, structural id); insertion order never decides.

use crate::clock::At;
use fenceline_engine::{Exec, Message, NodeId, TimerClock, TimerKey};
use std::cmp::{Ordering, Reverse};
use std::collections::{BinaryHeap, VecDeque};

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
    /// What of it decides the order within a round and phase, as far as one word holds it.
    fn key(&self) -> u64 {
        u64::from(self.node) << 36
            | u64::from(self.kind) << 28
            | u64::from(self.exec.task.0) << 12
            | u64::from(self.exec.attempt) << 4
            | u64::from(self.exec.copy & 0xf)
    }

    /// And what that word does not hold, or not the whole of.
    fn rest(&self) -> u64 {
        u64::from(self.exec.copy) << 56
            | u64::from(self.n) << 24
            | u64::from(self.peer) << 8
            | u64::from(self.retry)
    }

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

#[derive(Clone, Copy, Debug)]
struct Entry {
    /// True time above, then the order key.
    order: u128,
    item: Item,
}

impl Entry {
    fn is_before(&self, other: &Self) -> bool {
        self.order < other.order || (self.order == other.order && self.rest() < other.rest())
    }

    /// What parts two entries of one order: the rest of the structural id. Two that are alike in all of it
    /// are one event twice, and the record that caused each tells which is told first. Few are alike, so it
    /// is made only when asked for.
    fn rest(&self) -> (u64, u32) {
        (self.item.id().rest(), self.item.cause())
    }
}

impl PartialEq for Entry {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for Entry {}

impl PartialOrd for Entry {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Entry {
    fn cmp(&self, other: &Self) -> Ordering {
        self.order.cmp(&other.order).then_with(|| self.rest().cmp(&other.rest()))
    }
}

/// Runs beside the heap: one for deliveries and program steps, four for timers.
const RUNS: usize = 5;
/// The place after the runs' stands for the heap.
const HEAP: usize = RUNS;

/// What is due, least first.
#[derive(Clone, Debug)]
pub struct Queue {
    /// Delays of one kind are mostly alike, so things of one kind fall due in the order in which they
    /// are asked for. Each run is in order; what does not fit its run goes into the heap.
    runs: [VecDeque<Entry>; RUNS],
    heap: BinaryHeap<Reverse<Entry>>,
    /// The order of the first entry of each run and of the heap; [`EMPTY`] if there is none.
    first: [u128; RUNS + 1],
    /// Timers on a stopped clock: due at no time until it runs again.
    parked: Vec<Item>,
}

const EMPTY: u128 = u128::MAX;

impl Default for Queue {
    fn default() -> Self {
        Self {
            runs: Default::default(),
            heap: BinaryHeap::new(),
            first: [EMPTY; RUNS + 1],
            parked: Vec::new(),
        }
    }
}

/// An item taken from the queue.
#[derive(Clone, Copy, Debug)]
pub struct Due {
    pub at: At,
    pub round: u16,
    pub item: Item,
}

impl Queue {
    /// Adds an item under its own id.
    pub fn push(&mut self, at: At, round: u16, id: &StructuralId, item: Item) {
        debug_assert_eq!(*id, item.id());
        let phase = item.phase();
        let key = u64::from(round) << 54 | (phase as u64) << 52 | id.key();
        let order = u128::from(at) << 64 | u128::from(key);
        let run = match phase {
            Phase::Delivery | Phase::Program => 0,
            Phase::Timer => 1 + usize::from(id.kind % 4),
        };
        self.insert(run, Entry { order, item });
    }

    /// Appends to a run, if its last entry is less.
    fn insert(&mut self, run: usize, entry: Entry) {
        match self.runs[run].back() {
            None => {
                self.first[run] = entry.order;
                self.runs[run].push_back(entry);
            }
            Some(last) if last.is_before(&entry) => self.runs[run].push_back(entry),
            Some(_) => {
                self.first[HEAP] = self.first[HEAP].min(entry.order);
                self.heap.push(Reverse(entry));
            }
        }
    }

    fn first_of(&self, place: usize) -> Option<&Entry> {
        if place == HEAP { self.heap.peek().map(|Reverse(entry)| entry) } else { self.runs[place].front() }
    }

    /// Which run (or the heap) has the least entry.
    fn least(&self) -> usize {
        let (mut least, mut order) = (0, self.first[0]);
        for run in 1..RUNS {
            if self.first[run] < order {
                (least, order) = (run, self.first[run]);
            }
        }
        // Entries of one order are of one kind: in one run and the heap.
        let (heap, run) = (self.first[HEAP], self.first[least]);
        let is_heap = heap < run || (heap == run && self.first_of(HEAP) < self.first_of(least));
        if is_heap { HEAP } else { least }
    }

    fn take_first(&mut self, place: usize) -> Option<Entry> {
        let taken = if place == HEAP {
            self.heap.pop().map(|Reverse(entry)| entry)
        } else {
            self.runs[place].pop_front()
        };
        self.note_first(place);
        taken
    }

    fn note_first(&mut self, place: usize) {
        self.first[place] = self.first_of(place).map_or(EMPTY, |entry| entry.order);
    }

    /// Keeps a timer whose clock stands still.
    pub fn park(&mut self, item: Item) {
        self.parked.push(item);
    }

    /// Takes the next item, if it is due at or before `bound`.
    pub fn pop(&mut self, bound: At) -> Option<Due> {
        let least = self.least();
        let at = (self.first[least] >> 64) as u64;
        if at > bound {
            return None;
        }
        let Entry { order, item } = self.take_first(least)?;
        Some(Due { at, round: ((order as u64) >> 54) as u16, item })
    }

    /// Takes out every item that matches, in no particular order; the caller pushes back what stays.
    pub fn take(&mut self, mut matches: impl FnMut(&Item) -> bool) -> Vec<Item> {
        let mut taken = Vec::new();
        let mut stays = |item: &Item| {
            let take = matches(item);
            if take {
                taken.push(*item);
            }
            !take
        };
        for run in &mut self.runs {
            run.retain(|entry| stays(&entry.item));
        }
        self.heap.retain(|Reverse(entry)| stays(&entry.item));
        self.parked.retain(stays);
        for place in 0..=HEAP {
            self.note_first(place);
        }
        taken
    }

    /// Everything in it with what decides its place, in no particular order; 0 for what is due at no time.
    pub fn entries(&self) -> impl Iterator<Item = (u128, &Item)> {
        let runs = self.runs.iter().flatten().chain(self.heap.iter().map(|Reverse(entry)| entry));
        runs.map(|entry| (entry.order, &entry.item)).chain(self.parked.iter().map(|item| (0, item)))
    }

    fn waiting(&self) -> usize {
        self.heap.len() + self.runs.iter().map(VecDeque::len).sum::<usize>()
    }

    /// Bytes held.
    pub fn bytes(&self) -> usize {
        self.waiting() * size_of::<Entry>() + self.parked.len() * size_of::<Item>()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use fenceline_engine::TaskId;

    /// The word that orders them has room for sixteen copies.
    #[test]
    fn the_seventeenth_copy_comes_after_the_first_whoever_asked_first() {
        let mut queue = Queue::default();
        for (cause, copy) in [(0, 17), (1, 1)] {
            let exec = Exec { task: TaskId(0), attempt: 1, copy };
            let item = Item::Program { node: NodeId(1), exec, step: 1, cause };
            queue.push(5, 0, &item.id(), item);
        }
        let copies = std::iter::from_fn(|| queue.pop(5)).map(|due| due.item.id().exec.copy);
        assert_eq!(copies.collect::<Vec<_>>(), [1, 17]);
    }
}
