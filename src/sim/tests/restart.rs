//! What a restart of the scheduler keeps: every wait ends when it would have ended without it.

mod support;

use fenceline_engine::{
    CallRules, DispatchOrder, ExpiryClock, ExpiryPolicy, LateCompletion, LateRenewal, LeaseScope,
    RestartPolicy, RetryDelay, SinkKind, Span, Step, TaskId, TaskSpec,
};
use fenceline_sim::verdict::State;
use fenceline_sim::workload::first_run;
use fenceline_sim::{Act, Claim, Intervention, Kind, Run, Setting, When};
use support::*;

/// Worker 1 falls silent at 22 s, its lease is found expired at 51 s.
fn silent(scenario: fenceline_sim::Scenario) -> Run {
    Run::new(scenario).paused_for(55)
}

fn set(run: Run, setting: Setting) -> Run {
    run.with(0, Act::Set(setting))
}

fn crashed(run: Run) -> Run {
    run.with(55, Act::Crash { node: SCHEDULER, lasts: Some(Span::secs(3)) })
}

fn rebooted(run: Run) -> Run {
    run.with(55, Act::Reboot { node: SCHEDULER, lasts: Some(Span::secs(3)) })
}

/// When, in tenths of a second, records of a kind were made for an attempt.
fn seen(run: &Run, kind: Kind, attempt: u8) -> Vec<u64> {
    let played = run.played();
    let is_it = |r: &&fenceline_sim::Record| r.kind == kind && r.attempt == attempt;
    played.trace.iter().filter(is_it).map(|r| r.at / 100_000).collect()
}

#[test]
fn a_grace_ends_as_long_after_the_expiry() {
    let run = set(silent(first_run()), Setting::Expiry(ExpiryPolicy::Grace(Span::secs(10))));
    assert_eq!(seen(&run, Kind::AttemptTimedOut, 1), [610]);
    assert_eq!(seen(&crashed(run.clone()), Kind::AttemptTimedOut, 1), [610]);
    assert_eq!(seen(&rebooted(run), Kind::AttemptTimedOut, 1), [680], "nobody knows how much has passed");
}

#[test]
fn a_grace_that_ran_out_meanwhile_is_over_at_once() {
    let run = set(silent(first_run()), Setting::Expiry(ExpiryPolicy::Grace(Span::secs(5))));
    assert_eq!(seen(&crashed(run), Kind::AttemptTimedOut, 1), [580]);
}

#[test]
fn another_policy_does_not_strand_an_attempt_that_was_asked_to_stop() {
    let run = set(silent(first_run()), Setting::Expiry(ExpiryPolicy::Grace(Span::secs(10))));
    let run = run.with(53, Act::Set(Setting::Expiry(ExpiryPolicy::Redispatch)));
    assert_eq!(seen(&crashed(run), Kind::AttemptTimedOut, 1), [610]);
}

#[test]
fn the_alert_about_a_held_attempt_comes_as_long_after_the_expiry_and_once() {
    let hold = ExpiryPolicy::Hold { alert_after: Span::secs(10) };
    let run = set(silent(first_run()), Setting::Expiry(hold));
    assert_eq!(seen(&crashed(run.clone()), Kind::HoldAlert, 1), [610]);
    let again = run.with(64, Act::Crash { node: SCHEDULER, lasts: Some(Span::secs(3)) });
    assert_eq!(seen(&again, Kind::HoldAlert, 1), [610]);
}

#[test]
fn an_alert_about_an_earlier_hold_is_none_about_a_later_one() {
    let hold = ExpiryPolicy::Hold { alert_after: Span::secs(30) };
    let mut scenario = first_run();
    scenario.tasks[0].program.insert(1, Step::Compute(Span::secs(60)));
    let run = set(set(Run::new(scenario), Setting::Expiry(hold)), Setting::LateRenewal(LateRenewal::Revive));
    // Held at 51 s, revived at 54.4 s when it resumes, and held again.
    let run = run.paused_for(32).with(55, Act::Pause { node: WORKER_1, lasts: None });
    let run = Run {
        scenario: {
            let mut s = (*run.scenario).clone();
            s.until = 150_000_000;
            s.into()
        },
        ..run
    };
    assert_eq!(seen(&run, Kind::HeldForOperator, 1).len(), 2);
    let held = seen(&run, Kind::HeldForOperator, 1)[1];
    assert_eq!(seen(&run, Kind::HoldAlert, 1), [held + 300]);
}

#[test]
fn a_retry_keeps_its_delay_and_its_draw() {
    let fixed = set(silent(first_run()), Setting::Delay(RetryDelay::Fixed(Span::secs(20))));
    assert_eq!(seen(&fixed, Kind::Granted, 2), [710]);
    assert_eq!(seen(&crashed(fixed.clone()), Kind::Granted, 2), [710]);
    assert_eq!(seen(&rebooted(fixed), Kind::Granted, 2), [780]);
    let jitter = RetryDelay::FullJitter { base: Span::secs(40), cap: Span::secs(40) };
    for seed in 1..9 {
        let drawn = Run { seed, ..set(silent(first_run()), Setting::Delay(jitter)) };
        let due = seen(&drawn, Kind::Granted, 2);
        let kept = if due[0] < 550 { due.clone() } else { vec![due[0].max(580)] };
        assert_eq!(seen(&crashed(drawn), Kind::Granted, 2), kept, "seed {seed}");
    }
}

#[test]
fn a_monotonic_lease_survives_a_crash_and_counts_anew_after_a_reboot() {
    let mut scenario = first_run();
    scenario.rules.lease.clock = ExpiryClock::Monotonic;
    let dead = Run::new(scenario).with(22, Act::Crash { node: WORKER_1, lasts: None });
    let at = |run: Run| seen(&run, Kind::Expired, 1);
    assert_eq!(at(dead.clone()), [510]);
    let crash = Act::Crash { node: SCHEDULER, lasts: Some(Span::secs(5)) };
    assert_eq!(at(dead.clone().with(40, crash)), [510]);
    let reboot = Act::Reboot { node: SCHEDULER, lasts: Some(Span::secs(5)) };
    assert_eq!(at(dead.clone().with(40, reboot)), [750], "45 s and the full 30 s");
    let twice = dead.with(40, reboot).with(50, reboot);
    assert_eq!(at(twice), [850], "under a third boot again");
}

#[test]
fn a_reboot_bends_no_wall_clock() {
    let dead = Run::new(first_run()).with(22, Act::Crash { node: WORKER_1, lasts: None });
    let reboot = Act::Reboot { node: SCHEDULER, lasts: Some(Span::secs(5)) };
    assert_eq!(seen(&dead.with(40, reboot), Kind::Expired, 1), [510]);
}

/// The truth, read from the records, agrees with the judge's own clock.
#[test]
fn after_a_reboot_the_truth_knows_when_the_lease_really_ended() {
    let mut scenario = first_run();
    scenario.rules.lease.clock = ExpiryClock::Monotonic;
    let reboot = Act::Reboot { node: SCHEDULER, lasts: Some(Span::secs(5)) };
    let run = Run::new(scenario).with(22, Act::Crash { node: WORKER_1, lasts: None }).with(40, reboot);
    let played = run.played();
    let truth = fenceline_sim::Truth::of(&run, &played.trace, played.trace.len(), played.now);
    let lease = truth.lease(TASK, 1).expect("granted");
    assert_eq!(lease.end.map(|(at, _)| at), Some(75_000_000));
    let boots: Vec<i64> = played.trace.iter().filter(|r| r.kind == Kind::Crashed).map(|r| r.b).collect();
    assert_eq!(boots, [0, 2]);
}

#[test]
fn a_lease_on_a_lock_counts_anew_after_its_store_reboots() {
    let write = Step::Write { sink: SINK, part: 0, parts: 1 };
    let steps = [Step::Lock { sink: SINK }, Step::Compute(Span::secs(5)), write];
    let mut scenario = doing(SinkKind::Locked { lease: Some(Span::secs(100)) }, &steps);
    scenario.until = 200_000_000;
    scenario.rules.call = CallRules { timeout: Some(Span::secs(2)), retries: 99 };
    // Worker 1 takes the lock at 30.4 s and dies; worker 2 asks for it from 81 s on.
    let run = Run::new(scenario).with(31, Act::Crash { node: WORKER_1, lasts: None });
    let broken = |run: &Run| seen(run, Kind::LockExpired, 1);
    assert!((1304..1325).contains(&broken(&run)[0]));
    let rebooted = run.with(85, Act::Reboot { node: SINK, lasts: Some(Span::secs(1)) });
    assert!((1860..1881).contains(&broken(&rebooted)[0]), "86 s and the full 100 s");
}

/// Two tasks and one slot. Attempt 1 of the first is paused, succeeds late while attempt 2 runs, and
/// the worker of attempt 2 dies: the second task waits for attempt 2 to be closed.
fn late_success(expiry: ExpiryPolicy) -> Run {
    let mut scenario = first_run();
    scenario.rules.pool = Some(1);
    scenario.rules.expiry = expiry;
    scenario.rules.late_completion = LateCompletion::Accept;
    scenario.tasks.push(scenario.tasks[0].clone());
    scenario.judged.push(scenario.judged[0].clone());
    scenario.until = 300_000_000;
    // Attempt 1 wakes at 60 s and ends at about 68 s; attempt 2 runs from 51 s on.
    Run::new(scenario).paused_for(38).with(70, Act::Crash { node: WORKER_2, lasts: None })
}

fn second_task_granted(run: &Run) -> Option<u64> {
    let played = run.played();
    played.trace.iter().find(|r| r.kind == Kind::Granted && r.task == TaskId(1)).map(|r| r.at / 1_000_000)
}

#[test]
fn an_attempt_asked_to_stop_frees_its_slot_though_its_task_has_ended() {
    let at_once = second_task_granted(&late_success(ExpiryPolicy::Redispatch)).expect("granted");
    let grace = second_task_granted(&late_success(ExpiryPolicy::Grace(Span::secs(5)))).expect("granted");
    assert!(grace > at_once && grace <= at_once + 6, "{grace} s after {at_once} s");
}

#[test]
fn after_a_restart_the_open_attempt_of_an_ended_task_still_holds_its_slot() {
    let run = late_success(ExpiryPolicy::Redispatch);
    let without = second_task_granted(&run);
    let restarted = run.with(75, Act::Crash { node: SCHEDULER, lasts: Some(Span::secs(1)) });
    assert_eq!(second_task_granted(&restarted), without);
}

/// Attempt 1 runs from 0.2 to 120.6 s; the scheduler is away from 20 to 25 s, or to 60 s.
fn restarted(policy: RestartPolicy, seconds: i64) -> Run {
    let mut scenario = first_run();
    scenario.tasks[0].program.insert(1, Step::Compute(Span::secs(90)));
    scenario.until = 300_000_000;
    let away = Act::Crash { node: SCHEDULER, lasts: Some(Span::secs(seconds)) };
    set(Run::new(scenario), Setting::Restart(policy)).with(20, away)
}

fn granted(run: &Run) -> Vec<u64> {
    let played = run.played();
    played.trace.iter().filter(|r| r.kind == Kind::Granted).map(|r| r.at / 100_000).collect()
}

#[test]
fn a_restart_judges_resets_adopts_or_waits() {
    use RestartPolicy::*;
    // The lease ends at 40.2 s: a short absence leaves it valid, a long one does not.
    for (policy, short, long) in [
        (Sweep, vec![0], vec![0, 600]),
        (Reset, vec![0, 250], vec![0, 600]),
        (Adopt, vec![0], vec![0]),
        (AdoptIfRecorded, vec![0], vec![0]),
        (Wait, vec![0], vec![0]),
    ] {
        assert_eq!(granted(&restarted(policy, 5)), short, "{policy:?}");
        assert_eq!(granted(&restarted(policy, 40)), long, "{policy:?}");
    }
}

#[test]
fn a_reset_gives_an_attempt_up_whatever_its_lease_and_uses_no_attempt_up() {
    let run = set(restarted(RestartPolicy::Reset, 5), Setting::Attempts(1));
    assert_eq!(seen(&run, Kind::AttemptOrphaned, 1), [250]);
    assert_eq!(granted(&run), [0, 250]);
    assert_eq!(state(&run, Claim::OneOutput), State::Violated);
    assert_eq!(state(&restarted(RestartPolicy::Adopt, 5), Claim::OneOutput), State::NotExercised);
}

#[test]
fn an_adopted_lease_runs_its_length_from_then_on_and_keeps_owner_and_token() {
    let run = restarted(RestartPolicy::Adopt, 40).with(30, Act::Crash { node: WORKER_1, lasts: None });
    assert_eq!(seen(&run, Kind::Adopted, 1), [600]);
    assert_eq!(seen(&run, Kind::Expired, 1), [900], "what died meanwhile is found one lease later");
    assert_eq!(
        seen(&restarted(RestartPolicy::Adopt, 40), Kind::Renewed, 1).len(),
        8,
        "six of twelve are lost"
    );
}

#[test]
fn waiting_judges_nothing_for_a_lease_and_takes_renewals_past_the_end() {
    let dead = restarted(RestartPolicy::Wait, 40).with(30, Act::Crash { node: WORKER_1, lasts: None });
    assert_eq!(seen(&dead, Kind::Expired, 1), [900]);
    let alive = restarted(RestartPolicy::Wait, 40);
    assert!(seen(&alive, Kind::Refused, 1).is_empty());
    assert!(seen(&alive, Kind::Renewed, 1).contains(&604), "its lease had ended at 40.2 s");
}

#[test]
fn an_attempt_whose_delivery_is_not_recorded_is_not_adopted() {
    // The dispatch is sent at once; the acknowledgement finds nobody at 0.4 s.
    let crash = Act::Crash { node: SCHEDULER, lasts: Some(Span::secs(5)) };
    let early = |policy| {
        let run = restarted(policy, 5);
        Run { interventions: Vec::new(), ..run.clone() }
            .with(0, Act::Set(Setting::Restart(policy)))
            .at_micros(300_000, crash)
    };
    assert_eq!(granted(&early(RestartPolicy::AdoptIfRecorded)), [0, 53]);
    assert_eq!(granted(&early(RestartPolicy::Adopt)), [0]);
}

/// A crash of 5 s between the two halves of the first dispatch.
fn halved(order: DispatchOrder, policy: RestartPolicy) -> Run {
    let mut run = set(set(Run::new(first_run()), Setting::Dispatch(order)), Setting::Restart(policy));
    let act = Act::Crash { node: SCHEDULER, lasts: Some(Span::secs(5)) };
    run.interventions.push(Intervention { when: When::HalfDispatched { task: TASK, attempt: 1 }, act });
    run
}

#[test]
fn what_was_sent_and_not_recorded_is_sent_again_under_the_same_token() {
    for policy in [RestartPolicy::Adopt, RestartPolicy::AdoptIfRecorded, RestartPolicy::Reset] {
        let run = halved(DispatchOrder::SendFirst, policy);
        let played = run.played();
        let truth = fenceline_sim::Truth::of(&run, &played.trace, played.trace.len(), played.now);
        let began: Vec<_> =
            truth.executions.iter().map(|e| (e.start, e.exec.attempt, e.exec.copy, e.token.0)).collect();
        assert_eq!(began, [(200_000, 1, 0, 7), (5_200_000, 1, 1, 7)], "{policy:?}");
        assert_eq!(granted(&run), [50], "the first was never recorded");
        assert_eq!(played.verdict(Claim::OneOutput).state, State::Violated);
    }
}

#[test]
fn what_was_recorded_and_not_sent_is_reset_or_adopted_by_nobody() {
    let of = |policy| granted(&halved(DispatchOrder::RecordFirst, policy));
    assert_eq!(of(RestartPolicy::AdoptIfRecorded), [0, 50]);
    assert_eq!(of(RestartPolicy::Adopt), [0, 350], "an adopted lease that nobody holds runs its length");
}

#[test]
fn either_order_grants_and_sends_at_the_same_time() {
    let first = |order| granted(&set(Run::new(first_run()).paused_for(55), Setting::Dispatch(order)));
    assert_eq!(first(DispatchOrder::SendFirst), first(DispatchOrder::RecordFirst));
}

/// Two tasks wait for the one slot in the reverse of their numbers; then there are slots for both.
#[test]
fn what_is_sent_at_one_instant_is_recorded_in_the_order_of_its_tokens() {
    let mut scenario = first_run();
    scenario.rules.pool = Some(1);
    for due in [1, 0] {
        let task = TaskSpec { due: Span::secs(due), ..scenario.tasks[0].clone() };
        scenario.tasks.push(task);
        scenario.judged.push(scenario.judged[0].clone());
    }
    scenario.tasks[0].due = Span::secs(2);
    scenario.workers[0].slots = 3;
    for order in [DispatchOrder::RecordFirst, DispatchOrder::SendFirst] {
        let run =
            set(Run::new(scenario.clone()), Setting::Dispatch(order)).with(5, Act::Set(Setting::Pool(None)));
        let played = run.played();
        let grants: Vec<_> = played.trace.iter().filter(|r| r.kind == Kind::Granted).collect();
        let granted: Vec<_> = grants.iter().map(|r| (r.task.0, r.b)).collect();
        assert_eq!(granted, [(2, 7), (1, 8), (0, 9)], "{order:?}");
        assert_eq!(grants[1].at, grants[2].at);
        assert_eq!(played.verdict(Claim::TokensInOrder).state, State::Holds);
    }
}

#[test]
fn what_was_never_sent_cannot_arrive_once_more() {
    let mut run = Run::new(first_run()).with(5, Act::Redeliver { node: WORKER_1, task: TASK });
    let pause = Act::Pause { node: SCHEDULER, lasts: None };
    run.interventions
        .push(Intervention { when: When::HalfDispatched { task: TASK, attempt: 1 }, act: pause });
    assert!(seen(&run, Kind::Redelivered, 1).is_empty());
}

/// A heartbeat that waited is handled at the instant at which a grant is sent and not yet recorded.
#[test]
fn nothing_is_decided_about_a_grant_before_it_is_recorded() {
    let mut scenario = first_run();
    let (task, judged) = (scenario.tasks[0].clone(), scenario.judged[0].clone());
    let due = [0, 0, 0, 11_400];
    scenario.tasks = due.map(|due| TaskSpec { due: Span::millis(due), ..task.clone() }).into();
    scenario.judged = vec![judged; due.len()];
    scenario.workers.iter_mut().for_each(|worker| worker.slots = 2);
    scenario.rules.dispatch = DispatchOrder::SendFirst;
    scenario.rules.lease.scope = LeaseScope::Worker;
    scenario.rules.heartbeat.capacity = Some(60);
    assert_eq!(seen(&Run::new(scenario), Kind::Granted, 1).len(), 4);
}
