//! Integer time. A node knows two clocks: *wall* (can be stepped) and *monotonic* (cannot). Their
//! readings have types of their own, so that comparing one with the other does not compile.

use core::ops::{Add, Sub};

/// A length of time in microseconds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Span(pub i64);

impl Span {
    pub const ZERO: Self = Self(0);

    pub const fn secs(n: i64) -> Self {
        Self(n * 1_000_000)
    }

    pub const fn millis(n: i64) -> Self {
        Self(n * 1_000)
    }

    /// This span `n` times, saturating.
    pub const fn times(self, n: i64) -> Self {
        Self(self.0.saturating_mul(n))
    }
}

impl Add for Span {
    type Output = Self;
    fn add(self, other: Self) -> Self {
        Self(self.0.saturating_add(other.0))
    }
}

impl Sub for Span {
    type Output = Self;
    fn sub(self, other: Self) -> Self {
        Self(self.0.saturating_sub(other.0))
    }
}

macro_rules! reading {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
        pub struct $name(pub i64);

        impl Add<Span> for $name {
            type Output = Self;
            fn add(self, span: Span) -> Self {
                Self(self.0.saturating_add(span.0))
            }
        }

        impl Sub for $name {
            type Output = Span;
            fn sub(self, earlier: Self) -> Span {
                Span(self.0.saturating_sub(earlier.0))
            }
        }
    };
}

reading! {
    /// A reading of a node's wall clock, microseconds.
    Wall
}
reading! {
    /// A reading of a node's monotonic clock, microseconds. Comparable within one boot only.
    Mono
}

/// A node's own two readings at the instant an input is handled. Never the true time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct Now {
    pub wall: Wall,
    pub mono: Mono,
}
