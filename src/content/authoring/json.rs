//! JSON as TOML's reader takes it, so that what is wrong in either is said in the same words.

use std::borrow::Cow;
use std::ops::Range;

use serde_json::Value;
use toml::Spanned;
use toml::de::{DeArray, DeTable, DeValue};

/// What is no JSON, and where: a line and a column.
pub(super) struct Wrong {
    pub(super) at: (usize, usize),
    pub(super) what: String,
}

/// A text that has the form of JSON, and the keys that its objects give twice.
pub(super) struct Read<'a> {
    pub(super) root: Spanned<DeTable<'a>>,
    pub(super) twice: Vec<(Range<usize>, String)>,
}

/// Reads an object. A value of `null` counts as left out.
pub(super) fn parse(text: &str) -> Result<Read<'_>, Wrong> {
    // This refuses what is no JSON and what is nested too deeply, so that the walk need not.
    let value: Value = serde_json::from_str(text).map_err(|error| {
        let (at, what) = ((error.line().max(1), error.column().max(1)), error.to_string());
        let what = what.split(" at line ").next().unwrap_or_default();
        Wrong { at, what: format!("is not JSON: {what}") }
    })?;
    let mut walk = Walk { text, at: 0, twice: Vec::new() };
    match walk.value() {
        Some(root) if value.is_object() => {
            let span = root.span();
            let DeValue::Table(table) = root.into_inner() else { return Err(no_object()) };
            Ok(Read { root: Spanned::new(span, table), twice: walk.twice })
        }
        _ => Err(no_object()),
    }
}

fn no_object() -> Wrong {
    Wrong { at: (1, 1), what: "is not an object. Write one in braces: `{ \"format\": 1, … }`".to_owned() }
}

/// A walk over a text that is known to be JSON.
struct Walk<'a> {
    text: &'a str,
    at: usize,
    twice: Vec<(Range<usize>, String)>,
}

impl<'a> Walk<'a> {
    /// The next byte that is no white space.
    fn peek(&mut self) -> Option<u8> {
        let rest = self.text.get(self.at..)?;
        self.at += rest.len() - rest.trim_start_matches([' ', '\t', '\r', '\n']).len();
        self.text.as_bytes().get(self.at).copied()
    }

    /// Takes the next byte if it is this one.
    fn has(&mut self, byte: u8) -> bool {
        let found = self.peek() == Some(byte);
        self.at += usize::from(found);
        found
    }

    fn value(&mut self) -> Option<Spanned<DeValue<'a>>> {
        let first = self.peek()?;
        let start = self.at;
        let value = match first {
            b'{' => DeValue::Table(self.table()),
            b'[' => DeValue::Array(self.array()),
            b'"' => DeValue::String(self.string()),
            _ => {
                let word = self.word();
                match word {
                    "null" => return None,
                    "true" | "false" => DeValue::Boolean(word == "true"),
                    // Every number of JSON's is one of TOML's.
                    _ => DeValue::parse(word).ok()?.into_inner(),
                }
            }
        };
        Some(Spanned::new(start..self.at, value))
    }

    fn table(&mut self) -> DeTable<'a> {
        let mut table = DeTable::new();
        self.has(b'{');
        while self.peek() == Some(b'"') {
            let start = self.at;
            let key = self.string();
            let span = start..self.at;
            self.has(b':');
            if let Some(value) = self.value() {
                if table.contains_key(&Spanned::new(span.clone(), key.clone())) {
                    self.twice.push((span.clone(), key.to_string()));
                }
                table.insert(Spanned::new(span, key), value);
            }
            self.has(b',');
        }
        self.has(b'}');
        table
    }

    fn array(&mut self) -> DeArray<'a> {
        let mut array = DeArray::new();
        self.has(b'[');
        while self.peek().is_some_and(|byte| byte != b']') {
            if let Some(value) = self.value() {
                array.push(value);
            }
            self.has(b',');
        }
        self.has(b']');
        array
    }

    fn string(&mut self) -> Cow<'a, str> {
        let start = self.at;
        let mut escaped = true;
        for byte in self.text.as_bytes().get(start..).unwrap_or_default() {
            self.at += 1;
            match byte {
                _ if escaped => escaped = false,
                b'\\' => escaped = true,
                b'"' => break,
                _ => {}
            }
        }
        let quoted = self.text.get(start..self.at).unwrap_or_default();
        serde_json::from_str::<String>(quoted).map(Cow::Owned).unwrap_or_default()
    }

    fn word(&mut self) -> &'a str {
        let rest = self.text.get(self.at..).unwrap_or_default();
        let end = rest.find([',', '}', ']', ' ', '\t', '\r', '\n']).unwrap_or(rest.len());
        self.at += end;
        rest.get(..end).unwrap_or_default()
    }
}
