//! `run`: plays a scenario and tells what came of it.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::sync::Arc;

use fenceline::app::lab::{Derived, scene};
use fenceline::app::words::event::{Names, spoken, tell};
use fenceline::app::words::{figures, instant, lab as lab_words, length, outcome as words};
use fenceline_content::incident::IncidentFile;
use fenceline_content::proof;
use fenceline_content::scenario::{CLAIMS, Case, Expected, STATES};
use fenceline_content::words::{self as words_of, duration};
use fenceline_engine::Span;
use fenceline_sim::story::Story;
use fenceline_sim::verdict::{Claim, State, Verdict, Violation};
use fenceline_sim::{Intervention, Kind, NONE, Record};
use serde_json::{Value, json};

use super::arguments::Arguments;
use super::output::put;
use super::{Outcome, input, table};

pub(crate) const HELP: &str = "\
fenceline-cli run FILE [--seed N] [--until T] [--with FILE]… [--format text|json|csv]

Plays a scenario (TOML or JSON; `-` is standard input) to its end and prints the scheduler's story,
the truth, the verdicts with their evidence, the figures and the digest.

  --seed N      the seed of every draw; 1 if left out
  --until T     where the run ends, such as `2min`
  --with FILE   more interventions, one phrase a line: `22s pause w1 55s`; may be given again
  --format F    text; json, with the whole trace; csv, the trace alone

Exit: 0 the scenario's claims hold and no other verdict is violated, 1 not so, 2 wrong input.";

/// Events after which a run is stopped: some 2 GB of trace.
const LIMIT: u64 = 20_000_000;

/// Records a verdict is shown to rest on; JSON has all of them.
const MOST_EVIDENCE: usize = 6;

/// A run and where it came from.
struct Played {
    case: Arc<Case>,
    incident: Option<IncidentFile>,
    seed: u64,
    acts: Vec<Intervention>,
    derived: Derived,
}

pub(crate) fn run(arguments: &[String]) -> Result<Outcome, String> {
    let arguments = Arguments::read(arguments, &["seed", "until", "with", "format"])?;
    let print = match arguments.all("format").last() {
        None | Some("text") => text,
        Some("json") => json,
        Some("csv") => csv,
        Some(other) => return Err(format!("`--format {other}`: write `text`, `json` or `csv`")),
    };
    let seed = arguments.one("seed", "a number, such as `--seed 7`", |word| word.parse().ok())?.unwrap_or(1);
    let until = arguments.one("until", "a duration above zero, such as `--until 2min`", |word| {
        duration(word).and_then(|span| u64::try_from(span.0).ok()).filter(|at| *at > 0)
    })?;
    let inputs = arguments.all("with").chain([arguments.file()?]);
    if inputs.filter(|path| *path == "-").count() > 1 {
        return Err("standard input holds one file: give the others by their paths".into());
    }
    let (mut case, incident) = input::case(arguments.file()?)?;
    if let Some(until) = until {
        Arc::make_mut(&mut case.scenario).until = until;
    }
    let mut acts = case.scenario.script.clone();
    for path in arguments.all("with") {
        acts.extend(input::interventions(path, case.cast())?);
    }
    let derived = Derived::played(&case, seed, &acts, LIMIT);
    let played = Played { case: Arc::new(case), incident, seed, acts, derived };
    put(&print(&played));
    let holds = played.case.expected.iter().all(|expected| played.is(expected));
    Ok(if holds && played.unnamed().is_empty() && played.derived.history.stop().is_none() {
        Outcome::Fine
    } else {
        Outcome::Fails
    })
}

impl Played {
    fn verdict(&self, claim: Claim) -> Option<&Verdict> {
        self.derived.end.verdicts.iter().find(|verdict| verdict.claim == claim)
    }

    fn is(&self, expected: &Expected) -> bool {
        self.verdict(expected.claim).is_some_and(|verdict| verdict.state == expected.state)
    }

    /// Verdicts that are violated and that no claim names.
    fn unnamed(&self) -> Vec<&'static str> {
        let claims = proof::unnamed(&self.derived.end.verdicts, &self.case.expected);
        claims.map(|claim| name(&CLAIMS, claim)).collect()
    }

    /// Acts that found nothing to do, as phrases, each with its number among all, from 1.
    fn void(&self) -> Vec<(usize, String)> {
        let is_void = |record: &&Record| record.kind == Kind::Void;
        let index = |record: &Record| usize::try_from(record.b).ok();
        let phrase =
            |at: usize| Some((at + 1, words_of::intervention_words(self.acts.get(at)?, self.case.cast())));
        let mut void: Vec<_> = self
            .derived
            .history
            .trace()
            .iter()
            .filter(is_void)
            .filter_map(index)
            .filter_map(phrase)
            .collect();
        void.sort_unstable();
        void.dedup();
        void
    }

    fn when(&self, at: u64) -> String {
        instant(at, self.case.starts)
    }

    fn story(&self) -> Story {
        let trace = self.derived.history.trace();
        Story::of(self.derived.rulebook.clone(), trace, trace.len(), self.derived.scenario.until)
    }

    fn task(&self, index: usize) -> String {
        let judged = self.derived.scenario.judged.get(index);
        judged
            .map_or_else(|| format!("task {}", index + 1), |task| format!("{} {}", task.name, task.interval))
    }

    fn digest(&self) -> String {
        format!("{:016x}", self.derived.history.digest())
    }
}

// --- as text ---

fn text(played: &Played) -> String {
    let Played { case, incident, seed, derived, .. } = played;
    let until = derived.scenario.until;
    let mut text = format!("{} · {} · seed {seed} · {}\n", case.id, case.title, length(until as i64));
    if let Some(IncidentFile { id, system, source, reported, filled, as_of }) = incident {
        let _ = writeln!(text, "\nReported ({id}, {system}, read {as_of}): {reported}");
        let _ = writeln!(text, "  {source}\nFilled in: {filled}");
    }
    if let Some(stop) = derived.history.stop() {
        let _ = writeln!(text, "{}", lab_words::stopped(stop));
    }
    let outcome = &derived.end.outcome;
    let _ = writeln!(text, "\nThe scheduler says: {}{}", outcome.scheduler.lead, outcome.scheduler.rest);
    let names = Names::of(derived);
    for (index, task) in played.story().tasks.iter().enumerate() {
        if derived.scenario.tasks.len() > 1 {
            let _ = writeln!(text, "  {}", played.task(index));
        }
        for segment in &task.segments {
            line(&mut text, &played.when(segment.from), &words::told(segment.told, &names));
        }
    }
    for alert in &derived.end.alerts {
        let about = words::alert(alert.source, alert.about, &names, |task| played.task(task));
        line(&mut text, &played.when(alert.at), &about);
    }
    let _ = writeln!(text, "\nThe truth: {}{}", outcome.truth.lead, outcome.truth.rest);
    for row in scene::events(derived, case.starts) {
        line(&mut text, &row.time, &spoken(&row.sentence));
    }
    text += "\nVerdicts\n";
    for verdict in &derived.end.verdicts {
        let said = lab_words::claim_with(verdict.claim, verdict.detail);
        let _ = writeln!(
            text,
            "  {} {said}: {}{}",
            lab_words::glyph(verdict.state),
            lab_words::state(verdict.state),
            verdict.since.map_or(String::new(), |at| format!(", from {}", played.when(at)))
        );
        let mut shown = BTreeSet::new();
        let is_new = |id: &&u32| verdict.state == State::Violated && shown.insert(**id);
        for id in verdict.evidence.iter().filter(is_new).take(MOST_EVIDENCE) {
            if let Some(record) = derived.history.trace().get(*id) {
                line(&mut text, &format!("  {}", played.when(record.at)), &spoken(&tell(record, &names)));
            }
        }
    }
    text += "\nFigures\n";
    let known = derived.figures();
    let broken = |violation: &Violation| {
        format!("{} of {}", name(&CLAIMS, violation.claim), played.task(usize::from(violation.task.0)))
    };
    for (figure, what) in figures::costs(&known).into_iter().chain(figures::details(&known, broken)) {
        line(&mut text, &figure, &what);
    }
    let void = played.void();
    if !void.is_empty() {
        text += "\nActs that find nothing to do\n";
        for (n, phrase) in void {
            line(&mut text, &format!("{n}."), &phrase);
        }
    }
    text += "\nClaims\n";
    for expected in &case.expected {
        let (verdict, wanted) = (name(&CLAIMS, expected.claim), name(&STATES, expected.state));
        let came = played.verdict(expected.claim).map_or("missing", |verdict| name(&STATES, verdict.state));
        let _ = if came == wanted {
            writeln!(text, "  as claimed   {verdict} is {wanted}")
        } else {
            writeln!(text, "  not so       {verdict} is {came}, not {wanted}")
        };
    }
    for verdict in played.unnamed() {
        let _ = writeln!(text, "  not claimed  {verdict} is violated, and no claim names it");
    }
    let _ = writeln!(text, "\nDigest {}, {} events", played.digest(), derived.history.end().events());
    text
}

fn line(text: &mut String, lead: &str, rest: &str) {
    let _ = writeln!(text, "  {lead:>9}  {rest}");
}

fn name<T: Copy + PartialEq>(names: &[(&'static str, T)], value: T) -> &'static str {
    names.iter().find(|(_, known)| *known == value).map_or("", |(name, _)| *name)
}

// --- as JSON ---

fn json(played: &Played) -> String {
    let Played { case, incident, seed, derived, .. } = played;
    let names = Names::of(derived);
    let tasks: Vec<Value> = played
        .story()
        .tasks
        .iter()
        .enumerate()
        .map(|(index, task)| {
            let segments: Vec<Value> = task
                .segments
                .iter()
                .map(|segment| json!({ "from_us": segment.from, "says": words::told(segment.told, &names) }))
                .collect();
            json!({ "task": played.task(index), "segments": segments })
        })
        .collect();
    let alerts: Vec<Value> = derived
        .end
        .alerts
        .iter()
        .map(|alert| {
            let says = words::alert(alert.source, alert.about, &names, |task| played.task(task));
            json!({ "at_us": alert.at, "says": says })
        })
        .collect();
    let verdicts: Vec<Value> = derived
        .end
        .verdicts
        .iter()
        .map(|verdict| {
            json!({
                "verdict": name(&CLAIMS, verdict.claim),
                "is": name(&STATES, verdict.state),
                "since_us": verdict.since,
                "evidence": verdict.evidence,
                "tasks": verdict.tasks.iter().map(|task| played.task(usize::from(task.0))).collect::<Vec<_>>(),
            })
        })
        .collect();
    let claims: Vec<Value> = case
        .expected
        .iter()
        .map(|expected| {
            json!({
                "verdict": name(&CLAIMS, expected.claim),
                "is": name(&STATES, expected.state),
                "holds": played.is(expected),
            })
        })
        .collect();
    let truth: Vec<Value> = scene::events(derived, case.starts)
        .iter()
        .map(|row| json!({ "at_us": row.at, "record": row.record, "says": spoken(&row.sentence) }))
        .collect();
    let void = played.void();
    let void: Vec<Value> = void.iter().map(|(n, act)| json!({ "act": n, "phrase": act })).collect();
    let outcome = &derived.end.outcome;
    let whole = json!({
        "format": 1,
        "engine": env!("CARGO_PKG_VERSION"),
        "id": case.id,
        "title": case.title,
        "incident": incident,
        "seed": seed,
        "until_us": derived.scenario.until,
        "stopped": derived.history.stop().map(lab_words::stopped),
        "digest": played.digest(),
        "events": derived.history.end().events(),
        "scheduler_says": { "outcome": format!("{}{}", outcome.scheduler.lead, outcome.scheduler.rest), "tasks": tasks, "alerts": alerts },
        "truth": { "outcome": format!("{}{}", outcome.truth.lead, outcome.truth.rest), "events": truth },
        "verdicts": verdicts,
        "figures": figures_json(played),
        "claims": claims,
        "violated_and_not_claimed": played.unnamed(),
        "void_acts": void,
    });
    with_trace(&format!("{whole:#}"), played, &names)
}

/// The object with its last key, the trace, a record a line: that may be long.
fn with_trace(object: &str, played: &Played, names: &Names) -> String {
    let trace = played.derived.history.trace();
    let mut text = object.trim_end_matches("\n}").to_owned();
    text += ",\n  \"trace\": [";
    for (id, record) in trace.since(0) {
        let mut object = json!({
            "id": id,
            "at_us": record.at,
            "node": names.node(record.node),
            "kind": kind(record),
            "task": record.task.0,
            "attempt": record.attempt,
            "copy": record.copy,
            "peer": record.peer.0,
            "flag": record.flag,
            "n": record.n,
            "value": record.b,
            "says": spoken(&tell(record, names)),
        });
        if record.cause != NONE {
            object["cause"] = json!(record.cause);
        }
        let reasons: Vec<u32> = trace.reasons(id).collect();
        if !reasons.is_empty() {
            object["reasons"] = json!(reasons);
        }
        let _ = write!(text, "{}\n    {object}", if id == 0 { "" } else { "," });
    }
    text += "\n  ]\n}\n";
    text
}

fn figures_json(played: &Played) -> Value {
    let figures = played.derived.figures();
    let micros = |span: Span| span.0;
    let falsely = figures.false_expiries;
    let deaths: Vec<Value> = figures
        .deaths
        .iter()
        .map(|death| {
            json!({
                "at_us": death.at,
                "detected_us": death.detected.map(micros),
                "recovered_us": death.recovered.map(micros),
                "slot_freed_us": death.slot_freed.map(micros),
            })
        })
        .collect();
    let detections: Vec<Value> = figures
        .detections
        .iter()
        .map(|detection| {
            json!({
                "verdict": name(&CLAIMS, detection.violation.claim),
                "task": played.task(usize::from(detection.violation.task.0)),
                "at_us": detection.violation.at,
                "detected_us": detection.after.map(micros),
                "spread": detection.spread,
            })
        })
        .collect();
    let names = Names::of(&played.derived);
    let derived: Vec<Value> = figures
        .derived
        .iter()
        .map(|it| {
            json!({
                "task": played.task(usize::from(it.task.0)),
                "sink": names.node(it.sink),
                "at_us": it.at,
                "made_of": it.from.iter().map(|task| played.task(usize::from(task.0))).collect::<Vec<_>>(),
                "after_an_alert": it.warned,
            })
        })
        .collect();
    json!({
        "granted": figures.granted,
        "expired": figures.expired,
        "false_expiries": {
            "running": falsely.running, "paused": falsely.paused,
            "waiting": falsely.waiting, "finished": falsely.finished,
        },
        "deaths": deaths,
        "zombies": {
            "count": figures.zombie.count,
            "total_us": micros(figures.zombie.total),
            "worked_us": micros(figures.zombie.worked),
            "longest_us": micros(figures.zombie.longest),
        },
        "overlap_us": micros(figures.overlap),
        "wasted_us": micros(figures.wasted),
        "dead_slot_us": micros(figures.dead_slot),
        "heartbeats": {
            "handled": figures.heartbeats.handled,
            "per_minute_milli": figures.heartbeats.mean_milli(),
            "highest_in_a_minute": figures.heartbeats.highest,
        },
        "peak_concurrency": figures.peak,
        "detections": detections,
        "derived_tables": derived,
        "spread": figures.spread(),
    })
}

// --- as CSV ---

fn csv(played: &Played) -> String {
    let derived = &played.derived;
    let names = Names::of(derived);
    let trace = derived.history.trace();
    let mut text = table::line([
        "id", "at_us", "node", "kind", "task", "attempt", "copy", "peer", "flag", "n", "value", "cause",
        "says",
    ]);
    for (id, record) in trace.since(0) {
        let cause = if record.cause == NONE { String::new() } else { record.cause.to_string() };
        text += &table::line([
            id.to_string(),
            record.at.to_string(),
            names.node(record.node),
            kind(record),
            record.task.0.to_string(),
            record.attempt.to_string(),
            record.copy.to_string(),
            record.peer.0.to_string(),
            record.flag.to_string(),
            record.n.to_string(),
            record.b.to_string(),
            cause,
            spoken(&tell(record, &names)),
        ]);
    }
    text
}

/// A kind's name as files write names: `lease-started`.
fn kind(record: &Record) -> String {
    let mut name = String::new();
    for letter in format!("{:?}", record.kind).chars() {
        if letter.is_ascii_uppercase() && !name.is_empty() {
            name.push('-');
        }
        name.push(letter.to_ascii_lowercase());
    }
    name
}
