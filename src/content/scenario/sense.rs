//! What can be read and cannot mean anything: steps that their sink does not do, parts that make no
//! whole, figures beyond what a run can count. And what is legal and seldom meant: warnings.

use std::collections::BTreeSet;

use fenceline_engine::{ExpiryPolicy, FenceRaise, Put, SinkKind, SinkRules, Span, Step};
use fenceline_sim::{Scenario, SinkSpec};

use crate::report::{Report, nth};
use crate::words;

use super::ScenarioFile;
use super::phrases::step;

/// The highest token of a first grant, and the most rows of one input version.
const MAX_FIRST_TOKEN: u32 = 1_000_000;
const MAX_ROWS: u32 = 1_000_000_000;

/// Names what means nothing in a file that describes `scenario`.
pub(super) fn check(file: &ScenarioFile, scenario: &Scenario, report: &mut Report) {
    if file.first_token.is_some_and(|token| token > MAX_FIRST_TOKEN) {
        report.add("first_token", format!("a first token is at most {MAX_FIRST_TOKEN}"));
    }
    for (n, task) in file.tasks.iter().enumerate() {
        let place = nth("", "task", n);
        for (version, rows) in task.rows.iter().enumerate().filter(|(_, rows)| **rows > MAX_ROWS) {
            let what = format!("{rows} are too many; the limit is {MAX_ROWS}");
            report.add(&nth(&place, "rows", version), what);
        }
        program(&place, &task.program, scenario, report);
    }
    intervals(file, report);
    belief("rules.gap", scenario, report);
    warn(file, scenario, report);
}

/// A gap that leaves a holder nothing to believe in.
pub(super) fn belief(place: &str, scenario: &Scenario, report: &mut Report) {
    let (gap, lease) = (scenario.rules.belief.gap, scenario.rules.lease.duration);
    if leaves_nothing(scenario) {
        let (gap, lease) = (words::duration_word(gap), words::duration_word(lease));
        report
            .add(place, format!("a gap of {gap} leaves nothing of a lease of {lease}. Write a shorter one"));
    }
}

pub(super) fn leaves_nothing(scenario: &Scenario) -> bool {
    scenario.rules.belief.gap >= scenario.rules.lease.duration
}

/// A task and an interval are one thing: whose output is it else?
fn intervals(file: &ScenarioFile, report: &mut Report) {
    let mut known = BTreeSet::new();
    for (n, task) in file.tasks.iter().enumerate() {
        let copies = task.count.unwrap_or(1);
        let interval = |copy: u16| match copies {
            ..2 => task.interval.clone(),
            _ => format!("{} {copy}", task.interval),
        };
        let twice = (1..=copies).map(interval).find(|interval| !known.insert((&task.name, interval.clone())));
        if let Some(interval) = twice {
            let what = format!("`{} {interval}` is there already. Give each its own interval", task.name);
            report.add(&format!("{}.interval", nth("", "task", n)), what);
        }
    }
}

fn program(place: &str, texts: &[String], scenario: &Scenario, report: &mut Report) {
    let workers = scenario.workers.len();
    let mut parts = Parts::default();
    let mut is_over = false;
    for (n, text) in texts.iter().enumerate() {
        // What cannot be read is told elsewhere.
        let Ok(step) = step(text, workers, &scenario.sinks) else { continue };
        let at = nth(place, "program", n);
        if is_over {
            report.add(&at, "comes after `acknowledge`, with which an attempt ends. Put it before");
            return;
        }
        is_over = step == Step::Acknowledge;
        let sink =
            step.sink().and_then(|node| scenario.sinks.get(usize::from(node.0).checked_sub(1 + workers)?));
        let Some(sink) = sink else { continue };
        let name = text.split_whitespace().next().unwrap_or_default();
        let can = steps_of(sink.rules.kind);
        if !can.contains(&name) {
            let kind = words::kind_words(sink.rules.kind);
            let listed = can.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ");
            let what =
                format!("`{}` is `{kind}`, which knows no `{name}`. Write one of: {listed}", sink.name);
            report.add(&at, what);
        } else if let Step::Write { part, parts: of, .. } = step {
            parts.add(sink, (part + 1, of), at, report);
        }
    }
    parts.end(report);
}

/// The steps that each kind of sink does.
fn steps_of(kind: SinkKind) -> &'static [&'static str] {
    match kind {
        SinkKind::Append
        | SinkKind::Overwrite
        | SinkKind::Merge
        | SinkKind::Objects(_)
        | SinkKind::Log(_) => &["look", "read", "write", "clean", "work", "check", "note"],
        SinkKind::Staged { .. } => &["look", "read", "stage", "swap", "clean", "work", "check", "note"],
        SinkKind::Locked { .. } => {
            &["look", "read", "lock", "write", "unlock", "clean", "work", "check", "note"]
        }
        SinkKind::Api(_) => &["effect", "work"],
        SinkKind::Mailbox => &["effect"],
        SinkKind::Resource => &["work"],
    }
}

/// What a program writes to each sink, by its name.
#[derive(Default)]
struct Parts<'a> {
    sinks: Vec<Written<'a>>,
}

struct Written<'a> {
    sink: &'a str,
    /// Of how many parts.
    of: u8,
    parts: BTreeSet<u8>,
    /// Where the last one is written.
    at: String,
    /// Told of already.
    is_wrong: bool,
}

impl<'a> Parts<'a> {
    fn add(&mut self, sink: &'a SinkSpec, (part, of): (u8, u8), at: String, report: &mut Report) {
        let name = sink.name.as_str();
        let Some(written) = self.sinks.iter_mut().find(|written| written.sink == name) else {
            let is_wrong = of > 1 && is_one_object(&sink.rules);
            if is_wrong {
                let what = format!(
                    "`{name}` is `objects if-absent`: the second part would find the first. Write it whole"
                );
                report.add(&at, what);
            }
            self.sinks.push(Written { sink: name, of, parts: BTreeSet::from([part]), at, is_wrong });
            return;
        };
        let what = if written.of != of {
            format!("`{name}` is written in {} before, not in {of}. Write parts of one whole", written.of)
        } else if !written.parts.insert(part) {
            format!("part {part}/{of} of `{name}` is written already. Write each once")
        } else {
            String::new()
        };
        if !what.is_empty() && !written.is_wrong {
            written.is_wrong = true;
            report.add(&at, what);
        }
        written.at = at;
    }

    fn end(self, report: &mut Report) {
        for Written { sink, of, parts, at, .. } in self.sinks.iter().filter(|written| !written.is_wrong) {
            if let Some(part) = (1..=*of).find(|part| !parts.contains(part)) {
                report.add(at, format!("part {part}/{of} of `{sink}` is never written. Write all of them"));
            }
        }
    }
}

/// Whether each part is a put of its own, for which nothing may be there.
fn is_one_object(rules: &SinkRules) -> bool {
    rules.kind == SinkKind::Objects(Put::IfAbsent)
        && rules.fence.is_none_or(|fence| fence.raise != FenceRaise::Commit)
}

fn warn(file: &ScenarioFile, scenario: &Scenario, report: &mut Report) {
    let (lease, heartbeat) = (scenario.rules.lease.duration, scenario.rules.heartbeat.every);
    let policies = file.tasks.iter().enumerate().filter_map(|(n, task)| {
        let place = format!("{}.expiry", nth("", "task", n));
        words::setting(&format!("expiry {}", task.expiry.as_ref()?), words::Cast::NOBODY)
            .ok()
            .map(|s| (place, s))
    });
    let own = policies.filter_map(|(place, setting)| match setting {
        fenceline_sim::Setting::Expiry(policy) => Some((place, policy)),
        _ => None,
    });
    let all = std::iter::once(("rules.expiry".to_owned(), scenario.rules.expiry));
    for (place, policy) in all.chain(own) {
        if let ExpiryPolicy::Grace(grace) = policy
            && grace <= lease
        {
            let (grace, lease) = (words::duration_word(grace), words::duration_word(lease));
            let what = format!(
                "a grace of {grace} is no longer than a lease of {lease}: a worker that is only slow may go on after it"
            );
            report.warn(&place, what);
        }
    }
    let slack = Span((lease - heartbeat).0.max(0));
    if let Some(guard) = scenario.rules.sweep.jump_guard.filter(|guard| *guard >= slack) {
        let (guard, slack) = (words::duration_word(guard), words::duration_word(slack));
        let what =
            format!("a guard of {guard} misses jumps that end a lease: lease less heartbeat is {slack}");
        report.warn("rules.guard", what);
    }
}
