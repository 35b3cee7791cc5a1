//! What every verdict is judged by: who ran, what was granted, what reached the sinks and what a
//! reader sees there. Built from records alone.

mod copies;

pub(crate) use copies::PutBack;

use super::spread::Reading;
use crate::clock::At;
use crate::record::{Kind, MessageKind, NONE, Record};
use crate::scenario::{Role, Scenario};
use fenceline_engine::{Chunk, Contents, Exec, FenceRaise, NodeId, Step, TaskId, TaskState, Token};

/// Everything known of one task.
#[derive(Clone, Debug, Default)]
pub(crate) struct TaskFacts {
    pub(crate) state: TaskState,
    pub(crate) terminal_at: Option<At>,
    /// How often it was run again on purpose, and whether it has not ended since.
    pub(crate) generation: u8,
    pub(crate) reopened: bool,
    /// The record of its state.
    pub(crate) state_record: u32,
    /// The input version now; 0 before it was ever changed.
    input: u8,
    /// The one that was there when success was recorded.
    declared: Option<u8>,
    /// By attempt, in order.
    pub(crate) grants: Vec<Grant>,
    /// An older one that holds it again; 0: the newest does.
    pub(crate) kept: u8,
    /// Attempts that a second scheduler granted as well: an execution each.
    again: Vec<(Exec, Grant)>,
    pub(crate) started: Vec<Exec>,
    /// Executions that have not ended.
    pub(crate) running: Vec<Exec>,
    bases: Vec<Basis>,
    pub(crate) effects: Vec<EffectFacts>,
    /// Indices into the targets.
    pub(crate) targets: Vec<usize>,
}

/// One attempt, as granted.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Grant {
    pub(crate) token: Token,
    /// The record that gave it its terminal state.
    pub(crate) closed: u32,
    /// The copy on which its recorded success rests.
    pub(crate) succeeded: Option<u8>,
    /// The deliberate run that it is part of.
    pub(crate) generation: u8,
}

/// What one execution rests on.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Basis {
    exec: Exec,
    /// The input version it read.
    version: u8,
    /// Whose commit its own was found to repeat.
    repeats: Option<Exec>,
}

/// One business key: the task, the step, and which deliberate run of the task it is.
#[derive(Clone, Copy, Debug)]
pub(crate) struct EffectFacts {
    pub(crate) step: u8,
    pub(crate) generation: u8,
    pub(crate) requests: u32,
    pub(crate) done: u32,
    pub(crate) first_done: u32,
}

/// One (sink, table partition).
#[derive(Clone, Debug)]
pub(crate) struct Target {
    pub(crate) sink: NodeId,
    pub(crate) task: TaskId,
    pub(crate) contents: Contents,
    /// Executions a write of which reached the sink.
    pub(crate) writers: Vec<Exec>,
    /// The last accepted write of each execution.
    pub(crate) accepted: Vec<(Exec, u32)>,
    /// The highest accepted token and its record.
    pub(crate) highest: Option<(Token, u32)>,
}

/// A write that became visible, and what it replaced.
#[derive(Clone, Debug)]
pub(crate) struct Landed {
    pub(crate) id: u32,
    pub(crate) at: At,
    pub(crate) exec: Exec,
    pub(crate) token: Token,
    pub(crate) target: usize,
    /// The highest token accepted before it, with its record.
    pub(crate) highest: Option<(Token, u32)>,
    pub(crate) replaced: Vec<Chunk>,
}

/// The visible output of execution `of`, deleted by a cleanup of another's.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Cleaned {
    pub(crate) id: u32,
    pub(crate) at: At,
    pub(crate) exec: Exec,
    pub(crate) of: Exec,
    pub(crate) target: usize,
}

#[derive(Clone, Debug)]
pub(crate) struct Facts {
    pub(crate) tasks: Vec<TaskFacts>,
    pub(crate) targets: Vec<Target>,
    /// How many tasks are terminal.
    pub(crate) terminals: usize,
    /// By task: messages on their way.
    in_flight: Vec<u32>,
    /// Requests a sink has and has not answered.
    serving: Vec<(NodeId, Exec)>,
    /// What executions were shown of others' tables.
    pub(crate) readings: Vec<Reading>,
    /// What was visible in a sink when a copy of it was taken, by the index of the act that puts it back.
    copies: Vec<(i64, Vec<(usize, Contents)>)>,
}

impl Facts {
    pub(crate) fn new(scenario: &Scenario) -> Self {
        let tasks = scenario.tasks.len();
        Self {
            tasks: vec![TaskFacts::default(); tasks],
            targets: Vec::new(),
            terminals: 0,
            in_flight: vec![0; tasks],
            serving: Vec::new(),
            readings: Vec::new(),
            copies: Vec::new(),
        }
    }

    /// An estimate: a task has a grant and an execution or two.
    pub(crate) fn bytes(&self) -> usize {
        self.tasks.len() * (size_of::<TaskFacts>() + 120) + self.targets.len() * (size_of::<Target>() + 100)
    }

    pub(crate) fn task(&self, task: TaskId) -> &TaskFacts {
        &self.tasks[usize::from(task.0)]
    }

    pub(crate) fn task_mut(&mut self, task: TaskId) -> &mut TaskFacts {
        &mut self.tasks[usize::from(task.0)]
    }

    pub(crate) fn token(&self, exec: Exec) -> Token {
        self.grant(exec).map_or(Token(0), |grant| grant.token)
    }

    pub(crate) fn grant(&self, exec: Exec) -> Option<&Grant> {
        let task = self.task(exec.task);
        let again = task.again.iter().find(|(granted, _)| *granted == exec).map(|(_, grant)| grant);
        again.or(task.grants.get(usize::from(exec.attempt).checked_sub(1)?))
    }

    pub(crate) fn grant_mut(&mut self, exec: Exec) -> Option<&mut Grant> {
        let task = self.task_mut(exec.task);
        match task.again.iter_mut().find(|(granted, _)| *granted == exec) {
            Some((_, grant)) => Some(grant),
            None => task.grants.get_mut(usize::from(exec.attempt).checked_sub(1)?),
        }
    }

    /// Whether an execution's attempt is its task's newest, or the one kept in its place, and open in the record.
    pub(crate) fn is_holder(&self, exec: Exec) -> bool {
        let task = self.task(exec.task);
        let holds = match task.kept {
            0 => task.grants.len() == usize::from(exec.attempt),
            kept => kept == exec.attempt,
        };
        holds && self.grant(exec).is_some_and(|grant| grant.closed == NONE)
    }

    pub(crate) fn has_ended(&self, exec: Exec) -> bool {
        let task = self.task(exec.task);
        task.started.contains(&exec) && !task.running.contains(&exec)
    }

    // --- messages ---

    pub(crate) fn sent(&mut self, record: &Record) {
        self.in_flight[usize::from(record.task.0)] += 1;
        if matches!(record.message(), Some(MessageKind::Reply | MessageKind::Seen))
            && let Some(at) = self.serving.iter().position(|s| *s == (record.node, record.exec()))
        {
            self.serving.swap_remove(at);
        }
    }

    /// A second copy is on its way.
    pub(crate) fn doubled(&mut self, record: &Record) {
        self.in_flight[usize::from(record.task.0)] += 1;
    }

    pub(crate) fn arrived(&mut self, record: &Record) {
        let count = &mut self.in_flight[usize::from(record.task.0)];
        debug_assert!(*count > 0, "it was never sent: {}", record.line());
        *count = count.saturating_sub(1);
        let asks =
            matches!(record.message(), Some(MessageKind::Request | MessageKind::Raise | MessageKind::Look));
        if asks && record.kind == Kind::Delivered {
            self.serving.push((record.node, record.exec()));
        }
    }

    /// A store that dies forgets what it was serving.
    /// Names the tasks whose requests it had.
    pub(crate) fn crashed(&mut self, node: NodeId) -> Vec<TaskId> {
        let lost = self.serving.iter().filter(|(sink, _)| *sink == node).map(|(_, exec)| exec.task).collect();
        self.serving.retain(|(sink, _)| *sink != node);
        lost
    }

    /// Terminal in the record, no execution runs, no message is in flight.
    pub(crate) fn is_quiet(&self, task: TaskId) -> bool {
        let facts = self.task(task);
        self.in_flight[usize::from(task.0)] == 0
            && facts.terminal_at.is_some()
            && !facts.reopened
            && facts.running.is_empty()
            && self.serving.iter().all(|(_, exec)| exec.task != task)
    }

    // --- scheduler and workers ---

    pub(crate) fn granted(&mut self, record: &Record) {
        let token = Token(u32::try_from(record.b).unwrap_or(0));
        let task = self.task_mut(record.task);
        task.kept = 0;
        let grant = Grant { token, closed: NONE, succeeded: None, generation: task.generation };
        if usize::from(record.attempt) > task.grants.len() {
            task.grants.push(grant);
        } else {
            task.again.push((record.exec(), grant));
        }
    }

    /// What was given up is open again.
    pub(crate) fn kept(&mut self, record: &Record) {
        self.task_mut(record.task).kept = record.attempt;
        if let Some(grant) = self.grant_mut(record.exec()) {
            grant.closed = NONE;
        }
    }

    pub(crate) fn task_is(&mut self, id: u32, record: &Record) {
        let state = record.task_state();
        let facts = self.task_mut(record.task);
        (facts.state, facts.state_record) = (state, id);
        if state == TaskState::Succeeded {
            facts.declared.get_or_insert(facts.input.max(1));
        }
        facts.reopened &= !state.is_terminal();
        if state.is_terminal() && facts.terminal_at.is_none() {
            facts.terminal_at = Some(record.at);
            self.terminals += 1;
        }
    }

    pub(crate) fn input_changed(&mut self, record: &Record) {
        self.task_mut(record.task).input = record.flag;
    }

    pub(crate) fn reopened(&mut self, record: &Record) {
        let facts = self.task_mut(record.task);
        facts.generation = u8::try_from(record.b).unwrap_or(u8::MAX);
        (facts.reopened, facts.declared) = (true, None);
    }

    /// Which deliberate run of its task an execution is part of.
    pub(crate) fn generation(&self, exec: Exec) -> u8 {
        self.grant(exec).map_or(self.task(exec.task).generation, |grant| grant.generation)
    }

    pub(crate) fn started(&mut self, record: &Record) {
        let facts = self.task_mut(record.task);
        facts.started.push(record.exec());
        facts.running.push(record.exec());
    }

    pub(crate) fn ended(&mut self, record: &Record) {
        let exec = record.exec();
        self.task_mut(record.task).running.retain(|running| *running != exec);
    }

    fn basis(&mut self, exec: Exec) -> &mut Basis {
        let bases = &mut self.task_mut(exec.task).bases;
        let at = bases.iter().position(|basis| basis.exec == exec).unwrap_or_else(|| {
            bases.push(Basis { exec, version: 1, repeats: None });
            bases.len() - 1
        });
        &mut bases[at]
    }

    pub(crate) fn read_input(&mut self, record: &Record) {
        self.basis(record.exec()).version = record.flag;
        // Of a reading that was asked for twice, the answer that came is the one.
        let shown = self.readings.iter_mut();
        shown
            .filter(|it| (it.exec, it.version) == (record.exec(), record.flag))
            .for_each(|it| it.used = true);
    }

    pub(crate) fn found_commit(&mut self, record: &Record) {
        self.basis(record.exec()).repeats = Some(record.holder());
    }

    /// The execution on which the recorded success of the highest token rests, or the one whose commit it
    /// found, and its input version. A commit of another interval, or of a run before a deliberate one, is
    /// not what was asked for.
    pub(crate) fn winner(&self, task: TaskId) -> Option<(Exec, u8)> {
        let facts = self.task(task);
        let number = |index: usize| u8::try_from(index + 1).unwrap_or(u8::MAX);
        let first = facts.grants.iter().enumerate().map(|(index, grant)| (number(index), grant));
        let again = facts.again.iter().map(|(exec, grant)| (exec.attempt, grant));
        let succeeded = |(attempt, grant): (u8, &Grant)| Some((grant.token, attempt, grant.succeeded?));
        let newest = first.chain(again).filter_map(succeeded);
        let (_, attempt, copy) = newest.max_by_key(|(token, attempt, _)| (*token, *attempt))?;
        let exec = Exec { task, attempt, copy };
        let basis = |of: Exec| facts.bases.iter().find(|basis| basis.exec == of);
        let is_same = |of: &Exec| of.task == task && self.generation(*of) == self.generation(exec);
        let winner = basis(exec).and_then(|basis| basis.repeats).filter(is_same).unwrap_or(exec);
        Some((winner, basis(winner).map_or(1, |basis| basis.version)))
    }

    /// The input version whose output a reader should see: the winner's. A success that rests on nobody's
    /// output, as an operator may record one, promises that of the input as it was then.
    pub(crate) fn promised(&self, task: TaskId) -> Option<u8> {
        let facts = self.task(task);
        let declared = facts.declared.filter(|_| facts.state == TaskState::Succeeded);
        self.winner(task).map(|(_, version)| version).or(declared)
    }

    // --- sinks ---

    pub(crate) fn target(&mut self, sink: NodeId, task: TaskId) -> usize {
        let known = &self.tasks[usize::from(task.0)].targets;
        if let Some(index) = known.iter().copied().find(|index| self.targets[*index].sink == sink) {
            return index;
        }
        let index = self.targets.len();
        self.targets.push(Target {
            sink,
            task,
            contents: Contents::default(),
            writers: Vec::new(),
            accepted: Vec::new(),
            highest: None,
        });
        self.task_mut(task).targets.push(index);
        index
    }

    /// Lands an applied write as its sink did.
    pub(crate) fn land(&mut self, id: u32, record: &Record, scenario: &Scenario) -> Option<Landed> {
        let Role::Sink(sink) = scenario.role(record.node) else { return None };
        let landing = scenario.sinks[sink].rules.kind.landing();
        let (exec, token) = (record.exec(), self.token(record.exec()));
        let index = self.target(record.node, record.task);
        let target = &mut self.targets[index];
        let chunk = Chunk {
            exec,
            version: record.flag,
            part: u8::try_from(record.n).unwrap_or(u8::MAX),
            from: 0,
            to: u32::try_from(record.b).unwrap_or(0),
        };
        let mut replaced = Vec::new();
        target.contents.land(chunk, landing, |old| replaced.push(old));
        let highest = target.highest;
        if highest.is_none_or(|(highest, _)| token >= highest) {
            target.highest = Some((token, id));
        }
        target.accepted.retain(|(by, _)| *by != exec);
        target.accepted.push((exec, id));
        Some(Landed { id, at: record.at, exec, token, target: index, highest, replaced })
    }

    /// Deletes the visible rows that a cleanup did.
    pub(crate) fn clean(&mut self, id: u32, record: &Record) -> Cleaned {
        let of = record.holder();
        let index = self.target(record.node, record.task);
        let target = &mut self.targets[index];
        target.contents.remove(of);
        Cleaned { id, at: record.at, exec: record.exec(), of, target: index }
    }

    /// The facts of one business key.
    pub(crate) fn effect(&mut self, exec: Exec, step: u8) -> &mut EffectFacts {
        let generation = self.generation(exec);
        let effects = &mut self.task_mut(exec.task).effects;
        let is_it = |effect: &EffectFacts| (effect.step, effect.generation) == (step, generation);
        let at = effects.iter().position(is_it).unwrap_or_else(|| {
            effects.push(EffectFacts { step, generation, requests: 0, done: 0, first_done: NONE });
            effects.len() - 1
        });
        &mut effects[at]
    }
}

impl Target {
    /// The last accepted write of an execution.
    pub(crate) fn accepted_of(&self, exec: Exec) -> u32 {
        self.accepted.iter().find(|(by, _)| *by == exec).map_or(NONE, |(_, id)| *id)
    }
}

/// What a step asks of a sink, as far as verdicts differ by it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Asked {
    /// Makes rows visible.
    Write,
    /// Is judged by the fence, and makes none visible.
    Hidden,
    Effect,
    Other,
}

/// What a delivered request asks for, by its task's program.
pub(crate) fn asked(scenario: &Scenario, record: &Record) -> Asked {
    let step = u8::try_from(record.n).ok().and_then(|n| scenario.tasks[usize::from(record.task.0)].step(n));
    match step {
        Some(Step::Write { .. } | Step::Swap { .. }) => Asked::Write,
        Some(Step::Stage { .. } | Step::Clean { .. }) => Asked::Hidden,
        Some(Step::Effect { .. }) => Asked::Effect,
        _ => Asked::Other,
    }
}

/// Whether a write that landed is one of several that its commit makes visible as one, and not the last.
pub(crate) fn is_more_to_come(scenario: &Scenario, record: &Record) -> bool {
    let Role::Sink(sink) = scenario.role(record.node) else { return false };
    let at_once = scenario.sinks[sink].rules.fence().is_some_and(|fence| fence.raise == FenceRaise::Commit);
    let is_inner = |step: &Step| {
        matches!(*step, Step::Write { sink, part, parts }
            if sink == record.node && u16::from(part) == record.n && part + 1 < parts)
    };
    at_once && scenario.tasks[usize::from(record.task.0)].program.iter().any(is_inner)
}

/// The parts of a task's output for an input version that go to one sink: part and rows.
pub(crate) fn output(scenario: &Scenario, task: TaskId, version: u8, sink: NodeId) -> Vec<(u8, u32)> {
    let spec = &scenario.tasks[usize::from(task.0)];
    let part = |step: &Step| match *step {
        Step::Write { sink: to, part, parts } if to == sink => {
            Some((part, spec.part_rows(version, part, parts)))
        }
        Step::Swap { sink: to } if to == sink => Some((0, spec.part_rows(version, 0, 1))),
        _ => None,
    };
    spec.program.iter().filter_map(part).collect()
}

/// The sinks a task's program makes rows visible in.
pub(crate) fn tables(scenario: &Scenario, task: TaskId) -> Vec<NodeId> {
    let mut sinks = Vec::new();
    for step in &scenario.tasks[usize::from(task.0)].program {
        if let Step::Write { sink, .. } | Step::Swap { sink } = *step
            && !sinks.contains(&sink)
        {
            sinks.push(sink);
        }
    }
    sinks
}
