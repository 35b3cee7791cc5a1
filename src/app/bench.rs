//! How fast the simulation of the lab is, here: the command line and the page's own wasm measure the
//! same things with the same code, each by its own clock.

use std::time::Duration;

use fenceline_engine::{NodeId, Span};
use fenceline_sim::workload::w1;
use fenceline_sim::{Act, At, History, Intervention, Judge, Run, Scenario, Simulation, Trace, When};

/// Runs that count, after one that warms up.
const RUNS: usize = 5;
/// Edits made before those that are measured as hot: a drag makes as many in a second or two.
const EDITS: usize = 60;

/// One figure: name, value, unit.
#[derive(Debug, Clone, PartialEq)]
pub struct Figure {
    pub name: String,
    pub value: String,
    pub unit: &'static str,
}

/// Where it is measured, by which clock, and who is told.
pub struct Bench<'a> {
    /// `native`, or the browser's name: a part of every figure's name.
    pub place: &'a str,
    /// The time that has passed since some instant.
    pub clock: &'a dyn Fn() -> Duration,
    pub say: &'a mut dyn FnMut(Figure),
}

/// A part of the bench; a page measures one at a time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Part {
    /// Playing W1 with a thousand workers.
    Thousand,
    /// Playing W1 with ten thousand.
    TenThousand,
    History,
    Fork,
}

impl Part {
    pub const ALL: [Part; 4] = [Part::Thousand, Part::TenThousand, Part::History, Part::Fork];

    pub fn name(self) -> &'static str {
        match self {
            Part::Thousand => "w1/1000",
            Part::TenThousand => "w1/10000",
            Part::History => "history",
            Part::Fork => "fork",
        }
    }

    pub fn of_name(name: &str) -> Option<Part> {
        Self::ALL.into_iter().find(|part| part.name() == name)
    }
}

impl Bench<'_> {
    pub fn run(&mut self, part: Part) {
        match part {
            Part::Thousand => self.playing("1000", w1(1000, Span::secs(3600))),
            Part::TenThousand => self.playing("10000", w1(10_000, Span::secs(360))),
            Part::History => self.history(w1(1000, Span::secs(3600))),
            Part::Fork => self.fork(w1(10, Span::secs(3340)), 1),
        }
    }

    fn figure(&mut self, name: String, value: String, unit: &'static str) {
        (self.say)(Figure { name, value, unit });
    }

    /// Events a second, the trace recorded: once the trace's memory is the process's own, as in a page
    /// that has played before; with memory the system hands over page by page (cold); and with every
    /// verdict followed.
    fn playing(&mut self, size: &str, scenario: Scenario) {
        let run = Run::new(scenario);
        let mut events = 0;
        let mut old = Trace::default();
        let mut judging = Duration::ZERO;
        let warm = self.median(|bench| {
            let mut simulation = Simulation::instead_of(std::mem::take(&mut old), &run);
            let took = bench.timed(|| simulation.finish());
            events = simulation.events();
            let trace = simulation.trace();
            judging =
                bench.timed(|| Judge::over(&run, trace, trace.len()).verdicts(trace, run.scenario.until));
            old = simulation.into_trace();
            took
        });
        drop(old);
        let cold = self.median(|bench| {
            let mut simulation = Simulation::new(&run);
            bench.timed(|| simulation.finish())
        });
        let name = format!("w1/{}/{size}", self.place);
        self.figure(name.clone(), rate(events, warm), "events/s");
        self.figure(format!("{name}/judged"), rate(events, warm + judging), "events/s");
        self.figure(format!("{name}/cold"), rate(events, cold), "events/s");
    }

    /// A whole history with its snapshots: speed, memory, and seeking: the world and the verdicts of
    /// an instant.
    fn history(&mut self, scenario: Scenario) {
        let place = self.place;
        let run = Run::new(scenario);
        let derived = History::new(run.clone(), u64::MAX);
        let events = derived.end().events();
        let took = self.median(|bench| bench.timed(|| History::new(run.clone(), u64::MAX)));
        self.figure(format!("history/{place}/1000"), rate(events, took), "events/s");
        let per = |bytes: usize, count: u64| format!("{:.1}", bytes as f64 / count as f64);
        self.figure(
            format!("trace/{place}/record"),
            per(derived.trace().bytes(), derived.trace().len().into()),
            "B",
        );
        self.figure(format!("trace/{place}/event"), per(derived.trace().bytes(), events), "B");
        self.figure(format!("history/{place}/event"), per(derived.bytes(), events), "B");
        self.figure(format!("history/{place}/size"), per(derived.bytes(), 1_000_000), "MB");
        let until = run.scenario.until;
        let instants: Vec<At> = (0..100).map(|n| until / 100 * n + 777_777).collect();
        let seek = |bench: &mut Self, at: At| {
            bench.timed(|| {
                let world = derived.at(at);
                (world.events(), derived.judged(at).verdicts(derived.trace(), at))
            })
        };
        let worst = self.median(|bench| instants.iter().map(|at| seek(bench, *at)).max().unwrap_or_default());
        self.figure(format!("seek/{place}/worst"), millis(worst), "ms");
        let all = self.median(|bench| instants.iter().map(|at| seek(bench, *at)).sum());
        self.figure(format!("seek/{place}/mean"), millis(all / 100), "ms");
        let digest = self.median(|bench| bench.timed(|| derived.digest()));
        self.figure(format!("digest/{place}"), millis(digest), "ms");
    }

    /// An edit at the beginning of a run of some 10,000 events: the first ones made, and (hot) later
    /// ones, when a browser has had the time to compile for speed what it first compiled in haste.
    fn fork(&mut self, scenario: Scenario, seconds: u64) {
        let run = Run::new(scenario);
        let derived = History::new(run.clone(), u64::MAX);
        let pause = Act::Pause { node: NodeId(1), lasts: Some(Span::secs(60)) };
        let interventions = vec![Intervention { when: When::At(seconds * 1_000_000), act: pause }];
        let edited = Run { interventions, ..run };
        let took = self.median(|bench| bench.timed(|| derived.fork(edited.clone())));
        let name = format!("fork/{}/10000", self.place);
        self.figure(name.clone(), millis(took), "ms");
        for _ in 0..EDITS {
            std::hint::black_box(derived.fork(edited.clone()));
        }
        let took = self.median(|bench| bench.timed(|| derived.fork(edited.clone())));
        self.figure(format!("{name}/hot"), millis(took), "ms");
    }

    fn timed<T>(&self, work: impl FnOnce() -> T) -> Duration {
        let began = (self.clock)();
        let made = std::hint::black_box(work());
        let took = (self.clock)().saturating_sub(began);
        drop(made);
        took
    }

    fn median(&mut self, mut work: impl FnMut(&mut Self) -> Duration) -> Duration {
        work(self);
        let mut took: Vec<Duration> = (0..RUNS).map(|_| work(self)).collect();
        fenceline_sim::order::by(&mut took, |took| took.as_micros() as u64);
        took.get(RUNS / 2).copied().unwrap_or_default()
    }
}

/// Two decimals and a power of ten, `9.81e6`, without the size that formatting floats costs a page.
fn rate(events: u64, took: Duration) -> String {
    let per_second =
        events.saturating_mul(1_000_000) / u64::try_from(took.as_micros()).unwrap_or(u64::MAX).max(1);
    let mut power = 0;
    let mut hundredths = per_second.saturating_mul(100);
    while hundredths >= 1000 {
        hundredths = (hundredths + 5) / 10;
        power += 1;
    }
    format!("{}.{:02}e{power}", hundredths / 100, hundredths % 100)
}

fn millis(took: Duration) -> String {
    let micros = took.as_micros();
    format!("{}.{:03}", micros / 1000, micros % 1000)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rates_read_as_powers_of_ten() {
        assert_eq!(rate(9_812_345, Duration::from_secs(1)), "9.81e6");
        assert_eq!(rate(1_080_000, Duration::from_millis(100)), "1.08e7");
        assert_eq!(rate(0, Duration::from_secs(1)), "0.00e0");
        assert_eq!(millis(Duration::from_micros(7_039)), "7.039");
    }
}
