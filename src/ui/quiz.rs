use crate::app::route::Pick;
use leptos::prelude::*;

#[component]
pub fn Quiz(pick: Pick) -> impl IntoView {
    view! { <h1 tabindex="-1">"Quiz"</h1> <p>{format!("{pick:?}")}</p> }
}
