//! A small instance explored to the end: two workers, one interval, every placement of up to three
//! faults. With a sound fence no schedule breaks anything; each broken fence is found out, by as few
//! faults as it takes.

mod support;

use Claim::{
    EffectsOnce, HolderNotRefused, NoCommitLost, NoStaleOverNewer, OneEnding, OneOutput, RowsAsExpected,
    TokensInOrder,
};
use fenceline_engine::*;
use fenceline_sim::search::{self, leaner};
use fenceline_sim::verdict::{State, Violation};
use fenceline_sim::{Act, At, Bounds, Claim, Fate, Intervention, Path, Run, Search, Way, When};
use std::sync::Arc;
use support::*;

/// Lease 6 s, heartbeat 3 s, a task of 4 s, whose input changes before an attempt that follows an
/// expired one reads it. A late completion is refused: what it does is for tests of its own.
fn small(fence: FenceRules) -> Run {
    let mut scenario = guarded(onto(SinkKind::Overwrite), fence);
    let rules = &mut scenario.rules;
    rules.lease.duration = Span::secs(6);
    rules.heartbeat.every = Span::secs(3);
    rules.call = CallRules { timeout: Some(Span::secs(2)), retries: 1 };
    rules.late_completion = LateCompletion::Refuse;
    let write = Step::Write { sink: SINK, part: 0, parts: 1 };
    scenario.tasks[0].program = vec![Step::Read, Step::Compute(Span::secs(4)), write, Step::Acknowledge];
    scenario.tasks[0].rows = vec![12, 10];
    scenario.until = 45_000_000;
    let act = Act::Input { task: TASK, version: 2 };
    scenario.script.push(Intervention { when: When::At(5_000_000), act });
    Run::new(scenario)
}

fn menu() -> Vec<Act> {
    let lasts = |seconds| Some(Span::secs(seconds));
    let (path, way) = (Path::Control, Way::Both);
    vec![
        Act::Pause { node: WORKER_1, lasts: lasts(12) },
        Act::Pause { node: WORKER_2, lasts: lasts(12) },
        Act::Crash { node: WORKER_1, lasts: lasts(2) },
        Act::Crash { node: SCHEDULER, lasts: lasts(2) },
        Act::Crash { node: SINK, lasts: lasts(2) },
        Act::Cut { node: WORKER_1, path, way, fate: Fate::Lost, lasts: lasts(12) },
        Act::Cut { node: WORKER_1, path: Path::Data, way: Way::Out, fate: Fate::Held, lasts: lasts(12) },
        Act::StepClock { node: SCHEDULER, by: Span::secs(10) },
    ]
}

/// What goes wrong between scheduler, worker and sink beside that.
fn longer_menu() -> Vec<Act> {
    let lasts = |seconds| Some(Span::secs(seconds));
    let (path, way, fate) = (Path::Data, Way::Out, Fate::Held);
    let mut menu = menu();
    menu.push(Act::Cut { node: SCHEDULER, path, way, fate, lasts: lasts(12) });
    menu.push(Act::Cut { node: WORKER_1, path, way: Way::In, fate: Fate::Lost, lasts: lasts(3) });
    menu
}

fn safety() -> Vec<Claim> {
    Claim::ALL.into_iter().filter(|claim| claim.is_safety()).collect()
}

fn searched(run: &Run, menu: Vec<Act>, faults: u8, claims: &[Claim]) -> Search {
    let mut search = Search::new(run.clone(), Bounds { menu, faults, claims: claims.to_vec() });
    search.finish();
    search
}

fn with(run: &Run, acts: &[Intervention]) -> Run {
    let interventions = run.interventions.iter().chain(acts).copied().collect();
    Run { interventions, ..run.clone() }
}

/// The claims about safety that a run violates, played as any other.
fn broken(run: &Run) -> Vec<Claim> {
    let violated = run.verdicts().into_iter().filter(|verdict| verdict.state == State::Violated);
    violated.map(|verdict| verdict.claim).filter(|claim| claim.is_safety()).collect()
}

/// Every claim that some schedule of so many faults breaks, with the fewest it takes. Each schedule
/// found breaks what is said when it is played, and nothing without any one of its faults.
fn breakable(run: &Run, menu: &[Act], faults: u8) -> Vec<(Claim, usize)> {
    let (mut claims, mut found_out) = (safety(), Vec::new());
    loop {
        let search = searched(run, menu.to_vec(), faults, &claims);
        let Some(found) = search.found() else { break };
        let played = with(run, &found.acts);
        let still = |run: &Run| broken(run).iter().any(|claim| found.claims.contains(claim));
        assert!(found.claims.iter().all(|claim| broken(&played).contains(claim)), "{found:?}");
        assert_eq!(leaner(&played, 0, still).interventions.len(), played.interventions.len(), "{found:?}");
        found_out.extend(found.claims.iter().map(|claim| (*claim, found.acts.len())));
        claims.retain(|claim| !found.claims.contains(claim));
    }
    found_out.sort_unstable();
    found_out
}

#[test]
fn no_three_faults_break_a_sound_fence() {
    for raise in [
        FenceRaise::Scheduler(Confirmation::Awaited),
        FenceRaise::Claim,
        FenceRaise::FirstWrite,
        FenceRaise::Commit,
    ] {
        let search = searched(&small(fence(raise)), menu(), 3, &safety());
        println!("{raise:?}: explored {} schedules, {} states", search.schedules(), search.states());
        assert_eq!(search.found(), None, "{raise:?}");
        assert!(search.schedules() > 20_000 && search.states() > 20_000, "{raise:?}");
    }
}

/// Whatever they compare with, and at every place a fault can have.
#[test]
fn no_two_faults_break_a_stricter_one() {
    let mut twice = longer_menu();
    twice.push(Act::Redeliver { node: WORKER_2, task: TASK });
    for raise in [FenceRaise::Scheduler(Confirmation::Awaited), FenceRaise::Claim] {
        let exact = FenceRules { compare: Compare::Exact, ..fence(raise) };
        assert_eq!(breakable(&small(exact), &longer_menu(), 2), [], "{raise:?}");
        let bound = FenceRules { compare: Compare::Bound, ..fence(raise) };
        assert_eq!(breakable(&small(bound), &twice, 2), [], "{raise:?}, a dispatch that arrives twice");
    }
}

/// The fewest faults by which each broken fence breaks each claim. What is not named holds under every
/// schedule of two.
#[test]
fn each_broken_fence_is_found_out() {
    let (claim, first) = (fence(FenceRaise::Claim), fence(FenceRaise::FirstWrite));
    let from_9 = |fence| {
        let mut run = small(fence);
        Arc::make_mut(&mut run.scenario).first_token = Token(9);
        run
    };
    let forgetful = |fence| {
        let mut run = small(fence);
        Arc::make_mut(&mut run.scenario).rules.counter = Counter::Volatile;
        run
    };
    let unfenced = {
        let mut run = small(claim);
        Arc::make_mut(&mut Arc::make_mut(&mut run.scenario).sinks[0].rules).fence = None;
        run
    };
    let gap = FenceCheck::Gap(Span::secs(8));
    // By how many faults: a stale write over a newer one, wrong rows, a lost commit, tokens in disorder.
    let overwritten = |stale, rows| {
        vec![(NoStaleOverNewer, stale), (RowsAsExpected, rows), (NoCommitLost, stale), (TokensInOrder, stale)]
    };
    let refusing = |faults| vec![(HolderNotRefused, faults)];
    for (name, run, expected) in [
        ("none", unfenced, overwritten(1, 1)),
        ("<=", small(FenceRules { compare: Compare::OrEqual, ..claim }), refusing(0)),
        // Its answer is lost: it asks again.
        ("<=, first write", small(FenceRules { compare: Compare::OrEqual, ..first }), refusing(1)),
        (
            "text",
            from_9(FenceRules { compare: Compare::Text, ..first }),
            [overwritten(1, 1), refusing(1)].concat(),
        ),
        (
            "text, claim",
            from_9(FenceRules { compare: Compare::Text, ..claim }),
            [overwritten(1, 2), refusing(1)].concat(),
        ),
        ("volatile", small(FenceRules { memory: FenceMemory::Volatile, ..claim }), overwritten(2, 2)),
        ("forgets", small(FenceRules { retention: Some(Span::secs(5)), ..claim }), overwritten(1, 1)),
        ("raised late", small(fence(FenceRaise::Scheduler(Confirmation::NotAwaited))), overwritten(2, 2)),
        ("per shard", small(FenceRules { scope: FenceScope::Shard, ..claim }), overwritten(1, 1)),
        ("boolean", small(FenceRules { compare: Compare::Boolean, ..claim }), refusing(1)),
        ("client", small(FenceRules { check: FenceCheck::ByClient, ..claim }), overwritten(1, 1)),
        (
            "gap",
            small(FenceRules { check: gap, ..first }),
            vec![(NoStaleOverNewer, 1), (NoCommitLost, 1), (TokensInOrder, 1)],
        ),
        // What came before the raise waits no longer than what comes after it, so it lands first.
        ("gap, claim", small(FenceRules { check: gap, ..claim }), vec![]),
        // Equal tokens are not stale: only one that is higher is newer.
        (
            "counter",
            forgetful(claim),
            vec![(RowsAsExpected, 2), (NoCommitLost, 1), (TokensInOrder, 1), (HolderNotRefused, 2)],
        ),
        // Its holder counts from the delivery, which may be late, until it is told.
        (
            "time",
            small(FenceRules { not_after: true, ..fence(FenceRaise::Nobody) }),
            vec![(NoStaleOverNewer, 2), (NoCommitLost, 2), (TokensInOrder, 2)],
        ),
    ] {
        assert_eq!(breakable(&run, &longer_menu(), 2), expected, "{name}");
    }
}

/// The same where there is no fence: the rows of the soundness table.
#[test]
fn what_each_sink_breaks_by_itself() {
    let on = |kind, at, steps: &[Step]| {
        let mut run = small(fence(FenceRaise::Nobody));
        let scenario = Arc::make_mut(&mut run.scenario);
        *Arc::make_mut(&mut scenario.sinks[0].rules) =
            SinkRules { kind, fence: None, service: Service::INSTANT };
        scenario.tasks[0].program.splice(at, steps.iter().copied());
        run
    };
    let (write, look) = (Step::Write { sink: SINK, part: 0, parts: 1 }, Step::Look { sink: SINK });
    let (moment, effect) = (Step::Compute(Span::secs(1)), Step::Effect { sink: SINK });
    let of = |kind| on(kind, 2..3, &[write]);
    let compared = |on_conflict, at| on(SinkKind::Objects(Put::CompareAndSet(on_conflict)), at, &[look]);
    let locked = |lease| {
        on(
            SinkKind::Locked { lease },
            2..3,
            &[Step::Lock { sink: SINK }, moment, write, Step::Unlock { sink: SINK }],
        )
    };
    let staged = SinkKind::Staged { name: StagingName::Fixed, found: Found::Dropped };
    let paid = |key| on(SinkKind::Api(key), 2..3, &[effect]);
    let doubled = vec![(OneOutput, 1), (RowsAsExpected, 1), (TokensInOrder, 1)];
    let overwritten = vec![(NoStaleOverNewer, 1), (RowsAsExpected, 1), (NoCommitLost, 1), (TokensInOrder, 1)];
    let mixed = [vec![(OneOutput, 1)], overwritten.clone()].concat();
    // Each write rests on the version it replaces, so none is lost.
    let rebased = |rows| vec![(NoStaleOverNewer, 1), (RowsAsExpected, rows), (TokensInOrder, 1)];
    let twice = vec![(EffectsOnce, 1)];
    for (name, run, expected) in [
        ("append", of(SinkKind::Append), doubled.clone()),
        ("overwrite", of(SinkKind::Overwrite), overwritten.clone()),
        ("merge", of(SinkKind::Merge), mixed),
        ("put", of(SinkKind::Objects(Put::Plain)), overwritten.clone()),
        ("put if absent", of(SinkKind::Objects(Put::IfAbsent)), vec![]),
        ("compare and set, stop", compared(OnConflict::Stop, 0..0), rebased(2)),
        ("compare and set, retry", compared(OnConflict::Retry, 0..0), rebased(1)),
        ("compare and set, a late look", compared(OnConflict::Stop, 2..2), rebased(1)),
        ("log", of(SinkKind::Log(LogGuard::Blind)), doubled.clone()),
        ("log by interval", of(SinkKind::Log(LogGuard::Interval)), vec![]),
        ("log by token", of(SinkKind::Log(LogGuard::Token)), vec![(OneOutput, 1), (RowsAsExpected, 1)]),
        ("lock", locked(None), doubled.clone()),
        ("lock with a lease", locked(Some(Span::secs(3))), doubled),
        (
            "swap",
            on(staged, 2..3, &[Step::Stage { sink: SINK }, moment, Step::Swap { sink: SINK }]),
            overwritten,
        ),
        ("mail", on(SinkKind::Mailbox, 2..3, &[effect]), twice.clone()),
        ("key of the attempt", paid(IdempotencyKey::FromAttempt), twice.clone()),
        ("key of the task", paid(IdempotencyKey::FromTask(KeyRules::PLAIN)), vec![]),
        (
            "the same, kept 5 s",
            paid(IdempotencyKey::FromTask(KeyRules { retention: Some(Span::secs(5)), ..KeyRules::PLAIN })),
            twice,
        ),
    ] {
        assert_eq!(breakable(&run, &longer_menu(), 2), expected, "{name}");
    }
}

/// A fence keeps order between writes; it does not make one of two. Raised at the commit it does.
#[test]
fn an_output_in_two_parts_needs_one_commit() {
    let in_parts = |raise| {
        let mut run = small(fence(raise));
        let part = |part| Step::Write { sink: SINK, part, parts: 2 };
        let steps = [part(0), Step::Compute(Span::secs(1)), part(1)];
        Arc::make_mut(&mut run.scenario).tasks[0].program.splice(2..3, steps);
        breakable(&run, &longer_menu(), 2)
    };
    for raise in [FenceRaise::Scheduler(Confirmation::Awaited), FenceRaise::Claim, FenceRaise::FirstWrite] {
        assert_eq!(in_parts(raise), [(OneOutput, 1)], "{raise:?}");
    }
    assert_eq!(in_parts(FenceRaise::Commit), []);
}

/// The success of an older attempt counts. The newer one is withdrawn, but its dispatch is on its way,
/// and what it writes no fence keeps out.
#[test]
fn a_late_completion_that_is_accepted_undoes_a_fence() {
    let under = |late| {
        let mut run = small(fence(FenceRaise::Claim));
        Arc::make_mut(&mut run.scenario).rules.late_completion = late;
        let search = searched(&run, menu(), 2, &[RowsAsExpected]);
        search.found().map(|found| found.acts.len())
    };
    assert_eq!(under(LateCompletion::Refuse), None);
    assert_eq!(under(LateCompletion::Accept), Some(2));
}

/// The last attempt is timed out, and with it the task is over; then it reports that it has finished.
#[test]
fn a_late_completion_that_is_accepted_gives_a_second_ending() {
    let mut run = small(fence(FenceRaise::Claim));
    Arc::make_mut(&mut run.scenario).rules.late_completion = LateCompletion::IfNoNewer;
    assert_eq!(breakable(&run, &menu(), 2), [(OneEnding, 2)]);
}

#[test]
fn a_search_in_small_goes_comes_to_the_same() {
    let run = small(FenceRules { memory: FenceMemory::Volatile, ..fence(FenceRaise::Claim) });
    let whole = searched(&run, menu(), 2, &safety());
    let bounds = Bounds { menu: menu(), faults: 2, claims: safety() };
    let mut search = Search::new(run, bounds);
    while search.go_on(7) {}
    assert_eq!((search.found(), search.schedules()), (whole.found(), whole.schedules()));
    assert!(whole.found().is_some());
}

/// Every act at every instant in which anything happens, each schedule played from its beginning: by
/// claim, the fewest faults that break it.
fn by_force(run: &Run, menu: &[Act], faults: usize) -> (u32, Vec<(Claim, usize)>) {
    let (mut tried, mut fewest) = (0, Vec::<(Claim, usize)>::new());
    // Schedules whose last fault is at this time.
    let mut open = vec![(run.clone(), 0, 0)];
    while let Some((run, placed, from)) = open.pop() {
        tried += 1;
        let played = run.played();
        for Violation { claim, .. } in played.judge().violations(played.now) {
            match fewest.iter_mut().find(|(known, _)| *known == claim) {
                Some((_, least)) => *least = placed.min(*least),
                None => fewest.push((claim, placed)),
            }
        }
        let mut instants: Vec<At> = played.trace.iter().map(|record| record.at).collect();
        instants.retain(|at| placed < faults && *at >= from);
        instants.dedup();
        for at in instants {
            let of = |act: &Act| with(&run, &[Intervention { when: When::At(at), act: *act }]);
            open.extend(menu.iter().map(|act| (of(act), placed + 1, at)));
        }
    }
    fewest.sort_unstable();
    (tried, fewest)
}

/// What the search leaves out would find nothing more.
#[test]
fn force_finds_no_more() {
    let menu = [menu()[0], menu()[3], menu()[4], menu()[5]];
    let claim = fence(FenceRaise::Claim);
    for run in [
        small(claim),
        small(FenceRules { memory: FenceMemory::Volatile, ..claim }),
        small(FenceRules { scope: FenceScope::Shard, ..claim }),
        small(FenceRules { compare: Compare::Text, ..fence(FenceRaise::FirstWrite) }),
        small(FenceRules { not_after: true, ..fence(FenceRaise::Nobody) }),
    ] {
        let (tried, fewest) = by_force(&run, &menu, 2);
        let search = searched(&run, menu.to_vec(), 2, &[]);
        println!("{tried} schedules by force, {} by search: {fewest:?}", search.schedules());
        assert_eq!(breakable(&run, &menu, 2), fewest);
        assert!(tried > 2_000 && search.schedules() < u64::from(tried) / 4);
    }
}

/// Nor where each decision is a call to a store that renews.
#[test]
fn force_finds_no_more_over_a_store() {
    let mut run = small(FenceRules { memory: FenceMemory::Volatile, ..fence(FenceRaise::Claim) });
    let scenario = Arc::make_mut(&mut run.scenario);
    scenario.store = Some("store".into());
    scenario.rules.heartbeat.to = BeatsTo::Store;
    scenario.rules.sweep.every = Span::secs(3);
    scenario.until = 30_000_000;
    let store = scenario.store().expect("it has one");
    let lasts = |seconds| Some(Span::secs(seconds));
    let menu = [
        Act::Pause { node: WORKER_1, lasts: lasts(12) },
        Act::Crash { node: SCHEDULER, lasts: lasts(2) },
        Act::Pause { node: store, lasts: lasts(9) },
        Act::Crash { node: SINK, lasts: lasts(2) },
    ];
    let (tried, fewest) = by_force(&run, &menu, 2);
    let search = searched(&run, menu.to_vec(), 2, &[]);
    println!("{tried} schedules by force, {} by search: {fewest:?}", search.schedules());
    assert_eq!(breakable(&run, &menu, 2), fewest);
    assert!(search.schedules() < u64::from(tried));
}

/// On the run that the page opens with, by number instead of to the end.
#[test]
fn the_lowest_number_wins_however_the_numbers_are_shared_out() {
    let mut scenario = onto(SinkKind::Overwrite);
    scenario.script.clear();
    let run = with_changed_input(scenario.clone());
    let bounds = Bounds { menu: search::menu(&run.scenario), faults: 3, claims: vec![RowsAsExpected] };
    let whole = search::first(&run, &bounds, 0..1_000).expect("it has no fence");
    let parts = [0..300, 300..600, 600..1_000].map(|part| search::first(&run, &bounds, part));
    assert_eq!(parts.into_iter().flatten().min_by_key(|found| found.number), Some(whole.clone()));
    assert!(broken(&with(&run, &whole.acts)).contains(&RowsAsExpected));
    assert!(whole.acts.len() <= 2 && whole.acts.len() <= search::drawn(&run, &bounds, whole.number).len());
    println!("{whole:?}");
    let fenced = with_changed_input(guarded(scenario, fence(FenceRaise::Claim)));
    assert_eq!(search::first(&fenced, &bounds, 0..1_000), None);
}

/// Nothing can be taken from what is left, and no time of it said in a coarser unit.
#[test]
fn a_shrunk_schedule_is_as_small_as_can_be() {
    let mut scenario = onto(SinkKind::Overwrite);
    scenario.script.clear();
    let bare = with_changed_input(scenario);
    for (seed, claim) in [(1, RowsAsExpected), (2, NoStaleOverNewer), (3, TokensInOrder), (4, NoCommitLost)] {
        let run = Run { seed, ..bare.clone() };
        let bounds = Bounds { menu: search::menu(&run.scenario), faults: 3, claims: vec![claim] };
        let found = search::first(&run, &bounds, 0..1_000).expect("it has no fence");
        let still = |acts: &[Intervention]| broken(&with(&run, acts)).contains(&claim);
        assert!(still(&found.acts), "{found:?}");
        println!("{claim:?}: schedule {}, {:?}", found.number, found.acts);
        for place in 0..found.acts.len() {
            let mut acts = found.acts.clone();
            acts.remove(place);
            assert!(!still(&acts), "{found:?} does not need fault {place}");
            let length = found.acts[place].act.lasts().map_or(0, |length| length.0);
            for unit in [60_000_000, 10_000_000, 1_000_000, 100_000] {
                for rounded in [length - length % unit, length - length % unit + unit] {
                    if length % unit == 0 || rounded == 0 {
                        continue;
                    }
                    let mut acts = found.acts.clone();
                    acts[place].act = acts[place].act.lasting(Some(Span(rounded)));
                    assert!(!still(&acts), "{found:?}: fault {place} may last {rounded} µs");
                }
            }
        }
    }
}
