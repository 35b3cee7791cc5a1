//! *No accepted commit lost*: an accepted write stays visible until a newer one, or a later one of
//! its own execution, or one based on its version, replaces it.

use super::facts::{Facts, Landed};
use super::{Claim, Ruling};
use crate::scenario::{Role, Scenario};
use fenceline_engine::{Put, SinkKind};

pub(super) fn landed(ruling: &mut Ruling, facts: &Facts, scenario: &Scenario, landed: &Landed) {
    if landed.replaced.is_empty() {
        return;
    }
    ruling.exercise(landed.at, landed.id);
    let target = &facts.targets[landed.target];
    let is_based_on_it = matches!(scenario.role(target.sink), Role::Sink(sink)
        if matches!(scenario.sinks[sink].rules.kind, SinkKind::Objects(Put::CompareAndSet(_))));
    let may_replace =
        |old: fenceline_engine::Exec| is_based_on_it || old == landed.exec || facts.token(old) < landed.token;
    if let Some(lost) = landed.replaced.iter().find(|chunk| !may_replace(chunk.exec)) {
        let evidence = [target.accepted_of(lost.exec), landed.id];
        ruling.violate(Claim::NoCommitLost, (target.task, Some(target.sink)), landed.at, evidence);
    }
}
