//! Runs made from the first run: other sinks, fences, faults, programs.
#![allow(dead_code, reason = "each test file uses its own part")]

use fenceline_engine::{FenceRaise, FenceRules, NodeId, SinkKind, Span, Step, TaskId};
use fenceline_sim::scenario::AlertRule;
use fenceline_sim::verdict::{State, Verdict};
use fenceline_sim::workload::first_run;
use fenceline_sim::{Act, Claim, Intervention, Judge, Run, Scenario, Simulation, Trace, When};
use std::sync::Arc;

pub(crate) const SCHEDULER: NodeId = NodeId(0);
pub(crate) const WORKER_1: NodeId = NodeId(1);
pub(crate) const WORKER_2: NodeId = NodeId(2);
pub(crate) const SINK: NodeId = NodeId(3);
pub(crate) const TASK: TaskId = TaskId(0);

/// The first run, with another sink.
pub(crate) fn onto(kind: SinkKind) -> Scenario {
    let mut scenario = first_run();
    Arc::make_mut(&mut scenario.sinks[0].rules).kind = kind;
    scenario
}

/// The same, with another step in place of its write.
pub(crate) fn doing(kind: SinkKind, steps: &[Step]) -> Scenario {
    let mut scenario = onto(kind);
    scenario.tasks[0].program.splice(2..3, steps.iter().copied());
    scenario
}

pub(crate) fn fence(raise: FenceRaise) -> FenceRules {
    FenceRules::raised(raise)
}

pub(crate) fn guarded(mut scenario: Scenario, fence: FenceRules) -> Scenario {
    Arc::make_mut(&mut scenario.sinks[0].rules).fence = Some(fence);
    scenario
}

pub(crate) fn alerting(mut scenario: Scenario, rule: AlertRule) -> Scenario {
    scenario.alerts.push(rule);
    scenario
}

/// The input has 1204 rows in version 1 and 1000 in version 2; it changes at 40 s.
pub(crate) fn with_changed_input(scenario: Scenario) -> Run {
    changed_to(scenario, 1000)
}

pub(crate) fn changed_to(mut scenario: Scenario, rows: u32) -> Run {
    scenario.tasks[0].rows.push(rows);
    Run::new(scenario).with(40, Act::Input { task: TASK, version: 2 })
}

pub(crate) trait With {
    fn with(self, seconds: u64, act: Act) -> Self;
    fn at_micros(self, at: u64, act: Act) -> Self;
    /// Worker 1 paused at 22 s: its write comes late.
    fn paused_for(self, seconds: i64) -> Self;
    fn verdicts(&self) -> Vec<Verdict>;
    fn played(&self) -> Played;
}

/// A run at its end.
pub(crate) struct Played {
    pub(crate) run: Run,
    pub(crate) trace: Trace,
    pub(crate) now: u64,
}

impl Played {
    pub(crate) fn judge(&self) -> Judge {
        Judge::over(&self.run, &self.trace, self.trace.len())
    }

    pub(crate) fn verdict(&self, claim: Claim) -> Verdict {
        let verdicts = self.judge().verdicts(&self.trace, self.now);
        verdicts.into_iter().find(|verdict| verdict.claim == claim).expect("every claim has a verdict")
    }
}

impl With for Run {
    fn with(self, seconds: u64, act: Act) -> Self {
        self.at_micros(seconds * 1_000_000, act)
    }

    fn at_micros(mut self, at: u64, act: Act) -> Self {
        self.interventions.push(Intervention { when: When::At(at), act });
        self
    }

    fn paused_for(self, seconds: i64) -> Self {
        self.with(22, Act::Pause { node: WORKER_1, lasts: Some(Span::secs(seconds)) })
    }

    fn verdicts(&self) -> Vec<Verdict> {
        let played = self.played();
        played.judge().verdicts(&played.trace, played.now)
    }

    fn played(&self) -> Played {
        let mut simulation = Simulation::new(self);
        simulation.finish();
        let now = simulation.now();
        Played { run: self.clone(), trace: simulation.into_trace(), now }
    }
}

/// The state of one claim at the run's end.
pub(crate) fn state(run: &Run, claim: Claim) -> State {
    run.played().verdict(claim).state
}
