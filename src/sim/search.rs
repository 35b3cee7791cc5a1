//! The adversary: every placement of a few faults on one run, and the first that breaks a claim.
//!
//! A fault is placed at the end of an instant in which its node did something, or something was done to
//! it: between two such instants the node cannot tell one from the other, but for when the fault's
//! length is over. Placed like that it is an ordinary timed act, so what is found can be played, linked
//! to and explained like any run.
//!
//! The search goes deeper by one fault at a time, so what it finds has as few as there can be; of those
//! it is the first in one fixed order. Schedules have numbers in that order: the outcome rests on the
//! run, the menu and the bounds alone, never on how fast or in how many goes it was searched.
//!
//! What two schedules have in common is played once, and a state that was reached before, with as many
//! faults to come, is not gone on from again: see [`World::likeness`](crate::World).

mod drawn;
mod lean;

pub use drawn::{drawn, find, first, menu, shrunk};
pub use lean::leaner;

use crate::clock::At;
use crate::fault::{Act, Intervention, When};
use crate::plan::Plan;
use crate::record::{Kind, MessageKind, Record};
use crate::simulation::{Run, Simulation};
use crate::trace::{Digest, Trace};
use crate::verdict::{Claim, Judge};
use fenceline_engine::NodeId;
use std::collections::BTreeMap;

/// What the adversary may do.
#[derive(Clone, Debug)]
pub struct Bounds {
    /// Each may be placed anywhere, more than once.
    pub menu: Vec<Act>,
    /// How many faults one schedule has at most.
    pub faults: u8,
    /// The claims it tries to break; about safety all of them.
    pub claims: Vec<Claim>,
}

impl Bounds {
    /// The claims it was to break that are broken.
    fn broken(&self, judge: &Judge, now: At) -> Vec<Claim> {
        let violations = judge.violations(now);
        let sought = |claim: &Claim| violations.iter().any(|violation| violation.claim == *claim);
        self.claims.iter().copied().filter(sought).collect()
    }
}

/// A schedule that breaks a claim.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Found {
    /// Of a search to the end: its place among those with as many faults or fewer. Of drawn schedules:
    /// its own.
    pub number: u64,
    /// Its faults, to be added to the run.
    pub acts: Vec<Intervention>,
    /// What it breaks of what was looked for.
    pub claims: Vec<Claim>,
}

/// A search, as far as it has come.
#[derive(Clone, Debug)]
pub struct Search {
    run: Run,
    bounds: Bounds,
    /// How many faults a schedule may have in the present round.
    depth: u8,
    /// From the run without a fault to the schedule under way.
    stack: Vec<Branch>,
    /// How many more faults were tried from each state.
    seen: BTreeMap<u64, u8>,
    schedules: u64,
    found: Option<Found>,
}

/// A schedule, played up to the end of one instant.
#[derive(Clone, Debug)]
struct Branch {
    simulation: Simulation,
    judge: Judge,
    acts: Vec<Intervention>,
    left: u8,
    /// The next entry of the menu to place here.
    next: usize,
    /// Nodes with records in this instant.
    touched: Touched,
    /// Whatever of the past a judge may still come back to.
    past: Digest,
}

/// A set of nodes; one for all beyond the last.
#[derive(Clone, Copy, Debug)]
struct Touched(u64);

impl Touched {
    fn bit(node: NodeId) -> u64 {
        1 << node.0.min(63)
    }

    fn has(self, act: &Act) -> bool {
        act.node().is_none_or(|node| self.0 & Self::bit(node) != 0)
    }
}

impl Search {
    pub fn new(run: Run, bounds: Bounds) -> Self {
        let mut search = Self {
            run,
            bounds,
            depth: 0,
            stack: Vec::new(),
            seen: BTreeMap::new(),
            schedules: 0,
            found: None,
        };
        search.begin_round();
        search
    }

    /// Searches to the end.
    pub fn finish(&mut self) {
        while self.go_on(u64::MAX) {}
    }

    /// Tries so many schedules more; false if nothing is left to try.
    pub fn go_on(&mut self, schedules: u64) -> bool {
        let until = self.schedules.saturating_add(schedules);
        while self.found.is_none() && self.schedules < until {
            if !self.step() {
                if self.depth >= self.bounds.faults {
                    return false;
                }
                self.depth += 1;
                self.begin_round();
            }
        }
        self.found.is_none()
    }

    /// The schedule with the fewest faults that breaks a claim.
    pub fn found(&self) -> Option<&Found> {
        self.found.as_ref()
    }

    /// Schedules tried with as many faults as have been come to.
    pub fn schedules(&self) -> u64 {
        self.schedules
    }

    /// Different states from which a fault was placed.
    pub fn states(&self) -> usize {
        self.seen.len()
    }

    fn begin_round(&mut self) {
        self.seen.clear();
        self.schedules = 1;
        self.stack = vec![Branch::root(&self.run, self.depth)];
    }

    /// Places the next fault, or goes on to the next instant. False if the round is over.
    fn step(&mut self) -> bool {
        let Some(branch) = self.stack.last_mut() else { return false };
        if let Some(child) = branch.next_child(&self.run, &self.bounds.menu) {
            self.schedules += 1;
            self.stack.push(child);
        } else if !branch.next_instant() {
            self.judge();
            self.stack.pop();
        } else if branch.left > 0 {
            let (state, left) = (branch.likeness(), branch.left);
            let known = self.seen.entry(state).or_insert(0);
            if *known >= left {
                self.stack.pop();
            } else {
                *known = left;
            }
        }
        true
    }

    /// The schedule under way has come to its end.
    fn judge(&mut self) {
        let Some(branch) = self.stack.last() else { return };
        let claims = self.bounds.broken(&branch.judge, branch.simulation.now());
        if !claims.is_empty() {
            self.found = Some(Found { number: self.schedules, acts: branch.acts.clone(), claims });
        }
    }
}

impl Branch {
    fn root(run: &Run, left: u8) -> Self {
        let simulation = Simulation::new(run);
        let mut root = Self {
            simulation,
            judge: Judge::new(run),
            acts: Vec::new(),
            left,
            next: 0,
            touched: Touched(u64::MAX),
            past: Digest::default(),
        };
        root.observe(0);
        root.complete(0);
        root.touched = Touched(u64::MAX);
        root
    }

    /// This schedule with one more fault, here.
    fn next_child(&mut self, run: &Run, menu: &[Act]) -> Option<Self> {
        if self.left == 0 || self.simulation.has_ended() {
            return None;
        }
        let place = (self.next..menu.len()).find(|place| self.touched.has(&menu[*place]))?;
        // Of two faults placed at one instant the one that stands first in the menu comes first.
        self.next = place + 1;
        let at = self.simulation.now();
        let mut acts = self.acts.clone();
        acts.push(Intervention { when: When::At(at), act: menu[place] });
        let interventions = run.interventions.iter().chain(&acts).copied().collect();
        let plan = Plan::of(&Run { interventions, ..run.clone() });
        let state = self.simulation.state().clone().under(&plan);
        let records = state.records();
        let mut judge = self.judge.clone();
        judge.follow(&plan);
        let mut child = Self {
            simulation: Simulation::resume(state, Trace::continuing(records)),
            judge,
            acts,
            left: self.left - 1,
            next: place + 1,
            touched: self.touched,
            past: self.past,
        };
        if let Act::Set(_) = menu[place] {
            child.past.add(place as u64);
        }
        child.complete(at);
        Some(child)
    }

    /// Plays one instant; false if the run is over.
    fn next_instant(&mut self) -> bool {
        let before = self.simulation.state().records();
        if !self.simulation.step() {
            return false;
        }
        self.next = 0;
        self.touched = Touched(0);
        self.observe(before);
        self.complete(self.simulation.now());
        !self.simulation.has_ended()
    }

    /// Plays what is due up to the end of an instant.
    fn complete(&mut self, at: At) {
        let before = self.simulation.state().records();
        self.simulation.advance_to(at);
        self.observe(before);
    }

    fn observe(&mut self, from: u32) {
        for (id, record) in self.simulation.trace().since(from) {
            self.judge.observe(id, record);
            self.touched.0 |= Touched::bit(record.node);
            if is_judged(record) {
                let Record { b, task, attempt, copy, kind, flag, n, node, .. } = *record;
                let what = u64::from(task.0) | u64::from(attempt) << 16 | u64::from(copy) << 24;
                let how = u64::from(kind as u8) | u64::from(flag) << 8 | u64::from(n) << 16;
                [what | u64::from(node.0) << 32, how, b as u64]
                    .into_iter()
                    .for_each(|word| self.past.add(word));
            }
        }
    }

    fn likeness(&self) -> u64 {
        let mut all = self.past;
        // Whether a task was quiet for a moment, and its rows judged then, no single record says.
        for violation in self.judge.violations(self.simulation.now()) {
            all.add(violation.claim as u64 | u64::from(violation.task.0) << 8);
        }
        all.add(self.simulation.world().likeness());
        all.0
    }
}

/// Whether a verdict about safety may rest on a record's content, now or later. Times are not among it:
/// no such verdict looks at them.
fn is_judged(record: &Record) -> bool {
    use Kind::*;
    match record.kind {
        Delivered => matches!(
            record.message(),
            Some(MessageKind::Request | MessageKind::Completed | MessageKind::Failed | MessageKind::Stopped)
        ),
        TaskIs | Granted | AttemptSucceeded | AttemptFailed | AttemptTimedOut | AttemptWithdrawn
        | Started | InputRead | Ended | Applied | Fenced | EffectDone | CommitFound | Redelivered | Kept => {
            true
        }
        _ => false,
    }
}
