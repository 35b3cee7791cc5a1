//! The start page's ten seconds: the first run, told in beats, each taken from its trace.

use std::sync::Arc;

use fenceline_content::scenario::{Case, Remedy};
use fenceline_engine::{FenceRaise, FenceRules, Span};
use fenceline_sim::{Act, At, Intervention, Kind, Record, Setting, When, workload};

use crate::app::lab::Derived;
use crate::app::words::start as words;

/// The first run as code: the scenario `flagship`, faults and first remedy included, so that a first
/// visit loads no reader of scenario files. A test holds it to the file.
pub fn first_run() -> Case {
    let mut scenario = workload::first_run();
    let pause = Act::Pause { node: scenario.worker(0), lasts: Some(Span::secs(55)) };
    scenario.script = vec![Intervention { when: When::At(22_000_000), act: pause }];
    let fence = FenceRules::raised(FenceRaise::Claim);
    let fence = Setting::Fence { node: scenario.sink(0), fence: Some(fence) };
    let settings = vec![Intervention { when: When::At(0), act: Act::Set(fence) }];
    let remedy = Remedy { settings, ..Remedy::default() };
    Case { id: "flagship".into(), scenario: Arc::new(scenario), remedies: vec![remedy], ..Case::empty() }
}

/// A stretch of watching: the cursor goes from where the last beat left it to `to`.
#[derive(Clone, Debug, PartialEq)]
pub struct Beat {
    /// How long it is watched, in milliseconds.
    pub lasts: u32,
    pub to: At,
    pub caption: String,
    /// Stale or expired: said in red.
    pub bad: bool,
}

/// The run as a sequence of beats.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Reel {
    pub from: At,
    pub beats: Vec<Beat>,
}

/// What is seen at a moment of watching.
#[derive(Clone, Debug, PartialEq)]
pub struct Seen {
    pub cursor: At,
    pub caption: String,
    pub bad: bool,
    pub over: bool,
}

impl Reel {
    /// From the grant to the second write.
    pub fn of(run: &Derived) -> Self {
        let first = |kind: Kind, attempt: u8| {
            at_of(run, |r| r.kind == kind && (attempt == 0 || r.attempt == attempt))
        };
        let rows = run.history.trace().iter().find(|r| r.kind == Kind::Applied).map_or(0, |r| r.b);
        let lease_end = run.truth.leases.first().and_then(|lease| lease.end).map(|(at, _)| at);
        let beats = [
            (1400, first(Kind::Paused, 0), words::GRANTED.to_owned(), false),
            (900, first(Kind::Paused, 0), words::PAUSED.to_owned(), false),
            (1500, lease_end, words::SILENCE.to_owned(), false),
            (800, lease_end, words::LEASE_ENDS.to_owned(), true),
            (1400, first(Kind::Resumed, 0), words::HANDED_ON.to_owned(), false),
            (900, first(Kind::Resumed, 0), words::WAKES.to_owned(), true),
            (700, first(Kind::Applied, 2), words::second_writes(rows), false),
            (700, first(Kind::Applied, 1), words::first_writes(rows), true),
            (300, Some(run.scenario.until), words::first_writes(rows), true),
        ];
        Self { from: 0, beats: beats.into_iter().filter_map(beat).collect() }
    }

    /// The same schedule with the table fenced, from shortly before the zombie wakes.
    pub fn fenced(run: &Derived) -> Self {
        let refused = run.history.trace().iter().find(|r| r.kind == Kind::Fenced);
        let said = refused.map_or(String::new(), |r| words::fenced(token_of(run, r), r.b));
        let applied = at_of(run, |r| r.kind == Kind::Applied);
        let beats = [
            (900, applied, words::FENCE_STANDS.to_owned(), false),
            (900, refused.map(|r| r.at), said.clone(), false),
            (700, Some(run.scenario.until), said, false),
        ];
        let woken = at_of(run, |r| r.kind == Kind::Resumed).unwrap_or(0);
        Self { from: woken.saturating_sub(3_000_000), beats: beats.into_iter().filter_map(beat).collect() }
    }

    /// How long the whole is watched, in milliseconds.
    pub fn lasts(&self) -> u32 {
        self.beats.iter().map(|beat| beat.lasts).sum()
    }

    /// What is seen `millis` after the beginning.
    pub fn at(&self, millis: u32) -> Seen {
        let mut from = self.from;
        let mut left = millis;
        for beat in &self.beats {
            if left < beat.lasts {
                let share = u64::from(left) * 1000 / u64::from(beat.lasts.max(1));
                let cursor = from + beat.to.saturating_sub(from) * share / 1000;
                return Seen { cursor, caption: beat.caption.clone(), bad: beat.bad, over: false };
            }
            left -= beat.lasts;
            from = beat.to.max(from);
        }
        let last = self.beats.last();
        Seen {
            cursor: from,
            caption: last.map_or(String::new(), |beat| beat.caption.clone()),
            bad: last.is_some_and(|beat| beat.bad),
            over: true,
        }
    }
}

fn beat((lasts, to, caption, bad): (u32, Option<At>, String, bool)) -> Option<Beat> {
    Some(Beat { lasts, to: to?, caption, bad })
}

fn at_of(run: &Derived, is_it: impl Fn(&Record) -> bool) -> Option<At> {
    run.history.trace().iter().find(|record| is_it(record)).map(|record| record.at)
}

fn token_of(run: &Derived, record: &Record) -> u32 {
    run.truth.lease(record.task, record.attempt).map_or(0, |lease| lease.token.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::app::lab::Lab;

    /// A visitor sees within ten seconds what the page is about; half a second is left to load it.
    #[test]
    fn each_reel_is_over_within_ten_seconds() {
        const MOST: u32 = 9_500;
        let mut lab = Lab::open(Arc::new(first_run()), 1, None);
        let reel = Reel::of(lab.derived());
        assert_eq!(reel.beats.len(), 9, "a beat has no instant in the run: {reel:?}");
        assert!(reel.lasts() <= MOST, "{} ms", reel.lasts());
        assert!(reel.at(MOST).over);

        lab.remedy(0);
        let fenced = Reel::fenced(lab.derived());
        assert_eq!(fenced.beats.len(), 3, "a beat has no instant in the run: {fenced:?}");
        assert!(fenced.lasts() <= MOST, "{} ms", fenced.lasts());
        assert!(fenced.at(MOST).over);
    }
}
