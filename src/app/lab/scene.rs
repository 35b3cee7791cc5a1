//! The picture of a run, for the room there is.

use fenceline_engine::Step;
use fenceline_sim::verdict::{Claim, State, timelines};
use fenceline_sim::{At, NONE};

use super::Derived;
use crate::app::stage::down::Down;
use crate::app::stage::measure::approximate;
use crate::app::stage::rows::{Row, rows};
use crate::app::stage::window::Window;
use crate::app::stage::{self, Face, Picture, Rail, RailPoint, RailState, Strips, View};
use crate::app::words::event::Names;
use crate::app::words::instant;
use crate::app::words::outcome as words;

/// The room a picture has, and what goes into it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Room {
    /// Of the plot, without its gutter.
    pub width: f32,
    pub scale: f32,
    pub strips: Strips,
    pub starts: Option<u32>,
    /// The part of the run in view, as far as it lies within the run.
    pub window: Window,
}

/// All of a run, however long it is.
pub const WHOLE: Window = (0, At::MAX);

/// How wide a text is in a face.
pub type Measure<'m> = &'m dyn Fn(&str, Face) -> f32;

/// How a run is drawn with time running right.
pub type DrawRight = fn(&Derived, Room, Measure<'_>) -> Picture;

/// Draws the run, time running right.
pub fn picture(derived: &Derived, room: Room, measure: Measure<'_>) -> Picture {
    viewed(derived, room, measure, |view| stage::draw(&View { more: Some(&stage::MORE), ..*view }))
}

/// The same without the marks that the first run has none of.
pub fn plain_picture(derived: &Derived, room: Room, measure: Measure<'_>) -> Picture {
    viewed(derived, room, measure, stage::draw)
}

/// How a run is drawn with time running down, for the phone.
pub type DrawDown = fn(&View<'_>, &Names) -> Down;

/// Draws it so: event by event, to scale, or in a few rows.
pub fn down(derived: &Derived, room: Room, measure: Measure<'_>, draw: DrawDown) -> Down {
    viewed(derived, room, measure, |view| draw(view, &Names::of(derived)))
}

/// What happened, a sentence each, without what is routine.
pub fn events(derived: &Derived, starts: Option<u32>) -> Vec<Row> {
    let room = Room { width: 1000.0, scale: 1.0, strips: Strips::All, starts, window: WHOLE };
    viewed(derived, room, &approximate, |view| rows(view, &Names::of(derived)))
}

fn viewed<T>(derived: &Derived, room: Room, measure: Measure<'_>, draw: impl FnOnce(&View<'_>) -> T) -> T {
    let (until, now) = (derived.scenario.until, derived.reaches());
    let rails = [rail(derived, main_claim(derived), room.starts)];
    let alerts: Vec<At> = derived.end.alerts.iter().map(|alert| alert.at).collect();
    draw(&View {
        rulebook: &derived.rulebook,
        trace: derived.history.trace(),
        truth: &derived.truth,
        now,
        stopped: derived.history.stop().is_some(),
        rails: &rails,
        alerts: &alerts,
        window: (room.window.0, room.window.1.min(until)),
        width: room.width,
        scale: room.scale,
        strips: room.strips,
        starts: room.starts,
        measure,
        more: None,
    })
}

/// The claim the run is about: the first one broken, else the first one put to the test that the
/// scenario is likely to break, else one output.
fn main_claim(derived: &Derived) -> Claim {
    let verdicts = &derived.end.verdicts;
    let stands = |state: State| {
        let of = move |v: &&fenceline_sim::Verdict| v.state == state && v.claim != Claim::SilentDamage;
        verdicts.iter().filter(of)
    };
    let broken = stands(State::Violated).min_by_key(|v| (v.since, v.claim)).map(|v| v.claim);
    let writes = |step: &Step| matches!(step, Step::Write { .. } | Step::Swap { .. });
    let has_table = derived.scenario.tasks.iter().any(|task| task.program.iter().any(writes));
    let tested = stands(State::Holds).map(|v| v.claim).next();
    broken.or(has_table.then_some(Claim::OneOutput)).or(tested).unwrap_or(Claim::EndsInBound)
}

fn rail(derived: &Derived, claim: Claim, starts: Option<u32>) -> Rail {
    let lines = timelines(derived.rulebook.clone(), derived.history.trace(), derived.reaches());
    let changes = lines.into_iter().find(|(of, _)| *of == claim).map_or(Vec::new(), |(_, changes)| changes);
    let verdict = derived.end.verdicts.iter().find(|verdict| verdict.claim == claim);
    let point = |(at, state): (At, State)| RailPoint {
        at,
        record: verdict.filter(|v| v.state == state).and_then(|v| v.evidence.last().copied()).unwrap_or(NONE),
        state: match state {
            State::Holds => RailState::Holds,
            State::Violated => RailState::Violated,
            State::NotExercised => RailState::NotExercised,
        },
        label: match state {
            State::Violated => words::from_when(
                &words::broken(claim, verdict.map_or(1, |v| v.tasks.len())),
                &instant(at, starts),
            ),
            State::Holds => words::HOLDS.into(),
            State::NotExercised => String::new(),
        },
    };
    Rail {
        name: words::short_claim(claim).into(),
        points: changes.into_iter().map(point).collect(),
        idle: words::idle(claim).into(),
    }
}
