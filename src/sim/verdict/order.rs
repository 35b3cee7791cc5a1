//! *Tokens in order*: each grant's token is above all earlier ones, and accepted tokens never
//! decrease within a fence's scope (without a fence: within a target).

use super::facts::{Facts, Landed};
use super::{Claim, Ruling};
use crate::record::{NONE, Record};
use crate::scenario::{Role, Scenario};
use fenceline_engine::{FenceScope, NodeId, TaskId, Token};

#[derive(Clone, Debug, Default)]
pub(super) struct Order {
    pub(super) ruling: Ruling,
    highest_grant: Option<(Token, u32)>,
    /// The last accepted token of each scope; no task: the whole table.
    accepted: Vec<(NodeId, Option<TaskId>, Token, u32)>,
}

impl Order {
    pub(super) fn granted(&mut self, id: u32, record: &Record) {
        let token = Token(u32::try_from(record.b).unwrap_or(0));
        if let Some((highest, before)) = self.highest_grant {
            self.ruling.exercise(record.at, id);
            if token <= highest {
                self.ruling.violate(Claim::TokensInOrder, (record.task, None), record.at, [before, id]);
                return;
            }
        }
        self.highest_grant = Some((token, id));
    }

    pub(super) fn landed(&mut self, facts: &Facts, scenario: &Scenario, landed: &Landed) {
        let target = &facts.targets[landed.target];
        let Role::Sink(sink) = scenario.role(target.sink) else { return };
        let rules = &scenario.sinks[sink].rules;
        let by_table = rules.fence.is_some_and(|f| f.scope == FenceScope::Table) && rules.kind.can_compare();
        let scope = (!by_table).then_some(target.task);
        let known = self.accepted.iter().find(|(at, of, ..)| (*at, *of) == (target.sink, scope));
        let before = known.map_or((Token(0), NONE), |(_, _, token, id)| (*token, *id));
        self.remember(target.sink, scope, landed);
        if landed.token < before.0 {
            let place = (target.task, Some(target.sink));
            self.ruling.violate(Claim::TokensInOrder, place, landed.at, [before.1, landed.id]);
        }
    }

    fn remember(&mut self, sink: NodeId, scope: Option<TaskId>, landed: &Landed) {
        self.accepted.retain(|(at, of, ..)| (*at, *of) != (sink, scope));
        self.accepted.push((sink, scope, landed.token, landed.id));
    }
}
