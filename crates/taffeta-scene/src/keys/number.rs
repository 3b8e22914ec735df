//! Numbers and their ranges.

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::{Deserialize, Deserializer, Error, Unexpected, Visitor};
use serde::ser::{Serialize, Serializer};
use std::borrow::Cow;
use std::fmt;
use std::marker::PhantomData;

/// The largest number that a scene may have: energies and their second derivatives have products of several numbers, which
/// must not overflow.
pub(crate) const LARGEST: f64 = 1e30;

/// A set of numbers.
pub(crate) trait Range {
    /// Its name in messages.
    const WORDS: &'static str;
    /// Its least number, if it has one.
    const LOW: Option<f64> = None;
    /// Whether that number is left out.
    const WITHOUT_LOW: bool = false;
    /// Its greatest number, if it has one.
    const HIGH: Option<f64> = None;
}

/// Every number.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Finite;

impl Range for Finite {
    const WORDS: &'static str = "finite";
}

/// Greater than 0.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct AboveZero;

impl Range for AboveZero {
    const WORDS: &'static str = "finite and greater than 0";
    const LOW: Option<f64> = Some(0.0);
    const WITHOUT_LOW: bool = true;
}

/// At least 0.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct FromZero;

impl Range for FromZero {
    const WORDS: &'static str = "finite and at least 0";
    const LOW: Option<f64> = Some(0.0);
}

/// From 0 to 1.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct ZeroToOne;

impl Range for ZeroToOne {
    const WORDS: &'static str = "from 0 to 1";
    const LOW: Option<f64> = Some(0.0);
    const HIGH: Option<f64> = Some(1.0);
}

/// At least 1.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct FromOne;

impl Range for FromOne {
    const WORDS: &'static str = "finite and at least 1";
    const LOW: Option<f64> = Some(1.0);
}

/// A number of a range.
#[derive(Clone, Copy, PartialEq)]
pub(crate) struct Number<R = Finite> {
    pub value: f64,
    range: PhantomData<R>,
}

/// A number above 0.
pub(crate) type Positive = Number<AboveZero>;
/// A number of at least 0.
pub(crate) type NotNegative = Number<FromZero>;
/// A number from 0 to 1.
pub(crate) type Part = Number<ZeroToOne>;

impl<R> From<f64> for Number<R> {
    fn from(value: f64) -> Self {
        Self { value, range: PhantomData }
    }
}

impl<R> fmt::Debug for Number<R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.value.fmt(f)
    }
}

impl<R: Range> Number<R> {
    /// The number, if it is in the range.
    pub(crate) fn check<E: Error>(value: f64) -> Result<Self, E> {
        if value.is_finite() && value.abs() > LARGEST {
            let allowed = format!("at most {LARGEST:e}, beyond which products of numbers overflow");
            return Err(E::invalid_value(Unexpected::Float(value), &allowed.as_str()));
        }
        let is_above = R::LOW.is_none_or(|low| if R::WITHOUT_LOW { value > low } else { value >= low });
        let fits = value.is_finite() && is_above && R::HIGH.is_none_or(|high| value <= high);
        if fits { Ok(value.into()) } else { Err(E::invalid_value(Unexpected::Float(value), &R::WORDS)) }
    }
}

struct NumberVisitor<R>(PhantomData<R>);

impl<R: Range> Visitor<'_> for NumberVisitor<R> {
    type Value = Number<R>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a number")
    }

    fn visit_i64<E: Error>(self, value: i64) -> Result<Self::Value, E> {
        Number::check(value as f64)
    }

    fn visit_f64<E: Error>(self, value: f64) -> Result<Self::Value, E> {
        Number::check(value)
    }
}

impl<'de, R: Range> Deserialize<'de> for Number<R> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(NumberVisitor(PhantomData))
    }
}

impl<R> Serialize for Number<R> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_f64(self.value)
    }
}

impl<R: Range> JsonSchema for Number<R> {
    fn schema_name() -> Cow<'static, str> {
        R::WORDS.into()
    }

    fn inline_schema() -> bool {
        true
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        let mut schema = json_schema!({ "type": "number" });
        if let Some(low) = R::LOW {
            let keyword = if R::WITHOUT_LOW { "exclusiveMinimum" } else { "minimum" };
            schema.insert(keyword.to_owned(), low.into());
        }
        if let Some(high) = R::HIGH {
            schema.insert("maximum".to_owned(), high.into());
        }
        schema
    }
}

/// A number, or `false` for `None`: what it belongs to is switched off.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct OrOff<R> {
    pub value: Option<f64>,
    range: PhantomData<R>,
}

impl<R> From<Option<f64>> for OrOff<R> {
    fn from(value: Option<f64>) -> Self {
        Self { value, range: PhantomData }
    }
}

struct OrOffVisitor<R>(PhantomData<R>);

impl<R: Range> Visitor<'_> for OrOffVisitor<R> {
    type Value = OrOff<R>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a number, or false to switch it off")
    }

    fn visit_bool<E: Error>(self, value: bool) -> Result<Self::Value, E> {
        if value { Err(E::invalid_type(Unexpected::Bool(value), &self)) } else { Ok(None.into()) }
    }

    fn visit_i64<E: Error>(self, value: i64) -> Result<Self::Value, E> {
        self.visit_f64(value as f64)
    }

    fn visit_f64<E: Error>(self, value: f64) -> Result<Self::Value, E> {
        Number::<R>::check(value).map(|number| Some(number.value).into())
    }
}

impl<'de, R: Range> Deserialize<'de> for OrOff<R> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(OrOffVisitor(PhantomData))
    }
}

impl<R> Serialize for OrOff<R> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self.value {
            Some(value) => serializer.serialize_f64(value),
            None => serializer.serialize_bool(false),
        }
    }
}

impl<R: Range> JsonSchema for OrOff<R> {
    fn schema_name() -> Cow<'static, str> {
        format!("{} or false", R::WORDS).into()
    }

    fn inline_schema() -> bool {
        true
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let number = generator.subschema_for::<Number<R>>();
        json_schema!({ "anyOf": [number, { "const": false }] })
    }
}

/// A whole number from `LOW` to `HIGH`; `u64::MAX`: of at least `LOW`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Count<const LOW: u64, const HIGH: u64>(pub u64);

impl<const LOW: u64, const HIGH: u64> Count<LOW, HIGH> {
    /// The number, if it is in the range.
    fn check<E: Error>(value: i64) -> Result<Self, E> {
        let fits = u64::try_from(value).ok().filter(|value| (LOW..=HIGH).contains(value));
        fits.map(Self).ok_or_else(|| {
            let allowed = match HIGH {
                u64::MAX => format!("a whole number at least {LOW}"),
                _ => format!("a whole number from {LOW} to {HIGH}"),
            };
            E::invalid_value(Unexpected::Signed(value), &allowed.as_str())
        })
    }

    /// The number where `HIGH` is below 2³².
    pub(crate) fn to_u32(self) -> u32 {
        u32::try_from(self.0).unwrap_or(u32::MAX)
    }
}

impl<const LOW: u64, const HIGH: u64> From<u32> for Count<LOW, HIGH> {
    fn from(value: u32) -> Self {
        Self(value.into())
    }
}

struct CountVisitor<const LOW: u64, const HIGH: u64>;

impl<const LOW: u64, const HIGH: u64> Visitor<'_> for CountVisitor<LOW, HIGH> {
    type Value = Count<LOW, HIGH>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a whole number")
    }

    fn visit_i64<E: Error>(self, value: i64) -> Result<Self::Value, E> {
        Count::check(value)
    }
}

impl<'de, const LOW: u64, const HIGH: u64> Deserialize<'de> for Count<LOW, HIGH> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(CountVisitor)
    }
}

impl<const LOW: u64, const HIGH: u64> Serialize for Count<LOW, HIGH> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_u64(self.0)
    }
}

impl<const LOW: u64, const HIGH: u64> JsonSchema for Count<LOW, HIGH> {
    fn schema_name() -> Cow<'static, str> {
        format!("whole number from {LOW} to {HIGH}").into()
    }

    fn inline_schema() -> bool {
        true
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        match HIGH {
            u64::MAX => json_schema!({ "type": "integer", "minimum": LOW }),
            _ => json_schema!({ "type": "integer", "minimum": LOW, "maximum": HIGH }),
        }
    }
}

/// A whole number from 1 to `HIGH`, or `"auto"` for `None`: the program chooses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Auto<const HIGH: u64>(pub Option<u32>);

struct AutoVisitor<const HIGH: u64>;

impl<const HIGH: u64> Visitor<'_> for AutoVisitor<HIGH> {
    type Value = Auto<HIGH>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("\"auto\" or a whole number of at least 1")
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<Self::Value, E> {
        if text == "auto" { Ok(Auto(None)) } else { Err(E::invalid_type(Unexpected::Str(text), &self)) }
    }

    fn visit_i64<E: Error>(self, value: i64) -> Result<Self::Value, E> {
        Count::<1, HIGH>::check(value).map(|count| Auto(Some(count.to_u32())))
    }
}

impl<'de, const HIGH: u64> Deserialize<'de> for Auto<HIGH> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(AutoVisitor)
    }
}

impl<const HIGH: u64> Serialize for Auto<HIGH> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self.0 {
            Some(count) => serializer.serialize_u32(count),
            None => serializer.serialize_str("auto"),
        }
    }
}

impl<const HIGH: u64> JsonSchema for Auto<HIGH> {
    fn schema_name() -> Cow<'static, str> {
        format!("automatic or at most {HIGH}").into()
    }

    fn inline_schema() -> bool {
        true
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let count = generator.subschema_for::<Count<1, HIGH>>();
        json_schema!({ "anyOf": [{ "const": "auto" }, count] })
    }
}
