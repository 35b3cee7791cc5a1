//! What each node's clocks showed at any true time, from the records of what was done to them.

use crate::clock::{At, Clock, TRUE_RATE};
use crate::record::{Kind, Record};
use crate::scenario::{Role, Scenario};
use fenceline_engine::{BeliefClock, ExpiryClock, NodeId, Span, TimerClock};

/// One clock over a whole run: it bends where a fault bent it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Bends {
    clocks: Vec<Clock>,
    /// When it began anew: a reading taken before is never met after.
    reboots: Vec<At>,
}

impl Bends {
    fn new(clock: Clock) -> Self {
        Self { clocks: vec![clock], reboots: Vec::new() }
    }

    /// What the clock showed at a true time.
    pub fn read(&self, at: At) -> i64 {
        self.clocks[self.index(at)].read(at)
    }

    /// The first true time, not before `from` and under its boot, at which it shows at least `reading`.
    pub fn first_at(&self, reading: i64, from: At) -> Option<At> {
        let met = (self.index(from)..self.clocks.len()).find_map(|index| {
            let clock = self.clocks[index];
            let met = clock.first_at(reading, from.max(clock.since()))?;
            self.clocks.get(index + 1).is_none_or(|next| met < next.since()).then_some(met)
        })?;
        let reboot = self.reboots.iter().find(|reboot| **reboot > from);
        reboot.is_none_or(|reboot| met < *reboot).then_some(met)
    }

    /// The true times at which it was bent.
    pub fn bends(&self) -> impl Iterator<Item = At> {
        self.clocks.iter().skip(1).map(Clock::since)
    }

    fn index(&self, at: At) -> usize {
        self.clocks.partition_point(|clock| clock.since() <= at).saturating_sub(1)
    }

    fn last(&self) -> Clock {
        self.clocks[self.clocks.len() - 1]
    }

    fn bend(&mut self, at: At, step: Span, rate: i64) {
        let mut clock = self.last();
        clock.bend(at, step, rate);
        self.clocks.push(clock);
    }

    fn reboot(&mut self, at: At) {
        self.clocks.push(self.last().anew(at));
        self.reboots.push(at);
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
            Role::Scheduler | Role::Sink(_) | Role::Executor | Role::Store | Role::Operator => {
                (Span::ZERO, TRUE_RATE)
            }
        };
        Self {
            wall: Bends::new(Clock::new(Span(scenario.epoch.0) + offset, rate)),
            mono: Bends::new(Clock::new(Span::ZERO, rate)),
        }
    }

    /// The one by which a lease is judged, of a judge's two.
    pub fn judging(&self, clock: ExpiryClock) -> &Bends {
        match clock.reads() {
            TimerClock::Wall => &self.wall,
            TimerClock::Mono | TimerClock::Process => &self.mono,
        }
    }

    /// The one by which a holder reckons.
    pub fn reckoning(&self, clock: BeliefClock) -> &Bends {
        match clock {
            BeliefClock::Monotonic => &self.mono,
            BeliefClock::Wall => &self.wall,
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
            Kind::Crashed if record.b > 0 => self.mono.reboot(at),
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
