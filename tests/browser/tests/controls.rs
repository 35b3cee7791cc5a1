//! UX, the seventh of the ten mistakes: nothing is switched off without a reason. A control that would do
//! nothing is `aria-disabled`, keeps its place in the order of focus, and has a description that says why.

use fenceline_browser_tests::{Page, answer, drive};

/// The controls in view that break the rule, and how many are switched off at all.
const WALK: &str = r"
    const shown = e => e.checkVisibility();
    const all = [...document.querySelectorAll('button, a[href], input, select, textarea, [role=slider], [tabindex]')].filter(shown);
    const off = all.filter(e => e.getAttribute('aria-disabled') === 'true');
    const described = e => {
        const ids = (e.getAttribute('aria-describedby') ?? '').split(' ').filter(Boolean);
        const texts = ids.map(id => document.getElementById(id)?.textContent ?? '');
        return [e.title, ...texts].join('').trim() !== '';
    };
    const named = e => [e.getAttribute('aria-label'), e.innerText, e.labels?.[0]?.innerText, e.title,
        document.getElementById(e.getAttribute('aria-labelledby'))?.innerText].some(t => t?.trim());
    const focusable = e => { e.focus(); return document.activeElement === e; };
    const wrong = [
        ...all.filter(e => e.disabled).map(e => 'disabled: ' + e.outerHTML),
        ...off.filter(e => !described(e)).map(e => 'no reason: ' + e.outerHTML),
        ...off.filter(e => !focusable(e)).map(e => 'no focus: ' + e.outerHTML),
        ...all.filter(e => e.matches('button, a, input, select') && !named(e)).map(e => 'no name: ' + e.outerHTML),
    ];
    return JSON.stringify([wrong, off.length]);
";

/// Walks what is in view now; returns how many controls are switched off.
async fn walk(page: &Page, place: &str) -> u64 {
    let found = page.run(WALK, vec![]).await;
    let found: (Vec<String>, u64) = serde_json::from_str(found.as_str().unwrap_or_default()).expect("a list");
    assert_eq!(found.0, Vec::<String>::new(), "{place}");
    found.1
}

#[test]
fn every_control_that_would_do_nothing_says_why_on_every_page() {
    drive(async |page| {
        let pages =
            ["#/", "#/learn", "#/incidents", "#/quiz", "#/quiz/leases", "#/cards", "#/interview", "#/about"];
        for (width, height) in [(1280, 720), (390, 664)] {
            page.viewport(width, height).await;
            for place in pages {
                page.open(place).await;
                page.wait_for(".next").await;
                walk(page, place).await;
            }
        }
    });
}

/// Every question of a set, before an answer and after it: options, orders, the three ways to be sure.
#[test]
fn a_question_says_what_it_waits_for() {
    drive(async |page| {
        let mut off = 0;
        for set in ["leases", "fences"] {
            page.open(&format!("#/quiz/{set}")).await;
            page.click("[data-act=start]").await;
            let total: usize =
                page.text(".meta b").await.rsplit(' ').next().and_then(|n| n.parse().ok()).expect("a number");
            for n in 1..=total {
                page.wait_for_text(".meta b", &format!("{n} of {total}")).await;
                off += walk(page, &format!("{set} {n}")).await;
                answer(page, "Guess").await;
                off += walk(page, &format!("{set} {n}, answered")).await;
                page.click("[data-act=next]").await;
            }
        }
        assert!(off > 0, "nothing was switched off anywhere");
    });
}

/// The lab, with each of its menus open, at the start of a run, on its way and at its end.
#[test]
fn each_menu_of_the_lab_says_what_it_cannot_do() {
    drive(async |page| {
        let mut off = 0;
        for id in ["flagship", "scheduler-crash-between", "clock-forward", "leftover-lock"] {
            for (width, at) in [(1280, "0s"), (1280, "30s"), (1280, "102s"), (390, "30s")] {
                page.viewport(width, 800).await;
                let place = format!("#/lab?v=1&id={id}&at={at}");
                page.open(&place).await;
                page.wait_for("[data-act=step]").await;
                off += walk(page, &place).await;
                let menus = page.count(".pop > button").await;
                for nth in 0..menus {
                    let open = "const b = [...document.querySelectorAll('.pop > button')][arguments[0]];
                        if (b?.checkVisibility()) { b.click(); return true } return false";
                    if page.run(open, vec![nth.into()]).await == true {
                        page.wait_for(".pop-list").await;
                        off += walk(page, &format!("{place}, menu {nth}")).await;
                        page.run("document.activeElement.dispatchEvent(new KeyboardEvent('keydown', {key: 'Escape', bubbles: true}))", vec![]).await;
                        page.run("document.querySelector('.scrim')?.click()", vec![]).await;
                        page.wait_gone(".pop-list").await;
                    }
                }
            }
        }
        assert!(off > 0, "nothing was switched off anywhere");
    });
}
