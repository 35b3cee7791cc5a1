//! The start page: the first run, watched once, then fenced.

use fenceline_browser_tests::{Theme, drive};

/// A stale write lands, and everything stands still; one button replays the same
/// schedule with the remedy.
#[test]
fn the_run_is_watched_once_then_fenced_by_one_button() {
    drive(async |page| {
        page.viewport(1280, 720).await;
        page.prefer(Theme::Light, false).await;
        page.open("#/").await;
        page.wait_for("[data-part=first-run][data-over=false]").await;
        page.wait_for("[data-part=first-run][data-over=true]").await;
        // That the reel itself lasts less than ten seconds is tested natively, in `app::start`. This
        // bounds loading and drawing on a slow machine: the browser's clock since the page was asked for.
        let seconds = page.run("return performance.now() / 1000", vec![]).await.as_f64().expect("a number");
        assert!(seconds < 30.0, "{seconds} s");
        page.wait_for_text("[data-part=scheduler-says]", "success, 0 alerts").await;
        page.wait_for_text("[data-part=truth]", "2,408 rows, not 1,204").await;
        page.wait_for_text("[data-part=caption]", "Both calls return success.").await;

        assert_eq!(page.text(".next").await, "Fence the table");
        page.click(".next").await;
        page.wait_for("[data-part=first-run][data-over=true]").await;
        page.wait_for_text("[data-part=caption]", "Token 7 is older than 8. The write is fenced.").await;
        page.wait_for_text("[data-part=truth]", "1,204 rows, as expected").await;

        // The same run in the lab; the whole program takes the start page's place.
        assert_eq!(page.text(".next").await, "Now break it yourself");
        page.click(".next").await;
        page.wait_for(".lab[data-scenario=flagship]").await;
        // The cursor stands before the pause, where something can be done.
        page.wait_for_text("[data-part=now]", "21.0 s").await;
        page.wait_for(".rule[aria-label='The fence: by claim']").await;
    });
}

/// Who asked for less motion sees the end at once.
#[test]
fn without_motion_the_end_is_shown() {
    drive(async |page| {
        page.viewport(390, 664).await;
        page.prefer(Theme::Dark, true).await;
        page.open("#/").await;
        page.wait_for("[data-part=first-run][data-over=true]").await;
        page.wait_for_text("[data-part=truth]", "2,408 rows, not 1,204").await;
        assert!(!page.overflows().await);
    });
}
