//! *No stale over newer*: an older write never replaces, or deletes, what a newer one made visible.

use super::facts::{Cleaned, Facts, Landed};
use super::{Claim, Ruling};
use crate::clock::At;
use fenceline_engine::Exec;

/// A write of `exec` reached its target.
pub(super) fn reached(ruling: &mut Ruling, facts: &Facts, target: usize, exec: Exec, (at, id): (At, u32)) {
    let token = facts.token(exec);
    if facts.targets[target].highest.is_some_and(|(highest, _)| token < highest) {
        ruling.exercise(at, id);
    }
}

pub(super) fn landed(ruling: &mut Ruling, facts: &Facts, landed: &Landed) {
    if landed.highest.is_none_or(|(highest, _)| landed.token >= highest) {
        return;
    }
    ruling.exercise(landed.at, landed.id);
    let target = &facts.targets[landed.target];
    if let Some(newer) = landed.replaced.iter().find(|chunk| facts.token(chunk.exec) > landed.token) {
        let evidence = [target.accepted_of(newer.exec), landed.id];
        ruling.violate(Claim::NoStaleOverNewer, (target.task, Some(target.sink)), landed.at, evidence);
    }
}

pub(super) fn cleaned(ruling: &mut Ruling, facts: &Facts, cleaned: &Cleaned) {
    if facts.token(cleaned.exec) < facts.token(cleaned.of) {
        let target = &facts.targets[cleaned.target];
        let evidence = [target.accepted_of(cleaned.of), cleaned.id];
        ruling.exercise(cleaned.at, cleaned.id);
        ruling.violate(Claim::NoStaleOverNewer, (target.task, Some(target.sink)), cleaned.at, evidence);
    }
}
