//! Arithmetic of leases that is easily got wrong, figure by figure: lost renewals, steps of a clock,
//! timers in series.

mod support;

use fenceline_engine::{CallRules, ExpiryPolicy, LateRenewal, Span, Step, TaskId};
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

/// How many of 100 leases of 30 s, renewed every 10 s at all phases, a step of the judge's clock ends:
/// found over at the next sweep, and in all before each has been renewed. The step falls midway between two
/// sweeps; before it each lease may have lost a renewal.
fn ended_by(step: i64, sweep: i64, late: LateRenewal, lost: bool) -> (usize, usize) {
    let mut scenario = w1(100, Span::secs(100));
    for (index, task) in scenario.tasks.iter_mut().enumerate() {
        task.due = Span::millis(100).times(index as i64);
    }
    let stepped = 60_049_000 + sweep as u64 * 500_000;
    let lasts = Some(Span::secs(10));
    let cut = Act::Cut { node: SCHEDULER, path: Path::Control, way: Way::In, fate: Fate::Lost, lasts };
    let call = CallRules { timeout: Some(Span::secs(5)), retries: 0 };
    let run = Run::new(scenario)
        .with(0, Act::Set(Setting::BeatCall(call)))
        .with(0, Act::Set(Setting::Sweep { every: Span::secs(sweep), most: None }))
        .with(0, Act::Set(Setting::LateRenewal(late)))
        .at_micros(stepped, Act::StepClock { node: SCHEDULER, by: Span::secs(step) });
    let run = if lost { run.at_micros(stepped - 10_000_000, cut) } else { run };
    let played = run.played();
    let mut ended: Vec<(u64, TaskId)> = Vec::new();
    for record in played.trace.iter().filter(|record| record.attempt == 1) {
        let is_end = matches!(record.kind, Kind::Expired | Kind::Refused);
        if is_end && ended.iter().all(|(_, task)| *task != record.task) {
            ended.push((record.at, record.task));
        }
    }
    let next_sweep = (60 + sweep as u64) * 1_000_000;
    (ended.iter().filter(|(at, _)| *at <= next_sweep).count(), ended.len())
}

/// A healthy lease has between L - H and L left. What a step does not end at once ends before its next
/// renewal, as it has less left by then; a renewal that revives saves who beats before the next sweep, and
/// the fewer sweeps there are the more it saves.
#[test]
fn a_step_forward_ends_as_many_leases_as_the_page_says() {
    let page = std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/ten-points.md"));
    let page = page.expect("the page");
    let cases = [false, true].into_iter().flat_map(|lost| [15, 19, 20, 25, 30].map(|step| (lost, step)));
    for (lost, step) in cases {
        let mut row = format!("| {} | {step} s |", if lost { "one" } else { "none" });
        for (sweep, late) in
            [1, 10].into_iter().flat_map(|s| [LateRenewal::Refuse, LateRenewal::Revive].map(|late| (s, late)))
        {
            let (found, ended) = ended_by(step, sweep, late, lost);
            row += &format!(" {found} of {ended} |");
        }
        assert!(page.lines().any(|line| line == row), "the page lacks\n{row}");
    }
}

#[test]
fn less_than_l_minus_h_ends_nothing_and_l_ends_everything() {
    assert_eq!(ended_by(19, 1, LateRenewal::Refuse, false), (0, 0));
    assert_eq!(ended_by(30, 1, LateRenewal::Refuse, false), (100, 100));
    // A lost renewal leaves L - 2H at least.
    assert_eq!(ended_by(9, 1, LateRenewal::Refuse, true), (0, 0));
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
