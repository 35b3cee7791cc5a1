//! `site`: finishes the site Trunk has just built.

use std::path::{Path, PathBuf};

/// Finishes the site Trunk has just built, before it becomes `dist/`.
pub(crate) fn site(arguments: &[String]) -> Result<(), String> {
    if let Some(unexpected) = arguments.first() {
        return Err(format!("takes no argument, not `{unexpected}`"));
    }
    let staging = std::env::var_os("TRUNK_STAGING_DIR")
        .map(PathBuf::from)
        .ok_or("TRUNK_STAGING_DIR is not set: this command is called by Trunk")?;
    write_content(&staging.join("content"))?;
    name_by_content(&staging)?;
    write_build_info(&staging)
}

/// What the page fetches when it needs it; `build.rs` has made it.
fn write_content(folder: &Path) -> Result<(), String> {
    std::fs::create_dir_all(folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    for (name, text) in fenceline::app::library::FILES {
        let path = folder.join(name);
        std::fs::write(&path, text).map_err(|error| format!("{}: {error}", path.display()))?;
    }
    Ok(())
}

/// The whole program's files, as Trunk names them.
const UNNAMED: [&str; 2] = ["fenceline.js", "fenceline_bg.wasm"];

/// Style sheets that only the whole program needs: `boot.js` puts them in force.
const LATER: [&str; 2] = ["study", "lab"];

fn link(rel: &str, sheet: &str) -> String {
    format!("<link rel=\"{rel}\" href=\"./{sheet}-")
}

/// Gives the whole program's files names that follow from their content, so that a browser may
/// keep them for ever, and writes the names into the page.
fn name_by_content(staging: &Path) -> Result<(), String> {
    let say = |path: &Path, error: std::io::Error| format!("{}: {error}", path.display());
    let page = staging.join("index.html");
    let mut html = std::fs::read_to_string(&page).map_err(|error| say(&page, error))?;
    for name in UNNAMED {
        let path = staging.join(name);
        let bytes = std::fs::read(&path).map_err(|error| say(&path, error))?;
        let (stem, ending) = name.split_at("fenceline".len());
        let named = format!("{stem}-{:016x}{ending}", fingerprint(&bytes));
        std::fs::rename(&path, staging.join(&named)).map_err(|error| say(&path, error))?;
        let (before, after) = (format!("=\"{name}\""), format!("=\"{named}\""));
        if !html.contains(&before) {
            return Err(format!("{}: names no `{name}`", page.display()));
        }
        html = html.replace(&before, &after);
    }
    html = without_preloads(&html);
    for sheet in LATER {
        let (now, later) = (link("stylesheet", sheet), link("later", sheet));
        if !html.contains(&now) {
            return Err(format!("{}: names no style sheet `{sheet}`", page.display()));
        }
        html = html.replace(&now, &later);
    }
    std::fs::write(&page, html).map_err(|error| say(&page, error))
}

/// Which of the two programs a visit needs, only `boot.js` knows: Trunk's preloads would fetch the
/// start page's for every visit.
fn without_preloads(html: &str) -> String {
    let mut kept = String::new();
    let mut rest = html;
    while let Some(at) = rest.find("<link rel=\"").filter(|_| rest.contains("preload\"")) {
        let end = rest[at..].find('>').map_or(rest.len(), |end| at + end + 1);
        let is_preload = rest[at..end].contains("preload\"");
        kept += &rest[..if is_preload { at } else { end }];
        rest = &rest[end..];
    }
    kept + rest
}

/// FNV-1a, 64 bits: enough to tell one build's file from another's.
fn fingerprint(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(*byte)).wrapping_mul(0x0000_0100_0000_01b3)
    })
}

/// `build.json` says which version a site was built from.
fn write_build_info(staging: &Path) -> Result<(), String> {
    let path = staging.join("build.json");
    let info = serde_json::json!({ "version": env!("CARGO_PKG_VERSION") });
    std::fs::write(&path, format!("{info}\n")).map_err(|error| format!("{}: {error}", path.display()))
}
