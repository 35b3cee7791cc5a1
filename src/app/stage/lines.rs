//! Lines between lanes. Routine messages never cross a lane: two stubs. What matters goes all the
//! way, under the bars.

use super::board::{Bar, Board};
use super::facts::{Facts, Flight, Handled};
use super::ink::Ink;
use super::place::{Ground, Priority, Spot, Want};
use super::{Area, Face, LaneOf};
use crate::app::words::event::hue;
use crate::app::words::stage as words;
use crate::app::words::stage::time_span;
use fenceline_engine::Exec;
use fenceline_sim::{Kind, MessageKind, NONE};
use std::collections::BTreeMap;

/// A pair this close is one double-headed line.
const ONE_LINE: f32 = 6.0;
/// Beats closer than this fold to ticks.
const TRAIN: f32 = 14.0;

impl Board<'_> {
    /// All messages between lanes.
    pub(super) fn lines(&mut self) {
        let flights = std::mem::take(&mut self.facts.flights);
        self.beats(&flights);
        for flight in &flights {
            match flight.kind {
                MessageKind::Dispatch => self.dispatch(flight),
                MessageKind::Request | MessageKind::Raise if flight.lost => self.lost_call(flight),
                MessageKind::Reply if flight.lost => self.lost_call(flight),
                MessageKind::Completed | MessageKind::Failed | MessageKind::Delivered if flight.lost => {
                    self.lost_word(flight);
                }
                _ => {}
            }
        }
        self.facts.flights = flights;
        for handled in std::mem::take(&mut self.facts.handled) {
            self.handled(&handled);
        }
    }

    /// Heartbeats and their answers.
    fn beats(&mut self, flights: &[Flight]) {
        let every = self.view.rulebook.scenario().rules.heartbeat.every;
        let spacing = self.axis.x(u64::try_from(every.0).unwrap_or(0)) - self.axis.x(0);
        let mut replies: BTreeMap<u32, &Flight> = BTreeMap::new();
        for reply in flights.iter().filter(|flight| flight.kind == MessageKind::HeartbeatReply) {
            // Its cause is the answer, whose cause is the beat's arrival.
            let answer = self.view.trace.get(reply.sent).map_or(NONE, |record| record.cause);
            let arrival = self.view.trace.get(answer).map_or(NONE, |record| record.cause);
            replies.insert(arrival, reply);
            replies.entry(answer).or_insert(reply);
        }
        let refused: Vec<(u32, Exec, u32)> = self
            .facts
            .refused
            .iter()
            .filter_map(|r| Some((self.view.trace.get(r.record)?.cause, r.exec, r.record)))
            .collect();
        for beat in flights.iter().filter(|flight| flight.kind == MessageKind::Heartbeat) {
            let Some(bar) = self.bar(beat.exec) else { continue };
            let reply = (beat.ended != NONE).then(|| replies.get(&beat.ended)).flatten().copied();
            let refusal = refused.iter().find(|(arrival, ..)| *arrival == beat.ended && beat.ended != NONE);
            self.beat(beat, reply, bar, spacing, refusal.map(|(_, _, record)| *record));
        }
    }

    fn beat(&mut self, beat: &Flight, reply: Option<&Flight>, bar: Bar, spacing: f32, refusal: Option<u32>) {
        let Some(x) = self.seen(beat.at) else { return };
        let (top, story) = (bar.top, self.story_port(beat.exec));
        if beat.lost {
            let y = bar.lane_top + 4.0;
            self.canvas.line(Ink::Thin, 0, (x, top), (x, y));
            self.canvas.cross(Ink::CrossMuted, x, y);
            self.handle(beat.sent, Area::new(x - 5.0, y - 5.0, x + 5.0, top));
            return;
        }
        self.handle(beat.sent, Area::new(x - 4.0, top - 11.0, x + 4.0, top));
        if let Some(record) = refusal {
            self.refusal(beat, reply, bar, record);
            return;
        }
        if spacing < TRAIN {
            self.canvas.line(Ink::Thin, 0, (x, top - 5.0), (x, top - 1.0));
            return;
        }
        let arrives = self.axis.x(beat.until);
        let back = reply.filter(|reply| !reply.lost).map_or(arrives, |reply| self.axis.x(reply.until));
        let at_once = back - x < ONE_LINE;
        let dash = if self.is_late(beat) { Ink::ThinDashed } else { Ink::Thin };
        if bar.is_next && story >= self.ports.story_bottom - 0.5 && beat.ended != NONE {
            let tip = (if at_once { x } else { arrives }, story + 1.0);
            self.canvas.arrow((dash, Ink::HeadThin), 0, (x, top - 1.0), tip);
            if at_once && reply.is_some_and(|reply| !reply.lost) {
                self.canvas.head(Ink::HeadThin, 0, tip, (x, top));
            } else if let Some(reply) = reply.filter(|reply| !reply.lost) {
                let from = (self.axis.x(reply.at), story);
                self.canvas.arrow((Ink::Thin, Ink::HeadThin), 0, from, (back, top));
            }
        } else {
            self.canvas.arrow((dash, Ink::HeadThin), 0, (x, top), (x, top - 11.0));
            if beat.ended != NONE {
                self.canvas.arrow((dash, Ink::HeadThin), 0, (arrives, story + 13.0), (arrives, story + 1.0));
                self.placer.keep_off(Area::new(arrives - 3.0, story, arrives + 3.0, story + 13.0));
            }
        }
        if self.is_late(beat) {
            let late = words::late(time_span(beat.at, beat.until));
            self.label(Priority::Rest, "t-muted t-halo", late, &[Spot::right_of(x + 6.0, top - 3.0)]);
        }
        if let Some(reply) = reply.filter(|reply| reply.lost) {
            let y = bar.lane_top + 4.0;
            self.canvas.line(Ink::Thin, 0, (back, y - 11.0), (back, y));
            self.canvas.cross(Ink::CrossMuted, back, y);
            self.handle(reply.sent, Area::new(back - 5.0, y - 11.0, back + 5.0, y + 5.0));
        }
    }

    /// Took much longer than its link's usual time.
    fn is_late(&self, flight: &Flight) -> bool {
        let usual = self.view.rulebook.scenario().control.latency.0.max(200_000);
        flight.ended != NONE && time_span(flight.at, flight.until).0 > usual.saturating_mul(5)
    }

    /// A heartbeat that was refused, and the answer on its way back.
    fn refusal(&mut self, beat: &Flight, reply: Option<&Flight>, bar: Bar, record: u32) {
        let (sent, arrives) = (self.axis.x(beat.at), self.axis.x(beat.until));
        let story = self.story_port(beat.exec);
        let story = if bar.is_next { story } else { self.ports.story_bottom };
        let mut back = reply.map_or(arrives, |reply| self.axis.x(reply.until));
        let mut from = arrives;
        // Side by side with the beat, so that both can be seen.
        if back - sent < ONE_LINE {
            (from, back) = (sent + 5.0, sent + 5.0);
        }
        let up = (sent - 1.0, bar.top - 1.0);
        if bar.is_next {
            self.canvas.arrow((Ink::Thin, Ink::HeadThin), 0, up, (arrives.min(from - 4.0), story + 1.0));
        } else {
            self.canvas.arrow((Ink::Thin, Ink::HeadThin), 0, up, (up.0, bar.top - 11.0));
        }
        match reply {
            Some(reply) if reply.lost => {
                let y = bar.lane_top + 4.0;
                self.canvas.line(Ink::Refusal, 0, (from, story), (from, y));
                self.canvas.cross(Ink::CrossMuted, from, y);
            }
            Some(reply) if reply.ended == NONE => {}
            _ => self.canvas.arrow((Ink::Refusal, Ink::HeadBad), 0, (from, story), (back, bar.top - 1.0)),
        }
        self.handle(record, Area::new(from - 4.0, story, back + 4.0, bar.top));
        let token = Facts::token(self.view, beat.exec).0;
        let mut spots = Vec::new();
        for y in [story + 15.0, story + 25.0, bar.top - 4.0] {
            spots.extend([Spot::right_of(from + 8.0, y), Spot::left_of(from - 8.0, y)]);
        }
        self.label(Priority::Fault, "t-bad t-halo", words::refused(token), &spots);
    }

    /// A grant on its way to its worker.
    fn dispatch(&mut self, flight: &Flight) {
        let (Some(x), Some(bar)) = (self.seen(flight.at), self.worker_lane(flight)) else { return };
        let color = hue(flight.exec.attempt);
        let story = self.story_port(flight.exec);
        // From the middle of its tag.
        let from = (x + 8.0, story);
        if flight.ended == NONE {
            return self.canvas.line(Ink::Grant, color, from, (from.0, bar.lane_top + 4.0));
        }
        if flight.lost {
            self.canvas.line(Ink::Grant, color, from, (from.0, bar.lane_top + 4.0));
            self.canvas.cross(Ink::CrossMuted, from.0, bar.lane_top + 4.0);
            return self
                .handle(flight.sent, Area::new(from.0 - 5.0, story, from.0 + 5.0, bar.lane_top + 8.0));
        }
        let arrives = self.axis.x(flight.until).max(from.0);
        self.canvas.arrow((Ink::Grant, Ink::Head), color, from, (arrives, bar.top));
    }

    /// The bar of a flight's execution, or the lane of its worker where none ever started.
    fn worker_lane(&self, flight: &Flight) -> Option<Bar> {
        let decided = self.view.rulebook.scenario().is_scheduler(flight.from);
        let worker = if decided { flight.to } else { flight.from };
        self.bar(flight.exec).or_else(|| {
            let lane = self.lanes.iter().find(|lane| lane.of == LaneOf::Node(worker))?;
            Some(Bar {
                top: lane.y + 16.0,
                bottom: lane.y + 38.0,
                lane_top: lane.y,
                lane_bottom: lane.y + lane.height,
                ..Bar::default()
            })
        })
    }

    /// A call to a sink, or its answer, that got lost.
    fn lost_call(&mut self, flight: &Flight) {
        let (Some(x), Some(bar)) = (self.seen(flight.at), self.bar(flight.exec)) else { return };
        let y = bar.lane_bottom - 4.0;
        let from = if flight.kind == MessageKind::Reply { y + 12.0 } else { bar.bottom };
        self.canvas.line(Ink::Turned, 0, (x, from), (x, y));
        self.canvas.cross(Ink::CrossPlain, x, y);
        self.handle(flight.sent, Area::new(x - 5.0, y - 5.0, x + 5.0, y + 5.0));
        if flight.kind == MessageKind::Reply {
            let spots = [Spot::right_of(x + 7.0, y + 2.0), Spot::left_of(x - 7.0, y + 2.0)];
            self.label(Priority::Fault, "t t-halo", words::reply_lost(), &spots);
        }
    }

    /// A worker's word to the scheduler that got lost.
    fn lost_word(&mut self, flight: &Flight) {
        let (Some(x), Some(bar)) = (self.seen(flight.at), self.bar(flight.exec)) else { return };
        let y = bar.lane_top + 4.0;
        self.canvas.line(Ink::Thin, 0, (x, bar.top), (x, y));
        self.canvas.cross(Ink::CrossMuted, x, y);
        self.handle(flight.sent, Area::new(x - 5.0, y - 5.0, x + 5.0, bar.top));
    }

    /// What a sink did with a write, a claim or a call.
    fn handled(&mut self, handled: &Handled) {
        let Some(port) = self.sink_port(handled.sink) else { return };
        let Some(bar) = self.bar(handled.exec) else { return };
        let Some(x) = self.seen(handled.at) else { return };
        let sent = self.facts.flight(handled.sent).map_or(handled.at, |flight| flight.at);
        let from = (self.axis.x(sent), bar.bottom);
        let color = hue(handled.exec.attempt);
        let mark = self.view.width.min(x);
        match handled.kind {
            Kind::Fenced => {
                let y = port.fence.unwrap_or(port.top + 10.0);
                self.canvas.line(Ink::Stale, 0, from, (x, y - 9.0));
                self.canvas.circle(Ink::RingGround, 0, x, y, 10.0);
                self.canvas.circle(Ink::Ring, 0, x, y, 7.5);
                self.canvas.line(Ink::Ring, 0, (x - 4.0, y), (x + 4.0, y));
                let area = Area::new(x - 9.0, y - 9.0, x + 9.0, y + 9.0);
                self.placer.keep_off(area);
                self.handle(handled.record, area);
                let highest = u32::try_from(handled.b).unwrap_or(0);
                let token = Facts::token(self.view, handled.exec).0;
                let spots = [
                    Spot::right_of(x + 14.0, y + 17.0),
                    Spot::left_of(x - 14.0, y + 17.0),
                    Spot::right_of(x + 14.0, y - 6.0),
                    Spot::left_of(x - 14.0, y - 6.0),
                ];
                self.label(Priority::Fence, "t-strong t-ok t-halo", words::fenced(token, highest), &spots);
                self.stale_tag(handled, mark, bar, port.top);
            }
            Kind::Applied | Kind::EffectDone | Kind::Staged => {
                let tip = self.landing(handled, &port);
                let inks = if handled.stale { (Ink::Stale, Ink::HeadBad) } else { (Ink::Write, Ink::Head) };
                self.canvas.arrow(inks, if handled.stale { 0 } else { color }, from, (x, tip));
                if handled.stale {
                    self.stale_tag(handled, mark, bar, port.top);
                }
            }
            Kind::Repeated => {
                self.canvas.arrow((Ink::WriteDashed, Ink::Head), color, from, (x, port.base - 6.0));
                self.handle(handled.record, Area::new(x - 6.0, port.base - 24.0, x + 6.0, port.base - 4.0));
                let spots =
                    [Spot::right_of(x + 8.0, port.base - 10.0), Spot::left_of(x - 8.0, port.base - 10.0)];
                self.label(Priority::Fence, "t t-halo", words::repeat(), &spots);
            }
            Kind::LockRefused | Kind::StageRefused => {
                let y = port.side.unwrap_or(port.top + 16.0) - 8.0;
                let mut pen = self.canvas.pen(Ink::Turned, 0);
                pen.to(from.0, from.1).line(x, y).line(x + 7.0, y).line(x + 7.0, y - 9.0);
                self.canvas.head(Ink::HeadPlain, 0, (x + 7.0, y), (x + 7.0, y - 14.0));
                self.handle(handled.record, Area::new(x - 4.0, y - 14.0, x + 11.0, y + 4.0));
                let is_lock = handled.kind == Kind::LockRefused;
                let spots = [Spot::right_of(x + 14.0, y - 2.0), Spot::left_of(x - 6.0, y - 2.0)];
                self.label(Priority::Fault, "t t-halo", words::turned_back(is_lock), &spots);
            }
            _ => {}
        }
    }

    /// Where the point of a write's arrow lies: on what it added.
    fn landing(&self, handled: &Handled, port: &super::board::SinkPort) -> f32 {
        let area = match handled.kind {
            Kind::Staged => port.side.map(|side| side - 5.0),
            _ => self
                .handles
                .iter()
                .find(|handle| handle.record == handled.record)
                .map(|handle| handle.area.top),
        };
        area.unwrap_or(port.base - port.unit) - 1.0
    }

    /// The tag of a stale write, in a free place along its line.
    fn stale_tag(&mut self, handled: &Handled, x: f32, bar: Bar, sink_top: f32) {
        let token = Facts::token(self.view, handled.exec).0;
        let mut heights: Vec<f32> = Vec::new();
        for lane in
            self.lanes.iter().filter(|lane| lane.y >= bar.lane_bottom - 1.0 && lane.y < sink_top - 1.0)
        {
            heights.extend(lane.strips.iter().map(|(_, y)| *y + 4.0));
        }
        let own =
            self.lanes.get(bar.lane).map(|lane| lane.strips.iter().skip(1).rev().map(|(_, y)| *y + 4.0));
        heights.extend(own.into_iter().flatten());
        let spots: Vec<_> = heights.iter().map(|y| (x, *y)).collect();
        self.tag(token, hue(handled.exec.attempt), true, &spots);
        let beside = heights.iter().flat_map(|y| [Spot::right_of(x + 12.5, *y), Spot::left_of(x - 12.5, *y)]);
        self.placer.want(Want {
            priority: Priority::Violation,
            texts: words::stale_write(handled.at, self.view.starts, handled.kind == Kind::EffectDone),
            class: "t-strong t-bad t-halo",
            hue: 0,
            face: Face::Strong,
            ground: Ground::Panel,
            spots: beside.collect(),
            near: true,
        });
    }
}
