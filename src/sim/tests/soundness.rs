//! The soundness table: for each sink and guard, what no schedule may violate and what some schedule
//! does. The schedules: pauses of many lengths, with and without a crash, cut or change of input.

mod support;

use fenceline_engine::{
    FenceCheck, FenceMemory, FenceRaise, FenceRules, IdempotencyKey, LateCompletion, SinkKind, Span, Step,
};
use fenceline_sim::verdict::State::Violated;
use fenceline_sim::{Act, Claim, Fate, Path, Run, Scenario, Setting, Way};
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

fn check(name: &str, scenario: Scenario, cells: [(Claim, Cell); 3]) {
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
    for raise in [FenceRaise::Claim, FenceRaise::FirstWrite] {
        check("any fence", guarded(append.clone(), fence(raise)), tables(Breaks, Holds, Breaks));
    }
}

#[test]
fn overwrite() {
    let overwrite = long(onto(SinkKind::Overwrite));
    check("no fence", overwrite.clone(), tables(Holds, Breaks, SameInput));
    for raise in [FenceRaise::Claim, FenceRaise::FirstWrite] {
        check("fence", guarded(overwrite.clone(), fence(raise)), tables(Holds, Holds, Holds));
    }
    let volatile = FenceRules { memory: FenceMemory::Volatile, ..fence(FenceRaise::Claim) };
    check("volatile", guarded(overwrite.clone(), volatile), tables(Holds, Breaks, SameInput));
    let gap = FenceRules { check: FenceCheck::Gap(Span::secs(8)), ..fence(FenceRaise::FirstWrite) };
    check("gap", guarded(overwrite, gap), tables(Holds, Breaks, Breaks));
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
}
