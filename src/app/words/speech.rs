//! Words that are read aloud: time, actor, act, consequence.

use fenceline_sim::At;
use fenceline_sim::verdict::{Claim, State};

use super::event::capital;
use super::{instant, outcome, plural};
use crate::app::lab::Name;

pub const NOTHING_VIOLATED: &str = "Nothing is violated.";

/// `50.4 seconds`.
fn time(at: At, starts: Option<u32>) -> String {
    let said = instant(at, starts);
    said.strip_suffix(" s").map_or(said.clone(), |figure| format!("{figure} seconds"))
}

pub fn lease_ends(token: u32) -> String {
    format!("The lease of token {token} ends")
}

pub fn now_violated(claim: Claim) -> String {
    format!("{}: now violated", outcome::short_claim(claim))
}

/// Several events as one message, in order of importance.
pub fn batch((from, until): (At, At), told: &[String], more: usize, starts: Option<u32>) -> String {
    let (first, last) = (time(from, starts), time(until, starts));
    let when = match first.strip_suffix(" seconds") {
        _ if first == last => first,
        Some(figure) if last.ends_with(" seconds") => format!("{figure} to {last}"),
        _ => format!("{first} to {last}"),
    };
    let mut said = format!("{when}.");
    for sentence in told {
        said += &format!(" {}.", sentence.trim_end_matches('.'));
    }
    if more > 0 {
        said += &format!(" {more} more.");
    }
    said
}

/// `Pause ends at 60.0 seconds. `
pub fn done(name: Name, end: Option<At>, starts: Option<u32>, edit: &str) -> String {
    match (name, end) {
        (Name::Change(_, act), Some(end)) => {
            format!("{} ends at {}. ", capital(&super::faults::noun(&act)), time(end, starts))
        }
        _ => format!("{}. ", capital(edit)),
    }
}

pub fn now(claim: Claim, state: State) -> String {
    let state = match state {
        State::Holds => "now holds",
        State::Violated => "now violated",
        State::NotExercised => "not exercised any more",
    };
    format!("{}: {state}.", outcome::short_claim(claim))
}

pub fn still_violated(claim: Claim, moved_to: Option<At>, starts: Option<u32>) -> String {
    let when = moved_to.map(|at| format!(", now at {}", time(at, starts))).unwrap_or_default();
    format!("{}: still violated{when}.", outcome::short_claim(claim))
}

pub fn fenced(writes: usize) -> String {
    format!(" {} fenced.", plural(writes as i64, "write", "writes"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_says_when_then_what() {
        let told = ["The lease of token 7 ends".to_owned(), "Token 8 granted to worker 2.".to_owned()];
        assert_eq!(
            batch((50_400_000, 50_400_000), &told[..1], 0, None),
            "50.4 seconds. The lease of token 7 ends."
        );
        assert_eq!(
            batch((50_400_000, 51_000_000), &told, 2, None),
            "50.4 to 51.0 seconds. The lease of token 7 ends. Token 8 granted to worker 2. 2 more."
        );
    }
}
