//! Golden traces, kept as text. Set `GOLDEN=write` to write them anew, on purpose, in a commit of
//! its own that says why.

use fenceline_engine::{FenceRaise, FenceRules, NodeId, Span};
use fenceline_sim::workload::{first_run, w1};
use fenceline_sim::{Act, Intervention, Run, Setting, Simulation, Trace, When};
use std::path::Path;

fn played(run: &Run) -> Trace {
    let mut simulation = Simulation::new(run);
    simulation.finish();
    simulation.into_trace()
}

/// A line a record, with its cause and reasons.
fn text(trace: &Trace) -> String {
    let mut text = String::new();
    for (id, record) in trace.since(0) {
        text += &format!("{id:>4} {}", record.line());
        if record.cause != fenceline_sim::NONE {
            text += &format!(" <- {}", record.cause);
        }
        for reason in trace.reasons(id) {
            text += &format!(", {reason}");
        }
        text.push('\n');
    }
    text + &format!("digest {:016x}\n", trace.digest())
}

#[test]
fn the_first_run() {
    let pause = Act::Pause { node: NodeId(1), lasts: Some(Span::secs(55)) };
    let interventions = vec![Intervention { when: When::At(22_000_000), act: pause }];
    let got = text(&played(&Run { interventions, ..Run::new(first_run()) }));
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden/first_run.txt");
    if std::env::var("GOLDEN").as_deref() == Ok("write") {
        std::fs::write(&path, &got).expect("written");
    }
    let want = std::fs::read_to_string(&path).expect("the golden trace");
    let differs = got.lines().zip(want.lines()).position(|(got, want)| got != want);
    let lines = |text: &str| differs.and_then(|line| text.lines().nth(line).map(str::to_owned));
    assert_eq!(lines(&got), lines(&want), "line {differs:?}");
    assert_eq!(got, want);
}

/// The other run of the start page. Its program is built without the feature `whole`, and these tests with and
/// without: both play the same.
#[test]
fn the_first_run_behind_a_fence() {
    let pause = Act::Pause { node: NodeId(1), lasts: Some(Span::secs(55)) };
    let fence = Some(FenceRules::raised(FenceRaise::Claim));
    let fence = Act::Set(Setting::Fence { node: NodeId(3), fence });
    let at = |seconds, act| Intervention { when: When::At(seconds), act };
    let interventions = vec![at(0, fence), at(22_000_000, pause)];
    let trace = played(&Run { interventions, ..Run::new(first_run()) });
    assert_eq!((trace.len(), trace.digest()), FENCED);
}

const FENCED: (u32, u64) = (106, 13_725_272_525_933_983_869);

#[test]
fn a_small_w1() {
    let trace = played(&Run::new(w1(20, Span::secs(120))));
    assert_eq!((trace.len(), trace.digest()), W1);
}

/// Records and digest of W1 with 20 workers for two minutes.
const W1: (u32, u64) = (1560, 10_037_803_915_604_726_524);
