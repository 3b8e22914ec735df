//! Names of bodies and probes.

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::{Deserialize, Deserializer, Error, Unexpected};
use serde::ser::{Serialize, Serializer};
use std::borrow::Cow;

/// Whether a name can be part of a file name everywhere: ASCII letters, digits, `-` and `_`, at most 100.
pub fn is_safe_name(name: &str) -> bool {
    let safe = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_';
    !name.is_empty() && name.len() <= 100 && name.chars().all(safe)
}

/// The name of a body, after which files are named.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct BodyName(pub String);

impl<'de> Deserialize<'de> for BodyName {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let name = String::deserialize(deserializer)?;
        if is_safe_name(&name) {
            return Ok(Self(name));
        }
        Err(D::Error::custom(format!(
            "is {name:?}, which cannot be part of a file name\n\
             allowed: letters, digits, - and _, because files are named after it"
        )))
    }
}

impl Serialize for BodyName {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.0)
    }
}

impl JsonSchema for BodyName {
    fn schema_name() -> Cow<'static, str> {
        "name of a body".into()
    }

    fn inline_schema() -> bool {
        true
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": "string", "pattern": "^[A-Za-z0-9_-]{1,100}$" })
    }
}

/// A name that is not empty and has no control characters.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ReadableName(pub String);

impl<'de> Deserialize<'de> for ReadableName {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let name = String::deserialize(deserializer)?;
        if name.trim().is_empty() || name.chars().any(char::is_control) {
            return Err(D::Error::invalid_value(Unexpected::Str(&name), &"a readable name"));
        }
        Ok(Self(name))
    }
}

impl Serialize for ReadableName {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.0)
    }
}

impl JsonSchema for ReadableName {
    fn schema_name() -> Cow<'static, str> {
        "readable name".into()
    }

    fn inline_schema() -> bool {
        true
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": "string", "minLength": 1 })
    }
}
