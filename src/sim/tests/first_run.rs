//! The first run, figure by figure.

use fenceline_engine::{FenceRaise, FenceRules, NodeId, Span};
use fenceline_sim::workload::first_run;
use fenceline_sim::{Act, Intervention, Kind, Record, Run, Setting, Simulation, When};

const WORKER_1: NodeId = NodeId(1);
const TABLE: NodeId = NodeId(3);

fn paused_for(seconds: i64) -> Run {
    let mut run = Run::new(first_run());
    let act = Act::Pause { node: WORKER_1, lasts: Some(Span::secs(seconds)) };
    run.interventions.push(Intervention { when: When::At(22_000_000), act });
    run
}

fn fenced(mut run: Run, raise: FenceRaise) -> Run {
    let fence = FenceRules::raised(raise);
    let act = Act::Set(Setting::Fence { node: TABLE, fence: Some(fence) });
    run.interventions.push(Intervention { when: When::At(0), act });
    run
}

fn played(run: &Run) -> Simulation {
    let mut simulation = Simulation::new(run);
    simulation.finish();
    simulation
}

/// When each record of a kind happened, in tenths of a second, with attempt and operand.
fn seen(simulation: &Simulation, kind: Kind) -> Vec<(u64, u8, i64)> {
    let of = |r: &Record| (r.at / 100_000, r.attempt, r.b);
    simulation.trace().iter().filter(|r| r.kind == kind).map(of).collect()
}

#[test]
fn a_paused_worker_wakes_as_a_zombie_and_doubles_the_table() {
    let run = played(&paused_for(55));
    let renewed: Vec<u64> = seen(&run, Kind::Renewed).iter().filter(|r| r.1 == 1).map(|r| r.0).collect();
    assert_eq!(renewed, [104, 204]);
    assert_eq!(seen(&run, Kind::Expired), [(510, 1, 50_400_000)]);
    assert_eq!(seen(&run, Kind::Granted), [(0, 1, 7), (510, 2, 8)]);
    assert_eq!(seen(&run, Kind::Applied), [(814, 2, 1204), (854, 1, 1204)]);
    assert_eq!(seen(&run, Kind::Ended), [(816, 2, 0), (856, 1, 0)]);
    assert_eq!(seen(&run, Kind::Refused), [(772, 1, 0)]);
}

#[test]
fn a_fence_raised_by_claim_stops_the_same_write() {
    let run = played(&fenced(paused_for(55), FenceRaise::Claim));
    assert_eq!(seen(&run, Kind::Raised), [(4, 1, 7), (514, 2, 8)]);
    assert_eq!(seen(&run, Kind::Applied), [(814, 2, 1204)]);
    assert_eq!(seen(&run, Kind::Fenced), [(854, 1, 8)]);
}

#[test]
fn a_fence_raised_at_first_write_is_too_late_for_a_shorter_pause() {
    let run = played(&fenced(paused_for(45), FenceRaise::FirstWrite));
    assert_eq!(seen(&run, Kind::Applied), [(754, 1, 1204), (814, 2, 1204)]);
    assert_eq!(seen(&run, Kind::Fenced), []);
}
