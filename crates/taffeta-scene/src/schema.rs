//! The JSON schema of scenes (draft 2020-12), with which an editor completes and checks scene files.
//!
//! It comes from the tables by which scenes are read: keys, types, ranges, words, defaults, units. What depends on several
//! keys at once (a bending model that a solver does not have) is left to the reader.

mod outputs;
mod page;
#[cfg(test)]
mod tests;

pub use outputs::{OutputFile, outputs_page, outputs_schema, run_tables};
pub use page::scene_keys;

use crate::scene::SceneTable;
use crate::words::plain;
use schemars::Schema;
use schemars::generate::SchemaSettings;
use schemars::transform::RecursiveTransform;
use serde_json::Value;

/// The schema of scenes.
pub fn scene_schema() -> Value {
    let settings = SchemaSettings::draft2020_12().with_transform(RecursiveTransform(tidy));
    settings.into_generator().into_root_schema_for::<SceneTable>().to_value()
}

/// Removes traces of Rust: scenes have no null, comments have line ends and escaped brackets, and a table that is absent is the
/// sum of the defaults of its keys.
fn tidy(schema: &mut Schema) {
    if let Some(text) = schema.get("description").and_then(Value::as_str) {
        let text = plain(text);
        schema.insert("description".to_owned(), text.into());
    }
    if schema.get("default").is_some_and(|default| default.is_null() || default.is_object()) {
        schema.remove("default");
    }
    if let Some(Value::Array(kinds)) = schema.get_mut("type") {
        kinds.retain(|kind| kind != "null");
        if let [only] = kinds.as_slice() {
            let only = only.clone();
            schema.insert("type".to_owned(), only);
        }
    }
    if let Some(Value::Array(words)) = schema.get_mut("enum") {
        words.retain(|word| !word.is_null());
    }
    let Some(Value::Array(kinds)) = schema.get_mut("anyOf") else { return };
    kinds.retain(|kind| kind.get("type").is_none_or(|kind| kind != "null"));
    if let [Value::Object(only)] = kinds.as_slice() {
        let only = only.clone();
        schema.remove("anyOf");
        for (keyword, value) in only {
            schema.ensure_object().entry(keyword).or_insert(value);
        }
    }
}
