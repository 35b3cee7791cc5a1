//! Phrases about sinks, read and written: how output lands, and the fence in front of it.

use fenceline_engine::{
    Compare, Confirmation, FenceCheck, FenceMemory, FenceRaise, FenceRules, FenceScope, Found,
    IdempotencyKey, KeyBody, KeyReach, KeyRules, LogGuard, OnConflict, Put, SinkKind, StagingName,
    StoredAnswers,
};

use super::read::{Read, Words};
use super::{Cast, duration_word, word_of};

const NAMES: [(&str, StagingName); 2] = [("fixed", StagingName::Fixed), ("unique", StagingName::Unique)];
const GUARDS: [(&str, LogGuard); 4] = [
    ("per-interval", LogGuard::Interval),
    ("per-token", LogGuard::Token),
    ("task-interval", LogGuard::TaskInterval),
    ("task-token", LogGuard::TaskToken),
];
const RAISES: [(&str, FenceRaise); 5] = [
    ("scheduler", FenceRaise::Scheduler(Confirmation::Awaited)),
    ("claim", FenceRaise::Claim),
    ("first-write", FenceRaise::FirstWrite),
    ("commit", FenceRaise::Commit),
    ("nobody", FenceRaise::Nobody),
];
const COMPARISONS: [(&str, Compare); 5] = [
    ("exact", Compare::Exact),
    ("bound", Compare::Bound),
    ("or-equal", Compare::OrEqual),
    ("text", Compare::Text),
    ("boolean", Compare::Boolean),
];
const SCOPES: [(&str, FenceScope); 2] = [("table", FenceScope::Table), ("per-shard", FenceScope::Shard)];

/// Reads what kind of sink a phrase names: `append`, `api task-key 24h`.
///
/// # Errors
/// A sentence that says which word is wrong and what was expected.
pub fn kind(text: &str) -> Result<SinkKind, String> {
    let mut words = Words::new(text, Cast::NOBODY);
    let kind = sink_kind(&mut words)?;
    words.end(kind)
}

pub(super) fn sink_kind(words: &mut Words) -> Read<SinkKind> {
    let choices = [
        ("append", 0),
        ("overwrite", 1),
        ("merge", 2),
        ("staged", 3),
        ("locked", 4),
        ("api", 5),
        ("mailbox", 6),
        ("resource", 7),
        ("objects", 8),
        ("log", 9),
    ];
    let kind = words.one_of(&choices)?;
    if kind == 9 {
        words.want_one_of(&GUARDS);
    }
    Ok(match kind {
        0 => SinkKind::Append,
        1 => SinkKind::Overwrite,
        2 => SinkKind::Merge,
        3 => SinkKind::Staged {
            name: words.one_of(&NAMES)?,
            found: match () {
                () if words.has("preclean") => Found::Dropped,
                () if words.has("takes-over") => Found::Taken,
                () => Found::InTheWay,
            },
        },
        4 => SinkKind::Locked { lease: words.lasts()? },
        5 => match words.one_of(&[("no-key", 0), ("task-key", 1), ("attempt-key", 2)])? {
            0 => SinkKind::Api(IdempotencyKey::None),
            1 => SinkKind::Api(IdempotencyKey::FromTask(key_rules(words)?)),
            _ => SinkKind::Api(IdempotencyKey::FromAttempt),
        },
        6 => SinkKind::Mailbox,
        7 => SinkKind::Resource,
        8 => SinkKind::Objects(
            match words.one_of(&[("put", 0), ("if-absent", 1), ("compare-and-set", 2)])? {
                0 => Put::Plain,
                1 => Put::IfAbsent,
                _ if words.has("retries") => Put::CompareAndSet(OnConflict::Retry),
                _ => Put::CompareAndSet(OnConflict::Stop),
            },
        ),
        _ if words.peek().is_none() => SinkKind::Log(LogGuard::Blind),
        _ => SinkKind::Log(words.one_of(&GUARDS)?),
    })
}

/// What becomes of a key: `compared`, `all-answers`, `per-generation`, and how long it is kept.
fn key_rules(words: &mut Words) -> Read<KeyRules> {
    let body = if words.has("compared") { KeyBody::Compared } else { KeyBody::Ignored };
    let stored = if words.has("all-answers") { StoredAnswers::Every } else { StoredAnswers::Successes };
    let reach = if words.has("per-generation") { KeyReach::OneGeneration } else { KeyReach::EveryRun };
    Ok(KeyRules { body, stored, reach, retention: words.lasts()? })
}

fn key_words(rules: KeyRules) -> String {
    let compared = if rules.body == KeyBody::Compared { " compared" } else { "" };
    let stored = if rules.stored == StoredAnswers::Every { " all-answers" } else { "" };
    let reach = if rules.reach == KeyReach::OneGeneration { " per-generation" } else { "" };
    let kept = rules.retention.map(|kept| format!(" {}", duration_word(kept))).unwrap_or_default();
    format!("api task-key{compared}{stored}{reach}{kept}")
}

/// Writes a kind of sink as [`kind`] reads it.
pub fn kind_words(kind: SinkKind) -> String {
    match kind {
        SinkKind::Append => "append".into(),
        SinkKind::Overwrite => "overwrite".into(),
        SinkKind::Merge => "merge".into(),
        SinkKind::Staged { name, found } => {
            let name = word_of(&NAMES, &name);
            let found = match found {
                Found::InTheWay => "",
                Found::Dropped => " preclean",
                Found::Taken => " takes-over",
            };
            format!("staged {name}{found}")
        }
        SinkKind::Locked { lease: None } => "locked".into(),
        SinkKind::Locked { lease: Some(lease) } => format!("locked {}", duration_word(lease)),
        SinkKind::Api(IdempotencyKey::None) => "api no-key".into(),
        SinkKind::Api(IdempotencyKey::FromTask(rules)) => key_words(rules),
        SinkKind::Api(IdempotencyKey::FromAttempt) => "api attempt-key".into(),
        SinkKind::Mailbox => "mailbox".into(),
        SinkKind::Resource => "resource".into(),
        SinkKind::Objects(Put::Plain) => "objects put".into(),
        SinkKind::Objects(Put::IfAbsent) => "objects if-absent".into(),
        SinkKind::Objects(Put::CompareAndSet(OnConflict::Stop)) => "objects compare-and-set".into(),
        SinkKind::Objects(Put::CompareAndSet(OnConflict::Retry)) => "objects compare-and-set retries".into(),
        SinkKind::Log(LogGuard::Blind) => "log".into(),
        SinkKind::Log(guard) => format!("log {}", word_of(&GUARDS, &guard)),
    }
}

/// Reads a fence: `none`, `claim`, `scheduler exact`, `first-write volatile gap 2s table`.
///
/// # Errors
/// A sentence that says which word is wrong and what was expected.
pub fn fence_rules(text: &str) -> Result<Option<FenceRules>, String> {
    let mut words = Words::new(text, Cast::NOBODY);
    let fence = fence(&mut words)?;
    words.end(fence)
}

/// One word of a fence after its raise.
#[derive(Clone, Copy)]
enum Word {
    Compare(Compare),
    Volatile,
    Forgets,
    Gap,
    ByClient,
    Scope(FenceScope),
    NotAfter,
}

pub(super) fn fence(words: &mut Words) -> Read<Option<FenceRules>> {
    if words.has("none") {
        return Ok(None);
    }
    let mut fence = FenceRules::raised(words.one_of(&RAISES)?);
    if matches!(fence.raise, FenceRaise::Scheduler(_)) && words.has("unconfirmed") {
        fence.raise = FenceRaise::Scheduler(Confirmation::NotAwaited);
    }
    let choices: Vec<(&'static str, Word)> = COMPARISONS
        .iter()
        .map(|(word, compare)| (*word, Word::Compare(*compare)))
        .chain([("volatile", Word::Volatile), ("forgets", Word::Forgets)])
        .chain([("gap", Word::Gap), ("client-side", Word::ByClient)])
        .chain(SCOPES.iter().map(|(word, scope)| (*word, Word::Scope(*scope))))
        .chain([("not-after", Word::NotAfter)])
        .collect();
    words.want_one_of(&choices);
    while let Some(word) = words.peek() {
        let plain = FenceRules::raised(fence.raise);
        match words.one_of(&choices)? {
            Word::Compare(compare) => {
                set_once(word, &mut fence.compare, plain.compare, compare, |is| word_of(&COMPARISONS, is))?;
            }
            Word::Volatile => fence.memory = FenceMemory::Volatile,
            Word::Forgets => fence.retention = Some(words.positive()?),
            Word::Gap => {
                let gap = FenceCheck::Gap(words.positive()?);
                set_once(word, &mut fence.check, plain.check, gap, check_word)?;
            }
            Word::ByClient => {
                set_once(word, &mut fence.check, plain.check, FenceCheck::ByClient, check_word)?;
            }
            Word::Scope(scope) => {
                set_once(word, &mut fence.scope, plain.scope, scope, |is| word_of(&SCOPES, is))?;
            }
            Word::NotAfter => fence.not_after = true,
        }
        words.want_one_of(&choices);
    }
    check(fence).map(Some)
}

/// Sets what nothing was said about yet.
fn set_once<T: PartialEq>(
    word: &str,
    slot: &mut T,
    unsaid: T,
    value: T,
    name: fn(&T) -> &'static str,
) -> Read<()> {
    if *slot != unsaid {
        return Err(format!("`{word}` is one too many: the fence is `{}` already", name(slot)));
    }
    *slot = value;
    Ok(())
}

fn check_word(check: &FenceCheck) -> &'static str {
    match check {
        FenceCheck::Atomic => "atomic",
        FenceCheck::Gap(_) => "gap",
        FenceCheck::ByClient => "client-side",
    }
}

/// Refuses what could not work.
fn check(fence: FenceRules) -> Read<FenceRules> {
    if fence.compare == Compare::Exact && !fence.raises_first() {
        return Err("`exact` lets in nobody whose token was not raised, so the raise comes first: by \
                    `scheduler` or `claim`"
            .into());
    }
    if fence.raise == FenceRaise::Nobody && !fence.not_after {
        return Err("a fence that nobody raises refuses nothing. Add `not-after`".into());
    }
    Ok(fence)
}

/// Writes a fence as [`fence_rules`] reads it.
pub fn fence_words(fence: Option<FenceRules>) -> String {
    let Some(fence) = fence else { return "none".into() };
    let mut words = vec![match fence.raise {
        FenceRaise::Scheduler(Confirmation::NotAwaited) => "scheduler unconfirmed".to_owned(),
        raise => word_of(&RAISES, &raise).to_owned(),
    }];
    if fence.compare != Compare::Older {
        words.push(word_of(&COMPARISONS, &fence.compare).into());
    }
    if fence.memory == FenceMemory::Volatile {
        words.push("volatile".into());
    }
    words.extend(fence.retention.map(|kept| format!("forgets {}", duration_word(kept))));
    match fence.check {
        FenceCheck::Atomic => {}
        FenceCheck::Gap(gap) => words.push(format!("gap {}", duration_word(gap))),
        FenceCheck::ByClient => words.push("client-side".into()),
    }
    if fence.scope != FenceScope::Partition {
        words.push(word_of(&SCOPES, &fence.scope).into());
    }
    if fence.not_after {
        words.push("not-after".into());
    }
    words.join(" ")
}
