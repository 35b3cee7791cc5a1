//! Messages that come twice: each copy has a fate of its own, and whoever gets both handles them rightly.

mod support;

use fenceline_engine::{
    IdempotencyKey, KeyRules, LateCompletion, NodeId, SinkKind, Span, StartGuard, Step, TaskState,
};
use fenceline_sim::verdict::State;
use fenceline_sim::{
    Act, Claim, Kind, MessageKind, Path, Record, Run, Scenario, Setting, Simulation, Trace, Way,
};
use support::{SINK, TASK, WORKER_1, With, doing, onto, state};

fn doubled(run: Run, node: NodeId, path: Path, way: Way) -> Run {
    let act =
        Act::Degrade { node, path, way, latency: Span::ZERO, loss: 0, duplicate: 1_000_000, lasts: None };
    run.with(0, act)
}

fn count(trace: &Trace, matches: impl Fn(&&Record) -> bool) -> usize {
    trace.iter().filter(matches).count()
}

fn arrived(trace: &Trace, message: MessageKind) -> usize {
    count(trace, |it| (it.kind, it.message()) == (Kind::Delivered, Some(message)))
}

fn ended(run: &Run) -> (TaskState, usize) {
    let mut simulation = Simulation::new(run);
    simulation.finish();
    let task = simulation.world().ledger().task(TASK).clone();
    (task.state, task.attempts.len())
}

#[test]
fn each_copy_has_a_latency_and_a_chance_of_loss_of_its_own() {
    let mut scenario = onto(SinkKind::Append);
    (scenario.control.jitter, scenario.control.duplicate) = (Span::secs(2), 1_000_000);
    let trace = Run::new(scenario.clone()).played().trace;
    let beats: Vec<u64> = trace
        .iter()
        .filter(|it| {
            (it.kind, it.message(), it.n, it.copy) == (Kind::Delivered, Some(MessageKind::Heartbeat), 1, 0)
        })
        .map(|it| it.at)
        .collect();
    assert!(matches!(beats[..], [one, other] if one != other), "{beats:?}");
    scenario.control.loss = 500_000;
    let lossy = Run::new(scenario).played().trace;
    let lost = count(&lossy, |it| it.kind == Kind::Lost);
    let sent = count(&lossy, |it| matches!(it.kind, Kind::Sent | Kind::Duplicated));
    assert!(lost > 0 && lost < sent);
}

#[test]
fn a_request_that_comes_twice_is_a_second_request() {
    let out = |kind, step: Step| doubled(Run::new(doing(kind, &[step])), WORKER_1, Path::Data, Way::Out);
    let write = Step::Write { sink: SINK, part: 0, parts: 1 };
    assert_eq!(state(&out(SinkKind::Append, write), Claim::RowsAsExpected), State::Violated);
    assert_eq!(state(&out(SinkKind::Overwrite, write), Claim::RowsAsExpected), State::Holds);
    let key = |key| out(SinkKind::Api(key), Step::Effect { sink: SINK });
    assert_eq!(state(&key(IdempotencyKey::None), Claim::EffectsOnce), State::Violated);
    assert_ne!(state(&key(IdempotencyKey::FromTask(KeyRules::PLAIN)), Claim::EffectsOnce), State::Violated);
    // Answers that come twice change nothing.
    let back = doubled(Run::new(doing(SinkKind::Append, &[write])), WORKER_1, Path::Data, Way::In);
    assert_eq!(state(&back, Claim::RowsAsExpected), State::Holds);
    assert_eq!(arrived(&back.played().trace, MessageKind::Reply), 2);
}

#[test]
fn a_dispatch_that_comes_twice_is_a_second_execution_unless_its_worker_sees_to_that() {
    let mut scenario = onto(SinkKind::Append);
    scenario.control.duplicate = 1_000_000;
    let run = Run::new(scenario);
    let started = |run: &Run| {
        let trace = run.played().trace;
        let all: Vec<(u8, u8)> =
            trace.iter().filter(|it| it.kind == Kind::Started).map(|it| (it.attempt, it.copy)).collect();
        (all, count(&trace, |it| it.kind == Kind::Ended && it.flag == 8))
    };
    assert_eq!(started(&run), (vec![(1, 0), (1, 1)], 0));
    assert_eq!(state(&run, Claim::RowsAsExpected), State::Violated);
    for guard in [StartGuard::Silent, StartGuard::Reports] {
        let guarded = run.clone().with(0, Act::Set(Setting::StartGuard(guard)));
        assert_eq!(started(&guarded), (vec![(1, 0), (1, 1)], 1), "{guard:?}");
        // It reports nothing of what goes on: the attempt is not over.
        assert_eq!(ended(&guarded), (TaskState::Succeeded, 1), "{guard:?}");
        assert_eq!(state(&guarded, Claim::RowsAsExpected), State::Holds, "{guard:?}");
    }
}

#[test]
fn a_completion_that_comes_twice_ends_an_attempt_once() {
    for late in [LateCompletion::Accept, LateCompletion::Refuse, LateCompletion::IfNoNewer] {
        let run = Run::new(onto(SinkKind::Append)).with(0, Act::Set(Setting::Late(late)));
        let run = doubled(run, WORKER_1, Path::Control, Way::Out);
        let played = run.played();
        assert_eq!(arrived(&played.trace, MessageKind::Completed), 2);
        assert_eq!(count(&played.trace, |it| it.kind == Kind::AttemptSucceeded), 1);
        assert_ne!(played.verdict(Claim::OneEnding).state, State::Violated, "{late:?}");
        assert_eq!(ended(&run), (TaskState::Succeeded, 1));
    }
}

#[test]
fn copies_of_heartbeats_are_load() {
    let load = |run: Run| {
        let played = run.played();
        fenceline_sim::figures::Figures::of(&played.run, &played.trace, played.trace.len(), played.now)
            .heartbeats
            .handled
    };
    let scenario: Scenario = onto(SinkKind::Append);
    let once = load(Run::new(scenario.clone()));
    assert_eq!(load(doubled(Run::new(scenario), WORKER_1, Path::Control, Way::Out)), 2 * once);
}
