//! Arrays.

use super::number::{Number, Range};
use glam::{DVec2, DVec3};
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::{Deserialize, Deserializer, Error, SeqAccess, Visitor};
use serde::ser::{Serialize, Serializer};
use std::borrow::Cow;
use std::fmt;
use std::marker::PhantomData;

/// A type that arrays of a fixed length can have.
pub(crate) trait Plural {
    /// Several of it, in messages.
    const PLURAL: &'static str;
}

impl<R> Plural for Number<R> {
    const PLURAL: &'static str = "numbers";
}

impl Plural for bool {
    const PLURAL: &'static str = "booleans";
}

impl<const LOW: u64, const HIGH: u64> Plural for super::Count<LOW, HIGH> {
    const PLURAL: &'static str = "whole numbers";
}

impl<R> Plural for Fixed<Number<R>, 3> {
    const PLURAL: &'static str = "corners [x, y, z]";
}

impl<R> Plural for Fixed<Number<R>, 2> {
    const PLURAL: &'static str = "corners [u, v]";
}

/// An array of `N` elements.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Fixed<T, const N: usize>(pub [T; N]);

/// Three numbers.
pub(crate) type Vector = Fixed<Number, 3>;
/// A corner of a box in material space.
pub(crate) type Corner = Fixed<Number, 2>;

impl<R: Copy, const N: usize> Fixed<Number<R>, N> {
    /// The numbers.
    pub(crate) fn values(self) -> [f64; N] {
        self.0.map(|number| number.value)
    }
}

impl<R: Copy> Fixed<Number<R>, 3> {
    /// The numbers as a vector.
    pub(crate) fn vector(self) -> DVec3 {
        self.values().into()
    }
}

impl<R, const N: usize> From<[f64; N]> for Fixed<Number<R>, N> {
    fn from(values: [f64; N]) -> Self {
        Self(values.map(Number::from))
    }
}

impl<R> From<DVec3> for Fixed<Number<R>, 3> {
    fn from(vector: DVec3) -> Self {
        vector.to_array().into()
    }
}

impl<R> From<DVec2> for Fixed<Number<R>, 2> {
    fn from(vector: DVec2) -> Self {
        vector.to_array().into()
    }
}

struct FixedVisitor<T, const N: usize>(PhantomData<T>);

impl<'de, T: Deserialize<'de> + Plural, const N: usize> Visitor<'de> for FixedVisitor<T, N> {
    type Value = Fixed<T, N>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "an array of {N} {}", T::PLURAL)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Self::Value, A::Error> {
        // The length first: an array of the wrong length is not complained about element by element.
        if let Some(length) = seq.size_hint().filter(|length| *length != N) {
            return Err(A::Error::invalid_length(length, &self));
        }
        let mut items = Vec::with_capacity(N);
        while let Some(item) = seq.next_element()? {
            items.push(item);
        }
        let length = items.len();
        items.try_into().map(Fixed).map_err(|_| A::Error::invalid_length(length, &self))
    }
}

impl<'de, T: Deserialize<'de> + Plural, const N: usize> Deserialize<'de> for Fixed<T, N> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(FixedVisitor(PhantomData))
    }
}

impl<T: Serialize, const N: usize> Serialize for Fixed<T, N> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(&self.0)
    }
}

impl<T: JsonSchema, const N: usize> JsonSchema for Fixed<T, N> {
    fn schema_name() -> Cow<'static, str> {
        format!("{N} of {}", T::schema_name()).into()
    }

    fn inline_schema() -> bool {
        true
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let items = generator.subschema_for::<T>();
        json_schema!({ "type": "array", "items": items, "minItems": N, "maxItems": N })
    }
}

/// `N` numbers, or one that stands for all of them.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Spread<R, const N: usize>(pub Fixed<Number<R>, N>);

struct SpreadVisitor<R, const N: usize>(PhantomData<R>);

impl<'de, R: Range + Copy, const N: usize> Visitor<'de> for SpreadVisitor<R, N> {
    type Value = Spread<R, N>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "a number or an array of {N} numbers")
    }

    fn visit_i64<E: Error>(self, value: i64) -> Result<Self::Value, E> {
        self.visit_f64(value as f64)
    }

    fn visit_f64<E: Error>(self, value: f64) -> Result<Self::Value, E> {
        Number::check(value).map(|number| Spread(Fixed([number; N])))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, seq: A) -> Result<Self::Value, A::Error> {
        FixedVisitor(PhantomData).visit_seq(seq).map(Spread)
    }
}

impl<'de, R: Range + Copy, const N: usize> Deserialize<'de> for Spread<R, N> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(SpreadVisitor(PhantomData))
    }
}

impl<R, const N: usize> Serialize for Spread<R, N> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.0.serialize(serializer)
    }
}

impl<R: Range, const N: usize> JsonSchema for Spread<R, N> {
    fn schema_name() -> Cow<'static, str> {
        format!("one or {N} of {}", R::WORDS).into()
    }

    fn inline_schema() -> bool {
        true
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let one = generator.subschema_for::<Number<R>>();
        let all = generator.subschema_for::<Fixed<Number<R>, N>>();
        json_schema!({ "anyOf": [one, all] })
    }
}

/// An array of tables.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Tables<T>(pub Vec<T>);

/// What messages call an array of tables.
pub(crate) const ARRAY_OF_TABLES: &str = "an array of tables";

impl<T> Default for Tables<T> {
    fn default() -> Self {
        Self(Vec::new())
    }
}

impl<T> FromIterator<T> for Tables<T> {
    fn from_iter<I: IntoIterator<Item = T>>(items: I) -> Self {
        Self(items.into_iter().collect())
    }
}

struct TablesVisitor<T>(PhantomData<T>);

impl<'de, T: Deserialize<'de>> Visitor<'de> for TablesVisitor<T> {
    type Value = Tables<T>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(ARRAY_OF_TABLES)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Self::Value, A::Error> {
        let mut items = Vec::new();
        while let Some(item) = seq.next_element()? {
            items.push(item);
        }
        Ok(Tables(items))
    }
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Tables<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(TablesVisitor(PhantomData))
    }
}

impl<T: Serialize> Serialize for Tables<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(&self.0)
    }
}

impl<T: JsonSchema> JsonSchema for Tables<T> {
    fn schema_name() -> Cow<'static, str> {
        format!("tables of {}", T::schema_name()).into()
    }

    fn inline_schema() -> bool {
        true
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let items = generator.subschema_for::<T>();
        json_schema!({ "type": "array", "items": items })
    }
}
