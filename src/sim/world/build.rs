//! The nodes of a scenario: actors, none of which has started, and their clocks.

use super::{Actor, Node, NodeState, leaders};
use crate::clock::{Clock, TRUE_RATE};
use crate::record::NONE;
use crate::scenario::{SCHEDULER, Scenario, WorkerSpec};
use fenceline_engine::WHOLE;
use fenceline_engine::{Executor, Scheduler, Sink, Span, Token, Worker, WorkerAt};
use std::sync::Arc;

pub(super) fn nodes(scenario: &Scenario) -> Vec<Node> {
    let rules = Arc::new(scenario.rules.clone());
    let tasks: Arc<[_]> = scenario.tasks.clone().into();
    let sinks = scenario.sinks_at();
    let name = |of: &str| scenario.workers.iter().position(|worker| worker.name == of).unwrap_or(0) as u16;
    let at = |(index, worker): (usize, &WorkerSpec)| WorkerAt {
        node: scenario.worker(index),
        slots: worker.slots,
        name: name(&worker.name),
    };
    let workers: Arc<[WorkerAt]> = scenario.workers.iter().enumerate().map(at).collect();
    let node = |actor, offset: Span, rate| Node {
        actor,
        wall: Clock::new(Span(scenario.epoch.0) + offset, rate),
        mono: Clock::new(Span::ZERO, rate),
        process: Clock::new(Span::ZERO, TRUE_RATE),
        boot: 1,
        state: NodeState::Runs,
        speed: 100,
        fails_by: NONE,
        waiting: Vec::new(),
        resumed: NONE,
        lost: Vec::new(),
    };
    let first_token = Token(scenario.first_token.0);
    let scheduler = Box::new(Scheduler::new(
        Arc::clone(&rules),
        Arc::clone(&tasks),
        workers,
        Arc::clone(&sinks),
        scenario.executor(),
        (scenario.epoch, first_token),
    ));
    let mut nodes = vec![node(Actor::Scheduler(scheduler.clone()), Span::ZERO, TRUE_RATE)];
    for spec in &scenario.workers {
        let worker =
            Worker::new(SCHEDULER, Arc::clone(&rules), Arc::clone(&tasks), Arc::clone(&sinks), spec.slots);
        nodes.push(node(Actor::Worker(worker), spec.offset, spec.rate));
    }
    for spec in &scenario.sinks {
        nodes.push(node(Actor::Sink(Box::new(Sink::new(Arc::clone(&spec.rules)))), Span::ZERO, TRUE_RATE));
    }
    if !WHOLE {
        return nodes;
    }
    if scenario.executor.is_some() {
        nodes.push(node(Actor::Executor(Executor::new(SCHEDULER, rules)), Span::ZERO, TRUE_RATE));
    }
    for index in 1..=scenario.standby.len() {
        // A reading of another host's monotonic clock means nothing on its own.
        let boot = (index as u16).saturating_mul(leaders::BOOTS) + 1;
        nodes.push(Node { boot, ..node(Actor::Scheduler(scheduler.clone()), Span::ZERO, TRUE_RATE) });
    }
    if scenario.store.is_some() {
        nodes.push(node(Actor::Store, Span::ZERO, TRUE_RATE));
    }
    nodes
}
