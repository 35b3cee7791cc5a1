//! `hunt`: looks for a schedule of faults that breaks a scenario, and prints the smallest it can make
//! of the first.
//!
//! Schedules are numbered. All cores take the next numbers in turn, and the lowest that breaks a claim
//! wins, so what is printed depends on the file, the seed and the bounds alone.

use std::fmt::Write as _;
use std::num::NonZero;
use std::sync::atomic::{AtomicU64, Ordering};

use fenceline::app::words::lab as lab_words;
use fenceline_content::scenario::{CLAIMS, Case};
use fenceline_content::words::{did_you_mean, intervention_words};
use fenceline_sim::search::{self, Bounds};
use fenceline_sim::verdict::Claim;
use fenceline_sim::{Found, Run, Search};

use super::arguments::Arguments;
use super::progress::Progress;
use super::{Outcome, input};

pub(crate) const HELP: &str = "\
fenceline-cli hunt FILE [--claims VERDICT,…] [--faults N] [--schedules N] [--seed N]
                   [--search drawn|all] [--script drop|keep]

Looks for a schedule of faults that breaks a scenario under its rules: pauses, crashes, cuts, clock
steps. Prints the first that does, shrunk until no fault can be taken away, no time rounded, as phrases
for `run FILE --script drop --with -`.

  --claims V,V      what to break, such as `one-output`; every verdict about safety if left out
  --faults N        so many faults in one schedule at most, 1 to 6; 3 if left out
  --schedules N     so many drawn schedules, numbered from 0; 10000 if left out
  --seed N          the seed of every draw; 1 if left out
  --search all      instead of drawing: every placement of the faults at the end of an instant in which
                    their node did something; finds the fewest faults, and takes long on large runs
  --script keep     hunt on top of the scenario's own faults; left out, they are dropped, and only its
                    changes of input stay

Exit: 0 nothing found (which proves nothing beyond these bounds), 1 found, 2 wrong input.";

/// Numbers a core takes at a time.
const SHARE: u64 = 16;

pub(crate) fn hunt(arguments: &[String]) -> Result<Outcome, String> {
    let options = ["claims", "faults", "schedules", "seed", "search", "script"];
    let arguments = Arguments::read(arguments, &options)?;
    let within = |least: u64, most: u64| {
        move |word: &str| word.parse().ok().filter(|n: &u64| (least..=most).contains(n))
    };
    let faults = arguments.one("faults", "a number from 1 to 6", within(1, 6))?.unwrap_or(3);
    let schedules =
        arguments.one("schedules", "a number from 1 to 1000000000", within(1, 1_000_000_000))?.unwrap_or(10_000);
    let seed = arguments.one("seed", "a number", |word| word.parse().ok())?.unwrap_or(1);
    let all = arguments.one("search", "`drawn` or `all`", |word| match word {
        "drawn" => Some(false),
        "all" => Some(true),
        _ => None,
    })?;
    let claims = match arguments.all("claims").last() {
        Some(words) => words.split(',').map(|word| claim(word.trim())).collect::<Result<Vec<_>, _>>()?,
        None => Claim::ALL.into_iter().filter(|claim| claim.is_safety()).collect(),
    };
    let (case, _) = input::case(arguments.file()?)?;
    let case = input::scripted(&arguments, case)?;
    let run = Run { seed, ..Run::new(case.scenario.clone()) };
    let bounds = Bounds { menu: search::menu(&run.scenario), faults: faults as u8, claims };
    let (found, tried) = match all {
        Some(true) => exhausted(&run, &bounds),
        Some(false) | None => (drawn(&run, &bounds, schedules), schedules),
    };
    match found {
        Some(found) => {
            print!("{}", told(&case, &found, tried, seed));
            Ok(Outcome::Fails)
        }
        None => {
            println!(
                "# {}: none of {tried} schedules of up to {faults} faults, seed {seed}, breaks {}",
                case.id,
                names(&bounds.claims)
            );
            Ok(Outcome::Fine)
        }
    }
}

fn claim(word: &str) -> Result<Claim, String> {
    let known = CLAIMS.iter().find(|(name, _)| *name == word).map(|(_, claim)| *claim);
    match known {
        Some(claim) if claim.is_safety() => Ok(claim),
        Some(_) => Err(format!("`--claims {word}`: a hunt looks for damage, and this is no verdict about safety")),
        None => {
            let hint = did_you_mean(word, CLAIMS.iter().map(|(name, _)| *name));
            Err(format!("`--claims {word}`: there is no such verdict{hint}"))
        }
    }
}

fn names(claims: &[Claim]) -> String {
    let name = |claim: &Claim| CLAIMS.iter().find(|(_, known)| known == claim).map_or("", |(name, _)| *name);
    claims.iter().map(name).collect::<Vec<_>>().join(", ")
}

/// The lowest number whose schedule breaks a claim, by all cores.
fn drawn(run: &Run, bounds: &Bounds, schedules: u64) -> Option<Found> {
    let (next, lowest) = (AtomicU64::new(0), AtomicU64::new(u64::MAX));
    let progress = Progress::of(usize::try_from(schedules).unwrap_or(usize::MAX));
    let take_turns = || {
        loop {
            let from = next.fetch_add(SHARE, Ordering::Relaxed);
            let to = from.saturating_add(SHARE).min(schedules);
            // What lies above one that was found cannot be the lowest.
            if from >= to || from > lowest.load(Ordering::Relaxed) {
                return;
            }
            if let Some(number) = search::find(run, bounds, from..to) {
                lowest.fetch_min(number, Ordering::Relaxed);
            }
            progress.more((to - from) as usize);
        }
    };
    let cores = std::thread::available_parallelism().map_or(1, NonZero::get);
    std::thread::scope(|scope| (0..cores).for_each(|_| drop(scope.spawn(take_turns))));
    progress.end();
    let number = lowest.into_inner();
    (number < schedules).then(|| search::shrunk(run, bounds, number))
}

/// Every placement, fewest faults first.
fn exhausted(run: &Run, bounds: &Bounds) -> (Option<Found>, u64) {
    let mut search = Search::new(run.clone(), bounds.clone());
    search.finish();
    (search.found().cloned(), search.schedules())
}

/// A list of interventions, with what it is in comments.
fn told(case: &Case, found: &Found, tried: u64, seed: u64) -> String {
    let mut text = format!(
        "# {}: schedule {} of {tried}, seed {seed}, breaks {}\n",
        case.id,
        found.number,
        names(&found.claims)
    );
    for claim in &found.claims {
        let _ = writeln!(text, "# {}", lab_words::claim(*claim));
    }
    for act in &found.acts {
        text += &intervention_words(act, case.cast());
        text.push('\n');
    }
    text
}
