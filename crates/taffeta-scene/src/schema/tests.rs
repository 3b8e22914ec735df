//! The schema against the reader.

use super::scene_schema;
use crate::scene::Scene;
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// Scenes that together have every table that there is.
const SCENES: [&str; 2] = [
    r#"
[simulation]
duration = 1
[contact]
[air]
[camera]
motion = [{}]
[output]
[materials.mine]
friction = {}
[[cloth]]
grid = {}
place = {}
volume = {}
remesh = {}
material = { friction = {} }
[[cloth.pin]]
where = {}
motion = [{}]
[[cloth.seam]]
a = {}
b = {}
[[rope]]
place = {}
length = 1
segments = 2
material = { friction = {}, density = 1, stretch = 1 }
pin = [{ where = {}, motion = [{}] }]
[[solid]]
place = {}
box = { size = [1, 1, 1], cells = [1, 1, 1] }
material = { friction = {}, density = 1, young = 1, poisson = 0 }
pin = [{ where = { boundary = true }, motion = [{}] }]
[[obstacle]]
shape = { sphere = {} }
place = {}
motion = [{}]
friction = {}
[[obstacle]]
shape = { plane = {} }
[[obstacle]]
shape = { capsule = {} }
[[obstacle]]
shape = { box = {} }
[[probe]]
"#,
    "[[cloth]]\nball = {}\n",
];

/// A key that no table has.
const UNKNOWN: &str = "zz";

/// Puts an unknown key into every table.
fn spoil(value: &mut Value) {
    match value {
        Value::Array(items) => items.iter_mut().for_each(spoil),
        Value::Object(entries) => {
            entries.values_mut().for_each(spoil);
            entries.insert(UNKNOWN.to_owned(), json!(1));
        }
        _ => {}
    }
}

/// The keys that the reader knows, by table, as it tells those who give an unknown one; numbers in key paths are `*`.
fn known_to_reader() -> BTreeMap<String, BTreeSet<String>> {
    let mut tables: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for scene in SCENES {
        let mut scene: Value = toml::from_str(scene).unwrap();
        spoil(&mut scene);
        let error = Scene::from_str(&scene.to_string(), Path::new("scene.json"), &[]).unwrap_err();
        for problem in error.problems().iter().filter(|problem| problem.message.contains("unknown key")) {
            let segment = |s: &str| if s.parse::<usize>().is_ok() { "*".to_owned() } else { s.to_owned() };
            let mut path: Vec<String> = problem.key.split('.').map(segment).collect();
            assert_eq!(path.pop().as_deref(), Some(UNKNOWN), "{}", problem.key);
            let help = problem.help.as_deref().unwrap();
            let (_, known) = help.split_once(": ").unwrap();
            tables.insert(path.join("."), known.split(", ").map(str::to_owned).collect());
        }
    }
    tables
}

/// The schema that `$ref` stands for.
fn resolve<'s>(root: &'s Value, schema: &'s Value) -> &'s Value {
    match schema.get("$ref").and_then(Value::as_str) {
        Some(pointer) => root.pointer(pointer.trim_start_matches('#')).expect("the reference is there"),
        None => schema,
    }
}

/// The keys of all tables of the schema.
fn known_to_schema(
    root: &Value,
    schema: &Value,
    path: String,
    tables: &mut BTreeMap<String, BTreeSet<String>>,
) {
    let schema = resolve(root, schema);
    let join = |key: &str| if path.is_empty() { key.to_owned() } else { format!("{path}.{key}") };
    if let Some(properties) = schema.get("properties").and_then(Value::as_object) {
        let closed = schema["additionalProperties"] == false;
        if closed && schema["type"] == "object" {
            tables.insert(path.clone(), properties.keys().cloned().collect());
        }
        // The tables of presets stand for all materials.
        for (key, inner) in properties.iter().filter(|_| closed) {
            known_to_schema(root, inner, join(key), tables);
        }
    }
    if schema["additionalProperties"].is_object() {
        known_to_schema(root, &schema["additionalProperties"], join("mine"), tables);
    }
    if let Some(items) = schema.get("items") {
        known_to_schema(root, items, join("*"), tables);
    }
    for branch in schema.get("anyOf").and_then(Value::as_array).into_iter().flatten() {
        if branch.get("type").is_some() || branch.get("$ref").is_some() {
            known_to_schema(root, branch, path.clone(), tables);
        }
    }
}

#[test]
fn the_schema_has_the_keys_of_the_reader_and_no_others() {
    let schema = scene_schema();
    let mut described = BTreeMap::new();
    known_to_schema(&schema, &schema, String::new(), &mut described);
    let known = known_to_reader();
    let (a, b): (Vec<_>, Vec<_>) = (described.keys().collect(), known.keys().collect());
    assert_eq!(a, b, "tables");
    for (path, keys) in &known {
        assert_eq!(&described[path], keys, "keys of {path:?}");
    }
    assert!(known.len() > 30, "{}", known.len());
}

#[test]
fn every_key_is_described_and_every_default_fits_its_own_schema() {
    fn walk(root: &Value, schema: &Value, path: &str) {
        if let Some(properties) = schema.get("properties").and_then(Value::as_object)
            && schema.get("type").is_some()
        {
            for (key, inner) in properties {
                assert!(inner["description"].as_str().is_some_and(|text| text.len() > 4), "{path}.{key}");
                if let Some(default) = inner.get("default") {
                    let mut alone = inner.clone();
                    alone["$defs"] = root["$defs"].clone();
                    let validator = jsonschema::validator_for(&alone).unwrap();
                    assert!(validator.is_valid(default), "{path}.{key}: {default}");
                }
                walk(root, inner, &format!("{path}.{key}"));
            }
        }
        if let Some(items) = schema.get("items") {
            walk(root, items, &format!("{path}.*"));
        }
    }
    let schema = scene_schema();
    walk(&schema, &schema, "");
    for (name, inner) in schema["$defs"].as_object().unwrap() {
        walk(&schema, inner, name);
    }
    assert!(jsonschema::meta::is_valid(&schema));
}

#[test]
fn a_scene_needs_a_body_and_an_outline_its_edge_length() {
    let schema = scene_schema();
    let validator = jsonschema::validator_for(&schema).unwrap();
    let scene = |cloth: &str| -> Value {
        serde_json::from_str(&format!(r#"{{"simulation": {{"duration": 1}}, "cloth": [{cloth}]}}"#)).unwrap()
    };
    assert!(validator.is_valid(&scene(r#"{"grid": {}}"#)));
    assert!(!validator.is_valid(&scene("")), "no cloth");
    assert!(validator.is_valid(&scene(r#"{"outline": "a.svg", "edge_length": 0.1}"#)));
    assert!(!validator.is_valid(&scene(r#"{"outline": "a.svg"}"#)));
    assert!(!validator.is_valid(&scene(r#"{"grid": {}, "edge_length": 0.1}"#)));
}

#[test]
fn the_page_of_keys_is_that_of_the_schema() {
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/keys.md");
    let written = std::fs::read_to_string(page).unwrap();
    assert!(
        written == super::scene_keys(),
        "write docs/keys.md anew: `taffeta schema --markdown > docs/keys.md`"
    );
}
