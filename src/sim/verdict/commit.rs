//! *No accepted commit lost*: an accepted write stays visible until a newer one, or a later one of
//! its own execution, or one based on its version, replaces it. A cleanup may take it away when newer
//! output is visible.

use super::facts::{Cleaned, Facts, Landed, PutBack};
use super::{Claim, Ruling};
use crate::clock::At;
use crate::scenario::{Role, Scenario};
use fenceline_engine::{Exec, Put, SinkKind};

pub(super) fn landed(ruling: &mut Ruling, facts: &Facts, scenario: &Scenario, landed: &Landed) {
    if landed.replaced.is_empty() {
        return;
    }
    ruling.exercise(landed.at, landed.id);
    let target = &facts.targets[landed.target];
    let is_based_on_it = matches!(scenario.role(target.sink), Role::Sink(sink)
        if matches!(scenario.sinks[sink].rules.kind, SinkKind::Objects(Put::CompareAndSet(_))));
    let may_replace = |old: Exec| is_based_on_it || old == landed.exec || facts.token(old) < landed.token;
    if let Some(lost) = landed.replaced.iter().find(|chunk| !may_replace(chunk.exec)) {
        let evidence = [target.accepted_of(lost.exec), landed.id];
        ruling.violate(Claim::NoCommitLost, (target.task, Some(target.sink)), landed.at, evidence);
    }
}

/// A store was put back from an older copy: whatever that takes away, nothing newer has replaced it.
pub(super) fn put_back(ruling: &mut Ruling, facts: &Facts, what: &PutBack, (at, id): (At, u32)) {
    let target = &facts.targets[what.target];
    if let Some(lost) = what.lost.first() {
        ruling.exercise(at, id);
        let evidence = [target.accepted_of(lost.exec), id];
        ruling.violate(Claim::NoCommitLost, (target.task, Some(target.sink)), at, evidence);
    }
}

pub(super) fn cleaned(ruling: &mut Ruling, facts: &Facts, cleaned: &Cleaned) {
    ruling.exercise(cleaned.at, cleaned.id);
    let target = &facts.targets[cleaned.target];
    let newer = |exec: Exec| facts.token(exec) > facts.token(cleaned.of);
    if !target.contents.chunks().iter().any(|chunk| newer(chunk.exec)) {
        let evidence = [target.accepted_of(cleaned.of), cleaned.id];
        ruling.violate(Claim::NoCommitLost, (target.task, Some(target.sink)), cleaned.at, evidence);
    }
}
