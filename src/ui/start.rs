//! The start page: the first run, watched once, then fenced.

use std::sync::Arc;

use leptos::prelude::*;

use crate::app::lab::Lab;
use crate::app::lab::scene::{self, Room};
use crate::app::stage::Strips;
use crate::app::start::{Reel, Seen};
use crate::app::words::{instant, outcome, start as words};
use crate::ui::lab::{Kept, account, first_run, prefers_reduced_motion};
use crate::ui::site::site;
use crate::ui::stage::{Stage, measured};

/// Watched by itself for under ten seconds; then nothing moves any more.
#[component]
pub fn Start() -> impl IntoView {
    let site = site();
    let Some(case) = first_run() else { return crate::app::words::lab::UNREADABLE.into_any() };
    let as_given = Lab::open(case, 1, None);
    let mut cured = as_given.clone();
    cured.remedy(0);
    let (doubled, fenced) = (Arc::clone(as_given.derived()), Arc::clone(cured.derived()));
    let reels = [Reel::of(&doubled), Reel::fenced(&fenced)];
    let runs = [Kept(doubled), Kept(fenced)];

    let is_fenced = RwSignal::new(false);
    // How long the reel has been watched, in milliseconds.
    let watched = RwSignal::new(0_u32);
    let playing = RwSignal::new(!prefers_reduced_motion());
    if !playing.get_untracked() {
        watched.set(u32::MAX);
    }
    let reel = StoredValue::new(reels);
    let runs = StoredValue::new(runs);
    let which = move || usize::from(is_fenced.get());
    let seen = Memo::new(move |_| {
        reel.with_value(|reels| reels.get(which()).map_or_else(no_reel, |reel| reel.at(watched.get())))
    });
    let run = Memo::new(move |_| runs.with_value(|runs| runs.get(which()).cloned()));
    let cursor = Signal::derive(move || seen.read().cursor);
    let instant_now = Memo::new(move |_| run.get().map(|run| Kept(Arc::new(run.0.at(cursor.get())))));

    let watch = move || {
        playing.set(true);
        tick(playing, watched, seen);
    };
    if playing.get_untracked() {
        tick(playing, watched, seen);
    }
    let fence = move |_| {
        if is_fenced.get_untracked() {
            return site.go("#/lab?v=1&id=flagship");
        }
        is_fenced.set(true);
        watched.set(if prefers_reduced_motion() { u32::MAX } else { 0 });
        if !prefers_reduced_motion() {
            watch();
        }
    };
    let again = move |_| {
        is_fenced.set(false);
        watched.set(0);
        watch();
    };
    let width = RwSignal::new(0.0_f32);
    let picture = Memo::new(move |_| {
        let room = Room { width: width.get(), scale: 1.0, strips: Strips::NoBeliefs, starts: None };
        Arc::new(run.get().map(|run| scene::picture(&run.0, room, &measured)).unwrap_or_default())
    });
    let says = move || instant_now.get().map(|now| account(now.0.outcome.scheduler.clone()));
    let truth = move || instant_now.get().map(|now| account(now.0.outcome.truth.clone()));
    view! {
        <div class="start">
            <header class="start-head">
                <h1 tabindex="-1">{words::HEADLINE.map(|line| view! { <span>{line}</span> }).into_iter().collect_view()}</h1>
                <p>{words::LEDE}" "<b>{words::LIVE}</b></p>
            </header>
            <section class="frame" data-part="first-run" data-over=move || seen.read().over.to_string()>
                <div class="caption">
                    <output class="now">{move || instant(cursor.get(), None)}</output>
                    <p class:bad=move || seen.read().bad data-part="caption">{move || seen.read().caption.clone()}</p>
                    <button type="button" class="btn" on:click=move |_| if playing.get_untracked() { playing.set(false) } else { watch() }>
                        {move || if playing.get() { words::PAUSE } else { words::PLAY }}
                    </button>
                    <button type="button" class="btn" on:click=again>{words::AGAIN}</button>
                </div>
                <Stage
                    picture=picture
                    cursor=cursor
                    selected=Signal::stored(None)
                    width=width
                    on_seek=Callback::new(|_| ())
                    on_select=Callback::new(|_| ())
                    acts=Callback::new(|_| ().into_any())
                    faint=true
                />
                <div class="outcome" data-part="outcome">
                    <div data-part="scheduler-says"><h2>{outcome::SCHEDULER_SAYS}</h2>{says}</div>
                    <div data-part="truth"><h2>{outcome::THE_TRUTH}</h2>{truth}</div>
                    <div class="outcome-next">
                        <button type="button" class="next" data-act="next" on:click=fence>
                            {move || if is_fenced.get() { words::BREAK_IT } else { words::FENCE_IT }}
                        </button>
                    </div>
                </div>
            </section>
            <ul class="doors">
                {words::DOORS.map(|(to, title, line)| view! {
                    <li><a href=move || site.href(to)><b>{title}</b><span>{line}</span></a></li>
                }).into_iter().collect_view()}
            </ul>
        </div>
    }
    .into_any()
}

fn no_reel() -> Seen {
    Reel::default().at(0)
}

/// One animation-frame loop while it is watched; it stops by itself at the reel's end.
fn tick(playing: RwSignal<bool>, watched: RwSignal<u32>, seen: Memo<Seen>) {
    let last = StoredValue::new(None::<f64>);
    frame(playing, watched, seen, last);
}

fn frame(playing: RwSignal<bool>, watched: RwSignal<u32>, seen: Memo<Seen>, last: StoredValue<Option<f64>>) {
    request_animation_frame(move || {
        // The page may be gone.
        if playing.try_get_untracked() != Some(true) {
            return;
        }
        let now = window().performance().map_or(0.0, |performance| performance.now());
        let passed = last.get_value().map_or(0.0, |last| (now - last).clamp(0.0, 250.0));
        last.set_value(Some(now));
        watched.update(|millis| *millis = millis.saturating_add(passed as u32));
        if seen.get_untracked().over {
            return playing.set(false);
        }
        frame(playing, watched, seen, last);
    });
}
