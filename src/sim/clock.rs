//! Clocks. There is one true time; a node's clocks are mappings of it. A fault changes a mapping,
//! never the true time.

use fenceline_engine::Span;

/// True time since the run began, microseconds. No actor ever sees it.
pub type At = u64;

/// Parts per million at which a clock keeps true time.
pub const TRUE_RATE: i64 = 1_000_000;

/// A clock: a line from true time to readings, bent at each fault.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Clock {
    since: At,
    reading: i64,
    /// Parts per million; 0 is stopped.
    rate: i64,
}

impl Clock {
    pub fn new(offset: Span, rate: i64) -> Self {
        Self { since: 0, reading: offset.0, rate }
    }

    pub fn rate(&self) -> i64 {
        self.rate
    }

    /// Since when it has run like this.
    pub fn since(&self) -> At {
        self.since
    }

    /// What the clock shows at a true time not before its last bend.
    pub fn read(&self, at: At) -> i64 {
        let elapsed = at.saturating_sub(self.since);
        if self.rate == TRUE_RATE {
            return self.reading.saturating_add_unsigned(elapsed);
        }
        let advanced = i128::from(elapsed) * i128::from(self.rate) / i128::from(TRUE_RATE);
        saturate(i128::from(self.reading) + advanced)
    }

    /// The first true time, not before `from`, at which the clock shows at least `reading`; none if
    /// it is stopped short of it.
    pub fn first_at(&self, reading: i64, from: At) -> Option<At> {
        if self.read(from) >= reading {
            return Some(from);
        }
        let missing = i128::from(reading) - i128::from(self.reading);
        if self.rate == TRUE_RATE {
            return u64::try_from(i128::from(self.since) + missing).ok();
        }
        if self.rate <= 0 {
            return None;
        }
        let rate = i128::from(self.rate);
        let elapsed = (missing * i128::from(TRUE_RATE) + rate - 1) / rate;
        u64::try_from(i128::from(self.since) + elapsed).ok()
    }

    /// The clock after a reboot at `at`: from nothing, at the same rate.
    pub fn anew(&self, at: At) -> Self {
        Self { since: at, reading: 0, rate: self.rate }
    }

    /// Bends the clock at `at`: it goes on from what it shows, moved by `step`, at `rate`.
    pub fn bend(&mut self, at: At, step: Span, rate: i64) {
        *self = Self { since: at, reading: self.read(at).saturating_add(step.0), rate };
    }
}

fn saturate(value: i128) -> i64 {
    i64::try_from(value).unwrap_or(if value < 0 { i64::MIN } else { i64::MAX })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_deadline_is_met_at_the_first_instant_the_clock_reads_it() {
        for rate in [TRUE_RATE, 1_000_200, 999_800, 3, 7_000_001] {
            let clock = Clock::new(Span(-12_345), rate);
            for reading in [-12_345, 0, 1, 999_999, 30_000_000] {
                let at = clock.first_at(reading, 0).expect("it runs");
                assert!(clock.read(at) >= reading);
                assert!(at == 0 || clock.read(at - 1) < reading, "rate {rate}, reading {reading}");
            }
        }
    }

    #[test]
    fn a_step_moves_the_reading_and_a_stopped_clock_never_arrives() {
        let mut clock = Clock::new(Span::ZERO, TRUE_RATE);
        clock.bend(10, Span(25), TRUE_RATE);
        assert_eq!((clock.read(10), clock.first_at(40, 10)), (35, Some(15)));
        clock.bend(20, Span::ZERO, 0);
        assert_eq!((clock.read(99), clock.first_at(46, 20)), (45, None));
    }
}
