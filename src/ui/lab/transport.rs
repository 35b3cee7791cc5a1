//! The transport: play, step, speed. The ruler is the scrubber.

use leptos::prelude::*;

use super::desk::{Desk, SPEEDS};
use crate::app::words::{instant, lab as words};

#[component]
pub fn Transport(desk: Desk) -> impl IntoView {
    let starts = desk.read(|lab| lab.case().starts);
    let has_violation = move || desk.read(|lab| lab.first_violation().is_some());
    let next_speed = move |_| {
        desk.speed.update(|speed| {
            let at = SPEEDS.iter().position(|known| known == speed).unwrap_or(0);
            *speed = SPEEDS.get((at + 1) % SPEEDS.len()).copied().unwrap_or(10);
        });
    };
    // Gone after the first act; an answer takes its place.
    let hint = move || (desk.edits() == 0 && desk.answer.read().is_empty()).then_some(words::TRY);
    view! {
        <div class="transport" role="toolbar" aria-label=words::TRANSPORT>
            <button type="button" class="btn play" data-act="play" on:click=move |_| desk.toggle()>
                {move || if desk.playing.get() { words::PAUSE } else { words::PLAY }}
            </button>
            <button type="button" class="btn" data-act="back" on:click=move |_| desk.step(false)>
                <span class="glyph">"‹"</span><span class="word">{words::BACK}</span>
            </button>
            <button type="button" class="btn" data-act="step" on:click=move |_| desk.step(true)>
                <span class="word">{words::STEP}</span><span class="glyph">"›"</span>
            </button>
            <button type="button" class="btn wide-only" data-act="first-violation"
                aria-disabled=move || (!has_violation()).then_some("true")
                title=move || (!has_violation()).then_some(words::NO_VIOLATION)
                on:click=move |_| desk.show_violation()>{words::FIRST_VIOLATION}</button>
            <span class="spring">
                <span data-part="answer" title=move || desk.answer.get()>{move || desk.answer.get()}</span>
                <span data-part="hint">{hint}</span>
            </span>
            <input type="range" class="hide-unless-focused" min="0" max=move || (desk.until() / 1000).to_string()
                step="100" aria-label=words::CURSOR prop:value=move || (desk.cursor.get() / 1000).to_string()
                aria-valuetext=move || instant(desk.cursor.get(), starts)
                on:input=move |event| {
                    if let Ok(millis) = event_target_value(&event).parse::<u64>() {
                        desk.seek(millis * 1000);
                    }
                } />
            <output class="now" data-part="now">{move || instant(desk.cursor.get(), starts)}</output>
            <button type="button" class="btn speed" aria-label=move || format!("{} {}×", words::SPEED, desk.speed.get()) on:click=next_speed>
                {move || format!("{}×", desk.speed.get())}
            </button>
            {super::keys::buttons(desk)}
            {super::board::break_sheet(desk)}
        </div>
    }
}
