//! ChromeDriver as a child process, and the browser it is to start.

use std::io::{BufRead, BufReader};
use std::process::{Child, ChildStdout, Command, Stdio};

use thirtyfour::prelude::*;
use thirtyfour::{ChromeCapabilities, ChromiumLikeCapabilities, LoggingPrefsLogLevel};

/// A running ChromeDriver on a port of its own choice; ends with this value.
pub(crate) struct Driver {
    process: Child,
    port: u16,
    profile: tempfile::TempDir,
    // Closing it would end ChromeDriver at its next message.
    _stdout: BufReader<ChildStdout>,
}

impl Driver {
    pub(crate) fn start() -> Driver {
        let program = std::env::var("CHROMEDRIVER").unwrap_or_else(|_| "chromedriver".into());
        // With many started at once a port it chose can be taken before it listens: once more, then.
        let mut said = String::new();
        for _ in 0..5 {
            match listening(&program) {
                Ok((process, port, stdout)) => {
                    let profile = tempfile::tempdir().expect("a folder for the browser's profile");
                    return Driver { process, port, profile, _stdout: stdout };
                }
                Err(output) => said = output,
            }
        }
        panic!("{program} ended before it named its port: {said}");
    }

    pub(crate) async fn browser(&self) -> WebDriverResult<WebDriver> {
        let mut chrome = ChromeCapabilities::new();
        if let Ok(binary) = std::env::var("CHROME") {
            chrome.set_binary(&binary)?;
        }
        for flag in [
            "--headless",
            "--no-sandbox",
            "--disable-gpu",
            "--disable-quic",
            "--disable-dev-shm-usage",
            "--no-first-run",
            "--disable-background-networking",
            "--disable-component-update",
            "--disable-sync",
            "--force-color-profile=srgb",
        ] {
            chrome.add_arg(flag)?;
        }
        chrome.add_arg(&format!("--user-data-dir={}", self.profile.path().display()))?;
        chrome.set_browser_log_level(LoggingPrefsLogLevel::All)?;
        WebDriver::new(format!("http://127.0.0.1:{}", self.port), chrome).await
    }
}

impl Drop for Driver {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// Starts ChromeDriver and waits until it names its port; else what it said before it ended.
#[allow(clippy::zombie_processes, reason = "the driver that holds it ends it")]
fn listening(program: &str) -> Result<(Child, u16, BufReader<ChildStdout>), String> {
    let mut process = Command::new(program)
        .arg("--port=0")
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap_or_else(|error| {
            panic!("{program} does not start ({error}): `make test` finds or installs it")
        });
    let mut stdout = BufReader::new(process.stdout.take().expect("stdout is piped"));
    let mut said = String::new();
    loop {
        let mut line = String::new();
        if stdout.read_line(&mut line).expect("ChromeDriver's output is text") == 0 {
            let _ = process.wait();
            return Err(said);
        }
        if let Some((_, port)) = line.trim_end().trim_end_matches('.').rsplit_once("successfully on port ") {
            return Ok((process, port.parse().expect("a port is a number"), stdout));
        }
        said.push_str(&line);
    }
}
