//! Random runs: scenarios of every kind of rule, and schedules of every kind of fault.
#![allow(dead_code, reason = "each test file uses its own part")]

mod acts;
mod rules;

use acts::intervention;
use fenceline_engine::*;
use fenceline_sim::record::MessageKind;
use fenceline_sim::scenario::{AlertRule, Judged, SCHEDULER};
use fenceline_sim::{Intervention, Kind, LinkSpec, Run, Scenario, SinkSpec, Trace, WorkerSpec};
use proptest::prelude::*;
use proptest::sample::select;
use proptest::test_runner::{RngAlgorithm, TestCaseResult, TestRng, TestRunner};
use rules::*;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

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
    let cleaned = [vec![Step::Clean { sink, what: Clean::Staged }], staged.clone()].concat();
    let locked = vec![Step::Lock { sink }, write, Step::Unlock { sink }];
    let looking = vec![Step::Look { sink }, Step::Compute(Span::secs(2)), write];
    let fitting: BoxedStrategy<Vec<Step>> = match kind {
        SinkKind::Append | SinkKind::Overwrite | SinkKind::Merge | SinkKind::Log(_) => parts.boxed(),
        SinkKind::Objects(_) => prop_oneof![parts, Just(looking.clone())].boxed(),
        SinkKind::Staged { .. } => select(vec![staged.clone(), staged.clone(), cleaned]).boxed(),
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
        vec![Step::Ask, write],
        vec![Step::Ask, write],
        vec![Step::Check { sink }, Step::Effect { sink }, Step::Note { sink }],
        vec![Step::Clean { sink, what: Clean::Staged }],
        vec![Step::Clean { sink, what: Clean::Older }],
        vec![Step::Clean { sink, what: Clean::Others }],
    ]);
    let between = prop_oneof![
        3 => span(1, 20).prop_map(|span| vec![Step::Compute(span)]),
        1 => span(1, 20).prop_map(|span| vec![Step::Block(span)]),
        1 => Just(vec![Step::CheckLease]),
        1 => Just(vec![Step::Beat]),
        1 => Just(vec![Step::Read]),
        1 => Just(vec![Step::ReadFrom { sink }]),
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
        TaskSpec { due, program, rows, expiry, limits, follows: None, after: None, application: TaskId(0) }
    })
}

/// Tasks that follow others, as one trigger makes them, and that begin after others: always earlier ones.
fn chained(tasks: Vec<TaskSpec>) -> impl Strategy<Value = Vec<TaskSpec>> {
    let earlier = || prop_oneof![2 => Just(None), 1 => any::<prop::sample::Index>().prop_map(Some)];
    let links = prop::collection::vec((any::<bool>(), earlier()), tasks.len());
    links.prop_map(move |links| {
        let mut tasks = tasks.clone();
        for (n, (follows, after)) in (0_u16..).zip(links).skip(1) {
            let task = &mut tasks[usize::from(n)];
            task.follows = follows.then_some(TaskId(n - 1));
            task.application = TaskId(n / 2 * 2);
            task.after = after.map(|after| TaskId(after.index(usize::from(n)) as u16));
        }
        tasks
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
    let duplicate = prop_oneof![3 => Just(0), 1 => 1..200_000_u32];
    (latency, jitter, loss, duplicate).prop_map(|(latency, jitter, loss, duplicate)| LinkSpec {
        latency,
        jitter,
        loss,
        duplicate,
    })
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
        let tasks = prop::collection::vec(task(1 + workers.len() as u16, kinds), 1..4).prop_flat_map(chained);
        let tasks = tasks.prop_flat_map(|tasks| (judged(tasks.len()), Just(tasks)));
        (Just(workers), Just(sinks), tasks)
    });
    let executor = maybe(Just("executor".to_owned()));
    let alerts = prop::collection::vec(alert(), 0..3);
    let store = prop_oneof![2 => Just(None), 1 => Just(Some("store".to_owned()))];
    (rules(), nodes, (executor, store), link(), link(), 1..50_u32, span(40, 150), alerts).prop_map(
        |(
            rules,
            (workers, sinks, (judged, tasks)),
            (executor, store),
            control,
            data,
            token,
            until,
            alerts,
        )| {
            Scenario {
                rules,
                workers,
                sinks,
                executor,
                standby: Vec::new(),
                store,
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

/// Attempts whose dispatch was sent before their grant was recorded (dispatch order *send first*), and
/// whether the scheduler died in between: then the next grant has their number, and their token.
pub(crate) fn sent_first(trace: &Trace) -> BTreeMap<(TaskId, u8), bool> {
    let (mut granted, mut sent) = (BTreeSet::new(), BTreeMap::new());
    for record in trace.iter() {
        let attempt = (record.task, record.attempt);
        match record.kind {
            Kind::Granted => drop(granted.insert(attempt)),
            Kind::Sent if record.message() == Some(MessageKind::Dispatch) && !granted.contains(&attempt) => {
                sent.entry(attempt).or_insert(false);
            }
            Kind::Crashed if record.node == SCHEDULER => {
                let is_lost = |(attempt, _): &(&(TaskId, u8), &mut bool)| !granted.contains(*attempt);
                sent.iter_mut().filter(is_lost).for_each(|(_, lost)| *lost = true);
            }
            _ => {}
        }
    }
    sent
}
