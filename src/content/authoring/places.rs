//! Where each part of a text lies, and cutting one out.

use std::collections::BTreeMap;
use std::ops::Range;

use toml::Spanned;
use toml::de::{DeTable, DeValue};

use crate::report::join;

/// The byte at which each place of a table begins.
pub(super) fn of(table: &DeTable<'_>) -> BTreeMap<String, usize> {
    let mut begins = BTreeMap::new();
    note(table, "", &mut begins);
    begins
}

fn note(table: &DeTable<'_>, at: &str, begins: &mut BTreeMap<String, usize>) {
    for (key, value) in table {
        let place = join(at, key.get_ref());
        begins.insert(place.clone(), key.span().start);
        note_value(value, &place, begins);
    }
}

fn note_value(value: &Spanned<DeValue<'_>>, at: &str, begins: &mut BTreeMap<String, usize>) {
    match value.get_ref() {
        DeValue::Table(table) => note(table, at, begins),
        DeValue::Array(array) => {
            for (n, item) in array.iter().enumerate() {
                let place = format!("{at}[{}]", n + 1);
                begins.insert(place.clone(), item.span().start);
                note_value(item, &place, begins);
            }
        }
        _ => {}
    }
}

/// What was cut out.
pub(super) struct Cut {
    /// Where the mistake is.
    pub(super) place: String,
    /// What is gone with it: the key whose value, or one of whose values, it is.
    pub(super) key: String,
}

/// Cuts out the innermost entry that the span is the key or value of.
pub(super) fn cut(table: &mut DeTable<'_>, span: &Range<usize>, at: &str) -> Option<Cut> {
    let keys: Vec<_> = table.keys().cloned().collect();
    for key in keys {
        let place = join(at, key.get_ref());
        let value = table.get_mut(&key)?;
        let is_whole = key.span() == *span || value.span() == *span;
        let mut hit = is_whole.then(|| place.clone());
        let inner = match value.get_mut() {
            DeValue::Table(inner) => cut(inner, span, &place),
            DeValue::Array(items) => items.iter_mut().enumerate().find_map(|(n, item)| {
                let place = format!("{place}[{}]", n + 1);
                if item.span() == *span {
                    hit = Some(place.clone());
                }
                match item.get_mut() {
                    DeValue::Table(inner) => cut(inner, span, &place),
                    _ => None,
                }
            }),
            _ => None,
        };
        if inner.is_some() {
            return inner;
        }
        if let Some(hit) = hit {
            table.remove(&key);
            return Some(Cut { place: hit, key: place });
        }
    }
    None
}
