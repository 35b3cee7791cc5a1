//! What a run cost, in words.

use fenceline_sim::figures::Figures;

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
    let per_minute = figures.heartbeats.mean_milli() + 50;
    lines.push((
        format!("{}.{}", per_minute / 1000, per_minute / 100 % 10),
        "heartbeats a minute, mean".into(),
    ));
    lines
}
