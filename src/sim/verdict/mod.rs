//! Verdicts: each claim about a run, judged from its records alone. A claim *holds*, is *violated*,
//! or was *not exercised*: nothing happened that could have broken it.

mod bound;
mod commit;
mod effects;
mod exclusive;
pub(crate) mod facts;
mod holder;
mod judge;
mod leftovers;
mod one_ending;
mod one_output;
mod order;
pub(crate) mod rows;
pub(crate) mod silence;
pub(crate) mod spread;
mod stale;
mod timeline;

pub use effects::EffectCounts;
pub use judge::{Judge, judge};
pub use rows::RowCounts;
pub use timeline::{timeline, timelines};

use crate::clock::At;
use crate::record::NONE;
use fenceline_engine::{NodeId, TaskId};

/// What is claimed of a run. The first nine are about safety, then liveness, then silence.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Claim {
    OneOutput,
    NoStaleOverNewer,
    RowsAsExpected,
    EffectsOnce,
    NoCommitLost,
    TokensInOrder,
    HolderNotRefused,
    Exclusive,
    OneEnding,
    EndsInBound,
    NotBlockedByLeftovers,
    SilentDamage,
}

impl Claim {
    pub const ALL: [Self; 12] = [
        Self::OneOutput,
        Self::NoStaleOverNewer,
        Self::RowsAsExpected,
        Self::EffectsOnce,
        Self::NoCommitLost,
        Self::TokensInOrder,
        Self::HolderNotRefused,
        Self::Exclusive,
        Self::OneEnding,
        Self::EndsInBound,
        Self::NotBlockedByLeftovers,
        Self::SilentDamage,
    ];

    /// Whether breaking it is damage.
    pub fn is_safety(self) -> bool {
        self <= Self::OneEnding
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum State {
    /// Exercised and not violated, so far.
    Holds,
    Violated,
    NotExercised,
}

/// The judgement of one claim at one instant.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Verdict {
    pub claim: Claim,
    pub state: State,
    /// The records that show it: of each violation the act that broke the claim, after what it
    /// broke; else the first record that exercised it.
    pub evidence: Vec<u32>,
    /// Since when it stands so; none while not exercised.
    pub since: Option<At>,
    /// The tasks it is violated for.
    pub tasks: Vec<TaskId>,
    pub detail: Detail,
}

/// Figures that belong to one claim.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Detail {
    None,
    /// Of the violated tasks; of all judged ones if none is.
    Rows(RowCounts),
    Effects(EffectCounts),
    /// When the next bound falls due, or the end of the run at which silence is judged.
    FallsDue(At),
}

/// A claim broken for one task.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Violation {
    pub claim: Claim,
    pub task: TaskId,
    pub sink: Option<NodeId>,
    pub at: At,
    /// What was broken, where it is one record, and what broke it.
    evidence: [u32; 2],
}

impl Violation {
    /// What was broken, where it is one record, then the record that broke it.
    pub fn evidence(&self) -> impl Iterator<Item = u32> {
        self.evidence.into_iter().filter(|id| *id != NONE)
    }
}

impl Verdict {
    fn unexercised(claim: Claim) -> Self {
        Self {
            claim,
            state: State::NotExercised,
            evidence: Vec::new(),
            since: None,
            tasks: Vec::new(),
            detail: Detail::None,
        }
    }

    /// Names violations as what it rests on.
    fn name<'a>(&mut self, violations: impl IntoIterator<Item = &'a Violation>) {
        for violation in violations {
            self.evidence.extend(violation.evidence());
            self.since = Some(self.since.map_or(violation.at, |since| since.min(violation.at)));
            if !self.tasks.contains(&violation.task) {
                self.tasks.push(violation.task);
            }
        }
    }
}

/// What is known of one claim: when it was first exercised, and for which tasks it was broken.
#[derive(Clone, Debug, Default)]
struct Ruling {
    exercised: Option<(At, u32)>,
    violations: Vec<Violation>,
}

impl Ruling {
    fn exercise(&mut self, at: At, id: u32) {
        self.exercised.get_or_insert((at, id));
    }

    /// The first violation counts, for each task.
    fn violate(&mut self, claim: Claim, place: (TaskId, Option<NodeId>), at: At, evidence: [u32; 2]) {
        let (task, sink) = place;
        if self.violations.iter().all(|known| known.task != task) {
            self.violations.push(Violation { claim, task, sink, at, evidence });
        }
    }

    fn verdict(&self, claim: Claim) -> Verdict {
        let mut verdict = Verdict::unexercised(claim);
        if !self.violations.is_empty() {
            verdict.state = State::Violated;
            verdict.name(&self.violations);
        } else if let Some((at, id)) = self.exercised {
            verdict.state = State::Holds;
            verdict.since = Some(at);
            verdict.evidence.push(id);
        }
        verdict
    }
}
