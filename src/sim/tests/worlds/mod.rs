//! Random runs: scenarios of every kind of rule, and schedules of every kind of fault.
#![allow(dead_code, reason = "each test file uses its own part")]

use fenceline_engine::*;
use fenceline_sim::scenario::{AlertRule, Judged};
use fenceline_sim::{
    Act, Fate, Intervention, LinkSpec, Path, Run, Scenario, Setting, SinkSpec, Way, When, WorkerSpec,
};
use proptest::prelude::*;
use proptest::sample::select;
use proptest::test_runner::{RngAlgorithm, TestCaseResult, TestRng, TestRunner};
use std::sync::Arc;

/// A length between two numbers of seconds: often a whole number, so that things fall together.
fn span(from: i64, to: i64) -> BoxedStrategy<Span> {
    let fine = (from * 1_000_000..=to * 1_000_000).prop_map(Span);
    prop_oneof![2 => (from..=to).prop_map(Span::secs), 1 => fine].boxed()
}

fn maybe<T: Clone + std::fmt::Debug + 'static>(
    some: impl Strategy<Value = T> + 'static,
) -> BoxedStrategy<Option<T>> {
    prop_oneof![Just(None), some.prop_map(Some)].boxed()
}

fn call() -> impl Strategy<Value = CallRules> {
    (maybe(span(1, 6)), 0..3_u8).prop_map(|(timeout, retries)| CallRules { timeout, retries })
}

fn source() -> impl Strategy<Value = HeartbeatSource> {
    use HeartbeatSource::*;
    select(vec![OwnThread, OwnThread, TaskLoop, Nobody])
}

fn expiry() -> impl Strategy<Value = ExpiryPolicy> {
    prop_oneof![
        Just(ExpiryPolicy::Redispatch),
        span(0, 20).prop_map(ExpiryPolicy::Grace),
        span(0, 20).prop_map(|alert_after| ExpiryPolicy::Hold { alert_after }),
        maybe(span(0, 20)).prop_map(|after| ExpiryPolicy::Cancel { after }),
        Just(ExpiryPolicy::Fail),
    ]
}

fn delay() -> impl Strategy<Value = RetryDelay> {
    prop_oneof![
        Just(RetryDelay::None),
        span(0, 9).prop_map(RetryDelay::Fixed),
        (span(0, 5), span(0, 20)).prop_map(|(base, cap)| RetryDelay::Exponential { base, cap }),
        (span(0, 5), span(0, 20)).prop_map(|(base, cap)| RetryDelay::FullJitter { base, cap }),
    ]
}

fn late() -> impl Strategy<Value = LateCompletion> {
    select(vec![LateCompletion::Accept, LateCompletion::Refuse, LateCompletion::IfNoNewer])
}

fn on_loss() -> impl Strategy<Value = OnLoss> {
    use OnLoss::*;
    select(vec![Ignore, SelfFence, SelfFenceAfter(1), SelfFenceAfter(2), CheckBeforeWrite])
}

fn expiry_clock() -> impl Strategy<Value = ExpiryClock> {
    use ExpiryClock::*;
    select(vec![Wall, Monotonic, Observer, WorkerStamp])
}

fn restart() -> impl Strategy<Value = RestartPolicy> {
    use RestartPolicy::*;
    select(vec![Sweep, Reset, Adopt, AdoptIfRecorded, Wait])
}

fn dispatch() -> impl Strategy<Value = DispatchOrder> {
    select(vec![DispatchOrder::RecordFirst, DispatchOrder::RecordFirst, DispatchOrder::SendFirst])
}

fn limit() -> BoxedStrategy<Option<Limit>> {
    let signal = select(vec![Signal::None, Signal::Kill]);
    prop_oneof![2 => Just(None), 1 => (span(1, 40), signal).prop_map(|(after, signal)| Some(Limit { after, signal }))]
        .boxed()
}

fn limits() -> impl Strategy<Value = Limits> {
    (limit(), limit()).prop_map(|(progress, run)| Limits { progress, run })
}

fn kill() -> impl Strategy<Value = KillRules> {
    let report = select(vec![KillReport::Confirmed, KillReport::Requested]);
    (prop_oneof![Just(Span::ZERO), span(0, 20)], report)
        .prop_map(|(delay, report)| KillRules { delay, report })
}

fn misfire() -> impl Strategy<Value = Misfire> {
    prop_oneof![
        Just(Misfire::RunAll),
        span(0, 10).prop_map(|late| Misfire::RunLatest { late }),
        span(0, 10).prop_map(|late| Misfire::Skip { late }),
    ]
}

fn respawn() -> impl Strategy<Value = Respawn> {
    select(vec![Respawn::Never, Respawn::Again])
}

fn start_guard() -> impl Strategy<Value = StartGuard> {
    select(vec![StartGuard::Off, StartGuard::Silent, StartGuard::Reports])
}

fn child() -> impl Strategy<Value = Child> {
    select(vec![Child::Ends, Child::Ends, Child::Outlives])
}

fn lease() -> impl Strategy<Value = LeaseRules> {
    let start = select(vec![LeaseStart::Grant, LeaseStart::Delivery, LeaseStart::FirstHeartbeat]);
    let late_renewal = select(vec![LateRenewal::Refuse, LateRenewal::Revive]);
    (prop_oneof![span(3, 12), span(3, 40)], start, limit(), expiry_clock(), late_renewal).prop_map(
        |(duration, start, start_timeout, clock, late_renewal)| LeaseRules {
            duration,
            start,
            start_timeout,
            clock,
            late_renewal,
        },
    )
}

fn heartbeat() -> impl Strategy<Value = HeartbeatRules> {
    let period = select(vec![Period::FixedRate, Period::FixedDelay]);
    (span(1, 12), source(), period, call(), prop_oneof![Just(Span::ZERO), span(0, 3)]).prop_map(
        |(every, source, period, call, jitter)| HeartbeatRules { every, source, period, call, jitter },
    )
}

fn rules() -> impl Strategy<Value = Rules> {
    let sweep =
        (span(1, 5), maybe(span(1, 10))).prop_map(|(every, jump_guard)| SweepRules { every, jump_guard });
    let retry = (1..5_u8, delay()).prop_map(|(attempts, delay)| RetryRules { attempts, delay });
    let counter = prop_oneof![3 => Just(Counter::Durable), 1 => Just(Counter::Volatile)];
    let belief = (select(vec![BeliefAnchor::Send, BeliefAnchor::Reply]), span(0, 3))
        .prop_map(|(anchor, gap)| BeliefRules { anchor, gap });
    let scheduling = (lease(), heartbeat(), sweep, expiry(), retry, counter, maybe(1..3_u16));
    let working =
        (late(), call(), on_loss(), belief, call(), restart(), dispatch(), kill(), child(), limits());
    let processes = (prop_oneof![3 => Just(0_u16), 1 => 1..3_u16], respawn(), start_guard());
    let triggers = (misfire(), select(vec![Overlap::Allow, Overlap::Wait, Overlap::Skip]));
    (scheduling, working, processes, triggers).prop_map(
        |(
            (lease, heartbeat, sweep, expiry, retry, counter, pool),
            (late_completion, acknowledgement, on_loss, belief, call, restart, dispatch, kill, child, limits),
            (prefetch, respawn, start_guard),
            (misfire, overlap),
        )| {
            Rules {
                lease,
                heartbeat,
                sweep,
                leadership: LeadershipRules::CHECKED,
                dispatch,
                restart,
                expiry,
                retry,
                counter,
                misfire,
                overlap,
                pool,
                prefetch,
                respawn,
                start_guard,
                kill,
                child,
                limits,
                late_completion,
                acknowledgement,
                on_loss,
                belief,
                call,
            }
        },
    )
}

fn kind() -> impl Strategy<Value = SinkKind> {
    let name = select(vec![StagingName::Fixed, StagingName::Unique]);
    let found = select(vec![Found::InTheWay, Found::Dropped, Found::Taken]);
    prop_oneof![
        2 => Just(SinkKind::Append),
        3 => Just(SinkKind::Overwrite),
        2 => Just(SinkKind::Merge),
        1 => (name, found).prop_map(|(name, found)| SinkKind::Staged { name, found }),
        1 => maybe(span(1, 30)).prop_map(|lease| SinkKind::Locked { lease }),
        1 => maybe(span(1, 30)).prop_map(|retention| SinkKind::Api(IdempotencyKey::FromTask { retention })),
        2 => select(vec![
            SinkKind::Objects(Put::Plain),
            SinkKind::Objects(Put::IfAbsent),
            SinkKind::Objects(Put::CompareAndSet(OnConflict::Stop)),
            SinkKind::Objects(Put::CompareAndSet(OnConflict::Retry)),
            SinkKind::Log(LogGuard::Blind),
            SinkKind::Log(LogGuard::Interval),
            SinkKind::Log(LogGuard::Token),
        ]),
        1 => select(vec![
            SinkKind::Api(IdempotencyKey::None),
            SinkKind::Api(IdempotencyKey::FromTaskComparing { retention: None }),
            SinkKind::Api(IdempotencyKey::FromAttempt),
            SinkKind::Mailbox,
            SinkKind::Resource,
        ]),
    ]
}

fn fence() -> impl Strategy<Value = FenceRules> {
    use Compare::*;
    let raise = select(vec![
        FenceRaise::Scheduler(Confirmation::Awaited),
        FenceRaise::Scheduler(Confirmation::NotAwaited),
        FenceRaise::Claim,
        FenceRaise::FirstWrite,
        FenceRaise::Commit,
        FenceRaise::Nobody,
    ]);
    let compare = select(vec![Older, Older, Exact, Bound, OrEqual, Text, Boolean]);
    let retention = prop_oneof![3 => Just(None), 1 => span(1, 60).prop_map(Some)];
    let memory = prop_oneof![3 => Just(FenceMemory::Durable), 1 => Just(FenceMemory::Volatile)];
    let check = prop_oneof![3 => Just(FenceCheck::Atomic), 1 => span(0, 5).prop_map(FenceCheck::Gap), 1 => Just(FenceCheck::ByClient)];
    let scope = select(vec![FenceScope::Partition, FenceScope::Table, FenceScope::Shard]);
    (raise, compare, memory, retention, check, scope, any::<bool>()).prop_map(
        |(raise, compare, memory, retention, check, scope, not_after)| FenceRules {
            raise,
            compare,
            memory,
            retention,
            check,
            scope,
            not_after,
        },
    )
}

fn sink() -> impl Strategy<Value = SinkSpec> {
    let service = (select(vec![0, 0, 10, 400]), select(vec![0, 50])).prop_map(|(base, per_active)| Service {
        base: Span::millis(base),
        per_active: Span::millis(per_active),
    });
    (kind(), maybe(fence()), service).prop_map(|(kind, fence, service)| SinkSpec {
        name: "sink".into(),
        rules: Arc::new(SinkRules { kind, fence, service }),
    })
}

/// Steps that belong together and that this kind of sink can do; sometimes some that it cannot.
fn steps(sink: NodeId, kind: SinkKind) -> BoxedStrategy<Vec<Step>> {
    let write = Step::Write { sink, part: 0, parts: 1 };
    let parts =
        (1..4_u8).prop_map(move |parts| (0..parts).map(|part| Step::Write { sink, part, parts }).collect());
    let staged = vec![Step::Stage { sink }, Step::Swap { sink }];
    let locked = vec![Step::Lock { sink }, write, Step::Unlock { sink }];
    let looking = vec![Step::Look { sink }, Step::Compute(Span::secs(2)), write];
    let fitting: BoxedStrategy<Vec<Step>> = match kind {
        SinkKind::Append | SinkKind::Overwrite | SinkKind::Merge | SinkKind::Log(_) => parts.boxed(),
        SinkKind::Objects(_) => prop_oneof![parts, Just(looking.clone())].boxed(),
        SinkKind::Staged { .. } => Just(staged.clone()).boxed(),
        SinkKind::Locked { .. } => Just(locked.clone()).boxed(),
        SinkKind::Api(_) | SinkKind::Mailbox => Just(vec![Step::Effect { sink }]).boxed(),
        SinkKind::Resource => Just(vec![Step::Work { sink }]).boxed(),
    };
    let any = select(vec![
        vec![write],
        staged,
        locked,
        looking,
        vec![Step::Effect { sink }],
        vec![Step::Work { sink }],
        vec![Step::Clean { sink, what: Clean::Staged }],
        vec![Step::Clean { sink, what: Clean::Older }],
        vec![Step::Clean { sink, what: Clean::Others }],
    ]);
    let between = prop_oneof![
        3 => span(1, 20).prop_map(|span| vec![Step::Compute(span)]),
        1 => span(1, 20).prop_map(|span| vec![Step::Block(span)]),
        1 => Just(vec![Step::CheckLease]),
        1 => Just(vec![Step::Read]),
    ];
    prop_oneof![9 => fitting, 8 => between, 1 => any].boxed()
}

fn task(first_sink: u16, kinds: Vec<SinkKind>) -> impl Strategy<Value = TaskSpec> {
    let sink = (0..kinds.len() as u16)
        .prop_map(move |index| (NodeId(first_sink + index), kinds[usize::from(index)]));
    let middle = prop::collection::vec(sink.prop_flat_map(|(sink, kind)| steps(sink, kind)), 1..5);
    let rows = prop::collection::vec(0..50_u32, 1..4);
    (span(0, 20), middle, rows, maybe(expiry()), limits()).prop_map(|(due, middle, rows, expiry, limits)| {
        let program = [vec![Step::Read], middle.concat(), vec![Step::Acknowledge]].concat();
        TaskSpec { due, program, rows, expiry, limits, follows: None, after: None }
    })
}

fn worker() -> impl Strategy<Value = WorkerSpec> {
    (1..3_u16, -5_000_000..5_000_000_i64, -300..300_i64).prop_map(|(slots, offset, ppm)| WorkerSpec {
        slots,
        offset: Span(offset),
        rate: 1_000_000 + ppm,
        ..WorkerSpec::named("worker")
    })
}

fn link() -> impl Strategy<Value = LinkSpec> {
    let latency = prop_oneof![Just(Span::ZERO), (1..600_i64).prop_map(Span::millis)];
    let jitter = prop_oneof![Just(Span::ZERO), (0..900_000_i64).prop_map(Span)];
    let loss = prop_oneof![3 => Just(0), 1 => 1..300_000_u32];
    (latency, jitter, loss).prop_map(|(latency, jitter, loss)| LinkSpec { latency, jitter, loss })
}

fn judged(tasks: usize) -> impl Strategy<Value = Vec<Judged>> {
    let one = (maybe(span(10, 90)), any::<bool>()).prop_map(|(bound, exclusive)| Judged {
        bound,
        exclusive,
        ..Judged::default()
    });
    prop::collection::vec(one, tasks)
}

fn alert() -> impl Strategy<Value = AlertRule> {
    prop_oneof![
        span(0, 20).prop_map(AlertRule::LeaseExpired),
        Just(AlertRule::Retried),
        Just(AlertRule::FencedWrite),
        span(5, 40).prop_map(AlertRule::SchedulerSilent),
        Just(AlertRule::TwoOpen),
        span(5, 40).prop_map(AlertRule::Reconcile),
    ]
}

fn scenario() -> impl Strategy<Value = Scenario> {
    let workers = prop::collection::vec(worker(), 1..4);
    let sinks = prop::collection::vec(sink(), 1..3);
    let nodes = (workers, sinks).prop_flat_map(|(workers, sinks)| {
        let kinds = sinks.iter().map(|sink| sink.rules.kind).collect();
        let tasks = prop::collection::vec(task(1 + workers.len() as u16, kinds), 1..4);
        let tasks = tasks.prop_flat_map(|tasks| (judged(tasks.len()), Just(tasks)));
        (Just(workers), Just(sinks), tasks)
    });
    let executor = maybe(Just("executor".to_owned()));
    let alerts = prop::collection::vec(alert(), 0..3);
    (rules(), nodes, executor, link(), link(), 1..50_u32, span(40, 150), alerts).prop_map(
        |(rules, (workers, sinks, (judged, tasks)), executor, control, data, token, until, alerts)| {
            Scenario {
                rules,
                workers,
                sinks,
                executor,
                standby: Vec::new(),
                judged,
                tasks,
                control,
                data,
                epoch: Wall(1_000_000_000),
                first_token: Token(token),
                until: until.0 as u64,
                script: Vec::new(),
                alerts,
            }
        },
    )
}

fn setting(sinks: std::ops::Range<u16>) -> impl Strategy<Value = Setting> {
    let node = || sinks.clone().prop_map(NodeId);
    prop_oneof![
        span(1, 40).prop_map(Setting::Lease),
        span(1, 12).prop_map(Setting::Heartbeat),
        source().prop_map(Setting::Source),
        span(1, 5).prop_map(Setting::Sweep),
        maybe(span(1, 10)).prop_map(Setting::JumpGuard),
        expiry_clock().prop_map(Setting::Clock),
        restart().prop_map(Setting::Restart),
        dispatch().prop_map(Setting::Dispatch),
        expiry().prop_map(Setting::Expiry),
        (1..5_u8).prop_map(Setting::Attempts),
        delay().prop_map(Setting::Delay),
        maybe(1..3_u16).prop_map(Setting::Pool),
        limit().prop_map(Setting::ProgressTimeout),
        limit().prop_map(Setting::RunTimeout),
        kill().prop_map(Setting::Kill),
        misfire().prop_map(Setting::Misfire),
        select(vec![Overlap::Allow, Overlap::Wait, Overlap::Skip]).prop_map(Setting::Overlap),
        (0..3_u16).prop_map(Setting::Prefetch),
        respawn().prop_map(Setting::Respawn),
        start_guard().prop_map(Setting::StartGuard),
        child().prop_map(Setting::Child),
        late().prop_map(Setting::Late),
        select(vec![LeaseStart::Grant, LeaseStart::Delivery, LeaseStart::FirstHeartbeat])
            .prop_map(Setting::LeaseStart),
        select(vec![LateRenewal::Refuse, LateRenewal::Revive]).prop_map(Setting::LateRenewal),
        select(vec![Period::FixedRate, Period::FixedDelay]).prop_map(Setting::Period),
        call().prop_map(Setting::BeatCall),
        span(0, 3).prop_map(Setting::Jitter),
        select(vec![Counter::Durable, Counter::Volatile]).prop_map(Setting::Counter),
        select(vec![BeliefAnchor::Send, BeliefAnchor::Reply]).prop_map(Setting::Anchor),
        span(0, 3).prop_map(Setting::Gap),
        call().prop_map(Setting::Call),
        call().prop_map(Setting::Acknowledgement),
        on_loss().prop_map(Setting::OnLoss),
        (node(), kind()).prop_map(|(node, kind)| Setting::Sink { node, kind }),
        (node(), maybe(fence())).prop_map(|(node, fence)| Setting::Fence { node, fence }),
    ]
}

/// Stops of a process, which can be aimed at a point as well as at a time.
fn stop(nodes: u16) -> impl Strategy<Value = Act> {
    // One node too many: such an act is void.
    // Zombies come of workers that stop for a while.
    let node = prop_oneof![1 => 0..=nodes, 1 => 1..3_u16].prop_map(NodeId);
    let lasts = prop_oneof![1 => Just(None), 3 => span(0, 60).prop_map(Some)];
    (node, lasts, 0..5_u8).prop_map(|(node, lasts, which)| match which {
        0 | 1 => Act::Pause { node, lasts },
        2 => Act::Crash { node, lasts },
        3 => Act::Reboot { node, lasts },
        _ => Act::Freeze { node, lasts, counts_sleep: lasts.is_none_or(|lasts| lasts.0 % 2 == 0) },
    })
}

fn act(scenario: &Scenario) -> impl Strategy<Value = Act> + use<> {
    let nodes = scenario.node_count() as u16;
    let sinks = scenario.sink(0).0..scenario.sink(scenario.sinks.len()).0;
    let node = || (0..nodes).prop_map(NodeId);
    let lasts = || maybe(span(0, 60));
    let path = || select(vec![Path::Control, Path::Data, Path::Both]);
    let way = || select(vec![Way::Both, Way::Out, Way::In]);
    let task = || (0..=scenario.tasks.len() as u16).prop_map(TaskId);
    use Decision::*;
    let decision = select(vec![Redispatch, Fail, Succeed, Extend, Cancel]);
    prop_oneof![
        4 => stop(nodes),
        1 => (node(), 0..300_u32, lasts()).prop_map(|(node, percent, lasts)| Act::Slow { node, percent, lasts }),
        2 => (node(), path(), way(), select(vec![Fate::Lost, Fate::Held]), lasts())
            .prop_map(|(node, path, way, fate, lasts)| Act::Cut { node, path, way, fate, lasts }),
        1 => (node(), path(), way(), span(0, 5), 0..900_000_u32, lasts()).prop_map(
            |(node, path, way, latency, loss, lasts)| Act::Degrade { node, path, way, latency, loss, lasts }
        ),
        1 => (node(), span(-60, 60)).prop_map(|(node, by)| Act::StepClock { node, by }),
        1 => (node(), -400_000..400_000_i64).prop_map(|(node, ppm)| Act::ClockRate { node, ppm }),
        1 => (task(), 1..4_u8).prop_map(|(task, version)| Act::Input { task, version }),
        1 => (node(), task()).prop_map(|(node, task)| Act::Redeliver { node, task }),
        1 => (task(), decision).prop_map(|(task, decision)| Act::Operator { task, decision }),
        2 => setting(sinks).prop_map(Act::Set),
    ]
}

/// One intervention; most at a time, some at a point in a program or a dispatch.
pub(crate) fn intervention(scenario: &Scenario) -> impl Strategy<Value = Intervention> + use<> {
    let until = i64::try_from(scenario.until).unwrap_or(0) / 1_000_000;
    let at = prop_oneof![9 => span(0, until), 1 => Just(Span::ZERO), 1 => span(0, 2 * until)];
    let timed = (at.prop_map(|at| When::At(at.0 as u64)), act(scenario));
    let task = || (0..scenario.tasks.len() as u16).prop_map(TaskId);
    let step = (task(), 1..4_u8, 1..6_u8)
        .prop_map(|(task, attempt, step)| When::BeforeStep { exec: Exec::first(task, attempt), step });
    let grant = (task(), 1..4_u8).prop_map(|(task, attempt)| When::HalfDispatched { task, attempt });
    let aimed = (prop_oneof![step, grant], stop(scenario.node_count() as u16));
    prop_oneof![5 => timed.prop_map(|(when, act)| Intervention { when, act }).boxed(),
        1 => aimed.prop_map(|(when, act)| Intervention { when, act }).boxed()]
}

/// A scenario, a seed and a schedule of faults.
pub(crate) fn run() -> impl Strategy<Value = Run> {
    scenario().prop_flat_map(|scenario| {
        let interventions = prop::collection::vec(intervention(&scenario), 0..9);
        (Just(Arc::new(scenario)), any::<u64>(), interventions)
            .prop_map(|(scenario, seed, interventions)| Run { scenario, seed, interventions })
    })
}

/// Runs the test with so many random runs. Each has its own number, so that one that fails can be had
/// again alone: `CASE=17 cargo test …`; others, or more of them: `SEED=7 CASES=20000 cargo test …`.
pub(crate) fn each<S: Strategy>(runs: &S, cases: u64, test: impl Fn(S::Value) -> TestCaseResult) {
    let given = |name: &str| -> Option<u64> { std::env::var(name).ok()?.parse().ok() };
    let (seed, cases) = (given("SEED").unwrap_or(29), given("CASES").unwrap_or(cases));
    let cases = given("CASE").map_or(0..cases, |case| case..case + 1);
    for case in cases.clone() {
        let words = [seed, case, 0, 0].map(u64::to_le_bytes).concat();
        let rng = TestRng::from_seed(RngAlgorithm::ChaCha, &words);
        let config = ProptestConfig { failure_persistence: None, ..ProptestConfig::default() };
        let mut runner = TestRunner::new_with_rng(config, rng);
        let run = runs.new_tree(&mut runner).expect("no case is turned down");
        if let Err(failure) = runner.run_one(run, &test) {
            panic!("SEED={seed} CASE={case}: {failure}");
        }
    }
    println!("SEED={seed}: cases {cases:?}");
}

/// A run and an edit of its interventions.
pub(crate) fn edited_run() -> impl Strategy<Value = (Run, Vec<Intervention>)> {
    run().prop_flat_map(|run| {
        let more = intervention(&run.scenario);
        let places = 0..=run.interventions.len();
        (Just(run), more, places, 0..4_u8).prop_map(|(run, more, place, how)| {
            let mut edited = run.interventions.clone();
            match how {
                0 => edited.push(more),
                1 => edited.insert(place, more),
                _ if place == edited.len() => {}
                2 => edited[place] = more,
                _ => drop(edited.remove(place)),
            }
            (run, edited)
        })
    })
}
