//! Choices by name: one list for reading and writing each.

use fenceline_engine::{
    BeatsTo, BeliefAnchor, BeliefClock, Child, Counter, Decision, DispatchOrder, ExpiryClock,
    HeartbeatSource, KillReport, LateCompletion, LateRenewal, LeaseScope, LeaseStart, Overlap, OwnerBy,
    Period, Respawn, RestartPolicy, Returning, SameOwner, Span, StartGuard, WakeOrder,
};
use fenceline_sim::scenario::AlertRule;
use fenceline_sim::{Path, Way};

pub(super) const SOURCES: [(&str, HeartbeatSource); 4] = [
    ("own-thread", HeartbeatSource::OwnThread),
    ("task-loop", HeartbeatSource::TaskLoop),
    ("nobody", HeartbeatSource::Nobody),
    ("checkpoint", HeartbeatSource::Checkpoint),
];
pub(super) const SCOPES: [(&str, LeaseScope); 2] =
    [("attempt", LeaseScope::Attempt), ("worker", LeaseScope::Worker)];
pub(super) const STARTS: [(&str, LeaseStart); 3] = [
    ("grant", LeaseStart::Grant),
    ("delivery", LeaseStart::Delivery),
    ("first-heartbeat", LeaseStart::FirstHeartbeat),
];
pub(super) const LATE_RENEWALS: [(&str, LateRenewal); 2] =
    [("refuse", LateRenewal::Refuse), ("revive", LateRenewal::Revive)];
pub(super) const PERIODS: [(&str, Period); 2] =
    [("fixed-rate", Period::FixedRate), ("fixed-delay", Period::FixedDelay)];
pub(super) const CLOCKS: [(&str, ExpiryClock); 4] = [
    ("wall", ExpiryClock::Wall),
    ("monotonic", ExpiryClock::Monotonic),
    ("observer", ExpiryClock::Observer),
    ("worker-stamp", ExpiryClock::WorkerStamp),
];
pub(super) const RESTARTS: [(&str, RestartPolicy); 5] = [
    ("sweep", RestartPolicy::Sweep),
    ("reset", RestartPolicy::Reset),
    ("adopt", RestartPolicy::Adopt),
    ("adopt-if-recorded", RestartPolicy::AdoptIfRecorded),
    ("wait", RestartPolicy::Wait),
];
pub(super) const DISPATCHES: [(&str, DispatchOrder); 2] =
    [("record-first", DispatchOrder::RecordFirst), ("send-first", DispatchOrder::SendFirst)];
pub(super) const LATE: [(&str, LateCompletion); 4] = [
    ("accept", LateCompletion::Accept),
    ("accept-cancels", LateCompletion::AcceptAndCancel),
    ("refuse", LateCompletion::Refuse),
    ("if-no-newer", LateCompletion::IfNoNewer),
];
pub(super) const ANCHORS: [(&str, BeliefAnchor); 2] =
    [("send", BeliefAnchor::Send), ("reply", BeliefAnchor::Reply)];
pub(super) const BELIEFS: [(&str, BeliefClock); 2] =
    [("monotonic", BeliefClock::Monotonic), ("wall", BeliefClock::Wall)];
pub(super) const WAKES: [(&str, WakeOrder); 3] =
    [("timers", WakeOrder::Timers), ("messages", WakeOrder::Messages), ("program", WakeOrder::Program)];
pub(super) const PATHS: [(&str, Path); 3] =
    [("control", Path::Control), ("data", Path::Data), ("both", Path::Both)];
pub(super) const WAYS: [(&str, Way); 3] = [("both-ways", Way::Both), ("out", Way::Out), ("in", Way::In)];
pub(super) const DECISIONS: [(&str, Decision); 6] = [
    ("redispatch", Decision::Redispatch),
    ("fail", Decision::Fail),
    ("succeed", Decision::Succeed),
    ("extend", Decision::Extend),
    ("cancel", Decision::Cancel),
    ("rerun", Decision::Rerun),
];
pub(super) const REPORTS: [(&str, KillReport); 2] =
    [("confirmed", KillReport::Confirmed), ("requested", KillReport::Requested)];
pub(super) const CHILDREN: [(&str, Child); 2] = [("ends", Child::Ends), ("outlives", Child::Outlives)];
pub(super) const OVERLAPS: [(&str, Overlap); 3] =
    [("allow", Overlap::Allow), ("wait", Overlap::Wait), ("skip", Overlap::Skip)];
pub(super) const RESPAWNS: [(&str, Respawn); 2] = [("never", Respawn::Never), ("again", Respawn::Again)];
pub(super) const START_GUARDS: [(&str, StartGuard); 3] =
    [("off", StartGuard::Off), ("silent", StartGuard::Silent), ("reports", StartGuard::Reports)];
/// Those that wait have a length in place of this one.
pub(crate) const ALERTS: [(&str, AlertRule); 6] = [
    ("lease-expired", AlertRule::LeaseExpired(Span::ZERO)),
    ("retried", AlertRule::Retried),
    ("fenced-write", AlertRule::FencedWrite),
    ("scheduler-silent", AlertRule::SchedulerSilent(Span::ZERO)),
    ("two-open", AlertRule::TwoOpen),
    ("reconcile", AlertRule::Reconcile(Span::ZERO)),
];
pub(super) const SAME_OWNERS: [(&str, SameOwner); 3] =
    [("both", SameOwner::Both), ("replace", SameOwner::Replace), ("ignore", SameOwner::Ignore)];
pub(super) const RETURNS: [(&str, Returning); 3] =
    [("refuse", Returning::Refuse), ("ignore", Returning::Ignore), ("keep", Returning::Keep)];
pub(super) const OWNERS: [(&str, OwnerBy); 2] = [("token", OwnerBy::Token), ("name", OwnerBy::Name)];
pub(super) const BEATS_TO: [(&str, BeatsTo); 2] =
    [("scheduler", BeatsTo::Scheduler), ("store", BeatsTo::Store)];
pub(super) const SWITCH: [(&str, bool); 2] = [("on", true), ("off", false)];
pub(super) const COUNTERS: [(&str, Counter); 3] =
    [("durable", Counter::Durable), ("volatile", Counter::Volatile), ("floored", Counter::Floored)];
