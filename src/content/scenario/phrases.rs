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
    let mut left = text.split_whitespace();
    let name = left.next().unwrap_or_default();
    let argument = left.next();
    let extra = left.next();
    let span = || {
        let word = argument.ok_or_else(|| format!("`{name}` needs a duration, such as `{name} 30s`"))?;
        words::length(word)
    };
    let sink = || {
        let word = argument.ok_or_else(|| format!("`{name}` needs the name of a sink"))?;
        let index = sinks.iter().position(|sink| sink.name == word);
        let index = index.ok_or_else(|| {
            let names = || sinks.iter().map(|sink| sink.name.as_str());
            let hint = did_you_mean(word, names());
            let listed = names().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ");
            match (hint.is_empty(), listed.is_empty()) {
                (false, _) => format!("there is no sink `{word}`{hint}"),
                (true, false) => format!("there is no sink `{word}`. Write one of: {listed}"),
                (true, true) => format!("there is no sink `{word}`, as there is none"),
            }
        })?;
        u16::try_from(1 + workers + index).map(NodeId).map_err(|_| "too many nodes".to_owned())
    };
    let read = match name {
        "read" if argument.is_none() => Step::Read,
        "read" => Step::ReadFrom { sink: sink()? },
        "compute" => Step::Compute(span()?),
        "block" => Step::Block(span()?),
        "beat" => Step::Beat,
        "check-lease" => Step::CheckLease,
        "look" => Step::Look { sink: sink()? },
        "write" => {
            let (part, parts) = match extra {
                None => (1, 1),
                Some(word) => word
                    .split_once('/')
                    .and_then(|(part, parts)| Some((part.parse::<u8>().ok()?, parts.parse::<u8>().ok()?)))
                    .filter(|(part, parts)| (1..=*parts).contains(part))
                    .ok_or_else(|| format!("`{word}` is not a part. Write one such as `1/2`"))?,
            };
            if let Some(word) = left.next() {
                return Err(one_too_many(word));
            }
            return Ok(Step::Write { sink: sink()?, part: part - 1, parts });
        }
        "stage" => Step::Stage { sink: sink()? },
        "clean" => {
            let what = match extra {
                Some("staged") => Clean::Staged,
                Some("older") => Clean::Older,
                Some("others") => Clean::Others,
                _ => return Err("`clean` needs to know what: `staged`, `older` or `others`".into()),
            };
            if let Some(word) = left.next() {
                return Err(one_too_many(word));
            }
            return Ok(Step::Clean { sink: sink()?, what });
        }
        "swap" => Step::Swap { sink: sink()? },
        "lock" => Step::Lock { sink: sink()? },
        "unlock" => Step::Unlock { sink: sink()? },
        "effect" => Step::Effect { sink: sink()? },
        "work" => Step::Work { sink: sink()? },
        "ask" => Step::Ask,
        "note" => Step::Note { sink: sink()? },
        "check" => Step::Check { sink: sink()? },
        "acknowledge" => Step::Acknowledge,
        _ => {
            let hint = did_you_mean(name, STEPS);
            if hint.is_empty() {
                let listed = STEPS.map(|name| format!("`{name}`")).join(", ");
                return Err(format!("`{name}` is not a step. Write one of: {listed}"));
            }
            return Err(format!("`{name}` is not a step{hint}"));
        }
    };
    let takes = if matches!(name, "beat" | "check-lease" | "ask" | "acknowledge") { 1 } else { 2 };
    match text.split_whitespace().nth(takes) {
        Some(word) => Err(one_too_many(word)),
        None => Ok(read),
    }
}

fn one_too_many(word: &str) -> String {
    format!("`{word}` is one word too many. Remove it")
}
