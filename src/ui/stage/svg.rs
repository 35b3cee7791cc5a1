//! The drawing itself, made by hand: a picture is a list of paths and texts, and what moves with the
//! cursor is a handful of attributes.

use crate::app::stage::{Area, Label, Picture, RULER, Shape, between};
use crate::app::words::instant;
use crate::ui::stage::measure::measured;
use leptos::prelude::document;
use std::cell::Cell;
use web_sys::Element;

const SVG: &str = "http://www.w3.org/2000/svg";

/// Makes an element under a parent. A browser that refuses leaves a gap in the drawing.
pub(super) fn add(parent: &Element, tag: &str, attributes: &[(&str, &str)]) -> Option<Element> {
    let element = document().create_element_ns(Some(SVG), tag).ok()?;
    set(&element, attributes);
    parent.append_child(&element).ok()?;
    Some(element)
}

pub(super) fn set(element: &Element, attributes: &[(&str, &str)]) {
    for (name, value) in attributes {
        let _ = element.set_attribute(name, value);
    }
}

/// With one decimal at most.
pub(super) fn px(figure: f32) -> String {
    let tenths = (figure * 10.0).round() as i32;
    let sign = if tenths < 0 { "-" } else { "" };
    format!("{sign}{}.{}", (tenths / 10).abs(), (tenths % 10).abs())
}

/// The hatches: thin stripes where a zombie is paused, thick where it runs.
pub(super) fn patterns(svg: &Element, id: &str) -> Option<Element> {
    let defs = add(svg, "defs", &[])?;
    for hue in 1..=4 {
        for (kind, wide) in [("thin", "1.6"), ("thick", "5.4")] {
            let name = format!("{id}-{kind}-{hue}");
            let pattern = add(
                &defs,
                "pattern",
                &[
                    ("id", &name),
                    ("width", "8"),
                    ("height", "8"),
                    ("patternUnits", "userSpaceOnUse"),
                    ("patternTransform", "rotate(45)"),
                ],
            )?;
            let class = format!("k-stripe a{hue}");
            add(&pattern, "rect", &[("class", &class), ("width", wide), ("height", "8")])?;
        }
    }
    Some(defs)
}

/// One path for each kind of mark and colour.
pub(super) fn paths(parent: &Element, id: &str, shapes: &[Shape]) {
    for shape in shapes {
        let class = format!("{} a{}", shape.class, shape.hue);
        let Some(path) = add(parent, "path", &[("class", &class), ("d", &shape.d)]) else { continue };
        let stripes = match shape.class {
            "k-thin-stripes" => "thin",
            "k-thick-stripes" => "thick",
            _ => continue,
        };
        set(&path, &[("fill", &format!("url(#{id}-{stripes}-{})", shape.hue))]);
    }
}

/// The parts of a stage's drawing.
pub(super) struct Drawing {
    svg: Element,
    /// Prefix of its ids: there may be several stages on a page.
    id: String,
    marks: Element,
    veil: Element,
    labels: Element,
    on_past: Element,
    on_future: Element,
    past: Element,
    future: Element,
    ticks: Element,
    line: Element,
    pill: Element,
    pill_text: Element,
    rings: [Element; 2],
    focus: Element,
    /// Holds the ring around a mark that has just decided a verdict: one at most.
    decided: Element,
    /// Where the cursor was.
    before: Cell<u64>,
    scrubber: Element,
}

impl Drawing {
    pub(super) fn new(svg: &Element, number: u32, faint: bool) -> Option<Self> {
        let id = format!("stage{number}");
        let defs = patterns(svg, &id)?;
        let clip = |name: &str| {
            let clip = add(&defs, "clipPath", &[("id", &format!("{id}-{name}"))])?;
            add(&clip, "rect", &[("y", "0")])
        };
        let (past, future) = (clip("past")?, clip("future")?);
        let group = |class: &str| add(svg, "g", &[("class", class)]);
        let clipped = |class: &str, name: &str| {
            add(svg, "g", &[("class", class), ("clip-path", &format!("url(#{id}-{name})"))])
        };
        let veil = |class: &str| add(svg, "rect", &[("class", class), ("y", &px(RULER))]);
        let marks = group("marks")?;
        // Over the marks only; or over the words as well.
        let over_marks = if faint { None } else { Some(veil("veil")?) };
        let labels = group("labels")?;
        let (on_past, on_future) = (clipped("past", "past")?, clipped("future", "future")?);
        let veil = match over_marks {
            Some(veil) => veil,
            None => veil("veil strong")?,
        };
        Some(Self {
            marks,
            veil,
            labels,
            on_past,
            on_future,
            ticks: group("ticks")?,
            rings: [
                add(svg, "rect", &[("class", "selected-gap"), ("rx", "6")])?,
                add(svg, "rect", &[("class", "selected"), ("rx", "6")])?,
            ],
            focus: add(svg, "rect", &[("class", "focused"), ("rx", "6")])?,
            decided: group("deciding")?,
            before: Cell::new(u64::MAX),
            line: add(svg, "path", &[("class", "cursor")])?,
            pill: add(svg, "rect", &[("class", "pill"), ("y", "2"), ("height", "20"), ("rx", "5")])?,
            pill_text: add(svg, "text", &[("class", "pill-text"), ("y", "16"), ("text-anchor", "middle")])?,
            scrubber: add(svg, "rect", &[("class", "scrubber"), ("height", &px(RULER))])?,
            past,
            future,
            svg: svg.clone(),
            id,
        })
    }

    /// Draws another picture.
    pub(super) fn show(&self, picture: &Picture) {
        let (width, height) = (px(picture.width), px(picture.height));
        set(&self.svg, &[("width", &width), ("height", &height)]);
        set(&self.scrubber, &[("width", &width)]);
        for group in [&self.marks, &self.labels, &self.on_past, &self.on_future, &self.ticks] {
            group.set_text_content(None);
        }
        paths(&self.marks, &self.id, &picture.shapes);
        for label in &picture.labels {
            if label.on {
                text(&self.on_past, label);
                text(&self.on_future, label);
            } else {
                text(&self.labels, label);
            }
        }
        for tick in &picture.ticks {
            let at =
                [("class", "t-tick"), ("x", &px(tick.x)), ("y", "16"), ("text-anchor", tick.anchor.name())];
            if let Some(element) = add(&self.ticks, "text", &at) {
                element.set_text_content(Some(&tick.text));
            }
        }
    }

    /// Moves the cursor, and with it the veil over what is still to come.
    pub(super) fn move_to(&self, picture: &Picture, cursor: u64, starts: Option<u32>) {
        let x = picture.axis.x(cursor);
        let (width, height) = (picture.width, px(picture.height));
        let seen = picture.seen(cursor);
        let (left, rest) = (px(seen), px(width - seen.min(width)));
        set(&self.past, &[("width", &left), ("height", &height)]);
        set(&self.future, &[("x", &left), ("width", &rest), ("height", &height)]);
        set(&self.veil, &[("x", &left), ("width", &rest), ("height", &height)]);
        set(&self.line, &[("d", &format!("M{} 22V{height}", px(x)))]);
        if let Some(area) = picture.decided_between(self.before.replace(cursor), cursor) {
            self.decided.set_text_content(None);
            if let Some(ring) = add(&self.decided, "rect", &[("class", "decided"), ("rx", "6")]) {
                ring_at(&ring, Some(area));
            }
        }
        let time = instant(cursor, starts);
        let wide = measured(&time, crate::app::stage::Face::Mono) + 14.0;
        let middle = between(x, wide / 2.0 + 1.0, (width - wide / 2.0 - 1.0).max(wide / 2.0 + 1.0));
        set(&self.pill, &[("x", &px(middle - wide / 2.0)), ("width", &px(wide))]);
        set(&self.pill_text, &[("x", &px(middle))]);
        self.pill_text.set_text_content(Some(&time));
        // Covered ground is not faint: there is nothing below it.
        let shown = picture.covered_from.is_none_or(|from| x < from - 0.5);
        set(&self.veil, &[("visibility", if shown { "visible" } else { "hidden" })]);
        // A figure the pill would cut is not shown.
        let mut tick = self.ticks.first_element_child();
        for figure in &picture.ticks {
            let Some(element) = tick else { break };
            let near = (figure.x - middle).abs() < wide / 2.0 + 18.0;
            set(&element, &[("visibility", if near { "hidden" } else { "visible" })]);
            tick = element.next_element_sibling();
        }
    }

    /// Rings the selected mark.
    pub(super) fn select(&self, area: Option<Area>) {
        for ring in &self.rings {
            ring_at(ring, area);
        }
    }

    /// Rings the mark the keyboard stands on.
    pub(super) fn focus(&self, area: Option<Area>) {
        ring_at(&self.focus, area);
    }
}

fn ring_at(ring: &Element, area: Option<Area>) {
    let Some(area) = area.map(|area| area.grown(3.0)) else {
        return set(ring, &[("visibility", "hidden")]);
    };
    set(
        ring,
        &[
            ("x", &px(area.left)),
            ("y", &px(area.top)),
            ("width", &px(area.right - area.left)),
            ("height", &px(area.bottom - area.top)),
            ("visibility", "visible"),
        ],
    );
}

pub(super) fn text(parent: &Element, label: &Label) {
    let class = format!("{} a{}", label.class, label.hue);
    let (x, y) = (px(label.x), px(label.y));
    let attributes = [("class", class.as_str()), ("x", &x), ("y", &y), ("text-anchor", label.anchor.name())];
    if let Some(element) = add(parent, "text", &attributes) {
        element.set_text_content(Some(&label.text));
        if label.class.contains("t-turned") {
            set(&element, &[("transform", &format!("rotate(-90 {x} {y})"))]);
        }
    }
}
