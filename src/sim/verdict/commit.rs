//! *No accepted commit lost*: an accepted write stays visible until a newer one, or a later one of
//! its own execution, replaces it.

use super::facts::{Facts, Landed};
use super::{Claim, Ruling};

pub(super) fn landed(ruling: &mut Ruling, facts: &Facts, landed: &Landed) {
    if landed.replaced.is_empty() {
        return;
    }
    ruling.exercise(landed.at, landed.id);
    let may_replace = |old: fenceline_engine::Exec| old == landed.exec || facts.token(old) < landed.token;
    let target = &facts.targets[landed.target];
    if let Some(lost) = landed.replaced.iter().find(|chunk| !may_replace(chunk.exec)) {
        let evidence = [target.accepted_of(lost.exec), landed.id];
        ruling.violate(Claim::NoCommitLost, (target.task, Some(target.sink)), landed.at, evidence);
    }
}
