//! From a document to tables by serde. Every problem is noted with its place, and reading goes on.
//!
//! Serde stops at the first value that does not fit. So that all are found, that value is then left out and the document
//! is read again, until nothing new is found. What follows from a value that is left out (a table without a key that it
//! must have) is no problem of its own.

mod node;
mod notes;

use crate::document::Document;
use crate::error::Problem;
use crate::words::{join_key, plain};
use node::Node;
use notes::{Misfit, Notes};
use schemars::{JsonSchema, schema_for};
use serde::de::DeserializeOwned;
use serde_json::Value;

/// Problems after which reading ends: each takes another reading of the document.
const MAX_PROBLEMS: usize = 200;

/// Depth to which keys of other tables are looked for: `cloth.remesh.size_min` has three parts.
const DEEPEST_TABLE: usize = 3;

/// Reads a document as a table.
///
/// # Errors
/// Everything that does not fit.
pub(crate) fn read<T: DeserializeOwned + JsonSchema>(document: &Document) -> Result<T, Vec<Problem>> {
    let example = |table: &str, key: &str| find_example(schema_for!(T).as_value(), table, key);
    let homes = |key: &str| find_homes(schema_for!(T).as_value(), key);
    let notes = Notes::new(document, example, homes);
    loop {
        let root = Node { notes: &notes, value: &document.root, key: String::new() };
        let read = T::deserialize(root.clone());
        let is_over = notes.problems.borrow().len() >= MAX_PROBLEMS;
        match read {
            Ok(table) if notes.problems.borrow().is_empty() => return Ok(table),
            Err(misfit) if !matches!(misfit, Misfit::LeftOut) => {
                notes.note(root.value, &root.key, misfit);
                break;
            }
            Err(_) if !is_over => {}
            Ok(_) | Err(_) => break,
        }
    }
    Err(notes.problems.into_inner())
}

/// An example of a key of a table, as a line of TOML, with what it is. Tables that stand for several have names that begin
/// with theirs.
fn find_example(schema: &Value, table: &str, key: &str) -> Option<String> {
    let tables = schema["$defs"].as_object()?.iter().filter(|(name, _)| name.starts_with(table));
    let property =
        tables.map(|(_, table)| &table["properties"][key]).find(|property| property.is_object())?;
    let example = toml::Value::try_from(&property["examples"][0]).ok()?;
    let about = property["description"].as_str().map_or(String::new(), |text| format!(": {}", plain(text)));
    Some(format!("for example {key} = {example}{about}"))
}

/// The key paths of the tables that have a key, without the numbers of lists.
fn find_homes(schema: &Value, key: &str) -> Vec<String> {
    let mut homes = Vec::new();
    let mut open = vec![(String::new(), schema, 0)];
    while let Some((path, part, depth)) = open.pop() {
        let part = match part["$ref"].as_str().and_then(|name| name.strip_prefix("#/$defs/")) {
            Some(name) => &schema["$defs"][name],
            None => part,
        };
        if !path.is_empty() && part["properties"][key].is_object() {
            homes.push(path.clone());
        }
        if depth == DEEPEST_TABLE {
            continue;
        }
        let properties = part["properties"].as_object().into_iter().flatten();
        open.extend(properties.map(|(name, value)| (join_key(&path, name), value, depth + 1)));
        let kinds = part["anyOf"].as_array().into_iter().flatten().chain(part.get("items"));
        open.extend(kinds.map(|value| (path.clone(), value, depth)));
    }
    // Tables by which presets are changed would fill the line.
    homes.retain(|home| !home.starts_with("materials."));
    homes.sort();
    homes.dedup();
    homes
}
