//! A whole run with a snapshot here and there: any instant is soon reached, and an edit in the past
//! derives anew only what comes after it.

use crate::clock::At;
use crate::plan::Plan;
use crate::record::Record;
use crate::simulation::{Run, Simulation, State, Stop};
use crate::trace::Trace;
use crate::verdict::Judge;
use std::sync::Arc;

/// How many events lie between two snapshots.
#[derive(Clone, Copy, Debug)]
struct Spacing {
    /// After this many one may be taken, if it is [`SHARE`] times smaller than the trace since the
    /// last.
    may: u64,
    /// After this many one is taken whatever its size: what a seek replays at most.
    must: u64,
}

const SPACING: Spacing = Spacing { may: 4_096, must: 50_000 };
const SHARE: usize = 8;

/// A run, derived from beginning to end.
#[derive(Clone, Debug)]
pub struct History {
    run: Run,
    plan: Plan,
    spacing: Spacing,
    trace: Trace,
    /// In order of time; forks share those of their common past.
    snapshots: Vec<Arc<Snapshot>>,
    end: State,
    judge: Judge,
}

/// Everything but the trace, at one instant.
#[derive(Clone, Debug)]
struct Snapshot {
    state: State,
    /// Has seen every record before it.
    judge: Judge,
}

impl History {
    /// Derives a run. It stops after `limit` events, if its end does not come before.
    pub fn new(run: Run, limit: u64) -> Self {
        Self::spaced(run, limit, SPACING)
    }

    /// The same with a snapshot each time so many events have passed, for tests.
    pub fn snapping(run: Run, limit: u64, events: u64) -> Self {
        Self::spaced(run, limit, Spacing { may: events, must: events })
    }

    fn spaced(run: Run, limit: u64, spacing: Spacing) -> Self {
        let plan = Plan::of(&run);
        let start = Simulation::planned(&plan).limited(limit);
        let judge = Judge::over(&run, start.trace(), start.trace().len());
        let snapshots = vec![Arc::new(Snapshot { state: start.state().clone(), judge: judge.clone() })];
        Self::play(run, plan, spacing, snapshots, (start, judge))
    }

    /// Derives another run, sharing with this one what their common past allows.
    pub fn fork(&self, run: Run) -> Self {
        let plan = Plan::of(&run);
        let parts_at = self.plan.parts_at(&plan).unwrap_or(At::MAX);
        let shared = self.snapshots.partition_point(|snapshot| snapshot.state.now() < parts_at);
        let Some(last) = shared.checked_sub(1).map(|index| &self.snapshots[index]) else {
            return Self::spaced(run, self.end.limit(), self.spacing);
        };
        let past = self.trace.prefix(last.state.records());
        let simulation = Simulation::resume(last.state.clone().under(&plan), past);
        let mut judge = last.judge.clone();
        judge.follow(&plan);
        Self::play(run, plan, self.spacing, self.snapshots[..shared].to_vec(), (simulation, judge))
    }

    /// Plays to the end from the last of the snapshots.
    fn play(
        run: Run,
        plan: Plan,
        spacing: Spacing,
        mut snapshots: Vec<Arc<Snapshot>>,
        (mut simulation, mut judge): (Simulation, Judge),
    ) -> Self {
        let mut last = (simulation.events(), simulation.state().records());
        let mut seen = last.1;
        let mut catch_up = |simulation: &Simulation| {
            for (id, record) in simulation.trace().since(seen) {
                judge.observe(id, record);
            }
            seen = simulation.trace().len();
            judge.clone()
        };
        while simulation.step() {
            let state = simulation.state();
            let events = simulation.events() - last.0;
            if events < spacing.may || simulation.has_ended() {
                continue;
            }
            let traced = (state.records() - last.1) as usize * size_of::<Record>();
            if events >= spacing.must || traced >= SHARE * state.bytes() {
                last = (simulation.events(), state.records());
                let judge = catch_up(&simulation);
                snapshots.push(Arc::new(Snapshot { state: simulation.state().clone(), judge }));
            }
        }
        let judge = catch_up(&simulation);
        let (end, trace) = simulation.into_parts();
        Self { run, plan, spacing, trace, snapshots, end, judge }
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

    /// A judge that has seen everything up to and including `at`.
    pub fn judged(&self, at: At) -> Judge {
        if at >= self.end.now() {
            return self.judge.clone();
        }
        self.judged_after(self.len_at(at))
    }

    /// A judge that has seen the first `records` records: inside an instant, if need be.
    pub fn judged_after(&self, records: u32) -> Judge {
        let before = self.snapshots.partition_point(|snapshot| snapshot.state.records() <= records);
        // The first snapshot already holds what the start itself made.
        let (mut judge, seen) = match before.checked_sub(1).map(|index| &self.snapshots[index]) {
            Some(from) => (from.judge.clone(), from.state.records()),
            None => (Judge::new(&self.run), 0),
        };
        for (id, record) in self.trace.since(seen).take_while(|(id, _)| *id < records) {
            judge.observe(id, record);
        }
        judge
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
        let snapshots = self.snapshots.iter().map(|snapshot| snapshot.state.bytes() + snapshot.judge.bytes());
        self.trace.bytes() + snapshots.sum::<usize>() + self.end.bytes() + self.judge.bytes()
    }
}
