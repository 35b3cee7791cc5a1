//! The colours and sizes of the style sheets: contrasts computed, red where the grammar allows it
//! and nowhere else, no text under 12 px, no colour outside `tokens.css`.

mod support;

use std::collections::{BTreeMap, BTreeSet};

use support::{Source, files, none, read};

// --- colours ---

const LIGHT: usize = 0;
const DARK: usize = 1;
const SURFACES: [&str; 3] = ["paper", "panel", "soft"];
const ATTEMPTS: [&str; 4] = ["a1", "a2", "a3", "a4"];

/// Least contrast on the worst surface, light and dark.
const ON_SURFACES: [(&str, [f64; 2]); 10] = [
    ("ink", [14.6, 12.7]),
    ("muted", [5.7, 6.7]),
    ("a1", [4.8, 7.1]),
    ("a2", [5.5, 6.8]),
    ("a3", [7.2, 8.5]),
    ("a4", [8.5, 10.8]),
    ("bad", [5.7, 6.7]),
    ("ok", [5.8, 8.8]),
    ("warn", [6.0, 9.0]),
    // Borders of controls: 3 is enough for what is not text.
    ("rule", [3.0, 3.4]),
];

/// Least contrast of one colour on another.
const ON_EACH_OTHER: [(&str, &str, [f64; 2]); 11] = [
    ("bad", "bad-ground", [5.6, 6.7]),
    ("ok", "ok-ground", [5.9, 8.4]),
    ("warn", "warn-ground", [6.3, 8.5]),
    ("on", "a1", [5.5, 8.7]),
    ("on", "a2", [6.3, 8.3]),
    ("on", "a3", [8.3, 10.3]),
    ("on", "a4", [9.8, 13.1]),
    ("a1", "a1-tint", [4.0, 5.2]),
    ("a2", "a2-tint", [4.5, 5.0]),
    ("a3", "a3-tint", [5.7, 5.9]),
    ("a4", "a4-tint", [6.7, 6.8]),
];

#[test]
fn contrasts_are_what_they_are_said_to_be() {
    let colours = colours();
    let mut found = Vec::new();
    let mut check = |colour: &str, ground: &str, least: [f64; 2]| {
        for scheme in [LIGHT, DARK] {
            let ratio = contrast(colours[colour][scheme], colours[ground][scheme]);
            // The figures are rounded to one decimal.
            if ratio < least[scheme] - 0.05 {
                let scheme_name = ["light", "dark"][scheme];
                found.push(format!(
                    "{colour} on {ground}, {scheme_name}: {ratio:.2}, not {:.1}",
                    least[scheme]
                ));
            }
        }
    };
    for (colour, least) in ON_SURFACES {
        SURFACES.iter().for_each(|surface| check(colour, surface, least));
    }
    for (colour, ground, least) in ON_EACH_OTHER {
        check(colour, ground, least);
    }
    // The grammar's other pairs of text and ground.
    for attempt in ATTEMPTS {
        check("ink", &format!("{attempt}-tint"), [4.5; 2]);
        check(attempt, "bad-ground", [4.5; 2]);
    }
    check("paper", "ink", [4.5; 2]);
    none("contrasts", &found);
}

/// Every colour that is written as text is at least 4.5 on each surface.
#[test]
fn text_is_readable() {
    for (colour, least) in ON_SURFACES.iter().filter(|(colour, _)| *colour != "rule") {
        assert!(least.iter().all(|ratio| *ratio >= 4.5), "{colour}");
    }
}

/// The contrast of red on an attempt's fill is next to none, which is why it never touches one.
#[test]
fn red_never_touches_a_fill() {
    let colours = colours();
    for (attempt, scheme) in pairs(ATTEMPTS) {
        let ratio = contrast(colours["bad"][scheme], colours[attempt][scheme]);
        assert!(ratio < 3.0, "red on {attempt} is {ratio:.1}: say so in the grammar");
    }
    // So a mark that is stroked or filled in red has no attempt's fill of its own.
    for sheet in sheets() {
        for rule in rules(&sheet.text) {
            let is_red = rule.declarations.iter().any(|(_, value)| value.contains("var(--bad)"));
            let fills = |(property, value): &&(String, String)| {
                ["fill", "background", "background-color"].contains(&property.as_str())
                    && (value.contains("var(--c)")
                        || ATTEMPTS.iter().any(|a| value.contains(&format!("var(--{a})"))))
            };
            let filled = rule.declarations.iter().find(fills);
            assert!(!is_red || filled.is_none(), "{}: {} is red on a fill", sheet.path, rule.selector);
        }
    }
}

/// Attempts next to each other, and red and any attempt, differ for everybody: in full colour, and
/// under simulated protanopia and deuteranopia.
#[test]
fn attempts_and_red_differ_without_red_or_green() {
    let colours = colours();
    for (sight, matrix) in SIGHTS {
        for (n, scheme) in pairs([0, 1, 2, 3]) {
            let differ =
                |one: &str, other: &str| difference(matrix, colours[one][scheme], colours[other][scheme]);
            let (attempt, next) = (ATTEMPTS[n], ATTEMPTS[(n + 1) % 4]);
            let apart = differ(attempt, next);
            assert!(apart >= 12.0, "{sight}: {attempt} and {next} differ by {apart:.1}");
            let apart = differ("bad", attempt);
            assert!(apart >= 18.0, "{sight}: red and {attempt} differ by {apart:.1}");
            // They come near, so each verdict has its glyph and its word.
            assert!(differ("bad", "ok") >= 8.0, "{sight}: red and ok");
        }
    }
}

#[test]
fn every_colour_is_declared_for_light_and_dark() {
    let tokens = read("style/tokens.css");
    for line in without_comments(&tokens).lines() {
        if line.contains('#') {
            assert!(line.trim().starts_with("--") && line.contains("light-dark("), "{line}");
        }
    }
    let declared: BTreeSet<String> = sheets()
        .iter()
        .flat_map(|sheet| rules(&sheet.text))
        .flat_map(|rule| rule.declarations)
        .filter_map(|(property, _)| property.strip_prefix("--").map(str::to_owned))
        .collect();
    let mut found = Vec::new();
    for sheet in sheets() {
        for used in variables(&sheet.text) {
            if !declared.contains(&used) {
                found.push(format!("{}: --{used}", sheet.path));
            }
        }
    }
    none("used and declared nowhere", &found);
}

#[test]
fn colours_stand_in_tokens_only() {
    const NAMES: [&str; 16] = [
        "white", "black", "red", "green", "blue", "gray", "grey", "orange", "yellow", "purple", "teal",
        "indigo", "crimson", "navy", "silver", "maroon",
    ];
    // A shadow and what lies over the page are black and let it through; nothing is read on them.
    const SHADES: [&str; 2] = ["box-shadow", "background"];
    let mut found = Vec::new();
    for sheet in sheets().iter().filter(|sheet| sheet.path != "style/tokens.css") {
        for rule in rules(&sheet.text) {
            for (property, value) in &rule.declarations {
                let mut say = |what: &str| {
                    found.push(format!("{}: {} {{ {property}: {what} }}", sheet.path, rule.selector))
                };
                let words: Vec<&str> =
                    value.split(|c: char| !(c.is_alphanumeric() || "-#".contains(c))).collect();
                if words.iter().any(|word| word.starts_with('#') || NAMES.contains(word)) {
                    say(value);
                }
                let function =
                    ["rgb(", "rgba(", "hsl(", "hsla(", "oklch(", "lab("].iter().any(|f| value.contains(f));
                let is_shade = SHADES.contains(&property.as_str()) && value.contains(" / 0.");
                if function && !is_shade {
                    say(value);
                }
            }
        }
    }
    none("colours outside tokens.css", &found);
}

// --- red ---

/// Where red may stand, and what it says there: stale, expired or violated.
const RED: [(&str, &str); 16] = [
    (".bad", "the truth when it is damage; a verdict that is violated; a stale write told"),
    (".verdict.bad", "violated"),
    (".legend .zombie", "a zombie, in the legend"),
    (".stage .t-bad", "a label of what is below"),
    (".stage .k-stale", "a stale write accepted"),
    (".stage .k-refusal", "a heartbeat refused, its lease expired"),
    (
        ".stage .k-head-bad",
        "the head of such an arrow, the sweep that expired, the dot of a verdict violated",
    ),
    (".stage .k-bad-ground", "the ground of a zombie's stripes"),
    (".stage .k-bad-edge", "the outline of a zombie"),
    (".stage .k-bracket", "the length of a zombie window"),
    (".stage .k-cross-bad", "a worker told that its lease is over"),
    (".stage .k-again", "an effect repeated"),
    (".stage .k-rail-bad", "violated"),
    (".stage-lane small.bad", "the state of a worker that is a zombie"),
    (".down-row.bad button", "the phone's row of a lease ended, a zombie awake, a stale write accepted"),
    (".down-row.here.bad", "the ground of that row, where the cursor stands"),
];

#[test]
fn red_says_stale_expired_or_violated() {
    let mut found = Vec::new();
    for sheet in sheets() {
        for rule in rules(&sheet.text) {
            let is_red =
                |(_, value): &(String, String)| variables(value).iter().any(|name| name.starts_with("bad"));
            if !rule.declarations.iter().any(is_red) {
                continue;
            }
            for selector in rule.selector.split(',').map(str::trim) {
                if !RED.iter().any(|(allowed, _)| *allowed == selector) {
                    found.push(format!("{}: {selector}", sheet.path));
                }
            }
        }
    }
    none("red where the grammar has none", &found);
    let used = |allowed: &str| {
        sheets()
            .iter()
            .flat_map(|sheet| rules(&sheet.text))
            .any(|rule| rule.selector.split(',').any(|selector| selector.trim() == allowed))
    };
    let unused: Vec<String> =
        RED.iter().filter(|(allowed, _)| !used(allowed)).map(|(allowed, _)| (*allowed).to_owned()).collect();
    none("allowed and not there", &unused);
}

// --- the reader's own colours ---

/// A drawing keeps its colours where those of the page are the reader's, so each mark that has a
/// colour of its own is given one of theirs.
#[test]
fn every_mark_can_be_drawn_in_the_readers_colours() {
    let sheet = read("style/stage.css");
    let (own, forced) =
        sheet.split_once("@media (forced-colors: active)").expect("a part for forced colours");
    let marks = |text: &str, coloured: fn(&str) -> bool| -> BTreeSet<String> {
        let colours = |rule: &Rule| {
            let paints = |(property, value): &(String, String)| {
                ["fill", "stroke"].contains(&property.as_str()) && coloured(value)
            };
            rule.declarations.iter().any(paints)
        };
        let found = rules(text).into_iter().filter(colours);
        let selectors: Vec<String> = found.map(|rule| rule.selector).collect();
        let each = selectors.iter().flat_map(|all| all.split(',')).map(str::trim);
        // What is written on a fill is one rule with a list in it, in both parts.
        each.filter(|one| one.starts_with(".stage .") && !one.contains("not(")).map(str::to_owned).collect()
    };
    // The attempt's colour and tint are changed once for all.
    let has_own = |value: &str| variables(value).iter().any(|name| !["c", "t"].contains(&name.as_str()));
    let given = marks(forced, |value| value.contains("Canvas"));
    let missing: Vec<_> = marks(own, has_own).difference(&given).cloned().collect();
    none("marks without a colour of the reader's", &missing);
}

// --- text ---

/// 12 px at the browser's own size.
const LEAST_REM: f64 = 0.75;

/// Text may be given relative to its surroundings only upwards, or with a floor: `max(var(--text-meta), 0.9em)`.
#[test]
fn no_text_is_under_12_px() {
    let mut found = Vec::new();
    for sheet in sheets() {
        for rule in rules(&sheet.text) {
            for (property, value) in &rule.declarations {
                let size = match property.as_str() {
                    "font-size" => value.clone(),
                    name if name.starts_with("--text-") => value.clone(),
                    // The size is the one before the line height and the family.
                    "font" => value.split(" / ").next().unwrap_or_default().to_owned(),
                    _ => continue,
                };
                let sizes: Vec<f64> = match size.split_once("max(") {
                    Some((_, list)) => vec![list.split([',', ')']).filter_map(rem).fold(0.0, f64::max)],
                    None => size.split_whitespace().filter_map(rem).collect(),
                };
                if sizes.iter().any(|size| *size < LEAST_REM) {
                    found.push(format!("{}: {} {{ {property}: {value} }}", sheet.path, rule.selector));
                }
            }
        }
    }
    none("text under 12 px", &found);
}

/// A length in rem. The sizes of `tokens.css` are checked where they are declared; `em` and per cent count as if in the smallest text.
fn rem(word: &str) -> Option<f64> {
    let number =
        |unit: &str| word.trim().strip_suffix(unit).and_then(|figure| figure.trim().parse::<f64>().ok());
    let token = word.trim().starts_with("var(--text-").then_some(LEAST_REM);
    token
        .or_else(|| number("rem"))
        .or_else(|| number("px").map(|px| px / 16.0))
        .or_else(|| number("em").map(|em| em * LEAST_REM))
        .or_else(|| number("%").map(|share| share / 100.0 * LEAST_REM))
}

// --- reading style sheets ---

#[derive(Default)]
struct Rule {
    selector: String,
    /// Property and value.
    declarations: Vec<(String, String)>,
}

fn sheets() -> Vec<Source> {
    files("style", ".css")
}

fn without_comments(text: &str) -> String {
    let mut out = String::new();
    let mut rest = text;
    while let Some(start) = rest.find("/*") {
        out.push_str(&rest[..start]);
        rest = rest[start..].find("*/").map_or("", |end| &rest[start + end + 2..]);
    }
    out + rest
}

/// The rules of a sheet; those within `@media` and `@container` count like the others.
fn rules(text: &str) -> Vec<Rule> {
    let mut found = Vec::new();
    let mut open: Vec<Rule> = Vec::new();
    let mut words = String::new();
    for c in without_comments(text).chars() {
        match c {
            '{' => open.push(Rule { selector: one_line(&std::mem::take(&mut words)), ..Rule::default() }),
            ';' | '}' => {
                let declared = std::mem::take(&mut words);
                if let (Some((property, value)), Some(rule)) = (declared.split_once(':'), open.last_mut()) {
                    rule.declarations.push((property.trim().to_owned(), one_line(value)));
                }
                if c == '}' {
                    let rule = open.pop().expect("a block that was opened");
                    found.extend((!rule.declarations.is_empty()).then_some(rule));
                }
            }
            _ => words.push(c),
        }
    }
    assert!(open.is_empty(), "a block is not closed");
    found
}

fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The names in `var(--name)`.
fn variables(text: &str) -> BTreeSet<String> {
    let text = without_comments(text);
    let name = |(at, open): (usize, &str)| {
        text[at + open.len()..].chars().take_while(|c| c.is_alphanumeric() || *c == '-').collect()
    };
    text.match_indices("var(--").map(name).collect()
}

// --- colour ---

type Rgb = [f64; 3];

/// The colours of `tokens.css`, light and dark, linear.
fn colours() -> BTreeMap<String, [Rgb; 2]> {
    let mut found = BTreeMap::new();
    for rule in rules(&read("style/tokens.css")) {
        for (property, value) in rule.declarations {
            let both = value.strip_prefix("light-dark(").and_then(|both| both.strip_suffix(')'));
            if let Some((light, dark)) = both.and_then(|both| both.split_once(',')) {
                found.insert(property.trim_start_matches('-').to_owned(), [linear(light), linear(dark)]);
            }
        }
    }
    found
}

/// `#rrggbb` as linear light.
fn linear(hex: &str) -> Rgb {
    let digits =
        hex.trim().strip_prefix('#').filter(|digits| digits.len() == 6).unwrap_or_else(|| panic!("{hex}"));
    [0, 2, 4].map(|at| {
        let share = f64::from(u8::from_str_radix(&digits[at..at + 2], 16).expect(hex)) / 255.0;
        if share <= 0.04045 { share / 12.92 } else { ((share + 0.055) / 1.055).powf(2.4) }
    })
}

/// The contrast ratio of WCAG 2.
fn contrast(one: Rgb, other: Rgb) -> f64 {
    let luminance = |[r, g, b]: Rgb| 0.2126 * r + 0.7152 * g + 0.0722 * b + 0.05;
    let (one, other) = (luminance(one), luminance(other));
    one.max(other) / one.min(other)
}

type Matrix = [[f64; 3]; 3];

/// Machado, Oliveira and Fernandes 2009, severity 1, on linear light.
const SIGHTS: [(&str, Matrix); 3] = [
    ("full colour", [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]]),
    (
        "protanopia",
        [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216], [-0.003882, -0.048116, 1.051998]],
    ),
    (
        "deuteranopia",
        [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.011820, 0.042940, 0.968881]],
    ),
];

/// CIE76 between two colours as somebody sees them.
fn difference(sight: Matrix, one: Rgb, other: Rgb) -> f64 {
    let (one, other) = (lab(times(sight, one)), lab(times(sight, other)));
    one.iter().zip(other).map(|(a, b)| (a - b).powi(2)).sum::<f64>().sqrt()
}

fn times(matrix: Matrix, [x, y, z]: Rgb) -> Rgb {
    matrix.map(|[a, b, c]| a * x + b * y + c * z)
}

/// CIE L*a*b* under D65.
fn lab(rgb: Rgb) -> Rgb {
    const TO_XYZ: Matrix = [
        [0.4124564, 0.3575761, 0.1804375],
        [0.2126729, 0.7151522, 0.0721750],
        [0.0193339, 0.1191920, 0.9503041],
    ];
    let [x, y, z] = times(TO_XYZ, rgb.map(|part| part.clamp(0.0, 1.0)));
    let f = |t: f64| if t > 216.0 / 24389.0 { t.cbrt() } else { (24389.0 / 27.0 * t + 16.0) / 116.0 };
    let (x, y, z) = (f(x / 0.95047), f(y), f(z / 1.08883));
    [116.0 * y - 16.0, 500.0 * (x - y), 200.0 * (y - z)]
}

fn pairs<T: Copy>(things: [T; 4]) -> impl Iterator<Item = (T, usize)> {
    things.into_iter().flat_map(|thing| [(thing, LIGHT), (thing, DARK)])
}

/// The checks are worth as much as what they read.
#[test]
fn sheets_and_colours_are_read_right() {
    let read =
        rules("/* a { b: c } */ @media print { .x, .y { color: var(--bad); font: 1rem } } z { --q: 1 }");
    let read: Vec<_> = read.iter().map(|rule| (rule.selector.as_str(), rule.declarations.len())).collect();
    assert_eq!(read, [(".x, .y", 2), ("z", 1)]);
    assert!((contrast(linear("#000000"), linear("#ffffff")) - 21.0).abs() < 1e-9);
    assert!((lab(linear("#ffffff"))[0] - 100.0).abs() < 0.01);
    assert_eq!([rem("12px"), rem("0.75rem"), rem("strong")], [Some(0.75), Some(0.75), None]);
}
