//! The sink: where output goes, and the fence in front of it.
//!
//! How a write lands ([`SinkKind`]) and what guards it ([`FenceRules`]) are settings apart. Only
//! here can a stale write be stopped, because only here is the comparison in the same place as the
//! write.

mod cleanup;
mod failing;
mod keys;
mod landing;
mod locks;

use crate::WHOLE;
use crate::contents::{Chunk, Contents};
use crate::fence::{FenceMarks, Presented};
use crate::ids::{Exec, NodeId, TaskId, Token};
use crate::io::{Failing, Input, Note, Output, TimerClock, TimerKey, TimerKind};
use crate::message::{Answer, Message, Sight, SinkOp};
use crate::program::Clean;
use crate::rules::{FenceCheck, FenceMemory, FenceRaise, FenceRules, SinkKind, SinkRules};
use crate::time::{Mono, Now, Span, Wall};
use failing::Held;
use std::fmt::Debug;
use std::sync::Arc;

#[derive(Clone, Debug)]
pub struct Sink {
    rules: Arc<SinkRules>,
    data: Data,
    marks: FenceMarks,
    serving: Vec<Served>,
    applying: Vec<Served>,
    /// How its calls fail, while they do.
    failing: Option<Failing>,
    /// Errors that are not sent yet.
    errors: Vec<Held>,
    /// Under which boot it runs.
    boot: u16,
}

/// What a store would be put back to: what survives its restart, as it was at one time.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SinkCopy {
    data: Data,
    /// None: the fence's memory was no part of it.
    marks: Option<FenceMarks>,
    boot: u16,
}

/// What survives a restart of the store.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Data {
    partitions: Vec<Partition>,
    staged: Vec<StagedTable>,
    /// Parts that wait for their commit.
    parts: Vec<Chunk>,
    lock: Option<LockState>,
    keys: Vec<KeyRecord>,
    /// Tasks whose effect is written down as done, and in which deliberate run.
    noted: Vec<(TaskId, u8)>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct Partition {
    task: TaskId,
    /// The task of which it is an interval, as its last writer said.
    application: TaskId,
    contents: Contents,
    /// How often it was written.
    version: u32,
    /// Who wrote it last, with which step.
    last: Option<(Exec, u8)>,
    /// Every accepted write: part, token, execution.
    commits: Vec<(u8, Token, Exec)>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct StagedTable {
    by: Exec,
    chunk: Chunk,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct LockState {
    holder: Exec,
    ends: Option<Mono>,
}

/// An idempotency key in use since `since`, by the sink's wall clock.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct KeyRecord {
    key: Key,
    since: Wall,
    /// Who used it first, and for which input version.
    by: Exec,
    version: u8,
    /// What was answered then.
    answer: Answer,
}

/// An idempotency key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Key {
    task: TaskId,
    /// 0 unless the key is derived from the attempt.
    attempt: u8,
    step: u8,
    /// 0 unless each deliberate run has its own.
    generation: u8,
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
    not_after: Wall,
}

impl Served {
    fn shown(&self) -> Presented {
        let Request { exec, token, .. } = self.request;
        Presented { from: self.from, task: exec.task, token, by: Some(exec) }
    }
}

impl Request {
    /// Whether it changes what a reader sees.
    fn commits(&self) -> bool {
        match self.op {
            SinkOp::Write { part, parts, .. } => part + 1 >= parts,
            SinkOp::Swap => true,
            SinkOp::Clean(what) => what != Clean::Staged,
            SinkOp::Stage { .. }
            | SinkOp::Effect { .. }
            | SinkOp::Lock
            | SinkOp::Unlock
            | SinkOp::Work
            | SinkOp::Note { .. }
            | SinkOp::Check { .. } => false,
        }
    }

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
            failing: None,
            errors: Vec::new(),
            boot: 1,
        }
    }

    /// The visible rows of a partition.
    pub fn contents(&self, task: TaskId) -> &[Chunk] {
        let partition = self.data.partitions.iter().find(|partition| partition.task == task);
        partition.map_or(&[][..], |partition| partition.contents.chunks())
    }

    /// A copy of what it keeps.
    pub fn copy(&self) -> SinkCopy {
        let marks = (!self.forgets_with_its_process()).then(|| self.marks.clone());
        SinkCopy { data: self.data.clone(), marks, boot: self.boot }
    }

    /// Whether somebody holds its lock.
    pub fn is_locked(&self) -> bool {
        self.data.lock.is_some()
    }

    /// Everything it goes by beside its rules.
    pub fn memory(&self) -> impl Debug {
        (&self.data, &self.marks, &self.serving, &self.applying, self.failing, &self.errors, self.boot)
    }

    pub fn handle(&mut self, now: Now, input: Input, out: &mut Vec<Output>) {
        let before = out.len();
        self.take_in(now, input, out);
        self.spoil_answers(now, before, out);
    }

    fn take_in(&mut self, now: Now, input: Input, out: &mut Vec<Output>) {
        match input {
            Input::Message { from, message } if WHOLE && self.fails_at_once(now, from, &message, out) => {}
            Input::Message { from, message: Message::Raise { exec, token, retry } } => {
                self.asked_to_raise(now, from, exec, token, retry, out);
            }
            Input::Message {
                from,
                message: Message::Request { exec, token, step, retry, op, not_after },
            } => {
                let request = Request { exec, token, step, retry, op, not_after };
                self.arrive(now, Served { from, request }, out);
            }
            Input::SinkRules(rules) => self.rules = rules,
            _ if !WHOLE && !matches!(input, Input::Timer(_)) => {}
            Input::Message { from, message: Message::Look { exec, token, step, after, retry, reads } } => {
                let shown = Presented { from, task: exec.task, token, by: Some(exec) };
                let sight = if reads {
                    out.push(Output::Note(Note::TableRead { exec, step, known: after }));
                    Sight::default()
                } else {
                    self.look(now, &shown, exec, step, out)
                };
                let message = Message::Seen { exec, step, after, retry, sight: Some(sight) };
                out.push(Output::Send { to: from, message });
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
                    self.apply(now, served, out);
                }
            }
            Input::Crash => self.crash(out),
            Input::Start { boot, .. } => {
                self.recount_lock(now, self.boot, boot);
                self.boot = boot;
            }
            Input::Restore(copy) => self.restore(now, *copy),
            Input::ForceUnlock => self.force_unlock(out),
            Input::Failing(failing) => self.failing = failing,
            Input::Timer(key) if key.kind == TimerKind::Error => self.send_error(key, out),
            Input::Message { .. }
            | Input::Timer(_)
            | Input::Persisted(_)
            | Input::RestoreCounter(_)
            | Input::StandBy { .. }
            | Input::GoesOn
            | Input::LoopHeld(_)
            | Input::KilledFromOutside { .. }
            | Input::Renewals(_)
            | Input::Step { .. }
            | Input::Rules { .. } => {}
        }
    }

    /// Puts back what it kept. Requests in service, and a fence's memory that is no part of the data,
    /// stay as they are.
    fn restore(&mut self, now: Now, copy: SinkCopy) {
        self.data = copy.data;
        if let Some(marks) = copy.marks.filter(|_| !self.forgets_with_its_process()) {
            self.marks = marks;
        }
        self.recount_lock(now, copy.boot, self.boot);
    }

    fn forgets_with_its_process(&self) -> bool {
        self.rules.fence.is_some_and(|fence| fence.memory == FenceMemory::Volatile)
    }

    fn crash(&mut self, out: &mut Vec<Output>) {
        self.serving.clear();
        self.applying.clear();
        self.errors.clear();
        if self.forgets_with_its_process() && !self.marks.is_empty() {
            self.marks.forget();
            out.push(Output::Note(Note::FenceForgotten));
        }
    }

    fn fence(&self) -> Option<FenceRules> {
        self.rules.fence()
    }

    /// The fence, with what it no longer remembers gone.
    fn fence_now(&mut self, now: Now, out: &mut Vec<Output>) -> Option<FenceRules> {
        let fence = self.fence()?;
        if self.marks.outlive(&fence, now.wall) {
            out.push(Output::Note(Note::FenceForgotten));
        }
        Some(fence)
    }

    /// A raise before any work: a claim of the holder's, or the scheduler's on its behalf.
    fn asked_to_raise(
        &mut self,
        now: Now,
        from: NodeId,
        exec: Exec,
        token: Token,
        retry: u8,
        out: &mut Vec<Output>,
    ) {
        let mut answer = Answer::Accepted;
        if let Some(fence) = self.fence_now(now, out) {
            let is_its_own = !matches!(fence.raise, FenceRaise::Scheduler(_));
            let shown = Presented { from, task: exec.task, token, by: is_its_own.then_some(exec) };
            match self.marks.refuses_raise(&fence, &shown) {
                Some(highest) => {
                    out.push(Output::Note(Note::Fenced { exec, highest }));
                    answer = Answer::Fenced;
                }
                None => self.raise(now, &fence, &shown, exec, out),
            }
        }
        out.push(Output::Send { to: from, message: Message::Reply { exec, step: 0, retry, answer } });
    }

    fn raise(&mut self, now: Now, fence: &FenceRules, shown: &Presented, exec: Exec, out: &mut Vec<Output>) {
        if self.marks.raise(fence, shown, now.wall) {
            out.push(Output::Note(Note::Raised { exec, token: shown.token }));
        }
    }

    /// What a client that looks is shown. It may be old when the client acts on it.
    fn look(&mut self, now: Now, shown: &Presented, exec: Exec, step: u8, out: &mut Vec<Output>) -> Sight {
        let fence = self.fence_now(now, out).filter(|fence| fence.check == FenceCheck::ByClient);
        let refused = fence.and_then(|fence| self.marks.refuses(&fence, shown));
        if let Some(highest) = refused {
            out.push(Output::Note(Note::Fenced { exec, highest }));
        }
        let partition = self.partition(exec.task);
        Sight {
            fenced: refused.is_some(),
            version: partition.version,
            is_mine: partition.last == Some((exec, step)),
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
        if self.fails(now, &served, out) {
            return;
        }
        let request = served.request;
        match request.op {
            SinkOp::Write { .. } | SinkOp::Swap | SinkOp::Stage { .. } | SinkOp::Clean(_) => {
                self.guard(now, served, out);
            }
            SinkOp::Effect { version, .. } => {
                let answer = self.effect(now, &request, version, out);
                reply(served, answer, out);
            }
            SinkOp::Lock => {
                let answer = self.lock(now, request.exec, out);
                reply(served, answer, out);
            }
            SinkOp::Unlock => {
                self.unlock(request.exec, out);
                reply(served, Answer::Accepted, out);
            }
            SinkOp::Work => reply(served, Answer::Accepted, out),
            SinkOp::Note { generation } => {
                let noted = (request.exec.task, generation);
                if !self.data.noted.contains(&noted) {
                    self.data.noted.push(noted);
                }
                out.push(Output::Note(Note::Noted { exec: request.exec }));
                reply(served, Answer::Accepted, out);
            }
            SinkOp::Check { generation } => {
                let is_done = self.data.noted.contains(&(request.exec.task, generation));
                if is_done {
                    out.push(Output::Note(Note::Repeated { exec: request.exec }));
                }
                reply(served, if is_done { Answer::Repeat } else { Answer::Accepted }, out);
            }
        }
    }

    /// Compares the token, then writes: as one event, or with a gap in between.
    fn guard(&mut self, now: Now, served: Served, out: &mut Vec<Output>) {
        let request = served.request;
        let Some(fence) = self.fence_now(now, out) else {
            return self.apply(now, served, out);
        };
        if fence.not_after && now.wall >= request.not_after {
            out.push(Output::Note(Note::TooLate { exec: request.exec, not_after: request.not_after }));
            return reply(served, Answer::Fenced, out);
        }
        let compares =
            fence.check != FenceCheck::ByClient && (fence.raise != FenceRaise::Commit || request.commits());
        if compares {
            if let Some(highest) = self.marks.refuses(&fence, &served.shown()) {
                out.push(Output::Note(Note::Fenced { exec: request.exec, highest }));
                return reply(served, Answer::Fenced, out);
            }
            self.marks.bind(&fence, &served.shown());
        }
        match fence.check {
            FenceCheck::Atomic | FenceCheck::ByClient => self.apply(now, served, out),
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
}

fn take(waiting: &mut Vec<Served>, key: TimerKey) -> Option<Served> {
    let at = waiting.iter().position(|served| served.request.timer(key.kind) == key)?;
    Some(waiting.remove(at))
}

fn reply(to: Served, answer: Answer, out: &mut Vec<Output>) {
    let Request { exec, step, retry, .. } = to.request;
    out.push(Output::Send { to: to.from, message: Message::Reply { exec, step, retry, answer } });
}
