//! How the keyboard walks over the events of a picture.

use super::Picture;
use fenceline_sim::At;

/// A step from one event to another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Walk {
    /// The one before, after it in its lane.
    Before,
    After,
    /// The nearest in time in the lane above, below.
    Above,
    Below,
    /// The ends of its lane.
    First,
    Last,
}

impl Walk {
    /// The step a key asks for.
    pub fn asked(key: &str) -> Option<Self> {
        Some(match key {
            "ArrowLeft" => Self::Before,
            "ArrowRight" => Self::After,
            "ArrowUp" => Self::Above,
            "ArrowDown" => Self::Below,
            "Home" => Self::First,
            "End" => Self::Last,
            _ => return None,
        })
    }
}

impl Picture {
    /// The event of a lane that is nearest to an instant.
    pub fn nearest(&self, lane: usize, at: At) -> Option<usize> {
        let mine = self.cells.iter().enumerate().filter(|(_, cell)| cell.lane == lane);
        mine.min_by_key(|(_, cell)| cell.at.abs_diff(at)).map(|(index, _)| index)
    }

    /// Where a step leads from a cell; the cell itself where it leads nowhere.
    pub fn walk(&self, from: usize, step: Walk) -> usize {
        let Some(here) = self.cells.get(from) else { return 0 };
        let cells = || self.cells.iter().enumerate();
        let mine = || cells().filter(|(_, cell)| cell.lane == here.lane).map(|(index, _)| index);
        let nearest = |lane: Option<usize>| self.nearest(lane?, here.at);
        let lanes = || self.cells.iter().map(|cell| cell.lane);
        let to = match step {
            Walk::Before => mine().rfind(|index| *index < from),
            Walk::After => mine().find(|index| *index > from),
            Walk::Above => nearest(lanes().filter(|lane| *lane < here.lane).max()),
            Walk::Below => nearest(lanes().filter(|lane| *lane > here.lane).min()),
            Walk::First => mine().next(),
            Walk::Last => mine().next_back(),
        };
        to.unwrap_or(from)
    }
}
