//! The desk a run lies on: the run itself, which is not reactive, and a few coarse signals.

use std::sync::Arc;

use fenceline_content::scenario::Case;
use fenceline_engine::NodeId;
use fenceline_sim::{At, Intervention};
use leptos::prelude::*;

use crate::app::lab::faults::Deed;
use crate::app::lab::{Derived, Instant, Lab};
use crate::app::stage::between;
use crate::app::stage::window::{Window, panned, showing, zoomed};
use crate::ui::kept::Kept;
use crate::ui::prefers_reduced_motion;

use super::voice::Speaker;

/// Seconds of the run for one second of watching, to choose from.
pub const SPEEDS: [u32; 4] = [1, 10, 30, 100];

/// Worker 1: nodes are numbered from the scheduler on.
const FIRST_WORKER: NodeId = NodeId(1);

/// Where a link points, if it does.
#[derive(Clone, Copy, Debug, Default)]
pub struct Look {
    pub at: Option<At>,
    pub on: Option<NodeId>,
}

/// A copyable handle; all state lies in the signals.
#[derive(Clone, Copy)]
pub struct Desk {
    lab: StoredValue<Lab>,
    /// Counts edits.
    edits: RwSignal<u32>,
    pub cursor: RwSignal<At>,
    pub selected: RwSignal<Option<u32>>,
    /// The sheet of faults, on the phone, and whose they are; none: everybody's.
    pub sheet: RwSignal<bool>,
    pub breaking: RwSignal<Option<NodeId>>,
    /// The node whose faults the keys make.
    pub lane: RwSignal<NodeId>,
    /// The node whose menu of faults is asked for.
    pub menu: RwSignal<Option<NodeId>>,
    /// The part of the run in view; none: all of it.
    pub window: RwSignal<Option<Window>>,
    /// What the last key did, or why it did nothing.
    pub answer: RwSignal<String>,
    pub speaker: Speaker,
    pub playing: RwSignal<bool>,
    pub speed: RwSignal<u32>,
    pub derived: Memo<Kept<Derived>>,
    pub instant: Memo<Kept<Instant>>,
    /// How many records have been made, where the cursor stands between two events of one instant.
    inside: RwSignal<Option<u32>>,
    /// Counts how often it was played, so that an older loop ends.
    plays: StoredValue<u32>,
    /// Play stops at the first violation, the first time it is met.
    warned: StoredValue<bool>,
}

impl Desk {
    /// Opens a scenario with the whole run derived. The cursor is put where the link says, else at the
    /// end of a run that does damage, else just before the first fault.
    pub fn open(case: Arc<Case>, seed: u64, acts: Option<Vec<Intervention>>, look: Look) -> Self {
        let lab = Lab::open(case, seed, acts);
        let at = look.at.map_or_else(|| lab.opening(), |at| at.min(lab.until()));
        let (cursor, selected) = (RwSignal::new(at), look.on.and_then(|node| lab.first_of(node)));
        let speaker = Speaker::new(lab.derived());
        let lab = StoredValue::new(lab);
        let edits = RwSignal::new(0);
        let derived = Memo::new(move |_| {
            edits.track();
            Kept(lab.with_value(|lab| Arc::clone(lab.derived())))
        });
        let inside = RwSignal::new(None);
        let instant = Memo::new(move |_| {
            let (run, at) = (derived.read(), cursor.get());
            Kept(Arc::new(inside.get().map_or_else(|| run.0.at(at), |records| run.0.after(records))))
        });
        Self {
            lab,
            edits,
            cursor,
            selected: RwSignal::new(selected),
            lane: RwSignal::new(look.on.unwrap_or(FIRST_WORKER)),
            menu: RwSignal::new(None),
            window: RwSignal::new(None),
            answer: RwSignal::new(String::new()),
            speaker,
            sheet: RwSignal::new(false),
            breaking: RwSignal::new(None),
            playing: RwSignal::new(false),
            speed: RwSignal::new(10),
            derived,
            instant,
            inside,
            plays: StoredValue::new(0),
            warned: StoredValue::new(false),
        }
    }

    /// Reads the run; follows its edits.
    pub fn read<T>(self, read: impl FnOnce(&Lab) -> T) -> T {
        self.edits.track();
        self.lab.with_value(read)
    }

    /// Counts its edits, and follows them.
    pub fn edits(self) -> u32 {
        self.edits.get()
    }

    /// Whether nothing was edited after edit number `edit`; not if the run is gone.
    pub fn has_rested(self, edit: u32) -> bool {
        self.edits.try_get_untracked() == Some(edit)
    }

    /// Reads the run without following it.
    pub fn peek<T>(self, read: impl FnOnce(&Lab) -> T) -> T {
        self.lab.with_value(read)
    }

    /// Changes what the run's acts do not show.
    pub fn change(self, change: impl FnOnce(&mut Lab)) {
        self.lab.update_value(change);
    }

    /// Edits the run.
    pub fn edit(self, edit: impl FnOnce(&mut Lab)) {
        self.lab.update_value(edit);
        let until = self.lab.with_value(Lab::until);
        if self.cursor.get_untracked() > until {
            self.cursor.set(until);
        }
        self.selected.set(None);
        self.inside.set(None);
        self.edits.update(|n| *n += 1);
        self.speaker.edited(self);
    }

    /// Answers a key: for the eye and, where it cannot be seen, for the ear.
    pub fn say(self, text: impl Into<String>) {
        let text = text.into();
        self.answer.set(text.clone());
        self.speaker.says(self, text);
    }

    /// Does an act at the cursor.
    pub fn take(self, deed: Deed) {
        let at = self.cursor.get_untracked();
        self.edit(|lab| lab.take(deed, at));
    }

    pub fn until(self) -> At {
        self.derived.read().0.reaches()
    }

    /// Moves the cursor; playing stops.
    pub fn seek(self, at: At) {
        self.playing.set(false);
        self.go(at);
    }

    /// The cursor, and with it what is in view.
    fn go(self, at: At) {
        self.inside.set(None);
        self.cursor.set(at);
        if let Some(window) = self.window.get_untracked() {
            let shown = showing(window, self.until_now(), at);
            if shown != window {
                self.window.set(Some(shown));
            }
        }
    }

    fn until_now(self) -> At {
        self.lab.with_value(Lab::until)
    }

    /// The part of the run in view.
    pub fn shown(self) -> Window {
        self.window.get_untracked().unwrap_or((0, self.until_now()))
    }

    fn show_window(self, window: Window) {
        let all = window == (0, self.until_now());
        self.window.set((!all).then_some(window));
    }

    /// Shows a share of what is shown now, about an instant.
    pub fn zoom(self, share: f64, about: At) {
        self.show_window(zoomed(self.shown(), self.until_now(), about, share));
    }

    pub fn pan(self, share: f64) {
        self.show_window(panned(self.shown(), self.until_now(), share));
    }

    /// To the event of interest before, or after; false where there is none.
    pub fn leap(self, forward: bool) -> bool {
        let cursor = self.cursor.get_untracked();
        let to = self.lab.with_value(|lab| lab.interesting(cursor, forward));
        if let Some(at) = to {
            self.seek(at);
            self.speaker.arrives(self);
        }
        to.is_some()
    }

    /// To the next, or the previous, event; those of one instant come one after another.
    pub fn step(self, forward: bool) {
        let derived = self.derived.get_untracked().0;
        let from = (self.cursor.get_untracked(), self.inside.get_untracked());
        match derived.stepped(from, forward) {
            Some(event) => {
                self.seek(event.at);
                self.selected.set(Some(event.record));
                self.inside.set(event.inside);
            }
            None => self.seek(if forward { derived.reaches() } else { 0 }),
        }
        self.speaker.arrives(self);
    }

    /// Selects a record and goes there.
    pub fn show(self, record: u32) {
        let at = self.derived.read_untracked().0.history.trace().get(record).map(|record| record.at);
        if let Some(at) = at {
            self.seek(at);
            self.selected.set(Some(record));
        }
    }

    /// Goes to the first violation.
    pub fn show_violation(self) {
        if let Some((_, record, _)) = self.lab.with_value(Lab::first_violation) {
            self.show(record);
        }
    }

    /// Plays or pauses; from the end, plays anew.
    pub fn toggle(self) {
        if self.playing.get_untracked() {
            return self.playing.set(false);
        }
        if self.cursor.get_untracked() >= self.derived.read_untracked().0.reaches() {
            self.go(0);
        }
        self.playing.set(true);
        self.play();
    }

    /// One animation-frame loop while it plays.
    fn play(self) {
        if prefers_reduced_motion() {
            return self.play_by_events();
        }
        self.plays.update_value(|plays| *plays = plays.wrapping_add(1));
        self.frame(StoredValue::new(now()), self.plays.get_value());
    }

    fn frame(self, last: StoredValue<f64>, play: u32) {
        request_animation_frame(move || {
            // The desk is gone when its page is.
            let goes_on = self.playing.try_get_untracked() == Some(true);
            if !goes_on || self.plays.try_get_value() != Some(play) {
                return;
            }
            let time = now();
            let passed = f64::from(between((time - last.get_value()) as f32, 0.0, 250.0));
            last.set_value(time);
            let micros = (passed * 1000.0 * f64::from(self.speed.get_untracked())) as At;
            self.advance(self.cursor.get_untracked().saturating_add(micros));
            self.frame(last, play);
        });
    }

    /// Without motion: event by event.
    fn play_by_events(self) {
        set_timeout(
            move || {
                if self.playing.try_get_untracked() == Some(true) {
                    let derived = self.derived.get_untracked().0;
                    let trace = derived.history.trace();
                    let next = trace.get(trace.len_at(self.cursor.get_untracked()));
                    self.advance(next.map_or(derived.reaches(), |next| next.at));
                    self.play_by_events();
                }
            },
            std::time::Duration::from_millis(600),
        );
    }

    fn advance(self, to: At) {
        let until = self.derived.read_untracked().0.reaches();
        let from = self.cursor.get_untracked();
        let violation =
            self.lab.with_value(Lab::first_violation).filter(|(_, _, at)| (from..=to).contains(at));
        if let Some((_, record, at)) = violation.filter(|_| !self.warned.get_value()) {
            self.warned.set_value(true);
            self.seek(at);
            self.speaker.passes(self, from);
            return self.selected.set(Some(record));
        }
        self.go(to.min(until));
        self.speaker.passes(self, from);
        if to >= until {
            self.playing.set(false);
        }
    }
}

pub(super) fn now() -> f64 {
    window().performance().map_or(0.0, |performance| performance.now())
}
