//! The types that keys of a scene have: each says what is allowed, reads it, writes it, and describes it in the schema.
//!
//! Tables of a scene are structs of these types. Their documentation is what the schema and the reference of keys say,
//! their names are the keys, their order is that of messages. What several keys allow together is checked afterwards, in the
//! `resolve` of the tables.
//!
//! A refusal ([`Error::custom`](serde::de::Error::custom)) is a predicate of the key: `is empty`. A second line is help.

mod list;
mod number;
mod plain;
mod word;

pub(crate) use list::{ARRAY_OF_TABLES, Corner, Fixed, Numbers, Spread, Tables, Vector};
pub(crate) use number::{
    ABOVE_ZERO, Auto, Count, FINITE, FROM_ONE, FROM_ZERO, NotNegative, Number, OrOff, Part, Positive,
};
pub(crate) use plain::Plain;
pub(crate) use word::{Always, BodyName, Choice, FilePath, Ignored, ReadableName, Words};

/// The keyword of a schema whose table has exactly one of these keys: `oneOf`.
pub(crate) fn exactly_one(keys: &[&str]) -> serde_json::Value {
    keys.iter().map(|key| serde_json::json!({ "required": [key] })).collect()
}

/// A table in canonical form: keys in alphabetical order, without those that have no value.
pub(crate) fn canonical(table: &impl serde::Serialize) -> serde_json::Value {
    let mut json = serde_json::to_value(table).expect("keys of tables are strings");
    drop_nulls(&mut json);
    json
}

fn drop_nulls(json: &mut serde_json::Value) {
    match json {
        serde_json::Value::Array(items) => items.iter_mut().for_each(drop_nulls),
        serde_json::Value::Object(entries) => {
            entries.retain(|_, value| !value.is_null());
            entries.values_mut().for_each(drop_nulls);
        }
        _ => {}
    }
}
