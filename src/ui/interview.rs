//! The interview: what is told, what may be asked, and what a strong answer covers.

use std::sync::Arc;

use fenceline_content::interview::{AnswerPoint, Interview as Content, Step};
use leptos::prelude::*;

use crate::app::library::{self, Kind};
use crate::app::route::Place;
use crate::app::study::interview::{BANDS, PHASES, Phase, Rated};
use crate::app::words::study as words;
use crate::ui::fetch::fetched;
use crate::ui::progress::{keeping, recall, remember, store, today};
use crate::ui::site::{focus_next, site};

/// Where the reader is in it. Kept while the tab is open: the lab is part of the interview.
#[derive(Clone, Default)]
struct Sitting {
    phase: Option<Phase>,
    /// Points shown, of the answer and of the follow-up.
    shown: [usize; 2],
    notes: String,
    rated: Rated,
}

type Seat = RwSignal<Sitting>;

#[component]
pub fn Interview(id: Option<String>) -> impl IntoView {
    let entry = match &id {
        Some(id) => library::find(Kind::Interview, id),
        None => library::all(Kind::Interview).next(),
    };
    let Some(entry) = entry else {
        return view! {
            <div class="page study">
                <h1 tabindex="-1">{words::INTERVIEW}</h1>
                <p class="lead">{words::NO_SUCH}</p>
            </div>
        }
        .into_any();
    };
    let name = format!("interview/{}", entry.id);
    let seat = RwSignal::new(recall::<Sitting>(&name).unwrap_or_default());
    Effect::new(move |_| remember(&name, seat.get()));
    let body = fetched(vec![entry], move |mut all: Vec<Content>| {
        all.pop().map(|it| sitting(Arc::new(it), seat)).into_any()
    });
    view! {
        <div class="page study">
            {phases(seat)}
            <h1 tabindex="-1">{entry.title}</h1>
            {body}
        </div>
    }
    .into_any()
}

fn phase_of(seat: Seat) -> Memo<Phase> {
    Memo::new(move |_| seat.with(|it| it.phase.unwrap_or(Phase::Ask)))
}

fn go(seat: Seat, phase: Phase) {
    seat.update(|it| it.phase = Some(phase));
    focus_next("#phase");
}

/// The phases as one line; any can be gone to.
fn phases(seat: Seat) -> AnyView {
    let now = phase_of(seat);
    let button = |phase: Phase| {
        let current = move || (now.get() == phase).then_some("step");
        view! {
            <li>
                <button type="button" aria-current=current on:click=move |_| go(seat, phase)>{words::phase(phase)}</button>
            </li>
        }
        .into_any()
    };
    view! { <ol class="phases">{PHASES.into_iter().map(button).collect::<Vec<_>>()}</ol> }.into_any()
}

fn sitting(it: Arc<Content>, seat: Seat) -> AnyView {
    let now = phase_of(seat);
    let (prompt, task) = (it.prompt.clone(), it.task.clone());
    let body = move || match now.get() {
        Phase::Ask => ask(&it, seat),
        Phase::Answer => answer(&it, seat),
        Phase::Compare => compare(&it, seat, 0),
        Phase::Mend => mend(&it, seat),
        Phase::FollowUp => compare(&it, seat, 1),
        Phase::Result => result(&it, seat),
    };
    view! {
        <blockquote class="prompt"><p>{prompt}</p> <p><b>{task}</b></p></blockquote>
        {body}
    }
    .into_any()
}

fn heading(title: &'static str, about: &'static str) -> AnyView {
    view! { <h2 class="part" id="phase" tabindex="-1">{title}</h2> <p class="muted">{about}</p> }.into_any()
}

/// The dark button that leads on.
fn onward(seat: Seat, phase: Phase) -> AnyView {
    let next = phase.next().unwrap_or(Phase::Result);
    view! {
        <div class="acts">
            <button class="next" type="button" data-act="onward" on:click=move |_| go(seat, next)>{words::onward(phase)}</button>
        </div>
    }
    .into_any()
}

fn ask(it: &Content, seat: Seat) -> AnyView {
    let fact = |fact: &fenceline_content::interview::Fact| {
        let (id, asked) = (fact.id.clone(), fact.id.clone());
        let open = Memo::new(move |_| seat.with(|it| it.rated.has_asked(&asked)));
        let answer = fact.answer.clone();
        view! {
            <li>
                <button
                    type="button"
                    aria-expanded=move || open.get().to_string()
                    data-ask=fact.id.clone()
                    on:click=move |_| seat.update(|it| it.rated.ask(&id))
                >
                    {fact.ask.clone()}
                </button>
                {move || open.get().then(|| view! { <p role="status">{answer.clone()}</p> })}
            </li>
        }
        .into_any()
    };
    let facts: Vec<_> = it.facts.iter().map(fact).collect();
    view! { {heading(words::ASK, words::ASK_ABOUT)} <ul class="facts">{facts}</ul> {onward(seat, Phase::Ask)} }.into_any()
}

fn answer(it: &Content, seat: Seat) -> AnyView {
    let asked = seat.with_untracked(|seat| {
        let asked = it.facts.iter().filter(|fact| seat.rated.has_asked(&fact.id));
        asked.map(|fact| view! { <li>{fact.answer.clone()}</li> }.into_any()).collect::<Vec<_>>()
    });
    let write = move |event: leptos::ev::Event| seat.update(|it| it.notes = event_target_value(&event));
    let notes = seat.with_untracked(|it| it.notes.clone());
    view! {
        {heading(words::YOUR_ANSWER, words::NOTES_ABOUT)}
        <label class="notes">
            {words::NOTES} <textarea rows="9" prop:value=notes on:input=write></textarea>
        </label>
        {(!asked.is_empty()).then(|| view! { <h3 class="part">{words::ASKED}</h3> <ul class="plain">{asked}</ul> })}
        {onward(seat, Phase::Answer)}
    }
    .into_any()
}

/// The points of a strong answer, shown on request; `part` 1 is the follow-up's.
fn compare(it: &Arc<Content>, seat: Seat, part: usize) -> AnyView {
    let (phase, points) = match part {
        0 => (Phase::Compare, &it.answers),
        _ => (Phase::FollowUp, &it.follow_up.answers),
    };
    let count = points.len();
    let shown = Memo::new(move |_| seat.with(|it| it.shown.get(part).copied().unwrap_or_default()));
    let show = move |upto: usize| {
        seat.update(|it| {
            if let Some(shown) = it.shown.get_mut(part) {
                *shown = upto.min(count);
            }
        });
    };
    let whole = Arc::clone(it);
    let rows = move || {
        let open = shown.get();
        let points = if part == 0 { &whole.answers } else { &whole.follow_up.answers };
        let row = |(n, it)| if n < open { point(&whole, it, seat) } else { hidden(n, count) };
        points.iter().enumerate().map(row).collect::<Vec<_>>()
    };
    let acts = move || {
        if shown.get() >= count {
            return onward(seat, phase);
        }
        view! {
            <div class="acts">
                <button class="btn" type="button" data-act="show-all" on:click=move |_| show(count)>{words::SHOW_ALL}</button>
                <button class="next" type="button" data-act="show-next" on:click=move |_| show(shown.get_untracked() + 1)>
                    {words::SHOW_NEXT}
                </button>
            </div>
        }
        .into_any()
    };
    let top = if part == 0 {
        heading(words::STRONG, words::STRONG_ABOUT)
    } else {
        let prompt = it.follow_up.prompt.clone();
        view! {
            <h2 class="part" id="phase" tabindex="-1">{words::FOLLOW_UP}</h2>
            <p class="said">{prompt}</p>
            <p class="muted">{words::STRONG_ABOUT}</p>
        }
        .into_any()
    };
    view! { {top} <ol class="points">{rows}</ol> {acts} }.into_any()
}

fn hidden(n: usize, of: usize) -> AnyView {
    view! { <li class="hidden-point">{words::hidden_point(n + 1, of)}</li> }.into_any()
}

fn point(whole: &Content, it: &AnswerPoint, seat: Seat) -> AnyView {
    let (site, store) = (site(), store());
    let was = seat.with_untracked(|seat| seat.rated.bands.get(&it.id).copied());
    let group = format!("band-{}", it.id);
    let bands = BANDS.map(|band| {
        let (interview, id) = (whole.id.clone(), it.id.clone());
        let rate = move |_| {
            seat.update(|it| {
                it.rated.bands.insert(id.clone(), band);
                it.rated.day = today();
            });
            let rated = seat.with_untracked(|it| it.rated.clone());
            store.edit(|progress| drop(progress.interviews.insert(interview.clone(), rated)));
        };
        view! {
            <label>
                <input type="radio" name=group.clone() checked=was == Some(band) on:change=rate />
                <span>{words::band(band)}</span>
            </label>
        }
        .into_any()
    });
    let trap = it.trap.then(|| {
        let lab = whole.scenario.as_deref().map(|id| {
            let to = Place::lab(id).href();
            view! { <a href=move || site.href(&to)>{words::OPEN_IN_LAB}</a> }
        });
        view! { <p class="trap"><b>{words::TRAP}</b> " · " {words::TRAP_ASKS} " " {lab}</p> }
    });
    view! {
        <li data-point=it.id.clone()>
            {trap}
            <h3>{it.title.clone()}</h3>
            <p>{it.what.clone()}</p>
            <p class="muted">{it.why.clone()}</p>
            <fieldset class="bands">
                <legend class="hide">{it.title.clone()}</legend>
                {Vec::from(bands)}
            </fieldset>
        </li>
    }
    .into_any()
}

fn mend(it: &Content, seat: Seat) -> AnyView {
    let part = |title: &'static str, steps: &[Step]| {
        let step =
            |step: &Step| view! { <li>{step.act.clone()} <small>{step.why.clone()}</small></li> }.into_any();
        let steps: Vec<_> = steps.iter().map(step).collect();
        view! { <section><h3>{title}</h3> <ol class="steps">{steps}</ol></section> }.into_any()
    };
    view! {
        <h2 class="part" id="phase" tabindex="-1">{words::phase(Phase::Mend)}</h2>
        <div class="mend">
            {part(words::CONFIRM, &it.confirm)}
            {part(words::CONTAIN, &it.contain)}
            {part(words::REPAIR, &it.repair)}
        </div>
        {onward(seat, Phase::Mend)}
    }
    .into_any()
}

fn result(it: &Content, seat: Seat) -> AnyView {
    let site = site();
    let summary = seat.with_untracked(|seat| seat.rated.summary(it));
    let missed: Vec<String> = seat.with_untracked(|seat| {
        let missed = it.facts.iter().filter(|fact| fact.telling && !seat.rated.has_asked(&fact.id));
        missed.map(|fact| fact.ask.clone()).collect()
    });
    let line = words::result(&summary);
    let list = |title: &'static str, items: Vec<String>| {
        let items = if items.is_empty() { vec![words::NONE.to_owned()] } else { items };
        let items: Vec<_> = items.into_iter().map(|item| view! { <li>{item}</li> }.into_any()).collect();
        view! { <section><h3>{title}</h3> <ul class="plain">{items}</ul></section> }.into_any()
    };
    let to = Place::lab(it.scenario.as_deref().unwrap_or_default()).href();
    let anew = move |_| {
        seat.set(Sitting::default());
        focus_next("main h1");
    };
    view! {
        <h2 class="part" id="phase" tabindex="-1" data-part="result">{line}</h2>
        <div class="mend">
            {list(words::STRENGTHS, summary.strong)}
            {list(words::GAPS, summary.gaps)}
            {list(words::UNRATED, summary.unrated)}
            {list(words::NOT_ASKED, missed)}
        </div>
        <div class="acts">
            <button class="btn" type="button" on:click=anew>{words::BEGIN_ANEW}</button>
            <a class="next" href=move || site.href(&to)>{words::onward(Phase::Result)}</a>
        </div>
        {keeping()}
    }
    .into_any()
}
