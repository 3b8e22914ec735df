//! Numbers and their ranges.

use super::plain::Plain;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Serialize, Serializer};

/// The largest number that a scene may have: energies and their second derivatives have products of several numbers, which
/// must not overflow.
const LARGEST: f64 = 1e30;

/// A set of numbers: its name in messages, its least number, whether that number is left out, and its greatest number.
type Range = (&'static str, Option<f64>, bool, Option<f64>);

/// The ranges that keys have, by number.
const RANGES: [Range; 5] = [
    ("finite", None, false, None),
    ("finite and greater than 0", Some(0.0), true, None),
    ("finite and at least 0", Some(0.0), false, None),
    ("from 0 to 1", Some(0.0), false, Some(1.0)),
    ("finite and at least 1", Some(1.0), false, None),
];
/// Every number.
pub(crate) const FINITE: usize = 0;
/// Greater than 0.
pub(crate) const ABOVE_ZERO: usize = 1;
/// At least 0.
pub(crate) const FROM_ZERO: usize = 2;
/// From 0 to 1.
pub(crate) const ZERO_TO_ONE: usize = 3;
/// At least 1.
pub(crate) const FROM_ONE: usize = 4;

/// A number of the range `R`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(try_from = "f64")]
#[schemars(inline, description = "", schema_with = "number_schema::<R>")]
pub(crate) struct Number<const R: usize = FINITE>(pub f64);

/// A number above 0.
pub(crate) type Positive = Number<ABOVE_ZERO>;
/// A number of at least 0.
pub(crate) type NotNegative = Number<FROM_ZERO>;
/// A number from 0 to 1.
pub(crate) type Part = Number<ZERO_TO_ONE>;

impl<const R: usize> Number<R> {
    /// The number of this value, if it is in the range.
    pub(crate) fn check(value: f64) -> Result<Self, String> {
        if value.is_finite() && value.abs() > LARGEST {
            // No row of three hundred zeros.
            return Err(format!(
                "is {value:e}, but must be at most {LARGEST:e}, beyond which products of numbers overflow"
            ));
        }
        let (words, low, without_low, high) = RANGES[R];
        let is_above = low.is_none_or(|low| if without_low { value > low } else { value >= low });
        let fits = value.is_finite() && is_above && high.is_none_or(|high| value <= high);
        if fits { Ok(Self(value)) } else { Err(format!("is {value}, but must be {words}")) }
    }
}

impl<const R: usize> From<Number<R>> for f64 {
    fn from(Number(value): Number<R>) -> Self {
        value
    }
}

impl<const R: usize> TryFrom<f64> for Number<R> {
    type Error = String;

    fn try_from(value: f64) -> Result<Self, String> {
        Self::check(value)
    }
}

fn number_schema<const R: usize>(_: &mut SchemaGenerator) -> Schema {
    let (_, low, without_low, high) = RANGES[R];
    let mut schema = json_schema!({ "type": "number" });
    if let Some(low) = low {
        let keyword = if without_low { "exclusiveMinimum" } else { "minimum" };
        schema.insert(keyword.to_owned(), low.into());
    }
    if let Some(high) = high {
        schema.insert("maximum".to_owned(), high.into());
    }
    schema
}

/// A number of the range `R`, or `false` for `None`: what it belongs to is switched off.
#[derive(Clone, Copy, Debug, PartialEq, Deserialize, JsonSchema)]
#[serde(try_from = "Plain")]
#[schemars(inline, description = "", schema_with = "or_off_schema::<R>")]
pub(crate) struct OrOff<const R: usize>(pub Option<f64>);

impl<const R: usize> TryFrom<Plain> for OrOff<R> {
    type Error = String;

    fn try_from(plain: Plain) -> Result<Self, String> {
        match (&plain, plain.number()) {
            (Plain::Boolean(false), _) => Ok(Self(None)),
            (_, Some(value)) => Number::<R>::check(value).map(|number| Self(Some(number.0))),
            _ => plain.refuse("a number, or false to switch it off"),
        }
    }
}

impl<const R: usize> Serialize for OrOff<R> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.0.map_or_else(|| Plain::Boolean(false), Plain::Float).serialize(serializer)
    }
}

fn or_off_schema<const R: usize>(generator: &mut SchemaGenerator) -> Schema {
    json_schema!({ "anyOf": [number_schema::<R>(generator), { "const": false }] })
}

/// A whole number from `LOW` to `HIGH`; `u64::MAX`: of at least `LOW`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(try_from = "i64")]
#[schemars(inline, description = "", schema_with = "count_schema::<LOW, HIGH>")]
pub(crate) struct Count<const LOW: u64, const HIGH: u64 = { u32::MAX as u64 }>(pub u64);

impl<const LOW: u64, const HIGH: u64> Count<LOW, HIGH> {
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

impl<const LOW: u64, const HIGH: u64> TryFrom<i64> for Count<LOW, HIGH> {
    type Error = String;

    fn try_from(value: i64) -> Result<Self, String> {
        let fits = u64::try_from(value).ok().filter(|value| (LOW..=HIGH).contains(value));
        fits.map(Self).ok_or_else(|| match HIGH {
            u64::MAX => format!("is {value}, but must be a whole number at least {LOW}"),
            _ => format!("is {value}, but must be a whole number from {LOW} to {HIGH}"),
        })
    }
}

fn count_schema<const LOW: u64, const HIGH: u64>(_: &mut SchemaGenerator) -> Schema {
    match HIGH {
        u64::MAX => json_schema!({ "type": "integer", "minimum": LOW }),
        _ => json_schema!({ "type": "integer", "minimum": LOW, "maximum": HIGH }),
    }
}

/// A whole number from 1 to `HIGH`, or `"auto"` for `None`: the program chooses.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(try_from = "Plain")]
#[schemars(inline, description = "", schema_with = "auto_schema::<HIGH>")]
pub(crate) struct Auto<const HIGH: u64>(pub Option<u32>);

impl<const HIGH: u64> TryFrom<Plain> for Auto<HIGH> {
    type Error = String;

    fn try_from(plain: Plain) -> Result<Self, String> {
        match plain {
            Plain::Text(text) if text == "auto" => Ok(Self(None)),
            Plain::Integer(value) => {
                Count::<1, HIGH>::try_from(value).map(|count| Self(Some(count.to_u32())))
            }
            other => other.refuse("\"auto\" or a whole number of at least 1"),
        }
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

fn auto_schema<const HIGH: u64>(generator: &mut SchemaGenerator) -> Schema {
    json_schema!({ "anyOf": [{ "const": "auto" }, count_schema::<1, HIGH>(generator)] })
}
