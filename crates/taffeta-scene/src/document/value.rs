//! A tree of values that know where they stand: what TOML and JSON have in common.

/// A syntax error, in bytes of the text.
pub(crate) struct SyntaxError {
    pub start: usize,
    pub end: usize,
    pub message: String,
}

/// Source of a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Origin {
    /// Bytes `start..end` of the file.
    File { start: usize, end: usize },
    /// An override, by its number.
    Setting(usize),
}

/// A value with its origin.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Value {
    pub kind: Kind,
    pub origin: Origin,
}

/// The kinds of values that TOML and JSON have in common, and what is left over.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Kind {
    String(String),
    Integer(i64),
    Float(f64),
    Boolean(bool),
    Array(Vec<Value>),
    Table(Vec<Entry>),
    /// Something that no scene needs: its name and its text.
    Other(&'static str, String),
}

/// A key with its value.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Entry {
    pub key: String,
    pub key_origin: Origin,
    pub value: Value,
}

impl Value {
    /// The entry of a table.
    pub(crate) fn entry(&self, key: &str) -> Option<&Entry> {
        match &self.kind {
            Kind::Table(entries) => entries.iter().find(|entry| entry.key == key),
            _ => None,
        }
    }

    /// Returns whether the value is a table.
    pub(crate) fn is_table(&self) -> bool {
        matches!(self.kind, Kind::Table(_))
    }

    /// The value under a key of a table or at an index of an array.
    pub(crate) fn child(&self, segment: &str) -> Option<&Value> {
        match &self.kind {
            Kind::Table(_) => self.entry(segment).map(|entry| &entry.value),
            Kind::Array(items) => items.get(segment.parse::<usize>().ok()?),
            _ => None,
        }
    }

    /// Describes the value, for messages.
    pub(crate) fn describe(&self) -> String {
        match &self.kind {
            Kind::String(text) => format!("the string {text:?}"),
            Kind::Integer(number) => format!("the whole number {number}"),
            Kind::Float(number) => format!("the number {number}"),
            Kind::Boolean(value) => format!("the boolean {value}"),
            Kind::Array(items) => format!("an array of {}", items.len()),
            Kind::Table(_) => "a table".to_owned(),
            Kind::Other(name, text) => format!("{name} {text}").trim_end().to_owned(),
        }
    }

    /// The value as JSON, without origins.
    #[cfg(test)]
    pub(crate) fn to_json(&self) -> serde_json::Value {
        match &self.kind {
            Kind::String(text) | Kind::Other(_, text) => text.as_str().into(),
            Kind::Integer(number) => (*number).into(),
            Kind::Float(number) => (*number).into(),
            Kind::Boolean(value) => (*value).into(),
            Kind::Array(items) => items.iter().map(Value::to_json).collect(),
            Kind::Table(entries) => entries.iter().map(|e| (e.key.clone(), e.value.to_json())).collect(),
        }
    }

    /// A value from JSON, with one origin throughout.
    pub(crate) fn from_json(value: &serde_json::Value, origin: Origin) -> Self {
        let kind = match value {
            serde_json::Value::Null => Kind::Other("null", String::new()),
            serde_json::Value::Bool(value) => Kind::Boolean(*value),
            serde_json::Value::Number(number) => match number.as_i64() {
                Some(integer) => Kind::Integer(integer),
                None => Kind::Float(number.as_f64().unwrap_or(f64::NAN)),
            },
            serde_json::Value::String(text) => Kind::String(text.clone()),
            serde_json::Value::Array(items) => {
                Kind::Array(items.iter().map(|item| Value::from_json(item, origin)).collect())
            }
            serde_json::Value::Object(entries) => Kind::Table(
                entries
                    .iter()
                    .map(|(key, value)| Entry {
                        key: key.clone(),
                        key_origin: origin,
                        value: Value::from_json(value, origin),
                    })
                    .collect(),
            ),
        };
        Self { kind, origin }
    }
}
