//! Arithmetic of leases that is easily got wrong, figure by figure: lost renewals, steps of a clock,
//! timers in series.

mod support;

use fenceline_engine::{ExpiryPolicy, LateRenewal, Span, Step, TaskId};
use fenceline_sim::workload::{first_run, w1};
use fenceline_sim::{Act, Fate, Kind, Path, Run, Setting, Way};
use support::*;

/// A lease of 30 s; the first `lost` beats of worker 1 are lost. One way takes 200 ms.
fn losing(lost: i64, every: Span) -> Run {
    let mut scenario = first_run();
    scenario.tasks[0].program.insert(1, Step::Compute(Span::secs(60)));
    scenario.until = 60_000_000;
    let lasts = Some(every.times(lost));
    let cut = Act::Cut { node: WORKER_1, path: Path::Control, way: Way::Out, fate: Fate::Lost, lasts };
    Run::new(scenario).with(0, Act::Set(Setting::Heartbeat(every))).with(1, cut)
}

fn expired(run: &Run) -> usize {
    run.played().trace.iter().filter(|record| record.kind == Kind::Expired).count()
}

#[test]
fn k_lost_renewals_are_survived_if_k_and_one_intervals_and_the_delay_fit_in_the_lease() {
    for millis in [7_000, 7_399, 7_400, 7_401, 9_000, 9_866, 9_867, 10_000, 14_799, 14_800] {
        let every = Span::millis(millis);
        // Of the first lease, which runs from the grant, delta is the round trip.
        let survives = |k: i64| every.times(k + 1) + Span::millis(400) < Span::secs(30);
        for k in 1..4 {
            assert_eq!(expired(&losing(k, every)) == 0, survives(k), "{k} beats of {every:?} lost");
        }
    }
}

#[test]
fn a_third_of_the_lease_spares_one_renewal_and_less_than_a_third_two() {
    assert_eq!([1, 2].map(|k| expired(&losing(k, Span::secs(10)))), [0, 1]);
    assert_eq!([2, 3].map(|k| expired(&losing(k, Span::secs(9)))), [0, 1]);
}

/// Which of 100 leases of 30 s, renewed every 10 s at all phases, a step of the judge's clock at 60 s
/// ends: in order of their ends, each with its time in seconds.
fn ended_by(step: i64, sweep: i64, late: LateRenewal) -> Vec<(u64, TaskId)> {
    let mut scenario = w1(100, Span::secs(100));
    for (index, task) in scenario.tasks.iter_mut().enumerate() {
        task.due = Span::millis(100).times(index as i64);
    }
    let run = Run::new(scenario)
        .with(0, Act::Set(Setting::Sweep { every: Span::secs(sweep), most: None }))
        .with(0, Act::Set(Setting::LateRenewal(late)))
        .at_micros(60_049_000, Act::StepClock { node: SCHEDULER, by: Span::secs(step) });
    let played = run.played();
    let mut ended: Vec<(u64, TaskId)> = Vec::new();
    for record in played.trace.iter().filter(|record| record.attempt == 1) {
        let is_end = matches!(record.kind, Kind::Expired | Kind::Refused);
        if is_end && ended.iter().all(|(_, task)| *task != record.task) {
            ended.push((record.at / 1_000_000, record.task));
        }
    }
    ended
}

#[test]
fn a_step_forward_by_less_than_l_minus_h_ends_nothing() {
    assert_eq!(ended_by(19, 1, LateRenewal::Revive), []);
    assert_eq!(ended_by(19, 1, LateRenewal::Refuse), []);
}

/// A healthy lease has between L - H and L left, and then H less until it is renewed: what a longer
/// step does not end at once ends before its next renewal.
#[test]
fn a_step_of_25_s_ends_half_at_once_and_most_of_the_rest_within_5_s() {
    let ended = ended_by(25, 1, LateRenewal::Revive);
    let at_once = ended.iter().filter(|(at, _)| *at <= 61).count();
    assert_eq!((at_once, ended.len()), (50, 90));
    assert!(ended.iter().all(|(at, _)| *at <= 65));
    assert_eq!(ended_by(25, 1, LateRenewal::Refuse).len(), 100);
}

#[test]
fn renewals_that_revive_save_who_beats_before_the_next_sweep() {
    let (quick, slow) = (ended_by(30, 1, LateRenewal::Revive), ended_by(30, 10, LateRenewal::Revive));
    assert!((88..=95).contains(&quick.len()), "{}", quick.len());
    assert!(slow.len() < quick.len(), "a slow sweep protects: {}", slow.len());
    assert_eq!([1, 10].map(|sweep| ended_by(30, sweep, LateRenewal::Refuse).len()), [100, 100]);
}

#[test]
fn a_step_back_delays_only_the_detection_of_who_renews_no_more() {
    let detected = |dies: u64| {
        let dead = Run::new({
            let mut scenario = first_run();
            scenario.tasks[0].program.insert(1, Step::Compute(Span::secs(60)));
            scenario.until = 200_000_000;
            scenario
        });
        let dead = dead.with(dies, Act::Crash { node: WORKER_1, lasts: None });
        let dead = dead.with(25, Act::StepClock { node: SCHEDULER, by: Span::secs(-60) });
        let played = dead.played();
        played.trace.iter().find(|r| r.kind == Kind::Expired).map(|r| r.at / 1_000_000)
    };
    assert_eq!(detected(24), Some(111), "renewed at 20.4 s: 60 s later than without the step");
    assert_eq!(detected(34), Some(61), "renewed at 30.4 s, on the new clock: as if nothing had been");
}

#[test]
fn two_timers_in_series_add_up() {
    // A node is given 40 s, then its pods 300 s before they are replaced.
    let mut scenario = first_run();
    scenario.until = 500_000_000;
    let run = Run::new(scenario)
        .with(0, Act::Set(Setting::Lease(Span::secs(40))))
        .with(0, Act::Set(Setting::Expiry(ExpiryPolicy::Grace(Span::secs(300)))))
        .with(22, Act::Crash { node: WORKER_1, lasts: None });
    let played = run.played();
    let at = |kind| played.trace.iter().filter(|r| r.kind == kind).map(|r| r.at / 1_000_000).last();
    assert_eq!((at(Kind::Expired), at(Kind::Granted)), (Some(61), Some(361)), "renewed at 20.4 s");
}
