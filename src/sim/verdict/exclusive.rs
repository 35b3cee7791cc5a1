//! *Exclusive*: a task so marked never has two executions that have not ended; nor have two intervals of
//! one trigger, which is then the unit that runs alone.

use super::facts::Facts;
use super::{Claim, Ruling};
use crate::record::{NONE, Record};
use crate::scenario::Scenario;
use fenceline_engine::TaskId;

/// An execution started; the facts know it already.
pub(super) fn started(ruling: &mut Ruling, facts: &Facts, scenario: &Scenario, id: u32, record: &Record) {
    if !scenario.judged.get(usize::from(record.task.0)).is_some_and(|judged| judged.exclusive) {
        return;
    }
    let (mut started, mut running) = (0, 0);
    for task in intervals(scenario, record.task) {
        started += facts.task(task).started.len();
        running += facts.task(task).running.len();
    }
    if started < 2 {
        return;
    }
    ruling.exercise(record.at, id);
    if running > 1 {
        ruling.violate(Claim::Exclusive, (record.task, None), record.at, [NONE, id]);
    }
}

/// The task and what its trigger made beside it.
fn intervals(scenario: &Scenario, task: TaskId) -> impl Iterator<Item = TaskId> {
    let first = first(scenario, task);
    let all = 0..u16::try_from(scenario.tasks.len()).unwrap_or(u16::MAX);
    all.map(TaskId).filter(move |other| self::first(scenario, *other) == first)
}

fn first(scenario: &Scenario, mut task: TaskId) -> TaskId {
    while let Some(before) = scenario.tasks.get(usize::from(task.0)).and_then(|spec| spec.follows) {
        task = before;
    }
    task
}
