//! What the readers of TOML say, in the words in which everything else is said.

use crate::words::{did_you_mean, nearest};

/// A message, and where a key is not known the one that was probably meant.
pub(super) struct Said {
    pub(super) what: String,
    pub(super) meant: Option<String>,
}

/// A syntax error, of which the text is what it points at.
pub(super) fn syntax(message: &str, text: &str) -> String {
    match message {
        "duplicate key" => twice(text),
        _ if message.starts_with("missing comma between array elements") => {
            "a comma is missing before this, or the list's `]`".to_owned()
        }
        _ => message.to_owned(),
    }
}

pub(super) fn twice(key: &str) -> String {
    format!("`{key}` is given twice. Write it once")
}

/// A value that is not of its type, at a key of this name.
pub(super) fn of_type(message: &str, key: &str) -> Said {
    let plain = |what: String| Said { what, meant: None };
    if message.starts_with("unknown ") {
        return unknown(message);
    }
    let parts = message.split_once(": ").filter(|(kind, _)| kind.starts_with("invalid "));
    let Some((found, expected)) = parts.and_then(|(_, rest)| rest.rsplit_once(", expected ")) else {
        return plain(message.to_owned());
    };
    let list =
        if found == "map" && key != "a list" { format!(". In TOML: `[[{key}]]`") } else { String::new() };
    let wanted = match expected {
        "a string" => "a text in quotes".to_owned(),
        "a sequence" => format!("a list in brackets{list}"),
        "a boolean" => "`true` or `false`".to_owned(),
        "u8" | "u16" | "u32" => format!("a whole number, 0 to {}", most(expected)),
        "i64" | "u64" | "usize" => "a whole number".to_owned(),
        // A struct, or a map.
        _ => "a table".to_owned(),
    };
    plain(format!("is {}. Write {wanted}", found_words(found)))
}

fn most(number: &str) -> u32 {
    match number {
        "u8" => u8::MAX.into(),
        "u16" => u16::MAX.into(),
        _ => u32::MAX,
    }
}

fn found_words(found: &str) -> String {
    let (kind, value) = found.split_once([' ']).unwrap_or((found, ""));
    match kind {
        "string" => format!("the text `{}`", value.trim_matches('"')),
        "integer" => format!("the number {value}"),
        "floating" => format!("the number {}", value.trim_start_matches("point ")),
        "boolean" => value.to_owned(),
        "map" => "a table".to_owned(),
        "sequence" => "a list".to_owned(),
        _ => found.to_owned(),
    }
}

/// Where a word is not known and another was probably meant, that one instead of the list of all.
fn unknown(message: &str) -> Said {
    let mut quoted = message.split('`').skip(1).step_by(2);
    let word = quoted.next().unwrap_or_default();
    let choices: Vec<&str> = quoted.collect();
    let kind = if message.starts_with("unknown field") { "key" } else { "word" };
    let meant = nearest(word, choices.iter().copied());
    let hint = match meant {
        Some(_) => did_you_mean(word, choices.iter().copied()),
        None if choices.is_empty() => String::new(),
        None => {
            let listed: Vec<String> = choices.iter().map(|choice| format!("`{choice}`")).collect();
            format!(". Write one of {}", listed.join(", "))
        }
    };
    Said { what: format!("there is no {kind} `{word}` here{hint}"), meant: meant.map(str::to_owned) }
}
