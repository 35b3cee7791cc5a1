//! What stands left of a lane: its name, the names of its strips, and its state in a word.

use fenceline_engine::Ending;
use fenceline_sim::Kind;

pub const SCHEDULER: &str = "Scheduler";
/// Over its lane on the phone.
pub const SCHEDULER_SHORT: &str = "sched";
pub const EXECUTING: &str = "Executing";
pub const EXECUTING_NOTE: &str = "attempts at once";
pub const TASKS_NOTE: &str = "one row each, its attempts one after another";
pub const EVENTS: &str = "Events of the run, a row for each lane";

pub fn tasks(count: usize) -> String {
    format!("{} tasks", super::count(count as i64))
}

/// A task without a name of its own.
pub fn task(number: usize) -> String {
    format!("task {number}")
}

/// An event in its lane, as it is read aloud.
pub fn event(said: &str, when: &str, nth: usize, count: usize) -> String {
    format!("{said}, {when}, event {nth} of {count}")
}

// --- strips ---

pub const STORY: &str = "story";
pub const RUNS: &str = "runs";
pub const BELIEVES: &str = "believes";
pub const LEASE: &str = "lease";
pub const FENCE: &str = "fence";
pub const STAGING: &str = "staging";
pub const LOCK: &str = "lock";
pub const SENT: &str = "sent";
pub const DONE: &str = "done";
pub const IN_SERVICE: &str = "in service";
pub const HOLDS: &str = "holds";
pub const ITS_CLOCK: &str = "its clock";

// --- states ---

pub const IDLE: &str = "idle";
pub const DOWN: &str = "down";
pub const BACK: &str = "back";
pub const LEADS: &str = "leads";
pub const STANDS_BY: &str = "stands by";
pub const PAUSED: &str = "paused";
pub const PAUSED_LEASE_OVER: &str = "paused, its lease over";
pub const WITHOUT_LEASE: &str = "runs without a lease";
pub const RESTARTED: &str = "restarted";

pub fn runs(attempt: u8) -> String {
    format!("runs attempt {attempt}")
}

/// A scheduler that something was done to; none where it goes on deciding.
pub fn scheduler(done: Kind) -> Option<&'static str> {
    match done {
        Kind::Crashed => Some(DOWN),
        Kind::Paused => Some(PAUSED),
        Kind::Frozen => Some("suspended"),
        _ => None,
    }
}

/// A worker whose execution has ended; `lost`: after its lease.
pub fn ended(how: Ending, lost: bool) -> &'static str {
    match how {
        Ending::Finished if lost => "finished without a lease",
        Ending::Finished => IDLE,
        Ending::SelfFenced => "stopped itself",
        Ending::Fenced => "stopped by the fence",
        Ending::NoAnswer | Ending::Errored => "gave up",
        Ending::Denied => "may not commit",
        Ending::Leftover => "failed on a leftover",
        Ending::Crashed => "crashed",
        Ending::Killed => "killed",
        Ending::StoodDown => "dropped it",
        Ending::Replaced => "replaced",
        Ending::Conflict => "lost the race",
    }
}
