//! Effects: irreversible, and recognised as repeats by their idempotency keys alone.

use super::{Key, KeyRecord, Request, Sink};
use crate::ids::Exec;
use crate::io::{Note, Output};
use crate::message::{Answer, SinkOp};
use crate::rules::{IdempotencyKey, KeyBody, KeyReach, KeyRules, SinkKind, StoredAnswers};
use crate::time::Now;

impl Sink {
    /// The key of a request for an effect, if its vendor compares any.
    pub(super) fn key_of(&self, request: &Request) -> Option<Key> {
        let Exec { task, attempt, .. } = request.exec;
        let (attempt, reach) = match self.rules.kind {
            SinkKind::Api(IdempotencyKey::FromTask(rules)) => (0, rules.reach),
            SinkKind::Api(IdempotencyKey::FromAttempt) => (attempt, KeyReach::EveryRun),
            _ => return None,
        };
        let SinkOp::Effect { generation, .. } = request.op else { return None };
        let generation = if reach == KeyReach::OneGeneration { generation } else { 0 };
        Some(Key { task, attempt, step: request.step, generation })
    }

    /// Who has a request with this one's key in service.
    pub(super) fn has_in_use(&self, request: &Request) -> Option<Exec> {
        let key = self.key_of(request)?;
        let held = self.errors.iter().filter_map(|held| held.of.as_ref());
        let mut served = self.serving.iter().chain(held);
        served.find(|served| self.key_of(&served.request) == Some(key)).map(|first| first.request.exec)
    }

    pub(super) fn effect(
        &mut self,
        now: Now,
        request: &Request,
        version: u8,
        out: &mut Vec<Output>,
    ) -> Answer {
        let exec = request.exec;
        if let (SinkKind::Api(key_rules), Some(key)) = (self.rules.kind, self.key_of(request)) {
            let rules = match key_rules {
                IdempotencyKey::FromTask(rules) => rules,
                IdempotencyKey::None | IdempotencyKey::FromAttempt => KeyRules::PLAIN,
            };
            self.forget_keys(now, &rules);
            if let Some(seen) = self.data.keys.iter().find(|seen| seen.key == key) {
                if rules.body == KeyBody::Compared && seen.version != version {
                    out.push(Output::Note(Note::Conflicted { exec, by: seen.by }));
                    return Answer::Conflict;
                }
                out.push(Output::Note(Note::Repeated { exec }));
                return if seen.answer == Answer::Error { Answer::Error } else { Answer::Repeat };
            }
            // What fails only after it was done is answered with an error, too.
            let answer = if self.failing.is_some() { Answer::Error } else { Answer::Accepted };
            if answer != Answer::Error || rules.stored == StoredAnswers::Every {
                self.data.keys.push(KeyRecord { key, since: now.wall, by: exec, version, answer });
            }
        }
        out.push(Output::Note(Note::EffectDone { exec, step: request.step }));
        Answer::Accepted
    }

    pub(super) fn forget_keys(&mut self, now: Now, rules: &KeyRules) {
        if let Some(kept) = rules.retention {
            self.data.keys.retain(|seen| now.wall < seen.since + kept);
        }
    }
}
