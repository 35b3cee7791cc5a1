//! Sentences as they are set: what happened strong, tokens as tags.

use crate::app::words::event::{Piece, hue};
use leptos::prelude::*;

/// A sentence.
pub fn sentence(pieces: &[Piece]) -> Vec<AnyView> {
    let piece = |piece: &Piece| match piece {
        Piece::Text(text) => text.clone().into_any(),
        Piece::Strong(text) => view! { <b>{text.clone()}</b> }.into_any(),
        Piece::Token { attempt, token } => {
            let class = format!("tok a{}", hue(*attempt));
            view! { <b class=class>{token.to_string()}</b> }.into_any()
        }
    };
    pieces.iter().map(piece).collect()
}
