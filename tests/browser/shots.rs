//! Pictures of every page in every size and theme: `make shots`, or
//! `scripts/shots [--full] [NAME…]` for some pages only, or at their whole length.

use std::path::PathBuf;

use fenceline_browser_tests::{Page, Theme, drive};

const PAGES: [(&str, &str); 7] = [
    ("start", "#/"),
    ("lab", "#/lab"),
    ("quiz", "#/quiz"),
    ("cards", "#/cards"),
    ("interview", "#/interview"),
    ("about", "#/about"),
    ("embed", "#/embed?view=lab"),
];

/// Width, height, and how a file name says it.
const SIZES: [(u32, u32, &str); 4] =
    [(390, 844, "390"), (390, 664, "390x664"), (1280, 720, "1280"), (1920, 1080, "1920")];

fn main() {
    let (flags, names): (Vec<String>, Vec<String>) =
        std::env::args().skip(1).partition(|it| it.starts_with("--"));
    let full = flags.iter().any(|flag| flag == "--full");
    let wanted = |name: &str| names.is_empty() || names.iter().any(|it| it == name);
    drive(async |page| {
        for (name, route) in PAGES.into_iter().filter(|(name, _)| wanted(name)) {
            for (theme, theme_name) in [(Theme::Light, "light"), (Theme::Dark, "dark")] {
                // Nothing moves, so that a picture does not depend on when it is taken.
                page.prefer(theme, true).await;
                for (width, height, size) in SIZES {
                    page.viewport(width, height).await;
                    page.open(route).await;
                    if full {
                        page.viewport(width, length(page).await.max(height)).await;
                    }
                    let file = format!("{name}-{size}-{theme_name}.png");
                    page.picture(&PathBuf::from("shots").join(&file)).await;
                    println!("shots/{file}");
                }
            }
        }
    });
}

async fn length(page: &Page) -> u32 {
    let length = page.run("return document.documentElement.scrollHeight", Vec::new()).await;
    length.as_u64().and_then(|length| length.try_into().ok()).unwrap_or(0)
}
