//! What the README shows works: its scenario, its addresses, its list of commands.

mod support;

use std::sync::Arc;

use fenceline::app::route::{self, Place};
use fenceline_content::link::RunLink;
use fenceline_content::scenario::{Case, Expected, ScenarioFile};
use fenceline_sim::verdict::State;
use fenceline_sim::{Intervention, Judge, Run, Simulation, Verdict};
use support::read;

/// The blocks of code in one language.
fn blocks(language: &str) -> Vec<String> {
    let readme = read("README.md");
    let fence = format!("```{language}\n");
    let blocks = readme.split(&fence).skip(1);
    blocks.filter_map(|block| block.split("\n```").next()).map(str::to_owned).collect()
}

fn example() -> Case {
    let text = blocks("toml").concat();
    let file: ScenarioFile = toml::from_str(&text).expect("it parses");
    file.read("README.md").unwrap_or_else(|mistakes| panic!("{mistakes:?}"))
}

fn verdicts(run: &Run) -> Vec<Verdict> {
    let mut simulation = Simulation::new(run);
    simulation.finish();
    let trace = simulation.trace();
    Judge::over(run, trace, trace.len()).verdicts(trace, run.scenario.until)
}

fn satisfies(verdicts: &[Verdict], expected: &[Expected]) -> bool {
    let is_so = |expected: &Expected| {
        verdicts.iter().any(|verdict| verdict.claim == expected.claim && verdict.state == expected.state)
    };
    expected.iter().all(is_so)
}

fn violated(verdicts: &[Verdict]) -> Vec<fenceline_sim::Claim> {
    verdicts.iter().filter(|verdict| verdict.state == State::Violated).map(|verdict| verdict.claim).collect()
}

#[test]
fn the_scenario_comes_out_as_it_claims() {
    let case = example();
    let given = Run::new(Arc::clone(&case.scenario));
    let broken = verdicts(&given);
    assert!(satisfies(&broken, &case.expected));
    assert_eq!(violated(&broken), case.expected.iter().map(|expected| expected.claim).collect::<Vec<_>>());

    let with_faults = |faults: &[Intervention]| {
        let mut scenario = (*case.scenario).clone();
        scenario.script = faults.to_vec();
        verdicts(&Run::new(scenario))
    };
    assert!(!satisfies(&with_faults(&[]), &case.expected), "doing nothing");
    for (title, faults) in &case.near_misses {
        assert!(!satisfies(&with_faults(faults), &case.expected), "{title}");
    }

    let remedy = &case.remedies[0];
    let cured = verdicts(&Run { interventions: remedy.settings.clone(), ..given });
    assert!(satisfies(&cured, &remedy.expected));
    assert_eq!(violated(&cured), []);
}

#[test]
fn the_addresses_lead_somewhere() {
    let html = blocks("html").concat();
    let frame = html.split("src=\"").nth(1).and_then(|rest| rest.split('"').next()).expect("an address");
    let (_, fragment) = frame.split_once('#').expect("a fragment");
    let route = route::read(fragment).expect(fragment);
    assert!(route.frame.embed);
    assert_eq!(route.place, Place::lab("flagship"));

    let readme = read("README.md");
    let fragments = readme.split('`').filter(|quoted| quoted.starts_with('#') && !quoted.contains('\n'));
    let mut runs = 0;
    for fragment in fragments {
        let route = route::read(fragment).unwrap_or_else(|what| panic!("{fragment}: {what}"));
        if let Place::Lab(parameters) = &route.place {
            let parameters = parameters.iter().map(|(name, value)| (name.as_str(), value.as_str()));
            let link = RunLink::read(parameters).expect(fragment);
            if let Some(link) = link {
                link.interventions(example().cast()).expect(fragment);
                runs += 1;
            }
        }
    }
    assert_eq!(runs, 1);
}

/// Each phrase quoted in the list on the grammar can be read.
#[test]
fn the_phrases_are_of_the_grammar() {
    let readme = read("README.md");
    let list = readme.split("- A fault is").nth(1).and_then(|rest| rest.split("A wrong word").next());
    let cast = example().cast();
    let mut count = 0;
    for phrase in list.expect("the list").split('`').skip(1).step_by(2).filter(|it| it.contains(' ')) {
        let as_given = fenceline_content::words::intervention(phrase, cast);
        let at_zero = fenceline_content::words::intervention(&format!("0s {phrase}"), cast);
        let as_point = fenceline_content::words::intervention(&format!("{phrase} crash w1"), cast);
        assert!(as_given.is_ok() || at_zero.is_ok() || as_point.is_ok(), "{phrase}: {at_zero:?}");
        count += 1;
    }
    assert!(count >= 10, "{count} phrases were found");
}

#[test]
fn the_list_of_commands_is_that_of_make() {
    let listed = blocks("text").concat();
    let listed: Vec<(&str, &str)> = listed
        .lines()
        .filter_map(|line| line.strip_prefix("make ")?.split_once(' '))
        .map(|(name, what)| (name, what.trim()))
        .collect();
    let makefile = read("Makefile");
    let targets: Vec<(&str, &str)> = makefile
        .lines()
        .filter(|line| !line.starts_with('\t'))
        .filter_map(|line| line.split_once(": ## "))
        .collect();
    assert_eq!(listed, targets);
}
