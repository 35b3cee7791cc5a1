//! How verdicts changed over a run.

use super::{Claim, Judge, State, bound};
use crate::clock::At;
use crate::order;
use crate::rulebook::Rulebook;
use crate::scenario::Scenario;
use crate::trace::Trace;

/// The changes of one claim's state up to `now`; the first is at time 0.
pub fn timeline(rules: impl Into<Rulebook>, trace: &Trace, now: At, claim: Claim) -> Vec<(At, State)> {
    let all = timelines(rules, trace, now);
    all.into_iter().find(|(of, _)| *of == claim).map_or(Vec::new(), |(_, changes)| changes)
}

/// The same for every claim, in the order of [`Claim::ALL`]. A state is taken when its instant is over.
pub fn timelines(rules: impl Into<Rulebook>, trace: &Trace, now: At) -> Vec<(Claim, Vec<(At, State)>)> {
    let judge = Judge::new(rules);
    let mut rail = Rail {
        lines: Claim::ALL.iter().map(|claim| (*claim, vec![(0, State::NotExercised)])).collect(),
        moments: moments(judge.scenario()),
        changes: 0,
        judge,
    };
    let mut at = 0;
    for (id, record) in trace.iter().take_while(|record| record.at <= now).enumerate() {
        if record.at > at {
            rail.pass(trace, at, record.at);
            at = record.at;
        }
        rail.judge.observe(id as u32, record);
    }
    rail.pass(trace, at, now.saturating_add(1));
    rail.lines
}

/// When a verdict may change without a record, latest first.
fn moments(scenario: &Scenario) -> Vec<At> {
    let mut moments: Vec<At> = bound::deadlines(scenario).map(|(_, at)| at).collect();
    moments.push(scenario.until);
    order::distinct(&mut moments, |at| At::MAX - at);
    moments
}

struct Rail {
    judge: Judge,
    lines: Vec<(Claim, Vec<(At, State)>)>,
    /// Still to come, latest first.
    moments: Vec<At>,
    changes: usize,
}

impl Rail {
    /// The instant `at` is over and nothing is recorded before `next`: looks at it, and at each
    /// moment until then at which something falls due.
    fn pass(&mut self, trace: &Trace, at: At, next: At) {
        let mut moment = at;
        while moment < next {
            if self.judge.wake() <= moment {
                self.judge.settle(moment.saturating_add(1));
            }
            let is_due = self.moments.last().is_some_and(|due| *due <= moment);
            while self.moments.last().is_some_and(|due| *due <= moment) {
                self.moments.pop();
            }
            let changes = self.judge.changes();
            if is_due || changes != self.changes {
                self.changes = changes;
                self.note(trace, moment);
            }
            moment = self.judge.wake().min(self.moments.last().copied().unwrap_or(At::MAX));
        }
    }

    fn note(&mut self, trace: &Trace, at: At) {
        for (verdict, (_, line)) in self.judge.verdicts(trace, at).iter().zip(&mut self.lines) {
            match line.last_mut() {
                Some((_, state)) if *state == verdict.state => {}
                Some((since, state)) if *since == at => *state = verdict.state,
                _ => line.push((at, verdict.state)),
            }
        }
    }
}
