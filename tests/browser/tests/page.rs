//! The page starts wherever it is put, and says so where it cannot.

use fenceline_browser_tests::{Server, drive, framing};

#[test]
fn mounts_in_a_sub_folder_under_a_strict_policy() {
    drive(async |page| {
        page.open("").await;
        assert!(page.text("h1").await.starts_with("Nothing failed."));
        page.assert_accessible().await;
    });
}

/// `scripts/budget.mjs` adds up what `index.html` names, each file once.
#[test]
fn loads_only_what_the_budget_counts() {
    drive(async |page| {
        page.open("").await;
        let first = of_a_first_visit(&page.server.built("index.html"));
        let mut loaded = page.server.requests();
        for file in &loaded {
            let named = file.is_empty() || first.contains(file);
            assert!(named, "{file} is not named in index.html for a first visit");
        }
        let all = loaded.len();
        loaded.sort();
        loaded.dedup();
        assert_eq!(loaded.len(), all, "a file is loaded twice");
    });
}

/// A page without what it names for later: the whole program and its style sheets.
fn of_a_first_visit(index: &str) -> String {
    let now = index.split('<').filter(|tag| !tag.contains("rel=\"later\"") && !tag.contains("rel=later"));
    let words = now.flat_map(str::split_whitespace).filter(|word| !word.starts_with("data-app-"));
    words.collect::<Vec<_>>().join(" ")
}

#[test]
fn shows_the_story_without_its_engine() {
    drive(async |page| {
        page.server.replace("boot.js", String::new());
        page.goto(page.server.url()).await;
        page.wait_for("html[data-state=loading]").await;
        assert!(page.text("h1").await.contains("Nothing failed."));
        page.assert_accessible().await;
    });
}

/// A dark page does not begin light: the theme is there before any of the program is.
#[test]
fn has_its_theme_before_its_engine() {
    drive(async |page| {
        page.server.replace("boot.js", String::new());
        page.goto(&format!("{}#/?theme=dark", page.server.url())).await;
        page.wait_for("html[data-state=loading][data-theme=dark]").await;
        page.run("localStorage.setItem('fenceline:theme', 'dark')", Vec::new()).await;
        page.goto(&format!("{}?again", page.server.url())).await;
        page.wait_for("html[data-state=loading][data-theme=dark]").await;
    });
}

#[test]
fn says_that_the_engine_did_not_start() {
    drive(async |page| {
        let index = page.server.built("index.html");
        page.server.replace("index.html", index.replace("_bg.wasm", "_gone.wasm"));
        page.goto(page.server.url()).await;
        page.wait_for("html[data-state=failed]").await;
        page.wait_for_text("#boot", "The engine did not start").await;
        assert!(!page.take_errors().await.is_empty());
    });
}

#[test]
fn shows_a_panic() {
    drive(async |page| {
        // A page without its mount point makes the program panic.
        let index = page.server.built("index.html");
        let named =
            ["id=app", "id=\"app\""].into_iter().find(|it| index.contains(it)).expect("a mount point");
        page.server.replace("index.html", index.replace(named, "id=elsewhere"));
        page.goto(page.server.url()).await;
        page.wait_for("html[data-state=panicked]").await;
        page.wait_for_text("#panic-report", "index.html has an element #app").await;
        page.assert_accessible().await;
        page.click("#panic-copy").await;
        page.click("#panic-reload").await;
        page.wait_for("html[data-state=panicked] #panic-report").await;
        assert!(!page.take_errors().await.is_empty());
    });
}

#[test]
fn runs_in_a_frame_of_another_site() {
    drive(async |page| {
        let host = Server::of_host(framing(page.server.url(), "", 320));
        page.goto(host.url()).await;
        page.enter_frame("#frame").await;
        page.wait_for("html[data-state=ready]").await;
        assert!(page.text("h1").await.starts_with("Nothing failed."));
        assert!(!page.overflows().await);
        page.leave_frame().await;
    });
}

/// The tests can be trusted only if they see what they look for.
#[test]
fn the_harness_sees_violations_and_errors() {
    drive(async |page| {
        let bad = "<!doctype html><html lang=en><title>Bad</title><p style=\"color:red\">x<script>1</script>";
        page.server.replace("index.html", bad.to_owned());
        page.goto(page.server.url()).await;
        let violations = page.take_errors().await;
        assert!(
            violations.iter().filter(|it| it.contains("Content Security Policy")).count() == 2,
            "{violations:?}"
        );

        page.server.replace("index.html", "<!doctype html><script src=\"throws.js\"></script>".to_owned());
        page.server.replace("throws.js", "throw new Error('thrown on purpose')".to_owned());
        page.goto(page.server.url()).await;
        let errors = page.take_errors().await;
        assert!(errors.iter().any(|it| it.contains("thrown on purpose")), "{errors:?}");
    });
}
