//! A scene file as a tree of values that know where they stand.

use crate::error::{Location, Problem, SceneError};
use crate::json;
use crate::overrides::Override;
use std::path::{Path, PathBuf};
use toml::Spanned;
use toml::de::{DeTable, DeValue};

/// Where a value comes from.
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

    /// The value under a key of a table or at an index of an array.
    pub(crate) fn child(&self, segment: &str) -> Option<&Value> {
        match &self.kind {
            Kind::Table(_) => self.entry(segment).map(|entry| &entry.value),
            Kind::Array(items) => items.get(segment.parse::<usize>().ok()?),
            _ => None,
        }
    }

    /// What the value is, for messages.
    pub(crate) fn describe(&self) -> String {
        match &self.kind {
            Kind::String(text) => format!("the string {text:?}"),
            Kind::Integer(number) => format!("the whole number {number}"),
            Kind::Float(number) => format!("the number {number}"),
            Kind::Boolean(value) => format!("the boolean {value}"),
            Kind::Array(items) => format!("an array of {}", items.len()),
            Kind::Table(_) => "a table".to_owned(),
            Kind::Other(name, text) => format!("{name} {text}"),
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

/// A scene file, parsed, with its overrides applied.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Document {
    pub path: PathBuf,
    pub text: String,
    pub settings: Vec<String>,
    pub root: Value,
}

impl Document {
    /// Parses a text as JSON or TOML, by the ending of the path, and applies the overrides in order.
    pub(crate) fn parse(text: &str, path: &Path, overrides: &[Override]) -> Result<Self, SceneError> {
        let is_json = path.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("json"));
        let whole = Origin::File { start: 0, end: 0 };
        let mut document = Self {
            path: path.to_owned(),
            text: text.to_owned(),
            settings: overrides.iter().map(|setting| setting.text.clone()).collect(),
            root: Value { kind: Kind::Table(Vec::new()), origin: whole },
        };
        document.root = if is_json {
            json::parse(text).map_err(|error| {
                document.syntax_error(error.start..error.end, format!("not valid JSON: {}", error.message))
            })?
        } else {
            let table = DeTable::parse(text).map_err(|error| {
                let span = error.span().unwrap_or(0..0);
                document.syntax_error(span, format!("not valid TOML: {}", error.message().trim()))
            })?;
            Value { kind: convert_table(table.get_ref(), None), origin: whole }
        };
        for (number, setting) in overrides.iter().enumerate() {
            if let Err(message) = setting.apply(&mut document.root, Origin::Setting(number)) {
                let mut problem = document.problem(&setting.keys.join("."), message, None);
                problem.location = None;
                problem.setting = Some(setting.text.clone());
                return Err(SceneError::Invalid { problems: vec![problem] });
            }
        }
        Ok(document)
    }

    fn syntax_error(&self, span: std::ops::Range<usize>, message: String) -> SceneError {
        let problem = Problem {
            path: self.path.clone(),
            location: Some(Location::of_bytes(&self.text, span.start, span.end)),
            setting: None,
            key: String::new(),
            message,
            help: None,
        };
        SceneError::Invalid { problems: vec![problem] }
    }

    /// A problem at a key path, or at the nearest table around it that exists.
    pub(crate) fn problem(&self, key: &str, message: String, help: Option<String>) -> Problem {
        let (mut value, mut origin) = (&self.root, self.root.origin);
        for segment in key.split('.').filter(|segment| !segment.is_empty()) {
            let Some(child) = value.child(segment) else { break };
            origin = child.origin;
            value = child;
        }
        self.problem_at(origin, key, message, help)
    }

    /// A problem at a known origin.
    pub(crate) fn problem_at(
        &self,
        origin: Origin,
        key: &str,
        message: String,
        help: Option<String>,
    ) -> Problem {
        let (location, setting) = match origin {
            Origin::File { start, end } => (Some(Location::of_bytes(&self.text, start, end)), None),
            Origin::Setting(number) => (None, self.settings.get(number).cloned()),
        };
        Problem { path: self.path.clone(), location, setting, key: key.to_owned(), message, help }
    }
}

fn origin_of(span: std::ops::Range<usize>) -> Origin {
    Origin::File { start: span.start, end: span.end }
}

/// Converts a table. TOML gives entries in the order of their keys, here they get the order of the file.
fn convert_table(table: &DeTable<'_>, setting: Option<Origin>) -> Kind {
    let mut entries: Vec<(usize, Entry)> = table
        .iter()
        .map(|(key, value)| {
            let entry = Entry {
                key: key.get_ref().to_string(),
                key_origin: setting.unwrap_or(origin_of(key.span())),
                value: convert_toml(value, setting),
            };
            (key.span().start, entry)
        })
        .collect();
    entries.sort_by_key(|(start, _)| *start);
    Kind::Table(entries.into_iter().map(|(_, entry)| entry).collect())
}

/// Converts a TOML value; `setting` replaces the origins.
pub(crate) fn convert_toml(value: &Spanned<DeValue<'_>>, setting: Option<Origin>) -> Value {
    let kind = match value.get_ref() {
        DeValue::String(text) => Kind::String(text.to_string()),
        DeValue::Integer(number) => match i64::from_str_radix(number.as_str(), number.radix()) {
            Ok(integer) => Kind::Integer(integer),
            Err(_) => Kind::Other("the too large number", number.to_string()),
        },
        DeValue::Float(number) => match number.as_str().parse::<f64>() {
            Ok(parsed) => Kind::Float(parsed),
            Err(_) => Kind::Other("the malformed number", number.to_string()),
        },
        DeValue::Boolean(value) => Kind::Boolean(*value),
        DeValue::Datetime(date) => Kind::Other("the date", date.to_string()),
        DeValue::Array(items) => Kind::Array(items.iter().map(|item| convert_toml(item, setting)).collect()),
        DeValue::Table(table) => convert_table(table, setting),
    };
    Value { kind, origin: setting.unwrap_or(origin_of(value.span())) }
}
