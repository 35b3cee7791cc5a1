//! Words for faults: what they are called, what they do, why one would do nothing.

use fenceline_engine::{Decision, FailEffect, Failing, NodeId, TaskId};
use fenceline_sim::scenario::{Role, SCHEDULER};
use fenceline_sim::{Act, Fate, Path, Scenario, Way, When};

use super::length;
use crate::app::lab::menu::Group;

pub const RUNS_NOTHING: &str = "it runs nothing now";
pub const RUN_ENDS: &str = "the run ends here; move the cursor back";
pub const IS_DOWN: &str = "it is down";
pub const IS_STOPPED: &str = "it is stopped already";
pub const IS_CUT: &str = "that path is cut already";
pub const SCHEDULER_DOWN: &str = "the scheduler is down and hears nothing";
pub const TASK_OVER: &str = "its outcome is recorded already";
pub const TASK_OPEN: &str = "it has not ended yet";
pub const NO_ATTEMPT: &str = "no attempt of it is open";
pub const LAST_VERSION: &str = "versions end at 255";

/// The heading of a group in a node's menu.
pub fn group(group: Group, role: Role) -> &'static str {
    match (group, role) {
        (Group::Process, Role::Worker(_)) => "Worker",
        (Group::Process, Role::Sink(_)) => "Sink",
        (Group::Process, Role::Executor) => "Executor",
        (Group::Process, Role::Store) => "Store",
        (Group::Process, Role::Scheduler | Role::Operator) => "Scheduler",
        (Group::Links, _) => "Links",
        (Group::Clock, _) => "Clock",
        (Group::Operator, _) => "The operator decides",
        (Group::Input, _) => "Input",
    }
}

/// What it does, in one line.
pub fn effect(act: &Act, role: Role) -> &'static str {
    match (*act, role) {
        (Act::Pause { .. }, Role::Scheduler) => "decides nothing; messages wait",
        (Act::Pause { .. }, Role::Executor) => "kills nothing; orders wait",
        (Act::Pause { .. }, Role::Store) => "records nothing; the scheduler waits for it",
        (Act::Pause { .. }, Role::Sink(_)) => "answers nothing; requests wait",
        (Act::Pause { .. }, _) => "runs no code; its clocks run on",
        (Act::Freeze { counts_sleep: true, .. }, _) => "the whole host sleeps; its clocks count the sleep",
        (Act::Freeze { counts_sleep: false, .. }, _) => "the host sleeps and its monotonic clock with it",
        (Act::Crash { lasts: Some(_), .. }, Role::Sink(_)) => "down for 1 s; volatile memory is lost",
        (Act::Crash { lasts: Some(_), .. }, Role::Scheduler) => "down for 1 s; its record survives",
        (Act::Crash { .. }, Role::Executor) => "forgets the orders it has not carried out",
        (Act::Crash { .. }, Role::Store) => "its record survives; calls are made again",
        (Act::Crash { lasts: Some(_), .. }, _) => "down for 1 s; loses memory and executions",
        (Act::Crash { .. }, Role::Scheduler) => "down until brought back; its record survives",
        (Act::Crash { .. }, Role::Sink(_)) => "down until brought back; requests are lost",
        (Act::Crash { .. }, _) => "loses memory and executions",
        (Act::Reboot { .. }, Role::Scheduler) => "as a crash; monotonic leases count anew",
        (Act::Reboot { .. }, _) => "as a crash; its monotonic clock begins anew, too",
        (Act::Slow { .. }, _) => "works at a quarter of its speed",
        (Act::Cut { fate: Fate::Held, .. }, _) => "messages are kept and arrive when it ends",
        (Act::Cut { path, way, .. }, role) => cut_effect(path, way, role),
        (Act::Degrade { loss: 0, .. }, _) => "each message takes 5 s longer",
        (Act::Block { .. }, _) => "what beats from its loop starves",
        (Act::Degrade { .. }, _) => "every second message is lost, by chance",
        (Act::StepClock { by, .. }, Role::Scheduler) if by.0 < 0 => "wall-clock leases last longer",
        (Act::StepClock { .. }, Role::Scheduler) => "wall-clock leases look expired",
        (Act::StepClock { .. }, _) => "its wall clock only",
        (Act::ClockRate { ppm, .. }, _) if ppm < 0 => "both its clocks lose 6 s a minute",
        (Act::ClockRate { ppm: 0, .. }, _) => "its clocks drift no more",
        (Act::ClockRate { .. }, _) => "both its clocks gain 6 s a minute",
        (Act::Input { .. }, _) => "attempts that read from now on read another version",
        (Act::Operator { decision, .. }, _) => match decision {
            Decision::Redispatch => "closes the open attempt and grants another",
            Decision::Extend => "the open attempt gets a whole new lease",
            Decision::Succeed => "recorded as success, whatever was written",
            Decision::Fail => "recorded as failed; no further attempt",
            Decision::Cancel => "asks the worker to stop, then grants another",
            Decision::Rerun => "a new generation of it, with attempts of its own",
        },
        (Act::Redeliver { .. }, _) => "a second execution with the same token",
        (Act::Restore { .. }, Role::Scheduler) => "its counter goes back: tokens are given again",
        (Act::Restore { .. }, _) => "rows, fence, keys and lock as they were; nobody is told",
        (Act::Fail { failing: Failing { effect: FailEffect::Done, .. }, .. }, _) => {
            "does what it is asked, and answers with an error"
        }
        (Act::Fail { .. }, Role::Scheduler) => "renews nothing, and answers with an error",
        (Act::Fail { .. }, _) => "does nothing, and answers with an error",
        (Act::ForceUnlock { .. }, _) => "its holder is not asked, and goes on",
        (Act::Set(_), _) => "from now on",
    }
}

/// What ending it does, in one line.
pub fn ends_it(act: &Act) -> &'static str {
    match act {
        Act::Pause { .. } => "goes on where it stopped",
        Act::Freeze { .. } => "wakes; its wall clock shows the right time",
        Act::Crash { .. } | Act::Reboot { .. } => "starts again",
        Act::Slow { .. } => "works at its own speed again",
        Act::Block { .. } => "its loop is free, and beats that were due leave",
        Act::Cut { fate: Fate::Held, .. } => "what was kept arrives, in order",
        Act::Cut { .. } | Act::Degrade { .. } => "messages go through again",
        Act::Fail { .. } => "answers as before",
        _ => "is taken back",
    }
}

fn cut_effect(path: Path, way: Way, role: Role) -> &'static str {
    match (path, way, role) {
        (_, Way::Both, Role::Scheduler) => "no word to or from any worker",
        (_, Way::Out, Role::Scheduler) => "its grants and answers are lost",
        (_, Way::In, Role::Scheduler) => "heartbeats and reports to it are lost",
        (_, Way::Both, Role::Executor) => "no order to it, none of its own",
        (_, Way::Out, Role::Executor) => "it kills nobody and confirms nothing",
        (_, Way::In, Role::Executor) => "orders to it are lost",
        (_, _, Role::Store) => "the scheduler waits for it, and asks again",
        (_, Way::Both, Role::Sink(_)) => "no word to or from any worker",
        (_, Way::Out, Role::Sink(_)) => "it writes, but its answers are lost",
        (_, Way::In, Role::Sink(_)) => "requests to it are lost",
        (Path::Control, Way::Both, _) => "no word to or from the scheduler",
        (Path::Control, Way::Out, _) => "its heartbeats and reports are lost",
        (Path::Control, Way::In, _) => "the scheduler's answers to it are lost",
        (Path::Data, Way::Both, _) => "no word to or from the sinks",
        (Path::Data, Way::Out, _) => "its writes are lost",
        (Path::Data, Way::In, _) => "answers to its writes are lost",
        (Path::Both, ..) => "no word to or from anybody",
    }
}

pub fn attempt_ended(attempt: u8) -> String {
    format!("attempt {attempt} has ended")
}

fn path_word(path: Path) -> &'static str {
    match path {
        Path::Control => "control",
        Path::Data => "data",
        Path::Both => "both paths",
    }
}

fn way_word(way: Way) -> &'static str {
    match way {
        Way::Both => "",
        Way::Out => " outward",
        Way::In => " inward",
    }
}

/// `+25 s`, `−1 min`.
pub fn signed(micros: i64) -> String {
    format!("{}{}", if micros < 0 { "" } else { "+" }, length(micros))
}

/// The button that makes it.
pub fn offer(act: &Act) -> String {
    match *act {
        Act::Cut { path: Path::Both, way: Way::Both, fate: Fate::Lost, .. } => "Cut off".into(),
        Act::Cut { path, way, fate, .. } => {
            let verb = if fate == Fate::Held { "Hold" } else { "Cut" };
            format!("{verb} {}{}", path_word(path), way_word(way))
        }
        Act::Degrade { path, way, loss: 0, .. } => format!("Delay {}{}", path_word(path), way_word(way)),
        Act::Degrade { path, way, .. } => format!("Lose half on {}{}", path_word(path), way_word(way)),
        Act::Crash { lasts: Some(_), .. } => "Restart".into(),
        Act::StepClock { by, .. } => format!("Clock {}", signed(by.0)),
        Act::ClockRate { ppm: 0, .. } => "True rate".into(),
        Act::ClockRate { ppm, .. } if ppm < 0 => "Clock slow".into(),
        Act::ClockRate { .. } => "Clock fast".into(),
        Act::Freeze { counts_sleep: true, .. } => "Suspend host".into(),
        Act::Freeze { .. } => "Suspend host, clock too".into(),
        Act::Input { .. } => "Change input of".into(),
        Act::Redeliver { .. } => "Redeliver".into(),
        Act::Restore { .. } => "Restore copy".into(),
        Act::Fail { .. } => "Fail calls".into(),
        Act::ForceUnlock { .. } => "Force lock".into(),
        Act::Operator { decision, .. } => match decision {
            Decision::Redispatch => "Re-dispatch",
            Decision::Extend => "Extend",
            Decision::Succeed => "Record success of",
            Decision::Fail => "Record failure of",
            Decision::Cancel => "Cancel",
            Decision::Rerun => "Run again",
        }
        .into(),
        Act::Pause { .. } | Act::Slow { .. } | Act::Block { .. } | Act::Set(_) => super::lab::act(act),
        Act::Crash { .. } => "Crash".into(),
        Act::Reboot { .. } => "Reboot host".into(),
    }
}

/// The same where there is little room.
pub fn brief(act: &Act) -> String {
    match act {
        Act::Cut { .. } => "Cut".into(),
        Act::StepClock { .. } => "Clock".into(),
        Act::Freeze { .. } => "Suspend".into(),
        Act::Reboot { .. } => "Reboot".into(),
        _ => offer(act),
    }
}

pub fn brief_ending(act: &Act) -> String {
    match act {
        Act::Cut { .. } => "Mend".into(),
        _ => ending(act),
    }
}

/// The button that ends it.
pub fn ending(act: &Act) -> String {
    match *act {
        Act::Pause { .. } => "Resume".into(),
        Act::Freeze { .. } => "Wake host".into(),
        Act::Crash { .. } | Act::Reboot { .. } => "Bring back".into(),
        Act::Slow { .. } => "Full speed".into(),
        Act::Block { .. } => "Free the loop".into(),
        Act::Fail { .. } => "Answer well".into(),
        Act::Cut { path, way, fate: Fate::Held, .. } => {
            format!("Release {}{}", path_word(path), way_word(way))
        }
        Act::Cut { path, way, .. } => format!("Mend {}{}", path_word(path), way_word(way)),
        Act::Degrade { path, way, loss: 0, .. } => {
            format!("End delay on {}{}", path_word(path), way_word(way))
        }
        Act::Degrade { path, way, .. } => format!("End loss on {}{}", path_word(path), way_word(way)),
        Act::StepClock { .. }
        | Act::ClockRate { .. }
        | Act::Input { .. }
        | Act::Operator { .. }
        | Act::Redeliver { .. }
        | Act::Restore { .. }
        | Act::ForceUnlock { .. }
        | Act::Set(_) => "Undo".into(),
    }
}

/// A fault that is there.
pub fn noun(act: &Act) -> String {
    match *act {
        Act::Pause { .. } => "pause".into(),
        Act::Freeze { .. } => "host suspended".into(),
        Act::Crash { .. } => "down".into(),
        Act::Reboot { .. } => "host down".into(),
        Act::Slow { percent, .. } => format!("at {percent} %"),
        Act::Block { .. } => "loop held".into(),
        Act::Cut { path: Path::Both, way: Way::Both, fate: Fate::Lost, .. } => "cut off".into(),
        Act::Cut { path, way, fate, .. } => {
            let what = if fate == Fate::Held { "held" } else { "cut" };
            format!("{} path {what}{}", path_word(path), way_word(way))
        }
        Act::Degrade { path, way, latency, loss: 0, duplicate, .. } if latency.0 == 0 => {
            format!("{} path{} doubles {} %", path_word(path), way_word(way), duplicate / 10_000)
        }
        Act::Degrade { path, way, latency, loss: 0, .. } => {
            format!("{} path{} delayed by {}", path_word(path), way_word(way), length(latency.0))
        }
        Act::Degrade { path, way, loss, .. } => {
            format!("{} path{} loses {} %", path_word(path), way_word(way), loss / 10_000)
        }
        Act::StepClock { by, .. } => format!("clock {}", signed(by.0)),
        Act::ClockRate { ppm: 0, .. } => "clock at its true rate".into(),
        Act::ClockRate { ppm, .. } => format!("clock {}", drift(ppm)),
        Act::Input { version, .. } => format!("input version {version}"),
        Act::Operator { decision, .. } => format!("operator: {}", decided(decision)),
        Act::Redeliver { .. } => "dispatched again".into(),
        Act::Restore { back, .. } => format!("back to {} before", length(back.0)),
        Act::Fail { .. } => "answers with errors".into(),
        Act::ForceUnlock { .. } => "lock forced".into(),
        Act::Set(_) => "rule".into(),
    }
}

/// `10 % fast`, `200 ppm slow`.
pub fn drift(ppm: i64) -> String {
    let word = if ppm < 0 { "slow" } else { "fast" };
    match ppm.unsigned_abs() {
        off if off.is_multiple_of(10_000) => format!("{} % {word}", off / 10_000),
        off => format!("{off} ppm {word}"),
    }
}

/// What an operator decided, in a word.
pub fn decided(decision: Decision) -> &'static str {
    match decision {
        Decision::Redispatch => "re-dispatch",
        Decision::Extend => "extend",
        Decision::Succeed => "success",
        Decision::Fail => "failure",
        Decision::Cancel => "cancel",
        Decision::Rerun => "run again",
    }
}

/// A fault that waits for a point of a program: `pause before step 3 of attempt 1`.
pub fn at_point(act: &Act, when: When) -> String {
    let point = match when {
        When::At(_) => String::new(),
        When::BeforeStep { exec, step } => format!(" before step {step} of attempt {}", exec.attempt),
        When::HalfDispatched { attempt, .. } => format!(" halfway through the dispatch of attempt {attempt}"),
    };
    format!("{}{point}", noun(act))
}

/// `Re-dispatch revenue`: an act on a task names it.
pub fn of_task(name: &str, scenario: &Scenario, task: TaskId) -> String {
    let known = scenario.judged.get(usize::from(task.0)).map(|task| task.name.as_str());
    match known.filter(|name| !name.is_empty()) {
        Some(task) => format!("{name} {task}"),
        None => format!("{name} task {}", task.0 + 1),
    }
}

/// Classes of `style/lab.css` and what they stand for.
pub const LEGEND: [(&str, &str); 7] = [
    ("solid", "runs, or lease time left"),
    ("outline", "believed"),
    ("outline dashed", "believed past its own deadline"),
    ("tint", "paused"),
    ("zombie", "zombie"),
    ("attempt solid", "attempt 1"),
    ("attempt second", "attempt 2"),
];

pub const BREAK: &str = "Break";
pub const STARTS: &str = "Its start";
pub const ENDS: &str = "Its end";
pub const SOONER: &str = "1 s sooner";
pub const LATER: &str = "1 s later";
pub const TAKE_AWAY: &str = "Take away";
pub const LOSE: &str = "Lose instead";
pub const HOLD: &str = "Hold instead";
pub const STARTS_AT: &str = "starts";
pub const ENDS_AT: &str = "ends";
pub const NEVER: &str = "never";
pub const ALL: &str = "More …";
pub const ALL_NOTE: &str = "all that can be done to it";

/// The grip that moves it.
pub fn end_of(act: &Act, whom: &str) -> String {
    format!("End of {} of {whom}", noun(act))
}

/// What can be done to it, and when.
pub fn at(whom: &str, when: &str) -> String {
    format!("{whom} at {when}")
}

pub fn break_at(when: &str) -> String {
    format!("Break something at {when}")
}

pub fn all_faults(node: &str) -> String {
    format!("More faults of {node}")
}

/// `Pause worker 1 at 22.0 s`, `Cut control of worker 1 at 22.0 s`; of no node, where its name says all.
pub fn deed(act: &Act, name: &str, whom: &str, when: &str) -> String {
    match act {
        Act::Operator { .. } | Act::Input { .. } => format!("{name} at {when}"),
        Act::Pause { .. } | Act::Crash { .. } => format!("{name} {whom} at {when}"),
        _ => format!("{name} of {whom} at {when}"),
    }
}

/// A node in a sentence.
pub fn within(scenario: &Scenario, of: NodeId) -> String {
    match scenario.role(of) {
        Role::Scheduler if of == SCHEDULER => "the scheduler".into(),
        _ => node(scenario, of),
    }
}

/// What a node is called.
pub fn node(scenario: &Scenario, node: NodeId) -> String {
    match scenario.role(node) {
        Role::Scheduler => scenario.standby_name(node).map_or_else(|| "Scheduler".into(), String::clone),
        Role::Worker(index) => {
            scenario.workers.get(index).map_or_else(String::new, |worker| worker.name.clone())
        }
        Role::Sink(index) => scenario.sinks.get(index).map_or_else(String::new, |sink| sink.name.clone()),
        Role::Executor => scenario.executor.clone().unwrap_or_default(),
        Role::Store => scenario.store.clone().unwrap_or_default(),
        Role::Operator => "Operator".into(),
    }
}
