//! The part of the sentence that holds rules which matter less often.

use fenceline_engine::{
    CallRules, Child, DispatchOrder, ExpiryClock, HeartbeatSource, KillReport, KillRules, LateCompletion,
    LeaseScope, Limit, Misfire, Overlap, Respawn, RestartPolicy, RetryDelay, Rules, Signal, Span, StartGuard,
    TimerClock,
};
use fenceline_sim::{Scenario, Setting};

use super::{Piece, slot, text};
use crate::app::words::rules::{self as say, name};
use crate::app::words::{lab as words, policies};

pub(super) fn more(scenario: &Scenario) -> Vec<Piece> {
    let rules = &scenario.rules;
    let source = [
        (HeartbeatSource::OwnThread, words::SOURCE_THREAD),
        (HeartbeatSource::TaskLoop, words::SOURCE_LOOP),
        (HeartbeatSource::Nobody, words::SOURCE_NOBODY),
    ];
    let clock = [
        (ExpiryClock::Wall, words::CLOCK_WALL),
        (ExpiryClock::Monotonic, words::CLOCK_MONOTONIC),
        (ExpiryClock::Observer, words::CLOCK_OBSERVER),
        (ExpiryClock::WorkerStamp, words::CLOCK_STAMP),
    ];
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
    let mut pieces = vec![
        text(say::LEASE_OF),
        scope(rules),
        text(say::HEARTBEATS_FROM),
        slot(
            name::SOURCE,
            words::source(rules.heartbeat.source),
            Setting::Source(rules.heartbeat.source),
            rules.heartbeat.source != HeartbeatSource::OwnThread,
            source.iter().map(|(v, n)| (Setting::Source(*v), words::source(*v), *n)).collect(),
        ),
        text(say::ARE_HANDLED),
        capacity(rules),
        text(say::EXPIRY_JUDGED_BY),
        slot(
            name::CLOCK,
            words::clock(rules.lease.clock),
            Setting::Clock(rules.lease.clock),
            rules.lease.clock.reads() == TimerClock::Wall && rules.sweep.jump_guard.is_none(),
            clock.iter().map(|(v, n)| (Setting::Clock(*v), words::clock(*v), *n)).collect(),
        ),
        text(say::COMMA),
        slot(
            name::GUARD,
            words::guard(rules.sweep.jump_guard),
            Setting::JumpGuard(rules.sweep.jump_guard),
            false,
            guard.iter().map(|(v, n)| (Setting::JumpGuard(*v), words::guard(*v), *n)).collect(),
        ),
        text(say::GRANT_IS),
        slot(
            name::DISPATCH,
            policies::dispatch(rules.dispatch),
            Setting::Dispatch(rules.dispatch),
            rules.dispatch == DispatchOrder::SendFirst,
            dispatch.iter().map(|(v, n)| (Setting::Dispatch(*v), policies::dispatch(*v), *n)).collect(),
        ),
        text(say::RESTARTED),
        slot(
            name::RESTART,
            policies::restart(rules.restart),
            Setting::Restart(rules.restart),
            rules.restart == RestartPolicy::Reset,
            restart.iter().map(|(v, n)| (Setting::Restart(*v), policies::restart(*v), *n)).collect(),
        ),
        text(say::LATE_IS),
        slot(
            name::LATE,
            words::late(rules.late_completion),
            Setting::Late(rules.late_completion),
            rules.late_completion == LateCompletion::Accept,
            late.iter().map(|(v, n)| (Setting::Late(*v), words::late(*v), *n)).collect(),
        ),
        text(say::TASK_GETS),
        slot(
            name::ATTEMPTS,
            words::attempts(rules.retry.attempts),
            Setting::Attempts(rules.retry.attempts),
            false,
            [1, 2, 3, 5]
                .iter()
                .map(|n| (Setting::Attempts(*n), words::attempts(*n), words::ATTEMPTS))
                .collect(),
        ),
        text(say::RETRIED),
        slot(
            name::DELAY,
            words::delay(rules.retry.delay),
            Setting::Delay(rules.retry.delay),
            false,
            delay.iter().map(|(v, n)| (Setting::Delay(*v), words::delay(*v), *n)).collect(),
        ),
        text(say::OVER),
        slot(
            name::POOL,
            words::pool(rules.pool),
            Setting::Pool(rules.pool),
            false,
            pool.iter().map(|(v, n)| (Setting::Pool(*v), words::pool(*v), *n)).collect(),
        ),
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
        text(say::CALL_TO_SINK),
        slot(
            name::CALL,
            words::call(rules.call),
            Setting::Call(rules.call),
            false,
            call.iter().map(|(v, n)| (Setting::Call(*v), words::call(*v), *n)).collect(),
        ),
    ];
    if scenario.tasks.iter().any(|task| task.follows.is_some()) {
        pieces.extend([text(say::MISSED), misfire(rules), text(say::OVERLAP), overlap(rules)]);
    }
    if !scenario.standby.is_empty() {
        pieces.extend([text(say::LEADERSHIP), leadership(rules), text(say::EPOCH), epoch(rules)]);
    }
    if scenario.executor.is_some() {
        pieces.extend([text(say::EXECUTOR_KILLS), kill(rules)]);
    }
    pieces.push(text(say::STOP));
    pieces
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
    slot(
        name,
        policies::limit(now),
        setting(now),
        now.is_some_and(|limit| limit.signal == Signal::None),
        choices.iter().map(|(v, n)| (setting(*v), policies::limit(*v), *n)).collect(),
    )
}

fn scope(rules: &Rules) -> Piece {
    let choices =
        [(LeaseScope::Attempt, policies::SCOPE_ATTEMPT), (LeaseScope::Worker, policies::SCOPE_WORKER)];
    slot(
        name::SCOPE,
        policies::scope(rules.lease.scope),
        Setting::LeaseScope(rules.lease.scope),
        false,
        choices.iter().map(|(v, n)| (Setting::LeaseScope(*v), policies::scope(*v), *n)).collect(),
    )
}

fn capacity(rules: &Rules) -> Piece {
    let choices = [
        (None, policies::CAPACITY_OFF),
        (Some(30), policies::CAPACITY),
        (Some(60), policies::CAPACITY),
        (Some(300), policies::CAPACITY),
    ];
    slot(
        name::CAPACITY,
        policies::capacity(rules.heartbeat.capacity),
        Setting::Capacity(rules.heartbeat.capacity),
        false,
        choices.iter().map(|(v, n)| (Setting::Capacity(*v), policies::capacity(*v), *n)).collect(),
    )
}

fn child(rules: &Rules) -> Piece {
    let choices = [(Child::Ends, policies::CHILD_ENDS), (Child::Outlives, policies::CHILD_OUTLIVES)];
    slot(
        name::CHILD,
        policies::child(rules.child),
        Setting::Child(rules.child),
        rules.child == Child::Outlives,
        choices.iter().map(|(v, n)| (Setting::Child(*v), policies::child(*v), *n)).collect(),
    )
}

fn prefetch(rules: &Rules) -> Piece {
    let choices = [(0, policies::PREFETCH_OFF), (4, policies::PREFETCH_ON)];
    slot(
        name::PREFETCH,
        policies::prefetch(rules.prefetch),
        Setting::Prefetch(rules.prefetch),
        rules.prefetch > 0,
        choices.iter().map(|(v, n)| (Setting::Prefetch(*v), policies::prefetch(*v), *n)).collect(),
    )
}

fn misfire(rules: &Rules) -> Piece {
    let late = Span::secs(60);
    let choices = [
        (Misfire::RunAll, policies::MISFIRE_ALL),
        (Misfire::RunLatest { late }, policies::MISFIRE_LATEST),
        (Misfire::Skip { late }, policies::MISFIRE_SKIP),
    ];
    slot(
        name::MISFIRE,
        policies::misfire(rules.misfire),
        Setting::Misfire(rules.misfire),
        false,
        choices.iter().map(|(v, n)| (Setting::Misfire(*v), policies::misfire(*v), *n)).collect(),
    )
}

fn overlap(rules: &Rules) -> Piece {
    let choices = [
        (Overlap::Allow, policies::OVERLAP_ALLOW),
        (Overlap::Wait, policies::OVERLAP_WAIT),
        (Overlap::Skip, policies::OVERLAP_SKIP),
    ];
    slot(
        name::OVERLAP,
        policies::overlap(rules.overlap),
        Setting::Overlap(rules.overlap),
        false,
        choices.iter().map(|(v, n)| (Setting::Overlap(*v), policies::overlap(*v), *n)).collect(),
    )
}

fn respawn(rules: &Rules) -> Piece {
    let choices = [(Respawn::Never, policies::RESPAWN_NEVER), (Respawn::Again, policies::RESPAWN_AGAIN)];
    slot(
        name::RESPAWN,
        policies::respawn(rules.respawn),
        Setting::Respawn(rules.respawn),
        rules.respawn == Respawn::Again,
        choices.iter().map(|(v, n)| (Setting::Respawn(*v), policies::respawn(*v), *n)).collect(),
    )
}

fn start_guard(rules: &Rules) -> Piece {
    let choices = [
        (StartGuard::Off, policies::GUARD_RUNS),
        (StartGuard::Silent, policies::GUARD_SILENT),
        (StartGuard::Reports, policies::GUARD_REPORTS),
    ];
    slot(
        name::START_GUARD,
        policies::start_guard(rules.start_guard),
        Setting::StartGuard(rules.start_guard),
        rules.start_guard == StartGuard::Silent,
        choices.iter().map(|(v, n)| (Setting::StartGuard(*v), policies::start_guard(*v), *n)).collect(),
    )
}

fn leadership(rules: &Rules) -> Piece {
    let choices = [5, 15, 60].map(Span::secs);
    slot(
        name::LEADERSHIP,
        policies::leadership(rules.leadership.lease),
        Setting::LeaderLease(rules.leadership.lease),
        false,
        choices
            .map(|lease| {
                (Setting::LeaderLease(lease), policies::leadership(lease), policies::LEADERSHIP_LENGTH)
            })
            .into(),
    )
}

fn epoch(rules: &Rules) -> Piece {
    let choices = [(true, policies::EPOCH_ON), (false, policies::EPOCH_OFF)];
    slot(
        name::EPOCH,
        policies::epoch(rules.leadership.checks_epoch),
        Setting::Epoch(rules.leadership.checks_epoch),
        !rules.leadership.checks_epoch,
        choices.iter().map(|(v, n)| (Setting::Epoch(*v), policies::epoch(*v), *n)).collect(),
    )
}

fn kill(rules: &Rules) -> Piece {
    let choice = |(report, note): &(KillReport, &'static str)| {
        let kill = KillRules { report: *report, ..rules.kill };
        (Setting::Kill(kill), policies::kill(kill), *note)
    };
    let choices = [
        (KillReport::Confirmed, policies::KILL_CONFIRMED),
        (KillReport::Requested, policies::KILL_REQUESTED),
    ];
    slot(
        name::KILL,
        policies::kill(rules.kill),
        Setting::Kill(rules.kill),
        rules.kill.report == KillReport::Requested,
        choices.iter().map(choice).collect(),
    )
}
