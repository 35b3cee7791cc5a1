//! The soundness table: for each sink and guard, what no schedule may violate and what some schedule
//! does. The schedules: pauses of many lengths, with and without a crash, cut or change of input; and
//! for what holds, random ones.

mod support;

use fenceline_engine::{
    Compare, Confirmation, FenceCheck, FenceMemory, FenceRaise, FenceRules, FenceScope, IdempotencyKey,
    LateCompletion, LogGuard, NodeId, OnConflict, Put, SinkKind, Span, Step, Token,
};
use fenceline_sim::verdict::State::Violated;
use fenceline_sim::{Act, Claim, Fate, Intervention, Kind, Path, Run, Scenario, Setting, Way, When};
use std::sync::Arc;
use support::*;

/// What the table says of one claim in one row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Cell {
    Holds,
    /// Some schedule violates it.
    Breaks,
    /// Holds as long as every attempt reads the same input.
    SameInput,
}
use Cell::{Breaks, Holds, SameInput};

/// Every schedule, with the input changing or not.
fn schedules(scenario: &Scenario, changes_input: bool) -> Vec<Run> {
    let base = match changes_input {
        true => changed_to(scenario.clone(), 2000),
        false => Run::new(scenario.clone()),
    };
    let base = base.with(0, Act::Set(Setting::Late(LateCompletion::IfNoNewer)));
    let crash = |node| Act::Crash { node, lasts: Some(Span::secs(3)) };
    let cut = Act::Cut {
        node: WORKER_1,
        path: Path::Control,
        way: Way::Both,
        fate: Fate::Lost,
        lasts: Some(Span::secs(50)),
    };
    let mut runs = Vec::new();
    // Between a look at 30.2 s and what follows it.
    let pause = Act::Pause { node: WORKER_1, lasts: Some(Span::secs(70)) };
    let mut looking = base.clone();
    looking.interventions.push(Intervention { when: When::At(30_300_000), act: pause });
    runs.push(looking);
    // Dispatched, and begun only when a newer attempt has written.
    runs.push(base.clone().with(0, Act::Pause { node: WORKER_1, lasts: Some(Span::secs(90)) }));
    for seconds in [20, 29, 40, 45, 50, 51, 52, 53, 54, 55, 56, 60] {
        let paused = base.clone().paused_for(seconds);
        runs.push(paused.clone().with(30, crash(SCHEDULER)));
        runs.push(paused.clone().with(78, crash(SINK)));
        runs.push(paused.clone().with(82, crash(SINK)));
        runs.push(paused.clone().with(60, Act::Pause { node: WORKER_2, lasts: Some(Span::secs(8)) }));
        runs.push(paused);
    }
    for at in 20..=36 {
        runs.push(base.clone().with(at, crash(WORKER_1)));
        runs.push(base.clone().with(at, crash(SCHEDULER)).with(at + 1, crash(WORKER_2)));
        runs.push(
            base.clone()
                .with(at - 15, cut)
                .with(at, Act::Pause { node: WORKER_1, lasts: Some(Span::secs(at as i64)) }),
        );
    }
    runs
}

fn breaks(runs: &[Run], claim: Claim) -> Option<usize> {
    runs.iter().position(|run| state(run, claim) == Violated)
}

/// Random schedules for each row; another seed: `SEED=7 cargo test`.
const RANDOM: u64 = 250;

/// A number below `below`, by a fixed mix of its keys.
fn drawn(seed: u64, run: u64, what: u64, below: i64) -> i64 {
    let mut mixed = (seed << 40 | run << 8 | what).wrapping_add(0x9e37_79b9_7f4a_7c15);
    for by in [0xbf58_476d_1ce4_e5b9, 0x94d0_49bb_1331_11eb] {
        mixed = (mixed ^ mixed >> 29).wrapping_mul(by);
    }
    ((mixed ^ mixed >> 32) % below as u64) as i64
}

/// Up to five faults at any node: stops, crashes, cuts, restarts, a change of input.
fn random(scenario: &Scenario, seed: u64, n: u64, changes_input: bool) -> Run {
    let mut run = Run { seed: n, ..Run::new(scenario.clone()) };
    Arc::make_mut(&mut run.scenario).tasks[0].rows.push(2000);
    run = run.with(0, Act::Set(Setting::Late(LateCompletion::IfNoNewer)));
    if changes_input {
        run = run.with(drawn(seed, n, 0, 90) as u64, Act::Input { task: TASK, version: 2 });
    }
    for fault in 0..=drawn(seed, n, 1, 5) as u64 {
        let of = |what, below| drawn(seed, n, 16 * (fault + 1) + what, below);
        let (node, lasts) = (NodeId(of(0, 4) as u16), Some(Span::millis(of(1, 90_000))));
        let (worker, path) = (NodeId(1 + of(2, 2) as u16), [Path::Control, Path::Data][of(3, 2) as usize]);
        let (way, fate) = ([Way::Both, Way::Out, Way::In][of(4, 3) as usize], [Fate::Lost, Fate::Held]);
        let act = match of(5, 6) {
            0 | 1 => Act::Pause { node: worker, lasts },
            2 => Act::Crash { node, lasts: Some(Span::secs(1 + of(6, 20))) },
            3 => Act::Pause { node, lasts },
            _ => Act::Cut { node, path, way, fate: fate[of(7, 2) as usize], lasts },
        };
        run.interventions.push(Intervention { when: When::At(of(8, 110_000_000) as u64), act });
    }
    run
}

/// No random schedule breaks what holds.
fn survive(name: &str, scenario: &Scenario, cells: [(Claim, Cell); 3]) {
    let seed = std::env::var("SEED").ok().and_then(|seed| seed.parse().ok()).unwrap_or(1);
    for n in 0..RANDOM {
        for changes_input in [false, true] {
            let verdicts = random(scenario, seed, n, changes_input).verdicts();
            for (claim, cell) in cells {
                let broken = verdicts.iter().any(|v| v.claim == claim && v.state == Violated);
                let may = match cell {
                    Holds => false,
                    SameInput => changes_input,
                    Breaks => true,
                };
                assert!(
                    may || !broken,
                    "{name}: {claim:?} breaks: SEED={seed}, schedule {n}, {changes_input}"
                );
            }
        }
    }
}

fn check(name: &str, scenario: Scenario, cells: [(Claim, Cell); 3]) {
    survive(name, &scenario, cells);
    let (same, changed) = (schedules(&scenario, false), schedules(&scenario, true));
    for (claim, cell) in cells {
        let broken = (breaks(&same, claim), breaks(&changed, claim));
        match cell {
            Holds => assert_eq!(broken, (None, None), "{name}: {claim:?} holds"),
            Breaks => assert!(broken.0.or(broken.1).is_some(), "{name}: some schedule breaks {claim:?}"),
            SameInput => {
                assert_eq!(broken.0, None, "{name}: {claim:?} holds with the same input");
                assert!(broken.1.is_some(), "{name}: {claim:?} breaks with changed input");
            }
        }
    }
}

/// The sound ones.
const RAISES: [FenceRaise; 4] = [
    FenceRaise::Scheduler(Confirmation::Awaited),
    FenceRaise::Claim,
    FenceRaise::FirstWrite,
    FenceRaise::Commit,
];

fn tables(one_output: Cell, no_stale: Cell, rows: Cell) -> [(Claim, Cell); 3] {
    [(Claim::OneOutput, one_output), (Claim::NoStaleOverNewer, no_stale), (Claim::RowsAsExpected, rows)]
}

/// A scenario long enough for every schedule to come to its end.
fn long(mut scenario: Scenario) -> Scenario {
    scenario.until = 400_000_000;
    scenario.rules.call.timeout = Some(Span::secs(5));
    scenario.rules.call.retries = 2;
    scenario.rules.retry.attempts = 9;
    scenario
}

#[test]
fn append() {
    let append = long(onto(SinkKind::Append));
    check("no fence", append.clone(), tables(Breaks, Holds, Breaks));
    for raise in RAISES {
        check("any fence", guarded(append.clone(), fence(raise)), tables(Breaks, Holds, Breaks));
    }
}

#[test]
fn overwrite() {
    let overwrite = long(onto(SinkKind::Overwrite));
    check("no fence", overwrite.clone(), tables(Holds, Breaks, SameInput));
    for raise in RAISES {
        check("fence", guarded(overwrite.clone(), fence(raise)), tables(Holds, Holds, Holds));
    }
    for raise in [RAISES[0], FenceRaise::Claim] {
        for compare in [Compare::Exact, Compare::Bound] {
            let fence = FenceRules { compare, ..fence(raise) };
            check("strict", guarded(overwrite.clone(), fence), tables(Holds, Holds, Holds));
        }
    }
    let volatile = FenceRules { memory: FenceMemory::Volatile, ..fence(FenceRaise::Claim) };
    check("volatile", guarded(overwrite.clone(), volatile), tables(Holds, Breaks, SameInput));
    let gap = FenceRules { check: FenceCheck::Gap(Span::secs(8)), ..fence(FenceRaise::FirstWrite) };
    check("gap", guarded(overwrite, gap), tables(Holds, Breaks, Breaks));
}

#[test]
fn overwrite_behind_a_broken_fence() {
    let overwrite = long(onto(SinkKind::Overwrite));
    let shards = FenceRules { scope: FenceScope::Shard, ..fence(FenceRaise::Claim) };
    check("per shard", guarded(overwrite.clone(), shards), tables(Holds, Breaks, SameInput));
    let text = FenceRules { compare: Compare::Text, ..fence(FenceRaise::FirstWrite) };
    let from_9 = Scenario { first_token: Token(9), ..overwrite.clone() };
    check("as text", guarded(from_9, text), tables(Holds, Breaks, SameInput));
    let forgets = FenceRules { retention: Some(Span::secs(9)), ..fence(FenceRaise::Claim) };
    check("forgets", guarded(overwrite.clone(), forgets), tables(Holds, Breaks, SameInput));
    let client = FenceRules { check: FenceCheck::ByClient, ..fence(FenceRaise::Claim) };
    check("by the client", guarded(overwrite, client), tables(Holds, Breaks, SameInput));
}

/// A program that looks at its target, then reads, or reads and looks just before it writes.
fn comparing(on_conflict: OnConflict, looks_first: bool) -> Scenario {
    let mut scenario = long(onto(SinkKind::Objects(Put::CompareAndSet(on_conflict))));
    let at = if looks_first { 0 } else { 2 };
    scenario.tasks[0].program.insert(at, Step::Look { sink: SINK });
    scenario
}

/// Two cells of the table proved wrong where the loser stops. *No stale over newer* is broken by an
/// attempt that begins late: it looks after the newer one has written, and is a fresh writer. *Rows as
/// expected* needs a change of input for that: the older attempt that wins the race wins nothing else,
/// since the loser's attempt fails and the next one's output takes its place; unless a late completion
/// counts.
#[test]
fn compare_and_set_decides_who_was_first() {
    let stops = comparing(OnConflict::Stop, true);
    check("stops", stops.clone(), tables(Holds, Breaks, SameInput));
    let accepting = |run: Run| run.with(0, Act::Set(Setting::Late(LateCompletion::Accept)));
    let runs: Vec<Run> = schedules(&stops, true).into_iter().map(accepting).collect();
    assert!(breaks(&runs, Claim::RowsAsExpected).is_some(), "a late completion counts");
    check("retries", comparing(OnConflict::Retry, true), tables(Holds, Breaks, SameInput));
    check("looks late", comparing(OnConflict::Stop, false), tables(Holds, Breaks, SameInput));
    check("put", long(onto(SinkKind::Objects(Put::Plain))), tables(Holds, Breaks, SameInput));
    check("put if absent", long(onto(SinkKind::Objects(Put::IfAbsent))), tables(Holds, Holds, Holds));
}

#[test]
fn a_commit_log_rebases() {
    let log = |guard| long(onto(SinkKind::Log(guard)));
    check("blind", log(LogGuard::Blind), tables(Breaks, Holds, Breaks));
    check("per interval", log(LogGuard::Interval), tables(Holds, Holds, Holds));
    check("per token", log(LogGuard::Token), tables(Breaks, Holds, Breaks));
}

#[test]
fn merge() {
    check("no fence", long(onto(SinkKind::Merge)), tables(SameInput, Breaks, SameInput));
}

#[test]
fn a_lock_gives_exclusion_not_order() {
    let write = Step::Write { sink: SINK, part: 0, parts: 1 };
    let steps = [Step::Lock { sink: SINK }, Step::Compute(Span::secs(3)), write, Step::Unlock { sink: SINK }];
    for lease in [None, Some(Span::secs(10))] {
        let locked = long(doing(SinkKind::Locked { lease }, &steps));
        check("lock", locked.clone(), tables(Breaks, Holds, Breaks));
        let runs = schedules(&locked, false);
        assert!(breaks(&runs, Claim::TokensInOrder).is_some(), "an older holder writes after a newer one");
        let leftover = breaks(&runs, Claim::NotBlockedByLeftovers);
        assert_eq!(leftover.is_some(), lease.is_none(), "a lock with a lease goes by itself");
    }
}

#[test]
fn effects() {
    let steps = [Step::Effect { sink: SINK }];
    let of = |kind| schedules(&long(doing(kind, &steps)), false);
    let twice = |kind| breaks(&of(kind), Claim::EffectsOnce).is_some();
    assert!(twice(SinkKind::Mailbox));
    assert!(twice(SinkKind::Api(IdempotencyKey::None)));
    assert!(twice(SinkKind::Api(IdempotencyKey::FromAttempt)));
    assert!(!twice(SinkKind::Api(IdempotencyKey::FromTask { retention: None })));
    assert!(twice(SinkKind::Api(IdempotencyKey::FromTask { retention: Some(Span::secs(2)) })), "after R");
    // What compares bodies refuses another amount; what does not answers for the first.
    let ending = |key| {
        let run = changed_to(long(doing(SinkKind::Api(key), &steps)), 2000).paused_for(70);
        // The first attempt has paid and cannot say so.
        let run = run.with(
            20,
            Act::Cut { node: WORKER_1, path: Path::Control, way: Way::Both, fate: Fate::Lost, lasts: None },
        );
        let played = run.played();
        played.trace.iter().filter(|record| record.kind == Kind::Conflicted).count()
    };
    assert_eq!(ending(IdempotencyKey::FromTask { retention: None }), 0);
    assert!(ending(IdempotencyKey::FromTaskComparing { retention: None }) > 0);
}
