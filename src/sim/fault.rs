//! Faults and interventions: what a scenario's script or a person does to a run.

use crate::clock::At;
use crate::scenario::AlertRule;
use fenceline_engine::{
    BeatsTo, BeliefAnchor, BeliefClock, CallRules, Child, Counter, Decision, DispatchOrder, Exec,
    ExpiryClock, ExpiryPolicy, Failing, FenceRules, HeartbeatSource, KillRules, LateCompletion, LateRenewal,
    LeaseScope, LeaseStart, Limit, Misfire, NodeId, OnLoss, Overlap, OwnerBy, Period, Respawn, RestartPolicy,
    RetryDelay, Returning, SameOwner, SinkKind, Span, StartGuard, StoreRules, TaskId, WakeOrder,
};

/// A timed act. At time t it takes effect after everything else due at t.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Intervention {
    pub when: When,
    pub act: Act,
}

/// When an act takes effect.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum When {
    At(At),
    /// Before this execution begins this step of its program.
    BeforeStep {
        exec: Exec,
        step: u8,
    },
    /// When the grant of this attempt is recorded and not yet sent, or sent and not yet recorded.
    HalfDispatched {
        task: TaskId,
        attempt: u8,
    },
}

/// What is done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Act {
    /// The process runs no code; clocks run on; messages and due timers wait.
    Pause {
        node: NodeId,
        lasts: Option<Span>,
    },
    /// The whole host is suspended; its monotonic clock counts the sleep or not.
    Freeze {
        node: NodeId,
        lasts: Option<Span>,
        counts_sleep: bool,
    },
    /// Volatile state and executions are lost; the host's clocks run on. Restarts after `lasts`.
    Crash {
        node: NodeId,
        lasts: Option<Span>,
    },
    /// A crash of the whole host: its monotonic clock begins anew, under a new boot id. The process
    /// starts again after `lasts`.
    Reboot {
        node: NodeId,
        lasts: Option<Span>,
    },
    /// The process runs at this many percent of its speed.
    Slow {
        node: NodeId,
        percent: u32,
        lasts: Option<Span>,
    },
    /// Something holds a worker's event loop: what beats from it starves, and no program comes to its next
    /// step.
    Block {
        node: NodeId,
        lasts: Option<Span>,
    },
    Cut {
        node: NodeId,
        path: Path,
        way: Way,
        fate: Fate,
        lasts: Option<Span>,
    },
    Degrade {
        node: NodeId,
        path: Path,
        way: Way,
        latency: Span,
        loss: u32,
        duplicate: u32,
        lasts: Option<Span>,
    },
    /// Moves the node's wall clock.
    StepClock {
        node: NodeId,
        by: Span,
    },
    /// Both of the node's clocks run at this many parts per million more (or less) than true.
    ClockRate {
        node: NodeId,
        ppm: i64,
    },
    /// The input of a task gets this version.
    Input {
        task: TaskId,
        version: u8,
    },
    Operator {
        task: TaskId,
        decision: Decision,
    },
    /// The dispatch of a task's newest attempt arrives once more, at this worker: another execution,
    /// with the same token.
    Redeliver {
        node: NodeId,
        task: TaskId,
    },
    /// What a node keeps is put back to what it was this long before: of a sink all its data, with keys,
    /// lock, staging and a durable fence; of the scheduler its counter alone.
    Restore {
        node: NodeId,
        back: Span,
    },
    /// Calls handled meanwhile are answered with an error, once each was held for a time: of a sink all
    /// calls, of the scheduler the renewals.
    Fail {
        node: NodeId,
        failing: Failing,
        lasts: Option<Span>,
    },
    /// A sink's lock is taken away from its holder.
    ForceUnlock {
        node: NodeId,
    },
    Set(Setting),
}

/// Which links of a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Path {
    /// All but those to and from sinks.
    Control,
    /// To and from sinks.
    Data,
    Both,
}

/// Which direction, as seen from the node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Way {
    Both,
    Out,
    In,
}

/// What becomes of the messages a cut stops.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fate {
    Lost,
    /// Kept, and delivered in order when the cut ends.
    Held,
}

/// One rule, changed. At time 0 it is in force before anything happens.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Setting {
    Lease(Span),
    LeaseScope(LeaseScope),
    LeaseStart(LeaseStart),
    StartTimeout(Option<Limit>),
    ProgressTimeout(Option<Limit>),
    RunTimeout(Option<Limit>),
    LateRenewal(LateRenewal),
    Heartbeat(Span),
    Source(HeartbeatSource),
    BeatsTo(BeatsTo),
    Period(Period),
    BeatCall(CallRules),
    Jitter(Span),
    Capacity(Option<u32>),
    Sweep {
        every: Span,
        most: Option<u32>,
    },
    JumpGuard(Option<Span>),
    LeaderLease(Span),
    /// Whether the store takes decisions of the newest leader only.
    Epoch(bool),
    Store(StoreRules),
    Restart(RestartPolicy),
    Dispatch(DispatchOrder),
    Clock(ExpiryClock),
    Expiry(ExpiryPolicy),
    Attempts(u8),
    /// Whether an attempt that expired is one of them.
    ExpiryCounts(bool),
    Delay(RetryDelay),
    Misfire(Misfire),
    Overlap(Overlap),
    Pool(Option<u16>),
    Prefetch(u16),
    Respawn(Respawn),
    StartGuard(StartGuard),
    Kill(KillRules),
    Launch(Option<Span>),
    Child(Child),
    Counter(Counter),
    Late(LateCompletion),
    Returning(Returning),
    Owner(OwnerBy),
    SameOwner(SameOwner),
    OnLoss(OnLoss),
    Anchor(BeliefAnchor),
    Gap(Span),
    Belief(BeliefClock),
    Wake(WakeOrder),
    Call(CallRules),
    Acknowledgement(CallRules),
    Sink {
        node: NodeId,
        kind: SinkKind,
    },
    Fence {
        node: NodeId,
        fence: Option<FenceRules>,
    },
    /// The platform watches by this rule too, what begins from then on; none: it watches no more.
    Alert(Option<AlertRule>),
}

impl Act {
    /// The node an act is done to, if it is one.
    pub fn node(&self) -> Option<NodeId> {
        match *self {
            Self::Pause { node, .. }
            | Self::Freeze { node, .. }
            | Self::Crash { node, .. }
            | Self::Reboot { node, .. }
            | Self::Slow { node, .. }
            | Self::Block { node, .. }
            | Self::Cut { node, .. }
            | Self::Degrade { node, .. }
            | Self::StepClock { node, .. }
            | Self::ClockRate { node, .. }
            | Self::Redeliver { node, .. }
            | Self::Restore { node, .. }
            | Self::ForceUnlock { node }
            | Self::Fail { node, .. } => Some(node),
            Self::Input { .. } | Self::Operator { .. } | Self::Set(_) => None,
        }
    }

    /// How long it lasts; none: for good, or an act of an instant.
    pub fn lasts(&self) -> Option<Span> {
        match *self {
            Self::Pause { lasts, .. }
            | Self::Freeze { lasts, .. }
            | Self::Crash { lasts, .. }
            | Self::Reboot { lasts, .. }
            | Self::Slow { lasts, .. }
            | Self::Block { lasts, .. }
            | Self::Cut { lasts, .. }
            | Self::Degrade { lasts, .. }
            | Self::Fail { lasts, .. } => lasts,
            Self::StepClock { .. }
            | Self::ClockRate { .. }
            | Self::Input { .. }
            | Self::Operator { .. }
            | Self::Redeliver { .. }
            | Self::Restore { .. }
            | Self::ForceUnlock { .. }
            | Self::Set(_) => None,
        }
    }

    /// The same act with another length; unchanged if it has none.
    pub fn lasting(self, lasts: Option<Span>) -> Self {
        match self {
            Self::Pause { node, .. } => Self::Pause { node, lasts },
            Self::Freeze { node, counts_sleep, .. } => Self::Freeze { node, lasts, counts_sleep },
            Self::Crash { node, .. } => Self::Crash { node, lasts },
            Self::Reboot { node, .. } => Self::Reboot { node, lasts },
            Self::Block { node, .. } => Self::Block { node, lasts },
            Self::Slow { node, percent, .. } => Self::Slow { node, percent, lasts },
            Self::Cut { node, path, way, fate, .. } => Self::Cut { node, path, way, fate, lasts },
            Self::Degrade { node, path, way, latency, loss, duplicate, .. } => {
                Self::Degrade { node, path, way, latency, loss, duplicate, lasts }
            }
            Self::Fail { node, failing, .. } => Self::Fail { node, failing, lasts },
            Self::StepClock { .. }
            | Self::ClockRate { .. }
            | Self::Input { .. }
            | Self::Operator { .. }
            | Self::Redeliver { .. }
            | Self::Restore { .. }
            | Self::ForceUnlock { .. }
            | Self::Set(_) => self,
        }
    }
}
