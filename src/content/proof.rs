//! Whether a scenario is what it says: played, its claims come out and nothing else is violated, nothing
//! short of it satisfies them, and its remedies cure it.

use fenceline_sim::verdict::State;
use fenceline_sim::{Act, Claim, Intervention, Kind, Run, Simulation, Verdict, judge};

use crate::report::{Report, nth};
use crate::scenario::{CLAIMS, Case, Expected, STATES};

/// Events after which a run is given up.
const LIMIT: u64 = 5_000_000;
/// Chance, where there is any, decides no claim: these seeds come out alike.
const SEEDS: std::ops::RangeInclusive<u64> = 1..=9;

/// Plays a scenario that was read, and reports what it claims and does not do.
pub fn prove(case: &Case, report: &mut Report) {
    if case.expected.is_empty() {
        report.add("claim", "missing. Say what comes out, such as `one-output` is `violated`");
    }
    for seed in SEEDS {
        let Some(verdicts) = played(&given(case, seed, &[]), report) else { return };
        let before = report.count();
        exactly("", seed, &verdicts, &case.expected, report);
        for (n, remedy) in case.remedies.iter().enumerate() {
            let place = nth("", "remedy", n);
            let Some(verdicts) = played(&given(case, seed, &remedy.settings), report) else { return };
            exactly(&place, seed, &verdicts, &remedy.expected, report);
        }
        if report.count() > before {
            break;
        }
    }
    acts(case, report);
    remedies(case, report);
    untouched(case, report);
    near_misses(case, report);
}

fn given(case: &Case, seed: u64, more: &[Intervention]) -> Run {
    Run { seed, interventions: more.to_vec(), ..Run::new(case.scenario.clone()) }
}

/// The scenario with other acts in place of its own.
fn with_acts(case: &Case, acts: &[Intervention]) -> Run {
    let mut scenario = (*case.scenario).clone();
    scenario.script = acts.to_vec();
    Run::new(scenario)
}

fn finished(run: &Run, report: &mut Report) -> Option<Simulation> {
    let mut simulation = Simulation::new(run).limited(LIMIT);
    simulation.finish();
    if simulation.stop().is_some() {
        report.add("until", format!("the run does not reach its end in {LIMIT} events, so it is not judged"));
        return None;
    }
    Some(simulation)
}

fn played(run: &Run, report: &mut Report) -> Option<Vec<Verdict>> {
    let simulation = finished(run, report)?;
    let trace = simulation.trace();
    Some(judge(run, trace, trace.len(), run.scenario.until))
}

fn state(verdicts: &[Verdict], claim: Claim) -> State {
    verdicts.iter().find(|verdict| verdict.claim == claim).map_or(State::NotExercised, |it| it.state)
}

fn satisfies(verdicts: &[Verdict], expected: &[Expected]) -> bool {
    expected.iter().all(|expected| state(verdicts, expected.claim) == expected.state)
}

/// The claims that are violated and not among those expected.
pub fn unnamed<'a>(verdicts: &'a [Verdict], expected: &'a [Expected]) -> impl Iterator<Item = Claim> + 'a {
    let violated = verdicts.iter().filter(|verdict| verdict.state == State::Violated);
    let claims = violated.map(|verdict| verdict.claim);
    claims.filter(|claim| expected.iter().all(|expected| expected.claim != *claim))
}

fn exactly(place: &str, seed: u64, verdicts: &[Verdict], expected: &[Expected], report: &mut Report) {
    let with = if seed == 1 { String::new() } else { format!(" with seed {seed}") };
    for (n, Expected { claim, state: wanted }) in expected.iter().enumerate() {
        let came = state(verdicts, *claim);
        if came != *wanted {
            let what = format!(
                "{} is {}{with}, not {}",
                verdict_name(*claim),
                state_name(came),
                state_name(*wanted)
            );
            report.add(&nth(place, "claim", n), what);
        }
    }
    for claim in unnamed(verdicts, expected) {
        let what = format!("{} is violated{with} and not named. Claim it", verdict_name(claim));
        report.add(&crate::report::join(place, "claim"), what);
    }
}

/// An act that finds nothing to do is a mistake in its place.
fn acts(case: &Case, report: &mut Report) {
    let Some(simulation) = finished(&given(case, 1, &[]), report) else { return };
    for record in simulation.trace().iter().filter(|record| record.kind == Kind::Void) {
        let n = usize::try_from(record.b).unwrap_or(0);
        report.add(&nth("", "faults", n), "does nothing: what it is aimed at does not occur");
    }
}

/// The first remedy of what is broken cures it whole. Of what is not, it may show the contrast.
fn remedies(case: &Case, report: &mut Report) {
    if case.remedies.is_empty() {
        report.add("remedy", "missing. Name at least one that cures it, with its own claims");
    }
    for (n, remedy) in case.remedies.iter().enumerate() {
        let place = nth("", "remedy", n);
        for (at, act) in remedy.settings.iter().enumerate() {
            let Act::Set(setting) = act.act else { continue };
            let mut changed = (*case.scenario).clone();
            changed.set(setting);
            if changed == *case.scenario {
                report.add(&nth(&place, "set", at), "is in force already");
            }
        }
    }
    let is_broken = case.expected.iter().any(|expected| expected.state == State::Violated);
    let Some(first) = case.remedies.first().filter(|_| is_broken) else { return };
    let Some(verdicts) = played(&given(case, 1, &first.settings), report) else { return };
    if let Some(left) = verdicts.iter().find(|verdict| verdict.state == State::Violated) {
        let what = format!("leaves {} violated. The first remedy cures it whole", verdict_name(left.claim));
        report.add("remedy[1]", what);
    }
}

/// Unless it needs no fault: then the rules alone are what goes wrong.
fn untouched(case: &Case, report: &mut Report) {
    if case.scenario.script.is_empty() || case.expected.is_empty() {
        return;
    }
    let Some(verdicts) = played(&with_acts(case, &[]), report) else { return };
    if satisfies(&verdicts, &case.expected) {
        report.add("faults", "the claims come out without them as well");
    }
    for broken in verdicts.iter().filter(|verdict| verdict.state == State::Violated) {
        report.add("faults", format!("{} is violated without them", verdict_name(broken.claim)));
    }
    let holds = case.expected.iter().all(|expected| expected.state == State::Holds);
    let rests = |expected: &Expected| state(&verdicts, expected.claim) == State::NotExercised;
    if holds && !case.expected.iter().any(rests) {
        report.add("claim", "all of it holds without the faults. Claim one that they put to the test");
    }
}

fn near_misses(case: &Case, report: &mut Report) {
    if case.near_misses.is_empty() {
        report
            .add("near_miss", "missing. Give a run that is nearly the same and does not satisfy the claims");
    }
    for (n, (_, acts)) in case.near_misses.iter().enumerate() {
        let place = nth("", "near_miss", n);
        if *acts == case.scenario.script {
            report.add(&place, "is the scenario itself. Change its `faults` or `set` a rule");
            continue;
        }
        let Some(verdicts) = played(&with_acts(case, acts), report) else { return };
        if !case.expected.is_empty() && satisfies(&verdicts, &case.expected) {
            report.add(&place, "satisfies the claims as well, so it is no near miss");
        }
    }
}

fn verdict_name(claim: Claim) -> String {
    let name = CLAIMS.iter().find(|(_, known)| *known == claim).map_or("", |(name, _)| name);
    format!("`{name}`")
}

fn state_name(state: State) -> String {
    let name = STATES.iter().find(|(_, known)| *known == state).map_or("", |(name, _)| name);
    format!("`{name}`")
}
