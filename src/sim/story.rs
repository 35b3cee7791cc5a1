//! Two accounts of a run, as data: the scheduler's story, made only from what it could know, and the
//! truth, made from what a reader, a vendor and a stop-watch would find.

use crate::clock::At;
use crate::record::{Kind, Record};
use crate::rulebook::Rulebook;
use crate::scenario::{SCHEDULER, Scenario};
use crate::trace::Trace;
use crate::truth::Truth;
use crate::verdict::{EffectCounts, Judge, RowCounts};
use fenceline_engine::{NodeId, TaskId, TaskState, Token};

/// What the scheduler believes, and since when.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Story {
    /// In order of the tasks.
    pub tasks: Vec<TaskStory>,
    /// The scheduler whose account it is: the one that leads.
    pub leader: NodeId,
    /// When each worker was last heard, in order of the workers.
    pub heard: Vec<(NodeId, Option<At>)>,
    /// Since when its process has not run; what it believes is then what its record says.
    pub silent_since: Option<At>,
    /// Alerts raised so far.
    pub alerts: u32,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TaskStory {
    pub task: TaskId,
    /// Each until the next, the last until now.
    pub segments: Vec<Segment>,
    /// When an attempt of it was last heard of.
    pub heard: Option<At>,
}

impl TaskStory {
    /// What the scheduler holds to be true now.
    pub fn now(&self) -> Told {
        self.segments.last().map_or(Told::Waiting, |segment| segment.told)
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Segment {
    pub from: At,
    pub told: Told,
    pub record: u32,
}

/// What the scheduler says of a task.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Told {
    /// Not yet due.
    Waiting,
    Queued,
    /// An attempt runs.
    Runs(Attempt),
    /// Its lease is over; it was asked to stop.
    Stopping(Attempt),
    /// Its lease is over; an operator must decide.
    Held(Attempt),
    Succeeded,
    Failed,
    /// Its time passed while nobody was there to start it, or its last run went on.
    Skipped,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Attempt {
    pub attempt: u8,
    pub token: Token,
    pub owner: NodeId,
}

impl Story {
    /// The scheduler's account at true time `now`, from the first `upto` records.
    pub fn of(rules: impl Into<Rulebook>, trace: &Trace, upto: u32, now: At) -> Self {
        let judge = Judge::over(rules, trace, upto);
        Self::from_judge(&judge, trace, upto, now)
    }

    /// The same, with a judge that is there already.
    pub fn from_judge(judge: &Judge, trace: &Trace, upto: u32, now: At) -> Self {
        let mut story = Self::new(judge.scenario());
        story.alerts = u32::try_from(judge.alerts(now).len()).unwrap_or(u32::MAX);
        let mut current = vec![None; story.tasks.len()];
        // What the store hears stands in the record.
        let store = judge.scenario().beats_to_store();
        for (id, record) in trace.iter().take(upto as usize).enumerate() {
            if record.kind == Kind::Leads {
                (story.leader, story.silent_since) = (record.node, None);
            }
            if record.node == story.leader {
                story.observe(id as u32, record, &mut current);
            } else if record.kind == Kind::Delivered && Some(record.node) == store {
                story.heard(record);
            }
        }
        story
    }

    fn new(scenario: &Scenario) -> Self {
        let task = |index: usize| TaskStory {
            task: TaskId(u16::try_from(index).unwrap_or(u16::MAX)),
            segments: Vec::new(),
            heard: None,
        };
        Self {
            tasks: (0..scenario.tasks.len()).map(task).collect(),
            leader: SCHEDULER,
            heard: (0..scenario.workers.len()).map(|index| (scenario.worker(index), None)).collect(),
            silent_since: None,
            alerts: 0,
        }
    }

    /// A record of the scheduler's own node: all it can know.
    fn observe(&mut self, id: u32, record: &Record, current: &mut [Option<Attempt>]) {
        let index = usize::from(record.task.0);
        let told = match record.kind {
            Kind::Delivered => return self.heard(record),
            Kind::Crashed | Kind::Paused | Kind::Frozen => {
                self.silent_since.get_or_insert(record.at);
                return;
            }
            Kind::Restarted | Kind::Resumed | Kind::Thawed => {
                self.silent_since = None;
                return;
            }
            Kind::Granted | Kind::Kept => {
                let token = Token(u32::try_from(record.b).unwrap_or(0));
                let attempt = Attempt { attempt: record.attempt, token, owner: record.peer };
                current[index] = Some(attempt);
                Some(Told::Runs(attempt))
            }
            Kind::StopAsked => current[index].map(Told::Stopping),
            Kind::HeldForOperator => current[index].map(Told::Held),
            Kind::Renewed | Kind::LeaseStarted => current[index].map(Told::Runs),
            Kind::TaskIs => match record.task_state() {
                TaskState::Waiting => Some(Told::Waiting),
                TaskState::Queued => Some(Told::Queued),
                TaskState::Running => None,
                TaskState::Succeeded => Some(Told::Succeeded),
                TaskState::Failed => Some(Told::Failed),
                TaskState::Skipped => Some(Told::Skipped),
            },
            _ => None,
        };
        if let Some(told) = told {
            self.tell(id, record, told);
        }
    }

    fn tell(&mut self, id: u32, record: &Record, told: Told) {
        let task = &mut self.tasks[usize::from(record.task.0)];
        // The lease of an attempt that is no longer wanted may still be renewed.
        let is_over = matches!(task.now(), Told::Succeeded | Told::Failed | Told::Skipped);
        let renews = matches!(record.kind, Kind::Renewed | Kind::LeaseStarted);
        if task.now() == told && !task.segments.is_empty() || is_over && renews {
            return;
        }
        if task.segments.last().is_some_and(|segment| segment.from == record.at) {
            task.segments.pop();
        }
        task.segments.push(Segment { from: record.at, told, record: id });
    }

    fn heard(&mut self, record: &Record) {
        if let Some((_, heard)) = self.heard.iter_mut().find(|(node, _)| *node == record.peer) {
            *heard = Some(record.at);
            self.tasks[usize::from(record.task.0)].heard = Some(record.at);
        }
    }
}

/// What is true of the outside: rows, effects, executions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Account {
    /// In order of the tasks.
    pub tasks: Vec<TaskAccount>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TaskAccount {
    pub task: TaskId,
    /// The rows a reader sees, against the winner's output.
    pub rows: RowCounts,
    /// The effects that happened, against those the program asks for.
    pub effects: EffectCounts,
    pub executions: u32,
    /// Executions that have not ended.
    pub unended: u32,
    /// Of those, how many outlived their lease.
    pub zombies: u32,
    pub stale_accepted: u32,
    pub stale_fenced: u32,
}

impl Account {
    /// The truth of the outside at true time `now`, from the first `upto` records.
    pub fn of(rules: impl Into<Rulebook>, trace: &Trace, upto: u32, now: At) -> Self {
        let rules = rules.into();
        let truth = Truth::of(rules.clone(), trace, upto, now);
        Self::from_parts(&truth, &Judge::over(rules, trace, upto))
    }

    /// The same, from a truth and a judge that are there already.
    pub fn from_parts(truth: &Truth, judge: &Judge) -> Self {
        let tasks = judge.scenario().tasks.len();
        let account = |index: usize| {
            let task = TaskId(u16::try_from(index).unwrap_or(u16::MAX));
            TaskAccount {
                task,
                rows: judge.rows(task),
                effects: judge.effects(task),
                executions: 0,
                unended: 0,
                zombies: 0,
                stale_accepted: 0,
                stale_fenced: 0,
            }
        };
        let mut tasks: Vec<TaskAccount> = (0..tasks).map(account).collect();
        for execution in &truth.executions {
            let account = &mut tasks[usize::from(execution.exec.task.0)];
            account.executions += 1;
            account.unended += u32::from(execution.end.is_none());
            account.zombies += u32::from(execution.end.is_none() && execution.zombie.is_some());
        }
        for write in &truth.stale_writes {
            let account = &mut tasks[usize::from(write.exec.task.0)];
            account.stale_accepted += u32::from(write.accepted);
            account.stale_fenced += u32::from(!write.accepted);
        }
        Self { tasks }
    }
}
