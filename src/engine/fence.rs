//! The fence: the guard in front of a sink that compares tokens.

use crate::ids::{TaskId, Token};
use crate::rules::{FenceRules, FenceScope};

/// The highest token known for each scope of one sink.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FenceMarks {
    marks: Vec<(TaskId, Token)>,
}

impl FenceMarks {
    /// A table-wide scope keeps one mark, under the first task's name.
    fn scope(rules: &FenceRules, task: TaskId) -> TaskId {
        match rules.scope {
            FenceScope::Partition => task,
            FenceScope::Table => TaskId(0),
        }
    }

    /// The highest token known for the scope `task` belongs to.
    pub fn highest(&self, rules: &FenceRules, task: TaskId) -> Option<Token> {
        let scope = Self::scope(rules, task);
        self.marks.iter().find(|(of, _)| *of == scope).map(|(_, token)| *token)
    }

    /// The token that refuses `presented`: a higher one. Equal tokens pass, since an attempt writes
    /// several parts with one token.
    pub fn refuses(&self, rules: &FenceRules, task: TaskId, presented: Token) -> Option<Token> {
        self.highest(rules, task).filter(|highest| presented < *highest)
    }

    /// Raises the mark to `token`; true if it was lower or absent.
    pub fn raise(&mut self, rules: &FenceRules, task: TaskId, token: Token) -> bool {
        let scope = Self::scope(rules, task);
        match self.marks.iter_mut().find(|(of, _)| *of == scope) {
            Some((_, mark)) if *mark >= token => false,
            Some((_, mark)) => {
                *mark = token;
                true
            }
            None => {
                self.marks.push((scope, token));
                true
            }
        }
    }

    /// What a restart does to a volatile memory.
    pub fn forget(&mut self) {
        self.marks.clear();
    }

    pub fn is_empty(&self) -> bool {
        self.marks.is_empty()
    }
}
