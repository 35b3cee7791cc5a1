//! *Damage raises an alert*: every violation of a safety claim has an alert that belongs to it.

use super::{Claim, Detail, State, Verdict, Violation};
use crate::alert::Alert;
use crate::causes;
use crate::clock::At;
use crate::trace::Trace;

/// The first alert that belongs to a violation.
pub(crate) fn first_alert<'a>(
    alerts: &'a [Alert],
    violation: &Violation,
    trace: &Trace,
) -> Option<&'a Alert> {
    let named = || alerts.iter().filter(|alert| alert.names(violation));
    // Only for one that came before is it asked what the violation began with, and once.
    let is_early = named().any(|alert| alert.at < violation.at);
    let begun = is_early.then(|| causes::earliest(trace, violation.evidence())).flatten();
    let since = begun.unwrap_or(violation.at).min(violation.at);
    named().filter(|alert| alert.at >= since).min_by_key(|alert| alert.at)
}

/// Silence is judged at the end of the run; before it an alert may still come.
pub(super) fn verdict(
    violations: &[Violation],
    alerts: &[Alert],
    trace: &Trace,
    now: At,
    until: At,
) -> Verdict {
    let mut verdict = Verdict::unexercised(Claim::SilentDamage);
    let silent = |violation: &&Violation| first_alert(alerts, violation, trace).is_none();
    let unheard: Vec<&Violation> = violations.iter().filter(silent).collect();
    let named = if unheard.is_empty() { violations.iter().collect() } else { unheard.clone() };
    verdict.state = match () {
        () if violations.is_empty() => return verdict,
        () if unheard.is_empty() => State::Holds,
        () if now >= until => State::Violated,
        () => {
            verdict.detail = Detail::FallsDue(until);
            State::NotExercised
        }
    };
    if verdict.state != State::NotExercised {
        verdict.name(named);
    }
    verdict
}
