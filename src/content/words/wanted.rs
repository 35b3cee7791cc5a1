//! The grammar told from the outside: what may follow the words of a phrase, and from that the pattern
//! of every phrase that begins so. The readers themselves are asked, so that there is no second grammar.

/// What may come next.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Wanted {
    Word(&'static str),
    /// A duration not below zero.
    Length,
    /// A duration that may be below zero.
    Step,
    Figure,
    Node,
    Sink,
    Task,
}

#[cfg(feature = "authoring")]
pub use patterns::*;

#[cfg(feature = "authoring")]
mod patterns {
    use std::collections::{BTreeMap, BTreeSet};

    use super::Wanted;
    use crate::words::read::{ACTS, Words, act};
    use crate::words::settings::{alert, read_setting};
    use crate::words::sinks::{fence, sink_kind};
    use crate::words::{ALERTS, Cast, PLACED, RULES};

    /// A duration, of either sign or of none.
    pub const LENGTH: &str = r"\+?([0-9]+(us|ms|s|min|h))+";
    pub const STEP: &str = r"[+-]?([0-9]+(us|ms|s|min|h))+";
    /// When an act is done: a time, before a step, or at a grant.
    const WHEN: &str = r"(\+?([0-9]+(us|ms|s|min|h))+|task[0-9]+ a[0-9]+( [0-9]+)?)";

    impl Wanted {
        fn pattern(self) -> &'static str {
            match self {
                Self::Word(word) => word,
                Self::Length => LENGTH,
                Self::Step => STEP,
                Self::Figure => "-?[0-9]+",
                Self::Node => "(scheduler[2-6]?|executor|store|w[0-9]+|sink[0-9]+)",
                Self::Sink => "sink[0-9]+",
                Self::Task => "task[0-9]+",
            }
        }

        /// One that is read in the scenario of the walk.
        fn example(self) -> &'static str {
            match self {
                Self::Word(word) => word,
                Self::Length | Self::Step => "30s",
                Self::Figure => "1",
                Self::Node => "w1",
                Self::Sink => "sink1",
                Self::Task => "task1",
            }
        }
    }

    /// Whether a phrase may end where it does, and what may follow.
    type Reader = fn(&mut Words) -> bool;

    /// What may follow some words.
    #[derive(Clone, Debug, PartialEq, Eq)]
    struct State {
        ends: bool,
        next: BTreeSet<Wanted>,
    }

    fn after(text: &str, read: Reader) -> State {
        let mut cast = Cast::of(&fenceline_sim::workload::w1(1, fenceline_engine::Span::secs(1)));
        (cast.workers, cast.sinks, cast.tasks) = (1, 1, 1);
        cast.store = Some(fenceline_engine::NodeId(3));
        let mut words = Words::new(text, cast);
        let ends = read(&mut words) && words.peek().is_none();
        State { ends, next: words.wanted }
    }

    /// A fence's words may be said in any order; such a list leads back to itself.
    fn is_again(state: &State, before: &[State]) -> bool {
        state.next.len() >= 3 && before.iter().any(|earlier| state.next.is_subset(&earlier.next))
    }

    /// What may follow some words: each way to go on, and how often.
    struct Follow {
        ways: Vec<String>,
        times: &'static str,
    }

    fn follow(text: &str, before: &mut Vec<State>, read: Reader) -> Option<Follow> {
        let state = after(text, read);
        if state.next.is_empty() || is_again(&state, before) {
            return None;
        }
        before.push(state.clone());
        let mut repeats = false;
        // Words after which the same may follow stand together.
        let mut by_rest: BTreeMap<String, Vec<&str>> = BTreeMap::new();
        for wanted in &state.next {
            let longer = format!("{text} {}", wanted.example());
            repeats |= is_again(&after(&longer, read), std::slice::from_ref(&state));
            by_rest.entry(rest(&longer, before, read)).or_default().push(wanted.pattern());
        }
        before.pop();
        let ways = by_rest.into_iter().map(|(rest, first)| one_of(&first) + &rest).collect();
        let times = match (state.ends, repeats) {
            (true, true) => "*",
            (true, false) => "?",
            (false, true) => "+",
            (false, false) => "",
        };
        Some(Follow { ways, times })
    }

    fn one_of<T: AsRef<str> + std::borrow::Borrow<str>>(ways: &[T]) -> String {
        match ways {
            [one] => one.as_ref().to_owned(),
            _ => format!("({})", ways.join("|")),
        }
    }

    /// The pattern of what follows some words.
    fn rest(text: &str, before: &mut Vec<State>, read: Reader) -> String {
        match follow(text, before, read) {
            None => String::new(),
            Some(Follow { ways, times: "" }) => format!(" {}", one_of(&ways)),
            Some(Follow { ways, times }) => format!("( {}){times}", one_of(&ways)),
        }
    }

    /// The pattern of a phrase's values, without the words before them.
    fn values(text: &str, read: Reader) -> String {
        follow(text, &mut Vec::new(), read).map(|follow| one_of(&follow.ways)).unwrap_or_default()
    }

    /// The values of a phrase that begins with a name, where they are few enough to be listed.
    fn listed(text: &str, read: Reader) -> Option<Vec<&'static str>> {
        let is_last = |word: &&'static str| {
            let state = after(&format!("{text} {word}"), read);
            state.ends && state.next.is_empty()
        };
        let state = after(text, read);
        let words: Option<Vec<&'static str>> = state
            .next
            .iter()
            .map(|wanted| match wanted {
                Wanted::Word(word) => Some(*word).filter(is_last),
                _ => None,
            })
            .collect();
        words.filter(|words| !words.is_empty() && !state.ends)
    }

    /// What a rule may be set to.
    #[derive(Clone, Debug, PartialEq, Eq)]
    pub enum Values {
        /// One of these words.
        Of(Vec<&'static str>),
        /// What has this pattern, unanchored.
        Like(String),
    }

    fn setting(words: &mut Words) -> bool {
        read_setting(words).is_ok()
    }

    /// The values of the rule of this name.
    pub fn of_rule(name: &str) -> Values {
        match listed(name, setting) {
            Some(words) => Values::Of(words),
            None => Values::Like(values(name, setting)),
        }
    }

    /// What a kind of sink, or a fence, is written as.
    pub fn of_kind() -> String {
        values("", |words| sink_kind(words).is_ok())
    }

    pub fn of_fence() -> String {
        values("", |words| fence(words).is_ok())
    }

    /// Phrases that set a rule, by its name: `lease 30s`.
    pub fn of_settings() -> Vec<(&'static str, String)> {
        let names = RULES.into_iter().chain(PLACED);
        names.map(|name| (name, format!("{name}{}", rest(name, &mut Vec::new(), setting)))).collect()
    }

    /// What the platform watches, by its name: `reconcile 1h`.
    pub fn of_alerts() -> Vec<(&'static str, String)> {
        let read: Reader = |words| alert(words).is_ok();
        let of =
            |(name, _): (&'static str, _)| (name, format!("{name}{}", rest(name, &mut Vec::new(), read)));
        ALERTS.map(of).into()
    }

    /// What is done, by its name and without its time: `pause w1 55s`.
    pub fn of_plain_acts() -> Vec<(&'static str, String)> {
        let phrase = |name| format!("{name}{}", rest(name, &mut Vec::new(), |words| act(words).is_ok()));
        ACTS.map(|name| (name, phrase(name))).into()
    }

    /// Phrases that do something, by its name: `22s pause w1 55s`.
    pub fn of_acts() -> Vec<(&'static str, String)> {
        let all = of_plain_acts().into_iter().chain(of_settings());
        all.map(|(name, phrase)| (name, format!("{WHEN} {phrase}"))).collect()
    }
}

#[cfg(all(test, feature = "authoring"))]
mod tests {
    use super::*;

    #[test]
    fn a_choice_is_listed_and_the_rest_has_a_pattern() {
        assert_eq!(of_rule("period"), Values::Of(vec!["fixed-delay", "fixed-rate"]));
        assert_eq!(of_rule("lease"), Values::Like(LENGTH.to_owned()));
        let delay = format!("(none|fixed {LENGTH}|(exponential|full-jitter) {LENGTH} {LENGTH})");
        assert_eq!(of_rule("delay"), Values::Like(delay));
        assert_eq!(of_rule("call"), Values::Like(format!("(patient|{LENGTH}( -?[0-9]+)?)")));
    }

    #[test]
    fn what_may_be_said_in_any_order_repeats() {
        let fence = of_fence();
        assert!(fence.contains("(claim|commit|first-write)( ((boolean|"), "{fence}");
        assert!(fence.contains(&format!("|(forgets|gap) {LENGTH}))*|nobody( ")), "{fence}");
    }
}
