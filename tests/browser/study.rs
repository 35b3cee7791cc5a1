//! What a learner does on a page of questions.

use crate::Page;

/// Answers whatever question is there: the first option, or one step moved.
pub async fn answer(page: &Page, confidence: &str) {
    page.wait_for(".question h1").await;
    if page.count(".options.order").await > 0 {
        page.click(".order [data-act=down]").await;
        page.wait_for(".order [data-at='1'][data-act=down]:focus").await;
    } else {
        page.click(".options input").await;
    }
    page.click(&format!("[data-confidence='{confidence}']")).await;
    page.wait_for("#feedback:focus").await;
    assert!(page.count(".answered li").await >= 3, "every option is there");
    assert!(
        page.texts(".answered small").await.iter().all(|why| !why.is_empty()),
        "every option has its reason"
    );
    assert!(page.count(".answered .key").await >= 1 || page.count(".answered .you").await >= 1);
}
