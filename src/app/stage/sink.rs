//! A sink's lane: what its fence remembers, what it holds, the effects it caused, what was left
//! behind in it.

use super::board::{Board, SinkPort};
use super::facts::Facts;
use super::ink::Ink;
use super::place::{Priority, Spot};
use super::{Area, Lane, LaneOf, StateWord};
use crate::app::words::event::hue;
use crate::app::words::stage as words;
use fenceline_engine::{Exec, NodeId, SinkKind, TaskId};
use fenceline_sim::{At, Kind};

impl Board<'_> {
    /// Draws the lane from `top` down; gives its height.
    pub(super) fn sink(&mut self, index: usize, top: f32) -> f32 {
        let scenario = self.view.rulebook.scenario();
        let node = scenario.sink(index);
        let Some(sink) = scenario.sinks.get(index) else { return 0.0 };
        let kind = sink.rules.kind;
        let (name, note) = (sink.name.clone(), self.sink_note(node, &kind));
        let can_compare = kind.can_compare();
        let has_side = matches!(kind, SinkKind::Staged { .. } | SinkKind::Locked { .. });
        let holds = self.facts.held.iter().any(|held| held.sink == node) || can_compare;
        let unit = self.q(20.0);
        let mut strips = Vec::new();
        let mut y = top;
        let fence = can_compare.then(|| {
            y += self.q(16.0);
            strips.push(("fence", y));
            y
        });
        let side = has_side.then(|| {
            y += if fence.is_some() { 26.0 } else { 16.0 };
            strips.push((if matches!(kind, SinkKind::Staged { .. }) { "staging" } else { "lock" }, y));
            y
        });
        let base = y + if holds { unit * 3.0 } else { self.q(40.0) };
        let height = (base - top + self.q(10.0)).max(70.0);
        let base = base.max(top + height - self.q(10.0));
        let port = SinkPort { top, fence, side, base, unit };
        self.ports.sinks.push((node, port));
        if let Some(fence) = fence {
            self.fence(node, fence);
        }
        match kind {
            SinkKind::Api(_) | SinkKind::Mailbox => {
                self.effects(node, base, kind == SinkKind::Mailbox);
                strips.push((if kind == SinkKind::Mailbox { "sent" } else { "done" }, base - 14.0));
            }
            SinkKind::Resource => {
                self.load(node, base, height - 22.0);
                strips.push(("in service", base - 8.0));
            }
            _ => {}
        }
        if holds {
            self.holds(node, port);
            strips.push(("holds", base - unit / 2.0));
        }
        self.kept(node, port);
        self.node_marks(node, top, top + height, None);
        self.sink_down(node, top, top + height);
        let states = self.sink_states(node);
        self.lanes.push(Lane {
            of: LaneOf::Node(node),
            name,
            note,
            y: top,
            height,
            name_dy: 8.0,
            strips,
            states,
        });
        height
    }

    fn sink_note(&self, node: NodeId, kind: &SinkKind) -> String {
        let scenario = self.view.rulebook.scenario();
        let mut intervals = scenario.tasks.iter().zip(&scenario.judged).filter_map(|(task, judged)| {
            task.program.iter().any(|step| step.sink() == Some(node)).then_some(judged.interval.as_str())
        });
        let kind = words::sink_kind(kind);
        match (intervals.next(), intervals.next()) {
            (Some(interval), None) if !interval.is_empty() => format!("{interval}, {kind}"),
            _ => kind.to_owned(),
        }
    }

    fn sink_states(&self, node: NodeId) -> Vec<StateWord> {
        let mut states = Vec::new();
        for done in self.facts.done.iter().filter(|done| done.node == node) {
            if matches!(done.kind, Kind::Crashed | Kind::Paused | Kind::Frozen) {
                states.push(StateWord { at: done.from, text: "down".into(), bad: false });
                if let Some(until) = done.until {
                    states.push(StateWord { at: until, text: "back".into(), bad: false });
                }
            }
        }
        states
    }

    fn sink_down(&mut self, node: NodeId, top: f32, bottom: f32) {
        for done in self.facts.done.clone() {
            if done.node != node || !matches!(done.kind, Kind::Crashed | Kind::Paused | Kind::Frozen) {
                continue;
            }
            let Some((left, right)) = self.span(done.from, done.until) else { continue };
            let area = Area::new(left, top + 3.0, right.max(left + 3.0), bottom - 3.0);
            self.canvas.area(Ink::Down, 0, area, 2.0);
            self.handle(done.record, area);
            let lasted = done.until.map(|until| words::time_span(done.from, until));
            let spots = [Spot::right_of(area.right + 4.0, top + 34.0), Spot::left_of(left - 4.0, top + 34.0)];
            self.label(Priority::Fault, "t t-halo", words::down(lasted), &spots);
        }
    }

    /// The highest token seen, stepping up when raised.
    fn fence(&mut self, node: NodeId, y: f32) {
        let at_start = self.view.rulebook.scenario();
        let mut on = match at_start.role(node) {
            fenceline_sim::scenario::Role::Sink(index) => {
                at_start.sinks.get(index).is_some_and(|sink| sink.rules.fence.is_some())
            }
            _ => false,
        };
        // Each stretch: from when, which token (none: nothing seen), under a fence or not.
        let mut stretches: Vec<(At, Option<(Exec, u32, u32)>, bool)> = vec![(0, None, on)];
        let mut changes: Vec<(At, Option<(Exec, u32, u32)>, bool)> = Vec::new();
        for (at, of, is_on) in &self.facts.fences_set {
            if *of == node && *is_on != on {
                on = *is_on;
                changes.push((*at, None, on));
            }
        }
        for raised in self.facts.raised.iter().filter(|raised| raised.node == node) {
            let token = u32::try_from(raised.b).unwrap_or(0);
            changes.push((raised.at, Some((raised.exec, token, raised.record)), true));
        }
        for forgot in self.facts.forgets.iter().filter(|forgot| forgot.node == node) {
            changes.push((forgot.at, None, true));
        }
        changes.sort_by_key(|change| change.0);
        let forgets: Vec<At> =
            self.facts.forgets.iter().filter(|forgot| forgot.node == node).map(|forgot| forgot.at).collect();
        stretches.extend(changes);
        for (place, (from, seen, on)) in stretches.iter().enumerate() {
            let until = stretches.get(place + 1).map(|next| next.0);
            if until == Some(*from) && seen.is_none() {
                continue;
            }
            let Some((left, right)) = self.span(*from, until) else { continue };
            match seen {
                Some((exec, token, record)) => {
                    let color = hue(exec.attempt);
                    self.canvas.line(Ink::Fence, color, (left, y), (right, y));
                    self.handle(*record, Area::new(left, y - 8.0, right, y + 8.0));
                    let own = left + 8.0;
                    let again = right - left > 40.0;
                    self.tag(
                        *token,
                        color,
                        false,
                        &[(own, y + 4.0), (own + if again { 16.0 } else { 0.0 }, y + 4.0)],
                    );
                }
                None => {
                    self.canvas.line(Ink::NoFence, 0, (left, y), (right, y));
                    let texts = match (on, forgets.contains(from)) {
                        (_, true) => words::forgotten(),
                        (true, false) => words::fence_at_rest(),
                        (false, false) => words::no_fence(),
                    };
                    let priority = if forgets.contains(from) { Priority::Fence } else { Priority::Rest };
                    if right - left > 24.0 {
                        self.label(
                            priority,
                            "t-muted t-halo",
                            texts,
                            &[Spot::right_of(left.max(MARGIN_LABEL), y + 4.0)],
                        );
                    }
                }
            }
        }
    }

    /// Rows in the table, stacked; one whole output reaches the dashed line.
    fn holds(&mut self, node: NodeId, port: SinkPort) {
        let scenario = self.view.rulebook.scenario();
        let mut tasks: Vec<TaskId> =
            self.facts.held.iter().filter(|held| held.sink == node).map(|held| held.exec.task).collect();
        tasks.sort_unstable();
        tasks.dedup();
        let rows =
            |task: &TaskId| scenario.tasks.get(usize::from(task.0)).and_then(|t| t.rows.first()).copied();
        let whole = |task: TaskId| rows(&task).unwrap_or(1).max(1) as f32;
        let mine: Vec<_> = self.facts.held.iter().filter(|held| held.sink == node).copied().collect();
        // Several partitions share the height; so do more than two outputs in one.
        let most = mine.iter().map(|h| (h.below + h.rows) as f32 / whole(h.exec.task)).fold(1.0, f32::max);
        let shares = tasks.len().max(1) as f32;
        let unit = (port.unit * 2.0 / most.max(2.0) / shares).max(3.0);
        let line = |place: f32| port.base - unit * 2.0 * place - unit - 0.5;
        let writers: Vec<u32> = scenario
            .tasks
            .iter()
            .filter(|task| task.program.iter().any(|step| step.sink() == Some(node)))
            .filter_map(|task| task.rows.first().copied())
            .collect();
        let edge = self.edge();
        if writers.iter().any(|rows| *rows > 0) {
            for place in 0..tasks.len().max(1) {
                let y = line(place as f32);
                self.canvas.line(Ink::Expected, 0, (self.axis.x(0).max(0.0), y), (edge, y));
            }
        }
        if let ([rows], true) = (writers.as_slice(), writers.first() > Some(&0)) {
            let y = line(0.0) - 4.5;
            let left = (self.axis.x(0) + 2.0).max(MARGIN_LABEL);
            self.label(Priority::Rest, "t-muted t-halo", words::expected(*rows), &[Spot::right_of(left, y)]);
        }
        for held in &mine {
            let place = tasks.iter().position(|task| *task == held.exec.task).unwrap_or(0) as f32;
            let base = port.base - unit * 2.0 * place;
            let Some((left, right)) = self.span(held.from, held.until) else { continue };
            let scale = unit / whole(held.exec.task);
            let bottom = base - held.below as f32 * scale;
            let top = bottom - held.rows as f32 * scale;
            let area = Area::new(left, top, right, bottom - 1.0);
            let color = hue(held.exec.attempt);
            self.handle(held.record, area);
            self.placer.keep_off(area);
            let token = Facts::token(self.view, held.exec).0;
            if held.stale {
                self.canvas.area(Ink::RowsGround, 0, area, 0.0);
                self.canvas.area(Ink::RowsStale, color, area, 0.0);
                self.canvas.area(Ink::RowsEdge, 0, area, 0.0);
                if area.bottom - area.top > 13.0 {
                    self.label_plate(words::stale_rows(held.rows.into()), area);
                }
            } else {
                self.canvas.area(Ink::Rows, color, area, 0.0);
                if area.bottom - area.top > 13.0 {
                    self.label_in(
                        Priority::Grant,
                        "t-strong",
                        words::rows(held.rows.into(), token),
                        area,
                        true,
                    );
                }
            }
        }
    }

    /// A label on a hatch, on a plate of its own ground.
    fn label_plate(&mut self, texts: words::Wordings, area: Area) {
        let right = area.right.min(self.view.width);
        let fits = |text: &&String| self.placer.width(text, super::Face::Strong) + 18.0 < right - area.left;
        let Some(text) = texts.iter().find(fits).cloned() else { return };
        let width = self.placer.width(&text, super::Face::Strong);
        let plate = Area::new(area.left + 9.0, area.top + 2.0, area.left + 17.0 + width, area.bottom - 2.0);
        // Drawn over the hatch: rings and their grounds come late.
        self.canvas.area(Ink::Plate, 0, plate, 3.0);
        self.label_in(
            Priority::Violation,
            "t-strong t-bad",
            vec![text],
            Area { left: area.left + 5.0, right, ..area },
            false,
        );
    }

    /// Irreversible effects, side by side where the same was caused again.
    fn effects(&mut self, node: NodeId, base: f32, mail: bool) {
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
    fn kept(&mut self, node: NodeId, port: SinkPort) {
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
                let what = if kept.is_lock { "lock" } else { "staging table" };
                let spots = [
                    Spot::right_of(x + 4.0, y + 17.0),
                    Spot::left_of(x - 4.0, y + 17.0),
                    Spot::right_of(x + 4.0, y - 8.0),
                ];
                self.label(Priority::Fault, "t t-halo", words::leftover(what), &spots);
            }
        }
    }

    /// Requests a shared resource had in service, as steps.
    fn load(&mut self, node: NodeId, base: f32, tall: f32) {
        let work: Vec<_> = self.facts.work.iter().filter(|work| work.node == node).copied().collect();
        let Some(most) = work.iter().max_by_key(|work| work.n).copied() else { return };
        let scale = (tall - 8.0).max(8.0) / f32::from(most.n + 1);
        let edge = self.edge();
        let floor = base;
        let mut pen = self.canvas.pen(Ink::Load, 0);
        pen.to(self.axis.x(0), floor);
        for at in &work {
            let x = self.axis.x(at.at);
            pen.line(x, floor - scale * f32::from(at.n + 1)).line(x, floor - scale * f32::from(at.n));
        }
        pen.line(edge, floor);
        if let Some(x) = self.seen(most.at) {
            let y = floor - scale * f32::from(most.n + 1);
            self.handle(most.record, Area::new(x - 4.0, y, x + 4.0, floor));
            let spots = [Spot::right_of(x + 6.0, y + 9.0), Spot::left_of(x - 6.0, y + 9.0)];
            self.label(Priority::Rest, "t t-halo", words::load(most.n + 1), &spots);
        }
    }
}

/// Labels of what lasts from before the window begin here.
const MARGIN_LABEL: f32 = super::MARGIN + 2.0;
