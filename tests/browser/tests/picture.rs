//! The picture of a run in other hands: on paper, in the reader's own colours, stopped at a limit,
//! and where a verdict has just been decided.

use fenceline_browser_tests::{Page, Theme, drive};
use serde_json::json;

/// A style of the first that matches, as the browser computed it.
async fn style(page: &Page, css: &str, property: &str) -> String {
    let script = "return getComputedStyle(document.querySelector(arguments[0]))[arguments[1]]";
    page.wait_for(css).await;
    page.run(script, vec![json!(css), json!(property)]).await.as_str().unwrap_or_default().to_owned()
}

async fn seek(page: &Page, seconds: u32) {
    page.run(
        "const slider = document.querySelector('.transport input[type=range]');
         slider.value = arguments[0] * 1000; slider.dispatchEvent(new Event('input', { bubbles: true }));",
        vec![seconds.into()],
    )
    .await;
    page.wait_for_text("[data-part=now]", &format!("{seconds}.0 s")).await;
}

#[test]
fn on_paper_all_of_a_run_is_known_and_nothing_can_be_pressed() {
    drive(async |page| {
        page.open("#/lab?id=flagship").await;
        seek(page, 30).await;
        let dark = json!([{ "name": "prefers-color-scheme", "value": "dark" }]);
        page.command("Emulation.setEmulatedMedia", json!({ "media": "print", "features": dark })).await;
        for gone in [".stage .veil", ".stage .cursor", ".transport", ".lane-acts", ".lab .next", ".bar"] {
            let hidden = "const it = document.querySelector(arguments[0]); return !it.checkVisibility()";
            assert_eq!(page.run(hidden, vec![json!(gone)]).await, true, "{gone}");
        }
        assert_eq!(style(page, ".legend", "display").await, "flex");
        assert_eq!(style(page, "html", "backgroundColor").await, "rgb(250, 249, 246)", "paper is light");
    });
}

#[test]
fn in_the_readers_colours_fills_are_outlines_and_hatches_stay() {
    drive(async |page| {
        page.open("#/lab?id=flagship").await;
        let forced = json!([{ "name": "forced-colors", "value": "active" }]);
        page.command("Emulation.setEmulatedMedia", json!({ "features": forced })).await;
        let ground = style(page, ".stage", "backgroundColor").await;
        let ink = style(page, "body", "color").await;
        for filled in [".stage .k-run", ".stage .k-rows", ".stage .k-lease"] {
            assert_eq!(style(page, filled, "fill").await, ground, "{filled}");
            assert_eq!(style(page, filled, "stroke").await, ink, "{filled}");
        }
        assert!(style(page, ".stage .k-thick-stripes", "fill").await.starts_with("url("));
        assert_eq!(style(page, ".stage .k-stale", "strokeWidth").await, "3px");
    });
}

#[test]
fn a_mark_that_decides_a_verdict_is_ringed_once_and_where_motion_is_wanted() {
    drive(async |page| {
        for (still, animation) in [(false, "decided"), (true, "none")] {
            page.prefer(Theme::Light, still).await;
            page.open("#/lab?id=flagship").await;
            seek(page, 80).await;
            assert_eq!(page.count(".deciding .decided").await, 0);
            seek(page, 90).await;
            page.wait_for(".deciding .decided").await;
            assert_eq!(page.count(".deciding .decided").await, 1);
            assert_eq!(style(page, ".deciding .decided", "animationName").await, animation);
        }
    });
}

#[test]
fn a_run_at_its_limit_ends_at_a_torn_edge() {
    drive(async |page| {
        page.open("#/lab?v=1&id=flagship&do=0s.sweep.200us,22s.pause.w1.55s").await;
        page.wait_for_text(".stopped", "Stopped at 200,000 events, the limit of this page.").await;
        page.wait_for(".stage .k-torn").await;
        // The ruler reaches as far as the run did.
        let reach =
            page.run("return Number(document.querySelector('.transport [type=range]').max)", vec![]).await;
        let millis = reach.as_u64().unwrap_or_default();
        assert!((39_000..=41_000).contains(&millis), "{millis} of 102000 ms");
    });
}
