//! The keys of scenes as a page, from their schema.

use super::scene_schema;
use serde_json::Value;
use std::collections::BTreeSet;
use std::fmt::Write;

/// Beginning of the page.
const HEAD: &str = "# Keys of a scene\n\n\
    Written by `taffeta schema --markdown` from the types by which scenes are read. The [guide](guide.md) says what the keys \
    are for. All quantities are in SI units; a key without a default may be left out unless it is **needed**.\n";

/// The keys of scenes as a page of Markdown: a table for each table of a scene.
pub fn scene_keys() -> String {
    let schema = scene_schema();
    let mut page = Page { schema: &schema, text: HEAD.to_owned(), seen: BTreeSet::new() };
    page.add("scene", &schema);
    page.text
}

/// A page that is being written.
struct Page<'s> {
    schema: &'s Value,
    text: String,
    /// The tables that are on the page.
    seen: BTreeSet<String>,
}

impl<'s> Page<'s> {
    /// Adds a table, then those that its keys have.
    fn add(&mut self, name: &str, table: &'s Value) {
        let Some(keys) = table["properties"].as_object() else { return };
        if !self.seen.insert(name.to_owned()) {
            return;
        }
        let about = table["description"].as_str().unwrap_or_default();
        let heading =
            format!("\n## {name}\n\n{about}\n\n| key | value | default | meaning |\n|---|---|---|---|\n");
        self.text += &heading;
        let needed =
            |key: &str| table["required"].as_array().is_some_and(|keys| keys.iter().any(|k| k == key));
        for (key, value) in keys {
            let default = match value.get("default") {
                Some(default) => code(default),
                None if needed(key) => "**needed**".to_owned(),
                None => String::new(),
            };
            let (kind, about) = (describe(key, value), value["description"].as_str().unwrap_or_default());
            // Writing into a text cannot fail.
            let _ = writeln!(self.text, "| `{key}` | {kind} | {default} | {} |", about.replace('|', "\\|"));
        }
        for (key, value) in keys {
            self.add_parts(key, value);
        }
    }

    /// Adds the tables of which a value is made.
    fn add_parts(&mut self, key: &str, value: &'s Value) {
        if let Some((name, table)) = self.resolve(value) {
            self.add(name, table);
        } else if is_table(value) {
            self.add(key, value);
        }
        for keyword in ["items", "additionalProperties"] {
            value.get(keyword).into_iter().for_each(|part| self.add_parts(key, part));
        }
        for kind in value["anyOf"].as_array().into_iter().flatten() {
            self.add_parts(key, kind);
        }
    }

    /// The table that a schema refers to, with its name.
    fn resolve(&self, value: &'s Value) -> Option<(&'s str, &'s Value)> {
        let name = reference(value)?;
        Some((name, &self.schema["$defs"][name]))
    }
}

/// The name of the table that a schema refers to.
fn reference(value: &Value) -> Option<&str> {
    value["$ref"].as_str()?.strip_prefix("#/$defs/")
}

/// Returns whether a schema is that of a table with keys of its own.
fn is_table(value: &Value) -> bool {
    value["additionalProperties"] == false
}

fn code(value: &Value) -> String {
    format!("`{value}`")
}

/// Values that a key can have, in words.
pub(super) fn describe(key: &str, value: &Value) -> String {
    let link = |name: &str| format!("[{name}](#{name})");
    if let Some(name) = reference(value) {
        return link(name);
    }
    if let Some(words) = value["enum"].as_array() {
        return words.iter().map(code).collect::<Vec<_>>().join(", ");
    }
    if let Some(only) = value.get("const") {
        return code(only);
    }
    if let Some(kinds) = value["anyOf"].as_array() {
        return kinds.iter().map(|kind| describe(key, kind)).collect::<Vec<_>>().join(" or ");
    }
    if let Some(kinds) = value["type"].as_array() {
        let kind = |kind: &Value| {
            let mut only = value.clone();
            only["type"] = kind.clone();
            describe(key, &only)
        };
        return kinds.iter().map(kind).collect::<Vec<_>>().join(" or ");
    }
    match value["type"].as_str() {
        Some("null") => "`null`".to_owned(),
        Some("array") => match (value["minItems"].as_u64(), value["maxItems"].as_u64()) {
            (Some(count), Some(most)) if count == most => {
                format!("{count} × {}", describe(key, &value["items"]))
            }
            _ => format!("list of {}", describe(key, &value["items"])),
        },
        Some("number") => format!("number{}", bounds(value)),
        Some("integer") => format!("whole number{}", bounds(value)),
        Some("boolean") => "true or false".to_owned(),
        Some("string") => "text".to_owned(),
        Some("object") if is_table(value) => link(key),
        Some("object") => format!("by name: {}", describe(key, &value["additionalProperties"])),
        _ => "not supported".to_owned(),
    }
}

/// The limits of a number.
fn bounds(value: &Value) -> String {
    let limits = [("exclusiveMinimum", ">"), ("minimum", "≥"), ("exclusiveMaximum", "<"), ("maximum", "≤")];
    let limit = |(keyword, sign): (&str, &str)| {
        let limit = value[keyword].as_f64().filter(|limit| *limit < f64::from(u32::MAX))?;
        Some(format!("{sign} {limit:?}").trim_end_matches(".0").to_owned())
    };
    let limits: Vec<String> = limits.into_iter().filter_map(limit).collect();
    if limits.is_empty() { String::new() } else { format!(" {}", limits.join(", ")) }
}
