use crate::app::route::Pick;
use leptos::prelude::*;

#[component]
pub fn Cards(pick: Pick) -> impl IntoView {
    view! { <h1 tabindex="-1">"Cards"</h1> <p>{format!("{pick:?}")}</p> }
}
