//! The one grammar in which rules, faults and steps are written: in scenario files, in links and in
//! remedies. A phrase is words with a space or, in links, a full stop between them.
//!
//! ```text
//! 22s pause w1 55s          at 22 s, pause worker 1 for 55 s
//! 0s fence sink1 claim      from the beginning, fence sink 1 by claim
//! task1.a1.3 crash w1       before attempt 1 of task 1 begins step 3
//! task1.a2 crash scheduler  when the grant of attempt 2 is recorded and not yet sent
//! ```

use fenceline_engine::{
    BeliefAnchor, CallRules, Decision, Exec, ExpiryClock, ExpiryPolicy, FenceCheck, FenceMemory, FenceRaise,
    FenceRules, FenceScope, HeartbeatSource, IdempotencyKey, LateCompletion, LateRenewal, LeaseStart, NodeId,
    OnLoss, Period, Preclean, RetryDelay, SinkKind, Span, StagingName, TaskId,
};
use fenceline_sim::{Act, Intervention, Path, Setting, Way, When};

/// How many nodes of each kind there are, to read and write their names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cast {
    pub workers: u16,
    pub sinks: u16,
    pub tasks: u16,
}

impl Cast {
    pub fn of(scenario: &fenceline_sim::Scenario) -> Self {
        let count = |n: usize| u16::try_from(n).unwrap_or(u16::MAX);
        Self {
            workers: count(scenario.workers.len()),
            sinks: count(scenario.sinks.len()),
            tasks: count(scenario.tasks.len()),
        }
    }

    fn node(self, word: &str) -> Option<NodeId> {
        if word == "scheduler" {
            return Some(NodeId(0));
        }
        let numbered = |prefix, count: u16| number(word, prefix).filter(|n| (1..=count).contains(n));
        numbered("w", self.workers)
            .map(NodeId)
            .or_else(|| numbered("sink", self.sinks).map(|n| NodeId(self.workers + n)))
    }

    fn node_word(self, node: NodeId) -> String {
        match node.0 {
            0 => "scheduler".into(),
            n if n <= self.workers => format!("w{n}"),
            n => format!("sink{}", n - self.workers),
        }
    }

    fn sink(self, word: &str) -> Option<NodeId> {
        self.node(word).filter(|node| node.0 > self.workers)
    }

    fn task(self, word: &str) -> Option<TaskId> {
        number(word, "task").filter(|n| (1..=self.tasks).contains(n)).map(|n| TaskId(n - 1))
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

/// The words of one phrase, read one by one. What is missing or wrong is said in a sentence.
struct Words<'a> {
    left: std::vec::IntoIter<&'a str>,
    cast: Cast,
}

type Read<T> = Result<T, String>;

impl<'a> Words<'a> {
    fn new(text: &'a str, cast: Cast) -> Self {
        let words: Vec<_> = text.split([' ', '.']).filter(|word| !word.is_empty()).collect();
        Self { left: words.into_iter(), cast }
    }

    fn next(&mut self, expected: &str) -> Read<&'a str> {
        self.left.next().ok_or_else(|| format!("ends too early. Add {expected}"))
    }

    fn peek(&self) -> Option<&'a str> {
        self.left.as_slice().first().copied()
    }

    /// Takes the next word if it is this one.
    fn has(&mut self, word: &str) -> bool {
        let found = self.peek() == Some(word);
        if found {
            self.left.next();
        }
        found
    }

    fn end<T>(mut self, value: T) -> Read<T> {
        match self.left.next() {
            Some(word) => Err(format!("`{word}` is one word too many. Remove it")),
            None => Ok(value),
        }
    }

    fn duration(&mut self) -> Read<Span> {
        let word = self.next("a duration such as `30s`")?;
        duration(word)
            .ok_or_else(|| format!("`{word}` is not a duration. Write one such as `30s`, `250ms` or `20min`"))
    }

    /// A duration that may be left out at the end of a phrase: then it lasts for good.
    fn lasts(&mut self) -> Read<Option<Span>> {
        if self.peek().is_none() { Ok(None) } else { self.positive().map(Some) }
    }

    fn positive(&mut self) -> Read<Span> {
        let span = self.duration()?;
        if span.0 > 0 { Ok(span) } else { Err("a length must be above zero".into()) }
    }

    fn figure<T: std::str::FromStr>(&mut self, what: &str) -> Read<T> {
        let word = self.next(what)?;
        word.parse().map_err(|_| format!("`{word}` is not {what}"))
    }

    fn node(&mut self) -> Read<NodeId> {
        let word = self.next("a node: `scheduler`, `w1`, `sink1`")?;
        self.cast
            .node(word)
            .ok_or_else(|| format!("there is no node `{word}` here. Write `scheduler`, `w1`, `sink1` …"))
    }

    fn sink(&mut self) -> Read<NodeId> {
        let word = self.next("a sink: `sink1`")?;
        self.cast.sink(word).ok_or_else(|| format!("there is no sink `{word}` here. Write `sink1` …"))
    }

    fn task(&mut self) -> Read<TaskId> {
        let word = self.next("a task: `task1`")?;
        self.cast.task(word).ok_or_else(|| format!("there is no task `{word}` here. Write `task1` …"))
    }

    fn one_of<T: Copy>(&mut self, choices: &[(&str, T)]) -> Read<T> {
        let listed = || choices.iter().map(|(name, _)| format!("`{name}`")).collect::<Vec<_>>().join(", ");
        let word = self.next(&format!("one of {}", listed()))?;
        let found = choices.iter().find(|(name, _)| *name == word);
        found.map(|(_, value)| *value).ok_or_else(|| {
            let near = nearest(word, choices.iter().map(|(name, _)| *name));
            let hint = near.map(|near| format!(" Did you mean `{near}`?")).unwrap_or_default();
            format!("`{word}` is not known here. Write one of {}.{hint}", listed())
        })
    }
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

// --- choices: one list for reading and writing each ---

const SOURCES: [(&str, HeartbeatSource); 3] = [
    ("own-thread", HeartbeatSource::OwnThread),
    ("task-loop", HeartbeatSource::TaskLoop),
    ("nobody", HeartbeatSource::Nobody),
];
const STARTS: [(&str, LeaseStart); 3] = [
    ("grant", LeaseStart::Grant),
    ("delivery", LeaseStart::Delivery),
    ("first-heartbeat", LeaseStart::FirstHeartbeat),
];
const LATE_RENEWALS: [(&str, LateRenewal); 2] =
    [("refuse", LateRenewal::Refuse), ("revive", LateRenewal::Revive)];
const PERIODS: [(&str, Period); 2] = [("fixed-rate", Period::FixedRate), ("fixed-delay", Period::FixedDelay)];
const CLOCKS: [(&str, ExpiryClock); 2] = [("wall", ExpiryClock::Wall), ("monotonic", ExpiryClock::Monotonic)];
const LATE: [(&str, LateCompletion); 3] = [
    ("accept", LateCompletion::Accept),
    ("refuse", LateCompletion::Refuse),
    ("if-no-newer", LateCompletion::IfNoNewer),
];
const ANCHORS: [(&str, BeliefAnchor); 2] = [("send", BeliefAnchor::Send), ("reply", BeliefAnchor::Reply)];
const PATHS: [(&str, Path); 3] = [("control", Path::Control), ("data", Path::Data), ("both", Path::Both)];
const WAYS: [(&str, Way); 3] = [("both-ways", Way::Both), ("out", Way::Out), ("in", Way::In)];
const DECISIONS: [(&str, Decision); 4] = [
    ("redispatch", Decision::Redispatch),
    ("fail", Decision::Fail),
    ("succeed", Decision::Succeed),
    ("extend", Decision::Extend),
];
const RAISES: [(&str, FenceRaise); 2] =
    [("claim", FenceRaise::Claim), ("first-write", FenceRaise::FirstWrite)];

fn word_of<T: PartialEq>(choices: &[(&'static str, T)], value: &T) -> &'static str {
    choices.iter().find(|(_, choice)| choice == value).map_or("?", |(word, _)| word)
}

// --- rules ---

/// Rules by name, in the order in which they are listed to people.
pub const RULES: [&str; 21] = [
    "lease",
    "lease-start",
    "late-renewal",
    "heartbeat",
    "source",
    "period",
    "heartbeat-call",
    "jitter",
    "sweep",
    "guard",
    "clock",
    "expiry",
    "attempts",
    "delay",
    "pool",
    "late",
    "loss",
    "anchor",
    "gap",
    "call",
    "acknowledgement",
];

/// Reads `lease 30s`, `fence sink1 claim`.
///
/// # Errors
/// A sentence that says which word is wrong and what was expected.
pub fn setting(text: &str, cast: Cast) -> Result<Setting, String> {
    let mut words = Words::new(text, cast);
    let setting = read_setting(&mut words)?;
    words.end(setting)
}

fn read_setting(words: &mut Words) -> Read<Setting> {
    let name = words.next("a rule such as `lease`")?;
    Ok(match name {
        "lease" => Setting::Lease(words.positive()?),
        "lease-start" => Setting::LeaseStart(words.one_of(&STARTS)?),
        "late-renewal" => Setting::LateRenewal(words.one_of(&LATE_RENEWALS)?),
        "heartbeat" => Setting::Heartbeat(words.positive()?),
        "source" => Setting::Source(words.one_of(&SOURCES)?),
        "period" => Setting::Period(words.one_of(&PERIODS)?),
        "heartbeat-call" => Setting::BeatCall(call(words)?),
        "jitter" => Setting::Jitter(words.duration()?),
        "sweep" => Setting::Sweep(words.positive()?),
        "guard" => Setting::JumpGuard(if words.has("off") { None } else { Some(words.positive()?) }),
        "clock" => Setting::Clock(words.one_of(&CLOCKS)?),
        "expiry" => Setting::Expiry(expiry(words)?),
        "attempts" => match words.figure("a number of attempts, 1 to 99")? {
            attempts @ 1..=99 => Setting::Attempts(attempts),
            _ => return Err("a task may use 1 to 99 attempts".into()),
        },
        "delay" => Setting::Delay(delay(words)?),
        "pool" if words.has("off") => Setting::Pool(None),
        "pool" => match words.figure("a number of slots above 0")? {
            0 => return Err("a pool without slots runs nothing".into()),
            slots => Setting::Pool(Some(slots)),
        },
        "late" => Setting::Late(words.one_of(&LATE)?),
        "loss" => Setting::OnLoss(on_loss(words)?),
        "anchor" => Setting::Anchor(words.one_of(&ANCHORS)?),
        "gap" => Setting::Gap(words.duration()?),
        "call" => Setting::Call(call(words)?),
        "acknowledgement" => Setting::Acknowledgement(call(words)?),
        "sink" => Setting::Sink { node: words.sink()?, kind: sink_kind(words)? },
        "fence" => Setting::Fence { node: words.sink()?, fence: fence(words)? },
        _ => {
            let near = nearest(name, RULES.into_iter().chain(["sink", "fence"]));
            let hint = near.map(|near| format!(" Did you mean `{near}`?")).unwrap_or_default();
            return Err(format!("there is no rule `{name}`.{hint}"));
        }
    })
}

fn call(words: &mut Words) -> Read<CallRules> {
    if words.has("patient") {
        return Ok(CallRules::PATIENT);
    }
    let timeout = Some(words.positive()?);
    let retries = if words.peek().is_some() { words.figure("a number of retries")? } else { 0 };
    Ok(CallRules { timeout, retries })
}

fn expiry(words: &mut Words) -> Read<ExpiryPolicy> {
    Ok(match words.one_of(&[("redispatch", 0), ("grace", 1), ("hold", 2)])? {
        0 => ExpiryPolicy::Redispatch,
        1 => ExpiryPolicy::Grace(words.positive()?),
        _ => ExpiryPolicy::Hold { alert_after: words.positive()? },
    })
}

fn delay(words: &mut Words) -> Read<RetryDelay> {
    Ok(match words.one_of(&[("none", 0), ("fixed", 1), ("exponential", 2), ("full-jitter", 3)])? {
        0 => RetryDelay::None,
        1 => RetryDelay::Fixed(words.positive()?),
        2 => RetryDelay::Exponential { base: words.positive()?, cap: words.positive()? },
        _ => RetryDelay::FullJitter { base: words.positive()?, cap: words.positive()? },
    })
}

fn on_loss(words: &mut Words) -> Read<OnLoss> {
    Ok(
        match words.one_of(&[
            ("ignore", 0),
            ("self-fence", 1),
            ("self-fence-after", 2),
            ("check-before-write", 3),
        ])? {
            0 => OnLoss::Ignore,
            1 => OnLoss::SelfFence,
            2 => OnLoss::SelfFenceAfter(words.figure("a number of failed renewals")?),
            _ => OnLoss::CheckBeforeWrite,
        },
    )
}

/// Reads what kind of sink a phrase names: `append`, `api task-key 24h`.
///
/// # Errors
/// A sentence that says which word is wrong and what was expected.
pub fn kind(text: &str) -> Result<SinkKind, String> {
    let mut words = Words::new(text, Cast { workers: 0, sinks: 0, tasks: 0 });
    let kind = sink_kind(&mut words)?;
    words.end(kind)
}

fn sink_kind(words: &mut Words) -> Read<SinkKind> {
    let choices = [
        ("append", 0),
        ("overwrite", 1),
        ("merge", 2),
        ("staged", 3),
        ("locked", 4),
        ("api", 5),
        ("mailbox", 6),
        ("resource", 7),
    ];
    Ok(match words.one_of(&choices)? {
        0 => SinkKind::Append,
        1 => SinkKind::Overwrite,
        2 => SinkKind::Merge,
        3 => SinkKind::Staged {
            name: words.one_of(&[("fixed", StagingName::Fixed), ("unique", StagingName::Unique)])?,
            preclean: if words.has("preclean") { Preclean::Yes } else { Preclean::No },
        },
        4 => SinkKind::Locked { lease: if words.peek().is_some() { Some(words.positive()?) } else { None } },
        5 => match words.one_of(&[("no-key", 0), ("task-key", 1), ("attempt-key", 2)])? {
            0 => SinkKind::Api(IdempotencyKey::None),
            1 => SinkKind::Api(IdempotencyKey::FromTask { retention: words.lasts()? }),
            _ => SinkKind::Api(IdempotencyKey::FromAttempt),
        },
        6 => SinkKind::Mailbox,
        _ => SinkKind::Resource,
    })
}

/// Reads a fence: `none`, `claim`, `first-write volatile gap 2s table`.
///
/// # Errors
/// A sentence that says which word is wrong and what was expected.
pub fn fence_rules(text: &str) -> Result<Option<FenceRules>, String> {
    let mut words = Words::new(text, Cast { workers: 0, sinks: 0, tasks: 0 });
    let fence = fence(&mut words)?;
    words.end(fence)
}

fn fence(words: &mut Words) -> Read<Option<FenceRules>> {
    if words.has("none") {
        return Ok(None);
    }
    let raise = words.one_of(&RAISES)?;
    let mut fence = FenceRules {
        raise,
        memory: FenceMemory::Durable,
        check: FenceCheck::Atomic,
        scope: FenceScope::Partition,
    };
    while words.peek().is_some() {
        match words.one_of(&[("volatile", 0), ("gap", 1), ("table", 2)])? {
            0 => fence.memory = FenceMemory::Volatile,
            1 => fence.check = FenceCheck::Gap(words.positive()?),
            _ => fence.scope = FenceScope::Table,
        }
    }
    Ok(Some(fence))
}

/// Writes a setting as [`setting`] reads it.
pub fn setting_words(setting: &Setting, cast: Cast) -> String {
    match *setting {
        Setting::Lease(span) => format!("lease {}", duration_word(span)),
        Setting::LeaseStart(start) => format!("lease-start {}", word_of(&STARTS, &start)),
        Setting::LateRenewal(late) => format!("late-renewal {}", word_of(&LATE_RENEWALS, &late)),
        Setting::Heartbeat(span) => format!("heartbeat {}", duration_word(span)),
        Setting::Source(source) => format!("source {}", word_of(&SOURCES, &source)),
        Setting::Period(period) => format!("period {}", word_of(&PERIODS, &period)),
        Setting::BeatCall(call) => format!("heartbeat-call {}", call_words(call)),
        Setting::Jitter(span) => format!("jitter {}", duration_word(span)),
        Setting::Sweep(span) => format!("sweep {}", duration_word(span)),
        Setting::JumpGuard(limit) => format!("guard {}", limit.map_or("off".into(), duration_word)),
        Setting::Clock(clock) => format!("clock {}", word_of(&CLOCKS, &clock)),
        Setting::Expiry(policy) => format!("expiry {}", expiry_words(policy)),
        Setting::Attempts(attempts) => format!("attempts {attempts}"),
        Setting::Delay(delay) => format!("delay {}", delay_words(delay)),
        Setting::Pool(pool) => format!("pool {}", pool.map_or("off".into(), |slots| slots.to_string())),
        Setting::Late(late) => format!("late {}", word_of(&LATE, &late)),
        Setting::OnLoss(OnLoss::Ignore) => "loss ignore".into(),
        Setting::OnLoss(OnLoss::SelfFence) => "loss self-fence".into(),
        Setting::OnLoss(OnLoss::SelfFenceAfter(n)) => format!("loss self-fence-after {n}"),
        Setting::OnLoss(OnLoss::CheckBeforeWrite) => "loss check-before-write".into(),
        Setting::Anchor(anchor) => format!("anchor {}", word_of(&ANCHORS, &anchor)),
        Setting::Gap(span) => format!("gap {}", duration_word(span)),
        Setting::Call(call) => format!("call {}", call_words(call)),
        Setting::Acknowledgement(call) => format!("acknowledgement {}", call_words(call)),
        Setting::Sink { node, kind } => format!("sink {} {}", cast.node_word(node), kind_words(kind)),
        Setting::Fence { node, fence } => format!("fence {} {}", cast.node_word(node), fence_words(fence)),
    }
}

fn call_words(call: CallRules) -> String {
    match call.timeout {
        None => "patient".into(),
        Some(timeout) if call.retries == 0 => duration_word(timeout),
        Some(timeout) => format!("{} {}", duration_word(timeout), call.retries),
    }
}

fn expiry_words(policy: ExpiryPolicy) -> String {
    match policy {
        ExpiryPolicy::Redispatch => "redispatch".into(),
        ExpiryPolicy::Grace(grace) => format!("grace {}", duration_word(grace)),
        ExpiryPolicy::Hold { alert_after } => format!("hold {}", duration_word(alert_after)),
    }
}

fn delay_words(delay: RetryDelay) -> String {
    match delay {
        RetryDelay::None => "none".into(),
        RetryDelay::Fixed(span) => format!("fixed {}", duration_word(span)),
        RetryDelay::Exponential { base, cap } => {
            format!("exponential {} {}", duration_word(base), duration_word(cap))
        }
        RetryDelay::FullJitter { base, cap } => {
            format!("full-jitter {} {}", duration_word(base), duration_word(cap))
        }
    }
}

/// Writes a kind of sink as [`kind`] reads it.
pub fn kind_words(kind: SinkKind) -> String {
    match kind {
        SinkKind::Append => "append".into(),
        SinkKind::Overwrite => "overwrite".into(),
        SinkKind::Merge => "merge".into(),
        SinkKind::Staged { name, preclean } => {
            let name = if name == StagingName::Fixed { "fixed" } else { "unique" };
            let preclean = if preclean == Preclean::Yes { " preclean" } else { "" };
            format!("staged {name}{preclean}")
        }
        SinkKind::Locked { lease: None } => "locked".into(),
        SinkKind::Locked { lease: Some(lease) } => format!("locked {}", duration_word(lease)),
        SinkKind::Api(IdempotencyKey::None) => "api no-key".into(),
        SinkKind::Api(IdempotencyKey::FromTask { retention: None }) => "api task-key".into(),
        SinkKind::Api(IdempotencyKey::FromTask { retention: Some(kept) }) => {
            format!("api task-key {}", duration_word(kept))
        }
        SinkKind::Api(IdempotencyKey::FromAttempt) => "api attempt-key".into(),
        SinkKind::Mailbox => "mailbox".into(),
        SinkKind::Resource => "resource".into(),
    }
}

/// Writes a fence as [`fence_rules`] reads it.
pub fn fence_words(fence: Option<FenceRules>) -> String {
    let Some(fence) = fence else { return "none".into() };
    let mut text = word_of(&RAISES, &fence.raise).to_owned();
    if fence.memory == FenceMemory::Volatile {
        text += " volatile";
    }
    if let FenceCheck::Gap(gap) = fence.check {
        text += &format!(" gap {}", duration_word(gap));
    }
    if fence.scope == FenceScope::Table {
        text += " table";
    }
    text
}

// --- acts ---

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
    words.end(Intervention { when, act })
}

fn when(words: &mut Words) -> Read<When> {
    let first = words.next("when, such as `22s`")?;
    if let Some(at) = duration(first) {
        let at = u64::try_from(at.0).map_err(|_| format!("`{first}` lies before the run begins"))?;
        return Ok(When::At(at));
    }
    let task = words.cast.task(first).ok_or_else(|| {
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
        None => When::GrantRecorded { task, attempt },
    })
}

fn act(words: &mut Words) -> Read<Act> {
    const ACTS: [&str; 10] =
        ["pause", "freeze", "crash", "slow", "cut", "degrade", "step", "rate", "input", "operator"];
    let Some(name) = words.peek() else {
        return Err("ends too early. Add what happens, such as `pause w1 55s`".into());
    };
    if !ACTS.contains(&name) {
        return read_setting(words).map(Act::Set).map_err(|error| match nearest(name, ACTS) {
            Some(near) => format!("`{name}` is not an act. Did you mean `{near}`?"),
            None => error,
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
            lasts: words.lasts()?,
        },
        "degrade" => Act::Degrade {
            node: words.node()?,
            path: words.one_of(&PATHS)?,
            way: words.one_of(&WAYS)?,
            latency: words.duration()?,
            loss: words.figure("a loss in parts per million")?,
            lasts: words.lasts()?,
        },
        "step" => Act::StepClock { node: words.node()?, by: words.duration()? },
        "rate" => Act::ClockRate { node: words.node()?, ppm: words.figure("parts per million off true")? },
        "input" => Act::Input { task: words.task()?, version: words.figure("a version, 1 to 255")? },
        _ => Act::Operator { task: words.task()?, decision: words.one_of(&DECISIONS)? },
    })
}

/// Writes a timed act as [`intervention`] reads it.
pub fn intervention_words(intervention: &Intervention, cast: Cast) -> String {
    let when = match intervention.when {
        When::At(at) => duration_word(Span(i64::try_from(at).unwrap_or(i64::MAX))),
        When::BeforeStep { exec, step } => format!("task{} a{} {step}", exec.task.0 + 1, exec.attempt),
        When::GrantRecorded { task, attempt } => format!("task{} a{attempt}", task.0 + 1),
    };
    format!("{when} {}", act_words(&intervention.act, cast))
}

fn act_words(act: &Act, cast: Cast) -> String {
    let name = |node| cast.node_word(node);
    let body = match *act {
        Act::Pause { node, .. } => format!("pause {}", name(node)),
        Act::Freeze { node, counts_sleep, .. } => {
            format!("freeze {}{}", name(node), if counts_sleep { "" } else { " sleepless" })
        }
        Act::Crash { node, .. } => format!("crash {}", name(node)),
        Act::Slow { node, percent, .. } => format!("slow {} {percent}", name(node)),
        Act::Cut { node, path, way, .. } => {
            format!("cut {} {} {}", name(node), word_of(&PATHS, &path), word_of(&WAYS, &way))
        }
        Act::Degrade { node, path, way, latency, loss, .. } => format!(
            "degrade {} {} {} {} {loss}",
            name(node),
            word_of(&PATHS, &path),
            word_of(&WAYS, &way),
            duration_word(latency)
        ),
        Act::StepClock { node, by } => format!("step {} {}", name(node), duration_word(by)),
        Act::ClockRate { node, ppm } => format!("rate {} {ppm}", name(node)),
        Act::Input { task, version } => format!("input task{} {version}", task.0 + 1),
        Act::Operator { task, decision } => {
            format!("operator task{} {}", task.0 + 1, word_of(&DECISIONS, &decision))
        }
        Act::Set(setting) => setting_words(&setting, cast),
    };
    match act.lasts() {
        Some(lasts) => format!("{body} {}", duration_word(lasts)),
        None => body,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const CAST: Cast = Cast { workers: 2, sinks: 1, tasks: 1 };

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
            "task1 a1 3 crash w1",
            "task1 a2 crash scheduler 20min",
            "5s freeze w2 sleepless 1h",
            "5s slow w2 25 1min",
            "5s cut w1 control both-ways 40s",
            "5s degrade w1 data out 2s 100000 40s",
            "30s step scheduler -60s",
            "30s rate w1 200",
            "30s input task1 2",
            "90s operator task1 redispatch",
            "0s lease 1min",
            "0s expiry hold 5min",
            "0s delay full-jitter 10s 2min",
            "0s loss self-fence-after 3",
            "0s sink sink1 staged fixed preclean",
            "0s sink sink1 api task-key 24h",
            "0s heartbeat-call 5s 2",
            "0s guard off",
            "0s pool 8",
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
            ("22s pause w3", "there is no node `w3` here. Write `scheduler`, `w1`, `sink1` …"),
            ("22 pause w1", "`22` is not a time. Write one such as `22s`, or a point such as `task1.a1.3`"),
            ("22s pause w1 55", "`55` is not a duration. Write one such as `30s`, `250ms` or `20min`"),
            ("22s pause w1 55s now", "`now` is one word too many. Remove it"),
            ("22s", "ends too early. Add what happens, such as `pause w1 55s`"),
            ("0s leese 30s", "there is no rule `leese`. Did you mean `lease`?"),
            ("0s pool 0", "a pool without slots runs nothing"),
        ] {
            assert_eq!(intervention(phrase, CAST).unwrap_err(), expected, "{phrase}");
        }
    }
}
