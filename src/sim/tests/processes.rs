//! What a worker holds in waiting, what its host starts again, and who runs what was started before.

mod support;

use fenceline_engine::{
    AttemptState, Decision, Ending, Exec, HeartbeatSource, NodeId, Respawn, SinkKind, Span, StartGuard,
    TaskId, TaskState,
};
use fenceline_sim::verdict::State;
use fenceline_sim::workload::first_run;
use fenceline_sim::{Act, Claim, Kind, Record, Run, Scenario, Setting};
use support::*;

/// Tasks of 30 s on worker 1 alone, which holds `prefetch` of them in waiting.
fn queue_at_worker(tasks: usize, prefetch: u16) -> Scenario {
    let mut scenario = onto(SinkKind::Overwrite);
    scenario.workers.truncate(1);
    scenario.rules.prefetch = prefetch;
    scenario.tasks = vec![scenario.tasks[0].clone(); tasks];
    for task in &mut scenario.tasks {
        for step in &mut task.program {
            if let fenceline_engine::Step::Write { sink, .. } = step {
                *sink = NodeId(2);
            }
        }
    }
    scenario.judged = vec![scenario.judged[0].clone(); tasks];
    scenario.until = 300_000_000;
    scenario
}

fn of_kind(run: &Run, kind: Kind) -> Vec<Record> {
    run.played().trace.iter().filter(|r| r.kind == kind).copied().collect()
}

fn seconds(records: &[Record]) -> Vec<u64> {
    records.iter().map(|record| record.at / 1_000_000).collect()
}

/// Without prefetch a task waits with the scheduler and has no lease; with it the grant comes at once.
#[test]
fn what_waits_at_a_worker_is_granted_already() {
    let without = Run::new(queue_at_worker(3, 0));
    assert_eq!(seconds(&of_kind(&without, Kind::Granted)), [0, 30, 61]);
    let mut with = queue_at_worker(3, 2);
    with.rules.lease.duration = Span::secs(200);
    let with = Run::new(with);
    assert_eq!(seconds(&of_kind(&with, Kind::Granted)), [0, 0, 0]);
    assert_eq!(seconds(&of_kind(&with, Kind::Reserved)), [0, 0]);
    assert_eq!(seconds(&of_kind(&with, Kind::Started)), [0, 30, 61]);
    assert_eq!(of_kind(&with, Kind::Expired), []);
}

/// Its lease runs while it waits and nobody renews it: it expires unstarted, and what is granted in its
/// place waits behind it.
#[test]
fn a_lease_runs_while_its_attempt_waits() {
    let run = Run::new(queue_at_worker(2, 2));
    let expired = of_kind(&run, Kind::Expired);
    assert_eq!((expired[0].task, seconds(&expired)[0]), (TaskId(1), 30));
    let started: Vec<_> =
        of_kind(&run, Kind::Started).iter().filter(|r| r.task == TaskId(1)).map(Record::exec).collect();
    assert_eq!(started[0], Exec::first(TaskId(1), 1), "nobody told the worker");
    assert_eq!(started[1], Exec::first(TaskId(1), 2));
}

/// A worker that believes its own clock does not start what waited too long.
#[test]
fn a_waiting_attempt_is_fenced_by_its_own_worker() {
    let mut scenario = queue_at_worker(2, 2);
    scenario.rules.on_loss = fenceline_engine::OnLoss::SelfFence;
    scenario.tasks[0].program.insert(1, fenceline_engine::Step::Compute(Span::secs(15)));
    let run = Run::new(scenario);
    let first = of_kind(&run, Kind::Ended).into_iter().find(|r| r.exec() == Exec::first(TaskId(1), 1));
    assert_eq!(first.map(|r| r.ending()), Some(Ending::SelfFenced));
}

/// Crash or kill: what waited is gone with the process, or taken from its queue.
#[test]
fn a_crash_loses_what_waits() {
    let mut scenario = queue_at_worker(2, 2);
    scenario.rules.retry.attempts = 1;
    let run = Run::new(scenario).with(5, Act::Crash { node: WORKER_1, lasts: Some(Span::secs(1)) });
    assert_eq!(of_kind(&run, Kind::Started).len(), 1);
}

fn preempted(guard: StartGuard) -> Run {
    let mut scenario = first_run();
    scenario.workers.truncate(1);
    scenario.sinks.clear();
    scenario.tasks[0].program.remove(2);
    scenario.rules.heartbeat.source = HeartbeatSource::Nobody;
    scenario.rules.lease.duration = Span::secs(100_000);
    (scenario.rules.respawn, scenario.rules.start_guard) = (Respawn::Again, guard);
    Run::new(scenario).with(10, Act::Crash { node: WORKER_1, lasts: Some(Span::secs(5)) })
}

fn state(run: &Run) -> (TaskState, Vec<AttemptState>) {
    let mut simulation = fenceline_sim::Simulation::new(run);
    simulation.finish();
    let task = simulation.world().ledger().task(TASK);
    (task.state, task.attempts.iter().map(|attempt| attempt.state).collect())
}

/// The host starts the same attempt again under the same token, and the scheduler sees nothing of it.
#[test]
fn a_host_starts_again_what_it_ran() {
    let run = preempted(StartGuard::Off);
    assert_eq!(seconds(&of_kind(&run, Kind::Respawned)), [15]);
    assert_eq!(
        of_kind(&run, Kind::Started).last().map(Record::exec),
        Some(Exec { copy: 1, ..Exec::first(TASK, 1) })
    );
    assert_eq!(state(&run), (TaskState::Succeeded, vec![AttemptState::Succeeded]));
}

/// dagster-io/dagster#33755: the replacement finds itself started already and ends without a word.
#[test]
fn a_silent_start_guard_leaves_a_task_standing() {
    let silent = preempted(StartGuard::Silent);
    assert_eq!(of_kind(&silent, Kind::Ended).last().map(|r| r.ending()), Some(Ending::StoodDown));
    assert_eq!(state(&silent), (TaskState::Running, vec![AttemptState::Running]));
    assert_eq!(silent.played().verdict(Claim::EndsInBound).state, State::Violated);
    let (task, attempts) = state(&preempted(StartGuard::Reports));
    assert_eq!((task, attempts.len()), (TaskState::Succeeded, 2));
}

/// SPARK-29037: a killed run's staged rows lie under the name that the next one uses, and go out with it.
#[test]
fn a_swap_publishes_what_another_left_under_its_name() {
    let staged = |found| {
        let kind = SinkKind::Staged { name: fenceline_engine::StagingName::Fixed, found };
        let sink = SINK;
        let steps = [fenceline_engine::Step::Stage { sink }, fenceline_engine::Step::Swap { sink }];
        let mut scenario = doing(kind, &steps);
        scenario.rules.on_loss = fenceline_engine::OnLoss::Ignore;
        let before_swap = fenceline_sim::When::BeforeStep { exec: Exec::first(TASK, 1), step: 4 };
        let act = Act::Crash { node: WORKER_1, lasts: None };
        let mut run = Run::new(scenario);
        run.interventions.push(fenceline_sim::Intervention { when: before_swap, act });
        run.played().verdict(Claim::RowsAsExpected).state
    };
    assert_eq!(staged(fenceline_engine::Found::Taken), State::Violated);
    assert_eq!(staged(fenceline_engine::Found::Dropped), State::Holds);
}

/// A host that is told to kill an attempt kills whatever runs under it.
#[test]
fn an_order_to_kill_reaches_what_was_started_again() {
    let mut scenario = onto(SinkKind::Append);
    scenario.rules.respawn = Respawn::Again;
    let run = Run::new(scenario)
        .with(5, Act::Crash { node: WORKER_1, lasts: Some(Span::secs(3)) })
        .with(20, Act::Operator { task: TASK, decision: Decision::Cancel });
    let ended = of_kind(&run, Kind::Ended);
    let killed = ended.iter().find(|record| record.ending() == Ending::Killed).expect("killed");
    assert_eq!((killed.attempt, killed.copy), (1, 1));
    assert!(of_kind(&run, Kind::Applied).iter().all(|applied| applied.attempt == 2));
}

/// While it is paused nothing begins, whatever rules change and whomever its host kills.
#[test]
fn a_paused_worker_starts_nothing() {
    let mut scenario = queue_at_worker(2, 1);
    scenario.executor = Some("host".into());
    scenario.rules.lease.duration = Span::secs(600);
    let run = Run::new(scenario).with(5, Act::Pause { node: WORKER_1, lasts: Some(Span::secs(60)) });
    let started = |run: &Run| seconds(&of_kind(run, Kind::Started));
    assert_eq!(started(&run)[..2], [0, 90]);
    let kill = Act::Operator { task: TASK, decision: Decision::Cancel };
    assert_eq!(started(&run.clone().with(20, kill))[..2], [0, 65], "when it runs again");
    let ruled = run.with(20, Act::Set(Setting::Prefetch(0)));
    assert_eq!(started(&ruled)[..2], [0, 65]);
}
