//! Writing phrases, as they are read.

use fenceline_engine::{
    CallRules, ExpiryPolicy, FailEffect, Failing, KillRules, Limit, Misfire, OnLoss, RetryDelay, Signal,
    Span, StoreRules,
};
use fenceline_sim::scenario::{AlertRule, SCHEDULER};
use fenceline_sim::{Act, Fate, Intervention, Setting, When};

use super::sinks::{fence_words, kind_words};
use super::{
    ALERTS, ANCHORS, BEATS_TO, BELIEFS, CHILDREN, CLOCKS, COUNTERS, DECISIONS, DISPATCHES, LATE,
    LATE_RENEWALS, OVERLAPS, OWNERS, PATHS, PERIODS, REPORTS, RESPAWNS, RESTARTS, RETURNS, SAME_OWNERS,
    SCOPES, SOURCES, START_GUARDS, STARTS, SWITCH, WAKES, WAYS,
};
use super::{Cast, duration_word, word_of};

/// Writes a setting as [`super::setting`] reads it.
pub fn setting_words(setting: &Setting, cast: Cast) -> String {
    match *setting {
        Setting::Lease(span) => format!("lease {}", duration_word(span)),
        Setting::LeaseScope(scope) => format!("lease-scope {}", word_of(&SCOPES, &scope)),
        Setting::LeaseStart(start) => format!("lease-start {}", word_of(&STARTS, &start)),
        Setting::StartTimeout(limit) => format!("start-timeout {}", timeout_words(limit)),
        Setting::ProgressTimeout(limit) => format!("progress-timeout {}", timeout_words(limit)),
        Setting::RunTimeout(limit) => format!("run-timeout {}", timeout_words(limit)),
        Setting::LateRenewal(late) => format!("late-renewal {}", word_of(&LATE_RENEWALS, &late)),
        Setting::Heartbeat(span) => format!("heartbeat {}", duration_word(span)),
        Setting::Source(source) => format!("source {}", word_of(&SOURCES, &source)),
        Setting::BeatsTo(to) => format!("beats-to {}", word_of(&BEATS_TO, &to)),
        Setting::Period(period) => format!("period {}", word_of(&PERIODS, &period)),
        Setting::BeatCall(call) => format!("heartbeat-call {}", call_words(call)),
        Setting::Jitter(span) => format!("jitter {}", duration_word(span)),
        Setting::Capacity(capacity) => {
            format!("heartbeat-capacity {}", capacity.map_or("off".into(), |capacity| capacity.to_string()))
        }
        Setting::Sweep { every, most: None } => format!("sweep {}", duration_word(every)),
        Setting::Sweep { every, most: Some(most) } => format!("sweep {} {most}", duration_word(every)),
        Setting::JumpGuard(limit) => format!("guard {}", limit_word(limit)),
        Setting::LeaderLease(span) => format!("leader {}", duration_word(span)),
        Setting::Epoch(checks) => format!("epoch {}", word_of(&SWITCH, &checks)),
        Setting::Store(StoreRules { takes, retry }) if retry == StoreRules::PROMPT.retry => {
            format!("store {}", duration_word(takes))
        }
        Setting::Store(StoreRules { takes, retry }) => {
            format!("store {} {}", duration_word(takes), duration_word(retry))
        }
        Setting::Dispatch(order) => format!("dispatch {}", word_of(&DISPATCHES, &order)),
        Setting::Restart(restart) => format!("restart {}", word_of(&RESTARTS, &restart)),
        Setting::Clock(clock) => format!("clock {}", word_of(&CLOCKS, &clock)),
        Setting::Expiry(policy) => format!("expiry {}", expiry_words(policy)),
        Setting::Attempts(attempts) => format!("attempts {attempts}"),
        Setting::ExpiryCounts(counts) => format!("expiry-counts {}", word_of(&SWITCH, &counts)),
        Setting::Delay(delay) => format!("delay {}", delay_words(delay)),
        Setting::Misfire(Misfire::RunAll) => "misfire all".into(),
        Setting::Misfire(Misfire::RunLatest { late }) => format!("misfire latest {}", duration_word(late)),
        Setting::Misfire(Misfire::Skip { late }) => format!("misfire skip {}", duration_word(late)),
        Setting::Overlap(overlap) => format!("overlap {}", word_of(&OVERLAPS, &overlap)),
        Setting::Pool(pool) => format!("pool {}", pool.map_or("off".into(), |slots| slots.to_string())),
        Setting::Prefetch(0) => "prefetch off".into(),
        Setting::Prefetch(prefetch) => format!("prefetch {prefetch}"),
        Setting::Respawn(respawn) => format!("respawn {}", word_of(&RESPAWNS, &respawn)),
        Setting::SameOwner(same) => format!("same-owner {}", word_of(&SAME_OWNERS, &same)),
        Setting::StartGuard(guard) => format!("start-guard {}", word_of(&START_GUARDS, &guard)),
        Setting::Launch(launch) => format!("launch {}", limit_word(launch)),
        Setting::Kill(KillRules { delay, report }) => {
            format!("kill {} {}", duration_word(delay), word_of(&REPORTS, &report))
        }
        Setting::Child(child) => format!("child {}", word_of(&CHILDREN, &child)),
        Setting::Counter(counter) => format!("counter {}", word_of(&COUNTERS, &counter)),
        Setting::Late(late) => format!("late {}", word_of(&LATE, &late)),
        Setting::Returning(returning) => format!("returning {}", word_of(&RETURNS, &returning)),
        Setting::Owner(owner) => format!("owner {}", word_of(&OWNERS, &owner)),
        Setting::OnLoss(OnLoss::Ignore) => "loss ignore".into(),
        Setting::OnLoss(OnLoss::SelfFence) => "loss self-fence".into(),
        Setting::OnLoss(OnLoss::SelfFenceAfter(n)) => format!("loss self-fence-after {n}"),
        Setting::OnLoss(OnLoss::CheckBeforeWrite) => "loss check-before-write".into(),
        Setting::Anchor(anchor) => format!("anchor {}", word_of(&ANCHORS, &anchor)),
        Setting::Gap(span) => format!("gap {}", duration_word(span)),
        Setting::Belief(clock) => format!("belief {}", word_of(&BELIEFS, &clock)),
        Setting::Wake(order) => format!("wake {}", word_of(&WAKES, &order)),
        Setting::Call(call) => format!("call {}", call_words(call)),
        Setting::Acknowledgement(call) => format!("acknowledgement {}", call_words(call)),
        Setting::Sink { node, kind } => format!("sink {} {}", cast.node_word(node), kind_words(kind)),
        Setting::Alert(None) => "alert none".into(),
        Setting::Alert(Some(rule)) => format!("alert {}", alert_words(rule)),
        Setting::Fence { node, fence } => format!("fence {} {}", cast.node_word(node), fence_words(fence)),
    }
}

fn alert_words(rule: AlertRule) -> String {
    let is_its = |known: &AlertRule| std::mem::discriminant(known) == std::mem::discriminant(&rule);
    let name = ALERTS.iter().find(|(_, known)| is_its(known)).map_or("", |(name, _)| *name);
    match rule {
        AlertRule::LeaseExpired(span) | AlertRule::SchedulerSilent(span) | AlertRule::Reconcile(span) => {
            format!("{name} {}", duration_word(span))
        }
        AlertRule::Retried | AlertRule::FencedWrite | AlertRule::TwoOpen => name.into(),
    }
}

fn limit_word(limit: Option<Span>) -> String {
    limit.map_or("off".into(), duration_word)
}

fn timeout_words(limit: Option<Limit>) -> String {
    let signal = if limit.is_some_and(|limit| limit.signal == Signal::Kill) { " kill" } else { "" };
    limit_word(limit.map(|limit| limit.after)) + signal
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
        ExpiryPolicy::Cancel { after: None } => "cancel".into(),
        ExpiryPolicy::Cancel { after: Some(after) } => format!("cancel {}", duration_word(after)),
        ExpiryPolicy::Fail => "fail".into(),
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

/// Writes a timed act as [`super::intervention`] reads it.
pub fn intervention_words(intervention: &Intervention, cast: Cast) -> String {
    let when = match intervention.when {
        When::At(at) => duration_word(Span(i64::try_from(at).unwrap_or(i64::MAX))),
        When::BeforeStep { exec, step } => format!("task{} a{} {step}", exec.task.0 + 1, exec.attempt),
        When::HalfDispatched { task, attempt } => format!("task{} a{attempt}", task.0 + 1),
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
        Act::Reboot { node, .. } => format!("reboot {}", name(node)),
        Act::Block { node, .. } => format!("block {}", name(node)),
        Act::Slow { node, percent, .. } => format!("slow {} {percent}", name(node)),
        Act::Cut { node, path, way, fate, .. } => {
            let held = if fate == Fate::Held { " held" } else { "" };
            format!("cut {} {} {}{held}", name(node), word_of(&PATHS, &path), word_of(&WAYS, &way))
        }
        Act::Degrade { node, path, way, latency, loss, duplicate, .. } => format!(
            "degrade {} {} {} {} {loss}{}",
            name(node),
            word_of(&PATHS, &path),
            word_of(&WAYS, &way),
            duration_word(latency),
            if duplicate > 0 { format!(" {duplicate}") } else { String::new() }
        ),
        Act::StepClock { node, by } => format!("step {} {}", name(node), duration_word(by)),
        Act::ClockRate { node, ppm } => format!("rate {} {ppm}", name(node)),
        Act::Input { task, version } => format!("input task{} {version}", task.0 + 1),
        Act::Redeliver { node, task } => format!("redeliver {} task{}", name(node), task.0 + 1),
        Act::Restore { node, back } => {
            let of = if node == SCHEDULER { "counter".to_owned() } else { name(node) };
            format!("restore {of} {}", duration_word(back))
        }
        Act::Fail { node, failing: Failing { held, effect }, .. } => {
            let done = if effect == FailEffect::Done { " done" } else { "" };
            let held =
                if held > Span::ZERO { format!(" after {}", duration_word(held)) } else { String::new() };
            format!("fail {}{done}{held}", name(node))
        }
        Act::ForceUnlock { node } => format!("unlock {}", name(node)),
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
