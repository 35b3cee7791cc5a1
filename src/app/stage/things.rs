//! What a sink has beside rows: effects it caused, locks and staging tables left in it, its load.

use super::Area;
use super::board::{Board, SinkPort};
use super::ink::Ink;
use super::place::{Priority, Spot};
use crate::app::words::event::hue;
use crate::app::words::stage as words;
use fenceline_engine::NodeId;
use fenceline_sim::order;
use fenceline_sim::{At, Kind, MessageKind, NONE};

impl Board<'_> {
    /// Irreversible effects, side by side where the same was caused again.
    pub(super) fn effects(&mut self, node: NodeId, base: f32, mail: bool) {
        let done: Vec<_> = self
            .facts
            .handled
            .iter()
            .filter(|h| h.sink == node && h.kind == Kind::EffectDone)
            .copied()
            .collect();
        for (place, effect) in done.iter().enumerate() {
            let same =
                |other: &&super::facts::Handled| other.exec.task == effect.exec.task && other.n == effect.n;
            let nth = done.iter().take(place + 1).filter(same).count();
            let Some(x) = self.seen(effect.at) else { continue };
            let again = nth > 1;
            let ink = if again { Ink::EffectAgain } else { Ink::Effect };
            let color = if again { 0 } else { hue(effect.exec.attempt) };
            let (y, r) = (base - 14.0, 7.0);
            let area = Area::new(x - r, y - r, x + r, y + r);
            if mail {
                self.canvas.area(ink, color, Area::new(x - r, y - 5.0, x + r, y + 5.0), 1.0);
                self.canvas.pen(ink, color).to(x - r, y - 4.0).line(x, y + 1.0).line(x + r, y - 4.0);
            } else {
                self.canvas.circle(ink, color, x, y, r);
                self.canvas.line(ink, color, (x, y - 3.0), (x, y + 3.0));
            }
            self.handle(effect.record, area);
            self.placer.keep_off(area);
            if again {
                let spots = [
                    Spot::right_of(x + 11.0, y + 4.0),
                    Spot::left_of(x - 11.0, y + 4.0),
                    Spot::around(x, y + 19.0),
                ];
                self.label(Priority::Violation, "t-strong t-bad t-halo", words::nth_effect(nth, 1), &spots);
            }
        }
    }

    /// Locks and staging tables; one that outlives its attempt was left behind.
    pub(super) fn kept(&mut self, node: NodeId, port: SinkPort) {
        let Some(y) = port.side else { return };
        for kept in self.facts.kept.clone().iter().filter(|kept| kept.sink == node) {
            let Some((left, right)) = self.span(kept.from, kept.until) else { continue };
            let area = Area::new(left, y - 5.0, right.max(left + 3.0), y + 5.0);
            self.canvas.area(Ink::Leftover, hue(kept.exec.attempt), area, 2.0);
            self.handle(kept.record, area);
            self.placer.keep_off(area);
            if kept.is_lock {
                self.canvas.area(Ink::Ended, 0, Area::new(left + 3.0, y - 1.0, left + 10.0, y + 4.0), 1.0);
                self.canvas
                    .pen(Ink::Ended, 0)
                    .to(left + 4.5, y - 1.0)
                    .line(left + 4.5, y - 4.0)
                    .line(left + 8.5, y - 4.0)
                    .line(left + 8.5, y - 1.0);
            }
            let owner = self.view.truth.execution(kept.exec).and_then(|run| run.end);
            let Some((end, _)) = owner else { continue };
            let outlived = kept.until.is_none_or(|until| end < until);
            if outlived && let Some(x) = self.seen(end) {
                let spots = [
                    Spot::right_of(x + 4.0, y + 17.0),
                    Spot::left_of(x - 4.0, y + 17.0),
                    Spot::right_of(x + 4.0, y - 8.0),
                ];
                self.label(Priority::Fault, "t t-halo", words::leftover(kept.is_lock), &spots);
            }
        }
    }

    /// Requests a shared resource had in service, as steps.
    pub(super) fn load(&mut self, node: NodeId, base: f32, tall: f32) {
        let mut changes: Vec<(At, i64)> = Vec::new();
        for flight in &self.facts.flights {
            let arrived = flight.ended != NONE && !flight.lost;
            if flight.to == node && flight.kind == MessageKind::Request && arrived {
                changes.push((flight.until, 1));
            }
        }
        changes.extend(self.facts.work.iter().filter(|work| work.node == node).map(|work| (work.at, -1)));
        order::by(&mut changes, |(at, change)| at * 2 + u64::from(*change > 0));
        let (mut now, mut most, mut most_at) = (0, 0, 0);
        for (at, change) in &changes {
            now += change;
            if now > most {
                (most, most_at) = (now, *at);
            }
        }
        let peak = self.steps(Ink::Load, changes, base, (tall - 14.0).max(8.0));
        if peak > 0
            && let Some(x) = self.seen(most_at)
        {
            let y = base - tall + 10.0;
            let spots = [Spot::right_of(x + 3.0, y), Spot::left_of(x - 3.0, y)];
            self.label(Priority::Rest, "t t-halo", words::load(peak), &spots);
        }
    }
}
