//! *Ends in its bound*: a task is terminal in the record by due + bound. *Held* is not terminal.

use super::facts::Facts;
use super::{Claim, Detail, State, Verdict};
use crate::clock::At;
use crate::scenario::Scenario;
use fenceline_engine::TaskId;

/// When each task's bound falls due, in true time: the schedule does not move with a broken clock.
pub(super) fn deadlines(scenario: &Scenario) -> impl Iterator<Item = (TaskId, At)> {
    let judged = scenario.tasks.iter().zip(&scenario.judged).enumerate();
    judged.filter_map(|(index, (task, judged))| {
        let due = u64::try_from((task.due + judged.bound?).0).unwrap_or(0);
        Some((TaskId(u16::try_from(index).unwrap_or(u16::MAX)), due))
    })
}

pub(super) fn verdict(facts: &Facts, scenario: &Scenario, now: At) -> Verdict {
    let mut verdict = Verdict::unexercised(Claim::EndsInBound);
    let mut next: Option<At> = None;
    for (task, deadline) in deadlines(scenario) {
        let ended = facts.task(task).terminal_at;
        let in_time = ended.is_some_and(|at| at <= deadline);
        if !in_time && now >= deadline {
            verdict.state = State::Violated;
            verdict.tasks.push(task);
            verdict.evidence.push(facts.task(task).state_record);
            verdict.since = Some(verdict.since.map_or(deadline, |since| since.min(deadline)));
        } else if !in_time {
            next = Some(next.map_or(deadline, |next| next.min(deadline)));
        }
    }
    if verdict.state == State::Violated {
        return verdict;
    }
    let ended = deadlines(scenario).map(|(task, _)| facts.task(task));
    if let Some(first) = ended.filter(|task| task.terminal_at.is_some()).min_by_key(|task| task.terminal_at) {
        (verdict.state, verdict.since) = (State::Holds, first.terminal_at);
        verdict.evidence.push(first.state_record);
    }
    if let Some(at) = next {
        verdict.detail = Detail::FallsDue(at);
    }
    verdict
}
