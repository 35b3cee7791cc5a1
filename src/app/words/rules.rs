//! Words of the rules' sentence: what stands between its values, and what each value is of. The values
//! themselves are in `words::lab`.

pub const LEASE_LASTS: &str = "The lease lasts ";
pub const HEARTBEAT_EVERY: &str = "; a heartbeat every ";
pub const SWEEPS_EVERY: &str = " renews it; the scheduler sweeps every ";
pub const ON_EXPIRY: &str = " and on expiry ";
pub const TOLD_LOST: &str = ". A worker told it lost its lease ";
pub const IS_FENCED: &str = " and is fenced ";
pub const STOP: &str = ".";

pub const LEASE_OF: &str = "A lease is of ";
pub const HEARTBEATS_FROM: &str = ". Heartbeats come from ";
pub const ARE_HANDLED: &str = " and are handled ";
pub const EXPIRY_JUDGED_BY: &str = ". Expiry is judged by ";
pub const COMMA: &str = ", ";
pub const GRANT_IS: &str = ". A grant is ";
pub const RESTARTED: &str = "; a restarted scheduler ";
pub const LATE_IS: &str = ". A late completion is ";
pub const TASK_GETS: &str = ". A task gets ";
pub const RETRIED: &str = ", retried ";
pub const OVER: &str = ", over ";
pub const MAY_HANG: &str = ". An attempt may stay at one step ";
pub const MAY_RUN: &str = ", and run ";
pub const MISSED: &str = ". Of intervals it missed the scheduler ";
pub const OVERLAP: &str = "; one whose predecessor has not ended ";
pub const PREFETCH: &str = "; a worker holds ";
pub const RESPAWN: &str = ". A process that comes back ";
pub const START_GUARD: &str = "; one that gets what was started before ";
pub const PROGRAM: &str = ". A program ";
pub const LEADERSHIP: &str = ". A scheduler leads until ";
pub const EPOCH: &str = "; what an older leader decides ";
pub const RENEWED_BY: &str = ". Leases are renewed by ";
pub const STORE_TAKES: &str = "; the store takes ";
pub const EXECUTOR_KILLS: &str = "; the executor kills ";
pub const EXPIRY_COUNTS: &str = ", of which one that expired ";
pub const RETURNING: &str = ". One that was given up and beats again ";
pub const OWNER: &str = "; an owner is known ";
pub const SAME_OWNER: &str = "; one that gets a new attempt beside an older ";
pub const BELIEF: &str = ". It reckons its lease by ";
pub const WAKE: &str = ", and after a stop does first ";
pub const CALL_TO_SINK: &str = ". A call to a sink ";

/// What a value is of.
pub mod name {
    pub const LEASE: &str = "Lease";
    pub const HEARTBEAT: &str = "Heartbeat";
    pub const SWEEP: &str = "Sweep";
    pub const EXPIRY: &str = "On expiry";
    pub const LOSS: &str = "On losing the lease";
    pub const SINK: &str = "The sink";
    pub const FENCE: &str = "The fence";
    pub const SOURCE: &str = "Heartbeats come from";
    pub const CLOCK: &str = "Expiry clock";
    pub const GUARD: &str = "Jump guard";
    pub const DISPATCH: &str = "Dispatch";
    pub const RESTART: &str = "On restart";
    pub const LATE: &str = "Late completion";
    pub const ATTEMPTS: &str = "Attempts";
    pub const DELAY: &str = "Retry delay";
    pub const POOL: &str = "Pool";
    pub const SCOPE: &str = "A lease is of";
    pub const CAPACITY: &str = "Heartbeats handled";
    pub const PROGRESS: &str = "Without progress";
    pub const RUN: &str = "In all";
    pub const MISFIRE: &str = "Missed intervals";
    pub const OVERLAP: &str = "Overlap";
    pub const PREFETCH: &str = "Prefetch";
    pub const RESPAWN: &str = "Respawn";
    pub const START_GUARD: &str = "Start guard";
    pub const CHILD: &str = "Child process";
    pub const LEADERSHIP: &str = "Leadership";
    pub const EPOCH: &str = "Epoch";
    pub const BEATS_TO: &str = "Heartbeats go to";
    pub const STORE: &str = "The store";
    pub const KILL: &str = "Kill";
    pub const EXPIRY_COUNTS: &str = "An expired attempt";
    pub const RETURNING: &str = "On return";
    pub const OWNER: &str = "Owners are known";
    pub const SAME_OWNER: &str = "Beside an older attempt";
    pub const BELIEF: &str = "The holder's clock";
    pub const WAKE: &str = "After a stop";
    pub const CALL: &str = "Calls to a sink";
    pub const ALERTS: &str = "Alerts";
}

/// Before the figure of renewals that may be lost.
pub const ALERTS: &str = ". An alert goes off ";
pub const SURVIVES: &str = " Survives ";
/// Before the time in which a crash is seen.
pub fn sees_a_crash(spare: i64) -> &'static str {
    if spare == 1 { " lost renewal. Sees a crash within " } else { " lost renewals. Sees a crash within " }
}
/// Between that and the load.
pub const AND: &str = ". ";
pub const MESSAGE: &str = " message a minute per task.";
pub const MESSAGES: &str = " messages a minute per task.";
