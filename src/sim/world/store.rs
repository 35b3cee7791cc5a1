//! The store of the scheduler's record as a node of its own.
//!
//! A scheduler is a synchronous client of it. What a handler decides travels to the store as one call; the store
//! serves calls and heartbeats one after another, and there a decision becomes part of the record, or is
//! refused. Until the answer is back the scheduler takes in nothing else, and nothing of that handler leaves it.
//! Where the store hears the heartbeats, the scheduler reads the record before it handles anything, and a
//! decision about a lease that was renewed since is made anew.

mod client;

use super::leaders::LeadAnswer;
use super::{Said, World};
use crate::queue::Item;
use crate::scenario::Scenario;
use crate::trace::Trace;
use fenceline_engine::{
    Exec, Input, Ledger, Message, NodeId, Now, Output, Scheduler, Span, TimerClock, TimerKey, TimerKind,
    store,
};
use std::collections::VecDeque;
use std::fmt::{self, Debug};

#[derive(Clone, Debug)]
pub(super) struct Store {
    node: NodeId,
    calls: Vec<Call>,
    /// How many there were, to tell them apart.
    made: u32,
    /// What has arrived and is not served yet; the first is being served.
    queue: VecDeque<Job>,
}

/// What a scheduler asks of the store.
#[derive(Clone, Debug)]
struct Call {
    by: NodeId,
    number: u32,
    /// What it is about: its structural id.
    exec: Exec,
    n: u32,
    retry: u8,
    /// Under which epoch its scheduler acts, if there are several.
    epoch: Option<u32>,
    asks: Asks,
    /// What the store has answered; asked again it says so again.
    answer: Option<Answer>,
    /// False once its scheduler has died: the call itself may still arrive.
    waits: bool,
}

#[derive(Clone, Debug)]
enum Asks {
    /// To record what a handler decided, and for the leadership if it wants that.
    Write { out: Vec<Output>, trigger: u32, reason: Option<u32>, again: Option<Box<Again>> },
    /// For the record, to handle something by it.
    Read(Handled),
    /// For the record, to start from it.
    Start { restarted: u32 },
}

/// What is to be handled, and why.
#[derive(Clone, Debug)]
struct Handled {
    input: Input,
    trigger: u32,
    reason: Option<u32>,
    /// How often that was done in vain.
    round: u8,
}

/// What it takes to make a decision anew.
#[derive(Clone)]
struct Again {
    before: Scheduler,
    read: Ledger,
    handled: Handled,
}

impl Debug for Again {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        (self.before.memory(), &self.read, &self.handled).fmt(f)
    }
}

#[derive(Clone, Debug)]
enum Answer {
    /// Recorded. What remains to be done, each with its cause; and about the leadership, if that was asked for.
    Done {
        rest: Vec<(Output, u32)>,
        lead: Option<LeadAnswer>,
    },
    /// Another leads; with the record that says so.
    Refused(u32),
    /// Renewed meanwhile.
    Overtaken,
    Record(Box<Ledger>),
}

#[derive(Clone, Copy, Debug)]
struct Job {
    from: NodeId,
    message: Message,
    delivered: u32,
}

impl Store {
    pub(super) fn of(scenario: &Scenario) -> Option<Box<Self>> {
        let store = |node| Self { node, calls: Vec::new(), made: 0, queue: VecDeque::new() };
        scenario.store().map(|node| Box::new(store(node)))
    }

    /// What decides how it goes on.
    pub(super) fn memory(&self) -> impl Debug {
        self
    }

    fn is_called_by(&self, node: NodeId) -> bool {
        self.calls.iter().any(|call| call.waits && call.by == node)
    }

    /// Whether it is a call that waits here already, or that nobody needs an answer to any more.
    fn knows(&self, job: &Job) -> bool {
        let Message::StoreCall { call: number, .. } = job.message else { return false };
        let waits = |job: &Job| matches!(job.message, Message::StoreCall { call, .. } if call == number);
        self.queue.iter().any(waits) || self.calls.iter().all(|call| call.number != number)
    }

    /// A process died: of a scheduler what it asked for and not what it decided, which may still arrive; of the
    /// store what it has not served.
    pub(super) fn crashed(&mut self, node: NodeId) {
        if node == self.node {
            self.queue.clear();
        }
        let is_on_its_way = |call: &Call| call.answer.is_none() && matches!(call.asks, Asks::Write { .. });
        self.calls.retain(|call| call.by != node || is_on_its_way(call));
        self.calls.iter_mut().filter(|call| call.by == node).for_each(|call| call.waits = false);
    }

    /// A message was lost: with it a call that nobody will repeat.
    pub(super) fn lost(&mut self, message: &Message) {
        if let Message::StoreCall { call: number, .. } = *message {
            self.calls.retain(|call| call.waits || call.number != number);
        }
    }
}

impl World {
    /// Whom a message to the scheduler reaches: the one that leads, and heartbeats the store, by the rules.
    pub(super) fn address(&self, message: &Message) -> NodeId {
        let is_beat = || matches!(message, Message::Heartbeat { .. });
        let store = self.store.as_ref().filter(|_| is_beat()).and_then(|_| self.scenario.beats_to_store());
        store.unwrap_or_else(|| self.leader())
    }

    /// Whether a scheduler that waits for the store cannot take this in.
    pub(super) fn is_held_up(&self, item: &Item) -> bool {
        let goes_on = match item {
            Item::Message { message, .. } => matches!(message, Message::StoreReply { .. }),
            Item::Timer { key, .. } => key.kind == TimerKind::StoreTimeout,
            Item::Persisted { .. } | Item::Program { .. } => false,
        };
        !goes_on && self.store.as_ref().is_some_and(|store| store.is_called_by(item.node()))
    }

    /// Sees to what concerns calls to the store; false if something else is to be done with it.
    pub(super) fn is_for_store(&mut self, item: &Item, reason: Option<u32>, trace: &mut Trace) -> bool {
        let Some(store) = self.store.as_ref().map(|store| store.node) else { return false };
        match *item {
            Item::Message { from, to, message, sent } => {
                let is_answer = matches!(message, Message::StoreReply { .. });
                if to != store && !is_answer {
                    return false;
                }
                if reason.is_none() && self.stopped_by_cut(item, Span::ZERO, trace) {
                    return true;
                }
                let delivered = self.delivered(from, to, &message, sent, reason, trace);
                if is_answer {
                    self.answered(to, &message, delivered, trace);
                } else {
                    self.arrived(Job { from, message, delivered }, trace);
                }
                true
            }
            Item::Timer { node, key, .. } if key.kind == TimerKind::StoreTimeout => {
                self.ask_again(node, key, trace);
                true
            }
            Item::Timer { node, .. } if node == store => {
                self.serve(trace);
                self.serve_next(trace);
                true
            }
            _ => false,
        }
    }

    fn arrived(&mut self, job: Job, trace: &mut Trace) {
        let Some(store) = &mut self.store else { return };
        if store.knows(&job) {
            return;
        }
        store.queue.push_back(job);
        if store.queue.len() == 1 {
            self.serve_next(trace);
        }
    }

    /// Begins with the next, or serves all there are if that takes no time.
    fn serve_next(&mut self, trace: &mut Trace) {
        while let Some((node, job)) = self.store.as_ref().and_then(|s| Some((s.node, *s.queue.front()?))) {
            let takes = self.scenario.rules.store.takes;
            if takes > Span::ZERO {
                let key = TimerKey::of(TimerKind::Serve, job.message.exec().unwrap_or_default());
                return self.set_timer(node, key, TimerClock::Process, takes.0, Span::ZERO, job.delivered);
            }
            self.serve(trace);
        }
    }

    fn serve(&mut self, trace: &mut Trace) {
        let Some(store) = &mut self.store else { return };
        let (node, Some(job)) = (store.node, store.queue.pop_front()) else { return };
        match job.message {
            Message::Heartbeat { .. } => self.renew(node, &job, trace),
            Message::StoreCall { call, retry, .. } => {
                self.serve_call(node, call, retry, job.delivered, trace)
            }
            _ => {}
        }
    }

    /// The store's own wall clock sets the lease. Of an observer it knows nothing; the truth does.
    fn renew(&mut self, node: NodeId, job: &Job, trace: &mut Trace) {
        let now = Now { wall: self.clocks(node).wall, mono: self.clocks(self.leader()).mono };
        let mut out = std::mem::take(&mut self.out);
        store::hear(&self.stored, &self.scenario.rules, now, job.from, &job.message, &mut out);
        self.carry_out_all(node, &out, Said::because_of(job.delivered, None), trace);
        out.clear();
        self.out = out;
    }

    fn serve_call(&mut self, node: NodeId, number: u32, retry: u8, delivered: u32, trace: &mut Trace) {
        let Some(store) = &mut self.store else { return };
        let Some(at) = store.calls.iter().position(|call| call.number == number) else { return };
        let mut call = store.calls.remove(at);
        if call.waits {
            // Whoever asks has taken the place of the process that died.
            store.calls.retain(|other| other.waits || other.by != call.by);
        }
        if call.answer.is_none() {
            call.answer = Some(self.answer(&mut call, delivered, trace));
        }
        if call.waits {
            let (by, exec, n) = (call.by, call.exec, call.n);
            if let Some(store) = &mut self.store {
                store.calls.push(call);
            }
            self.send(node, by, &Message::StoreReply { call: number, exec, n, retry }, delivered, trace);
        }
    }

    /// Makes a decision part of the record, if its scheduler may decide.
    fn answer(&mut self, call: &mut Call, delivered: u32, trace: &mut Trace) -> Answer {
        let Asks::Write { out, trigger, reason, again } = &mut call.asks else {
            return Answer::Record(Box::new(self.stored.clone()));
        };
        let changes = || {
            out.iter().filter_map(|output| match output {
                Output::Persist { change, .. } => Some(change),
                _ => None,
            })
        };
        if changes().next().is_some()
            && let Some(epochs) = self.is_old(call.epoch)
        {
            return Answer::Refused(self.refuse(call.by, 0, epochs, delivered, trace));
        }
        let is_overtaken =
            |again: &Again| changes().any(|change| again.read.is_overtaken(change, &self.stored));
        if again.as_deref().is_some_and(is_overtaken) {
            self.refuse(call.by, 2, (0, 0), delivered, trace);
            return Answer::Overtaken;
        }
        let asks_to_lead = self.leaders.is_some() && out.iter().any(|output| matches!(output, Output::Lead));
        let rest = self.record_all(call.by, std::mem::take(out), (*trigger, *reason), delivered, trace);
        let lead = asks_to_lead.then(|| self.decide_lead(call.by, call.epoch, trace));
        Answer::Done { rest, lead }
    }

    fn record_all(
        &mut self,
        by: NodeId,
        out: Vec<Output>,
        (trigger, reason): (u32, Option<u32>),
        delivered: u32,
        trace: &mut Trace,
    ) -> Vec<(Output, u32)> {
        let mut said = Said::because_of(trigger, reason);
        let mut rest = Vec::new();
        for output in out {
            match output {
                Output::Note(_) => {
                    let before = said.of;
                    self.carry_out(by, &output, &mut said, trace);
                    if said.of != before {
                        trace.reason(said.cause, delivered);
                    }
                }
                Output::Persist { change, then } => {
                    self.stored.apply(change);
                    rest.extend(then.map(|_| (output, said.cause)));
                }
                Output::Lead => {}
                _ => rest.push((output, said.cause)),
            }
        }
        rest
    }
}
