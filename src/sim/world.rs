//! The world at one instant: nodes with their actors and clocks, links, and what is due.
//!
//! It carries out what actors ask for and does to them what faults do: it holds, stretches or drops
//! inputs. The trace is not part of it, so a clone is a snapshot.

mod acts;
mod backups;
mod build;
mod leaders;
mod likeness;
mod links;
mod readings;
mod reasons;
mod store;

use crate::clock::{At, Clock};
use crate::draw::{self, Purpose};
use crate::link::LinkFault;
use crate::plan::Armed;
use crate::queue::{Item, Queue, StructuralId, message_id, timer_id};
use crate::record::{Body, Kind, Loss, NONE, Record, body_of};
use crate::scenario::{Role, SCHEDULER, Scenario};
use crate::trace::Trace;
use acts::Lift;
use backups::Backup;
use fenceline_engine::WHOLE;
use fenceline_engine::{
    Chunk, Exec, Executor, Input, Ledger, Message, Mono, NodeId, Now, Output, Scheduler, Sink, Span, TaskId,
    TimerClock, TimerKey, TimerKind, Token, Wall, Worker,
};
use leaders::Leaders;
use readings::Shown;
use reasons::{Landmarks, Said};
use std::ops::Range;
use std::sync::Arc;
use store::Store;

/// The true world at one instant.
#[derive(Clone, Debug)]
pub struct World {
    scenario: Arc<Scenario>,
    seed: u64,
    /// The nodes that are sinks.
    sinks: Range<NodeId>,
    now: At,
    /// Within one instant, what an event causes goes into the next round.
    round: u16,
    nodes: Vec<Node>,
    queue: Queue,
    link_faults: Vec<LinkFault>,
    /// Messages that a cut keeps, in the order in which it stopped them, and when each would have arrived.
    held: Vec<(Item, At)>,
    /// Processes that are slowed: by which intervention, to which percentage.
    slowed: Vec<(NodeId, u32, u32)>,
    /// Workers whose loops are held, and by which intervention; those freed while they did not run, and the
    /// record of that.
    blocked: Vec<(NodeId, u32)>,
    freed: Vec<(NodeId, u32)>,
    /// The scheduler's durable record as its store has it.
    stored: Ledger,
    /// Who of several schedulers leads; none: there is one.
    leaders: Option<Box<Leaders>>,
    /// The node that keeps the record and who calls it; none: it is at hand.
    store: Option<Box<Store>>,
    /// The version of each task's input.
    inputs: Vec<u8>,
    /// By dispatch delivered once more: whose it was.
    copies: Vec<Exec>,
    /// The last dispatch of each task.
    dispatched: Vec<Exec>,
    /// What readers of others' tables were shown.
    shown: Vec<Shown>,
    /// Copies that later acts put back.
    backups: Vec<Backup>,
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
    /// The intervention that has its calls fail.
    fails_by: u32,
    /// Inputs held while the process does not run, in the order in which they fell due.
    waiting: Vec<Item>,
    /// The last record that let it run again.
    resumed: u32,
    /// What ran when its process died, for its host to start again.
    lost: Vec<(Exec, Token)>,
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
    Executor(Executor),
    /// What it has and does is in [`World::store`].
    Store,
}

impl World {
    /// The world at time 0, everything started.
    pub fn new(scenario: Arc<Scenario>, seed: u64, trace: &mut Trace) -> Self {
        let mut world = Self {
            nodes: build::nodes(&scenario),
            stored: Ledger::new(scenario.tasks.len() as u16, scenario.first_token),
            inputs: vec![1; scenario.tasks.len()],
            dispatched: vec![Exec::default(); scenario.tasks.len()],
            landmarks: Landmarks::of(&scenario),
            sinks: scenario.sink(0)..scenario.sink(scenario.sinks.len()),
            leaders: Leaders::of(&scenario),
            store: Store::of(&scenario),
            scenario,
            seed,
            now: 0,
            round: 0,
            queue: Queue::default(),
            link_faults: Vec::new(),
            held: Vec::new(),
            slowed: Vec::new(),
            blocked: Vec::new(),
            freed: Vec::new(),
            armed: Vec::new(),
            copies: Vec::new(),
            shown: Vec::new(),
            backups: Vec::new(),
            lifts: Vec::new(),
            out: Vec::new(),
        };
        for index in 0..world.nodes.len() {
            let (node, boot) = (NodeId(index as u16), world.nodes[index].boot);
            let stands_by = world.scenario.is_scheduler(node) && node != SCHEDULER;
            let start = if stands_by { Input::StandBy { boot } } else { Input::Start { ledger: None, boot } };
            world.input(node, start, NONE, None, trace);
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

    /// The rows a sink itself has for a task.
    pub fn contents(&self, sink: NodeId, task: TaskId) -> &[Chunk] {
        match self.nodes.get(usize::from(sink.0)).map(|node| &node.actor) {
            Some(Actor::Sink(sink)) => sink.contents(task),
            _ => &[],
        }
    }

    /// An estimate of the bytes a snapshot of this world holds.
    pub fn bytes(&self) -> usize {
        // Beside a node: its executions. A task: twice in the record, with an attempt or two.
        self.nodes.len() * (size_of::<Node>() + 160)
            + self.inputs.len() * 300
            + self.queue.bytes()
            + self.held.len() * size_of::<(Item, At)>()
    }

    // --- time ---

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
        // What waits for a process that does not run is at its point when it is handled.
        if WHOLE && !self.armed.is_empty() && self.state(due.item.node()) == NodeState::Runs {
            self.spring_before(&due.item, trace);
        }
        self.take_in(&due.item, None, trace);
        true
    }

    fn push(&mut self, at: At, item: Item) {
        let round = if at <= self.now { self.round + 1 } else { 0 };
        self.queue.push(at.max(self.now), round, &item.id(), item);
    }

    // --- inputs ---

    /// Gives an item to its node, or holds or drops it if the node's process does not run.
    fn take_in(&mut self, item: &Item, reason: Option<u32>, trace: &mut Trace) {
        let node = item.node();
        match self.state(node) {
            NodeState::Runs if self.has_store() && self.is_held_up(item) => {
                if !self.stopped_by_cut(item, Span::ZERO, trace) {
                    self.nodes[usize::from(node.0)].waiting.push(*item);
                }
            }
            NodeState::Runs => self.hand_over(item, reason, trace),
            // Its host kills it, and asks no code of its own.
            NodeState::Paused { .. } if WHOLE && self.is_kill(item) => self.hand_over(item, reason, trace),
            NodeState::Paused { .. } | NodeState::Frozen { .. } => {
                if self.stopped_by_cut(item, Span::ZERO, trace) {
                    return;
                }
                self.nodes[usize::from(node.0)].waiting.push(*item);
            }
            NodeState::Down { .. } => {
                if let Item::Message { from, to, message, sent } = item {
                    self.lose(*from, *to, message, *sent, Loss::Down, trace);
                }
            }
        }
    }

    /// Whether the record is kept by a node of its own.
    fn has_store(&self) -> bool {
        WHOLE && self.store.is_some()
    }

    /// A worker, if its process runs, goes on with what it may do by now.
    fn goes_on(&mut self, node: NodeId, cause: u32, trace: &mut Trace) {
        if self.state(node) == NodeState::Runs && matches!(self.scenario.role(node), Role::Worker(_)) {
            self.input(node, Input::GoesOn, cause, None, trace);
        }
    }

    /// Whether it is an order of the executor's to kill.
    fn is_kill(&self, item: &Item) -> bool {
        matches!(*item, Item::Message { from, message: Message::Kill { .. }, .. }
            if self.scenario.executor() == Some(from))
    }

    fn hand_over(&mut self, item: &Item, reason: Option<u32>, trace: &mut Trace) {
        if self.has_store() && self.is_for_store(item, reason, trace) {
            return;
        }
        match *item {
            // A message that waited for a paused process had already arrived.
            Item::Message { .. } if reason.is_none() && self.stopped_by_cut(item, Span::ZERO, trace) => {}
            Item::Message { from, to, ref message, sent } => {
                let delivered = self.delivered(from, to, message, sent, reason, trace);
                let input = match *message {
                    Message::Kill { exec, token, .. } if WHOLE && self.state(to) != NodeState::Runs => {
                        Input::KilledFromOutside { by: from, exec, token }
                    }
                    message => Input::Message { from, message },
                };
                self.input(to, input, delivered, None, trace);
            }
            Item::Timer { node, key, clock, cause, .. } => {
                let resumed = self.nodes[usize::from(node.0)].resumed;
                let stretched =
                    clock == TimerClock::Process && resumed != NONE && (cause == NONE || cause < resumed);
                let reason = reason.or(stretched.then_some(resumed));
                self.input(node, Input::Timer(key), cause, reason, trace);
            }
            Item::Persisted { node, key, .. } if WHOLE && key.kind == TimerKind::Lead => {
                self.answer_lead(node, trace)
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

    fn delivered(
        &self,
        from: NodeId,
        to: NodeId,
        message: &Message,
        sent: u32,
        reason: Option<u32>,
        trace: &mut Trace,
    ) -> u32 {
        let id = message_id(from, to, message);
        let body = message_body(Kind::Delivered, &id, from, i64::from(id.retry));
        let delivered = self.record(to, body, sent, trace);
        if let Some(reason) = reason {
            trace.reason(delivered, reason);
        }
        delivered
    }

    /// Lets an actor handle an input and carries out what it asks for, or has it recorded first where the record
    /// is kept elsewhere.
    fn input(&mut self, node: NodeId, input: Input, trigger: u32, reason: Option<u32>, trace: &mut Trace) {
        if self.has_store() {
            return self.input_by_store(node, input, trigger, reason, trace);
        }
        let mut out = std::mem::take(&mut self.out);
        self.handle(node, input, &mut out);
        if WHOLE && self.leaders.is_some() && self.turned_away(node, &out, trigger, trace) {
            out.clear();
        }
        self.carry_out_all(node, &out, Said::because_of(trigger, reason), trace);
        out.clear();
        self.out = out;
    }

    #[inline]
    fn handle(&mut self, node: NodeId, input: Input, out: &mut Vec<Output>) {
        let acting = &mut self.nodes[usize::from(node.0)];
        let now = acting.now(self.now);
        match &mut acting.actor {
            Actor::Scheduler(scheduler) => scheduler.handle(now, input, out),
            Actor::Worker(worker) => worker.handle(now, input, out),
            Actor::Sink(sink) => sink.handle(now, input, out),
            Actor::Executor(executor) => executor.handle(now, input, out),
            Actor::Store => {}
        }
    }

    // --- outputs ---

    #[inline]
    fn carry_out_all(&mut self, node: NodeId, out: &[Output], mut said: Said, trace: &mut Trace) {
        for output in out {
            self.carry_out(node, output, &mut said, trace);
        }
    }

    #[cfg_attr(not(target_family = "wasm"), inline(always))]
    fn carry_out(&mut self, node: NodeId, output: &Output, said: &mut Said, trace: &mut Trace) {
        let cause = said.cause;
        match *output {
            Output::Note(ref note) => {
                let mut body = self.as_granted(node, body_of(note));
                if WHOLE && body.kind == Kind::TableRead {
                    said.shown = Some(self.show(node, &mut body));
                }
                let because = if said.of == Some(body.exec.task) { cause } else { said.trigger };
                said.of = Some(body.exec.task);
                said.cause = self.record(node, body, because, trace);
                if let Some(reason) = said.reason.take() {
                    trace.reason(said.cause, reason);
                }
                self.give_reasons(node, &body, said.cause, trace);
            }
            Output::Send { to, mut message } => {
                match &mut message {
                    // What an executor passes on has its number.
                    Message::Dispatch { exec, .. } if self.scenario.is_scheduler(node) => {
                        exec.copy = self.next_copy(node, *exec);
                    }
                    Message::Seen { sight: Some(sight), .. } => {
                        sight.version = said.shown.unwrap_or(sight.version);
                    }
                    _ => {}
                }
                let to = if to == SCHEDULER { self.address(&message) } else { to };
                self.send(node, to, &message, cause, trace);
            }
            Output::Timer { key, clock, at, spread } => self.set_timer(node, key, clock, at, spread, cause),
            Output::Step { exec, step } => self.push(self.now, Item::Program { node, exec, step, cause }),
            Output::Lead => self.ask_to_lead(node, cause),
            Output::Persist { change, then } => {
                self.stored.apply(change);
                if let Some(key) = then {
                    self.push(self.now, Item::Persisted { node, key, cause });
                }
            }
        }
    }

    /// The number of an attempt's dispatch: only the truth counts them.
    fn next_copy(&mut self, by: NodeId, exec: Exec) -> u8 {
        if let Some(leaders) = self.leaders.as_mut().filter(|_| WHOLE) {
            return leaders.sent(by, exec);
        }
        let dispatched = &mut self.dispatched[usize::from(exec.task.0)];
        let copy = if dispatched.attempt == exec.attempt { dispatched.copy + 1 } else { 0 };
        *dispatched = Exec { copy, ..exec };
        copy
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

    // --- records ---

    #[cfg_attr(not(target_family = "wasm"), inline(always))]
    fn record(&self, node: NodeId, body: Body, cause: u32, trace: &mut Trace) -> u32 {
        let Body { kind, exec, peer, flag, n, b } = body;
        let Exec { task, attempt, copy } = exec;
        trace.push(Record { at: self.now, b, cause, node, peer, task, attempt, copy, kind, flag, n })
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

fn message_body(kind: Kind, id: &StructuralId, peer: NodeId, b: i64) -> Body {
    Body { kind, exec: id.exec, peer, flag: id.kind, n: u16::try_from(id.n).unwrap_or(u16::MAX), b }
}
