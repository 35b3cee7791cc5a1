//! Errors: calls that a store holds for a while and then answers badly, with nothing done or all of it.

use super::{KeyRecord, Served, Sink};
use crate::ids::{Exec, NodeId};
use crate::io::{FailEffect, Failing, Note, Output, TimerClock, TimerKey, TimerKind};
use crate::message::{Answer, Message, SinkOp};
use crate::rules::{IdempotencyKey, SinkKind, StoredAnswers};
use crate::time::{Now, Span};

/// An error on its way out.
#[derive(Clone, Copy, Debug)]
pub(super) struct Held {
    key: TimerKey,
    to: NodeId,
    message: Message,
    /// The request it answers.
    pub(super) of: Option<Served>,
}

impl Sink {
    /// The way in which it fails, if a call does nothing then.
    fn fails_idly(&self) -> Option<Failing> {
        self.failing.filter(|failing| failing.effect == FailEffect::Nothing)
    }

    /// A raise or a look that does nothing and is answered with an error. A request fails where it would
    /// be judged.
    pub(super) fn fails_at_once(
        &mut self,
        now: Now,
        from: NodeId,
        asked: &Message,
        out: &mut Vec<Output>,
    ) -> bool {
        let Some(failing) = self.fails_idly() else { return false };
        let message = match *asked {
            Message::Raise { exec, retry, .. } => {
                Message::Reply { exec, step: 0, retry, answer: Answer::Error }
            }
            Message::Look { exec, step, after, retry, .. } => {
                Message::Seen { exec, step, after, retry, sight: None }
            }
            _ => return false,
        };
        self.answer_badly(now, failing, (from, message), None, out);
        true
    }

    /// The same for a request.
    pub(super) fn fails(&mut self, now: Now, served: &Served, out: &mut Vec<Output>) -> bool {
        let Some(failing) = self.fails_idly() else { return false };
        self.store_error(now, served);
        let request = served.request;
        let (exec, step, retry) = (request.exec, request.step, request.retry);
        let message = Message::Reply { exec, step, retry, answer: Answer::Error };
        self.answer_badly(now, failing, (served.from, message), Some(*served), out);
        true
    }

    /// Everything was done, and each answer becomes an error all the same.
    pub(super) fn spoil_answers(&mut self, now: Now, before: usize, out: &mut Vec<Output>) {
        let Some(failing) = self.failing.filter(|failing| failing.effect == FailEffect::Done) else { return };
        for output in out.split_off(before) {
            let spoilt = match output {
                Output::Send { to, message: Message::Reply { exec, step, retry, answer } }
                    if answer != Answer::Error =>
                {
                    (to, Message::Reply { exec, step, retry, answer: Answer::Error })
                }
                Output::Send { to, message: Message::Seen { exec, step, after, retry, sight: Some(_) } } => {
                    (to, Message::Seen { exec, step, after, retry, sight: None })
                }
                _ => {
                    out.push(output);
                    continue;
                }
            };
            self.answer_badly(now, failing, spoilt, None, out);
        }
    }

    fn answer_badly(
        &mut self,
        now: Now,
        failing: Failing,
        (to, message): (NodeId, Message),
        of: Option<Served>,
        out: &mut Vec<Output>,
    ) {
        let (exec, n, retry) = named(&message);
        out.push(Output::Note(Note::Errored { exec, n, effect: failing.effect }));
        if failing.held <= Span::ZERO {
            return out.push(Output::Send { to, message });
        }
        let key = TimerKey::numbered(TimerKind::Error, exec, n, retry);
        self.errors.push(Held { key, to, message, of });
        let at = (now.mono + failing.held).0;
        out.push(Output::Timer { key, clock: TimerClock::Mono, at, spread: Span::ZERO });
    }

    pub(super) fn send_error(&mut self, key: TimerKey, out: &mut Vec<Output>) {
        if let Some(at) = self.errors.iter().position(|held| held.key == key) {
            let Held { to, message, .. } = self.errors.remove(at);
            out.push(Output::Send { to, message });
        }
    }

    /// Where a key stores every answer it stores this one.
    fn store_error(&mut self, now: Now, served: &Served) {
        let request = served.request;
        let (SinkKind::Api(IdempotencyKey::FromTask(rules)), SinkOp::Effect { version, .. }) =
            (self.rules.kind, request.op)
        else {
            return;
        };
        self.forget_keys(now, &rules);
        let Some(key) = self.key_of(&request) else { return };
        if rules.stored == StoredAnswers::Every && self.data.keys.iter().all(|seen| seen.key != key) {
            let (since, by, answer) = (now.wall, request.exec, Answer::Error);
            self.data.keys.push(KeyRecord { key, since, by, version, answer });
        }
    }
}

/// The execution of an answer, its step (with the looks before it in the high bits), its retry.
fn named(message: &Message) -> (Exec, u32, u8) {
    match *message {
        Message::Reply { exec, step, retry, .. } => (exec, u32::from(step), retry),
        Message::Seen { exec, step, after, retry, .. } => {
            (exec, u32::from(step) | (u32::from(after) + 1) << 8, retry)
        }
        _ => (Exec::default(), 0, 0),
    }
}
