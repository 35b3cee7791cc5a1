//! The sink: where output goes, and the fence in front of it.
//!
//! How a write lands ([`SinkKind`]) and what guards it ([`FenceRules`]) are settings apart. Only
//! here can a stale write be stopped, because only here is the comparison in the same place as the
//! write.

use crate::contents::{Chunk, Contents};
use crate::fence::FenceMarks;
use crate::ids::{Exec, NodeId, TaskId, Token};
use crate::io::{Input, Note, Output, TimerClock, TimerKey, TimerKind};
use crate::message::{Answer, Message, SinkOp};
use crate::rules::{
    FenceCheck, FenceMemory, FenceRaise, FenceRules, IdempotencyKey, Preclean, SinkKind, SinkRules,
    StagingName,
};
use crate::time::{Mono, Now, Span, Wall};
use std::sync::Arc;

#[derive(Clone, Debug)]
pub struct Sink {
    rules: Arc<SinkRules>,
    data: Data,
    marks: FenceMarks,
    serving: Vec<Served>,
    applying: Vec<Served>,
    /// Under which boot it runs.
    boot: u16,
}

/// What survives a restart of the store.
#[derive(Clone, Debug, Default)]
struct Data {
    partitions: Vec<(TaskId, Contents)>,
    staged: Vec<StagedTable>,
    lock: Option<LockState>,
    keys: Vec<KeyRecord>,
}

#[derive(Clone, Copy, Debug)]
struct StagedTable {
    by: Exec,
    chunk: Chunk,
}

#[derive(Clone, Copy, Debug)]
struct LockState {
    holder: Exec,
    ends: Option<Mono>,
}

/// An idempotency key in use since `since`, by the sink's wall clock.
#[derive(Clone, Copy, Debug)]
struct KeyRecord {
    key: Key,
    since: Wall,
}

/// An idempotency key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Key {
    task: TaskId,
    /// 0 unless the key is derived from the attempt.
    attempt: u8,
    step: u8,
}

/// A request that waits for the sink: for its service time, or in the gap between check and write.
#[derive(Clone, Copy, Debug)]
struct Served {
    from: NodeId,
    request: Request,
}

#[derive(Clone, Copy, Debug)]
struct Request {
    exec: Exec,
    token: Token,
    step: u8,
    retry: u8,
    op: SinkOp,
}

impl Request {
    fn timer(&self, kind: TimerKind) -> TimerKey {
        TimerKey::numbered(kind, self.exec, u32::from(self.step), self.retry)
    }
}

impl Sink {
    pub fn new(rules: Arc<SinkRules>) -> Self {
        Self {
            rules,
            data: Data::default(),
            marks: FenceMarks::default(),
            serving: Vec::new(),
            applying: Vec::new(),
            boot: 1,
        }
    }

    pub fn handle(&mut self, now: Now, input: Input, out: &mut Vec<Output>) {
        match input {
            Input::Message { from, message: Message::Raise { exec, token, retry } } => {
                self.raise_by_claim(from, exec, token, retry, out);
            }
            Input::Message { from, message: Message::Request { exec, token, step, retry, op } } => {
                self.arrive(now, Served { from, request: Request { exec, token, step, retry, op } }, out);
            }
            Input::Timer(key) if key.kind == TimerKind::Serve => {
                if let Some(served) = take(&mut self.serving, key) {
                    if self.rules.kind == SinkKind::Resource {
                        let active = u16::try_from(self.serving.len()).unwrap_or(u16::MAX);
                        out.push(Output::Note(Note::Worked { exec: served.request.exec, active }));
                    }
                    self.judge(now, served, out);
                }
            }
            Input::Timer(key) if key.kind == TimerKind::Apply => {
                if let Some(served) = take(&mut self.applying, key) {
                    self.apply(served, out);
                }
            }
            Input::Crash => self.crash(out),
            Input::SinkRules(rules) => self.rules = rules,
            Input::Start { boot, .. } => self.start(now, boot),
            Input::Message { .. }
            | Input::Timer(_)
            | Input::Persisted(_)
            | Input::Step { .. }
            | Input::Rules { .. } => {}
        }
    }

    /// A lock's lease rests on a monotonic reading: under another boot it counts anew.
    fn start(&mut self, now: Now, boot: u16) {
        if let (SinkKind::Locked { lease: Some(length) }, Some(lock)) = (self.rules.kind, &mut self.data.lock)
            && self.boot != boot
        {
            lock.ends = lock.ends.map(|_| now.mono + length);
        }
        self.boot = boot;
    }

    fn crash(&mut self, out: &mut Vec<Output>) {
        self.serving.clear();
        self.applying.clear();
        let is_volatile = self.rules.fence.is_some_and(|fence| fence.memory == FenceMemory::Volatile);
        if is_volatile && !self.marks.is_empty() {
            self.marks.forget();
            out.push(Output::Note(Note::FenceForgotten));
        }
    }

    fn fence(&self) -> Option<FenceRules> {
        self.rules.fence.filter(|_| self.rules.kind.can_compare())
    }

    fn raise_by_claim(&mut self, from: NodeId, exec: Exec, token: Token, retry: u8, out: &mut Vec<Output>) {
        let answer = match self.fence() {
            Some(fence) => match self.marks.refuses(&fence, exec.task, token) {
                Some(highest) => {
                    out.push(Output::Note(Note::Fenced { exec, highest }));
                    Answer::Fenced
                }
                None => {
                    self.raise(&fence, exec, token, out);
                    Answer::Accepted
                }
            },
            None => Answer::Accepted,
        };
        out.push(Output::Send { to: from, message: Message::Reply { exec, step: 0, retry, answer } });
    }

    fn raise(&mut self, fence: &FenceRules, exec: Exec, token: Token, out: &mut Vec<Output>) {
        if self.marks.raise(fence, exec.task, token) {
            out.push(Output::Note(Note::Raised { exec, token }));
        }
    }

    /// A request arrives: it is served at once, or after a time that grows with the load.
    fn arrive(&mut self, now: Now, served: Served, out: &mut Vec<Output>) {
        if let Some(holder) = self.has_in_use(&served.request) {
            out.push(Output::Note(Note::KeyBusy { exec: served.request.exec, holder }));
            return reply(served, Answer::Busy, out);
        }
        let active = u32::try_from(self.serving.len()).unwrap_or(u32::MAX);
        let time = self.rules.service.time(active);
        if time <= Span::ZERO {
            return self.judge(now, served, out);
        }
        self.serving.push(served);
        out.push(Output::Timer {
            key: served.request.timer(TimerKind::Serve),
            clock: TimerClock::Mono,
            at: (now.mono + time).0,
            spread: Span::ZERO,
        });
    }

    fn judge(&mut self, now: Now, served: Served, out: &mut Vec<Output>) {
        let request = served.request;
        match request.op {
            SinkOp::Write { .. } | SinkOp::Swap | SinkOp::Stage { .. } => self.guard(now, served, out),
            SinkOp::Effect => {
                let answer = self.effect(now, &request, out);
                reply(served, answer, out);
            }
            SinkOp::Lock => {
                let answer = self.lock(now, request.exec, out);
                reply(served, answer, out);
            }
            SinkOp::Unlock => {
                if self.data.lock.is_some_and(|lock| lock.holder == request.exec) {
                    self.data.lock = None;
                    out.push(Output::Note(Note::Unlocked { exec: request.exec }));
                }
                reply(served, Answer::Accepted, out);
            }
            SinkOp::Work => reply(served, Answer::Accepted, out),
        }
    }

    /// Compares the token, then writes: as one event, or with a gap in between.
    fn guard(&mut self, now: Now, served: Served, out: &mut Vec<Output>) {
        let request = served.request;
        let Some(fence) = self.fence() else {
            return self.apply(served, out);
        };
        if let Some(highest) = self.marks.refuses(&fence, request.exec.task, request.token) {
            out.push(Output::Note(Note::Fenced { exec: request.exec, highest }));
            return reply(served, Answer::Fenced, out);
        }
        match fence.check {
            FenceCheck::Atomic => self.apply(served, out),
            FenceCheck::Gap(gap) => {
                self.applying.push(served);
                out.push(Output::Timer {
                    key: request.timer(TimerKind::Apply),
                    clock: TimerClock::Mono,
                    at: (now.mono + gap).0,
                    spread: Span::ZERO,
                });
            }
        }
    }

    fn apply(&mut self, served: Served, out: &mut Vec<Output>) {
        let request = served.request;
        let answer = match request.op {
            SinkOp::Write { version, part, rows } => {
                self.write(&request, Chunk { exec: request.exec, version, part, from: 0, to: rows }, out);
                Answer::Accepted
            }
            SinkOp::Stage { version, rows } => self.stage(&request, version, rows, out),
            SinkOp::Swap => self.swap(&request, out),
            SinkOp::Effect | SinkOp::Lock | SinkOp::Unlock | SinkOp::Work => Answer::Accepted,
        };
        reply(served, answer, out);
    }

    fn write(&mut self, request: &Request, chunk: Chunk, out: &mut Vec<Output>) {
        let landing = self.rules.kind.landing();
        if let Some(fence) = self.fence().filter(|fence| fence.raise == FenceRaise::FirstWrite) {
            self.raise(&fence, request.exec, request.token, out);
        }
        self.partition(request.exec.task).land(chunk, landing, |_| {});
        out.push(Output::Note(Note::Applied {
            exec: request.exec,
            version: chunk.version,
            part: chunk.part,
            rows: chunk.rows(),
        }));
    }

    fn partition(&mut self, task: TaskId) -> &mut Contents {
        let at = self.data.partitions.iter().position(|(of, _)| *of == task).unwrap_or_else(|| {
            self.data.partitions.push((task, Contents::default()));
            self.data.partitions.len() - 1
        });
        &mut self.data.partitions[at].1
    }

    fn stage(&mut self, request: &Request, version: u8, rows: u32, out: &mut Vec<Output>) -> Answer {
        let exec = request.exec;
        let SinkKind::Staged { name, preclean } = self.rules.kind else {
            return Answer::Conflict;
        };
        let clashes = |table: &StagedTable| match name {
            StagingName::Fixed => table.by.task == exec.task,
            StagingName::Unique => table.by == exec,
        };
        let found = self.data.staged.iter().find(|table| clashes(table) && table.by != exec);
        if let Some(found) = found.filter(|_| preclean == Preclean::No) {
            out.push(Output::Note(Note::StageRefused { exec, holder: found.by }));
            return Answer::Conflict;
        }
        self.data.staged.retain(|table| !clashes(table));
        self.data
            .staged
            .push(StagedTable { by: exec, chunk: Chunk { exec, version, part: 0, from: 0, to: rows } });
        out.push(Output::Note(Note::Staged { exec, version, rows }));
        Answer::Accepted
    }

    fn swap(&mut self, request: &Request, out: &mut Vec<Output>) -> Answer {
        let Some(at) = self.data.staged.iter().position(|table| table.by == request.exec) else {
            return Answer::Conflict;
        };
        let staged = self.data.staged.remove(at);
        out.push(Output::Note(Note::Swapped {
            exec: request.exec,
            version: staged.chunk.version,
            rows: staged.chunk.rows(),
        }));
        self.write(request, staged.chunk, out);
        Answer::Accepted
    }

    fn lock(&mut self, now: Now, exec: Exec, out: &mut Vec<Output>) -> Answer {
        let SinkKind::Locked { lease } = self.rules.kind else {
            return Answer::Conflict;
        };
        if let Some(lock) = self.data.lock.filter(|lock| lock.holder != exec) {
            if lock.ends.is_none_or(|ends| now.mono < ends) {
                out.push(Output::Note(Note::LockRefused { exec, holder: lock.holder }));
                return Answer::Busy;
            }
            out.push(Output::Note(Note::LockExpired { exec: lock.holder }));
        }
        self.data.lock = Some(LockState { holder: exec, ends: lease.map(|length| now.mono + length) });
        out.push(Output::Note(Note::Locked { exec }));
        Answer::Accepted
    }

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
    fn has_in_use(&self, request: &Request) -> Option<Exec> {
        let key = self.key_of(request)?;
        let first = self.serving.iter().find(|served| self.key_of(&served.request) == Some(key))?;
        Some(first.request.exec)
    }

    fn effect(&mut self, now: Now, request: &Request, out: &mut Vec<Output>) -> Answer {
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

fn take(waiting: &mut Vec<Served>, key: TimerKey) -> Option<Served> {
    let at = waiting.iter().position(|served| served.request.timer(key.kind) == key)?;
    Some(waiting.remove(at))
}

fn reply(to: Served, answer: Answer, out: &mut Vec<Output>) {
    let Request { exec, step, retry, .. } = to.request;
    out.push(Output::Send { to: to.from, message: Message::Reply { exec, step, retry, answer } });
}
