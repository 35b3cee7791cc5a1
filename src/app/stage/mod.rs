//! The stage: the space-time picture of a run, as plain data.
//!
//! [`draw`] turns a run's trace and its ground truth into a [`Picture`]: lanes, shapes and labels in
//! CSS pixels, laid out for a measured width. It decides nothing about the protocol; every mark
//! stands for a record or for a stretch of the truth. What moves with the cursor (the cursor itself,
//! the veil over the known future, the selected ring, the words in the gutter) is not part of the
//! picture, so that moving the cursor rebuilds nothing.

mod axis;
mod board;
mod dense;
pub mod down;
mod facts;
mod held;
mod ink;
mod lease;
mod lines;
mod links;
pub mod measure;
mod place;
mod rail;
pub mod rows;
mod scheduler;
mod sink;
mod standby;
mod story;
mod things;
mod walk;
pub mod window;
mod worker;

pub use walk::Walk;

/// A figure held between two others. `f32::clamp` panics where they have changed places, and brings the
/// formatting of floats into the page.
pub fn between(x: f32, low: f32, high: f32) -> f32 {
    x.min(high).max(low)
}

use crate::app::words::event::{self, Names, Sentence};
use board::Board;
use fenceline_engine::{NodeId, TaskId};
use fenceline_sim::{At, Record, Rulebook, Trace, Truth};

/// What is to be drawn, and for what room.
pub struct View<'a> {
    /// The rules the run opened with and their changes (`Rulebook::from(&run)`).
    pub rulebook: &'a Rulebook,
    /// The whole derived run; or, where the future is covered, the run up to `now`.
    pub trace: &'a Trace,
    /// The truth of that trace at `now`.
    pub truth: &'a Truth,
    /// How far trace and truth reach. What lies right of it is drawn as *not run yet*.
    pub now: At,
    /// Whether the run was stopped there, at a limit: the paper is torn.
    pub stopped: bool,
    /// Verdicts over time, one line each, drawn below the lanes.
    pub rails: &'a [Rail],
    /// When alerts went off.
    pub alerts: &'a [At],
    /// The part of the run in view: from, until.
    pub window: (At, At),
    /// Room for the picture, without its gutter.
    pub width: f32,
    /// How tall lanes are: 1, or 0.85 in a low window, 1.4 in a wide one.
    pub scale: f32,
    /// Whether lanes show every strip, or leave the beliefs out (start page, lessons).
    pub strips: Strips,
    /// The time of day at which the run starts, in seconds, if it has one.
    pub starts: Option<u32>,
    /// How wide a text is in a face.
    pub measure: &'a dyn Fn(&str, Face) -> f32,
    /// What only some runs need; none: it is left out.
    pub more: Option<&'static More>,
}

/// Marks that the first run has none of, as functions, so that the start page's program is without
/// them: what is done to nodes and links, clocks, what sinks have beside rows, many tasks.
pub struct More {
    node_marks: fn(&mut Board<'_>, NodeId, f32, f32, Option<links::RunStrip>),
    decisions: fn(&mut Board<'_>, f32),
    standby: fn(&mut Board<'_>, usize, f32) -> f32,
    leadership: fn(&mut Board<'_>, NodeId, f32),
    clock_ruler: fn(&mut Board<'_>, NodeId, f32),
    effects: fn(&mut Board<'_>, NodeId, f32, bool),
    kept: fn(&mut Board<'_>, NodeId, board::SinkPort),
    load: fn(&mut Board<'_>, NodeId, f32, f32),
    task_rows: fn(&mut Board<'_>, f32) -> f32,
    executing: fn(&mut Board<'_>, f32) -> f32,
    tell: fn(&Record, &Names) -> Sentence,
}

/// All of them.
pub const MORE: More = More {
    node_marks: |board, node, top, bottom, strip| board.node_marks(node, top, bottom, strip),
    decisions: |board, y| board.decisions(y),
    standby: |board, index, top| board.standby(index, top),
    leadership: |board, node, y| board.leadership(node, y),
    clock_ruler: |board, node, top| board.clock_ruler(node, top),
    effects: |board, node, base, mail| board.effects(node, base, mail),
    kept: |board, node, port| board.kept(node, port),
    load: |board, node, base, tall| board.load(node, base, tall),
    task_rows: |board, top| board.task_rows(top),
    executing: |board, top| board.executing(top),
    tell: event::tell,
};

/// Which strips a worker's lane has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Strips {
    All,
    NoBeliefs,
}

/// The faces labels are set in, all 12 px.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Face {
    Plain,
    Strong,
    /// For figures.
    Mono,
}

/// One verdict over time.
#[derive(Clone, Debug, PartialEq)]
pub struct Rail {
    /// The claim, in two words: "One output".
    pub name: String,
    /// What it was from when on, in order; not exercised before the first.
    pub points: Vec<RailPoint>,
    /// Said while it is not exercised: "one writer so far".
    pub idle: String,
}

/// From here on the verdict is this.
#[derive(Clone, Debug, PartialEq)]
pub struct RailPoint {
    pub at: At,
    /// The deciding record.
    pub record: u32,
    pub state: RailState,
    /// "two outputs", "one output: holds".
    pub label: String,
}

/// The three values of a verdict, as the rail shows them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RailState {
    NotExercised,
    Holds,
    Violated,
}

/// A picture of a run. Coordinates are CSS pixels from the top left of the plot (the gutter is
/// beside it).
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Picture {
    pub width: f32,
    pub height: f32,
    pub axis: Axis,
    pub lanes: Vec<Lane>,
    /// In order of drawing, one for each kind of mark and attempt.
    pub shapes: Vec<Shape>,
    /// Drawn over the veil, at full strength.
    pub labels: Vec<Label>,
    /// The ruler's figures.
    pub ticks: Vec<Tick>,
    /// What can be pointed at.
    pub handles: Vec<Handle>,
    /// What the keyboard walks over: the events, by lane, in order of time.
    pub cells: Vec<Cell>,
    /// Right of this nothing is known: "not run yet".
    pub covered_from: Option<f32>,
    /// When a verdict of a rail was decided, and the mark that decided it.
    pub decided: Vec<(At, Area)>,
}

/// Height of the ruler on top.
pub const RULER: f32 = 26.0;
/// Room left free at both ends of the time axis.
pub const MARGIN: f32 = 14.0;

/// True time to pixels and back.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Axis {
    pub from: At,
    pub until: At,
    pub width: f32,
}

impl Axis {
    /// Where an instant lies.
    pub fn x(&self, at: At) -> f32 {
        let span = (self.until.saturating_sub(self.from)).max(1) as f64;
        let share = (at as f64 - self.from as f64) / span;
        (f64::from(MARGIN) + f64::from(self.width - 2.0 * MARGIN) * share) as f32
    }

    /// Whether an instant is in view.
    pub fn shows(&self, at: At) -> bool {
        (self.from..=self.until).contains(&at)
    }

    /// The instant at a place, within the window.
    pub fn at(&self, x: f32) -> At {
        let share = f64::from(x - MARGIN) / f64::from((self.width - 2.0 * MARGIN).max(1.0));
        let span = self.until.saturating_sub(self.from) as f64;
        // 32 bits are too coarse for an hour in microseconds.
        let held = if share < 0.0 { 0.0 } else { share.min(1.0) };
        self.from + (held * span) as At
    }

    /// The same, rounded to what a pixel can say: a tenth of a second, or finer when zoomed in.
    pub fn at_rounded(&self, x: f32) -> At {
        let span = self.until.saturating_sub(self.from);
        let grain = match span {
            0..=2_000_000 => 1_000,
            2_000_001..=20_000_000 => 10_000,
            20_000_001..=1_200_000_000 => 100_000,
            _ => 1_000_000,
        };
        ((self.at(x) + grain / 2) / grain * grain).clamp(self.from, self.until)
    }
}

/// A lane: a node, a group of tasks, or a verdict's rail.
#[derive(Clone, Debug, PartialEq)]
pub struct Lane {
    pub of: LaneOf,
    pub name: String,
    /// What stands under the name for good: "28 Nov, append".
    pub note: String,
    pub y: f32,
    pub height: f32,
    /// Where the name goes, from the lane's top.
    pub name_dy: f32,
    /// The strips' names and the middle of each.
    pub strips: Vec<(&'static str, f32)>,
    /// Its state in a word, each from an instant on.
    pub states: Vec<StateWord>,
}

/// What a lane stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum LaneOf {
    Node(NodeId),
    /// A row of its own.
    Task(TaskId),
    /// Rows of tasks, and how many.
    Tasks(u16),
    /// How many attempts execute at once.
    Executing,
    Rail,
}

impl LaneOf {
    /// One for each.
    pub fn number(self) -> u32 {
        match self {
            Self::Node(node) => u32::from(node.0),
            Self::Task(task) => 1 << 16 | u32::from(task.0),
            Self::Tasks(count) => 2 << 16 | u32::from(count),
            Self::Executing => 3 << 16,
            Self::Rail => 4 << 16,
        }
    }
}

/// A lane's state from an instant on.
#[derive(Clone, Debug, PartialEq)]
pub struct StateWord {
    pub at: At,
    pub text: String,
    /// Stale, expired or violated.
    pub bad: bool,
}

impl Lane {
    /// Its state in a word at an instant.
    pub fn state_at(&self, at: At) -> Option<&StateWord> {
        self.states.iter().take_while(|state| state.at <= at).last()
    }
}

/// All marks of one kind and colour.
#[derive(Clone, Debug, PartialEq)]
pub struct Shape {
    /// Its kind: a class of `style/stage.css`.
    pub class: &'static str,
    /// The ordinal of the attempt it is coloured by, 1 to 4; 0: none.
    pub hue: u8,
    /// Path data.
    pub d: String,
}

/// A text on the picture.
#[derive(Clone, Debug, PartialEq)]
pub struct Label {
    pub text: String,
    /// Classes of `style/stage.css`.
    pub class: &'static str,
    pub hue: u8,
    pub anchor: Anchor,
    /// Of the baseline.
    pub x: f32,
    pub y: f32,
    /// The room it takes: left, top, right, bottom.
    pub area: Area,
    /// Set on a solid fill, in the colour made for that.
    pub on: bool,
}

/// Which end of a text lies at its x.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Anchor {
    Start,
    Middle,
    End,
}

impl Anchor {
    /// As SVG's `text-anchor` has it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Start => "start",
            Self::Middle => "middle",
            Self::End => "end",
        }
    }
}

/// A rectangle.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Area {
    pub left: f32,
    pub top: f32,
    pub right: f32,
    pub bottom: f32,
}

impl Area {
    pub fn new(left: f32, top: f32, right: f32, bottom: f32) -> Self {
        Self { left, top, right, bottom }
    }

    pub fn meets(&self, other: &Self) -> bool {
        self.left < other.right
            && other.left < self.right
            && self.top < other.bottom
            && other.top < self.bottom
    }

    pub fn within(&self, other: &Self) -> bool {
        self.left >= other.left
            && self.right <= other.right
            && self.top >= other.top
            && self.bottom <= other.bottom
    }

    pub fn grown(&self, by: f32) -> Self {
        Self::new(self.left - by, self.top - by, self.right + by, self.bottom + by)
    }

    fn holds(&self, x: f32, y: f32) -> bool {
        (self.left..=self.right).contains(&x) && (self.top..=self.bottom).contains(&y)
    }

    fn size(&self) -> f32 {
        (self.right - self.left) * (self.bottom - self.top)
    }
}

/// A figure on the ruler.
#[derive(Clone, Debug, PartialEq)]
pub struct Tick {
    pub x: f32,
    pub text: String,
    pub anchor: Anchor,
}

/// A mark that can be selected: the record it stands for, and where it is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Handle {
    pub record: u32,
    pub area: Area,
}

/// An event the keyboard can stand on.
#[derive(Clone, Debug, PartialEq)]
pub struct Cell {
    pub record: u32,
    pub at: At,
    /// Index into the picture's lanes.
    pub lane: usize,
    pub x: f32,
    /// Its sentence, time and position: "Token 8 granted to worker 2, 51.0 s, event 3 of 9".
    pub name: String,
}

impl Picture {
    /// The record of the smallest mark at a place, or of one within a finger's tolerance.
    pub fn hit(&self, x: f32, y: f32) -> Option<u32> {
        let under = |grown: f32| {
            let at = self.handles.iter().filter(move |handle| handle.area.grown(grown).holds(x, y));
            at.min_by(|a, b| a.area.size().total_cmp(&b.area.size())).map(|handle| handle.record)
        };
        under(0.0).or_else(|| under(5.0))
    }

    /// How far the picture is known at an instant. At its end a run has no future: nothing there
    /// is faint, and no word is cut.
    pub fn seen(&self, at: At) -> f32 {
        if at >= self.axis.until { self.width } else { self.axis.x(at).max(0.0) }
    }

    /// The mark that decided a verdict last, as the cursor went from one instant on to another.
    pub fn decided_between(&self, before: At, now: At) -> Option<Area> {
        self.decided.iter().rev().find(|(at, _)| before < *at && *at <= now).map(|(_, area)| *area)
    }

    /// Where the mark of a record is.
    pub fn area_of(&self, record: u32) -> Option<Area> {
        self.handles.iter().find(|handle| handle.record == record).map(|handle| handle.area)
    }
}

/// Full lanes, up to so many rows.
const FULL_ROWS: usize = 7;

/// Draws a run.
pub fn draw(view: &View<'_>) -> Picture {
    let mut board = Board::new(view, Area::new(0.0, RULER + 1.0, view.width, 4000.0));
    let scenario = view.rulebook.scenario();
    let rows = 1 + scenario.standby.len() + board.worker_levels() + scenario.sinks.len();
    let mut y = RULER;
    y += board.scheduler(y);
    if let Some(more) = view.more {
        for index in 0..scenario.standby.len() {
            board.divider(y);
            y += (more.standby)(&mut board, index, y);
        }
    }
    if rows <= FULL_ROWS {
        for worker in 0..scenario.workers.len() {
            board.divider(y);
            y += board.worker(worker, y);
        }
    } else if let Some(more) = view.more {
        board.divider(y);
        y += (more.task_rows)(&mut board, y);
    }
    for sink in 0..scenario.sinks.len() {
        board.divider(y);
        y += board.sink(sink, y);
    }
    if rows <= FULL_ROWS {
        board.lines();
    } else if let Some(more) = view.more {
        board.divider(y);
        y += (more.executing)(&mut board, y);
    }
    for rail in view.rails {
        board.divider(y);
        y += board.rail(rail, y);
    }
    let ticks = board.ruler(y);
    board.finish(y, ticks)
}
