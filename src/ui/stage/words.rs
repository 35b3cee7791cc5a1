//! Sentences as they are set: what happened strong, tokens as tags.

use crate::app::words::event::{Piece, hue};
use crate::ui::tag;
use leptos::prelude::*;

/// A sentence.
pub fn sentence(pieces: &[Piece]) -> Vec<AnyView> {
    let piece = |piece: &Piece| match piece {
        Piece::Text(text) => text.clone().into_any(),
        Piece::Strong(text) => tag::text("b", "", text.clone()),
        Piece::Token { attempt, token } => {
            let class = format!("tok a{}", hue(*attempt));
            tag::tag("b", "").attr("class", class).text(token.to_string()).end()
        }
    };
    pieces.iter().map(piece).collect()
}
