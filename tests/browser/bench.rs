//! The bench in the page's own wasm: `make bench`. A Web Worker measures, so that nothing else runs on
//! its thread; it prints what `fenceline-cli bench` prints natively.

use std::time::Duration;

use fenceline_browser_tests::{Page, drive};
use serde_json::json;

/// How long one part may take.
const MOST_SECONDS: u32 = 240;

fn main() {
    let mut parts = String::new();
    drive(async |page| parts = answered(page, "bench").await);
    for part in parts.lines() {
        drive(async |page| print!("{}", answered(page, &format!("bench {part}")).await));
    }
}

/// What a Web Worker of its own answers.
async fn answered(page: &Page, asked: &str) -> String {
    page.open("#/about").await;
    page.run(
        "const names = document.querySelector('script[data-wasm]').dataset;
         const worker = new Worker(`./boot.js?js=${names.appJs}&wasm=${names.appWasm}`, { type: 'module' });
         worker.onmessage = () => {
           worker.onmessage = (event) => { document.documentElement.dataset.bench = event.data; };
           worker.postMessage(arguments[0]);
         };",
        vec![json!(asked)],
    )
    .await;
    for _ in 0..MOST_SECONDS {
        if let Some(lines) = page.attribute("html", "data-bench").await {
            return lines;
        }
        tokio::time::sleep(Duration::from_secs(1)).await;
    }
    panic!("`{asked}` takes longer than {MOST_SECONDS} s");
}
