//! What a run cost, in words.

use fenceline_sim::figures::Figures;
use fenceline_sim::verdict::Violation;

use super::length;

/// Quality figures worth a line: figure and what it is.
pub fn costs(figures: &Figures) -> Vec<(String, String)> {
    let mut lines = Vec::new();
    let zombies = &figures.zombie;
    if zombies.count > 0 {
        let paused = zombies.total - zombies.worked;
        let paused =
            if paused.0 > 0 { format!(", of which {} paused", length(paused.0)) } else { String::new() };
        lines.push((length(zombies.total.0), format!("zombie{paused}")));
    }
    if figures.wasted.0 > 0 {
        lines.push((length(figures.wasted.0), "work done for nothing".into()));
    }
    if figures.overlap.0 > 0 {
        lines.push((length(figures.overlap.0), "two executions at once".into()));
    }
    let false_expiries = figures.false_expiries.total();
    if false_expiries > 0 {
        lines.push((
            false_expiries.to_string(),
            if false_expiries == 1 {
                "false expiry: nothing of it had died"
            } else {
                "false expiries: nothing of them had died"
            }
            .into(),
        ));
    }
    for death in &figures.deaths {
        let (figure, text) = match death.detected {
            Some(after) => (length(after.0), "from death to recorded expiry"),
            None => ("open".into(), "a death not detected"),
        };
        if lines.len() < 8 {
            lines.push((figure, text.into()));
        }
    }
    let spread = figures.spread() as i64;
    if spread > 0 {
        let tables = if spread == 1 { "table" } else { "tables" };
        lines.push((spread.to_string(), format!("{tables} made of a wrong one before any alert")));
    }
    let per_minute = figures.heartbeats.mean_milli() + 50;
    lines.push((
        format!("{}.{}", per_minute / 1000, per_minute / 100 % 10),
        "heartbeats a minute, mean".into(),
    ));
    lines
}

/// The figures that [`costs`] has no line for. `what` names a violation.
pub fn details(figures: &Figures, what: impl Fn(&Violation) -> String) -> Vec<(String, String)> {
    let mut lines = Vec::new();
    let mut line = |figure: String, text: String| lines.push((figure, text));
    for death in &figures.deaths {
        match death.recovered {
            Some(after) => line(length(after.0), "from death to the next start".into()),
            None => line("open".into(), "a death that nothing started after".into()),
        }
    }
    if figures.dead_slot.0 > 0 {
        line(length(figures.dead_slot.0), "slots held by the dead".into());
    }
    line(figures.peak.to_string(), "executions of one task at once, at most".into());
    line(figures.heartbeats.highest.to_string(), "heartbeats in any minute, at most".into());
    for detection in &figures.detections {
        let what = what(&detection.violation);
        let spread = match detection.spread {
            0 => String::new(),
            1 => "; 1 table made of it before".into(),
            n => format!("; {n} tables made of it before"),
        };
        match detection.after {
            Some(after) => line(length(after.0), format!("from {what} to its first alert{spread}")),
            None => line("open".into(), format!("no alert of {what}{spread}")),
        }
    }
    lines
}
