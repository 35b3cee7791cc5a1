//! `bench`: how fast the simulation of the lab is. One figure a line: name, value, unit, by tabs.

use fenceline_engine::{NodeId, Span};
use fenceline_sim::workload::w1;
use fenceline_sim::{Act, At, History, Intervention, Run, Scenario, Simulation, Trace, When};
use std::time::{Duration, Instant};

/// Runs that count, after one that warms up.
const RUNS: usize = 5;

pub(crate) fn bench(arguments: &[String]) -> Result<(), String> {
    if let Some(unexpected) = arguments.first() {
        return Err(format!("takes no argument, not `{unexpected}`"));
    }
    playing("w1/native/1000", w1(1000, Span::secs(3600)));
    playing("w1/native/10000", w1(10_000, Span::secs(360)));
    history(w1(1000, Span::secs(3600)));
    fork("fork/native/10000", w1(10, Span::secs(3340)), 1);
    Ok(())
}

/// Events a second, the trace recorded: once the trace's memory is the process's own, as in a page
/// that has played before, and (cold) with memory that the system hands over page by page.
fn playing(name: &str, scenario: Scenario) {
    let run = Run::new(scenario);
    let mut events = 0;
    let mut play = |mut simulation: Simulation| {
        let took = timed(|| simulation.finish());
        events = simulation.events();
        (took, simulation.into_trace())
    };
    let mut old = Trace::default();
    let warm = median(|| {
        let (took, trace) = play(Simulation::instead_of(std::mem::take(&mut old), &run));
        old = trace;
        took
    });
    drop(old);
    let cold = median(|| play(Simulation::new(&run)).0);
    figure(name, rate(events, warm), "events/s");
    figure(&format!("{name}/cold"), rate(events, cold), "events/s");
}

/// A whole history with its snapshots: speed, memory, seeking, and an edit near its end.
fn history(scenario: Scenario) {
    let run = Run::new(scenario);
    let derived = History::new(run.clone(), u64::MAX);
    let events = derived.end().events();
    let took = median(|| timed(|| History::new(run.clone(), u64::MAX)));
    figure("history/native/1000", rate(events, took), "events/s");
    let per = |bytes: usize, count: u64| format!("{:.1}", bytes as f64 / count as f64);
    figure("trace/record", per(derived.trace().bytes(), derived.trace().len().into()), "B");
    figure("trace/event", per(derived.trace().bytes(), events), "B");
    figure("history/event", per(derived.bytes(), events), "B");
    figure("history/size", per(derived.bytes(), 1_000_000), "MB");
    let until = run.scenario.until;
    let instants: Vec<At> = (0..100).map(|n| until / 100 * n + 777_777).collect();
    let worst = median(|| instants.iter().map(|at| timed(|| derived.at(*at))).max().unwrap_or_default());
    figure("seek/native/worst", millis(worst), "ms");
    let all = median(|| timed(|| instants.iter().map(|at| derived.at(*at).events()).sum::<u64>()));
    figure("seek/native/mean", millis(all / 100), "ms");
    figure("digest/native", millis(median(|| timed(|| derived.digest()))), "ms");
}

/// An edit at the beginning of a run.
fn fork(name: &str, scenario: Scenario, seconds: u64) {
    let run = Run::new(scenario);
    let derived = History::new(run.clone(), u64::MAX);
    let pause = Act::Pause { node: NodeId(1), lasts: Some(Span::secs(60)) };
    let interventions = vec![Intervention { when: When::At(seconds * 1_000_000), act: pause }];
    let edited = Run { interventions, ..run };
    figure(name, millis(median(|| timed(|| derived.fork(edited.clone())))), "ms");
}

fn timed<T>(work: impl FnOnce() -> T) -> Duration {
    let began = Instant::now();
    let made = std::hint::black_box(work());
    let took = began.elapsed();
    drop(made);
    took
}

fn median(mut work: impl FnMut() -> Duration) -> Duration {
    work();
    let mut took: Vec<Duration> = (0..RUNS).map(|_| work()).collect();
    took.sort_unstable();
    took[RUNS / 2]
}

fn rate(events: u64, took: Duration) -> String {
    format!("{:.2e}", events as f64 / took.as_secs_f64())
}

fn millis(took: Duration) -> String {
    format!("{:.3}", took.as_secs_f64() * 1e3)
}

fn figure(name: &str, value: impl std::fmt::Display, unit: &str) {
    println!("{name}\t{value}\t{unit}");
}
