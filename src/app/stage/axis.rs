//! The ruler: round figures, as many as there is room for.

use super::board::Board;
use super::ink::Ink;
use super::{Anchor, Axis, RULER, Tick};
use crate::app::words;
use fenceline_sim::At;

/// Lengths between two figures, in milliseconds.
const STEPS: [i64; 19] = [
    1, 10, 100, 200, 500, 1_000, 2_000, 5_000, 10_000, 20_000, 30_000, 60_000, 120_000, 300_000, 600_000,
    1_200_000, 1_800_000, 3_600_000, 7_200_000,
];

/// The smallest round length, in microseconds, that takes at least `px`.
pub(super) fn step_for(axis: Axis, px: f32) -> i64 {
    let long = axis.until.saturating_sub(axis.from).max(1) as f32;
    let wide = (axis.width - 2.0 * super::MARGIN).max(1.0);
    let fits = |step: &&i64| (**step as f32) * 1000.0 / long * wide >= px;
    STEPS.iter().find(fits).or(STEPS.last()).copied().unwrap_or(10_000) * 1000
}

impl Board<'_> {
    /// Grid lines down to `bottom`, and the ruler's figures.
    pub(super) fn ruler(&mut self, bottom: f32) -> Vec<Tick> {
        let starts = self.view.starts;
        // Half the way between two figures there is a line without one, if there is room.
        let step = step_for(self.axis, if starts.is_some() { 108.0 } else { 92.0 });
        let half = step / 2;
        let line = if half % 1000 == 0 && step_for(self.axis, 42.0) <= half { half } else { step };
        let (Ok(step), Ok(line)) = (u64::try_from(step), u64::try_from(line)) else { return Vec::new() };
        let mut ticks = Vec::new();
        let mut at = self.axis.from.div_ceil(line) * line;
        while at <= self.axis.until {
            let x = self.axis.x(at);
            self.canvas.line(Ink::Grid, 0, (x, RULER), (x, bottom));
            if at % step == 0 {
                let text = self.figure(at, step);
                let anchor = if at == self.axis.from { Anchor::Start } else { Anchor::Middle };
                let half = self.placer.width(&text, super::Face::Mono) / 2.0;
                if anchor == Anchor::Start || (x - half >= 0.0 && x + half <= self.view.width) {
                    ticks.push(Tick { x, text, anchor });
                }
            }
            at += line;
        }
        ticks
    }

    fn figure(&self, at: At, step: u64) -> String {
        let starts = self.view.starts;
        if starts.is_some() {
            return words::instant(at, starts);
        }
        if self.axis.until >= 600_000_000 && at < 600_000_000 {
            // As minutes, like the figures further right.
            return format!("{}:{:02}", at / 60_000_000, at / 1_000_000 % 60);
        }
        if at >= 600_000_000 {
            return words::instant(at, None);
        }
        match step {
            1_000_000.. if at == 0 => "0 s".into(),
            1_000_000.. => (at / 1_000_000).to_string(),
            _ => {
                let text = words::instant(at, None);
                text.trim_end_matches(" s").to_owned()
            }
        }
    }
}
