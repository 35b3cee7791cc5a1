//! How wide texts are where no browser can be asked: tests, the still picture, a page whose canvas
//! is refused. From the metrics of Arial and its look-alikes; a little generous.

use super::Face;

/// The width of a text in CSS pixels, by rule of thumb.
pub fn approximate(text: &str, face: Face) -> f32 {
    let units: u32 = text.chars().map(|c| if face == Face::Mono { 602 } else { advance(c) }).sum();
    let strong = if face == Face::Strong { 1.07 } else { 1.0 };
    units as f32 / 1000.0 * 12.0 * strong
}

/// Thousandths of the type size.
fn advance(c: char) -> u32 {
    match c {
        'i' | 'j' | 'l' | '\'' => 222,
        'f' | 't' | 'I' | ' ' | '.' | ',' | ':' | ';' | '!' | '/' => 278,
        'r' | '(' | ')' | '-' => 333,
        'c' | 'k' | 's' | 'v' | 'x' | 'y' | 'z' | 'J' => 500,
        'm' | 'M' | '❚' => 833,
        'w' | 'C' | 'D' | 'H' | 'N' | 'R' | 'U' => 722,
        'G' | 'O' | 'Q' | 'W' | '%' | '✓' | '✕' => 800,
        'A' | 'B' | 'E' | 'K' | 'P' | 'S' | 'V' | 'X' | 'Y' => 667,
        '<' | '+' | '≠' | '−' | 'F' | 'T' | 'Z' => 611,
        _ => 556,
    }
}
