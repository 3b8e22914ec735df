//! Words, names, paths, and keys whose value does not matter.

use super::plain::Plain;
use crate::names::is_safe_name;
use crate::words::{did_you_mean, quoted_list};
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::IgnoredAny;
use serde::{Deserialize, Serialize, Serializer};
use std::path::PathBuf;

/// A type whose values have names in scenes.
pub(crate) trait Words: Copy + PartialEq + 'static {
    /// The names, in the order in which messages show them, with what they mean.
    fn words() -> Vec<(&'static str, Self)>;

    /// Words of earlier versions, each with the one that has replaced it.
    fn replaced() -> &'static [(&'static str, &'static str)] {
        &[]
    }
}
/// The name of a value.
fn name_of<T: Words>(value: T) -> &'static str {
    let found = T::words().into_iter().find(|(_, other)| *other == value);
    found.expect("every value that scenes can have has a name").0
}

/// One of several words.
#[derive(Clone, Copy, Debug, Default, PartialEq, Deserialize, JsonSchema)]
#[serde(try_from = "Plain", bound = "T: Words")]
#[schemars(rename = "word", bound = "T: Words", inline, description = "", schema_with = "words_schema::<T>")]
pub(crate) struct Choice<T: Words>(pub T);

impl<T: Words> TryFrom<Plain> for Choice<T> {
    type Error = String;

    fn try_from(plain: Plain) -> Result<Self, String> {
        let words = T::words();
        let names: Vec<&str> = words.iter().map(|(name, _)| *name).collect();
        let allowed = format!("one of {}", quoted_list(&names));
        let Plain::Text(text) = &plain else { return plain.refuse(&allowed) };
        if let Some((_, new)) = T::replaced().iter().find(|(old, _)| old == text) {
            return Err(format!("is {text:?}, which has been replaced by {new:?}\nwrite {new:?}"));
        }
        let found = words.iter().find(|(name, _)| name == text);
        found.map(|(_, value)| Self(*value)).ok_or_else(|| {
            let help = did_you_mean(text, &names).map_or(String::new(), |help| format!("\n{help}"));
            format!("is {text:?}, but must be {allowed}{help}")
        })
    }
}

impl<T: Words> Serialize for Choice<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(name_of(self.0))
    }
}

fn words_schema<T: Words>(_: &mut SchemaGenerator) -> Schema {
    let names: Vec<&str> = T::words().iter().map(|(name, _)| *name).collect();
    json_schema!({ "enum": names })
}

/// A path, relative to the scene as long as it is not resolved.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(try_from = "String")]
#[schemars(inline, description = "", extend("minLength" = 1))]
pub(crate) struct FilePath(pub String);

impl TryFrom<String> for FilePath {
    type Error = &'static str;

    fn try_from(path: String) -> Result<Self, &'static str> {
        if path.is_empty() { Err("is empty") } else { Ok(Self(path)) }
    }
}

impl From<&PathBuf> for FilePath {
    fn from(path: &PathBuf) -> Self {
        Self(path.to_string_lossy().into_owned())
    }
}

/// The name of a body, after which files are named.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(try_from = "String")]
#[schemars(inline, description = "", extend("pattern" = "^[A-Za-z0-9_-]{1,100}$"))]
pub(crate) struct BodyName(pub String);

impl BodyName {
    /// The name of a body; `None` if it has none.
    pub(crate) fn of(name: &str) -> Option<Self> {
        (!name.is_empty()).then(|| Self(name.to_owned()))
    }
}

impl TryFrom<String> for BodyName {
    type Error = String;

    fn try_from(name: String) -> Result<Self, String> {
        if is_safe_name(&name) {
            return Ok(Self(name));
        }
        Err(format!(
            "is {name:?}, which cannot be part of a file name\n\
             allowed: letters, digits, - and _, because files are named after it"
        ))
    }
}

/// A name that is not empty and has no control characters.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(try_from = "String")]
#[schemars(inline, description = "", extend("minLength" = 1))]
pub(crate) struct ReadableName(pub String);

impl TryFrom<String> for ReadableName {
    type Error = String;

    fn try_from(name: String) -> Result<Self, String> {
        let is_readable = !name.trim().is_empty() && !name.chars().any(char::is_control);
        if is_readable { Ok(Self(name)) } else { Err(format!("is {name:?}, but must be a readable name")) }
    }
}

/// `true`, which is all that a key can say.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(try_from = "bool")]
#[schemars(inline, description = "", extend("const" = true))]
pub(crate) struct Always(bool);

impl Always {
    /// That value.
    pub(crate) const TRUE: Self = Self(true);
}

impl TryFrom<bool> for Always {
    type Error = &'static str;

    fn try_from(value: bool) -> Result<Self, &'static str> {
        if value { Ok(Self::TRUE) } else { Err("is false, but must be true") }
    }
}

/// Any value, which nothing looks at. The schema allows none: it is of keys that are known in order to say why they are
/// refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(from = "IgnoredAny")]
#[schemars(inline, description = "", schema_with = "no_schema")]
pub(crate) struct Ignored;

impl From<IgnoredAny> for Ignored {
    fn from(IgnoredAny: IgnoredAny) -> Self {
        Self
    }
}

impl Serialize for Ignored {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_none()
    }
}

fn no_schema(_: &mut SchemaGenerator) -> Schema {
    json_schema!({ "not": {} })
}
