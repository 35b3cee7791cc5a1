//! The lab, driven as a person would.

use fenceline_browser_tests::{Page, drive};

/// Puts the cursor at an instant with the slider, as the arrow keys would.
async fn seek(page: &Page, seconds: f64) {
    page.run(
        "const slider = document.querySelector('.transport input[type=range]');
         slider.value = arguments[0]; slider.dispatchEvent(new Event('input', { bubbles: true }));",
        vec![(seconds * 1000.0).into()],
    )
    .await;
    page.wait_for_text("[data-part=now]", &format!("{seconds:.1} s")).await;
}

async fn press(page: &Page, name: &str) {
    page.click(&format!("button[aria-label='{name}']")).await;
}

async fn verdict(page: &Page, claim: &str, state: &str) {
    page.wait_for(&format!("[data-part=verdicts] li[data-claim={claim}][data-state='{state}']")).await;
}

/// Chooses a value of the rules' sentence.
async fn choose(page: &Page, rule: &str, choice: &str) {
    page.click(&format!(".rule[aria-label^='{rule}:']")).await;
    page.run(
        "[...document.querySelectorAll('.pop-item')].find(b => b.querySelector('b').textContent === arguments[0]).click()",
        vec![choice.into()],
    )
    .await;
    page.wait_gone(".pop-list").await;
}

/// Issue 2, *It must show* 2: the zombie by hand, the fence, and the fence raised too late.
#[test]
fn a_zombie_made_by_hand_is_fenced_and_a_late_fence_lets_it_in() {
    drive(async |page| {
        page.viewport(1280, 900).await;
        page.open("#/lab?id=flagship&do=none").await;
        page.wait_for(".rule.risky[aria-label='The sink: appends']").await;
        page.wait_for(".rule.risky[aria-label='The fence: not at all']").await;

        // Play moves the cursor by itself.
        page.click("[data-act=play]").await;
        page.wait_for_text("[data-part=scheduler-says]", "attempt 1 runs").await;
        page.click("[data-act=play]").await;

        // Worker 1 is paused before its only write, until attempt 2 has been granted token 8.
        seek(page, 22.0).await;
        press(page, "Pause worker 1 at 22.0 s").await;
        seek(page, 50.9).await;
        page.wait_for_text("[data-part=scheduler-says]", "attempt 1 runs, token 7").await;
        seek(page, 51.0).await;
        page.wait_for_text("[data-part=scheduler-says]", "attempt 2 runs, token 8").await;
        seek(page, 77.0).await;
        press(page, "Resume worker 1 at 77.0 s").await;

        // Two outputs, and nobody was told.
        seek(page, 102.0).await;
        page.wait_for_text("[data-part=scheduler-says]", "success, 0 alerts").await;
        page.wait_for_text("[data-part=truth]", "2,408 rows, not 1,204").await;
        verdict(page, "one-output", "violated").await;
        verdict(page, "damage-raises-an-alert", "violated").await;
        page.wait_for_text("[data-part=trace]", "1,204 rows").await;

        // The same interventions under a fence raised by claim.
        assert_eq!(page.text(".next").await, "Replay with a fence at the table");
        page.click(".next").await;
        page.wait_for(".rule[aria-label='The fence: by claim']").await;
        verdict(page, "one-output", "holds").await;
        page.wait_for_text("[data-part=truth]", "1,204 rows, as expected").await;
        page.wait_for_text("[data-part=trace]", "fenced").await;

        // A shorter pause, and a fence that rises only with the first write: 7 comes before 8 wrote.
        choose(page, "The fence", "at the first write").await;
        verdict(page, "one-output", "holds").await;
        press(page, "More faults of worker 1").await;
        for _ in 0..10 {
            press(page, "Its end: 1 s sooner").await;
        }
        page.wait_for_text(".standing", "22.0 s → 67.0 s").await;
        page.key(fenceline_browser_tests::Key::Escape).await;
        verdict(page, "one-output", "violated").await;
        page.wait_for_text("[data-part=truth]", "2,408 rows, not 1,204").await;
        page.wait_for_text(
            "[data-part=inspector]",
            "The fence still stood at 7: token 8 had not written yet.",
        )
        .await;
    });
}

/// A scenario link that names acts opens exactly them; undo and redo go through every edit.
#[test]
fn a_link_gives_the_run_and_undo_takes_it_back() {
    drive(async |page| {
        page.viewport(1280, 900).await;
        page.open("#/lab?v=1&id=flagship&do=0s.fence.sink1.claim,22s.pause.w1.55s&at=102s").await;
        verdict(page, "one-output", "holds").await;
        choose(page, "The fence", "not at all").await;
        verdict(page, "one-output", "violated").await;
        page.run(
            "[...document.querySelectorAll('.lab-head .btn')].find(b => b.textContent === 'Undo').click()",
            vec![],
        )
        .await;
        verdict(page, "one-output", "holds").await;
        page.run(
            "[...document.querySelectorAll('.lab-head .btn')].find(b => b.textContent === 'Redo').click()",
            vec![],
        )
        .await;
        verdict(page, "one-output", "violated").await;
    });
}

/// UX: the picture is laid out in pixels, so its labels are 12 px at every width.
#[test]
fn labels_are_12_px_at_every_width() {
    drive(async |page| {
        for width in [320, 1280, 1920] {
            page.viewport(width, 900).await;
            page.open("#/lab?v=1&id=flagship").await;
            page.wait_for(".stage svg text, .phone-stage svg text, svg text").await;
            let sizes = page
                .run(
                    "return [...new Set([...document.querySelectorAll('svg text')].map(t => getComputedStyle(t).fontSize))].join()",
                    vec![],
                )
                .await;
            assert_eq!(sizes, "12px", "at {width}");
            assert!(!page.overflows().await, "at {width}");
        }
    });
}

/// Nothing is switched off without a reason: a control that would do nothing is `aria-disabled`, stays
/// focusable, and says why in its text, its name or its title.
#[test]
fn a_control_that_would_do_nothing_says_why() {
    drive(async |page| {
        page.viewport(1280, 900).await;
        page.open("#/lab?v=1&id=flagship&at=102s").await;
        page.wait_for("[aria-disabled=true]").await;
        assert_eq!(page.count("[disabled]").await, 0);
        let silent = page
            .run(
                "return [...document.querySelectorAll('[aria-disabled=true]')].filter(b => !b.title && !b.querySelector('small')).map(b => b.outerHTML).join('\\n')",
                vec![],
            )
            .await;
        assert_eq!(silent, "");
        // Two faults show on every lane, and every act's name ends with its time.
        let named = page
            .run(
                "return [...document.querySelectorAll('.lane-acts')].every(lane => lane.querySelectorAll(':scope > .act').length === 2)
                   && [...document.querySelectorAll('.lane-acts > .act')].every(act => / at 102\\.0 s$/.test(act.getAttribute('aria-label')))",
                vec![],
            )
            .await;
        assert_eq!(named, true);
    });
}

/// UX, the first five minutes: the pause's end is moved, and the verdict flips while it moves.
#[test]
fn the_end_of_a_pause_has_a_grip() {
    drive(async |page| {
        page.viewport(1280, 900).await;
        page.open("#/lab?v=1&id=flagship&do=0s.fence.sink1.first-write,22s.pause.w1.55s&at=102s").await;
        verdict(page, "one-output", "holds").await;
        page.wait_for(".grip[aria-valuetext='77.0 s'][aria-label='End of pause of worker 1']").await;
        page.run("document.querySelector('.grip').focus()", vec![]).await;
        page.key(fenceline_browser_tests::Key::PageDown + "").await;
        page.wait_for(".grip[aria-valuetext='67.0 s']").await;
        verdict(page, "one-output", "violated").await;
        // By the pointer: dragged far to the left the pause ends before the lease does.
        page.run(
            "const grip = document.querySelector('.grip'), box = grip.getBoundingClientRect();
             const at = (type, x) => grip.dispatchEvent(new PointerEvent(type,
               { bubbles: true, pointerId: 1, clientX: x, clientY: box.y + 9, button: 0 }));
             grip.setPointerCapture = () => {}; grip.hasPointerCapture = () => true;
             at('pointerdown', box.x); at('pointermove', box.x - 250); at('pointerup', box.x - 250);",
            vec![],
        )
        .await;
        page.wait_for_text("[data-part=truth]", "1,204 rows, as expected").await;
        // All of it is one edit, and undo takes it back.
        page.run(
            "[...document.querySelectorAll('.lab-head .btn')].find(b => b.textContent === 'Undo').click()",
            vec![],
        )
        .await;
        page.wait_for(".grip[aria-valuetext='77.0 s']").await;
    });
}

/// All that the run knows can be done by hand: by the pointer and by the keyboard, and taken back.
#[test]
fn the_menu_of_a_node_has_every_fault() {
    drive(async |page| {
        page.viewport(1280, 900).await;
        page.open("#/lab?v=1&id=flagship&do=none").await;
        seek(page, 22.0).await;
        press(page, "More faults of worker 1").await;
        let groups = page.texts(".pop-group").await;
        assert_eq!(groups, ["Worker", "Links", "Clock"]);
        // By the pointer: a cut that holds, given an end, then made to lose.
        press(page, "Hold control of worker 1 at 22.0 s").await;
        page.wait_for_text("[data-part=trace]", "holds its messages back").await;
        press(page, "More faults of worker 1").await;
        page.wait_for_text(".standing", "control path held 22.0 s").await;
        press(page, "Its end: 1 s sooner").await;
        press(page, "Its start: 1 s later").await;
        page.wait_for_text(".standing", "control path held 23.0 s → 102.0 s").await;
        let label = page.run("return document.activeElement.getAttribute('aria-label')", vec![]).await;
        assert_eq!(label, "Its start: 1 s later", "the focus stays where it was pressed");
        page.click("[data-act=turn]").await;
        page.wait_for_text(".standing", "control path cut 23.0 s").await;
        page.click("[data-act=take-away]").await;
        page.wait_gone(".standing").await;
        page.key(fenceline_browser_tests::Key::Escape).await;
        page.wait_gone(".pop-list").await;

        // By the keyboard: the operator's word, from the scheduler's menu.
        page.run("document.querySelector(\"[aria-label='More faults of Scheduler']\").focus()", vec![]).await;
        page.key(fenceline_browser_tests::Key::Enter + "").await;
        page.wait_for("[aria-label='Re-dispatch revenue at 22.0 s']").await;
        page.run("document.querySelector(\"[aria-label='Re-dispatch revenue at 22.0 s']\").focus()", vec![])
            .await;
        page.key(fenceline_browser_tests::Key::Enter + "").await;
        page.wait_gone(".pop-list").await;
        page.wait_for_text("[data-part=trace]", "The operator decides on revenue").await;
        // What is refused stays focusable and says why.
        seek(page, 102.0).await;
        press(page, "More faults of worker 1").await;
        page.wait_for_text(".pop-item[aria-disabled=true] small", "the run ends here").await;
    });
}
