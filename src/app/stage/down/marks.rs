//! What a run by hand is made of, in the lanes: cut links, beliefs, processes that stand still, locks,
//! effects, clocks that step. And time to scale.

use super::{Sheet, TOP};
use crate::app::stage::ink::Ink;
use crate::app::stage::lease::believed;
use crate::app::stage::{Area, links};
use crate::app::words::event::hue;
use crate::app::words::faults as words;
use fenceline_engine::{NodeId, SinkKind};
use fenceline_sim::scenario::Role;
use fenceline_sim::truth::{ExecutionTruth, LeaseTruth};
use fenceline_sim::{At, Kind, Way};

impl Sheet<'_> {
    pub(super) fn marks(&mut self) {
        for lease in &self.view.truth.leases {
            self.beliefs(lease);
        }
        self.done();
        self.clocks();
        self.kept();
        self.effects();
    }

    /// Beside the lease: outlined while held by its own reckoning, dashed past its own deadline, ended
    /// by a cross when told.
    fn beliefs(&mut self, lease: &LeaseTruth) {
        let Some(run) = self.view.truth.execution(lease.exec) else { return };
        let Some(x) = self.lane(run.node) else { return };
        let last = run.end.map_or(self.view.now, |(at, _)| at);
        for (from, until, past) in believed(lease, last) {
            let ink = if past { Ink::BeliefPast } else { Ink::Belief };
            let area = Area::new(x + 6.5, self.y(from) + 0.5, x + 14.5, self.y(until) - 0.5);
            self.canvas.area(ink, hue(lease.exec.attempt), area, if past { 0.0 } else { 2.0 });
        }
        if let Some(told) = lease.beliefs.iter().find(|belief| belief.told_lost) {
            let y = self.y(told.from);
            self.canvas.cross(Ink::CrossBad, x + 10.5, y);
        }
    }

    /// Links along a lane's edges (control left, data right), and processes without a bar that stop.
    fn done(&mut self) {
        for done in self.facts.done.clone() {
            let Some(x) = self.lane(done.node) else { continue };
            let (top, bottom) = (self.y(done.from), self.end(done.until));
            match done.kind {
                Kind::LinkCut | Kind::LinkDegraded => {
                    let (control, data, way) = links::sides(&done);
                    let edges = [(control, x - 14.0, -1.0), (data, x + 15.5, 1.0)];
                    for (_, x, away) in edges.into_iter().filter(|(there, ..)| *there) {
                        self.canvas.line(Ink::Cut, 0, (x, top), (x, bottom));
                        let toward = match way {
                            Way::Both => continue,
                            Way::Out => away,
                            Way::In => -away,
                        };
                        let y = top + 6.0;
                        self.canvas.head(Ink::HeadPlain, 0, (x - 7.0 * toward, y), (x + 4.0 * toward, y));
                    }
                }
                Kind::Crashed | Kind::Paused | Kind::Frozen if !self.ran(done.node, done.from) => {
                    let area = Area::new(x - 8.0, top, x + 8.0, bottom.max(top + 3.0));
                    self.canvas.area(Ink::Down, 0, area, 2.0);
                    // Clear of the tag of what the process did last, which lies on the edge.
                    if area.bottom - area.top > 28.0 {
                        let glyph = if done.kind == Kind::Crashed { "✕" } else { "❚❚" };
                        self.label(glyph, "t", 0, (x, top + 24.0));
                    }
                }
                _ => {}
            }
        }
    }

    /// Whether an execution of a node has a bar of its own then.
    fn ran(&self, node: NodeId, at: At) -> bool {
        let of = |run: &ExecutionTruth| {
            run.node == node && run.start <= at && run.end.is_none_or(|(end, _)| at <= end)
        };
        self.view.truth.executions.iter().any(of)
    }

    /// A kink where a clock is stepped or begins to drift, with how far.
    fn clocks(&mut self) {
        let jumps = self.facts.jumps.clone().into_iter().map(|jump| (jump, words::signed(jump.b)));
        let rated = self.facts.rated.clone().into_iter().map(|rated| (rated, words::drift(rated.b)));
        for (bent, said) in jumps.chain(rated).collect::<Vec<_>>() {
            let Some(x) = self.lane(bent.node) else { continue };
            let y = self.y(bent.at);
            let ahead = if bent.b < 0 { -4.0 } else { 4.0 };
            self.canvas
                .pen(Ink::Ended, 0)
                .to(x - 12.0, y + ahead)
                .line(x - 1.0, y + ahead)
                .line(x + 1.0, y - ahead)
                .line(x + 12.0, y - ahead);
            self.label(&said, "t t-halo", 0, (x, y + 18.0));
        }
    }

    /// Locks and staging tables, left of what the sink holds.
    fn kept(&mut self) {
        for kept in self.facts.kept.clone() {
            let Some(x) = self.lane(kept.sink) else { continue };
            let (top, bottom) = (self.y(kept.from), self.end(kept.until));
            let area = Area::new(x - 15.0, top, x - 8.0, bottom.max(top + 3.0));
            self.canvas.area(Ink::Leftover, hue(kept.exec.attempt), area, 2.0);
            if kept.is_lock {
                self.canvas.area(Ink::Ended, 0, Area::new(x - 15.0, top + 5.0, x - 8.0, top + 10.0), 1.0);
                self.canvas
                    .pen(Ink::Ended, 0)
                    .to(x - 13.5, top + 5.0)
                    .line(x - 13.5, top + 2.0)
                    .line(x - 9.5, top + 2.0)
                    .line(x - 9.5, top + 5.0);
            }
        }
    }

    /// A coin or an envelope for each effect; one caused again is red.
    fn effects(&mut self) {
        let handled = self.facts.handled.clone();
        let done: Vec<_> = handled.into_iter().filter(|effect| effect.kind == Kind::EffectDone).collect();
        let scenario = self.view.rulebook.scenario();
        for (place, effect) in done.iter().enumerate() {
            let Some(x) = self.lane(effect.sink) else { continue };
            let again = done.iter().take(place).any(|other| {
                (other.sink, other.exec.task, other.n) == (effect.sink, effect.exec.task, effect.n)
            });
            let (ink, color) =
                if again { (Ink::EffectAgain, 0) } else { (Ink::Effect, hue(effect.exec.attempt)) };
            let y = self.y(effect.at);
            let is_mail = matches!(scenario.role(effect.sink), Role::Sink(index)
                if scenario.sinks.get(index).is_some_and(|sink| sink.rules.kind == SinkKind::Mailbox));
            if is_mail {
                self.canvas.area(ink, color, Area::new(x - 7.0, y - 5.0, x + 7.0, y + 5.0), 1.0);
                self.canvas.pen(ink, color).to(x - 7.0, y - 4.0).line(x, y + 1.0).line(x + 7.0, y - 4.0);
            } else {
                self.canvas.circle(ink, color, x, y, 7.0);
                self.canvas.line(ink, color, (x, y - 3.0), (x, y + 3.0));
            }
        }
    }

    /// Puts time to scale: as long as its rows need, each as near to its instant as the others let it.
    pub(super) fn rescale(&mut self) {
        let until = self.view.now.max(1) as f32 / 1e6;
        let needed: f32 = self.down.rows.iter().map(|placed| placed.height).sum();
        let scale = (needed + 60.0) / until;
        self.down.scale = Some(scale);
        let mut free = 0.0_f32;
        for placed in &mut self.down.rows {
            placed.middle = TOP + placed.row.at as f32 / 1e6 * scale;
            placed.top = (placed.middle - 18.0).max(free);
            free = placed.top + placed.height;
        }
        // The last ones may have been pushed over the end: there the others make room.
        let mut end = TOP + until * scale + 20.0;
        self.down.height = end;
        for placed in self.down.rows.iter_mut().rev() {
            placed.top = placed.top.min(end - placed.height);
            end = placed.top;
        }
    }

    /// Lines from the lanes to sentences, which may not stand beside their event.
    pub(super) fn lead(&mut self) {
        let width = self.down.width;
        for (from, to) in self.down.rows.iter().map(|p| (p.middle, p.top + 14.0)).collect::<Vec<_>>() {
            self.canvas.line(Ink::Thin, 0, (width - 2.0, from), (width + 14.0, to));
        }
    }
}
