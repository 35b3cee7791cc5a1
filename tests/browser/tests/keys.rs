//! The lab by keyboard, and what it says aloud.

use fenceline_browser_tests::{Key, Page, drive};
use serde_json::json;

const FLAGSHIP: &str = "#/lab?v=1&id=flagship&do=none&at=22s";

/// Puts the focus on an event of a lane.
async fn stand_on(page: &Page, part: &str) {
    page.wait_for("[data-cell][tabindex='0']").await;
    page.run("document.querySelector(`[data-cell][tabindex='0']`).focus()", vec![]).await;
    for _ in 0..4 {
        page.key(Key::Up + "").await;
        settle(page).await;
    }
    for _lane in 0..4 {
        page.key(Key::Home + "").await;
        settle(page).await;
        let mut before = String::new();
        while before != focused(page).await {
            before = focused(page).await;
            if before.contains(part) {
                return;
            }
            page.key(Key::Right + "").await;
            settle(page).await;
        }
        page.key(Key::Down + "").await;
        settle(page).await;
    }
    panic!("no event says {part:?}: {}", focused(page).await);
}

/// Two frames: what a key asked for is drawn.
async fn settle(page: &Page) {
    let frames =
        "const done = arguments[0]; requestAnimationFrame(() => requestAnimationFrame(() => done(true)))";
    page.driver.execute_async(frames, Vec::new()).await.expect("two frames");
}

/// What has the focus, as a reader hears it.
async fn focused(page: &Page) -> String {
    let said = page.run(
        "const e = document.activeElement; return e.getAttribute('aria-label') ?? e.textContent",
        vec![],
    );
    said.await.as_str().unwrap_or_default().to_owned()
}

async fn wait_focus(page: &Page, css: &str) {
    page.wait_for(&format!("{css}:focus")).await;
}

#[test]
fn faults_are_made_by_single_keys_where_the_focus_is() {
    drive(async |page| {
        page.viewport(1280, 900).await;
        page.open(FLAGSHIP).await;
        // Nowhere else: a single key on the page does nothing.
        page.run("document.querySelector('h1').focus()", vec![]).await;
        page.key("p").await;
        assert_eq!(page.count(".grip").await, 0);

        page.run("document.querySelector('[data-act=play]').focus()", vec![]).await;
        page.key("p").await;
        page.wait_for_text("[data-part=answer]", "Pause worker 1 at 22.0 s").await;
        page.wait_for("button[aria-label='Resume worker 1 at 22.0 s']").await;
        wait_focus(page, "[data-act=play]").await;
        // The next event that matters, and the one before.
        page.key(">").await;
        page.wait_for_text("[data-part=now]", "50.4 s").await;
        page.key("<").await;
        page.wait_for_text("[data-part=now]", "22.0 s").await;
        // The next event, and the one before: nothing moves while all wait.
        page.key(".").await;
        page.wait_for_text("[data-part=now]", "51.0 s").await;
        page.wait_for_text("[data-part=inspector]", "Sweep").await;
        page.key(",").await;
        page.wait_for_text("[data-part=now]", "22.0 s").await;
        // Events of one instant come one after another: the sweep, the end of attempt 1, the next grant.
        page.key(".").await;
        let mut presses = 1;
        while !page.text("[data-part=inspector]").await.contains("granted to worker 2") {
            page.key(".").await;
            presses += 1;
            assert!(presses < 12, "no grant in {presses} steps");
        }
        assert!(presses > 1 && page.text("[data-part=now]").await.contains("51.0 s"));
        page.key("<").await;
        page.wait_for_text("[data-part=now]", "50.4 s").await;
        page.key("<").await;
        page.wait_for_text("[data-part=now]", "22.0 s").await;
        // Resumed later; undone, done again, by the keys everybody knows.
        page.key(">").await;
        page.key("p").await;
        page.wait_for(".grip[aria-valuetext='50.4 s']").await;
        page.key(Key::Control + "z").await;
        page.wait_gone(".grip").await;
        page.key(Key::Control + (Key::Shift + "z")).await;
        page.wait_for(".grip[aria-valuetext='50.4 s']").await;

        // Another lane: a scheduler is not slowed, and says so; its clock it can step.
        page.run("document.querySelector(`.lane-acts[data-lane='0'] button`).focus()", vec![]).await;
        page.key("s").await;
        page.wait_for_text("[data-part=answer]", "Slow: the scheduler has no such fault").await;
        page.wait_for_text("[role=status]", "Slow: the scheduler has no such fault").await;
        page.key("j").await;
        page.wait_for_text("[data-part=answer]", "Clock +40 s of the scheduler at 50.4 s").await;
        page.key("x").await;
        page.wait_for_text("[data-part=answer]", "Crash the scheduler at 50.4 s").await;
        // At the end nothing can be done, in the menu's words.
        page.open("#/lab?v=1&id=flagship&do=none&at=102s").await;
        page.wait_for_text("[data-part=now]", "102.0 s").await;
        page.run("document.querySelector('[data-act=play]').focus()", vec![]).await;
        page.key("p").await;
        page.wait_for_text("[data-part=answer]", "Pause: the run ends here; move the cursor back").await;
    });
}

#[test]
fn space_plays_from_the_scrubber_and_stays_a_buttons_own() {
    drive(async |page| {
        page.viewport(1280, 900).await;
        page.open(FLAGSHIP).await;
        page.wait_for_text("[data-act=play]", "Play").await;
        page.run("document.querySelector('.transport input[type=range]').focus()", vec![]).await;
        page.key(" ").await;
        page.wait_for_text("[data-act=play]", "Pause").await;
        page.key(" ").await;
        page.wait_for_text("[data-act=play]", "Play").await;
        // A button is pressed by its own key, once: were the key the lab's too, nothing would play.
        page.run("document.querySelector('[data-act=play]').focus()", vec![]).await;
        page.key(" ").await;
        page.wait_for_text("[data-act=play]", "Pause").await;
    });
}

#[test]
fn an_event_is_looked_into_and_left_by_keys() {
    drive(async |page| {
        page.viewport(1280, 900).await;
        page.open("#/lab?v=1&id=flagship").await;
        stand_on(page, "Token 7 granted to worker 1").await;
        page.key(Key::Enter + "").await;
        wait_focus(page, "[data-part=inspector] h2").await;
        page.wait_for_text("[data-part=inspector]", "granted to worker 1").await;
        page.key(Key::Escape + "").await;
        wait_focus(page, "[data-cell]").await;
        assert!(focused(page).await.contains("Token 7 granted to worker 1"));
        page.key(Key::Escape + "").await;
        page.wait_for_text("[data-part=inspector]", "Violated").await;

        page.key("v").await;
        page.wait_for_text("[data-part=now]", "85.4 s").await;
        page.key("w").await;
        wait_focus(page, "[data-part=inspector] h2").await;
        page.key(Key::Escape + "").await;
        page.key("t").await;
        wait_focus(page, "[data-part=trace] h2").await;
        page.key(Key::Escape + "").await;
        wait_focus(page, "[data-cell]").await;
    });
}

#[test]
fn a_lanes_menu_opens_by_key_and_closes_when_the_focus_leaves_it() {
    drive(async |page| {
        page.viewport(1280, 900).await;
        page.open("#/lab?v=1&id=flagship&at=30s").await;
        stand_on(page, "Worker 1 is paused").await;
        settle(page).await;
        page.key("f").await;
        page.wait_for(".lane-acts[data-lane='1'] .pop-list").await;
        wait_focus(page, ".lane-acts[data-lane='1'] .pop-item").await;
        // A single key is not meant for the run here.
        page.key("x").await;
        page.key(Key::Escape + "").await;
        page.wait_gone(".pop-list").await;
        wait_focus(page, "[data-cell]").await;
        assert!(focused(page).await.contains("Worker 1 is paused"), "{}", focused(page).await);

        // The end is moved from the menu, and the focus stays on its button.
        page.click("button[aria-label='More faults of worker 1']").await;
        let sooner = "button[aria-label='Its end: 1 s sooner']";
        page.run("document.querySelector(arguments[0]).focus()", vec![json!(sooner)]).await;
        for _ in 0..3 {
            page.key(Key::Enter + "").await;
        }
        page.wait_for_text(".standing", "22.0 s → 74.0 s").await;
        wait_focus(page, sooner).await;
        // Tab leaves the list; it closes.
        for _ in 0..3 {
            page.key(Key::Tab + "").await;
        }
        page.wait_gone(".pop-list").await;
        assert!(page.run("return document.activeElement !== document.body", vec![]).await == json!(true));
    });
}

#[test]
fn the_end_of_a_fault_is_edited_kept_and_restored_by_keys() {
    drive(async |page| {
        page.viewport(1280, 900).await;
        page.open("#/lab?v=1&id=flagship").await;
        stand_on(page, "Worker 1 is paused").await;
        page.key(Key::Enter + "").await;
        wait_focus(page, "[data-part=inspector] h2").await;
        page.key(Key::Escape + "").await;
        wait_focus(page, "[data-cell]").await;
        page.key("e").await;
        wait_focus(page, ".grip[data-fault='0']").await;
        page.key(Key::Left + "").await;
        page.wait_for(".grip[aria-valuetext='76.0 s']").await;
        page.key(Key::Shift + Key::Left).await;
        page.wait_for(".grip[aria-valuetext='75.9 s']").await;
        page.key(Key::PageDown + "").await;
        page.wait_for(".grip[aria-valuetext='65.9 s']").await;
        wait_focus(page, ".grip").await;
        page.key(Key::Escape + "").await;
        page.wait_for(".grip[aria-valuetext='77.0 s']").await;
        wait_focus(page, "[data-cell]").await;
        page.key("e").await;
        wait_focus(page, ".grip").await;
        page.key(Key::PageDown + "").await;
        page.key(Key::Enter + "").await;
        wait_focus(page, "[data-cell]").await;
        page.wait_for(".grip[aria-valuetext='67.0 s']").await;
        // What came of it is said once it rests.
        page.wait_for_text(
            "[role=status]",
            "Pause ends at 67.0 seconds. One output: still violated, now at 81.4 seconds.",
        )
        .await;
    });
}

#[test]
fn the_picture_zooms_by_key_button_and_wheel() {
    drive(async |page| {
        page.viewport(1280, 900).await;
        page.open("#/lab?v=1&id=flagship&at=80s").await;
        page.wait_for("[data-act=zoom-out][aria-disabled=true]").await;
        page.click("[data-act=zoom-in]").await;
        page.wait_for("[data-act=zoom-out]:not([aria-disabled])").await;
        page.run("document.querySelector('[data-act=play]').focus()", vec![]).await;
        let marks = async || {
            page.run("return document.querySelector('.stage .marks').innerHTML.length + document.querySelector('.stage .ticks').textContent", vec![]).await
        };
        let before = marks().await;
        page.key("+").await;
        page.key("+").await;
        settle(page).await;
        assert_ne!(marks().await, before);
        // What the cursor goes to is brought into view: an event from before the part that is shown.
        for _ in 0..8 {
            if page.text("[data-part=now]").await == "50.4 s" {
                break;
            }
            page.key("<").await;
            settle(page).await;
        }
        assert_eq!(page.text("[data-part=now]").await, "50.4 s");
        let in_view = "const box = (css) => document.querySelector(css).getBoundingClientRect();
            const plot = box('.stage-plot svg'), line = box('.stage-plot .cursor');
            return line.left >= plot.left && line.right <= plot.right";
        assert_eq!(page.run(in_view, vec![]).await, true);
        page.wait_for("[data-act=fit]:not([aria-disabled])").await;
        page.key("0").await;
        page.wait_for("[data-act=fit][aria-disabled=true]").await;
        page.key("-").await;
        page.wait_for_text("[data-part=answer]", "the whole run is shown").await;
        // The wheel with Ctrl zooms and is taken; without, it scrolls the page.
        let wheel = "const plot = document.querySelector('.stage-plot svg'), box = plot.getBoundingClientRect();
            const event = new WheelEvent('wheel', { bubbles: true, cancelable: true, deltaY: -200, ctrlKey: arguments[0], clientX: box.x + 300, clientY: box.y + 100 });
            plot.dispatchEvent(event); return event.defaultPrevented";
        assert_eq!(page.run(wheel, vec![json!(false)]).await, false);
        assert_eq!(page.run(wheel, vec![json!(true)]).await, true);
        page.wait_for("[data-act=fit]:not([aria-disabled])").await;
        page.click("[data-act=fit]").await;
    });
}

#[test]
fn the_keys_are_listed_and_can_be_switched_off() {
    drive(async |page| {
        page.viewport(1280, 900).await;
        page.open(FLAGSHIP).await;
        page.wait_for("[data-act=play]").await;
        page.run("document.querySelector('[data-act=play]').focus()", vec![]).await;
        page.key("?").await;
        page.wait_for(".keys-list[open]").await;
        page.wait_for_text(".keys-list", "pause this lane, or resume it").await;
        page.assert_accessible().await;
        page.click(".keys-list input").await;
        page.key(Key::Escape + "").await;
        page.wait_gone(".keys-list[open]").await;
        wait_focus(page, "[data-act=play]").await;
        page.key("p").await;
        page.key("?").await;
        settle(page).await;
        assert_eq!(page.count(".keys-list[open]").await, 0);
        assert_eq!(page.text("[data-part=answer]").await, "");
        assert_eq!(page.text("[data-part=hint]").await, "drag the ruler, or a fault's end");
        // It is remembered; the list still opens by its button.
        page.open(FLAGSHIP).await;
        page.click("[data-act=keys]").await;
        page.wait_for(".keys-list[open] input:not(:checked)").await;
        page.click(".keys-list input").await;
        page.click("[data-act=close-keys]").await;
        page.run("document.querySelector('[data-act=play]').focus()", vec![]).await;
        page.key("p").await;
        page.wait_for_text("[data-part=answer]", "Pause worker 1 at 22.0 s").await;
        // The hint is gone after the first act, also where nothing is answered.
        page.key(Key::Control + "z").await;
        page.wait_for("button[aria-label='Pause worker 1 at 22.0 s']").await;
        assert_eq!(page.text("[data-part=answer]").await, "");
        assert_eq!(page.text("[data-part=hint]").await, "");
    });
}

/// UX 17, mistake 9: a run of 200 workers, played fast, is told in few messages.
#[test]
fn a_run_of_two_hundred_workers_is_told_in_few_messages() {
    drive(async |page| {
        page.viewport(1280, 900).await;
        // The scenario with the most workers, with two hundred of them.
        let files = page.server.files("content");
        let file = files.iter().find(|file| file.contains("clock-forward")).expect("a scenario");
        let mut scenario: serde_json::Value =
            serde_json::from_str(&page.server.built(&format!("content/{file}"))).expect("JSON");
        scenario["worker"][0]["count"] = json!(200);
        for task in scenario["task"].as_array_mut().expect("tasks") {
            task["count"] = json!(100);
        }
        page.server.replace(&format!("content/{file}"), scenario.to_string());
        page.open("#/lab?v=1&id=clock-forward&at=0s").await;
        page.wait_for(".lab[data-scenario=clock-forward] .stage").await;
        assert_eq!(page.count("[role=status], [aria-live=polite]").await, 1);
        page.run(
            "window.said = []; const line = document.querySelector('[role=status]');
             new MutationObserver(() => said.push([performance.now(), line.textContent]))
               .observe(line, { childList: true, characterData: true, subtree: true });
             window.began = performance.now();",
            vec![],
        )
        .await;
        // 30 times as fast as life.
        page.click(".speed").await;
        page.click("[data-act=play]").await;
        page.wait_for_text("[data-act=play]", "Play").await;
        page.click("[data-act=play]").await;
        page.wait_for_text("[data-act=play]", "Play").await;
        settle(page).await;
        let said = page.run("return said", vec![]).await;
        let said: Vec<(f64, String)> = serde_json::from_value(said).expect("messages");
        let passed = page.run("return performance.now() - began", vec![]).await.as_f64().expect("a time");
        assert!(!said.is_empty(), "nothing was said");
        assert!(said.len() as f64 <= passed / 1_500.0 + 1.0, "{} in {passed} ms: {said:?}", said.len());
        assert!(said.iter().all(|(_, text)| text.len() < 400), "{said:?}");
    });
}

#[test]
fn edits_stay_in_the_address() {
    drive(async |page| {
        page.viewport(1280, 900).await;
        page.open("#/lab?v=1&id=flagship&do=none&at=22s").await;
        page.click(
            "button[aria-label='Crash worker 2 at 22.0 s'], button[aria-label='Pause worker 1 at 22.0 s']",
        )
        .await;
        let address = async |part: &str| {
            for _ in 0..200 {
                let hash = page.run("return location.hash", vec![]).await;
                if hash.as_str().is_some_and(|hash| hash.contains(part)) {
                    return;
                }
                settle(page).await;
            }
            panic!("the address is {}", page.run("return location.hash", vec![]).await);
        };
        address("&do=22s.pause.w1").await;
        let edited = page.attribute(".lab", "data-digest").await.expect("a digest");
        let edited = format!(".lab[data-scenario=flagship][data-digest='{edited}']");
        // Left and come back to, by the bar and by the browser.
        page.click(".bar > nav a[href='#/incidents']").await;
        page.wait_for_text("main h1", "Incidents").await;
        page.click(".bar > nav a[href='#/lab']").await;
        page.wait_for(&edited).await;
        page.driver.back().await.expect("back");
        page.wait_for_text("main h1", "Incidents").await;
        page.driver.back().await.expect("back");
        page.wait_for(&edited).await;
        address("&do=22s.pause.w1").await;
        page.driver.refresh().await.expect("loaded anew");
        page.wait_for("html[data-state=ready]").await;
        page.wait_for(&edited).await;
        page.click("button[aria-label='More faults of worker 1']").await;
        page.wait_for_text(".standing", "pause 22.0 s").await;
    });
}

#[test]
fn a_bad_link_keeps_the_run_and_shows_where_it_is_wrong() {
    drive(async |page| {
        page.viewport(1280, 900).await;
        page.open("#/lab?v=1&id=flagship&at=22s").await;
        page.wait_for(".lab .stage").await;
        let digest = page.attribute(".lab", "data-digest").await;
        page.run("document.querySelector('.lab').marked = true", vec![]).await;
        for (link, said, wrong) in [
            ("#/lab?v=1&id=flagship&do=22s.pause.w9.55s", "there is no node `w9`", "22s.pause.w9.55s"),
            (
                "#/lab?v=1&id=partition&do=22s.paws.w1",
                "`paws` is not an act. Did you mean `pause`?",
                "22s.paws.w1",
            ),
            ("#/lab?v=0&id=flagship", "`v=0` is no version of the link format", "v=0"),
            ("#/lab?v=1&id=nope", "there is no scenario `nope`", "nope"),
        ] {
            page.follow(link).await;
            page.wait_for_text(".notice", said).await;
            let text = page.text(".notice p").await;
            assert!(!text.contains(".."), "{text}");
            page.click(".notice summary").await;
            assert_eq!(page.text(".notice mark").await, wrong);
            page.assert_accessible().await;
            assert_eq!(page.attribute(".lab", "data-digest").await, digest);
            assert_eq!(
                page.run("return document.querySelector('.lab').marked", vec![]).await,
                true,
                "it is kept"
            );
            page.click("[data-act=dismiss]").await;
            page.wait_gone(".notice").await;
            let hash = page.run("return location.hash", vec![]).await;
            assert!(hash.as_str().is_some_and(|hash| hash.contains("id=flagship&at=22s")), "{hash}");
        }
        // A good one is followed.
        page.follow("#/lab?v=1&id=partition").await;
        page.wait_for(".lab[data-scenario=partition]").await;
    });
}

#[test]
fn a_run_with_too_many_acts_has_no_link_and_says_so() {
    drive(async |page| {
        page.viewport(1280, 900).await;
        let acts = vec!["50s.step.w2.1s"; 500].join(",");
        page.open(&format!("#/lab?v=1&id=flagship&at=22s&do={acts}")).await;
        page.wait_for(".lab .stage").await;
        page.run("document.querySelector('[data-act=play]').focus()", vec![]).await;
        page.key("p").await;
        page.wait_for_text("[data-part=answer]", "Pause worker 1").await;
        page.click("[data-act=copy-link]").await;
        page.wait_for_text(".notice", "the run has 501 acts, and a link may carry 500").await;
    });
}

#[test]
fn the_start_page_opens_worker_1_in_the_lab() {
    drive(async |page| {
        page.viewport(1280, 720).await;
        page.prefer(fenceline_browser_tests::Theme::Light, true).await;
        page.open("#/").await;
        page.click(".next").await;
        page.wait_for_text(".next", "Now break it yourself").await;
        page.click(".next").await;
        page.wait_for(".lab[data-scenario=flagship]").await;
        // Just before the pause, which is selected: its end is the first thing to drag.
        page.wait_for_text("[data-part=now]", "21.0 s").await;
        page.wait_for_text("[data-part=inspector]", "Worker 1 is paused").await;
        page.wait_for("button[aria-label='Pause worker 1 at 21.0 s']:not([aria-disabled])").await;
    });
}

#[test]
fn a_line_on_top_leaves_the_next_step_in_view() {
    drive(async |page| {
        page.viewport(1280, 720).await;
        page.prefer(fenceline_browser_tests::Theme::Light, true).await;
        page.open("#/nowhere").await;
        page.wait_for(".notice").await;
        page.wait_for(".next").await;
        let inside = "const box = document.querySelector('.next').getBoundingClientRect(); return box.bottom <= innerHeight";
        assert_eq!(page.run(inside, vec![]).await, true);
        page.open("#/cards?id=nope").await;
        page.wait_for_text("main h1", "nope").await;
        page.wait_for_text("main", "There is nothing here under that name.").await;
    });
}

#[test]
fn the_transport_fits_its_frame_at_every_width() {
    drive(async |page| {
        for width in [720, 768, 1080, 1280] {
            page.viewport(width, 900).await;
            page.open(FLAGSHIP).await;
            page.wait_for("[data-act=keys]").await;
            page.run("document.querySelector('[data-act=play]').focus()", vec![]).await;
            page.key("p").await;
            page.wait_for(".grip, button[aria-label^='Resume']").await;
            let fits = "const bar = document.querySelector('.transport'), frame = bar.getBoundingClientRect();
                return [...bar.querySelectorAll('.btn, output')].every((it) => it.getBoundingClientRect().right <= frame.right && it.scrollWidth <= it.clientWidth + 2)";
            assert_eq!(page.run(fits, vec![]).await, true, "at {width}");
            assert!(!page.overflows().await, "at {width}");
        }
    });
}
