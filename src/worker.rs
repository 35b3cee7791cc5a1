//! The same wasm in a Web Worker: plays a scenario it is sent and answers with what came of it.
//! The browser tests and the bench start it; the page derives its runs on its own thread, and long ones
//! could come here.

use std::time::Duration;

use crate::app::bench::{Bench, Figure, Part};
use fenceline_content::scenario::ScenarioFile;
use fenceline_sim::{Run, Simulation};
use serde::Serialize;
use wasm_bindgen::JsCast;
use wasm_bindgen::prelude::Closure;
use web_sys::{DedicatedWorkerGlobalScope, MessageEvent};

/// What a played scenario comes to.
#[derive(Serialize)]
struct Played {
    id: String,
    /// Of the trace, sixteen hex digits.
    digest: String,
    events: u64,
}

/// Answers each message, the JSON of a scenario, with the JSON of a [`Played`] or an error's text; and
/// `bench PART` with the figures of one part of the bench, a line each; `bench` alone with the parts'
/// names.
/// Says `ready` first: messages sent before the wasm is there would be lost.
pub fn serve() {
    let scope: DedicatedWorkerGlobalScope = js_sys::global().unchecked_into();
    let answer = {
        let scope = scope.clone();
        Closure::<dyn Fn(MessageEvent)>::new(move |event: MessageEvent| {
            let text = event.data().as_string().unwrap_or_default();
            let reply = match text.strip_prefix("bench").map(str::trim_start) {
                Some("") => Part::ALL.map(Part::name).join("\n"),
                Some(name) => Part::of_name(name).map_or_else(|| format!("error: no part {name}"), bench),
                None => play(&text).unwrap_or_else(|error| format!("error: {error}")),
            };
            let _ = scope.post_message(&reply.into());
        })
    };
    scope.set_onmessage(Some(answer.as_ref().unchecked_ref()));
    answer.forget();
    let _ = scope.post_message(&"ready".into());
}

fn bench(part: Part) -> String {
    let performance = js_sys::global().unchecked_into::<DedicatedWorkerGlobalScope>().performance();
    let now = || performance.as_ref().map_or(0.0, |performance| performance.now());
    let mut lines = String::new();
    let mut say = |figure: Figure| lines += &format!("{}\t{}\t{}\n", figure.name, figure.value, figure.unit);
    let clock = &|| Duration::from_micros((now() * 1000.0) as u64);
    Bench { place: "chromium", clock, say: &mut say }.run(part);
    lines
}

fn play(text: &str) -> Result<String, String> {
    let file: ScenarioFile = fenceline_content::plain::read(text)?;
    let case = file
        .read(&file.id)
        .map_err(|mistakes| mistakes.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n"))?;
    let mut simulation = Simulation::new(&Run::new(case.scenario));
    simulation.finish();
    let digest = format!("{:016x}", simulation.trace().digest());
    let played = Played { id: case.id, digest, events: simulation.events() };
    serde_json::to_string(&played).map_err(|error| error.to_string())
}
