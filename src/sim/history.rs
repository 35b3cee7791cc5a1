//! A whole run with a snapshot here and there: any instant is soon reached, and an edit in the past
//! derives anew only what comes after it.

use crate::clock::At;
use crate::plan::Plan;
use crate::record::Record;
use crate::simulation::{Run, Simulation, State, Stop};
use crate::trace::Trace;
use std::sync::Arc;

/// Events after which a snapshot may be taken, if [`TRACE_PER_SNAPSHOT`] allows.
const MAY_AFTER: u64 = 4_096;
/// A snapshot may take one part in so many of the trace's memory.
const TRACE_PER_SNAPSHOT: usize = 8;
/// Events after which one is taken whatever its size: what a seek replays at most.
const MUST_AFTER: u64 = 50_000;

/// A run, derived from beginning to end.
#[derive(Clone, Debug)]
pub struct History {
    run: Run,
    plan: Plan,
    limit: u64,
    trace: Trace,
    /// In order of time; forks share those of their common past.
    snapshots: Vec<Arc<Snapshot>>,
    end: State,
}

/// Everything but the trace, at one instant.
#[derive(Clone, Debug)]
struct Snapshot {
    // A fold over the records (the judge of verdicts) belongs beside the state.
    state: State,
}

impl History {
    /// Derives a run. It stops after `limit` events, if its end does not come before.
    pub fn new(run: Run, limit: u64) -> Self {
        let plan = Plan::of(&run);
        Self::play(run, plan, limit, Vec::new(), Trace::default())
    }

    /// Derives another run, sharing with this one what their common past allows.
    pub fn fork(&self, run: Run) -> Self {
        let plan = Plan::of(&run);
        let parts_at = self.plan.parts_at(&plan).unwrap_or(At::MAX);
        let shared = self.snapshots.partition_point(|snapshot| snapshot.state.now() < parts_at);
        let snapshots = self.snapshots[..shared].to_vec();
        let trace =
            snapshots.last().map_or_else(Trace::default, |last| self.trace.prefix(last.state.records()));
        Self::play(run, plan, self.limit, snapshots, trace)
    }

    /// Plays from the last of the snapshots, or from the beginning if there is none.
    fn play(run: Run, plan: Plan, limit: u64, mut snapshots: Vec<Arc<Snapshot>>, trace: Trace) -> Self {
        let mut simulation = match snapshots.last() {
            Some(last) => Simulation::resume(last.state.clone().under(&plan), trace),
            None => {
                let start = Simulation::planned(&plan).limited(limit);
                snapshots.push(Arc::new(Snapshot { state: start.state().clone() }));
                start
            }
        };
        let mut last = (simulation.events(), simulation.state().records());
        while simulation.step() {
            let state = simulation.state();
            let events = simulation.events() - last.0;
            if events < MAY_AFTER || simulation.has_ended() {
                continue;
            }
            let traced = (state.records() - last.1) as usize * size_of::<Record>();
            if events >= MUST_AFTER || traced >= TRACE_PER_SNAPSHOT * state.bytes() {
                last = (simulation.events(), state.records());
                snapshots.push(Arc::new(Snapshot { state: state.clone() }));
            }
        }
        let (end, trace) = simulation.into_parts();
        Self { run, plan, limit, trace, snapshots, end }
    }

    pub fn run(&self) -> &Run {
        &self.run
    }

    pub fn trace(&self) -> &Trace {
        &self.trace
    }

    /// The state in which the run ended or stopped.
    pub fn end(&self) -> &State {
        &self.end
    }

    /// Why it stopped before its end, if it did.
    pub fn stop(&self) -> Option<Stop> {
        self.end.stop()
    }

    /// How many records lie at or before `at`.
    pub fn len_at(&self, at: At) -> u32 {
        self.trace.len_at(at)
    }

    pub fn digest(&self) -> u64 {
        self.trace.digest()
    }

    /// The state when everything due up to and including `at` has happened.
    pub fn at(&self, at: At) -> State {
        if at >= self.end.now() {
            return self.end.clone();
        }
        let before = self.snapshots.partition_point(|snapshot| snapshot.state.now() <= at);
        self.replay(before, |simulation| simulation.advance_to(at))
    }

    /// The state as soon as the first `records` records are made: inside an instant, if need be. One
    /// step makes several records at once, so there may be some more.
    pub fn after(&self, records: u32) -> State {
        let before = self.snapshots.partition_point(|snapshot| snapshot.state.records() <= records);
        self.replay(before, |simulation| while simulation.state().records() < records && simulation.step() {})
    }

    /// Goes on from the last of the first `before` snapshots, into a trace that is thrown away.
    fn replay(&self, before: usize, go: impl FnOnce(&mut Simulation)) -> State {
        let from = &self.snapshots[before.saturating_sub(1)].state;
        let scratch = Trace::continuing(from.records());
        let mut simulation = Simulation::resume(from.clone().under(&self.plan), scratch);
        go(&mut simulation);
        simulation.into_parts().0
    }

    pub fn snapshots(&self) -> usize {
        self.snapshots.len()
    }

    /// An estimate of the bytes held by trace and snapshots, shared or not.
    pub fn bytes(&self) -> usize {
        let snapshots: usize = self.snapshots.iter().map(|snapshot| snapshot.state.bytes()).sum();
        self.trace.bytes() + snapshots + self.end.bytes()
    }
}
