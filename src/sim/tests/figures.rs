//! The quality figures, the alerts, and the two accounts.

mod support;

use fenceline_engine::{
    Exec, ExpiryPolicy, FenceRaise, FenceRules, HeartbeatSource, IdempotencyKey, Misfire, SinkKind, Span,
    Step, Token,
};
use fenceline_sim::alert::{About, AlertSource};
use fenceline_sim::figures::{FalseExpiries, Figures};
use fenceline_sim::scenario::AlertRule;
use fenceline_sim::story::{Account, Attempt, Story, Told};
use fenceline_sim::workload::first_run;
use fenceline_sim::{Act, Claim, Fate, Kind, Path, Run, Setting, Way};
use support::*;

fn figures(run: &Run) -> Figures {
    let played = run.played();
    Figures::of(run, &played.trace, played.trace.len(), played.now)
}

fn paused() -> Run {
    Run::new(first_run()).paused_for(55)
}

fn crash(node: fenceline_engine::NodeId, lasts: Option<i64>) -> Act {
    Act::Crash { node, lasts: lasts.map(Span::secs) }
}

#[test]
fn the_first_run_in_figures() {
    let figures = figures(&paused());
    assert_eq!((figures.granted, figures.expired), (2, 1));
    assert_eq!(figures.false_expiries, FalseExpiries { paused: 1, ..FalseExpiries::default() });
    let zombie = figures.zombie;
    assert_eq!((zombie.count, zombie.total, zombie.worked), (1, Span::millis(35_200), Span::millis(8_600)));
    assert_eq!((figures.overlap, figures.peak), (Span::millis(30_400), 2));
    assert_eq!(figures.wasted, Span::millis(30_400), "attempt 1: from 0.2 to 85.6 s, 55 s of it paused");
    assert!(figures.deaths.is_empty());
    assert!(figures.detections.iter().all(|detection| detection.after.is_none()));
}

#[test]
fn a_death_is_detected_by_the_sweep_after_its_lease_ran_out() {
    let figures = figures(&Run::new(first_run()).with(22, crash(WORKER_1, None)));
    let death = figures.deaths[0];
    assert_eq!((death.exec, death.at), (Exec::first(TASK, 1), 22_000_000));
    assert_eq!(death.detected, Some(Span::secs(29)));
    assert_eq!(death.slot_freed, Some(Span::secs(29)));
    assert_eq!(death.recovered, Some(Span::millis(29_200)));
    assert_eq!((figures.dead_slot, figures.false_expiries.total()), (Span::secs(29), 0));
}

/// Worker 1 is paused, loses its lease and its task, and dies when the task is long done.
#[test]
fn a_zombies_death_is_nobodys_loss() {
    let run = Run::new(first_run()).paused_for(80).with(90, crash(WORKER_1, Some(3)));
    let figures = figures(&run);
    assert_eq!((figures.deaths, figures.dead_slot), (Vec::new(), Span::ZERO));
}

#[test]
fn an_undetected_death_stays_open() {
    let run = Run::new(first_run()).with(22, crash(WORKER_1, None)).with(23, crash(SCHEDULER, None));
    let figures = figures(&run);
    assert_eq!((figures.deaths[0].detected, figures.deaths[0].recovered), (None, None));
    assert_eq!(figures.dead_slot, Span::secs(80), "to the end of the run");
}

#[test]
fn false_expiries_are_told_apart() {
    let silent = Run::new(first_run()).with(0, Act::Set(Setting::Source(HeartbeatSource::Nobody)));
    let kind = |run: &Run| figures(run).false_expiries;
    assert_eq!(kind(&silent).running, 3, "30.4 s of work on a 30 s lease, three times");
    let lost = Act::Cut {
        node: WORKER_1,
        path: Path::Both,
        way: Way::In,
        fate: Fate::Lost,
        lasts: Some(Span::secs(1)),
    };
    assert_eq!(kind(&Run::new(first_run()).with(0, lost)).waiting, 1);
    let dead = Run::new(first_run()).with(0, crash(WORKER_1, None));
    assert_eq!(kind(&dead), FalseExpiries::default(), "nobody was there to begin it");
    let unreported = Run::new(first_run()).with(30, crash(SCHEDULER, Some(30)));
    assert_eq!(kind(&unreported).finished, 1);
}

#[test]
fn heartbeats_are_counted_at_the_scheduler() {
    let load = figures(&paused()).heartbeats;
    assert_eq!((load.handled, load.highest), (6, 4), "20.4 s is out of the minute that ends at 81.4 s");
    assert_eq!(load.mean_milli(), 3_529, "thousandths: 6 in 102 s");
}

#[test]
fn time_to_detect_counts_from_the_damage_and_is_nothing_if_the_alert_came_first() {
    let after = |rule| {
        let detections = figures(&Run::new(alerting(first_run(), rule)).paused_for(55)).detections;
        detections.iter().find(|d| d.violation.claim == Claim::OneOutput).and_then(|d| d.after)
    };
    assert_eq!(after(AlertRule::Retried), Some(Span::ZERO));
    assert_eq!(after(AlertRule::Reconcile(Span::secs(20))), Some(Span::millis(14_600)));
    assert_eq!(after(AlertRule::FencedWrite), None);
}

#[test]
fn alerts_name_what_they_are_about() {
    let alerts = |run: Run| {
        let played = run.played();
        played.judge().alerts(played.now).iter().map(|a| (a.at, a.source, a.about)).collect::<Vec<_>>()
    };
    let hold = ExpiryPolicy::Hold { alert_after: Span::secs(5) };
    let rule = AlertRule::LeaseExpired(Span::secs(10));
    let held = Run::new(alerting(first_run(), rule)).paused_for(55).with(0, Act::Set(Setting::Expiry(hold)));
    assert_eq!(
        alerts(held),
        [
            (56_000_000, AlertSource::Held, About::Task(TASK)),
            (60_400_000, AlertSource::Rule(rule), About::Task(TASK)),
        ]
    );
    let rule = AlertRule::SchedulerSilent(Span::secs(10));
    let down = Run::new(alerting(first_run(), rule)).with(30, crash(SCHEDULER, Some(20)));
    assert_eq!(alerts(down), [(40_000_000, AlertSource::Rule(rule), About::Scheduler)]);
    let rule = AlertRule::FencedWrite;
    let fenced = Run::new(guarded(alerting(first_run(), rule), fence(FenceRaise::Claim))).paused_for(55);
    let about = About::Target { task: TASK, sink: SINK };
    assert_eq!(alerts(fenced), [(85_400_000, AlertSource::Rule(rule), about)]);
}

/// By the sink's own clock the zombie's write is too late: nobody compared a token.
#[test]
fn what_a_time_fence_refuses_is_a_stale_write_and_an_alert() {
    let by_time = FenceRules { not_after: true, ..fence(FenceRaise::Nobody) };
    let watched = alerting(alerting(first_run(), AlertRule::FencedWrite), AlertRule::TwoOpen);
    let late = Run::new(guarded(watched, by_time)).paused_for(40).played();
    let (len, now) = (late.trace.len(), late.now);
    let account = Account::of(&late.run, &late.trace, len, now).tasks[0];
    assert_eq!((account.stale_accepted, account.stale_fenced), (0, 1));
    let sources: Vec<_> = late.judge().alerts(now).iter().map(|alert| (alert.at, alert.source)).collect();
    let refused = late.trace.iter().find(|record| record.kind == Kind::TooLate).expect("it is late").at;
    assert!(sources.contains(&(refused, AlertSource::Rule(AlertRule::FencedWrite))), "{sources:?}");
}

/// The interval fell due while the scheduler was down.
#[test]
fn a_skipped_interval_is_told_as_skipped() {
    let mut scenario = first_run();
    scenario.rules.misfire = Misfire::Skip { late: Span::secs(5) };
    scenario.tasks[0].due = Span::secs(20);
    let played = Run::new(scenario).with(10, crash(SCHEDULER, Some(30))).played();
    let story = Story::of(&played.run, &played.trace, played.trace.len(), played.now);
    assert_eq!(story.tasks[0].now(), Told::Skipped);
}

#[test]
fn counting_rows_does_not_see_rows_of_the_wrong_version() {
    let rule = AlertRule::Reconcile(Span::secs(1));
    let run = changed_to(alerting(onto(SinkKind::Overwrite), rule), 1204).paused_for(55);
    let played = run.played();
    assert!(played.judge().alerts(played.now).is_empty());
    assert_eq!(played.verdict(Claim::SilentDamage).state, fenceline_sim::verdict::State::Violated);
}

#[test]
fn the_two_accounts_of_the_first_run_differ() {
    let played = paused().played();
    let story = Story::of(&played.run, &played.trace, played.trace.len(), played.now);
    let runs = |attempt, token, owner| Told::Runs(Attempt { attempt, token: Token(token), owner });
    let told: Vec<_> = story.tasks[0].segments.iter().map(|segment| (segment.from, segment.told)).collect();
    assert_eq!(
        told,
        [(0, runs(1, 7, WORKER_1)), (51_000_000, runs(2, 8, WORKER_2)), (81_800_000, Told::Succeeded)]
    );
    assert_eq!((story.alerts, story.silent_since), (0, None));
    assert_eq!(story.heard, [(WORKER_1, Some(85_800_000)), (WORKER_2, Some(81_800_000))]);

    let account = Account::of(&played.run, &played.trace, played.trace.len(), played.now).tasks[0];
    assert_eq!((account.rows.visible, account.rows.expected), (2408, 1204));
    assert_eq!((account.executions, account.unended, account.stale_accepted), (2, 0, 1));
}

#[test]
fn a_held_task_is_told_as_held_and_then_as_running_again() {
    let hold = ExpiryPolicy::Hold { alert_after: Span::secs(5) };
    let played = Run::new(first_run()).paused_for(55).with(0, Act::Set(Setting::Expiry(hold))).played();
    let story = Story::of(&played.run, &played.trace, played.trace.len(), 60_000_000);
    let held = Attempt { attempt: 1, token: Token(7), owner: WORKER_1 };
    assert_eq!(story.tasks[0].segments[1].told, Told::Held(held));
    assert_eq!(story.tasks[0].now(), Told::Succeeded);
}

#[test]
fn a_vendor_paid_twice_shows_in_the_truth_only() {
    let steps = [Step::Effect { sink: SINK }];
    let played = Run::new(doing(SinkKind::Api(IdempotencyKey::None), &steps)).paused_for(55).played();
    let account = Account::of(&played.run, &played.trace, played.trace.len(), played.now).tasks[0];
    assert_eq!((account.effects.done, account.effects.expected, account.effects.twice), (2, 1, 1));
    let story = Story::of(&played.run, &played.trace, played.trace.len(), played.now);
    assert_eq!((story.tasks[0].now(), story.alerts), (Told::Succeeded, 0));
}
