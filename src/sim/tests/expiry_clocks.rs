//! The clocks by which a lease is judged: what each sees of a death, and what each is exposed to.

mod support;

use fenceline_engine::{ExpiryClock, Span, Step};
use fenceline_sim::workload::first_run;
use fenceline_sim::{Act, Fate, Kind, MessageKind, Path, Record, Run, Setting, Way};
use support::*;

const CLOCKS: [ExpiryClock; 4] =
    [ExpiryClock::Wall, ExpiryClock::Monotonic, ExpiryClock::Observer, ExpiryClock::WorkerStamp];

/// A task of ten minutes on a lease of 30 s, a beat every 10 s and a sweep every `sweep` seconds.
fn judged_by(clock: ExpiryClock, sweep: i64) -> Run {
    let mut scenario = first_run();
    scenario.tasks[0].program.insert(1, Step::Compute(Span::secs(570)));
    scenario.until = 700_000_000;
    let run = Run::new(scenario).with(0, Act::Set(Setting::Clock(clock)));
    run.with(0, Act::Set(Setting::Sweep { every: Span::secs(sweep), most: None }))
}

fn seen(run: &Run, is_it: impl Fn(&Record) -> bool) -> Vec<u64> {
    run.played().trace.iter().filter(|record| is_it(record)).map(|record| record.at).collect()
}

fn expired(run: &Run) -> Vec<u64> {
    seen(run, |record| record.kind == Kind::Expired)
}

/// From the sending of the last renewal to the sweep that records the expiry.
fn detection(run: &Run) -> u64 {
    let is_beat = |r: &Record| r.kind == Kind::Sent && r.message() == Some(MessageKind::Heartbeat);
    let beats = seen(run, |record| is_beat(record) && record.attempt == 1);
    expired(run)[0] - beats.last().expect("it beat")
}

#[test]
fn a_death_is_detected_within_the_bounds_of_its_clock() {
    // L = 30 s, d = 200 ms; a beat leaves at 10.2 s, 20.2 s and so on.
    for sweep in [1, 7, 11] {
        for clock in CLOCKS {
            for dies in 41..61 {
                let dead = judged_by(clock, sweep).with(dies, Act::Crash { node: WORKER_1, lasts: None });
                let took = detection(&dead);
                let sweep = sweep as u64 * 1_000_000;
                let least = match clock {
                    ExpiryClock::Observer => 30_000_000_u64.div_ceil(sweep) * sweep,
                    _ => 30_000_000,
                } + 200_000;
                assert!((least..=least + sweep).contains(&took), "{clock:?}, {sweep}, {dies}: {took}");
            }
        }
    }
}

#[test]
fn a_step_of_the_judges_clock_ends_only_what_is_judged_by_a_wall_clock() {
    for (clock, is_exposed) in CLOCKS.into_iter().zip([true, false, false, true]) {
        let jumped = judged_by(clock, 1).with(45, Act::StepClock { node: SCHEDULER, by: Span::secs(60) });
        assert_eq!(!expired(&jumped).is_empty(), is_exposed, "{clock:?}");
    }
}

#[test]
fn a_stamp_lives_as_much_longer_as_its_workers_clock_is_ahead() {
    let dead = |ahead: i64, clock| {
        let mut run = judged_by(clock, 1).with(45, Act::Crash { node: WORKER_1, lasts: None });
        std::sync::Arc::make_mut(&mut run.scenario).workers[0].offset = Span::secs(ahead);
        detection(&run) / 1_000_000
    };
    assert_eq!([-15, 0, 15].map(|ahead| dead(ahead, ExpiryClock::WorkerStamp)), [15, 30, 45]);
    assert_eq!([-15, 0, 15].map(|ahead| dead(ahead, ExpiryClock::Observer)), [30, 30, 30]);
}

#[test]
fn a_worker_that_is_a_lease_behind_dies_of_its_own_stamp() {
    let mut run = judged_by(ExpiryClock::WorkerStamp, 1);
    std::sync::Arc::make_mut(&mut run.scenario).workers[0].offset = Span::secs(-30);
    assert_eq!(expired(&run)[0], 11_000_000, "its first beat stamps what is over");
}

#[test]
fn any_restart_of_an_observer_means_one_full_lease() {
    let dead = judged_by(ExpiryClock::Observer, 1).with(42, Act::Crash { node: WORKER_1, lasts: None });
    assert_eq!(expired(&dead)[0] / 1_000_000, 71, "renewed at 40.4 s, seen at 41 s");
    for act in [
        Act::Crash { node: SCHEDULER, lasts: Some(Span::secs(2)) },
        Act::Reboot { node: SCHEDULER, lasts: Some(Span::secs(2)) },
    ] {
        assert_eq!(expired(&dead.clone().with(60, act))[0] / 1_000_000, 92);
    }
}

/// One clean window between two renewals, whatever is seen of it in between.
#[test]
fn an_observer_too_is_given_one_clean_window() {
    let cut = Act::Cut { node: WORKER_1, path: Path::Control, way: Way::Out, fate: Fate::Lost, lasts: None };
    let step = Act::StepClock { node: SCHEDULER, by: Span::secs(20) };
    let mut run =
        judged_by(ExpiryClock::Observer, 1).with(0, Act::Set(Setting::JumpGuard(Some(Span::secs(5)))));
    run = run.with(11, cut).at_micros(11_500_000, step).at_micros(20_500_000, step);
    assert_eq!(seen(&run, |record| record.kind == Kind::Guarded), [12_000_000]);
}
