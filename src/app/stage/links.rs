//! What was done to a node and its links: strips along the lane's edges, slowness, restarts; and its
//! own clock, where it does not keep true time.

use super::board::Board;
use super::ink::Ink;
use super::place::{Priority, Spot};
use super::{Area, Face, between};
use crate::app::words;
use crate::app::words::stage as say;
use crate::app::words::stage::time_span;
use fenceline_engine::{NodeId, Span};
use fenceline_sim::scenario::Role;
use fenceline_sim::{Kind, Path, Way};

/// How records number paths and ways.
const PATHS: [Path; 3] = [Path::Control, Path::Data, Path::Both];
const WAYS: [Way; 3] = [Way::Both, Way::Out, Way::In];

/// Which paths a link's fault touches, control and data, and which way.
pub(super) fn sides(done: &super::facts::Done) -> (bool, bool, Way) {
    let path = PATHS.get(usize::from(done.flag)).copied().unwrap_or(Path::Both);
    let way = WAYS.get(usize::from(done.n)).copied().unwrap_or(Way::Both);
    (path != Path::Data, path != Path::Control, way)
}

impl Board<'_> {
    /// Strips of cut links, slow stretches and restarts of a worker.
    pub(super) fn node_marks(&mut self, node: NodeId, top: f32, bottom: f32, strip: Option<RunStrip>) {
        for done in self.facts.done.clone() {
            if done.node != node {
                continue;
            }
            let Some((left, right)) = self.span(done.from, done.until) else { continue };
            let lasted = done.until.map(|until| time_span(done.from, until));
            match done.kind {
                Kind::LinkCut | Kind::LinkDegraded => {
                    let (control, data, way) = sides(&done);
                    let link = match (done.kind, done.b) {
                        (Kind::LinkDegraded, _) => say::Link::Worse,
                        (_, 1) => say::Link::Held,
                        _ => say::Link::Cut,
                    };
                    let texts = say::link(lasted, link);
                    if control {
                        self.link_strip(done.record, (left, right), top + 4.0, way, -1.0);
                        let spots = [
                            Spot::right_of(right + 6.0, top + 9.0),
                            Spot::left_of(left - 6.0, top + 9.0),
                            Spot::left_of(right - 4.0, top + 17.0),
                        ];
                        self.label(Priority::Fault, "t t-halo", texts.clone(), &spots);
                    }
                    if data {
                        self.link_strip(done.record, (left, right), bottom - 4.0, way, 1.0);
                        let spots = [Spot::right_of(right + 6.0, bottom), Spot::left_of(left - 6.0, bottom)];
                        self.label(Priority::Fault, "t t-halo", texts, &spots);
                    }
                }
                Kind::Slowed => {
                    let Some(strip) = strip else { continue };
                    self.handle(
                        done.record,
                        Area::new(left, strip.top - 6.0, (left + 12.0).min(right), strip.top),
                    );
                    let spots =
                        [Spot::right_of(left, strip.top - 4.0), Spot::left_of(right, strip.top - 4.0)];
                    self.label(Priority::Fault, "t t-halo", say::slow(done.b), &spots);
                }
                Kind::Crashed | Kind::Paused | Kind::Frozen
                    if strip.is_some() && !self.is_drawn(done.record) =>
                {
                    self.stopped(done, strip, (left, right));
                    let (Kind::Crashed, Some(strip), Some(until)) = (done.kind, strip, done.until) else {
                        continue;
                    };
                    let Some(x) = self.seen(until) else { continue };
                    self.canvas.line(Ink::Ended, 0, (x, strip.top + 3.0), (x, strip.bottom - 3.0));
                    let middle = (strip.top + strip.bottom) / 2.0 + 4.5;
                    let spots = [Spot::right_of(x + 5.0, middle), Spot::left_of(x - 5.0, middle)];
                    self.label(Priority::Rest, "t-muted t-halo", say::restarts(), &spots);
                }
                _ => {}
            }
        }
    }

    /// A worker's process that stopped: what it ran, if anything, has its own marks.
    fn stopped(&mut self, done: super::facts::Done, strip: Option<RunStrip>, (left, right): (f32, f32)) {
        let Some(strip) = strip else { return };
        let area = Area::new(left, strip.top, right.max(left + 3.0), strip.bottom);
        let ran = |run: &fenceline_sim::truth::ExecutionTruth| {
            run.node == done.node && run.start <= done.from && run.end.is_none_or(|(end, _)| end >= done.from)
        };
        if done.kind == Kind::Crashed && self.view.truth.executions.iter().any(ran) {
            return self
                .handle(done.record, Area { right: (left + 14.0).min(right.max(left + 3.0)), ..area });
        }
        self.canvas.area(Ink::Down, 0, area, 2.0);
        self.handle(done.record, area);
        let lasted = done.until.map(|until| time_span(done.from, until));
        let texts = match done.kind {
            Kind::Crashed => say::down(lasted),
            kind => say::paused(lasted, kind == Kind::Frozen),
        };
        self.label_mid(Priority::Fault, "t", texts, area);
    }

    fn is_drawn(&self, record: u32) -> bool {
        self.handles.iter().any(|handle| handle.record == record)
    }

    /// Upright marks where the input of a task changed or an operator decided.
    pub(super) fn decisions(&mut self, y: f32) {
        for (kind, done) in self.facts.decided.clone() {
            let Some(x) = self.seen(done.at) else { continue };
            self.canvas.line(Ink::Ended, 0, (x, y - 10.0), (x, y + 2.0));
            self.handle(done.record, Area::new(x - 6.0, y - 12.0, x + 6.0, y + 4.0));
            let value = u8::try_from(done.b).unwrap_or(0);
            let texts = if kind == Kind::Decided { say::decided(value) } else { say::input(value) };
            let spots = [
                Spot::right_of(x + 5.0, y),
                Spot::left_of(x - 5.0, y),
                Spot::right_of(x + 5.0, y - 12.0),
                Spot::left_of(x - 5.0, y - 12.0),
            ];
            self.label(Priority::Fault, "t-strong t-halo", texts, &spots);
        }
    }

    /// A broken line; one way has one head, pointing outward (`away`: up or down) or inward.
    fn link_strip(&mut self, record: u32, (left, right): (f32, f32), y: f32, way: Way, away: f32) {
        self.canvas.line(Ink::Cut, 0, (left, y), (right, y));
        self.handle(record, Area::new(left, y - 4.0, right, y + 4.0));
        self.placer.keep_off(Area::new(left, y - 2.0, right, y + 2.0));
        let toward = match way {
            Way::Both => return,
            Way::Out => away,
            Way::In => -away,
        };
        self.canvas.head(Ink::HeadPlain, 0, (left + 4.0, y - 9.0 * toward), (left + 4.0, y + 3.0 * toward));
    }

    fn own_clock(&self, node: NodeId) -> bool {
        let scenario = self.view.rulebook.scenario();
        let off = match scenario.role(node) {
            Role::Worker(index) => scenario
                .workers
                .get(index)
                .is_some_and(|w| w.offset != Span::ZERO || w.rate != fenceline_sim::clock::TRUE_RATE),
            Role::Scheduler | Role::Sink(_) | Role::Executor | Role::Store | Role::Operator => false,
        };
        off || self.facts.bent.contains(&node)
    }

    /// How much room a node's own ruler takes; none where its clock keeps true time.
    pub(super) fn clock_room(&self, node: NodeId) -> f32 {
        if self.own_clock(node) { 40.0 } else { 0.0 }
    }

    /// A node's own ruler: round readings of its wall clock, where they truly fall.
    pub(super) fn clock_ruler(&mut self, node: NodeId, top: f32) {
        let Some(clocks) = self.facts.clocks.take() else { return };
        // Where only the monotonic clock was touched (a suspended host), that one is shown.
        let both = clocks.of(node);
        let by_wall = both.wall.bends().next().is_some() || both.mono.bends().next().is_none();
        let (wall, epoch) =
            if by_wall { (&both.wall, self.view.rulebook.scenario().epoch.0) } else { (&both.mono, 0) };
        let (from, until) = (self.axis.from, self.view.now.min(self.axis.until));
        // Height says how far off it is: ahead is up.
        let off = |at| wall.read(at).saturating_sub(epoch).saturating_sub_unsigned(at);
        let y_of = |at| top + 17.0 - between(off(at) as f32 / 1e6, -1.0, 1.0) * 6.0;
        let bends: Vec<_> = wall.bends().filter(|at| *at > from && *at < until).collect();
        let mut pen = self.canvas.pen(Ink::Clock, 0);
        pen.to(self.axis.x(from).max(0.0), y_of(from));
        for bend in &bends {
            let x = self.axis.x(*bend);
            pen.line(x, y_of(bend - 1)).line(x, y_of(*bend));
        }
        pen.line(self.axis.x(until).min(self.view.width), y_of(until));
        let step = super::axis::step_for(self.axis, 76.0).max(1_000_000);
        let mut reading = epoch + (wall.read(from).saturating_sub(epoch)).div_euclid(step) * step;
        for _ in 0..200 {
            reading = reading.saturating_add(step);
            let Some(at) = wall.first_at(reading, from).filter(|at| *at <= until) else { break };
            if wall.read(at) != reading && at != from {
                // Leapt over by a step: it never showed this.
                if wall.read(at).saturating_sub(reading) > 1000 {
                    continue;
                }
            }
            let (x, y) = (self.axis.x(at), y_of(at));
            self.canvas.line(Ink::Clock, 0, (x, y - 3.5), (x, y + 3.5));
            let shown = u64::try_from(reading.saturating_sub(epoch)).unwrap_or(0);
            let starts = self.view.starts.filter(|_| by_wall);
            let text = words::instant(shown, starts).replace(".0 s", " s");
            self.placer.want(super::place::Want {
                priority: Priority::Rest,
                texts: vec![text],
                class: "t-mono t-muted",
                hue: 0,
                face: Face::Mono,
                ground: super::place::Ground::Panel,
                spots: vec![Spot::around(x, top + 36.0)],
                near: false,
            });
        }
        for jump in self.facts.jumps.clone().iter().filter(|jump| jump.node == node) {
            if let Some(x) = self.seen(jump.at) {
                self.handle(jump.record, Area::new(x - 6.0, top, x + 6.0, top + 20.0));
                let spots = [Spot::left_of(x - 5.0, top + 8.0), Spot::right_of(x + 5.0, top + 30.0)];
                self.label(Priority::Fault, "t-strong t-halo", say::step(Span(jump.b)), &spots);
            }
        }
        for rated in self.facts.rated.clone().iter().filter(|rated| rated.node == node) {
            if let Some(x) = self.seen(rated.at) {
                self.handle(rated.record, Area::new(x - 6.0, top, x + 6.0, top + 20.0));
                let spots = [Spot::right_of(x + 5.0, top + 8.0), Spot::left_of(x - 5.0, top + 8.0)];
                self.label(Priority::Fault, "t-strong t-halo", say::drift(rated.b), &spots);
            }
        }
        self.facts.clocks = Some(clocks);
    }
}

/// Where a lane's runs lie.
#[derive(Clone, Copy, Debug)]
pub(super) struct RunStrip {
    pub(super) top: f32,
    pub(super) bottom: f32,
}
