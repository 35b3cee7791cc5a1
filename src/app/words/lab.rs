//! Words of the lab: rules, faults, outcome, verdicts, buttons.

use fenceline_content::words::did_you_mean;
use fenceline_engine::{
    CallRules, ExpiryClock, FenceRaise, HeartbeatSource, LateCompletion, OnLoss, RetryDelay, Span,
};
use fenceline_sim::scenario::Role;
use fenceline_sim::verdict::{Claim, Detail, State, Verdict};
use fenceline_sim::{Act, Path, Record, Stop};

pub use super::sinks::*;

use super::length;
use crate::app::lab::{Derived, Name};
use crate::app::library::{self, Kind};

// --- rules ---

pub const AS_GIVEN: &str = "As this scenario has it.";
pub const LEASE_TOO_SHORT: &str = "Ends before a second heartbeat can arrive.";
pub const LEASE_NO_SPARE: &str = "No renewal may be lost.";
pub const LEASE_THIRD: &str = "One renewal may be lost; the third arrives too late.";
pub const LEASE_LONG: &str = "Survives longer silence, sees a crash later.";

/// What an interval of heartbeats bears: so many renewals lost one after another.
pub fn beat_spare(spare: i64) -> &'static str {
    match spare {
        ..=0 => "The first lost renewal ends the lease.",
        1 => "One lost renewal is survived.",
        2 => "Two lost renewals are survived.",
        _ => "Three lost renewals and more are survived.",
    }
}

pub const SWEEP: &str = "How late an ended lease is noticed, at worst.";
pub const LOSS_IGNORE: &str = "The work is nearly done, why stop.";
pub const LOSS_SELF_FENCE: &str = "Stops when told, or at its own deadline. A paused worker does neither.";
pub const LOSS_AFTER: &str = "Stops after two renewals without an answer.";
pub const LOSS_CHECK: &str = "Looks before each write. A pause after the look undoes it.";
pub const SOURCE_THREAD: &str = "Beats while the task works. Proves the process lives, not that it gets on.";
pub const SOURCE_LOOP: &str = "Starves while the task blocks the loop.";
pub const SOURCE_NOBODY: &str = "The lease is a fixed time limit.";
pub const SOURCE_CHECKPOINT: &str =
    "Only where the task's code says so: a long call between two starves them.";
pub const CLOCK_WALL: &str = "A stored time: simple to inspect, exposed to jumps.";
pub const CLOCK_MONOTONIC: &str = "A stored duration: immune to jumps.";
pub const CLOCK_OBSERVER: &str =
    "Compares no clocks. Sees a renewal at the next sweep, and counts from there.";
pub const CLOCK_STAMP: &str = "Two wall clocks in one comparison: a worker whose clock is behind dies early.";
pub const GUARD_OFF: &str = "A jump of the clock is believed.";
pub const GUARD_ON: &str = "A jump makes the sweep re-evaluate: one clean window.";
pub const LATE_IF_NO_NEWER: &str = "Counts while no newer attempt was granted.";
pub const LATE_ACCEPT: &str = "Counts, whoever holds the lease by now.";
pub const LATE_CANCELS: &str = "Counts, and what runs in its place is killed.";
pub const LATE_REFUSE: &str = "Never counts.";
pub const DELAY_NONE: &str = "At once, all together.";
pub const DELAY_FIXED: &str = "All together, later.";
pub const DELAY_EXPONENTIAL: &str = "Longer each time, still together.";
pub const DELAY_JITTER: &str = "Spread over a window that doubles.";
pub const POOL_OFF: &str = "As many at once as workers have slots.";
pub const POOL: &str = "No more than this many at once.";
pub const CALL_PATIENT: &str = "Waits for ever.";
pub const CALL_TIMEOUT: &str = "Then its outcome is unknown and the attempt fails.";
pub const ATTEMPTS: &str = "After the last, the task fails.";

pub fn on_loss(loss: OnLoss) -> String {
    match loss {
        OnLoss::Ignore => "ignores it".into(),
        OnLoss::SelfFence => "stops itself, at its own deadline too".into(),
        OnLoss::SelfFenceAfter(n) => format!("stops itself, after {n} failed renewals too"),
        OnLoss::CheckBeforeWrite => "looks before each write".into(),
    }
}

pub fn source(source: HeartbeatSource) -> String {
    match source {
        HeartbeatSource::OwnThread => "a thread of their own",
        HeartbeatSource::TaskLoop => "the task's loop",
        HeartbeatSource::Nobody => "nobody",
        HeartbeatSource::Checkpoint => "checkpoints in the task",
    }
    .into()
}

pub fn clock(clock: ExpiryClock) -> String {
    match clock {
        ExpiryClock::Wall => "the wall clock",
        ExpiryClock::Monotonic => "the monotonic clock",
        ExpiryClock::Observer => "how long the record stays unchanged",
        ExpiryClock::WorkerStamp => "the worker's own stamp",
    }
    .into()
}

pub fn guard(limit: Option<Span>) -> String {
    match limit {
        None => "jumps believed".into(),
        Some(limit) => format!("jumps over {} distrusted", length(limit.0)),
    }
}

pub fn late(late: LateCompletion) -> String {
    match late {
        LateCompletion::Accept => "accepted",
        LateCompletion::AcceptAndCancel => "accepted, and a newer attempt killed",
        LateCompletion::Refuse => "refused",
        LateCompletion::IfNoNewer => "accepted if no newer attempt exists",
    }
    .into()
}

pub fn attempts(n: u8) -> String {
    super::plural(i64::from(n), "attempt", "attempts")
}

pub fn delay(delay: RetryDelay) -> String {
    match delay {
        RetryDelay::None => "at once".into(),
        RetryDelay::Fixed(span) => format!("after {}", length(span.0)),
        RetryDelay::Exponential { base, cap } => {
            format!("after {} doubling to {}", length(base.0), length(cap.0))
        }
        RetryDelay::FullJitter { base, cap } => {
            format!("within {} doubling to {}, by chance", length(base.0), length(cap.0))
        }
    }
}

pub fn pool(pool: Option<u16>) -> String {
    match pool {
        None => "every worker".into(),
        Some(slots) => super::plural(i64::from(slots), "slot", "slots"),
    }
}

pub fn call(call: CallRules) -> String {
    match call.timeout {
        None => "waits for ever".into(),
        Some(timeout) if call.retries == 0 => format!("gives up after {}", length(timeout.0)),
        Some(timeout) => {
            format!(
                "waits {} and retries {}",
                length(timeout.0),
                super::plural(i64::from(call.retries), "time", "times")
            )
        }
    }
}

// --- verdicts ---

/// A claim, as a short statement.
pub fn claim(claim: Claim) -> &'static str {
    match claim {
        Claim::OneOutput => "One output per interval",
        Claim::NoStaleOverNewer => "No stale write over a newer one",
        Claim::RowsAsExpected => "The rows are the winner's",
        Claim::EffectsOnce => "Each effect happens once",
        Claim::NoCommitLost => "No accepted commit is lost",
        Claim::TokensInOrder => "Tokens rise",
        Claim::HolderNotRefused => "The holder is not refused",
        Claim::Exclusive => "One execution at a time",
        Claim::OneEnding => "Each attempt has one ending",
        Claim::EndsInBound => "The task ends in its bound",
        Claim::NotBlockedByLeftovers => "Leftovers block nobody",
        Claim::SilentDamage => "Damage raises an alert",
    }
}

// --- acts ---

/// What an act does, without its time: `Pause`, `Cut control path`.
pub fn act(act: &Act) -> String {
    let path = |path: Path| match path {
        Path::Control => "control path",
        Path::Data => "data path",
        Path::Both => "both paths",
    };
    match *act {
        Act::Pause { .. } => "Pause".into(),
        Act::Freeze { .. } => "Suspend the host".into(),
        Act::Crash { .. } => "Crash".into(),
        Act::Reboot { .. } => "Reboot the host".into(),
        Act::Slow { percent, .. } => format!("Slow to {percent} %"),
        Act::Block { .. } => "Hold the loop".into(),
        Act::Cut { path: which, .. } => format!("Cut {}", path(which)),
        Act::Degrade { path: which, latency, .. } => {
            format!("Delay {} by {}", path(which), length(latency.0))
        }
        Act::StepClock { by, .. } => {
            let sign = if by.0 < 0 { "" } else { "+" };
            format!("Step the clock {sign}{}", length(by.0))
        }
        Act::ClockRate { ppm, .. } => format!("Clock off by {ppm} ppm"),
        Act::Input { version, .. } => format!("Input becomes version {version}"),
        Act::Operator { .. } => "Operator decides".into(),
        Act::Redeliver { .. } => "Dispatch delivered again".into(),
        Act::Restore { back, .. } => format!("Back to {} before", length(back.0)),
        Act::Fail { .. } => "Answer with errors".into(),
        Act::ForceUnlock { .. } => "Force the lock".into(),
        Act::Set(_) => "Change a rule".into(),
    }
}

// --- headings and buttons ---

pub const RULES: &str = "Rules in force";
pub const MORE_RULES: &str = "More rules";

/// What another choice would change in this run.
pub fn would(now: &[Verdict], then: &[Verdict]) -> String {
    let changed = now.iter().zip(then).find(|(now, then)| now.state != then.state);
    match changed {
        None => "No verdict changes.".into(),
        Some((_, then)) => format!("{}: {}.", claim(then.claim), state(then.state)),
    }
}

pub fn state(state: State) -> &'static str {
    match state {
        State::Holds => "holds",
        State::Violated => "violated",
        State::NotExercised => "not exercised",
    }
}

/// The glyph of a verdict: it is never told by colour alone.
pub fn glyph(state: State) -> &'static str {
    match state {
        State::Holds => "✓",
        State::Violated => "✕",
        State::NotExercised => "○",
    }
}

/// Why a run was stopped before its end.
pub fn stopped(stop: Stop) -> String {
    match stop {
        Stop::Events(events) => {
            format!("Stopped at {} events, the limit of this page.", super::count(events as i64))
        }
        Stop::Rounds(at) => {
            format!("Stopped at {}: something feeds itself without time passing.", super::instant(at, None))
        }
    }
}

/// What undo would undo.
pub fn edit(name: Name) -> String {
    match name {
        Name::Act(Act::Set(_)) | Name::Change(_, Act::Set(_)) => "the change of a rule".into(),
        Name::Act(done) => lower(&super::faults::offer(&done)),
        Name::End(ended) => lower(&super::faults::ending(&ended)),
        Name::Change(_, moved) => format!("the change of the {}", super::faults::noun(&moved)),
        Name::Remove(removed) => format!("taking away the {}", super::faults::noun(&removed)),
        Name::Remedy(_) => "the remedy".into(),
        Name::Reset => "the reset".into(),
        Name::Branch => "the change of branch".into(),
    }
}

fn lower(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map_or(String::new(), |first| first.to_lowercase().chain(letters).collect())
}

pub const VIEWS: &str = "View of the run";
pub const AS_EVENTS: &str = "Events";
pub const TO_SCALE: &str = "To scale";
pub const AS_TABLE: &str = "Table";
pub const MORE: &str = "Redo, as given, branch";
pub const REDO_NOTE: &str = "Do again what was undone";
pub const RUN: &str = "The run";
pub const UNDO: &str = "Undo";
pub const REDO: &str = "Redo";
pub const NOTHING_TO_UNDO: &str = "Undo: nothing was changed";
pub const NOTHING_TO_REDO: &str = "Redo: nothing was undone";
pub const IS_AS_GIVEN: &str = "The run is as given";
pub const NO_BRANCH: &str = "Branch: no other run is kept yet";
pub const RESET: &str = "As given";
pub const RESET_NOTE: &str = "Back to the scenario's own faults and rules";
pub const BRANCH: &str = "Branch";
pub const BRANCH_NOTE: &str = "The old run is kept under Branch: change places with it";
pub const TRANSPORT: &str = "Transport";
pub const PLAY: &str = "▶ Play";
pub const PAUSE: &str = "❚❚ Pause";
pub const BACK: &str = "Back";
pub const STEP: &str = "Step";
pub const FIRST_VIOLATION: &str = "First violation";
/// What to do first.
pub const TRY: &str = "drag the ruler, or a fault's end";
pub const NO_VIOLATION: &str = "Nothing is violated in this run";
pub const CURSOR: &str = "Cursor";
pub const SPEED: &str = "Speed";
pub const SELECTED: &str = "Selected";
pub const NO_GUARD: &str = "the sink takes it";
pub const NOTHING_VIOLATED: &str = "Holds in this run";
pub const VERDICTS: &str = "Verdicts";
pub const COST: &str = "Cost of this run";
pub const PAUSE_BEFORE: &str = "pause before";
pub const TRACE: &str = "Trace";
pub const EVERY_RECORD: &str = "every record";
pub const WHEN: &str = "when";
pub const WHERE: &str = "where";
pub const WHAT: &str = "what";

pub fn undo(what: &str) -> String {
    format!("Undo {what}")
}

pub fn redo(what: &str) -> String {
    format!("Redo {what}")
}

pub fn violated(broken: Claim) -> String {
    format!("Violated: {}", lower(claim(broken)))
}

pub fn not_proof(unexercised: usize) -> String {
    match unexercised {
        0 => "Not proof: another schedule may break it.".into(),
        n => format!("Not proof: {} not exercised.", super::plural(n as i64, "claim was", "claims were")),
    }
}

pub fn not_exercised(n: usize) -> String {
    format!("{n} not exercised")
}

pub fn program_of(attempt: u8) -> String {
    format!("Program of attempt {attempt}")
}

/// A claim with its figures.
pub fn claim_with(of: Claim, detail: Detail) -> String {
    match detail {
        Detail::Rows(rows) if rows.visible != rows.expected => {
            format!(
                "Rows: {}, expected {}",
                super::count(0_i64.saturating_add_unsigned(rows.visible)),
                super::count(0_i64.saturating_add_unsigned(rows.expected))
            )
        }
        Detail::Effects(effects) if effects.done != effects.expected => {
            format!("Effects: {}, expected {}", effects.done, effects.expected)
        }
        _ => claim(of).to_owned(),
    }
}

/// Where a fence stands and still lets the stale write in: what it stood at, and why.
pub fn late_fence(derived: &Derived, record: &Record, broken: Option<Claim>) -> Option<String> {
    let Role::Sink(index) = derived.scenario.role(record.node) else { return None };
    let sink = derived.scenario.sinks.get(index)?;
    let fence = sink.rules.fence.filter(|fence| fence.raise == FenceRaise::FirstWrite)?;
    let _ = (fence, broken?);
    let stale =
        derived.truth.stale_writes.iter().find(|write| write.accepted && write.exec.task == record.task)?;
    Some(format!("The fence still stood at {}: token {} had not written yet.", stale.token.0, stale.newest.0))
}

pub const UNREADABLE: &str =
    "This scenario cannot be read. Reload the page; if that does not help, it was built wrongly.";

pub fn no_scenario(id: &str) -> String {
    let runs = library::all(Kind::Scenario).chain(library::all(Kind::Incident));
    let hint = did_you_mean(id, runs.map(|entry| entry.id));
    format!(
        "there is no scenario `{id}`{}",
        if hint.is_empty() { ". All of them are under Incidents" } else { &hint }
    )
}

/// Why there is no link to a run.
pub fn too_long(acts: usize) -> String {
    format!(
        "No link was copied: the run has {acts} acts, and a link may carry {}.",
        fenceline_content::link::MAX_ACTS
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_nearly_right_is_put_right() {
        assert_eq!(no_scenario("flagshp"), "there is no scenario `flagshp`. Did you mean `flagship`?");
        assert_eq!(no_scenario("x"), "there is no scenario `x`. All of them are under Incidents");
    }
}
