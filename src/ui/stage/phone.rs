//! The phone's stage: time runs down, lanes left, one sentence an event right. The page scrolls, not
//! the stage.

use super::svg::{add, paths, patterns, px, set, text};
use super::{STAGES, sentence, watch_width};
use crate::app::stage::LaneOf;
use crate::app::stage::down::{Down, Head, Placed};
use crate::app::stage::rows::Tone;
use crate::ui::tag::{self, each, key_of, nothing, tag};
use fenceline_sim::At;
use leptos::html::Div;
use leptos::prelude::*;
use leptos::svg::Svg;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use web_sys::Element;

/// The list of events with its lanes.
#[component]
pub fn PhoneStage(
    /// Built by `app::stage::down::down` for the room in `width`.
    #[prop(into)]
    down: Signal<Arc<Down>>,
    /// The instant looked at.
    #[prop(into)]
    cursor: Signal<At>,
    /// The record looked into.
    #[prop(into)]
    selected: Signal<Option<u32>>,
    /// The stage writes here how wide it is.
    width: RwSignal<f32>,
    /// The cursor shall go there.
    on_seek: Callback<At>,
    /// This record shall be looked into.
    on_select: Callback<u32>,
    /// What can be done to this lane shall be shown.
    on_head: Option<Callback<LaneOf>>,
    /// What stands beside the heads.
    beside: Option<AnyView>,
) -> impl IntoView {
    let root = NodeRef::<Div>::new();
    let canvas = NodeRef::<Svg>::new();
    root.on_load(move |root| watch_width(&root, width));
    let parts = StoredValue::new_local(None::<(String, Element, Element, Element)>);
    canvas.on_load(move |canvas| {
        let svg: &Element = canvas.as_ref();
        // Where the other layout stood before, the element may be its own, with its drawing.
        svg.set_inner_html("");
        let id = format!("stage{}", STAGES.fetch_add(1, Ordering::Relaxed));
        let _ = patterns(svg, &id);
        let group = |class: &str| add(svg, "g", &[("class", class)]);
        let made = (group("marks"), add(svg, "rect", &[("class", "veil")]), group("labels past"));
        if let (Some(marks), Some(veil), Some(labels)) = made {
            parts.set_value(Some((id, marks, veil, labels)));
        }
        Effect::new(move |_| {
            down.with(|down| {
                parts.with_value(|parts| {
                    let Some((id, marks, _, labels)) = parts else { return };
                    marks.set_text_content(None);
                    labels.set_text_content(None);
                    paths(marks, id, &down.shapes);
                    down.labels.iter().for_each(|label| text(labels, label));
                });
            });
        });
        Effect::new(move |_| {
            let at = cursor.get();
            down.with(|down| {
                parts.with_value(|parts| {
                    let Some((_, _, veil, _)) = parts else { return };
                    let y = down.seen(at);
                    let rest = px((down.height - y).max(0.0));
                    set(veil, &[("y", &px(y)), ("width", &px(down.width)), ("height", &rest)]);
                });
            });
        });
    });
    let now = Memo::new(move |_| down.with(|down| down.row_at(cursor.get())));
    let heads = move || {
        let key = |head: &Head| key_of(head.name.bytes().map(u64::from).chain([u64::from(head.of.number())]));
        down.with(|down| down.heads.iter().map(key).enumerate().map(|(place, key)| (key, place)).collect())
    };
    let head = move |place: usize| {
        let Some(head) = down.with_untracked(|down| down.heads.get(place).cloned()) else { return nothing() };
        let Some(on_head) = on_head else { return tag::text("span", "", head.name) };
        let arrow = tag("i", "").attr("aria-hidden", "true").text("▾").end();
        tag("button", "")
            .attr("type", "button")
            .attr("aria-label", format!("{}: {}", head.name, head.full_name))
            .text(head.name)
            .child(arrow)
            .click(move || on_head.run(head.of))
            .end()
    };
    let rows = move || {
        let key = |(place, placed): (usize, &Placed)| {
            let of = [place as u64, u64::from(placed.row.record), placed.top as u64, placed.height as u64];
            (key_of(placed.row.time.bytes().map(u64::from).chain(of)), place)
        };
        down.with(|down| down.rows.iter().enumerate().map(key).collect())
    };
    let row = move |index: usize| {
        let placed = down.with_untracked(|down| down.rows.get(index).cloned());
        let Some(Placed { row, top, height, .. }) = placed else { return nothing() };
        let (record, at) = (row.record, row.at);
        let tone = match row.tone {
            Tone::Plain => "",
            Tone::Bad => " bad",
            Tone::Ok => " ok",
        };
        let fold = if row.folded { " fold" } else { "" };
        let class = move || {
            let (now, chosen) = (now.get(), selected.get() == Some(record));
            let here = if now == Some(index) { " here" } else { "" };
            let ahead = if now.is_none_or(|now| now < index) { " ahead" } else { "" };
            Some(format!("down-row{fold}{tone}{here}{ahead}{}", if chosen { " sel" } else { "" }))
        };
        let button = tag("button", "")
            .attr("type", "button")
            .live("aria-current", move || (now.get() == Some(index)).then(|| "time".to_owned()))
            .click(move || {
                on_seek.run(at);
                on_select.run(record);
            })
            .child(tag::text("time", "", row.time))
            .child(tag("span", "").child(sentence(&row.sentence).into_any()).end());
        tag("li", "")
            .live("class", class)
            .style("top", move || format!("{}px", px(top)))
            .style("height", move || format!("{}px", px(height)))
            .style("left", move || format!("{}px", px(down.with(|down| down.width))))
            .child(button.end())
            .end()
    };
    view! {
        <div class="down stage" data-part="phone-stage" node_ref=root>
            <div class="down-heads">
                {each(heads, head)}
                {beside}
            </div>
            <div class="down-story" style:height=move || format!("{}px", px(down.with(|down| down.height)))>
                <svg
                    node_ref=canvas
                    aria-hidden="true"
                    width=move || px(down.with(|down| down.width + 16.0))
                    height=move || px(down.with(|down| down.height))
                ></svg>
                <ol>
                    {each(rows, row)}
                </ol>
            </div>
        </div>
    }
}
