//! What a found schedule can do without.

use crate::clock::At;
use crate::fault::When;
use crate::simulation::Run;
use fenceline_engine::Span;

/// Units in which a time is said, coarsest first.
const UNITS: [Span; 6] =
    [Span::secs(60), Span::secs(10), Span::secs(1), Span::millis(100), Span::millis(10), Span::millis(1)];

/// A run that still breaks what it broke, with nothing in it that it could do without. Interventions
/// from `own` on are taken away one by one, their lengths halved, their times and lengths rounded; again,
/// until none of that leaves it broken.
pub fn leaner(run: &Run, own: usize, breaks: impl Fn(&Run) -> bool) -> Run {
    let mut lean = run.clone();
    loop {
        let before = lean.interventions.clone();
        drop_faults(&mut lean, own, &breaks);
        for place in own..lean.interventions.len() {
            halve(&mut lean, place, &breaks);
            round_length(&mut lean, place, &breaks);
            round_time(&mut lean, place, &breaks);
        }
        if lean.interventions == before {
            return lean;
        }
    }
}

fn drop_faults(lean: &mut Run, own: usize, breaks: &impl Fn(&Run) -> bool) {
    let mut place = lean.interventions.len();
    while place > own {
        place -= 1;
        try_on(lean, breaks, |run| {
            run.interventions.remove(place);
        });
    }
}

/// Keeps a change that leaves the run broken.
fn try_on(lean: &mut Run, breaks: &impl Fn(&Run) -> bool, change: impl FnOnce(&mut Run)) -> bool {
    let mut changed = lean.clone();
    change(&mut changed);
    let keeps = breaks(&changed);
    if keeps {
        *lean = changed;
    }
    keeps
}

fn halve(lean: &mut Run, place: usize, breaks: &impl Fn(&Run) -> bool) {
    while let Some(length) = lean.interventions[place].act.lasts().filter(|length| length.0 > 1) {
        if !try_on(lean, breaks, |run| lengthen(run, place, Span(length.0 / 2))) {
            return;
        }
    }
}

fn lengthen(run: &mut Run, place: usize, length: Span) {
    let act = &mut run.interventions[place].act;
    *act = act.lasting(Some(length));
}

fn round_length(lean: &mut Run, place: usize, breaks: &impl Fn(&Run) -> bool) {
    let Some(length) = lean.interventions[place].act.lasts() else { return };
    let found = rounder(length.0).filter(|rounded| *rounded > 0);
    for rounded in found {
        if try_on(lean, breaks, |run| lengthen(run, place, Span(rounded))) {
            return;
        }
    }
}

fn round_time(lean: &mut Run, place: usize, breaks: &impl Fn(&Run) -> bool) {
    let When::At(at) = lean.interventions[place].when else { return };
    for rounded in rounder(i64::try_from(at).unwrap_or(i64::MAX)) {
        if try_on(lean, breaks, |run| run.interventions[place].when = When::At(rounded as At)) {
            return;
        }
    }
}

/// The same time in coarser units than its own, coarsest first: in each the one below and the one above.
fn rounder(micros: i64) -> impl Iterator<Item = i64> {
    let coarser = UNITS.into_iter().take_while(move |unit| micros % unit.0 != 0);
    coarser.flat_map(move |unit| {
        let below = micros - micros % unit.0;
        [below, below + unit.0]
    })
}
