//! Many tasks: one row each, one bar an attempt; the more rows, the less each shows.

use super::board::{Bar, Board};
use super::ink::Ink;
use super::place::{Priority, Spot};
use super::story::Told;
use super::{Area, Lane, LaneOf};
use crate::app::words::event::hue;
use crate::app::words::{lane, stage as say};
use fenceline_engine::{Ending, TaskId};
use fenceline_sim::order;
use fenceline_sim::truth::ExecutionTruth;

/// How tall a row is, and the bar in it.
fn row_height(rows: usize) -> (f32, f32) {
    match rows {
        0..=24 => (28.0, 16.0),
        25..=79 => (10.0, 8.0),
        80..=200 => (6.0, 5.0),
        201..=400 => (3.0, 2.0),
        _ => (2.0, 2.0),
    }
}

impl Board<'_> {
    /// The rows of all tasks; gives their height.
    pub(super) fn task_rows(&mut self, top: f32) -> f32 {
        let scenario = self.view.rulebook.scenario();
        let count = scenario.tasks.len();
        let (tall, bar) = row_height(count);
        let named = tall >= 28.0;
        let lane = self.lanes.len();
        let height = tall * count as f32 + 16.0;
        for (index, task) in (0..count).zip(0_u16..) {
            let y = top + 8.0 + tall * index as f32;
            let place = Bar {
                top: y + 2.0,
                bottom: y + 2.0 + bar,
                lane_top: y,
                lane_bottom: y + tall,
                is_next: false,
                lane: lane + if named { index } else { 0 },
            };
            self.task_row(TaskId(task), place, named);
            if named {
                let name = self.row_name(index);
                self.lanes.push(Lane {
                    of: LaneOf::Task(TaskId(task)),
                    name,
                    note: String::new(),
                    y,
                    height: tall,
                    name_dy: 2.0,
                    strips: Vec::new(),
                    states: Vec::new(),
                });
            }
        }
        if !named {
            self.lanes.push(Lane {
                of: LaneOf::Tasks(u16::try_from(count).unwrap_or(u16::MAX)),
                name: lane::tasks(count),
                note: lane::TASKS_NOTE.into(),
                y: top,
                height,
                name_dy: 10.0,
                strips: Vec::new(),
                states: Vec::new(),
            });
        }
        height
    }

    /// A task's name; tasks of one name are numbered.
    fn row_name(&self, index: usize) -> String {
        let judged = &self.view.rulebook.scenario().judged;
        let name_of = |index: usize| judged.get(index).map_or("", |judged| judged.name.as_str());
        let name = name_of(index);
        if name.is_empty() {
            return lane::task(index + 1);
        }
        let like = |place: &usize| name_of(*place) == name;
        if (0..judged.len()).filter(like).count() < 2 {
            return name.to_owned();
        }
        format!("{name} {}", (0..=index).filter(like).count())
    }

    /// The scheduler's story of many tasks: how many attempts it thinks run, an outline.
    pub(super) fn story_in_numbers(&mut self, y: f32, tall: f32) {
        let mut changes: Vec<(u64, i64)> = Vec::new();
        let (mut succeeded, mut failed) = (0, 0);
        for chapter in &self.facts.story.chapters {
            match chapter.told {
                Told::Runs | Told::Over { .. } => {
                    changes.push((chapter.from, 1));
                    if chapter.until < self.view.now {
                        changes.push((chapter.until, -1));
                    }
                }
                Told::Succeeded => succeeded += 1,
                Told::Failed => failed += 1,
                Told::Waits | Told::Skipped => {}
            }
        }
        let most = self.steps(Ink::Story, changes, y + tall, tall - 2.0);
        self.canvas.line(Ink::Waits, 0, (self.axis.x(0), y + tall), (self.edge(), y + tall));
        let left = self.axis.x(0).max(0.0);
        // Below the line, which begins where the words would.
        let spots = [Spot::right_of(left + 2.0, y + tall + 13.0)];
        self.label(Priority::Rest, "t-muted t-halo", say::thinks_many(most), &spots);
        if succeeded > 0 {
            let spots = [Spot::left_of(self.edge().min(self.view.width) - 8.0, y + tall / 2.0 + 4.5)];
            self.label(Priority::Grant, "t-strong t-ok t-halo", say::outcomes(succeeded, failed), &spots);
        }
    }

    /// Draws how many there are at once, from changes by one; gives the most.
    pub(super) fn steps(&mut self, ink: Ink, mut changes: Vec<(u64, i64)>, floor: f32, tall: f32) -> usize {
        // One that ends as another begins makes no peak.
        order::by(&mut changes, |(at, change)| at * 2 + u64::from(*change > 0));
        let mut now = 0;
        let most = changes.iter().fold(0, |most, (_, change)| {
            now += change;
            now.max(most)
        });
        let scale = tall / most.max(1) as f32;
        let edge = self.edge();
        let start = self.axis.x(0);
        let xs: Vec<(f32, i64)> = changes.iter().map(|(at, change)| (self.axis.x(*at), *change)).collect();
        let mut pen = self.canvas.pen(ink, 0);
        pen.to(start, floor);
        let mut now = 0;
        for (x, change) in xs {
            pen.line(x, floor - scale * now as f32);
            now += change;
            pen.line(x, floor - scale * now as f32);
        }
        pen.line(edge, floor - scale * now as f32).line(edge, floor);
        usize::try_from(most).unwrap_or(usize::MAX)
    }

    fn task_row(&mut self, task: TaskId, place: Bar, named: bool) {
        let truth = self.view.truth;
        let mut before: Option<&ExecutionTruth> = None;
        for run in truth.executions.iter().filter(|run| run.exec.task == task) {
            // Two at once share the row: the older above, the newer below.
            let after = truth.executions.iter().find(|next| {
                next.exec.task == task
                    && next.exec.attempt > run.exec.attempt
                    && run.end.is_none_or(|(end, _)| next.start < end)
            });
            let shares_with_older = before.is_some_and(|old| old.end.is_none_or(|(end, _)| run.start < end));
            let middle = (place.top + place.bottom) / 2.0;
            let (top, bottom) = match (shares_with_older, after.is_some()) {
                (true, _) => (middle + 0.5, place.bottom),
                (false, true) => (place.top, middle - 0.5),
                (false, false) => (place.top, place.bottom),
            };
            self.ports.bars.push((run.exec, Bar { top, bottom, ..place }));
            self.row_bar(run, top, bottom, named);
            before = Some(run);
        }
        if !named {
            return;
        }
        for lease in truth.leases.iter().filter(|lease| lease.exec.task == task) {
            let color = hue(lease.exec.attempt);
            let Some(first) = lease.terms.first() else { continue };
            let until = lease.end.map(|(at, _)| at);
            let Some((left, right)) = self.span(first.from, until) else { continue };
            self.canvas.area(
                Ink::Lease,
                color,
                Area::new(left, place.bottom + 2.0, right, place.bottom + 5.0),
                0.0,
            );
        }
    }

    fn row_bar(&mut self, run: &ExecutionTruth, top: f32, bottom: f32, named: bool) {
        let color = hue(run.exec.attempt);
        let end = run.end.map(|(at, _)| at);
        let Some((left, right)) = self.span(run.start, end) else { return };
        // Two bars one after another in one row stay apart.
        let area = Area::new(left, top, (right - 0.5).max(left + 1.0), bottom);
        self.canvas.area(Ink::Run, color, area, if named { 3.0 } else { 0.0 });
        for pause in &run.pauses {
            if let Some((left, right)) = self.span(pause.from, (!pause.lasts).then_some(pause.until)) {
                self.canvas.area(Ink::Paused, color, Area { left, right, ..area }, 0.0);
            }
        }
        if let Some(zombie) = run.zombie {
            let until = (!zombie.window.lasts).then_some(zombie.window.until);
            if let Some((left, right)) = self.span(zombie.window.from, until) {
                let part = Area { left, right, ..area };
                self.canvas.area(Ink::ZombieGround, 0, part, 0.0);
                self.canvas.area(Ink::ZombieRuns, color, part, 0.0);
                self.canvas.area(Ink::ZombieEdge, 0, part, 0.0);
            }
        }
        let record = self.record_of(run.exec, fenceline_sim::Kind::Started);
        self.handle(record, area);
        if named {
            self.placer.keep_off(area);
        }
        if bottom - top > 13.0 {
            self.label_in(Priority::Rest, "t-strong", say::runs(run.exec.attempt, run.token.0), area, true);
        }
        if let Some((at, Ending::Crashed)) = run.end
            && named
            && let Some(x) = self.seen(at)
        {
            self.canvas.cross(Ink::CrossPlain, x + 6.0, (top + bottom) / 2.0);
        }
    }

    /// How many attempts execute at once, as steps.
    pub(super) fn executing(&mut self, top: f32) -> f32 {
        let height = 62.0;
        let mut changes: Vec<(u64, i64)> = Vec::new();
        for run in &self.view.truth.executions {
            changes.push((run.start, 1));
            changes.extend(run.end.map(|(at, _)| (at, -1)));
        }
        let floor = top + height - 10.0;
        let (mut now, mut most, mut most_at) = (0, 0, 0);
        order::by(&mut changes, |(at, change)| at * 2 + u64::from(*change > 0));
        for (at, change) in &changes {
            now += change;
            if now > most {
                (most, most_at) = (now, *at);
            }
        }
        let peak = self.steps(Ink::Load, changes, floor, height - 28.0);
        if let Some(x) = self.seen(most_at) {
            let y = top + 14.0;
            let spots = [Spot::right_of(x + 3.0, y), Spot::left_of(x - 3.0, y)];
            self.label(Priority::Rest, "t-strong t-halo", say::at_once(peak), &spots);
        }
        self.lanes.push(Lane {
            of: LaneOf::Executing,
            name: lane::EXECUTING.into(),
            note: lane::EXECUTING_NOTE.into(),
            y: top,
            height,
            name_dy: 10.0,
            strips: Vec::new(),
            states: Vec::new(),
        });
        height
    }
}
