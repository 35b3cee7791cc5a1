//! Alerts: what raises them, and to which violations they belong.

mod support;

use fenceline_engine::{NodeId, Span};
use fenceline_sim::alert::About;
use fenceline_sim::causes::causes;
use fenceline_sim::scenario::AlertRule;
use fenceline_sim::verdict::State::{Holds, Violated};
use fenceline_sim::verdict::timelines;
use fenceline_sim::workload::first_run;
use fenceline_sim::{Act, Claim, Fate, Kind, Path, Run, Setting, Way};
use support::*;

fn crash(node: NodeId, lasts: Option<i64>) -> Act {
    Act::Crash { node, lasts: lasts.map(Span::secs) }
}

#[test]
fn a_scheduler_that_nobody_hears_is_silent_whatever_its_process_does() {
    let rule = AlertRule::SchedulerSilent(Span::secs(10));
    let raised = |act| {
        let played = Run::new(alerting(first_run(), rule)).with(30, act).played();
        let alerts = played.judge().alerts(played.now);
        alerts.iter().map(|alert| alert.at / 100_000).collect::<Vec<_>>()
    };
    let cut =
        |path, way| Act::Cut { node: SCHEDULER, path, way, fate: Fate::Lost, lasts: Some(Span::secs(20)) };
    assert_eq!(raised(cut(Path::Both, Way::Both)), [400]);
    assert_eq!(raised(cut(Path::Control, Way::Out)), [400]);
    assert_eq!(raised(cut(Path::Control, Way::In)), [402], "asked at 30.2 s, and no answer");
    let lossy = Act::Degrade {
        node: SCHEDULER,
        path: Path::Control,
        way: Way::Both,
        latency: Span::ZERO,
        loss: 1_000_000,
        duplicate: 0,
        lasts: Some(Span::secs(20)),
    };
    assert_eq!(raised(lossy), [402], "by chance, as good as cut");
    assert_eq!(raised(cut(Path::Data, Way::Both)), []);
    assert_eq!(raised(Act::Pause { node: SCHEDULER, lasts: Some(Span::secs(20)) }), [400]);
    let brief = Act::Cut {
        node: SCHEDULER,
        path: Path::Both,
        way: Way::Both,
        fate: Fate::Lost,
        lasts: Some(Span::secs(9)),
    };
    assert_eq!(raised(brief), []);
}

/// It watches from where it stands: a retry before it, and one after.
#[test]
fn an_alert_can_be_placed_in_a_run_and_taken_away() {
    let placed = |at, rule| Run::new(first_run()).paused_for(40).with(at, Act::Set(Setting::Alert(rule)));
    let raised = |run: Run| {
        let played = run.played();
        played.judge().alerts(played.now).iter().map(|alert| alert.at / 100_000).collect::<Vec<_>>()
    };
    let (retried, none) = (Some(AlertRule::Retried), None);
    assert_eq!(raised(placed(0, retried)), [510]);
    assert_eq!(raised(placed(40, retried)), [510]);
    assert_eq!(raised(placed(60, retried)), []);
    assert_eq!(raised(placed(0, retried).with(40, Act::Set(Setting::Alert(none)))), []);
    // It grants attempt 2 at 51 s, and compares rows from then on, each 20 s after it was placed.
    let reconcile = Some(AlertRule::Reconcile(Span::secs(20)));
    assert_eq!(raised(placed(65, reconcile)), [850]);
    // Down since 30 s, and not heard since it was placed.
    let silent = Some(AlertRule::SchedulerSilent(Span::secs(10)));
    let run = placed(35, silent).with(30, crash(SCHEDULER, Some(60)));
    assert_eq!(raised(run), [450]);
}

/// What it sent before it fell silent is heard when it arrives.
#[test]
fn silence_counts_from_the_last_word_that_arrived() {
    let rule = AlertRule::SchedulerSilent(Span::secs(10));
    let mut scenario = alerting(first_run(), rule);
    scenario.control.latency = Span::millis(2_500);
    // The answer to the beat of 12.5 s leaves at 15 s and arrives at 17.5 s.
    let run = Run::new(scenario).with(16, crash(SCHEDULER, None));
    let played = run.played();
    assert_eq!(played.judge().alerts(played.now).iter().map(|a| a.at).collect::<Vec<_>>(), [27_500_000]);
}

#[test]
fn two_attempts_open_at_once_show_when_the_older_is_heard_again() {
    let rule = AlertRule::TwoOpen;
    let raised = |run: Run| {
        let played = run.played();
        played.judge().alerts(played.now).iter().map(|a| (a.at, a.about)).collect::<Vec<_>>()
    };
    let run = Run::new(alerting(first_run(), rule));
    assert_eq!(raised(run.clone().paused_for(40)), [(62_200_000, About::Task(TASK))], "it beats at 62 s");
    assert_eq!(raised(run.clone().with(22, crash(WORKER_1, None))), [], "the older is dead");
    assert_eq!(raised(run), []);
}

/// A fault that was over, and an alert about it, have nothing to do with what came later.
#[test]
fn an_alert_raised_before_the_first_cause_of_a_violation_does_not_belong_to_it() {
    let rule = AlertRule::SchedulerSilent(Span::secs(3));
    let run = Run::new(alerting(first_run(), rule)).with(5, crash(SCHEDULER, Some(4))).paused_for(55);
    let played = run.played();
    assert_eq!(played.judge().alerts(played.now).iter().map(|a| a.at).collect::<Vec<_>>(), [8_000_000]);
    assert_eq!(played.verdict(Claim::SilentDamage).state, Violated);
    let during = Run::new(alerting(first_run(), rule)).with(25, crash(SCHEDULER, Some(4))).paused_for(55);
    assert_eq!(during.played().verdict(Claim::SilentDamage).state, Holds);
}

#[test]
fn a_fault_that_was_over_before_the_last_renewal_silenced_nobody() {
    let pause = Act::Pause { node: WORKER_1, lasts: Some(Span::secs(3)) };
    let run = Run::new(first_run()).with(5, pause).with(22, crash(WORKER_1, None));
    let played = run.played();
    let expired = played.trace.since(0).find(|(_, r)| r.kind == Kind::Expired).expect("found").0;
    let told: Vec<(u64, Kind)> = causes(&played.trace, expired)
        .into_iter()
        .filter_map(|id| played.trace.get(id))
        .map(|r| (r.at / 1_000_000, r.kind))
        .collect();
    assert_eq!(told, [(22, Kind::Crashed)]);
}

/// Whatever silenced the holder of a lease is a cause of its expiry, and the alert about that lease
/// belongs to the damage.
#[test]
fn every_fault_that_silences_is_a_cause_of_the_expiry() {
    let (node, lasts) = (WORKER_1, Some(Span::secs(40)));
    let (path, way, latency) = (Path::Control, Way::Both, Span::ZERO);
    for (act, kind) in [
        (Act::Pause { node, lasts }, Kind::Paused),
        (Act::Freeze { node, lasts, counts_sleep: true }, Kind::Frozen),
        (Act::Crash { node, lasts }, Kind::Crashed),
        (Act::Reboot { node, lasts }, Kind::Crashed),
        (Act::Cut { node, path, way, fate: Fate::Lost, lasts }, Kind::LinkCut),
        (Act::Degrade { node, path, way, latency, loss: 1_000_000, duplicate: 0, lasts }, Kind::LinkDegraded),
        (
            Act::Degrade { node, path, way, latency: Span::secs(60), loss: 0, duplicate: 0, lasts },
            Kind::LinkDegraded,
        ),
        (Act::StepClock { node: SCHEDULER, by: Span::secs(40) }, Kind::ClockStepped),
    ] {
        let played =
            Run::new(alerting(first_run(), AlertRule::LeaseExpired(Span::secs(1)))).with(22, act).played();
        let expired = played.trace.since(0).find(|(_, record)| record.kind == Kind::Expired);
        let (expired, _) = expired.unwrap_or_else(|| panic!("{act:?} expires nothing"));
        let told = causes(&played.trace, expired);
        let is_there = told.iter().any(|id| played.trace.get(*id).is_some_and(|record| record.kind == kind));
        assert!(is_there, "{act:?} is no cause of the expiry");
    }
}

/// Where nothing changes there is nothing to compare anew, however often it is asked for.
#[test]
fn ten_years_of_comparisons_take_no_longer_than_their_rows() {
    let rule = AlertRule::Reconcile(Span(1));
    let played = Run::new(alerting(first_run(), rule)).paused_for(55).played();
    let late = 315_360_000_000_000;
    let alerts = played.judge().alerts(late);
    assert_eq!(alerts.iter().map(|alert| alert.at).collect::<Vec<_>>(), [85_400_000]);
    assert!(!timelines(&played.run, &played.trace, late).is_empty());
}
