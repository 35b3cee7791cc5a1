//! The ten places where the exact model and the common reading part (`docs/ten-points.md`): each
//! figure given there comes out of its scenario, with nothing said beforehand.
#![cfg(feature = "authoring")]

mod support;

use std::fs;
use std::path::Path;

use fenceline_content::authoring;
use fenceline_content::report::Known;
use fenceline_content::scenario::Case;
use fenceline_content::words;
use fenceline_engine::Span;
use fenceline_sim::scenario::AlertRule;
use fenceline_sim::verdict::State;
use fenceline_sim::{Claim, Intervention, Judge, Kind, Record, Run, Simulation, Trace};

use support::{state, verdicts, with_faults};

const PAGE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/ten-points.md");

/// A scenario, and what is done to it.
struct Played {
    run: Run,
    trace: Trace,
}

/// The scenario as given, with other rules.
fn given(id: &str, rules: &[&str]) -> Played {
    let case = case(id);
    let settings = rules.iter().map(|rule| words::intervention(&format!("0s {rule}"), case.cast()));
    let settings: Vec<Intervention> = settings.map(|it| it.expect("a rule")).collect();
    played(support::with_settings(&case, &settings))
}

/// The scenario with other faults in place of its own.
fn instead(id: &str, faults: &[&str]) -> Played {
    let case = case(id);
    let faults = faults.iter().map(|fault| words::intervention(fault, case.cast()));
    let faults: Vec<Intervention> = faults.map(|it| it.expect("a fault")).collect();
    played(with_faults(&case, &faults))
}

fn case(id: &str) -> Case {
    let path = Path::new(support::ASSETS).join(format!("scenarios/{id}.toml"));
    let text = fs::read_to_string(path).unwrap_or_else(|_| panic!("there is no scenario {id}"));
    let file = authoring::scenario(id, &text, &Known::default()).and_then(|file| file.read(id));
    file.unwrap_or_else(|mistakes| panic!("{}", support::lines(&mistakes)))
}

fn played(run: Run) -> Played {
    let mut simulation = Simulation::new(&run);
    simulation.finish();
    Played { trace: simulation.trace().clone(), run }
}

impl Played {
    fn of(&self, kind: Kind) -> Vec<&Record> {
        self.trace.iter().filter(|record| record.kind == kind).collect()
    }

    /// When something was recorded, in milliseconds.
    fn at(&self, kind: Kind) -> Vec<u64> {
        self.of(kind).iter().map(|record| record.at / 1000).collect()
    }

    /// Expiries recorded up to this second.
    fn expired_by(&self, second: u64) -> usize {
        self.of(Kind::Expired).iter().filter(|record| record.at <= second * 1_000_000).count()
    }

    fn is(&self, claim: Claim) -> State {
        state(&verdicts(&self.run), claim)
    }

    /// The rows a reader sees in the end, and how many of them stand there twice.
    fn rows(&self) -> (u64, u64) {
        let rows = Judge::over(&self.run, &self.trace, self.trace.len()).rows(fenceline_engine::TaskId(0));
        (rows.visible, rows.twice)
    }

    /// The attempts whose writes were accepted, in order.
    fn accepted(&self) -> Vec<u8> {
        self.of(Kind::Applied).iter().map(|record| record.attempt).collect()
    }
}

/// A third of the lease spares one lost renewal, not two.
#[test]
fn point_1() {
    assert_eq!(given("two-lost", &[]).of(Kind::Expired).len(), 1);
    assert_eq!(instead("two-lost", &["5s cut w1 control out 10s"]).of(Kind::Expired).len(), 0);
    assert_eq!(given("two-lost", &["heartbeat 9s"]).of(Kind::Expired).len(), 0);
    // Two intervals of 10 s and one more are 30 s, and the message takes 200 ms: late by what it takes.
    let renewal = given("two-lost", &[]).of(Kind::Refused)[0].at;
    assert!((30_000_000..31_000_000).contains(&renewal), "{renewal}");
}

/// A step forward ends what has less than the step left: nothing below L - H, everything from L on.
#[test]
fn point_2() {
    let all = given("clock-forward", &[]);
    assert_eq!(all.expired_by(36), 20, "30 s: all at the next sweep");
    assert_eq!(instead("clock-forward", &["35s step scheduler 15s"]).of(Kind::Expired).len(), 0);

    let half = given("half-at-once", &[]);
    assert_eq!(half.expired_by(61), 10, "25 s: half at the next sweep");
    assert_eq!(half.of(Kind::Expired).len(), 20, "and the rest before their next renewal");
    assert_eq!(half.expired_by(66), 20);
    assert_eq!(instead("half-at-once", &["60900ms step scheduler 19s"]).of(Kind::Expired).len(), 0);

    let lost = given("jump-after-a-lost-beat", &[]);
    assert_eq!(lost.expired_by(61), 10, "15 s once a renewal is lost: half at the next sweep");
    assert_eq!(lost.expired_by(66), 20);
    let whole = instead("jump-after-a-lost-beat", &["60900ms step scheduler 15s"]);
    assert_eq!(whole.of(Kind::Expired).len(), 0);
}

/// A step back prolongs only the leases that are not renewed any more.
#[test]
fn point_3() {
    assert_eq!(given("clock-back", &[]).at(Kind::Expired), [111_000], "a minute late");
    assert_eq!(instead("clock-back", &["22s crash w1"]).at(Kind::Expired), [51_000]);
    assert_eq!(instead("clock-back", &["30s step scheduler -60s"]).of(Kind::Expired).len(), 0);
    let before = instead("clock-back", &["15s step scheduler -60s", "22s crash w1"]);
    assert_eq!(before.at(Kind::Expired), [51_000], "renewed once on the new clock, at 20.4 s");
}

/// A fence raised by the first write lets token 7 through after token 8 was granted.
#[test]
fn point_4() {
    for (raise, accepted) in
        [("first-write", [1, 2].as_slice()), ("claim", &[2]), ("scheduler", &[2]), ("commit", &[1, 2])]
    {
        let run = given("late-fence", &[&format!("fence sink1 {raise}")]);
        assert_eq!(run.accepted(), accepted, "{raise}");
        let first = run.of(Kind::Applied)[0];
        let granted = run.of(Kind::Granted)[1];
        assert!(first.at > granted.at, "{raise}: token 8 was granted before");
    }
    assert_eq!(given("late-fence", &[]).rows(), (2408, 1204));
}

/// The token is part of the data, and is compared as it is written.
#[test]
fn point_5() {
    assert_eq!(given("volatile-fence", &[]).accepted(), [2, 1]);
    assert_eq!(given("volatile-fence", &["fence sink1 claim"]).accepted(), [2]);
    assert_eq!(given("gap-in-the-store", &[]).accepted(), [2, 1]);
    assert_eq!(given("gap-in-the-store", &["fence sink1 first-write"]).accepted(), [2]);
    assert_eq!(given("check-then-write", &[]).accepted(), [2, 1], "the check stands at the worker");
    assert_eq!(given("check-then-write", &["fence sink1 claim"]).accepted(), [2]);
}

/// Two executions of one attempt show one token, and equal is not older.
#[test]
fn point_6() {
    let both = given("equal-tokens", &[]);
    let copies: Vec<u8> = both.of(Kind::Applied).iter().map(|record| record.copy).collect();
    assert_eq!((both.accepted(), copies.len(), both.rows()), (vec![1, 1], 2, (2408, 1204)));
    assert_ne!(copies[0], copies[1]);
    assert_eq!(given("equal-tokens", &["fence sink1 claim exact"]).accepted(), [1, 1], "exact is not unique");
    assert_eq!(given("equal-tokens", &["fence sink1 claim bound"]).rows(), (1204, 0));
}

/// A fence removes nothing and a key orders nothing.
#[test]
fn point_7() {
    let left = given("rows-before-the-raise", &[]);
    assert_eq!((left.accepted(), left.of(Kind::Fenced).len(), left.rows()), (vec![1, 2], 0, (2408, 1204)));
    assert_eq!(left.is(Claim::TokensInOrder), State::Holds);
    let effects = |rules: &[&str]| given("key-forgotten", rules).of(Kind::EffectDone).len();
    assert_eq!(effects(&[]), 2, "after the key is dropped");
    assert_eq!(effects(&["sink sink1 api attempt-key"]), 2, "with a key of the attempt's own");
    assert_eq!(effects(&["sink sink1 api task-key 24h"]), 1);
}

/// Two appends do not conflict, so the loser rebases and commits.
#[test]
fn point_8() {
    assert_eq!(given("commit-log-rebase", &[]).accepted(), [2, 1]);
    assert_eq!(given("commit-log-rebase", &["sink sink1 log per-interval"]).accepted(), [2]);
    assert_eq!(given("commit-log-rebase", &["fence sink1 claim"]).accepted(), [2]);
}

/// The limits add up, and what is asked to end goes on until it hears of it.
#[test]
fn point_9() {
    for (lease, expired, granted) in [("50s", 101_000, 401_000), ("40s", 91_000, 391_000)] {
        let run = given("two-timers", &[&format!("lease {lease}")]);
        assert_eq!((run.at(Kind::Expired)[0], run.at(Kind::Granted)[1]), (expired, granted), "{lease}");
        let ended = run.of(Kind::Ended)[0];
        assert_eq!(ended.attempt, 1);
        assert!(ended.at >= 660_000_000, "asked at {expired} ms, heard once the cut is over");
    }
}

/// Recovery that never comes is as silent as damage.
#[test]
fn point_10() {
    let every = [
        AlertRule::LeaseExpired(Span::secs(1)),
        AlertRule::Retried,
        AlertRule::FencedWrite,
        AlertRule::SchedulerSilent(Span::secs(60)),
        AlertRule::TwoOpen,
        AlertRule::Reconcile(Span::secs(30)),
    ];
    let alerts = |id: &str| {
        let mut scenario = (*case(id).scenario).clone();
        scenario.alerts = every.to_vec();
        let run = played(Run::new(scenario));
        assert_eq!(run.is(Claim::EndsInBound), State::Violated, "{id}");
        Judge::over(&run.run, &run.trace, run.trace.len()).alerts(run.run.scenario.until)
    };
    assert_eq!(alerts("hung-but-beating"), [], "every rule watches, and none has anything to say");
    assert!(!alerts("expiry-hold").is_empty(), "a held attempt is the scheduler's own alert");
}

/// The rows of the page: point, scenarios, test.
fn rows() -> Vec<(String, Vec<String>, String)> {
    let page = fs::read_to_string(PAGE).expect("the page");
    let row = |line: &str| {
        let cells: Vec<&str> = line.trim_matches('|').split('|').map(str::trim).collect();
        let [point, _, _, scenarios, test] = cells.as_slice() else { return None };
        point.parse::<u8>().ok()?;
        let id = |link: &str| link.split(['[', ']']).nth(1).map(str::to_owned);
        Some(((*point).to_owned(), scenarios.split(", ").filter_map(id).collect(), (*test).to_owned()))
    };
    page.lines().filter_map(row).collect()
}

#[test]
fn the_page_names_scenarios_and_tests_that_exist() {
    let rows = rows();
    let points: Vec<String> = (1..=10).map(|n: u8| n.to_string()).collect();
    assert_eq!(rows.iter().map(|(point, ..)| point.clone()).collect::<Vec<_>>(), points);
    let tests = fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/ten_points.rs")).unwrap();
    for (point, scenarios, test) in rows {
        assert!(!scenarios.is_empty(), "point {point} has no scenario");
        let body =
            tests.split(&format!("fn point_{point}()")).nth(1).and_then(|rest| rest.split("\n}\n").next());
        assert!(test.contains(&format!("point_{point}")), "point {point}: {test}");
        for id in scenarios {
            let file = Path::new(support::ASSETS).join(format!("scenarios/{id}.toml"));
            assert!(file.is_file(), "point {point}: there is no scenario {id}");
            assert!(
                body.expect("a test").contains(&format!("\"{id}\"")),
                "point {point}: {id} is not tested"
            );
        }
    }
}
