//! What a sink's tables hold over time: every chunk of rows from when it was written until it was
//! replaced.

use fenceline_engine::contents::Landing;
use fenceline_engine::{Chunk, Contents, Exec, NodeId, TaskId};
use fenceline_sim::scenario::Role;
use fenceline_sim::{At, Record, Scenario};

/// A chunk of rows in a table, while it was there.
#[derive(Clone, Copy, Debug)]
pub(super) struct Held {
    pub(super) record: u32,
    pub(super) sink: NodeId,
    pub(super) exec: Exec,
    pub(super) rows: u32,
    pub(super) from: At,
    pub(super) until: Option<At>,
    pub(super) stale: bool,
    /// Rows under it when it was written: where it is stacked.
    pub(super) below: u64,
    chunk: Chunk,
}

type Partition = (NodeId, TaskId, Contents);

/// The partitions of all tables, and copies of them by the act that puts them back.
#[derive(Debug, Default)]
pub(super) struct Partitions(Vec<Partition>, Vec<(i64, Vec<Partition>)>);

impl Partitions {
    /// Lands what an `Applied` record says, as the table did.
    pub(super) fn land(
        &mut self,
        id: u32,
        record: &Record,
        scenario: &Scenario,
        stale: bool,
        held: &mut Vec<Held>,
    ) {
        let landing = match scenario.role(record.node) {
            Role::Sink(index) => scenario.sinks.get(index).map(|sink| sink.rules.kind.landing()),
            Role::Scheduler | Role::Worker(_) | Role::Executor | Role::Store | Role::Operator => None,
        };
        let rows = u32::try_from(record.b).unwrap_or(0);
        let part = u8::try_from(record.n).unwrap_or(u8::MAX);
        let new = Chunk { exec: record.exec(), version: record.flag, part, from: 0, to: rows };
        let Some(contents) = self.contents(record) else { return };
        contents.land(new, landing.unwrap_or(Landing::Append), |_| {});
        follow(id, record, contents, Some((new, stale)), held);
    }

    /// Deletes what a `Cleaned` record says.
    pub(super) fn clean(&mut self, id: u32, record: &Record, held: &mut Vec<Held>) {
        let Some(contents) = self.contents(record) else { return };
        contents.remove(record.holder());
        follow(id, record, contents, None, held);
    }

    /// Remembers what a sink has.
    pub(super) fn copy(&mut self, record: &Record) {
        let here = self.0.iter().filter(|(node, ..)| *node == record.node);
        self.1.push((record.b, here.cloned().collect()));
    }

    /// Puts a sink back to what it had when it was copied.
    pub(super) fn restore(&mut self, id: u32, record: &Record, held: &mut Vec<Held>) {
        let Some((_, then)) = self.1.iter().find(|(index, _)| *index == record.b) else { return };
        for (node, task, contents) in self.0.iter_mut().filter(|(node, ..)| *node == record.node) {
            let seen = then.iter().find(|(of, its, _)| (of, its) == (node, task));
            *contents = seen.map_or_else(Contents::default, |(.., contents)| contents.clone());
            follow(id, &Record { task: *task, ..*record }, contents, None, held);
        }
    }

    fn contents(&mut self, record: &Record) -> Option<&mut Contents> {
        let of = (record.node, record.task);
        let known = self.0.iter().position(|(node, task, _)| (*node, *task) == of);
        let place = known.unwrap_or_else(|| {
            self.0.push((of.0, of.1, Contents::default()));
            self.0.len() - 1
        });
        self.0.get_mut(place).map(|(.., contents)| contents)
    }
}

/// Brings what was held up to date with what the table holds after a record: `new` was written by it.
fn follow(id: u32, record: &Record, contents: &Contents, new: Option<(Chunk, bool)>, held: &mut Vec<Held>) {
    let of = (record.node, record.task);
    let is_new = |chunk: &Chunk| new.is_some_and(|(new, _)| new == *chunk);
    let mut live: Vec<usize> = (0..held.len())
        .filter(|index| {
            held.get(*index).is_some_and(|h| h.sink == of.0 && h.exec.task == of.1 && h.until.is_none())
        })
        .collect();
    let mut below = 0;
    for chunk in contents.chunks() {
        let same = live
            .iter()
            .position(|index| held.get(*index).is_some_and(|h| h.chunk == *chunk && h.below == below));
        match same {
            Some(place) => {
                live.remove(place);
            }
            None => held.push(Held {
                record: held
                    .iter()
                    .rev()
                    .find(|h| {
                        h.exec == chunk.exec && h.sink == of.0 && h.chunk.part == chunk.part && !is_new(chunk)
                    })
                    .map_or(id, |h| h.record),
                sink: of.0,
                exec: chunk.exec,
                rows: chunk.rows(),
                from: record.at,
                until: None,
                stale: match new {
                    Some((_, stale)) if is_new(chunk) => stale,
                    _ => was_stale(held, chunk, of.0),
                },
                below,
                chunk: *chunk,
            }),
        }
        below += u64::from(chunk.rows());
    }
    for index in live {
        if let Some(gone) = held.get_mut(index) {
            gone.until = Some(record.at);
        }
    }
}

fn was_stale(held: &[Held], chunk: &Chunk, sink: NodeId) -> bool {
    held.iter().any(|h| h.sink == sink && h.exec == chunk.exec && h.chunk.part == chunk.part && h.stale)
}
