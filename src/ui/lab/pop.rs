//! A button that opens a list of things to do: a popover beside it, a sheet on the phone.

use leptos::ev;
use leptos::html;
use leptos::prelude::*;

use crate::app::words::shell::CLOSE;

/// Of the list, and a margin.
const WIDTH: f64 = 336.0;

/// One thing to choose.
#[derive(Clone)]
pub struct Item {
    /// The heading it stands under; one for all items of it that follow each other.
    pub group: String,
    pub label: String,
    /// What it is called where its text alone does not say it.
    pub name: Option<String>,
    /// One line under it.
    pub note: String,
    /// Why it cannot be chosen; it stays focusable and says so.
    pub refused: Option<String>,
    pub current: bool,
    /// The list stays open, to show something else.
    pub stays: bool,
    pub choose: Callback<()>,
}

/// The list is asked for when it opens, so that nothing is computed for closed ones.
#[component]
pub fn Pop(
    /// The button's text.
    #[prop(into)]
    label: Signal<String>,
    /// What the button does, where its text alone does not say it.
    #[prop(optional, into)]
    name: Option<Signal<String>>,
    class: &'static str,
    /// The list's heading.
    #[prop(into)]
    title: Signal<String>,
    items: Callback<(), Vec<Item>>,
    /// What stands under the list.
    #[prop(optional, into)]
    below: Option<Callback<(), AnyView>>,
    /// Where something else opens it too.
    #[prop(optional)]
    open: Option<RwSignal<bool>>,
) -> impl IntoView {
    let open = open.unwrap_or_else(|| RwSignal::new(false));
    let root = NodeRef::<html::Span>::new();
    let button = NodeRef::<html::Button>::new();
    // Where the reader came from who opened it by a key.
    let came_from = StoredValue::new_local(None::<web_sys::HtmlElement>);
    let close = move || {
        open.set(false);
        let back = came_from.try_update_value(Option::take).flatten().filter(|from| from.is_connected());
        if let Some(back) = back {
            let _ = back.focus();
        } else if let Some(button) = button.get_untracked() {
            let _ = button.focus();
        }
    };
    let contains = move |node: Option<web_sys::Node>| {
        root.get_untracked().is_some_and(|root| root.contains(node.as_ref()))
    };
    Effect::new(move |_| {
        if open.get() {
            use wasm_bindgen::JsCast;
            let active =
                document().active_element().and_then(|active| active.dyn_into::<web_sys::HtmlElement>().ok());
            let from =
                active.filter(|active| active.tag_name() != "BODY" && !contains(Some(active.clone().into())));
            if from.is_some() {
                request_animation_frame(|| crate::ui::site::focus(".pop-item"));
            }
            came_from.set_value(from);
        }
    });
    let outside = window_event_listener(ev::pointerdown, move |event| {
        let within = root.get_untracked().is_some_and(|root| root.contains(Some(&event_target(&event))));
        if !within && open.try_get_untracked() == Some(true) {
            open.set(false);
        }
    });
    on_cleanup(move || outside.remove());
    let list = move || {
        let entry = move |item: Item| {
            let Item { label, name, note, refused, current, stays, choose, .. } = item;
            let blocked = refused.is_some();
            view! {
                <button
                    type="button"
                    class="pop-item"
                    class:current=current
                    aria-label=name
                    title=refused.clone()
                    aria-disabled=blocked.then_some("true")
                    aria-pressed=current.then_some("true")
                    on:click=move |_| {
                        if !blocked {
                            if !stays {
                                close();
                            }
                            choose.run(());
                        }
                    }
                >
                    <b>{label}</b>
                    <small>{refused.clone().unwrap_or(note)}</small>
                </button>
            }
        };
        // The items follow the run; what stands below keeps its elements, and the focus in them.
        let entries = move || {
            let mut group = String::new();
            let headed = move |item: Item| {
                let heading = (group != item.group).then(|| item.group.clone());
                group.clone_from(&item.group);
                let heading = heading.map(|group| view! { <h3 class="pop-group">{group}</h3> });
                view! { {heading}{entry(item)} }
            };
            items.run(()).into_iter().map(headed).collect_view()
        };
        let below = untrack(|| below.map(|below| below.run(())));
        view! {
            <div class="scrim" on:click=move |_| close()></div>
            <div class="pop-list" role="group" tabindex="-1" aria-label=title>
                <p class="pop-title">{title}</p>
                <div class="pop-items">{entries}</div>
                {below}
                <button type="button" class="btn pop-close" on:click=move |_| close()>{CLOSE}</button>
            </div>
        }
    };
    // Near the right edge it opens to the left.
    let to_left = RwSignal::new(false);
    let toggle = move |_| {
        let left = root.get_untracked().map_or(0.0, |root| root.get_bounding_client_rect().left());
        let room = window().inner_width().ok().and_then(|width| width.as_f64()).unwrap_or(1280.0);
        to_left.set(left + WIDTH > room);
        open.update(|open| *open = !*open);
    };
    view! {
        <span
            class="pop"
            class:to-left=move || to_left.get()
            node_ref=root
            on:focusout=move |event| {
                use wasm_bindgen::JsCast;
                let to = event.related_target().and_then(|to| to.dyn_into::<web_sys::Node>().ok());
                if to.is_some() && !contains(to) && open.get_untracked() {
                    open.set(false);
                }
            }
            on:keydown=move |event| {
                if event.key() == "Escape" && open.get_untracked() {
                    event.stop_propagation();
                    close();
                }
            }
        >
            <button
                type="button"
                class=class
                node_ref=button
                aria-expanded=move || open.get().to_string()
                aria-label=move || name.map(|name| name.get())
                on:click=toggle
            >
                {label}
            </button>
            <Show when=move || open.get()>{list()}</Show>
        </span>
    }
}

/// Puts the focus on the list that is open.
pub(super) fn focus_list() {
    use wasm_bindgen::JsCast;
    let list = document().query_selector(".pop-list").ok().flatten();
    if let Some(list) = list.and_then(|list| list.dyn_into::<web_sys::HtmlElement>().ok()) {
        let _ = list.focus();
    }
}

/// What an event happened to, as a node.
fn event_target(event: &web_sys::PointerEvent) -> web_sys::Node {
    use wasm_bindgen::JsCast;
    event.target().map_or_else(|| document().into(), |target| target.unchecked_into())
}
