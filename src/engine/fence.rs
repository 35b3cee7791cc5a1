//! The fence: the guard in front of a sink that compares tokens.

use crate::ids::{TaskId, Token};
use crate::rules::{FenceRules, FenceScope};

/// The highest token known for each scope of one sink.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FenceMarks {
    marks: Vec<(Scope, Token)>,
}

/// What one mark guards.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Scope {
    Partition(TaskId),
    Table,
}

impl Scope {
    fn of(rules: &FenceRules, task: TaskId) -> Self {
        match rules.scope {
            FenceScope::Partition => Self::Partition(task),
            FenceScope::Table => Self::Table,
        }
    }
}

impl FenceMarks {
    /// The highest token known for the scope `task` belongs to.
    pub fn highest(&self, rules: &FenceRules, task: TaskId) -> Option<Token> {
        let scope = Scope::of(rules, task);
        self.marks.iter().find(|(of, _)| *of == scope).map(|(_, token)| *token)
    }

    /// The token that refuses `presented`: a higher one. Equal tokens pass, since an attempt writes
    /// several parts with one token.
    pub fn refuses(&self, rules: &FenceRules, task: TaskId, presented: Token) -> Option<Token> {
        self.highest(rules, task).filter(|highest| presented < *highest)
    }

    /// Raises the mark to `token`; true if it was lower or absent.
    pub fn raise(&mut self, rules: &FenceRules, task: TaskId, token: Token) -> bool {
        let scope = Scope::of(rules, task);
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::{FenceCheck, FenceMemory, FenceRaise};

    fn rules(scope: FenceScope) -> FenceRules {
        FenceRules {
            raise: FenceRaise::Claim,
            memory: FenceMemory::Durable,
            check: FenceCheck::Atomic,
            scope,
        }
    }

    #[test]
    fn a_tables_mark_is_no_partitions_and_no_partitions_is_the_tables() {
        let (table, partition) = (rules(FenceScope::Table), rules(FenceScope::Partition));
        let mut marks = FenceMarks::default();
        marks.raise(&table, TaskId(3), Token(9));
        assert_eq!(marks.highest(&table, TaskId(1)), Some(Token(9)));
        assert_eq!(marks.highest(&partition, TaskId(0)), None);
        marks.raise(&partition, TaskId(0), Token(5));
        assert_eq!(marks.highest(&table, TaskId(0)), Some(Token(9)));
        assert_eq!(marks.highest(&partition, TaskId(0)), Some(Token(5)));
    }
}
