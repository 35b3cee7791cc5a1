//! W1, the workload every speed is measured on: workers that each hold one lease and do nothing but
//! renew it.

use crate::link::LinkSpec;
use crate::scenario::{Judged, Scenario, SinkSpec, WorkerSpec};
use fenceline_engine::{
    BeatsTo, BeliefAnchor, BeliefClock, BeliefRules, CallRules, Child, Counter, DispatchOrder, ExpiryClock,
    ExpiryPolicy, HeartbeatRules, HeartbeatSource, KillRules, LateCompletion, LateRenewal, LeadershipRules,
    LeaseRules, LeaseScope, LeaseStart, Limits, Misfire, NodeId, OnLoss, Overlap, OwnerBy, Period, Respawn,
    RestartPolicy, RetryDelay, RetryRules, Returning, Rules, SameOwner, Service, SinkKind, SinkRules, Span,
    StartGuard, Step, StoreRules, SweepRules, TaskId, TaskSpec, Token, WakeOrder, Wall,
};
use std::sync::Arc;

/// The rules of the first run: lease 30 s, heartbeat 10 s, sweep 1 s, re-dispatch.
pub fn plain_rules() -> Rules {
    Rules {
        lease: LeaseRules {
            duration: Span::secs(30),
            scope: LeaseScope::Attempt,
            start: LeaseStart::Grant,
            start_timeout: None,
            clock: ExpiryClock::Wall,
            late_renewal: LateRenewal::Refuse,
        },
        heartbeat: HeartbeatRules {
            every: Span::secs(10),
            to: BeatsTo::Scheduler,
            source: HeartbeatSource::OwnThread,
            period: Period::FixedRate,
            call: CallRules { timeout: Some(Span::secs(5)), retries: 0 },
            jitter: Span::ZERO,
            capacity: None,
        },
        sweep: SweepRules { every: Span::secs(1), most: None, jump_guard: None },
        leadership: LeadershipRules::CHECKED,
        store: StoreRules::PROMPT,
        dispatch: DispatchOrder::RecordFirst,
        restart: RestartPolicy::Sweep,
        expiry: ExpiryPolicy::Redispatch,
        retry: RetryRules { attempts: 3, expiry_counts: true, delay: RetryDelay::None },
        counter: Counter::Durable,
        misfire: Misfire::RunAll,
        overlap: Overlap::Allow,
        pool: None,
        prefetch: 0,
        respawn: Respawn::Never,
        start_guard: StartGuard::Off,
        same_owner: SameOwner::Both,
        kill: KillRules::PROMPT,
        launch: None,
        child: Child::Ends,
        late_completion: LateCompletion::IfNoNewer,
        returning: Returning::Refuse,
        owner: OwnerBy::Token,
        limits: Limits::default(),
        acknowledgement: CallRules::PATIENT,
        on_loss: OnLoss::Ignore,
        belief: BeliefRules { anchor: BeliefAnchor::Send, clock: BeliefClock::Monotonic, gap: Span::ZERO },
        wake: WakeOrder::Timers,
        call: CallRules::PATIENT,
    }
}

/// W1 with `workers` workers for so long: heartbeat every 10 s on a 30 s lease, 50 ms one way, sweep every
/// second. Its calls have no time-out: an event is a beat, its message or the answer.
pub fn w1(workers: u16, lasts: Span) -> Scenario {
    let rules = plain_rules();
    let task = TaskSpec {
        due: Span::ZERO,
        program: vec![Step::Compute(Span::secs(1_000_000)), Step::Acknowledge],
        rows: vec![0],
        expiry: None,
        limits: Limits::default(),
        follows: None,
        after: None,
        application: TaskId(0),
    };
    Scenario {
        rules: Rules { heartbeat: HeartbeatRules { call: CallRules::PATIENT, ..rules.heartbeat }, ..rules },
        workers: (1..=workers).map(|n| WorkerSpec::named(format!("worker {n}"))).collect(),
        sinks: Vec::new(),
        executor: None,
        standby: Vec::new(),
        store: None,
        tasks: vec![task; usize::from(workers)],
        judged: vec![Judged::default(); usize::from(workers)],
        control: LinkSpec::fixed(Span::millis(50)),
        data: LinkSpec::fixed(Span::millis(50)),
        epoch: Wall(0),
        first_token: Token(1),
        until: u64::try_from(lasts.0).unwrap_or(0),
        script: Vec::new(),
        alerts: Vec::new(),
    }
}

/// The first run: one task of 30 s on two workers, one append table that compares nothing, 0.2 s one
/// way. Its faults are the caller's.
pub fn first_run() -> Scenario {
    let sink = NodeId(3);
    Scenario {
        rules: plain_rules(),
        workers: vec![WorkerSpec::named("worker 1"), WorkerSpec::named("worker 2")],
        sinks: vec![SinkSpec {
            name: "revenue".into(),
            rules: Arc::new(SinkRules { kind: SinkKind::Append, fence: None, service: Service::INSTANT }),
        }],
        tasks: vec![TaskSpec {
            due: Span::ZERO,
            program: vec![
                Step::Read,
                Step::Compute(Span::secs(30)),
                Step::Write { sink, part: 0, parts: 1 },
                Step::Acknowledge,
            ],
            rows: vec![1204],
            expiry: None,
            limits: Limits::default(),
            follows: None,
            after: None,
            application: TaskId(0),
        }],
        judged: vec![Judged {
            name: "revenue".into(),
            interval: "28 Nov".into(),
            bound: Some(Span::secs(100)),
            ..Judged::default()
        }],
        control: LinkSpec::fixed(Span::millis(200)),
        data: LinkSpec::fixed(Span::millis(200)),
        first_token: Token(7),
        until: 102_000_000,
        ..w1(0, Span::ZERO)
    }
}
