//! Words, paths, and keys whose value does not matter.

use crate::words::{did_you_mean, quoted_list};
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::{Deserialize, Deserializer, Error, IgnoredAny, Unexpected, Visitor};
use serde::ser::{Serialize, Serializer};
use std::borrow::Cow;
use std::fmt;
use std::marker::PhantomData;
use std::path::PathBuf;

/// A type whose values have names in scenes.
pub(crate) trait Words: Copy + PartialEq + 'static {
    /// The names, in the order in which messages show them, with what they mean.
    fn words() -> Vec<(&'static str, Self)>;
}

/// The name of a value.
pub(crate) fn name_of<T: Words>(value: T) -> &'static str {
    let found = T::words().into_iter().find(|(_, other)| *other == value);
    found.expect("every value that scenes can have has a name").0
}

/// The value of a name among the names that there are.
pub(crate) fn find_word<T: Words, E: Error>(text: &str) -> Result<T, E> {
    let words = T::words();
    let names: Vec<&str> = words.iter().map(|(name, _)| *name).collect();
    words.iter().find(|(name, _)| *name == text).map(|(_, value)| *value).ok_or_else(|| {
        let help = did_you_mean(text, &names).map_or(String::new(), |help| format!("\n{help}"));
        let allowed = format!("one of {}{help}", quoted_list(&names));
        E::invalid_value(Unexpected::Str(text), &allowed.as_str())
    })
}

/// One of several words.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Choice<T>(pub T);

struct ChoiceVisitor<T>(PhantomData<T>);

impl<T: Words> Visitor<'_> for ChoiceVisitor<T> {
    type Value = Choice<T>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names: Vec<&str> = T::words().iter().map(|(name, _)| *name).collect();
        write!(f, "one of {}", quoted_list(&names))
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<Self::Value, E> {
        find_word(text).map(Choice)
    }
}

impl<'de, T: Words> Deserialize<'de> for Choice<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(ChoiceVisitor(PhantomData))
    }
}

impl<T: Words> Serialize for Choice<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(name_of(self.0))
    }
}

impl<T: Words> JsonSchema for Choice<T> {
    fn schema_name() -> Cow<'static, str> {
        std::any::type_name::<T>().into()
    }

    fn inline_schema() -> bool {
        true
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        let names: Vec<&str> = T::words().iter().map(|(name, _)| *name).collect();
        json_schema!({ "enum": names })
    }
}

/// A path, relative to the scene as long as it is not resolved.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct FilePath(pub String);

impl<'de> Deserialize<'de> for FilePath {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let path = String::deserialize(deserializer)?;
        if path.is_empty() { Err(D::Error::custom("is empty")) } else { Ok(Self(path)) }
    }
}

impl From<&PathBuf> for FilePath {
    fn from(path: &PathBuf) -> Self {
        Self(path.to_string_lossy().into_owned())
    }
}

impl Serialize for FilePath {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.0)
    }
}

impl JsonSchema for FilePath {
    fn schema_name() -> Cow<'static, str> {
        "path".into()
    }

    fn inline_schema() -> bool {
        true
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": "string", "minLength": 1 })
    }
}

/// `true`, which is all that a key can say.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Always;

impl<'de> Deserialize<'de> for Always {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        match bool::deserialize(deserializer)? {
            true => Ok(Self),
            false => Err(D::Error::invalid_value(Unexpected::Bool(false), &"true")),
        }
    }
}

impl Serialize for Always {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_bool(true)
    }
}

impl JsonSchema for Always {
    fn schema_name() -> Cow<'static, str> {
        "true".into()
    }

    fn inline_schema() -> bool {
        true
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": "boolean", "const": true })
    }
}

/// Any value, which nothing looks at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Ignored;

impl<'de> Deserialize<'de> for Ignored {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        IgnoredAny::deserialize(deserializer).map(|_| Self)
    }
}

impl Serialize for Ignored {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_none()
    }
}

/// Any value of a key that is known in order to say why it is refused.
pub(crate) type Unsupported = Ignored;

impl JsonSchema for Ignored {
    fn schema_name() -> Cow<'static, str> {
        "nothing".into()
    }

    fn inline_schema() -> bool {
        true
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "not": {} })
    }
}
