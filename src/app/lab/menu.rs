//! What can be done to each kind of node, and when it would do nothing: two tables.

use fenceline_engine::{Decision, NodeId, Span, TaskId};
use fenceline_sim::scenario::{Role, SCHEDULER};
use fenceline_sim::world::NodeState;
use fenceline_sim::{Act, At, Fate, Path, State, Way};

use super::Lab;
use super::faults::span_of;
use crate::app::words::faults as words;

/// Under which heading an act stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Group {
    Process,
    Links,
    Clock,
    Operator,
    Input,
}

/// Tasks the scheduler's menu names: more would bury the rest.
const MOST_TASKS: usize = 3;
/// How far off a drifting clock runs, in parts per million: 6 s a minute.
const DRIFT: i64 = 100_000;
/// What a degraded link adds to the way of each message.
const DELAY: Span = Span::secs(5);
/// And how many of a million messages a lossy one loses.
const HALF: u32 = 500_000;

impl Lab {
    /// Every act on a node at `at`, commonest of its group first.
    pub(super) fn menu(&self, node: NodeId, at: At, state: &State) -> Vec<(Group, Act)> {
        let role = self.case().scenario.role(node);
        let mut menu = Vec::new();
        menu.extend(process(node, role).into_iter().map(|act| (Group::Process, act)));
        let paths: &[Path] = match role {
            Role::Worker(_) => &[Path::Control, Path::Data],
            Role::Scheduler | Role::Executor | Role::Store => &[Path::Control],
            Role::Sink(_) => &[Path::Data],
            Role::Operator => &[],
        };
        for path in paths {
            menu.extend(links(node, *path).map(|act| (Group::Links, act)));
        }
        if role != Role::Operator {
            menu.extend(clock(node, role).map(|act| (Group::Clock, act)));
        }
        if node == SCHEDULER {
            for task in self.tasks_at_hand(state) {
                menu.extend(DECISIONS.map(|decision| (Group::Operator, Act::Operator { task, decision })));
            }
            for task in self.tasks_at_hand(state) {
                let version = self.input_version(task, at).saturating_add(1);
                menu.push((Group::Input, Act::Input { task, version }));
            }
        }
        menu
    }

    /// The tasks an operator would look at: held ones, then open ones, then the first.
    fn tasks_at_hand(&self, state: &State) -> Vec<TaskId> {
        let ledger = state.world().ledger();
        let count = u16::try_from(self.case().scenario.tasks.len()).unwrap_or(u16::MAX);
        let mut tasks: Vec<TaskId> = (0..count).map(TaskId).collect();
        fenceline_sim::order::by(&mut tasks, |task| {
            use fenceline_engine::AttemptState as A;
            match ledger.task(*task).holder().map(|(_, attempt)| attempt.state) {
                Some(A::Held) => 0,
                Some(state) if state.is_open() => 1,
                _ => 2,
            }
        });
        tasks.truncate(MOST_TASKS);
        tasks
    }

    /// The version of a task's input that is in force at `at`.
    fn input_version(&self, task: TaskId, at: At) -> u8 {
        let trace = self.derived().history.trace();
        let changed = |record: &&fenceline_sim::Record| {
            record.kind == fenceline_sim::Kind::InputChanged && record.task == task && record.at <= at
        };
        trace.iter().filter(changed).last().map_or(1, |record| record.flag)
    }

    /// Why an act would do nothing at `at`: the first row of the table that applies.
    pub(super) fn refusal(&self, act: &Act, at: At, state: &State) -> Option<String> {
        let world = state.world();
        let of_node = act.node().map(|node| world.state(node));
        let down = matches!(of_node, Some(NodeState::Down { .. }));
        let stopped = matches!(of_node, Some(NodeState::Paused { .. } | NodeState::Frozen { .. }));
        let stops = matches!(act, Act::Pause { .. } | Act::Freeze { .. });
        let needs_process = stops || matches!(act, Act::Slow { .. } | Act::Crash { .. } | Act::Reboot { .. });
        let needs_work = matches!(act, Act::Pause { .. } | Act::Slow { .. });
        let idle = act.node().filter(|_| needs_work && !stopped).and_then(|node| self.idle(node, at));
        let cut = matches!(act, Act::Cut { .. } | Act::Degrade { .. }) && self.is_cut(act, at);
        let (decides, of_task) = match *act {
            Act::Operator { task, decision } => (Some(decision), Some(task)),
            _ => (None, None),
        };
        let task = of_task.map(|task| world.ledger().task(task));
        let over = task.is_some_and(|task| task.state.is_terminal());
        let reruns = decides == Some(Decision::Rerun);
        let open = task.and_then(|task| task.holder()).is_some_and(|(_, last)| last.state.is_open());
        let needs_attempt =
            matches!(decides, Some(Decision::Redispatch | Decision::Extend | Decision::Cancel));
        let unheard = decides.is_some() && matches!(world.state(world.leader()), NodeState::Down { .. });
        let table = [
            (at >= self.until(), words::RUN_ENDS.to_owned()),
            (needs_process && down, words::IS_DOWN.to_owned()),
            (stops && stopped, words::IS_STOPPED.to_owned()),
            (idle.is_some(), idle.unwrap_or_default()),
            (cut, words::IS_CUT.to_owned()),
            (unheard, words::SCHEDULER_DOWN.to_owned()),
            (over && !reruns, words::TASK_OVER.to_owned()),
            (reruns && !over, words::TASK_OPEN.to_owned()),
            (needs_attempt && !open, words::NO_ATTEMPT.to_owned()),
            (matches!(act, Act::Input { version: u8::MAX, .. }), words::LAST_VERSION.to_owned()),
        ];
        table.into_iter().find(|(applies, _)| *applies).map(|(_, why)| why)
    }

    /// Whether a cut that loses messages leaves nothing of this link for another fault.
    fn is_cut(&self, act: &Act, at: At) -> bool {
        let Some((path, way)) = link_of(act) else { return false };
        self.acts().iter().any(|other| {
            let covers = matches!(other.act, Act::Cut { path: p, way: w, fate: Fate::Lost, .. }
                if (p == Path::Both || p == path) && (w == Way::Both || w == way));
            let in_force = span_of(other)
                .is_some_and(|(from, until)| from <= at && until.is_none_or(|until| at < until));
            covers && in_force && other.act.node() == act.node()
        })
    }
}

fn link_of(act: &Act) -> Option<(Path, Way)> {
    match *act {
        Act::Cut { path, way, .. } | Act::Degrade { path, way, .. } => Some((path, way)),
        _ => None,
    }
}

const DECISIONS: [Decision; 6] = [
    Decision::Redispatch,
    Decision::Extend,
    Decision::Cancel,
    Decision::Succeed,
    Decision::Fail,
    Decision::Rerun,
];

/// The process and its host.
fn process(node: NodeId, role: Role) -> Vec<Act> {
    let pause = Act::Pause { node, lasts: None };
    let crash = Act::Crash { node, lasts: None };
    let restart = Act::Crash { node, lasts: Some(Span::secs(1)) };
    let reboot = Act::Reboot { node, lasts: (!matches!(role, Role::Worker(_))).then_some(Span::secs(1)) };
    let freeze = |counts_sleep| Act::Freeze { node, lasts: None, counts_sleep };
    let first = match role {
        Role::Worker(_) => vec![pause, crash, restart, Act::Slow { node, percent: 25, lasts: None }],
        Role::Scheduler | Role::Executor => vec![crash, pause, restart],
        Role::Sink(_) => vec![restart, pause, crash],
        Role::Store => vec![restart, pause, crash, Act::Slow { node, percent: 25, lasts: None }],
        Role::Operator => return Vec::new(),
    };
    first.into_iter().chain([reboot, freeze(true), freeze(false)]).collect()
}

/// One path: cut both ways or one, kept instead of lost, slow, lossy.
fn links(node: NodeId, path: Path) -> [Act; 6] {
    let cut = |way, fate| Act::Cut { node, path, way, fate, lasts: None };
    let worse =
        |latency, loss| Act::Degrade { node, path, way: Way::Both, latency, loss, duplicate: 0, lasts: None };
    [
        cut(Way::Both, Fate::Lost),
        cut(Way::Out, Fate::Lost),
        cut(Way::In, Fate::Lost),
        cut(Way::Both, Fate::Held),
        worse(DELAY, 0),
        worse(Span::ZERO, HALF),
    ]
}

fn clock(node: NodeId, role: Role) -> [Act; 4] {
    let forward = if role == Role::Scheduler { 40 } else { 25 };
    let step = |seconds| Act::StepClock { node, by: Span::secs(seconds) };
    let rate = |ppm| Act::ClockRate { node, ppm };
    [step(forward), step(-60), rate(DRIFT), rate(-DRIFT)]
}
