use leptos::prelude::*;

#[component]
pub fn Interview(id: Option<String>) -> impl IntoView {
    view! { <h1 tabindex="-1">"Interview"</h1> <p>{id}</p> }
}
