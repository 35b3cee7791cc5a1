//! One sentence for each event of a run.

/// A part of a sentence.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Piece {
    Text(String),
    /// Set in the strong weight: what happened.
    Strong(String),
    /// A token, in the colour of its attempt; the number is always written.
    Token {
        attempt: u8,
        token: u32,
    },
}

/// A sentence; its pieces follow each other without spaces of their own.
pub type Sentence = Vec<Piece>;

/// A sentence as plain text: for the spoken, for copying, for tests.
pub fn plain(sentence: &[Piece]) -> String {
    let mut text = String::new();
    for piece in sentence {
        match piece {
            Piece::Text(part) | Piece::Strong(part) => text += part,
            Piece::Token { token, .. } => text += &token.to_string(),
        }
    }
    text
}

/// The ordinal of an attempt's colour: 1 to 4, then again.
pub fn hue(attempt: u8) -> u8 {
    attempt.saturating_sub(1) % 4 + 1
}
