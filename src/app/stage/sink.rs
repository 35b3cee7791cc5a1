//! A sink's lane: what its fence remembers, what it holds, the effects it caused, what was left
//! behind in it.

use super::board::{Board, SinkPort};
use super::facts::Facts;
use super::held::Held;
use super::ink::Ink;
use super::place::{Priority, Spot};
use super::{Area, Lane, LaneOf, StateWord};
use crate::app::words::event::hue;
use crate::app::words::{lane, stage as words};
use fenceline_engine::{Exec, NodeId, SinkKind, TaskId};
use fenceline_sim::order;
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
            strips.push((lane::FENCE, y));
            y
        });
        let side = has_side.then(|| {
            y += if fence.is_some() { 26.0 } else { 16.0 };
            strips
                .push((if matches!(kind, SinkKind::Staged { .. }) { lane::STAGING } else { lane::LOCK }, y));
            y
        });
        let base = y + if holds { unit * 3.0 } else { self.q(40.0) };
        let bend = self.clock_room(node);
        let height = (base - top + self.q(10.0)).max(70.0);
        let base = base.max(top + height - self.q(10.0));
        let port = SinkPort { top, fence, side, base, unit };
        self.ports.sinks.push((node, port));
        if let Some(fence) = fence {
            self.fence(node, fence);
        }
        match (kind, self.view.more) {
            (SinkKind::Api(_) | SinkKind::Mailbox, Some(more)) => {
                (more.effects)(self, node, base, kind == SinkKind::Mailbox);
                strips.push((if kind == SinkKind::Mailbox { lane::SENT } else { lane::DONE }, base - 14.0));
            }
            (SinkKind::Resource, Some(more)) => {
                (more.load)(self, node, base, height - 22.0);
                strips.push((lane::IN_SERVICE, base - 8.0));
            }
            _ => {}
        }
        if holds {
            self.holds(node, port);
            strips.push((lane::HOLDS, base - unit / 2.0));
        }
        if let Some(more) = self.view.more {
            (more.kept)(self, node, port);
            (more.node_marks)(self, node, top, top + height, None);
        }
        self.sink_down(node, top, top + height);
        if let Some(more) = self.view.more.filter(|_| bend > 0.0) {
            (more.clock_ruler)(self, node, top + height);
            strips.push((lane::ITS_CLOCK, top + height + 17.0));
        }
        let height = height + bend;
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
                states.push(StateWord { at: done.from, text: lane::DOWN.into(), bad: false });
                if let Some(until) = done.until {
                    states.push(StateWord { at: until, text: lane::BACK.into(), bad: false });
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
        let mut stretches: Vec<Remembered> = vec![(0, None, on)];
        let mut changes: Vec<Remembered> = Vec::new();
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
        order::by(&mut changes, |change| change.0);
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
                    // Forgotten by a restart: said once the sink is back.
                    let down = self.facts.done.iter().find(|done| done.node == node && done.from == *from);
                    let back =
                        down.and_then(|done| done.until).map_or(left, |until| self.axis.x(until) + 4.0);
                    let spots = [Spot::right_of(left.max(back).max(MARGIN_LABEL), y + 4.0)];
                    if right - left > 24.0 {
                        self.label(priority, "t-muted t-halo", texts, &spots);
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
        order::distinct(&mut tasks, |task| u64::from(task.0));
        let rows =
            |task: &TaskId| scenario.tasks.get(usize::from(task.0)).and_then(|t| t.rows.first()).copied();
        let whole = |task: TaskId| rows(&task).unwrap_or(1).max(1) as f32;
        let mine: Vec<_> = self.facts.held.iter().filter(|held| held.sink == node).copied().collect();
        // Several partitions share the height; so do more than two outputs in one.
        let most = mine
            .iter()
            .map(|h| (h.below + u64::from(h.rows)) as f32 / whole(h.exec.task))
            .fold(1.0, f32::max);
        let shares = tasks.len().max(1) as f32;
        let unit = (port.unit * 2.0 / most.max(2.0) / shares).max(3.0);
        let line = |place: f32| port.base - unit * 2.0 * place - unit - 0.5;
        let writers: Vec<u32> = scenario
            .tasks
            .iter()
            .filter(|task| task.program.iter().any(|step| step.sink() == Some(node)))
            .filter_map(|task| task.rows.first().copied())
            .collect();
        if tasks.len() > MOST_PARTITIONS {
            return self.holds_in_numbers(node, port, writers.iter().map(|rows| i64::from(*rows)).sum());
        }
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
            self.label(
                Priority::Rest,
                "t-muted t-halo",
                words::expected((*rows).into()),
                &[Spot::right_of(left, y)],
            );
        }
        let mut parts: Vec<(Held, Area)> = Vec::new();
        for held in &mine {
            let place = tasks.iter().position(|task| *task == held.exec.task).unwrap_or(0) as f32;
            let base = port.base - unit * 2.0 * place;
            let Some((left, right)) = self.span(held.from, held.until) else { continue };
            let scale = unit / whole(held.exec.task);
            let bottom = base - held.below as f32 * scale;
            let top = bottom - held.rows as f32 * scale;
            // Outputs stay apart; parts of one do not.
            let goes_on =
                parts.last().is_some_and(|(last, _)| last.exec == held.exec && last.stale == held.stale);
            let area = Area::new(left, top, right, if goes_on { bottom } else { bottom - 1.0 });
            let color = hue(held.exec.attempt);
            self.handle(held.record, area);
            self.placer.keep_off(area);
            if held.stale {
                self.canvas.area(Ink::RowsGround, 0, area, 0.0);
                self.canvas.area(Ink::RowsStale, color, area, 0.0);
                self.canvas.area(Ink::RowsEdge, 0, area, 0.0);
            } else {
                self.canvas.area(Ink::Rows, color, area, 0.0);
            }
            // Blocks of one output under one label; a block tall enough has its own.
            let is_tall = bottom - top > 14.0;
            if is_tall || !goes_on {
                self.label_parts(&std::mem::take(&mut parts));
            }
            parts.push((*held, area));
        }
        self.label_parts(&parts);
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

    /// Many partitions at once: their rows together, against those expected.
    fn holds_in_numbers(&mut self, node: NodeId, port: SinkPort, expected: i64) {
        let mut changes: Vec<(At, i64)> = Vec::new();
        for held in self.facts.held.iter().filter(|held| held.sink == node) {
            let rows = i64::from(held.rows);
            changes.push((held.from, rows));
            changes.extend(held.until.map(|until| (until, -rows)));
        }
        let at_end: i64 = changes.iter().map(|(_, rows)| *rows).sum();
        let tall = port.unit * 2.0;
        let most = self.steps(Ink::Load, changes, port.base, tall).max(1);
        let share = expected as f32 / most as f32;
        let y = port.base - tall * share.min(1.2);
        self.canvas.line(Ink::Expected, 0, (self.axis.x(0).max(0.0), y), (self.edge(), y));
        let left = (self.axis.x(0) + 2.0).max(MARGIN_LABEL);
        self.label(
            Priority::Rest,
            "t-muted t-halo",
            words::expected(expected),
            &[Spot::right_of(left, y - 4.5)],
        );
        let right = self.edge().min(self.view.width) - 8.0;
        let spots = [Spot::left_of(right, port.base - 5.0)];
        self.label(Priority::Grant, "t-strong t-halo", words::rows_in_all(at_end), &spots);
    }

    /// One label on the small blocks of an output written in parts.
    fn label_parts(&mut self, parts: &[(Held, Area)]) {
        let Some((first, whole)) = parts.first() else { return };
        let whole = parts.iter().fold(*whole, |sum, (_, area)| {
            Area::new(
                sum.left.max(area.left),
                sum.top.min(area.top),
                sum.right.min(area.right),
                sum.bottom.max(area.bottom),
            )
        });
        if whole.bottom - whole.top < 13.0 || whole.right - whole.left < 20.0 {
            return;
        }
        let rows: i64 = parts.iter().map(|(held, _)| i64::from(held.rows)).sum();
        if first.stale {
            return self.label_plate(words::stale_rows(rows), whole);
        }
        let token = Facts::token(self.view, first.exec).0;
        self.label_in(Priority::Grant, "t-strong", words::rows(rows, token), whole, true);
    }
}

/// From when on a fence has seen which token (its attempt, number and record), and whether it is on.
type Remembered = (At, Option<(Exec, u32, u32)>, bool);

/// Partitions told apart in one table.
const MOST_PARTITIONS: usize = 3;

/// Labels of what lasts from before the window begin here.
const MARGIN_LABEL: f32 = super::MARGIN + 2.0;
