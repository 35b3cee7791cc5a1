//! The faults each node offers at the cursor, and those that are there to be edited.

use fenceline_engine::{NodeId, Span};
use fenceline_sim::clock::At;
use fenceline_sim::order;
use fenceline_sim::scenario::{Role, SCHEDULER};
use fenceline_sim::{Act, Fate, Intervention, When};

use super::Lab;
use super::menu::Group;
use crate::app::words::faults as words;
use crate::app::words::instant;

/// Something that can be done to a node at the cursor.
#[derive(Clone, Debug, PartialEq)]
pub struct Offer {
    pub group: Group,
    pub deed: Deed,
    /// `Cut control`.
    pub name: String,
    /// The same where there is little room: `Cut`.
    pub brief: String,
    /// `Pause worker 1 at 22.0 s`: every act says whom it happens to, and when.
    pub full_name: String,
    /// What it does, in a few words.
    pub effect: &'static str,
    /// Why it would do nothing now.
    pub refused: Option<String>,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Deed {
    Do(Act),
    /// End the fault with this index now.
    End(usize),
}

/// A fault that is there, to be edited.
#[derive(Clone, Debug, PartialEq)]
pub struct Standing {
    pub index: usize,
    pub act: Act,
    /// 0 where it waits for a point of a program.
    pub from: At,
    pub until: Option<At>,
    /// Whether it begins at a time, which can be moved.
    pub timed: bool,
    /// `pause 22.0 s → 77.0 s`.
    pub text: String,
}

impl Standing {
    /// Whether it goes on until it is ended, or for good.
    pub fn lasts(&self) -> bool {
        lasting(&self.act)
    }
}

impl Lab {
    /// What can be done to `node` at `at`, group by group.
    pub fn offers(&self, node: NodeId, at: At) -> Vec<Offer> {
        let state = self.derived.history.at(at);
        let role = self.case.scenario.role(node);
        let whom = words::within(&self.case.scenario, node);
        let offer = |(group, act): (Group, Act)| {
            let active = self.active(&act, at);
            let (deed, name, brief) = match (active, act) {
                (Some(index), _) if lasting(&act) => {
                    (Deed::End(index), words::ending(&act), words::brief_ending(&act))
                }
                // A clock that drifts goes on doing so: its true rate is an act of its own.
                (Some(_), Act::ClockRate { node, .. }) => {
                    let done = Act::ClockRate { node, ppm: 0 };
                    (Deed::Do(done), words::offer(&done), words::brief(&done))
                }
                _ => (Deed::Do(act), words::offer(&act), words::brief(&act)),
            };
            let name = match act {
                Act::Operator { task, .. } | Act::Input { task, .. } => {
                    words::of_task(&name, &self.case.scenario, task)
                }
                _ => name,
            };
            let refused = match deed {
                Deed::End(_) => (at >= self.until()).then(|| words::RUN_ENDS.to_owned()),
                Deed::Do(act) => self.refusal(&act, at, &state),
            };
            let full_name = words::deed(&act, &name, &whom, &instant(at, self.case.starts));
            let effect = match deed {
                Deed::Do(act) => words::effect(&act, role),
                Deed::End(_) => words::ends_it(&act),
            };
            Offer { group, deed, name, brief, full_name, effect, refused }
        };
        let mut offers: Vec<Offer> = Vec::new();
        for offer in self.menu(node, at, &state).into_iter().map(offer) {
            // What ends one fault is offered once.
            if !offers.iter().any(|before| before.deed == offer.deed) {
                offers.push(offer);
            }
        }
        offers
    }

    /// The two commonest of them: the first of the node's process, and of its links or clock.
    pub fn common(&self, node: NodeId, at: At) -> Vec<Offer> {
        let second = match self.case.scenario.role(node) {
            Role::Worker(_) => Group::Links,
            Role::Scheduler => Group::Clock,
            Role::Sink(_) | Role::Executor | Role::Store | Role::Operator => Group::Process,
        };
        let offers = self.offers(node, at);
        let next = |offer: &&Offer| offer.group == second;
        let skip = usize::from(second == Group::Process);
        let second = offers.iter().filter(next).nth(skip).cloned();
        offers.into_iter().take(1).chain(second).collect()
    }

    /// Does, or ends, what an offer names.
    pub fn take(&mut self, deed: Deed, at: At) {
        match deed {
            Deed::Do(act) => self.act(at, act),
            Deed::End(index) => self.end(index, at),
        }
    }

    /// The same fault on the same node that is in force at `at`.
    fn active(&self, act: &Act, at: At) -> Option<usize> {
        if let Act::ClockRate { node, .. } = *act {
            let rated = |other: &&Intervention| {
                matches!((other.when, other.act), (When::At(from), Act::ClockRate { node: n, .. })
                    if n == node && from <= at)
            };
            let last =
                self.acts.iter().filter(rated).max_by_key(|other| span_of(other).map(|(from, _)| from))?;
            return self.acts.iter().position(|other| other == last && other.act == *act);
        }
        let in_force = |(from, until): (At, Option<At>)| from <= at && until.is_none_or(|until| at < until);
        self.acts.iter().position(|other| {
            lasting(&other.act) && alike(act, &other.act) && span_of(other).is_some_and(in_force)
        })
    }

    /// Faults of a node that are there already, in order of their beginning. What is decided about
    /// tasks stands with the scheduler.
    pub fn standing(&self, node: NodeId) -> Vec<Standing> {
        let starts = self.case.starts;
        let of = |act: &Act| match act {
            Act::Operator { .. } | Act::Input { .. } => Some(SCHEDULER),
            _ => act.node(),
        };
        let told = |(index, other): (usize, &Intervention)| {
            let Some((from, until)) = span_of(other) else {
                let text = words::at_point(&other.act, other.when);
                return Standing { index, act: other.act, from: 0, until: None, timed: false, text };
            };
            let end = until.map(|until| format!(" → {}", instant(until, starts))).unwrap_or_default();
            let text = format!("{} {}{end}", words::noun(&other.act), instant(from, starts));
            Standing { index, act: other.act, from, until, timed: true, text }
        };
        let here = self.acts.iter().enumerate().filter(|(_, other)| of(&other.act) == Some(node));
        let mut standing: Vec<Standing> = here.map(told).collect();
        order::by(&mut standing, |fault| fault.from);
        standing
    }

    /// Moves the whole of a fault; how long it lasts stays.
    pub fn shift_fault(&mut self, fault: &Standing, by: i64) {
        let from = fault.from.saturating_add_signed(by).min(self.until());
        let until = fault.until.map(|until| from + until.saturating_sub(fault.from));
        self.move_fault(fault.index, from, until);
    }

    /// Moves the end of a fault; one that lasts for good ends with the run to begin with.
    pub fn stretch_fault(&mut self, fault: &Standing, by: i64) {
        let until = fault.until.unwrap_or(self.until()).saturating_add_signed(by);
        self.move_fault_end(fault.index, fault.from, until);
    }

    /// Lets a cut keep messages instead of losing them, or the other way round.
    pub fn turn_fate(&mut self, index: usize) {
        let Some(fault) = self.acts.get(index).copied() else { return };
        if let Act::Cut { node, path, way, fate, lasts } = fault.act {
            let fate = if fate == Fate::Lost { Fate::Held } else { Fate::Lost };
            let act = Act::Cut { node, path, way, fate, lasts };
            self.replace(super::Name::Change(index, fault.act), index, Intervention { act, ..fault });
        }
    }

    /// Why a fault of a worker would touch no attempt: it runs none at `at`.
    pub(super) fn idle(&self, node: NodeId, at: At) -> Option<String> {
        if !matches!(self.case.scenario.role(node), Role::Worker(_)) {
            return None;
        }
        let runs = |execution: &&fenceline_sim::truth::ExecutionTruth| {
            execution.node == node && execution.start <= at && execution.end.is_none_or(|(end, _)| at < end)
        };
        if self.derived.truth.executions.iter().any(|execution| runs(&execution)) {
            return None;
        }
        let begun = |execution: &&fenceline_sim::truth::ExecutionTruth| {
            execution.node == node && execution.start <= at
        };
        let last = self.derived.truth.executions.iter().rfind(begun);
        Some(match last {
            Some(execution) => words::attempt_ended(execution.exec.attempt),
            None => words::RUNS_NOTHING.into(),
        })
    }
}

/// From when to when an act made at a time is in force.
pub fn span_of(act: &Intervention) -> Option<(At, Option<At>)> {
    let When::At(from) = act.when else { return None };
    let until = act.act.lasts().map(|Span(lasts)| from.saturating_add(u64::try_from(lasts).unwrap_or(0)));
    Some((from, until))
}

/// Whether an act goes on after its instant.
fn lasting(act: &Act) -> bool {
    match act {
        Act::Pause { .. }
        | Act::Freeze { .. }
        | Act::Crash { .. }
        | Act::Reboot { .. }
        | Act::Slow { .. }
        | Act::Block { .. }
        | Act::Cut { .. }
        | Act::Degrade { .. }
        | Act::Fail { .. } => true,
        Act::StepClock { .. }
        | Act::ClockRate { .. }
        | Act::Input { .. }
        | Act::Operator { .. }
        | Act::Redeliver { .. }
        | Act::Restore { .. }
        | Act::ForceUnlock { .. }
        | Act::Set(_) => false,
    }
}

/// Whether two lasting acts do the same to the same node, however long.
fn alike(a: &Act, b: &Act) -> bool {
    match (*a, *b) {
        // However much: its end is the same.
        (Act::Slow { node: a, .. }, Act::Slow { node: b, .. }) => a == b,
        (a, b) => a.lasting(None) == b.lasting(None),
    }
}
