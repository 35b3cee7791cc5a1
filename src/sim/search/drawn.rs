//! Where a run is too large to be searched to the end: schedules drawn by number.
//!
//! A number gives a schedule, whoever asks and whatever was tried before; so a range can be cut into
//! parts, tried at once in several places, and the lowest number that breaks a claim is the outcome.

use super::{Bounds, Found, leaner};
use crate::draw::Numbers;
use crate::fault::{Act, Fate, Intervention, Path, Way, When};
use crate::record::Kind;
use crate::scenario::{SCHEDULER, Scenario};
use crate::simulation::{Run, Simulation};
use crate::verdict::{Claim, Judge};
use fenceline_engine::Span;
use std::ops::Range;

/// Events of one run, unless it ends before.
const LIMIT: u64 = 1_000_000;

/// Faults of a size that matters to a scenario: pauses and cuts that outlast a lease and the sweep that
/// ends it, crashes that do not, a step of the judge's clock past every lease.
pub fn menu(scenario: &Scenario) -> Vec<Act> {
    let rules = &scenario.rules;
    let (lease, sweep) = (rules.lease.duration, rules.sweep.every);
    let (long, short) = (Some((lease + sweep).times(2)), Some(Span(lease.0 / 4)));
    let (way, fate) = (Way::Both, Fate::Lost);
    let mut menu = vec![
        Act::Crash { node: SCHEDULER, lasts: short },
        Act::StepClock { node: SCHEDULER, by: lease.times(2) },
        Act::Cut { node: SCHEDULER, path: Path::Data, way: Way::Out, fate: Fate::Held, lasts: long },
    ];
    // A leader that sleeps through its leadership, or is cut off from those it leads.
    for node in scenario.schedulers().filter(|_| !scenario.standby.is_empty()) {
        menu.extend([
            Act::Pause { node, lasts: long.map(|long| long + rules.leadership.lease) },
            Act::Cut { node, path: Path::Control, way, fate, lasts: long },
        ]);
    }
    // Those who call it wait.
    if let Some(node) = scenario.store() {
        menu.extend([Act::Pause { node, lasts: long }, Act::Crash { node, lasts: short }]);
    }
    for node in (0..scenario.workers.len()).map(|index| scenario.worker(index)) {
        menu.extend([
            Act::Pause { node, lasts: long },
            Act::Crash { node, lasts: short },
            Act::Cut { node, path: Path::Control, way, fate, lasts: long },
            Act::Cut { node, path: Path::Data, way: Way::Out, fate: Fate::Held, lasts: long },
            Act::Cut { node, path: Path::Data, way: Way::In, fate, lasts: short },
        ]);
    }
    let sinks = (0..scenario.sinks.len()).map(|index| scenario.sink(index));
    menu.extend(sinks.map(|node| Act::Crash { node, lasts: short }));
    menu
}

/// Schedule `number` for the run's seed: up to so many faults of the menu, at drawn times, half as long or half as long
/// again.
pub fn drawn(run: &Run, bounds: &Bounds, number: u64) -> Vec<Intervention> {
    let mut numbers = Numbers::of(number.wrapping_add(run.seed.rotate_left(40)));
    let faults = if bounds.menu.is_empty() { 0 } else { 1 + numbers.below(u64::from(bounds.faults)) };
    let mut one = |_| {
        let act = bounds.menu[numbers.below(bounds.menu.len() as u64) as usize];
        let at = numbers.below(run.scenario.until);
        let percent = 50 + numbers.below(101) as i64;
        let lasts = act.lasts().map(|length| Span(length.times(percent).0 / 100));
        Intervention { when: When::At(at), act: act.lasting(lasts) }
    };
    (0..faults).map(&mut one).collect()
}

/// The lowest of these numbers whose schedule breaks a claim, with nothing left in it that is not
/// needed.
pub fn first(run: &Run, bounds: &Bounds, numbers: Range<u64>) -> Option<Found> {
    find(run, bounds, numbers).map(|number| shrunk(run, bounds, number))
}

/// The lowest of these numbers whose schedule breaks a claim.
pub fn find(run: &Run, bounds: &Bounds, mut numbers: Range<u64>) -> Option<u64> {
    numbers.find(|number| !broken(&with(run, &drawn(run, bounds, *number)), bounds).is_empty())
}

/// A schedule that breaks a claim, with nothing left in it that is not needed for that: it breaks one of
/// the claims that the whole breaks, and the first thing to show it is of the same kind.
pub fn shrunk(run: &Run, bounds: &Bounds, number: u64) -> Found {
    let whole = with(run, &drawn(run, bounds, number));
    let shown = broken(&whole, bounds);
    let still = |run: &Run| broken(run, bounds).iter().any(|one| shown.contains(one));
    let own = run.interventions.len();
    let lean = leaner(&whole, own, still);
    let mut claims: Vec<Claim> = broken(&lean, bounds).into_iter().map(|(claim, _)| claim).collect();
    claims.dedup();
    Found { number, acts: lean.interventions[own..].to_vec(), claims }
}

fn with(run: &Run, acts: &[Intervention]) -> Run {
    let interventions = run.interventions.iter().chain(acts).copied().collect();
    Run { interventions, ..run.clone() }
}

/// The sought claims that a run breaks, each with the kind of the record that showed it first.
fn broken(run: &Run, bounds: &Bounds) -> Vec<(Claim, Kind)> {
    let mut simulation = Simulation::new(run).limited(LIMIT);
    simulation.finish();
    let trace = simulation.trace();
    let judge = Judge::over(run, trace, trace.len());
    let violations = judge.violations(simulation.now());
    let of = |claim: &Claim| {
        let violation = violations.iter().find(|violation| violation.claim == *claim)?;
        let shows = trace.get(violation.evidence().last()?)?;
        Some((*claim, shows.kind))
    };
    bounds.claims.iter().filter_map(of).collect()
}
