//! The one placer of labels: by priority, over no other label and no mark that matters, flipped or
//! shortened where there is no room, else left out (the table and the inspector still have it).

use super::ink::{Canvas, Ink};
use super::{Anchor, Area, Face, Label};
use crate::app::words::stage::Wordings;
use fenceline_sim::order;

/// Which label goes first where two want one place.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Priority {
    Tag,
    Violation,
    Fence,
    Expiry,
    Grant,
    Fault,
    Rest,
}

/// A place a label may take: its baseline, and which end of it lies there.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Spot {
    pub(super) x: f32,
    pub(super) y: f32,
    pub(super) anchor: Anchor,
}

impl Spot {
    pub(super) fn right_of(x: f32, y: f32) -> Self {
        Self { x, y, anchor: Anchor::Start }
    }

    pub(super) fn left_of(x: f32, y: f32) -> Self {
        Self { x, y, anchor: Anchor::End }
    }

    pub(super) fn around(x: f32, y: f32) -> Self {
        Self { x, y, anchor: Anchor::Middle }
    }
}

/// What a label lies on.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Ground {
    /// The panel: it must keep off the marks, and has a halo.
    Panel,
    /// Its own mark, within this area.
    Mark(Area),
    /// The same, a solid fill.
    Fill(Area),
    /// A tag of its own, drawn under it if it is placed; it keeps off the marks if it can.
    Tag { free: bool },
}

/// A label that wants a place.
#[derive(Clone, Debug)]
pub(super) struct Want {
    pub(super) priority: Priority,
    pub(super) texts: Wordings,
    pub(super) class: &'static str,
    pub(super) hue: u8,
    pub(super) face: Face,
    pub(super) ground: Ground,
    pub(super) spots: Vec<Spot>,
    /// Rather shorter at the first spot than whole at another.
    pub(super) near: bool,
}

/// Width of a tag of one figure, and its height.
pub(super) const TAG: (f32, f32) = (18.0, 21.0);

pub(super) struct Placer<'a> {
    measure: &'a dyn Fn(&str, Face) -> f32,
    bounds: Area,
    wants: Vec<Want>,
    /// Marks a label on the panel must not cover.
    marks: Vec<Area>,
}

impl<'a> Placer<'a> {
    pub(super) fn new(measure: &'a dyn Fn(&str, Face) -> f32, bounds: Area) -> Self {
        Self { measure, bounds, wants: Vec::new(), marks: Vec::new() }
    }

    pub(super) fn want(&mut self, want: Want) {
        self.wants.push(want);
    }

    /// A mark that labels keep off.
    pub(super) fn keep_off(&mut self, area: Area) {
        self.marks.push(area);
    }

    pub(super) fn width(&self, text: &str, face: Face) -> f32 {
        (self.measure)(text, face)
    }

    /// Gives each label its place, the most important first.
    pub(super) fn place(mut self, canvas: &mut Canvas) -> Vec<Label> {
        order::by(&mut self.wants, |want| want.priority as u64);
        let mut placed: Vec<Label> = Vec::new();
        for want in &self.wants {
            let widths: Vec<f32> = want.texts.iter().map(|text| (self.measure)(text, want.face)).collect();
            let (spots, texts) = (want.spots.len(), want.texts.len());
            // All spots with the fullest text, then with a shorter one; or the other way round.
            let found = (0..spots * texts).find_map(|turn| {
                let (text, spot) = match want.near {
                    true => (turn % texts, turn / texts),
                    false => (turn / spots, turn % spots),
                };
                let (text, width, spot) = (want.texts.get(text)?, *widths.get(text)?, *want.spots.get(spot)?);
                Some((text, spot, self.fits(want, width, &spot, &placed, true)?))
            });
            let found = found.or_else(|| {
                let Ground::Tag { free: true } = want.ground else { return None };
                let (text, spot) = (want.texts.first()?, want.spots.first()?);
                Some((text, *spot, self.fits(want, 0.0, spot, &placed, false)?))
            });
            let Some((text, spot, area)) = found else { continue };
            if want.class.contains("t-halo") {
                // Lines end at a text instead of showing between its words.
                canvas.area(
                    Ink::LabelGround,
                    0,
                    Area::new(area.left - 3.0, area.top, area.right + 3.0, area.bottom),
                    3.0,
                );
            }
            if matches!(want.ground, Ground::Tag { .. }) {
                canvas.area(Ink::TagGap, 0, area.grown(1.5), 5.0);
                canvas.area(Ink::Tag, want.hue, area, 4.0);
            }
            placed.push(Label {
                text: text.clone(),
                class: want.class,
                hue: want.hue,
                anchor: spot.anchor,
                x: spot.x,
                y: spot.y,
                area,
                on: matches!(want.ground, Ground::Fill(_) | Ground::Tag { .. }),
            });
        }
        placed
    }

    /// The room a label would take at a spot, if it may.
    fn fits(&self, want: &Want, width: f32, spot: &Spot, placed: &[Label], off: bool) -> Option<Area> {
        let area = match want.ground {
            Ground::Tag { .. } => {
                let half = TAG.0.max(width + 8.0) / 2.0;
                Area::new(spot.x - half, spot.y - 14.5, spot.x + half, spot.y - 14.5 + TAG.1)
            }
            _ => {
                let left = match spot.anchor {
                    Anchor::Start => spot.x,
                    Anchor::Middle => spot.x - width / 2.0,
                    Anchor::End => spot.x - width,
                };
                Area::new(left, spot.y - 10.0, left + width, spot.y + 3.5)
            }
        };
        let inside = area.within(&self.bounds)
            && match want.ground {
                Ground::Mark(on) | Ground::Fill(on) => {
                    area.left >= on.left + 3.0 && area.right <= on.right - 3.0
                }
                Ground::Panel | Ground::Tag { .. } => true,
            };
        let apart = area.grown(2.0);
        let free = inside
            && !placed.iter().any(|label| label.area.meets(&apart))
            && (!matches!(want.ground, Ground::Panel | Ground::Tag { free: true })
                || !off
                || !self.marks.iter().any(|mark| mark.meets(&area)));
        free.then_some(area)
    }
}
