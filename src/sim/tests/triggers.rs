//! Triggers and dependencies: what runs when, what is skipped, what waits.

mod support;

use fenceline_engine::{Decision, ExpiryPolicy, Misfire, Overlap, Span, TaskId, TaskState};
use fenceline_sim::workload::first_run;
use fenceline_sim::{Act, Kind, Run, Scenario, Simulation};
use support::*;

/// The first run's task every minute, `count` times, with a worker for each.
fn hourly(count: u16) -> Scenario {
    let mut scenario = first_run();
    for worker in &mut scenario.workers {
        worker.slots = count;
    }
    let spec = scenario.tasks[0].clone();
    scenario.tasks = (0..count)
        .map(|n| fenceline_engine::TaskSpec {
            due: Span::secs(60 * i64::from(n)),
            follows: n.checked_sub(1).map(TaskId),
            ..spec.clone()
        })
        .collect();
    scenario.judged = vec![scenario.judged[0].clone(); usize::from(count)];
    scenario.until = 600_000_000;
    scenario
}

fn states(run: &Run) -> Vec<TaskState> {
    let mut simulation = Simulation::new(run);
    simulation.finish();
    simulation.world().ledger().tasks.iter().map(|task| task.state).collect()
}

fn granted(run: &Run) -> Vec<(u16, u64)> {
    let granted = |r: &fenceline_sim::Record| (r.task.0, r.at / 1_000_000);
    run.played().trace.iter().filter(|r| r.kind == Kind::Granted).map(granted).collect()
}

/// The scheduler is down from 50 s to 200 s: the intervals of 60, 120 and 180 s fall due meanwhile.
fn missed(misfire: Misfire) -> Run {
    let mut scenario = hourly(6);
    scenario.rules.misfire = misfire;
    Run::new(scenario).with(50, Act::Crash { node: SCHEDULER, lasts: Some(Span::secs(150)) })
}

#[test]
fn missed_intervals_are_run_skipped_or_made_one() {
    let all = missed(Misfire::RunAll);
    assert_eq!(granted(&all), [(0, 0), (1, 200), (2, 200), (3, 200), (4, 240), (5, 300)]);
    let late = Span::secs(10);
    let latest = missed(Misfire::RunLatest { late });
    assert_eq!(granted(&latest), [(0, 0), (3, 200), (4, 240), (5, 300)]);
    let skip = missed(Misfire::Skip { late });
    assert_eq!(granted(&skip), [(0, 0), (4, 240), (5, 300)]);
    assert_eq!(states(&skip)[1..4], [TaskState::Skipped; 3]);
    // What is less late than the rule says is run.
    assert_eq!(
        granted(&missed(Misfire::Skip { late: Span::secs(30) })),
        [(0, 0), (3, 200), (4, 240), (5, 300)]
    );
}

/// Time jumps over them as well as a crash does.
#[test]
fn a_step_of_the_wall_clock_misses_intervals_too() {
    let mut scenario = hourly(4);
    scenario.rules.misfire = Misfire::RunLatest { late: Span::secs(1) };
    let run = Run::new(scenario).with(50, Act::StepClock { node: SCHEDULER, by: Span::secs(145) });
    assert_eq!(granted(&run), [(0, 0), (3, 50)]);
}

/// Each run takes 30 s more than its interval.
fn slow(overlap: Overlap) -> Scenario {
    let mut scenario = hourly(4);
    for task in &mut scenario.tasks {
        task.program.insert(1, fenceline_engine::Step::Compute(Span::secs(60)));
    }
    scenario.rules.overlap = overlap;
    scenario
}

#[test]
fn an_interval_runs_beside_waits_for_or_gives_way_to_the_one_before() {
    assert_eq!(granted(&Run::new(slow(Overlap::Allow))), [(0, 0), (1, 60), (2, 120), (3, 180)]);
    assert_eq!(granted(&Run::new(slow(Overlap::Wait))), [(0, 0), (1, 90), (2, 181), (3, 272)]);
    let skip = Run::new(slow(Overlap::Skip));
    assert_eq!(granted(&skip), [(0, 0), (2, 120)]);
    assert_eq!(states(&skip)[1], TaskState::Skipped);
}

/// *One at a time* is a promise by the record: what was failed for its silence runs on beside the next.
#[test]
fn what_the_record_has_as_ended_overlaps() {
    let mut scenario = slow(Overlap::Wait);
    scenario.rules.expiry = ExpiryPolicy::Fail;
    let run = Run::new(scenario).paused_for(40);
    let second = granted(&run)[1];
    assert_eq!(second, (1, 60));
    let ended =
        run.played().trace.iter().find(|r| r.kind == Kind::Ended).map(|r| (r.task.0, r.at / 1_000_000));
    assert_eq!(ended, Some((0, 130)));
}

#[test]
fn a_task_waits_for_its_upstream_and_is_skipped_with_it() {
    let chain = |attempts| {
        let mut scenario = hourly(2);
        scenario.tasks[1] = fenceline_engine::TaskSpec {
            due: Span::ZERO,
            follows: None,
            after: Some(TaskId(0)),
            ..scenario.tasks[1].clone()
        };
        scenario.rules.retry.attempts = attempts;
        Run::new(scenario)
    };
    assert_eq!(granted(&chain(3)), [(0, 0), (1, 30)]);
    let lost = chain(1).with(5, Act::Crash { node: WORKER_1, lasts: None });
    assert_eq!(states(&lost), [TaskState::Failed, TaskState::Skipped]);
}

/// It was queued all the same when what it waited for had ended.
#[test]
fn a_task_that_was_decided_while_it_waited_is_not_run() {
    for (decision, state) in [(Decision::Succeed, TaskState::Succeeded), (Decision::Fail, TaskState::Failed)]
    {
        let decided = Act::Operator { task: TaskId(1), decision };
        let run = Run::new(slow(Overlap::Wait)).with(70, decided);
        assert_eq!(granted(&run), [(0, 0), (2, 120), (3, 210)]);
        assert_eq!(states(&run)[1], state);
    }
}

/// It had waited for 17 s when the scheduler came back, and was taken for one that nobody had come to.
#[test]
fn what_waited_before_a_crash_is_not_late_after_it() {
    let mut scenario = slow(Overlap::Wait);
    scenario.rules.misfire = Misfire::Skip { late: Span::secs(10) };
    let run = Run::new(scenario).with(75, Act::Crash { node: SCHEDULER, lasts: Some(Span::secs(2)) });
    assert_eq!(granted(&run)[..2], [(0, 0), (1, 90)]);
}
