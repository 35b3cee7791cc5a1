//! *One output*: a reader sees the output of one execution, or part of it, never a mixture.

use super::facts::{Facts, Landed};
use super::rows::count;
use super::{Claim, Ruling};
use crate::clock::At;
use crate::record::NONE;
use fenceline_engine::Exec;

/// A write of `exec` reached its target.
pub(super) fn reached(
    ruling: &mut Ruling,
    facts: &mut Facts,
    target: usize,
    exec: Exec,
    (at, id): (At, u32),
) {
    let writers = &mut facts.targets[target].writers;
    if !writers.contains(&exec) {
        writers.push(exec);
    }
    if writers.len() > 1 {
        ruling.exercise(at, id);
    }
}

/// Compared by content: rows of one input version, each once, are within one execution's output.
pub(super) fn landed(ruling: &mut Ruling, facts: &Facts, landed: &Landed) {
    let target = &facts.targets[landed.target];
    let chunks = target.contents.chunks();
    let is_mixed = chunks.windows(2).any(|pair| pair[0].version != pair[1].version);
    if target.writers.len() > 1 && (is_mixed || count(chunks, None).twice > 0) {
        let other = chunks.iter().find(|chunk| chunk.exec != landed.exec).map(|c| target.accepted_of(c.exec));
        ruling.violate(
            Claim::OneOutput,
            (target.task, Some(target.sink)),
            landed.at,
            [other.unwrap_or(NONE), landed.id],
        );
    }
}
