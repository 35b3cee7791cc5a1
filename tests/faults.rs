//! The menu of faults, walked over many states of many runs: what is offered is accepted by the run,
//! drawn, kept in the link and undone; what is refused says why.

mod support;

use std::sync::Arc;

use fenceline::app::lab::Lab;
use fenceline::app::lab::faults::{Deed, Offer};
use fenceline::app::lab::menu::Group;
use fenceline::app::lab::scene::{self, Room, WHOLE};
use fenceline::app::stage::Strips;
use fenceline::app::stage::measure::approximate;
use fenceline_content::link::RunLink;
use fenceline_content::scenario::Case;
use fenceline_engine::{Decision, NodeId};
use fenceline_sim::verdict::{Claim, State};
use fenceline_sim::{Act, Fate, Kind, Path, Way};
use support::{cases, none};

const SECOND: u64 = 1_000_000;
const SCHEDULER: NodeId = NodeId(0);
const WORKER_1: NodeId = NodeId(1);
const TABLE: NodeId = NodeId(3);

fn case(id: &str) -> Arc<Case> {
    cases().into_iter().find(|case| case.id == id).expect("there is such a scenario")
}

fn untouched() -> Lab {
    Lab::open(case("flagship"), 1, Some(Vec::new()))
}

fn offer(lab: &Lab, node: NodeId, at: u64, name: &str) -> Offer {
    let all = lab.offers(node, at * SECOND);
    let names: Vec<String> = all.iter().map(|offer| offer.name.clone()).collect();
    all.into_iter().find(|offer| offer.name == name).unwrap_or_else(|| panic!("`{name}` of {names:?}"))
}

fn take(lab: &mut Lab, node: NodeId, at: u64, name: &str) {
    let offer = offer(lab, node, at, name);
    assert_eq!(offer.refused, None, "{name}");
    lab.take(offer.deed, at * SECOND);
}

/// What records that an act was done.
fn kind_of(act: &Act) -> Kind {
    match act {
        Act::Pause { .. } => Kind::Paused,
        Act::Freeze { .. } => Kind::Frozen,
        Act::Crash { .. } | Act::Reboot { .. } => Kind::Crashed,
        Act::Slow { .. } => Kind::Slowed,
        Act::Block { .. } => Kind::LoopHeld,
        Act::Cut { .. } => Kind::LinkCut,
        Act::Degrade { .. } => Kind::LinkDegraded,
        Act::StepClock { .. } => Kind::ClockStepped,
        Act::ClockRate { .. } => Kind::ClockRated,
        Act::Input { .. } => Kind::InputChanged,
        Act::Operator { .. } => Kind::Decided,
        Act::Redeliver { .. } => Kind::Redelivered,
        Act::Restore { .. } => Kind::Restored,
        Act::ForceUnlock { .. } => Kind::LockForced,
        Act::Fail { .. } => Kind::Failing,
        Act::Set(_) => Kind::RuleSet,
    }
}

/// What is wrong with an offer that was taken.
fn after_taking(lab: &Lab, offer: &Offer, at: u64) -> Vec<&'static str> {
    let mut wrong = Vec::new();
    let mut touched = lab.clone();
    touched.take(offer.deed, at);
    if touched.acts() == lab.acts() {
        wrong.push("changes nothing");
    }
    let trace = touched.derived().history.trace();
    let index = touched.acts().len().saturating_sub(1);
    let void = |r: &fenceline_sim::Record| r.kind == Kind::Void && r.b == index as i64 && r.at == at;
    if let Deed::Do(act) = offer.deed {
        if trace.iter().any(void) {
            wrong.push("is void");
        }
        let done = trace.iter().position(|r| r.kind == kind_of(&act) && r.at == at);
        let Some(record) = done else {
            wrong.push("is not in the trace");
            return wrong;
        };
        let room = Room { width: 858.0, scale: 1.0, strips: Strips::All, starts: None, window: WHOLE };
        let picture = scene::picture(touched.derived(), room, &approximate);
        let drawn = |handle: &fenceline::app::stage::Handle| {
            trace.get(handle.record).is_some_and(|r| r.kind == kind_of(&act) && r.at == at)
        };
        // Lanes of nodes are there up to seven rows.
        let is_full =
            picture.lanes.iter().filter(|lane| matches!(lane.of, fenceline::app::stage::LaneOf::Node(_)));
        if is_full.count() == touched.derived().scenario.node_count() && !picture.handles.iter().any(drawn) {
            wrong.push("is not drawn");
        }
        let _ = record;
    }
    let link = touched.link().expect("a link");
    let given = link.split('&').filter_map(|pair| pair.split_once('='));
    let acts = RunLink::read(given)
        .ok()
        .flatten()
        .and_then(|link| link.interventions(touched.case().cast()).ok().flatten());
    if acts.unwrap_or_else(|| touched.case().scenario.script.clone()) != touched.acts() {
        wrong.push("is not what its link says");
    }
    touched.undo();
    if touched.acts() != lab.acts() || touched.derived().history.digest() != lab.derived().history.digest() {
        wrong.push("is not undone");
    }
    wrong
}

#[test]
fn what_is_offered_is_accepted_drawn_linked_and_undone_and_what_is_refused_says_why() {
    let mut findings = Vec::new();
    for case in cases().into_iter().filter(|case| case.scenario.node_count() <= 5) {
        let lab = Lab::open(Arc::clone(&case), 1, None);
        let nodes = u16::try_from(case.scenario.node_count()).expect("few");
        for at in [2, 6].map(|tenths| lab.until() / 10 * tenths / 100_000 * 100_000) {
            for offer in (0..nodes).flat_map(|node| lab.offers(NodeId(node), at)) {
                let id = format!("{}: {}", case.id, offer.full_name);
                assert!(!offer.effect.is_empty(), "{id}");
                match &offer.refused {
                    Some(why) => assert!(!why.is_empty(), "{id}"),
                    None => {
                        findings.extend(after_taking(&lab, &offer, at).iter().map(|w| format!("{id} {w}")))
                    }
                }
            }
        }
    }
    none("offers", &findings);
}

#[test]
fn each_act_is_offered_once_by_a_name_of_its_own() {
    let lab = Lab::open(case("flagship"), 1, None);
    for at in [0, 22, 40, 60, 80, 102] {
        for node in [SCHEDULER, WORKER_1, TABLE] {
            let mut names: Vec<String> =
                lab.offers(node, at * SECOND).into_iter().map(|offer| offer.full_name).collect();
            let all = names.len();
            names.sort();
            names.dedup();
            assert_eq!(names.len(), all, "{node:?} at {at}: {names:#?}");
            assert_eq!(lab.common(node, at * SECOND).len(), 2);
        }
    }
}

#[test]
fn the_menu_of_a_worker_has_its_groups() {
    let lab = untouched();
    let of = |group| -> Vec<String> {
        let all = lab.offers(WORKER_1, 22 * SECOND).into_iter();
        all.filter(|offer| offer.group == group).map(|offer| offer.name).collect()
    };
    assert_eq!(
        of(Group::Process),
        [
            "Pause",
            "Crash",
            "Restart",
            "Slow to 25 %",
            "Reboot host",
            "Suspend host",
            "Suspend host, clock too"
        ]
    );
    assert_eq!(
        of(Group::Links)[..6],
        [
            "Cut control",
            "Cut control outward",
            "Cut control inward",
            "Hold control",
            "Delay control",
            "Lose half on control"
        ]
    );
    assert_eq!(of(Group::Clock), ["Clock +25 s", "Clock −1 min", "Clock fast", "Clock slow"]);
    let pause = offer(&lab, WORKER_1, 22, "Pause");
    assert_eq!(pause.full_name, "Pause worker 1 at 22.0 s");
    assert_eq!(offer(&lab, WORKER_1, 22, "Cut data").full_name, "Cut data of worker 1 at 22.0 s");
}

#[test]
fn a_fault_in_force_offers_its_end() {
    for (name, end) in [
        ("Pause", "Resume"),
        ("Crash", "Bring back"),
        ("Slow to 25 %", "Full speed"),
        ("Suspend host, clock too", "Wake host"),
        ("Cut control inward", "Mend control inward"),
        ("Hold data", "Release data"),
        ("Delay control", "End delay on control"),
        ("Lose half on data", "End loss on data"),
    ] {
        let mut lab = untouched();
        take(&mut lab, WORKER_1, 22, name);
        take(&mut lab, WORKER_1, 30, end);
        assert_eq!(lab.standing(WORKER_1)[0].until, Some(30 * SECOND), "{name}");
    }
    let mut lab = untouched();
    take(&mut lab, WORKER_1, 22, "Clock fast");
    take(&mut lab, WORKER_1, 30, "True rate");
    assert!(lab.offers(WORKER_1, 40 * SECOND).iter().any(|offer| offer.name == "Clock fast"));
}

#[test]
fn what_would_do_nothing_says_why() {
    let mut lab = untouched();
    let why = |lab: &Lab, node, at, name: &str| offer(lab, node, at, name).refused.unwrap_or_default();
    take(&mut lab, SCHEDULER, 20, "Crash");
    assert_eq!(why(&lab, SCHEDULER, 22, "Pause"), "it is down");
    assert_eq!(why(&lab, SCHEDULER, 22, "Re-dispatch revenue"), "the scheduler is down and hears nothing");
    let mut lab = untouched();
    take(&mut lab, WORKER_1, 20, "Cut control");
    assert_eq!(why(&lab, WORKER_1, 22, "Cut control outward"), "that path is cut already");
    assert_eq!(why(&lab, WORKER_1, 22, "Delay control"), "that path is cut already");
    assert_eq!(why(&lab, WORKER_1, 22, "Delay data"), "");
    let done = lab.until() / SECOND - 1;
    assert_eq!(why(&lab, SCHEDULER, done, "Extend revenue"), "its outcome is recorded already");
    assert_eq!(why(&lab, WORKER_1, lab.until() / SECOND, "Crash"), "the run ends here; move the cursor back");
}

#[test]
fn an_operator_decides_where_the_policy_is_to_hold() {
    let mut lab = Lab::open(case("expiry-hold"), 1, None);
    let held =
        lab.derived().history.trace().iter().find(|r| r.kind == Kind::HeldForOperator).expect("held").at;
    let decide = Act::Operator { task: fenceline_engine::TaskId(0), decision: Decision::Redispatch };
    let offers = lab.offers(SCHEDULER, held + SECOND);
    let found = offers.iter().find(|offer| offer.deed == Deed::Do(decide)).expect("it is offered");
    assert_eq!(found.refused, None);
    lab.take(found.deed, held + SECOND);
    let granted =
        |lab: &Lab| lab.derived().history.trace().iter().filter(|r| r.kind == Kind::Granted).count();
    assert!(granted(&lab) >= 2);
    assert_eq!(lab.standing(SCHEDULER).last().map(|fault| fault.act), Some(decide));
}

#[test]
fn a_standing_fault_is_moved_stretched_turned_and_taken_away() {
    let mut lab = untouched();
    take(&mut lab, WORKER_1, 22, "Cut control");
    let fault = |lab: &Lab| lab.standing(WORKER_1)[0].clone();
    assert_eq!(fault(&lab).text, "control path cut 22.0 s");
    // What lasts for good gets an end to begin with.
    lab.stretch_fault(&fault(&lab), -1_000_000);
    assert_eq!(fault(&lab).until, Some(lab.until() - SECOND));
    lab.shift_fault(&fault(&lab), -2_000_000);
    assert_eq!((fault(&lab).from, fault(&lab).until), (20 * SECOND, Some(lab.until() - 3 * SECOND)));
    lab.shift_fault(&fault(&lab), -60_000_000);
    assert_eq!(fault(&lab).from, 0, "not before the run");
    lab.turn_fate(fault(&lab).index);
    let held =
        Act::Cut { node: WORKER_1, path: Path::Control, way: Way::Both, fate: Fate::Held, lasts: None };
    assert_eq!(fault(&lab).act.lasting(None), held);
    assert!(lab.link().expect("a link").contains("cut.w1.control.both-ways.held"));
    lab.remove(fault(&lab).index);
    assert_eq!(lab.standing(WORKER_1), []);
    // Faults at a point of a program stand there too.
    let point = Lab::open(case("scheduler-crash-between"), 1, None);
    let waits = point.standing(SCHEDULER).into_iter().find(|fault| !fault.timed).expect("it waits");
    assert!(waits.text.contains("attempt"), "{}", waits.text);
}

/// Held messages are no cure and no harm by themselves: one run shows what losing them does.
#[test]
fn a_lost_answer_doubles_and_a_new_input_is_seen() {
    let mut lab = untouched();
    take(&mut lab, TABLE, 20, "Cut data outward");
    let lost = lab.derived().history.trace().iter().filter(|r| r.kind == Kind::Lost).count();
    assert!(lost > 0, "the table answers and nobody hears it");
    let mut lab = Lab::open(case("flagship"), 1, None);
    take(&mut lab, SCHEDULER, 30, "Change input of revenue");
    let read = lab.derived().history.trace();
    let versions: Vec<u8> = read.iter().filter(|r| r.kind == Kind::InputRead).map(|r| r.flag).collect();
    assert_eq!(versions, [1, 2]);
    let state = |claim| lab.derived().end.verdicts.iter().find(|v| v.claim == claim).map(|v| v.state);
    assert_eq!(state(Claim::OneOutput), Some(State::Violated));
}
