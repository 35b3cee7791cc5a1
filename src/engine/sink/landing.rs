//! How writes land: at once, staged until a commit, on condition of what is there.

use super::{Partition, Request, Served, Sink, StagedTable, reply};
use crate::WHOLE;
use crate::contents::{Chunk, Contents};
use crate::ids::{Exec, TaskId, Token};
use crate::io::{Note, Output};
use crate::message::{Answer, SinkOp};
use crate::rules::{FenceRaise, Found, LogGuard, Put, SinkKind, StagingName};
use crate::time::Now;

impl Sink {
    pub(super) fn apply(&mut self, now: Now, served: Served, out: &mut Vec<Output>) {
        let request = &served.request;
        let answer = match request.op {
            SinkOp::Write { version, part, parts, rows, base, application } => {
                self.partition(request.exec.task).application = application;
                let chunk = Chunk { exec: request.exec, version, part, from: 0, to: rows };
                if !WHOLE {
                    self.write(now, &served, chunk, out);
                    Answer::Accepted
                } else if self.commits_late() && part + 1 < parts {
                    self.stage_part(chunk, out)
                } else {
                    self.commit(now, &served, chunk, base, out)
                }
            }
            _ if !WHOLE => Answer::Accepted,
            SinkOp::Stage { version, rows } => self.stage(request, version, rows, out),
            SinkOp::Swap => self.swap(now, &served, out),
            SinkOp::Clean(what) => self.clean(request, what, out),
            SinkOp::Effect { .. }
            | SinkOp::Lock
            | SinkOp::Unlock
            | SinkOp::Work
            | SinkOp::Note { .. }
            | SinkOp::Check { .. } => Answer::Accepted,
        };
        reply(served, answer, out);
    }

    /// Whether parts wait for the last one.
    fn commits_late(&self) -> bool {
        self.fence().is_some_and(|fence| fence.raise == FenceRaise::Commit)
    }

    fn stage_part(&mut self, chunk: Chunk, out: &mut Vec<Output>) -> Answer {
        // Sent once more, and late: its commit has made it visible.
        let is_done = |(part, _, by): &(u8, Token, Exec)| (*part, *by) == (chunk.part, chunk.exec);
        if self.partition(chunk.exec.task).commits.iter().any(is_done) {
            out.push(Output::Note(Note::Repeated { exec: chunk.exec }));
            return Answer::Repeat;
        }
        self.data.parts.retain(|part| (part.exec, part.part) != (chunk.exec, chunk.part));
        self.data.parts.push(chunk);
        out.push(Output::Note(Note::Staged { exec: chunk.exec, version: chunk.version, rows: chunk.rows() }));
        Answer::Accepted
    }

    /// Makes a write visible, and the parts staged before it, if what it rests on still stands.
    fn commit(
        &mut self,
        now: Now,
        served: &Served,
        chunk: Chunk,
        base: u32,
        out: &mut Vec<Output>,
    ) -> Answer {
        if let Some(answer) = self.precondition_lost(&served.request, chunk, base, out) {
            return answer;
        }
        let exec = chunk.exec;
        let (mine, others) = self.data.parts.drain(..).partition(|part| part.exec == exec);
        self.data.parts = others;
        let mine: Vec<Chunk> = mine;
        for chunk in mine.into_iter().chain([chunk]) {
            self.write(now, served, chunk, out);
        }
        Answer::Accepted
    }

    /// The answer to a write that its sink's own condition turns away.
    fn precondition_lost(
        &mut self,
        request: &Request,
        chunk: Chunk,
        base: u32,
        out: &mut Vec<Output>,
    ) -> Option<Answer> {
        let kind = self.rules.kind;
        let partition = self.partition(chunk.exec.task);
        let last = partition.last.map_or(chunk.exec, |(by, _)| by);
        let lost = match kind {
            SinkKind::Objects(Put::IfAbsent) => !partition.commits.is_empty(),
            SinkKind::Objects(Put::CompareAndSet(_)) => partition.version != base,
            SinkKind::Log(guard) => {
                let by = self.recorded(guard, request, chunk.part)?;
                out.push(Output::Note(Note::CommitFound { exec: chunk.exec, by }));
                return Some(Answer::Repeat);
            }
            _ => false,
        };
        lost.then(|| {
            out.push(Output::Note(Note::Conflicted { exec: chunk.exec, by: last }));
            Answer::Conflict
        })
    }

    /// The commit whose version is not below that of a request, for the request's application.
    fn recorded(&mut self, guard: LogGuard, request: &Request, part: u8) -> Option<Exec> {
        let task = request.exec.task;
        let application = self.partition(task).application;
        let is_its = |partition: &&Partition| match guard {
            LogGuard::Blind => false,
            LogGuard::Interval | LogGuard::Token => partition.task == task,
            // Tasks stand in the order of their intervals.
            LogGuard::TaskInterval => partition.application == application && partition.task >= task,
            LogGuard::TaskToken => partition.application == application,
        };
        let compares = matches!(guard, LogGuard::Token | LogGuard::TaskToken);
        let counts =
            |(of, token, _): &&(u8, Token, Exec)| *of == part && (!compares || *token >= request.token);
        let mut commits = self.data.partitions.iter().filter(is_its).flat_map(|partition| &partition.commits);
        commits.find(counts).map(|(.., by)| *by)
    }

    fn write(&mut self, now: Now, served: &Served, chunk: Chunk, out: &mut Vec<Output>) {
        let request = &served.request;
        let landing = self.rules.kind.landing();
        let raises = |raise| matches!(raise, FenceRaise::FirstWrite | FenceRaise::Commit);
        if let Some(fence) = self.fence().filter(|fence| raises(fence.raise)) {
            self.raise(now, &fence, &served.shown(), request.exec, out);
        }
        let partition = self.partition(request.exec.task);
        partition.contents.land(chunk, landing, |_| {});
        partition.version += 1;
        partition.last = Some((request.exec, request.step));
        partition.commits.push((chunk.part, request.token, request.exec));
        out.push(Output::Note(Note::Applied {
            exec: chunk.exec,
            version: chunk.version,
            part: chunk.part,
            rows: chunk.rows(),
        }));
    }

    pub(super) fn partition(&mut self, task: TaskId) -> &mut Partition {
        let known = self.data.partitions.iter().position(|partition| partition.task == task);
        let at = known.unwrap_or_else(|| {
            self.data.partitions.push(Partition {
                task,
                application: task,
                contents: Contents::default(),
                version: 0,
                last: None,
                commits: Vec::new(),
            });
            self.data.partitions.len() - 1
        });
        &mut self.data.partitions[at]
    }

    fn stage(&mut self, request: &Request, version: u8, rows: u32, out: &mut Vec<Output>) -> Answer {
        let exec = request.exec;
        let SinkKind::Staged { name, found } = self.rules.kind else {
            return Answer::Conflict;
        };
        let clashes = |table: &StagedTable| match name {
            StagingName::Fixed => table.by.task == exec.task,
            StagingName::Unique => table.by == exec,
        };
        let other = self.data.staged.iter().find(|table| clashes(table) && table.by != exec);
        if let Some(other) = other.filter(|_| found == Found::InTheWay) {
            out.push(Output::Note(Note::StageRefused { exec, holder: other.by }));
            return Answer::Conflict;
        }
        self.data.staged.retain(|table| found == Found::Taken && table.by != exec || !clashes(table));
        self.data
            .staged
            .push(StagedTable { by: exec, chunk: Chunk { exec, version, part: 0, from: 0, to: rows } });
        out.push(Output::Note(Note::Staged { exec, version, rows }));
        Answer::Accepted
    }

    fn swap(&mut self, now: Now, served: &Served, out: &mut Vec<Output>) -> Answer {
        let exec = served.request.exec;
        let Some(at) = self.data.staged.iter().position(|table| table.by == exec) else {
            // It may be done already, and the answer was lost on the way.
            let is_done = self.partition(exec.task).commits.iter().any(|(.., by)| *by == exec);
            if is_done {
                out.push(Output::Note(Note::Repeated { exec }));
            }
            return if is_done { Answer::Repeat } else { Answer::Conflict };
        };
        let staged = self.data.staged.remove(at);
        out.push(Output::Note(Note::Swapped {
            exec,
            version: staged.chunk.version,
            rows: staged.chunk.rows(),
        }));
        for other in self.taken_over(exec) {
            self.write(now, served, other.chunk, out);
        }
        self.write(now, served, staged.chunk, out);
        Answer::Accepted
    }

    /// What others have staged under the same name, where a swap takes it along.
    fn taken_over(&mut self, exec: Exec) -> Vec<StagedTable> {
        let SinkKind::Staged { name: StagingName::Fixed, found: Found::Taken } = self.rules.kind else {
            return Vec::new();
        };
        let (others, kept) = self.data.staged.drain(..).partition(|table| table.by.task == exec.task);
        self.data.staged = kept;
        others
    }
}
