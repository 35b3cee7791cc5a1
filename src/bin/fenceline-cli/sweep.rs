//! `sweep`: plays a grid of rules over many seeds and prints what each point costs.
//!
//! What is printed depends on the file, the parameters and the number of seeds alone: points are
//! played on all cores, seed by seed, but each is a sum over its own seeds, in whatever order.

use std::io::{IsTerminal, Write};
use std::num::NonZero;
use std::sync::Arc;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use fenceline_content::scenario::Case;
use fenceline_content::words::{self, duration, duration_word};
use fenceline_engine::Span;
use fenceline_sim::draw::Numbers;
use fenceline_sim::figures::Figures;
use fenceline_sim::{Act, Intervention, Rulebook, Run, Scenario, Simulation, When};

use super::arguments::Arguments;
use super::output::put;
use super::{Outcome, input, table};

pub(crate) const HELP: &str = "\
fenceline-cli sweep FILE --param NAME=VALUES… [--seeds N] [--pauses N:SHORTEST..LONGEST]
                    [--crashes N] [--shard I/N] [--format csv]

Plays a scenario once for each point of a grid and each seed, on all cores, and prints a line for
each point: false expiries per attempt, time to detect a death, work for nothing, zombie time,
heartbeats a minute. The scenario's own faults stay.

  --param NAME=VALUES   a rule and its values, `lease=10s..120s:10s` (from, to, step) or
                        `expiry=redispatch,hold 60s`; or control-latency, control-jitter,
                        control-loss (parts per million). May be given again: the grid is all
                        combinations, the first parameter slowest
  --seeds N             seeds 1 to N; 20 if left out
  --pauses N:A..B       in each run, N pauses of workers at drawn times, each of a drawn length
  --crashes N           in each run, N workers crash at drawn times and are back 5 s later
  --shard I/N           only the I-th of N parts of the grid; the parts put together are the whole

The result depends on the arguments alone, never on threads or time.";

/// Points a grid may have, and runs in all.
const MOST_POINTS: usize = 100_000;
const MOST_RUNS: usize = 10_000_000;
/// Events of one run.
const LIMIT: u64 = 2_000_000;

/// What can be varied and is no rule.
const LINK: [&str; 3] = ["control-latency", "control-jitter", "control-loss"];

/// One dimension of the grid.
struct Parameter {
    name: String,
    values: Vec<String>,
}

/// Faults drawn anew for each seed.
#[derive(Clone, Copy, Default)]
struct Drawn {
    pauses: u32,
    shortest: Span,
    longest: Span,
    crashes: u32,
}

/// What one point comes to, over its seeds.
#[derive(Clone, Copy, Default)]
struct Sums {
    runs: u64,
    granted: u64,
    false_expiries: u64,
    deaths: u64,
    detected: u64,
    detection: u128,
    slowest: i64,
    wasted: u128,
    zombie: u128,
    beats_milli: u128,
    violated: u64,
    stopped: u64,
}

pub(crate) fn sweep(arguments: &[String]) -> Result<Outcome, String> {
    let options = ["param", "seeds", "pauses", "crashes", "shard", "format"];
    let arguments = Arguments::read(arguments, &options)?;
    arguments.one("format", "`csv`, the only form", |word| (word == "csv").then_some(()))?;
    let seeds = arguments
        .one("seeds", "a number above zero", |word| word.parse().ok().filter(|seeds: &u64| *seeds > 0))?
        .unwrap_or(20);
    let drawn = drawn(&arguments)?;
    let shard = arguments.one("shard", "a part such as `1/4`", shard)?.unwrap_or((1, 1));
    let (case, _) = input::case(arguments.file()?)?;
    let parameters = arguments.all("param").map(parameter).collect::<Result<Vec<_>, _>>()?;
    if parameters.is_empty() {
        return Err("name what to vary, such as `--param lease=10s..120s:10s`".into());
    }
    let points = grid(&parameters)?;
    if (points.len() as u64).saturating_mul(seeds) > MOST_RUNS as u64 {
        return Err(format!(
            "{} points of {seeds} seeds are more than {MOST_RUNS} runs, the limit",
            points.len()
        ));
    }
    // Every value is read before anything is played.
    let scenarios =
        points.iter().map(|point| at(&case, &parameters, point)).collect::<Result<Vec<_>, String>>()?;
    let part = part(points.len(), shard);
    if shard.0 == 1 {
        put(&head(&parameters));
    }
    let sums = play(&scenarios[part.clone()], usize::try_from(seeds).unwrap_or(usize::MAX), drawn);
    for (point, sums) in points[part].iter().zip(&sums) {
        put(&row(&parameters, point, seeds, sums));
    }
    Ok(Outcome::Fine)
}

// --- arguments ---

fn drawn(arguments: &Arguments) -> Result<Drawn, String> {
    let pauses = arguments.one("pauses", "how many and how long, such as `3:5s..60s`", |word| {
        let (count, lengths) = word.split_once(':')?;
        let (shortest, longest) = lengths.split_once("..")?;
        let (shortest, longest) = (duration(shortest)?, duration(longest)?);
        (shortest > Span::ZERO && longest >= shortest).then_some((count.parse().ok()?, shortest, longest))
    })?;
    let crashes = arguments.one("crashes", "a number", |word| word.parse().ok())?.unwrap_or(0);
    let (pauses, shortest, longest) = pauses.unwrap_or_default();
    if pauses > 1000 || crashes > 1000 {
        return Err("at most 1000 faults are drawn for a run".into());
    }
    Ok(Drawn { pauses, shortest, longest, crashes })
}

fn shard(word: &str) -> Option<(usize, usize)> {
    let (part, of) = word.split_once('/')?;
    let (part, of) = (part.parse().ok()?, of.parse().ok()?);
    (1..=of).contains(&part).then_some((part, of))
}

/// Reads `lease=10s..120s:10s` or `expiry=redispatch,hold 60s`.
fn parameter(text: &str) -> Result<Parameter, String> {
    let wrong = |what: &str| format!("`--param {text}`: {what}");
    let (name, values) =
        text.split_once('=').ok_or_else(|| wrong("write NAME=VALUES, such as `lease=10s,30s`"))?;
    let values: Vec<String> = match values.split_once("..") {
        None => values.split(',').map(|value| value.trim().to_owned()).collect(),
        Some((from, rest)) => {
            let (to, step) =
                rest.split_once(':').ok_or_else(|| wrong("a range needs a step: `10s..120s:10s`"))?;
            range(from, to, step).ok_or_else(|| {
                wrong("a range is from..to:step, all durations or all whole numbers, rising, of at most 10,000 values")
            })?
        }
    };
    if values.iter().any(String::is_empty) {
        return Err(wrong("a value is empty"));
    }
    Ok(Parameter { name: name.trim().to_owned(), values })
}

/// Figures from one to another, both included if the step meets them.
fn range(from: &str, to: &str, step: &str) -> Option<Vec<String>> {
    let numbers = |from: i64, to: i64, step: i64| {
        let is_fair = step > 0 && to >= from && i128::from(to) - i128::from(from) < 10_000 * i128::from(step);
        is_fair.then(|| (0..=(to - from) / step).map(|n| from + n * step).collect::<Vec<i64>>())
    };
    if let (Ok(from), Ok(to), Ok(step)) = (from.parse(), to.parse(), step.parse()) {
        return Some(numbers(from, to, step)?.iter().map(i64::to_string).collect());
    }
    let values = numbers(duration(from)?.0, duration(to)?.0, duration(step)?.0)?;
    Some(values.into_iter().map(|micros| duration_word(Span(micros))).collect())
}

/// All combinations, as indices of values; the first parameter varies slowest.
fn grid(parameters: &[Parameter]) -> Result<Vec<Vec<usize>>, String> {
    let count = parameters.iter().try_fold(1_usize, |count, parameter| {
        count.checked_mul(parameter.values.len()).filter(|count| *count <= MOST_POINTS)
    });
    let count = count.ok_or_else(|| format!("the grid has more than {MOST_POINTS} points, the limit"))?;
    let point = |mut n: usize| {
        let mut point: Vec<usize> = Vec::new();
        for parameter in parameters.iter().rev() {
            point.push(n % parameter.values.len());
            n /= parameter.values.len();
        }
        point.reverse();
        point
    };
    Ok((0..count).map(point).collect())
}

/// Which points belong to a shard: neighbours, so that the parts in order are the whole.
fn part(points: usize, (part, of): (usize, usize)) -> std::ops::Range<usize> {
    let upto = |part: usize| usize::try_from(points as u128 * part as u128 / of as u128).unwrap_or(points);
    upto(part - 1)..upto(part)
}

fn values<'a>(parameters: &'a [Parameter], point: &'a [usize]) -> impl Iterator<Item = (&'a str, &'a str)> {
    parameters
        .iter()
        .zip(point)
        .map(|(parameter, at)| (parameter.name.as_str(), parameter.values[*at].as_str()))
}

/// The scenario at one point of the grid.
fn at(case: &Case, parameters: &[Parameter], point: &[usize]) -> Result<Arc<Scenario>, String> {
    let mut scenario = (*case.scenario).clone();
    for (name, value) in values(parameters, point) {
        let span = || duration(value).filter(|span| *span >= Span::ZERO);
        let is_read = match name {
            "control-latency" => span().map(|span| scenario.control.latency = span),
            "control-jitter" => span().map(|span| scenario.control.jitter = span),
            "control-loss" => {
                value.parse().ok().filter(|loss| *loss <= 1_000_000).map(|loss| scenario.control.loss = loss)
            }
            _ if !words::is_rule(name.split(' ').next().unwrap_or_default()) => {
                let known = words::RULES.into_iter().chain(words::PLACED).chain(LINK);
                let hint = words::did_you_mean(name, known);
                return Err(format!("`--param {name}={value}`: there is no rule `{name}`{hint}"));
            }
            _ => {
                let setting = words::setting(&format!("{name} {value}"), case.cast());
                scenario.set(setting.map_err(|what| format!("`--param {name}={value}`: {what}"))?);
                Some(())
            }
        };
        is_read.ok_or_else(|| {
            format!(
                "`--param {name}={value}`: write a duration, or for a loss parts per million up to 1000000"
            )
        })?;
    }
    Ok(Arc::new(scenario))
}

// --- playing ---

/// What each scenario comes to.
fn play(scenarios: &[Arc<Scenario>], seeds: usize, drawn: Drawn) -> Vec<Sums> {
    let next = AtomicUsize::new(0);
    let done = Mutex::new(vec![Sums::default(); scenarios.len()]);
    let runs = scenarios.len().saturating_mul(seeds);
    let cores = std::thread::available_parallelism().map_or(1, NonZero::get).min(runs.max(1));
    let progress = Progress::of(runs);
    std::thread::scope(|scope| {
        for _ in 0..cores {
            scope.spawn(|| {
                loop {
                    let run = next.fetch_add(1, Ordering::Relaxed);
                    let Some(scenario) = scenarios.get(run / seeds) else { return };
                    let sums = Sums::of(scenario, (run % seeds) as u64 + 1, drawn);
                    done.lock().unwrap_or_else(std::sync::PoisonError::into_inner)[run / seeds].add(&sums);
                    progress.one_more();
                }
            });
        }
    });
    progress.end();
    done.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner)
}

impl Sums {
    /// Of one run.
    fn of(scenario: &Arc<Scenario>, seed: u64, drawn: Drawn) -> Self {
        let mut sums = Self::default();
        sums.play(scenario, seed, drawn);
        sums
    }

    fn add(&mut self, other: &Self) {
        self.runs += other.runs;
        self.granted += other.granted;
        self.false_expiries += other.false_expiries;
        self.deaths += other.deaths;
        self.detected += other.detected;
        self.detection += other.detection;
        self.slowest = self.slowest.max(other.slowest);
        self.wasted += other.wasted;
        self.zombie += other.zombie;
        self.beats_milli += other.beats_milli;
        self.violated += other.violated;
        self.stopped += other.stopped;
    }

    fn play(&mut self, scenario: &Arc<Scenario>, seed: u64, drawn: Drawn) {
        let run = Run { seed, ..Run::new(Arc::clone(scenario)) };
        let run = Run { interventions: drawn.faults(scenario, seed), ..run };
        let mut simulation = Simulation::new(&run).limited(LIMIT);
        simulation.finish();
        let trace = simulation.trace();
        let figures = Figures::of(Rulebook::from(&run), trace, trace.len(), scenario.until);
        let verdicts = fenceline_sim::judge(Rulebook::from(&run), trace, trace.len(), scenario.until);
        let micros = |span: Span| u128::from(span.0.unsigned_abs());
        self.runs += 1;
        self.granted += u64::from(figures.granted);
        self.false_expiries += u64::from(figures.false_expiries.total());
        self.deaths += figures.deaths.len() as u64;
        for detected in figures.deaths.iter().filter_map(|death| death.detected) {
            self.detected += 1;
            self.detection += micros(detected);
            self.slowest = self.slowest.max(detected.0);
        }
        self.wasted += micros(figures.wasted);
        self.zombie += micros(figures.zombie.total);
        self.beats_milli += u128::from(figures.heartbeats.mean_milli());
        let broken = |verdict: &fenceline_sim::Verdict| {
            verdict.state == fenceline_sim::verdict::State::Violated && verdict.claim.is_safety()
        };
        self.violated += u64::from(verdicts.iter().any(broken));
        self.stopped += u64::from(simulation.stop().is_some());
    }
}

impl Drawn {
    fn faults(self, scenario: &Scenario, seed: u64) -> Vec<Intervention> {
        let mut numbers = Numbers::of(seed);
        let workers = scenario.workers.len() as u64;
        let mut drawn = |lasts: &mut dyn FnMut(&mut Numbers) -> Option<Span>, crash: bool| {
            let node = scenario.worker(numbers.below(workers.max(1)) as usize);
            let when = When::At(numbers.below(scenario.until.max(1)));
            let lasts = lasts(&mut numbers);
            let act = if crash { Act::Crash { node, lasts } } else { Act::Pause { node, lasts } };
            Intervention { when, act }
        };
        let range = (self.longest.0 - self.shortest.0).unsigned_abs() + 1;
        let pause = &mut |numbers: &mut Numbers| Some(Span(self.shortest.0 + numbers.below(range) as i64));
        let mut faults: Vec<_> = (0..self.pauses).map(|_| drawn(pause, false)).collect();
        faults.extend((0..self.crashes).map(|_| drawn(&mut |_| Some(Span::secs(5)), true)));
        faults
    }
}

/// A line on a terminal that says how far it is; nothing anywhere else.
struct Progress {
    of: usize,
    done: AtomicUsize,
    shown: bool,
}

impl Progress {
    fn of(of: usize) -> Self {
        Self { of, done: AtomicUsize::new(0), shown: std::io::stderr().is_terminal() }
    }

    fn one_more(&self) {
        let done = self.done.fetch_add(1, Ordering::Relaxed) + 1;
        let filled = |done: usize| done.saturating_mul(30) / self.of.max(1);
        // Where it looks the same it is not drawn again.
        if self.shown && (filled(done) > filled(done - 1) || self.of < 1000) {
            self.draw(filled(done), done);
        }
    }

    fn draw(&self, filled: usize, done: usize) {
        let mut error = std::io::stderr().lock();
        let _ = write!(error, "\r[{:<30}] {done} of {} runs", "#".repeat(filled), self.of);
        let _ = error.flush();
    }

    fn end(&self) {
        if self.shown {
            self.draw(30, self.of);
            eprintln!();
        }
    }
}

// --- printing ---

fn head(parameters: &[Parameter]) -> String {
    let figures = [
        "seeds",
        "granted",
        "false_expiries_per_attempt",
        "deaths",
        "undetected",
        "detection_mean_s",
        "detection_max_s",
        "wasted_mean_s",
        "zombie_mean_s",
        "heartbeats_per_minute",
        "runs_with_damage",
        "runs_stopped",
    ];
    table::line(parameters.iter().map(|parameter| parameter.name.as_str()).chain(figures))
}

fn row(parameters: &[Parameter], point: &[usize], seeds: u64, sums: &Sums) -> String {
    let runs = u128::from(sums.runs.max(1));
    let seconds = |micros: u128, of: u128| {
        micros.checked_div(of).map_or(String::new(), |each| thousandths(each / 1000))
    };
    let rate = u128::from(sums.false_expiries) * 1_000_000 / u128::from(sums.granted.max(1));
    let figures = [
        seeds.to_string(),
        sums.granted.to_string(),
        format!("{}.{:06}", rate / 1_000_000, rate % 1_000_000),
        sums.deaths.to_string(),
        (sums.deaths - sums.detected).to_string(),
        seconds(sums.detection, u128::from(sums.detected)),
        if sums.detected == 0 {
            String::new()
        } else {
            thousandths(u128::from(sums.slowest.unsigned_abs()) / 1000)
        },
        seconds(sums.wasted, runs),
        seconds(sums.zombie, runs),
        thousandths(sums.beats_milli / runs),
        sums.violated.to_string(),
        sums.stopped.to_string(),
    ];
    let values = values(parameters, point).map(|(_, value)| value.to_owned());
    table::line(values.chain(figures))
}

fn thousandths(n: u128) -> String {
    format!("{}.{:03}", n / 1000, n % 1000)
}
