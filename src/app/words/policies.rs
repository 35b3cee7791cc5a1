//! Words for what the scheduler decides: on expiry, on dispatch, on restart.

use fenceline_engine::{
    BeatsTo, Child, DispatchOrder, ExpiryPolicy, KillReport, KillRules, LeaseScope, Limit, Misfire, Overlap,
    Respawn, RestartPolicy, Signal, Span, StartGuard, StoreRules,
};

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
