//! Who counts as the owner, what comes of an attempt that returns, and which of two goes on.

mod support;

use fenceline_engine::{
    AttemptState, Ending, ExpiryPolicy, FenceRaise, LateCompletion, LeaseScope, Limit, OwnerBy,
    RestartPolicy, Returning, SameOwner, Signal, SinkKind, Span, Step, TaskState,
};
use fenceline_sim::verdict::State;
use fenceline_sim::{
    Act, Claim, Fate, Kind, MessageKind, Path, Run, Scenario, Setting, Simulation, Trace, Way,
};
use support::{SCHEDULER, SINK, TASK, WORKER_1, WORKER_2, With, fence, guarded, onto, state};

/// The first run with a longer program: 60 s before its write.
fn long() -> Scenario {
    let mut scenario = onto(SinkKind::Append);
    scenario.tasks[0].program[1] = Step::Compute(Span::secs(60));
    scenario.until = 250_000_000;
    scenario
}

/// Worker 1 is cut off from the scheduler from 12 s on.
fn cut_off(scenario: Scenario, seconds: i64) -> Run {
    let (path, way, fate) = (Path::Control, Way::Both, Fate::Lost);
    Run::new(scenario)
        .with(12, Act::Cut { node: WORKER_1, path, way, fate, lasts: Some(Span::secs(seconds)) })
}

fn set(run: Run, settings: &[Setting]) -> Run {
    settings.iter().fold(run, |run, setting| run.with(0, Act::Set(*setting)))
}

fn count(trace: &Trace, kind: Kind) -> usize {
    trace.iter().filter(|record| record.kind == kind).count()
}

/// How each attempt's executions ended.
fn endings(trace: &Trace) -> Vec<(u8, Ending)> {
    let ended = trace.iter().filter(|record| record.kind == Kind::Ended);
    ended.map(|record| (record.attempt, record.ending())).collect()
}

fn ledger(run: &Run) -> fenceline_engine::Ledger {
    let mut simulation = Simulation::new(run);
    simulation.finish();
    simulation.world().ledger().clone()
}

fn states(run: &Run) -> (TaskState, Vec<AttemptState>) {
    let task = ledger(run).tasks[0].clone();
    (task.state, task.attempts.iter().map(|attempt| attempt.state).collect())
}

// --- attempts and what uses them up ---

#[test]
fn an_expiry_uses_up_an_attempt_unless_the_rules_say_otherwise() {
    // Each attempt expires: nobody beats, and the lease is shorter than the work.
    let mut scenario = long();
    scenario.rules.heartbeat.source = fenceline_engine::HeartbeatSource::Nobody;
    let run = set(Run::new(scenario), &[Setting::Attempts(2), Setting::Late(LateCompletion::Refuse)]);
    assert_eq!(states(&run), (TaskState::Failed, vec![AttemptState::TimedOut; 2]));
    let endless = set(run, &[Setting::ExpiryCounts(false)]);
    let (task, attempts) = states(&endless);
    assert_eq!((task, attempts.len()), (TaskState::Running, 9), "one in each 31 s");
}

#[test]
fn what_a_worker_reports_as_failed_counts_all_the_same() {
    let mut scenario = onto(SinkKind::Append);
    let call = fenceline_engine::CallRules { timeout: Some(Span::secs(2)), retries: 0 };
    scenario.rules.call = call;
    let mute = Act::Cut { node: SINK, path: Path::Data, way: Way::Both, fate: Fate::Lost, lasts: None };
    let run = Run::new(Scenario { until: 200_000_000, ..scenario }).with(1, mute);
    let run = set(run, &[Setting::Attempts(2), Setting::ExpiryCounts(false)]);
    assert_eq!(states(&run), (TaskState::Failed, vec![AttemptState::Failed; 2]));
}

#[test]
fn there_are_no_more_attempts_than_can_be_numbered() {
    let mut scenario = long();
    (scenario.rules.lease.duration, scenario.until) = (Span::secs(1), 3_600_000_000);
    let run = set(Run::new(scenario), &[Setting::ExpiryCounts(false), Setting::Late(LateCompletion::Refuse)]);
    let (task, attempts) = states(&run);
    assert_eq!((task, attempts.len()), (TaskState::Failed, 255));
}

// --- late completions ---

#[test]
fn a_late_completion_may_cancel_what_runs_in_its_place() {
    // Attempt 1 ends at 60.2 s, cut off; attempt 2 runs from 43 s on.
    let run = |late| set(cut_off(long(), 36), &[Setting::Late(late)]).played().trace;
    assert_eq!(endings(&run(LateCompletion::Accept)), [(1, Ending::Finished), (2, Ending::Finished)]);
    let cancelled = run(LateCompletion::AcceptAndCancel);
    assert_eq!(endings(&cancelled), [(1, Ending::Finished), (2, Ending::Killed)]);
    assert_eq!(count(&cancelled, Kind::KillAsked), 1);
}

/// What it has written by then it has written.
#[test]
fn a_cancelled_attempt_wastes_less_and_undoes_nothing() {
    let run = |late| set(cut_off(long(), 36), &[Setting::Late(late)]);
    assert_eq!(state(&run(LateCompletion::Accept), Claim::RowsAsExpected), State::Violated);
    assert_eq!(state(&run(LateCompletion::AcceptAndCancel), Claim::RowsAsExpected), State::Holds);
}

// --- the last owner gets the new attempt ---

/// One worker; its lease ends while it is cut off, and the next attempt is its own, too.
fn alone(same_owner: SameOwner) -> Run {
    let mut scenario = long();
    scenario.rules.same_owner = same_owner;
    scenario.rules.lease.start_timeout = None;
    scenario.workers.truncate(1);
    for step in &mut scenario.tasks[0].program {
        if let Step::Write { sink, .. } = step {
            *sink = WORKER_2;
        }
    }
    let (path, way, fate) = (Path::Control, Way::Out, Fate::Lost);
    let lasts = Some(Span::secs(31));
    Run::new(scenario).with(12, Act::Cut { node: WORKER_1, path, way, fate, lasts })
}

#[test]
fn a_worker_that_has_an_older_attempt_runs_both_replaces_it_or_drops_the_newer() {
    let both = alone(SameOwner::Both).played().trace;
    assert_eq!(endings(&both)[..2], [(1, Ending::Finished), (2, Ending::Finished)]);
    let replaced = alone(SameOwner::Replace).played().trace;
    assert_eq!(endings(&replaced)[..2], [(1, Ending::Replaced), (2, Ending::Finished)]);
    assert_eq!(state(&alone(SameOwner::Replace), Claim::RowsAsExpected), State::Holds);
    let dropped = alone(SameOwner::Ignore).played().trace;
    assert_eq!(endings(&dropped)[..2], [(2, Ending::StoodDown), (1, Ending::Finished)]);
}

// --- on return ---

#[test]
fn an_attempt_that_returns_is_told_so_or_left_without_an_answer() {
    let told = cut_off(long(), 36);
    assert!(count(&told.played().trace, Kind::ToldLost) > 0);
    let ignored = set(told, &[Setting::Returning(Returning::Ignore)]).played();
    assert_eq!(count(&ignored.trace, Kind::ToldLost), 0);
    let unanswered = ignored.trace.iter().filter(|it| it.kind == Kind::Refused && it.flag == 2).count();
    assert!(unanswered > 0);
    let replies = ignored.trace.iter().filter(|it| {
        (it.kind, it.message(), it.attempt) == (Kind::Sent, Some(MessageKind::HeartbeatReply), 1)
            && it.at > 43_000_000
    });
    assert_eq!(replies.count(), 0);
}

#[test]
fn an_attempt_that_is_kept_ends_the_newer_one() {
    let run = set(cut_off(long(), 36), &[Setting::Returning(Returning::Keep)]);
    assert_eq!(states(&run), (TaskState::Succeeded, vec![AttemptState::Succeeded, AttemptState::Withdrawn]));
    let played = run.played();
    assert_eq!(endings(&played.trace), [(2, Ending::Killed), (1, Ending::Finished)]);
    for claim in [Claim::OneEnding, Claim::RowsAsExpected] {
        assert_ne!(played.verdict(claim).state, State::Violated, "{claim:?}");
    }
    // Its lease runs on in truth as well, so it is no zombie at its end.
    let truth = fenceline_sim::Truth::of(&played.run, &played.trace, played.trace.len(), played.now);
    assert!(truth.execution(fenceline_engine::Exec::first(TASK, 1)).is_some_and(|it| it.zombie.is_none()));
}

/// The newer one's claim has raised the fence, and nothing lowers it: the one kept is the holder, and is refused.
#[test]
fn a_fence_turns_away_what_is_kept() {
    let fenced = guarded(long(), fence(FenceRaise::Claim));
    let run = set(cut_off(fenced, 36), &[Setting::Returning(Returning::Keep)]);
    assert_eq!(state(&run, Claim::HolderNotRefused), State::Violated);
    let (task, attempts) = states(&run);
    assert_eq!(attempts, [AttemptState::Failed, AttemptState::Withdrawn, AttemptState::Succeeded]);
    assert_eq!(task, TaskState::Succeeded);
}

#[test]
fn what_is_kept_expires_again_and_survives_a_restart() {
    let kept = set(cut_off(long(), 36), &[Setting::Returning(Returning::Keep)]);
    let mute = Act::Crash { node: WORKER_1, lasts: None };
    let gone = kept.clone().with(55, mute);
    let (task, attempts) = states(&gone);
    use AttemptState::{Succeeded, TimedOut, Withdrawn};
    assert_eq!((task, attempts), (TaskState::Succeeded, vec![TimedOut, Withdrawn, Succeeded]));
    let crash = Act::Crash { node: SCHEDULER, lasts: Some(Span::secs(3)) };
    for restart in [RestartPolicy::Sweep, RestartPolicy::Adopt, RestartPolicy::Wait] {
        let run = set(kept.clone(), &[Setting::Restart(restart)]).with(55, crash);
        assert_eq!(states(&run), (TaskState::Succeeded, vec![Succeeded, Withdrawn]), "{restart:?}");
    }
}

#[test]
fn what_has_waited_for_its_retry_is_not_granted_when_the_older_one_is_kept() {
    let delay = Setting::Delay(fenceline_engine::RetryDelay::Fixed(Span::secs(60)));
    let run = set(cut_off(long(), 36), &[Setting::Returning(Returning::Keep), delay]);
    assert_eq!(states(&run), (TaskState::Succeeded, vec![AttemptState::Succeeded]));
}

// --- by name ---

/// Its own worker has the new attempt and dies of nothing: the older execution beats on for both.
#[test]
fn a_zombie_with_the_owners_name_keeps_a_dead_attempts_lease_alive() {
    // The newer one is dropped, so that nobody runs it.
    let run = |owner| {
        set(
            alone(SameOwner::Ignore),
            &[Setting::Owner(owner), Setting::OnLoss(fenceline_engine::OnLoss::Ignore)],
        )
    };
    let renewed = |owner| {
        let trace = run(owner).played().trace;
        trace.iter().filter(|it| (it.kind, it.attempt) == (Kind::Renewed, 2)).count()
    };
    assert_eq!(renewed(OwnerBy::Token), 0);
    assert!(renewed(OwnerBy::Name) > 0);
    // And its completion is the newer one's.
    assert_eq!(
        states(&run(OwnerBy::Name)),
        (TaskState::Succeeded, vec![AttemptState::TimedOut, AttemptState::Succeeded])
    );
}

#[test]
fn two_workers_with_one_name_are_one_owner() {
    let run = |owner, name: &str| {
        let mut scenario = long();
        scenario.workers[1].name = name.into();
        let run = set(cut_off(scenario, 36), &[Setting::Owner(owner)]);
        // Whoever has attempt 2 dies with it; nothing of worker 1's says so.
        run.with(52, Act::Crash { node: WORKER_2, lasts: None }).played().trace
    };
    let late = |trace: &Trace| {
        trace.iter().filter(|it| (it.kind, it.attempt) == (Kind::Renewed, 2) && it.at > 52_000_000).count()
    };
    let name = long().workers[0].name.clone();
    assert_eq!(late(&run(OwnerBy::Token, &name)), 0);
    assert_eq!(late(&run(OwnerBy::Name, "another")), 0);
    assert!(late(&run(OwnerBy::Name, &name)) > 0);
}

#[test]
fn a_session_is_of_a_name_too() {
    let mut scenario = long();
    scenario.workers[1].name = scenario.workers[0].name.clone();
    scenario.rules.lease.scope = LeaseScope::Worker;
    let run = set(cut_off(scenario, 36), &[Setting::Owner(OwnerBy::Name)]);
    let trace = run.with(52, Act::Crash { node: WORKER_2, lasts: None }).played().trace;
    assert!(trace.iter().any(|it| (it.kind, it.attempt) == (Kind::Renewed, 2) && it.at > 53_000_000));
}

// --- checked against what the rules of a hold and of a restart say ---

#[test]
fn an_operator_may_end_a_hold_in_each_way() {
    use fenceline_engine::Decision::*;
    let hold = Setting::Expiry(ExpiryPolicy::Hold { alert_after: Span::secs(5) });
    for (decision, task, last) in [
        (Redispatch, TaskState::Succeeded, AttemptState::Succeeded),
        (Fail, TaskState::Failed, AttemptState::Failed),
        (Succeed, TaskState::Succeeded, AttemptState::Succeeded),
        (Extend, TaskState::Succeeded, AttemptState::Succeeded),
        (Cancel, TaskState::Succeeded, AttemptState::Succeeded),
    ] {
        let decided = set(cut_off(long(), 36), &[hold, Setting::Late(LateCompletion::Refuse)])
            .with(50, Act::Operator { task: TASK, decision });
        let (is, attempts) = states(&decided);
        assert_eq!((is, attempts.last().copied()), (task, Some(last)), "{decision:?}");
        let more = if matches!(decision, Redispatch | Cancel) { 2 } else { 1 };
        assert_eq!(attempts.len(), more, "{decision:?}");
    }
}

/// What was given up because it takes too long is not kept for its heartbeats, nor a newer one killed for it.
#[test]
fn what_takes_too_long_is_not_kept_on_its_return() {
    let mut scenario = fenceline_sim::workload::first_run();
    scenario.rules.returning = Returning::Keep;
    scenario.rules.limits.run = Some(Limit { after: Span::secs(20), signal: Signal::None });
    let run = Run::new(scenario);
    let mut simulation = fenceline_sim::Simulation::new(&run);
    simulation.finish();
    let of = |kind| simulation.trace().iter().filter(|record| record.kind == kind).count();
    assert_eq!((of(Kind::Kept), of(Kind::AttemptWithdrawn)), (0, 0));
}
