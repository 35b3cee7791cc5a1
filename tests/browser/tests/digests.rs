//! Issue 2, *It must show* 3: every scenario gives the same trace natively, in the page and in a Web
//! Worker.

use fenceline_browser_tests::{Page, drive, played_in_a_worker};
use fenceline_content::scenario::ScenarioFile;
use fenceline_sim::{Run, Simulation};

/// Written by the native tests of scenarios and incidents: id, records, digest.
const NATIVE: [&str; 2] = [
    include_str!("../../../src/content/tests/digests.txt"),
    include_str!("../../../src/content/tests/incidents.txt"),
];

fn natively() -> Vec<(&'static str, &'static str)> {
    let line = |line: &'static str| {
        let mut parts = line.split('\t');
        Some((parts.next()?, parts.nth(1)?))
    };
    let lines = NATIVE.iter().flat_map(|text| text.lines());
    let digests: Vec<_> = lines.filter(|line| !line.starts_with('#')).filter_map(line).collect();
    assert!(digests.len() >= 20, "{} scenarios", digests.len());
    digests
}

#[test]
fn every_scenario_gives_the_native_trace_in_the_page() {
    drive(async |page| {
        page.viewport(1280, 800).await;
        page.open("#/incidents").await;
        for (id, digest) in natively() {
            page.follow(&format!("#/lab?v=1&id={id}")).await;
            page.wait_for(&format!(".lab[data-scenario='{id}'][data-digest='{digest}']")).await;
        }
    });
}

#[test]
fn every_scenario_gives_the_native_trace_in_a_web_worker() {
    drive(async |page| {
        page.open("#/about").await;
        let files = scenario_files(page);
        let scenarios = files.iter().map(|file| page.server.built(&format!("content/{file}")));
        let answers = played_in_a_worker(page, scenarios.collect()).await;
        for (id, digest) in natively() {
            let said = format!("\"id\":\"{id}\",\"digest\":\"{digest}\"");
            assert!(answers.iter().any(|answer| answer.contains(&said)), "{id}: {answers:?}");
        }
    });
}

fn scenario_files(page: &Page) -> Vec<String> {
    let is_played = |name: &String| name.starts_with("scenario") || name.starts_with("incident");
    page.server.files("content").into_iter().filter(is_played).collect()
}

/// Issue 3, *It must show* 2: random runs too. Each takes a scenario of the page and puts other faults and
/// rules in place of its own; what the reader refuses natively the page refuses with the same words.
#[test]
fn random_runs_give_the_native_trace_in_a_web_worker() {
    const RUNS: usize = 240;
    drive(async |page| {
        page.open("#/about").await;
        let mut draw = Draw(0x5eed);
        let files = scenario_files(page);
        let scenarios: Vec<String> = (0..RUNS)
            .map(|run| {
                let text = page.server.built(&format!("content/{}", files[run % files.len()]));
                let mut scenario: serde_json::Value = serde_json::from_str(&text).expect("JSON");
                scenario["faults"] = draw.faults().into();
                scenario.to_string()
            })
            .collect();
        let answers = played_in_a_worker(page, scenarios.clone()).await;
        assert_eq!(answers.len(), RUNS);
        let mut played = 0;
        for (run, (scenario, answer)) in scenarios.iter().zip(&answers).enumerate() {
            match natively_played(scenario) {
                Ok((digest, events)) => {
                    let same = answer.contains(&format!("\"digest\":\"{digest}\",\"events\":{events}}}"));
                    assert!(
                        same,
                        "run {run}: {digest}, {events} events; the worker says {answer}\n{scenario}"
                    );
                    played += 1;
                }
                Err(mistakes) => assert_eq!(*answer, format!("error: {mistakes}"), "run {run}"),
            }
        }
        assert!(played > RUNS / 2, "only {played} of {RUNS} were runs");
    });
}

fn natively_played(scenario: &str) -> Result<(String, u64), String> {
    let file: ScenarioFile = fenceline_content::plain::read(scenario)?;
    let case = file
        .read(&file.id)
        .map_err(|mistakes| mistakes.iter().map(ToString::to_string).collect::<Vec<_>>().join(" "))?;
    let mut simulation = Simulation::new(&Run::new(case.scenario));
    simulation.finish();
    Ok((format!("{:016x}", simulation.trace().digest()), simulation.events()))
}

/// A stream of numbers that is the same everywhere (splitmix64).
struct Draw(u64);

impl Draw {
    fn below(&mut self, bound: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (z ^ (z >> 31)) % bound
    }

    fn one_of(&mut self, words: &[&str]) -> String {
        words[self.below(words.len() as u64) as usize].to_owned()
    }

    fn faults(&mut self) -> Vec<String> {
        (0..1 + self.below(4)).map(|_| self.fault()).collect()
    }

    fn fault(&mut self) -> String {
        let at = format!("{}ms", self.below(90_000));
        let node = self.one_of(&["w1", "w1", "w2", "scheduler", "sink1"]);
        let lasts = format!("{}ms", 1 + self.below(70_000));
        let act = match self.below(14) {
            0..=2 => format!("pause {node} {lasts}"),
            3 => format!("crash {node} {lasts}"),
            4 => format!("freeze {node} {lasts}"),
            5 => format!("slow {node} {} {lasts}", 1 + self.below(99)),
            6 => format!("cut {node} control {} {lasts}", self.one_of(&["both-ways", "out", "in held"])),
            7 => format!("degrade {node} both both-ways 3s 300000 {lasts}"),
            8 => format!("step {node} {}s", self.below(80) as i64 - 40),
            9 => format!("rate {node} {}", self.below(400_000)),
            10 => format!("redeliver {node} task1"),
            11 => self.one_of(&["operator task1 redispatch", "operator task1 extend", "input task1 2"]),
            12 => self.one_of(&["fence sink1 claim", "fence sink1 first-write volatile", "loss self-fence"]),
            _ => self.one_of(&[
                "clock observer",
                "prefetch 2",
                "restart adopt",
                "jitter 2s",
                "expiry cancel 9s",
            ]),
        };
        format!("{at} {act}")
    }
}
