//! The schema that is checked in: it is the one made from the types, it takes what ships, and it
//! refuses what is wrong in itself.
#![cfg(feature = "authoring")]

mod support;

use std::fs;
use std::path::Path;

use boon::{Compiler, SchemaIndex, Schemas};
use fenceline_content::schema;
use serde_json::{Value, json};
use support::{ASSETS, files_in};

/// Where the schema lies, from the assets.
const KEPT: &str = "../docs/scenario.schema.json";

struct Validator {
    schemas: Schemas,
    index: SchemaIndex,
}

impl Validator {
    fn new() -> Self {
        let (mut schemas, mut compiler) = (Schemas::new(), Compiler::new());
        compiler.add_resource("scenario.schema.json", schema::scenario()).unwrap();
        let index = compiler.compile("scenario.schema.json", &mut schemas).unwrap();
        Self { schemas, index }
    }

    fn takes(&self, value: &Value) -> Result<(), String> {
        self.schemas.validate(value, self.index).map_err(|error| format!("{error:#}"))
    }
}

fn toml(text: &str) -> Value {
    serde_json::to_value(text.parse::<toml::Table>().unwrap()).unwrap()
}

fn flagship() -> Value {
    toml(&fs::read_to_string(Path::new(ASSETS).join("scenarios/flagship.toml")).unwrap())
}

/// Set `GOLDEN=write` to write it anew.
#[test]
fn the_schema_kept_is_that_of_the_types() {
    let path = Path::new(ASSETS).join(KEPT);
    let made = schema::text();
    if std::env::var("GOLDEN").as_deref() == Ok("write") {
        fs::write(&path, &made).unwrap();
    }
    let kept = fs::read_to_string(&path).unwrap_or_default();
    assert!(kept == made, "docs/scenario.schema.json is of older types or words. GOLDEN=write makes it anew");
}

#[test]
fn everything_that_ships_is_valid_in_both_forms() {
    let validator = Validator::new();
    for folder in ["scenarios", "incidents"] {
        for path in files_in(folder) {
            let value = toml(&fs::read_to_string(&path).unwrap());
            assert_eq!(validator.takes(&value), Ok(()), "{}", path.display());
        }
        for (name, file) in support::shipped(folder) {
            let value = serde_json::to_value(&file).unwrap();
            assert_eq!(validator.takes(&value), Ok(()), "{name} as JSON");
        }
    }
    let mut value = flagship();
    value["$schema"] = json!("https://example.com/scenario.schema.json");
    assert_eq!(validator.takes(&value), Ok(()));
}

/// What the page on the format teaches, the schema takes.
#[test]
fn every_phrase_taught_is_valid() {
    let validator = Validator::new();
    let page = fs::read_to_string(Path::new(ASSETS).join("../docs/scenarios.md")).unwrap();
    for (kind, pointer) in [("fault", "/faults"), ("rule", "/remedy/0/set"), ("step", "/task/0/program")] {
        let fence = format!("```{kind}\n");
        let blocks = page.split(&fence).skip(1).filter_map(|block| block.split("\n```").next());
        let lines: Vec<&str> = blocks.flat_map(str::lines).collect();
        assert!(lines.len() >= 10, "{} lines of {kind}", lines.len());
        for line in lines {
            let mut file = flagship();
            *file.pointer_mut(pointer).unwrap() = json!([line]);
            assert_eq!(validator.takes(&file), Ok(()), "{line}");
        }
    }
}

/// The flagship with one value put, or with `null` taken out, is not valid.
#[test]
fn what_is_wrong_in_itself_is_not_valid() {
    let validator = Validator::new();
    for (pointer, value) in [
        ("/untl", json!("102s")),
        ("/worker/0/slot", json!(2)),
        ("/sink/0/knd", json!("append")),
        ("/task/0/row", json!([1])),
        ("/claim/0/where", json!("here")),
        ("/remedy/0/reason", json!("none")),
        ("/remedy/0/claim/0/when", json!("1s")),
        ("/near_miss/0/titel", json!("none")),
        ("/next/tilte", json!("none")),
        ("/control", json!({ "latenzy": "1s" })),
        ("/rules", json!({ "leese": "30s" })),
        ("/rules", json!({ "lease": "30 sec" })),
        ("/rules", json!({ "clock": "walls" })),
        ("/format", json!(2)),
        ("/format", Value::Null),
        ("/group", json!("Undead")),
        ("/until", json!("102 sec")),
        ("/until", json!(102)),
        ("/worker", json!([])),
        ("/worker/0/slots", json!(0)),
        ("/worker/0/clock_rate", json!(-1_000_000)),
        ("/sink/0/kind", json!("appnd")),
        ("/sink/0/kind", Value::Null),
        ("/sink/0/fence", json!("first write")),
        ("/sink/0/fence", json!("claim exakt")),
        ("/task/0/program/1", json!("compute 30")),
        ("/task/0/program/1", json!("compote 30s")),
        ("/task/0/rows", json!([-1])),
        ("/faults/0", json!("22 pause w1")),
        ("/faults/0", json!("22s puase w1")),
        ("/faults/0", json!("22s pause")),
        ("/faults/0", json!("22s cut w1 control sideways")),
        ("/faults", json!(vec!["22s pause w1"; 501])),
        ("/alerts", json!(["two-opne"])),
        ("/remedy/0/set/0", json!("fense sink1 claim")),
        ("/claim/0/verdict", json!("one-outptu")),
        ("/claim/0/is", json!("broken")),
    ] {
        let mut file = flagship();
        let (around, key) = pointer.rsplit_once('/').unwrap();
        let around = file.pointer_mut(around).unwrap_or_else(|| panic!("{pointer}"));
        match (around, &value) {
            (Value::Array(all), _) => all[key.parse::<usize>().unwrap()] = value.clone(),
            (Value::Object(map), Value::Null) => drop(map.remove(key).unwrap()),
            (Value::Object(map), _) => drop(map.insert(key.to_owned(), value.clone())),
            _ => panic!("{pointer}"),
        }
        assert!(validator.takes(&file).is_err(), "{pointer} = {value} is taken");
    }
}
