//! Reading phrases.

use fenceline_engine::{Exec, FailEffect, Failing, NodeId, Span, TaskId};
use fenceline_sim::scenario::SCHEDULER;
use fenceline_sim::{Act, Fate, Intervention, When};

use super::choices::{DECISIONS, PATHS, WAYS};
use super::settings::read_setting;
use super::wanted::Wanted;
use super::{
    Cast, NO_RATE, PLACED, RATES, RULES, all, did_you_mean, duration, length, nearest, number, step,
};

/// The words of one phrase, read one by one. What is missing or wrong is said in a sentence.
pub(super) struct Words<'a> {
    pub(super) left: std::vec::IntoIter<&'a str>,
    pub(super) cast: Cast,
    /// What was asked for after the last word.
    #[cfg(feature = "authoring")]
    pub(super) wanted: std::collections::BTreeSet<Wanted>,
}

pub(super) type Read<T> = Result<T, String>;

impl<'a> Words<'a> {
    pub(super) fn new(text: &'a str, cast: Cast) -> Self {
        let words: Vec<_> = text.split([' ', '.']).filter(|word| !word.is_empty()).collect();
        Self {
            left: words.into_iter(),
            cast,
            #[cfg(feature = "authoring")]
            wanted: std::collections::BTreeSet::new(),
        }
    }

    /// Notes what the next word may be, where there is none: see [`super::wanted`].
    #[cfg(feature = "authoring")]
    pub(super) fn want(&mut self, what: Wanted) {
        if self.peek().is_none() {
            self.wanted.insert(what);
        }
    }

    #[cfg(not(feature = "authoring"))]
    #[inline]
    pub(super) fn want(&mut self, _: Wanted) {}

    /// The same for a choice.
    pub(super) fn want_one_of<T>(&mut self, choices: &[(&'static str, T)]) {
        for (word, _) in choices {
            self.want(Wanted::Word(word));
        }
    }

    pub(super) fn next(&mut self, expected: &str) -> Read<&'a str> {
        self.left.next().ok_or_else(|| format!("ends too early. Add {expected}"))
    }

    pub(super) fn peek(&self) -> Option<&'a str> {
        self.left.as_slice().first().copied()
    }

    /// Takes the next word if it is this one.
    pub(super) fn has(&mut self, word: &'static str) -> bool {
        self.want(Wanted::Word(word));
        let found = self.peek() == Some(word);
        if found {
            self.left.next();
        }
        found
    }

    pub(super) fn end<T>(mut self, value: T) -> Read<T> {
        match self.left.next() {
            Some(word) => Err(format!("`{word}` is one word too many. Remove it")),
            None => Ok(value),
        }
    }

    pub(super) fn duration(&mut self) -> Read<Span> {
        self.want(Wanted::Length);
        length(self.next("a duration such as `30s`")?)
    }

    pub(super) fn step(&mut self) -> Read<Span> {
        self.want(Wanted::Step);
        step(self.next("a duration such as `30s` or `-60s`")?)
    }

    /// A duration that may be left out at the end of a phrase: then it lasts for good.
    pub(super) fn lasts(&mut self) -> Read<Option<Span>> {
        self.want(Wanted::Length);
        if self.peek().is_none() { Ok(None) } else { self.positive().map(Some) }
    }

    pub(super) fn positive(&mut self) -> Read<Span> {
        let span = self.duration()?;
        if span.0 > 0 { Ok(span) } else { Err("a length must be above zero".into()) }
    }

    pub(super) fn figure<T: std::str::FromStr>(&mut self, what: &str) -> Read<T> {
        self.want(Wanted::Figure);
        let word = self.next(what)?;
        word.parse().map_err(|_| format!("`{word}` is not {what}"))
    }

    pub(super) fn node(&mut self) -> Read<NodeId> {
        self.want(Wanted::Node);
        let word = self.next("a node: `scheduler`, `w1`, `sink1`")?;
        self.cast.node(word).ok_or_else(|| format!("there is no node `{word}`; {}", self.cast.nodes(word)))
    }

    pub(super) fn sink(&mut self) -> Read<NodeId> {
        self.want(Wanted::Sink);
        let word = self.next("a sink: `sink1`")?;
        self.cast.sink(word).ok_or_else(|| {
            let all = all("sinks", "sink", self.cast.sinks);
            format!("there is no sink `{word}`; {all}")
        })
    }

    /// What concerns the store of the record, if that is a node.
    pub(super) fn store<T>(&self, value: T) -> Read<T> {
        let what = "the record is with the scheduler here. Name the node that keeps it in `store`";
        self.cast.store.map(|_| value).ok_or_else(|| what.into())
    }

    pub(super) fn task(&mut self) -> Read<TaskId> {
        self.want(Wanted::Task);
        let word = self.next("a task: `task1`")?;
        self.cast.task(word).ok_or_else(|| no_task(self.cast, word))
    }

    pub(super) fn one_of<T: Copy>(&mut self, choices: &[(&'static str, T)]) -> Read<T> {
        self.want_one_of(choices);
        let listed = || choices.iter().map(|(name, _)| format!("`{name}`")).collect::<Vec<_>>().join(", ");
        let word = self.next(&format!("one of {}", listed()))?;
        let found = choices.iter().find(|(name, _)| *name == word);
        found.map(|(_, value)| *value).ok_or_else(|| {
            let hint = did_you_mean(word, choices.iter().map(|(name, _)| *name));
            format!("`{word}` is not known here. Write one of {}{hint}", listed())
        })
    }
}

/// Reads the name of a node: `scheduler`, `w1`, `sink1`.
///
/// # Errors
/// A sentence that says what was expected.
pub fn node(text: &str, cast: Cast) -> Result<NodeId, String> {
    let mut words = Words::new(text, cast);
    let node = words.node()?;
    words.end(node)
}

/// Reads a timed act: `22s pause w1 55s`.
///
/// # Errors
/// A sentence that says which word is wrong and what was expected.
pub fn intervention(text: &str, cast: Cast) -> Result<Intervention, String> {
    let mut words = Words::new(text, cast);
    let when = when(&mut words)?;
    let act = act(&mut words)?;
    if matches!((when, act), (When::BeforeStep { .. } | When::HalfDispatched { .. }, Act::Restore { .. })) {
        return Err("a restore goes back from a time. Write one such as `22s`".into());
    }
    words.end(Intervention { when, act })
}

fn no_task(cast: Cast, word: &str) -> String {
    format!("there is no task `{word}`; {}", all("tasks", "task", cast.tasks))
}

fn when(words: &mut Words) -> Read<When> {
    let first = words.next("when, such as `22s`")?;
    if duration(first).is_some() {
        let at = u64::try_from(step(first)?.0);
        return at.map(When::At).map_err(|_| format!("`{first}` lies before the run begins"));
    }
    let task = words.cast.task(first).ok_or_else(|| {
        if number(first, "task").is_some() {
            return no_task(words.cast, first);
        }
        format!("`{first}` is not a time. Write one such as `22s`, or a point such as `task1.a1.3`")
    })?;
    let attempt = words.next("an attempt such as `a1`")?;
    let attempt = number(attempt, "a")
        .and_then(|n| u8::try_from(n).ok())
        .filter(|n| *n > 0)
        .ok_or_else(|| format!("`{attempt}` is not an attempt. Write one such as `a1`"))?;
    Ok(match words.peek().and_then(|word| word.parse().ok()) {
        Some(step) => {
            words.left.next();
            When::BeforeStep { exec: Exec::first(task, attempt), step }
        }
        None => When::HalfDispatched { task, attempt },
    })
}

/// Whether a word is the name of a rule, of a sink's kind or of its fence.
pub fn is_rule(name: &str) -> bool {
    RULES.contains(&name) || PLACED.contains(&name)
}

/// Acts by name.
pub(super) const ACTS: [&str; 16] = [
    "pause",
    "freeze",
    "crash",
    "reboot",
    "slow",
    "block",
    "cut",
    "degrade",
    "step",
    "rate",
    "input",
    "operator",
    "redeliver",
    "restore",
    "unlock",
    "fail",
];

/// `done` if calls are carried out all the same, and how long each is held: `after 20s`.
fn failing(words: &mut Words) -> Read<Failing> {
    let effect = if words.has("done") { FailEffect::Done } else { FailEffect::Nothing };
    let held = if words.has("after") { words.positive()? } else { Span::ZERO };
    Ok(Failing { held, effect })
}

/// How many come twice, in parts per million; none if it is left out, which a length that follows shows.
fn doubled(words: &mut Words) -> Read<u32> {
    words.want(Wanted::Figure);
    if words.peek().is_none_or(|word| word.parse::<u32>().is_err()) {
        return Ok(0);
    }
    match words.figure("how many come twice, in parts per million")? {
        duplicate @ 0..=1_000_000 => Ok(duplicate),
        _ => Err("at most 1000000 parts per million come twice".into()),
    }
}

pub(super) fn act(words: &mut Words) -> Read<Act> {
    let Some(name) = words.peek() else {
        return Err("ends too early. Add what happens, such as `pause w1 55s`".into());
    };
    if !ACTS.contains(&name) {
        return read_setting(words).map(Act::Set).map_err(|error| match nearest(name, ACTS) {
            Some(near) if !is_rule(name) => format!("`{name}` is not an act. Did you mean `{near}`?"),
            _ => error,
        });
    }
    words.left.next();
    Ok(match name {
        "pause" => Act::Pause { node: words.node()?, lasts: words.lasts()? },
        "freeze" => {
            let node = words.node()?;
            let counts_sleep = !words.has("sleepless");
            Act::Freeze { node, lasts: words.lasts()?, counts_sleep }
        }
        "crash" => Act::Crash { node: words.node()?, lasts: words.lasts()? },
        "reboot" => Act::Reboot { node: words.node()?, lasts: words.lasts()? },
        "block" => {
            let node = words.node()?;
            if !(1..=words.cast.workers).contains(&node.0) {
                return Err("only a worker has an event loop to hold".into());
            }
            Act::Block { node, lasts: words.lasts()? }
        }
        "slow" => {
            let node = words.node()?;
            let percent = words.figure("a percentage of full speed, 1 to 100")?;
            if !(1..=100).contains(&percent) {
                return Err("a slow process runs at 1 to 100 percent".into());
            }
            Act::Slow { node, percent, lasts: words.lasts()? }
        }
        "cut" => Act::Cut {
            node: words.node()?,
            path: words.one_of(&PATHS)?,
            way: words.one_of(&WAYS)?,
            fate: if words.has("held") { Fate::Held } else { Fate::Lost },
            lasts: words.lasts()?,
        },
        "degrade" => Act::Degrade {
            node: words.node()?,
            path: words.one_of(&PATHS)?,
            way: words.one_of(&WAYS)?,
            latency: words.duration()?,
            loss: match words.figure("a loss in parts per million")? {
                loss @ 0..=1_000_000 => loss,
                _ => return Err("a loss is at most 1000000 parts per million".into()),
            },
            duplicate: doubled(words)?,
            lasts: words.lasts()?,
        },
        "step" => Act::StepClock { node: words.node()?, by: words.step()? },
        "rate" => {
            let (node, ppm) = (words.node()?, words.figure("parts per million off true")?);
            if !RATES.contains(&ppm) {
                return Err(NO_RATE.into());
            }
            Act::ClockRate { node, ppm }
        }
        "input" => Act::Input {
            task: words.task()?,
            version: match words.figure("a version, 1 to 255")? {
                0 => return Err("the first version of an input is 1".into()),
                version => version,
            },
        },
        "restore" => Act::Restore {
            node: if words.has("counter") { SCHEDULER } else { words.sink()? },
            back: words.positive()?,
        },
        "fail" => Act::Fail {
            node: if words.has("scheduler") { SCHEDULER } else { words.sink()? },
            failing: failing(words)?,
            lasts: words.lasts()?,
        },
        "unlock" => Act::ForceUnlock { node: words.sink()? },
        "redeliver" => Act::Redeliver { node: words.node()?, task: words.task()? },
        _ => Act::Operator { task: words.task()?, decision: words.one_of(&DECISIONS)? },
    })
}
