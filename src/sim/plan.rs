//! A run's acts sorted out: rules in force from the start, timed acts, acts that wait for a point.

use crate::clock::At;
use crate::fault::{Act, Intervention, When};
use crate::order;
use crate::scenario::Scenario;
use crate::simulation::Run;
use std::sync::Arc;

/// A timed act, and its place among the run's acts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Timed {
    pub at: At,
    pub index: u32,
    pub act: Act,
    /// Not the act itself, but the copy that it will put back.
    pub copies: bool,
}

/// An act that waits for its point in a program or a dispatch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Armed {
    pub index: u32,
    pub when: When,
    pub act: Act,
}

/// What a run starts from and what will be done to it.
#[derive(Clone, Debug)]
pub struct Plan {
    /// The scenario with the rules set at time 0.
    pub scenario: Arc<Scenario>,
    pub seed: u64,
    pub armed: Vec<Armed>,
    /// In the order in which they are done.
    pub timed: Arc<[Timed]>,
}

impl Plan {
    pub fn of(run: &Run) -> Self {
        let mut scenario = Arc::clone(&run.scenario);
        let (mut timed, mut copies, mut armed) = (Vec::new(), Vec::new(), Vec::new());
        for (index, &Intervention { when, act }) in (0..).zip(run.acts()) {
            match (when, act) {
                (When::At(0), Act::Set(setting)) => Arc::make_mut(&mut scenario).set(setting),
                (When::At(at), act) => {
                    if let Act::Restore { back, .. } = act {
                        let then = at.saturating_sub(u64::try_from(back.0).unwrap_or(0));
                        copies.push(Timed { at: then, index, act, copies: true });
                    }
                    timed.push(Timed { at, index, act, copies: false });
                }
                (when, act) => armed.push(Armed { index, when, act }),
            }
        }
        // They come in order of their index; a copy is of what there is after all of its instant.
        timed.extend(copies);
        order::by(&mut timed, |act| act.at);
        Self { scenario, seed: run.seed, armed, timed: timed.into() }
    }

    /// From when on two plans may differ: nothing before that instant tells them apart. None if they
    /// are the same. An armed act may have met its point anywhere, so another one is another start.
    pub fn parts_at(&self, other: &Self) -> Option<At> {
        let same_start =
            (self.seed, &self.armed, &self.scenario) == (other.seed, &other.armed, &other.scenario);
        if !same_start {
            return Some(0);
        }
        let common = self.timed.iter().zip(&*other.timed).take_while(|(mine, theirs)| mine == theirs).count();
        [&self.timed, &other.timed].into_iter().filter_map(|timed| Some(timed.get(common)?.at)).min()
    }
}
