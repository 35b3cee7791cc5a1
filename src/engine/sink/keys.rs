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
            SinkKind::Api(IdempotencyKey::FromTask { .. } | IdempotencyKey::FromTaskComparing { .. }) => 0,
            SinkKind::Api(IdempotencyKey::FromAttempt) => attempt,
            _ => return None,
        };
        matches!(request.op, SinkOp::Effect { .. }).then_some(Key { task, attempt, step: request.step })
    }

    /// Who has a request with this one's key in service.
    pub(super) fn has_in_use(&self, request: &Request) -> Option<Exec> {
        let key = self.key_of(request)?;
        let first = self.serving.iter().find(|served| self.key_of(&served.request) == Some(key))?;
        Some(first.request.exec)
    }

    pub(super) fn effect(
        &mut self,
        now: Now,
        request: &Request,
        version: u8,
        out: &mut Vec<Output>,
    ) -> Answer {
        let exec = request.exec;
        if let (SinkKind::Api(rules), Some(key)) = (self.rules.kind, self.key_of(request)) {
            if let Some(kept) = rules.retention() {
                self.data.keys.retain(|seen| now.wall < seen.since + kept);
            }
            let compares = matches!(rules, IdempotencyKey::FromTaskComparing { .. });
            if let Some(seen) = self.data.keys.iter().find(|seen| seen.key == key) {
                if compares && seen.version != version {
                    out.push(Output::Note(Note::Conflicted { exec, by: seen.by }));
                    return Answer::Conflict;
                }
                out.push(Output::Note(Note::Repeated { exec }));
                return Answer::Repeat;
            }
            self.data.keys.push(KeyRecord { key, since: now.wall, by: exec, version });
        }
        out.push(Output::Note(Note::EffectDone { exec, step: request.step }));
        Answer::Accepted
    }
}
