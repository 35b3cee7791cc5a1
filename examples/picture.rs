//! Draws every scenario, as given and under its first remedy, into `target/picture-ID.html`, with the
//! page's own styles, to look at without a page: `cargo run --example picture [light|dark] [WIDTH]`.

use std::fmt::Write;
use std::sync::Arc;

use fenceline::app::lab::Lab;
use fenceline::app::lab::scene::{self, Room};
use fenceline::app::stage::measure::approximate;
use fenceline::app::stage::{Label, LaneOf, Picture, Strips};
use fenceline::app::words::instant;
use fenceline_content::scenario::ScenarioFile;

const STYLES: [&str; 3] = [
    include_str!("../style/tokens.css"),
    include_str!("../style/base.css"),
    include_str!("../style/stage.css"),
];

fn text(label: &Label) -> String {
    let Label { class, hue, x, y, anchor, text, .. } = label;
    let text = text.replace('&', "&amp;").replace('<', "&lt;");
    format!(r#"<text class="{class} a{hue}" x="{x}" y="{y}" text-anchor="{}">{text}</text>"#, anchor.name())
}

/// The drawing; `id` sets its ids apart from those of others on the page.
fn svg(picture: &Picture, cursor: u64, starts: Option<u32>, id: &str) -> String {
    let Picture { width, height, .. } = picture;
    let x = picture.axis.x(cursor);
    let mut out = format!(r#"<svg width="{width}" height="{height}"><defs>"#);
    for hue in 1..=4 {
        for (kind, wide) in [("thin", 1.6), ("thick", 5.4)] {
            out += &format!(
                r#"<pattern id="{id}{kind}{hue}" width="8" height="8" patternUnits="userSpaceOnUse" patternTransform="rotate(45)"><rect class="k-stripe a{hue}" width="{wide}" height="8"/></pattern>"#
            );
        }
    }
    out += &format!(
        r#"<clipPath id="{id}past"><rect width="{x}" height="{height}"/></clipPath><clipPath id="{id}next"><rect x="{x}" width="{width}" height="{height}"/></clipPath></defs>"#
    );
    for shape in &picture.shapes {
        let fill = match shape.class {
            "k-thin-stripes" => format!(r#" fill="url(#{id}thin{})""#, shape.hue),
            "k-thick-stripes" => format!(r#" fill="url(#{id}thick{})""#, shape.hue),
            _ => String::new(),
        };
        out += &format!(r#"<path class="{} a{}" d="{}"{fill}/>"#, shape.class, shape.hue, shape.d);
    }
    let rest = (width - x).max(0.0);
    out += &format!(r#"<rect class="veil" x="{x}" y="26" width="{rest}" height="{height}"/>"#);
    out.extend(picture.labels.iter().filter(|label| !label.on).map(text));
    let on: String = picture.labels.iter().filter(|label| label.on).map(text).collect();
    out += &format!(
        r##"<g class="past" clip-path="url(#{id}past)">{on}</g><g clip-path="url(#{id}next)">{on}</g>"##
    );
    let middle = x.clamp(33.0, width - 33.0);
    for tick in picture.ticks.iter().filter(|tick| (tick.x - middle).abs() > 50.0) {
        let (x, anchor, text) = (tick.x, tick.anchor.name(), &tick.text);
        out += &format!(r#"<text class="t-tick" x="{x}" y="16" text-anchor="{anchor}">{text}</text>"#);
    }
    let (left, time) = (middle - 32.0, instant(cursor, starts));
    out += &format!(
        r#"<path class="cursor" d="M{x} 22V{height}"/><rect class="pill" x="{left}" y="2" width="64" height="20" rx="5"/><text class="pill-text" x="{middle}" y="16" text-anchor="middle">{time}</text></svg>"#
    );
    out
}

/// The drawing beside its gutter, in a frame.
fn framed(title: &str, picture: &Picture, cursor: u64, starts: Option<u32>, id: &str) -> String {
    let wide = picture.width + 200.0;
    let mut out = format!(
        r#"<h2>{title}</h2><div class="stage" style="width:{wide}px;border:1px solid var(--hair);border-radius:10px;overflow:hidden;margin:8px 0 24px"><div class="stage-gutter">"#
    );
    for lane in &picture.lanes {
        let row = if matches!(lane.of, LaneOf::Task(_)) { " row" } else { "" };
        let state = lane.state_at(cursor);
        let (said, bad) = state.map_or((&lane.note, false), |state| (&state.text, state.bad));
        let class = if bad { "bad" } else { "" };
        let top = lane.y + lane.name_dy;
        let name = &lane.name;
        let _ = write!(
            out,
            r#"<div class="stage-lane{row}" style="top:{top}px"><b>{name}</b><small class="{class}">{said}</small></div>"#
        );
        for (name, y) in &lane.strips {
            let _ = write!(out, r#"<span class="stage-strip" style="top:{y}px">{name}</span>"#);
        }
    }
    out + "</div>" + &svg(picture, cursor, starts, id) + "</div>"
}

/// The phone's stage, 390 px wide.
fn phone(lab: &Lab, cursor: u64) -> String {
    use fenceline::app::stage::down::down;
    use fenceline::app::words::event::{Piece, hue};
    let derived = lab.derived();
    let room = Room {
        width: 358.0,
        scale: 1.0,
        strips: Strips::All,
        starts: lab.case().starts,
        window: scene::WHOLE,
    };
    let sheet = scene::down(derived, room, &approximate, down);
    let mut out = String::from(r#"<div class="down stage" style="width:358px"><div class="down-heads">"#);
    for head in &sheet.heads {
        out += &format!("<button>{}<i>▾</i></button>", head.name);
    }
    let (wide, height) = (sheet.width, sheet.height);
    out += &format!(
        r#"</div><div class="down-story" style="height:{height}px"><svg width="{}" height="{height}"><defs>"#,
        wide + 16.0
    );
    for hue in 1..=4 {
        for (kind, wide) in [("thin", 1.6), ("thick", 5.4)] {
            out += &format!(
                r#"<pattern id="p{kind}{hue}" width="8" height="8" patternUnits="userSpaceOnUse" patternTransform="rotate(45)"><rect class="k-stripe a{hue}" width="{wide}" height="8"/></pattern>"#
            );
        }
    }
    out += "</defs>";
    for shape in &sheet.shapes {
        let fill = match shape.class {
            "k-thin-stripes" => format!(r#" fill="url(#pthin{})""#, shape.hue),
            "k-thick-stripes" => format!(r#" fill="url(#pthick{})""#, shape.hue),
            _ => String::new(),
        };
        out += &format!(r#"<path class="{} a{}" d="{}"{fill}/>"#, shape.class, shape.hue, shape.d);
    }
    out += r#"<g class="labels">"#;
    for label in &sheet.labels {
        let one = text(label);
        let turn = format!(r#" transform="rotate(-90 {} {})">"#, label.x, label.y);
        let one = if label.class.contains("t-turned") { one.replacen('>', &turn, 1) } else { one };
        out += &if label.on { format!(r#"<g class="past">{one}</g>"#) } else { one };
    }
    out += "</g></svg><ol>";
    for (index, placed) in sheet.rows.iter().enumerate() {
        let tone = format!("{:?}", placed.row.tone).to_lowercase();
        let fold = if placed.row.folded { " fold" } else { "" };
        let here = if sheet.row_at(cursor) == Some(index) { " here" } else { "" };
        let said: String = placed
            .row
            .sentence
            .iter()
            .map(|piece| match piece {
                Piece::Text(text) => text.clone(),
                Piece::Strong(text) => format!("<b>{text}</b>"),
                Piece::Token { attempt, token } => {
                    format!(r#"<b class="tok a{}">{token}</b>"#, hue(*attempt))
                }
            })
            .collect();
        out += &format!(
            r#"<li class="down-row {tone}{fold}{here}" style="top:{}px;height:{}px;left:{wide}px"><button><time>{}</time><span>{said}</span></button></li>"#,
            placed.top, placed.height, placed.row.time
        );
    }
    out + "</ol></div></div>"
}

fn main() {
    let mut args = std::env::args().skip(1);
    let theme = args.next().unwrap_or_else(|| "light".into());
    let width: f32 = args.next().map_or(718.0, |width| width.parse().expect("a width"));
    let mut paths: Vec<_> = std::fs::read_dir("assets/scenarios")
        .expect("the scenarios")
        .map(|entry| entry.expect("an entry").path())
        .collect();
    paths.sort();
    std::fs::create_dir_all("target").expect("a folder");
    for path in paths {
        let file: ScenarioFile =
            toml::from_str(&std::fs::read_to_string(&path).expect("a file")).expect("it parses");
        let case = Arc::new(file.read("scenario").expect("it is right"));
        let mut body = String::new();
        for remedy in [None, Some(0)] {
            let mut lab = Lab::open(Arc::clone(&case), 1, None);
            if let Some(remedy) = remedy {
                lab.remedy(remedy);
            }
            let room =
                Room { width, scale: 1.0, strips: Strips::All, starts: case.starts, window: scene::WHOLE };
            let picture = scene::picture(lab.derived(), room, &approximate);
            let id = if remedy.is_some() { "cured-" } else { "given-" };
            body += &framed(&case.title, &picture, lab.until(), case.starts, id);
        }
        let style = STYLES.concat();
        let lab = Lab::open(Arc::clone(&case), 1, None);
        let sheet = phone(&lab, lab.until());
        let html = format!(
            r#"<!doctype html><html data-theme="{theme}"><meta charset="utf-8"><style>{style}</style><body style="padding:16px;background:var(--paper)">{sheet}"#
        );
        std::fs::write(format!("target/phone-{}.html", case.id), html).expect("it is written");
        let html = format!(
            r#"<!doctype html><html data-theme="{theme}"><meta charset="utf-8"><style>{style}</style><body style="padding:16px;background:var(--paper)">{body}"#
        );
        std::fs::write(format!("target/picture-{}.html", case.id), html).expect("it is written");
    }
}
