//! The lab and the start page on a phone, 390 px wide.

use fenceline_browser_tests::{Key, Page, Theme, drive};

/// Whether an element lies wholly in view, above what is fixed at the bottom.
async fn in_view(page: &Page, css: &str) -> bool {
    page.run(
        "const all = [...document.querySelectorAll(arguments[0])];
         const bar = document.querySelector('.outcome-next').getBoundingClientRect();
         return all.length > 0 && all.every(e => { const b = e.getBoundingClientRect();
           return b.height > 0 && b.top >= 0 && b.bottom <= (e.closest('.outcome-next') ? innerHeight : bar.top) + 1; });",
        vec![css.into()],
    )
    .await
        == true
}

/// UX: the outcome, six short rows and the button in 390 × 664, with the lede.
#[test]
fn the_start_page_fits_one_view() {
    drive(async |page| {
        page.viewport(390, 664).await;
        page.prefer(Theme::Light, true).await;
        page.open("#/").await;
        page.wait_for("[data-part=first-run][data-over=true]").await;
        for css in
            [".start-head h1", ".start-head p", "[data-part=scheduler-says]", "[data-part=truth]", ".next"]
        {
            assert!(in_view(page, css).await, "{css}");
        }
        assert_eq!(page.count(".down-row").await, 6);
        assert!(in_view(page, ".down-row").await, "all rows");
        assert!(!page.overflows().await);
    });
}

/// UX: what is pressed is 44 px high on a phone, in every view of the lab and in its sheets.
#[test]
fn whatever_is_pressed_is_a_thumb_wide() {
    const SMALL: &str = "return [...document.querySelectorAll('main button, main a, main summary, main label')]
        .filter(e => e.checkVisibility() && !e.closest('.hide'))
        .map(e => [e, e.getBoundingClientRect()])
        .filter(([e, b]) => b.width > 0 && (b.height < 43.5 || b.width < 43.5) && !e.matches('.down-heads > button'))
        .map(([e, b]) => `${e.className} '${e.textContent.slice(0, 30)}' ${b.width.toFixed()}×${b.height.toFixed()}`)
        .join('\\n')";
    drive(async |page| {
        page.viewport(390, 844).await;
        page.open("#/lab?v=1&id=flagship").await;
        page.wait_for(".down-row").await;
        assert_eq!(page.run(SMALL, vec![]).await, "");
        page.run("document.querySelectorAll('details').forEach(d => d.open = true)", vec![]).await;
        assert_eq!(page.run(SMALL, vec![]).await, "", "with all that unfolds");
        page.click(".down-heads button:nth-child(2)").await;
        page.wait_for(".pop-list .standing").await;
        assert_eq!(page.run(SMALL, vec![]).await, "", "in the sheet");
        assert!(!page.overflows().await);
    });
}

#[test]
fn the_run_is_shown_by_events_to_scale_or_as_a_table() {
    drive(async |page| {
        page.viewport(390, 844).await;
        page.open("#/lab?v=1&id=flagship").await;
        page.wait_for("[data-act=view][aria-pressed=true]").await;
        let tops =
            "return [...document.querySelectorAll('.down-row')].map(r => parseFloat(r.style.top)).join()";
        let by_event = page.run(tops, vec![]).await;
        page.click("[data-act=view]:nth-child(2)").await;
        page.wait_for("[data-act=view]:nth-child(2)[aria-pressed=true]").await;
        assert_ne!(page.run(tops, vec![]).await, by_event);
        assert!(!page.overflows().await);
        page.click("[data-act=view]:nth-child(3)").await;
        page.wait_for(".phone-table [data-part=trace]").await;
        assert_eq!(
            page.run("return document.querySelector('.down-story').checkVisibility()", vec![]).await,
            false
        );
        page.click("[data-act=view]").await;
        page.wait_gone(".phone-table [data-part=trace]").await;
    });
}

/// While it plays the row of the cursor is kept in view, until the reader scrolls.
#[test]
fn the_current_row_is_kept_in_view_until_the_reader_scrolls() {
    drive(async |page| {
        page.viewport(390, 664).await;
        page.prefer(Theme::Light, false).await;
        page.open("#/lab?v=1&id=flagship").await;
        page.wait_for(".down-row.here").await;
        page.run("window.scrollTo(0, 0)", vec![]).await;
        page.click("[data-act=play]").await;
        page.wait_for(".down-row:nth-child(9).here").await;
        let seen = "const b = document.querySelector('.down-row.here').getBoundingClientRect();
                    return b.top >= 0 && b.bottom <= innerHeight - 60 && scrollY > 0";
        assert_eq!(page.run(seen, vec![]).await, true);
        // Once more from the beginning, and the reader turns the wheel.
        page.wait_for("[data-act=play]").await;
        page.run("document.querySelector('.down-row button').click()", vec![]).await;
        page.wait_for(".down-row:nth-child(1).here").await;
        page.click("[data-act=play]").await;
        page.run("window.dispatchEvent(new WheelEvent('wheel')); window.scrollTo(0, 0)", vec![]).await;
        page.wait_for(".down-row:nth-child(9).here").await;
        assert_eq!(page.run("return scrollY", vec![]).await, 0);
    });
}

/// A slip of the thumb is taken back, and taken back again.
#[test]
fn redo_as_given_and_branch_are_reached_on_the_phone() {
    drive(async |page| {
        page.viewport(390, 844).await;
        page.open("#/lab?v=1&id=flagship&do=none").await;
        page.wait_for(".down-row").await;
        page.click(".down-heads button:nth-child(1)").await;
        page.click("[aria-label='Restart the scheduler at 0.0 s']").await;
        page.wait_gone(".pop-list").await;
        page.click(".lab-head > .btn").await;
        page.click(".lab-head .narrow-only .btn").await;
        let redo = page.texts(".lab-head .pop-item").await;
        assert!(redo.first().is_some_and(|text| text.contains("Redo restart")), "{redo:?}");
        page.click(".lab-head .pop-item").await;
        page.click(".lab-head .narrow-only .btn").await;
        page.wait_for(".lab-head .pop-item:nth-child(1)[aria-disabled=true]").await;

        // The scenario's own faults, then the run that they took the place of.
        let edited = page.attribute(".lab", "data-digest").await.expect("a digest");
        let edited = format!(".lab[data-digest='{edited}']");
        page.click(".lab-head .pop-item:nth-child(2)").await;
        page.wait_gone(&edited).await;
        page.click(".lab-head .narrow-only .btn").await;
        page.wait_for(".lab-head .pop-item:nth-child(2)[aria-disabled=true]").await;
        page.click(".lab-head .pop-item:nth-child(3)").await;
        page.wait_for(&edited).await;
        page.click(".lab-head .narrow-only .btn").await;
        page.wait_for(".lab-head .pop-item:nth-child(2):not([aria-disabled])").await;
        page.key(Key::Escape).await;
        page.wait_gone(".pop-list").await;
    });
}

/// Where there are many nodes the sheet names each, and leads to all that can be done to it.
#[test]
fn the_sheet_of_everybody_leads_to_each_node() {
    drive(async |page| {
        page.viewport(390, 844).await;
        page.open("#/lab?v=1&id=retry-storm").await;
        page.click(".break-bar > .pop > .btn").await;
        page.click("[aria-label='More faults of machine 3']").await;
        page.wait_for_text(".pop-title", "Machine 3 at").await;
        page.wait_for("[aria-label^='Hold control of machine 3']").await;
    });
}

/// A tablet is turned, a window is dragged: one picture takes the other's place.
#[test]
fn crossing_from_phone_to_laptop_and_back_leaves_one_picture() {
    drive(async |page| {
        for route in ["#/lab?id=flagship", "#/"] {
            page.viewport(1280, 720).await;
            page.open(route).await;
            page.wait_for("[data-part=stage] svg .marks").await;
            for (width, part) in
                [(390, "phone-stage"), (1280, "stage"), (700, "phone-stage"), (1000, "stage")]
            {
                page.viewport(width, 720).await;
                page.wait_for(&format!("[data-part={part}] svg .marks path")).await;
                assert_eq!(page.count("svg .marks").await, 1, "{route} at {width} px");
                assert_eq!(page.count("svg .veil").await, 1, "{route} at {width} px");
            }
        }
    });
}

/// A label that lies on no tag is written in the colour of text, not in that of text on a solid fill.
#[test]
fn what_stands_beside_a_lane_can_be_read() {
    drive(async |page| {
        page.viewport(390, 664).await;
        for (id, said) in [("clock-forward", "+30 s"), ("scheduler-crash-between", "✕")] {
            page.open(&format!("#/lab?id={id}")).await;
            page.wait_for("[data-part=phone-stage] svg .marks path").await;
            let unread = page
                .run(
                    "const on = getComputedStyle(document.querySelector('.phone-stage text.t-mono, svg text.t-mono')).fill;
                     const beside = [...document.querySelectorAll('svg text:not(.t-mono)')];
                     return [beside.some(t => t.textContent === arguments[0]),
                             beside.filter(t => getComputedStyle(t).fill === on).map(t => t.textContent).join()]",
                    vec![said.into()],
                )
                .await;
            assert_eq!(unread, serde_json::json!([true, ""]), "{id}");
        }
    });
}
