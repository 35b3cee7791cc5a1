//! Interventions at random: every fault, and every rule changed on the way.

use super::alert;
use super::rules::*;
use fenceline_engine::*;
use fenceline_sim::{Act, Fate, Intervention, Path, Scenario, Setting, Way, When};
use proptest::prelude::*;
use proptest::sample::select;

fn setting(sinks: std::ops::Range<u16>) -> impl Strategy<Value = Setting> {
    let node = || sinks.clone().prop_map(NodeId);
    prop_oneof![
        span(1, 40).prop_map(Setting::Lease),
        span(1, 12).prop_map(Setting::Heartbeat),
        scope().prop_map(Setting::LeaseScope),
        maybe(1..60_u32).prop_map(Setting::Capacity),
        source().prop_map(Setting::Source),
        beats_to().prop_map(Setting::BeatsTo),
        store().prop_map(Setting::Store),
        (span(1, 5), maybe(1..3_u32)).prop_map(|(every, most)| Setting::Sweep { every, most }),
        maybe(span(1, 10)).prop_map(Setting::JumpGuard),
        expiry_clock().prop_map(Setting::Clock),
        restart().prop_map(Setting::Restart),
        dispatch().prop_map(Setting::Dispatch),
        expiry().prop_map(Setting::Expiry),
        (1..5_u8).prop_map(Setting::Attempts),
        delay().prop_map(Setting::Delay),
        maybe(1..3_u16).prop_map(Setting::Pool),
        limit().prop_map(Setting::StartTimeout),
        limit().prop_map(Setting::ProgressTimeout),
        limit().prop_map(Setting::RunTimeout),
        kill().prop_map(Setting::Kill),
        maybe(span(0, 9)).prop_map(Setting::Launch),
        misfire().prop_map(Setting::Misfire),
        overlap().prop_map(Setting::Overlap),
        (0..3_u16).prop_map(Setting::Prefetch),
        respawn().prop_map(Setting::Respawn),
        start_guard().prop_map(Setting::StartGuard),
        child().prop_map(Setting::Child),
        late().prop_map(Setting::Late),
        select(vec![LeaseStart::Grant, LeaseStart::Delivery, LeaseStart::FirstHeartbeat])
            .prop_map(Setting::LeaseStart),
        select(vec![LateRenewal::Refuse, LateRenewal::Revive]).prop_map(Setting::LateRenewal),
        select(vec![Period::FixedRate, Period::FixedDelay]).prop_map(Setting::Period),
        call().prop_map(Setting::BeatCall),
        span(0, 3).prop_map(Setting::Jitter),
        select(vec![Counter::Durable, Counter::Volatile, Counter::Floored]).prop_map(Setting::Counter),
        select(vec![BeliefAnchor::Send, BeliefAnchor::Reply]).prop_map(Setting::Anchor),
        span(0, 3).prop_map(Setting::Gap),
        belief_clock().prop_map(Setting::Belief),
        wake().prop_map(Setting::Wake),
        expiry_counts().prop_map(Setting::ExpiryCounts),
        returning().prop_map(Setting::Returning),
        owner().prop_map(Setting::Owner),
        same_owner().prop_map(Setting::SameOwner),
        call().prop_map(Setting::Call),
        call().prop_map(Setting::Acknowledgement),
        on_loss().prop_map(Setting::OnLoss),
        (node(), kind()).prop_map(|(node, kind)| Setting::Sink { node, kind }),
        (node(), maybe(fence())).prop_map(|(node, fence)| Setting::Fence { node, fence }),
        maybe(alert()).prop_map(Setting::Alert),
    ]
}

/// Stops of a process, which can be aimed at a point as well as at a time.
fn stop(nodes: u16) -> impl Strategy<Value = Act> {
    // One node too many: such an act is void.
    // Zombies come of workers that stop for a while.
    let node = prop_oneof![1 => 0..=nodes, 1 => 1..3_u16].prop_map(NodeId);
    let lasts = prop_oneof![1 => Just(None), 3 => span(0, 60).prop_map(Some)];
    (node, lasts, 0..5_u8).prop_map(|(node, lasts, which)| match which {
        0 | 1 => Act::Pause { node, lasts },
        2 => Act::Crash { node, lasts },
        3 => Act::Reboot { node, lasts },
        _ => Act::Freeze { node, lasts, counts_sleep: lasts.is_none_or(|lasts| lasts.0 % 2 == 0) },
    })
}

fn act(scenario: &Scenario) -> impl Strategy<Value = Act> + use<> {
    let nodes = scenario.node_count() as u16;
    let sinks = scenario.sink(0).0..scenario.sink(scenario.sinks.len()).0;
    let node = || (0..nodes).prop_map(NodeId);
    let lasts = || maybe(span(0, 60));
    let path = || select(vec![Path::Control, Path::Data, Path::Both]);
    let way = || select(vec![Way::Both, Way::Out, Way::In]);
    let task = || (0..=scenario.tasks.len() as u16).prop_map(TaskId);
    let sink = || (scenario.sink(0).0..=scenario.sink(scenario.sinks.len()).0).prop_map(NodeId);
    let failing =
        (prop_oneof![Just(Span::ZERO), span(1, 20)], select(vec![FailEffect::Nothing, FailEffect::Done]));
    let failing = failing.prop_map(|(held, effect)| Failing { held, effect });
    let kept = || prop_oneof![2 => sink(), 1 => Just(NodeId(0))];
    use Decision::*;
    let decision = select(vec![Redispatch, Fail, Succeed, Extend, Cancel, Rerun, Rerun]);
    prop_oneof![
        4 => stop(nodes),
        1 => (node(), 0..300_u32, lasts()).prop_map(|(node, percent, lasts)| Act::Slow { node, percent, lasts }),
        2 => (node(), path(), way(), select(vec![Fate::Lost, Fate::Held]), lasts())
            .prop_map(|(node, path, way, fate, lasts)| Act::Cut { node, path, way, fate, lasts }),
        1 => (node(), path(), way(), span(0, 5), 0..900_000_u32, prop_oneof![Just(0), 0..500_000_u32], lasts())
            .prop_map(|(node, path, way, latency, loss, duplicate, lasts)| {
                Act::Degrade { node, path, way, latency, loss, duplicate, lasts }
            }),
        1 => (node(), span(-60, 60)).prop_map(|(node, by)| Act::StepClock { node, by }),
        1 => (node(), -400_000..400_000_i64).prop_map(|(node, ppm)| Act::ClockRate { node, ppm }),
        1 => (task(), 1..4_u8).prop_map(|(task, version)| Act::Input { task, version }),
        1 => (node(), task()).prop_map(|(node, task)| Act::Redeliver { node, task }),
        1 => (task(), decision).prop_map(|(task, decision)| Act::Operator { task, decision }),
        2 => (kept(), failing, lasts()).prop_map(|(node, failing, lasts)| Act::Fail { node, failing, lasts }),
        1 => (kept(), span(1, 60)).prop_map(|(node, back)| Act::Restore { node, back }),
        1 => (0..4_u16, lasts()).prop_map(|(node, lasts)| Act::Block { node: NodeId(node), lasts }),
        3 => sink().prop_map(|node| Act::ForceUnlock { node }),
        2 => setting(sinks).prop_map(Act::Set),
    ]
}

/// One intervention; most at a time, some at a point in a program or a dispatch.
pub(crate) fn intervention(scenario: &Scenario) -> impl Strategy<Value = Intervention> + use<> {
    let until = i64::try_from(scenario.until).unwrap_or(0) / 1_000_000;
    let at = prop_oneof![9 => span(0, until), 1 => Just(Span::ZERO), 1 => span(0, 2 * until)];
    let timed = (at.prop_map(|at| When::At(at.0 as u64)), act(scenario));
    let task = || (0..scenario.tasks.len() as u16).prop_map(TaskId);
    let step = (task(), 1..4_u8, 1..6_u8)
        .prop_map(|(task, attempt, step)| When::BeforeStep { exec: Exec::first(task, attempt), step });
    let grant = (task(), 1..4_u8).prop_map(|(task, attempt)| When::HalfDispatched { task, attempt });
    let aimed = (prop_oneof![step, grant], stop(scenario.node_count() as u16));
    prop_oneof![5 => timed.prop_map(|(when, act)| Intervention { when, act }).boxed(),
        1 => aimed.prop_map(|(when, act)| Intervention { when, act }).boxed()]
}
