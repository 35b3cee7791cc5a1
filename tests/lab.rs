//! The lab without its page: what a person does to the first run, and what the two accounts say.

use std::sync::Arc;

use fenceline::app::lab::Lab;
use fenceline::app::lab::faults::Deed;
use fenceline::app::lab::outcome::{Next, Tone};
use fenceline_content::scenario::{Case, ScenarioFile};
use fenceline_engine::{FenceCheck, FenceMemory, FenceRaise, FenceRules, FenceScope, NodeId};
use fenceline_sim::verdict::{Claim, State};
use fenceline_sim::{Act, Setting};

const SECOND: u64 = 1_000_000;
const WORKER_1: NodeId = NodeId(1);
const TABLE: NodeId = NodeId(3);

fn flagship() -> Arc<Case> {
    let text = include_str!("../assets/scenarios/flagship.toml");
    let file: ScenarioFile = toml::from_str(text).expect("it parses");
    Arc::new(file.read("flagship.toml").expect("it is right"))
}

fn untouched() -> Lab {
    Lab::open(flagship(), 1, Some(Vec::new()))
}

fn take(lab: &mut Lab, name: &str, at: u64) {
    let offer = lab.offers(WORKER_1, at).into_iter().find(|offer| offer.name == name).expect(name);
    assert_eq!(offer.refused, None, "{name}");
    lab.take(offer.deed, at);
}

fn state(lab: &Lab, claim: Claim) -> State {
    lab.derived()
        .end
        .verdicts
        .iter()
        .find(|verdict| verdict.claim == claim)
        .expect("every claim is judged")
        .state
}

fn accounts(lab: &Lab) -> (String, String) {
    let outcome = &lab.derived().end.outcome;
    let said = |account: &fenceline::app::lab::outcome::Account| format!("{}{}", account.lead, account.rest);
    (said(&outcome.scheduler), said(&outcome.truth))
}

#[test]
fn a_zombie_made_by_hand_doubles_the_table_and_the_fence_stops_it() {
    let mut lab = untouched();
    assert_eq!(accounts(&lab), ("success, 0 alerts".into(), "1,204 rows, as expected".into()));
    assert_eq!(lab.next_step(), Next::Break("Pause worker 1 at 22.0 s".into()));

    take(&mut lab, "Pause", 22 * SECOND);
    take(&mut lab, "Resume", 77 * SECOND);
    assert_eq!(accounts(&lab), ("success, 0 alerts".into(), "2,408 rows, not 1,204".into()));
    assert_eq!(lab.derived().end.outcome.truth.tone, Tone::Bad);
    assert_eq!(state(&lab, Claim::OneOutput), State::Violated);
    assert_eq!(state(&lab, Claim::SilentDamage), State::Violated);
    assert_eq!(lab.link(), "v=1&id=flagship", "the same run as the scenario's own");

    assert_eq!(lab.next_step(), Next::Remedy(0, "Replay with a fence at the table".into()));
    lab.remedy(0);
    assert_eq!(accounts(&lab), ("success, 0 alerts".into(), "1,204 rows, as expected".into()));
    assert_eq!(state(&lab, Claim::OneOutput), State::Holds);
    assert_eq!(lab.link(), "v=1&id=flagship&do=0s.fence.sink1.claim,22s.pause.w1.55s");

    let fence = FenceRules {
        raise: FenceRaise::FirstWrite,
        memory: FenceMemory::Durable,
        check: FenceCheck::Atomic,
        scope: FenceScope::Partition,
    };
    lab.set(Setting::Fence { node: TABLE, fence: Some(fence) });
    assert_eq!(state(&lab, Claim::OneOutput), State::Holds, "token 8 writes first");
    let pause = lab.standing(WORKER_1)[0].index;
    lab.move_fault(pause, 22 * SECOND, Some(67 * SECOND));
    assert_eq!(state(&lab, Claim::OneOutput), State::Violated, "token 7 writes before token 8 has written");
}

#[test]
fn undo_names_what_it_undoes_and_redo_brings_it_back() {
    let mut lab = untouched();
    take(&mut lab, "Pause", 22 * SECOND);
    let paused = lab.acts().to_vec();
    lab.undo();
    assert_eq!(lab.acts(), []);
    assert!(lab.redoes().is_some());
    lab.redo();
    assert_eq!(lab.acts(), paused);
    lab.remedy(0);
    lab.undo();
    assert_eq!(lab.acts(), paused);
}

#[test]
fn a_drag_is_one_edit() {
    let mut lab = Lab::open(flagship(), 1, None);
    for end in [70, 65, 60] {
        lab.move_fault(0, 22 * SECOND, Some(end * SECOND));
    }
    lab.undo();
    assert_eq!(lab.acts(), flagship().scenario.script);
}

#[test]
fn an_act_that_would_do_nothing_says_why() {
    let lab = Lab::open(flagship(), 1, None);
    let pause_of =
        |node, at| lab.offers(node, at).into_iter().find(|o| matches!(o.deed, Deed::Do(Act::Pause { .. })));
    let refused = |node, at| pause_of(node, at).and_then(|offer| offer.refused);
    assert_eq!(refused(WORKER_1, 95 * SECOND).as_deref(), Some("attempt 1 has ended"));
    assert_eq!(refused(NodeId(2), 30 * SECOND).as_deref(), Some("it runs nothing now"));
    assert_eq!(refused(NodeId(2), 60 * SECOND), None);
}

#[test]
fn the_double_write_is_explained_by_what_led_to_it() {
    let lab = Lab::open(flagship(), 1, None);
    let (claim, record, at) = lab.first_violation().expect("two outputs");
    assert_eq!((claim, at), (Claim::OneOutput, 85_400_000));
    assert_eq!(
        lab.had_it_been_guarded(record, claim).as_deref(),
        Some("with a fence raised by claim: one output")
    );
    let told: Vec<(u64, Option<String>)> =
        lab.why(record).into_iter().map(|cause| (cause.at / 100_000, cause.otherwise)).collect();
    let without = |text: &str| Some(text.to_owned());
    assert_eq!(
        told,
        [
            (770, without("had it stopped itself: one output")),
            (510, without("had it held for an operator: one output")),
            (510, without("had it held for an operator: one output")),
            (220, without("without the pause: one output")),
        ]
    );
}

/// The start page's program holds the first run as code.
#[test]
fn the_first_run_as_code_is_the_one_in_the_file() {
    let (code, file) = (fenceline::app::start::first_run(), flagship());
    assert_eq!(code.scenario, file.scenario);
    assert_eq!(code.remedies[0].settings, file.remedies[0].settings);
}
