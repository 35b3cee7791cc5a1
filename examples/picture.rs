//! Draws runs on stages of several widths into `target/picture.html`, with the page's own styles,
//! to look at without a page: `cargo run --example picture`.

use fenceline::app::stage::{self, Label, Picture, Rail, RailPoint, RailState, Strips, View};
use fenceline_engine::*;
use fenceline_sim::workload::first_run;
use fenceline_sim::*;
use std::fmt::Write;

fn simulate(run: &Run) -> (Trace, u64) {
    let mut simulation = Simulation::new(run);
    simulation.finish();
    (simulation.trace().clone(), simulation.now())
}

fn text(label: &Label) -> String {
    let Label { class, hue, x, y, anchor, text, .. } = label;
    let text = text.replace('&', "&amp;").replace('<', "&lt;");
    format!(r#"<text class="{class} a{hue}" x="{x}" y="{y}" text-anchor="{}">{text}</text>"#, anchor.name())
}

fn svg(picture: &Picture, cursor: u64) -> String {
    let Picture { width, height, .. } = picture;
    let x = picture.axis.x(cursor);
    // Ids must differ from stage to stage.
    let id = (width * 10.0) as u32 + (x * 7.0) as u32 + picture.labels.len() as u32 * 13;
    let mut out = format!(r#"<svg width="{width}" height="{height}"><defs>"#);
    for hue in 1..=4 {
        for (kind, wide) in [("thin", 1.6), ("thick", 5.4)] {
            let _ = write!(
                out,
                r#"<pattern id="{kind}-{hue}" width="8" height="8" patternUnits="userSpaceOnUse" patternTransform="rotate(45)"><rect class="k-stripe a{hue}" width="{wide}" height="8"/></pattern>"#
            );
        }
    }
    let _ = write!(
        out,
        r#"<clipPath id="past-{id}"><rect width="{x}" height="{height}"/></clipPath><clipPath id="future-{id}"><rect x="{x}" width="{width}" height="{height}"/></clipPath></defs>"#
    );
    for shape in &picture.shapes {
        let fill = match shape.class {
            "k-thin-stripes" => format!(r#" style="fill:url(#thin-{})""#, shape.hue),
            "k-thick-stripes" => format!(r#" style="fill:url(#thick-{})""#, shape.hue),
            _ => String::new(),
        };
        let _ = write!(out, r#"<path class="{} a{}" d="{}"{fill}/>"#, shape.class, shape.hue, shape.d);
    }
    let _ = write!(
        out,
        r#"<rect class="veil" x="{x}" y="26" width="{}" height="{height}"/>"#,
        (width - x).max(0.0)
    );
    for label in picture.labels.iter().filter(|label| !label.on) {
        out += &text(label);
    }
    let on: String = picture.labels.iter().filter(|label| label.on).map(text).collect();
    let _ = write!(
        out,
        r##"<g class="past" clip-path="url(#past-{id})"><g class="on">{on}</g></g><g clip-path="url(#future-{id})">{on}</g>"##
    );
    let (pill, half) = (fenceline::app::words::instant(cursor, None), 32.0_f32);
    for tick in picture.ticks.iter().filter(|tick| (tick.x - x).abs() > 46.0) {
        let _ = write!(
            out,
            r#"<text class="t-tick" x="{}" y="16" text-anchor="{}">{}</text>"#,
            tick.x,
            tick.anchor.name(),
            tick.text
        );
    }
    let middle = x.clamp(half, width - half - 1.0);
    let _ = write!(
        out,
        r#"<path class="cursor" d="M{x} 22V{height}"/><rect class="pill" x="{}" y="2" width="64" height="20" rx="5"/><text class="pill-text" x="{middle}" y="16" text-anchor="middle">{pill}</text></svg>"#,
        middle - half
    );
    out
}

fn stage(title: &str, run: &Run, rails: &[Rail], width: f32, cursor: u64) -> String {
    let (trace, now) = simulate(run);
    let rulebook = Rulebook::from(run);
    let truth = Truth::of(run, &trace, trace.len(), now);
    let view = View {
        rulebook: &rulebook,
        trace: &trace,
        truth: &truth,
        now,
        rails,
        alerts: &[],
        window: (0, run.scenario.until + 2_000_000),
        width,
        scale: if width > 1000.0 { 1.4 } else { 1.0 },
        strips: Strips::All,
        starts: None,
        measure: &stage::measure::approximate,
    };
    let view = View { window: (0, now), ..view };
    let picture = stage::draw(&view);
    let mut out = format!(
        r#"<h2>{title}</h2><div class="stage" style="width:{}px;border:1px solid var(--hair);border-radius:10px;overflow:hidden;margin:8px 0 24px"><div class="stage-gutter">"#,
        width + 200.0
    );
    for lane in &picture.lanes {
        let row = if matches!(lane.of, stage::LaneOf::Task(_)) { " row" } else { "" };
        let state =
            lane.state_at(cursor).map_or((lane.note.clone(), false), |state| (state.text.clone(), state.bad));
        let _ = write!(
            out,
            r#"<div class="stage-lane{row}" style="top:{}px"><b>{}</b><small class="{}">{}</small></div>"#,
            lane.y + lane.name_dy,
            lane.name,
            if state.1 { "bad" } else { "" },
            state.0
        );
        for (name, y) in &lane.strips {
            let _ = write!(out, r#"<span class="stage-strip" style="top:{y}px">{name}</span>"#);
        }
    }
    let _ = write!(out, "</div>{}</div>", svg(&picture, cursor));
    out
}

fn rail(at: u64, state: RailState, label: &str) -> Rail {
    let points = vec![RailPoint { at, record: 86, state, label: label.into() }];
    Rail { name: "One output".into(), points, idle: "one writer so far".into() }
}

fn paused(seconds: i64) -> Run {
    let mut run = Run::new(first_run());
    let act = Act::Pause { node: NodeId(1), lasts: Some(Span::secs(seconds)) };
    run.interventions.push(Intervention { when: When::At(22_000_000), act });
    run
}

fn with(mut run: Run, at: u64, act: Act) -> Run {
    run.interventions.push(Intervention { when: When::At(at), act });
    run
}

fn fence(raise: FenceRaise) -> Act {
    let fence = FenceRules {
        raise,
        memory: FenceMemory::Durable,
        check: FenceCheck::Atomic,
        scope: FenceScope::Partition,
    };
    Act::Set(Setting::Fence { node: NodeId(3), fence: Some(fence) })
}

fn main() {
    let bad = [rail(85_400_000, RailState::Violated, "two outputs from 85.4 s")];
    let ok = [rail(85_400_000, RailState::Holds, "one output: holds from 85.4 s")];
    let worker = NodeId(1);
    let plain = || Run::new(first_run());
    let cut = |node, path, way| Act::Cut { node, path, way, lasts: Some(Span::secs(40)) };
    let crash = |node: u16, lasts| Act::Crash { node: NodeId(node), lasts: Some(Span::secs(lasts)) };
    let jump = Act::StepClock { node: NodeId(0), by: Span::secs(25) };
    let freeze = Act::Freeze { node: worker, lasts: Some(Span::secs(45)), counts_sleep: false };
    let end = 102_000_000;
    let pages = [
        vec![
            stage("first run, 718", &paused(55), &bad, 718.0, end),
            stage("fenced", &with(paused(55), 0, fence(FenceRaise::Claim)), &ok, 718.0, 60_000_000),
            stage("late fence", &with(paused(45), 0, fence(FenceRaise::FirstWrite)), &bad, 718.0, end),
        ],
        vec![
            stage("578", &paused(55), &bad, 578.0, end),
            stage("420", &paused(55), &bad, 420.0, end),
            stage("nothing", &plain(), &[], 718.0, 30_000_000),
        ],
        vec![stage("wide", &paused(55), &bad, 1300.0, 40_000_000)],
        vec![
            stage("cut", &with(plain(), 12_000_000, cut(worker, Path::Control, Way::Both)), &bad, 718.0, end),
            stage(
                "data cut",
                &with(plain(), 12_000_000, cut(worker, Path::Data, Way::Out)),
                &bad,
                718.0,
                end,
            ),
            stage("crash", &with(plain(), 12_000_000, crash(1, 20)), &[], 718.0, end),
        ],
        vec![
            stage("scheduler down", &with(plain(), 12_000_000, crash(0, 40)), &[], 718.0, end),
            stage("clock", &with(plain(), 16_000_000, jump), &[], 718.0, end),
            stage("freeze", &with(plain(), 16_000_000, freeze), &[], 718.0, end),
        ],
    ];
    let style = [
        include_str!("../style/tokens.css"),
        include_str!("../style/base.css"),
        include_str!("../style/stage.css"),
    ]
    .concat();
    let theme = std::env::args().nth(1).unwrap_or_else(|| "light".into());
    std::fs::create_dir_all("target").expect("a folder for the picture");
    for (number, page) in pages.iter().enumerate() {
        let body = page.concat();
        let html = format!(
            r#"<!doctype html><html data-theme="{theme}"><meta charset="utf-8"><style>{style}</style><body style="padding:16px;background:var(--paper)">{body}"#
        );
        std::fs::write(format!("target/picture-{number}.html"), html).expect("the picture is written");
    }
}
