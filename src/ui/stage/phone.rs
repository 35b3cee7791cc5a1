//! The phone's stage: time runs down, lanes left, one sentence an event right. The page scrolls, not
//! the stage.

use super::svg::{add, paths, patterns, px, set, text};
use super::{STAGES, sentence, watch_width};
use crate::app::stage::LaneOf;
use crate::app::stage::down::{Down, Placed};
use crate::app::stage::rows::Tone;
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
    let heads = move || down.with(|down| down.heads.clone());
    let rows = move || down.with(|down| down.rows.iter().cloned().enumerate().collect::<Vec<_>>());
    let row = move |(index, placed): (usize, Placed)| {
        let Placed { row, top, height, .. } = placed;
        let (record, at) = (row.record, row.at);
        let tone = match row.tone {
            Tone::Plain => "",
            Tone::Bad => "bad",
            Tone::Ok => "ok",
        };
        let class = if row.folded { format!("down-row fold {tone}") } else { format!("down-row {tone}") };
        view! {
            <li
                class=class
                class:here=move || now.get() == Some(index)
                class:sel=move || selected.get() == Some(record)
                class:ahead=move || now.get().is_none_or(|now| now < index)
                style:top=format!("{}px", px(top))
                style:height=format!("{}px", px(height))
                style:left=move || format!("{}px", px(down.with(|down| down.width)))
            >
                <button type="button" aria-current=move || (now.get() == Some(index)).then_some("time") on:click=move |_| {
                    on_seek.run(at);
                    on_select.run(record);
                }>
                    <time>{row.time}</time>
                    <span>{sentence(&row.sentence)}</span>
                </button>
            </li>
        }
    };
    view! {
        <div class="down stage" data-part="phone-stage" node_ref=root>
            <div class="down-heads">
                <For each=heads key=|head| (head.of, head.name.clone()) let:head>
                    {match on_head {
                        Some(on_head) => view! {
                            <button type="button" aria-label=format!("{}: {}", head.name, head.full_name) on:click=move |_| on_head.run(head.of)>
                                {head.name.clone()}
                                <i aria-hidden="true">"▾"</i>
                            </button>
                        }.into_any(),
                        None => crate::ui::tag::text("span", "", head.name.clone()),
                    }}
                </For>
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
                    <For
                        each=rows
                        key=|(index, placed)| (*index, placed.row.record, placed.row.time.clone(), placed.top as i32, placed.height as i32)
                        children=row
                    />
                </ol>
            </div>
        </div>
    }
}
