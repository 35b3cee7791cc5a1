//! *Exclusive*: a task so marked never has two executions that have not ended.

use super::facts::Facts;
use super::{Claim, Ruling};
use crate::record::{NONE, Record};
use crate::scenario::Scenario;

/// An execution started; the facts know it already.
pub(super) fn started(ruling: &mut Ruling, facts: &Facts, scenario: &Scenario, id: u32, record: &Record) {
    let marked = scenario.judged.get(usize::from(record.task.0)).is_some_and(|judged| judged.exclusive);
    let task = facts.task(record.task);
    if !marked || task.started.len() < 2 {
        return;
    }
    ruling.exercise(record.at, id);
    if task.running.len() > 1 {
        ruling.violate(Claim::Exclusive, (record.task, None), record.at, [NONE, id]);
    }
}
