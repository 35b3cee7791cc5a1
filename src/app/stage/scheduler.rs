//! The scheduler's lane: its story, what it heard, what its sweeps did.

use super::board::{Board, levels};
use super::ink::Ink;
use super::place::{Priority, Spot};
use super::story::{Chapter, Told};
use super::{Area, Lane, LaneOf, StateWord};
use crate::app::words::event::hue;
use crate::app::words::stage::time_span;
use crate::app::words::{lane, stage as words};
use fenceline_engine::Exec;
use fenceline_sim::Kind;
use fenceline_sim::order;
use fenceline_sim::scenario::SCHEDULER;

/// Tasks whose stories are told side by side.
const MOST_LEVELS: usize = 3;

impl Board<'_> {
    /// How many levels the story needs at once.
    fn story_levels(&self) -> (Vec<usize>, usize) {
        let chapters = &self.facts.story.chapters;
        // A task keeps its level, so that its attempts follow each other.
        let tasks = self.view.rulebook.scenario().tasks.len();
        let stretch = |task: usize| {
            let mut of = chapters.iter().filter(|c| usize::from(c.exec.task.0) == task);
            let first = of.next();
            let last = of.next_back().or(first);
            (first.map_or(0, |c| c.from), last.map_or(0, |c| c.until))
        };
        let stretches: Vec<_> = (0..tasks).map(stretch).collect();
        let (level_of, count) = levels(&stretches);
        (
            chapters.iter().map(|c| level_of.get(usize::from(c.exec.task.0)).copied().unwrap_or(0)).collect(),
            count,
        )
    }

    /// Draws the lane from `top` down; gives its height.
    pub(super) fn scheduler(&mut self, top: f32) -> f32 {
        let (level_of, count) = self.story_levels();
        // Too many at once to tell apart: told in numbers.
        let in_numbers = count > MOST_LEVELS;
        let count = if in_numbers { 1 } else { count };
        let (pad, tall, under) = (self.q(28.0), self.q(20.0), self.q(16.0));
        let bend = self.clock_room(SCHEDULER);
        let height = (pad + count as f32 * (tall + under) + self.q(12.0)).max(70.0) + bend;
        let y_of = |level: usize| top + pad + level as f32 * (tall + under);
        let chapters = std::mem::take(&mut self.facts.story.chapters);
        for (chapter, level) in chapters.iter().zip(&level_of).filter(|_| !in_numbers) {
            self.chapter(chapter, y_of(*level), tall);
            let of = Exec::first(chapter.exec.task, chapter.exec.attempt);
            if !self.ports.story.iter().any(|(exec, _)| *exec == of) {
                self.ports.story.push((of, y_of(*level) + tall + 1.0));
            }
        }
        self.facts.story.chapters = chapters;
        self.ports.story_bottom = y_of(count - 1) + tall + 1.0;
        if in_numbers {
            self.story_in_numbers(y_of(0), tall);
        } else {
            self.silences(under);
        }
        self.sweeps(top + pad, tall);
        if let Some(more) = self.view.more {
            (more.decisions)(self, top + height - bend - 6.0);
            (more.node_marks)(self, SCHEDULER, top, top + height - bend, None);
            (more.leadership)(self, SCHEDULER, top + height - bend - 6.0);
        }
        self.scheduler_down(top + pad - 4.0, y_of(count - 1) + tall + 4.0);
        if let Some(more) = self.view.more.filter(|_| bend > 0.0) {
            (more.clock_ruler)(self, SCHEDULER, top + height - bend);
        }
        let mut strips = vec![(lane::STORY, y_of(0) + tall / 2.0)];
        if bend > 0.0 {
            strips.push((lane::ITS_CLOCK, top + height - bend + 17.0));
        }
        let mut states = Vec::new();
        for done in self.facts.done.iter().filter(|done| done.node == SCHEDULER) {
            let Some(text) = lane::scheduler(done.kind) else { continue };
            states.push(StateWord { at: done.from, text: text.into(), bad: false });
            if let Some(until) = done.until {
                states.push(StateWord { at: until, text: lane::BACK.into(), bad: false });
            }
        }
        order::by(&mut states, |state| state.at);
        self.lanes.push(Lane {
            of: LaneOf::Node(SCHEDULER),
            name: lane::SCHEDULER.into(),
            note: String::new(),
            y: top,
            height,
            name_dy: 8.0,
            strips,
            states,
        });
        height
    }

    fn chapter(&mut self, chapter: &Chapter, y: f32, tall: f32) {
        let runs_on = chapter.until >= self.view.now;
        let Some((left, right)) = self.span(chapter.from, (!runs_on).then_some(chapter.until)) else {
            return;
        };
        let area = Area::new(left + 0.75, y, right - 0.75, y + tall);
        let color = hue(chapter.exec.attempt);
        let name = super::facts::Facts::task_name(self.view, chapter.exec.task).map(str::to_owned);
        self.handle(chapter.record, area);
        match chapter.told {
            Told::Runs => {
                self.canvas.area(Ink::StoryGround, 0, area, 4.0);
                self.canvas.area(Ink::Story, color, area, 4.0);
                self.tag(chapter.token, color, false, &[(left + 8.0, y + tall / 2.0 + 4.0)]);
                let inside =
                    Area { left: area.left + 16.0, right: self.until_down(chapter.from, area.right), ..area };
                let texts = words::thinks(name.as_deref(), chapter.exec.attempt);
                self.label_in(Priority::Rest, "t", texts, inside, false);
            }
            Told::Over { held } => {
                self.canvas.area(Ink::StoryGround, 0, area, 4.0);
                self.canvas.area(Ink::Story, color, area, 4.0);
                let texts = if held { words::held() } else { words::grace() };
                self.label_in(Priority::Rest, "t", texts, area, false);
            }
            Told::Waits => {
                let middle = y + tall / 2.0;
                self.canvas.line(Ink::Waits, 0, (left, middle), (right, middle));
            }
            Told::Succeeded => {
                self.canvas.area(Ink::Success, 0, area, 4.0);
                let texts = words::success(self.view.alerts.len());
                self.label_in(Priority::Grant, "t-strong t-ok", texts, area, false);
            }
            Told::Failed | Told::Skipped => {
                self.canvas.area(Ink::Down, 0, area, 4.0);
                let texts = words::not_done(chapter.told == Told::Skipped);
                self.label_in(Priority::Grant, "t-strong", texts, area, false);
            }
        }
    }

    /// Dotted lines where no word came of an attempt for long.
    fn silences(&mut self, under: f32) {
        let long = self.view.rulebook.scenario().rules.heartbeat.every.times(3).0 / 2;
        let silences = std::mem::take(&mut self.facts.story.silences);
        for silence in &silences {
            let lasted = time_span(silence.from, silence.until);
            if !silence.acted && lasted.0 <= long {
                continue;
            }
            let Some((left, right)) = self.span(silence.from, Some(silence.until)) else { continue };
            let y = self.story_port(silence.exec) - 1.0 + under * 0.625;
            self.canvas.line(Ink::Silence, 0, (left, y), (right, y));
            if right - left > 100.0 {
                let quarter = (right - left) / 4.0;
                let middle = left + 2.0 * quarter;
                let spots = [middle, middle + quarter * 0.7, middle - quarter * 0.7]
                    .map(|x| Spot::around(x, y + 4.0));
                self.label(Priority::Rest, "t-muted t-halo", words::no_word(lasted), &spots);
            }
        }
        self.facts.story.silences = silences;
    }

    /// The sweeps that found something, and the grants that followed.
    fn sweeps(&mut self, y: f32, _tall: f32) {
        let starts = self.view.starts;
        let expired: Vec<_> = self.facts.expired.iter().map(|e| (e.at, e.record, e.exec)).collect();
        let mut done = None;
        for (at, record, _) in &expired {
            let Some(x) = self.seen(*at) else { continue };
            if done == Some(*at) {
                continue;
            }
            done = Some(*at);
            let many = expired.iter().filter(|(other, ..)| other == at).count();
            self.canvas
                .pen(Ink::SweepActs, 0)
                .to(x, y - 1.0)
                .line(x - 5.0, y - 9.0)
                .line(x + 5.0, y - 9.0)
                .close();
            self.placer.keep_off(Area::new(x - 5.0, y - 9.0, x + 5.0, y));
            self.handle(*record, Area::new(x - 6.0, y - 12.0, x + 6.0, y));
            let spots = [Spot::left_of(x - 9.0, y - 8.0), Spot::right_of(x + 9.0, y - 8.0)];
            self.label(Priority::Expiry, "t-bad", words::sweep(many), &spots);
        }
        let mut grants: Vec<(u64, u32, u32, u8)> = Vec::new();
        for chapter in &self.facts.story.chapters {
            if chapter.told != Told::Runs || chapter.exec.attempt < 2 {
                continue;
            }
            match grants.last_mut() {
                Some(last) if last.0 == chapter.from => last.2 = chapter.token,
                _ => grants.push((chapter.from, chapter.token, chapter.token, hue(chapter.exec.attempt))),
            }
        }
        for (at, first, last, color) in grants {
            let Some(x) = self.seen(at) else { continue };
            let spots = [Spot::right_of(x + 9.0, y - 8.0), Spot::left_of(x - 9.0, y - 8.0)];
            self.label_hue(Priority::Grant, color, words::grants(first, last, at, starts), &spots);
        }
        let guarded: Vec<_> = self.facts.guarded.iter().map(|g| g.at).collect();
        let mut done = None;
        for at in &guarded {
            if done == Some(*at) {
                continue;
            }
            done = Some(*at);
            let Some(x) = self.seen(*at) else { continue };
            let many = guarded.iter().filter(|other| *other == at).count();
            let spots = [Spot::right_of(x + 6.0, y - 8.0), Spot::left_of(x - 6.0, y - 8.0)];
            self.canvas.line(Ink::Ended, 0, (x, y - 10.0), (x, y - 1.0));
            self.label(Priority::Fault, "t-muted", words::guarded(many), &spots);
        }
    }

    /// Where the scheduler next stops running, if that is left of `right`.
    fn until_down(&self, from: fenceline_sim::At, right: f32) -> f32 {
        let stops = |done: &&super::facts::Done| {
            done.node == SCHEDULER
                && done.from >= from
                && matches!(done.kind, Kind::Crashed | Kind::Paused | Kind::Frozen)
        };
        self.facts.done.iter().find(stops).map_or(right, |done| self.axis.x(done.from).min(right))
    }

    /// When the scheduler itself did not run.
    fn scheduler_down(&mut self, top: f32, bottom: f32) {
        for done in self.facts.done.clone() {
            if done.node != SCHEDULER || !matches!(done.kind, Kind::Crashed | Kind::Paused | Kind::Frozen) {
                continue;
            }
            let Some((left, right)) = self.span(done.from, done.until) else { continue };
            let area = Area::new(left, top, right.max(left + 3.0), bottom);
            self.canvas.area(Ink::Down, 0, area, 2.0);
            self.handle(done.record, area);
            let lasted = done.until.map(|until| time_span(done.from, until));
            let texts = match done.kind {
                Kind::Crashed => words::down(lasted),
                kind => words::paused(lasted, kind == Kind::Frozen),
            };
            self.label_mid(Priority::Fault, "t-strong", texts.clone(), area);
            if right - left < 60.0 {
                let y = top - 4.0;
                self.label(Priority::Fault, "t", texts, &[Spot::around((left + right) / 2.0, y)]);
            }
        }
    }
}
