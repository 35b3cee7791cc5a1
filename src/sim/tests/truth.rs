//! The ground truth: when leases really end, and what outlives them.

use fenceline_engine::{Exec, NodeId, Span, TaskId, Token};
use fenceline_sim::truth::{LeaseEnd, Stretch};
use fenceline_sim::workload::first_run;
use fenceline_sim::{Act, Intervention, Run, Simulation, Truth, When};

fn first_run_with(act: Act, at: u64) -> Run {
    let mut run = Run::new(first_run());
    run.interventions.push(Intervention { when: When::At(at), act });
    run
}

fn truth_at(run: &Run, now: u64) -> Truth {
    let mut simulation = Simulation::new(run);
    simulation.advance_to(now);
    Truth::of(run, simulation.trace(), simulation.trace().len(), now)
}

fn paused() -> Run {
    first_run_with(Act::Pause { node: NodeId(1), lasts: Some(Span::secs(55)) }, 22_000_000)
}

#[test]
fn the_first_run_has_a_zombie_of_35_seconds() {
    let truth = truth_at(&paused(), 102_000_000);
    let first = truth.lease(TaskId(0), 1).expect("granted");
    assert_eq!(
        (first.token, first.start(), first.end),
        (Token(7), Some(0), Some((50_400_000, LeaseEnd::Expired)))
    );
    assert_eq!(first.renewals().collect::<Vec<_>>(), [10_400_000, 20_400_000]);

    let zombie =
        truth.execution(Exec::first(TaskId(0), 1)).and_then(|e| e.zombie).expect("it outlives its lease");
    assert_eq!(zombie.window, Stretch { from: 50_400_000, until: 85_600_000, lasts: false });
    assert_eq!((zombie.window.span(), zombie.paused), (Span::millis(35_200), Span::millis(26_600)));
    assert_eq!(zombie.worked(), Span::millis(8_600));

    let stale: Vec<_> = truth.stale_writes.iter().map(|w| (w.at, w.token, w.newest, w.accepted)).collect();
    assert_eq!(stale, [(85_400_000, Token(7), Token(8), true)]);
    let overlaps: Vec<_> = truth.overlaps.iter().map(|o| (o.time.from, o.time.until)).collect();
    assert_eq!(overlaps, [(51_200_000, 81_600_000)]);
}

#[test]
fn a_lease_released_by_its_completion_leaves_no_zombie() {
    let truth = truth_at(&Run::new(first_run()), 102_000_000);
    let lease = truth.lease(TaskId(0), 1).expect("granted");
    assert_eq!(lease.end.map(|(_, why)| why), Some(LeaseEnd::Released));
    assert_eq!(truth.executions[0].zombie, None);
    assert!(truth.overlaps.is_empty() && truth.stale_writes.is_empty());
}

#[test]
fn a_zombie_that_still_lasts_is_measured_to_the_present() {
    let truth = truth_at(&paused(), 60_000_000);
    let zombie = truth.executions[0].zombie.expect("lease ended at 50.4 s");
    assert_eq!(zombie.window, Stretch { from: 50_400_000, until: 60_000_000, lasts: true });
    assert_eq!(zombie.paused, Span::millis(9_600));
}

#[test]
fn a_crash_ends_a_pause() {
    let mut run = paused();
    let crash = Act::Crash { node: NodeId(1), lasts: Some(Span::secs(2)) };
    run.interventions.push(Intervention { when: When::At(30_000_000), act: crash });
    let crash = Act::Crash { node: NodeId(2), lasts: None };
    run.interventions.push(Intervention { when: When::At(60_000_000), act: crash });
    run.scenario = {
        let mut scenario = first_run();
        scenario.until = 150_000_000;
        scenario.into()
    };
    let truth = truth_at(&run, 150_000_000);
    assert_eq!(truth.executions[0].pauses, [Stretch { from: 22_000_000, until: 30_000_000, lasts: false }]);
    let third = truth.execution(Exec::first(TaskId(0), 3)).expect("granted to worker 1 again");
    assert_eq!((third.node, third.pauses.len()), (NodeId(1), 0));
}

#[test]
fn a_forward_step_of_the_judges_clock_ends_the_lease_at_the_step() {
    let run = first_run_with(Act::StepClock { node: NodeId(0), by: Span::secs(40) }, 15_000_000);
    let lease = truth_at(&run, 30_000_000).leases[0].clone();
    assert_eq!(lease.end, Some((15_000_000, LeaseEnd::Expired)));
}

#[test]
fn a_backward_step_extends_the_lease_by_the_step() {
    let mut run = first_run_with(Act::StepClock { node: NodeId(0), by: Span::secs(-20) }, 15_000_000);
    let crash = Act::Crash { node: NodeId(1), lasts: None };
    run.interventions.push(Intervention { when: When::At(11_000_000), act: crash });
    let lease = truth_at(&run, 90_000_000).leases[0].clone();
    assert_eq!(lease.end, Some((60_400_000, LeaseEnd::Expired)));
}

#[test]
fn a_holder_believes_by_its_own_clock_and_stops_believing_when_told() {
    let truth = truth_at(&paused(), 102_000_000);
    let beliefs: Vec<_> = truth.leases[0].beliefs.iter().map(|b| (b.from, b.until, b.told_lost)).collect();
    assert_eq!(beliefs[0], (200_000, Some(30_200_000), false));
    assert_eq!(beliefs[2], (20_600_000, Some(50_200_000), false));
    assert_eq!(beliefs.last(), Some(&(77_400_000, Some(77_400_000), true)));
}
