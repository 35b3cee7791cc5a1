//! The accounts of a random run agree with each other and with its records, and none of them fails.

mod worlds;

use fenceline_engine::{Exec, Span};
use fenceline_sim::figures::Figures;
use fenceline_sim::story::Story;
use fenceline_sim::verdict::{Claim, State, timelines};
use fenceline_sim::{At, Judge, Kind, Record, Run, Simulation, Trace, Truth};
use proptest::prelude::*;
use proptest::test_runner::TestCaseResult;
use std::collections::BTreeMap;
use worlds::{each, run, sent_first};

const CASES: u64 = 1_000;

#[test]
fn the_accounts_of_a_run_agree() {
    each(&run(), CASES, |run: Run| {
        let mut simulation = Simulation::new(&run).limited(30_000);
        simulation.finish();
        let (trace, now) = (simulation.trace(), simulation.now());
        let count = |kind| trace.iter().filter(|record| record.kind == kind).count();
        let judge = Judge::over(&run, trace, trace.len());
        let truth = Truth::of(&run, trace, trace.len(), now);
        let figures = Figures::of(&run, trace, trace.len(), now);
        let _ = Story::of(&run, trace, trace.len(), now);
        prop_assert_eq!(figures.granted as usize, count(Kind::Granted));
        prop_assert_eq!(figures.expired as usize, count(Kind::Expired));
        prop_assert!(figures.false_expiries.total() <= figures.expired);
        prop_assert_eq!(truth.leases.len(), count(Kind::Granted));
        prop_assert_eq!(truth.executions.len(), count(Kind::Started));
        let ended = truth.executions.iter().filter(|execution| execution.end.is_some()).count();
        prop_assert_eq!(ended, count(Kind::Ended));
        prop_assert_eq!(figures.zombie.count as usize, outlived(&truth, trace, now));
        prop_assert!(
            figures.zombie.worked <= figures.zombie.total && figures.zombie.longest <= figures.zombie.total
        );
        zombies_outlive_their_leases(&truth, trace)?;
        let verdicts = judge.verdicts(trace, now);
        for (claim, line) in timelines(&run, trace, now) {
            let last = line.last().map_or(State::NotExercised, |(_, state)| *state);
            let verdict = verdicts.iter().find(|verdict| verdict.claim == claim).expect("each has one");
            prop_assert_eq!(last, verdict.state, "{:?}", claim);
            prop_assert!(line.windows(2).all(|pair| pair[0].0 <= pair[1].0), "{claim:?}: {line:?}");
            // What is broken stays so; silence is broken until an alert comes.
            let mends =
                line.windows(2).any(|pair| pair[0].1 == State::Violated && pair[1].1 != State::Violated);
            prop_assert!(!mends || claim == Claim::SilentDamage, "{claim:?}: {line:?}");
        }
        for verdict in &verdicts {
            let known = verdict.evidence.iter().all(|id| *id < trace.len());
            prop_assert!(
                known && (verdict.state == State::NotExercised) == verdict.since.is_none(),
                "{verdict:?}"
            );
        }
        Ok(())
    });
}

/// By the records, how many executions began and did not end before the end of their lease had passed.
fn outlived(truth: &Truth, trace: &Trace, now: At) -> usize {
    let mut ends: BTreeMap<Exec, At> = BTreeMap::new();
    for record in trace.iter().filter(|record| record.kind == Kind::Ended) {
        ends.entry(record.exec()).or_insert(record.at);
    }
    let outlives = |started: &&Record| {
        let end = ends.get(&started.exec()).copied().unwrap_or(now);
        let over = truth.lease_of(started.exec()).and_then(|lease| lease.end);
        over.is_some_and(|(at, _)| at.max(started.at) < end)
    };
    trace.iter().filter(|record| record.kind == Kind::Started).filter(outlives).count()
}

fn zombies_outlive_their_leases(truth: &Truth, trace: &Trace) -> TestCaseResult {
    let sent_first = sent_first(trace);
    for execution in &truth.executions {
        let attempt = (execution.exec.task, execution.exec.attempt);
        let (is_early, is_lost) = sent_first.get(&attempt).map_or((false, false), |lost| (true, *lost));
        let Some(lease) = truth.lease(attempt.0, attempt.1) else {
            // Lost, or still to be recorded.
            prop_assert!(is_early, "{execution:?} was never granted");
            continue;
        };
        prop_assert!(lease.granted <= execution.start || is_early, "{execution:?}, {lease:?}");
        prop_assert!(lease.token == execution.token || is_lost, "{execution:?}, {lease:?}");
        if let Some(zombie) = execution.zombie {
            let window = zombie.window;
            let over = lease.end.is_some_and(|(at, _)| at <= window.from);
            prop_assert!(over && window.from <= window.until, "{execution:?}, {lease:?}");
            prop_assert!(Span::ZERO <= zombie.paused && zombie.paused <= window.span(), "{execution:?}");
            prop_assert_eq!(window.lasts, execution.end.is_none());
        }
    }
    Ok(())
}
