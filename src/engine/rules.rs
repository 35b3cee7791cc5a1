//! The rules in force, as data. A setting whose values exclude each other is one enum, so that a
//! combination that means nothing cannot be written down.

mod holders;
mod sinks;

pub use holders::*;
pub use sinks::*;

use crate::io::TimerClock;
use crate::time::Span;

/// Everything scheduler and workers agree on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rules {
    pub lease: LeaseRules,
    pub heartbeat: HeartbeatRules,
    pub sweep: SweepRules,
    /// Where several schedulers share one record.
    pub leadership: LeadershipRules,
    /// Where the record is kept on a node of its own.
    pub store: StoreRules,
    pub dispatch: DispatchOrder,
    pub restart: RestartPolicy,
    /// What the scheduler does with an expired lease, unless the task says otherwise.
    pub expiry: ExpiryPolicy,
    pub retry: RetryRules,
    /// The counter that tokens come from.
    pub counter: Counter,
    /// What a trigger does with intervals it missed, and with one whose predecessor has not ended.
    pub misfire: Misfire,
    pub overlap: Overlap,
    /// Attempts the scheduler lets run at once; none: as many as workers have slots.
    pub pool: Option<u16>,
    /// Attempts a worker is given beyond those it may run: they wait with it, and their leases run. With
    /// none it starts whatever it is given.
    pub prefetch: u16,
    /// What becomes of a worker's attempts when its process restarts.
    pub respawn: Respawn,
    /// What a worker does with an attempt that the record has as started.
    pub start_guard: StartGuard,
    /// What a worker does with a new attempt of a task of which it runs an older one.
    pub same_owner: SameOwner,
    /// How an executor, if there is one, carries out an order to kill.
    pub kill: KillRules,
    /// How long an executor, if there is one, takes to start a process; none: the scheduler dispatches to
    /// the workers itself.
    pub launch: Option<Span>,
    /// What becomes of the program when the wrapper it runs under is killed or stops itself.
    pub child: Child,
    pub late_completion: LateCompletion,
    /// What the scheduler does when it hears of an attempt that it gave up.
    pub returning: Returning,
    /// By what it knows an attempt's owner again.
    pub owner: OwnerBy,
    /// What an attempt may take beside its lease.
    pub limits: Limits,
    /// Acknowledgements of a finished attempt.
    pub acknowledgement: CallRules,
    /// What a worker does when it learns or suspects that its lease is lost.
    pub on_loss: OnLoss,
    pub belief: BeliefRules,
    /// What a process does first when it runs again after it was stopped.
    pub wake: WakeOrder,
    /// Calls from a worker to a sink.
    pub call: CallRules,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LeaseRules {
    /// L: how long a lease lasts without renewal.
    pub duration: Span,
    pub scope: LeaseScope,
    pub start: LeaseStart,
    /// How long after its grant a lease must have begun; none: it may wait for ever.
    pub start_timeout: Option<Limit>,
    pub clock: ExpiryClock,
    pub late_renewal: LateRenewal,
}

/// What a lease is of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LeaseScope {
    /// One attempt: each beats for itself.
    Attempt,
    /// A worker's session: one beat renews all that it holds, and they expire together.
    Worker,
}

/// When a lease begins to run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LeaseStart {
    /// When the grant is recorded.
    Grant,
    /// When the scheduler handles the worker's delivery acknowledgement.
    Delivery,
    /// When it handles the first heartbeat.
    FirstHeartbeat,
}

/// The clock by which the scheduler judges a lease.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ExpiryClock {
    /// A stored time on the judge's wall clock. Simple to inspect, exposed to jumps.
    Wall,
    /// A duration on the judge's monotonic clock. Immune to jumps.
    Monotonic,
    /// How long the judge has seen the record unchanged, by its own monotonic clock: it counts from
    /// the sweep that first sees a renewal, and anew after any restart.
    Observer,
    /// A stored time of the worker's wall clock, against the judge's wall clock.
    WorkerStamp,
}

impl ExpiryClock {
    /// Which of the judge's clocks T is a reading of.
    pub fn reads(self) -> TimerClock {
        match self {
            Self::Wall | Self::WorkerStamp => TimerClock::Wall,
            Self::Monotonic | Self::Observer => TimerClock::Mono,
        }
    }
}

/// A renewal handled after T and before the sweep that would notice.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LateRenewal {
    Refuse,
    Revive,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HeartbeatRules {
    /// H: from one due tick to the next.
    pub every: Span,
    pub to: BeatsTo,
    pub source: HeartbeatSource,
    pub period: Period,
    pub call: CallRules,
    /// Each beat is late by a draw below this.
    pub jitter: Span,
    /// How many the scheduler handles a minute; those above wait for each other. None: any number.
    pub capacity: Option<u32>,
}

impl HeartbeatRules {
    /// How long the scheduler is busy with one.
    pub fn handling(&self) -> Option<Span> {
        self.capacity.map(|capacity| Span(Span::secs(60).0 / i64::from(capacity.max(1))))
    }
}

/// Who renews leases.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BeatsTo {
    /// The scheduler, which then records what it did.
    Scheduler,
    /// The store of its record. The scheduler reads it before each decision.
    Store,
}

/// Who sends the heartbeats. That the whole process does is no source of its own: a process beats by a thread
/// or a loop in it, and a paused one by neither. What it sends once for all that it runs is a thread of its
/// own under a lease of the worker's ([`LeaseScope::Worker`]).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HeartbeatSource {
    /// A thread of its own: beats while the task blocks the loop.
    OwnThread,
    /// The task's event loop: starves while the task blocks it.
    TaskLoop,
    /// Nobody sends heartbeats.
    Nobody,
    /// The task's own code, at the steps that say so: whatever lies between two of them starves.
    Checkpoint,
}

impl HeartbeatSource {
    /// Whether they fall due by a timer.
    pub fn is_timed(self) -> bool {
        match self {
            Self::OwnThread | Self::TaskLoop => true,
            Self::Nobody | Self::Checkpoint => false,
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Period {
    /// From due tick to due tick.
    FixedRate,
    /// A full interval after the previous call ended.
    FixedDelay,
}

/// Time-out and retries of one kind of call. Without a time-out the caller waits for ever.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CallRules {
    pub timeout: Option<Span>,
    pub retries: u8,
}

impl CallRules {
    /// Waits for ever, asks once.
    pub const PATIENT: Self = Self { timeout: None, retries: 0 };
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SweepRules {
    /// S: how often the scheduler looks for expired leases.
    pub every: Span,
    /// How many it ends at one sweep; the rest waits for the next. None: all it finds.
    pub most: Option<u32>,
    /// J: a jump of the wall clock, or lateness of the sweep, above this makes the scheduler
    /// re-evaluate instead of act.
    pub jump_guard: Option<Span>,
}

/// Which of several schedulers decides. The store of their record knows; a scheduler knows what it was
/// told last.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LeadershipRules {
    /// How long the leadership lasts without renewal, by the store's clock. It is renewed at each sweep.
    pub lease: Span,
    /// Whether the store takes decisions of the newest leader only. Without that, whoever was leader and
    /// does not know better decides too.
    pub checks_epoch: bool,
}

impl LeadershipRules {
    pub const CHECKED: Self = Self { lease: Span::secs(15), checks_epoch: true };
}

/// How the store of the record serves those who call it, and how long they wait before they ask again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StoreRules {
    /// How long it takes for one call. Calls wait for each other.
    pub takes: Span,
    /// After how long without an answer a scheduler asks again. It never gives up.
    pub retry: Span,
}

impl StoreRules {
    pub const PROMPT: Self = Self { takes: Span::millis(5), retry: Span::secs(1) };
}

/// Which half of a dispatch comes first. A crash can fall between the two.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DispatchOrder {
    /// A grant that was never sent is possible, and an execution without a grant is not.
    RecordFirst,
    /// The reverse.
    SendFirst,
}

/// What a restarted scheduler does with the attempts that its record has running.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RestartPolicy {
    /// Judges every lease at once.
    Sweep,
    /// Gives all of them up and grants anew, whatever their leases.
    Reset,
    /// Keeps owner and token; each lease runs its full length from then on.
    Adopt,
    /// Adopts those whose delivery is recorded, resets the others.
    AdoptIfRecorded,
    /// Lets nothing expire for one full lease; renewals count meanwhile, even past T.
    Wait,
}

/// What the scheduler does with an expired lease.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ExpiryPolicy {
    /// Give the task to somebody else at once (after the retry delay).
    Redispatch,
    /// Ask the worker to stop, wait this long after expiry, then re-dispatch.
    Grace(Span),
    /// Leave it running with an expired lease; tell an operator after this long.
    Hold { alert_after: Span },
    /// Have it killed and re-dispatch on confirmation, or this long after expiry; without a length it
    /// is held until the confirmation comes.
    Cancel { after: Option<Span> },
    /// Give up on the task: no retry.
    Fail,
}

/// What becomes of an interval that the scheduler comes to late: it was down, stalled, or its wall clock
/// was moved on. Which is late is said by how long after it was due.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Misfire {
    /// Each is run.
    RunAll,
    /// Of those of one trigger the latest is run; the others are skipped.
    RunLatest {
        late: Span,
    },
    Skip {
        late: Span,
    },
}

/// What becomes of an interval that falls due while an earlier one of its trigger has not ended, by the
/// record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Overlap {
    /// Both run.
    Allow,
    /// It waits.
    Wait,
    Skip,
}

/// Where the scheduler keeps the counter that tokens come from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Counter {
    /// In its record.
    Durable,
    /// Broken: in memory. It begins anew at each restart.
    Volatile,
    /// In its record, and never below a token that the record has an attempt for: neither a restart nor a
    /// restore takes it back.
    Floored,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RetryRules {
    /// Attempts a task may use in all.
    pub attempts: u8,
    /// Whether one that expired, or took too long, is one of them.
    pub expiry_counts: bool,
    pub delay: RetryDelay,
}

/// How long a task waits between the end of one attempt and the next grant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RetryDelay {
    None,
    Fixed(Span),
    /// `base * 2^(n-1)` before retry n, at most `cap`.
    Exponential {
        base: Span,
        cap: Span,
    },
    /// A draw between nothing and the exponential delay.
    FullJitter {
        base: Span,
        cap: Span,
    },
}

impl RetryDelay {
    /// The fixed part and the spread of the wait after attempt `attempt` ended.
    pub fn after(&self, attempt: u8) -> (Span, Span) {
        let doubled = |base: Span, cap: Span| {
            let factor = 1_i64 << u32::from(attempt.saturating_sub(1)).min(30);
            Span(base.times(factor).0.min(cap.0))
        };
        match *self {
            Self::None => (Span::ZERO, Span::ZERO),
            Self::Fixed(span) => (span, Span::ZERO),
            Self::Exponential { base, cap } => (doubled(base, cap), Span::ZERO),
            Self::FullJitter { base, cap } => (Span::ZERO, doubled(base, cap)),
        }
    }
}

/// How long something may take, and whether the worker hears when it took longer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limit {
    pub after: Span,
    pub signal: Signal,
}

/// What the scheduler says to the worker of an attempt that it gives up on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Signal {
    /// Nothing: the attempt does not hear.
    None,
    /// The order to kill it.
    Kill,
}

/// Limits of one task, or of all.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Limits {
    /// From one sign of progress to the next, counted from the heartbeats.
    pub progress: Option<Limit>,
    /// From the grant to the end.
    pub run: Option<Limit>,
}

impl Limits {
    pub fn of(&self, which: LimitKind) -> Option<Limit> {
        match which {
            LimitKind::Progress => self.progress,
            LimitKind::Run => self.run,
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum LimitKind {
    Progress,
    Run,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct KillRules {
    /// From the order to its execution.
    pub delay: Span,
    pub report: KillReport,
}

impl KillRules {
    /// At once, and confirmed when done.
    pub const PROMPT: Self = Self { delay: Span::ZERO, report: KillReport::Confirmed };
}

/// When an executor says that a process is dead.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum KillReport {
    /// When its host confirms it.
    Confirmed,
    /// Broken: as soon as it has the order.
    Requested,
}

/// The process a program runs in, beside the wrapper that beats and reports for it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Child {
    /// There is none, or it ends with its wrapper.
    Ends,
    /// It outlives its wrapper: nothing beats or reports for it from then on.
    Outlives,
}

/// What the layer that keeps a worker's process alive does with what it ran.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Respawn {
    /// Nothing: what ran is lost with the process.
    Never,
    /// Starts the same attempts again, under the tokens they had; the scheduler is not asked.
    Again,
}

/// What a worker does with an attempt that was started before: by its own process before a restart, or
/// by whoever got the dispatch first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StartGuard {
    /// Runs it.
    Off,
    /// Ends at once and tells nobody (dagster-io/dagster#33755).
    Silent,
    /// Ends at once and reports that it did.
    Reports,
}

/// A completion whose attempt is not the current holder of a valid lease.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LateCompletion {
    /// A newer attempt that runs goes on; its end changes nothing.
    Accept,
    /// The same, and a newer attempt that runs is ordered to be killed.
    AcceptAndCancel,
    Refuse,
    /// Accept only while no newer attempt was granted.
    IfNoNewer,
}

/// What a worker does on losing, or suspecting that it lost, its lease.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OnLoss {
    /// Goes on.
    Ignore,
    /// Stops itself when told, or at its believed deadline.
    SelfFence,
    /// Stops itself when told, or after this many failed renewals.
    SelfFenceAfter(u8),
    /// Looks at its own reckoning before each write.
    CheckBeforeWrite,
}
