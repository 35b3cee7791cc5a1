//! The phone's stage: time runs down, lanes to the left, one sentence an event to the right. Spacing
//! is by event; or to scale, where a sentence may stand below its event and is led there.

mod marks;

use super::facts::Facts;
use super::ink::{Canvas, Ink};
use super::rows::{Hop, Row, Tone, brief, rows};
use super::story::Told;
use super::{Anchor, Area, Face, Handle, Label, LaneOf, Shape, View, between};
use crate::app::words::event::{Names, hue, plain};
use crate::app::words::{lane, stage as words};
use fenceline_engine::{Exec, NodeId};
use fenceline_sim::scenario::SCHEDULER;
use fenceline_sim::truth::{ExecutionTruth, LeaseTruth};
use fenceline_sim::{At, order};

/// Tasks whose bars are told apart.
const MOST_TASKS: usize = 4;

/// Width of a lane.
pub const LANE: f32 = 34.0;

/// The picture of a run with time running down.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Down {
    /// Of the lanes together; the sentences begin there.
    pub width: f32,
    pub height: f32,
    pub heads: Vec<Head>,
    pub rows: Vec<Placed>,
    pub shapes: Vec<Shape>,
    pub labels: Vec<Label>,
    pub handles: Vec<Handle>,
    /// Pixels of a second, where time is to scale.
    pub scale: Option<f32>,
}

/// Room above the first event.
const TOP: f32 = 8.0;
/// The least room of a row: a thumb's.
const ROW: f32 = 44.0;

/// What stands over a lane.
#[derive(Clone, Debug, PartialEq)]
pub struct Head {
    pub of: LaneOf,
    /// In a word that fits: "w 1".
    pub name: String,
    pub full_name: String,
}

/// A row and the room it has.
#[derive(Clone, Debug, PartialEq)]
pub struct Placed {
    pub row: Row,
    pub top: f32,
    pub height: f32,
    /// Where its arrow lies.
    pub middle: f32,
}

impl Down {
    /// Where an instant lies between the rows.
    pub fn y(&self, at: At) -> f32 {
        if let Some(scale) = self.scale {
            return TOP + at as f32 / 1e6 * scale;
        }
        let Some(first) = self.rows.first() else { return 0.0 };
        let mut before = first;
        for next in &self.rows {
            if at <= next.row.at {
                let (from, until) = (before.row.at, next.row.at);
                if until <= from {
                    return next.middle;
                }
                let share = at.saturating_sub(from) as f32 / (until - from) as f32;
                return before.middle + (next.middle - before.middle) * share;
            }
            before = next;
        }
        (before.middle + at.saturating_sub(before.row.at) as f32 / 1e6 * 3.0).min(self.height - 2.0)
    }

    /// Down to where a run has been seen at an instant.
    pub fn seen(&self, at: At) -> f32 {
        let row = self.row_at(at).and_then(|row| self.rows.get(row));
        match self.scale {
            Some(_) => self.y(at),
            None => row.map_or(0.0, |row| row.top + row.height),
        }
    }

    /// The row the cursor stands on: the last that has happened.
    pub fn row_at(&self, at: At) -> Option<usize> {
        self.rows.iter().rposition(|placed| placed.row.at <= at)
    }
}

/// Draws a run for a phone; `view.width` is all the room there is.
pub fn down(view: &View<'_>, names: &Names) -> Down {
    let mut sheet = Sheet::new(view);
    sheet.place_rows(rows(view, names));
    sheet.draw();
    sheet.marks();
    sheet.finish()
}

/// The same with time to scale.
pub fn to_scale(view: &View<'_>, names: &Names) -> Down {
    let mut sheet = Sheet::new(view);
    sheet.place_rows(rows(view, names));
    sheet.rescale();
    sheet.draw();
    sheet.marks();
    sheet.lead();
    sheet.finish()
}

/// A few short rows, without what can be done to a run by hand (start page).
pub fn sketch(view: &View<'_>, names: &Names) -> Down {
    let mut sheet = Sheet::new(view);
    let mut y = TOP;
    for row in brief(view, names) {
        sheet.down.rows.push(Placed { row, top: y, height: ROW, middle: y + 18.0 });
        y += ROW;
    }
    sheet.down.height = y;
    sheet.draw();
    sheet.finish()
}

/// The lanes there is room for: scheduler, the workers that ran something, the sinks.
fn heads(view: &View<'_>) -> Vec<Head> {
    let scenario = view.rulebook.scenario();
    let room = (((view.width - 150.0) / LANE) as usize).clamp(4, 6);
    let head =
        |node: NodeId, name: String, full_name: String| Head { of: LaneOf::Node(node), name, full_name };
    let sinks: Vec<Head> = (0..scenario.sinks.len())
        .filter_map(|index| {
            let sink = scenario.sinks.get(index)?;
            Some(head(scenario.sink(index), words::sink_word(&sink.rules.kind).into(), sink.name.clone()))
        })
        .take(room.saturating_sub(2))
        .collect();
    let worked = |node: NodeId| {
        let of = |run: &&ExecutionTruth| run.node == node;
        let runs = view.truth.executions.iter().filter(of).count();
        let zombies = view.truth.executions.iter().filter(of).filter(|run| run.zombie.is_some()).count();
        (zombies, runs)
    };
    let mut workers: Vec<usize> = (0..scenario.workers.len()).collect();
    // Those with most zombies first, then those with most to show.
    order::by(&mut workers, |index| {
        let (zombies, runs) = worked(scenario.worker(*index));
        u64::MAX - ((zombies as u64) << 32 | runs as u64)
    });
    // Bars of many tasks would lie on top of each other: the rows tell of them.
    let few = scenario.tasks.len() <= MOST_TASKS;
    workers.truncate(if few { room.saturating_sub(1 + sinks.len()) } else { 0 });
    order::by(&mut workers, |index| *index as u64);
    let mut heads = vec![head(SCHEDULER, lane::SCHEDULER_SHORT.into(), lane::SCHEDULER.into())];
    heads.extend(workers.into_iter().filter_map(|index| {
        let name = &scenario.workers.get(index)?.name;
        Some(head(scenario.worker(index), short(name), super::worker::capital(name)))
    }));
    heads.extend(sinks);
    heads
}

/// "worker 1" as "w 1".
fn short(name: &str) -> String {
    match name.split_once(' ') {
        Some((word, rest)) => format!("{} {rest}", word.chars().take(1).collect::<String>()),
        None => name.chars().take(5).collect(),
    }
}

struct Sheet<'v> {
    view: &'v View<'v>,
    facts: Facts,
    canvas: Canvas,
    down: Down,
}

impl<'v> Sheet<'v> {
    fn new(view: &'v View<'v>) -> Self {
        let heads = heads(view);
        let width = heads.len() as f32 * LANE;
        let down = Down { heads, width, ..Down::default() };
        Self { view, facts: Facts::gather(view), canvas: Canvas::default(), down }
    }

    fn finish(self) -> Down {
        let Self { canvas, mut down, .. } = self;
        down.shapes = canvas.into_shapes();
        down
    }

    fn place_rows(&mut self, rows: Vec<Row>) {
        let wide = (self.view.width - self.down.width - 34.0).max(60.0);
        let mut y = TOP;
        let mut before: Option<At> = None;
        for row in rows {
            let elapsed = before.map_or(0.0, |before| row.at.saturating_sub(before) as f32 / 1e6);
            y += (elapsed * 0.5).min(14.0);
            before = Some(row.at);
            // Set in 14 px; words break, so lines are never quite full.
            let text = (self.view.measure)(&plain(&row.sentence), Face::Strong) * 14.0 / 12.0;
            let lines = (text / (wide * 0.92)).ceil().max(1.0);
            let height = if row.folded { ROW } else { (28.0 + 19.0 * lines).max(ROW) };
            let middle = y + if row.folded { height / 2.0 } else { 18.0 };
            self.down.rows.push(Placed { row, top: y, height, middle });
            y += height;
        }
        self.down.height = y + 28.0;
    }

    fn lane(&self, node: NodeId) -> Option<f32> {
        let place = self.down.heads.iter().position(|head| head.of == LaneOf::Node(node))?;
        Some(place as f32 * LANE + LANE / 2.0)
    }

    fn y(&self, at: At) -> f32 {
        self.down.y(at)
    }

    /// Where something that may last ends.
    fn end(&self, at: Option<At>) -> f32 {
        at.map_or(self.down.height, |at| self.y(at))
    }

    fn draw(&mut self) {
        let height = self.down.height;
        for place in 0..self.down.heads.len() {
            let x = place as f32 * LANE + LANE / 2.0;
            self.canvas.line(Ink::Grid, 0, (x, 0.0), (x, height));
        }
        self.story();
        let truth = self.view.truth;
        for run in &truth.executions {
            self.run(run);
        }
        for lease in &truth.leases {
            self.lease(lease);
        }
        self.sinks();
        for place in 0..self.down.rows.len() {
            self.hop(place);
        }
    }

    fn story(&mut self) {
        let Some(x) = self.lane(SCHEDULER) else { return };
        // Several tasks do not fit beside each other: the rows tell of them.
        if self.view.rulebook.scenario().tasks.len() > 1 {
            return;
        }
        for chapter in std::mem::take(&mut self.facts.story.chapters) {
            let until = (chapter.until < self.view.now).then_some(chapter.until);
            let (top, bottom) = (self.y(chapter.from), self.end(until));
            let area = Area::new(x - 6.0, top + 0.5, x + 6.0, bottom - 0.5);
            let color = hue(chapter.exec.attempt);
            match chapter.told {
                Told::Runs | Told::Over { .. } => {
                    self.canvas.area(Ink::StoryGround, 0, area, 3.0);
                    self.canvas.area(Ink::Story, color, area, 3.0);
                }
                Told::Waits => self.canvas.line(Ink::Waits, 0, (x, top), (x, bottom)),
                Told::Succeeded => {
                    self.canvas.area(Ink::Success, 0, area, 0.0);
                    self.label("✓", "t-strong t-ok", 0, (x, top + 16.0));
                }
                Told::Failed | Told::Skipped => self.canvas.area(Ink::Down, 0, area, 2.0),
            }
        }
    }

    fn label(&mut self, text: &str, class: &'static str, color: u8, (x, y): (f32, f32)) {
        let half = (self.view.measure)(text, Face::Mono) / 2.0;
        self.down.labels.push(Label {
            text: text.to_owned(),
            class,
            hue: color,
            anchor: Anchor::Middle,
            x,
            y,
            area: Area::new(x - half, y - 10.0, x + half, y + 3.0),
            on: class == "t-mono",
        });
    }

    fn tag(&mut self, exec: Exec, x: f32, y: f32) {
        let token = Facts::token(self.view, exec).0.to_string();
        let half = ((self.view.measure)(&token, Face::Mono) / 2.0 + 4.0).max(8.0);
        self.canvas.area(Ink::Tag, hue(exec.attempt), Area::new(x - half, y - 8.5, x + half, y + 8.5), 4.0);
        self.label(&token, "t-mono", hue(exec.attempt), (x, y + 4.0));
    }

    fn run(&mut self, run: &ExecutionTruth) {
        let Some(x) = self.lane(run.node) else { return };
        let color = hue(run.exec.attempt);
        let last = run.end.map(|(at, _)| at);
        let end = self.end(last);
        let (left, right) = (x - 8.0, x + 4.0);
        let at = |from: f32, until: f32| Area::new(left, from, right, until);
        self.canvas.area(Ink::Run, color, at(self.y(run.start), end), 2.0);
        let zombie = run.zombie.map(|zombie| self.y(zombie.window.from));
        for pause in &run.pauses {
            let until = self.end((!pause.lasts).then_some(pause.until));
            let from = self.y(pause.from);
            self.canvas.area(Ink::Paused, color, at(from, until.min(zombie.unwrap_or(until))), 0.0);
            for x in [left + 0.75, right - 0.75] {
                self.canvas.line(Ink::PausedEdge, color, (x, from), (x, until.min(zombie.unwrap_or(until))));
            }
        }
        let Some(from) = zombie else { return };
        self.canvas.area(Ink::ZombieGround, 0, at(from, end), 0.0);
        let mut runs = from;
        for pause in &run.pauses {
            let until = self.end((!pause.lasts).then_some(pause.until));
            let paused_from = self.y(pause.from).max(from);
            if until > paused_from {
                self.canvas.area(Ink::ZombieRuns, color, at(runs, paused_from), 0.0);
                self.canvas.area(Ink::ZombiePaused, color, at(paused_from, until), 0.0);
                runs = until;
            }
        }
        self.canvas.area(Ink::ZombieRuns, color, at(runs, end), 0.0);
        self.canvas.area(Ink::ZombieEdge, 0, at(from, end), 0.0);
        let x = left - 6.0;
        self.canvas.pen(Ink::Bracket, 0).to(x - 3.0, from).line(x + 3.0, from).to(x, from).line(x, end);
        if last.is_some() {
            self.canvas.line(Ink::Bracket, 0, (x - 3.0, end), (x + 3.0, end));
        }
        if end - from > 70.0 {
            self.label(
                words::ZOMBIE,
                "t-strong t-bad t-halo t-turned",
                0,
                (x - 3.0, from + (end - from) * 0.3),
            );
        }
    }

    fn lease(&mut self, lease: &LeaseTruth) {
        let (Some(x), Some(first)) = (self.lane(lease.owner), lease.terms.first()) else { return };
        let whole = self.view.rulebook.scenario().rules.lease.duration.0.max(1) as f32;
        let last = lease.end.map_or(self.view.now, |(at, _)| at);
        let (left, wide) = (x + 7.0, 7.0);
        let mut points = Vec::new();
        for (place, term) in lease.terms.iter().enumerate() {
            let next = lease.terms.get(place + 1).map_or(last, |next| next.from).min(last);
            let ends = term.until.unwrap_or(At::MAX);
            let left = |at: At| between(ends.saturating_sub(at) as f32 / whole, 0.0, 1.0);
            points.push((self.y(term.from), left(term.from)));
            points.push((self.y(next), left(next)));
        }
        let (top, bottom) = (self.y(first.from), self.end(lease.end.map(|(at, _)| at)));
        let mut pen = self.canvas.pen(Ink::Lease, hue(lease.exec.attempt));
        pen.to(left, top);
        for (y, share) in points {
            pen.line(left + wide * share, y);
        }
        pen.line(left, bottom).close();
    }

    fn sinks(&mut self) {
        for raised in self.facts.raised.clone() {
            if let Some(x) = self.lane(raised.node) {
                let next =
                    self.facts.raised.iter().find(|next| next.node == raised.node && next.at > raised.at);
                let until = self.end(next.map(|next| next.at));
                let from = self.y(raised.at);
                self.canvas.line(Ink::Fence, hue(raised.exec.attempt), (x - 10.0, from), (x - 10.0, until));
            }
        }
        for held in self.facts.held.clone() {
            let Some(x) = self.lane(held.sink) else { continue };
            let tasks = &self.view.rulebook.scenario().tasks;
            let whole = tasks.get(usize::from(held.exec.task.0)).and_then(|task| task.rows.first()).copied();
            let unit = 10.0 / whole.unwrap_or(1).max(1) as f32;
            let left = (x - 6.0 + held.below as f32 * unit).min(x + 10.0);
            let right = (left + held.rows as f32 * unit - 0.5).min(x + 16.0);
            let area = Area::new(left, self.y(held.from), right.max(left + 2.0), self.end(held.until));
            let color = hue(held.exec.attempt);
            if held.stale {
                self.canvas.area(Ink::RowsGround, 0, area, 0.0);
                self.canvas.area(Ink::RowsStale, color, area, 0.0);
                self.canvas.area(Ink::RowsEdge, 0, area, 0.0);
            } else {
                self.canvas.area(Ink::Rows, color, area, 0.0);
            }
        }
    }

    /// The arrow of a row.
    fn hop(&mut self, place: usize) {
        let Some(placed) = self.down.rows.get(place) else { return };
        let (y, hop, ok) = (placed.middle, placed.row.hop, placed.row.tone == Tone::Ok);
        let scheduler = self.lane(SCHEDULER).unwrap_or(0.0);
        match hop {
            Hop::None => {}
            Hop::Grant { exec, to } => {
                if let Some(x) = self.lane(to) {
                    let inks = (Ink::Grant, Ink::Head);
                    self.canvas.arrow(
                        inks,
                        hue(exec.attempt),
                        (scheduler + 9.0, y + 5.0),
                        (x - 9.0, y + 5.0),
                    );
                }
                self.tag(exec, scheduler, y);
            }
            Hop::Renewal { worker } => {
                if let Some(x) = self.lane(worker) {
                    let (left, right) = (scheduler + 9.0, x - 10.0);
                    self.canvas.line(Ink::Thin, 0, (left + 4.0, y), (right - 4.0, y));
                    self.canvas.head(Ink::HeadThin, 0, (right, y), (left, y));
                    self.canvas.head(Ink::HeadThin, 0, (left, y), (right, y));
                }
            }
            Hop::Told { worker } => {
                if let Some(x) = self.lane(worker) {
                    let inks = (Ink::Refusal, Ink::HeadBad);
                    self.canvas.arrow(inks, 0, (scheduler + 9.0, y), (x - 9.0, y));
                }
            }
            Hop::Write { exec, worker, sink, stale } => {
                let (Some(from), Some(to)) = (self.lane(worker), self.lane(sink)) else { return };
                let (inks, color) = if stale {
                    ((Ink::Stale, Ink::HeadBad), 0)
                } else {
                    ((Ink::Write, Ink::Head), hue(exec.attempt))
                };
                self.canvas.arrow(inks, color, (from + 5.0, y), (to - 6.0, y));
            }
            Hop::Fenced { worker, sink, .. } => {
                let (Some(from), Some(to)) = (self.lane(worker), self.lane(sink)) else { return };
                let x = to - 10.0;
                self.canvas.line(Ink::Stale, 0, (from + 5.0, y), (x - 8.0, y));
                self.canvas.circle(Ink::RingGround, 0, x, y, 8.5);
                if ok {
                    self.canvas.circle(Ink::Ring, 0, x, y, 6.5);
                    self.canvas.line(Ink::Ring, 0, (x - 3.5, y), (x + 3.5, y));
                }
            }
        }
    }
}
