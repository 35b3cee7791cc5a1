//! Issue 2, *It must show* 3: every scenario gives the same trace natively, in the page and in a Web
//! Worker.

use fenceline_browser_tests::{Page, drive};

/// Written by the native tests of scenarios and incidents: id, records, digest.
const NATIVE: [&str; 2] = [
    include_str!("../../../src/content/tests/digests.txt"),
    include_str!("../../../src/content/tests/incidents.txt"),
];

fn natively() -> Vec<(&'static str, &'static str)> {
    let line = |line: &'static str| {
        let mut parts = line.split('\t');
        Some((parts.next()?, parts.nth(1)?))
    };
    let lines = NATIVE.iter().flat_map(|text| text.lines());
    let digests: Vec<_> = lines.filter(|line| !line.starts_with('#')).filter_map(line).collect();
    assert!(digests.len() >= 20, "{} scenarios", digests.len());
    digests
}

#[test]
fn every_scenario_gives_the_native_trace_in_the_page() {
    drive(async |page| {
        page.viewport(1280, 800).await;
        page.open("#/incidents").await;
        for (id, digest) in natively() {
            page.follow(&format!("#/lab?v=1&id={id}")).await;
            page.wait_for(&format!(".lab[data-scenario='{id}'][data-digest='{digest}']")).await;
        }
    });
}

#[test]
fn every_scenario_gives_the_native_trace_in_a_web_worker() {
    drive(async |page| {
        page.open("#/about").await;
        let answers = played_in_a_worker(page).await;
        for (id, digest) in natively() {
            assert!(answers.contains(&format!("\"id\":\"{id}\",\"digest\":\"{digest}\"")), "{id}: {answers}");
        }
    });
}

/// Fetches every scenario's file and has a worker of the page's own wasm play it.
async fn played_in_a_worker(page: &Page) -> String {
    page.run(
        "const names = document.querySelector('script[data-wasm]').dataset;
         const worker = new Worker(`./boot.js?js=${names.appJs}&wasm=${names.appWasm}`, { type: 'module' });
         const next = () => new Promise((done) => { worker.onmessage = (event) => done(event.data); });
         window.played = (async () => {
           await next();
           const answers = [];
           for (const file of arguments[0]) {
             const answer = next();
             worker.postMessage(await (await fetch(`content/${file}`)).text());
             answers.push(await answer);
           }
           document.documentElement.dataset.played = answers.join('\\n');
         })();",
        vec![scenario_files(page).into()],
    )
    .await;
    page.wait_for("html[data-played]").await;
    page.attribute("html", "data-played").await.unwrap_or_default()
}

fn scenario_files(page: &Page) -> Vec<String> {
    let is_played = |name: &String| name.starts_with("scenario") || name.starts_with("incident");
    page.server.files("content").into_iter().filter(is_played).collect()
}
