//! Arrays.

use super::number::{FINITE, Number};
use glam::{DVec2, DVec3};
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::{Deserializer, Error, SeqAccess, Visitor};
use serde::{Deserialize, Serialize, Serializer};
use std::fmt;
use std::marker::PhantomData;

/// A type that arrays of a fixed length can have.
pub(crate) trait Plural {
    /// Several of it, in messages.
    const PLURAL: &'static str;
}

impl<const R: usize> Plural for Number<R> {
    const PLURAL: &'static str = "numbers";
}

impl Plural for bool {
    const PLURAL: &'static str = "booleans";
}

impl<const LOW: u64, const HIGH: u64> Plural for super::Count<LOW, HIGH> {
    const PLURAL: &'static str = "whole numbers";
}

impl Plural for Fixed<Number, 3> {
    const PLURAL: &'static str = "corners [x, y, z]";
}

impl Plural for Fixed<Number, 2> {
    const PLURAL: &'static str = "corners [u, v]";
}

/// An array of `N` elements.
#[derive(Clone, Copy, Debug, PartialEq, JsonSchema)]
#[schemars(inline, description = "", schema_with = "fixed_schema::<T, N>")]
pub(crate) struct Fixed<T, const N: usize>(pub [T; N]);

/// Numbers of the range `R`.
pub(crate) type Numbers<const R: usize, const N: usize> = Fixed<Number<R>, N>;
/// Three numbers.
pub(crate) type Vector = Numbers<FINITE, 3>;
/// A point in material space.
pub(crate) type Corner = Numbers<FINITE, 2>;

impl<const R: usize, const N: usize> Numbers<R, N> {
    /// The numbers, as an array or a vector.
    pub(crate) fn get<V: From<[f64; N]>>(self) -> V {
        self.0.map(f64::from).into()
    }
}

impl<const R: usize, const N: usize> From<[f64; N]> for Numbers<R, N> {
    fn from(values: [f64; N]) -> Self {
        Self(values.map(Number))
    }
}

impl Default for Vector {
    fn default() -> Self {
        Self::from([0.0; 3])
    }
}

impl<const R: usize> From<DVec3> for Numbers<R, 3> {
    fn from(vector: DVec3) -> Self {
        vector.to_array().into()
    }
}

impl<const R: usize> From<DVec2> for Numbers<R, 2> {
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

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Self::Value, A::Error> {
        // The length first: an array of the wrong length is not complained about element by element.
        let given = items.size_hint().unwrap_or(N);
        if given != N {
            return Err(A::Error::invalid_length(given, &self));
        }
        // Every element is looked at, so that all that do not fit are noted.
        let elements: Vec<Result<Option<T>, A::Error>> = (0..N).map(|_| items.next_element()).collect();
        let found: Vec<T> = elements.into_iter().filter_map(Result::transpose).collect::<Result<_, _>>()?;
        found.try_into().map(Fixed).map_err(|_| A::Error::invalid_length(given, &self))
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

fn fixed_schema<T: JsonSchema, const N: usize>(generator: &mut SchemaGenerator) -> Schema {
    let items = generator.subschema_for::<T>();
    json_schema!({ "type": "array", "items": items, "minItems": N, "maxItems": N })
}

/// `N` numbers of the range `R`, or one that stands for all of them.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, JsonSchema)]
#[schemars(inline, description = "", schema_with = "spread_schema::<R, N>")]
pub(crate) struct Spread<const R: usize, const N: usize>(pub Numbers<R, N>);

struct SpreadVisitor<const R: usize, const N: usize>;

impl<'de, const R: usize, const N: usize> Visitor<'de> for SpreadVisitor<R, N> {
    type Value = Spread<R, N>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "a number or an array of {N} numbers")
    }

    fn visit_i64<E: Error>(self, value: i64) -> Result<Self::Value, E> {
        self.visit_f64(value as f64)
    }

    fn visit_f64<E: Error>(self, value: f64) -> Result<Self::Value, E> {
        Number::check(value).map(|number| Spread(Fixed([number; N]))).map_err(E::custom)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, items: A) -> Result<Self::Value, A::Error> {
        FixedVisitor(PhantomData).visit_seq(items).map(Spread)
    }
}

impl<'de, const R: usize, const N: usize> Deserialize<'de> for Spread<R, N> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(SpreadVisitor)
    }
}

fn spread_schema<const R: usize, const N: usize>(generator: &mut SchemaGenerator) -> Schema {
    let one = generator.subschema_for::<Number<R>>();
    json_schema!({ "anyOf": [one, fixed_schema::<Number<R>, N>(generator)] })
}

/// An array of tables. The name of the type is what messages call it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename = "an array of tables")]
#[schemars(inline, description = "")]
pub(crate) struct Tables<T>(pub Vec<T>);

/// Name of an array of tables in messages.
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
