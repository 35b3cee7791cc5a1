//! The faults each node offers at the cursor, and why not where one would do nothing.

use fenceline_engine::{NodeId, Span};
use fenceline_sim::clock::At;
use fenceline_sim::order;
use fenceline_sim::scenario::Role;
use fenceline_sim::world::NodeState;
use fenceline_sim::{Act, Path, Way, When};

use super::Lab;
use crate::app::words::faults as words;
use crate::app::words::instant;

/// Something that can be done to a node at the cursor.
#[derive(Clone, Debug, PartialEq)]
pub struct Offer {
    pub deed: Deed,
    /// `Cut control`.
    pub name: String,
    /// The same where there is little room: `Cut`.
    pub brief: String,
    /// `Pause at 22.0 s`: every act says when it happens.
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
    pub from: At,
    pub until: Option<At>,
    /// `pause 22.0 s → 77.0 s`.
    pub text: String,
}

impl Lab {
    /// What can be done to `node` at `at`, commonest first.
    pub fn offers(&self, node: NodeId, at: At) -> Vec<Offer> {
        let state = self.derived.history.at(at);
        let world = state.world();
        let role = self.case.scenario.role(node);
        let acts: Vec<(Act, &'static str)> = match role {
            Role::Worker(_) => worker_acts(node),
            Role::Scheduler => scheduler_acts(node),
            Role::Sink(_) => sink_acts(node),
            Role::Operator => Vec::new(),
        };
        let idle = matches!(role, Role::Worker(_)).then(|| self.idle(node, at)).flatten();
        let offer = |(act, effect): (Act, &'static str)| {
            let active = self.active(&act, at);
            let (deed, name, brief) = match active {
                Some(index) => (Deed::End(index), words::ending(&act), words::brief_ending(&act)),
                None => (Deed::Do(act), words::offer(&act), words::brief(&act)),
            };
            let refused = match active {
                _ if at >= self.until() => Some(words::RUN_ENDS.to_owned()),
                Some(_) => None,
                None => refusal(&act, world.state(node), idle.as_deref()),
            };
            let full_name = format!("{name} at {}", instant(at, self.case.starts));
            Offer { deed, name, brief, full_name, effect, refused }
        };
        acts.into_iter().map(offer).collect()
    }

    /// Does, or ends, what an offer names.
    pub fn take(&mut self, deed: Deed, at: At) {
        match deed {
            Deed::Do(act) => self.act(at, act),
            Deed::End(index) => self.end(index, at),
        }
    }

    /// The lasting fault of the same kind on the same node that is in force at `at`.
    fn active(&self, act: &Act, at: At) -> Option<usize> {
        let alike = |other: &Act| {
            let same_path = match (act, other) {
                (Act::Cut { path: a, .. }, Act::Cut { path: b, .. })
                | (Act::Degrade { path: a, .. }, Act::Degrade { path: b, .. }) => a == b,
                _ => true,
            };
            same_path
                && std::mem::discriminant(act) == std::mem::discriminant(other)
                && act.node() == other.node()
        };
        let in_force = |(from, until): (At, Option<At>)| from <= at && until.is_none_or(|until| at < until);
        let lasting = |act: &Act| !matches!(act, Act::StepClock { .. } | Act::ClockRate { .. });
        self.acts.iter().position(|other| {
            lasting(&other.act) && alike(&other.act) && span_of(other).is_some_and(in_force)
        })
    }

    /// Faults of a node that are there already, in order of their beginning.
    pub fn standing(&self, node: NodeId) -> Vec<Standing> {
        let mut standing: Vec<Standing> = self
            .acts
            .iter()
            .enumerate()
            .filter(|(_, other)| other.act.node() == Some(node))
            .filter_map(|(index, other)| {
                let (from, until) = span_of(other)?;
                let starts = self.case.starts;
                let end = until.map(|until| format!(" → {}", instant(until, starts))).unwrap_or_default();
                let text = format!("{} {}{end}", words::noun(&other.act), instant(from, starts));
                Some(Standing { index, act: other.act, from, until, text })
            })
            .collect();
        order::by(&mut standing, |fault| fault.from);
        standing
    }

    /// Why a fault of a worker would touch no attempt: it runs none at `at`.
    fn idle(&self, node: NodeId, at: At) -> Option<String> {
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
pub fn span_of(act: &fenceline_sim::Intervention) -> Option<(At, Option<At>)> {
    let When::At(from) = act.when else { return None };
    let until = act.act.lasts().map(|Span(lasts)| from.saturating_add(u64::try_from(lasts).unwrap_or(0)));
    Some((from, until))
}

fn refusal(act: &Act, state: NodeState, idle: Option<&str>) -> Option<String> {
    match (act, state) {
        (
            Act::Pause { .. }
            | Act::Freeze { .. }
            | Act::Slow { .. }
            | Act::Crash { .. }
            | Act::Reboot { .. },
            NodeState::Down { .. },
        ) => Some(words::IS_DOWN.into()),
        (Act::Pause { .. } | Act::Freeze { .. }, NodeState::Paused { .. } | NodeState::Frozen { .. }) => {
            Some(words::IS_STOPPED.into())
        }
        (Act::Pause { .. } | Act::Slow { .. }, NodeState::Runs) => idle.map(str::to_owned),
        _ => None,
    }
}

fn worker_acts(node: NodeId) -> Vec<(Act, &'static str)> {
    let cut = |path| Act::Cut { node, path, way: Way::Both, lasts: None };
    vec![
        (Act::Pause { node, lasts: None }, words::PAUSE),
        (cut(Path::Control), words::CUT_CONTROL),
        (Act::Crash { node, lasts: None }, words::CRASH_WORKER),
        (cut(Path::Data), words::CUT_DATA),
        (Act::Slow { node, percent: 25, lasts: None }, words::SLOW),
        (Act::Freeze { node, lasts: None, counts_sleep: true }, words::FREEZE),
        (Act::StepClock { node, by: Span::secs(25) }, words::STEP_FORWARD),
        (Act::StepClock { node, by: Span::secs(-60) }, words::STEP_BACK),
        (Act::Reboot { node, lasts: None }, words::REBOOT_WORKER),
    ]
}

fn scheduler_acts(node: NodeId) -> Vec<(Act, &'static str)> {
    vec![
        (Act::Crash { node, lasts: None }, words::CRASH_SCHEDULER),
        (Act::StepClock { node, by: Span::secs(40) }, words::SCHEDULER_FORWARD),
        (Act::StepClock { node, by: Span::secs(-60) }, words::SCHEDULER_BACK),
        (Act::Pause { node, lasts: None }, words::PAUSE_SCHEDULER),
        (Act::Reboot { node, lasts: None }, words::REBOOT_SCHEDULER),
    ]
}

fn sink_acts(node: NodeId) -> Vec<(Act, &'static str)> {
    vec![
        (Act::Crash { node, lasts: Some(Span::secs(1)) }, words::RESTART_SINK),
        (Act::Pause { node, lasts: None }, words::PAUSE_SINK),
        (Act::Reboot { node, lasts: Some(Span::secs(1)) }, words::REBOOT_SINK),
    ]
}
