//! The lab.

use leptos::prelude::*;

use crate::app::route::Parameters;

/// `parameters` are the run's, as `RunLink::read` takes them.
#[component]
pub fn Lab(parameters: Parameters) -> impl IntoView {
    view! {
        <div class="page">
            <h1 tabindex="-1">"Lab"</h1>
            <p>{format!("{parameters:?}")}</p>
            <button class="next" type="button">"Play"</button>
        </div>
    }
}
