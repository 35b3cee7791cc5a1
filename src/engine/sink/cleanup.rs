//! Cleanups: a step that deletes what it takes for rubbish.

use super::{Request, Sink};
use crate::ids::Exec;
use crate::io::{Note, Output};
use crate::message::Answer;
use crate::program::Clean;

impl Sink {
    /// Deletes what other executions of the task left, staged or visible, whoever needs it.
    pub(super) fn clean(&mut self, request: &Request, what: Clean, out: &mut Vec<Output>) -> Answer {
        let exec = request.exec;
        let goes = |by: Exec| {
            let is_older = by.attempt < exec.attempt;
            by.task == exec.task && by != exec && (is_older || what == Clean::Others)
        };
        let mut gone = |of: Exec, rows: u32, visible: bool| {
            out.push(Output::Note(Note::Cleaned { exec, of, rows, visible }));
        };
        let staged = self.data.staged.iter().map(|table| &table.chunk).chain(&self.data.parts);
        staged.filter(|chunk| goes(chunk.exec)).for_each(|chunk| gone(chunk.exec, chunk.rows(), false));
        self.data.staged.retain(|table| !goes(table.by));
        self.data.parts.retain(|part| !goes(part.exec));
        if what != Clean::Staged {
            let partition = self.partition(exec.task);
            let mut writers: Vec<Exec> = partition.commits.iter().map(|(.., by)| *by).collect();
            writers.retain(|by| goes(*by));
            for of in writers {
                let rows = partition.contents.remove(of);
                if rows > 0 {
                    partition.version += 1;
                    partition.last = Some((exec, request.step));
                    gone(of, u32::try_from(rows).unwrap_or(u32::MAX), true);
                }
            }
            // What is deleted is forgotten, too: nothing is there that a later write would repeat.
            partition.commits.retain(|(.., by)| !goes(*by));
        }
        Answer::Accepted
    }
}
