//! Pictures of every page in every size and theme: `make shots`, or
//! `scripts/shots [--full] [NAME…]` for some pages only, or at their whole length.

use std::path::PathBuf;

use fenceline_browser_tests::{Page, Theme, drive};

const PAGES: [(&str, &str); 18] = [
    ("start", "#/"),
    ("lab", "#/lab?id=flagship"),
    ("fenced", "#/lab?v=1&id=flagship&do=0s.fence.sink1.claim,22s.pause.w1.55s"),
    ("late-fence", "#/lab?id=late-fence"),
    ("fleet", "#/lab?id=clock-forward"),
    // A sweep so often that the run reaches its limit.
    ("stopped", "#/lab?v=1&id=flagship&do=0s.sweep.200us,22s.pause.w1.55s"),
    ("learn", "#/learn"),
    ("incidents", "#/incidents"),
    ("quiz", "#/quiz"),
    ("quiz-set", "#/quiz/leases"),
    ("question", "#/quiz?id=when-it-ends"),
    ("order", "#/quiz?id=the-store-in-order"),
    ("cards", "#/cards"),
    ("card", "#/cards?id=lease-in-a-sentence"),
    ("interview", "#/interview"),
    ("about", "#/about"),
    ("embed-lab", "#view=lab&id=flagship&embed=1"),
    ("embed-question", "#view=quiz&id=when-it-ends&embed=1&chrome=none"),
];

/// What is pressed before the picture, for states that no address leads to.
const PRESSED: [(&str, &[&str]); 4] = [
    ("feedback", &["#/quiz?id=when-it-ends", ".options li:nth-child(4) input", "[data-confidence=Sure]"]),
    ("rating", &["#/cards?id=lease-in-a-sentence", "[data-act=show]"]),
    ("compare", &["#/interview", ".phases li:nth-child(3) button", "[data-act=show-all]"]),
    ("mend", &["#/interview", ".phases li:nth-child(4) button"]),
];

/// The same for what only a phone has.
const ON_THE_PHONE: [(&str, &[&str]); 3] = [
    ("lab-scale", &["#/lab?id=flagship", "[data-act=view]:nth-child(2)"]),
    ("lab-table", &["#/lab?id=flagship", "[data-act=view]:nth-child(3)"]),
    ("lab-sheet", &["#/lab?id=flagship", ".down-heads button:nth-child(2)"]),
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
        // A phone's lie over the page, and take no room from it.
        page.command("Emulation.setScrollbarsHidden", serde_json::json!({ "hidden": true })).await;
        let pages = PAGES.into_iter().map(|(name, route)| (name, route, [].as_slice()));
        let pressed = PRESSED.into_iter().chain(ON_THE_PHONE).filter_map(|(name, all)| {
            let (route, presses) = all.split_first()?;
            Some((name, *route, presses))
        });
        for (name, route, presses) in pages.chain(pressed).filter(|(name, ..)| wanted(name)) {
            for (theme, theme_name) in [(Theme::Light, "light"), (Theme::Dark, "dark")] {
                // Nothing moves, so that a picture does not depend on when it is taken.
                page.prefer(theme, true).await;
                let narrow = ON_THE_PHONE.iter().any(|(of, _)| *of == name);
                for (width, height, size) in SIZES.into_iter().filter(|(width, ..)| !narrow || *width < 720) {
                    page.viewport(width, height).await;
                    page.open(route).await;
                    page.wait_for("main h1").await;
                    page.wait_gone(".fetching").await;
                    for css in presses {
                        page.click(css).await;
                    }
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
