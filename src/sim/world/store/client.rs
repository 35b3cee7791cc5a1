//! A scheduler as a client of the store: what it asks, and what it does with the answer.

use super::{Again, Answer, Asks, Call, Handled};
use crate::queue::Item;
use crate::record::{NONE, message_parts};
use crate::trace::Trace;
use crate::world::{Actor, NodeState, Said, World};
use fenceline_engine::{
    Exec, Input, Ledger, Message, NodeId, Output, Scheduler, Span, TimerClock, TimerKey, TimerKind,
};

/// Where the kinds of timers begin among the tags of structural ids, after those of messages.
const TIMERS: u32 = 32;

impl World {
    /// Lets a node handle an input; of a scheduler, by the record and with its leave.
    pub(in super::super) fn input_by_store(
        &mut self,
        node: NodeId,
        input: Input,
        trigger: u32,
        reason: Option<u32>,
        trace: &mut Trace,
    ) {
        let reads = matches!(input, Input::Message { .. } | Input::Timer(_))
            && self.scenario.beats_to_store().is_some()
            && self.scenario.is_scheduler(node)
            && self.believes_to_lead(node);
        if reads {
            return self.read_first(node, Handled { input, trigger, reason, round: 0 }, trace);
        }
        let again = self.starting_by(node, &input, trigger);
        self.decide(node, input, (trigger, reason), again, trace);
    }

    /// What it takes to start anew, where the store goes on renewing what a scheduler starts from.
    fn starting_by(&self, node: NodeId, input: &Input, trigger: u32) -> Option<Box<Again>> {
        let Input::Start { ledger: Some(read), boot } = input else { return None };
        let Actor::Scheduler(before) = &self.nodes[usize::from(node.0)].actor else { return None };
        self.scenario.beats_to_store()?;
        let input = Input::Start { ledger: None, boot: *boot };
        let handled = Handled { input, trigger, reason: None, round: 0 };
        Some(Box::new(Again { before: Scheduler::clone(before), read: read.clone(), handled }))
    }

    fn read_first(&mut self, node: NodeId, handled: Handled, trace: &mut Trace) {
        let (about, round, trigger) =
            (self.about(node, &handled.input, true), handled.round, handled.trigger);
        self.call(node, Asks::Read(handled), about, round, trigger, trace);
    }

    fn decide(
        &mut self,
        node: NodeId,
        input: Input,
        (trigger, reason): (u32, Option<u32>),
        again: Option<Box<Again>>,
        trace: &mut Trace,
    ) {
        let mut out = std::mem::take(&mut self.out);
        let is_scheduler = self.scenario.is_scheduler(node);
        let about = if is_scheduler { self.about(node, &input, false) } else { (Exec::default(), 0) };
        self.handle(node, input, &mut out);
        let asks_to_lead = self.leaders.is_some();
        let is_asked_for = |output: &Output| match output {
            Output::Persist { .. } => true,
            Output::Lead => asks_to_lead,
            _ => false,
        };
        if is_scheduler && out.iter().any(is_asked_for) {
            let round = again.as_ref().map_or(0, |again| again.handled.round);
            let asks = Asks::Write { out, trigger, reason, again };
            return self.call(node, asks, about, round, trigger, trace);
        }
        self.carry_out_all(node, &out, Said::because_of(trigger, reason), trace);
        out.clear();
        self.out = out;
    }

    /// A scheduler that starts again reads its record first.
    pub(in super::super) fn read_record(&mut self, node: NodeId, restarted: u32, trace: &mut Trace) {
        let boot = self.nodes[usize::from(node.0)].boot;
        let about = self.about(node, &Input::Start { ledger: None, boot }, true);
        self.call(node, Asks::Start { restarted }, about, 0, restarted, trace);
    }

    /// The structural id of the call that an input leads to: no count, so that an edit leaves the draws of other
    /// calls alone. It fits the record, where it is seen.
    fn about(&self, node: NodeId, input: &Input, reads: bool) -> (Exec, u32) {
        let sweep = || {
            let mono = self.clocks(node).mono.0;
            u32::try_from(mono / self.scenario.rules.sweep.every.0.max(1)).unwrap_or(0)
        };
        let (tag, exec, n) = match input {
            Input::Message { message, .. } => {
                let (kind, exec, n, retry) = message_parts(message);
                (kind as u32, exec, n ^ u32::from(retry) << 7)
            }
            Input::Timer(key) if key.kind == TimerKind::Sweep => {
                (TIMERS + key.kind as u32, key.exec, sweep())
            }
            Input::Timer(key) | Input::Persisted(key) => (TIMERS + key.kind as u32, key.exec, key.n),
            _ => (TIMERS - 1, Exec::default(), 0),
        };
        (exec, tag << 10 | u32::from(reads) << 9 | n & 0x1ff)
    }

    fn call(
        &mut self,
        by: NodeId,
        asks: Asks,
        (exec, n): (Exec, u32),
        retry: u8,
        cause: u32,
        trace: &mut Trace,
    ) {
        let epoch = self.epoch_of(by);
        let Some(store) = &mut self.store else { return };
        let number = store.made;
        store.made = number.wrapping_add(1);
        store.calls.push(Call { by, number, exec, n, retry, epoch, asks, answer: None, waits: true });
        self.ask(by, Message::StoreCall { call: number, exec, n, retry }, cause, trace);
    }

    fn ask(&mut self, by: NodeId, message: Message, cause: u32, trace: &mut Trace) {
        let Some(store) = self.store.as_ref().map(|store| store.node) else { return };
        self.send(by, store, &message, cause, trace);
        if let Message::StoreCall { exec, n, retry, .. } = message {
            let at = self.clocks(by).mono + self.scenario.rules.store.retry;
            let key = TimerKey::numbered(TimerKind::StoreTimeout, exec, n, retry);
            self.set_timer(by, key, TimerClock::Mono, at.0, Span::ZERO, cause);
        }
    }

    /// No answer for so long: the same call once more, as often as it takes.
    pub(super) fn ask_again(&mut self, node: NodeId, key: TimerKey, trace: &mut Trace) {
        let is_it = |call: &&mut Call| {
            call.waits && call.by == node && (call.exec, call.n, call.retry) == (key.exec, key.n, key.retry)
        };
        let Some(call) = self.store.as_mut().and_then(|store| store.calls.iter_mut().find(is_it)) else {
            return;
        };
        call.retry = call.retry.wrapping_add(1);
        let (call, exec, n, retry) = (call.number, call.exec, call.n, call.retry);
        self.ask(node, Message::StoreCall { call, exec, n, retry }, NONE, trace);
    }

    /// The answer is back: the rest of what was decided is done, and then whatever has waited.
    pub(super) fn answered(&mut self, node: NodeId, message: &Message, delivered: u32, trace: &mut Trace) {
        let Message::StoreReply { call: number, .. } = *message else { return };
        let Some(store) = &mut self.store else { return };
        let is_it = |call: &Call| call.number == number && call.waits && call.answer.is_some();
        let Some(at) = store.calls.iter().position(is_it) else { return };
        let Call { asks, answer, .. } = store.calls.remove(at);
        match (asks, answer) {
            (Asks::Write { .. }, Some(Answer::Done { rest, lead })) => {
                self.finish(node, &rest, trace);
                // It may have been stopped half way.
                if let Some(lead) = lead.filter(|_| self.state(node) == NodeState::Runs) {
                    self.hear_lead(node, lead, delivered, trace);
                }
            }
            (_, Some(Answer::Refused(refused))) => self.stand_down(node, refused, trace),
            (Asks::Write { again: Some(again), .. }, Some(Answer::Overtaken)) => {
                let Again { before, handled, .. } = *again;
                self.nodes[usize::from(node.0)].actor = Actor::Scheduler(Box::new(before));
                let round = handled.round.wrapping_add(1);
                match handled.input {
                    Input::Start { .. } => self.read_record(node, handled.trigger, trace),
                    _ => self.read_first(node, Handled { round, ..handled }, trace),
                }
            }
            (Asks::Read(handled), Some(Answer::Record(read))) => {
                let reason = handled.reason.or(Some(delivered));
                self.handle_by(node, *read, Handled { reason, ..handled }, trace);
            }
            (Asks::Start { restarted }, Some(Answer::Record(record))) => {
                let (ledger, boot) = (Some(*record), self.nodes[usize::from(node.0)].boot);
                self.input(node, Input::Start { ledger, boot }, restarted, Some(delivered), trace);
            }
            _ => {}
        }
        self.take_in_waiting(node, delivered, trace);
    }

    /// What a handler decided beside what stands in the record, and then what was to be done once it stands there.
    fn finish(&mut self, node: NodeId, rest: &[(Output, u32)], trace: &mut Trace) {
        let mut then = Vec::new();
        for (output, cause) in rest {
            match *output {
                Output::Persist { then: Some(key), .. } => {
                    then.push(Item::Persisted { node, key, cause: *cause })
                }
                _ => self.carry_out(node, output, &mut Said::because_of(*cause, None), trace),
            }
        }
        for item in then {
            self.spring_before(&item, trace);
            self.take_in(&item, None, trace);
        }
    }

    /// Handles an input by the record just read.
    fn handle_by(&mut self, node: NodeId, read: Ledger, handled: Handled, trace: &mut Trace) {
        let Actor::Scheduler(before) = &self.nodes[usize::from(node.0)].actor else { return };
        let before = Scheduler::clone(before);
        let mut out = std::mem::take(&mut self.out);
        self.handle(node, Input::Renewals(Box::new(read.clone())), &mut out);
        self.out = out;
        let (input, why) = (handled.input.clone(), (handled.trigger, handled.reason));
        self.decide(node, input, why, Some(Box::new(Again { before, read, handled })), trace);
    }

    /// Until the scheduler waits for the store again.
    fn take_in_waiting(&mut self, node: NodeId, answered: u32, trace: &mut Trace) {
        let index = usize::from(node.0);
        let mut waiting = std::mem::take(&mut self.nodes[index].waiting).into_iter();
        while self.store.as_ref().is_some_and(|store| !store.is_called_by(node)) {
            let Some(item) = waiting.next() else { break };
            self.spring_before(&item, trace);
            self.take_in(&item, Some(answered), trace);
        }
        let mut rest: Vec<Item> = waiting.collect();
        rest.append(&mut self.nodes[index].waiting);
        self.nodes[index].waiting = rest;
    }
}
