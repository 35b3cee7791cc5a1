//! Damage that goes on: tables made from wrong ones.
//!
//! An output is right if it is what its task makes of the input it read, so a table made from a wrong one
//! breaks no claim of its own. That it would be another had the input been right is what is traced here.

use super::facts::{Facts, output};
use super::rows::{Expected, count};
use crate::order;
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

/// The tasks whose wrong rows the output of each execution derives from, at whatever remove; of executions
/// that read others' tables alone.
pub(crate) fn roots(facts: &Facts, scenario: &Scenario) -> Vec<(Exec, Vec<TaskId>)> {
    let mut roots: Vec<(Exec, Vec<TaskId>)> = Vec::new();
    // Whoever wrote what is read had read before, so one pass is enough.
    for reading in facts.readings.iter().filter(|reading| reading.used) {
        let mut found = Vec::new();
        for (task, rows) in &reading.rows {
            if is_wrong(facts, scenario, *task, reading.sink, rows) {
                found.push(*task);
            }
            found.extend(rows.iter().flat_map(|row| of(&roots, row.exec)).copied());
        }
        found.extend(of(&roots, reading.exec).iter().copied());
        order::distinct(&mut found, |task| u64::from(task.0));
        roots.retain(|(exec, _)| *exec != reading.exec);
        roots.push((reading.exec, found));
    }
    roots
}

/// Those of one execution.
pub(crate) fn of(roots: &[(Exec, Vec<TaskId>)], exec: Exec) -> &[TaskId] {
    roots.iter().find(|(known, _)| *known == exec).map_or(&[][..], |(_, found)| found)
}

/// Whether rows that were read are not the output of their task's winner. Without one yet, whether some
/// stand there twice.
fn is_wrong(facts: &Facts, scenario: &Scenario, task: TaskId, sink: NodeId, rows: &[Chunk]) -> bool {
    let version = facts.winner(task).map(|(_, version)| version);
    let parts = output(scenario, task, version.unwrap_or(1), sink);
    !count(rows, version.map(|version| Expected { version, parts: &parts })).is_right()
}
