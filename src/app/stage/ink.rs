//! Ink: the kinds of mark the grammar knows, and the canvas that gathers their paths.

use super::{Area, Shape};
use std::collections::BTreeMap;

/// A kind of mark. Their order is the order of drawing: grid, strips of links, lines that cross
/// lanes, bars, heads, tags.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Ink {
    Grid,
    Divider,
    Expected,
    Cut,
    Clock,
    /// Lines that cross lanes: routine, mattering, writing, stale.
    Thin,
    ThinDashed,
    Grant,
    Write,
    WriteDashed,
    Stale,
    Refusal,
    Turned,
    // scheduler
    StoryGround,
    Success,
    Story,
    Down,
    Silence,
    Waits,
    // worker
    Run,
    Paused,
    PausedEdge,
    Blocked,
    ZombieGround,
    ZombiePaused,
    ZombieRuns,
    ZombieEdge,
    Belief,
    BeliefPast,
    Lease,
    LeaseEdge,
    // sink
    NoFence,
    Fence,
    Rows,
    RowsGround,
    RowsStale,
    RowsEdge,
    Plate,
    Leftover,
    Effect,
    EffectAgain,
    Load,
    // rails
    RailIdle,
    RailHolds,
    RailViolated,
    DotHolds,
    DotViolated,
    Covered,
    Torn,
    Bracket,
    LabelGround,
    // heads and small signs
    HeadThin,
    Head,
    HeadBad,
    HeadPlain,
    Ended,
    SweepActs,
    CrossBad,
    CrossPlain,
    CrossMuted,
    RingGround,
    Ring,
    TagGap,
    Tag,
}

impl Ink {
    /// Its class in `style/stage.css`.
    pub(super) fn class(self) -> &'static str {
        match self {
            Self::Grid => "k-grid",
            Self::Divider => "k-divider",
            Self::Expected => "k-expected",
            Self::Cut => "k-cut",
            Self::Clock => "k-clock",
            Self::Thin => "k-thin",
            Self::ThinDashed => "k-thin k-dash",
            Self::Grant => "k-grant",
            Self::Write => "k-write",
            Self::WriteDashed => "k-write k-dash",
            Self::Stale => "k-stale",
            Self::Refusal => "k-refusal",
            Self::Turned => "k-turned",
            Self::StoryGround | Self::LabelGround | Self::RingGround | Self::TagGap => "k-panel",
            Self::Success => "k-success",
            Self::Story => "k-story",
            Self::Down => "k-down",
            Self::Silence => "k-silence",
            Self::Waits => "k-waits",
            Self::Run => "k-run",
            Self::Paused => "k-paused",
            Self::PausedEdge => "k-edge",
            Self::Blocked => "k-blocked",
            Self::ZombieGround | Self::RowsGround | Self::Plate => "k-bad-ground",
            Self::ZombiePaused | Self::RowsStale => "k-thin-stripes",
            Self::ZombieRuns => "k-thick-stripes",
            Self::ZombieEdge | Self::RowsEdge => "k-bad-edge",
            Self::Belief => "k-belief",
            Self::BeliefPast => "k-belief k-past",
            Self::Lease => "k-lease",
            Self::LeaseEdge => "k-lease-edge",
            Self::NoFence => "k-no-fence",
            Self::Fence => "k-fence",
            Self::Rows => "k-rows",
            Self::Leftover => "k-leftover",
            Self::Effect => "k-effect",
            Self::EffectAgain => "k-effect k-again",
            Self::Load => "k-load",
            Self::RailIdle => "k-rail",
            Self::RailHolds => "k-rail-ok",
            Self::RailViolated => "k-rail-bad",
            Self::DotHolds => "k-dot-ok",
            Self::DotViolated => "k-head-bad",
            Self::Covered => "k-covered",
            Self::Torn => "k-torn",
            Self::HeadThin => "k-head",
            Self::Head => "k-head-hue",
            Self::HeadBad | Self::SweepActs => "k-head-bad",
            Self::HeadPlain => "k-head-ink",
            Self::Bracket => "k-bracket",
            Self::Ended => "k-ended",
            Self::CrossBad => "k-cross-bad",
            Self::CrossPlain => "k-cross",
            Self::CrossMuted => "k-cross-muted",
            Self::Ring => "k-ring",
            Self::Tag => "k-tag",
        }
    }
}

/// Gathers paths by kind and colour.
#[derive(Default)]
pub(super) struct Canvas {
    paths: BTreeMap<(Ink, u8), String>,
}

/// Path data under way. Writes figures with one decimal, without the float formatter (it is big).
pub(super) struct Pen<'a>(&'a mut String);

impl Pen<'_> {
    fn op(&mut self, op: char, figures: &[f32]) -> &mut Self {
        self.0.push(op);
        for (place, figure) in figures.iter().enumerate() {
            if place > 0 {
                self.0.push(' ');
            }
            number(self.0, *figure);
        }
        self
    }

    pub(super) fn to(&mut self, x: f32, y: f32) -> &mut Self {
        self.op('M', &[x, y])
    }

    pub(super) fn line(&mut self, x: f32, y: f32) -> &mut Self {
        self.op('L', &[x, y])
    }

    pub(super) fn close(&mut self) {
        self.0.push('Z');
    }
}

/// A figure with at most one decimal.
pub(super) fn number(text: &mut String, figure: f32) {
    let tenths = (figure * 10.0).round() as i32;
    if tenths < 0 {
        text.push('-');
    }
    text.push_str(&(tenths / 10).abs().to_string());
    if tenths % 10 != 0 {
        text.push('.');
        text.push_str(&(tenths % 10).abs().to_string());
    }
}

impl Canvas {
    pub(super) fn pen(&mut self, ink: Ink, hue: u8) -> Pen<'_> {
        Pen(self.paths.entry((ink, hue)).or_default())
    }

    pub(super) fn line(&mut self, ink: Ink, hue: u8, from: (f32, f32), to: (f32, f32)) {
        self.pen(ink, hue).to(from.0, from.1).line(to.0, to.1);
    }

    /// A rectangle, its corners rounded by `radius`.
    pub(super) fn area(&mut self, ink: Ink, hue: u8, area: Area, radius: f32) {
        let Area { left, top, right, bottom } = area;
        if right <= left || bottom <= top {
            return;
        }
        let r = radius.min((right - left) / 2.0).min((bottom - top) / 2.0);
        let mut pen = self.pen(ink, hue);
        if r < 0.5 {
            pen.to(left, top).op('H', &[right]).op('V', &[bottom]).op('H', &[left]).close();
            return;
        }
        pen.to(left + r, top);
        pen.op('H', &[right - r]).op('A', &[r, r, 0.0, 0.0, 1.0, right, top + r]);
        pen.op('V', &[bottom - r]).op('A', &[r, r, 0.0, 0.0, 1.0, right - r, bottom]);
        pen.op('H', &[left + r]).op('A', &[r, r, 0.0, 0.0, 1.0, left, bottom - r]);
        pen.op('V', &[top + r]).op('A', &[r, r, 0.0, 0.0, 1.0, left + r, top]).close();
    }

    pub(super) fn circle(&mut self, ink: Ink, hue: u8, x: f32, y: f32, r: f32) {
        self.area(ink, hue, Area::new(x - r, y - r, x + r, y + r), r);
    }

    /// An arrow head with its point at `tip`, coming from `from`.
    pub(super) fn head(&mut self, ink: Ink, hue: u8, from: (f32, f32), tip: (f32, f32)) {
        let (dx, dy) = (tip.0 - from.0, tip.1 - from.1);
        let far = (dx * dx + dy * dy).sqrt().max(0.01);
        let (ux, uy) = (dx / far, dy / far);
        let (x, y) = (tip.0 - ux * 7.0, tip.1 - uy * 7.0);
        self.pen(ink, hue)
            .to(tip.0, tip.1)
            .line(x - uy * 3.2, y + ux * 3.2)
            .line(x + uy * 3.2, y - ux * 3.2)
            .close();
    }

    /// A line with a head at its end; it stops short of the point, which would blunt the head.
    pub(super) fn arrow(&mut self, (line, head): (Ink, Ink), hue: u8, from: (f32, f32), tip: (f32, f32)) {
        let (dx, dy) = (tip.0 - from.0, tip.1 - from.1);
        let far = (dx * dx + dy * dy).sqrt().max(0.01);
        let cut = (far - 5.0).max(0.0) / far;
        self.line(line, hue, from, (from.0 + dx * cut, from.1 + dy * cut));
        self.head(head, hue, from, tip);
    }

    pub(super) fn cross(&mut self, ink: Ink, x: f32, y: f32) {
        let r = 3.5;
        self.pen(ink, 0).to(x - r, y - r).line(x + r, y + r).to(x + r, y - r).line(x - r, y + r);
    }

    pub(super) fn into_shapes(self) -> Vec<Shape> {
        let shape = |((ink, hue), d): ((Ink, u8), String)| Shape { class: ink.class(), hue, d };
        self.paths.into_iter().map(shape).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_have_at_most_one_decimal() {
        let written = |figure| {
            let mut text = String::new();
            number(&mut text, figure);
            text
        };
        assert_eq!([0.0, 1.0, 2.25, -0.04, -0.26, -12.0].map(written), ["0", "1", "2.3", "0", "-0.3", "-12"]);
    }
}
