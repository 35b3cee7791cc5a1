//! Reading the truth from the trace.

use super::{
    Belief, ExecutionTruth, LeaseEnd, LeaseTruth, Overlap, StaleWrite, Stretch, Term, Truth, Zombie,
};
use crate::clock::At;
use crate::clocks::Clocks;
use crate::record::{Kind, MessageKind, Record};
use crate::rulebook::Rulebook;
use crate::scenario::{Role, SCHEDULER};
use crate::trace::Trace;
use fenceline_engine::{BeliefClock, Exec, ExpiryClock, NodeId, Span, SuccessBy, TimerClock, Token};

/// What is gathered of a task while the trace is read.
#[derive(Clone, Debug, Default)]
struct TaskSoFar {
    /// Index of each attempt's lease, in order.
    leases: Vec<usize>,
    /// Those of attempts that a second scheduler granted as well.
    again: Vec<usize>,
    unended: u32,
    overlap: Option<usize>,
}

pub(super) struct Builder {
    rules: Rulebook,
    clocks: Clocks,
    truth: Truth,
    tasks: Vec<TaskSoFar>,
    /// Executions by node that have not ended.
    running: Vec<Vec<usize>>,
    stopped: Vec<Option<At>>,
    /// By which of its judge's clocks each lease is judged.
    judged_by: Vec<ExpiryClock>,
    /// Who judges what the store renews.
    leader: NodeId,
    /// Beliefs' deadlines: lease, belief, reading of the owner's clock.
    deadlines: Vec<(usize, usize, BeliefClock, i64)>,
}

impl Builder {
    pub(super) fn new(rules: Rulebook) -> Self {
        let scenario = rules.scenario();
        let nodes = scenario.node_count();
        Self {
            clocks: Clocks::new(scenario),
            truth: Truth {
                executions: Vec::new(),
                leases: Vec::new(),
                stale_writes: Vec::new(),
                overlaps: Vec::new(),
            },
            tasks: vec![TaskSoFar::default(); scenario.tasks.len()],
            running: vec![Vec::new(); nodes],
            stopped: vec![None; nodes],
            judged_by: Vec::new(),
            leader: SCHEDULER,
            deadlines: Vec::new(),
            rules,
        }
    }

    pub(super) fn observe(&mut self, id: u32, record: &Record, trace: &Trace) {
        match record.kind {
            Kind::Sent | Kind::Delivered | Kind::Lost | Kind::StepBegan => {}
            Kind::Granted => self.granted(record),
            Kind::LeaseStarted | Kind::Renewed | Kind::Guarded | Kind::Observed => self.term(id, record),
            Kind::AttemptSucceeded if record.success_by() == SuccessBy::Report => {
                self.close(record, LeaseEnd::Released);
            }
            Kind::AttemptSucceeded
            | Kind::AttemptFailed
            | Kind::AttemptTimedOut
            | Kind::AttemptWithdrawn
            | Kind::AttemptOrphaned => self.close(record, LeaseEnd::Revoked),
            Kind::Kept => {
                if let Some(index) = self.lease_index(record.exec()) {
                    self.truth.leases[index].end = None;
                }
            }
            Kind::Leads => self.judged_anew(record),
            Kind::Started => self.started(record),
            Kind::InputRead => {
                if let Some(index) = self.running_index(record) {
                    self.truth.executions[index].version = Some(record.flag);
                }
            }
            Kind::Believes | Kind::ToldLost => self.believes(record),
            Kind::Ended => self.ended(record),
            Kind::Cleaned if record.flag == 0 => {}
            Kind::Applied | Kind::EffectDone | Kind::Cleaned => self.written(id, record, true),
            Kind::Fenced => {
                let asked = trace.get(record.cause).and_then(Record::message);
                if asked != Some(MessageKind::Raise) {
                    self.written(id, record, false);
                }
            }
            Kind::TooLate => self.written(id, record, false),
            Kind::Paused | Kind::Frozen => {
                self.clocks.observe(record);
                self.stopped[usize::from(record.node.0)] = Some(record.at);
            }
            Kind::Resumed | Kind::Thawed => {
                self.clocks.observe(record);
                self.runs_again(record);
            }
            // A crash ended what was paused; what starts now is not.
            Kind::Restarted => self.stopped[usize::from(record.node.0)] = None,
            Kind::RuleSet => {
                self.rules.observe(record);
            }
            _ => {
                self.clocks.observe(record);
            }
        }
    }

    fn lease_index(&self, exec: Exec) -> Option<usize> {
        let task = self.tasks.get(usize::from(exec.task.0))?;
        let again = task.again.iter().find(|index| self.truth.leases[**index].exec == exec);
        again.or(task.leases.get(usize::from(exec.attempt).checked_sub(1)?)).copied()
    }

    fn running_index(&self, record: &Record) -> Option<usize> {
        let running = self.running.get(usize::from(record.node.0))?;
        running.iter().copied().find(|index| self.truth.executions[*index].exec == record.exec())
    }

    fn granted(&mut self, record: &Record) {
        let task = &mut self.tasks[usize::from(record.task.0)];
        if usize::from(record.attempt) <= task.leases.len() {
            task.again.push(self.truth.leases.len());
        } else {
            if let Some(&before) = task.leases.last() {
                self.truth.leases[before].end.get_or_insert((record.at, LeaseEnd::NewerGrant));
            }
            task.leases.push(self.truth.leases.len());
        }
        self.judged_by.push(self.rules.scenario().rules.lease.clock);
        self.truth.leases.push(LeaseTruth {
            exec: record.exec(),
            token: Token(u32::try_from(record.b).unwrap_or(0)),
            owner: record.peer,
            judge: record.node,
            granted: record.at,
            terms: Vec::new(),
            end: None,
            beliefs: Vec::new(),
        });
    }

    fn term(&mut self, id: u32, record: &Record) {
        let Some(index) = self.lease_index(record.exec()) else { return };
        self.judged_by[index] = self.rules.scenario().rules.lease.clock;
        let by_store = self.rules.scenario().role(record.node) == Role::Store;
        self.truth.leases[index].judge = if by_store { self.leader } else { record.node };
        let term = Term { record: id, from: record.at, until: None, reading: record.b };
        self.truth.leases[index].terms.push(term);
    }

    /// Another scheduler reads the record: a T on a wall clock is now one on its own.
    fn judged_anew(&mut self, record: &Record) {
        self.leader = record.node;
        for (lease, clock) in self.truth.leases.iter_mut().zip(&self.judged_by) {
            if lease.end.is_none() && clock.reads() == TimerClock::Wall {
                lease.judge = record.node;
            }
        }
    }

    fn close(&mut self, record: &Record, why: LeaseEnd) {
        if let Some(index) = self.lease_index(record.exec()) {
            self.truth.leases[index].end.get_or_insert((record.at, why));
        }
    }

    fn started(&mut self, record: &Record) {
        let token = self.lease_index(record.exec()).map_or(Token(0), |i| self.truth.leases[i].token);
        self.running[usize::from(record.node.0)].push(self.truth.executions.len());
        self.truth.executions.push(ExecutionTruth {
            exec: record.exec(),
            token,
            node: record.node,
            start: record.at,
            end: None,
            pauses: Vec::new(),
            version: None,
            zombie: None,
        });
        let task = &mut self.tasks[usize::from(record.task.0)];
        task.unended += 1;
        if task.unended == 2 {
            task.overlap = Some(self.truth.overlaps.len());
            let time = Stretch { from: record.at, until: record.at, lasts: true };
            self.truth.overlaps.push(Overlap { task: record.task, time });
        }
    }

    fn believes(&mut self, record: &Record) {
        let Some(index) = self.lease_index(record.exec()) else { return };
        let told_lost = record.kind == Kind::ToldLost;
        let beliefs = &mut self.truth.leases[index].beliefs;
        if !told_lost {
            let clock = if record.flag == 0 { BeliefClock::Monotonic } else { BeliefClock::Wall };
            self.deadlines.push((index, beliefs.len(), clock, record.b));
        }
        beliefs.push(Belief { from: record.at, until: told_lost.then_some(record.at), told_lost });
    }

    fn ended(&mut self, record: &Record) {
        let node = usize::from(record.node.0);
        let Some(index) = self.running_index(record) else { return };
        self.running[node].retain(|running| *running != index);
        let execution = &mut self.truth.executions[index];
        execution.end = Some((record.at, record.ending()));
        if let Some(from) = self.stopped[node] {
            pause(execution, from, record.at, false);
        }
        let task = &mut self.tasks[usize::from(record.task.0)];
        task.unended = task.unended.saturating_sub(1);
        if task.unended == 1
            && let Some(overlap) = task.overlap.take()
        {
            let time = &mut self.truth.overlaps[overlap].time;
            (time.until, time.lasts) = (record.at, false);
        }
    }

    fn written(&mut self, id: u32, record: &Record, accepted: bool) {
        let Some(index) = self.lease_index(record.exec()) else { return };
        let Some(&newest) = self.tasks[usize::from(record.task.0)].leases.last() else { return };
        let (token, newest) = (self.truth.leases[index].token, self.truth.leases[newest].token);
        if token < newest {
            self.truth.stale_writes.push(StaleWrite {
                record: id,
                at: record.at,
                exec: record.exec(),
                token,
                newest,
                sink: record.node,
                accepted,
                is_effect: record.kind == Kind::EffectDone,
            });
        }
    }

    fn runs_again(&mut self, record: &Record) {
        let node = usize::from(record.node.0);
        let Some(from) = self.stopped[node].take() else { return };
        for &index in &self.running[node] {
            pause(&mut self.truth.executions[index], from, record.at, false);
        }
    }

    pub(super) fn finish(mut self, now: At) -> Truth {
        for node in 0..self.running.len() {
            if let Some(from) = self.stopped[node] {
                for &index in &self.running[node] {
                    pause(&mut self.truth.executions[index], from, now, true);
                }
            }
        }
        for overlap in &mut self.truth.overlaps {
            if overlap.time.lasts {
                overlap.time.until = now;
            }
        }
        self.truth.overlaps.retain(|overlap| overlap.time.lasts || overlap.time.span() > Span::ZERO);
        self.settle_leases(now);
        for execution in &mut self.truth.executions {
            let task = &self.tasks[usize::from(execution.exec.task.0)];
            let again = task.again.iter().find(|index| self.truth.leases[**index].exec == execution.exec);
            let first = usize::from(execution.exec.attempt).checked_sub(1).and_then(|n| task.leases.get(n));
            let lease = again.or(first).map(|index| &self.truth.leases[*index]);
            // One that was sent and not recorded began before its grant.
            execution.token = lease.map_or(execution.token, |lease| lease.token);
            let end = lease.and_then(|lease| lease.end);
            execution.zombie = end.and_then(|(end, _)| zombie(execution, end, now));
        }
        self.truth
    }

    /// Turns every T and deadline into true time, and finds where each lease ended.
    fn settle_leases(&mut self, now: At) {
        for (lease, clock) in self.truth.leases.iter_mut().zip(&self.judged_by) {
            let clock = self.clocks.of(lease.judge).judging(*clock);
            for term in &mut lease.terms {
                term.until = clock.first_at(term.reading, term.from);
            }
            let expiry = lease.terms.last().and_then(|term| term.until).filter(|at| *at <= now);
            if let Some(at) = expiry
                && lease.end.is_none_or(|(end, _)| at <= end)
            {
                lease.end = Some((at, LeaseEnd::Expired));
            }
        }
        for (lease, belief, clock, reading) in &self.deadlines {
            let lease = &mut self.truth.leases[*lease];
            let clock = self.clocks.of(lease.owner).reckoning(*clock);
            let belief = &mut lease.beliefs[*belief];
            belief.until = clock.first_at(*reading, belief.from);
        }
    }
}

fn pause(execution: &mut ExecutionTruth, from: At, until: At, lasts: bool) {
    let from = from.max(execution.start);
    execution.pauses.push(Stretch { from, until, lasts });
}

fn zombie(execution: &ExecutionTruth, lease_end: At, now: At) -> Option<Zombie> {
    let until = execution.end.map_or(now, |(at, _)| at);
    let from = lease_end.max(execution.start);
    if until <= from {
        return None;
    }
    let paused = execution.pauses.iter().fold(Span::ZERO, |sum, pause| sum + pause.after(from));
    Some(Zombie { window: Stretch { from, until, lasts: execution.end.is_none() }, paused })
}
