//! Acts: what faults and changes of the rules do to the world, and how they end.

use super::{Actor, Node, NodeState, World};
use crate::clock::{At, TRUE_RATE};
use crate::fault::{Act, Path, Way, When};
use crate::link::{LinkEffect, LinkFault};
use crate::order;
use crate::plan::Armed;
use crate::queue::Item;
use crate::record::{Body, Kind, Loss, NONE};
use crate::scenario::{OPERATOR, Role, Scenario};
use crate::trace::Trace;
use fenceline_engine::WHOLE;
use fenceline_engine::{
    Exec, Input, Message, NodeId, Respawn, Span, TaskId, TimerClock, TimerKey, TimerKind, WakeOrder,
};
use std::sync::Arc;

/// The end of a fault that lasts.
#[derive(Clone, Copy, Debug)]
pub(super) struct Lift {
    at: At,
    index: u32,
    act: Act,
}

impl World {
    /// Keeps acts until their point is reached.
    pub fn arm_acts(&mut self, acts: &[Armed]) {
        self.armed.extend_from_slice(acts);
    }

    /// Acts that still wait for their point.
    pub fn unmet(&self) -> impl Iterator<Item = u32> {
        self.armed.iter().map(|armed| armed.index)
    }

    /// Does every act armed for the point at which this item is about to be handled.
    pub(super) fn spring_before(&mut self, item: &Item, trace: &mut Trace) {
        if !WHOLE {
            return;
        }
        let point = match *item {
            Item::Program { exec, step, .. } => When::BeforeStep { exec, step },
            Item::Persisted { key: TimerKey { kind: TimerKind::HalfDispatched, exec, .. }, .. }
            | Item::Timer { key: TimerKey { kind: TimerKind::HalfDispatched, exec, .. }, .. } => {
                When::HalfDispatched { task: exec.task, attempt: exec.attempt }
            }
            Item::Persisted { .. } | Item::Message { .. } | Item::Timer { .. } => return,
        };
        while let Some(at) = self.armed.iter().position(|armed| armed.when == point) {
            let armed = self.armed.remove(at);
            self.act(armed.index, armed.act, trace);
        }
    }

    /// Does an act now. One that would do nothing is recorded as void.
    pub fn act(&mut self, index: u32, act: Act, trace: &mut Trace) {
        if !self.begin_act(index, act, trace) {
            return self.void(index, trace);
        }
        if let Some(lasts) = act.lasts() {
            let at = self.now.saturating_add(u64::try_from(lasts.0).unwrap_or(0));
            let place = self.lifts.partition_point(|lift| (lift.at, lift.index) <= (at, index));
            self.lifts.insert(place, Lift { at, index, act });
        }
    }

    pub fn void(&mut self, index: u32, trace: &mut Trace) {
        self.record_fault(OPERATOR, Kind::Void, i64::from(index), trace);
    }

    /// False if the act would do nothing.
    fn begin_act(&mut self, index: u32, act: Act, trace: &mut Trace) -> bool {
        let state = act.node().map(|node| self.state(node));
        let runs = state == Some(NodeState::Runs);
        let exists = act.node().is_none_or(|node| usize::from(node.0) < self.nodes.len());
        if !exists || !WHOLE && !matches!(act, Act::Pause { .. } | Act::Set(_)) {
            return false;
        }
        match act {
            Act::Pause { node, .. } if runs => {
                self.stop_process(node, NodeState::Paused { by: index });
                self.record_fault(node, Kind::Paused, 0, trace);
            }
            Act::Freeze { node, counts_sleep, .. } if runs => {
                self.stop_process(node, NodeState::Frozen { by: index });
                if !counts_sleep {
                    self.bend(node, TimerClock::Mono, Span::ZERO, 0);
                }
                self.record_fault(node, Kind::Frozen, i64::from(counts_sleep), trace);
            }
            Act::Crash { .. } | Act::Reboot { .. } if matches!(state, Some(NodeState::Down { .. })) => {
                return false;
            }
            Act::Crash { node, .. } => self.crash(node, index, 0, trace),
            Act::Reboot { node, .. } => self.reboot(node, index, trace),
            Act::Pause { .. } | Act::Freeze { .. } => return false,
            Act::Slow { node, percent, .. } => {
                self.slowed.push((node, index, percent));
                self.set_speed(node);
                self.record_fault(node, Kind::Slowed, i64::from(percent), trace);
            }
            Act::Block { node, .. } if runs && matches!(self.scenario.role(node), Role::Worker(_)) => {
                let held = self.record_fault(node, Kind::LoopHeld, 0, trace);
                self.blocked.push((node, index));
                self.input(node, Input::LoopHeld(true), held, None, trace);
            }
            Act::Block { .. } => return false,
            Act::Cut { node, path, way, fate, .. } => {
                let effect = LinkEffect::Cut(fate);
                self.link_faults.push(LinkFault { node, path, way, effect, by: index });
                self.record_link(node, Kind::LinkCut, (path, way, fate as i64), trace);
            }
            Act::Degrade { node, path, way, latency, loss, duplicate, .. } => {
                let effect = LinkEffect::Degraded { latency, loss, duplicate };
                self.link_faults.push(LinkFault { node, path, way, effect, by: index });
                self.record_link(node, Kind::LinkDegraded, (path, way, 0), trace);
            }
            Act::StepClock { by, .. } if by == Span::ZERO => return false,
            Act::StepClock { node, by } => {
                let rate = self.nodes[usize::from(node.0)].wall.rate();
                self.bend(node, TimerClock::Wall, by, rate);
                self.record_fault(node, Kind::ClockStepped, by.0, trace);
            }
            Act::ClockRate { node, ppm } => {
                for clock in [TimerClock::Wall, TimerClock::Mono] {
                    // A monotonic clock that sleeps with its host goes on sleeping.
                    if self.nodes[usize::from(node.0)].clock(clock).rate() != 0 {
                        self.bend(node, clock, Span::ZERO, TRUE_RATE.saturating_add(ppm).max(1));
                    }
                }
                self.record_fault(node, Kind::ClockRated, ppm, trace);
            }
            Act::Input { task, version } => {
                let Some(input) = self.inputs.get_mut(usize::from(task.0)) else { return false };
                *input = version;
                let body = Body { flag: version, ..Body::new(Kind::InputChanged, Exec::first(task, 0)) };
                self.record(OPERATOR, body, NONE, trace);
            }
            Act::Operator { task, decision } => {
                if usize::from(task.0) >= self.scenario.tasks.len() {
                    return false;
                }
                let body = Body { flag: decision as u8, ..Body::new(Kind::Decided, Exec::first(task, 0)) };
                let cause = self.record(OPERATOR, body, NONE, trace);
                let (from, to, message) = (OPERATOR, self.leader(), Message::Operator { task, decision });
                self.push(self.now, Item::Message { from, to, message, sent: cause });
            }
            Act::Redeliver { node, task } => return self.redeliver(node, task, trace),
            Act::Fail { node, failing, .. } => {
                return self.let_fail(index, node, Some(failing), trace);
            }
            Act::Restore { node, .. } => return self.restore(index, node, trace),
            Act::ForceUnlock { node } => return self.force_unlock(node, trace),
            Act::Set(setting) => {
                let cause = self.record_fault(OPERATOR, Kind::RuleSet, i64::from(index), trace);
                let scenario = Arc::make_mut(&mut self.scenario);
                let before = scenario.clone();
                scenario.set(setting);
                self.announce_rules(&before, cause, trace);
            }
        }
        true
    }

    /// False if there is nothing to deliver again, or nobody to deliver it to.
    fn redeliver(&mut self, node: NodeId, task: TaskId, trace: &mut Trace) -> bool {
        let holder = self.stored.tasks.get(usize::from(task.0)).and_then(|task| task.holder());
        let newest = holder.filter(|(_, attempt)| attempt.state.is_open());
        let (Some((attempt, newest)), Role::Worker(_)) = (newest, self.scenario.role(node)) else {
            return false;
        };
        let (token, started, generation) = (newest.token, newest.delivered, newest.generation);
        let first = Exec::first(task, attempt);
        // What was recorded and not yet sent cannot arrive once more.
        if self.dispatched[usize::from(task.0)].attempt != first.attempt {
            return false;
        }
        let exec = self.another_copy(first);
        let lease = self.scenario.rules.lease.duration;
        let message = Message::Dispatch { exec, token, lease, started, generation, on: node };
        let sent = self.record(node, Body::new(Kind::Redelivered, exec), NONE, trace);
        self.push(self.now, Item::Message { from: self.leader(), to: node, message, sent });
        true
    }

    /// The next execution of an attempt that has had some.
    pub(super) fn another_copy(&mut self, first: Exec) -> Exec {
        if let Some(leaders) = self.leaders.as_mut().filter(|_| WHOLE) {
            return leaders.sent_again(first);
        }
        let copies = self.copies.iter().filter(|of| **of == first).count();
        let dispatched = self.dispatched[usize::from(first.task.0)];
        let sent_again = if dispatched.attempt == first.attempt { dispatched.copy } else { 0 };
        self.copies.push(first);
        Exec { copy: u8::try_from(copies + 1).unwrap_or(u8::MAX).saturating_add(sent_again), ..first }
    }

    /// A worker's process is back: what ran in it is started again, if its host sees to that.
    fn respawn(&mut self, node: NodeId, restarted: u32, trace: &mut Trace) {
        for (exec, token) in std::mem::take(&mut self.nodes[usize::from(node.0)].lost) {
            let exec = self.another_copy(Exec::first(exec.task, exec.attempt));
            let lease = self.scenario.rules.lease.duration;
            let generation = self.stored.attempt(exec.task, exec.attempt).map_or(0, |a| a.generation);
            let message = Message::Dispatch { exec, token, lease, started: true, generation, on: node };
            let sent = self.record(node, Body::new(Kind::Respawned, exec), restarted, trace);
            self.push(self.now, Item::Message { from: node, to: node, message, sent });
        }
    }

    /// When the next end of a fault is due.
    pub fn next_lift(&self) -> Option<At> {
        self.lifts.first().map(|lift| lift.at)
    }

    /// Ends the fault whose end is due first.
    pub fn lift(&mut self, trace: &mut Trace) {
        if self.lifts.is_empty() {
            return;
        }
        let lift = self.lifts.remove(0);
        if lift.at > self.now {
            self.move_to(lift.at, 0);
        }
        self.end_act(lift.index, lift.act, trace);
    }

    fn end_act(&mut self, index: u32, act: Act, trace: &mut Trace) {
        let state = act.node().map(|node| self.state(node));
        match act {
            _ if !WHOLE && !matches!(act, Act::Pause { .. }) => {}
            Act::Pause { node, .. } if state == Some(NodeState::Paused { by: index }) => {
                let resumed = self.record_fault(node, Kind::Resumed, 0, trace);
                self.run_again(node, resumed, trace);
            }
            Act::Freeze { node, .. } if state == Some(NodeState::Frozen { by: index }) => {
                let resumed = self.thaw(node, trace);
                self.run_again(node, resumed, trace);
            }
            Act::Crash { node, .. } | Act::Reboot { node, .. }
                if state == Some(NodeState::Down { by: index }) =>
            {
                self.restart(node, trace)
            }
            Act::Slow { node, .. } => {
                self.slowed.retain(|(_, by, _)| *by != index);
                let before = self.nodes[usize::from(node.0)].speed;
                let percent = self.set_speed(node);
                if percent != before {
                    self.record_fault(node, Kind::Slowed, i64::from(percent), trace);
                }
            }
            Act::Fail { node, .. } if self.nodes[usize::from(node.0)].fails_by == index => {
                self.let_fail(NONE, node, None, trace);
            }
            Act::Block { node, .. } => self.unblock(node, index, trace),
            Act::Cut { node, path, way, fate, .. } => {
                self.link_faults.retain(|fault| fault.by != index);
                self.record_link(node, Kind::LinkHealed, (path, way, fate as i64), trace);
                self.release(trace);
            }
            Act::Degrade { node, path, way, .. } => {
                self.link_faults.retain(|fault| fault.by != index);
                self.record_link(node, Kind::LinkRestored, (path, way, 0), trace);
            }
            // Something else ended it, or an act of an instant.
            Act::Pause { .. }
            | Act::Freeze { .. }
            | Act::Crash { .. }
            | Act::Reboot { .. }
            | Act::Fail { .. }
            | Act::StepClock { .. }
            | Act::ClockRate { .. }
            | Act::Input { .. }
            | Act::Operator { .. }
            | Act::Redeliver { .. }
            | Act::Restore { .. }
            | Act::ForceUnlock { .. }
            | Act::Set(_) => {}
        }
    }

    pub(super) fn record_fault(&self, node: NodeId, kind: Kind, b: i64, trace: &mut Trace) -> u32 {
        self.record(node, Body { b, ..Body::new(kind, Exec::default()) }, NONE, trace)
    }

    fn record_link(&self, node: NodeId, kind: Kind, (path, way, b): (Path, Way, i64), trace: &mut Trace) {
        let body = Body { flag: path as u8, n: way as u16, b, ..Body::new(kind, Exec::default()) };
        self.record(node, body, NONE, trace);
    }

    /// The loop is free when whatever held it is over, and the process runs.
    fn unblock(&mut self, node: NodeId, index: u32, trace: &mut Trace) {
        let held = self.blocked.len();
        self.blocked.retain(|(_, by)| *by != index);
        if self.blocked.len() == held || self.blocked.iter().any(|(of, _)| *of == node) {
            return;
        }
        let freed = self.record_fault(node, Kind::LoopFreed, 0, trace);
        if self.state(node) == NodeState::Runs {
            self.input(node, Input::LoopHeld(false), freed, None, trace);
        } else {
            self.freed.push((node, freed));
        }
    }

    fn stop_process(&mut self, node: NodeId, state: NodeState) {
        self.nodes[usize::from(node.0)].state = state;
        self.bend(node, TimerClock::Process, Span::ZERO, 0);
    }

    /// It is as slow as whatever slowed it last and has not ended.
    fn set_speed(&mut self, node: NodeId) -> u32 {
        let last = self.slowed.iter().rev().find(|(of, ..)| *of == node);
        let percent = last.map_or(100, |(.., percent)| *percent);
        self.nodes[usize::from(node.0)].speed = percent;
        if self.state(node) == NodeState::Runs {
            self.bend(node, TimerClock::Process, Span::ZERO, i64::from(percent) * TRUE_RATE / 100);
        }
        percent
    }

    /// Lets a paused process run: what waited is handled in the order of the rules.
    fn run_again(&mut self, node: NodeId, resumed: u32, trace: &mut Trace) {
        let index = usize::from(node.0);
        self.nodes[index].state = NodeState::Runs;
        self.nodes[index].resumed = resumed;
        let speed = i64::from(self.nodes[index].speed);
        self.bend(node, TimerClock::Process, Span::ZERO, speed * TRUE_RATE / 100);
        let mut waiting = std::mem::take(&mut self.nodes[index].waiting);
        let first = self.scenario.rules.wake;
        order::by(&mut waiting, |item| match item {
            Item::Timer { .. } | Item::Persisted { .. } => u64::from(first != WakeOrder::Timers),
            Item::Message { .. } => {
                if first == WakeOrder::Messages {
                    0
                } else {
                    2
                }
            }
            Item::Program { .. } => {
                if first == WakeOrder::Program {
                    0
                } else {
                    3
                }
            }
        });
        for item in waiting {
            self.spring_before(&item, trace);
            self.take_in(&item, Some(resumed), trace);
        }
        while let Some(at) = self.freed.iter().position(|(of, _)| *of == node) {
            let (_, freed) = self.freed.remove(at);
            self.input(node, Input::LoopHeld(false), freed, Some(resumed), trace);
        }
        self.goes_on(node, resumed, trace);
    }

    /// A frozen host goes on; its monotonic clock too, if it slept.
    fn thaw(&mut self, node: NodeId, trace: &mut Trace) -> u32 {
        let Node { wall, mono, .. } = &self.nodes[usize::from(node.0)];
        let (rate, slept) = (wall.rate(), mono.rate() == 0);
        if slept {
            self.bend(node, TimerClock::Mono, Span::ZERO, rate);
        }
        self.record_fault(node, Kind::Thawed, 0, trace)
    }

    /// A crash; then the monotonic clock begins at nothing, under the next boot id.
    fn reboot(&mut self, node: NodeId, by: u32, trace: &mut Trace) {
        let boot = self.nodes[usize::from(node.0)].boot.saturating_add(1);
        self.crash(node, by, boot, trace);
        let host = &mut self.nodes[usize::from(node.0)];
        host.boot = boot;
        host.mono = host.mono.anew(self.now);
    }

    /// `boot`: under which boot the host comes back, 0 if it stays up.
    fn crash(&mut self, node: NodeId, by: u32, boot: u16, trace: &mut Trace) {
        // The host's clocks run on.
        if matches!(self.state(node), NodeState::Frozen { .. }) {
            self.thaw(node, trace);
        }
        let crashed = self.record_fault(node, Kind::Crashed, i64::from(boot), trace);
        self.stop_process(node, NodeState::Down { by });
        self.queue.take(|item| item.node() == node && !matches!(item, Item::Message { .. }));
        for item in std::mem::take(&mut self.nodes[usize::from(node.0)].waiting) {
            if let Item::Message { from, to, message, sent } = item {
                self.lose(from, to, &message, sent, Loss::Down, trace);
            }
        }
        self.blocked.retain(|(of, _)| *of != node);
        self.freed.retain(|(of, _)| *of != node);
        if self.scenario.rules.respawn == Respawn::Again {
            let host = &mut self.nodes[usize::from(node.0)];
            if let Actor::Worker(worker) = &host.actor {
                host.lost.extend(worker.runs());
            }
        }
        if let Some(leaders) = self.leaders.as_mut().filter(|_| WHOLE) {
            leaders.forget(node);
        }
        if let Some(store) = self.store.as_mut().filter(|_| WHOLE) {
            store.crashed(node);
        }
        self.input(node, Input::Crash, crashed, None, trace);
    }

    fn restart(&mut self, node: NodeId, trace: &mut Trace) {
        let restarted = self.record_fault(node, Kind::Restarted, 0, trace);
        let index = usize::from(node.0);
        self.nodes[index].state = NodeState::Runs;
        let speed = i64::from(self.nodes[index].speed);
        self.bend(node, TimerClock::Process, Span::ZERO, speed * TRUE_RATE / 100);
        let is_scheduler = self.scenario.is_scheduler(node);
        if is_scheduler && self.leaders.is_none() && self.store.is_some() {
            return self.read_record(node, restarted, trace);
        }
        let ledger = is_scheduler.then(|| self.stored.clone());
        let boot = self.nodes[index].boot;
        let stands_by = is_scheduler && self.leaders.is_some();
        let start = if stands_by { Input::StandBy { boot } } else { Input::Start { ledger, boot } };
        self.input(node, start, restarted, None, trace);
        self.respawn(node, restarted, trace);
    }

    /// Bends a clock of a node; its timers are due anew.
    fn bend(&mut self, node: NodeId, which: TimerClock, step: Span, rate: i64) {
        let at = self.now;
        self.nodes[usize::from(node.0)].clock_mut(which).bend(at, step, rate);
        let timers = self
            .queue
            .take(|item| matches!(item, Item::Timer { node: n, clock, .. } if *n == node && *clock == which));
        for timer in timers {
            self.arm(timer);
        }
    }

    fn announce_rules(&mut self, before: &Scenario, cause: u32, trace: &mut Trace) {
        if !WHOLE {
            return;
        }
        let scenario = Arc::clone(&self.scenario);
        let sinks = scenario.sinks_at();
        if (&before.rules, &before.tasks, before.sinks_at())
            != (&scenario.rules, &scenario.tasks, Arc::clone(&sinks))
        {
            let rules = Arc::new(scenario.rules.clone());
            let tasks: Arc<[_]> = scenario.tasks.clone().into();
            let workers = (0..=scenario.workers.len()).map(|index| NodeId(index as u16));
            let standby = scenario.schedulers().skip(1);
            for node in workers.chain(scenario.executor()).chain(standby) {
                let (rules, tasks, sinks) = (Arc::clone(&rules), Arc::clone(&tasks), Arc::clone(&sinks));
                self.input(node, Input::Rules { rules, tasks, sinks }, cause, None, trace);
                self.goes_on(node, cause, trace);
            }
        }
        for (index, (old, new)) in before.sinks.iter().zip(&scenario.sinks).enumerate() {
            if old != new {
                self.input(
                    scenario.sink(index),
                    Input::SinkRules(Arc::clone(&new.rules)),
                    cause,
                    None,
                    trace,
                );
            }
        }
    }
}
