//! The simulation: a run played from its beginning, event by event.

use crate::clock::At;
use crate::fault::Intervention;
use crate::plan::{Plan, Timed};
use crate::scenario::Scenario;
use crate::trace::Trace;
use crate::world::World;
use std::sync::Arc;

/// A scenario plus what a person did to it. Replaying it gives the same trace.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Run {
    pub scenario: Arc<Scenario>,
    pub seed: u64,
    /// On top of the scenario's script.
    pub interventions: Vec<Intervention>,
}

impl Run {
    pub fn new(scenario: impl Into<Arc<Scenario>>) -> Self {
        Self { scenario: scenario.into(), seed: 1, interventions: Vec::new() }
    }

    /// Script and interventions; an act's index is its place in this list.
    pub fn acts(&self) -> impl Iterator<Item = &Intervention> {
        self.scenario.script.iter().chain(&self.interventions)
    }
}

/// Why a run stopped before its end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stop {
    /// It handled as many events as it may.
    Events(u64),
    /// One instant went through too many rounds: something feeds itself without time passing.
    Rounds(At),
}

/// Rounds one instant may take.
const MAX_ROUNDS: u16 = 1000;

/// A run at one instant, and its trace so far.
#[derive(Clone, Debug)]
pub struct Simulation {
    state: State,
    trace: Trace,
}

/// A simulation without its trace: a snapshot.
#[derive(Clone, Debug)]
pub struct State {
    world: World,
    /// Timed acts, in order.
    timed: Arc<[Timed]>,
    /// The first of them still to come.
    next: usize,
    events: u64,
    records: u32,
    limit: u64,
    stop: Option<Stop>,
    ended: bool,
}

impl Simulation {
    /// The run at time 0. Rules set at time 0 are in force before anything starts.
    pub fn new(run: &Run) -> Self {
        Self::planned(&Plan::of(run))
    }

    /// The same, its trace in the memory of one no longer needed.
    pub fn instead_of(old: Trace, run: &Run) -> Self {
        Self::traced(&Plan::of(run), old.recycled())
    }

    /// The same for a run whose acts are sorted out already.
    pub fn planned(plan: &Plan) -> Self {
        Self::traced(plan, Trace::default())
    }

    fn traced(plan: &Plan, mut trace: Trace) -> Self {
        let mut world = World::new(Arc::clone(&plan.scenario), plan.seed, &mut trace);
        world.arm_acts(&plan.armed);
        let state = State {
            world,
            timed: Arc::clone(&plan.timed),
            next: 0,
            events: 0,
            records: trace.len(),
            limit: u64::MAX,
            stop: None,
            ended: false,
        };
        Self { state, trace }
    }

    /// Stops the run after this many events.
    pub fn limited(mut self, events: u64) -> Self {
        self.state.limit = events;
        self
    }

    pub fn trace(&self) -> &Trace {
        &self.trace
    }

    pub fn world(&self) -> &World {
        &self.state.world
    }

    pub fn now(&self) -> At {
        self.state.now()
    }

    /// Items taken from the queue so far.
    pub fn events(&self) -> u64 {
        self.state.events()
    }

    pub fn stop(&self) -> Option<Stop> {
        self.state.stop()
    }

    pub fn has_ended(&self) -> bool {
        self.state.has_ended()
    }

    pub fn state(&self) -> &State {
        &self.state
    }

    /// Goes on from a snapshot; `trace` is the trace up to it.
    pub fn resume(state: State, trace: Trace) -> Self {
        Self { state, trace }
    }

    pub fn into_trace(self) -> Trace {
        self.trace
    }

    pub fn into_parts(self) -> (State, Trace) {
        (self.state, self.trace)
    }

    /// Does the next thing due: one event, one act, or the end of the run. False if nothing is left.
    pub fn step(&mut self) -> bool {
        self.step_until(u64::MAX)
    }

    /// Lets everything due up to and including `at` happen.
    pub fn advance_to(&mut self, at: At) {
        while self.step_until(at) {}
        if !self.has_ended() {
            self.state.world.idle_until(at);
        }
    }

    /// Plays the run to its end.
    pub fn finish(&mut self) {
        while self.step() {}
    }

    fn step_until(&mut self, horizon: At) -> bool {
        let Self { state, trace } = self;
        if state.ended || state.stop.is_some() {
            return false;
        }
        let until = state.world.scenario().until;
        let lift = state.world.next_lift().unwrap_or(u64::MAX);
        let act = state.timed.get(state.next).map_or(u64::MAX, |timed| timed.at);
        let next = lift.min(act);
        // Acts, and the ends of faults, follow everything else due at their time.
        if state.world.step(next.min(until).min(horizon), trace) {
            state.events += 1;
            if state.events >= state.limit {
                state.stop = Some(Stop::Events(state.limit));
            } else if state.world.round() > MAX_ROUNDS {
                state.stop = Some(Stop::Rounds(state.now()));
            }
        } else if next > until {
            let ends = horizon >= until && state.end(trace);
            state.records = trace.len();
            return ends;
        } else if next > horizon {
            return false;
        } else if lift == next {
            state.world.lift(trace);
        } else {
            state.world.idle_until(next);
            let Timed { index, act, copies, .. } = state.timed[state.next];
            state.next += 1;
            if copies {
                state.world.back_up(index, act, trace);
            } else {
                state.world.act(index, act, trace);
            }
        }
        state.records = trace.len();
        true
    }
}

impl State {
    pub fn world(&self) -> &World {
        &self.world
    }

    pub fn now(&self) -> At {
        self.world.now()
    }

    /// Items taken from the queue so far.
    pub fn events(&self) -> u64 {
        self.events
    }

    /// Records made so far.
    pub fn records(&self) -> u32 {
        self.records
    }

    pub fn stop(&self) -> Option<Stop> {
        self.stop
    }

    pub fn has_ended(&self) -> bool {
        self.ended || self.stop.is_some()
    }

    /// The event after which the run stops.
    pub fn limit(&self) -> u64 {
        self.limit
    }

    /// An estimate of the bytes it holds.
    pub fn bytes(&self) -> usize {
        self.world.bytes()
    }

    /// The same under a plan that does not differ up to now: its timed acts are the ones to come.
    pub(crate) fn under(self, plan: &Plan) -> Self {
        Self { timed: Arc::clone(&plan.timed), ..self }
    }

    /// The end of the run: acts whose point never came are void.
    fn end(&mut self, trace: &mut Trace) -> bool {
        self.world.idle_until(self.world.scenario().until);
        let late = self.timed[self.next..].iter().filter(|timed| !timed.copies);
        let unmet: Vec<u32> = self.world.unmet().chain(late.map(|timed| timed.index)).collect();
        for index in unmet {
            self.world.void(index, trace);
        }
        self.ended = true;
        true
    }
}
