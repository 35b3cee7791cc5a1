//! The page as a person has it before them.

use std::cell::RefCell;
use std::panic::{AssertUnwindSafe, resume_unwind};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use futures_util::FutureExt;
use serde_json::{Value, json};
use thirtyfour::BrowserLogEntry;
use thirtyfour::prelude::*;

use crate::driver::Driver;
use crate::server::Server;

/// How long a state may take to come. Generous, since a busy machine must not fail a test.
const PATIENCE: Duration = Duration::from_secs(30);
const WHOLE_TEST: Duration = Duration::from_secs(300);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Theme {
    Light,
    Dark,
}

/// A browser with one tab, and the server that has the built page.
///
/// Its methods panic with what they waited for; a test needs no `?`.
pub struct Page {
    /// For what has no method here.
    pub driver: WebDriver,
    pub server: Server,
    console: RefCell<Vec<BrowserLogEntry>>,
}

/// Runs a test: starts server and browser, and at its end fails on any error the console has.
/// If the test fails it prints the console and leaves a picture in `target/failed/`.
pub fn drive(test: impl AsyncFnOnce(&Page)) {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
    runtime.block_on(async {
        let driver = Driver::start();
        let page = Page {
            driver: driver
                .browser()
                .await
                .unwrap_or_else(|error| panic!("the browser does not start: {error}")),
            server: Server::of_page(),
            console: RefCell::default(),
        };
        page.viewport(1280, 720).await;
        let outcome = AssertUnwindSafe(async {
            let in_time = tokio::time::timeout(WHOLE_TEST, test(&page)).await;
            assert!(in_time.is_ok(), "the test took longer than {WHOLE_TEST:?}");
            page.assert_no_errors().await;
        })
        .catch_unwind()
        .await;
        if outcome.is_err() {
            page.report().await;
        }
        let _ = page.driver.quit().await;
        if let Err(panic) = outcome {
            resume_unwind(panic);
        }
    });
}

impl Page {
    /// Loads the page anew at a route (`"#/lab"`) and waits until it has mounted.
    pub async fn open(&self, route: &str) {
        self.goto(&format!("{}{route}", self.server.url())).await;
        self.wait_for("html[data-state=ready]").await;
    }

    /// Loads any address and waits for nothing.
    pub async fn goto(&self, url: &str) {
        // From the page to itself with another fragment would not load anything.
        self.driver.goto("about:blank").await.expect("about:blank");
        self.driver.goto(url).await.unwrap_or_else(|error| panic!("{url}: {error}"));
    }

    /// Changes the fragment of the page that is open, as a link in it does.
    pub async fn follow(&self, route: &str) {
        self.run("location.hash = arguments[0]", vec![json!(route)]).await;
    }

    /// Waits until something is there that matches, and returns the first.
    pub async fn wait_for(&self, css: &str) -> WebElement {
        self.eventually(css, async || self.find(css).await).await
    }

    /// Waits until nothing matches.
    pub async fn wait_gone(&self, css: &str) {
        self.eventually(&format!("{css} to go"), async || match self.count(css).await {
            0 => Ok(()),
            some => Err(format!("there are {some}")),
        })
        .await;
    }

    /// Waits until the text of what matches contains `part`.
    pub async fn wait_for_text(&self, css: &str, part: &str) {
        self.eventually(&format!("{css} to say {part:?}"), async || {
            let text = shown(self.find(css).await?.text().await)?;
            if text.contains(part) { Ok(()) } else { Err(format!("it says {text:?}")) }
        })
        .await;
    }

    /// The visible text of the first that matches.
    pub async fn text(&self, css: &str) -> String {
        self.eventually(css, async || shown(self.find(css).await?.text().await)).await
    }

    /// The visible texts of all that match now.
    pub async fn texts(&self, css: &str) -> Vec<String> {
        let found = self.run(
            "return [...document.querySelectorAll(arguments[0])].map((e) => e.innerText ?? e.textContent)",
            vec![json!(css)],
        );
        serde_json::from_value(found.await).expect("texts")
    }

    /// An attribute of the first that matches.
    pub async fn attribute(&self, css: &str, name: &str) -> Option<String> {
        self.eventually(css, async || shown(self.find(css).await?.attr(name).await)).await
    }

    /// How many match now.
    pub async fn count(&self, css: &str) -> usize {
        self.driver.find_all(By::Css(css)).await.map_or(0, |all| all.len())
    }

    /// Clicks the middle of the first that matches, once it can be clicked there.
    pub async fn click(&self, css: &str) {
        self.eventually(&format!("{css} to take a click"), async || {
            shown(self.find(css).await?.click().await)
        })
        .await;
    }

    /// Presses a key where the focus is: `page.key(Key::Escape)`, `page.key("v")`.
    pub async fn key(&self, key: impl Into<TypingData>) {
        let focused = self.driver.active_element().await.expect("something has the focus");
        focused.send_keys(key).await.expect("the focused element takes keys");
    }

    /// Empties a field and types into it.
    pub async fn fill(&self, css: &str, text: &str) {
        self.eventually(&format!("{css} to take text"), async || {
            let field = self.find(css).await?;
            shown(field.clear().await)?;
            shown(field.send_keys(text).await)
        })
        .await;
    }

    /// Sets the size of the page itself, in CSS pixels.
    pub async fn viewport(&self, width: u32, height: u32) {
        let size = json!({ "width": width, "height": height, "deviceScaleFactor": 1, "mobile": false });
        self.command("Emulation.setDeviceMetricsOverride", size).await;
    }

    /// What the reader's system prefers.
    pub async fn prefer(&self, theme: Theme, reduced_motion: bool) {
        let scheme = match theme {
            Theme::Light => "light",
            Theme::Dark => "dark",
        };
        let motion = if reduced_motion { "reduce" } else { "no-preference" };
        let features = json!([
            { "name": "prefers-color-scheme", "value": scheme },
            { "name": "prefers-reduced-motion", "value": motion },
        ]);
        self.command("Emulation.setEmulatedMedia", json!({ "features": features })).await;
    }

    /// Sends a command of the DevTools protocol.
    pub async fn command(&self, method: &str, parameters: Value) -> Value {
        self.driver
            .cdp()
            .send_raw(method, parameters)
            .await
            .unwrap_or_else(|error| panic!("{method}: {error}"))
    }

    /// Runs a script (`return …`, `arguments[0]`) in the current frame.
    pub async fn run(&self, script: &str, arguments: Vec<Value>) -> Value {
        let result = self.driver.execute(script, arguments).await;
        result.unwrap_or_else(|error| panic!("{script}: {error}")).json().clone()
    }

    /// From now on everything happens inside this frame, of whatever origin.
    pub async fn enter_frame(&self, css: &str) {
        self.wait_for(css).await.enter_frame().await.unwrap_or_else(|error| panic!("{css}: {error}"));
    }

    /// Back to the whole page.
    pub async fn leave_frame(&self) {
        self.driver.enter_default_frame().await.expect("the top frame");
    }

    /// Whether the content is wider than the page, so that it would have to be scrolled sideways.
    pub async fn overflows(&self) -> bool {
        // On failure the console says what sticks out.
        let script = "const e = document.documentElement;
            const out = [...document.querySelectorAll('*')].filter((it) => it.getBoundingClientRect().right > e.clientWidth + 1);
            if (e.scrollWidth > e.clientWidth) console.warn('wider than', e.clientWidth, ...out.map((it) => it.tagName + '.' + it.className));
            return e.scrollWidth > e.clientWidth";
        self.run(script, Vec::new()).await == json!(true)
    }

    /// Runs axe-core over the current frame and fails on anything it finds.
    pub async fn assert_accessible(&self) {
        let file = project().join("node_modules/axe-core/axe.min.js");
        let axe =
            std::fs::read_to_string(&file).unwrap_or_else(|error| panic!("{}: {error}", file.display()));
        self.run(&axe, Vec::new()).await;
        let script = "const done = arguments[0]; axe.run(document, { resultTypes: ['violations'] }).then(
            (result) => done(result.violations.map((v) => `${v.id}: ${v.help}\\n`
                + v.nodes.map((n) => `    ${n.target}  ${n.html.slice(0, 200)}\\n    ${n.failureSummary}`).join('\\n'))),
            (error) => done([String(error)]))";
        let found = self.driver.execute_async(script, Vec::new()).await.expect("axe-core runs");
        let found: Vec<String> = serde_json::from_value(found.json().clone()).expect("texts");
        assert!(found.is_empty(), "axe-core finds:\n{}", found.join("\n"));
    }

    /// Writes what is in view as a PNG file.
    pub async fn picture(&self, file: &Path) {
        let png = self.driver.screenshot_as_png().await.expect("a picture");
        std::fs::create_dir_all(file.parent().expect("a folder")).expect("the folder of the picture");
        std::fs::write(file, png).unwrap_or_else(|error| panic!("{}: {error}", file.display()));
    }

    /// The errors on the console until now: uncaught exceptions, `console.error`, missing files,
    /// violations of the policy. They no longer fail the test.
    pub async fn take_errors(&self) -> Vec<String> {
        self.read_console().await;
        let mut console = self.console.borrow_mut();
        let errors = console.extract_if(.., |entry| entry.level == "SEVERE");
        errors.map(|entry| entry.message).collect()
    }

    /// Done at the end of every test.
    pub async fn assert_no_errors(&self) {
        self.read_console().await;
        let some = self.console.borrow().iter().any(|entry| entry.level == "SEVERE");
        assert!(!some, "there are errors on the console");
    }

    async fn read_console(&self) {
        // Reading empties the browser's own list.
        let new = self.driver.browser_log().await.expect("the console");
        self.console.borrow_mut().extend(new);
    }

    async fn report(&self) {
        let _ = AssertUnwindSafe(self.read_console()).catch_unwind().await;
        eprintln!("-- the console:");
        for entry in self.console.borrow().iter() {
            eprintln!("   {} {}", entry.level, entry.message);
        }
        let name = std::thread::current().name().unwrap_or("test").replace("::", "-");
        let file = project().join(format!("target/failed/{name}.png"));
        if AssertUnwindSafe(self.picture(&file)).catch_unwind().await.is_ok() {
            eprintln!("-- a picture: target/failed/{name}.png");
        }
    }

    async fn find(&self, css: &str) -> Result<WebElement, String> {
        shown(self.driver.find(By::Css(css)).await)
    }

    /// Tries again until it succeeds: the page may be drawing, and an element may be replaced
    /// between being found and being used.
    async fn eventually<T>(&self, what: &str, attempt: impl AsyncFn() -> Result<T, String>) -> T {
        let start = Instant::now();
        loop {
            match attempt().await {
                Ok(value) => return value,
                Err(why) => assert!(start.elapsed() < PATIENCE, "waited {PATIENCE:?} for {what}: {why}"),
            }
            tokio::time::sleep(Duration::from_millis(15)).await;
        }
    }
}

fn shown<T>(result: WebDriverResult<T>) -> Result<T, String> {
    result.map_err(|error| error.to_string())
}

fn project() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}
