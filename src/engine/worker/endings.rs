//! How an execution ends before its program does: it stops itself, fails, or is killed. What ends the
//! wrapper alone leaves a child that outlives it.

use super::Worker;
use crate::ids::{Exec, NodeId, Token};
use crate::io::{Ending, Note, Output};
use crate::message::{FailCause, Message};
use crate::rules::Child;

impl Worker {
    /// The program stops itself because its lease is, or may be, lost.
    pub(super) fn stop(&mut self, index: usize, out: &mut Vec<Output>) {
        self.report_stop(index, out);
        self.end(index, Ending::SelfFenced, out);
    }

    /// The same, by what beats for it.
    pub(super) fn stop_wrapper(&mut self, index: usize, out: &mut Vec<Output>) {
        self.report_stop(index, out);
        self.end_wrapper(index, Ending::SelfFenced, out);
    }

    fn report_stop(&self, index: usize, out: &mut Vec<Output>) {
        let execution = &self.running[index];
        if !execution.orphan {
            self.send(Message::Stopped { exec: execution.id, token: execution.token }, out);
        }
    }

    /// Kills every execution of an attempt and confirms it; one it does not have is dead already. Whoever
    /// gives the order knows of one, and an attempt that was started again has more.
    pub(super) fn kill(&mut self, by: NodeId, exec: Exec, token: Token, out: &mut Vec<Output>) {
        let is_its = |id: Exec| (id.task, id.attempt) == (exec.task, exec.attempt);
        self.reserved.retain(|waits| !is_its(waits.id));
        // One that has finished says so until it is heard.
        if !self.running.iter().any(|execution| is_its(execution.id) && execution.has_ended()) {
            out.push(Output::Send { to: by, message: Message::Stopped { exec, token } });
        }
        for index in (0..self.running.len()).rev() {
            if is_its(self.running[index].id) && !self.running[index].has_ended() {
                self.end_wrapper(index, Ending::Killed, out);
            }
        }
    }

    /// Ends an execution by what ends its wrapper; a child that outlives it goes on alone.
    pub(super) fn end_wrapper(&mut self, index: usize, how: Ending, out: &mut Vec<Output>) {
        if self.rules.child == Child::Ends {
            return self.end(index, how, out);
        }
        let execution = &mut self.running[index];
        if !std::mem::replace(&mut execution.orphan, true) {
            out.push(Output::Note(Note::WrapperEnded { exec: execution.id, how }));
        }
    }

    pub(super) fn fail(&mut self, index: usize, how: Ending, cause: FailCause, out: &mut Vec<Output>) {
        let execution = &self.running[index];
        let (exec, token) = (execution.id, execution.token);
        if !execution.orphan {
            self.send(Message::Failed { exec, token, cause }, out);
        }
        self.end(index, how, out);
    }

    pub(super) fn end(&mut self, index: usize, how: Ending, out: &mut Vec<Output>) {
        let execution = self.running.remove(index);
        out.push(Output::Note(Note::Ended { exec: execution.id, how }));
    }
}
