//! A worker's lane: what it runs, what it believes, and the leases it holds.

use super::board::{Bar, Board, levels};
use super::ink::Ink;
use super::links::RunStrip;
use super::place::{Priority, Spot};
use super::{Area, Lane, LaneOf, StateWord, Strips, between};
use crate::app::words::event::hue;
use crate::app::words::stage as words;
use fenceline_engine::{Ending, Exec, NodeId, Step};
use fenceline_sim::order;
use fenceline_sim::truth::{ExecutionTruth, LeaseTruth};
use fenceline_sim::{At, Kind};

/// Where the strips of one level lie.
#[derive(Clone, Copy, Debug)]
struct Level {
    runs: f32,
    runs_tall: f32,
    belief: Option<f32>,
    lease: f32,
    lease_tall: f32,
}

/// An attempt on a worker: its lease, its execution, or both.
struct Stay<'t> {
    exec: Exec,
    lease: Option<&'t LeaseTruth>,
    run: Option<&'t ExecutionTruth>,
}

impl Stay<'_> {
    fn stretch(&self, now: At) -> (At, At) {
        let granted = self.lease.map(|lease| lease.granted);
        let from = self.run.map_or(granted.unwrap_or(0), |run| granted.unwrap_or(run.start).min(run.start));
        let lease_end = self.lease.map_or(0, |lease| lease.end.map_or(now, |(at, _)| at));
        let run_end = self.run.map_or(0, |run| run.end.map_or(now, |(at, _)| at));
        (from, lease_end.max(run_end).max(from + 1))
    }
}

impl<'a> Board<'a> {
    fn stays(&self, node: NodeId) -> Vec<Stay<'a>> {
        let truth = self.view.truth;
        let mut stays: Vec<Stay<'a>> = truth
            .executions
            .iter()
            .filter(|run| run.node == node)
            .map(|run| Stay {
                exec: run.exec,
                lease: truth.lease(run.exec.task, run.exec.attempt).filter(|_| run.exec.copy == 0),
                run: Some(run),
            })
            .collect();
        for lease in truth.leases.iter().filter(|lease| lease.owner == node) {
            if !stays.iter().any(|stay| stay.exec == lease.exec) {
                stays.push(Stay { exec: lease.exec, lease: Some(lease), run: None });
            }
        }
        stays
    }

    /// How many levels all workers' lanes have together.
    pub(super) fn worker_levels(&self) -> usize {
        let scenario = self.view.rulebook.scenario();
        let of = |index: usize| {
            let stretches: Vec<_> =
                self.stays(scenario.worker(index)).iter().map(|stay| stay.stretch(self.view.now)).collect();
            levels(&stretches).1
        };
        (0..scenario.workers.len()).map(of).sum()
    }

    /// Draws the lane from `top` down; gives its height.
    pub(super) fn worker(&mut self, index: usize, top: f32) -> f32 {
        let node = self.view.rulebook.scenario().worker(index);
        let stays = self.stays(node);
        let stretches: Vec<_> = stays.iter().map(|stay| stay.stretch(self.view.now)).collect();
        let (level_of, count) = levels(&stretches);
        let with_belief = self.view.strips == Strips::All;
        let (runs_tall, lease_tall) = (self.q(22.0), self.q(20.0));
        let mut y = top;
        let mut boxes = Vec::new();
        for level in 0..count {
            let is_zombie = stays
                .iter()
                .zip(&level_of)
                .any(|(stay, l)| *l == level && stay.run.is_some_and(|run| run.zombie.is_some()));
            let runs = y + if is_zombie { 28.0 } else { 16.0 };
            let belief = with_belief.then_some(runs + runs_tall + 8.0);
            let lease = belief.map_or(runs + runs_tall + 8.0, |belief| belief + 17.0);
            boxes.push(Level { runs, runs_tall, belief, lease, lease_tall });
            y = lease + lease_tall;
        }
        let bend = self.clock_room(node);
        let height = (y - top + self.q(12.0)).max(if with_belief { 82.0 } else { 70.0 }) + bend;
        let lane = self.lanes.len();
        for (stay, level) in stays.iter().zip(&level_of) {
            let Some(at) = boxes.get(*level) else { continue };
            let bar = Bar {
                top: at.runs,
                bottom: at.runs + at.runs_tall,
                lane_top: top,
                lane_bottom: top + height - bend,
                is_next: index == 0 && *level == 0,
                lane,
            };
            self.ports.bars.push((stay.exec, bar));
            if let Some(run) = stay.run {
                self.execution(run, at);
            }
            if let (Some(lease), Some(belief)) = (stay.lease, at.belief) {
                self.beliefs(lease, stay.run, belief);
            }
            if let Some(lease) = stay.lease {
                self.lease(lease, at.lease, at.lease_tall);
            }
        }
        let strip = boxes.first().map(|level| RunStrip { top: level.runs, bottom: level.runs + runs_tall });
        if let Some(more) = self.view.more {
            (more.node_marks)(self, node, top, top + height - bend, strip);
        }
        let mut strips = Vec::new();
        if let Some(first) = boxes.first() {
            strips.push(("runs", first.runs + runs_tall / 2.0));
            strips.extend(first.belief.map(|belief| ("believes", belief + 4.0)));
            strips.push(("lease", first.lease + lease_tall / 2.0));
        }
        if let Some(more) = self.view.more.filter(|_| bend > 0.0) {
            (more.clock_ruler)(self, node, top + height - bend);
            strips.push(("its clock", top + height - bend + 17.0));
        }
        let name = self.view.rulebook.scenario().workers.get(index).map(|worker| capital(&worker.name));
        let states = self.worker_states(node, &stays);
        self.lanes.push(Lane {
            of: LaneOf::Node(node),
            name: name.unwrap_or_default(),
            note: String::new(),
            y: top,
            height,
            name_dy: 10.0,
            strips,
            states,
        });
        height
    }

    /// What an execution did: solid where it ran, hollow where it was paused, hatched where it
    /// outlived its lease.
    fn execution(&mut self, run: &ExecutionTruth, at: &Level) {
        let color = hue(run.exec.attempt);
        let (top, bottom) = (at.runs, at.runs + at.runs_tall);
        let end = run.end.map(|(at, _)| at);
        let last = end.unwrap_or(self.view.now);
        let zombie_from = run.zombie.map_or(At::MAX, |zombie| zombie.window.from);
        // Cut at every change of what the bar looks like.
        let mut cuts: Vec<At> = vec![run.start, last, zombie_from.min(last)];
        for pause in &run.pauses {
            cuts.extend([pause.from, pause.until]);
        }
        order::distinct(&mut cuts, |at| *at);
        let record = self.record_of(run.exec, Kind::Started);
        for pair in cuts.windows(2) {
            let &[from, until] = pair else { continue };
            if from < run.start || until > last {
                continue;
            }
            let paused = run.pauses.iter().any(|pause| pause.from <= from && until <= pause.until);
            let lasts = end.is_none() && until == last;
            let Some((left, right)) = self.span(from, (!lasts).then_some(until)) else { continue };
            let area = Area::new(left, top, right, bottom);
            let radius = if from == run.start { 3.0 } else { 0.0 };
            match (from >= zombie_from, paused) {
                (false, false) => self.canvas.area(Ink::Run, color, area, radius),
                (false, true) => {
                    self.canvas.area(Ink::Paused, color, area, 0.0);
                    for y in [top + 0.75, bottom - 0.75] {
                        self.canvas.line(Ink::PausedEdge, color, (left, y), (right, y));
                    }
                }
                (true, paused) => {
                    self.canvas.area(Ink::ZombieGround, 0, area, 0.0);
                    let stripes = if paused { Ink::ZombiePaused } else { Ink::ZombieRuns };
                    self.canvas.area(stripes, color, area, 0.0);
                }
            }
        }
        let Some((left, right)) = self.span(run.start, end) else { return };
        let whole = Area::new(left, top, right, bottom);
        self.placer.keep_off(whole);
        self.handle(record, whole);
        self.blocked(run, top, bottom);
        self.run_label(run, whole, zombie_from);
        self.pause_labels(run, whole, zombie_from);
        self.zombie_bracket(run, whole);
        self.ending(run, whole);
    }

    fn run_label(&mut self, run: &ExecutionTruth, whole: Area, zombie_from: At) {
        let solid_until = run.pauses.first().map_or(At::MAX, |pause| pause.from).min(zombie_from);
        let last = run.end.map_or(self.view.now, |(at, _)| at);
        let right = if solid_until < last { self.axis.x(solid_until) } else { whole.right };
        let area = Area { right, ..whole };
        let texts = words::runs(run.exec.attempt, run.token.0);
        self.label_in(Priority::Rest, "t-strong", texts, area, true);
    }

    fn pause_labels(&mut self, run: &ExecutionTruth, whole: Area, zombie_from: At) {
        for pause in &run.pauses {
            let stop = self.facts.done.iter().find(|done| done.node == run.node && done.from == pause.from);
            let host = stop.is_some_and(|done| done.kind == Kind::Frozen);
            let record = stop.map(|done| done.record);
            let Some((left, right)) = self.span(pause.from, (!pause.lasts).then_some(pause.until)) else {
                continue;
            };
            let hollow = self.axis.x(zombie_from.min(pause.until)).min(right);
            let area = Area { left, right: hollow.max(left), ..whole };
            if let Some(record) = record {
                self.handle(record, Area { left, right, ..whole });
            }
            let lasted = (!pause.lasts).then(|| pause.span());
            self.label_mid(Priority::Fault, "t-strong", words::paused(lasted, host), area);
        }
    }

    fn zombie_bracket(&mut self, run: &ExecutionTruth, whole: Area) {
        let Some(zombie) = run.zombie else { return };
        let until = (!zombie.window.lasts).then_some(zombie.window.until);
        let Some((left, right)) = self.span(zombie.window.from, until) else { return };
        self.canvas.area(Ink::ZombieEdge, 0, Area { left, right, ..whole }, 0.0);
        let y = whole.top - 9.0;
        let mut pen = self.canvas.pen(Ink::Bracket, 0);
        pen.to(left, y - 4.0).line(left, y + 4.0).to(left, y).line(right, y);
        if until.is_some() {
            pen.to(right, y - 4.0).line(right, y + 4.0);
        }
        let texts = words::zombie(zombie.window.span(), zombie.paused, zombie.window.lasts);
        let (left, right) = (left.max(0.0), right.min(self.view.width));
        let middle = (left + right) / 2.0;
        // Over its paused part if that has the room, clear of what happens when it wakes.
        let wakes = run
            .pauses
            .iter()
            .find(|pause| pause.from <= zombie.window.from && zombie.window.from < pause.until);
        let calm = wakes.map_or(middle, |pause| (left + self.axis.x(pause.until).min(right)) / 2.0);
        for text in &texts {
            let half = self.placer.width(text, super::Face::Strong) / 2.0 + 6.0;
            if half * 2.0 <= right - left {
                let spots = [calm, middle, left + half, right - half]
                    .map(|x| Spot::around(between(x, left + half, right - half), y + 4.0));
                return self.label(Priority::Violation, "t-strong t-bad t-halo", vec![text.clone()], &spots);
            }
        }
        let spots =
            [Spot::around(middle, y - 4.0), Spot::right_of(left, y - 4.0), Spot::left_of(right, y - 4.0)];
        self.label(Priority::Violation, "t-strong t-bad t-halo", texts, &spots);
    }

    /// Stretches in which a step held the worker's own loop: a dotted lower edge.
    fn blocked(&mut self, run: &ExecutionTruth, _top: f32, bottom: f32) {
        let Some(task) = self.view.rulebook.scenario().tasks.get(usize::from(run.exec.task.0)) else {
            return;
        };
        let last = run.end.map_or(self.view.now, |(at, _)| at);
        let steps: Vec<_> = self.facts.steps.iter().filter(|step| step.exec == run.exec).copied().collect();
        for (place, step) in steps.iter().enumerate() {
            let number = u8::try_from(step.n).unwrap_or(u8::MAX);
            if !matches!(task.step(number), Some(Step::Block(_))) {
                continue;
            }
            let until = steps.get(place + 1).map_or(last, |next| next.at);
            if let Some((left, right)) = self.span(step.at, Some(until)) {
                self.canvas.line(
                    Ink::Blocked,
                    hue(run.exec.attempt),
                    (left + 2.0, bottom + 2.5),
                    (right, bottom + 2.5),
                );
                self.handle(step.record, Area::new(left, bottom, right, bottom + 5.0));
            }
        }
    }

    /// The end of an execution that did not simply finish.
    fn ending(&mut self, run: &ExecutionTruth, whole: Area) {
        let Some((at, how)) = run.end else { return };
        let (Some(texts), Some(x)) = (words::ended(how), self.seen(at)) else { return };
        let middle = (whole.top + whole.bottom) / 2.0;
        if how == Ending::Crashed {
            self.canvas.area(
                Ink::LabelGround,
                0,
                Area::new(x + 1.5, middle - 6.0, x + 13.5, middle + 6.0),
                2.0,
            );
            self.canvas.cross(Ink::CrossPlain, x + 7.0, middle);
        } else {
            self.canvas.line(Ink::Ended, 0, (x + 1.0, whole.top - 2.0), (x + 1.0, whole.bottom + 2.0));
        }
        let record = self.record_of(run.exec, Kind::Ended);
        self.handle(record, Area::new(x - 2.0, whole.top, x + 13.0, whole.bottom));
        let spots = [
            Spot::right_of(x + 15.0, middle + 4.5),
            Spot::left_of(x - 4.0, whole.top - 3.0),
            Spot::right_of(x + 4.0, whole.top - 3.0),
        ];
        self.label(Priority::Fault, "t t-halo", texts, &spots);
    }

    /// The record of a kind that an execution has one of.
    pub(super) fn record_of(&self, exec: Exec, kind: Kind) -> u32 {
        let find = |(_, record): &(u32, &fenceline_sim::Record)| record.kind == kind && record.exec() == exec;
        self.view.trace.since(0).find(find).map_or(fenceline_sim::NONE, |(id, _)| id)
    }

    fn worker_states(&self, node: NodeId, stays: &[Stay<'_>]) -> Vec<StateWord> {
        let mut states = vec![StateWord { at: 0, text: "idle".into(), bad: false }];
        let mut say = |at: At, text: String, bad: bool| states.push(StateWord { at, text, bad });
        for run in stays.iter().filter_map(|stay| stay.run) {
            let lost = |at: At| run.zombie.is_some_and(|zombie| zombie.window.from <= at);
            let runs = |at: At| match lost(at) {
                true => "runs without a lease".to_owned(),
                false => format!("runs attempt {}", run.exec.attempt),
            };
            say(run.start, runs(run.start), lost(run.start));
            for pause in &run.pauses {
                say(pause.from, "paused".into(), false);
                if !pause.lasts && run.end.is_none_or(|(end, _)| pause.until < end) {
                    say(pause.until, runs(pause.until), lost(pause.until));
                }
            }
            if let Some(zombie) = run.zombie.filter(|zombie| zombie.window.from > run.start) {
                let at = zombie.window.from;
                let paused = run.pauses.iter().any(|pause| pause.from <= at && at < pause.until);
                let text = if paused { "paused, its lease over" } else { "runs without a lease" };
                say(at, text.into(), true);
            }
            if let Some((at, how)) = run.end {
                let text = match how {
                    Ending::Finished if lost(at) => "finished without a lease",
                    Ending::Finished => "idle",
                    Ending::SelfFenced => "stopped itself",
                    Ending::Fenced => "stopped by the fence",
                    Ending::NoAnswer => "gave up",
                    Ending::Leftover => "failed on a leftover",
                    Ending::Crashed => "crashed",
                    Ending::Killed => "killed",
                    Ending::Conflict => "lost the race",
                };
                say(at, text.into(), lost(at) && how == Ending::Finished);
            }
        }
        for restart in self.facts.restarts.iter().filter(|restart| restart.node == node) {
            say(restart.at, "restarted".into(), false);
        }
        order::by(&mut states, |state| state.at);
        states
    }
}

/// With a capital letter.
pub(super) fn capital(name: &str) -> String {
    let mut chars = name.chars();
    chars.next().map_or_else(String::new, |first| first.to_uppercase().chain(chars).collect())
}
