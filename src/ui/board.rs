//! The stage of a run, in the picture that suits the room: time running right, or down on the phone.

use std::sync::Arc;

use fenceline_sim::At;
use leptos::prelude::*;

use crate::app::lab::Derived;
use crate::app::lab::scene;
use crate::app::lab::scene::{DrawDown, DrawRight, Room, WHOLE};
use crate::app::stage::{LaneOf, Picture, Strips};
use crate::ui::kept::Kept;
use crate::ui::stage::{PhoneStage, Stage, measured};
use crate::ui::tag::live;

/// Widths below this are a phone's.
const PHONE: f64 = 720.0;

/// What is shown and what happens when it is touched.
#[derive(Clone, Copy)]
pub struct Board {
    pub run: Memo<Kept<Derived>>,
    pub starts: Option<u32>,
    pub strips: Strips,
    /// Whether the future is nearly hidden.
    pub faint: bool,
    pub cursor: Signal<At>,
    pub selected: Signal<Option<u32>>,
    pub on_seek: Callback<At>,
    pub on_select: Callback<u32>,
    /// The part of the run in view, as far as it lies within the run.
    pub from: Signal<At>,
    pub to: Signal<At>,
    /// What can be done to a lane, for its gutter.
    pub acts: Callback<LaneOf, AnyView>,
    /// What lies over the picture.
    pub over: Option<Callback<Memo<Arc<Picture>>, AnyView>>,
    /// A lane's head was pressed, on the phone; none: nothing can be done to it.
    pub on_head: Option<Callback<LaneOf>>,
    /// How it is drawn in a wide window, and on the phone.
    pub draw_right: DrawRight,
    pub draw_down: Signal<DrawDown>,
    /// What stands beside the heads there.
    pub beside: Option<Callback<(), AnyView>>,
}

impl Board {
    /// Draws it, and anew when the window changes between a phone's width and more.
    pub fn view(self) -> AnyView {
        let narrow = narrow();
        live(move || if narrow.get() { self.down() } else { self.right() })
    }

    fn right(self) -> AnyView {
        let Self {
            run,
            starts,
            strips,
            faint,
            cursor,
            selected,
            on_seek,
            on_select,
            acts,
            over,
            draw_right,
            from,
            to,
            ..
        } = self;
        let width = RwSignal::new(0.0_f32);
        let picture = Memo::new(move |_| {
            let room =
                Room { width: width.get(), scale: scale(), strips, starts, window: (from.get(), to.get()) };
            Arc::new(draw_right(&run.read().0, room, &measured))
        });
        let over = over.map(|over| over.run(picture));
        view! { <Stage over=over picture cursor selected width on_seek on_select acts starts=starts faint=faint /> }
            .into_any()
    }

    fn down(self) -> AnyView {
        let Self {
            run,
            starts,
            strips,
            cursor,
            selected,
            on_seek,
            on_select,
            on_head,
            draw_down,
            beside,
            ..
        } = self;
        let width = RwSignal::new(0.0_f32);
        let down = Memo::new(move |_| {
            let room = Room { width: width.get(), scale: 1.0, strips, starts, window: WHOLE };
            Arc::new(scene::down(&run.read().0, room, &measured, draw_down.get()))
        });
        let beside = beside.map(|beside| beside.run(()));
        view! { <PhoneStage down cursor selected width on_seek on_select on_head beside=beside /> }.into_any()
    }
}

fn inner(size: Result<wasm_bindgen::JsValue, wasm_bindgen::JsValue>) -> f64 {
    size.ok().and_then(|size| size.as_f64()).unwrap_or(1280.0)
}

/// Lanes are lower in a low window and taller in a wide one.
fn scale() -> f32 {
    if inner(window().inner_width()) >= 1600.0 {
        1.4
    } else if inner(window().inner_height()) < 700.0 {
        0.85
    } else {
        1.0
    }
}

/// Whether the window has a phone's width; an embed's window is its frame.
fn narrow() -> RwSignal<bool> {
    let is_narrow = || inner(window().inner_width()) < PHONE;
    let narrow = RwSignal::new(is_narrow());
    let resized = window_event_listener(leptos::ev::resize, move |_| {
        if narrow.try_get_untracked().is_some_and(|before| before != is_narrow()) {
            narrow.set(is_narrow());
        }
    });
    on_cleanup(move || resized.remove());
    narrow
}
