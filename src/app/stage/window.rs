//! The part of a run in view: zoomed, panned, and led to where the cursor goes.

use fenceline_sim::At;

/// From when to when.
pub type Window = (At, At);

/// Nothing shorter is shown.
const SHORTEST: At = 1_000_000;

/// Shows `share` of what is shown now, with `about` where it is. At most the whole run.
pub fn zoomed((from, to): Window, until: At, about: At, share: f64) -> Window {
    let shown = to.saturating_sub(from).max(1) as f64;
    let long = (shown * share).max(SHORTEST.min(until) as f64).min(until as f64);
    let before = about.clamp(from, to).saturating_sub(from) as f64 / shown * long;
    placed(about.clamp(from, to).saturating_sub(before as At), long as At, until)
}

/// Moves along by a share of what is shown, backwards if it is below zero.
pub fn panned((from, to): Window, until: At, share: f64) -> Window {
    let long = to.saturating_sub(from);
    let by = (long as f64 * share) as i64;
    placed(from.saturating_add_signed(by), long, until)
}

/// The same length, moved so that an instant which lies outside comes into view.
pub fn showing((from, to): Window, until: At, at: At) -> Window {
    let long = to.saturating_sub(from);
    if at < from {
        placed(at.saturating_sub(long / 10 * 9), long, until)
    } else if at > to {
        placed(at.saturating_sub(long / 10), long, until)
    } else {
        (from, to)
    }
}

fn placed(from: At, long: At, until: At) -> Window {
    let from = from.min(until.saturating_sub(long));
    (from, from.saturating_add(long).min(until))
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND: At = 1_000_000;
    const RUN: At = 100 * SECOND;

    #[test]
    fn what_is_pointed_at_stays_where_it_is() {
        assert_eq!(zoomed((0, RUN), RUN, 20 * SECOND, 0.5), (10 * SECOND, 60 * SECOND));
        assert_eq!(zoomed((10 * SECOND, 60 * SECOND), RUN, 20 * SECOND, 2.0), (0, RUN));
    }

    #[test]
    fn it_never_leaves_the_run_nor_shows_less_than_a_second() {
        assert_eq!(zoomed((0, RUN), RUN, 0, 3.0), (0, RUN));
        assert_eq!(zoomed((0, RUN), RUN, 0, 0.0001), (0, SECOND));
        assert_eq!(panned((0, 50 * SECOND), RUN, -0.5), (0, 50 * SECOND));
        assert_eq!(panned((0, 50 * SECOND), RUN, 0.5), (25 * SECOND, 75 * SECOND));
        assert_eq!(panned((50 * SECOND, RUN), RUN, 0.5), (50 * SECOND, RUN));
    }

    #[test]
    fn it_follows_the_cursor() {
        let window = (20 * SECOND, 40 * SECOND);
        assert_eq!(showing(window, RUN, 30 * SECOND), window);
        assert_eq!(showing(window, RUN, 50 * SECOND), (48 * SECOND, 68 * SECOND));
        assert_eq!(showing(window, RUN, 10 * SECOND), (0, 20 * SECOND));
        assert_eq!(showing(window, RUN, RUN), (80 * SECOND, RUN));
    }
}
