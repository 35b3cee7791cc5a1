//! Flashcards: what is due, a card, its ratings, the end.

use std::sync::Arc;

use fenceline_content::cards::{Card, Deck};
use leptos::prelude::*;

use crate::app::library::{self, Kind};
use crate::app::route::{Pick, Place};
use crate::app::study::cards::{RATINGS, Rating, Session, due, minutes, next_due};
use crate::app::words::study as words;
use crate::ui::fetch::fetched_page;
use crate::ui::progress::{keeping, store, today};
use crate::ui::quiz::{in_lab, named, row, title_of};
use crate::ui::site::{focus_next, site};
use crate::ui::state::{State, key};
use crate::ui::tag::{Tag, button, heading, link, live, nothing, tag, text};

/// None until it has been started.
type Seat = State<Option<Session>>;

pub(super) fn page(pick: Pick) -> AnyView {
    let pick = named(pick, Kind::Cards);
    let seat: Seat = State::of(&Place::Cards(pick.clone()).href(), || None);
    let entries = match &pick {
        Pick::Set(id) => library::find(Kind::Cards, id).into_iter().collect(),
        _ => library::all(Kind::Cards).collect(),
    };
    let title = match &pick {
        Pick::All | Pick::One(_) => words::CARDS.to_owned(),
        pick => title_of(pick, Kind::Cards),
    };
    let body = fetched_page(&title, entries, move |decks: Vec<Deck>| {
        let wanted = |card: &Card| match &pick {
            Pick::All | Pick::Set(_) => true,
            Pick::Concept(concept) => card.concept == *concept,
            Pick::Point(point) => card.points.contains(point),
            Pick::One(id) => card.id == *id,
        };
        let cards: Vec<_> =
            decks.into_iter().flat_map(|deck| deck.cards).filter(wanted).map(Arc::new).collect();
        if matches!(pick, Pick::One(_)) && !cards.is_empty() && seat.peek(Option::is_none) {
            seat.edit(|it| *it = Some(Session::new(cards.clone(), today())));
        }
        session(pick.clone(), cards, seat)
    });
    tag("div", "page study").child(body).end()
}

fn session(pick: Pick, cards: Vec<Arc<Card>>, seat: Seat) -> AnyView {
    // A rating changes this, and so does taking it back.
    let state = key(move || {
        seat.with(|it| match it {
            None => 0,
            Some(it) if it.left() == 0 => 1,
            Some(it) => 2 + it.rated() * 2 + usize::from(it.is_shown()),
        })
    });
    live(move || match state.get() {
        0 => overview(&pick, &cards, seat),
        1 => end(&cards, seat),
        _ => seat
            .peek(|it| it.as_ref().and_then(|it| Some(card(it, it.card()?, seat))))
            .unwrap_or_else(nothing),
    })
}

fn begin(queue: &[Arc<Card>], seat: Seat) {
    seat.edit(|it| *it = Some(Session::new(queue.to_vec(), today())));
    focus_next("main h1");
}

/// Starts on what is due, or leads to the quiz if nothing is.
fn review(queue: Vec<Arc<Card>>, name: &'static str, seat: Seat) -> AnyView {
    if queue.is_empty() {
        return link("next", site().href("#/quiz"), words::TAKE_QUIZ).end();
    }
    button("next", "review", name, move || begin(&queue, seat)).end()
}

fn overview(pick: &Pick, cards: &[Arc<Card>], seat: Seat) -> AnyView {
    let all = *pick == Pick::All;
    let title = if all { words::CARDS.to_owned() } else { title_of(pick, Kind::Cards) };
    let queue = due_now(cards);
    let line = match queue.len() {
        0 if cards.is_empty() => words::NO_SUCH.to_owned(),
        0 => words::nothing_due(coming(cards)),
        count => words::due(count, minutes(count)),
    };
    let mut view = vec![
        heading("h1", "", title).end(),
        tag("p", "lead").attr("data-part", "due").text(line).end(),
        tag("p", "lead-act").child(review(queue, words::REVIEW, seat)).end(),
    ];
    if all {
        let decks = library::all(Kind::Cards)
            .map(|it| row(&format!("#/cards/{}", it.id), it.title, it.about, words::cards(it.items)));
        view.extend([text("h2", "part", words::DECKS), tag("ul", "rows").children(decks).end()]);
    }
    view.push(keeping());
    view.into_any()
}

fn due_now(cards: &[Arc<Card>]) -> Vec<Arc<Card>> {
    store().with(|progress| due(cards, &progress.cards, today()))
}

/// Days until something is due, and how much.
fn coming(cards: &[Arc<Card>]) -> Option<(u32, usize)> {
    let next = store().with(|progress| next_due(cards, &progress.cards));
    next.map(|(day, count)| (day.saturating_sub(today()), count))
}

fn rate(seat: Seat, rating: Rating) {
    let store = store();
    seat.edit(|it| {
        if let Some(it) = it {
            store.edit(|progress| it.rate(rating, &mut progress.cards))
        }
    });
    focus_next("main h1");
}

fn undo(seat: Seat) {
    let store = store();
    seat.edit(|it| {
        if let Some(it) = it {
            store.edit(|progress| it.undo(&mut progress.cards))
        }
    });
    focus_next("main h1");
}

fn show(seat: Seat) {
    seat.edit(|it| {
        if let Some(it) = it {
            it.show()
        }
    });
    focus_next("#back");
}

fn take_back(seat: Seat) -> Tag {
    button("btn quiet", "undo", words::UNDO, move || undo(seat))
}

fn card(it: &Session, card: &Card, seat: Seat) -> AnyView {
    let shown = it.is_shown();
    let keys = move |event: leptos::ev::KeyboardEvent| {
        let plain = !event.ctrl_key() && !event.alt_key() && !event.meta_key();
        let on_control =
            ["BUTTON", "A"].contains(&event_target::<web_sys::Element>(&event).tag_name().as_str());
        let key = event.key();
        let rating = key.parse().ok().and_then(|n: usize| RATINGS.get(n.checked_sub(1)?).copied());
        match (key.as_str(), rating) {
            (" ", _) if plain && !shown && !on_control => show(seat),
            ("u" | "U", _) if plain => undo(seat),
            (_, Some(rating)) if plain && shown => self::rate(seat, rating),
            _ => return,
        }
        event.prevent_default();
    };
    let back = shown.then(|| {
        tag("div", "back")
            .attr("id", "back")
            .attr("tabindex", "-1")
            .child(text("p", "answer", card.back.clone()))
            .maybe(card.more.clone().map(|more| text("p", "muted", more)))
            .maybe(in_lab("", card.scenario.as_ref()))
            .end()
    });
    let act = if shown {
        let preview = store().with(|progress| it.preview(&progress.cards));
        let ratings = RATINGS.into_iter().zip(preview).map(|(rating, days)| {
            let name = words::rating(rating);
            let button = button("btn", "rate", name, move || rate(seat, rating)).attr("data-rating", name);
            button.child(text("small", "", words::comes(days))).end()
        });
        tag("div", "quarters").children(ratings).end()
    } else {
        button("next", "show", words::SHOW, move || show(seat)).end()
    };
    let meta = tag("p", "meta").child(text("b", "", words::left(it.left()))).child(text(
        "span",
        "",
        library::concept(&card.concept),
    ));
    let front = heading("h1", "stem", card.front.clone()).end();
    tag("div", "one")
        .keys(keys)
        .child(meta.end())
        .child(tag("div", "card").child(front).maybe(back).end())
        .child(tag("div", "acts").child(act).maybe(it.can_undo().then(|| take_back(seat).end())).end())
        .child(text("p", "muted keys", words::CARD_KEYS))
        .end()
}

fn end(cards: &[Arc<Card>], seat: Seat) -> AnyView {
    let (rated, forgotten) =
        seat.peek(|it| it.as_ref().map(|it| (it.rated(), it.forgotten().to_vec())).unwrap_or_default());
    let rows = forgotten.iter().map(|card| {
        tag("li", "")
            .child(text("b", "", card.front.clone()))
            .child(text("small", "", card.back.clone()))
            .end()
    });
    let rows: Vec<_> = rows.collect();
    let next = coming(cards).map(|(days, count)| words::next_due(days, count));
    let title = (!rows.is_empty()).then(|| text("h2", "part", words::FORGOTTEN));
    vec![
        heading("h1", "", words::reviewed(rated)).attr("data-part", "reviewed").end(),
        text("p", "lead", next.unwrap_or_default()),
        title.unwrap_or_else(nothing),
        tag("ol", "wrong").children(rows).end(),
        tag("div", "acts")
            .child(take_back(seat).end())
            .child(review(due_now(cards), words::REVIEW_MORE, seat))
            .end(),
        keeping(),
    ]
    .into_any()
}
