//! Rules about who holds a lease: what a holder goes by, and by what it is known.

use crate::io::TimerClock;
use crate::time::Span;

/// What becomes of a new attempt at a worker that has not ended an older one of the same task.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SameOwner {
    /// It runs both.
    Both,
    /// It kills the older.
    Replace,
    /// It drops the newer without a word.
    Ignore,
}

/// The answer to a heartbeat of an attempt that the scheduler gave up: because its lease ran out, or at a restart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Returning {
    /// Its worker is told that the lease is lost.
    Refuse,
    /// None.
    Ignore,
    /// It is the task's attempt again, under the token it had; a newer one is cancelled. Its token is then older
    /// than what a fence may have seen.
    Keep,
}

/// Whose heartbeat renews a lease, and whose completion ends its attempt.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OwnerBy {
    /// That which shows the attempt's own token.
    Token,
    /// Broken: that of any process with the owner's name, whichever attempt it runs.
    Name,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BeliefRules {
    pub anchor: BeliefAnchor,
    pub clock: BeliefClock,
    /// Subtracted from the lease's length in the holder's own reckoning.
    pub gap: Span,
}

/// From when a worker counts a renewed lease.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BeliefAnchor {
    /// From before it sent the heartbeat: safe.
    Send,
    /// From the reply's arrival: late by the way back.
    Reply,
}

/// By which of its clocks a holder reckons.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum BeliefClock {
    Monotonic,
    /// A step of the wall clock moves its deadline.
    Wall,
}

impl BeliefClock {
    /// Which of the holder's clocks it is.
    pub fn reads(self) -> TimerClock {
        match self {
            Self::Monotonic => TimerClock::Mono,
            Self::Wall => TimerClock::Wall,
        }
    }
}

/// Of what waited for a stopped process, what it handles first; the others keep their order: overdue timers,
/// then messages, then its programs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WakeOrder {
    Timers,
    Messages,
    /// The worst case: the step after the one that was done before the stop is done before any timer can
    /// say how late it is.
    Program,
}
