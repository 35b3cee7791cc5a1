//! Words of the two accounts and of the next step.

use fenceline_engine::{AttemptState, TaskState, Token};
use fenceline_sim::alert::{About, AlertSource};
use fenceline_sim::scenario::{AlertRule, Role};
use fenceline_sim::story::{Attempt, Told};
use fenceline_sim::verdict::{Claim, RowCounts};
use fenceline_sim::{Act, Scenario, When};

use super::event::Names;
use super::{count, instant, length, plural};

pub const SCHEDULER_SAYS: &str = "The scheduler says";
pub const THE_TRUTH: &str = "The truth";
pub const SUCCESS: &str = "success";
pub const NOTHING: &str = "nothing to do";
pub const AS_EXPECTED: &str = ", as expected";
pub const SO_FAR: &str = " so far";
pub const LIBRARY: &str = "Pick another failure";

pub fn alerts(n: usize) -> String {
    plural(i64::try_from(n).unwrap_or(i64::MAX), "alert", "alerts")
}

pub fn all_succeeded(n: usize) -> String {
    format!("all {n} succeeded")
}

pub fn progress(succeeded: usize, total: usize) -> String {
    format!("{succeeded} of {total} succeeded")
}

pub fn progress_rest(running: usize, failed: usize, alerts: &str) -> String {
    match failed {
        0 => format!(", {running} running, {alerts}"),
        failed => format!(", {failed} failed, {running} running, {alerts}"),
    }
}

pub fn task_state(state: TaskState, attempt_state: Option<AttemptState>, attempt: usize) -> String {
    match (state, attempt_state) {
        (TaskState::Waiting, _) => "not due yet".into(),
        (TaskState::Queued, Some(_)) => format!("attempt {attempt} ended, to be retried"),
        (TaskState::Queued, None) => "queued".into(),
        (TaskState::Running, Some(AttemptState::Held)) => format!("attempt {attempt} is held"),
        (TaskState::Running, Some(AttemptState::Stopping)) => format!("attempt {attempt} is asked to stop"),
        (TaskState::Running, _) => format!("attempt {attempt} runs"),
        (TaskState::Succeeded, _) => SUCCESS.into(),
        (TaskState::Failed, _) => "failed".into(),
        (TaskState::Skipped, _) => "skipped".into(),
    }
}

pub fn task_rest(state: TaskState, token: Option<Token>, alerts: &str) -> String {
    match (state, token) {
        (TaskState::Running, Some(token)) => format!(", token {}, {alerts}", token.0),
        _ => format!(", {alerts}"),
    }
}

pub fn rows(rows: RowCounts) -> String {
    if rows.visible == rows.expected {
        return format!("{} outdated rows", count(signed(rows.outdated.max(rows.foreign))));
    }
    format!("{} rows", count(signed(rows.visible)))
}

fn signed(n: u64) -> i64 {
    0_i64.saturating_add_unsigned(n)
}

pub fn not_expected(expected: u64) -> String {
    format!(", not {}", count(signed(expected)))
}

pub fn effects(done: u32) -> String {
    format!("done {}", times(done))
}

fn times(n: u32) -> String {
    match n {
        0 => "never".into(),
        1 => "once".into(),
        2 => "twice".into(),
        n => format!("{n} times"),
    }
}

pub fn effects_done(n: i64) -> String {
    plural(n, "effect", "effects")
}

pub fn rows_there(n: i64) -> String {
    plural(n, "row", "rows")
}

/// A claim, broken, as a statement of fact.
pub fn broken(claim: Claim, tasks: usize) -> String {
    let subject = |one: &str, many: &str| if tasks > 1 { format!("{tasks} {many}") } else { one.to_owned() };
    match claim {
        Claim::OneOutput => "two outputs".into(),
        Claim::NoStaleOverNewer => "a stale write replaced a newer one".into(),
        Claim::RowsAsExpected => "wrong rows".into(),
        Claim::EffectsOnce => "an effect not done once".into(),
        Claim::NoCommitLost => "an accepted commit was lost".into(),
        Claim::TokensInOrder => "tokens out of order".into(),
        Claim::HolderNotRefused => "the holder was refused".into(),
        Claim::Exclusive => "two ran at once".into(),
        Claim::OneEnding => "an attempt ended twice".into(),
        Claim::EndsInBound => format!("{} late", subject("the task is", "tasks are")),
        Claim::NotBlockedByLeftovers => "a leftover blocks the retry".into(),
        Claim::SilentDamage => "damage without an alert".into(),
    }
}

/// The button that puts a scenario's first fault back.
pub fn put_back(act: &Act, when: When, scenario: &Scenario, starts: Option<u32>) -> String {
    let name = super::faults::offer(act);
    let whom = act.node().map_or(String::new(), |node| match scenario.role(node) {
        Role::Scheduler => {
            let name = scenario.standby_name(node);
            name.map_or_else(|| " the scheduler".into(), |name| format!(" {name}"))
        }
        Role::Worker(index) => scenario.workers.get(index).map_or(String::new(), |w| format!(" {}", w.name)),
        Role::Sink(index) => scenario.sinks.get(index).map_or(String::new(), |s| format!(" {}", s.name)),
        Role::Executor => scenario.executor.as_ref().map_or(String::new(), |name| format!(" {name}")),
        Role::Store => scenario.store.as_ref().map_or(String::new(), |name| format!(" {name}")),
        Role::Operator => String::new(),
    });
    match when {
        When::At(at) => format!("{name}{whom} at {}", instant(at, starts)),
        When::BeforeStep { .. } | When::HalfDispatched { .. } => format!("{name}{whom}"),
    }
}

pub const HOLDS: &str = "holds";

/// Why a claim was not put to the test yet.
pub fn idle(claim: Claim) -> &'static str {
    match claim {
        Claim::OneOutput => "one writer so far",
        Claim::NoStaleOverNewer => "no older write so far",
        Claim::EffectsOnce => "asked once so far",
        Claim::EndsInBound => "not due yet",
        Claim::TokensInOrder => "one grant so far",
        Claim::NotBlockedByLeftovers => "nothing left behind so far",
        _ => "nothing to judge yet",
    }
}

/// `two outputs from 85.4 s`.
pub fn from_when(what: &str, when: &str) -> String {
    format!("{what} from {when}")
}

/// A claim in two words, for its rail.
pub fn short_claim(claim: Claim) -> &'static str {
    match claim {
        Claim::OneOutput => "One output",
        Claim::NoStaleOverNewer => "No stale write",
        Claim::RowsAsExpected => "Right rows",
        Claim::EffectsOnce => "Effects once",
        Claim::NoCommitLost => "No commit lost",
        Claim::TokensInOrder => "Tokens rise",
        Claim::HolderNotRefused => "Holder served",
        Claim::Exclusive => "One at a time",
        Claim::OneEnding => "One ending",
        Claim::EndsInBound => "Ends in bound",
        Claim::NotBlockedByLeftovers => "No leftovers",
        Claim::SilentDamage => "Alert raised",
    }
}

/// What the scheduler says of a task, in one line.
pub fn told(told: Told, names: &Names) -> String {
    let of = |attempt: Attempt| format!("attempt {}, token {}", attempt.attempt, attempt.token.0);
    match told {
        Told::Waiting => "not due yet".into(),
        Told::Queued => "queued".into(),
        Told::Runs(attempt) => format!("{} runs on {}", of(attempt), names.within(attempt.owner)),
        Told::Stopping(attempt) => format!("{} is asked to stop", of(attempt)),
        Told::Held(attempt) => format!("{} is held for an operator", of(attempt)),
        Told::Succeeded => "success".into(),
        Told::Failed => "failed".into(),
        Told::Skipped => "skipped".into(),
    }
}

/// An alert, in one line. `task` gives a task's name.
pub fn alert(source: AlertSource, about: About, names: &Names, task: impl Fn(usize) -> String) -> String {
    let what = match source {
        AlertSource::Held => "an expired lease is held for an operator".into(),
        AlertSource::Rule(AlertRule::LeaseExpired(after)) => {
            format!("a lease is over for {}", length(after.0))
        }
        AlertSource::Rule(AlertRule::Retried) => "an attempt was retried".into(),
        AlertSource::Rule(AlertRule::TwoOpen) => "two attempts are open at once".into(),
        AlertSource::Rule(AlertRule::FencedWrite) => "a write was fenced".into(),
        AlertSource::Rule(AlertRule::SchedulerSilent(after)) => format!("not heard for {}", length(after.0)),
        AlertSource::Rule(AlertRule::Reconcile(_)) => "rows counted do not match".into(),
    };
    let whom = match about {
        About::Task(of) => task(usize::from(of.0)),
        About::Target { task: of, sink } => format!("{} at {}", task(usize::from(of.0)), names.within(sink)),
        About::Scheduler => "the scheduler".into(),
    };
    format!("ALERT {whom}: {what}")
}
