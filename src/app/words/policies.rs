//! Words for what the scheduler decides: on expiry, on dispatch, on restart.

use fenceline_engine::{
    BeatsTo, BeliefClock, Child, DispatchOrder, ExpiryPolicy, KillReport, KillRules, LeaseScope, Limit,
    Misfire, Overlap, OwnerBy, Respawn, RestartPolicy, Returning, SameOwner, Signal, Span, StartGuard,
    StoreRules, WakeOrder,
};

use fenceline_sim::scenario::AlertRule;

use super::length;

pub const EXPIRY_REDISPATCH: &str = "Most progress, most concurrency: two may run at once.";
pub const EXPIRY_GRACE: &str = "Asks the worker to stop and waits. How long is a guess.";
pub const EXPIRY_HOLD: &str = "No duplicate, no progress: an operator decides.";
pub const EXPIRY_CANCEL: &str =
    "Nothing until the death is confirmed. The dead, and the cut off, confirm nothing.";
pub const EXPIRY_CANCEL_WITHIN: &str =
    "The wait for a confirmation has an end. What did not hear the order runs on.";
pub const EXPIRY_FAIL: &str = "No second attempt. What still runs may finish all the same.";
pub const RECORD_FIRST: &str = "A crash between the two leaves a grant that nobody received.";
pub const SEND_FIRST: &str = "A crash between the two leaves work that nobody knows of, to be sent again.";
pub const RESTART_SWEEP: &str = "Leases that ran out meanwhile are over, though nobody listened.";
pub const RESTART_RESET: &str = "A clean table. What still runs is not asked, and runs on.";
pub const RESTART_ADOPT: &str = "What runs goes on. What died meanwhile is found one lease later.";
pub const RESTART_RECORDED: &str = "Trusts what was seen to arrive. What arrived unseen is doubled.";
pub const RESTART_WAIT: &str = "One full lease of patience: whoever lives renews.";

pub const KILL_CONFIRMED: &str =
    "Says so when it is true: as late as the host, and not at all if that is cut off.";
pub const KILL_REQUESTED: &str = "Says so when it has the order. What it is to kill may write for a while.";
pub const CHILD_ENDS: &str = "Whoever stops the wrapper stops what it runs.";
pub const CHILD_OUTLIVES: &str =
    "The wrapper is dead, and the work goes on: nothing beats for it, nothing can call it back.";

pub const SCOPE_ATTEMPT: &str = "Each beats for itself, and hears of its own loss.";
pub const SCOPE_WORKER: &str = "One beat for all it holds: less load, and one silence ends them all.";

pub fn scope(scope: LeaseScope) -> String {
    match scope {
        LeaseScope::Attempt => "one attempt",
        LeaseScope::Worker => "all that a worker holds",
    }
    .into()
}

pub const CAPACITY_OFF: &str = "Every heartbeat is handled as it arrives.";
pub const CAPACITY: &str = "Above it heartbeats wait for each other, and those that wait renew nothing.";

pub fn capacity(capacity: Option<u32>) -> String {
    match capacity {
        None => "as they come".into(),
        Some(capacity) => format!("{} a minute", super::count(i64::from(capacity))),
    }
}

pub const LIMIT_NONE: &str = "As long as somebody beats for it, it may take for ever.";
pub const LIMIT_SILENT: &str = "The attempt does not hear that it is given up, and runs on.";
pub const LIMIT_KILL: &str = "Its worker is ordered to kill it. Nobody waits for the death.";

pub fn limit(limit: Option<Limit>) -> String {
    match limit {
        None => "for ever".into(),
        Some(Limit { after, signal: Signal::None }) => format!("for {}", length(after.0)),
        Some(Limit { after, signal: Signal::Kill }) => format!("for {}, and is killed then", length(after.0)),
    }
}

pub const MISFIRE_ALL: &str = "All at once, when it comes back: nothing is lost, and a pool is full.";
pub const MISFIRE_LATEST: &str = "One run for all of them: enough where each covers what came before.";
pub const MISFIRE_SKIP: &str = "The next one on time. Their data waits for somebody to ask for it.";
pub const LEADERSHIP_LENGTH: &str = "A standby leads then, whatever the other does.";
pub const EPOCH_ON: &str = "Its epoch is compared at each write.";
pub const EPOCH_OFF: &str = "Two decide at once, neither knowing of the other.";
pub const BEATS_TO_SCHEDULER: &str = "What is sent while it is down is lost.";
pub const BEATS_TO_STORE: &str = "The scheduler may be down, and renewals count.";
pub const STORE_TAKES: &str = "Calls wait for each other, and the scheduler for its own.";
pub const OVERLAP_ALLOW: &str = "Two at once, if the first is slow.";
pub const OVERLAP_WAIT: &str = "One at a time by the record. What the record has as ended may still run.";
pub const OVERLAP_SKIP: &str = "A slow run costs the next ones.";
pub const PREFETCH_OFF: &str = "What has no slot waits with the scheduler, without a lease.";
pub const PREFETCH_ON: &str = "Saves a round trip. What waits there is under a lease that nobody renews.";
pub const RESPAWN_NEVER: &str = "What ran is lost with the process; the lease finds out.";
pub const RESPAWN_AGAIN: &str = "The same attempt and token, a second execution. The scheduler is not asked.";
pub const GUARD_RUNS: &str = "Twice is then up to the sink.";
pub const GUARD_SILENT: &str = "Nobody hears of it: without a lease the task stands for ever.";
pub const GUARD_REPORTS: &str = "The attempt is over, and the scheduler may grant the next.";

pub const EXPIRY_COUNTS: &str = "A task that is slow fails, as one that breaks does.";
pub const EXPIRY_FREE: &str =
    "Only what a worker reports as failed counts: what never ends in time is begun for ever.";
pub const RETURN_REFUSE: &str = "It hears that its lease is lost.";
pub const RETURN_IGNORE: &str = "It hears nothing, and goes on.";
pub const RETURN_KEEP: &str = "Its work is not lost. Its token is old: a fence may turn it away.";
pub const OWNER_TOKEN: &str = "A dead attempt is kept alive by nobody.";
pub const OWNER_NAME: &str = "Whoever has the name keeps the lease alive, and may end the attempt.";
pub const SAME_BOTH: &str = "Two at once, in one place.";
pub const SAME_REPLACE: &str = "One at a time here; what the older has sent is on its way.";
pub const SAME_IGNORE: &str = "The newer one waits for a beat that nobody sends.";

pub fn expiry_counts(counts: bool) -> String {
    if counts { "counts as one" } else { "counts as none" }.into()
}

pub fn returning(returning: Returning) -> String {
    match returning {
        Returning::Refuse => "is told so",
        Returning::Ignore => "gets no answer",
        Returning::Keep => "is kept, and a newer one cancelled",
    }
    .into()
}

pub fn owner(owner: OwnerBy) -> String {
    match owner {
        OwnerBy::Token => "by the token",
        OwnerBy::Name => "by its name",
    }
    .into()
}

pub fn same_owner(same: SameOwner) -> String {
    match same {
        SameOwner::Both => "runs both",
        SameOwner::Replace => "kills the older",
        SameOwner::Ignore => "drops the newer",
    }
    .into()
}

pub const BELIEF_MONOTONIC: &str = "Counts how long it is. A step of the clock changes nothing.";
pub const BELIEF_WALL: &str = "A clock set back makes it count on a lease that is over.";
pub const WAKE_TIMERS: &str = "Its own deadline is seen before anything is written.";
pub const WAKE_MESSAGES: &str = "What it was told meanwhile comes first.";
pub const WAKE_PROGRAM: &str = "The write goes out before anything says how late it is.";

pub fn belief(clock: BeliefClock) -> String {
    match clock {
        BeliefClock::Monotonic => "its monotonic clock",
        BeliefClock::Wall => "its wall clock",
    }
    .into()
}

pub fn wake(order: WakeOrder) -> String {
    match order {
        WakeOrder::Timers => "its timers",
        WakeOrder::Messages => "its messages",
        WakeOrder::Program => "the program",
    }
    .into()
}

pub fn misfire(misfire: Misfire) -> String {
    match misfire {
        Misfire::RunAll => "runs all".into(),
        Misfire::RunLatest { late } => format!("runs the latest, of those {} late", length(late.0)),
        Misfire::Skip { late } => format!("runs none that is {} late", length(late.0)),
    }
}

pub fn overlap(overlap: Overlap) -> String {
    match overlap {
        Overlap::Allow => "runs beside it",
        Overlap::Wait => "waits for it",
        Overlap::Skip => "is skipped",
    }
    .into()
}

pub fn leadership(lease: Span) -> String {
    format!("{} after it was heard last", length(lease.0))
}

pub fn epoch(checks: bool) -> String {
    if checks { "is refused by the store" } else { "is recorded too" }.into()
}

pub fn beats_to(to: BeatsTo) -> String {
    if to == BeatsTo::Store { "the store" } else { "the scheduler" }.into()
}

pub fn store(store: StoreRules) -> String {
    format!("{} a call", length(store.takes.0))
}

pub fn prefetch(beyond: u16) -> String {
    match beyond {
        0 => "none in waiting".into(),
        beyond => format!("{beyond} in waiting"),
    }
}

pub fn respawn(respawn: Respawn) -> String {
    match respawn {
        Respawn::Never => "has lost what it ran",
        Respawn::Again => "starts what it ran again",
    }
    .into()
}

pub fn start_guard(guard: StartGuard) -> String {
    match guard {
        StartGuard::Off => "runs it",
        StartGuard::Silent => "drops it without a word",
        StartGuard::Reports => "drops it and says so",
    }
    .into()
}

pub const ALERT_NONE: &str = "Damage is found by whoever reads the numbers.";
pub const ALERT_RETRIED: &str = "Each retry is one: early, and mostly about nothing.";
pub const ALERT_FENCED: &str = "Says that a fence held. What no fence saw it does not say.";
pub const ALERT_EXPIRED: &str = "Somebody died or was paused. Whether it came back it does not say.";
pub const ALERT_TWO: &str = "An older attempt was heard while a newer one is open: a zombie, for certain.";
pub const ALERT_SILENT: &str = "Watches the watchdog.";
pub const ALERT_RECONCILE: &str = "Rows are counted against what they should be: sure, and late.";

/// When the platform tells somebody.
pub fn alerts(rules: &[AlertRule]) -> String {
    match rules {
        [] => "never".into(),
        [one] => alert(*one),
        [first, rest @ ..] => format!("{} and {} more", alert(*first), rest.len()),
    }
}

pub fn alert(rule: AlertRule) -> String {
    match rule {
        AlertRule::LeaseExpired(after) => format!("{} after an expiry", length(after.0)),
        AlertRule::Retried => "on each retry".into(),
        AlertRule::FencedWrite => "when a write is fenced".into(),
        AlertRule::SchedulerSilent(after) => format!("after {} of a silent scheduler", length(after.0)),
        AlertRule::TwoOpen => "when two attempts are open".into(),
        AlertRule::Reconcile(every) => format!("when rows, counted every {}, are wrong", length(every.0)),
    }
}

pub fn kill(rules: KillRules) -> String {
    let wait = if rules.delay.0 > 0 { format!("after {}", length(rules.delay.0)) } else { "at once".into() };
    match rules.report {
        KillReport::Confirmed => format!("{wait}, and confirms the death"),
        KillReport::Requested => format!("{wait}, and confirms the order"),
    }
}

pub fn child(child: Child) -> String {
    match child {
        Child::Ends => "ends with its wrapper",
        Child::Outlives => "outlives its wrapper",
    }
    .into()
}

pub fn expiry(policy: ExpiryPolicy) -> String {
    match policy {
        ExpiryPolicy::Redispatch => "re-dispatches".into(),
        ExpiryPolicy::Grace(grace) => format!("waits {} and re-dispatches", length(grace.0)),
        ExpiryPolicy::Hold { alert_after } => {
            format!("holds for an operator, alert after {}", length(alert_after.0))
        }
        ExpiryPolicy::Cancel { after: Some(after) } => {
            format!("has it killed, re-dispatches when told so or after {}", length(after.0))
        }
        ExpiryPolicy::Cancel { after: None } => "has it killed, re-dispatches when told so".into(),
        ExpiryPolicy::Fail => "fails the task".into(),
    }
}

pub fn dispatch(order: DispatchOrder) -> String {
    match order {
        DispatchOrder::RecordFirst => "recorded, then sent",
        DispatchOrder::SendFirst => "sent, then recorded",
    }
    .into()
}

pub fn restart(restart: RestartPolicy) -> String {
    match restart {
        RestartPolicy::Sweep => "judges every lease at once",
        RestartPolicy::Reset => "gives all attempts up",
        RestartPolicy::Adopt => "adopts all attempts",
        RestartPolicy::AdoptIfRecorded => "adopts those recorded as delivered",
        RestartPolicy::Wait => "waits one lease first",
    }
    .into()
}
