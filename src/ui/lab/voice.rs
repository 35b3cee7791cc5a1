//! The one line that is read aloud, and the pace at which it changes.

use std::sync::Arc;
use std::time::Duration;

use fenceline_sim::At;
use leptos::prelude::*;

use super::desk::{Desk, now};
use crate::app::lab::Derived;
use crate::app::lab::speech::{Message, Millis, Voice};
use crate::ui::tag::{live_text, tag};

/// A copyable handle.
#[derive(Clone, Copy)]
pub struct Speaker {
    voice: StoredValue<Voice>,
    line: RwSignal<String>,
    /// The run as the reader last heard of it.
    heard: StoredValue<Arc<Derived>>,
    /// A timer runs.
    waits: StoredValue<bool>,
}

impl Speaker {
    pub fn new(derived: &Arc<Derived>) -> Self {
        Self {
            voice: StoredValue::new(Voice::default()),
            line: RwSignal::new(String::new()),
            heard: StoredValue::new(Arc::clone(derived)),
            waits: StoredValue::new(false),
        }
    }

    /// The region itself: polite, and the only one of a run.
    pub fn region(self) -> AnyView {
        tag("p", "hide").attr("role", "status").child(live_text(move || self.line.get())).end()
    }

    /// It plays, and the cursor came here from `from`.
    pub fn passes(self, desk: Desk, from: At) {
        let met = desk.peek(|lab| lab.happens(from, desk.cursor.get_untracked()));
        if !met.is_empty() {
            self.voice.update_value(|voice| voice.happens(met));
            self.pump(desk);
        }
    }

    /// The cursor was put at an instant.
    pub fn arrives(self, desk: Desk) {
        let here = desk.peek(|lab| lab.happens_at(desk.cursor.get_untracked()));
        self.voice.update_value(|voice| voice.arrives(here));
        self.pump(desk);
    }

    pub fn says(self, desk: Desk, text: String) {
        self.voice.update_value(|voice| voice.says(text));
        self.pump(desk);
    }

    pub fn edited(self, desk: Desk) {
        self.voice.update_value(|voice| voice.edited(millis()));
        self.pump(desk);
    }

    /// Says what is due, and comes back when more is.
    fn pump(self, desk: Desk) {
        // The run may be gone when a timer ends.
        let Some(message) = self.voice.try_update_value(|voice| voice.speak(millis())) else { return };
        if let Some(message) = message {
            self.speak(match message {
                Message::Said(text) => text,
                Message::Happened(batch) => desk.peek(|lab| lab.told(&batch)),
                Message::Result => {
                    let before = self.heard.get_value();
                    self.heard.set_value(desk.peek(|lab| Arc::clone(lab.derived())));
                    desk.peek(|lab| lab.result(&before))
                }
            });
        }
        let due = self.voice.with_value(Voice::due);
        let Some(due) = due.filter(|_| !self.waits.get_value()) else { return };
        self.waits.set_value(true);
        let wait = Duration::from_millis(due.saturating_sub(millis()).max(1));
        let back = move || {
            if self.waits.try_set_value(false).is_none() {
                self.pump(desk);
            }
        };
        set_timeout(back, wait);
    }

    fn speak(self, mut text: String) {
        // The same words once more are read only if they differ.
        if self.line.with_untracked(|line| *line == text) {
            text.push('\u{a0}');
        }
        self.line.set(text);
    }
}

fn millis() -> Millis {
    now() as Millis
}
