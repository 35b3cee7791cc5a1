//! What this is, and how to put it into a page of one's own.

use leptos::prelude::*;

use crate::app::library::{self, Kind};
use crate::app::words::shell as words;
use crate::ui::shell::{copy_by_hand, copy_text};
use crate::ui::site::address;

/// Something to embed: name, fragment, height.
type Item = (String, String, u32);

fn items() -> Vec<Item> {
    let labs = library::all(Kind::Scenario)
        .map(|it| (words::embed_lab(it.title), format!("#/lab?id={}", it.id), 680));
    let sets =
        library::all(Kind::Quiz).map(|it| (words::embed_quiz(it.title), format!("#/quiz/{}", it.id), 520));
    let rest = words::EMBEDS.map(|(name, to, height)| (name.to_owned(), to.to_owned(), height));
    labs.chain(sets).chain(rest).collect()
}

#[component]
pub fn About() -> impl IntoView {
    let chosen = RwSignal::new([0_usize; 3]);
    let all = items();
    let names = all.iter().map(|(name, ..)| name.clone()).collect();
    let built = Memo::new(move |_| {
        let [what, theme, chrome] = chosen.get();
        let (name, to, height) = all.get(what).cloned().unwrap_or_default();
        let theme = words::EMBED_THEMES.get(theme).map_or("auto", |(_, word)| word);
        let chrome = words::EMBED_CHROMES.get(chrome).map_or("min", |(_, word)| word);
        let joint = if to.contains('?') { '&' } else { '?' };
        let url = format!("{}{to}{joint}embed=1&theme={theme}&chrome={chrome}", address());
        let code = words::embed_code(&url.replace('&', "&amp;"), &name, height);
        (url, code)
    });
    let choice = move |n: usize, label: &'static str, names: Vec<String>| {
        let options = names.into_iter().enumerate();
        let options: Vec<_> =
            options.map(|(n, name)| view! { <option value=n>{name}</option> }.into_any()).collect();
        let choose = move |event: leptos::ev::Event| {
            let value = event_target_value(&event).parse().unwrap_or_default();
            chosen.update(|all| {
                if let Some(chosen) = all.get_mut(n) {
                    *chosen = value
                }
            });
        };
        view! { <label class="field">{label} <select on:change=choose>{options}</select></label> }.into_any()
    };
    let words_of = |all: [(&'static str, &'static str); 3]| all.map(|(name, _)| name.to_owned()).to_vec();
    let copied = RwSignal::new(None::<bool>);
    let copy = move |_| copy_text(built.get_untracked().1, move |done| copied.set(Some(done)));
    let name = move || if copied.get() == Some(true) { words::COPIED } else { words::COPY_CODE };
    Effect::new(move |_| {
        built.track();
        copied.set(None);
    });
    view! {
        <div class="page study">
            <h1 tabindex="-1">{words::ABOUT_TITLE}</h1>
            {words::ABOUT_TEXT.map(|text| view! { <p class="lead">{text}</p> }.into_any()).into_iter().collect::<Vec<_>>()}
            <h2 class="part">{words::EMBED}</h2>
            <p class="muted">{words::EMBED_ABOUT}</p>
            <div class="fields">
                {choice(0, words::EMBED_WHAT, names)}
                {choice(1, words::EMBED_THEME, words_of(words::EMBED_THEMES))}
                {choice(2, words::EMBED_CHROME, words_of(words::EMBED_CHROMES))}
            </div>
            <label class="notes">
                {words::EMBED_CODE}
                <textarea rows="4" class="mono" readonly prop:value=move || built.get().1></textarea>
            </label>
            {move || (copied.get() == Some(false)).then(|| copy_by_hand(built.get().1))}
            <div class="acts">
                <a class="btn" href=move || built.get().0 target="_blank" rel="noopener">{words::PREVIEW}</a>
                <button class="next" type="button" data-act="copy-code" on:click=copy>{name}</button>
            </div>
        </div>
    }
}
