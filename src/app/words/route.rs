//! What is wrong with an address, and what was expected. What is wrong stands in backticks:
//! `route::marked` finds it in the address by them.

pub const CARD_WITHOUT_ID: &str = "`view=card` needs the card's id, such as `view=card&id=silence-proves`";

pub fn embed(given: &str) -> String {
    format!("`embed={given}`: write `embed=1`, or leave it out")
}

/// A parameter that takes one of a few words.
pub fn one_of(name: &str, given: &str, known: &[&str]) -> String {
    format!("`{name}={given}`: write one of {}", known.join(", "))
}

pub fn no_page(path: &str, pages: &[String]) -> String {
    format!("there is no page `#/{path}`. There are {}", pages.join(", "))
}

pub fn too_many(path: &str, extra: &str) -> String {
    format!("`#/{path}`: `{extra}` is one part too many")
}

pub fn not_encoded(text: &str) -> String {
    format!("`{text}` is not percent-encoded text. Write `%25` for a percent sign")
}
