//! The world at one instant: nodes with their actors and clocks, links, and what is due.
//!
//! It carries out what actors ask for and does to them what faults do: it holds, stretches or drops
//! inputs. The trace is not part of it, so a clone is a snapshot.

use crate::clock::{At, Clock, TRUE_RATE};
use crate::draw::{self, Purpose};
use crate::fault::{Act, Path, Way, When};
use crate::link::{LinkEffect, LinkFault, LinkSpec};
use crate::order;
use crate::plan::Armed;
use crate::queue::{Item, Queue, StructuralId, message_id, timer_id};
use crate::record::{Body, Kind, Loss, NONE, Record, body_of};
use crate::scenario::{OPERATOR, Role, SCHEDULER, Scenario};
use crate::trace::Trace;
use fenceline_engine::{
    Exec, FenceScope, Input, Ledger, Message, Mono, NodeId, Now, Output, Scheduler, Sink, Span, TaskId,
    TimerClock, TimerKey, TimerKind, Token, Wall, Worker,
};
use std::sync::Arc;

/// The true world at one instant.
#[derive(Clone, Debug)]
pub struct World {
    scenario: Arc<Scenario>,
    seed: u64,
    first_sink: NodeId,
    now: At,
    /// Within one instant, what an event causes goes into the next round.
    round: u16,
    nodes: Vec<Node>,
    queue: Queue,
    link_faults: Vec<LinkFault>,
    /// The scheduler's durable record as its store has it.
    stored: Ledger,
    /// The version of each task's input.
    inputs: Vec<u8>,
    armed: Vec<Armed>,
    lifts: Vec<Lift>,
    landmarks: Landmarks,
    out: Vec<Output>,
}

#[derive(Clone, Debug)]
struct Node {
    actor: Actor,
    wall: Clock,
    mono: Clock,
    /// Advances while the process runs.
    process: Clock,
    boot: u16,
    state: NodeState,
    /// Percent of full speed.
    speed: u32,
    /// The intervention that set it last.
    slowed_by: u32,
    /// Inputs held while the process does not run, in the order in which they fell due.
    waiting: Vec<Item>,
    /// The last record that let it run again.
    resumed: u32,
}

/// Whether a node's process runs, and if not, which intervention stopped it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NodeState {
    Runs,
    Paused { by: u32 },
    Frozen { by: u32 },
    Down { by: u32 },
}

#[derive(Clone, Debug)]
enum Actor {
    Scheduler(Box<Scheduler>),
    Worker(Worker),
    Sink(Box<Sink>),
}

/// The end of a fault that lasts.
#[derive(Clone, Copy, Debug)]
struct Lift {
    at: At,
    index: u32,
    act: Act,
}

/// Records that later ones name as their reasons.
#[derive(Clone, Debug)]
struct Landmarks {
    /// By task: what last set its lease's end.
    lease: Vec<u32>,
    /// By task: what last ended an attempt of it.
    ending: Vec<u32>,
    /// What last raised a fence.
    raises: Vec<(NodeId, TaskId, u32)>,
}

impl World {
    /// The world at time 0, everything started.
    pub fn new(scenario: Arc<Scenario>, seed: u64, trace: &mut Trace) -> Self {
        let mut world = Self {
            nodes: build_nodes(&scenario),
            stored: Ledger::new(scenario.tasks.len() as u16, scenario.first_token),
            inputs: vec![1; scenario.tasks.len()],
            landmarks: Landmarks {
                lease: vec![NONE; scenario.tasks.len()],
                ending: vec![NONE; scenario.tasks.len()],
                raises: Vec::new(),
            },
            first_sink: scenario.sink(0),
            scenario,
            seed,
            now: 0,
            round: 0,
            queue: Queue::default(),
            link_faults: Vec::new(),
            armed: Vec::new(),
            lifts: Vec::new(),
            out: Vec::new(),
        };
        for index in 0..world.nodes.len() {
            world.input(NodeId(index as u16), Input::Start { ledger: None, boot: 1 }, NONE, None, trace);
        }
        world
    }

    pub fn now(&self) -> At {
        self.now
    }

    pub fn round(&self) -> u16 {
        self.round
    }

    pub fn scenario(&self) -> &Arc<Scenario> {
        &self.scenario
    }

    pub fn state(&self, node: NodeId) -> NodeState {
        self.nodes.get(usize::from(node.0)).map_or(NodeState::Runs, |n| n.state)
    }

    /// What a node's own clocks show now.
    pub fn clocks(&self, node: NodeId) -> Now {
        self.nodes.get(usize::from(node.0)).map_or(Now::default(), |n| n.now(self.now))
    }

    /// The scheduler's durable record as its store has it.
    pub fn ledger(&self) -> &Ledger {
        &self.stored
    }

    /// An estimate of the bytes a snapshot of this world holds.
    pub fn bytes(&self) -> usize {
        // Beside a node: its executions. A task: twice in the record, with an attempt or two.
        self.nodes.len() * (size_of::<Node>() + 160) + self.inputs.len() * 300 + self.queue.bytes()
    }

    // --- time ---

    /// When the next end of a fault is due.
    pub fn next_lift(&self) -> Option<At> {
        self.lifts.first().map(|lift| lift.at)
    }

    fn move_to(&mut self, at: At, round: u16) {
        if at > self.now {
            self.now = at;
        }
        self.round = round;
    }

    /// Lets time pass up to `at`, with nothing due before.
    pub fn idle_until(&mut self, at: At) {
        if at > self.now {
            self.move_to(at, 0);
        }
    }

    /// Takes one item from the queue and handles it; false if none is due at or before `bound`.
    pub fn step(&mut self, bound: At, trace: &mut Trace) -> bool {
        let Some(due) = self.queue.pop(bound) else { return false };
        self.move_to(due.at, due.round);
        if !self.armed.is_empty() {
            self.spring_before(&due.item, trace);
        }
        self.take_in(due.item, None, trace);
        true
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

    fn push(&mut self, at: At, item: Item) {
        let round = if at <= self.now { self.round + 1 } else { 0 };
        self.queue.push(at.max(self.now), round, &item.id(), item);
    }

    // --- inputs ---

    /// Gives an item to its node, or holds or drops it if the node's process does not run.
    fn take_in(&mut self, item: Item, reason: Option<u32>, trace: &mut Trace) {
        let node = item.node();
        match self.state(node) {
            NodeState::Runs => self.hand_over(item, reason, trace),
            NodeState::Paused { .. } | NodeState::Frozen { .. } => {
                if let Item::Message { from, to, message, sent } = item
                    && self.is_cut(from, to)
                {
                    return self.lose(from, to, &message, sent, Loss::Cut, trace);
                }
                self.nodes[usize::from(node.0)].waiting.push(item);
            }
            NodeState::Down { .. } => {
                if let Item::Message { from, to, message, sent } = item {
                    self.lose(from, to, &message, sent, Loss::Down, trace);
                }
            }
        }
    }

    fn hand_over(&mut self, item: Item, reason: Option<u32>, trace: &mut Trace) {
        match item {
            Item::Message { from, to, message, sent } => {
                // A message that waited for a paused process had already arrived.
                if reason.is_none() && self.is_cut(from, to) {
                    return self.lose(from, to, &message, sent, Loss::Cut, trace);
                }
                let id = message_id(from, to, &message);
                let body = message_body(Kind::Delivered, &id, from, i64::from(id.retry));
                let delivered = self.record(to, body, sent, trace);
                if let Some(reason) = reason {
                    trace.reason(delivered, reason);
                }
                self.input(to, Input::Message { from, message }, delivered, None, trace);
            }
            Item::Timer { node, key, clock, cause, .. } => {
                let resumed = self.nodes[usize::from(node.0)].resumed;
                let stretched =
                    clock == TimerClock::Process && resumed != NONE && (cause == NONE || cause < resumed);
                let reason = reason.or(stretched.then_some(resumed));
                self.input(node, Input::Timer(key), cause, reason, trace);
            }
            Item::Persisted { node, key, cause } => {
                self.input(node, Input::Persisted(key), cause, reason, trace)
            }
            Item::Program { node, exec, cause, .. } => {
                let version = self.inputs[usize::from(exec.task.0)];
                self.input(node, Input::Step { exec, version }, cause, reason, trace);
            }
        }
    }

    /// Lets an actor handle an input and carries out what it asks for.
    fn input(&mut self, node: NodeId, input: Input, trigger: u32, reason: Option<u32>, trace: &mut Trace) {
        let mut out = std::mem::take(&mut self.out);
        let acting = &mut self.nodes[usize::from(node.0)];
        let now = acting.now(self.now);
        match &mut acting.actor {
            Actor::Scheduler(scheduler) => scheduler.handle(now, input, &mut out),
            Actor::Worker(worker) => worker.handle(now, input, &mut out),
            Actor::Sink(sink) => sink.handle(now, input, &mut out),
        }
        // What the handler says and does about one task, it does because of what it said before.
        let mut cause = trigger;
        let mut said_of = None;
        let mut reason = reason;
        for output in &out {
            match *output {
                Output::Note(note) => {
                    let body = body_of(&note);
                    let because = if said_of == Some(body.exec.task) { cause } else { trigger };
                    said_of = Some(body.exec.task);
                    cause = self.record(node, body, because, trace);
                    if let Some(reason) = reason.take() {
                        trace.reason(cause, reason);
                    }
                    self.give_reasons(node, &body, cause, trace);
                }
                Output::Send { to, message } => self.send(node, to, message, cause, trace),
                Output::Timer { key, clock, at, spread } => {
                    self.set_timer(node, key, clock, at, spread, cause)
                }
                Output::Step { exec, step } => self.push(self.now, Item::Program { node, exec, step, cause }),
                Output::Persist { change, then } => {
                    self.stored.apply(change);
                    if let Some(key) = then {
                        self.push(self.now, Item::Persisted { node, key, cause });
                    }
                }
            }
        }
        out.clear();
        self.out = out;
    }

    // --- outputs ---

    fn send(&mut self, from: NodeId, to: NodeId, message: Message, cause: u32, trace: &mut Trace) {
        let id = message_id(from, to, &message);
        let sent = self.record(from, message_body(Kind::Sent, &id, to, i64::from(id.retry)), cause, trace);
        if usize::from(to.0) >= self.nodes.len() {
            return;
        }
        if !self.link_faults.is_empty() && self.is_cut(from, to) {
            return self.lose(from, to, &message, sent, Loss::Cut, trace);
        }
        let link = self.link(from, to);
        let mut delay = u64::try_from(link.latency.0).unwrap_or(0);
        if link.loss > 0 || link.jitter > Span::ZERO {
            if draw::below(self.seed, Purpose::Loss, &id, 1_000_000) < u64::from(link.loss) {
                return self.lose(from, to, &message, sent, Loss::Chance, trace);
            }
            delay = delay.saturating_add(draw::spread(self.seed, Purpose::Latency, &id, link.jitter));
        }
        let round = if delay == 0 { self.round + 1 } else { 0 };
        self.queue.push(
            self.now.saturating_add(delay),
            round,
            &id,
            Item::Message { from, to, message, sent },
        );
    }

    fn lose(&mut self, from: NodeId, to: NodeId, message: &Message, sent: u32, how: Loss, trace: &mut Trace) {
        let id = message_id(from, to, message);
        self.record(to, message_body(Kind::Lost, &id, from, how as i64), sent, trace);
    }

    fn path(&self, from: NodeId, to: NodeId) -> Path {
        let is_sink = |node: NodeId| node >= self.first_sink && node != OPERATOR;
        if is_sink(from) || is_sink(to) { Path::Data } else { Path::Control }
    }

    fn is_cut(&self, from: NodeId, to: NodeId) -> bool {
        if self.link_faults.is_empty() {
            return false;
        }
        let path = self.path(from, to);
        self.link_faults.iter().any(|fault| fault.effect == LinkEffect::Cut && fault.touches(from, to, path))
    }

    fn link(&self, from: NodeId, to: NodeId) -> LinkSpec {
        let path = self.path(from, to);
        let mut link = if path == Path::Data { self.scenario.data } else { self.scenario.control };
        for fault in self.link_faults.iter().filter(|fault| fault.touches(from, to, path)) {
            if let LinkEffect::Degraded { latency, loss } = fault.effect {
                link.latency = link.latency + latency;
                link.loss = link.loss.saturating_add(loss).min(1_000_000);
            }
        }
        link
    }

    fn set_timer(
        &mut self,
        node: NodeId,
        key: TimerKey,
        clock: TimerClock,
        at: i64,
        spread: Span,
        cause: u32,
    ) {
        let drawn = if spread > Span::ZERO {
            draw::spread(self.seed, Purpose::Spread, &timer_id(node, &key), spread)
        } else {
            0
        };
        let owner = &self.nodes[usize::from(node.0)];
        let base = if clock == TimerClock::Process { owner.process.read(self.now) } else { 0 };
        let at = at.saturating_add(base).saturating_add_unsigned(drawn);
        // A sweep comes of itself, not of what the sweep before it did.
        let cause = if key.kind == TimerKind::Sweep { NONE } else { cause };
        self.arm(Item::Timer { node, key, clock, at, cause });
    }

    /// Puts a timer where its clock says it is due.
    fn arm(&mut self, item: Item) {
        let Item::Timer { node, clock, at, .. } = item else { return self.push(self.now, item) };
        match self.nodes[usize::from(node.0)].clock(clock).first_at(at, self.now) {
            Some(due) => self.push(due, item),
            None => self.queue.park(item),
        }
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

    // --- records ---

    fn record(&self, node: NodeId, body: Body, cause: u32, trace: &mut Trace) -> u32 {
        let Body { kind, exec, peer, flag, n, b } = body;
        let Exec { task, attempt, copy } = exec;
        trace.push(Record { at: self.now, b, cause, node, peer, task, attempt, copy, kind, flag, n })
    }

    /// Names the reasons of the record just made, and keeps it if later ones will name it.
    fn give_reasons(&mut self, node: NodeId, body: &Body, id: u32, trace: &mut Trace) {
        let marks = &mut self.landmarks;
        let of_task = body.exec.task;
        let task = usize::from(of_task.0);
        match body.kind {
            Kind::LeaseStarted | Kind::Renewed | Kind::Guarded => marks.lease[task] = id,
            Kind::AttemptTimedOut | Kind::AttemptFailed => marks.ending[task] = id,
            Kind::Raised => {
                marks.raises.retain(|(at, of, _)| (*at, *of) != (node, of_task));
                marks.raises.push((node, of_task, id));
            }
            Kind::Expired => add_reason(trace, id, marks.lease[task]),
            Kind::Granted | Kind::Refused => add_reason(trace, id, marks.ending[task]),
            Kind::Fenced => {
                // Where a fence guards the whole table, any task's raise may be what stands.
                let by_table = matches!(self.scenario.role(node), Role::Sink(sink)
                    if self.scenario.sinks[sink].rules.fence.is_some_and(|f| f.scope == FenceScope::Table));
                let is_its =
                    |(at, of, _): &&(NodeId, TaskId, u32)| *at == node && (by_table || *of == of_task);
                let raise = marks.raises.iter().rev().find(is_its);
                add_reason(trace, id, raise.map_or(NONE, |(_, _, raise)| *raise));
            }
            _ => {}
        }
    }

    fn record_fault(&self, node: NodeId, kind: Kind, b: i64, trace: &mut Trace) -> u32 {
        self.record(node, Body { b, ..Body::new(kind, Exec::default()) }, NONE, trace)
    }

    // --- acts ---

    /// Keeps acts until their point is reached.
    pub fn arm_acts(&mut self, acts: &[Armed]) {
        self.armed.extend_from_slice(acts);
    }

    /// Acts that still wait for their point.
    pub fn unmet(&self) -> impl Iterator<Item = u32> {
        self.armed.iter().map(|armed| armed.index)
    }

    /// Does every act armed for the point at which this item is about to be handled.
    fn spring_before(&mut self, item: &Item, trace: &mut Trace) {
        let point = match *item {
            Item::Program { exec, step, .. } => When::BeforeStep { exec, step },
            Item::Persisted { key: TimerKey { kind: TimerKind::GrantRecorded, exec, .. }, .. } => {
                When::GrantRecorded { task: exec.task, attempt: exec.attempt }
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
        if !exists {
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
                self.nodes[usize::from(node.0)].slowed_by = index;
                self.set_speed(node, percent);
                self.record_fault(node, Kind::Slowed, i64::from(percent), trace);
            }
            Act::Cut { node, path, way, .. } => {
                self.link_faults.push(LinkFault { node, path, way, effect: LinkEffect::Cut, by: index });
                self.record_link(node, Kind::LinkCut, path, way, trace);
            }
            Act::Degrade { node, path, way, latency, loss, .. } => {
                let effect = LinkEffect::Degraded { latency, loss };
                self.link_faults.push(LinkFault { node, path, way, effect, by: index });
                self.record_link(node, Kind::LinkDegraded, path, way, trace);
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
                let (from, to, message) = (OPERATOR, SCHEDULER, Message::Operator { task, decision });
                self.push(self.now, Item::Message { from, to, message, sent: cause });
            }
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

    fn end_act(&mut self, index: u32, act: Act, trace: &mut Trace) {
        let state = act.node().map(|node| self.state(node));
        match act {
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
            Act::Slow { node, .. } if self.nodes[usize::from(node.0)].slowed_by == index => {
                self.set_speed(node, 100);
                self.record_fault(node, Kind::Slowed, 100, trace);
            }
            Act::Cut { node, path, way, .. } => {
                self.link_faults.retain(|fault| fault.by != index);
                self.record_link(node, Kind::LinkHealed, path, way, trace);
            }
            Act::Degrade { node, path, way, .. } => {
                self.link_faults.retain(|fault| fault.by != index);
                self.record_link(node, Kind::LinkRestored, path, way, trace);
            }
            // Something else ended it, or an act of an instant.
            Act::Pause { .. }
            | Act::Freeze { .. }
            | Act::Crash { .. }
            | Act::Reboot { .. }
            | Act::Slow { .. }
            | Act::StepClock { .. }
            | Act::ClockRate { .. }
            | Act::Input { .. }
            | Act::Operator { .. }
            | Act::Set(_) => {}
        }
    }

    fn record_link(&self, node: NodeId, kind: Kind, path: Path, way: Way, trace: &mut Trace) {
        let body = Body { flag: path as u8, n: way as u16, ..Body::new(kind, Exec::default()) };
        self.record(node, body, NONE, trace);
    }

    fn stop_process(&mut self, node: NodeId, state: NodeState) {
        self.nodes[usize::from(node.0)].state = state;
        self.bend(node, TimerClock::Process, Span::ZERO, 0);
    }

    fn set_speed(&mut self, node: NodeId, percent: u32) {
        self.nodes[usize::from(node.0)].speed = percent;
        if self.state(node) == NodeState::Runs {
            self.bend(node, TimerClock::Process, Span::ZERO, i64::from(percent) * TRUE_RATE / 100);
        }
    }

    /// Lets a paused process run: overdue timers first, then messages, then the program.
    fn run_again(&mut self, node: NodeId, resumed: u32, trace: &mut Trace) {
        let index = usize::from(node.0);
        self.nodes[index].state = NodeState::Runs;
        self.nodes[index].resumed = resumed;
        let speed = i64::from(self.nodes[index].speed);
        self.bend(node, TimerClock::Process, Span::ZERO, speed * TRUE_RATE / 100);
        let mut waiting = std::mem::take(&mut self.nodes[index].waiting);
        order::by(&mut waiting, |item| match item {
            Item::Timer { .. } | Item::Persisted { .. } => 0,
            Item::Message { .. } => 1,
            Item::Program { .. } => 2,
        });
        for item in waiting {
            self.spring_before(&item, trace);
            self.take_in(item, Some(resumed), trace);
        }
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
        self.input(node, Input::Crash, crashed, None, trace);
    }

    fn restart(&mut self, node: NodeId, trace: &mut Trace) {
        let restarted = self.record_fault(node, Kind::Restarted, 0, trace);
        let index = usize::from(node.0);
        self.nodes[index].state = NodeState::Runs;
        let speed = i64::from(self.nodes[index].speed);
        self.bend(node, TimerClock::Process, Span::ZERO, speed * TRUE_RATE / 100);
        let ledger = (self.scenario.role(node) == Role::Scheduler).then(|| self.stored.clone());
        let boot = self.nodes[index].boot;
        self.input(node, Input::Start { ledger, boot }, restarted, None, trace);
    }

    fn announce_rules(&mut self, before: &Scenario, cause: u32, trace: &mut Trace) {
        let scenario = Arc::clone(&self.scenario);
        let claims = scenario.claims();
        if (&before.rules, &before.tasks, before.claims())
            != (&scenario.rules, &scenario.tasks, claims.clone())
        {
            let rules = Arc::new(scenario.rules.clone());
            let tasks: Arc<[_]> = scenario.tasks.clone().into();
            for index in 0..=scenario.workers.len() {
                let (rules, tasks, claims) = (Arc::clone(&rules), Arc::clone(&tasks), Arc::clone(&claims));
                self.input(NodeId(index as u16), Input::Rules { rules, tasks, claims }, cause, None, trace);
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

impl Node {
    fn now(&self, at: At) -> Now {
        Now { wall: Wall(self.wall.read(at)), mono: Mono(self.mono.read(at)) }
    }

    fn clock(&self, which: TimerClock) -> &Clock {
        match which {
            TimerClock::Wall => &self.wall,
            TimerClock::Mono => &self.mono,
            TimerClock::Process => &self.process,
        }
    }

    fn clock_mut(&mut self, which: TimerClock) -> &mut Clock {
        match which {
            TimerClock::Wall => &mut self.wall,
            TimerClock::Mono => &mut self.mono,
            TimerClock::Process => &mut self.process,
        }
    }
}

fn add_reason(trace: &mut Trace, record: u32, reason: u32) {
    if reason != NONE && reason != record {
        trace.reason(record, reason);
    }
}

fn message_body(kind: Kind, id: &StructuralId, peer: NodeId, b: i64) -> Body {
    Body { kind, exec: id.exec, peer, flag: id.kind, n: u16::try_from(id.n).unwrap_or(u16::MAX), b }
}

fn build_nodes(scenario: &Scenario) -> Vec<Node> {
    let rules = Arc::new(scenario.rules.clone());
    let tasks: Arc<[_]> = scenario.tasks.clone().into();
    let claims = scenario.claims();
    let workers: Arc<[(NodeId, u16)]> =
        scenario.workers.iter().enumerate().map(|(i, w)| (scenario.worker(i), w.slots)).collect();
    let node = |actor, offset: Span, rate| Node {
        actor,
        wall: Clock::new(Span(scenario.epoch.0) + offset, rate),
        mono: Clock::new(Span::ZERO, rate),
        process: Clock::new(Span::ZERO, TRUE_RATE),
        boot: 1,
        state: NodeState::Runs,
        speed: 100,
        slowed_by: NONE,
        waiting: Vec::new(),
        resumed: NONE,
    };
    let first_token = Token(scenario.first_token.0);
    let scheduler =
        Scheduler::new(Arc::clone(&rules), Arc::clone(&tasks), workers, scenario.epoch, first_token);
    let mut nodes = vec![node(Actor::Scheduler(Box::new(scheduler)), Span::ZERO, TRUE_RATE)];
    for spec in &scenario.workers {
        let worker = Worker::new(SCHEDULER, Arc::clone(&rules), Arc::clone(&tasks), Arc::clone(&claims));
        nodes.push(node(Actor::Worker(worker), spec.offset, spec.rate));
    }
    for spec in &scenario.sinks {
        nodes.push(node(Actor::Sink(Box::new(Sink::new(Arc::clone(&spec.rules)))), Span::ZERO, TRUE_RATE));
    }
    nodes
}
