//! The verdict rails, the covered future, and the picture put together.

use super::board::Board;
use super::ink::Ink;
use super::place::{Priority, Spot};
use super::{Area, Cell, Handle, Lane, LaneOf, Picture, RULER, Rail, RailState, Tick};
use crate::app::words::event::{self, Names};
use crate::app::words::{instant, lane, stage as words};
use fenceline_sim::order;
use fenceline_sim::{At, Record};
use std::sync::Arc;

/// How far a tooth of a torn edge stands out.
const TOOTH: f32 = 6.0;

impl Board<'_> {
    /// One verdict over time: dotted until it is exercised, then a line from the deciding event.
    pub(super) fn rail(&mut self, rail: &Rail, top: f32) -> f32 {
        let height = self.q(28.0).max(24.0);
        let y = top + height / 2.0;
        let points: Vec<_> =
            rail.points.iter().filter(|point| point.state != RailState::NotExercised).collect();
        let first = points.first().map(|point| point.at);
        if let Some((left, right)) = self.span(self.axis.from.min(first.unwrap_or(0)), first) {
            let left = left.max(self.axis.x(0));
            self.canvas.line(Ink::RailIdle, 0, (left, y), (right, y));
            let spots = [Spot::right_of(left.max(super::MARGIN) + 2.0, y + 4.0)];
            self.label(Priority::Rest, "t-muted t-halo", words::idle_rail(&rail.idle), &spots);
        }
        for (place, point) in points.iter().enumerate() {
            let until = points.get(place + 1).map(|next| next.at);
            let holds = point.state == RailState::Holds;
            let Some((left, right)) = self.span(point.at, until) else { continue };
            let ink = if holds { Ink::RailHolds } else { Ink::RailViolated };
            self.canvas.line(ink, 0, (left, y), (right, y));
            self.canvas.circle(if holds { Ink::DotHolds } else { Ink::DotViolated }, 0, left, y, 5.0);
            let area = Area::new(left - 6.0, y - 6.0, left + 6.0, y + 6.0);
            self.placer.keep_off(area);
            self.decided.push((point.at, Handle { record: point.record, area }));
            self.handle(point.record, area);
            let class = if holds { "t-strong t-ok t-halo" } else { "t-strong t-bad t-halo" };
            let spots = [Spot::left_of(left - 10.0, y + 4.0), Spot::right_of(left + 10.0, y + 4.0)];
            let texts = words::verdict(holds, &point.label);
            self.label(Priority::Violation, class, texts, &spots);
        }
        self.lanes.push(Lane {
            of: LaneOf::Rail,
            name: rail.name.clone(),
            note: String::new(),
            y: top,
            height,
            name_dy: height / 2.0 - 9.0,
            strips: Vec::new(),
            states: Vec::new(),
        });
        height
    }

    /// Places the labels and hands the picture over.
    pub(super) fn finish(mut self, height: f32, ticks: Vec<Tick>) -> Picture {
        let covered = self.seen(self.view.now).filter(|_| self.view.now < self.axis.until);
        if let Some(x) = covered {
            let area = Area::new(x, RULER, self.view.width, height);
            if self.view.stopped {
                self.tear(area);
            } else {
                self.canvas.area(Ink::Covered, 0, area, 0.0);
            }
            self.placer.keep_off(area);
            let middle = Spot::around((x + self.view.width) / 2.0, (RULER + height) / 2.0);
            self.placer.want(super::place::Want {
                priority: Priority::Rest,
                texts: if self.view.stopped { words::stopped_here() } else { words::not_run_yet() },
                class: "t-muted",
                hue: 0,
                face: super::Face::Plain,
                ground: super::place::Ground::Mark(area),
                spots: vec![middle],
                near: false,
            });
        }
        // A whole run is opened at its end: the cursor's line stands there.
        if covered.is_none()
            && let Some(end) = self.seen(self.view.now)
        {
            self.placer.keep_off(Area::new(end - 1.0, RULER, end + 1.0, height));
        }
        let cells = self.cells();
        let Self { view, axis, mut canvas, placer, handles, decided, lanes, .. } = self;
        // The mark among the lanes comes before the rail's own.
        let mark = |(at, by): (At, Handle)| {
            let first = handles.iter().find(|handle| handle.record == by.record);
            (at, first.map_or(by.area, |handle| handle.area))
        };
        let decided = decided.into_iter().map(mark).collect();
        let labels = placer.place(&mut canvas);
        Picture {
            width: view.width,
            height,
            axis,
            lanes,
            shapes: canvas.into_shapes(),
            labels,
            ticks,
            handles,
            cells,
            covered_from: covered,
            decided,
        }
    }

    /// The covered ground with a torn edge at its left.
    fn tear(&mut self, area: Area) {
        let mut teeth = vec![(area.left, area.top)];
        while let Some((x, y)) = teeth.last().copied().filter(|(_, y)| *y < area.bottom) {
            let out = if x <= area.left { area.left + TOOTH } else { area.left - TOOTH };
            teeth.push((out, (y + 2.0 * TOOTH).min(area.bottom)));
        }
        let mut ground = self.canvas.pen(Ink::Covered, 0);
        ground.to(area.right, area.top);
        for (x, y) in &teeth {
            ground.line(*x, *y);
        }
        ground.line(area.right, area.bottom).close();
        let mut edge = self.canvas.pen(Ink::Torn, 0);
        edge.to(area.left, area.top);
        for (x, y) in teeth.iter().skip(1) {
            edge.line(*x, *y);
        }
    }

    /// The events of each lane, for the keyboard.
    fn cells(&self) -> Vec<Cell> {
        let names = Names::new(Arc::new(self.view.rulebook.scenario().clone()), self.view.truth);
        let lane_of = |record: &Record| {
            let by_node = self.lanes.iter().position(|lane| lane.of == LaneOf::Node(record.node));
            by_node.or_else(|| {
                self.lanes.iter().position(|lane| match lane.of {
                    LaneOf::Task(task) => task == record.task,
                    LaneOf::Tasks(_) => true,
                    LaneOf::Node(_) | LaneOf::Executing | LaneOf::Rail => false,
                })
            })
        };
        let seen = |(id, record): (u32, &Record)| {
            if !event::is_interesting(record) {
                return None;
            }
            let (lane, x) = (lane_of(record)?, self.seen(record.at)?);
            let told = match self.view.more {
                Some(more) => (more.tell)(record, &names),
                None => event::common(record, &names)?,
            };
            let name = event::spoken(&told);
            Some(Cell { record: id, at: record.at, lane, x, name })
        };
        let mut cells: Vec<Cell> = self.view.trace.since(0).filter_map(seen).collect();
        // Records are in order of time already.
        order::by(&mut cells, |cell| cell.lane as u64);
        let mut start = 0;
        while let Some(lane) = cells.get(start).map(|cell| cell.lane) {
            let count = cells.iter().filter(|cell| cell.lane == lane).count();
            for (place, cell) in cells.iter_mut().skip(start).take(count).enumerate() {
                let when = instant(cell.at, self.view.starts);
                cell.name = lane::event(&cell.name, &when, place + 1, count);
            }
            start += count;
        }
        cells
    }
}
