//! The part of the sentence that holds rules which matter less often.

use fenceline_engine::{
    BeatsTo, BeliefClock, CallRules, Child, DispatchOrder, ExpiryClock, HeartbeatSource, KillReport,
    KillRules, LateCompletion, LeaseScope, Limit, Misfire, Overlap, OwnerBy, Respawn, RestartPolicy,
    RetryDelay, Returning, Rules, SameOwner, Signal, Span, StartGuard, StoreRules, TimerClock, WakeOrder,
};
use fenceline_sim::scenario::AlertRule;
use fenceline_sim::{Scenario, Setting};

use super::{Piece, one_of, slot, text};
use crate::app::words::rules::{self as say, name};
use crate::app::words::{lab as words, policies};

pub(super) fn more(scenario: &Scenario) -> Vec<Piece> {
    let rules = &scenario.rules;
    let source = [
        (HeartbeatSource::OwnThread, words::SOURCE_THREAD),
        (HeartbeatSource::TaskLoop, words::SOURCE_LOOP),
        (HeartbeatSource::Nobody, words::SOURCE_NOBODY),
        (HeartbeatSource::Checkpoint, words::SOURCE_CHECKPOINT),
    ];
    let clock = [
        (ExpiryClock::Wall, words::CLOCK_WALL),
        (ExpiryClock::Observer, words::CLOCK_OBSERVER),
        (ExpiryClock::WorkerStamp, words::CLOCK_STAMP),
        (ExpiryClock::Monotonic, words::CLOCK_MONOTONIC),
    ];
    let clocks = if scenario.beats_to_store().is_some() { 3 } else { 4 };
    let guard = [(None, words::GUARD_OFF), (Some(Span::secs(10)), words::GUARD_ON)];
    let dispatch = [
        (DispatchOrder::RecordFirst, policies::RECORD_FIRST),
        (DispatchOrder::SendFirst, policies::SEND_FIRST),
    ];
    let restart = [
        (RestartPolicy::Sweep, policies::RESTART_SWEEP),
        (RestartPolicy::Reset, policies::RESTART_RESET),
        (RestartPolicy::Adopt, policies::RESTART_ADOPT),
        (RestartPolicy::AdoptIfRecorded, policies::RESTART_RECORDED),
        (RestartPolicy::Wait, policies::RESTART_WAIT),
    ];
    let late = [
        (LateCompletion::IfNoNewer, words::LATE_IF_NO_NEWER),
        (LateCompletion::Accept, words::LATE_ACCEPT),
        (LateCompletion::AcceptAndCancel, words::LATE_CANCELS),
        (LateCompletion::Refuse, words::LATE_REFUSE),
    ];
    let (base, cap) = (Span::secs(10), Span::secs(120));
    let delay = [
        (RetryDelay::None, words::DELAY_NONE),
        (RetryDelay::Fixed(base), words::DELAY_FIXED),
        (RetryDelay::Exponential { base, cap }, words::DELAY_EXPONENTIAL),
        (RetryDelay::FullJitter { base, cap }, words::DELAY_JITTER),
    ];
    let pool =
        [(None, words::POOL_OFF), (Some(4), words::POOL), (Some(8), words::POOL), (Some(30), words::POOL)];
    let call = [
        (CallRules::PATIENT, words::CALL_PATIENT),
        (CallRules { timeout: Some(Span::secs(10)), retries: 0 }, words::CALL_TIMEOUT),
    ];
    let attempts = [1, 2, 3, 5].map(|count| (count, words::ATTEMPTS));
    let mut pieces = vec![
        text(say::LEASE_OF),
        scope(rules),
        text(say::HEARTBEATS_FROM),
        one_of(
            name::SOURCE,
            rules.heartbeat.source,
            rules.heartbeat.source != HeartbeatSource::OwnThread,
            Setting::Source,
            words::source,
            &source,
        ),
        text(say::ARE_HANDLED),
        capacity(rules),
        text(say::EXPIRY_JUDGED_BY),
        one_of(
            name::CLOCK,
            rules.lease.clock,
            rules.lease.clock.reads() == TimerClock::Wall && rules.sweep.jump_guard.is_none(),
            Setting::Clock,
            words::clock,
            clock.get(..clocks).unwrap_or(&clock),
        ),
        text(say::COMMA),
        one_of(name::GUARD, rules.sweep.jump_guard, false, Setting::JumpGuard, words::guard, &guard),
        text(say::GRANT_IS),
        one_of(
            name::DISPATCH,
            rules.dispatch,
            rules.dispatch == DispatchOrder::SendFirst,
            Setting::Dispatch,
            policies::dispatch,
            &dispatch,
        ),
        text(say::RESTARTED),
        one_of(
            name::RESTART,
            rules.restart,
            rules.restart == RestartPolicy::Reset,
            Setting::Restart,
            policies::restart,
            &restart,
        ),
        text(say::LATE_IS),
        one_of(
            name::LATE,
            rules.late_completion,
            matches!(rules.late_completion, LateCompletion::Accept | LateCompletion::AcceptAndCancel),
            Setting::Late,
            words::late,
            &late,
        ),
        text(say::TASK_GETS),
        one_of(name::ATTEMPTS, rules.retry.attempts, false, Setting::Attempts, words::attempts, &attempts),
        text(say::EXPIRY_COUNTS),
        expiry_counts(rules),
        text(say::RETRIED),
        one_of(name::DELAY, rules.retry.delay, false, Setting::Delay, words::delay, &delay),
        text(say::OVER),
        one_of(name::POOL, rules.pool, false, Setting::Pool, words::pool, &pool),
        text(say::MAY_HANG),
        limit(name::PROGRESS, rules.limits.progress, 120, Setting::ProgressTimeout),
        text(say::MAY_RUN),
        limit(name::RUN, rules.limits.run, 600, Setting::RunTimeout),
        text(say::PREFETCH),
        prefetch(rules),
        text(say::PROGRAM),
        child(rules),
        text(say::RESPAWN),
        respawn(rules),
        text(say::START_GUARD),
        start_guard(rules),
        text(say::SAME_OWNER),
        same_owner(rules),
        text(say::RETURNING),
        returning(rules),
        text(say::OWNER),
        owner(rules),
        text(say::BELIEF),
        belief(rules),
        text(say::WAKE),
        wake(rules),
        text(say::CALL_TO_SINK),
        one_of(name::CALL, rules.call, false, Setting::Call, words::call, &call),
    ];
    if scenario.tasks.iter().any(|task| task.follows.is_some()) {
        pieces.extend([text(say::MISSED), misfire(rules), text(say::OVERLAP), overlap(rules)]);
    }
    if !scenario.standby.is_empty() {
        pieces.extend([text(say::LEADERSHIP), leadership(rules), text(say::EPOCH), epoch(rules)]);
    }
    if scenario.store.is_some() {
        pieces.extend([text(say::RENEWED_BY), beats_to(rules), text(say::STORE_TAKES), store(rules)]);
    }
    if scenario.executor.is_some() {
        pieces.extend([text(say::EXECUTOR_KILLS), kill(rules)]);
    }
    pieces.extend([text(say::ALERTS), alerts(scenario), text(say::STOP)]);
    pieces
}

/// Each is placed beside those that are there.
fn alerts(scenario: &Scenario) -> Piece {
    let length = Span::secs(60);
    let choices = [
        (None, policies::ALERT_NONE),
        (Some(AlertRule::Retried), policies::ALERT_RETRIED),
        (Some(AlertRule::FencedWrite), policies::ALERT_FENCED),
        (Some(AlertRule::TwoOpen), policies::ALERT_TWO),
        (Some(AlertRule::LeaseExpired(length)), policies::ALERT_EXPIRED),
        (Some(AlertRule::SchedulerSilent(length)), policies::ALERT_SILENT),
        (Some(AlertRule::Reconcile(length)), policies::ALERT_RECONCILE),
    ];
    let of = |(rule, note): &(Option<AlertRule>, &'static str)| {
        (Setting::Alert(*rule), rule.map_or_else(|| policies::alerts(&[]), policies::alert), *note)
    };
    let now = Setting::Alert(scenario.alerts.first().copied());
    let value = policies::alerts(&scenario.alerts);
    slot(name::ALERTS, value, now, scenario.alerts.is_empty(), choices.iter().map(of).collect())
}

fn limit(
    name: &'static str,
    now: Option<Limit>,
    seconds: i64,
    setting: fn(Option<Limit>) -> Setting,
) -> Piece {
    let after = now.map_or(Span::secs(seconds), |limit| limit.after);
    let choices = [
        (None, policies::LIMIT_NONE),
        (Some(Limit { after, signal: Signal::None }), policies::LIMIT_SILENT),
        (Some(Limit { after, signal: Signal::Kill }), policies::LIMIT_KILL),
    ];
    one_of(
        name,
        now,
        now.is_some_and(|limit| limit.signal == Signal::None),
        setting,
        policies::limit,
        &choices,
    )
}

fn scope(rules: &Rules) -> Piece {
    let choices =
        [(LeaseScope::Attempt, policies::SCOPE_ATTEMPT), (LeaseScope::Worker, policies::SCOPE_WORKER)];
    one_of(name::SCOPE, rules.lease.scope, false, Setting::LeaseScope, policies::scope, &choices)
}

fn capacity(rules: &Rules) -> Piece {
    let choices = [
        (None, policies::CAPACITY_OFF),
        (Some(30), policies::CAPACITY),
        (Some(60), policies::CAPACITY),
        (Some(300), policies::CAPACITY),
    ];
    one_of(name::CAPACITY, rules.heartbeat.capacity, false, Setting::Capacity, policies::capacity, &choices)
}

fn child(rules: &Rules) -> Piece {
    let choices = [(Child::Ends, policies::CHILD_ENDS), (Child::Outlives, policies::CHILD_OUTLIVES)];
    one_of(
        name::CHILD,
        rules.child,
        rules.child == Child::Outlives,
        Setting::Child,
        policies::child,
        &choices,
    )
}

fn expiry_counts(rules: &Rules) -> Piece {
    let choices = [(true, policies::EXPIRY_COUNTS), (false, policies::EXPIRY_FREE)];
    let now = rules.retry.expiry_counts;
    one_of(name::EXPIRY_COUNTS, now, false, Setting::ExpiryCounts, policies::expiry_counts, &choices)
}

fn returning(rules: &Rules) -> Piece {
    let choices = [
        (Returning::Refuse, policies::RETURN_REFUSE),
        (Returning::Ignore, policies::RETURN_IGNORE),
        (Returning::Keep, policies::RETURN_KEEP),
    ];
    let risky = rules.returning != Returning::Refuse;
    one_of(name::RETURNING, rules.returning, risky, Setting::Returning, policies::returning, &choices)
}

fn owner(rules: &Rules) -> Piece {
    let choices = [(OwnerBy::Token, policies::OWNER_TOKEN), (OwnerBy::Name, policies::OWNER_NAME)];
    let risky = rules.owner == OwnerBy::Name;
    one_of(name::OWNER, rules.owner, risky, Setting::Owner, policies::owner, &choices)
}

fn same_owner(rules: &Rules) -> Piece {
    let choices = [
        (SameOwner::Both, policies::SAME_BOTH),
        (SameOwner::Replace, policies::SAME_REPLACE),
        (SameOwner::Ignore, policies::SAME_IGNORE),
    ];
    one_of(name::SAME_OWNER, rules.same_owner, false, Setting::SameOwner, policies::same_owner, &choices)
}

fn belief(rules: &Rules) -> Piece {
    let clock = rules.belief.clock;
    let choices =
        [(BeliefClock::Monotonic, policies::BELIEF_MONOTONIC), (BeliefClock::Wall, policies::BELIEF_WALL)];
    one_of(name::BELIEF, clock, clock == BeliefClock::Wall, Setting::Belief, policies::belief, &choices)
}

fn wake(rules: &Rules) -> Piece {
    let choices = [
        (WakeOrder::Timers, policies::WAKE_TIMERS),
        (WakeOrder::Messages, policies::WAKE_MESSAGES),
        (WakeOrder::Program, policies::WAKE_PROGRAM),
    ];
    let risky = rules.wake == WakeOrder::Program;
    one_of(name::WAKE, rules.wake, risky, Setting::Wake, policies::wake, &choices)
}

fn prefetch(rules: &Rules) -> Piece {
    let choices = [(0, policies::PREFETCH_OFF), (4, policies::PREFETCH_ON)];
    one_of(
        name::PREFETCH,
        rules.prefetch,
        rules.prefetch > 0,
        Setting::Prefetch,
        policies::prefetch,
        &choices,
    )
}

fn misfire(rules: &Rules) -> Piece {
    let late = Span::secs(60);
    let choices = [
        (Misfire::RunAll, policies::MISFIRE_ALL),
        (Misfire::RunLatest { late }, policies::MISFIRE_LATEST),
        (Misfire::Skip { late }, policies::MISFIRE_SKIP),
    ];
    one_of(name::MISFIRE, rules.misfire, false, Setting::Misfire, policies::misfire, &choices)
}

fn overlap(rules: &Rules) -> Piece {
    let choices = [
        (Overlap::Allow, policies::OVERLAP_ALLOW),
        (Overlap::Wait, policies::OVERLAP_WAIT),
        (Overlap::Skip, policies::OVERLAP_SKIP),
    ];
    one_of(name::OVERLAP, rules.overlap, false, Setting::Overlap, policies::overlap, &choices)
}

fn respawn(rules: &Rules) -> Piece {
    let choices = [(Respawn::Never, policies::RESPAWN_NEVER), (Respawn::Again, policies::RESPAWN_AGAIN)];
    one_of(
        name::RESPAWN,
        rules.respawn,
        rules.respawn == Respawn::Again,
        Setting::Respawn,
        policies::respawn,
        &choices,
    )
}

fn start_guard(rules: &Rules) -> Piece {
    let choices = [
        (StartGuard::Off, policies::GUARD_RUNS),
        (StartGuard::Silent, policies::GUARD_SILENT),
        (StartGuard::Reports, policies::GUARD_REPORTS),
    ];
    one_of(
        name::START_GUARD,
        rules.start_guard,
        rules.start_guard == StartGuard::Silent,
        Setting::StartGuard,
        policies::start_guard,
        &choices,
    )
}

fn leadership(rules: &Rules) -> Piece {
    let choices = [5, 15, 60].map(|length| (Span::secs(length), policies::LEADERSHIP_LENGTH));
    let lease = rules.leadership.lease;
    one_of(name::LEADERSHIP, lease, false, Setting::LeaderLease, policies::leadership, &choices)
}

fn epoch(rules: &Rules) -> Piece {
    let choices = [(true, policies::EPOCH_ON), (false, policies::EPOCH_OFF)];
    one_of(
        name::EPOCH,
        rules.leadership.checks_epoch,
        !rules.leadership.checks_epoch,
        Setting::Epoch,
        policies::epoch,
        &choices,
    )
}

fn beats_to(rules: &Rules) -> Piece {
    let choices =
        [(BeatsTo::Scheduler, policies::BEATS_TO_SCHEDULER), (BeatsTo::Store, policies::BEATS_TO_STORE)];
    // It has no monotonic clock in common with whoever judges.
    let usable = usize::from(rules.lease.clock != ExpiryClock::Monotonic) + 1;
    one_of(
        name::BEATS_TO,
        rules.heartbeat.to,
        false,
        Setting::BeatsTo,
        policies::beats_to,
        choices.get(..usable).unwrap_or(&choices),
    )
}

fn store(rules: &Rules) -> Piece {
    let choices = [5, 1_000, 5_000]
        .map(|takes| (StoreRules { takes: Span::millis(takes), ..rules.store }, policies::STORE_TAKES));
    one_of(name::STORE, rules.store, false, Setting::Store, policies::store, &choices)
}

fn kill(rules: &Rules) -> Piece {
    let reporting = |report| KillRules { report, ..rules.kill };
    let choices = [
        (reporting(KillReport::Confirmed), policies::KILL_CONFIRMED),
        (reporting(KillReport::Requested), policies::KILL_REQUESTED),
    ];
    let risky = rules.kill.report == KillReport::Requested;
    one_of(name::KILL, rules.kill, risky, Setting::Kill, policies::kill, &choices)
}
