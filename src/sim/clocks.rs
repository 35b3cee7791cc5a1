//! What each node's clocks showed at any true time, from the records of what was done to them.

use crate::clock::{At, Clock, TRUE_RATE};
use crate::record::{Kind, Record};
use crate::scenario::{Role, Scenario};
use fenceline_engine::{NodeId, Span};

/// One clock over a whole run: it bends where a fault bent it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Bends(Vec<Clock>);

impl Bends {
    fn new(clock: Clock) -> Self {
        Self(vec![clock])
    }

    /// What the clock showed at a true time.
    pub fn read(&self, at: At) -> i64 {
        self.0[self.index(at)].read(at)
    }

    /// The first true time, not before `from`, at which it shows at least `reading`.
    pub fn first_at(&self, reading: i64, from: At) -> Option<At> {
        (self.index(from)..self.0.len()).find_map(|index| {
            let clock = self.0[index];
            let met = clock.first_at(reading, from.max(clock.since()))?;
            self.0.get(index + 1).is_none_or(|next| met < next.since()).then_some(met)
        })
    }

    /// The true times at which it was bent.
    pub fn bends(&self) -> impl Iterator<Item = At> {
        self.0.iter().skip(1).map(Clock::since)
    }

    fn index(&self, at: At) -> usize {
        self.0.partition_point(|clock| clock.since() <= at).saturating_sub(1)
    }

    fn last(&self) -> Clock {
        self.0[self.0.len() - 1]
    }

    fn bend(&mut self, at: At, step: Span, rate: i64) {
        let mut clock = self.last();
        clock.bend(at, step, rate);
        self.0.push(clock);
    }
}

/// A node's two clocks over a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NodeClocks {
    pub wall: Bends,
    pub mono: Bends,
}

impl NodeClocks {
    /// As the scenario starts them.
    pub fn new(scenario: &Scenario, node: NodeId) -> Self {
        let (offset, rate) = match scenario.role(node) {
            Role::Worker(index) => (scenario.workers[index].offset, scenario.workers[index].rate),
            Role::Scheduler | Role::Sink(_) | Role::Operator => (Span::ZERO, TRUE_RATE),
        };
        Self {
            wall: Bends::new(Clock::new(Span(scenario.epoch.0) + offset, rate)),
            mono: Bends::new(Clock::new(Span::ZERO, rate)),
        }
    }

    /// Takes in a record of this node's; true if it bent a clock.
    pub fn observe(&mut self, record: &Record) -> bool {
        let at = record.at;
        match record.kind {
            Kind::ClockStepped => self.wall.bend(at, Span(record.b), self.wall.last().rate()),
            Kind::ClockRated => {
                let rate = TRUE_RATE.saturating_add(record.b).max(1);
                self.wall.bend(at, Span::ZERO, rate);
                if self.mono.last().rate() != 0 {
                    self.mono.bend(at, Span::ZERO, rate);
                }
            }
            Kind::Frozen if record.b == 0 => self.mono.bend(at, Span::ZERO, 0),
            Kind::Thawed if self.mono.last().rate() == 0 => {
                self.mono.bend(at, Span::ZERO, self.wall.last().rate());
            }
            _ => return false,
        }
        true
    }
}

/// Every node's clocks over a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Clocks(Vec<NodeClocks>);

impl Clocks {
    pub fn new(scenario: &Scenario) -> Self {
        let nodes = u16::try_from(scenario.node_count()).unwrap_or(u16::MAX);
        Self((0..nodes).map(|node| NodeClocks::new(scenario, NodeId(node))).collect())
    }

    pub fn observe(&mut self, record: &Record) -> bool {
        self.0.get_mut(usize::from(record.node.0)).is_some_and(|node| node.observe(record))
    }

    /// A node's clocks; those of an unknown node are the scheduler's.
    pub fn of(&self, node: NodeId) -> &NodeClocks {
        self.0.get(usize::from(node.0)).unwrap_or(&self.0[0])
    }
}
