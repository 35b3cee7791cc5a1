//! Randomness. A draw is a hash of the seed, a purpose and the structural id of what it is for, never
//! of a running count: an edit of a run leaves the draws of every event common to both runs unchanged.

use crate::queue::StructuralId;
use fenceline_engine::Span;

/// What a draw decides.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Purpose {
    Loss = 1,
    Latency = 2,
    Spread = 3,
    /// Whether a message comes twice; then the fate of the second copy.
    Duplicate = 4,
    CopyLoss = 5,
    CopyLatency = 6,
}

/// The 64-bit finaliser of SplitMix64 (Steele, Lea, Flood 2014).
const fn finish(mut z: u64) -> u64 {
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

/// A uniform 64-bit draw.
pub fn draw(seed: u64, purpose: Purpose, of: &StructuralId) -> u64 {
    let mut hash = seed ^ 0x9e37_79b9_7f4a_7c15;
    for word in [purpose as u64, of.high(), of.low()] {
        hash = finish(hash.wrapping_add(0x9e37_79b9_7f4a_7c15) ^ word.wrapping_mul(0xff51_afd7_ed55_8ccd));
    }
    finish(hash)
}

/// A draw in `0..limit`; 0 for an empty range.
pub fn below(seed: u64, purpose: Purpose, of: &StructuralId, limit: u64) -> u64 {
    let wide = u128::from(draw(seed, purpose, of)) * u128::from(limit);
    u64::try_from(wide >> 64).unwrap_or(0)
}

/// A draw below a span; nothing if the span is empty.
pub fn spread(seed: u64, purpose: Purpose, of: &StructuralId, limit: Span) -> u64 {
    u64::try_from(limit.0).map_or(0, |limit| if limit == 0 { 0 } else { below(seed, purpose, of, limit) })
}

/// A sequence of numbers from which a schedule of faults is made up, before its run. Within a run
/// every draw has a name instead.
#[derive(Clone, Debug)]
pub struct Numbers(u64);

impl Numbers {
    pub fn of(seed: u64) -> Self {
        Self(finish(seed ^ 0xd1b5_4a32_d192_ed03))
    }

    /// The next number in `0..limit`; 0 for an empty range.
    pub fn below(&mut self, limit: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let wide = u128::from(finish(self.0)) * u128::from(limit);
        u64::try_from(wide >> 64).unwrap_or(0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use fenceline_engine::{Exec, TaskId};

    fn id(n: u32) -> StructuralId {
        StructuralId { node: 1, peer: 0, kind: 3, exec: Exec::first(TaskId(2), 1), n, retry: 0 }
    }

    #[test]
    fn published_vectors() {
        let drawn: Vec<u64> = (0..3).map(|n| draw(42, Purpose::Latency, &id(n))).collect();
        assert_eq!(drawn, VECTORS);
    }

    /// Draws for seed 42, purpose *latency*, node 1, kind 3, task 2, attempt 1, n = 0, 1, 2. A change
    /// of the hash changes every recorded run: these stand guard.
    const VECTORS: [u64; 3] = [11417982767262995916, 13917292563596042132, 7687347234834528447];

    #[test]
    fn draws_stay_below_their_limit_and_differ() {
        let drawn: Vec<u64> = (0..1000).map(|n| below(7, Purpose::Loss, &id(n), 100)).collect();
        assert!(drawn.iter().all(|d| *d < 100));
        let mean = drawn.iter().sum::<u64>() / 1000;
        assert!((40..60).contains(&mean), "mean {mean}");
    }
}
