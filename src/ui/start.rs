//! The start page.

use leptos::prelude::*;

use crate::ui::site::site;

#[component]
pub fn Start() -> impl IntoView {
    let site = site();
    view! {
        <div class="page">
            <h1 tabindex="-1">"Nothing failed. The revenue is double."</h1>
            <p><a class="next" href=move || site.href("#/lab?id=flagship")>"Open the lab"</a></p>
        </div>
    }
}
