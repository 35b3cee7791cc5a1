//! The one grammar in which rules, faults and steps are written: in scenario files, in links and in
//! remedies. A phrase is words with a space or, in links, a full stop between them.
//!
//! ```text
//! 22s pause w1 55s          at 22 s, pause worker 1 for 55 s
//! 0s fence sink1 claim      from the beginning, fence sink 1 by claim
//! task1.a1.3 crash w1       before attempt 1 of task 1 begins step 3
//! task1.a2 crash scheduler  when attempt 2 is recorded and not yet sent, or the reverse
//! ```

mod choices;
mod read;
mod settings;
mod sinks;
pub mod wanted;
mod write;

pub(crate) use choices::ALERTS;
use choices::*;
pub use read::{intervention, is_rule, node};
pub use settings::{alert_rule, setting};
pub use sinks::{fence_rules, fence_words, kind, kind_words};
pub use write::{intervention_words, setting_words};

use fenceline_engine::{NodeId, Span, TaskId};

/// How many nodes of each kind there are, to read and write their names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cast {
    pub workers: u16,
    pub sinks: u16,
    pub tasks: u16,
    pub executor: Option<NodeId>,
    /// The first further scheduler, and how many there are.
    pub standby: (NodeId, u16),
    pub store: Option<NodeId>,
}

impl Cast {
    /// For phrases that name no node.
    pub const NOBODY: Self =
        Self { workers: 0, sinks: 0, tasks: 0, executor: None, standby: (NodeId(1), 0), store: None };

    pub fn of(scenario: &fenceline_sim::Scenario) -> Self {
        let count = |n: usize| u16::try_from(n).unwrap_or(u16::MAX);
        Self {
            workers: count(scenario.workers.len()),
            sinks: count(scenario.sinks.len()),
            tasks: count(scenario.tasks.len()),
            executor: scenario.executor(),
            standby: (scenario.standby(0), count(scenario.standby.len())),
            store: scenario.store(),
        }
    }

    fn node(self, word: &str) -> Option<NodeId> {
        match word {
            "scheduler" => return Some(NodeId(0)),
            "executor" => return self.executor,
            "store" => return self.store,
            _ => {}
        }
        let numbered = |prefix, count: u16| number(word, prefix).filter(|n| (1..=count).contains(n));
        numbered("w", self.workers)
            .map(NodeId)
            .or_else(|| numbered("sink", self.sinks).map(|n| NodeId(self.workers + n)))
            .or_else(|| {
                let (first, count) = self.standby;
                let number = number(word, "scheduler").and_then(|n| n.checked_sub(2));
                number.filter(|n| *n < count).map(|n| NodeId(first.0 + n))
            })
    }

    /// Which nodes there are of the kind a wrong name is of, in a clause; of no kind, of all kinds.
    fn nodes(self, word: &str) -> String {
        let workers = || all("workers", "w", self.workers);
        let sinks = || all("sinks", "sink", self.sinks);
        let schedulers = || match self.standby.1 {
            0 => "the only scheduler is `scheduler`".to_owned(),
            n => format!("the schedulers are `scheduler` and {}", up_to("scheduler", 2, n + 1)),
        };
        match word.trim_end_matches(|sign: char| sign.is_ascii_digit()) {
            "w" | "worker" => workers(),
            "sink" => sinks(),
            "scheduler" => schedulers(),
            "executor" => "each worker kills its own".to_owned(),
            _ => format!("{}, {}, {}", workers(), sinks(), schedulers()),
        }
    }

    fn node_word(self, node: NodeId) -> String {
        match node.0 {
            0 => "scheduler".into(),
            _ if Some(node) == self.executor => "executor".into(),
            _ if Some(node) == self.store => "store".into(),
            n if n <= self.workers => format!("w{n}"),
            n if self.is_standby(node) => format!("scheduler{}", n - self.standby.0.0 + 2),
            n => format!("sink{}", n - self.workers),
        }
    }

    fn is_standby(self, node: NodeId) -> bool {
        let (first, count) = self.standby;
        node.0 >= first.0 && node.0 - first.0 < count
    }

    fn sink(self, word: &str) -> Option<NodeId> {
        let sinks = self.workers + 1..=self.workers + self.sinks;
        self.node(word).filter(|node| sinks.contains(&node.0))
    }

    fn task(self, word: &str) -> Option<TaskId> {
        number(word, "task").filter(|n| (1..=self.tasks).contains(n)).map(|n| TaskId(n - 1))
    }
}

/// All names of one kind, in a clause: `workers are `w1` to `w9``.
fn all(what: &str, prefix: &str, count: u16) -> String {
    match count {
        0 => format!("there are no {what}"),
        1 => format!("the only {} is `{prefix}1`", what.trim_end_matches('s')),
        _ => format!("{what} are {}", up_to(prefix, 1, count)),
    }
}

fn up_to(prefix: &str, first: u16, last: u16) -> String {
    if first == last {
        format!("`{prefix}{first}`")
    } else {
        format!("`{prefix}{first}` to `{prefix}{last}`")
    }
}

fn number(word: &str, prefix: &str) -> Option<u16> {
    word.strip_prefix(prefix)?.parse().ok()
}

/// Reads a duration as people write it: `30s`, `250ms`, `20min`, `1h30min`, `-60s`.
pub fn duration(word: &str) -> Option<Span> {
    const UNITS: [(&str, i64); 5] =
        [("us", 1), ("ms", 1_000), ("min", 60_000_000), ("s", 1_000_000), ("h", 3_600_000_000)];
    let (negative, mut rest) = match word.strip_prefix('-') {
        Some(rest) => (true, rest),
        None => (false, word.strip_prefix('+').unwrap_or(word)),
    };
    let mut total = 0_i64;
    if rest.is_empty() {
        return None;
    }
    while !rest.is_empty() {
        let digits = rest.find(|c: char| !c.is_ascii_digit())?;
        let amount: i64 = rest.get(..digits)?.parse().ok()?;
        let tail = rest.get(digits..)?;
        let (unit, size) = UNITS.iter().find(|(unit, _)| tail.starts_with(unit))?;
        total = total.checked_add(amount.checked_mul(*size)?)?;
        rest = tail.strip_prefix(unit)?;
    }
    Some(Span(if negative { -total } else { total }))
}

/// The longest duration there is: ten years. Sums of as many as a run may have stay far from overflow.
pub const LONGEST: Span = Span(10 * 365 * 24 * 3_600_000_000);

/// Reads a length: a duration that is not below zero.
///
/// # Errors
/// A sentence that says what was expected.
pub fn length(word: &str) -> Result<Span, String> {
    match step(word)? {
        span if span < Span::ZERO => Err(format!("`{word}` is below zero. Write a duration such as `30s`")),
        span => Ok(span),
    }
}

/// Reads a duration that may be below zero, such as a clock's step.
///
/// # Errors
/// A sentence that says what was expected.
pub fn step(word: &str) -> Result<Span, String> {
    match duration(word) {
        Some(span) if span.0.abs() > LONGEST.0 => {
            Err(format!("`{word}` is too long; the limit is {}", duration_word(LONGEST)))
        }
        Some(span) => Ok(span),
        None => Err(format!("`{word}` is not a duration. Write one such as `30s`, `250ms` or `20min`")),
    }
}

/// How far off true a clock may run, in parts per million, and what is said of any further.
pub const RATES: std::ops::RangeInclusive<i64> = -900_000..=1_000_000;
pub(crate) const NO_RATE: &str =
    "a clock runs at a tenth to twice its rate: -900000 to 1000000 parts per million";

/// Writes a duration the shortest exact way.
pub fn duration_word(span: Span) -> String {
    let sign = if span.0 < 0 { "-" } else { "" };
    let size = span.0.unsigned_abs();
    let (unit, by) = match size {
        0 => ("s", 1_000_000),
        _ if size.is_multiple_of(3_600_000_000) => ("h", 3_600_000_000),
        _ if size.is_multiple_of(60_000_000) => ("min", 60_000_000),
        _ if size.is_multiple_of(1_000_000) => ("s", 1_000_000),
        _ if size.is_multiple_of(1_000) => ("ms", 1_000),
        _ => ("us", 1),
    };
    format!("{sign}{}{unit}", size / by)
}

/// The candidate a typing slip away, if one is.
pub fn nearest<'a>(word: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    candidates
        .into_iter()
        .map(|candidate| (distance(word, candidate), candidate))
        .filter(|(slips, candidate)| *slips <= 1 + candidate.len() / 4)
        .min()
        .map(|(_, candidate)| candidate)
}

/// After another sentence, one that asks whether the candidate a typing slip away was meant; nothing if none is.
pub fn did_you_mean<'a>(word: &str, candidates: impl IntoIterator<Item = &'a str>) -> String {
    nearest(word, candidates).map(|near| format!(". Did you mean `{near}`?")).unwrap_or_default()
}

/// Levenshtein distance in bytes.
fn distance(a: &str, b: &str) -> usize {
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.bytes().enumerate() {
        let mut diagonal = i;
        let mut left = i + 1;
        for (cell, y) in row.iter_mut().skip(1).zip(b.bytes()) {
            let best = (diagonal + usize::from(x != y)).min(left + 1).min(*cell + 1);
            diagonal = *cell;
            *cell = best;
            left = best;
        }
        if let Some(first) = row.first_mut() {
            *first = i + 1;
        }
    }
    row.last().copied().unwrap_or(0)
}

fn word_of<T: PartialEq>(choices: &[(&'static str, T)], value: &T) -> &'static str {
    choices.iter().find(|(_, choice)| choice == value).map_or("?", |(word, _)| word)
}

/// What is set beside the rules: of one sink, of its fence, of who watches.
pub const PLACED: [&str; 3] = ["sink", "fence", "alert"];

/// Rules by name, in the order in which they are listed to people.
pub const RULES: [&str; 47] = [
    "lease",
    "lease-scope",
    "lease-start",
    "start-timeout",
    "progress-timeout",
    "run-timeout",
    "late-renewal",
    "heartbeat",
    "source",
    "beats-to",
    "period",
    "heartbeat-call",
    "jitter",
    "heartbeat-capacity",
    "sweep",
    "guard",
    "leader",
    "epoch",
    "store",
    "dispatch",
    "restart",
    "clock",
    "expiry",
    "attempts",
    "expiry-counts",
    "delay",
    "counter",
    "misfire",
    "overlap",
    "pool",
    "prefetch",
    "respawn",
    "start-guard",
    "same-owner",
    "kill",
    "launch",
    "child",
    "late",
    "returning",
    "owner",
    "loss",
    "anchor",
    "gap",
    "belief",
    "wake",
    "call",
    "acknowledgement",
];

#[cfg(test)]
mod tests {
    use super::*;

    const CAST: Cast = Cast {
        workers: 2,
        sinks: 1,
        tasks: 1,
        executor: Some(NodeId(4)),
        standby: (NodeId(5), 1),
        store: Some(NodeId(6)),
    };

    #[test]
    fn durations_read_as_people_write_them() {
        for (word, micros) in [
            ("30s", 30_000_000),
            ("250ms", 250_000),
            ("20min", 1_200_000_000),
            ("1h30min", 5_400_000_000),
            ("-60s", -60_000_000),
        ] {
            assert_eq!(duration(word), Some(Span(micros)), "{word}");
        }
        for word in ["30", "s", "30 s", "30sec", "", "-", "99999999999999h"] {
            assert_eq!(duration(word), None, "{word}");
        }
        assert_eq!(duration_word(Span(90_000_000)), "90s");
        assert_eq!(duration_word(Span(-250_000)), "-250ms");
    }

    #[test]
    fn every_phrase_reads_back_as_it_was_written() {
        for phrase in [
            "22s pause w1 55s",
            "0s fence sink1 claim",
            "0s fence sink1 first-write volatile gap 2s table",
            "0s fence sink1 none",
            "0s fence sink1 scheduler",
            "0s fence sink1 scheduler unconfirmed exact",
            "0s fence sink1 commit or-equal forgets 1h",
            "0s fence sink1 claim bound client-side per-shard not-after",
            "0s fence sink1 first-write text",
            "0s fence sink1 claim boolean",
            "0s fence sink1 nobody not-after",
            "0s sink sink1 objects put",
            "0s sink sink1 objects if-absent",
            "0s sink sink1 objects compare-and-set",
            "0s sink sink1 objects compare-and-set retries",
            "0s sink sink1 log",
            "0s sink sink1 log per-interval",
            "0s sink sink1 log per-token",
            "0s sink sink1 log task-interval",
            "0s sink sink1 log task-token",
            "0s sink sink1 api task-key per-generation 24h",
            "90s operator task1 rerun",
            "0s counter volatile",
            "task1 a1 3 crash w1",
            "task1 a2 crash scheduler 20min",
            "5s freeze w2 sleepless 1h",
            "5s reboot scheduler 1min",
            "5s slow w2 25 1min",
            "5s cut w1 control both-ways 40s",
            "5s cut w1 control out held 40s",
            "5s cut sink1 data in held",
            "5s degrade w1 data out 2s 100000 40s",
            "5s degrade w1 data out 2s 0 50000 40s",
            "0s sweep 1s 500",
            "30s step scheduler -60s",
            "30s rate w1 200",
            "30s input task1 2",
            "90s operator task1 redispatch",
            "90s operator task1 cancel",
            "5s redeliver w2 task1",
            "62s restore sink1 40s",
            "62s restore counter 40s",
            "62s unlock sink1",
            "22s fail sink1",
            "22s fail sink1 1min",
            "22s fail sink1 done after 20s 1min",
            "22s fail scheduler after 20s 1min",
            "0s sink sink1 api task-key all-answers 24h",
            "0s sink sink1 api task-key compared all-answers",
            "0s counter floored",
            "0s lease 1min",
            "0s lease-scope worker",
            "0s expiry hold 5min",
            "0s expiry fail",
            "0s expiry cancel",
            "0s expiry cancel 30s",
            "0s delay full-jitter 10s 2min",
            "0s loss self-fence-after 3",
            "0s sink sink1 staged fixed preclean",
            "0s sink sink1 staged fixed takes-over",
            "0s sink sink1 api task-key 24h",
            "0s sink sink1 api task-key compared",
            "0s sink sink1 api task-key compared 24h",
            "0s heartbeat-call 5s 2",
            "0s guard off",
            "0s heartbeat-capacity 60",
            "0s heartbeat-capacity off",
            "0s start-timeout 30s",
            "0s start-timeout off",
            "0s start-timeout 30s kill",
            "0s progress-timeout 2min kill",
            "0s run-timeout 10min",
            "0s run-timeout off",
            "0s clock worker-stamp",
            "0s source checkpoint",
            "0s belief wall",
            "0s expiry-counts off",
            "0s late accept-cancels",
            "0s same-owner replace",
            "0s returning keep",
            "0s owner name",
            "0s wake program",
            "0s restart adopt-if-recorded",
            "0s dispatch send-first",
            "0s pool 8",
            "0s misfire all",
            "0s misfire latest 1min",
            "0s misfire skip 30s",
            "0s overlap wait",
            "0s prefetch 4",
            "0s prefetch off",
            "0s respawn again",
            "0s start-guard reports",
            "0s kill 5s confirmed",
            "0s kill 0s requested",
            "0s child outlives",
            "22s crash executor 1min",
            "22s pause scheduler2 1min",
            "0s leader 15s",
            "0s epoch on",
            "0s epoch off",
            "22s slow store 25 1min",
            "0s store 20ms",
            "0s store 20ms 5s",
            "0s beats-to store",
            "0s beats-to scheduler",
        ] {
            let read = intervention(phrase, CAST).unwrap_or_else(|error| panic!("{phrase}: {error}"));
            let written = intervention_words(&read, CAST);
            assert_eq!(intervention(&written, CAST), Ok(read), "{phrase} became {written}");
            assert_eq!(intervention(&written.replace(' ', "."), CAST), Ok(read), "{phrase} in a link");
        }
    }

    #[test]
    fn a_wrong_word_is_named_with_what_was_expected() {
        for (phrase, expected) in [
            ("22s puase w1", "`puase` is not an act. Did you mean `pause`?"),
            ("22s pause w3", "there is no node `w3`; workers are `w1` to `w2`"),
            (
                "22s pause scheduler3",
                "there is no node `scheduler3`; the schedulers are `scheduler` and `scheduler2`",
            ),
            (
                "22s pause db1",
                "there is no node `db1`; workers are `w1` to `w2`, the only sink is `sink1`, \
                 the schedulers are `scheduler` and `scheduler2`",
            ),
            ("22s redeliver w1 task3", "there is no task `task3`; the only task is `task1`"),
            ("0s fence sink4 claim", "there is no sink `sink4`; the only sink is `sink1`"),
            ("22 pause w1", "`22` is not a time. Write one such as `22s`, or a point such as `task1.a1.3`"),
            ("22s pause w1 55", "`55` is not a duration. Write one such as `30s`, `250ms` or `20min`"),
            ("22s pause w1 55s now", "`now` is one word too many. Remove it"),
            ("22s", "ends too early. Add what happens, such as `pause w1 55s`"),
            ("0s leese 30s", "there is no rule `leese`. Did you mean `lease`?"),
            ("0s pool 0", "a pool without slots runs nothing"),
            (
                "0s fence sink1 first-write exact",
                "`exact` lets in nobody whose token was not raised, so the raise comes first: by `scheduler` or `claim`",
            ),
            ("0s fence sink1 nobody", "a fence that nobody raises refuses nothing. Add `not-after`"),
            ("0s fence sink1 claim text exact", "`exact` is one too many: the fence is `text` already"),
            (
                "0s fence sink1 claim gap 2s client-side",
                "`client-side` is one too many: the fence is `gap` already",
            ),
            ("5s block scheduler 40s", "only a worker has an event loop to hold"),
        ] {
            assert_eq!(intervention(phrase, CAST).unwrap_err(), expected, "{phrase}");
        }
    }
}
