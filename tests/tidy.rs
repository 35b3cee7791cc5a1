//! What the compiler does not check: which layer may name what, words that are banned where the
//! outcome must not depend on the machine, lengths of files, and what no file may contain.
//!
//! The checks read text. Comments and the insides of strings are blanked first, so that a sentence
//! may say what the code may not do.

mod support;

use support::{Source, files, none, read};

/// Lines a Rust file of `src` may have.
const MOST_LINES: usize = 500;

// --- layers ---

/// Which of the project's own packages each may depend on, outermost last.
#[test]
fn packages_depend_on_what_lies_below_them() {
    let own = ["fenceline-engine", "fenceline-sim", "fenceline-content"];
    for (manifest, below, others) in [
        ("src/engine/Cargo.toml", &own[..0], &[][..]),
        ("src/sim/Cargo.toml", &own[..1], &[]),
        ("src/content/Cargo.toml", &own[..2], &["serde", "serde_json", "toml", "schemars"]),
    ] {
        let manifest_text: toml::Table = read(manifest).parse().expect(manifest);
        let dependencies = manifest_text["dependencies"].as_table().expect("a table");
        for name in dependencies.keys() {
            let is_known = below.contains(&name.as_str()) || others.contains(&name.as_str());
            assert!(is_known, "{manifest} depends on {name}");
        }
        assert!(!manifest_text.contains_key("target"), "{manifest} depends on a target");
    }
}

#[test]
fn app_is_pure() {
    let banned = [
        "leptos",
        "web_sys",
        "js_sys",
        "wasm_bindgen",
        "gloo_timers",
        "ui",
        "document",
        "SystemTime",
        "Instant::now",
        "std::fs",
        "std::env",
        "println",
        "eprintln",
    ];
    none("`app` knows no browser and no machine", &naming(&files("src/app", ".rs"), &banned));
}

#[test]
fn ui_drives_no_actor_and_judges_nothing() {
    let banned = ["Simulation", "World", "Judge", "Scheduler"];
    let code = files("src/ui", ".rs");
    none("`ui` draws what `app` made", &naming(&code, &banned));
}

/// Whether a lease is over or a token too old is the engine's to decide, and `app`'s to look up.
///
/// Textual: a line of `ui` that compares must not name a time or a token. rustfmt writes a comparison
/// with a space on both sides and generics with none.
#[test]
fn ui_compares_no_times_and_no_tokens() {
    const COMPARES: [&str; 12] = [
        " < ",
        " > ",
        " <= ",
        " >= ",
        " == ",
        " != ",
        ".cmp(",
        ".max(",
        ".min(",
        ".clamp(",
        "partition_point",
        "_by_key(",
    ];
    const TIMES_AND_TOKENS: [&str; 16] = [
        "token", "tokens", "lease", "ends", "until", "expires", "expired", "deadline", "granted", "renewed",
        "highest", "reading", "wall", "mono", "terms", "fence",
    ];
    // Lengths of the film and of a drag, not of a lease.
    const EXCEPTED: [(&str, &str, &str); 2] = [
        ("src/ui/lab/desk.rs", "until", "the player stops where the run stops"),
        ("src/ui/lab/board.rs", "until", "a fault that is dragged keeps a length"),
    ];

    let mut found = Vec::new();
    for source in files("src/ui", ".rs") {
        for (n, line) in code(&source.text).lines().enumerate() {
            if !COMPARES.iter().any(|sign| line.contains(sign)) {
                continue;
            }
            for word in TIMES_AND_TOKENS {
                let is_excepted = EXCEPTED.iter().any(|(path, of, _)| *path == source.path && *of == word);
                if names(line, word) && !is_excepted {
                    found.push(format!("{}:{}: `{word}` in {}", source.path, n + 1, line.trim()));
                }
            }
            if line.contains(".at ") || line.contains(".at)") {
                found.push(format!("{}:{}: `at` in {}", source.path, n + 1, line.trim()));
            }
        }
    }
    none("`ui` compares times or tokens", &found);
}

// --- the same everywhere ---

/// Native code and WebAssembly must agree to the byte, and a replay with its first run.
#[test]
fn engine_and_sim_depend_on_nothing_that_varies() {
    let banned = [
        "f32",
        "f64",
        "HashMap",
        "HashSet",
        "RandomState",
        "SystemTime",
        "Instant",
        "std::time",
        "std::thread",
        "std::env",
        "std::fs",
        "std::net",
        "rand",
        "static",
        "thread_local",
        "println",
        "eprintln",
        "unsafe",
    ];
    let mut sources = files("src/engine", ".rs");
    sources.extend(files("src/sim", ".rs").into_iter().filter(|source| !source.path.contains("/tests/")));
    none("engine and sim", &naming(&sources, &banned));
}

/// `usize` differs between the two in size: no field of what is hashed, ordered or compared has it.
#[test]
fn what_is_hashed_has_no_usize() {
    for (path, names_of) in [
        ("src/sim/record.rs", &["Record"][..]),
        ("src/sim/queue.rs", &["StructuralId"]),
        ("src/engine/ids.rs", &["Exec", "NodeId", "TaskId", "Token"]),
        ("src/engine/io.rs", &["TimerKey"]),
        ("src/engine/time.rs", &["Span", "Now"]),
        ("src/sim/trace.rs", &["Digest"]),
    ] {
        let code = code(&read(path));
        for name in names_of {
            let start = code
                .find(&format!("struct {name} "))
                .or_else(|| code.find(&format!("struct {name}(")))
                .unwrap_or_else(|| panic!("{path} has no struct {name}"));
            let body = &code[start..];
            let end = body.find(['}', ';']).expect("an end");
            let body = &body[..end];
            assert!(!names(body, "usize") && !names(body, "isize"), "{path}: {name} holds a usize");
        }
    }
    let words = code(&read("src/sim/record.rs"));
    let start = words.find("fn words").expect("the words of a record");
    let end = start + words[start..].find("\n    }").expect("its end");
    assert!(!names(&words[start..end], "usize"), "the digest's words are made with a usize");
}

// --- words ---

/// Whoever wants to change or translate a sentence finds it in one module.
///
/// Textual: two words in a string are taken for a sentence, unless both are classes of the stylesheets
/// or the string is a program's own: what a panic says, and what is listed here.
#[test]
fn words_shown_stand_in_one_module() {
    const EXCEPTED: [&str; 16] = [
        // Class lists of which one has a number or no rule of its own.
        "k-stripe a{hue}",
        "tok a{}",
        "board as-table",
        "verdict na",
        "stage-lane rail",
        "labels past",
        "t t-halo",
        "t-strong t-bad t-halo t-turned",
        // Selectors.
        "main h1",
        "main h1:focus",
        "main .fetching",
        ".down-row.here button",
        ".transport .play",
        // What a state of the page is kept under.
        "last run",
        "single keys",
        "interview {}",
    ];

    let styles: Vec<String> = files("style", ".css").into_iter().map(|source| source.text).collect();
    let is_class = |word: &str| {
        let mut after_dots = styles.iter().flat_map(|css| css.split('.'));
        after_dots.any(|class| class.strip_prefix(word).is_some_and(|rest| !rest.starts_with(is_of_name)))
    };
    let mut found = Vec::new();
    let sources = files("src/ui", ".rs").into_iter().chain(files("src/app", ".rs"));
    for source in sources.filter(|source| !source.path.starts_with("src/app/words/")) {
        let shown = source.text.split("#[cfg(test)]").next().unwrap_or_default();
        for (line, before, literal) in literals(shown) {
            let is_own = [".expect(", "unreachable!(", "reason = "].iter().any(|own| before.ends_with(own));
            let words = without_places(&literal);
            if has_two_words(&words)
                && !is_own
                && !words.split_whitespace().all(is_class)
                && !EXCEPTED.contains(&literal.as_str())
            {
                found.push(format!("{}:{line}: {literal:?}", source.path));
            }
        }
    }
    none("words outside `app/words`", &found);
}

fn is_of_name(c: char) -> bool {
    c.is_alphanumeric() || "-_".contains(c)
}

fn has_two_words(text: &str) -> bool {
    let chars: Vec<char> = text.chars().collect();
    chars.windows(3).any(|three| three[0].is_alphabetic() && three[1] == ' ' && three[2].is_alphabetic())
}

/// A format without the places its values take.
fn without_places(format: &str) -> String {
    let mut inside = false;
    let keeps = |c: &char| {
        inside = (inside || *c == '{') && *c != '}';
        !inside && *c != '}'
    };
    format.chars().filter(keeps).collect()
}

// --- every file ---

#[test]
fn files_are_short() {
    let mut found = Vec::new();
    for source in files("src", ".rs") {
        let lines = source.text.lines().count();
        if lines > MOST_LINES {
            found.push(format!("{} has {lines} lines", source.path));
        }
    }
    none("lengths of files", &found);
}

#[test]
fn nothing_is_left_to_do() {
    let banned = ["todo!", "unimplemented!", "dbg!"];
    let mut found = naming(&files("", ".rs"), &banned);
    // Marks of that kind stand in comments.
    for source in files("src", ".rs") {
        for (n, line) in source.text.lines().enumerate() {
            if ["TODO", "FIXME"].iter().any(|mark| names(line, mark)) {
                found.push(format!("{}:{}: {}", source.path, n + 1, line.trim()));
            }
        }
    }
    none("left to do", &found);
}

/// The page runs under `default-src 'self'; script-src 'self' 'wasm-unsafe-eval'; style-src 'self'`.
/// A style set through the object model (`style:width=`) is no attribute and stays allowed.
#[test]
fn no_inline_style_no_inline_script_no_html_from_data() {
    let mut found = Vec::new();
    for source in files("src/ui", ".rs") {
        for (n, line) in code(&source.text).lines().enumerate() {
            let sets_style = line.contains(" style=") || line.trim_start().starts_with("style=");
            let sets_html = line.contains("inner_html") && !line.contains("set_inner_html(\"\")");
            if sets_style || sets_html || line.contains("<style") || line.contains("<script") {
                found.push(format!("{}:{}: {}", source.path, n + 1, line.trim()));
            }
        }
    }
    let index = read("index.html");
    let index = without_html_comments(&index);
    for banned in ["style=", "<style", "onclick=", "onload="] {
        if index.contains(banned) {
            found.push(format!("index.html: {banned}"));
        }
    }
    for script in index.split("<script").skip(1) {
        if !script.starts_with(" src=\"") || !script.contains("\"></script>") {
            found.push("index.html: a script in the page".to_owned());
        }
    }
    none("refused by the policy", &found);
}

/// Hosts a file may name. Package registries and whatever else is one machine's own are not among
/// them: `Cargo.lock` names the public index, and `package-lock.json` no address at all.
const HOSTS: [&str; 16] = [
    "127.0.0.1",
    "localhost",
    "example.com",
    "docs.example.com",
    "rustup.rs",
    "nodejs.org",
    "github.com",
    "googlechromelabs.github.io",
    "www.w3.org",
    "www.apache.org",
    "opensource.org",
    "trunkrs.dev",
    // The draft that the schema of scenarios is written in.
    "json-schema.org",
    // Accounts of incidents.
    "aws.amazon.com",
    "cwiki.apache.org",
    "www.xgugeng.com",
];

#[test]
fn no_file_names_a_strange_host_or_a_path_of_one_machine() {
    let folders = ["home", "root", "Users", "tmp", "work", "mnt", "opt", "srv"];
    let neighbour = ["..", "shared"].join("/");
    let mut found = Vec::new();
    for source in files("", "") {
        for (n, line) in source.text.lines().enumerate() {
            let mut say = |what: &str| found.push(format!("{}:{}: {what}", source.path, n + 1));
            for (at, scheme) in line.match_indices("://") {
                let host: String = line[at + scheme.len()..]
                    .chars()
                    .take_while(|c| c.is_ascii_alphanumeric() || ".-".contains(*c))
                    .collect();
                let is_known = host.is_empty() || HOSTS.contains(&host.trim_end_matches('.'));
                if !is_known {
                    say(&host);
                }
            }
            for folder in folders {
                let path = format!("/{folder}/");
                for (at, _) in line.match_indices(&path) {
                    let before = line[..at].chars().next_back();
                    if !before.is_some_and(|c| c.is_alphanumeric() || "._-}*)~$".contains(c)) {
                        say(&path);
                    }
                }
            }
            if line.contains(&neighbour) {
                say(&neighbour);
            }
        }
    }
    none("names of other places", &found);
}

#[test]
fn every_dependency_comes_from_the_public_index() {
    let lock: toml::Table = read("Cargo.lock").parse().expect("a lock file");
    for package in lock["package"].as_array().expect("packages") {
        if let Some(source) = package.get("source").and_then(toml::Value::as_str) {
            assert_eq!(source, "registry+https://github.com/rust-lang/crates.io-index", "{package}");
        }
    }
    assert!(!read("package-lock.json").contains("\"resolved\""), "package-lock.json names a host");
}

#[test]
fn scripts_of_the_page_use_their_tools_versions() {
    let tools = read("scripts/tools");
    let version = |name: &str| {
        let line = tools.lines().find(|line| line.starts_with(name)).expect(name);
        line[name.len()..].trim_start_matches('=').split(' ').next().unwrap_or_default().to_owned()
    };
    let bindgen = version("WASM_BINDGEN");
    assert!(read("Trunk.toml").contains(&format!("wasm_bindgen = \"{bindgen}\"")), "Trunk.toml");
    let lock: toml::Table = read("Cargo.lock").parse().expect("a lock file");
    let locked = lock["package"].as_array().expect("packages").iter();
    let locked: Vec<&str> = locked
        .filter(|package| package["name"].as_str() == Some("wasm-bindgen"))
        .filter_map(|package| package["version"].as_str())
        .collect();
    assert_eq!(locked, [bindgen], "Cargo.lock");
}

// --- reading ---

/// Where sources name one of these words, in code.
fn naming(sources: &[Source], banned: &[&str]) -> Vec<String> {
    let mut found = Vec::new();
    for source in sources {
        for (n, line) in code(&source.text).lines().enumerate() {
            for word in banned {
                if names(line, word) {
                    found.push(format!("{}:{}: `{word}`", source.path, n + 1));
                }
            }
        }
    }
    found
}

/// Whether a line holds a word, alone. `static` as a lifetime is not the word.
fn names(line: &str, word: &str) -> bool {
    let is_part = |c: char| c.is_alphanumeric() || c == '_';
    line.match_indices(word).any(|(at, _)| {
        let before = line[..at].chars().next_back();
        let after = line[at + word.len()..].chars().next();
        let ends_open = word.ends_with('!');
        !before.is_some_and(|c| is_part(c) || c == '\'') && (ends_open || !after.is_some_and(is_part))
    })
}

/// Rust without its comments and without what stands in its strings; lines stay where they are.
fn code(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        let blanked = if rest.starts_with("//") {
            rest.find('\n').unwrap_or(rest.len())
        } else if rest.starts_with("/*") {
            rest.find("*/").map_or(rest.len(), |end| end + 2)
        } else if c == '"' {
            out.push('"');
            string(rest)
        } else if let Some(hashes) = raw(rest).filter(|_| !out.ends_with(|c: char| c.is_alphanumeric())) {
            let close = format!("\"{}", "#".repeat(hashes));
            let open = hashes + 2;
            rest[open..].find(&close).map_or(rest.len(), |end| open + end + close.len())
        } else if c == '\'' {
            character(rest)
        } else {
            0
        };
        if blanked == 0 {
            out.push(c);
            rest = &rest[c.len_utf8()..];
        } else {
            let newlines = rest[..blanked].matches('\n').count();
            out.extend(std::iter::repeat_n('\n', newlines));
            if c == '"' {
                out.push('"');
            }
            rest = &rest[blanked..];
        }
    }
    out
}

/// The strings of a file: line, what stands before on that line, and what is between the quotes.
fn literals(text: &str) -> Vec<(usize, String, String)> {
    let mut found = Vec::new();
    let (mut rest, mut line) = (text, 1);
    let mut before = String::new();
    while let Some(c) = rest.chars().next() {
        let length = if rest.starts_with("//") {
            rest.find('\n').unwrap_or(rest.len())
        } else if rest.starts_with("/*") {
            rest.find("*/").map_or(rest.len(), |end| end + 2)
        } else if c == '"' {
            let length = string(rest);
            found.push((line, before.clone(), rest[1..length - 1].to_owned()));
            length
        } else {
            match c {
                '\'' => character(rest).max(1),
                _ => c.len_utf8(),
            }
        };
        line += rest[..length].matches('\n').count();
        if c == '\n' {
            before.clear();
        } else {
            before.push_str(&rest[..length]);
        }
        rest = &rest[length..];
    }
    found
}

/// The length of the string a text begins with.
fn string(text: &str) -> usize {
    let mut escaped = false;
    for (at, c) in text.char_indices().skip(1) {
        match c {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            '"' => return at + 1,
            _ => {}
        }
    }
    text.len()
}

/// How many `#` the raw string has that a text begins with.
fn raw(text: &str) -> Option<usize> {
    let hashes = text.strip_prefix('r')?;
    let count = hashes.len() - hashes.trim_start_matches('#').len();
    hashes[count..].starts_with('"').then_some(count)
}

/// The length of the character a text begins with; 0 if it is a lifetime.
fn character(text: &str) -> usize {
    let body = &text[1..];
    let length = match body.chars().next() {
        Some('\\') => body[2..].find('\'').map_or(0, |end| end + 2),
        Some(c) => c.len_utf8(),
        None => 0,
    };
    if length > 0 && body[length..].starts_with('\'') { length + 2 } else { 0 }
}

fn without_html_comments(text: &str) -> String {
    let mut out = String::new();
    let mut rest = text;
    while let Some(start) = rest.find("<!--") {
        out.push_str(&rest[..start]);
        rest = rest[start..].find("-->").map_or("", |end| &rest[start + end + 3..]);
    }
    out + rest
}

/// The checks are worth as much as what they read.
#[test]
fn code_is_read_without_comments_and_strings() {
    let text =
        "let a = \"f64 \\\" {\"; // f64\n/* f64\n f64 */ let b = 'f'; let c: &'static str = r#\"f64\"#;";
    let code = code(text);
    assert!(!code.contains("f64"), "{code}");
    assert_eq!(code.lines().count(), text.lines().count());
    assert!(names(&code, "a") && names(&code, "c") && !names(&code, "static"));
    let found: Vec<(usize, String)> =
        literals(text).into_iter().map(|(line, _, literal)| (line, literal)).collect();
    assert_eq!(found, [(1, "f64 \\\" {".to_owned()), (3, "f64".to_owned())]);
    assert!(has_two_words(&without_places("{a} is b")) && !has_two_words(&without_places("{a b} {c}s, d")));
    assert!(names("if token < 8", "token") && !names("tokens", "token") && !names("a_token", "token"));
}
