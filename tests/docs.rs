//! What `docs/scenarios.md` teaches can be written: each of its phrases is of the grammar, and none of
//! the grammar's rules, verdicts and steps is left out.

mod support;

use std::collections::BTreeSet;

use fenceline_content::authoring;
use fenceline_content::report::Known;
use fenceline_content::scenario::{CLAIMS, Expected, ScenarioFile, TaskFile};
use fenceline_content::words::{self, Cast, RULES};
use fenceline_engine::NodeId;
use fenceline_sim::{Intervention, Run, Simulation, judge};
use support::read;

const CAST: Cast = Cast {
    workers: 2,
    sinks: 1,
    tasks: 2,
    executor: Some(NodeId(4)),
    standby: (NodeId(5), 1),
    store: Some(NodeId(6)),
};

/// The lines of all blocks of one kind.
fn lines(kind: &str) -> Vec<String> {
    let page = read("docs/scenarios.md");
    let fence = format!("```{kind}\n");
    let blocks = page.split(&fence).skip(1).filter_map(|block| block.split("\n```").next());
    let lines: Vec<String> = blocks.flat_map(str::lines).map(str::to_owned).collect();
    assert!(lines.len() >= 10, "{} lines of {kind}", lines.len());
    lines
}

/// The example as a file of its own would hold it.
fn example() -> String {
    let page = read("docs/scenarios.md");
    let block = page.split("```toml\n").nth(1).and_then(|rest| rest.split("\n```").next());
    block.expect("an example").to_owned() + "\n"
}

#[test]
fn the_example_comes_out_as_it_claims() {
    let file = authoring::scenario("my-own.toml", &example(), &Known::default());
    let case = file.and_then(|file| file.read("my-own.toml")).unwrap_or_else(|wrong| panic!("{wrong:?}"));
    let satisfied = |acts: &[Intervention], expected: &[Expected]| {
        let mut scenario = (*case.scenario).clone();
        scenario.script = acts.to_vec();
        let run = Run::new(scenario);
        let mut simulation = Simulation::new(&run);
        simulation.finish();
        let trace = simulation.trace();
        let verdicts = judge(&run, trace, trace.len(), run.scenario.until);
        let is = |one: &Expected| verdicts.iter().any(|it| it.claim == one.claim && it.state == one.state);
        expected.iter().all(is)
    };
    assert!(satisfied(&case.scenario.script, &case.expected));
    assert!(!satisfied(&[], &case.expected), "doing nothing");
    for (title, acts) in &case.near_misses {
        assert!(!satisfied(acts, &case.expected), "{title}");
    }
    let remedy = &case.remedies[0];
    let cured: Vec<_> = case.scenario.script.iter().chain(&remedy.settings).copied().collect();
    assert!(satisfied(&cured, &remedy.expected));
}

/// What the page says of a wrong file is what is said of it.
#[test]
fn the_mistakes_are_those_of_the_example() {
    let page = read("docs/scenarios.md");
    let shown = page.split("```text\n").nth(1).and_then(|rest| rest.split("\n```").next()).expect("mistakes");
    let mut text = example();
    for (right, wrong) in [
        ("\"102s\"", "\"102 sec\""),
        ("22s pause", "22s puase"),
        ("kind =", "knd ="),
        ("compute 30s", "compote 30s"),
    ] {
        assert!(text.contains(right), "{right}");
        text = text.replacen(right, wrong, 1);
    }
    let said = authoring::scenario("my-own.toml", &text, &Known::default()).expect_err("it is wrong");
    let said: BTreeSet<String> = said.iter().map(ToString::to_string).collect();
    assert_eq!(said, shown.lines().map(str::to_owned).collect());
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
    file.remedies.clear();
    file.near_misses.clear();
    // One below it, which can read what it writes.
    let below = file.tasks[0].clone();
    file.tasks.push(TaskFile { name: "report".into(), ..below });
    // Each at a sink that does it; the first part with the second.
    for line in lines("step") {
        let mut program = vec![line.clone()];
        program.extend(line.ends_with("1/2").then(|| line.replace("1/2", "2/2")));
        let refused = ["append", "staged fixed", "locked", "api no-key"].map(|kind| {
            file.sinks.iter_mut().for_each(|sink| sink.kind = kind.to_owned());
            file.tasks.iter_mut().for_each(|task| task.program.clone_from(&program));
            if kind == "append" {
                file.tasks[0].program = vec!["write revenue".into()];
            }
            file.read("docs/scenarios.md").err()
        });
        assert!(refused.contains(&None), "{line}: {refused:?}");
    }
}
