//! What is read aloud of a run: at most one message in a second and a half, and what matters first.

use std::sync::Arc;

use fenceline_sim::truth::LeaseEnd;
use fenceline_sim::verdict::{Claim, State};
use fenceline_sim::{At, Kind, Record, order};

use super::opening::is_fault;
use super::{Derived, Lab, Name};
use crate::app::words::event::{Names, is_interesting, spoken, tell};
use crate::app::words::{lab as lab_words, speech as words};

/// Milliseconds of the page's own clock.
pub type Millis = u64;

/// Between two messages.
pub const GAP: Millis = 1_500;
/// An edit is over when nothing has changed for so long.
pub const REST: Millis = 400;
/// Events told in one message; the others are counted.
const MOST: usize = 3;

/// How much an event matters, most first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Weight {
    Violation,
    Fence,
    Expiry,
    Grant,
    Fault,
    Rest,
}

/// Something that can be told.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Event {
    Record(u32),
    /// The end of a lease, by its place in the truth: nobody notices it, so it has no record.
    LeaseEnd(usize),
    Broken(Claim),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Heard {
    pub weight: Weight,
    pub at: At,
    pub event: Event,
}

/// What happened since the last message: the few that matter most, and how many in all.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Batch {
    best: Vec<Heard>,
    count: usize,
    span: Option<(At, At)>,
}

impl Batch {
    fn add(&mut self, heard: Heard) {
        let before = |known: &Heard| (known.weight, known.at) <= (heard.weight, heard.at);
        let place = self.best.iter().take_while(|known| before(known)).count();
        self.best.insert(place, heard);
        self.best.truncate(MOST);
        self.count += 1;
        let (from, until) = self.span.unwrap_or((heard.at, heard.at));
        self.span = Some((from.min(heard.at), until.max(heard.at)));
    }
}

/// What is to be said now.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Message {
    Happened(Batch),
    Said(String),
    /// What the last edits made of the run.
    Result,
}

/// Holds back what would come too fast.
#[derive(Debug, Default)]
pub struct Voice {
    spoke: Option<Millis>,
    batch: Batch,
    said: Option<String>,
    /// When the result of an edit is due.
    result: Option<Millis>,
}

impl Voice {
    /// Events met while it plays.
    pub fn happens(&mut self, all: impl IntoIterator<Item = Heard>) {
        all.into_iter().for_each(|heard| self.batch.add(heard));
    }

    /// Events where the cursor was put: what was waiting to be told is no longer of interest.
    pub fn arrives(&mut self, all: impl IntoIterator<Item = Heard>) {
        self.batch = Batch::default();
        self.happens(all);
    }

    /// An answer to what was pressed; a later one takes its place.
    pub fn says(&mut self, text: String) {
        self.said = Some(text);
    }

    /// The run was edited, and may be again in a moment.
    pub fn edited(&mut self, now: Millis) {
        self.result = Some(now + REST);
    }

    /// When there will be something to say.
    pub fn due(&self) -> Option<Millis> {
        let at_once = (self.said.is_some() || self.batch.count > 0).then_some(0);
        let due = at_once.or(self.result)?;
        Some(due.max(self.spoke.map_or(0, |spoke| spoke + GAP)))
    }

    /// What is to be said now, if it is time.
    pub fn speak(&mut self, now: Millis) -> Option<Message> {
        if self.due()? > now {
            return None;
        }
        let result = self.result.filter(|due| *due <= now);
        let message = match (self.said.take(), result) {
            (Some(text), _) => Message::Said(text),
            (None, Some(_)) => {
                self.result = None;
                Message::Result
            }
            (None, None) => Message::Happened(std::mem::take(&mut self.batch)),
        };
        self.spoke = Some(now);
        Some(message)
    }
}

impl Lab {
    /// What of interest happens after `from`, up to `to`.
    pub fn happens(&self, from: At, to: At) -> Vec<Heard> {
        let derived = self.derived();
        let trace = derived.history.trace();
        let names = Names::of(derived);
        let within = |at: At| from < at && at <= to;
        let records = (trace.len_at(from)..trace.len_at(to)).filter_map(|id| Some((id, trace.get(id)?)));
        let records = records.filter(|(_, record)| is_interesting(record)).map(|(id, record)| Heard {
            weight: weight(record, &names),
            at: record.at,
            event: Event::Record(id),
        });
        let ends = derived.truth.leases.iter().enumerate().filter_map(|(index, lease)| match lease.end {
            Some((at, LeaseEnd::Expired)) if within(at) => {
                Some(Heard { weight: Weight::Expiry, at, event: Event::LeaseEnd(index) })
            }
            _ => None,
        });
        let broken = derived.end.verdicts.iter().filter(|verdict| verdict.state == State::Violated);
        let broken = broken.filter_map(|verdict| {
            let at = verdict.since.filter(|at| within(*at))?;
            Some(Heard { weight: Weight::Violation, at, event: Event::Broken(verdict.claim) })
        });
        let mut all: Vec<Heard> = records.chain(ends).chain(broken).collect();
        order::by(&mut all, |heard| heard.at);
        all
    }

    /// What happens at one instant, of interest or not.
    pub fn happens_at(&self, at: At) -> Vec<Heard> {
        let before = at.checked_sub(1);
        let all = before.map_or(Vec::new(), |before| self.happens(before, at));
        if !all.is_empty() {
            return all;
        }
        let trace = self.derived().history.trace();
        let first = trace.get(before.map_or(0, |before| trace.len_at(before)));
        let id = before.map_or(0, |before| trace.len_at(before));
        let here = first.filter(|record| record.at == at);
        here.map(|_| Heard { weight: Weight::Rest, at, event: Event::Record(id) }).into_iter().collect()
    }

    /// The nearest instant before, or after, at which something of interest happens.
    pub fn interesting(&self, at: At, forward: bool) -> Option<At> {
        if forward {
            return self.happens(at, self.until()).first().map(|heard| heard.at);
        }
        self.happens(0, at.saturating_sub(1)).last().map(|heard| heard.at)
    }

    /// A batch as one message.
    pub fn told(&self, batch: &Batch) -> String {
        let derived = self.derived();
        let names = Names::of(derived);
        let trace = derived.history.trace();
        let tell = |heard: &Heard| match heard.event {
            Event::Record(id) => trace.get(id).map(|record| spoken(&tell(record, &names))),
            Event::LeaseEnd(index) => {
                derived.truth.leases.get(index).map(|lease| words::lease_ends(lease.token.0))
            }
            Event::Broken(claim) => Some(words::now_violated(claim)),
        };
        let told: Vec<String> = batch.best.iter().filter_map(tell).collect();
        let span = batch.span.unwrap_or_default();
        words::batch(span, &told, batch.count.saturating_sub(told.len()), self.case().starts)
    }

    /// What the edits since `before` made of the run.
    pub fn result(&self, before: &Arc<Derived>) -> String {
        let (then, now) = (&before.end.verdicts, &self.derived().end.verdicts);
        let starts = self.case().starts;
        let changed = |state: State| {
            let of = then.iter().zip(now).find(|(then, now)| then.state != now.state && now.state == state);
            of.map(|(_, now)| words::now(now.claim, state))
        };
        let still = || {
            let (claim, _, at) = self.first_violation()?;
            let was = then.iter().find(|verdict| verdict.claim == claim).and_then(|verdict| verdict.since);
            Some(words::still_violated(claim, (was != Some(at)).then_some(at), starts))
        };
        let verdict = changed(State::Violated)
            .or_else(still)
            .or_else(|| changed(State::Holds))
            .or_else(|| changed(State::NotExercised))
            .unwrap_or_else(|| words::NOTHING_VIOLATED.into());
        let fenced = |derived: &Derived| {
            derived.history.trace().since(0).filter(|(_, record)| record.kind == Kind::Fenced).count()
        };
        let fenced = (fenced(before), fenced(self.derived()));
        let fenced = if fenced.1 > fenced.0 { words::fenced(fenced.1) } else { String::new() };
        format!("{}{verdict}{fenced}", self.done().unwrap_or_default())
    }

    /// What the last edit did; nothing where it was taken back.
    fn done(&self) -> Option<String> {
        let name = self.undoes().filter(|_| self.redoes().is_none())?;
        let end = match name {
            Name::Change(index, _) => self.acts().get(index).and_then(super::faults::span_of)?.1,
            _ => None,
        };
        Some(words::done(name, end, self.case().starts, &lab_words::edit(name)))
    }
}

fn weight(record: &Record, names: &Names) -> Weight {
    match record.kind {
        Kind::Applied if names.is_stale(record) => Weight::Violation,
        Kind::Fenced => Weight::Fence,
        Kind::Expired | Kind::LockExpired => Weight::Expiry,
        Kind::Granted => Weight::Grant,
        _ if is_fault(record) => Weight::Fault,
        _ => Weight::Rest,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn heard(weight: Weight, at: At) -> Heard {
        Heard { weight, at, event: Event::Record(0) }
    }

    #[test]
    fn messages_keep_their_distance_and_nothing_waits_for_ever() {
        let mut voice = Voice::default();
        let mut spoken = Vec::new();
        // A frame every 16 ms for 10 s, each with something to tell.
        for now in (0..10_000).step_by(16) {
            voice.happens([heard(Weight::Rest, now)]);
            spoken.extend(voice.speak(now).map(|_| now));
        }
        assert_eq!(spoken.len(), 7, "{spoken:?}");
        assert!(spoken.windows(2).all(|pair| pair[1] - pair[0] >= GAP), "{spoken:?}");
        assert_eq!(voice.due(), spoken.last().map(|last| last + GAP));
    }

    #[test]
    fn what_matters_is_told_first_and_the_rest_is_counted() {
        let mut voice = Voice::default();
        voice.happens([
            heard(Weight::Rest, 1),
            heard(Weight::Grant, 2),
            heard(Weight::Fault, 3),
            heard(Weight::Violation, 4),
            heard(Weight::Expiry, 5),
            heard(Weight::Fence, 6),
        ]);
        let Some(Message::Happened(batch)) = voice.speak(0) else { unreachable!("a batch is due") };
        let weights: Vec<Weight> = batch.best.iter().map(|heard| heard.weight).collect();
        assert_eq!(weights, [Weight::Violation, Weight::Fence, Weight::Expiry]);
        assert_eq!((batch.count, batch.span), (6, Some((1, 6))));
        assert_eq!(voice.due(), None);
    }

    #[test]
    fn of_a_drag_only_the_result_is_told_after_it_rests() {
        let mut voice = Voice::default();
        for now in (0..2_000).step_by(16) {
            voice.edited(now);
            assert_eq!(voice.speak(now), None);
        }
        assert_eq!(voice.due(), Some(1_984 + REST));
        assert_eq!(voice.speak(1_984 + REST), Some(Message::Result));
        assert_eq!(voice.speak(9_000), None);
    }

    #[test]
    fn the_answer_to_a_key_takes_the_place_of_the_one_before() {
        let mut voice = Voice::default();
        voice.says("one".into());
        assert_eq!(voice.speak(0), Some(Message::Said("one".into())));
        voice.says("two".into());
        voice.says("three".into());
        assert_eq!(voice.speak(100), None);
        assert_eq!(voice.speak(GAP), Some(Message::Said("three".into())));
        voice.happens([heard(Weight::Rest, 1)]);
        voice.arrives([]);
        assert_eq!(voice.due(), None);
    }
}
