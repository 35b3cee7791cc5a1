//! Reading phrases that set a rule.

use fenceline_engine::{
    BeatsTo, CallRules, ExpiryPolicy, KillRules, Limit, Misfire, OnLoss, RetryDelay, Signal, Span, StoreRules,
};
use fenceline_sim::Setting;
use fenceline_sim::scenario::AlertRule;

use super::choices::*;
use super::read::{Read, Words};
use super::sinks::{fence, sink_kind};
use super::wanted::Wanted;
use super::{Cast, PLACED, RULES, did_you_mean};

/// Reads `lease 30s`, `fence sink1 claim`.
///
/// # Errors
/// A sentence that says which word is wrong and what was expected.
pub fn setting(text: &str, cast: Cast) -> Result<Setting, String> {
    let mut words = Words::new(text, cast);
    let setting = read_setting(&mut words)?;
    words.end(setting)
}

pub(super) fn read_setting(words: &mut Words) -> Read<Setting> {
    let name = words.next("a rule such as `lease`")?;
    Ok(match name {
        "lease" => Setting::Lease(words.positive()?),
        "lease-scope" => Setting::LeaseScope(words.one_of(&SCOPES)?),
        "lease-start" => Setting::LeaseStart(words.one_of(&STARTS)?),
        "start-timeout" => Setting::StartTimeout(timeout(words)?),
        "progress-timeout" => Setting::ProgressTimeout(timeout(words)?),
        "run-timeout" => Setting::RunTimeout(timeout(words)?),
        "late-renewal" => Setting::LateRenewal(words.one_of(&LATE_RENEWALS)?),
        "heartbeat" => Setting::Heartbeat(words.positive()?),
        "source" => Setting::Source(words.one_of(&SOURCES)?),
        "beats-to" => match words.one_of(&BEATS_TO)? {
            BeatsTo::Store => Setting::BeatsTo(words.store(BeatsTo::Store)?),
            BeatsTo::Scheduler => Setting::BeatsTo(BeatsTo::Scheduler),
        },
        "period" => Setting::Period(words.one_of(&PERIODS)?),
        "heartbeat-call" => Setting::BeatCall(call(words)?),
        "jitter" => Setting::Jitter(words.duration()?),
        "heartbeat-capacity" if words.has("off") => Setting::Capacity(None),
        "heartbeat-capacity" => match words.figure("a number of heartbeats a minute above 0")? {
            0 => return Err("a scheduler that handles no heartbeat renews nothing".into()),
            capacity => Setting::Capacity(Some(capacity)),
        },
        "sink" => Setting::Sink { node: words.sink()?, kind: sink_kind(words)? },
        "fence" => Setting::Fence { node: words.sink()?, fence: fence(words)? },
        "alert" if words.has("none") => Setting::Alert(None),
        "alert" => Setting::Alert(Some(alert(words)?)),
        _ => match of_scheduler(name, words)? {
            Some(setting) => setting,
            None => of_worker(name, words)?,
        },
    })
}

/// A rule of what the scheduler does and when; none: it is no such rule.
fn of_scheduler(name: &str, words: &mut Words) -> Read<Option<Setting>> {
    Ok(Some(match name {
        "sweep" => Setting::Sweep { every: words.positive()?, most: at_most(words)? },
        "guard" => Setting::JumpGuard(limit(words)?),
        "leader" => Setting::LeaderLease(words.positive()?),
        "epoch" => Setting::Epoch(words.one_of(&SWITCH)?),
        "store" => Setting::Store(store(words)?),
        "dispatch" => Setting::Dispatch(words.one_of(&DISPATCHES)?),
        "restart" => Setting::Restart(words.one_of(&RESTARTS)?),
        "clock" => Setting::Clock(words.one_of(&CLOCKS)?),
        "expiry" => Setting::Expiry(expiry(words)?),
        "attempts" => match words.figure("a number of attempts, 1 to 99")? {
            attempts @ 1..=99 => Setting::Attempts(attempts),
            _ => return Err("a task may use 1 to 99 attempts".into()),
        },
        "expiry-counts" => Setting::ExpiryCounts(words.one_of(&SWITCH)?),
        "delay" => Setting::Delay(delay(words)?),
        "misfire" => Setting::Misfire(match words.one_of(&[("all", 0), ("latest", 1), ("skip", 2)])? {
            0 => Misfire::RunAll,
            1 => Misfire::RunLatest { late: words.duration()? },
            _ => Misfire::Skip { late: words.duration()? },
        }),
        "overlap" => Setting::Overlap(words.one_of(&OVERLAPS)?),
        "pool" if words.has("off") => Setting::Pool(None),
        "pool" => match words.figure("a number of slots above 0")? {
            0 => return Err("a pool without slots runs nothing".into()),
            slots => Setting::Pool(Some(slots)),
        },
        "counter" => Setting::Counter(words.one_of(&COUNTERS)?),
        "late" => Setting::Late(words.one_of(&LATE)?),
        "returning" => Setting::Returning(words.one_of(&RETURNS)?),
        "owner" => Setting::Owner(words.one_of(&OWNERS)?),
        _ => return Ok(None),
    }))
}

/// A rule of what a worker does, or its host.
fn of_worker(name: &str, words: &mut Words) -> Read<Setting> {
    Ok(match name {
        "prefetch" if words.has("off") => Setting::Prefetch(0),
        "prefetch" => match words.figure("a number of attempts, 1 to 9999")? {
            prefetch @ 1..=9999 => Setting::Prefetch(prefetch),
            _ => return Err("a worker may hold 1 to 9999 attempts in waiting, or `off`".into()),
        },
        "respawn" => Setting::Respawn(words.one_of(&RESPAWNS)?),
        "start-guard" => Setting::StartGuard(words.one_of(&START_GUARDS)?),
        "same-owner" => Setting::SameOwner(words.one_of(&SAME_OWNERS)?),
        "launch" if words.has("off") => Setting::Launch(None),
        "launch" => Setting::Launch(Some(words.duration()?)),
        "kill" => Setting::Kill(KillRules { delay: words.duration()?, report: words.one_of(&REPORTS)? }),
        "child" => Setting::Child(words.one_of(&CHILDREN)?),
        "loss" => Setting::OnLoss(on_loss(words)?),
        "anchor" => Setting::Anchor(words.one_of(&ANCHORS)?),
        "gap" => Setting::Gap(words.duration()?),
        "belief" => Setting::Belief(words.one_of(&BELIEFS)?),
        "wake" => Setting::Wake(words.one_of(&WAKES)?),
        "call" => Setting::Call(call(words)?),
        "acknowledgement" => Setting::Acknowledgement(call(words)?),
        _ => {
            let hint = did_you_mean(name, RULES.into_iter().chain(PLACED));
            return Err(format!("there is no rule `{name}`{hint}"));
        }
    })
}

/// An alert by its name, and how long it waits.
pub(super) fn alert(words: &mut Words) -> Read<AlertRule> {
    Ok(match words.one_of(&ALERTS)? {
        AlertRule::LeaseExpired(_) => AlertRule::LeaseExpired(patience(words)?),
        AlertRule::SchedulerSilent(_) => AlertRule::SchedulerSilent(patience(words)?),
        AlertRule::Reconcile(_) => AlertRule::Reconcile(patience(words)?),
        plain @ (AlertRule::Retried | AlertRule::FencedWrite | AlertRule::TwoOpen) => plain,
    })
}

/// How long an alert waits: nobody looks at a platform more often than that.
fn patience(words: &mut Words) -> Read<Span> {
    let span = words.duration()?;
    if span >= Span::secs(1) { Ok(span) } else { Err("an alert waits for a second or more".into()) }
}

/// Reads an alert as a scenario's file lists them: `retried`, `lease-expired 5min`.
///
/// # Errors
/// A sentence that says which word is wrong and what was expected.
pub fn alert_rule(text: &str) -> Result<AlertRule, String> {
    let mut words = Words::new(text, Cast::NOBODY);
    let rule = alert(&mut words)?;
    words.end(rule)
}

/// How many expiries of one sweep; any number if it is left out.
fn at_most(words: &mut Words) -> Read<Option<u32>> {
    words.want(Wanted::Figure);
    if words.peek().is_none() {
        return Ok(None);
    }
    match words.figure("a number of expiries above 0")? {
        0 => Err("a sweep that may end no lease is none".into()),
        most => Ok(Some(most)),
    }
}

/// A length, or `off`.
fn limit(words: &mut Words) -> Read<Option<Span>> {
    if words.has("off") { Ok(None) } else { words.positive().map(Some) }
}

/// A limit, `kill` if its attempt is to hear of it, or `off`.
fn timeout(words: &mut Words) -> Read<Option<Limit>> {
    let Some(after) = limit(words)? else { return Ok(None) };
    let signal = if words.has("kill") { Signal::Kill } else { Signal::None };
    Ok(Some(Limit { after, signal }))
}

fn call(words: &mut Words) -> Read<CallRules> {
    if words.has("patient") {
        return Ok(CallRules::PATIENT);
    }
    let timeout = Some(words.positive()?);
    words.want(Wanted::Figure);
    let retries = if words.peek().is_some() { words.figure("a number of retries")? } else { 0 };
    Ok(CallRules { timeout, retries })
}

/// How long one call takes, and after how long without an answer it is repeated.
fn store(words: &mut Words) -> Read<StoreRules> {
    let takes = words.duration()?;
    let retry = words.lasts()?.unwrap_or(StoreRules::PROMPT.retry);
    words.store(StoreRules { takes, retry })
}

fn expiry(words: &mut Words) -> Read<ExpiryPolicy> {
    let choices = [("redispatch", 0), ("grace", 1), ("hold", 2), ("cancel", 3), ("fail", 4)];
    Ok(match words.one_of(&choices)? {
        0 => ExpiryPolicy::Redispatch,
        1 => ExpiryPolicy::Grace(words.positive()?),
        2 => ExpiryPolicy::Hold { alert_after: words.positive()? },
        3 => ExpiryPolicy::Cancel { after: words.lasts()? },
        _ => ExpiryPolicy::Fail,
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
            2 => match words.figure("a number of failed renewals above 0")? {
                0 => return Err("a worker that stops before a renewal fails runs nothing".into()),
                failed => OnLoss::SelfFenceAfter(failed),
            },
            _ => OnLoss::CheckBeforeWrite,
        },
    )
}
