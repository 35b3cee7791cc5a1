//! Damage that goes on: tables made from wrong ones.
//!
//! An output is right if it is what its task makes of the input it read, so a table made from a wrong one
//! breaks no claim of its own. That it would be another had the input been right is what is traced here.

use super::facts::{Facts, output};
use super::rows::{Expected, count};
use crate::record::Record;
use crate::scenario::Scenario;
use fenceline_engine::{Chunk, Exec, NodeId, TaskId};

/// What an execution was shown of others' tables in one sink.
#[derive(Clone, Debug)]
pub(crate) struct Reading {
    pub(crate) exec: Exec,
    pub(crate) version: u8,
    /// Whether the answer reached it.
    pub(crate) used: bool,
    sink: NodeId,
    /// By task.
    rows: Vec<(TaskId, Vec<Chunk>)>,
}

/// Keeps what a reader is shown.
pub(super) fn read(facts: &mut Facts, scenario: &Scenario, record: &Record) {
    let sink = record.node;
    let of = |task: TaskId| {
        let targets = facts.task(task).targets.iter().map(|index| &facts.targets[*index]);
        let here = targets.filter(|target| target.sink == sink).flat_map(|target| target.contents.chunks());
        (task, here.copied().collect())
    };
    let rows = scenario.sources(record.task, sink).into_iter().map(of).collect();
    facts.readings.push(Reading { exec: record.exec(), version: record.flag, used: false, sink, rows });
}

/// The tasks whose wrong rows the output of an execution derives from, at whatever remove.
pub(crate) fn roots(facts: &Facts, scenario: &Scenario, exec: Exec) -> Vec<TaskId> {
    let mut roots = Vec::new();
    let used = facts.readings.iter().filter(|reading| reading.exec == exec && reading.used);
    for (reading, (task, rows)) in used.flat_map(|it| it.rows.iter().map(move |rows| (it, rows))) {
        let mut found = Vec::new();
        if is_wrong(facts, scenario, *task, reading.sink, rows) {
            found.push(*task);
        }
        // A reader stands below what it reads, so this comes to an end.
        for writer in rows.iter().map(|row| row.exec) {
            found.extend(roots_above(facts, scenario, writer, exec.task));
        }
        found.retain(|task| !roots.contains(task));
        found.dedup();
        roots.extend(found);
    }
    roots
}

fn roots_above(facts: &Facts, scenario: &Scenario, writer: Exec, below: TaskId) -> Vec<TaskId> {
    if writer.task < below { roots(facts, scenario, writer) } else { Vec::new() }
}

/// Whether rows that were read are not the output of their task's winner. Without one yet, whether some
/// stand there twice.
fn is_wrong(facts: &Facts, scenario: &Scenario, task: TaskId, sink: NodeId, rows: &[Chunk]) -> bool {
    let version = facts.winner(task).map(|(_, version)| version);
    let parts = output(scenario, task, version.unwrap_or(1), sink);
    !count(rows, version.map(|version| Expected { version, parts: &parts })).is_right()
}
