//! Scenarios played by a Web Worker of the page's own wasm.

use crate::Page;

/// Has a worker play scenarios, each given as JSON, and returns its answers, a line each.
pub async fn played_in_a_worker(page: &Page, scenarios: Vec<String>) -> Vec<String> {
    page.run(
        "const names = document.querySelector('script[data-wasm]').dataset;
         const worker = new Worker(`./boot.js?js=${names.appJs}&wasm=${names.appWasm}`, { type: 'module' });
         const next = () => new Promise((done) => { worker.onmessage = (event) => done(event.data); });
         window.played = (async () => {
           await next();
           const answers = [];
           for (const scenario of arguments[0]) {
             const answer = next();
             worker.postMessage(scenario);
             answers.push((await answer).replaceAll('\\n', ' '));
           }
           worker.terminate();
           document.documentElement.dataset.played = answers.join('\\n');
         })();
         delete document.documentElement.dataset.played;",
        vec![scenarios.into()],
    )
    .await;
    page.wait_for("html[data-played]").await;
    let played = page.attribute("html", "data-played").await.unwrap_or_default();
    played.lines().map(str::to_owned).collect()
}
