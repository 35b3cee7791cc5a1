//! What led to a record: its triggers and reasons, and the faults behind what did not happen, as far
//! as they are worth telling.

use crate::clock::At;
use crate::fault::Path;
use crate::record::{Kind, Loss, MessageKind, NONE, Record};
use crate::trace::Trace;
use fenceline_engine::NodeId;
use std::collections::BTreeSet;

/// The causes of a record, latest first.
pub fn causes(trace: &Trace, record: u32) -> Vec<u32> {
    let mut found = BTreeSet::new();
    let mut seen = BTreeSet::new();
    let mut open = vec![record];
    if let Some(about) = trace.get(record) {
        open.extend(newest_grant(trace, about, record));
    }
    while let Some(id) = open.pop() {
        let Some(event) = trace.get(id).filter(|_| seen.insert(id)) else { continue };
        if id != record && matters(event) {
            found.insert(id);
        }
        open.extend((event.cause != NONE).then_some(event.cause));
        open.extend(trace.reasons(id));
        open.extend(faults_behind(trace, event, id));
    }
    found.into_iter().rev().collect()
}

/// When the first cause of any of these records lies; none if they have none.
pub fn earliest(trace: &Trace, records: impl Iterator<Item = u32>) -> Option<At> {
    let first = records.filter_map(|record| causes(trace, record).last().copied()).min()?;
    trace.get(first).map(|record| record.at)
}

/// Whether an event is told as a cause; the rest is how it got there.
fn matters(event: &Record) -> bool {
    match event.kind {
        Kind::Granted => event.attempt > 1,
        Kind::Paused
        | Kind::Resumed
        | Kind::Frozen
        | Kind::Thawed
        | Kind::Crashed
        | Kind::Restarted
        | Kind::Slowed
        | Kind::LinkCut
        | Kind::LinkDegraded
        | Kind::Lost
        | Kind::ClockStepped
        | Kind::ClockRated
        | Kind::InputChanged
        | Kind::RuleSet
        | Kind::Decided
        | Kind::Expired
        | Kind::Refused
        | Kind::BeatStarved
        | Kind::BeatWaited
        | Kind::StageRefused
        | Kind::LockRefused
        | Kind::FenceForgotten
        | Kind::Redelivered
        | Kind::Leads
        | Kind::DecisionRefused
        | Kind::SteppedDown
        | Kind::Failing
        | Kind::Errored
        | Kind::Restored
        | Kind::LockForced
        | Kind::LoopHeld
        | Kind::Raised => true,
        _ => false,
    }
}

/// The newest grant of the task before a record: what makes an older attempt's write stale.
fn newest_grant(trace: &Trace, about: &Record, before: u32) -> Option<u32> {
    let is_it = |id: &u32| {
        trace.get(*id).is_some_and(|r| r.kind == Kind::Granted && r.task == about.task && r.attempt > 1)
    };
    (0..before).rev().find(is_it)
}

/// What stopped the process that a record says runs again, and what silenced the holder of a lease
/// that expired: neither sent anything, so no message leads to it.
fn faults_behind(trace: &Trace, event: &Record, id: u32) -> Vec<u32> {
    let stopped_by = match event.kind {
        Kind::Resumed => Kind::Paused,
        Kind::Thawed => Kind::Frozen,
        Kind::Restarted => Kind::Crashed,
        Kind::Expired => return silencers(trace, event, id),
        Kind::Delivered if event.is_store_call() => return store_faults(trace, event, id),
        _ => return Vec::new(),
    };
    let is_it = |r: &Record| r.node == event.node && r.kind == stopped_by;
    (0..id).rev().find(|id| trace.get(*id).is_some_and(is_it)).into_iter().collect()
}

/// What was done to the store of the record and in force while a call was on its way: it kept whoever asked.
fn store_faults(trace: &Trace, event: &Record, id: u32) -> Vec<u32> {
    let store = if event.message() == Some(MessageKind::StoreCall) { event.node } else { event.peer };
    let mut asked = id;
    while let Some(before) = trace.get(asked).map(|record| record.cause)
        && trace
            .get(before)
            .is_some_and(|r| matches!(r.kind, Kind::Sent | Kind::Delivered) && r.is_store_call())
    {
        asked = before;
    }
    let (mut found, mut over) = (Vec::new(), Vec::new());
    for at in (0..id).rev() {
        let Some(event) = trace.get(at).filter(|event| event.node == store) else { continue };
        let begins = match event.kind {
            Kind::Resumed => Kind::Paused,
            Kind::Thawed => Kind::Frozen,
            Kind::Restarted => Kind::Crashed,
            Kind::LinkHealed => Kind::LinkCut,
            Kind::LinkRestored => Kind::LinkDegraded,
            Kind::Slowed if event.b >= 100 => Kind::Slowed,
            Kind::Paused
            | Kind::Frozen
            | Kind::Crashed
            | Kind::LinkCut
            | Kind::LinkDegraded
            | Kind::Slowed => {
                found.extend((!over.contains(&event.kind)).then_some(at));
                continue;
            }
            _ => continue,
        };
        if at < asked {
            over.push(begins);
        }
    }
    found
}

/// What was in force at its holder or its judge between a lease's last renewal and its expiry. A fault
/// that was over before the renewal silenced nobody.
fn silencers(trace: &Trace, expired: &Record, id: u32) -> Vec<u32> {
    let is_grant = |r: &Record| r.kind == Kind::Granted && r.exec() == expired.exec();
    let Some(grant) = (0..id).rev().find(|id| trace.get(*id).is_some_and(is_grant)) else {
        return Vec::new();
    };
    // A scheduler that was stopped judges by what it knew.
    let judge = expired.node;
    let owner = trace.get(grant).map_or(judge, |grant| grant.peer);
    let is_call = |id: &u32| trace.get(*id).is_some_and(|r| r.kind == Kind::Delivered && r.is_store_call());
    let renewed = trace.reasons(id).filter(|id| !is_call(id)).max().unwrap_or(grant);
    let store =
        (0..id).filter_map(|id| trace.get(id)).find(|r| r.kind == Kind::Delivered && r.is_store_call());
    let store = store.map(|r| if r.message() == Some(MessageKind::StoreCall) { r.node } else { r.peer });
    let mut silence = Silence { expired, judge, renewed, over: Vec::new(), unsent: false, lost: None };
    let mut found = Vec::new();
    for at in (0..id).rev() {
        let Some(event) = trace.get(at) else { continue };
        let is_there = event.node == owner || event.node == judge || Some(event.node) == store;
        if silence.is_of(at, event) && is_there {
            found.push(at);
        }
    }
    found.extend(silence.lost);
    found
}

/// A walk back from an expiry through what may have silenced the holder.
struct Silence<'a> {
    expired: &'a Record,
    judge: NodeId,
    /// The last renewal.
    renewed: u32,
    /// What ended before it, the latest first.
    over: Vec<&'a Record>,
    unsent: bool,
    /// The first message that was lost.
    lost: Option<u32>,
}

impl<'a> Silence<'a> {
    fn is_of(&mut self, at: u32, event: &'a Record) -> bool {
        let is_its = at > self.renewed && event.exec() == self.expired.exec();
        match event.kind {
            Kind::Resumed
            | Kind::Thawed
            | Kind::Restarted
            | Kind::LinkHealed
            | Kind::LinkRestored
            | Kind::Recovered => self.ends(at, event),
            Kind::Slowed if event.b >= 100 => self.ends(at, event),
            Kind::Slowed => !self.was_over(event, &[Kind::Slowed]),
            Kind::Paused | Kind::Frozen | Kind::Crashed => {
                !self.was_over(event, &[Kind::Resumed, Kind::Thawed, Kind::Restarted])
            }
            Kind::LinkCut => !self.was_mended(event, Kind::LinkHealed) && event.flag != Path::Data as u8,
            Kind::LinkDegraded => {
                !self.was_mended(event, Kind::LinkRestored) && event.flag != Path::Data as u8
            }
            Kind::Failing => !self.was_over(event, &[Kind::Recovered]),
            Kind::ClockStepped => event.node == self.judge && at > self.renewed,
            Kind::ClockRated => event.node == self.judge,
            // A cut tells it better. The first of them is told.
            Kind::Lost if is_its && event.b == Loss::Chance as i64 => {
                self.lost = Some(at);
                false
            }
            // One of them tells it.
            Kind::BeatStarved | Kind::BeatWaited if is_its => !std::mem::replace(&mut self.unsent, true),
            _ => false,
        }
    }

    /// The end of a fault silences nobody; one before the renewal clears what began before it.
    fn ends(&mut self, at: u32, event: &'a Record) -> bool {
        if at < self.renewed {
            self.over.push(event);
        }
        false
    }

    fn was_over(&self, event: &Record, ends: &[Kind]) -> bool {
        self.over.iter().any(|end| end.node == event.node && ends.contains(&end.kind))
    }

    /// Takes the end that belongs to a fault of a link.
    fn was_mended(&mut self, event: &Record, ends: Kind) -> bool {
        let is_its = |end: &&Record| {
            end.kind == ends && (end.node, end.flag, end.n) == (event.node, event.flag, event.n)
        };
        self.over.iter().position(is_its).map(|end| self.over.swap_remove(end)).is_some()
    }
}
