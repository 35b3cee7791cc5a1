//! A worker's leases as they are, and as it believes them to be.

use super::board::Board;
use super::ink::Ink;
use super::place::{Priority, Spot};
use super::{Area, between};
use crate::app::words::event::hue;
use crate::app::words::stage as words;
use fenceline_sim::At;
use fenceline_sim::truth::{ExecutionTruth, LeaseEnd, LeaseTruth};

/// From when to when a holder counts on its lease, up to `last`; true: past its own deadline.
pub(super) fn believed(lease: &LeaseTruth, last: At) -> Vec<(At, At, bool)> {
    let mut held: Vec<(At, At, bool)> = Vec::new();
    for (place, belief) in lease.beliefs.iter().enumerate() {
        if belief.told_lost {
            break;
        }
        let next = lease.beliefs.get(place + 1).map_or(last, |next| next.from).min(last);
        let own = belief.until.unwrap_or(At::MAX).min(next);
        for (from, until, past) in [(belief.from, own, false), (own, next, true)] {
            match held.last_mut() {
                _ if until <= from => {}
                Some(open) if open.1 == from && open.2 == past => open.1 = until,
                _ => held.push((from, until, past)),
            }
        }
    }
    held
}

impl Board<'_> {
    /// A belief: outlined while held by the holder's own reckoning, dashed past its own deadline,
    /// ended by a cross when told.
    pub(super) fn beliefs(&mut self, lease: &LeaseTruth, run: Option<&ExecutionTruth>, y: f32) {
        let Some(run) = run else { return };
        let color = hue(lease.exec.attempt);
        let end = run.end.map(|(at, _)| at);
        let last = end.unwrap_or(self.view.now);
        for (from, until, past) in believed(lease, last) {
            let lasts = end.is_none() && until == last;
            let Some((left, right)) = self.span(from, (!lasts).then_some(until)) else { continue };
            let ink = if past { Ink::BeliefPast } else { Ink::Belief };
            let area = Area::new(left + 0.75, y + 0.5, right - 0.75, y + 7.5);
            self.canvas.area(ink, color, area, if past { 0.0 } else { 2.0 });
            self.placer.keep_off(area);
        }
        let Some(told) = lease.beliefs.iter().find(|belief| belief.told_lost) else { return };
        let Some(x) = self.seen(told.from) else { return };
        self.canvas.cross(Ink::CrossBad, x, y + 4.0);
        let record = self.facts.told.iter().find(|t| t.exec == lease.exec).map(|t| t.record);
        if let Some(record) = record {
            self.handle(record, Area::new(x - 6.0, y - 3.0, x + 6.0, y + 11.0));
        }
        self.placer.keep_off(Area::new(x - 5.0, y - 1.0, x + 5.0, y + 9.0));
        let goes_on = last > told.from;
        let spots = [Spot::right_of(x + 9.0, y + 8.0), Spot::left_of(x - 9.0, y + 20.0)];
        self.label(Priority::Expiry, "t-bad t-halo", words::told(goes_on), &spots);
    }

    /// The time left of a lease: it drains by the judge's clock, and every renewal refills it.
    pub(super) fn lease(&mut self, lease: &LeaseTruth, y: f32, tall: f32) {
        let color = hue(lease.exec.attempt);
        let Some(first) = lease.terms.first() else { return };
        let last = lease.end.map_or(self.view.now, |(at, _)| at);
        let Some((left, right)) = self.span(first.from, Some(last)) else { return };
        let floor = y + tall;
        let points = self.fuse(lease, first.from, last);
        let mut pen = self.canvas.pen(Ink::Lease, color);
        pen.to(left, floor);
        for (x, share) in points {
            pen.line(between(x, left, right), floor - tall * share);
        }
        pen.line(right, floor).close();
        self.canvas.line(Ink::LeaseEdge, color, (left, floor + 0.5), (right, floor + 0.5));
        let area = Area::new(left, y, right, floor + 1.0);
        self.placer.keep_off(area);
        for term in &lease.terms {
            if let Some(x) = self.seen(term.from) {
                self.handle(term.record, Area::new(x - 4.0, y, x + 4.0, floor));
            }
        }
        self.lease_end(lease, y, floor);
    }

    fn lease_end(&mut self, lease: &LeaseTruth, y: f32, floor: f32) {
        let Some((at, why)) = lease.end else { return };
        let Some(x) = self.seen(at) else { return };
        let spots = [Spot::right_of(x + 9.0, floor - 5.0), Spot::left_of(x - 6.0, y - 4.0)];
        let starts = self.view.starts;
        let expired = self.facts.expired.iter().find(|e| e.exec == lease.exec).map(|e| e.record);
        let record = expired.or(lease.terms.last().map(|term| term.record));
        if let Some(record) = record {
            self.handle(record, Area::new(x - 4.0, y - 2.0, x + 5.0, floor + 2.0));
        }
        let run = self.view.truth.execution(lease.exec);
        let closed =
            why != LeaseEnd::Expired && run.and_then(|run| run.end).is_some_and(|(end, _)| end <= at);
        if why != LeaseEnd::Released && closed {
            return self.label(Priority::Rest, "t-muted t-halo", words::closed(), &spots);
        }
        if why == LeaseEnd::Released {
            return self.label(Priority::Rest, "t-muted t-halo", words::released(), &spots);
        }
        self.canvas.line(Ink::Bracket, 0, (x, y - 1.0), (x, floor + 1.0));
        self.placer.keep_off(Area::new(x - 1.0, y, x + 1.0, floor));
        let texts = match why {
            LeaseEnd::Expired => words::lease_ended(at, starts),
            _ => words::lease_withdrawn(at, starts),
        };
        self.label(Priority::Expiry, "t-bad t-halo", texts, &spots);
    }

    /// The share of a whole lease that is left, at each time it bends.
    fn fuse(&self, lease: &LeaseTruth, from: At, last: At) -> Vec<(f32, f32)> {
        let rules = &self.view.rulebook.scenario().rules.lease;
        let whole = rules.duration.0.max(1) as f32;
        let Some(clocks) = &self.facts.clocks else { return Vec::new() };
        let judge = clocks.of(lease.judge);
        let clock = judge.judging(rules.clock);
        let mut points = Vec::new();
        for (place, term) in lease.terms.iter().enumerate() {
            let start = term.from.max(from);
            let next = lease.terms.get(place + 1).map_or(last, |next| next.from).min(last);
            let left =
                |at: At| between((term.reading.saturating_sub(clock.read(at))) as f32 / whole, 0.0, 1.0);
            points.push((self.axis.x(start), left(start)));
            for bend in clock.bends().filter(|bend| *bend > start && *bend < next) {
                points.push((self.axis.x(bend), left(bend - 1)));
                points.push((self.axis.x(bend), left(bend)));
            }
            points.push((self.axis.x(next), left(next.max(1) - 1)));
        }
        points
    }
}
