//! The lab without its page: what a person does to the first run, and what the two accounts say.

mod support;

use std::sync::Arc;

use fenceline::app::lab::Lab;
use fenceline::app::lab::faults::Deed;
use fenceline::app::lab::keys::Direct;
use fenceline::app::lab::outcome::{Next, Tone};
use fenceline::app::lab::speech::{Message, Voice};
use fenceline_content::scenario::{Case, ScenarioFile};
use fenceline_engine::{Decision, FenceRaise, FenceRules, NodeId, Span, TaskId};
use fenceline_sim::verdict::{Claim, State};
use fenceline_sim::{Act, Setting};
use support::cases;

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
    assert_eq!(lab.link().as_deref(), Some("v=1&id=flagship"), "the same run as the scenario's own");

    assert_eq!(lab.next_step(), Next::Remedy(0, "Replay with a fence at the table".into()));
    lab.remedy(0);
    assert_eq!(accounts(&lab), ("success, 0 alerts".into(), "1,204 rows, as expected".into()));
    assert_eq!(state(&lab, Claim::OneOutput), State::Holds);
    assert_eq!(lab.link().as_deref(), Some("v=1&id=flagship&do=0s.fence.sink1.claim,22s.pause.w1.55s"));

    let fence = FenceRules::raised(FenceRaise::FirstWrite);
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
fn an_end_that_is_kept_starts_another_edit_and_one_that_is_taken_back_leaves_none() {
    let mut lab = Lab::open(flagship(), 1, None);
    lab.move_fault(0, 22 * SECOND, Some(70 * SECOND));
    let kept = lab.acts().to_vec();
    lab.settle();
    lab.move_fault(0, 22 * SECOND, Some(60 * SECOND));
    lab.move_fault(0, 22 * SECOND, Some(50 * SECOND));
    lab.restore();
    assert_eq!(lab.acts(), kept);
    lab.restore();
    assert_eq!(lab.acts(), kept, "nothing was moved since");
    lab.undo();
    assert_eq!(lab.acts(), flagship().scenario.script);
}

/// Damage is seen at the end, where nothing can be done any more; the rest opens where something can.
#[test]
fn a_lab_opens_at_its_damage_or_where_something_can_be_done() {
    for case in cases() {
        let lab = Lab::open(case, 1, None);
        let at = lab.opening();
        let id = &lab.case().id;
        if lab.derived().is_damaged() {
            assert_eq!(at, lab.until(), "{id}");
            continue;
        }
        let nodes =
            (0..lab.derived().scenario.node_count()).filter_map(|n| u16::try_from(n).ok()).map(NodeId);
        let possible =
            nodes.into_iter().flat_map(|node| lab.offers(node, at)).any(|offer| offer.refused.is_none());
        assert!(possible, "{id} at {at}");
    }
    let mut lab = Lab::open(flagship(), 1, None);
    assert_eq!(lab.opening(), 102 * SECOND);
    lab.remedy(0);
    assert_eq!(lab.opening(), 21 * SECOND, "fenced, and about to be paused");
    assert_eq!(untouched().opening(), 0);
}

#[test]
fn a_link_carries_no_more_acts_than_can_be_read() {
    let act = untouched().case().scenario.script[0];
    let lab = |acts: usize| Lab::open(flagship(), 1, Some(vec![act; acts]));
    assert!(lab(500).link().is_some());
    assert_eq!(lab(501).link(), None);
}

#[test]
fn one_key_makes_a_fault_or_says_why_not_in_the_menus_words() {
    let mut lab = untouched();
    let pause = lab.direct(WORKER_1, 22 * SECOND, Direct::Pause).expect("it runs");
    lab.take(pause.deed, 22 * SECOND);
    let resume = lab.direct(WORKER_1, 30 * SECOND, Direct::Pause).expect("it is paused");
    assert_eq!(resume.name, "Resume");
    let refused = |node, at, direct| lab.direct(node, at, direct).expect_err("refused");
    assert_eq!(refused(NodeId(2), 10 * SECOND, Direct::Pause), "Pause: it runs nothing now");
    assert_eq!(
        refused(WORKER_1, lab.until(), Direct::Crash),
        "Crash: the run ends here; move the cursor back"
    );
    assert_eq!(refused(TABLE, 10 * SECOND, Direct::Slow), "Slow: revenue has no such fault");
}

#[test]
fn the_fault_that_is_meant_is_the_selected_one_else_the_one_in_force() {
    let mut lab = untouched();
    for (from, until) in [(10, 15), (22, 77)] {
        lab.act(from * SECOND, Act::Pause { node: WORKER_1, lasts: Some(Span::secs(until - from as i64)) });
    }
    let first = lab.first_of(WORKER_1);
    assert_eq!(lab.fault_meant(first, WORKER_1, 30 * SECOND), Some(0));
    assert_eq!(lab.fault_meant(None, WORKER_1, 30 * SECOND), Some(1));
    assert_eq!(lab.fault_meant(None, WORKER_1, 90 * SECOND), Some(1));
    assert_eq!(lab.fault_meant(None, NodeId(2), 30 * SECOND), None);
}

#[test]
fn what_an_edit_made_of_the_run_is_said_in_one_message() {
    let mut lab = Lab::open(flagship(), 1, None);
    let given = Arc::clone(lab.derived());
    lab.remedy(0);
    assert_eq!(lab.result(&given), "The remedy. One output: now holds. 1 write fenced.");
    lab.undo();
    assert_eq!(lab.result(&given), "One output: still violated.");
    lab.move_fault(0, 22 * SECOND, Some(73 * SECOND));
    assert_eq!(
        lab.result(&given),
        "Pause ends at 73.0 seconds. One output: still violated, now at 81.4 seconds."
    );
}

#[test]
fn play_is_told_by_what_matters() {
    let lab = Lab::open(flagship(), 1, None);
    let mut voice = Voice::default();
    voice.happens(lab.happens(0, lab.until()));
    let Some(Message::Happened(batch)) = voice.speak(0) else { panic!("a batch") };
    let told = lab.told(&batch);
    assert!(told.contains("Token 7 writes 1,204 rows, stale. Accepted."), "{told}");
    assert!(told.contains("One output: now violated.") && told.ends_with(" more."), "{told}");
    assert_eq!(lab.interesting(30 * SECOND, true), Some(50_400_000), "the lease's end");
    assert_eq!(lab.interesting(30 * SECOND, false), Some(22 * SECOND));
    assert_eq!(lab.interesting(lab.until(), true), None);
    // Two hundred workers: the few that matter are told, the rest is counted.
    let case = cases().into_iter().find(|case| case.id == "clock-forward").expect("there is one");
    let many = Lab::open(case, 1, None);
    voice.happens(many.happens(0, many.until()));
    let Some(Message::Happened(batch)) = voice.speak(10_000) else { panic!("a batch") };
    let told = many.told(&batch);
    assert!(told.len() < 300, "{told}");
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

/// An operator's word makes no rows: what is called success is not the truth.
#[test]
fn a_success_that_was_only_decided_is_not_as_expected() {
    let mut lab = untouched();
    lab.act(10 * SECOND, Act::Operator { task: TaskId(0), decision: Decision::Succeed });
    let outcome = lab.derived().at(11 * SECOND).outcome;
    assert_eq!(outcome.scheduler.lead, "success");
    assert_eq!((outcome.truth.lead.as_str(), outcome.truth.rest.as_str()), ("0 rows", " so far"));
}

#[test]
fn at_the_end_of_a_run_every_fault_is_refused_in_the_menus_words() {
    let lab = untouched();
    let end = lab.until();
    for direct in [Direct::Pause, Direct::Cut, Direct::Crash, Direct::Slow, Direct::Clock] {
        let refused = lab.direct(WORKER_1, end, direct).expect_err("nothing comes of it");
        assert!(refused.ends_with(": the run ends here; move the cursor back"), "{refused}");
    }
}

/// Stepping through a run meets every record once, and back again.
#[test]
fn a_step_is_one_event() {
    let lab = Lab::open(flagship(), 1, None);
    let derived = lab.derived();
    let count = derived.history.trace().len();
    let mut from = (0, Some(0));
    let mut met = Vec::new();
    while let Some(event) = derived.stepped(from, true) {
        met.push(event.record);
        from = (event.at, event.inside);
        assert_eq!(derived.after(event.record + 1).at, event.at);
    }
    assert_eq!(met, (0..count).collect::<Vec<_>>());
    while let Some(event) = derived.stepped(from, false) {
        met.push(event.record);
        from = (event.at, event.inside);
    }
    assert_eq!(met.len() as u32, 2 * count - 1);
}
