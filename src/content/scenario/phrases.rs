//! Reading the phrases that only a scenario's file has: steps of a program, and alerts.

use fenceline_engine::{Clean, NodeId, Step};
use fenceline_sim::SinkSpec;

use crate::words::{self, did_you_mean};

/// Steps by name.
pub(crate) const STEPS: [&str; 18] = [
    "read",
    "compute",
    "block",
    "beat",
    "check-lease",
    "look",
    "write",
    "stage",
    "swap",
    "clean",
    "lock",
    "unlock",
    "effect",
    "work",
    "ask",
    "note",
    "check",
    "acknowledge",
];

/// Reads one step of a program: `compute 30s`, `write revenue`, `write revenue 1/2`.
pub(super) fn step(text: &str, workers: usize, sinks: &[SinkSpec]) -> Result<Step, String> {
    let mut words = text.split_whitespace();
    let name = words.next().unwrap_or_default();
    let mut span = || {
        let word = words.next().ok_or_else(|| format!("`{name}` needs a duration, such as `{name} 30s`"))?;
        words::length(word)
    };
    let read = match name {
        "read" if text.split_whitespace().nth(1).is_none() => Step::Read,
        "ask" => Step::Ask,
        "compute" => Step::Compute(span()?),
        "block" => Step::Block(span()?),
        "beat" => Step::Beat,
        "check-lease" => Step::CheckLease,
        "acknowledge" => Step::Acknowledge,
        _ if STEPS.contains(&name) => {
            let sink = words.next().ok_or_else(|| format!("`{name}` needs the name of a sink"));
            at_sink(name, &mut words, sink.and_then(|word| sink_named(word, workers, sinks)))?
        }
        _ => return Err(no_step(name)),
    };
    match words.next() {
        Some(word) => Err(format!("`{word}` is one word too many. Remove it")),
        None => Ok(read),
    }
}

/// A step that talks to a sink. What it needs besides is missed first.
fn at_sink<'a>(
    name: &str,
    words: &mut impl Iterator<Item = &'a str>,
    sink: Result<NodeId, String>,
) -> Result<Step, String> {
    Ok(match name {
        "write" => {
            let (part, parts) = words.next().map_or(Ok((1, 1)), part)?;
            Step::Write { sink: sink?, part: part - 1, parts }
        }
        "clean" => {
            let what = match words.next() {
                Some("staged") => Clean::Staged,
                Some("older") => Clean::Older,
                Some("others") => Clean::Others,
                _ => return Err("`clean` needs to know what: `staged`, `older` or `others`".into()),
            };
            Step::Clean { sink: sink?, what }
        }
        "look" => Step::Look { sink: sink? },
        "read" => Step::ReadFrom { sink: sink? },
        "stage" => Step::Stage { sink: sink? },
        "swap" => Step::Swap { sink: sink? },
        "lock" => Step::Lock { sink: sink? },
        "unlock" => Step::Unlock { sink: sink? },
        "effect" => Step::Effect { sink: sink? },
        "note" => Step::Note { sink: sink? },
        "check" => Step::Check { sink: sink? },
        _ => Step::Work { sink: sink? },
    })
}

/// Which part of how many: `1/2`.
fn part(word: &str) -> Result<(u8, u8), String> {
    let read = word.split_once('/');
    let read = read.and_then(|(part, parts)| Some((part.parse().ok()?, parts.parse().ok()?)));
    read.filter(|(part, parts)| (1..=*parts).contains(part))
        .ok_or_else(|| format!("`{word}` is not a part. Write one such as `1/2`"))
}

fn sink_named(word: &str, workers: usize, sinks: &[SinkSpec]) -> Result<NodeId, String> {
    let Some(index) = sinks.iter().position(|sink| sink.name == word) else {
        let names = || sinks.iter().map(|sink| sink.name.as_str());
        let hint = did_you_mean(word, names());
        let listed = names().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ");
        return Err(match (hint.is_empty(), listed.is_empty()) {
            (false, _) => format!("there is no sink `{word}`{hint}"),
            (true, false) => format!("there is no sink `{word}`. Write one of: {listed}"),
            (true, true) => format!("there is no sink `{word}`, as there is none"),
        });
    };
    u16::try_from(1 + workers + index).map(NodeId).map_err(|_| "too many nodes".to_owned())
}

fn no_step(name: &str) -> String {
    let hint = did_you_mean(name, STEPS);
    if hint.is_empty() {
        let listed = STEPS.map(|name| format!("`{name}`")).join(", ");
        return format!("`{name}` is not a step. Write one of: {listed}");
    }
    format!("`{name}` is not a step{hint}")
}
