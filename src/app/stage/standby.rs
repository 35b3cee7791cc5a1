//! Further schedulers: who of them leads from when on, and what was done to each.

use super::board::Board;
use super::ink::Ink;
use super::links::RunStrip;
use super::place::{Priority, Spot};
use super::{Area, Lane, LaneOf, StateWord};
use crate::app::words::{lane, stage as words};
use fenceline_engine::NodeId;
use fenceline_sim::order;
use fenceline_sim::{At, Kind};

impl Board<'_> {
    /// Draws the lane of one that stands by at first, from `top` down; gives its height.
    pub(super) fn standby(&mut self, index: usize, top: f32) -> f32 {
        let scenario = self.view.rulebook.scenario();
        let (node, name) = (scenario.standby(index), scenario.standby.get(index).cloned());
        let bend = self.clock_room(node);
        // Room for its name, its state and its faults in the gutter.
        let height = self.q(64.0).max(78.0) + bend;
        let strip = RunStrip { top: top + self.q(18.0), bottom: top + self.q(38.0) };
        for (from, until) in self.terms(node) {
            if let Some((left, right)) = self.span(from, until) {
                let area = Area::new(left, strip.top, right, strip.bottom);
                self.canvas.area(Ink::StoryGround, 0, area, 4.0);
                self.label_in(Priority::Rest, "t", vec![lane::LEADS.into()], area, false);
            }
        }
        self.node_marks(node, top, top + height - bend, Some(strip));
        self.leadership(node, strip.top);
        if bend > 0.0 {
            self.clock_ruler(node, top + height - bend);
        }
        let states = self.standby_states(node);
        self.lanes.push(Lane {
            of: LaneOf::Node(node),
            name: super::worker::capital(&name.unwrap_or_default()),
            note: String::new(),
            y: top,
            height,
            name_dy: 8.0,
            strips: vec![(lane::STORY, (strip.top + strip.bottom) / 2.0)],
            states,
        });
        height
    }

    /// From when to when a node led, as the store had it.
    fn terms(&self, node: NodeId) -> Vec<(At, Option<At>)> {
        let led: Vec<_> = self.facts.led.iter().filter(|(kind, _)| *kind == Kind::Leads).collect();
        let next = |place: usize| led.get(place + 1).map(|(_, next)| next.at);
        let terms = led.iter().enumerate().filter(|(_, (_, term))| term.node == node);
        terms.map(|(place, (_, term))| (term.at, next(place))).collect()
    }

    /// Upright marks where a scheduler began to lead, was refused, or stood back.
    pub(super) fn leadership(&mut self, node: NodeId, y: f32) {
        for (kind, led) in self.facts.led.clone().into_iter().filter(|(_, led)| led.node == node) {
            let told = |(other, before): &(Kind, super::facts::Spotted)| {
                *other == Kind::DecisionRefused && (before.at, before.node) == (led.at, node)
            };
            // What is refused stands back: told together.
            if kind == Kind::SteppedDown && self.facts.led.iter().any(told) {
                continue;
            }
            let Some(x) = self.seen(led.at) else { continue };
            self.canvas.line(Ink::Ended, 0, (x, y - 10.0), (x, y + 2.0));
            self.handle(led.record, Area::new(x - 6.0, y - 12.0, x + 6.0, y + 4.0));
            let spots = [Spot::right_of(x + 5.0, y - 2.0), Spot::left_of(x - 5.0, y - 2.0)];
            self.label(Priority::Fault, "t-strong t-halo", words::leadership(kind, led.b), &spots);
        }
    }

    fn standby_states(&self, node: NodeId) -> Vec<StateWord> {
        let word = |at, text: &str| StateWord { at, text: text.into(), bad: false };
        let mut states = vec![word(0, lane::STANDS_BY)];
        for (kind, led) in self.facts.led.iter().filter(|(_, led)| led.node == node) {
            match kind {
                Kind::Leads => states.push(word(led.at, lane::LEADS)),
                Kind::SteppedDown => states.push(word(led.at, lane::STANDS_BY)),
                _ => {}
            }
        }
        for done in self.facts.done.iter().filter(|done| done.node == node) {
            let Some(text) = lane::scheduler(done.kind) else { continue };
            states.push(word(done.from, text));
            states.extend(done.until.map(|until| word(until, lane::BACK)));
        }
        order::by(&mut states, |state| state.at);
        states
    }
}
