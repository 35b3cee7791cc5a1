//! The lease: the scheduler's bounded permission for one attempt.

use crate::io::TimerClock;
use crate::rules::ExpiryClock;
use crate::time::{Now, Span, Wall};

/// A lease as it stands in the scheduler's durable record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Lease {
    clock: ExpiryClock,
    /// The reading of that clock at which the lease is over: T. Of one that is yet to be observed, the
    /// earliest that T can be.
    ends: i64,
    /// Under which boot a monotonic reading was taken. Under another one the lease counts anew.
    boot: u16,
    /// The jump guard gives one clean window between two renewals.
    guarded: bool,
    /// Whether a sweep has seen it as it stands: an observer counts from then on.
    observed: bool,
}

impl Lease {
    /// A lease that runs `length` from `now`.
    pub fn starting(now: Now, boot: u16, clock: ExpiryClock, length: Span) -> Self {
        let ends = Self::reading(clock, now).saturating_add(length.0);
        Self { clock, ends, boot, guarded: false, observed: false }
    }

    /// A lease renewed by a heartbeat that shows `stamp` on its worker's wall clock.
    pub fn renewed(now: Now, stamp: Wall, boot: u16, clock: ExpiryClock, length: Span) -> Self {
        let from = if clock == ExpiryClock::WorkerStamp { Now { wall: stamp, ..now } } else { now };
        Self::starting(from, boot, clock, length)
    }

    fn reading(clock: ExpiryClock, now: Now) -> i64 {
        match clock.reads() {
            TimerClock::Wall => now.wall.0,
            TimerClock::Mono | TimerClock::Process => now.mono.0,
        }
    }

    /// Expired when `now >= T`: a renewal that arrives exactly at T is too late.
    pub fn expired(&self, now: Now, boot: u16) -> bool {
        let is_past = Self::reading(self.clock, now) >= self.ends;
        match self.clock {
            ExpiryClock::Wall | ExpiryClock::WorkerStamp => is_past,
            ExpiryClock::Monotonic => is_past && self.boot == boot,
            ExpiryClock::Observer => is_past && self.observed,
        }
    }

    /// Whether the store of the record, by its own wall clock, can say that it is over. Of a reading of the
    /// judge's monotonic clock it can say nothing.
    pub(crate) fn expired_at_store(&self, now: Now) -> bool {
        self.clock.reads() == TimerClock::Wall && self.expired(now, self.boot)
    }

    /// Whether a restarted judge under `boot` can make nothing of its reading.
    pub fn needs_anchor(&self, boot: u16) -> bool {
        match self.clock {
            ExpiryClock::Wall | ExpiryClock::WorkerStamp => false,
            ExpiryClock::Monotonic => self.boot != boot,
            ExpiryClock::Observer => true,
        }
    }

    /// Counted from `now`, if an observer sees it as it stands for the first time.
    pub fn observed(&self, now: Now, boot: u16, length: Span) -> Option<Self> {
        let is_news = self.clock == ExpiryClock::Observer && !self.observed;
        let counted = Self::starting(now, boot, self.clock, length);
        is_news.then_some(Self { observed: true, guarded: self.guarded, ..counted })
    }

    /// Given a clean window by the jump guard, or nothing if it had one since its last renewal.
    pub fn guarded(&self, now: Now, boot: u16, length: Span) -> Option<Self> {
        let clean = Self { guarded: true, ..Self::starting(now, boot, self.clock, length) };
        (!self.guarded).then_some(Self { observed: self.observed, ..clean })
    }

    /// T, as a reading of the lease's own clock.
    pub fn ends(&self) -> i64 {
        self.ends
    }

    /// The reading of that clock at which a sweep must look at it.
    pub fn needs_a_look_at(&self) -> i64 {
        if self.clock == ExpiryClock::Observer && !self.observed { i64::MIN } else { self.ends }
    }

    pub fn clock(&self) -> ExpiryClock {
        self.clock
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::time::Mono;

    fn at(seconds: i64) -> Now {
        Now { wall: Wall(seconds * 1_000_000), mono: Mono(seconds * 1_000_000) }
    }

    #[test]
    fn arriving_exactly_at_t_is_too_late() {
        let lease = Lease::starting(at(0), 1, ExpiryClock::Wall, Span::secs(30));
        assert!(!lease.expired(Now { wall: Wall(29_999_999), ..at(0) }, 1));
        assert!(lease.expired(at(30), 1));
    }

    #[test]
    fn a_wall_clock_step_expires_a_wall_lease_and_leaves_a_monotonic_one() {
        let jumped = Now { wall: Wall(40_000_000), mono: Mono(10_000_000) };
        assert!(Lease::starting(at(0), 1, ExpiryClock::Wall, Span::secs(30)).expired(jumped, 1));
        assert!(!Lease::starting(at(0), 1, ExpiryClock::Monotonic, Span::secs(30)).expired(jumped, 1));
    }

    #[test]
    fn a_monotonic_lease_counts_anew_under_another_boot() {
        let lease = Lease::starting(at(0), 1, ExpiryClock::Monotonic, Span::secs(30));
        assert!(lease.expired(at(99), 1));
        assert!(!lease.expired(at(99), 2));
        assert!(lease.needs_anchor(2));
    }

    #[test]
    fn the_guard_gives_one_clean_window() {
        let lease = Lease::starting(at(0), 1, ExpiryClock::Wall, Span::secs(30));
        let guarded = lease.guarded(at(50), 1, Span::secs(30)).expect("first window");
        assert!(!guarded.expired(at(79), 1));
        assert_eq!(guarded.guarded(at(81), 1, Span::secs(30)), None);
    }
}
