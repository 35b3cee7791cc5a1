//! Words about sinks and fences.

use fenceline_engine::{
    Compare, Confirmation, FenceCheck, FenceMemory, FenceRaise, FenceRules, FenceScope, Found,
    IdempotencyKey, KeyBody, KeyReach, KeyRules, LogGuard, OnConflict, Put, SinkKind, StagingName,
    StoredAnswers,
};

use super::length;

pub const FENCE_NONE: &str = "Any token may write.";
pub const FENCE_CLAIM: &str = "The holder raises the fence before it works.";
pub const FENCE_SCHEDULER: &str = "Raised before each dispatch, which waits for it.";
pub const FENCE_COMMIT: &str = "Parts are staged; the commit alone is compared.";
pub const FENCE_FIRST_WRITE: &str = "Stands at the old token until the new holder writes.";
pub const FENCE_VOLATILE: &str = "Forgotten when the store restarts.";
pub const FENCE_GAP: &str = "Checked, then written 2 s later: other writes come between.";

/// The beginning of the sentence on a sink.
pub fn sink_subject(name: &str, kind: SinkKind) -> String {
    match kind {
        SinkKind::Append
        | SinkKind::Overwrite
        | SinkKind::Merge
        | SinkKind::Staged { .. }
        | SinkKind::Locked { .. }
        | SinkKind::Log(_) => {
            format!("The table {name}")
        }
        SinkKind::Objects(_) => format!("The object store {name}"),
        SinkKind::Api(_) => format!("The interface {name}"),
        SinkKind::Mailbox => format!("The mailbox {name}"),
        SinkKind::Resource => format!("The resource {name}"),
    }
}

/// What a sink does with a write, and one line on it.
pub fn kind(kind: SinkKind) -> (String, &'static str) {
    match kind {
        SinkKind::Append => ("appends".into(), "A second run adds its rows."),
        SinkKind::Overwrite => {
            ("overwrites".into(), "A second run replaces: safe if both read the same input.")
        }
        SinkKind::Merge => {
            ("merges on the key".into(), "Replaces rows with the same key, leaves the others.")
        }
        SinkKind::Staged { name: StagingName::Fixed, found: Found::InTheWay } => {
            ("swaps in a staging table of one name".into(), "What a killed task leaves stops the next.")
        }
        SinkKind::Staged { name: StagingName::Fixed, found: Found::Dropped } => {
            ("swaps in a staging table, dropped before use".into(), "The retry clears what it finds.")
        }
        SinkKind::Staged { name: StagingName::Fixed, found: Found::Taken } => (
            "publishes all that is staged under one name".into(),
            "What a killed task leaves goes out with the next one's.",
        ),
        SinkKind::Staged { name: StagingName::Unique, .. } => {
            ("swaps in a staging table of its own name".into(), "Nothing left behind is in the way.")
        }
        SinkKind::Locked { lease: None } => {
            ("appends under a lock".into(), "A killed task leaves the lock for ever.")
        }
        SinkKind::Locked { lease: Some(lease) } => (
            format!("appends under a lock of {}", length(lease.0)),
            "The lock frees itself; a pause outlives it.",
        ),
        SinkKind::Api(IdempotencyKey::None) => {
            ("takes every request".into(), "Two requests are two payments.")
        }
        SinkKind::Api(IdempotencyKey::FromTask(rules)) => task_key(rules),
        SinkKind::Api(IdempotencyKey::FromAttempt) => {
            ("knows a repeat by a key from the attempt".into(), "De-duplicates nothing: attempts differ.")
        }
        SinkKind::Objects(Put::Plain) => ("puts objects".into(), "The last put wins."),
        SinkKind::Objects(Put::IfAbsent) => {
            ("puts objects that are not there".into(), "The first put wins, whoever holds the lease.")
        }
        SinkKind::Objects(Put::CompareAndSet(OnConflict::Stop)) => {
            ("compares and sets; the loser stops".into(), "Decides who was first, not who is newer.")
        }
        SinkKind::Objects(Put::CompareAndSet(OnConflict::Retry)) => (
            "compares and sets; the loser tries again".into(),
            "A zombie that tries again is a fresh writer.",
        ),
        SinkKind::Log(LogGuard::Blind) => {
            ("appends commits".into(), "A commit that loses the race rebases and lands all the same.")
        }
        SinkKind::Log(LogGuard::Interval) => {
            ("appends one commit for an interval".into(), "The first wins; a later one is told so.")
        }
        SinkKind::Log(LogGuard::Token) => (
            "appends commits with a newer token".into(),
            "Orders attempts; a second one still adds its rows.",
        ),
        SinkKind::Log(LogGuard::TaskInterval) => (
            "appends commits for newer intervals".into(),
            "An older interval, late or run again, is taken for a repeat.",
        ),
        SinkKind::Log(LogGuard::TaskToken) => (
            "appends commits with the task's newest token".into(),
            "Of two intervals at once the one granted first may be skipped.",
        ),
        SinkKind::Mailbox => ("sends every mail".into(), "Mail cannot be called back."),
        SinkKind::Resource => ("works".into(), "Slows with its load."),
    }
}

fn task_key(rules: KeyRules) -> (String, &'static str) {
    let kept = rules.retention.map(|kept| format!(" for {}", length(kept.0))).unwrap_or_default();
    if rules.reach == KeyReach::OneGeneration {
        let knows = format!("knows a repeat{kept} within one deliberate run");
        return (knows, "A run again on purpose pays again.");
    }
    match (rules.stored, rules.body) {
        (StoredAnswers::Every, _) => (
            format!("knows a repeat{kept} by its key, and gives errors again, too"),
            "An error under a key is the answer for good.",
        ),
        (_, KeyBody::Compared) => (
            "knows a repeat by its key, and compares what it asks".into(),
            "Another amount under a known key is refused.",
        ),
        _ if kept.is_empty() => {
            ("knows a repeat by a key from the task".into(), "Every attempt shows the same key.")
        }
        _ => (format!("knows a repeat{kept} by a key from the task"), "After that it is a new payment."),
    }
}

/// Whether some schedule turns this kind of sink, unguarded, into damage.
pub fn kind_is_risky(kind: SinkKind) -> bool {
    match kind {
        SinkKind::Append
        | SinkKind::Log(LogGuard::Blind | LogGuard::Token | LogGuard::TaskInterval | LogGuard::TaskToken)
        | SinkKind::Objects(Put::Plain | Put::CompareAndSet(OnConflict::Retry))
        | SinkKind::Mailbox
        | SinkKind::Api(IdempotencyKey::None | IdempotencyKey::FromAttempt)
        | SinkKind::Locked { .. }
        | SinkKind::Staged { name: StagingName::Fixed, found: Found::InTheWay | Found::Taken } => true,
        SinkKind::Overwrite
        | SinkKind::Log(LogGuard::Interval)
        | SinkKind::Objects(Put::IfAbsent | Put::CompareAndSet(OnConflict::Stop))
        | SinkKind::Merge
        | SinkKind::Staged { .. }
        | SinkKind::Api(IdempotencyKey::FromTask(_))
        | SinkKind::Resource => false,
    }
}

/// What raises a fence, and in what it differs from the sound one.
pub fn fence(fence: Option<FenceRules>) -> String {
    let Some(fence) = fence else { return "not at all".into() };
    let mut text = match fence.raise {
        FenceRaise::Scheduler(Confirmation::Awaited) => "by the scheduler",
        FenceRaise::Scheduler(Confirmation::NotAwaited) => "by the scheduler, which does not wait for it",
        FenceRaise::Claim => "by claim",
        FenceRaise::FirstWrite => "at the first write",
        FenceRaise::Commit => "at the commit",
        FenceRaise::Nobody => "by time alone",
    }
    .to_owned();
    text += match fence.compare {
        Compare::Older => "",
        Compare::Exact => ", for that token alone",
        Compare::Bound => ", for one execution",
        Compare::OrEqual => ", equal tokens refused",
        Compare::Text => ", compared as text",
        Compare::Boolean => ", yes or no",
    };
    if fence.memory == FenceMemory::Volatile {
        text += ", in memory only";
    }
    if let Some(kept) = fence.retention {
        text += &format!(", for {}", length(kept.0));
    }
    match fence.check {
        FenceCheck::Atomic => {}
        FenceCheck::Gap(gap) => text += &format!(", with a gap of {}", length(gap.0)),
        FenceCheck::ByClient => text += ", compared by the worker",
    }
    if fence.scope == FenceScope::Shard {
        text += ", per shard";
    }
    if fence.not_after && fence.raise != FenceRaise::Nobody {
        text += ", and by time";
    }
    text
}
