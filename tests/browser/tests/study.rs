//! Quiz, cards and interview, answered as a person would, with storage and without.

use fenceline_browser_tests::{Page, answer, drive};
use thirtyfour::Key;

const STORED: &str = "return localStorage.getItem('fenceline:progress') ?? ''";

async fn stored(page: &Page) -> String {
    page.run(STORED, Vec::new()).await.as_str().unwrap_or_default().to_owned()
}

#[test]
fn a_quiz_is_answered_to_its_end() {
    drive(async |page| {
        page.open("#/quiz").await;
        page.click(".rows a[href='#/quiz/fences']").await;
        page.click("[data-act=start]").await;
        page.wait_for(".stem:focus").await;
        let questions = page.text(".meta b").await;
        let count: usize = questions.trim_start_matches("1 of ").parse().expect("a number");

        // Nothing is checked before something is chosen, and the buttons say why.
        assert_eq!(page.count("[data-confidence]").await, 3);
        page.click("[data-confidence=Sure]").await;
        assert_eq!(page.attribute("[data-confidence=Sure]", "aria-disabled").await.as_deref(), Some("true"));
        assert_eq!(page.text("#unready").await, "Choose an answer first.");
        page.assert_accessible().await;

        for n in 1..=count {
            page.wait_for_text(".meta b", &format!("{n} of {count}")).await;
            answer(page, if n % 2 == 0 { "Sure" } else { "Guess" }).await;
            if n == 1 {
                page.assert_accessible().await;
                assert_eq!(page.count(".next").await, 1);
            }
            page.click("[data-act=next]").await;
        }
        page.wait_for_text("[data-part=score]", &format!("of {count} right")).await;
        let wrong = page.texts(".wrong .w").await;
        let sure = wrong.iter().take_while(|it| it.ends_with("you were sure")).count();
        assert!(sure > 0 && wrong.iter().skip(sure).all(|it| !it.ends_with("you were sure")), "{wrong:?}");
        page.assert_accessible().await;

        // What was wrong, again; and the answers are kept.
        page.click("[data-act=retry-wrong]").await;
        page.wait_for_text(".meta b", &format!("1 of {}", wrong.len())).await;
        assert_eq!(stored(page).await.matches("\"confidence\"").count(), count);
        page.open("#/quiz").await;
        page.wait_for_text(".rows", &format!("{count} of {count} answered")).await;
        page.wait_for_text("[data-part=keeping]", "Kept in this browser only.").await;
    });
}

#[test]
fn a_question_is_answered_by_keyboard() {
    drive(async |page| {
        page.open("#/quiz?id=when-it-ends").await;
        page.wait_for(".options input").await;
        page.run("document.querySelector('.options input').focus()", Vec::new()).await;
        page.key(Key::Down + "").await;
        page.key(Key::Enter + "").await;
        page.wait_for("#feedback:focus").await;
        page.wait_for_text(".meta", "right, you were fairly sure").await;
        page.wait_for_text(".answered .key", "At 50.4 s").await;

        page.open("#/quiz?id=the-store-in-order").await;
        page.wait_for(".order li").await;
        let before = page.texts(".order li span:nth-child(2)").await;
        page.run("document.querySelector('.order [data-act=down]').focus()", Vec::new()).await;
        page.key(Key::Alt + Key::Down).await;
        page.wait_for(".order [data-at='1'][data-act=down]:focus").await;
        let after = page.texts(".order li span:nth-child(2)").await;
        assert_eq!((&before[0], &before[1]), (&after[1], &after[0]));
    });
}

#[test]
fn a_session_survives_a_visit_to_the_lab() {
    drive(async |page| {
        page.open("#/quiz/leases").await;
        page.click("[data-act=start]").await;
        answer(page, "Sure").await;
        page.click(".acts a[href^='#/lab']").await;
        page.wait_for("html:not(:has(.study)) main h1").await;
        page.run("history.back()", Vec::new()).await;
        page.wait_for("#feedback").await;
        page.wait_for_text(".meta b", "1 of ").await;
    });
}

#[test]
fn cards_are_reviewed_and_come_again() {
    drive(async |page| {
        page.open("#/cards").await;
        page.wait_for_text("[data-part=due]", "10 due, about 5 minutes").await;
        page.click("[data-act=review]").await;
        page.wait_for(".card h1:focus").await;
        let first = page.text(".card h1").await;
        page.key(" ").await;
        page.wait_for("#back:focus").await;
        assert_eq!(
            page.texts("[data-act=rate] small").await,
            ["again now", "tomorrow", "in 2 days", "in 4 days"]
        );
        page.assert_accessible().await;

        // Not known, taken back, and not known again.
        page.key("1").await;
        page.wait_for_text(".meta b", "10 to go").await;
        page.wait_for(".card h1:focus").await;
        page.key("u").await;
        page.wait_for_text(".card h1", &first).await;
        page.wait_for("[data-rating=Forgot]").await;
        page.click("[data-rating=Forgot]").await;
        for left in (1..=10).rev() {
            page.wait_for_text(".meta b", &format!("{left} to go")).await;
            page.click("[data-act=show]").await;
            page.click("[data-rating=Good]").await;
        }
        page.wait_for_text("[data-part=reviewed]", "11 cards reviewed").await;
        page.wait_for_text(".lead", "Next: 10 cards in 2 days.").await;
        assert_eq!(page.texts(".wrong b").await, [first]);
        page.assert_accessible().await;
    });
}

#[test]
fn an_interview_reveals_only_what_is_asked_for() {
    drive(async |page| {
        page.open("#/interview").await;
        page.wait_for_text(".prompt", "Finance says").await;
        assert_eq!(page.count(".facts p").await, 0);
        page.click("[data-ask=sink]").await;
        page.wait_for_text(".facts p", "It appends.").await;
        page.click("[data-act=onward]").await;
        page.wait_for("#phase:focus").await;
        page.fill(".notes textarea", "The retry met a task that still ran.").await;
        page.click("[data-act=onward]").await;

        page.wait_for(".hidden-point").await;
        assert_eq!(page.count("[data-point]").await, 0);
        page.click("[data-act=show-next]").await;
        page.wait_for("[data-point=retried-while-running]").await;
        assert_eq!(page.count("[data-point]").await, 1);
        page.click("[data-point=retried-while-running] label:nth-of-type(3)").await;
        page.click("[data-act=show-all]").await;
        page.wait_for_text("[data-point=not-availability] .trap", "The trap").await;
        assert_eq!(page.count(".hidden-point").await, 0);
        page.assert_accessible().await;

        page.click("[data-act=onward]").await;
        page.wait_for_text(".mend", "Repair the day").await;
        page.click("[data-act=onward]").await;
        page.wait_for_text(".said", "90 s").await;
        page.click("[data-act=show-all]").await;
        page.click("[data-act=onward]").await;
        page.wait_for_text("[data-part=phase]", "1 of 12 points explained, 1 of 8 telling facts asked for")
            .await;
        page.assert_accessible().await;

        // The lab is part of it: coming back finds the notes.
        assert_eq!(
            page.attribute(".acts .next", "href").await.as_deref(),
            Some("#/lab?id=scheduler-restart")
        );
        page.click(".acts .next").await;
        page.wait_for("html:not(:has(.study)) main h1").await;
        page.run("history.back()", Vec::new()).await;
        page.click(".phases li:nth-child(2) button").await;
        page.wait_for(".notes textarea").await;
        let notes = page.run("return document.querySelector('.notes textarea').value", Vec::new()).await;
        assert_eq!(notes, "The retry met a task that still ran.");
    });
}

/// As in a frame of another site, or with site data blocked: asking for the storage throws. And as
/// when it is full: writing throws. Everything works, and the page says so.
#[test]
fn without_storage_it_works_and_says_so() {
    for refusal in [
        "Object.defineProperty(window, 'localStorage', { get() { throw new DOMException('no', 'SecurityError') } })",
        "Storage.prototype.setItem = () => { throw new DOMException('full', 'QuotaExceededError') }",
    ] {
        drive(async |page| {
            let source = serde_json::json!({ "source": refusal });
            page.command("Page.addScriptToEvaluateOnNewDocument", source).await;
            page.open("#/quiz?id=when-it-ends").await;
            answer(page, "Sure").await;
            page.click("[data-act=next]").await;
            page.wait_for_text("[data-part=keeping]", "Kept until this tab closes. Export it to keep it.")
                .await;
            // Kept all the same while the tab is open.
            page.follow("#/quiz").await;
            page.wait_for_text(".rows", "1 of ").await;
            page.click("[data-act=theme]").await;
            page.follow("#/cards").await;
            page.wait_for("[data-part=due]").await;
        });
    }
}

#[test]
fn what_does_not_arrive_can_be_tried_again() {
    drive(async |page| {
        page.open("#/about").await;
        page.command("Network.enable", serde_json::json!({})).await;
        page.command("Network.setBlockedURLs", serde_json::json!({ "urls": ["*/content/*"] })).await;
        page.follow("#/cards").await;
        page.wait_for_text(".failed", "did not arrive").await;
        page.assert_accessible().await;
        page.command("Network.setBlockedURLs", serde_json::json!({ "urls": [] })).await;
        page.click("[data-act=retry]").await;
        page.wait_for("[data-part=due]").await;
        // Whatever the browser says of the blocked request.
        page.take_errors().await;
    });
}
