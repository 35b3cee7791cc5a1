//! The executor: kills processes where they run, on the scheduler's order, and says that they are dead.
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
}

#[derive(Clone, Copy, Debug)]
struct Order {
    exec: Exec,
    token: Token,
    on: NodeId,
}

impl Executor {
    pub fn new(scheduler: NodeId, rules: Arc<Rules>) -> Self {
        Self { scheduler, rules, orders: Vec::new() }
    }

    /// Everything it goes by beside its rules.
    pub fn memory(&self) -> impl Debug {
        &self.orders
    }

    pub fn handle(&mut self, now: Now, input: Input, out: &mut Vec<Output>) {
        if !WHOLE {
            return;
        }
        match input {
            Input::Message { message: Message::Kill { exec, token, on }, .. } => {
                self.ordered(now, Order { exec, token, on }, out);
            }
            // The host's word. One that reports orders has said so long ago.
            Input::Message { message: Message::Stopped { exec, token }, .. }
                if self.rules.kill.report == KillReport::Confirmed =>
            {
                self.report(exec, token, out);
            }
            Input::Timer(key) if key.kind == TimerKind::CarryOut => self.carry_out(key, out),
            Input::Rules { rules, .. } => self.rules = rules,
            Input::Crash => self.orders.clear(),
            Input::Start { .. }
            | Input::StandBy { .. }
            | Input::GoesOn
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
        self.orders.push(order);
        out.push(Output::Timer {
            key: TimerKey::of(TimerKind::CarryOut, exec),
            clock: TimerClock::Mono,
            at: (now.mono + self.rules.kill.delay).0,
            spread: Span::ZERO,
        });
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
