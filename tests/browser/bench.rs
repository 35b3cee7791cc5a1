//! The bench in the page's own wasm: `make bench`. A Web Worker measures, so that nothing else runs on
//! its thread; it prints what `fenceline-cli bench` prints natively.

use std::time::Duration;

use fenceline_browser_tests::{Page, drive};
use serde_json::json;

const PARTS: [&str; 4] = ["w1/1000", "w1/10000", "history", "fork"];
/// How long one part may take.
const MOST_SECONDS: u32 = 240;

fn main() {
    for part in PARTS {
        drive(async |page| {
            page.open("#/about").await;
            print!("{}", measured(page, part).await);
        });
    }
}

async fn measured(page: &Page, part: &str) -> String {
    page.run(
        "const names = document.querySelector('script[data-wasm]').dataset;
         const worker = new Worker(`./boot.js?js=${names.appJs}&wasm=${names.appWasm}`, { type: 'module' });
         worker.onmessage = () => {
           worker.onmessage = (event) => { document.documentElement.dataset.bench = event.data; };
           worker.postMessage(`bench ${arguments[0]}`);
         };",
        vec![json!(part)],
    )
    .await;
    for _ in 0..MOST_SECONDS {
        if let Some(lines) = page.attribute("html", "data-bench").await {
            return lines;
        }
        tokio::time::sleep(Duration::from_secs(1)).await;
    }
    panic!("{part} takes longer than {MOST_SECONDS} s");
}
