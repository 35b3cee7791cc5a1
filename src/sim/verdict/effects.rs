//! *Effects once*: each irreversible effect happens exactly once for its business key. A deliberate re-run
//! asks for its own.

use super::facts::{EffectFacts, Facts};
use super::{Claim, Ruling};
use crate::clock::At;
use crate::record::{NONE, Record};
use crate::scenario::Scenario;
use fenceline_engine::{Step, TaskId, TaskState};

/// How effects differ from what they should be.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct EffectCounts {
    /// Effects that happened.
    pub done: u32,
    /// Effects the programs ask for.
    pub expected: u32,
    /// Times an effect happened beyond its first.
    pub twice: u32,
    /// Effects that never happened although their task is recorded as success.
    pub never: u32,
}

impl EffectCounts {
    pub(crate) fn add(&mut self, other: Self) {
        self.done += other.done;
        self.expected += other.expected;
        self.twice += other.twice;
        self.never += other.never;
    }
}

pub(super) fn requested(ruling: &mut Ruling, facts: &mut Facts, id: u32, record: &Record) {
    let step = u8::try_from(record.n).unwrap_or(u8::MAX);
    let effect = facts.effect(record.exec(), step);
    effect.requests += 1;
    if effect.requests > 1 {
        ruling.exercise(record.at, id);
    }
}

pub(super) fn done(ruling: &mut Ruling, facts: &mut Facts, id: u32, record: &Record) {
    let step = u8::try_from(record.n).unwrap_or(u8::MAX);
    let effect = facts.effect(record.exec(), step);
    effect.done += 1;
    if effect.done == 1 {
        effect.first_done = id;
    } else {
        let place = (record.task, Some(record.node));
        ruling.violate(Claim::EffectsOnce, place, record.at, [effect.first_done, id]);
    }
}

pub(super) fn quiet(
    ruling: &mut Ruling,
    facts: &Facts,
    scenario: &Scenario,
    task: TaskId,
    (at, id): (At, u32),
) {
    if count_task(facts, scenario, task).never > 0 {
        ruling.violate(Claim::EffectsOnce, (task, None), at, [NONE, id]);
    }
}

/// The counts of one task.
pub(crate) fn count_task(facts: &Facts, scenario: &Scenario, task: TaskId) -> EffectCounts {
    let mut counts = EffectCounts::default();
    let succeeded = facts.task(task).state == TaskState::Succeeded;
    for (index, step) in scenario.tasks[usize::from(task.0)].program.iter().enumerate() {
        if !matches!(step, Step::Effect { .. }) {
            continue;
        }
        let now = facts.task(task).generation;
        for generation in 0..=now {
            let is_it = |effect: &&EffectFacts| {
                (usize::from(effect.step), effect.generation) == (index + 1, generation)
            };
            let done = facts.task(task).effects.iter().find(is_it).map_or(0, |effect| effect.done);
            let is_current = generation == now;
            // An earlier run may have ended without.
            counts.expected += u32::from(is_current || done > 0);
            counts.done += done;
            counts.twice += done.saturating_sub(1);
            counts.never += u32::from(is_current && done == 0 && succeeded);
        }
    }
    counts
}
