//! The repository's own files, for the tests that read them.

#![allow(dead_code, reason = "each test uses a part")]

use std::path::Path;
use std::sync::Arc;

use fenceline_content::scenario::{Case, ScenarioFile};

/// A file by its path from the root, with `/` between the parts.
pub(crate) struct Source {
    pub(crate) path: String,
    pub(crate) text: String,
}

/// What is built or installed, and what is no text.
const SKIPPED: [&str; 8] =
    [".git", ".tools", "corpus", "dist", "node_modules", "proptest-regressions", "shots", "target"];

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

pub(crate) fn read(path: &str) -> String {
    std::fs::read_to_string(root().join(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
}

/// Every text file below a folder (`""` is the root) whose name ends so, in order of path.
pub(crate) fn files(folder: &str, ending: &str) -> Vec<Source> {
    let mut found = Vec::new();
    collect(&root().join(folder), ending, &mut found);
    found.sort_by(|a, b| a.path.cmp(&b.path));
    assert!(!found.is_empty(), "no file in `{folder}` ends with `{ending}`");
    found
}

fn collect(folder: &Path, ending: &str, found: &mut Vec<Source>) {
    for entry in std::fs::read_dir(folder).expect("a folder that can be read") {
        let path = entry.expect("an entry").path();
        let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        if SKIPPED.contains(&name) {
            continue;
        }
        if path.is_dir() {
            collect(&path, ending, found);
        } else if name.ends_with(ending)
            && let Ok(text) = std::fs::read_to_string(&path)
        {
            let path = path.strip_prefix(root()).expect("below the root");
            found.push(Source { path: path.to_string_lossy().replace('\\', "/"), text });
        }
    }
}

/// Every run of the lab, scenarios first, then incidents.
pub(crate) fn cases() -> Vec<Arc<Case>> {
    let mut all = files("assets/scenarios", ".toml");
    all.extend(files("assets/incidents", ".toml"));
    all.into_iter().map(case).collect()
}

fn case(file: Source) -> Arc<Case> {
    let read: ScenarioFile =
        toml::from_str(&file.text).unwrap_or_else(|error| panic!("{}: {error}", file.path));
    Arc::new(read.read(&file.path).unwrap_or_else(|mistakes| panic!("{}: {mistakes:?}", file.path)))
}

/// Fails with every finding, a line each.
pub(crate) fn none(what: &str, findings: &[String]) {
    assert!(findings.is_empty(), "{what}:\n  {}", findings.join("\n  "));
}
