//! Every page, in every size and theme: one next step in view, nothing sideways, nothing that
//! axe-core finds; links that are wrong; embeds.

use fenceline_browser_tests::{Page, Server, Theme, drive, framing};
use serde_json::json;

const ROUTES: [&str; 13] = [
    "#/",
    "#/lab?id=flagship",
    "#/learn",
    "#/incidents",
    "#/quiz",
    "#/quiz/leases",
    "#/quiz?concept=fence",
    "#/cards",
    "#/cards/fences",
    "#view=card&id=silence-proves",
    "#/interview",
    "#/about",
    "#/cards?point=L01",
];

/// Opens a page and waits for its next step.
async fn open(page: &Page, route: &str) {
    page.open(route).await;
    page.wait_for("main h1").await;
    page.wait_for("main .next").await;
}

#[test]
fn every_page_has_one_next_step_in_view() {
    drive(async |page| {
        page.prefer(Theme::Light, true).await;
        let mut wrong = Vec::new();
        for (width, height) in [(1280, 720), (390, 664), (1920, 1080)] {
            page.viewport(width, height).await;
            for route in ROUTES {
                open(page, route).await;
                let script = "
                    return [...document.querySelectorAll('.next')].filter((e) => e.checkVisibility()).map((e) => {
                        const box = e.getBoundingClientRect();
                        const inside = box.top >= 0 && box.left >= 0 && box.bottom <= innerHeight && box.right <= innerWidth;
                        const hit = document.elementFromPoint(box.left + box.width / 2, box.top + box.height / 2);
                        return inside && (hit === e || e.contains(hit)) ? 'seen' : `hidden at ${box.top}`;
                    })";
                let found = page.run(script, Vec::new()).await;
                if found != json!(["seen"]) {
                    wrong.push(format!("{route} at {width}x{height}: {found}"));
                }
            }
        }
        assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    });
}

#[test]
fn no_page_is_wider_than_a_small_phone() {
    drive(async |page| {
        page.viewport(320, 640).await;
        page.prefer(Theme::Light, true).await;
        let mut wrong = Vec::new();
        for route in ROUTES {
            open(page, route).await;
            if page.overflows().await {
                let script = "return [...document.querySelectorAll('main *')].filter((e) => e.getBoundingClientRect().right > innerWidth + 0.5)
                    .slice(0, 3).map((e) => e.outerHTML.slice(0, 120))";
                wrong.push(format!("{route}: {}", page.run(script, Vec::new()).await));
            }
        }
        assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    });
}

#[test]
fn every_page_is_accessible_in_both_themes() {
    drive(async |page| {
        for theme in [Theme::Light, Theme::Dark] {
            page.prefer(theme, true).await;
            for (width, height) in [(1280, 720), (390, 664)] {
                page.viewport(width, height).await;
                for route in ROUTES {
                    println!("{theme:?} {width} {route}");
                    open(page, route).await;
                    page.assert_accessible().await;
                }
            }
        }
    });
}

/// As strict a frame as a host can make: an origin of its own, so that asking for storage throws.
const SANDBOX: &str = "sandbox=\"allow-scripts\"";

/// A frame of another site, 320 px wide: complete, and no violation of the policy.
#[test]
fn every_view_can_be_embedded() {
    drive(async |page| {
        for view in [
            "#view=lab&id=flagship&theme=dark&embed=1&chrome=none",
            "#/lab?embed=1&id=flagship&v=1&seed=42",
            "#view=quiz&id=when-it-ends&embed=1",
            "#view=quiz&id=fences&embed=1",
            "#/quiz/leases?embed=1&chrome=full",
            "#view=cards&embed=1&chrome=none",
            "#view=card&id=silence-proves&embed=1",
            "#view=interview&id=double-revenue&embed=1",
            "#/learn?embed=1",
            "#/about?embed=1",
        ] {
            let host = Server::of_host(framing(&format!("{}{view}", page.server.url()), SANDBOX, 320));
            page.goto(host.url()).await;
            page.enter_frame("#frame").await;
            page.wait_for("html[data-state=ready]").await;
            page.wait_for("main h1").await;
            page.wait_gone(".fetching").await;
            // Whatever comes without leave to be read by others' code, as a style sheet does, is let in whole.
            let styled =
                "return [...document.querySelectorAll('link[rel=stylesheet]')].every((it) => it.sheet)";
            assert_eq!(page.run(styled, Vec::new()).await, true, "{view} lacks a style sheet");
            assert!(!page.overflows().await, "{view} is too wide");
            let storage = "try { localStorage.length; return 'granted' } catch (error) { return error.name }";
            assert_eq!(page.run(storage, Vec::new()).await, "SecurityError", "the frame is refused storage");
            if view.contains("lab") {
                page.wait_for(".lab[data-scenario=flagship] [data-part=phone-stage] svg").await;
            }
            let focus = page.run("return document.activeElement === document.body", Vec::new()).await;
            assert_eq!(focus, true, "{view} takes the focus");
            let foot = usize::from(!view.contains("chrome="));
            assert_eq!(page.count(".foot").await, foot, "{view}");
            if foot > 0 {
                let full = page.attribute("[data-act=full-size]", "href").await.unwrap_or_default();
                assert!(full.contains("#/") && !full.contains("embed"), "{full}");
                assert!(page.text(".foot").await.contains("nothing leaves this page"));
            }
            page.leave_frame().await;
        }
    });
}

#[test]
fn a_link_inside_an_embed_stays_embedded() {
    drive(async |page| {
        page.open("#view=quiz&id=leases&embed=1&theme=dark").await;
        assert_eq!(page.attribute("html", "data-theme").await.as_deref(), Some("dark"));
        page.click(".lead-act .btn").await;
        page.wait_for(".rows").await;
        assert_eq!(page.count(".bar").await, 0);
        assert_eq!(page.count(".foot").await, 1);
    });
}

#[test]
fn a_bad_link_says_so_and_the_page_stays() {
    drive(async |page| {
        page.open("#/incidents").await;
        for (link, said) in [
            ("#/labs", "there is no page `#/labs`"),
            ("#/about/us", "`us` is one part too many"),
            ("#/quiz?theme=pink", "write one of auto, light, dark"),
            ("#/quiz/50%", "is not percent-encoded text"),
        ] {
            page.follow(link).await;
            page.wait_for_text(".notice", said).await;
            assert_eq!(page.text("main h1").await, "Incidents");
            page.assert_accessible().await;
            page.click("[data-act=dismiss]").await;
            page.wait_gone(".notice").await;
        }
        page.follow("#/labs").await;
        page.wait_for(".notice").await;
        page.follow("#/learn").await;
        page.wait_gone(".notice").await;

        // The first thing opened is wrong: the start page, and the reason.
        page.open("#/nowhere").await;
        page.wait_for_text(".notice", "there is no page `#/nowhere`").await;
        page.wait_for("main h1").await;
    });
}

#[test]
fn what_is_not_there_says_so() {
    drive(async |page| {
        for route in ["#/quiz/nothing", "#/cards?id=nothing", "#/interview?id=nothing", "#/quiz?id=nothing"] {
            open(page, route).await;
            page.wait_for_text("main", "There is nothing here under that name.").await;
        }
    });
}

#[test]
fn the_bar_leads_everywhere_and_tells_where_one_is() {
    drive(async |page| {
        page.open("#/learn").await;
        for (name, title) in
            [("Incidents", "Incidents"), ("Quiz", "Quiz"), ("Cards", "Cards"), ("Learn", "Learn")]
        {
            page.click(&format!(".bar > nav a[href='#/{}']", name.to_lowercase())).await;
            page.wait_for_text("main h1", title).await;
            page.wait_for("main h1:focus").await;
            assert_eq!(page.texts(".bar > nav [aria-current=page]").await, [name]);
            let shown = page.run("return document.title", Vec::new()).await;
            assert_eq!(shown, format!("{title} · Fenceline"));
        }
        // On a phone the same, in a sheet.
        page.viewport(390, 664).await;
        page.click("[data-act=menu]").await;
        page.wait_for(".sheet[open]").await;
        page.assert_accessible().await;
        page.click(".sheet a[href='#/about']").await;
        page.wait_gone(".sheet[open]").await;
        page.wait_for_text("main h1", "About").await;
    });
}

#[test]
fn the_theme_is_chosen_and_kept() {
    drive(async |page| {
        page.prefer(Theme::Light, true).await;
        page.open("#/learn").await;
        page.wait_for_text("[data-act=theme]", "Dark").await;
        // It names the other theme, also when the system's changes while the page is open.
        page.prefer(Theme::Dark, true).await;
        page.wait_for_text("[data-act=theme]", "Light").await;
        page.prefer(Theme::Light, true).await;
        page.wait_for_text("[data-act=theme]", "Dark").await;
        page.click("[data-act=theme]").await;
        page.wait_for("html[data-theme=dark]").await;
        page.wait_for_text("[data-act=theme]", "Light").await;
        page.open("#/quiz").await;
        page.wait_for("html[data-theme=dark]").await;
    });
}

#[test]
fn the_embed_code_is_built_and_works() {
    drive(async |page| {
        page.open("#/about").await;
        let script = "const all = document.querySelectorAll('select'); const set = (n, v) => {
                all[n].value = v; all[n].dispatchEvent(new Event('change', { bubbles: true })); };
            set(1, '2'); set(2, '1');";
        page.run(script, Vec::new()).await;
        page.wait_for("a[href*='theme=dark&chrome=none']").await;
        let code = page.run("return document.querySelector('textarea').value", Vec::new()).await;
        let code = code.as_str().unwrap_or_default().to_owned();
        assert!(
            code.starts_with("<iframe src=") && code.contains("&amp;theme=dark&amp;chrome=none"),
            "{code}"
        );
        let host = Server::of_host(format!("<!doctype html><html lang=en><title>A host</title>{code}"));
        page.goto(host.url()).await;
        page.enter_frame("iframe").await;
        page.wait_for("html[data-state=ready][data-theme=dark][data-chrome=none]").await;
        page.leave_frame().await;
    });
}
