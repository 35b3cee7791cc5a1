//! What others' tables come to as an input: which version of it.

use super::World;
use crate::order;
use crate::record::Body;
use fenceline_engine::{Chunk, Exec, NodeId, TaskId};

/// Contents that a step of a task was shown. Whoever is shown the same again reads the same version.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Shown {
    reader: TaskId,
    step: u16,
    /// The input version known before.
    known: u8,
    rows: Vec<(TaskId, Chunk)>,
}

impl World {
    /// Fills in a reading at a sink: the input version, as the task's contents are numbered in order of their
    /// first showing, and the rows. Gives the version.
    pub(super) fn show(&mut self, sink: NodeId, reading: &mut Body) -> u32 {
        let reader = reading.exec.task;
        let mut rows = Vec::new();
        for task in self.scenario.sources(reader, sink) {
            rows.extend(plain(self.contents(sink, task)).into_iter().map(|chunk| (task, chunk)));
        }
        reading.b = rows.iter().map(|(_, chunk)| i64::from(chunk.rows())).sum();
        let now = Shown { reader, step: reading.n, known: reading.flag, rows };
        let of_reader = || self.shown.iter().filter(|shown| shown.reader == reader);
        let known = of_reader().position(|shown| *shown == now);
        let version = u8::try_from(known.unwrap_or_else(|| of_reader().count()) + 1).unwrap_or(u8::MAX);
        if known.is_none() {
            self.shown.push(now);
        }
        reading.flag = version;
        u32::from(version)
    }
}

/// Rows as a reader sees them: not who wrote them, nor when.
fn plain(chunks: &[Chunk]) -> Vec<Chunk> {
    let mut rows: Vec<Chunk> = chunks.iter().map(|chunk| Chunk { exec: Exec::default(), ..*chunk }).collect();
    order::by(&mut rows, |row| u64::from(row.to));
    order::by(&mut rows, |row| {
        u64::from(row.part) << 40 | u64::from(row.version) << 32 | u64::from(row.from)
    });
    rows
}
