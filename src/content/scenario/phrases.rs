//! Phrases that only a file has: the steps of a program, and its alerts.

use fenceline_engine::{Clean, NodeId, Span, Step};
use fenceline_sim::SinkSpec;
use fenceline_sim::scenario::AlertRule;

use crate::words::{self, duration};

/// Reads one step of a program: `compute 30s`, `write revenue`, `write revenue 1/2`.
pub(super) fn step(text: &str, workers: usize, sinks: &[SinkSpec]) -> Result<Step, String> {
    let mut parts = text.split_whitespace();
    let name = parts.next().unwrap_or_default();
    let argument = parts.next();
    let extra = parts.next();
    let span = || {
        let word = argument.ok_or_else(|| format!("`{name}` needs a duration, such as `{name} 30s`"))?;
        duration(word)
            .filter(|span| *span >= Span::ZERO)
            .ok_or_else(|| format!("`{word}` is not a duration. Write one such as `30s`"))
    };
    let sink = || {
        let word = argument.ok_or_else(|| format!("`{name}` needs the name of a sink"))?;
        let index = sinks.iter().position(|sink| sink.name == word);
        let index = index.ok_or_else(|| {
            let near = words::nearest(word, sinks.iter().map(|sink| sink.name.as_str()));
            let hint = near.map(|near| format!(" Did you mean `{near}`?")).unwrap_or_default();
            format!("there is no sink `{word}`.{hint}")
        })?;
        u16::try_from(1 + workers + index).map(NodeId).map_err(|_| "too many nodes".to_owned())
    };
    let read = match name {
        "read" => Step::Read,
        "compute" => Step::Compute(span()?),
        "block" => Step::Block(span()?),
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
            return Ok(Step::Clean { sink: sink()?, what });
        }
        "swap" => Step::Swap { sink: sink()? },
        "lock" => Step::Lock { sink: sink()? },
        "unlock" => Step::Unlock { sink: sink()? },
        "effect" => Step::Effect { sink: sink()? },
        "work" => Step::Work { sink: sink()? },
        "acknowledge" => Step::Acknowledge,
        _ => {
            const STEPS: [&str; 14] = [
                "read",
                "compute",
                "block",
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
                "acknowledge",
            ];
            let near = words::nearest(name, STEPS);
            let hint = near.map(|near| format!(" Did you mean `{near}`?")).unwrap_or_default();
            return Err(format!("`{name}` is not a step.{hint}"));
        }
    };
    match extra {
        Some(word) => Err(format!("`{word}` is one word too many. Remove it")),
        None => Ok(read),
    }
}

/// Reads an alert: `retried`, `two-open`, `lease-expired 5min`, `scheduler-silent 2min`, `reconcile 1h`.
pub(super) fn alert(text: &str) -> Result<AlertRule, String> {
    let mut parts = text.split_whitespace();
    let name = parts.next().unwrap_or_default();
    let argument = parts.next();
    let span = || {
        argument
            .and_then(duration)
            .filter(|span| *span > Span::ZERO)
            .ok_or_else(|| format!("`{name}` needs a duration, such as `{name} 5min`"))
    };
    Ok(match name {
        "lease-expired" => AlertRule::LeaseExpired(span()?),
        "retried" => AlertRule::Retried,
        "fenced-write" => AlertRule::FencedWrite,
        "two-open" => AlertRule::TwoOpen,
        "scheduler-silent" => AlertRule::SchedulerSilent(span()?),
        "reconcile" => AlertRule::Reconcile(span()?),
        _ => {
            return Err(format!(
                "there is no alert `{name}`. Write one of: `lease-expired`, `retried`, `fenced-write`, `two-open`, `scheduler-silent`, `reconcile`"
            ));
        }
    })
}
