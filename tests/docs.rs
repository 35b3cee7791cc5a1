//! What `docs/scenarios.md` teaches can be written: each of its phrases is of the grammar, and none of
//! the grammar's rules, verdicts and steps is left out.

mod support;

use fenceline_content::scenario::{CLAIMS, ScenarioFile};
use fenceline_content::words::{self, Cast, RULES};
use fenceline_engine::NodeId;
use support::read;

const CAST: Cast =
    Cast { workers: 2, sinks: 1, tasks: 2, executor: Some(NodeId(4)), standby: (NodeId(5), 1) };

/// The lines of all blocks of one kind.
fn lines(kind: &str) -> Vec<String> {
    let page = read("docs/scenarios.md");
    let fence = format!("```{kind}\n");
    let blocks = page.split(&fence).skip(1).filter_map(|block| block.split("\n```").next());
    let lines: Vec<String> = blocks.flat_map(str::lines).map(str::to_owned).collect();
    assert!(lines.len() >= 10, "{} lines of {kind}", lines.len());
    lines
}

#[test]
fn every_fault_and_rule_can_be_read() {
    for line in lines("fault") {
        assert!(words::intervention(&line, CAST).is_ok(), "{line}: {:?}", words::intervention(&line, CAST));
    }
    for line in lines("rule") {
        assert!(words::setting(&line, CAST).is_ok(), "{line}: {:?}", words::setting(&line, CAST));
    }
}

#[test]
fn every_rule_and_verdict_is_there() {
    let shown = lines("rule");
    for rule in RULES {
        assert!(shown.iter().any(|line| line.split(' ').next() == Some(rule)), "`{rule}` is not taught");
    }
    let page = read("docs/scenarios.md");
    for (verdict, _) in CLAIMS {
        assert!(page.contains(&format!("`{verdict}`")), "`{verdict}` is not taught");
    }
}

#[test]
fn every_step_can_be_written() {
    let mut file: ScenarioFile =
        toml::from_str(&read("assets/scenarios/flagship.toml")).expect("the first run");
    for task in &mut file.tasks {
        task.program = lines("step");
    }
    let read = file.read("docs/scenarios.md");
    assert!(read.is_ok(), "{:?}", read.err());
}
