//! The board a picture is drawn on: time to pixels, the canvas, the placer, and where each thing's
//! strips lie.

use super::facts::Facts;
use super::ink::{Canvas, Ink};
use super::place::{Ground, Placer, Priority, Spot, Want};
use super::{Area, Axis, Face, Handle, Lane, MARGIN, View};
use crate::app::words::stage::Wordings;
use fenceline_engine::{Exec, NodeId};
use fenceline_sim::At;
use fenceline_sim::order as sim_order;

pub(super) struct Board<'a> {
    pub(super) view: &'a View<'a>,
    pub(super) facts: Facts,
    pub(super) axis: Axis,
    pub(super) canvas: Canvas,
    pub(super) placer: Placer<'a>,
    pub(super) handles: Vec<Handle>,
    /// What decided a verdict; its mark is found when all are there.
    pub(super) decided: Vec<(At, Handle)>,
    pub(super) lanes: Vec<Lane>,
    /// Where lines to and from executions and chapters begin and end.
    pub(super) ports: Ports,
}

/// Where lines may begin and end.
#[derive(Default)]
pub(super) struct Ports {
    /// Below each chapter of the story, by its attempt.
    pub(super) story: Vec<(Exec, f32)>,
    /// The lowest of them.
    pub(super) story_bottom: f32,
    /// The bar of each execution.
    pub(super) bars: Vec<(Exec, Bar)>,
    pub(super) sinks: Vec<(NodeId, SinkPort)>,
}

/// Where an execution's bar lies.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Bar {
    pub(super) top: f32,
    pub(super) bottom: f32,
    /// Of its lane.
    pub(super) lane_top: f32,
    pub(super) lane_bottom: f32,
    /// Nothing lies between it and the scheduler's story.
    pub(super) is_next: bool,
    pub(super) lane: usize,
}

/// Where a sink's strips lie.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct SinkPort {
    pub(super) top: f32,
    pub(super) fence: Option<f32>,
    pub(super) side: Option<f32>,
    /// Bottom of what it holds, and how tall one whole output is.
    pub(super) base: f32,
    pub(super) unit: f32,
}

impl<'a> Board<'a> {
    pub(super) fn new(view: &'a View<'a>, bounds: Area) -> Self {
        let (from, until) = view.window;
        Self {
            view,
            facts: Facts::gather(view),
            axis: Axis { from, until, width: view.width },
            canvas: Canvas::default(),
            placer: Placer::new(view.measure, bounds),
            handles: Vec::new(),
            decided: Vec::new(),
            lanes: Vec::new(),
            ports: Ports::default(),
        }
    }

    /// A length that follows the lanes' height.
    pub(super) fn q(&self, length: f32) -> f32 {
        (length * self.view.scale).round()
    }

    /// Where an instant lies, if it is in view.
    pub(super) fn seen(&self, at: At) -> Option<f32> {
        let x = self.axis.x(at);
        ((-0.5..=self.view.width + 0.5).contains(&x)).then_some(x)
    }

    /// Where a stretch of time lies, cut to the view; none if out of it. One that lasts goes to the
    /// edge, or to where nothing is known any more.
    pub(super) fn span(&self, from: At, until: Option<At>) -> Option<(f32, f32)> {
        let (left, right) = (self.axis.x(from), until.map_or(self.edge(), |until| self.axis.x(until)));
        let cut = (left.max(-3.0), right.min(self.view.width + 3.0));
        (cut.1 > 0.0 && cut.0 < self.view.width && right >= left).then_some(cut)
    }

    /// Where what lasts is cut off.
    pub(super) fn edge(&self) -> f32 {
        let x = self.axis.x(self.view.now);
        if self.view.now >= self.axis.until { x + MARGIN - 1.0 } else { x }
    }

    pub(super) fn handle(&mut self, record: u32, area: Area) {
        let width = self.view.width;
        let area = Area { left: area.left.max(0.0), right: area.right.min(width), ..area };
        if area.right >= area.left {
            self.handles.push(Handle { record, area });
        }
    }

    /// A label on the panel.
    pub(super) fn label(&mut self, priority: Priority, class: &'static str, texts: Wordings, spots: &[Spot]) {
        self.placer.want(Want {
            priority,
            texts,
            class,
            hue: 0,
            face: if class.contains("strong") { Face::Strong } else { Face::Plain },
            ground: Ground::Panel,
            spots: spots.to_vec(),
            near: false,
        });
    }

    /// The same in the colour of an attempt.
    pub(super) fn label_hue(&mut self, priority: Priority, hue: u8, texts: Wordings, spots: &[Spot]) {
        self.placer.want(Want {
            priority,
            texts,
            class: "t-strong t-hue",
            hue,
            face: Face::Strong,
            ground: Ground::Panel,
            spots: spots.to_vec(),
            near: false,
        });
    }

    /// A label within a mark of its own, from its left.
    pub(super) fn label_in(
        &mut self,
        priority: Priority,
        class: &'static str,
        texts: Wordings,
        area: Area,
        solid: bool,
    ) {
        let area = Area { left: area.left.max(0.0), right: area.right.min(self.view.width), ..area };
        let y = (area.top + area.bottom) / 2.0 + 4.5;
        self.placer.want(Want {
            priority,
            texts,
            class,
            hue: 0,
            face: if class.contains("strong") { Face::Strong } else { Face::Plain },
            ground: if solid { Ground::Fill(area) } else { Ground::Mark(area) },
            spots: vec![Spot::right_of(area.left + 8.0, y), Spot::right_of(area.left + 4.0, y)],
            near: false,
        });
    }

    /// The same, in its middle.
    pub(super) fn label_mid(&mut self, priority: Priority, class: &'static str, texts: Wordings, area: Area) {
        let area = Area { left: area.left.max(0.0), right: area.right.min(self.view.width), ..area };
        let (x, y) = ((area.left + area.right) / 2.0, (area.top + area.bottom) / 2.0 + 4.5);
        self.placer.want(Want {
            priority,
            texts,
            class,
            hue: 0,
            face: if class.contains("strong") { Face::Strong } else { Face::Plain },
            ground: Ground::Mark(area),
            spots: vec![Spot::around(x, y)],
            near: false,
        });
    }

    /// A token on a tag; the first of the spots (its middle, its baseline) that is free.
    pub(super) fn tag(&mut self, token: u32, hue: u8, free: bool, spots: &[(f32, f32)]) {
        self.placer.want(Want {
            priority: Priority::Tag,
            texts: vec![token.to_string()],
            class: "t-mono",
            hue,
            face: Face::Mono,
            ground: Ground::Tag { free },
            spots: spots.iter().map(|(x, y)| Spot::around(*x, *y)).collect(),
            near: false,
        });
    }

    pub(super) fn bar(&self, exec: Exec) -> Option<Bar> {
        self.ports.bars.iter().find(|(of, _)| *of == exec).map(|(_, bar)| *bar)
    }

    pub(super) fn sink_port(&self, sink: NodeId) -> Option<SinkPort> {
        self.ports.sinks.iter().find(|(of, _)| *of == sink).map(|(_, port)| *port)
    }

    /// Where lines from the scheduler about an attempt begin.
    pub(super) fn story_port(&self, exec: Exec) -> f32 {
        let of = Exec::first(exec.task, exec.attempt);
        self.ports.story.iter().find(|(e, _)| *e == of).map_or(self.ports.story_bottom, |(_, y)| *y)
    }

    /// A hairline over the whole width.
    pub(super) fn divider(&mut self, y: f32) {
        let width = self.view.width;
        self.canvas.line(Ink::Divider, 0, (0.0, y), (width, y));
    }
}

/// Puts stretches of time into as few levels as they need: the level of each.
pub(super) fn levels(stretches: &[(At, At)]) -> (Vec<usize>, usize) {
    let mut order: Vec<usize> = (0..stretches.len()).collect();
    sim_order::by(&mut order, |index| stretches.get(*index).map_or(0, |stretch| stretch.0));
    let mut free: Vec<At> = Vec::new();
    let mut level_of = vec![0; stretches.len()];
    for index in order {
        let Some(&(from, until)) = stretches.get(index) else { continue };
        let level = match free.iter().position(|at| *at <= from) {
            Some(level) => level,
            None => {
                free.push(0);
                free.len() - 1
            }
        };
        if let Some(at) = free.get_mut(level) {
            *at = until;
        }
        if let Some(place) = level_of.get_mut(index) {
            *place = level;
        }
    }
    (level_of, free.len().max(1))
}
