//! Effects: irreversible, and recognised as repeats by their idempotency keys alone.

use super::{Key, KeyRecord, Request, Sink};
use crate::ids::Exec;
use crate::io::{Note, Output};
use crate::message::{Answer, SinkOp};
use crate::rules::{IdempotencyKey, SinkKind};
use crate::time::Now;

impl Sink {
    /// The key of a request for an effect, if its vendor compares any.
    fn key_of(&self, request: &Request) -> Option<Key> {
        let Exec { task, attempt, .. } = request.exec;
        let attempt = match self.rules.kind {
            SinkKind::Api(IdempotencyKey::FromTask { .. }) => 0,
            SinkKind::Api(IdempotencyKey::FromAttempt) => attempt,
            _ => return None,
        };
        (request.op == SinkOp::Effect).then_some(Key { task, attempt, step: request.step })
    }

    /// Who has a request with this one's key in service.
    pub(super) fn has_in_use(&self, request: &Request) -> Option<Exec> {
        let key = self.key_of(request)?;
        let first = self.serving.iter().find(|served| self.key_of(&served.request) == Some(key))?;
        Some(first.request.exec)
    }

    pub(super) fn effect(&mut self, now: Now, request: &Request, out: &mut Vec<Output>) -> Answer {
        if let Some(key) = self.key_of(request) {
            if let SinkKind::Api(IdempotencyKey::FromTask { retention: Some(kept) }) = self.rules.kind {
                self.data.keys.retain(|seen| now.wall < seen.since + kept);
            }
            if self.data.keys.iter().any(|seen| seen.key == key) {
                out.push(Output::Note(Note::Repeated { exec: request.exec }));
                return Answer::Repeat;
            }
            self.data.keys.push(KeyRecord { key, since: now.wall });
        }
        out.push(Output::Note(Note::EffectDone { exec: request.exec, step: request.step }));
        Answer::Accepted
    }
}
