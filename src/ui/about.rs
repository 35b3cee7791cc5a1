//! What this is, and how to put it into a page of one's own.

use leptos::prelude::*;

use crate::app::library::{self, Kind};
use crate::app::words::shell as words;
use crate::ui::shell::copy_button;
use crate::ui::site::address;
use crate::ui::state::State;
use crate::ui::tag::{heading, link, tag, text};

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

/// Which item, theme and chrome are chosen.
type Choice = State<[usize; 3]>;

/// The address to embed, and the code that does.
fn built([what, theme, chrome]: [usize; 3]) -> (String, String) {
    let (name, to, height) = items().into_iter().nth(what).unwrap_or_default();
    let theme = words::EMBED_THEMES.get(theme).map_or("auto", |(_, word)| word);
    let chrome = words::EMBED_CHROMES.get(chrome).map_or("min", |(_, word)| word);
    let joint = if to.contains('?') { '&' } else { '?' };
    let url = format!("{}{to}{joint}embed=1&theme={theme}&chrome={chrome}", address());
    let code = words::embed_code(&url.replace('&', "&amp;"), &name, height);
    (url, code)
}

fn choice(chosen: Choice, n: usize, label: &'static str, names: Vec<String>) -> AnyView {
    let now = chosen.peek(|all| all.get(n).copied());
    let options = names.into_iter().enumerate().map(|(n, name)| {
        tag("option", "").attr("value", n.to_string()).flag("selected", now == Some(n)).text(name).end()
    });
    let select = tag("select", "").children(options).on("change", move |event| {
        let value = event_target_value(&event).parse().unwrap_or_default();
        chosen.edit(|all| {
            if let Some(chosen) = all.get_mut(n) {
                *chosen = value
            }
        });
    });
    tag("label", "field").text(label).child(select.end()).end()
}

pub(super) fn page() -> AnyView {
    let chosen: Choice = State::of("embed", || [0; 3]);
    let names = items().into_iter().map(|(name, ..)| name).collect();
    let words_of = |all: [(&'static str, &'static str); 3]| all.map(|(name, _)| name.to_owned()).to_vec();
    let fields = tag("div", "fields")
        .child(choice(chosen, 0, words::EMBED_WHAT, names))
        .child(choice(chosen, 1, words::EMBED_THEME, words_of(words::EMBED_THEMES)))
        .child(choice(chosen, 2, words::EMBED_CHROME, words_of(words::EMBED_CHROMES)));
    let code = tag("textarea", "mono").attr("rows", "4").attr("readonly", "");
    let code = code.value(move || built(chosen.get()).1);
    let open = link("btn", "", words::PREVIEW).live("href", move || Some(built(chosen.get()).0));
    let open = open.attr("target", "_blank").attr("rel", "noopener");
    let copy =
        copy_button("next", "copy-code", words::COPY_CODE, move || Some(built(chosen.peek(|it| *it)).1));
    tag("div", "page study")
        .child(heading("h1", "", words::ABOUT_TITLE).end())
        .children(words::ABOUT_TEXT.map(|line| text("p", "lead", line)))
        .child(text("h2", "part", words::EMBED))
        .child(text("p", "muted", words::EMBED_ABOUT))
        .child(fields.end())
        .child(tag("label", "notes").text(words::EMBED_CODE).child(code.end()).end())
        .child(tag("div", "acts").child(open.end()).child(copy).end())
        .end()
}
