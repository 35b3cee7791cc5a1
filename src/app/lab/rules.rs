//! The rules in force, as one sentence of which each value can be changed.

mod more;

use fenceline_engine::{
    Confirmation, ExpiryPolicy, FenceCheck, FenceMemory, FenceRaise, FenceRules, Found, IdempotencyKey,
    KeyBody, KeyReach, KeyRules, LogGuard, NodeId, OnConflict, OnLoss, Put, Rules, SinkKind, Span,
    StagingName, StoredAnswers,
};
use fenceline_sim::{Scenario, Setting};

use crate::app::words::rules::{self as say, name};
use crate::app::words::{count, lab as words, length, policies};

/// A part of the sentence.
#[derive(Clone, Debug, PartialEq)]
pub enum Piece {
    Text(String),
    Slot(Slot),
    /// A figure that follows from the values.
    Figure(String),
}

/// A value that can be changed.
#[derive(Clone, Debug, PartialEq)]
pub struct Slot {
    /// What the value is of: `Lease`.
    pub name: &'static str,
    pub value: String,
    /// Damage follows from it in some schedule.
    pub risky: bool,
    pub choices: Vec<Choice>,
}

/// A value a slot can take.
#[derive(Clone, Debug, PartialEq)]
pub struct Choice {
    pub setting: Setting,
    pub text: String,
    /// One line on what it does.
    pub note: &'static str,
    pub current: bool,
}

/// The sentence of a scenario, short part first.
#[derive(Clone, Debug, PartialEq)]
pub struct Sentence {
    pub main: Vec<Piece>,
    /// Rules that matter less often.
    pub more: Vec<Piece>,
}

impl Sentence {
    pub fn of(scenario: &Scenario) -> Self {
        let rules = &scenario.rules;
        let mut main = vec![
            text(say::LEASE_LASTS),
            lease(rules),
            text(say::HEARTBEAT_EVERY),
            heartbeat(scenario),
            text(say::SWEEPS_EVERY),
            sweep(rules),
            text(say::ON_EXPIRY),
            expiry(rules),
            text(say::TOLD_LOST),
            on_loss(rules),
            text(say::STOP),
        ];
        for (index, sink) in scenario.sinks.iter().enumerate().take(2) {
            let node = scenario.sink(index);
            main.push(text(&format!(" {} ", words::sink_subject(&sink.name, sink.rules.kind))));
            main.push(sink_kind(node, sink.rules.kind));
            if sink.rules.kind.can_compare() {
                main.push(text(say::IS_FENCED));
                main.push(fence(node, sink.rules.fence, sink.rules.kind));
            }
            main.push(text(say::STOP));
        }
        main.extend(figures(scenario));
        Self { main, more: more::more(scenario) }
    }
}

fn text(text: &str) -> Piece {
    Piece::Text(text.to_owned())
}

/// A slot whose choices are settings with a text and a note; the value is the current choice's text,
/// or `value` where the rule has a value that is not on the list.
fn slot(
    name: &'static str,
    value: String,
    current: Setting,
    risky: bool,
    choices: Vec<(Setting, String, &'static str)>,
) -> Piece {
    let mut choices: Vec<Choice> = choices
        .into_iter()
        .map(|(setting, text, note)| Choice { setting, text, note, current: setting == current })
        .collect();
    if !choices.iter().any(|choice| choice.current) {
        choices.insert(
            0,
            Choice { setting: current, text: value.clone(), note: words::AS_GIVEN, current: true },
        );
    }
    Piece::Slot(Slot { name, value, risky, choices })
}

/// A slot of a rule with a short list of values, each with its note.
fn one_of<T: Copy>(
    name: &'static str,
    now: T,
    risky: bool,
    set: fn(T) -> Setting,
    say: fn(T) -> String,
    choices: &[(T, &'static str)],
) -> Piece {
    let choices = choices.iter().map(|(value, note)| (set(*value), say(*value), *note)).collect();
    slot(name, say(now), set(now), risky, choices)
}

/// A slot of lengths of time.
fn lengths(
    name: &'static str,
    now: Span,
    risky: bool,
    seconds: &[i64],
    setting: impl Fn(Span) -> Setting,
    note: impl Fn(Span) -> &'static str,
) -> Piece {
    let choice = |n: &i64| {
        let span = Span::secs(*n);
        (setting(span), length(span.0), note(span))
    };
    slot(name, length(now.0), setting(now), risky, seconds.iter().map(choice).collect())
}

fn lease(rules: &Rules) -> Piece {
    let heartbeat = rules.heartbeat.every;
    let risky = rules.lease.duration.0 <= heartbeat.0 * 2;
    let note = move |span: Span| match span.0 / heartbeat.0.max(1) {
        0 | 1 => words::LEASE_TOO_SHORT,
        2 => words::LEASE_NO_SPARE,
        3 => words::LEASE_THIRD,
        _ => words::LEASE_LONG,
    };
    lengths(name::LEASE, rules.lease.duration, risky, &[10, 20, 30, 60, 120, 300], Setting::Lease, note)
}

fn heartbeat(scenario: &Scenario) -> Piece {
    let (rules, delay) = (&scenario.rules, scenario.control.latency);
    let lease = rules.lease.duration;
    let risky = rules.heartbeat.every.0 * 2 >= lease.0;
    let note = move |every: Span| words::beat_spare(spare(lease, every, delay));
    lengths(name::HEARTBEAT, rules.heartbeat.every, risky, &[5, 9, 10, 15, 30, 60], Setting::Heartbeat, note)
}

fn sweep(rules: &Rules) -> Piece {
    let most = rules.sweep.most;
    let set = |every| Setting::Sweep { every, most };
    lengths(name::SWEEP, rules.sweep.every, false, &[1, 5, 10, 30], set, |_| words::SWEEP)
}

fn expiry(rules: &Rules) -> Piece {
    let choices = [
        (ExpiryPolicy::Redispatch, policies::EXPIRY_REDISPATCH),
        (ExpiryPolicy::Grace(Span::secs(60)), policies::EXPIRY_GRACE),
        (ExpiryPolicy::Hold { alert_after: Span::secs(60) }, policies::EXPIRY_HOLD),
        (ExpiryPolicy::Cancel { after: None }, policies::EXPIRY_CANCEL),
        (ExpiryPolicy::Cancel { after: Some(Span::secs(60)) }, policies::EXPIRY_CANCEL_WITHIN),
        (ExpiryPolicy::Fail, policies::EXPIRY_FAIL),
    ];
    one_of(name::EXPIRY, rules.expiry, false, Setting::Expiry, policies::expiry, &choices)
}

fn on_loss(rules: &Rules) -> Piece {
    let choices = [
        (OnLoss::Ignore, words::LOSS_IGNORE),
        (OnLoss::SelfFence, words::LOSS_SELF_FENCE),
        (OnLoss::SelfFenceAfter(2), words::LOSS_AFTER),
        (OnLoss::CheckBeforeWrite, words::LOSS_CHECK),
    ];
    let risky = rules.on_loss == OnLoss::Ignore;
    one_of(name::LOSS, rules.on_loss, risky, Setting::OnLoss, words::on_loss, &choices)
}

fn sink_kind(node: NodeId, kind: SinkKind) -> Piece {
    let kinds: &[SinkKind] = match kind {
        SinkKind::Api(_) | SinkKind::Mailbox => &[
            SinkKind::Api(IdempotencyKey::None),
            SinkKind::Api(IdempotencyKey::FromTask(KeyRules::PLAIN)),
            SinkKind::Api(IdempotencyKey::FromTask(KeyRules { body: KeyBody::Compared, ..KeyRules::PLAIN })),
            SinkKind::Api(IdempotencyKey::FromTask(KeyRules {
                stored: StoredAnswers::Every,
                ..KeyRules::PLAIN
            })),
            SinkKind::Api(IdempotencyKey::FromTask(KeyRules {
                reach: KeyReach::OneGeneration,
                ..KeyRules::PLAIN
            })),
            SinkKind::Api(IdempotencyKey::FromAttempt),
            SinkKind::Mailbox,
        ],
        SinkKind::Resource => &[SinkKind::Resource],
        SinkKind::Staged { .. } => &[
            SinkKind::Staged { name: StagingName::Fixed, found: Found::InTheWay },
            SinkKind::Staged { name: StagingName::Fixed, found: Found::Dropped },
            SinkKind::Staged { name: StagingName::Fixed, found: Found::Taken },
            SinkKind::Staged { name: StagingName::Unique, found: Found::InTheWay },
        ],
        SinkKind::Locked { .. } => {
            &[SinkKind::Locked { lease: None }, SinkKind::Locked { lease: Some(Span::secs(60)) }]
        }
        SinkKind::Objects(_) => &[
            SinkKind::Objects(Put::Plain),
            SinkKind::Objects(Put::IfAbsent),
            SinkKind::Objects(Put::CompareAndSet(OnConflict::Stop)),
            SinkKind::Objects(Put::CompareAndSet(OnConflict::Retry)),
        ],
        SinkKind::Log(_) => &[
            SinkKind::Log(LogGuard::Blind),
            SinkKind::Log(LogGuard::Interval),
            SinkKind::Log(LogGuard::Token),
            SinkKind::Log(LogGuard::TaskInterval),
            SinkKind::Log(LogGuard::TaskToken),
        ],
        SinkKind::Append | SinkKind::Overwrite | SinkKind::Merge => {
            &[SinkKind::Append, SinkKind::Overwrite, SinkKind::Merge]
        }
    };
    let of =
        |kind: &SinkKind| (Setting::Sink { node, kind: *kind }, words::kind(*kind).0, words::kind(*kind).1);
    let risky = words::kind_is_risky(kind);
    slot(name::SINK, words::kind(kind).0, Setting::Sink { node, kind }, risky, kinds.iter().map(of).collect())
}

fn fence(node: NodeId, fence: Option<FenceRules>, kind: SinkKind) -> Piece {
    let rules = |raise| Some(FenceRules::raised(raise));
    let by_claim = FenceRules::raised(FenceRaise::Claim);
    let choices = [
        (None, words::FENCE_NONE),
        (Some(by_claim), words::FENCE_CLAIM),
        (rules(FenceRaise::Scheduler(Confirmation::Awaited)), words::FENCE_SCHEDULER),
        (rules(FenceRaise::FirstWrite), words::FENCE_FIRST_WRITE),
        (rules(FenceRaise::Commit), words::FENCE_COMMIT),
        (Some(FenceRules { memory: FenceMemory::Volatile, ..by_claim }), words::FENCE_VOLATILE),
        (Some(FenceRules { check: FenceCheck::Gap(Span::secs(2)), ..by_claim }), words::FENCE_GAP),
    ];
    let of = |(fence, note): &(Option<FenceRules>, &'static str)| {
        (Setting::Fence { node, fence: *fence }, words::fence(*fence), *note)
    };
    let risky = fence.is_none_or(|fence| fence != by_claim) && !matches!(kind, SinkKind::Resource);
    slot(
        name::FENCE,
        words::fence(fence),
        Setting::Fence { node, fence },
        risky,
        choices.iter().map(of).collect(),
    )
}

/// What follows from the rules: renewals that may be lost, time to see a crash, load.
fn figures(scenario: &Scenario) -> Vec<Piece> {
    let Figures { spare, detection, per_minute } = Figures::of(scenario);
    let messages = text(if per_minute == "1" { say::MESSAGE } else { say::MESSAGES });
    vec![
        text(say::SURVIVES),
        Piece::Figure(spare.to_string()),
        text(say::sees_a_crash(spare)),
        Piece::Figure(length(detection.0)),
        text(say::AND),
        Piece::Figure(per_minute),
        messages,
    ]
}

/// Figures that follow from the rules by arithmetic, constant delay assumed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Figures {
    /// Renewals in a row that may be lost: the largest k with `(k + 1) H + delta < L`, delta the
    /// round trip contained in the first lease's anchor.
    pub spare: i64,
    /// From a death to the sweep that records it, at worst: `L + S + d`.
    pub detection: Span,
    pub per_minute: String,
}

impl Figures {
    pub fn of(scenario: &Scenario) -> Self {
        let (rules, delay) = (&scenario.rules, scenario.control.latency);
        let every = rules.heartbeat.every.0.max(1);
        let spare = spare(rules.lease.duration, rules.heartbeat.every, delay);
        let detection = rules.lease.duration + rules.sweep.every + delay;
        let tenths = (600_000_000 + every / 2) / every;
        let per_minute =
            if tenths % 10 == 0 { count(tenths / 10) } else { format!("{}.{}", tenths / 10, tenths % 10) };
        Self { spare, detection, per_minute }
    }
}

fn spare(lease: Span, every: Span, delay: Span) -> i64 {
    ((lease.0 - 2 * delay.0 - 1).div_euclid(every.0.max(1)) - 1).max(0)
}
