//! The executor: starts and kills processes where they run, on the scheduler's order, and says that they
//! are dead.
//!
//! It stands between the scheduler and the hosts, with a link and a memory of its own. A crash loses
//! the orders it has not carried out.

use crate::WHOLE;
use crate::ids::{Exec, NodeId, Token};
use crate::io::{Input, Output, TimerClock, TimerKey, TimerKind};
use crate::message::Message;
use crate::rules::{KillReport, Rules};
use crate::time::{Now, Span};
use std::fmt::Debug;
use std::sync::Arc;

#[derive(Clone, Debug)]
pub struct Executor {
    scheduler: NodeId,
    rules: Arc<Rules>,
    /// Not yet carried out.
    orders: Vec<Order>,
    /// Dispatches whose processes are being started.
    starts: Vec<Message>,
}

#[derive(Clone, Copy, Debug)]
struct Order {
    exec: Exec,
    token: Token,
    on: NodeId,
}

impl Executor {
    pub fn new(scheduler: NodeId, rules: Arc<Rules>) -> Self {
        Self { scheduler, rules, orders: Vec::new(), starts: Vec::new() }
    }

    /// Everything it goes by beside its rules.
    pub fn memory(&self) -> impl Debug {
        (&self.orders, &self.starts)
    }

    pub fn handle(&mut self, now: Now, input: Input, out: &mut Vec<Output>) {
        if !WHOLE {
            return;
        }
        match input {
            Input::Message { message: Message::Kill { exec, token, on }, .. } => {
                self.ordered(now, Order { exec, token, on }, out);
            }
            Input::Message { message: message @ Message::Dispatch { exec, .. }, .. } => {
                self.starts.push(message);
                let after = self.rules.launch.unwrap_or(Span::ZERO);
                let (key, at) = (TimerKey::of(TimerKind::Launch, exec), (now.mono + after).0);
                out.push(Output::Timer { key, clock: TimerClock::Mono, at, spread: Span::ZERO });
            }
            Input::Timer(key) if key.kind == TimerKind::Launch => self.launch(key.exec, out),
            // The host's word. One that reports orders has said so long ago.
            Input::Message { message: Message::Stopped { exec, token }, .. }
                if self.rules.kill.report == KillReport::Confirmed =>
            {
                self.report(exec, token, out);
            }
            Input::Timer(key) if key.kind == TimerKind::CarryOut => self.carry_out(key, out),
            Input::Rules { rules, .. } => self.rules = rules,
            Input::Crash => {
                self.orders.clear();
                self.starts.clear();
            }
            Input::Start { .. }
            | Input::StandBy { .. }
            | Input::GoesOn
            | Input::LoopHeld(_)
            | Input::KilledFromOutside { .. }
            | Input::Renewals(_)
            | Input::Message { .. }
            | Input::Timer(_)
            | Input::Persisted(_)
            | Input::Step { .. }
            | Input::SinkRules(_)
            | Input::Restore(_)
            | Input::RestoreCounter(_)
            | Input::ForceUnlock
            | Input::Failing(_) => {}
        }
    }

    fn ordered(&mut self, now: Now, order: Order, out: &mut Vec<Output>) {
        let Order { exec, token, .. } = order;
        if self.rules.kill.report == KillReport::Requested {
            self.report(exec, token, out);
        }
        if self.orders.iter().any(|before| before.token == token) {
            return;
        }
        // What is not there yet does not come.
        let is_its = |start: &Message| {
            start.exec().is_some_and(|of| Exec { copy: 0, ..of } == Exec { copy: 0, ..exec })
        };
        self.starts.retain(|start| !is_its(start));
        self.orders.push(order);
        out.push(Output::Timer {
            key: TimerKey::of(TimerKind::CarryOut, exec),
            clock: TimerClock::Mono,
            at: (now.mono + self.rules.kill.delay).0,
            spread: Span::ZERO,
        });
    }

    fn launch(&mut self, exec: Exec, out: &mut Vec<Output>) {
        if let Some(at) = self.starts.iter().position(|start| start.exec() == Some(exec)) {
            let message = self.starts.remove(at);
            if let Message::Dispatch { on, .. } = message {
                out.push(Output::Send { to: on, message });
            }
        }
    }

    fn carry_out(&mut self, key: TimerKey, out: &mut Vec<Output>) {
        if let Some(at) = self.orders.iter().position(|order| order.exec == key.exec) {
            let Order { exec, token, on } = self.orders.remove(at);
            out.push(Output::Send { to: on, message: Message::Kill { exec, token, on } });
        }
    }

    fn report(&self, exec: Exec, token: Token, out: &mut Vec<Output>) {
        out.push(Output::Send { to: self.scheduler, message: Message::Stopped { exec, token } });
    }
}
