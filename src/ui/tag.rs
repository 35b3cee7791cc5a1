//! Elements without a type of their own. `view!` makes new code for every closure and attribute it
//! meets; what is built here is one type, so a page costs little more than its words.

#![allow(
    clippy::redundant_closure,
    reason = "a boxed function is neither an attribute nor a listener, a closure is"
)]

use leptos::attr::any_attribute::{AnyAttribute, IntoAnyAttribute};
use leptos::attr::custom::custom_attribute;
use leptos::ev::{self, Event, KeyboardEvent};
use leptos::html::{self, ElementChild};
use leptos::prelude::*;

/// An element under construction; [`Tag::end`] makes a view of it.
pub struct Tag {
    name: &'static str,
    attributes: Vec<AnyAttribute>,
    children: Vec<AnyView>,
}

/// An element with a class; an empty class is none.
pub fn tag(name: &'static str, class: &'static str) -> Tag {
    let tag = Tag { name, attributes: Vec::new(), children: Vec::new() };
    if class.is_empty() { tag } else { tag.attr("class", class) }
}

/// An element that holds a text.
pub fn text(name: &'static str, class: &'static str, text: impl Into<String>) -> AnyView {
    tag(name, class).text(text).end()
}

/// A heading that takes the focus when its page or part is shown.
pub fn heading(name: &'static str, class: &'static str, words: impl Into<String>) -> Tag {
    tag(name, class).attr("tabindex", "-1").text(words)
}

pub fn link(class: &'static str, to: impl Into<String>, words: impl Into<String>) -> Tag {
    tag("a", class).attr("href", to).text(words)
}

/// A button, found by tests as `[data-act=…]`.
pub fn button(
    class: &'static str,
    act: &'static str,
    words: impl Into<String>,
    then: impl Fn() + 'static,
) -> Tag {
    tag("button", class).attr("type", "button").attr("data-act", act).text(words).click(then)
}

/// Drawn anew when what it reads changes.
pub fn live(draw: impl Fn() -> AnyView + Send + 'static) -> AnyView {
    let draw: Box<dyn Fn() -> AnyView + Send> = Box::new(draw);
    (move || draw()).into_any()
}

/// A text that follows what it reads.
pub fn live_text(read: impl Fn() -> String + Send + 'static) -> AnyView {
    live(move || read().into_any())
}

/// A list that keeps the elements of what it keeps. `places` names each entry by a key and by where it
/// stands; an entry with another key is drawn anew.
pub fn each(
    places: impl Fn() -> Vec<(u64, usize)> + Send + Sync + 'static,
    draw: impl Fn(usize) -> AnyView + Send + Sync + 'static,
) -> AnyView {
    let places: Box<dyn Fn() -> Vec<(u64, usize)> + Send + Sync> = Box::new(places);
    let draw: std::sync::Arc<dyn Fn(usize) -> AnyView + Send + Sync> = std::sync::Arc::new(draw);
    view! { <For each=move || places() key=|(key, _)| *key children=move |(_, place)| draw(place) /> }
        .into_any()
}

/// A key for [`each`] from whatever tells entries apart.
pub fn key_of(parts: impl IntoIterator<Item = u64>) -> u64 {
    let mix = |key: u64, part: u64| (key ^ part).wrapping_mul(0x0000_0100_0000_01b3).rotate_left(23);
    parts.into_iter().fold(0xcbf2_9ce4_8422_2325, mix)
}

pub fn nothing() -> AnyView {
    ().into_any()
}

impl Tag {
    pub fn attr(self, name: &'static str, value: impl Into<String>) -> Self {
        self.put(name, value.into())
    }

    /// An attribute that is there or not.
    pub fn flag(self, name: &'static str, set: bool) -> Self {
        if set { self.put(name, String::new()) } else { self }
    }

    fn put(mut self, name: &'static str, value: String) -> Self {
        self.attributes.push(custom_attribute(name, value).into_any_attr());
        self
    }

    /// An attribute that follows what it reads; `None` takes it away.
    pub fn live(self, name: &'static str, read: impl Fn() -> Option<String> + Send + 'static) -> Self {
        self.put_live(name, Box::new(read))
    }

    fn put_live(mut self, name: &'static str, read: Box<dyn Fn() -> Option<String> + Send>) -> Self {
        self.attributes.push(custom_attribute(name, move || read()).into_any_attr());
        self
    }

    /// One property of its style that follows what it reads. The policy refuses an attribute `style`.
    pub fn style(mut self, name: &'static str, read: impl Fn() -> String + Send + 'static) -> Self {
        let read: Box<dyn Fn() -> String + Send> = Box::new(read);
        self.attributes.push(leptos::tachys::html::style::style((name, move || read())).into_any_attr());
        self
    }

    /// What a field holds, as it is drawn first and whenever what it reads changes.
    pub fn value(mut self, read: impl Fn() -> String + Send + 'static) -> Self {
        let read: Box<dyn Fn() -> String + Send> = Box::new(read);
        self.attributes.push(leptos::tachys::html::property::prop("value", move || read()).into_any_attr());
        self
    }

    pub fn click(self, then: impl Fn() + 'static) -> Self {
        self.on("click", move |_| then())
    }

    pub fn keys(self, then: impl Fn(KeyboardEvent) + 'static) -> Self {
        use wasm_bindgen::JsCast;
        self.on("keydown", move |event| then(event.unchecked_into()))
    }

    pub fn on(self, name: &'static str, then: impl Fn(Event) + 'static) -> Self {
        self.listen(name, Box::new(then))
    }

    fn listen(mut self, name: &'static str, then: Box<dyn Fn(Event)>) -> Self {
        let event = ev::Custom::<Event>::new(name);
        self.attributes
            .push(leptos::tachys::html::event::on(event, move |event| then(event)).into_any_attr());
        self
    }

    pub fn text(self, words: impl Into<String>) -> Self {
        let words: String = words.into();
        self.child(words.into_any())
    }

    pub fn child(mut self, child: AnyView) -> Self {
        self.children.push(child);
        self
    }

    pub fn maybe(self, child: Option<AnyView>) -> Self {
        self.children(child)
    }

    pub fn children(mut self, children: impl IntoIterator<Item = AnyView>) -> Self {
        self.children.extend(children);
        self
    }

    pub fn end(self) -> AnyView {
        html::custom(self.name).add_any_attr(self.attributes).child(self.children).into_any()
    }
}
