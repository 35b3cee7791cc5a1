//! The fence: the guard in front of a sink that compares tokens.

use crate::ids::{Exec, NodeId, TaskId, Token};
use crate::rules::{Compare, FenceRules, FenceScope};
use crate::time::Wall;

/// The highest token known for each scope of one sink.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FenceMarks {
    marks: Vec<Mark>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Mark {
    scope: Scope,
    token: Token,
    /// The first execution to present the token; none yet if somebody else raised it.
    by: Option<Exec>,
    /// When it was raised.
    since: Wall,
}

/// What one mark guards.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Scope {
    Partition(TaskId),
    Table,
    Shard(NodeId, TaskId),
}

/// A token shown to a fence.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Presented {
    /// Who sent it.
    pub from: NodeId,
    pub task: TaskId,
    pub token: Token,
    /// The execution that shows it; none if it is raised on an execution's behalf.
    pub by: Option<Exec>,
}

impl Presented {
    fn scope(&self, rules: &FenceRules) -> Scope {
        match rules.scope {
            FenceScope::Partition => Scope::Partition(self.task),
            FenceScope::Table => Scope::Table,
            FenceScope::Shard => Scope::Shard(self.from, self.task),
        }
    }
}

impl Compare {
    /// Whether a write with token `k` is refused by a fence at `h`, which another execution was the
    /// first to present, or not.
    fn refuses(self, k: Token, h: Token, by_another: bool) -> bool {
        match self {
            Self::Older => k < h,
            Self::Exact | Self::Boolean => k != h,
            Self::Bound => k < h || k == h && by_another,
            Self::OrEqual => k <= h,
            Self::Text => is_before_as_text(k, h),
        }
    }

    /// Whether a raise to `k` is refused by a fence at `h`.
    fn refuses_raise(self, k: Token, h: Token, by_another: bool) -> bool {
        match self {
            Self::Exact => k < h,
            _ => self.refuses(k, h, by_another),
        }
    }

    /// Whether `k` takes the place of `h`.
    fn raises(self, k: Token, h: Token) -> bool {
        match self {
            Self::Older | Self::Exact | Self::Bound | Self::OrEqual => k > h,
            Self::Text => is_before_as_text(h, k),
            Self::Boolean => false,
        }
    }
}

fn is_before_as_text(a: Token, b: Token) -> bool {
    a.0.to_string() < b.0.to_string()
}

impl FenceMarks {
    fn find(&self, rules: &FenceRules, shown: &Presented) -> Option<&Mark> {
        let scope = shown.scope(rules);
        self.marks.iter().find(|mark| mark.scope == scope)
    }

    /// The token that refuses a write.
    pub fn refuses(&self, rules: &FenceRules, shown: &Presented) -> Option<Token> {
        self.judge(rules, shown, Compare::refuses)
    }

    /// The token that refuses a raise.
    pub fn refuses_raise(&self, rules: &FenceRules, shown: &Presented) -> Option<Token> {
        self.judge(rules, shown, Compare::refuses_raise)
    }

    fn judge(
        &self,
        rules: &FenceRules,
        shown: &Presented,
        refuses: fn(Compare, Token, Token, bool) -> bool,
    ) -> Option<Token> {
        let mark = self.find(rules, shown)?;
        let by_another = mark.by.is_some() && mark.by != shown.by;
        refuses(rules.compare, shown.token, mark.token, by_another).then_some(mark.token)
    }

    /// Raises the mark to the token shown; true if it was lower or absent.
    pub fn raise(&mut self, rules: &FenceRules, shown: &Presented, now: Wall) -> bool {
        let scope = shown.scope(rules);
        let new = Mark { scope, token: shown.token, by: shown.by, since: now };
        match self.marks.iter_mut().find(|mark| mark.scope == scope) {
            Some(mark) if rules.compare.raises(shown.token, mark.token) => {
                *mark = new;
                true
            }
            Some(_) => false,
            None => {
                self.marks.push(new);
                true
            }
        }
    }

    /// The first execution to present the token that stands is the one it is bound to.
    pub fn bind(&mut self, rules: &FenceRules, shown: &Presented) {
        let scope = shown.scope(rules);
        if let Some(mark) = self.marks.iter_mut().find(|m| m.scope == scope && m.token == shown.token) {
            mark.by = mark.by.or(shown.by);
        }
    }

    /// What a restart does to a volatile memory.
    pub fn forget(&mut self) {
        self.marks.clear();
    }

    /// Forgets marks last raised longer ago than the rules keep them; true if there were any.
    pub fn outlive(&mut self, rules: &FenceRules, now: Wall) -> bool {
        let known = self.marks.len();
        if let Some(kept) = rules.retention {
            self.marks.retain(|mark| now < mark.since + kept);
        }
        self.marks.len() < known
    }

    pub fn is_empty(&self) -> bool {
        self.marks.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::FenceRaise;
    use crate::time::Span;

    fn rules(scope: FenceScope) -> FenceRules {
        FenceRules { scope, ..FenceRules::raised(FenceRaise::Claim) }
    }

    fn comparing(compare: Compare) -> FenceRules {
        FenceRules { compare, ..FenceRules::raised(FenceRaise::Claim) }
    }

    fn highest(marks: &FenceMarks, rules: &FenceRules, shown: &Presented) -> Option<Token> {
        marks.find(rules, shown).map(|mark| mark.token)
    }

    fn shown(task: u16, token: u32) -> Presented {
        let task = TaskId(task);
        Presented { from: NodeId(1), task, token: Token(token), by: Some(Exec::first(task, 1)) }
    }

    #[test]
    fn a_tables_mark_is_no_partitions_and_no_partitions_is_the_tables() {
        let (table, partition) = (rules(FenceScope::Table), rules(FenceScope::Partition));
        let mut marks = FenceMarks::default();
        marks.raise(&table, &shown(3, 9), Wall(0));
        assert_eq!(highest(&marks, &table, &shown(1, 0)), Some(Token(9)));
        assert_eq!(highest(&marks, &partition, &shown(0, 0)), None);
        marks.raise(&partition, &shown(0, 5), Wall(0));
        assert_eq!(highest(&marks, &table, &shown(0, 0)), Some(Token(9)));
        assert_eq!(highest(&marks, &partition, &shown(0, 0)), Some(Token(5)));
    }

    #[test]
    fn what_is_raised_on_one_shard_the_others_do_not_know() {
        let rules = rules(FenceScope::Shard);
        let mut marks = FenceMarks::default();
        marks.raise(&rules, &shown(0, 8), Wall(0));
        let elsewhere = Presented { from: NodeId(2), ..shown(0, 7) };
        assert_eq!(marks.refuses(&rules, &elsewhere), None);
        assert_eq!(marks.refuses(&rules, &shown(0, 7)), Some(Token(8)));
    }

    /// By comparison: the tokens refused, of 7 to 11, after a raise to 9.
    #[test]
    fn each_comparison_refuses_its_own() {
        for (compare, expected) in [
            (Compare::Older, &[7, 8][..]),
            (Compare::Exact, &[7, 8, 10, 11]),
            (Compare::Bound, &[7, 8]),
            (Compare::OrEqual, &[7, 8, 9]),
            (Compare::Text, &[7, 8, 10, 11]),
            (Compare::Boolean, &[7, 8, 10, 11]),
        ] {
            let rules = comparing(compare);
            let mut marks = FenceMarks::default();
            assert!(marks.raise(&rules, &shown(0, 9), Wall(0)));
            let refused: Vec<u32> =
                (7..=11).filter(|k| marks.refuses(&rules, &shown(0, *k)).is_some()).collect();
            assert_eq!(refused, expected, "{compare:?}");
        }
    }

    #[test]
    fn a_newer_raise_passes_wherever_tokens_have_an_order() {
        for (compare, passes) in [
            (Compare::Older, true),
            (Compare::Exact, true),
            (Compare::Bound, true),
            (Compare::OrEqual, true),
            (Compare::Text, false),
            (Compare::Boolean, false),
        ] {
            let rules = comparing(compare);
            let mut marks = FenceMarks::default();
            marks.raise(&rules, &shown(0, 9), Wall(0));
            let newer = shown(0, 10);
            assert_eq!(marks.refuses_raise(&rules, &newer).is_none(), passes, "{compare:?}");
            assert_eq!(marks.raise(&rules, &newer, Wall(0)), passes, "{compare:?}");
        }
    }

    #[test]
    fn a_bound_token_is_good_for_the_first_execution_that_shows_it() {
        let rules = comparing(Compare::Bound);
        let copy = |copy| Some(Exec { copy, ..Exec::first(TaskId(0), 1) });
        let by = |by| Presented { by, ..shown(0, 8) };
        let mut marks = FenceMarks::default();
        marks.raise(&rules, &by(None), Wall(0));
        assert_eq!(marks.refuses(&rules, &by(copy(1))), None, "raised on its behalf, bound to nobody");
        marks.bind(&rules, &by(copy(1)));
        assert_eq!(marks.refuses(&rules, &by(copy(0))), Some(Token(8)));
        assert_eq!(marks.refuses(&rules, &by(copy(1))), None);
    }

    #[test]
    fn a_mark_is_kept_for_as_long_as_the_rules_say() {
        let rules = FenceRules { retention: Some(Span::secs(60)), ..rules(FenceScope::Partition) };
        let mut marks = FenceMarks::default();
        marks.raise(&rules, &shown(0, 8), Wall(0));
        assert!(!marks.outlive(&rules, Wall(59_999_999)));
        assert!(marks.outlive(&rules, Wall(60_000_000)));
        assert!(marks.is_empty());
    }
}
