//! The stage: draws a [`Picture`] and takes what is pointed at. Decides nothing.

pub mod grid;
mod measure;
pub mod phone;
mod svg;
mod words;

pub use measure::measured;
pub use phone::PhoneStage;
pub use words::sentence;

use crate::app::stage::{Lane, LaneOf, Picture, RULER};
use crate::ui::tag::{each, key_of, live, live_text, nothing, tag};
use fenceline_sim::At;
use grid::grid;
use leptos::html::Div;
use leptos::prelude::*;
use leptos::svg::Svg;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use svg::Drawing;
use wasm_bindgen::JsCast;
use wasm_bindgen::closure::Closure;
use web_sys::{Element, PointerEvent, ResizeObserver};

/// Stages made so far: each has ids of its own.
static STAGES: AtomicU32 = AtomicU32::new(0);

/// Writes how wide an element is, now and whenever that changes.
pub(crate) fn watch_width(element: &Element, width: RwSignal<f32>) {
    let watched = element.clone();
    let measure = move || {
        let now = watched.client_width() as f32;
        if now > 0.0 && width.try_get_untracked().is_some_and(|before| (before - now).abs() > 0.5) {
            width.set(now);
        }
    };
    measure();
    let changed = Closure::<dyn FnMut()>::new(measure);
    let Ok(observer) = ResizeObserver::new(changed.as_ref().unchecked_ref()) else { return };
    observer.observe(element);
    // Both live as long as the component does.
    let kept = StoredValue::new_local((observer, changed));
    on_cleanup(move || {
        let _ = kept.try_with_value(|(observer, _)| observer.disconnect());
    });
}

/// The space-time picture, time running right.
#[component]
pub fn Stage(
    /// Built by `app::stage::draw` for the room in `width`.
    #[prop(into)]
    picture: Signal<Arc<Picture>>,
    /// The instant looked at.
    #[prop(into)]
    cursor: Signal<At>,
    /// The record looked into.
    #[prop(into)]
    selected: Signal<Option<u32>>,
    /// The stage writes here how wide its plot is.
    width: RwSignal<f32>,
    /// The cursor shall go there.
    on_seek: Callback<At>,
    /// This record shall be looked into.
    on_select: Callback<u32>,
    /// What can be done to a lane, for its gutter.
    acts: Callback<LaneOf, AnyView>,
    /// The time of day at which the run starts, in seconds.
    /// What lies over the plot.
    #[prop(optional_no_strip)]
    over: Option<AnyView>,
    #[prop(optional_no_strip)] starts: Option<u32>,
    /// What is still to come is hardly to be seen, its words included (start page).
    #[prop(optional)]
    faint: bool,
) -> impl IntoView {
    let plot = NodeRef::<Div>::new();
    let canvas = NodeRef::<Svg>::new();
    let focused = RwSignal::new(None::<u32>);
    let drawing = StoredValue::new_local(None::<Drawing>);
    plot.on_load(move |plot| watch_width(&plot, width));
    canvas.on_load(move |canvas| {
        // Where the other layout stood before, the element may be its own, with its drawing.
        canvas.set_inner_html("");
        let number = STAGES.fetch_add(1, Ordering::Relaxed);
        drawing.set_value(Drawing::new(canvas.as_ref(), number, faint));
        Effect::new(move |_| {
            picture.with(|picture| drawing.with_value(|of| of.as_ref().map(|of| of.show(picture))))
        });
        Effect::new(move |_| {
            let at = cursor.get();
            picture.with(|picture| {
                drawing.with_value(|of| of.as_ref().map(|of| of.move_to(picture, at, starts)))
            })
        });
        Effect::new(move |_| {
            let (chosen, stood) = (selected.get(), focused.get());
            picture.with(|picture| {
                let area = |record: Option<u32>| record.and_then(|record| picture.area_of(record));
                drawing.with_value(|of| {
                    if let Some(of) = of {
                        of.select(area(chosen));
                        of.focus(area(stood));
                    }
                });
            });
        });
    });

    let scrubbing = StoredValue::new(false);
    let place = move |event: &PointerEvent| {
        let box_of = canvas.get_untracked().map(|canvas| canvas.get_bounding_client_rect());
        let (left, top) = box_of.map_or((0.0, 0.0), |rect| (rect.left(), rect.top()));
        ((f64::from(event.client_x()) - left) as f32, (f64::from(event.client_y()) - top) as f32)
    };
    let seek = move |x: f32| on_seek.run(picture.with_untracked(|picture| picture.axis.at_rounded(x)));
    let down = move |event: PointerEvent| {
        let (x, y) = place(&event);
        if event.button() != 0 {
            return;
        }
        if y < RULER {
            scrubbing.set_value(true);
            if let Some(canvas) = canvas.get_untracked() {
                let _ = canvas.set_pointer_capture(event.pointer_id());
            }
            event.prevent_default();
            crate::ui::site::focus("[data-part=stage]");
            seek(x);
        }
    };
    let moved = move |event: PointerEvent| {
        let (x, y) = place(&event);
        if scrubbing.get_value() {
            return seek(x);
        }
        let over = y >= RULER && picture.with_untracked(|picture| picture.hit(x, y)).is_some();
        if let Some(canvas) = canvas.get_untracked() {
            let _ = canvas.set_attribute("data-over", if over { "mark" } else { "" });
        }
    };
    let up = move |event: PointerEvent| {
        let (x, y) = place(&event);
        if scrubbing.get_value() {
            return scrubbing.set_value(false);
        }
        match picture.with_untracked(|picture| picture.hit(x, y)) {
            Some(record) => on_select.run(record),
            None if y >= RULER => seek(x),
            None => {}
        }
    };

    let lane = move |index: usize| {
        let of = picture.with_untracked(|picture| picture.lanes.get(index).map(|lane| lane.of));
        let Some(of) = of else { return nothing() };
        let read = move |read: fn(&Lane) -> String| {
            picture.with(|picture| picture.lanes.get(index).map(read)).unwrap_or_default()
        };
        let state = move || {
            picture.with(|picture| {
                let lane = picture.lanes.get(index)?;
                let state = lane.state_at(cursor.get());
                Some(state.map_or((lane.note.clone(), false), |state| (state.text.clone(), state.bad)))
            })
        };
        let strips = live(move || {
            let strips = picture.with(|picture| picture.lanes.get(index).map(|lane| lane.strips.clone()));
            let strip = |(name, y): (&'static str, f32)| {
                tag("span", "stage-strip").style("top", move || format!("{}px", svg::px(y))).text(name).end()
            };
            strips.unwrap_or_default().into_iter().map(strip).collect::<Vec<_>>().into_any()
        });
        let class = match of {
            LaneOf::Task(_) => "stage-lane row",
            LaneOf::Rail => "stage-lane rail",
            LaneOf::Node(_) | LaneOf::Tasks(_) | LaneOf::Executing => "stage-lane",
        };
        let note = tag("small", "")
            .live("class", move || state().is_some_and(|(_, bad)| bad).then(|| "bad".to_owned()))
            .child(live_text(move || state().map(|(text, _)| text).unwrap_or_default()));
        let lane = tag("div", class)
            .style("top", move || read(|lane| format!("{}px", svg::px(lane.y + lane.name_dy))))
            .child(tag("b", "").child(live_text(move || read(|lane| lane.name.clone()))).end())
            .child(note.end())
            .child(acts.run(of).into_any());
        vec![lane.end(), strips].into_any()
    };
    let lanes = move || {
        let key =
            |(index, lane): (usize, &Lane)| (key_of([index as u64, u64::from(lane.of.number())]), index);
        picture.with(|picture| picture.lanes.iter().enumerate().map(key).collect())
    };
    view! {
        // Pressed, it has the focus: the keys of the run are at hand.
        <div class="stage" data-part="stage" tabindex="-1">
            <div class="stage-gutter" style:height=move || format!("{}px", svg::px(picture.with(|picture| picture.height)))>
                {each(lanes, lane)}
            </div>
            <div class="stage-plot" node_ref=plot>
                <svg
                    node_ref=canvas
                    aria-hidden="true"
                    on:pointerdown=down
                    on:pointermove=moved
                    on:pointerup=up
                    on:pointercancel=move |_| scrubbing.set_value(false)
                ></svg>
                {over}
                {grid(picture, selected, focused)}
            </div>
        </div>
    }
}
