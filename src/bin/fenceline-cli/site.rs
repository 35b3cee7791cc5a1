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
        // With quotation marks or, in a minified page, without.
        let Some(quote) = ["=\"", "="].into_iter().find(|quote| html.contains(&format!("{quote}{name}")))
        else {
            return Err(format!("{}: names no `{name}`", page.display()));
        };
        html = html.replace(&format!("{quote}{name}"), &format!("{quote}{named}"));
    }
    html = arrange_links(&html);
    for sheet in LATER {
        if !html.split('<').any(|tag| is_sheet(tag, sheet) && tag.contains("later")) {
            return Err(format!("{}: names no style sheet `{sheet}`", page.display()));
        }
    }
    std::fs::write(&page, html).map_err(|error| say(&page, error))
}

fn is_sheet(tag: &str, sheet: &str) -> bool {
    tag.starts_with("link ") && tag.contains(&format!("./{sheet}-"))
}

/// Which of the two programs a visit needs, only `boot.js` knows: Trunk's preloads, which would fetch
/// the start page's for every visit, go, and the style sheets of the whole one wait.
fn arrange_links(html: &str) -> String {
    let arranged = html.split_inclusive('>').map(|piece| {
        let Some((text, tag)) = piece.rsplit_once("<").filter(|(_, tag)| tag.starts_with("link ")) else {
            return piece.to_owned();
        };
        if tag.contains("preload") {
            return text.to_owned();
        }
        match LATER.iter().any(|sheet| is_sheet(tag, sheet)) {
            true => format!("{text}<{}", tag.replace("stylesheet", "later")),
            false => piece.to_owned(),
        }
    });
    arranged.collect()
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
