//! Counting what a reader sees against what the winner's output is, and the verdict *rows as
//! expected*.

use super::facts::{Facts, Landed, output, tables};
use super::{Claim, Ruling};
use crate::clock::At;
use crate::order;
use crate::record::NONE;
use crate::scenario::Scenario;
use fenceline_engine::{Chunk, NodeId, TaskId, TaskState};

/// How visible rows differ from what they should be. Each surplus or missing row counts once.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RowCounts {
    /// Rows a reader sees.
    pub visible: u64,
    /// Rows of the winner's output; 0 while there is no winner. A success without one promises the output
    /// for the input as it was when it was recorded.
    pub expected: u64,
    /// Copies of a row beyond its first.
    pub twice: u64,
    /// Rows of the winner's output that are not there.
    pub lost: u64,
    /// Rows with a key the winner's output does not have.
    pub foreign: u64,
    /// Rows with the right key, of another input version only.
    pub outdated: u64,
}

impl RowCounts {
    /// Whether nothing differs.
    pub fn is_right(&self) -> bool {
        self.twice == 0 && self.lost == 0 && self.foreign == 0 && self.outdated == 0
    }

    pub(crate) fn add(&mut self, other: Self) {
        // As many as an author may write, more than once: what is too large to count is as much as counts.
        let sums = [
            (&mut self.visible, other.visible),
            (&mut self.expected, other.expected),
            (&mut self.twice, other.twice),
            (&mut self.lost, other.lost),
            (&mut self.foreign, other.foreign),
            (&mut self.outdated, other.outdated),
        ];
        for (sum, more) in sums {
            *sum = sum.saturating_add(more);
        }
    }
}

/// What an output should be: its input version, and how many rows each part has.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Expected<'a> {
    pub(crate) version: u8,
    pub(crate) parts: &'a [(u8, u32)],
}

/// Compares visible chunks with an expected output; without one only *twice* is counted.
pub(crate) fn count(chunks: &[Chunk], expected: Option<Expected>) -> RowCounts {
    let mut parts: Vec<u8> = chunks.iter().map(|chunk| chunk.part).collect();
    parts.extend(expected.iter().flat_map(|e| e.parts.iter().map(|(part, _)| *part)));
    order::distinct(&mut parts, |part| u64::from(*part));
    let mut counts = RowCounts::default();
    for part in parts {
        counts.add(count_part(chunks, part, expected));
    }
    counts
}

fn count_part(chunks: &[Chunk], part: u8, expected: Option<Expected>) -> RowCounts {
    let wanted = expected.map(|e| {
        let rows = e.parts.iter().find(|(of, _)| *of == part).map_or(0, |(_, rows)| *rows);
        (e.version, rows)
    });
    let here = || chunks.iter().filter(|chunk| chunk.part == part);
    let mut edges: Vec<u32> = here().flat_map(|chunk| [chunk.from, chunk.to]).collect();
    edges.extend([0, wanted.map_or(0, |(_, rows)| rows)]);
    order::distinct(&mut edges, |edge| u64::from(*edge));
    let mut counts = RowCounts::default();
    for pair in edges.windows(2) {
        let rows = u64::from(pair[1] - pair[0]);
        let covering = || here().filter(|chunk| chunk.from <= pair[0] && chunk.to >= pair[1]);
        let copies = covering().count() as u64;
        counts.visible += rows * copies;
        counts.twice += rows * copies.saturating_sub(1);
        let Some((version, total)) = wanted else { continue };
        let is_wanted = pair[0] < total;
        counts.expected += if is_wanted { rows } else { 0 };
        match (is_wanted, copies) {
            (true, 0) => counts.lost += rows,
            (true, _) if covering().all(|chunk| chunk.version != version) => counts.outdated += rows,
            (false, 1..) => counts.foreign += rows,
            _ => {}
        }
    }
    counts
}

/// The counts of one task over all tables it writes. Everything but *twice* is judged by what was promised.
pub(crate) fn count_task(facts: &Facts, scenario: &Scenario, task: TaskId) -> RowCounts {
    let version = facts.promised(task);
    let mut counts = RowCounts::default();
    for sink in tables(scenario, task) {
        counts.add(count_target(facts, scenario, task, sink, version));
    }
    counts
}

/// The counts of one target, against the output for `version` if there is one.
pub(crate) fn count_target(
    facts: &Facts,
    scenario: &Scenario,
    task: TaskId,
    sink: NodeId,
    version: Option<u8>,
) -> RowCounts {
    let target = facts.task(task).targets.iter().map(|index| &facts.targets[*index]).find(|t| t.sink == sink);
    let chunks = target.map_or(&[][..], |target| target.contents.chunks());
    let parts = output(scenario, task, version.unwrap_or(1), sink);
    count(chunks, version.map(|version| Expected { version, parts: &parts }))
}

/// *Twice* is judged at the write.
pub(super) fn landed(ruling: &mut Ruling, facts: &Facts, landed: &Landed) {
    let target = &facts.targets[landed.target];
    if count(target.contents.chunks(), None).twice > 0 {
        let other = target.accepted.iter().rev().map(|(_, id)| *id).find(|id| *id != landed.id);
        ruling.violate(
            Claim::RowsAsExpected,
            (target.task, Some(target.sink)),
            landed.at,
            [other.unwrap_or(NONE), landed.id],
        );
    }
}

/// The rest is judged when the task is recorded as success and quiet.
pub(super) fn quiet(
    ruling: &mut Ruling,
    facts: &Facts,
    scenario: &Scenario,
    task: TaskId,
    (at, id): (At, u32),
) {
    let sinks = tables(scenario, task);
    let Some(version) = facts.promised(task) else { return };
    if facts.task(task).state != TaskState::Succeeded || sinks.is_empty() {
        return;
    }
    ruling.exercise(at, id);
    for sink in sinks {
        if !count_target(facts, scenario, task, sink, Some(version)).is_right() {
            let last = facts.task(task).targets.iter().map(|index| &facts.targets[*index]);
            let write =
                last.filter(|t| t.sink == sink).flat_map(|t| t.accepted.last()).map(|(_, id)| *id).next();
            ruling.violate(Claim::RowsAsExpected, (task, Some(sink)), at, [write.unwrap_or(NONE), id]);
        }
    }
}
