//! The rules as they stood at each moment of a run: what it opened with, and each later change at
//! the record that announces it.

use crate::fault::{Act, Setting};
use crate::plan::Plan;
use crate::record::{Kind, Record};
use crate::scenario::Scenario;
use crate::simulation::Run;
use std::sync::Arc;

/// A scenario whose rules follow the run's own changes. Made from a scenario alone it knows none.
#[derive(Clone, Debug)]
pub struct Rulebook {
    scenario: Arc<Scenario>,
    /// Changes after time 0, by the index of the act.
    changes: Arc<[(u32, Setting)]>,
}

impl Rulebook {
    /// The scenario with the rules in force now.
    pub fn scenario(&self) -> &Scenario {
        &self.scenario
    }

    /// The run was edited: later changes are those of its new plan. What is past stays as it was.
    pub fn follow(&mut self, plan: &Plan) {
        self.changes = changes(plan);
    }

    /// Puts a recorded change of the rules in force; true if it was one.
    pub fn observe(&mut self, record: &Record) -> bool {
        if record.kind != Kind::RuleSet {
            return false;
        }
        let change = self.changes.iter().find(|(index, _)| i64::from(*index) == record.b);
        if let Some((_, setting)) = change {
            Arc::make_mut(&mut self.scenario).set(*setting);
        }
        change.is_some()
    }
}

impl From<Arc<Scenario>> for Rulebook {
    fn from(scenario: Arc<Scenario>) -> Self {
        Self { scenario, changes: Arc::from([]) }
    }
}

impl From<&Arc<Scenario>> for Rulebook {
    fn from(scenario: &Arc<Scenario>) -> Self {
        Arc::clone(scenario).into()
    }
}

impl From<&Scenario> for Rulebook {
    fn from(scenario: &Scenario) -> Self {
        Arc::new(scenario.clone()).into()
    }
}

impl From<&Plan> for Rulebook {
    fn from(plan: &Plan) -> Self {
        Self { scenario: Arc::clone(&plan.scenario), changes: changes(plan) }
    }
}

impl From<&Run> for Rulebook {
    fn from(run: &Run) -> Self {
        (&Plan::of(run)).into()
    }
}

fn changes(plan: &Plan) -> Arc<[(u32, Setting)]> {
    let timed = plan.timed.iter().map(|timed| (timed.index, timed.act));
    let armed = plan.armed.iter().map(|armed| (armed.index, armed.act));
    let change = |(index, act)| match act {
        Act::Set(setting) => Some((index, setting)),
        _ => None,
    };
    timed.chain(armed).filter_map(change).collect()
}
