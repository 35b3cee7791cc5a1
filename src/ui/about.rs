use leptos::prelude::*;

#[component]
pub fn About() -> impl IntoView {
    view! { <h1 tabindex="-1">"About"</h1> }
}
