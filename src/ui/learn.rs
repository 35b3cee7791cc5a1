use leptos::prelude::*;

#[component]
pub fn Learn() -> impl IntoView {
    view! { <h1 tabindex="-1">"Learn"</h1> }
}
