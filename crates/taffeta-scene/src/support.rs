//! What the format names and this version does not support.
//!
//! One table: deleting a row lifts the restriction, and the reader then reads the key like any other. A key in the
//! table is reported as an error, never ignored.

use crate::document::{Document, Kind, Value};

/// A restriction: a key path with `*` for array indices, and what is supported instead.
struct Limit(&'static str, &'static str);

#[rustfmt::skip]
const LIMITS: &[Limit] = &[
    Limit("cloth.*.outline", "supported: `grid`, `mesh` and `ball`"),
    Limit("cloth.*.edge_length", "it belongs to `outline`; supported: `grid`, `mesh` and `ball`"),
];

/// The key paths with `*` for array indices, and what is supported instead.
pub(crate) fn limits() -> impl Iterator<Item = (&'static str, &'static str)> {
    LIMITS.iter().map(|Limit(pattern, supported)| (*pattern, *supported))
}

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
    for Limit(pattern, supported) in LIMITS {
        let mut found = Vec::new();
        let segments: Vec<&str> = pattern.split('.').collect();
        collect_matches(&document.root, &segments, String::new(), &mut found);
        let name = segments[segments.len() - 1];
        for key in found {
            let message = format!("`{name}` is not supported yet");
            refusals.push(Refusal { key, message, help: (*supported).to_owned() });
        }
    }
    refusals
}

/// Collects the key paths that a pattern matches.
fn collect_matches(value: &Value, pattern: &[&str], path: String, found: &mut Vec<String>) {
    let Some((segment, rest)) = pattern.split_first() else {
        found.push(path);
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
