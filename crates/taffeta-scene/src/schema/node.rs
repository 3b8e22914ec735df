//! Pieces of a schema.

use serde_json::{Map, Value, json};

/// A schema of a value.
#[derive(Clone, Debug)]
pub(super) struct Node(pub Value);

impl Node {
    fn of_type(kind: &str, about: &str) -> Self {
        Self(json!({ "type": kind, "description": about }))
    }

    /// A finite number.
    pub(super) fn number(about: &str) -> Self {
        Self::of_type("number", about)
    }

    /// A number above 0.
    pub(super) fn positive(about: &str) -> Self {
        Self::number(about).with("exclusiveMinimum", 0)
    }

    /// A positive number, or `false` for off.
    pub(super) fn positive_or_off(about: &str, default: Option<f64>) -> Self {
        let kinds = json!([{ "type": "number", "exclusiveMinimum": 0 }, { "const": false }]);
        let default = default.map_or(Value::Bool(false), Value::from);
        Self(json!({ "description": about, "anyOf": kinds, "default": default }))
    }

    /// A number of at least 0.
    pub(super) fn not_negative(about: &str) -> Self {
        Self::number(about).with("minimum", 0)
    }

    /// A number from 0 to 1.
    pub(super) fn part(about: &str) -> Self {
        Self::number(about).with("minimum", 0).with("maximum", 1)
    }

    /// A whole number of at least `low`.
    pub(super) fn integer(about: &str, low: u64) -> Self {
        Self::of_type("integer", about).with("minimum", low)
    }

    /// True or false.
    pub(super) fn boolean(about: &str) -> Self {
        Self::of_type("boolean", about)
    }

    /// A text.
    pub(super) fn string(about: &str) -> Self {
        Self::of_type("string", about)
    }

    /// One of several words.
    pub(super) fn choice<'w>(about: &str, words: impl IntoIterator<Item = &'w str>) -> Self {
        Self(json!({ "description": about, "enum": words.into_iter().collect::<Vec<_>>() }))
    }

    /// `"auto"` or a whole number of at least 1.
    pub(super) fn auto_or_count(about: &str, high: u64) -> Self {
        let count = json!({ "type": "integer", "minimum": 1, "maximum": high });
        Self(json!({ "description": about, "anyOf": [{ "const": "auto" }, count], "default": "auto" }))
    }

    /// One of several kinds of values.
    pub(super) fn any_of(about: &str, kinds: [Value; 2]) -> Self {
        Self(json!({ "description": about, "anyOf": kinds }))
    }

    /// A fixed number of items.
    pub(super) fn tuple(about: &str, item: Node, count: usize) -> Self {
        Self::of_type("array", about).with("items", item.0).with("minItems", count).with("maxItems", count)
    }

    /// Three numbers.
    pub(super) fn vector(about: &str) -> Self {
        Self::tuple(about, Self(json!({ "type": "number" })), 3)
    }

    /// Any number of items.
    pub(super) fn list(about: &str, item: Node) -> Self {
        Self::of_type("array", about).with("items", item.0)
    }

    /// What stands under `$defs`.
    pub(super) fn reference(name: &str, about: &str) -> Self {
        Self(json!({ "$ref": format!("#/$defs/{name}"), "description": about }))
    }

    /// The same with one more keyword.
    pub(super) fn with(mut self, keyword: &str, value: impl Into<Value>) -> Self {
        self.0[keyword] = value.into();
        self
    }

    /// The same with a default.
    pub(super) fn default(self, value: impl Into<Value>) -> Self {
        self.with("default", value)
    }

    /// Of these keys exactly one must be there.
    pub(super) fn exactly_one(self, keys: &[&str]) -> Self {
        let one: Vec<Value> = keys.iter().map(|key| json!({ "required": [key] })).collect();
        self.with("oneOf", one)
    }
}

/// A table with these keys and no others.
pub(super) fn object<'k>(
    about: &str,
    keys: impl IntoIterator<Item = (&'k str, Node)>,
    required: &[&str],
) -> Node {
    let properties: Map<String, Value> =
        keys.into_iter().map(|(key, Node(value))| (key.to_owned(), value)).collect();
    let mut node = Node::of_type("object", about).with("properties", properties);
    node = node.with("additionalProperties", false);
    if required.is_empty() { node } else { node.with("required", required.to_vec()) }
}
