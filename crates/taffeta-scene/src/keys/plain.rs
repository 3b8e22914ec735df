//! Values of keys that may have one of several types.

use serde::de::{Deserialize, Deserializer, Error, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde::{Serialize, Serializer};
use std::fmt;

/// A value without what is in it.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Plain {
    Boolean(bool),
    Integer(i64),
    Float(f64),
    Text(String),
    /// An array of so many elements.
    Array(usize),
    Table,
    /// Something that no key takes, in words.
    Other(String),
}

impl Plain {
    /// The number, if it is one.
    pub(crate) fn number(&self) -> Option<f64> {
        match self {
            Self::Integer(value) => Some(*value as f64),
            Self::Float(value) => Some(*value),
            Self::Boolean(_) | Self::Text(_) | Self::Array(_) | Self::Table | Self::Other(_) => None,
        }
    }

    /// Says what it is and what it must be instead.
    pub(crate) fn refuse<T>(&self, allowed: &str) -> Result<T, String> {
        let found = match self {
            Self::Boolean(value) => format!("the boolean {value}"),
            Self::Integer(number) => format!("the whole number {number}"),
            Self::Float(number) => format!("the number {number}"),
            Self::Text(text) => format!("the string {text:?}"),
            Self::Array(length) => format!("an array of {length}"),
            Self::Table => "a table".to_owned(),
            Self::Other(words) => words.clone(),
        };
        Err(format!("is {found}, but must be {allowed}"))
    }
}

impl Serialize for Plain {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Boolean(value) => serializer.serialize_bool(*value),
            Self::Integer(number) => serializer.serialize_i64(*number),
            Self::Float(number) => serializer.serialize_f64(*number),
            Self::Text(text) => serializer.serialize_str(text),
            Self::Array(_) | Self::Table | Self::Other(_) => serializer.serialize_none(),
        }
    }
}

struct PlainVisitor;

impl<'de> Visitor<'de> for PlainVisitor {
    type Value = Plain;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a boolean, a number or a string")
    }

    fn visit_bool<E: Error>(self, value: bool) -> Result<Plain, E> {
        Ok(Plain::Boolean(value))
    }

    fn visit_i64<E: Error>(self, value: i64) -> Result<Plain, E> {
        Ok(Plain::Integer(value))
    }

    fn visit_f64<E: Error>(self, value: f64) -> Result<Plain, E> {
        Ok(Plain::Float(value))
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<Plain, E> {
        Ok(Plain::Text(text.to_owned()))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Plain, A::Error> {
        let mut length = 0;
        while items.next_element::<IgnoredAny>()?.is_some() {
            length += 1;
        }
        Ok(Plain::Array(length))
    }

    fn visit_bytes<E: Error>(self, words: &[u8]) -> Result<Plain, E> {
        Ok(Plain::Other(String::from_utf8_lossy(words).into_owned()))
    }

    fn visit_map<A: MapAccess<'de>>(self, _: A) -> Result<Plain, A::Error> {
        Ok(Plain::Table)
    }
}

impl<'de> Deserialize<'de> for Plain {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(PlainVisitor)
    }
}
