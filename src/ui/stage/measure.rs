//! How wide texts are: asked of the browser once, then remembered.

use crate::app::stage::Face;
use crate::app::stage::measure::approximate;
use leptos::prelude::document;
use std::cell::RefCell;
use std::collections::BTreeMap;
use wasm_bindgen::JsCast;
use web_sys::{CanvasRenderingContext2d, HtmlCanvasElement};

thread_local! {
    static ASKED: RefCell<Asked> = RefCell::new(Asked::new());
}

/// Beyond so many texts it starts anew.
const REMEMBERED: usize = 4_000;

struct Asked {
    context: Option<CanvasRenderingContext2d>,
    /// The fonts of the three faces.
    fonts: [String; 3],
    widths: [BTreeMap<String, f32>; 3],
}

impl Asked {
    fn new() -> Self {
        let canvas = document().create_element("canvas").ok();
        let canvas = canvas.and_then(|canvas| canvas.dyn_into::<HtmlCanvasElement>().ok());
        let context = canvas.and_then(|canvas| canvas.get_context("2d").ok().flatten());
        let style = document()
            .document_element()
            .and_then(|root| leptos::prelude::window().get_computed_style(&root).ok().flatten());
        let face = |name: &str| {
            let value = style.as_ref().and_then(|style| style.get_property_value(name).ok());
            value.filter(|value| !value.is_empty()).unwrap_or_else(|| "sans-serif".into())
        };
        Self {
            context: context.and_then(|context| context.dyn_into().ok()),
            fonts: [
                format!("12px {}", face("--face")),
                format!("600 12px {}", face("--face")),
                format!("600 12px {}", face("--mono")),
            ],
            widths: Default::default(),
        }
    }

    fn width(&mut self, text: &str, face: Face) -> f32 {
        let place = face as usize;
        if let Some(width) = self.widths.get(place).and_then(|widths| widths.get(text)) {
            return *width;
        }
        let asked = self.context.as_ref().and_then(|context| {
            context.set_font(self.fonts.get(place)?);
            context.measure_text(text).ok()
        });
        let width = asked.map_or_else(|| approximate(text, face), |metrics| metrics.width() as f32);
        if let Some(widths) = self.widths.get_mut(place) {
            if widths.len() >= REMEMBERED {
                widths.clear();
            }
            widths.insert(text.to_owned(), width);
        }
        width
    }
}

/// The width of a text in CSS pixels.
pub fn measured(text: &str, face: Face) -> f32 {
    ASKED.with(|asked| match asked.try_borrow_mut() {
        Ok(mut asked) => asked.width(text, face),
        Err(_) => approximate(text, face),
    })
}
