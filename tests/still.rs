//! `index.html` tells the first run before any code has arrived. Its figures are written by hand;
//! here the engine plays that run and has to agree with each of them.

mod support;

use std::sync::Arc;

use fenceline::app::words::{count, instant, length};
use fenceline_content::scenario::{Case, ScenarioFile};
use fenceline_engine::{Ending, Exec, NodeId, TaskId};
use fenceline_sim::{Kind, Record, Run, Simulation, Trace, Truth};
use support::read;

const TASK: TaskId = TaskId(0);

fn flagship() -> Case {
    let file: ScenarioFile = toml::from_str(&read("assets/scenarios/flagship.toml")).expect("it parses");
    file.read("flagship.toml").expect("it is right")
}

fn played(run: &Run) -> Trace {
    let mut simulation = Simulation::new(run);
    simulation.finish();
    simulation.into_trace()
}

fn first(trace: &Trace, kind: Kind, attempt: u8) -> Record {
    let is_it = |record: &&Record| record.kind == kind && [0, record.attempt].contains(&attempt);
    *trace.iter().find(is_it).unwrap_or_else(|| panic!("no {kind:?} of attempt {attempt}"))
}

/// The lines of the still: the time, and the sentence.
fn still() -> Vec<(String, String)> {
    let index = read("index.html");
    let line = |item: &str| {
        let item = &item[..item.find("</li>").expect("an end of the line")];
        let (time, sentence) = item.split_once("</time>").expect("each line has its time");
        (time.replace("<time>", "").trim().to_owned(), sentence.trim().to_owned())
    };
    index.split("<li>").skip(1).map(line).collect()
}

/// The figures of a sentence, in order: `worker 2, with token 8.` has `2` and `8`.
fn figures(sentence: &str) -> Vec<String> {
    let parts = sentence.split(|c: char| !(c.is_ascii_digit() || c == ',' || c == '.'));
    let parts = parts.map(|part| part.trim_matches([',', '.']).to_owned());
    parts.filter(|part| !part.is_empty()).collect()
}

#[test]
fn the_still_tells_the_run_the_engine_plays() {
    let case = flagship();
    let run = Run::new(Arc::clone(&case.scenario));
    let trace = played(&run);
    let truth = Truth::of(&run, &trace, trace.len(), run.scenario.until);

    let worker = |node: NodeId| case.scenario.workers[usize::from(node.0) - 1].name.clone();
    let number = |node: NodeId| figures(&worker(node));
    let [old, new] = [1, 2].map(|attempt| first(&trace, Kind::Granted, attempt));
    let ended = truth.lease(TASK, 1).and_then(|lease| lease.end).expect("lease 1 ends").0;
    let paused = first(&trace, Kind::Paused, 0);
    let resumed = first(&trace, Kind::Resumed, 0);
    let [late, timely] = [1, 2].map(|attempt| first(&trace, Kind::Applied, attempt));
    assert_eq!([paused.node, resumed.node], [old.peer; 2], "the first holder is the one that is paused");

    let lease = figures(&length(case.scenario.rules.lease.duration.0)).concat();
    let with = |node: NodeId, more: &[String]| [number(node), more.to_vec()].concat();
    let expected = [
        (old.at, with(old.peer, &[old.b.to_string(), lease])),
        (paused.at, with(old.peer, &[])),
        (ended, Vec::new()),
        (new.at, with(new.peer, &[new.b.to_string()])),
        (resumed.at, with(old.peer, &[])),
        (timely.at, with(new.peer, &[count(timely.b)])),
        (late.at, with(old.peer, &[count(late.b)])),
    ];
    let expected = expected.map(|(at, figures)| (instant(at, case.starts), figures));
    let told: Vec<_> = still().into_iter().map(|(time, sentence)| (time, figures(&sentence))).collect();
    assert_eq!(told, expected);

    // "Both calls return success."
    for attempt in [1, 2] {
        let exec = Exec::first(TASK, attempt);
        let end = truth.execution(exec).and_then(|execution| execution.end);
        assert_eq!(end.expect("it ends").1, Ending::Finished, "attempt {attempt}");
    }
}

/// "Token 7 is older than 8: the late write is refused."
#[test]
fn the_still_says_what_the_fence_does() {
    let case = flagship();
    let remedy = case.remedies.first().expect("a remedy");
    let run = Run { interventions: remedy.settings.clone(), ..Run::new(Arc::clone(&case.scenario)) };
    let trace = played(&run);
    let refused = first(&trace, Kind::Fenced, 1);
    let token = first(&trace, Kind::Granted, refused.attempt).b;
    let said = format!("Token {token} is older than {}: the late write is refused.", refused.b);
    assert!(read("index.html").contains(&said), "{said}");
    let written: i64 =
        trace.iter().filter(|record| record.kind == Kind::Applied).map(|record| record.b).sum();
    assert_eq!(written, i64::from(case.scenario.tasks[0].rows[0]), "one output");
}

/// The start page's own sentences hold the same figures as the still.
#[test]
fn the_start_page_tells_the_same() {
    use fenceline::app::words::start;
    let sentences = still().into_iter().map(|(_, sentence)| sentence).collect::<Vec<_>>().join("\n");
    for said in [start::PAUSED, start::LEASE_ENDS, start::WAKES] {
        assert!(sentences.contains(said), "{said}");
    }
    assert!(read("index.html").contains(start::LEDE));
    let lease = figures(&sentences)[2].clone();
    assert_eq!(figures(start::GRANTED), ["1".to_owned(), lease]);
}
