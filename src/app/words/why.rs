//! Words of what would have been.

use fenceline_sim::Act;
use fenceline_sim::verdict::{Claim, State};

/// "one output holds", "still violated".
fn then(claim: Claim, state: State) -> String {
    let name = match claim {
        Claim::OneOutput => "one output",
        Claim::NoStaleOverNewer => "no stale write lands",
        Claim::RowsAsExpected => "the rows are right",
        Claim::EffectsOnce => "done once",
        Claim::NoCommitLost => "no commit is lost",
        Claim::TokensInOrder => "tokens rise",
        Claim::HolderNotRefused => "the holder is not refused",
        Claim::Exclusive => "one at a time",
        Claim::OneEnding => "one ending",
        Claim::EndsInBound => "it ends in its bound",
        Claim::NotBlockedByLeftovers => "nothing is in the way",
        Claim::SilentDamage => "no silent damage",
    };
    match state {
        State::Violated => "still violated".into(),
        State::Holds | State::NotExercised => name.into(),
    }
}

pub fn with_a_fence(claim: Claim, state: State) -> String {
    format!("with a fence raised by claim: {}", then(claim, state))
}

pub fn had_it_stopped(claim: Claim, state: State) -> String {
    format!("had it stopped itself: {}", then(claim, state))
}

pub fn had_it_held(claim: Claim, state: State) -> String {
    format!("had it held for an operator: {}", then(claim, state))
}

pub fn without(act: &Act, claim: Claim, state: State) -> String {
    let what = match act {
        Act::Crash { .. } => "crash".to_owned(),
        Act::Reboot { .. } => "reboot".to_owned(),
        _ => super::faults::noun(act),
    };
    format!("without the {what}: {}", then(claim, state))
}
