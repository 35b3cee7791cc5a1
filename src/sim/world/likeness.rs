//! Telling whether two worlds will go on alike.

use super::{Actor, Node, World};
use crate::clock::At;
use crate::queue::Item;
use crate::record::NONE;
use crate::trace::Digest;
use fenceline_engine::TimerClock;
use std::fmt::{self, Debug, Write};

impl World {
    /// A digest of whatever decides what comes next. Two worlds of one scenario and one time that have
    /// the same go on alike under the same acts; which records brought them there may differ.
    pub(crate) fn likeness(&self) -> u64 {
        let mut digest = Digest::default();
        digest.add(self.now);
        let of_node = |node: &Node| {
            let (boot, state, speed) = (node.boot, node.state, node.speed);
            let clocks = (node.now(self.now), node.wall.rate(), node.mono.rate(), node.process.rate());
            let waiting: Vec<Item> = node.waiting.iter().map(|item| self.without_past(item)).collect();
            let rest = (boot, state, (speed, node.fails_by), clocks, (waiting, &node.lost));
            match &node.actor {
                Actor::Scheduler(scheduler) => words(&(scheduler.memory(), rest)),
                Actor::Worker(worker) => words(&(worker.memory(), rest)),
                Actor::Executor(executor) => words(&(executor.memory(), rest)),
                Actor::Sink(sink) => words(&(sink.memory(), rest)),
                Actor::Store => words(&rest),
            }
        };
        self.nodes.iter().for_each(|node| digest.add(of_node(node)));
        // In whatever order they lie.
        let due = self.queue.entries().map(|(order, item)| words(&(order, self.without_past(item))));
        digest.add(due.fold(0, u64::wrapping_add));
        let held: Vec<(Item, At)> =
            self.held.iter().map(|(item, due)| (self.without_past(item), *due)).collect();
        digest.add(words(&(
            held,
            &self.slowed,
            &self.blocked,
            self.freed.len(),
            &self.link_faults,
            &self.lifts,
            &self.leaders,
        )));
        if let Some(store) = &self.store {
            digest.add(words(&store.memory()));
        }
        digest.add(words(&(
            &self.stored,
            &self.inputs,
            &self.copies,
            &self.dispatched,
            &self.shown,
            &self.armed,
            &self.backups,
        )));
        digest.0
    }

    /// An item but for what caused it. A timer on process time is due after a length of it.
    fn without_past(&self, item: &Item) -> Item {
        let mut item = *item;
        match &mut item {
            Item::Message { sent: cause, .. }
            | Item::Persisted { cause, .. }
            | Item::Program { cause, .. } => *cause = NONE,
            Item::Timer { node, clock, at, cause, .. } => {
                *cause = NONE;
                if *clock == TimerClock::Process {
                    *at -= self.nodes[usize::from(node.0)].process.read(self.now);
                }
            }
        }
        item
    }
}

/// The digest of what a value shows of itself.
fn words(value: &impl Debug) -> u64 {
    let mut text = Text(Digest::default());
    // Nothing here fails to be written.
    let _ = write!(text, "{value:?}");
    text.0.0
}

struct Text(Digest);

impl Write for Text {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        for word in text.as_bytes().chunks(8) {
            self.0.add(word.iter().fold(word.len() as u64, |sum, byte| sum << 8 | u64::from(*byte)));
        }
        Ok(())
    }
}
