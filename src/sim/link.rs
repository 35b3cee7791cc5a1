//! Links: one-way paths between two nodes.

use crate::fault::{Fate, Path, Way};
use fenceline_engine::{NodeId, Span};

/// How a link behaves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LinkSpec {
    pub latency: Span,
    /// Added to the latency: a draw below this.
    pub jitter: Span,
    /// Chance of loss, parts per million.
    pub loss: u32,
    /// Chance that a message comes twice, each copy with a latency and a chance of loss of its own.
    pub duplicate: u32,
}

impl LinkSpec {
    pub const fn fixed(latency: Span) -> Self {
        Self { latency, jitter: Span::ZERO, loss: 0, duplicate: 0 }
    }
}

/// A fault on some links of one node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LinkFault {
    pub node: NodeId,
    pub path: Path,
    pub way: Way,
    pub effect: LinkEffect,
    /// Which intervention made it, so that its end ends this one.
    pub by: u32,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LinkEffect {
    /// Messages sent into it, or arriving during it, are lost or kept.
    Cut(Fate),
    /// Added latency, and further chances of loss and of a second copy in parts per million.
    Degraded { latency: Span, loss: u32, duplicate: u32 },
}

impl LinkFault {
    /// Whether it touches messages from `from` to `to` on `path`.
    pub fn touches(&self, from: NodeId, to: NodeId, path: Path) -> bool {
        let on_path = self.path == Path::Both || self.path == path;
        let on_way = match self.way {
            Way::Both => self.node == from || self.node == to,
            Way::Out => self.node == from,
            Way::In => self.node == to,
        };
        on_path && on_way
    }
}
