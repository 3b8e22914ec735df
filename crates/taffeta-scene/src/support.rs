//! What the format names and this version does not support.
//!
//! One table: deleting a row lifts the restriction, and the reader then reads the key like any other. A key in the
//! table is reported as an error, never ignored.

use crate::document::{Document, Kind, Value};

/// When a key counts as used.
enum When {
    /// Whenever it is there.
    Present,
    /// If it is a string, or an array of strings, outside this list, all of which the format names.
    NamedButNot(&'static [&'static str], &'static [&'static str]),
}

/// A restriction: a key path with `*` for array indices, when it applies, what is supported instead.
struct Limit(&'static str, When, &'static str);

#[rustfmt::skip]
const LIMITS: &[Limit] = &[
    Limit("cloth.*.outline", When::Present, "supported: `grid`, `mesh` and `ball`"),
    Limit("cloth.*.edge_length", When::Present, "it belongs to `outline`; supported: `grid`, `mesh` and `ball`"),
    Limit("output.formats", When::NamedButNot(&["obj", "none"], &["ply", "vtp", "usda", "glb", "npz"]), "supported: \"obj\", \"none\""),
];

/// A use of something that is not supported.
pub(crate) struct Refusal {
    /// The key path.
    pub key: String,
    pub message: String,
    pub help: String,
}

/// Finds every use of something that is not supported.
pub(crate) fn find_refusals(document: &Document) -> Vec<Refusal> {
    let mut refusals = Vec::new();
    for Limit(pattern, when, supported) in LIMITS {
        let mut found = Vec::new();
        let segments: Vec<&str> = pattern.split('.').collect();
        collect_matches(&document.root, &segments, String::new(), &mut found);
        for (key, value) in found {
            let Some(what) = used_value(when, value) else { continue };
            let name = pattern.rsplit('.').next().unwrap_or(pattern);
            let message = match what {
                Some(what) => format!("`{name} = {what}` is not supported yet"),
                None => format!("`{name}` is not supported yet"),
            };
            refusals.push(Refusal { key, message, help: (*supported).to_owned() });
        }
    }
    refusals
}

/// `None`: not used. `Some(None)`: the key as such. `Some(Some(text))`: a value.
fn used_value(when: &When, value: &Value) -> Option<Option<String>> {
    match (when, &value.kind) {
        (When::Present, _) => Some(None),
        (When::NamedButNot(supported, named), _) => {
            let texts = match &value.kind {
                Kind::Array(items) => items.iter().collect(),
                _ => vec![value],
            };
            let refused = texts.into_iter().filter_map(as_string);
            let refused = refused.filter(|text| named.contains(text) && !supported.contains(text));
            let refused: Vec<&str> = refused.collect();
            if refused.is_empty() { None } else { Some(Some(format!("{refused:?}"))) }
        }
    }
}

fn as_string(value: &Value) -> Option<&str> {
    match &value.kind {
        Kind::String(text) => Some(text),
        _ => None,
    }
}

fn collect_matches<'a>(
    value: &'a Value,
    pattern: &[&str],
    path: String,
    found: &mut Vec<(String, &'a Value)>,
) {
    let Some((segment, rest)) = pattern.split_first() else {
        found.push((path, value));
        return;
    };
    let join = |key: &str| if path.is_empty() { key.to_owned() } else { format!("{path}.{key}") };
    match &value.kind {
        Kind::Array(items) if *segment == "*" => {
            for (index, item) in items.iter().enumerate() {
                collect_matches(item, rest, join(&index.to_string()), found);
            }
        }
        _ => {
            if let Some(child) = value.child(segment) {
                collect_matches(child, rest, join(segment), found);
            }
        }
    }
}
