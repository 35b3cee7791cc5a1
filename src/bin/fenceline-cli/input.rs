//! Reading what a command is given: scenarios in TOML or JSON, lists of interventions.

use std::io::Read;

use fenceline_content::authoring;
use fenceline_content::incident::IncidentFile;
use fenceline_content::report::{Known, Mistake};
use fenceline_content::scenario::{Case, ScenarioFile};
use fenceline_content::words::{self, Cast};
use fenceline_sim::Intervention;

/// The largest file that is read, in bytes.
const MOST: u64 = 4 << 20;

/// A text and what to call it.
pub(crate) struct Text {
    pub(crate) name: String,
    pub(crate) text: String,
}

/// A file's text, or with `-` what standard input holds.
///
/// # Errors
/// If it cannot be read, is too long, or is no text.
pub(crate) fn text(path: &str) -> Result<Text, String> {
    let name = if path == "-" { "standard input" } else { path };
    let say = |error: std::io::Error| format!("{name}: {error}");
    let mut bytes = Vec::new();
    if path == "-" {
        std::io::stdin().take(MOST + 1).read_to_end(&mut bytes).map_err(say)?;
    } else {
        std::fs::File::open(path).map_err(say)?.take(MOST + 1).read_to_end(&mut bytes).map_err(say)?;
    }
    if bytes.len() as u64 > MOST {
        return Err(format!("{name}: longer than {} MB, the limit", MOST >> 20));
    }
    let text = String::from_utf8(bytes).map_err(|_| format!("{name}: is not text in UTF-8"))?;
    Ok(Text { name: name.to_owned(), text })
}

/// Reads and checks a scenario against what else is known. What is legal in it and seldom meant is said on
/// standard error.
///
/// # Errors
/// Every mistake in it.
pub(crate) fn scenario(text: &Text, known: &Known) -> Result<ScenarioFile, Vec<Mistake>> {
    let read = authoring::scenario(&text.name, &text.text, known)?;
    warn(text);
    Ok(read)
}

/// Says what is legal in a scenario and seldom meant.
pub(crate) fn warn(text: &Text) {
    for warning in authoring::warnings(&text.name, &text.text) {
        eprintln!("warning: {warning}");
    }
}

/// A scenario ready to be played, and what was reported if it replays an incident.
///
/// # Errors
/// Every mistake in it, a line each.
pub(crate) fn case(path: &str) -> Result<(Case, Option<IncidentFile>), String> {
    let text = text(path)?;
    let file = scenario(&text, &Known::default());
    let read = file.and_then(|file| Ok((file.read(&text.name)?, file.incident)));
    read.map_err(|mistakes| lines(&mistakes))
}

/// Mistakes, a line each.
pub(crate) fn lines(mistakes: &[Mistake]) -> String {
    mistakes.iter().map(|mistake| format!("{mistake}\n")).collect()
}

/// Interventions, one phrase a line (`22s pause w1 55s`); `#` begins a comment.
///
/// # Errors
/// Every line that is wrong.
pub(crate) fn interventions(path: &str, cast: Cast) -> Result<Vec<Intervention>, String> {
    let Text { name, text } = text(path)?;
    let (mut read, mut wrong) = (Vec::new(), String::new());
    for (n, line) in text.lines().enumerate() {
        let phrase = line.split('#').next().unwrap_or_default().trim();
        if phrase.is_empty() {
            continue;
        }
        match words::intervention(phrase, cast) {
            Ok(intervention) => read.push(intervention),
            Err(what) => {
                let column = line.len() - line.trim_start().len() + 1;
                wrong += &format!("{name}, line {}, column {column}: {what}\n", n + 1);
            }
        }
    }
    if wrong.is_empty() { Ok(read) } else { Err(wrong) }
}
