//! The scenario file: nodes, links, tasks, rules, faults, what it claims and what cures it.

pub(crate) mod phrases;
mod read;
#[cfg(feature = "authoring")]
mod sense;

use std::collections::BTreeMap;
use std::sync::Arc;

use fenceline_engine::Span;
use fenceline_sim::verdict::{Claim, State};
use fenceline_sim::{Intervention, Scenario};
use serde::{Deserialize, Serialize};

use crate::incident::IncidentFile;
use crate::report::{Content, Known, Report};
use crate::words::Cast;

/// The version of the format. A file says which it is written in, and one without is refused: a
/// reader of a later version must not have to guess.
pub const FORMAT: u32 = 1;

/// Limits of a scenario, stated and enforced.
pub const MAX_WORKERS: usize = 200;
pub const MAX_SINKS: usize = 50;
pub const MAX_TASKS: usize = 1_000;
pub const MAX_STANDBY: usize = 5;
pub const MAX_FAULTS: usize = 500;
pub const MAX_STEPS: usize = 100;
/// Versions of a task's input.
pub const MAX_VERSIONS: usize = 255;

/// What a scenario is about, in the order in which the library lists them.
///
/// *Zombies*: an execution outlives its lease. *Fences*: what a fence must be to hold. *Effects*:
/// what cannot be overwritten. *Clocks*: time itself is wrong. *Restart*: the scheduler was away.
/// *Leftovers*: what the dead leave in the way. *Policies*: what to do with an expired lease.
/// *Cost*: nothing is wrong, or only slow.
pub const GROUPS: [&str; 8] =
    ["Zombies", "Fences", "Effects", "Clocks", "Restart", "Leftovers", "Policies", "Cost"];

/// A scenario as its author writes it. The phrases (rules, faults, steps) are those of `words`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "authoring", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields, default)]
pub struct ScenarioFile {
    /// The format's version: 1.
    pub format: u32,
    /// Lower-case words joined by hyphens; the file's name.
    pub id: String,
    /// The title shown.
    pub title: String,
    /// One sentence: what goes wrong.
    pub about: String,
    /// Where the library lists it.
    pub group: String,
    /// What was reported, if it replays an incident.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub incident: Option<IncidentFile>,
    /// Points of the source material it makes drivable.
    pub points: Vec<String>,
    /// How long the run lasts.
    pub until: String,
    /// What the scheduler's wall clock shows at the start, `02:30`, if times read better so.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub starts: Option<String>,
    /// The token of the first grant; 7 if left out.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub first_token: Option<u32>,
    /// Rules in force, by name.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub rules: BTreeMap<String, String>,
    /// Links between the scheduler and the workers.
    pub control: LinkFile,
    /// Links to the sinks.
    pub data: LinkFile,
    #[serde(rename = "worker")]
    pub workers: Vec<WorkerFile>,
    #[serde(rename = "sink")]
    pub sinks: Vec<SinkFile>,
    /// The name of the executor that kills on the scheduler's order; left out, the workers do.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub executor: Option<String>,
    /// The names of further schedulers, which share the first one's record.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub standby: Vec<String>,
    /// The name of the node that keeps the scheduler's record; left out, it is at hand.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub store: Option<String>,
    #[serde(rename = "task")]
    pub tasks: Vec<TaskFile>,
    /// What is done to it: when, what, whom, how long.
    pub faults: Vec<String>,
    /// What the platform watches.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub alerts: Vec<String>,
    /// What must come out as given.
    #[serde(rename = "claim")]
    pub claims: Vec<ClaimFile>,
    /// What cures it.
    #[serde(rename = "remedy")]
    pub remedies: Vec<RemedyFile>,
    /// The experiment to offer next.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next: Option<NextFile>,
    /// Runs nearly like it that must not satisfy its claims.
    #[serde(rename = "near_miss", skip_serializing_if = "Vec::is_empty")]
    pub near_misses: Vec<NearMissFile>,
}

/// Links of one kind.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "authoring", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields, default)]
pub struct LinkFile {
    /// One way; 200ms if left out.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub latency: String,
    /// Added to it, from nothing up to this; none if left out.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub jitter: String,
    /// Messages lost, in parts per million.
    #[serde(skip_serializing_if = "is_zero")]
    pub loss: u32,
    /// Messages that come twice, in parts per million.
    #[serde(skip_serializing_if = "is_zero")]
    pub duplicate: u32,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde asks for it")]
fn is_zero(number: &u32) -> bool {
    *number == 0
}

/// A worker, or several alike.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "authoring", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields, default)]
pub struct WorkerFile {
    /// What it is called.
    pub name: String,
    /// How many of them; above 1 they are numbered.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub count: Option<u16>,
    /// Attempts it may run at once; 1 if left out.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub slots: Option<u16>,
    /// Its wall clock against the true time.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub clock_offset: Option<String>,
    /// Parts per million off true.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub clock_rate: Option<i64>,
}

/// A table, a vendor, a mailbox: where output lands.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "authoring", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields, default)]
pub struct SinkFile {
    /// One word, by which steps name it.
    pub name: String,
    /// `append`, `overwrite`, `merge`, `staged fixed`, `locked`, `objects compare-and-set`, `log`,
    /// `api no-key`, `mailbox`, `resource`.
    pub kind: String,
    /// What raises it, `scheduler`, `claim`, `first-write`, `commit` or `nobody`, and in what it differs:
    /// `exact`, `bound`, `volatile`, `forgets 1h`, `gap 2s`, `table`, `not-after`; none if left out.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fence: Option<String>,
    /// How long it takes over a request.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub service: Option<String>,
    /// Added for each request already in service.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub service_per_active: Option<String>,
}

/// A task, or several alike.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "authoring", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields, default)]
pub struct TaskFile {
    /// What it is called.
    pub name: String,
    /// The interval (logical date) it stands for.
    pub interval: String,
    /// How many of them; above 1 their intervals are numbered.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub count: Option<u16>,
    /// When it falls due; at once if left out.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub due: Option<String>,
    /// A trigger: the first of its `count` intervals falls due then, each further one this much later.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub every: Option<String>,
    /// The name of a task above that has to succeed first: interval for interval if both have several.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub after: Option<String>,
    /// Rows of its output for each version of its input.
    pub rows: Vec<u32>,
    /// `read`, `compute 30s`, `write revenue`, `acknowledge` …
    pub program: Vec<String>,
    /// It should end within this.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bound: Option<String>,
    /// What to do with its expired lease, if not what the rules say.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub expiry: Option<String>,
    /// Its own limits, if not those of the rules: `2min`, `2min kill`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub progress_timeout: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub run_timeout: Option<String>,
    /// Two executions at once are a violation in themselves.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub exclusive: bool,
    /// It changes nothing outside itself.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub read_only: bool,
}

/// What a verdict must be at the end of the run.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "authoring", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields, default)]
pub struct ClaimFile {
    /// `one-output`, `rows-as-expected` …
    pub verdict: String,
    /// `holds`, `violated` or `not-exercised`.
    pub is: String,
}

/// A change of rules that cures it, and the proof.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "authoring", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields, default)]
pub struct RemedyFile {
    /// The button's text: names the result.
    pub title: String,
    /// Why it helps, and what it costs.
    pub why: String,
    /// Rules, as `fence sink1 claim`.
    pub set: Vec<String>,
    /// What comes out then.
    #[serde(rename = "claim")]
    pub claims: Vec<ClaimFile>,
}

/// Nearly the same run, in which the failure must not show.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "authoring", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields, default)]
pub struct NearMissFile {
    /// What differs, and what comes of it.
    pub title: String,
    /// In place of the scenario's faults; its own if left out.
    pub faults: Vec<String>,
    /// Rules that differ, as `lease 1min`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub set: Vec<String>,
}

/// Another scenario, and the button that opens it.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "authoring", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields, default)]
pub struct NextFile {
    /// The other scenario's id.
    pub id: String,
    /// The button's text.
    pub title: String,
}

/// A claim, read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Expected {
    pub claim: Claim,
    pub state: State,
}

/// A remedy, read.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Remedy {
    pub title: String,
    pub why: String,
    pub settings: Vec<Intervention>,
    pub expected: Vec<Expected>,
}

/// A scenario, read: what the simulation plays and what must come of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Case {
    pub id: String,
    pub title: String,
    pub about: String,
    /// One of [`GROUPS`].
    pub group: String,
    /// What the scheduler's wall clock shows at the start, in seconds of the day.
    pub starts: Option<u32>,
    pub scenario: Arc<Scenario>,
    pub expected: Vec<Expected>,
    pub remedies: Vec<Remedy>,
    /// Each with all its acts, in place of the scenario's.
    pub near_misses: Vec<(String, Vec<Intervention>)>,
    pub next: Option<NextFile>,
}

impl Case {
    /// Nothing yet: for a case made by code, not read from a file.
    pub fn empty() -> Self {
        Self {
            id: String::new(),
            title: String::new(),
            about: String::new(),
            group: String::new(),
            starts: None,
            scenario: Arc::new(fenceline_sim::workload::w1(0, Span::ZERO)),
            expected: Vec::new(),
            remedies: Vec::new(),
            near_misses: Vec::new(),
            next: None,
        }
    }

    pub fn cast(&self) -> Cast {
        Cast::of(&self.scenario)
    }
}

impl Content for ScenarioFile {
    fn check(&self, known: &Known, report: &mut Report) {
        match self.format {
            FORMAT => {}
            0 => report.add("format", format!("missing. Write {FORMAT}, the format's version")),
            other => report.add("format", format!("there is no format {other}. Known: {FORMAT}")),
        }
        report.id("", &self.id);
        report.text("", "title", &self.title, "a title");
        report.text("", "about", &self.about, "one sentence that says what goes wrong");
        report.points("", &self.points, known);
        if let Some(incident) = &self.incident {
            incident.check("incident", report);
        }
        report.choice("", "group", &self.group, &GROUPS);
        if let Some(next) = &self.next {
            report.scenario_at("next.id", &next.id, known);
            report.text("next", "title", &next.title, "the button's text");
        }
        // What refers to nodes and tasks cannot be judged where they could not be read.
        if !["worker", "sink", "task"].iter().any(|list| report.is_unread(list)) {
            read::read(self, report);
        }
    }
}

impl ScenarioFile {
    /// What the file describes.
    ///
    /// # Errors
    /// Every mistake in it.
    pub fn read(&self, name: &str) -> Result<Case, Vec<crate::report::Mistake>> {
        let mut report = Report::new(name);
        let case = read::read(self, &mut report);
        report.end(case)
    }
}

/// Verdicts by the names files use.
pub const CLAIMS: [(&str, Claim); 12] = [
    ("one-output", Claim::OneOutput),
    ("no-stale-over-newer", Claim::NoStaleOverNewer),
    ("rows-as-expected", Claim::RowsAsExpected),
    ("effects-once", Claim::EffectsOnce),
    ("no-commit-lost", Claim::NoCommitLost),
    ("tokens-in-order", Claim::TokensInOrder),
    ("holder-not-refused", Claim::HolderNotRefused),
    ("exclusive", Claim::Exclusive),
    ("one-ending", Claim::OneEnding),
    ("ends-in-bound", Claim::EndsInBound),
    ("not-blocked-by-leftovers", Claim::NotBlockedByLeftovers),
    ("damage-raises-an-alert", Claim::SilentDamage),
];

/// What a verdict may be, by the names files use.
pub const STATES: [(&str, State); 3] =
    [("holds", State::Holds), ("violated", State::Violated), ("not-exercised", State::NotExercised)];
