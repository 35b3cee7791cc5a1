use leptos::prelude::*;

#[component]
pub fn Incidents() -> impl IntoView {
    view! { <h1 tabindex="-1">"Incidents"</h1> }
}
