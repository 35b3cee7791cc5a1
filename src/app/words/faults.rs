//! Words for faults: what they are called, what they do, why one would do nothing.

use fenceline_engine::NodeId;
use fenceline_sim::scenario::Role;
use fenceline_sim::{Act, Path, Scenario};

use super::length;

pub const PAUSE: &str = "runs no code; its clocks run on";
pub const CUT_CONTROL: &str = "no word to or from the scheduler";
pub const CUT_DATA: &str = "no word to or from the sinks";
pub const CRASH_WORKER: &str = "loses memory and executions";
pub const REBOOT_WORKER: &str = "its monotonic clock begins anew, too";
pub const SLOW: &str = "works at a quarter of its speed";
pub const FREEZE: &str = "the whole host sleeps";
pub const STEP_FORWARD: &str = "its wall clock only";
pub const STEP_BACK: &str = "its wall clock only";
pub const CRASH_SCHEDULER: &str = "its record survives";
pub const REBOOT_SCHEDULER: &str = "monotonic leases count anew";
pub const SCHEDULER_FORWARD: &str = "wall-clock leases look expired";
pub const SCHEDULER_BACK: &str = "wall-clock leases last longer";
pub const PAUSE_SCHEDULER: &str = "decides nothing; messages wait";
pub const RESTART_SINK: &str = "volatile memory is lost";
pub const REBOOT_SINK: &str = "a lock's lease counts anew, too";
pub const PAUSE_SINK: &str = "answers nothing; requests wait";

pub const RUNS_NOTHING: &str = "it runs nothing now";
pub const RUN_ENDS: &str = "the run ends here";
pub const IS_DOWN: &str = "it is down";
pub const IS_STOPPED: &str = "it is stopped already";

pub fn attempt_ended(attempt: u8) -> String {
    format!("attempt {attempt} has ended")
}

/// The button that makes it.
pub fn offer(act: &Act) -> String {
    match *act {
        Act::Cut { path: Path::Control, .. } => "Cut control".into(),
        Act::Cut { path: Path::Data, .. } => "Cut data".into(),
        Act::Cut { path: Path::Both, .. } => "Cut off".into(),
        Act::Crash { lasts: Some(_), .. } => "Restart".into(),
        Act::StepClock { by, .. } if by.0 < 0 => format!("Clock {}", length(by.0)),
        Act::StepClock { by, .. } => format!("Clock +{}", length(by.0)),
        Act::Freeze { .. } => "Suspend host".into(),
        Act::Reboot { .. } => "Reboot host".into(),
        _ => super::lab::act(act),
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
        Act::Pause { .. } => "Resume",
        Act::Freeze { .. } => "Wake host",
        Act::Crash { .. } | Act::Reboot { .. } => "Restart",
        Act::Slow { .. } => "Full speed",
        Act::Cut { path: Path::Control, .. } => "Mend control",
        Act::Cut { path: Path::Data, .. } => "Mend data",
        Act::Cut { path: Path::Both, .. } | Act::Degrade { .. } => "Mend",
        Act::StepClock { .. }
        | Act::ClockRate { .. }
        | Act::Input { .. }
        | Act::Operator { .. }
        | Act::Set(_) => "Undo",
    }
    .into()
}

/// A fault that is there.
pub fn noun(act: &Act) -> String {
    match *act {
        Act::Pause { .. } => "pause".into(),
        Act::Freeze { .. } => "host suspended".into(),
        Act::Crash { .. } => "down".into(),
        Act::Reboot { .. } => "host down".into(),
        Act::Slow { percent, .. } => format!("at {percent} %"),
        Act::Cut { path: Path::Control, .. } => "control path cut".into(),
        Act::Cut { path: Path::Data, .. } => "data path cut".into(),
        Act::Cut { path: Path::Both, .. } => "cut off".into(),
        Act::Degrade { latency, .. } => format!("delayed by {}", length(latency.0)),
        Act::StepClock { by, .. } => format!("clock {}{}", if by.0 < 0 { "" } else { "+" }, length(by.0)),
        Act::ClockRate { ppm, .. } => format!("clock off by {ppm} ppm"),
        Act::Input { version, .. } => format!("input version {version}"),
        Act::Operator { .. } => "operator".into(),
        Act::Set(_) => "rule".into(),
    }
}

/// Classes of `style/lab.css` and what they stand for.
pub const LEGEND: [(&str, &str); 5] = [
    ("solid", "runs, or lease time left"),
    ("outline", "believed"),
    ("outline dashed", "believed past its own deadline"),
    ("tint", "paused"),
    ("zombie", "zombie: goes on after its lease"),
];

pub const BREAK: &str = "Break";
pub const ENDS: &str = "Its end";
pub const SOONER: &str = "1 s sooner";
pub const LATER: &str = "1 s later";
pub const TAKE_AWAY: &str = "Take away";

/// The grip that moves it.
pub fn end_of(act: &Act, whom: &str) -> String {
    format!("End of {} of {whom}", noun(act))
}

pub fn break_at(when: &str) -> String {
    format!("Break something at {when}")
}

pub fn all_faults(node: &str) -> String {
    format!("More faults of {node}")
}

/// `Pause worker 1 at 22.0 s`.
pub fn deed(name: &str, whom: &str, when: &str) -> String {
    format!("{name} {whom} at {when}")
}

/// What a node is called.
pub fn node(scenario: &Scenario, node: NodeId) -> String {
    match scenario.role(node) {
        Role::Scheduler => "Scheduler".into(),
        Role::Worker(index) => {
            scenario.workers.get(index).map_or_else(String::new, |worker| worker.name.clone())
        }
        Role::Sink(index) => scenario.sinks.get(index).map_or_else(String::new, |sink| sink.name.clone()),
        Role::Operator => "Operator".into(),
    }
}
