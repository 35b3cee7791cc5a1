//! Flashcards: what is due, a card, its ratings, the end.

use std::sync::Arc;

use fenceline_content::cards::{Card, Deck};
use leptos::prelude::*;

use crate::app::library::{self, Kind};
use crate::app::route::{Pick, Place};
use crate::app::study::cards::{RATINGS, Rating, Session, due, minutes, next_due};
use crate::app::words::study as words;
use crate::ui::fetch::fetched;
use crate::ui::progress::{keeping, recall, remember, store, today};
use crate::ui::quiz::{row, title_of};
use crate::ui::site::{focus_next, site};

#[component]
pub fn Cards(pick: Pick) -> impl IntoView {
    let name = Place::Cards(pick.clone()).href();
    let session = RwSignal::new(recall::<Session>(&name));
    Effect::new(move |_| {
        if let Some(session) = session.get() {
            remember(&name, session);
        }
    });
    let entries: Vec<_> = match &pick {
        Pick::Set(id) => library::find(Kind::Cards, id).into_iter().collect(),
        _ => library::all(Kind::Cards).collect(),
    };
    let body = fetched(entries, move |decks: Vec<Deck>| {
        let wanted = |card: &Card| match &pick {
            Pick::All | Pick::Set(_) => true,
            Pick::Concept(concept) => card.concept == *concept,
            Pick::Point(point) => card.points.contains(point),
            Pick::One(id) => card.id == *id,
        };
        let cards: Vec<_> =
            decks.into_iter().flat_map(|deck| deck.cards).filter(wanted).map(Arc::new).collect();
        if matches!(pick, Pick::One(_)) && !cards.is_empty() && session.with_untracked(Option::is_none) {
            session.set(Some(Session::new(cards.clone(), today())));
        }
        overview_or_session(&pick, cards, session)
    });
    view! { <div class="page study">{body}</div> }
}

fn overview_or_session(pick: &Pick, cards: Vec<Arc<Card>>, session: RwSignal<Option<Session>>) -> AnyView {
    let all = *pick == Pick::All;
    let title = if all { words::CARDS.to_owned() } else { title_of(pick, Kind::Cards) };
    // A rating changes both, and undoing brings both back.
    let state =
        Memo::new(move |_| session.with(|it| it.as_ref().map(|it| (it.rated(), it.is_shown(), it.left()))));
    let view = move || match state.get() {
        None => overview(title.clone(), all, &cards, session),
        Some((_, _, 0)) => end(&cards, session),
        Some((_, shown, _)) => session
            .with_untracked(|it| it.as_ref().and_then(|it| Some(card(it, it.card()?, shown, session))))
            .into_any(),
    };
    view.into_any()
}

fn begin(queue: Vec<Arc<Card>>, session: RwSignal<Option<Session>>) {
    session.set(Some(Session::new(queue, today())));
    focus_next("main h1");
}

fn overview(title: String, all: bool, cards: &[Arc<Card>], session: RwSignal<Option<Session>>) -> AnyView {
    let site = site();
    let queue = store().with(|progress| due(cards, &progress.cards, today()));
    let count = queue.len();
    let line = if cards.is_empty() {
        words::NO_SUCH.to_owned()
    } else if count > 0 {
        words::due(count, minutes(count))
    } else {
        words::nothing_due(coming(cards))
    };
    let act = if count > 0 {
        let review = move |_| begin(queue.clone(), session);
        view! { <button class="next" type="button" data-act="review" on:click=review>{words::REVIEW}</button> }.into_any()
    } else {
        view! { <a class="next" href=move || site.href("#/quiz")>{words::TAKE_QUIZ}</a> }.into_any()
    };
    let decks = library::all(Kind::Cards).map(|deck| {
        let to = format!("#/cards/{}", deck.id);
        row(move || site.href(&to), deck.title.to_owned(), deck.about.to_owned(), words::cards(deck.items))
    });
    let decks: Vec<_> = if all { decks.collect() } else { Vec::new() };
    view! {
        <h1 tabindex="-1">{title}</h1>
        <p class="lead" data-part="due">{line}</p>
        <p class="lead-act">{act}</p>
        {all.then(|| view! { <h2 class="part">{words::DECKS}</h2> <ul class="rows">{decks}</ul> })}
        {keeping()}
    }
    .into_any()
}

/// Days until something is due, and how much.
fn coming(cards: &[Arc<Card>]) -> Option<(u32, usize)> {
    let next = store().with(|progress| next_due(cards, &progress.cards));
    next.map(|(day, count)| (day.saturating_sub(today()), count))
}

fn card(it: &Session, card: &Arc<Card>, shown: bool, session: RwSignal<Option<Session>>) -> AnyView {
    let (site, store) = (site(), store());
    let rate = Callback::new(move |rating: Rating| {
        session.update(|it| {
            if let Some(it) = it {
                store.edit(|progress| it.rate(rating, &mut progress.cards));
            }
        });
        focus_next("main h1");
    });
    let undo = Callback::new(move |()| {
        session.update(|it| {
            if let Some(it) = it {
                store.edit(|progress| it.undo(&mut progress.cards));
            }
        });
        focus_next("main h1");
    });
    let show = Callback::new(move |()| {
        session.update(|it| {
            if let Some(it) = it {
                it.show()
            }
        });
        focus_next("#back");
    });
    let keys = move |event: leptos::ev::KeyboardEvent| {
        let plain = !event.ctrl_key() && !event.alt_key() && !event.meta_key();
        let on_control =
            ["BUTTON", "A"].contains(&event_target::<web_sys::Element>(&event).tag_name().as_str());
        let rating = event.key().parse().ok().and_then(|n: usize| RATINGS.get(n.checked_sub(1)?).copied());
        match (event.key().as_str(), rating) {
            (" ", _) if plain && !shown && !on_control => show.run(()),
            ("u" | "U", _) if plain => undo.run(()),
            (_, Some(rating)) if plain && shown => rate.run(rating),
            _ => return,
        }
        event.prevent_default();
    };
    let back = shown.then(|| {
        let lab = card.scenario.clone().map(|id| {
            let to = Place::lab(&id).href();
            view! { <p><a href=move || site.href(&to)>{words::OPEN_IN_LAB}</a></p> }
        });
        view! {
            <div class="back" id="back" tabindex="-1">
                <p class="answer">{card.back.clone()}</p>
                {card.more.clone().map(|more| view! { <p class="muted">{more}</p> })}
                {lab}
            </div>
        }
    });
    let acts = if shown {
        let preview = store.with(|progress| it.preview(&progress.cards));
        let button = |(rating, days): (Rating, u32)| {
            view! {
                <button class="btn" type="button" data-rating=words::rating(rating) on:click=move |_| rate.run(rating)>
                    {words::rating(rating)} <small>{words::comes(days)}</small>
                </button>
            }
            .into_any()
        };
        let buttons: Vec<_> = RATINGS.into_iter().zip(preview).map(button).collect();
        view! { <div class="quarters">{buttons}</div> }.into_any()
    } else {
        view! {
            <button class="next" type="button" data-act="show" on:click=move |_| show.run(())>{words::SHOW}</button>
        }
        .into_any()
    };
    let take_back = it.can_undo().then(|| {
        view! {
            <button class="btn quiet" type="button" data-act="undo" on:click=move |_| undo.run(())>{words::UNDO}</button>
        }
    });
    view! {
        <div class="one" on:keydown=keys>
            <p class="meta"><b>{words::left(it.left())}</b> <span>{library::concept(&card.concept)}</span></p>
            <div class="card">
                <h1 class="stem" tabindex="-1">{card.front.clone()}</h1>
                {back}
            </div>
            <div class="acts">{acts} {take_back}</div>
            <p class="muted keys">{words::CARD_KEYS}</p>
        </div>
    }
    .into_any()
}

fn end(cards: &[Arc<Card>], session: RwSignal<Option<Session>>) -> AnyView {
    let (site, store) = (site(), store());
    let (rated, forgotten) = session
        .with_untracked(|it| it.as_ref().map(|it| (it.rated(), it.forgotten().to_vec())).unwrap_or_default());
    let rows: Vec<_> = forgotten
        .iter()
        .map(|card| {
            view! { <li><b>{card.front.clone()}</b> <small>{card.back.clone()}</small></li> }.into_any()
        })
        .collect();
    let more = store.with(|progress| due(cards, &progress.cards, today()));
    let act = if more.is_empty() {
        view! { <a class="next" href=move || site.href("#/quiz")>{words::TAKE_QUIZ}</a> }.into_any()
    } else {
        let review = move |_| begin(more.clone(), session);
        view! { <button class="next" type="button" data-act="review" on:click=review>{words::REVIEW_MORE}</button> }.into_any()
    };
    let undo = move |_| {
        session.update(|it| {
            if let Some(it) = it {
                store.edit(|progress| it.undo(&mut progress.cards));
            }
        });
        focus_next("main h1");
    };
    view! {
        <h1 tabindex="-1" data-part="reviewed">{words::reviewed(rated)}</h1>
        <p class="lead">{coming(cards).map(|(days, count)| words::next_due(days, count))}</p>
        {(!rows.is_empty()).then(|| view! { <h2 class="part">{words::FORGOTTEN}</h2> <ol class="wrong">{rows}</ol> })}
        <div class="acts">
            <button class="btn" type="button" data-act="undo" on:click=undo>{words::UNDO}</button>
            {act}
        </div>
        {keeping()}
    }
    .into_any()
}
