//! On the phone: while it plays, the row of the cursor is kept in view until the reader scrolls.

use leptos::ev;
use leptos::prelude::*;

use super::desk::Desk;

/// Heights of what lies over the page: the lanes' heads, and the bar at the thumb.
const ABOVE: f64 = 56.0;
const BELOW: f64 = 76.0;

pub(super) fn follow(desk: Desk) {
    let follows = StoredValue::new(true);
    Effect::new(move |_| {
        if desk.playing.get() {
            follows.set_value(true);
        }
    });
    Effect::new(move |_| {
        desk.cursor.track();
        if desk.playing.get_untracked() && follows.get_value() {
            // Once the row says that it is the cursor's.
            request_animation_frame(show_row);
        }
    });
    // The page scrolls by itself when it follows; a wheel, a finger or a key is the reader.
    let leave = move || {
        let _ = follows.try_set_value(false);
    };
    let wheel = window_event_listener(ev::wheel, move |_| leave());
    let finger = window_event_listener(ev::touchmove, move |_| leave());
    let key = window_event_listener(ev::keydown, move |event| {
        if matches!(event.key().as_str(), "PageDown" | "PageUp" | "ArrowDown" | "ArrowUp" | "Home" | "End") {
            leave();
        }
    });
    on_cleanup(move || {
        wheel.remove();
        finger.remove();
        key.remove();
    });
}

fn show_row() {
    let Ok(Some(row)) = document().query_selector(".down-row.here") else { return };
    let place = row.get_bounding_client_rect();
    let height = window().inner_height().ok().and_then(|height| height.as_f64()).unwrap_or(0.0);
    let under = place.bottom() - (height - BELOW);
    let over = ABOVE - place.top();
    if under > 0.0 {
        window().scroll_by_with_x_and_y(0.0, under + height / 4.0);
    } else if over > 0.0 {
        window().scroll_by_with_x_and_y(0.0, -over);
    }
}
