//! Permission to commit, and an own ledger of effects.

mod support;

use fenceline_engine::{
    CallRules, Ending, Exec, FenceRaise, LateCompletion, RestartPolicy, SinkKind, Span, Step,
};
use fenceline_sim::verdict::State::{Holds, Violated};
use fenceline_sim::{Act, Claim, Intervention, Kind, Run, Scenario, Setting, When};
use support::*;

const WRITE: Step = Step::Write { sink: SINK, part: 0, parts: 1 };

fn asking() -> Scenario {
    let mut scenario = doing(SinkKind::Append, &[Step::Ask, WRITE]);
    scenario.until = 150_000_000;
    scenario.judged[0].bound = None;
    scenario
}

/// The act is done before attempt 1 begins this step: the third asks, the fourth writes.
fn before(scenario: Scenario, step: u8, act: Act) -> Run {
    let mut run = Run::new(scenario);
    let when = When::BeforeStep { exec: Exec::first(TASK, 1), step };
    run.interventions.push(Intervention { when, act });
    run
}

fn pause(seconds: i64) -> Act {
    Act::Pause { node: WORKER_1, lasts: Some(Span::secs(seconds)) }
}

fn attempts(run: &Run, kind: Kind) -> Vec<u8> {
    run.played().trace.iter().filter(|r| r.kind == kind).map(|r| r.attempt).collect()
}

fn endings(run: &Run) -> Vec<Ending> {
    run.played().trace.iter().filter(|r| r.kind == Kind::Ended).map(|r| r.ending()).collect()
}

#[test]
fn one_that_was_given_up_before_it_asks_may_not_commit() {
    let run = Run::new(asking()).paused_for(55);
    assert_eq!(attempts(&run, Kind::CommitAllowed), [2]);
    assert_eq!(attempts(&run, Kind::CommitDenied), [1]);
    assert!(endings(&run).contains(&Ending::Denied));
    assert_eq!(state(&run, Claim::RowsAsExpected), Holds);
}

#[test]
fn permission_says_nothing_of_when_the_commit_comes() {
    // It has asked, sleeps past its lease, and writes when it wakes.
    let run = before(asking(), 4, pause(70));
    assert_eq!(attempts(&run, Kind::CommitAllowed), [1, 2]);
    assert_eq!(state(&run, Claim::OneOutput), Violated);
    let fenced = guarded(asking(), fence(FenceRaise::Claim));
    assert_eq!(state(&before(fenced, 4, pause(70)), Claim::OneOutput), Holds);
}

#[test]
fn one_that_comes_after_a_success_may_not_commit() {
    // Attempt 1 sleeps after its write, and its success is accepted before attempt 2 asks.
    let late = Act::Set(Setting::Late(LateCompletion::Accept));
    let run = before(asking(), 5, pause(40)).with(0, late);
    assert_eq!(attempts(&run, Kind::CommitAllowed), [1]);
    assert_eq!(attempts(&run, Kind::CommitDenied), [2]);
    let trace = run.played().trace;
    let failed: Vec<u8> = trace.iter().filter(|r| r.kind == Kind::AttemptFailed).map(|r| r.flag).collect();
    assert_eq!(failed, [6]);
    assert_eq!(state(&run, Claim::RowsAsExpected), Holds);
}

#[test]
fn a_dead_attempt_keeps_no_permission() {
    let run = before(asking(), 4, Act::Crash { node: WORKER_1, lasts: None });
    assert_eq!(attempts(&run, Kind::CommitAllowed), [1, 2]);
    assert_eq!(state(&run, Claim::RowsAsExpected), Holds);
}

#[test]
fn of_two_open_attempts_the_first_to_ask_may_and_a_restart_forgets_who_it_was() {
    // The scheduler is restarted while attempt 1 sleeps with its permission, and resets it.
    let restart = Act::Crash { node: SCHEDULER, lasts: Some(Span::secs(1)) };
    let reset = Act::Set(Setting::Restart(RestartPolicy::Reset));
    let run = before(asking(), 4, pause(20)).with(35, restart).with(0, reset);
    assert_eq!(attempts(&run, Kind::CommitAllowed), [1, 2]);
    assert_eq!(state(&run, Claim::OneOutput), Violated);
    // A copy of the same attempt has the permission of the first.
    let copied = Run::new(asking()).with(5, Act::Redeliver { node: WORKER_2, task: TASK });
    assert_eq!(attempts(&copied, Kind::CommitAllowed), [1, 1]);
    assert_eq!(state(&copied, Claim::OneOutput), Violated);
}

#[test]
fn a_question_that_is_lost_is_asked_again() {
    let mut scenario = asking();
    scenario.rules.call = CallRules { timeout: Some(Span::secs(5)), retries: 1 };
    let run = before(scenario, 3, Act::Crash { node: SCHEDULER, lasts: Some(Span::secs(3)) });
    assert_eq!(attempts(&run, Kind::CommitAllowed), [1]);
    assert_eq!(endings(&run), [Ending::Finished]);
    let patient = before(asking(), 3, Act::Crash { node: SCHEDULER, lasts: Some(Span::secs(3)) });
    assert!(attempts(&patient, Kind::CommitAllowed).is_empty(), "it beats, and waits for ever");
}

/// Looks it up, pays, notes it: steps 3 to 5.
fn noting(steps: &[Step]) -> Scenario {
    let mut scenario = doing(SinkKind::Mailbox, steps);
    scenario.until = 150_000_000;
    scenario
}

#[test]
fn an_own_ledger_spares_what_it_has_noted_and_has_a_gap_on_either_side() {
    let sink = SINK;
    let (check, effect, note) = (Step::Check { sink }, Step::Effect { sink }, Step::Note { sink });
    let crash = Act::Crash { node: WORKER_1, lasts: None };
    let done = |run: &Run| attempts(run, Kind::EffectDone);
    let after = [check, effect, note, Step::Compute(Span::secs(5))];
    let noted = before(noting(&after), 6, crash);
    assert_eq!(done(&noted), [1]);
    assert_ne!(state(&noted, Claim::EffectsOnce), Violated);
    // It dies between the two.
    let twice = before(noting(&after), 5, crash);
    assert_eq!((done(&twice), state(&twice, Claim::EffectsOnce)), (vec![1, 2], Violated));
    // Noted first: it dies between the two, and nothing is ever done.
    let never = before(noting(&[check, note, effect]), 5, crash);
    assert_eq!((done(&never), state(&never, Claim::EffectsOnce)), (vec![], Violated));
    // Looked up before, done after: both look in time.
    let both = before(noting(&after), 4, pause(70));
    assert_eq!(done(&both), [2, 1]);
}
