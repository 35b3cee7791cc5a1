//! Every phrase of the format, its alternatives and its default, as a page: `docs/rules.md`. What a phrase may
//! be is asked of its reader; what it means is said here.

mod entries;

use std::fmt::Write as _;

use entries::{ACTS, ALERTS, Entry, FENCES, KINDS, RULES, STEPS, VERDICTS};

use crate::scenario::{CLAIMS, STATES};
use crate::words::wanted::{self, LENGTH, STEP, Values};

/// The page.
pub fn text() -> String {
    let mut page = String::from(
        "# Every phrase\n\n\
         What [scenarios](scenarios.md) are written in: each phrase, its alternatives and its default. \
         `fenceline-cli rules` prints this page, from the grammar that reads the files.\n\n\
         `LENGTH` is a duration with its unit, `us`, `ms`, `s`, `min` or `h`, such as `30s` or `1h30min`; \
         `±LENGTH` may be below zero; `N` is a whole number. `NODE` is `scheduler`, `scheduler2` and so on, \
         `executor`, `w1` and so on, or `sink1` and so on; `SINK` in a rule `sink1` and so on, in a step the \
         sink's name; `TASK` is `task1` and so on. `( … )?` may be left out, and `( … )*` said in any order. A \
         length at the end of a fault is how long it lasts; without one it lasts for good.\n",
    );
    rules(&mut page);
    sinks(&mut page);
    steps(&mut page, "Steps", "step", &STEPS);
    faults(&mut page);
    steps(&mut page, "Alerts", "alert", &ALERTS);
    page += "\nThey stand in `alerts`. In `set` and after a time: `alert retried`; `alert none` takes all away.\n";
    page += "\n## Verdicts\n\nEach ";
    page += &STATES.map(|(name, _)| format!("`{name}`")).join(", ");
    page += ".\n\n| verdict | claims that |\n| --- | --- |\n";
    for ((name, _), means) in CLAIMS.iter().zip(VERDICTS) {
        let _ = writeln!(page, "| `{name}` | {means} |");
    }
    page
}

fn rules(page: &mut String) {
    page.push_str(
        "\n## Rules\n\nIn `[rules]` by name, in `set` and after a time as a phrase: `lease 30s`.\n\n",
    );
    page.push_str("| rule | values | if left out | what it is |\n| --- | --- | --- | --- |\n");
    for Entry { name, means, values: default } in &RULES {
        let values = match wanted::of_rule(name) {
            Values::Of(words) => listed(words),
            Values::Like(pattern) => ways(&pattern),
        };
        let _ = writeln!(page, "| `{name}` | {values} | `{default}` | {means} |");
    }
}

fn sinks(page: &mut String) {
    page.push_str(
        "\n## Sinks and fences\n\nA sink has a kind, which it must name, and a fence if it names one. As rules: `sink sink1 overwrite`, `fence sink1 claim`; `fence sink1 none` takes it away. A \
         fence is who raises it, then words in any order.\n",
    );
    steps(page, "", "kind", &KINDS);
    steps(page, "", "fence", &FENCES);
}

fn steps(page: &mut String, title: &str, column: &str, entries: &[Entry]) {
    if !title.is_empty() {
        let _ = write!(page, "\n## {title}\n");
    }
    let _ = write!(page, "\n| {column} | what it is |\n| --- | --- |\n");
    for Entry { means, values: phrase, .. } in entries {
        let _ = writeln!(page, "| {phrase} | {means} |");
    }
}

fn faults(page: &mut String) {
    page.push_str("\n## Faults\n\n*When* stands first: a time (`22s`), a step (`task1 a1 3`: before attempt 1 of task 1 begins step 3) or a grant that is recorded and not yet sent (`task1 a1`).\n\n");
    page.push_str("| fault | what comes of it |\n| --- | --- |\n");
    for (name, phrase) in wanted::of_plain_acts() {
        let means = ACTS.iter().find(|act| act.name == name).map_or("", |act| act.means);
        let _ = writeln!(page, "| {} | {means} |", code(plain(&phrase)));
    }
}

fn listed(words: Vec<&str>) -> String {
    words.into_iter().map(code).collect::<Vec<_>>().join(", ")
}

/// The alternatives of a pattern, one by one.
fn ways(pattern: &str) -> String {
    let pattern = plain(pattern);
    let inner = pattern.strip_prefix('(').and_then(|rest| rest.strip_suffix(')'));
    let inner = inner.filter(|inner| depth_stays(inner)).unwrap_or(&pattern);
    let (mut ways, mut depth, mut from) = (Vec::new(), 0_i32, 0);
    for (at, sign) in inner.char_indices() {
        match sign {
            '(' => depth += 1,
            ')' => depth -= 1,
            '|' if depth == 0 => {
                ways.push(inner.get(from..at).unwrap_or_default());
                from = at + 1;
            }
            _ => {}
        }
    }
    ways.push(inner.get(from..).unwrap_or_default());
    listed(ways)
}

/// Whether no bracket closes that was not opened in it.
fn depth_stays(text: &str) -> bool {
    let mut depth = 0_i32;
    text.chars().all(|sign| {
        depth += i32::from(sign == '(') - i32::from(sign == ')');
        depth >= 0
    })
}

/// A pattern in the words of the page.
fn plain(pattern: &str) -> String {
    let words = [
        (LENGTH, "LENGTH"),
        (STEP, "±LENGTH"),
        ("(scheduler[2-6]?|executor|w[0-9]+|sink[0-9]+)", "NODE"),
        ("sink[0-9]+", "SINK"),
        ("task[0-9]+", "TASK"),
        ("-?[0-9]+", "N"),
    ];
    words.into_iter().fold(pattern.to_owned(), |text, (from, to)| text.replace(from, to))
}

fn code(text: impl AsRef<str>) -> String {
    format!("`{}`", text.as_ref().replace('|', "\\|"))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The words of a grammar: not its lengths, figures, names.
    fn words(text: &str) -> impl Iterator<Item = &str> {
        let words = text.split(|sign: char| !sign.is_ascii_lowercase() && sign != '-');
        words.filter(|word| word.len() > 1)
    }

    #[test]
    fn every_alternative_is_explained() {
        for Entry { name, means, .. } in &RULES {
            let Values::Of(alternatives) = wanted::of_rule(name) else { continue };
            for word in alternatives {
                assert!(means.contains(&format!("`{word}`")), "{name}: `{word}` is not explained");
            }
        }
        for (entries, pattern) in
            [(&KINDS[..], plain(&wanted::of_kind())), (&FENCES[..], plain(&wanted::of_fence()))]
        {
            let told: Vec<&str> = entries.iter().flat_map(|entry| words(entry.values)).collect();
            for word in words(&pattern) {
                assert!(told.contains(&word), "`{word}` is not explained");
            }
        }
        for (name, phrase) in wanted::of_plain_acts() {
            assert!(ACTS.iter().any(|act| act.name == name), "{phrase} is not explained");
        }
    }

    #[test]
    fn every_name_is_that_of_a_phrase() {
        assert_eq!(RULES.map(|rule| rule.name), crate::words::RULES);
        assert_eq!(STEPS.map(|step| step.name), crate::scenario::phrases::STEPS);
        assert_eq!(ALERTS.map(|alert| alert.name), crate::words::ALERTS.map(|(name, _)| name));
    }

    /// A rule that is left out has the value that is given here.
    #[test]
    fn a_default_changes_nothing() {
        let mut plain = fenceline_sim::workload::first_run();
        plain.store = Some("store".into());
        let cast = crate::words::Cast::of(&plain);
        for Entry { name, values, .. } in &RULES {
            let mut changed = plain.clone();
            changed.set(crate::words::setting(&format!("{name} {values}"), cast).unwrap());
            assert_eq!(changed, plain, "{name} {values}");
        }
    }
}
