//! The start page: the first run, watched once, then fenced.

use std::sync::Arc;

use leptos::prelude::*;

use crate::app::lab::outcome::{Account, Tone};
use crate::app::lab::scene::plain_picture;
use crate::app::lab::{Derived, Lab};
use crate::app::stage::down::sketch;
use crate::app::stage::{Strips, between};
use crate::app::start::{Reel, Seen, first_run};
use crate::app::words::{instant, outcome, start as words};
use crate::ui::board::Board;
use crate::ui::kept::Kept;
use crate::ui::prefers_reduced_motion;
use crate::ui::site::site;
use crate::ui::tag::{button, link, live, live_text, tag, text};

/// A run and how it is watched.
struct Show {
    run: Kept<Derived>,
    reel: Reel,
}

/// Watched by itself for under ten seconds; then nothing moves any more.
#[derive(Clone, Copy)]
struct Player {
    /// The run as it was, then fenced.
    shows: StoredValue<[Show; 2]>,
    fenced: RwSignal<bool>,
    /// How long the reel has been watched, in milliseconds.
    watched: RwSignal<u32>,
    playing: RwSignal<bool>,
    seen: Memo<Seen>,
}

impl Player {
    fn new(given: Lab) -> Self {
        let mut cured = given.clone();
        cured.remedy(0);
        let show = |run: Arc<Derived>, reel: fn(&Derived) -> Reel| Show { reel: reel(&run), run: Kept(run) };
        let shows = StoredValue::new([
            show(Arc::clone(given.derived()), Reel::of),
            show(Arc::clone(cured.derived()), Reel::fenced),
        ]);
        let still = prefers_reduced_motion();
        let (fenced, watched) = (RwSignal::new(false), RwSignal::new(if still { u32::MAX } else { 0 }));
        let seen = Memo::new(move |_| {
            let watched = watched.get();
            shows.with_value(|[doubled, cured]| if fenced.get() { cured } else { doubled }.reel.at(watched))
        });
        Self { shows, fenced, watched, playing: RwSignal::new(false), seen }
    }

    fn run(self) -> Memo<Kept<Derived>> {
        Memo::new(move |_| {
            let fenced = self.fenced.get();
            self.shows.with_value(|[doubled, cured]| if fenced { cured } else { doubled }.run.clone())
        })
    }

    /// From the beginning of one of the two.
    fn watch(self, fenced: bool) {
        self.fenced.set(fenced);
        if prefers_reduced_motion() {
            return self.watched.set(u32::MAX);
        }
        self.watched.set(0);
        self.play();
    }

    fn play(self) {
        if !self.playing.get_untracked() {
            self.playing.set(true);
            self.frame(now());
        }
    }

    fn toggle(self) {
        if self.playing.get_untracked() {
            self.playing.set(false);
        } else if self.seen.get_untracked().over {
            self.watch(self.fenced.get_untracked());
        } else {
            self.play();
        }
    }

    /// One animation-frame loop; it stops by itself at the reel's end.
    fn frame(self, last: f64) {
        request_animation_frame(move || {
            // The page may be gone.
            if self.playing.try_get_untracked() != Some(true) {
                return;
            }
            let time = now();
            let passed = between((time - last) as f32, 0.0, 250.0) as u32;
            self.watched.update(|millis| *millis = millis.saturating_add(passed));
            if self.seen.get_untracked().over {
                return self.playing.set(false);
            }
            self.frame(last + f64::from(passed));
        });
    }
}

fn now() -> f64 {
    window().performance().map_or(0.0, |performance| performance.now())
}

pub fn page() -> AnyView {
    let player = Player::new(Lab::open(Arc::new(first_run()), 1, None));
    if !prefers_reduced_motion() {
        player.play();
    }
    let headline = words::HEADLINE.map(|line| text("span", "", line));
    let lede = tag("p", "").text(format!("{} ", words::LEDE)).child(text("b", "", words::LIVE));
    let lede = lede.child(text("b", "roomy", words::LIVE_MORE));
    let head = tag("header", "start-head")
        .child(tag("h1", "").attr("tabindex", "-1").children(headline).end())
        .child(lede.end());
    let doors = words::DOORS.map(|(to, title, line)| {
        let door = link("", site().href(to), "").child(text("b", "", title)).child(text("span", "", line));
        tag("li", "").child(door.end()).end()
    });
    tag("div", "start")
        .child(head.end())
        .child(frame(player))
        .child(tag("ul", "doors").children(doors).end())
        .end()
}

fn frame(player: Player) -> AnyView {
    let run = player.run();
    let cursor = Signal::derive(move || player.seen.read().cursor);
    let board = Board {
        run,
        starts: None,
        strips: Strips::NoBeliefs,
        faint: true,
        cursor,
        selected: Signal::stored(None),
        on_seek: Callback::new(|_| ()),
        on_select: Callback::new(|_| ()),
        acts: Callback::new(|_| ().into_any()),
        over: None,
        from: Signal::derive(|| 0),
        to: Signal::derive(|| u64::MAX),
        on_head: None,
        draw_right: plain_picture,
        draw_down: Signal::stored(sketch),
        beside: None,
    };
    tag("section", "frame")
        .attr("data-part", "first-run")
        .live("data-over", move || Some(player.seen.read().over.to_string()))
        .child(caption(player, cursor))
        .child(board.view())
        .child(accounts(player, run, cursor))
        .end()
}

fn caption(player: Player, cursor: Signal<u64>) -> AnyView {
    let said = tag("p", "").attr("data-part", "caption").child(live(move || {
        // What happened, then what follows: only the first is said loudly.
        let seen = player.seen.read();
        let (lead, rest) = seen.caption.split_once(". ").unwrap_or((&seen.caption, ""));
        let lead = text("b", if seen.bad { "bad" } else { "" }, lead);
        let rest = if rest.is_empty() { String::new() } else { format!(". {rest}") };
        vec![lead, rest.into_any()].into_any()
    }));
    let pause = button("btn", "play", "", move || player.toggle())
        .child(live_text(move || if player.playing.get() { words::PAUSE } else { words::PLAY }.to_owned()));
    tag("div", "caption")
        .child(tag("output", "now").child(live_text(move || instant(cursor.get(), None))).end())
        .child(said.end())
        .child(pause.end())
        .child(button("btn", "again", words::AGAIN, move || player.watch(false)).end())
        .end()
}

fn accounts(player: Player, run: Memo<Kept<Derived>>, cursor: Signal<u64>) -> AnyView {
    let now = Memo::new(move |_| run.read().0.at(cursor.get()).outcome);
    let site = site();
    let next = button("next", "next", "", move || {
        if player.fenced.get_untracked() {
            // The run just watched: fenced, and in one's own hands.
            site.go("#/lab?v=1&id=flagship&do=0s.fence.sink1.claim,22s.pause.w1.55s&on=w1");
        } else {
            player.watch(true);
        }
    });
    let next = next.child(live_text(move || {
        if player.fenced.get() { words::BREAK_IT } else { words::FENCE_IT }.to_owned()
    }));
    tag("div", "outcome")
        .attr("data-part", "outcome")
        .child(cell("scheduler-says", outcome::SCHEDULER_SAYS, live(move || account(&now.read().scheduler))))
        .child(cell("truth", outcome::THE_TRUTH, live(move || account(&now.read().truth))))
        .child(tag("div", "outcome-next").child(next.end()).end())
        .end()
}

/// One account under its heading.
pub fn cell(part: &'static str, heading: &'static str, account: AnyView) -> AnyView {
    tag("div", "").attr("data-part", part).child(text("h2", "", heading)).child(account).end()
}

/// An account: glyph, word and colour say the same.
pub fn account(account: &Account) -> AnyView {
    let (class, glyph) = match account.tone {
        Tone::Plain => ("", ""),
        Tone::Good => ("ok", "✓ "),
        Tone::Bad => ("bad", "✕ "),
    };
    let lead = text("b", class, format!("{glyph}{}", account.lead));
    tag("p", "").child(lead).text(account.rest.clone()).end()
}
