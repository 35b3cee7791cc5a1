//! The JSON Schema of a scenario: its shape from the types, its words from the grammar.
//!
//! The schema serves editors and other programs. It lets through what only a reading of the whole can
//! judge, such as a fault at a worker that is not there; the reader remains the judge.

use schemars::generate::SchemaSettings;
use serde_json::{Map, Value, json};

use crate::scenario::phrases::STEPS;
use crate::scenario::{
    CLAIMS, FORMAT, GROUPS, MAX_FAULTS, MAX_SINKS, MAX_STANDBY, MAX_STEPS, MAX_TASKS, MAX_VERSIONS,
    MAX_WORKERS, STATES, ScenarioFile,
};
use crate::words::wanted::{self, LENGTH, STEP, Values};
use crate::words::{PLACED, RATES, RULES};

/// The schema as it is checked in and printed.
pub fn text() -> String {
    format!("{:#}\n", scenario())
}

/// The schema of a scenario file, in the draft that most editors know.
pub fn scenario() -> Value {
    let settings = SchemaSettings::draft07();
    let mut schema = settings.into_generator().into_root_schema_for::<ScenarioFile>().to_value();
    plain(&mut schema);
    at(&mut schema, "").insert("title".into(), json!("A scenario of Fenceline"));
    // So that a JSON file may say where its schema is.
    at(&mut schema, "/properties").insert("$schema".into(), json!({ "type": "string" }));
    for (of, required) in REQUIRED {
        at(&mut schema, &place(of)).insert("required".into(), json!(required));
    }
    for (of, key, form) in forms() {
        let Value::Object(form) = form else { continue };
        at(&mut schema, &format!("{}/properties/{key}", place(of))).extend(form);
    }
    for (name, form) in phrases() {
        at(&mut schema, "/definitions").insert(name.into(), form);
    }
    schema
}

/// Where a type is described. The root is [`ScenarioFile`] itself.
fn place(of: &str) -> String {
    if of == "ScenarioFile" { String::new() } else { format!("/definitions/{of}") }
}

#[expect(clippy::expect_used, reason = "it depends on the types alone, and a test makes the whole schema")]
fn at<'a>(schema: &'a mut Value, place: &str) -> &'a mut Map<String, Value> {
    schema.pointer_mut(place).and_then(Value::as_object_mut).expect("a type, or a key, of that name")
}

/// Takes out what holds for Rust alone: defaults that are empty, widths of numbers, `null`.
fn plain(value: &mut Value) {
    match value {
        Value::Object(map) => {
            map.remove("default");
            if map.get("format").is_some_and(Value::is_string) {
                map.remove("format");
            }
            if let Some(Value::Array(types)) = map.get("type") {
                let one = types.iter().find(|it| **it != "null").cloned();
                map.extend(one.map(|one| ("type".to_owned(), one)));
            }
            if let Some(Value::Array(any)) = map.get_mut("anyOf") {
                any.retain(|it| it["type"] != "null");
            }
            map.values_mut().for_each(plain);
        }
        Value::Array(all) => all.iter_mut().for_each(plain),
        _ => {}
    }
}

/// Keys without which there is nothing to play, or to show.
const REQUIRED: [(&str, &[&str]); 9] = [
    (
        "ScenarioFile",
        &["format", "id", "title", "about", "group", "points", "until", "worker", "task", "claim"],
    ),
    ("WorkerFile", &["name"]),
    ("SinkFile", &["name", "kind"]),
    ("TaskFile", &["name", "program"]),
    ("ClaimFile", &["verdict", "is"]),
    ("RemedyFile", &["title", "why", "claim"]),
    ("NearMissFile", &["title"]),
    ("NextFile", &["id", "title"]),
    ("IncidentFile", &["id", "system", "source", "reported", "filled", "as_of"]),
];

/// What the types do not say of a key: by type and key.
fn forms() -> Vec<(&'static str, &'static str, Value)> {
    let id = || like("[a-z0-9]+(-[a-z0-9]+)*", &["late-fence"]);
    let length = || like(LENGTH, &["30s", "250ms", "20min"]);
    let text = || json!({ "minLength": 1 });
    let up_to = |most: usize| json!({ "minimum": 1, "maximum": most });
    let list = |of: &str, most: usize| json!({ "maxItems": most, "items": { "$ref": format!("#/definitions/{of}") } });
    let words = |words: Vec<&str>| json!({ "enum": words });
    vec![
        ("ScenarioFile", "format", json!({ "const": FORMAT })),
        ("ScenarioFile", "id", id()),
        ("ScenarioFile", "title", text()),
        ("ScenarioFile", "about", text()),
        ("ScenarioFile", "group", words(GROUPS.to_vec())),
        ("ScenarioFile", "points", json!({ "minItems": 1, "uniqueItems": true })),
        ("ScenarioFile", "until", length()),
        ("ScenarioFile", "starts", like("[0-9]+:[0-9]+", &["02:30"])),
        ("ScenarioFile", "rules", rules()),
        ("ScenarioFile", "worker", json!({ "minItems": 1, "maxItems": MAX_WORKERS })),
        ("ScenarioFile", "sink", json!({ "maxItems": MAX_SINKS })),
        ("ScenarioFile", "task", json!({ "minItems": 1, "maxItems": MAX_TASKS })),
        ("ScenarioFile", "claim", json!({ "minItems": 1 })),
        ("ScenarioFile", "faults", list("Fault", MAX_FAULTS)),
        ("ScenarioFile", "alerts", json!({ "items": { "$ref": "#/definitions/Alert" } })),
        ("ScenarioFile", "executor", text()),
        ("ScenarioFile", "store", text()),
        (
            "ScenarioFile",
            "standby",
            json!({ "maxItems": MAX_STANDBY, "items": { "type": "string", "minLength": 1 } }),
        ),
        ("LinkFile", "latency", length()),
        ("LinkFile", "jitter", length()),
        ("LinkFile", "loss", json!({ "maximum": 1_000_000 })),
        ("LinkFile", "duplicate", json!({ "maximum": 1_000_000 })),
        ("WorkerFile", "name", text()),
        ("WorkerFile", "count", up_to(MAX_WORKERS)),
        ("WorkerFile", "slots", json!({ "minimum": 1 })),
        ("WorkerFile", "clock_offset", like(STEP, &["-2s"])),
        ("WorkerFile", "clock_rate", json!({ "minimum": RATES.start(), "maximum": RATES.end() })),
        ("SinkFile", "name", like("[^ ]+", &["revenue"])),
        ("SinkFile", "kind", like(&wanted::of_kind(), &["append", "overwrite", "staged fixed", "mailbox"])),
        ("SinkFile", "fence", like(&wanted::of_fence(), &["claim", "first-write volatile", "scheduler"])),
        ("SinkFile", "service", length()),
        ("SinkFile", "service_per_active", length()),
        ("TaskFile", "name", text()),
        ("TaskFile", "count", up_to(MAX_TASKS)),
        ("TaskFile", "due", length()),
        ("TaskFile", "rows", json!({ "maxItems": MAX_VERSIONS })),
        ("TaskFile", "program", list("Step", MAX_STEPS)),
        ("TaskFile", "bound", length()),
        ("TaskFile", "expiry", values("expiry")),
        ("TaskFile", "progress_timeout", values("progress-timeout")),
        ("TaskFile", "run_timeout", values("run-timeout")),
        ("ClaimFile", "verdict", words(CLAIMS.iter().map(|(name, _)| *name).collect())),
        ("ClaimFile", "is", words(STATES.iter().map(|(name, _)| *name).collect())),
        ("RemedyFile", "title", text()),
        ("RemedyFile", "why", text()),
        ("RemedyFile", "set", list("Rule", MAX_FAULTS)),
        ("RemedyFile", "claim", json!({ "minItems": 1 })),
        ("NearMissFile", "title", text()),
        ("NearMissFile", "faults", list("Fault", MAX_FAULTS)),
        ("NearMissFile", "set", list("Rule", MAX_FAULTS)),
        ("NextFile", "id", id()),
        ("NextFile", "title", text()),
        ("IncidentFile", "id", like("I[0-9][0-9]", &["I05"])),
        ("IncidentFile", "source", json!({ "pattern": "^https://" })),
        ("IncidentFile", "as_of", like("[0-9]{4}-[0-9]{2}", &["2026-11"])),
    ]
}

/// A text that has this pattern as a whole.
fn like(pattern: &str, examples: &[&str]) -> Value {
    json!({ "pattern": format!("^({pattern})$"), "examples": examples })
}

fn values(rule: &str) -> Value {
    match wanted::of_rule(rule) {
        Values::Of(words) => json!({ "type": "string", "enum": words }),
        Values::Like(pattern) => json!({ "type": "string", "pattern": format!("^({pattern})$") }),
    }
}

/// The table of rules, each with its values, so that an editor completes both.
fn rules() -> Value {
    let names = RULES.into_iter().chain(PLACED);
    let properties: Map<String, Value> = names.map(|name| (name.to_owned(), values(name))).collect();
    json!({ "properties": properties, "additionalProperties": false })
}

/// Phrases that stand in lists: each by its first word, or by its act's.
fn phrases() -> [(&'static str, Value); 4] {
    let step = |name: &'static str| {
        let rest = match name {
            "compute" | "block" => format!(" {LENGTH}"),
            "clean" => " [^ ]+ (staged|older|others)".to_owned(),
            "write" => " [^ ]+( [0-9]+/[0-9]+)?".to_owned(),
            "read" => "( [^ ]+)?".to_owned(),
            "beat" | "check-lease" | "ask" | "acknowledge" => String::new(),
            _ => " [^ ]+".to_owned(),
        };
        (name, name.to_owned() + &rest)
    };
    [
        ("Step", any("A step of a program.", STEPS.map(step).into())),
        ("Alert", any("What the platform watches.", wanted::of_alerts())),
        ("Rule", any("A rule and its value.", wanted::of_settings())),
        ("Fault", any("When, what, whom, how long; or a rule from then on.", wanted::of_acts())),
    ]
}

fn any(description: &str, phrases: Vec<(&str, String)>) -> Value {
    let one = |(name, pattern): (&str, String)| json!({ "title": name, "pattern": format!("^{pattern}$") });
    let all: Vec<Value> = phrases.into_iter().map(one).collect();
    json!({ "description": description, "type": "string", "anyOf": all })
}
