//! A scenario as the simulation needs it: nodes, links, tasks, rules, and the faults of its script.

use crate::clock::{At, TRUE_RATE};
use crate::fault::{Intervention, Setting};
use crate::link::LinkSpec;
use fenceline_engine::{
    BeatsTo, ExpiryClock, NodeId, Rules, SinkAt, SinkRules, Span, Step, TaskId, TaskSpec, Token, Wall,
};
use std::sync::Arc;

/// The scheduler is node 0; workers follow, then sinks, then the executor, then further schedulers, then the
/// store of the record. It is also the address that reaches whichever scheduler leads.
pub const SCHEDULER: NodeId = NodeId(0);
/// Whoever sends operator decisions.
pub const OPERATOR: NodeId = NodeId(u16::MAX);
/// The store of a record that several schedulers share and that is no node, as the far end of a link; no fault is
/// done to it.
pub const STORE: NodeId = NodeId(u16::MAX - 1);

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Scenario {
    pub rules: Rules,
    pub workers: Vec<WorkerSpec>,
    pub sinks: Vec<SinkSpec>,
    /// The name of the executor that kills on the scheduler's order; none: the workers do.
    pub executor: Option<String>,
    /// The names of further schedulers, which share the first one's record and stand by for it.
    pub standby: Vec<String>,
    /// The name of the node that keeps the scheduler's record; none: it is at hand.
    pub store: Option<String>,
    pub tasks: Vec<TaskSpec>,
    /// What each task is called and judged by; as long as `tasks`.
    pub judged: Vec<Judged>,
    pub control: LinkSpec,
    pub data: LinkSpec,
    /// Wall-clock reading of every node at the start, before its own offset.
    pub epoch: Wall,
    pub first_token: Token,
    /// Where the run ends.
    pub until: At,
    /// Faults that belong to the scenario; a person's own come on top.
    pub script: Vec<Intervention>,
    pub alerts: Vec<AlertRule>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WorkerSpec {
    pub name: String,
    /// Attempts it may run at once.
    pub slots: u16,
    /// Its wall clock's offset from true time.
    pub offset: Span,
    /// Parts per million; [`TRUE_RATE`] keeps true time.
    pub rate: i64,
}

impl WorkerSpec {
    pub fn named(name: impl Into<String>) -> Self {
        Self { name: name.into(), slots: 1, offset: Span::ZERO, rate: TRUE_RATE }
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SinkSpec {
    pub name: String,
    pub rules: Arc<SinkRules>,
}

/// What the verdicts need to know of a task beyond its program.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Judged {
    pub name: String,
    /// The interval (logical date) it stands for.
    pub interval: String,
    /// It should be terminal this long after it is due.
    pub bound: Option<Span>,
    /// Two executions at once are a violation in themselves.
    pub exclusive: bool,
    /// It changes nothing outside itself.
    pub read_only: bool,
}

/// A rule over what the platform can see, never over the truth.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AlertRule {
    /// A lease has been expired this long.
    LeaseExpired(Span),
    /// An attempt was retried.
    Retried,
    /// A write was fenced.
    FencedWrite,
    /// Nothing of the scheduler's reached anybody for this long.
    SchedulerSilent(Span),
    /// An older attempt beat or wrote while a newer one was open in the record.
    TwoOpen,
    /// Row counts are compared this often.
    Reconcile(Span),
}

impl Scenario {
    /// Whose rows a task reads in a sink: those of the task it comes after, if that writes there, else of all
    /// tasks above it that do.
    pub fn sources(&self, reader: TaskId, sink: NodeId) -> Vec<TaskId> {
        let writes = |task: &TaskId| {
            let makes = |step: &Step| match *step {
                Step::Write { sink, .. } | Step::Swap { sink } => Some(sink),
                _ => None,
            };
            let spec = self.tasks.get(usize::from(task.0));
            spec.is_some_and(|spec| spec.program.iter().any(|step| makes(step) == Some(sink)))
        };
        let after = self.tasks.get(usize::from(reader.0)).and_then(|task| task.after);
        match after.filter(writes) {
            Some(after) => vec![after],
            None => (0..reader.0).map(TaskId).filter(writes).collect(),
        }
    }

    pub fn worker(&self, index: usize) -> NodeId {
        NodeId(1 + index as u16)
    }

    pub fn sink(&self, index: usize) -> NodeId {
        NodeId((1 + self.workers.len() + index) as u16)
    }

    /// The executor's node, if there is one.
    pub fn executor(&self) -> Option<NodeId> {
        self.executor.as_ref().map(|_| self.sink(self.sinks.len()))
    }

    pub fn node_count(&self) -> usize {
        self.first_standby() + self.standby.len() + usize::from(self.store.is_some())
    }

    fn first_standby(&self) -> usize {
        1 + self.workers.len() + self.sinks.len() + usize::from(self.executor.is_some())
    }

    /// A scheduler that stands by at the start.
    pub fn standby(&self, index: usize) -> NodeId {
        NodeId((self.first_standby() + index) as u16)
    }

    /// The node that keeps the record, if there is one.
    pub fn store(&self) -> Option<NodeId> {
        self.store.as_ref().map(|_| self.standby(self.standby.len()))
    }

    /// The store, if heartbeats go to it. It has nothing to set a lease by that a monotonic clock judges.
    pub fn beats_to_store(&self) -> Option<NodeId> {
        let renews =
            self.rules.heartbeat.to == BeatsTo::Store && self.rules.lease.clock != ExpiryClock::Monotonic;
        self.store().filter(|_| renews)
    }

    /// The name of a scheduler that stands by at the start; none: it is no such node.
    pub fn standby_name(&self, node: NodeId) -> Option<&String> {
        self.standby.get(usize::from(node.0).checked_sub(self.first_standby())?)
    }

    /// Every scheduler: the first leads at the start.
    pub fn schedulers(&self) -> impl Iterator<Item = NodeId> {
        std::iter::once(SCHEDULER).chain((0..self.standby.len()).map(|index| self.standby(index)))
    }

    pub fn is_scheduler(&self, node: NodeId) -> bool {
        self.role(node) == Role::Scheduler
    }

    pub fn role(&self, node: NodeId) -> Role {
        let index = usize::from(node.0);
        match index {
            0 => Role::Scheduler,
            _ if index <= self.workers.len() => Role::Worker(index - 1),
            _ if Some(node) == self.executor() => Role::Executor,
            _ if index < self.first_standby() => Role::Sink(index - 1 - self.workers.len()),
            _ if Some(node) == self.store() => Role::Store,
            _ if index < self.node_count() => Role::Scheduler,
            _ => Role::Operator,
        }
    }

    /// The sinks as their clients know them.
    pub fn sinks_at(&self) -> Arc<[SinkAt]> {
        let at = |(index, sink): (usize, &SinkSpec)| SinkAt {
            node: self.sink(index),
            rules: Arc::clone(&sink.rules),
        };
        self.sinks.iter().enumerate().map(at).collect()
    }

    /// Puts one rule in force.
    pub fn set(&mut self, setting: Setting) {
        let rules = &mut self.rules;
        match setting {
            Setting::Lease(span) => rules.lease.duration = span,
            Setting::LeaseScope(scope) => rules.lease.scope = scope,
            Setting::LeaseStart(start) => rules.lease.start = start,
            Setting::StartTimeout(limit) => rules.lease.start_timeout = limit,
            Setting::ProgressTimeout(limit) => {
                rules.limits.progress = limit;
                self.tasks.iter_mut().for_each(|task| task.limits.progress = None);
            }
            Setting::RunTimeout(limit) => {
                rules.limits.run = limit;
                self.tasks.iter_mut().for_each(|task| task.limits.run = None);
            }
            Setting::LateRenewal(late) => rules.lease.late_renewal = late,
            Setting::Period(period) => rules.heartbeat.period = period,
            Setting::BeatCall(call) => rules.heartbeat.call = call,
            Setting::Jitter(span) => rules.heartbeat.jitter = span,
            Setting::Capacity(capacity) => rules.heartbeat.capacity = capacity,
            Setting::Anchor(anchor) => rules.belief.anchor = anchor,
            Setting::Gap(span) => rules.belief.gap = span,
            Setting::Belief(clock) => rules.belief.clock = clock,
            Setting::Wake(order) => rules.wake = order,
            Setting::Call(call) => rules.call = call,
            Setting::Acknowledgement(call) => rules.acknowledgement = call,
            Setting::Heartbeat(span) => rules.heartbeat.every = span,
            Setting::Source(source) => rules.heartbeat.source = source,
            Setting::BeatsTo(to) => rules.heartbeat.to = to,
            Setting::Sweep { every, most } => (rules.sweep.every, rules.sweep.most) = (every, most),
            Setting::JumpGuard(limit) => rules.sweep.jump_guard = limit,
            Setting::LeaderLease(span) => rules.leadership.lease = span,
            Setting::Epoch(checks) => rules.leadership.checks_epoch = checks,
            Setting::Store(store) => rules.store = store,
            Setting::Restart(restart) => rules.restart = restart,
            Setting::Dispatch(order) => rules.dispatch = order,
            Setting::Clock(clock) => rules.lease.clock = clock,
            Setting::Expiry(policy) => {
                rules.expiry = policy;
                self.tasks.iter_mut().for_each(|task| task.expiry = None);
            }
            Setting::Attempts(attempts) => rules.retry.attempts = attempts,
            Setting::Delay(delay) => rules.retry.delay = delay,
            Setting::Counter(counter) => rules.counter = counter,
            Setting::Misfire(misfire) => rules.misfire = misfire,
            Setting::Overlap(overlap) => rules.overlap = overlap,
            Setting::Pool(pool) => rules.pool = pool,
            Setting::Prefetch(prefetch) => rules.prefetch = prefetch,
            Setting::Respawn(respawn) => rules.respawn = respawn,
            Setting::StartGuard(guard) => rules.start_guard = guard,
            Setting::Kill(kill) => rules.kill = kill,
            Setting::Launch(launch) => rules.launch = launch,
            Setting::Child(child) => rules.child = child,
            Setting::ExpiryCounts(counts) => rules.retry.expiry_counts = counts,
            Setting::Late(late) => rules.late_completion = late,
            Setting::Returning(returning) => rules.returning = returning,
            Setting::Owner(owner) => rules.owner = owner,
            Setting::SameOwner(same) => rules.same_owner = same,
            Setting::OnLoss(on_loss) => rules.on_loss = on_loss,
            Setting::Sink { node, kind } => self.change_sink(node, |rules| rules.kind = kind),
            Setting::Fence { node, fence } => self.change_sink(node, |rules| rules.fence = fence),
            Setting::Alert(None) => self.alerts.clear(),
            Setting::Alert(Some(rule)) if self.alerts.contains(&rule) => {}
            Setting::Alert(Some(rule)) => self.alerts.push(rule),
        }
    }

    fn change_sink(&mut self, node: NodeId, change: impl FnOnce(&mut SinkRules)) {
        if let Role::Sink(index) = self.role(node) {
            change(Arc::make_mut(&mut self.sinks[index].rules));
        }
    }
}

/// What a node is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    Scheduler,
    /// Index into the scenario's workers.
    Worker(usize),
    /// Index into its sinks.
    Sink(usize),
    Executor,
    /// It keeps the scheduler's record.
    Store,
    Operator,
}
