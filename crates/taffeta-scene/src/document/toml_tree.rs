//! TOML with places.

use super::value::{Entry, Kind, Origin, SyntaxError, Value};
use toml::Spanned;
use toml::de::{DeTable, DeValue};

/// Parses a TOML text.
pub(crate) fn parse(text: &str) -> Result<Value, SyntaxError> {
    let table = DeTable::parse(text).map_err(|error| {
        let span = error.span().unwrap_or(0..0);
        SyntaxError { start: span.start, end: span.end, message: error.message().trim().to_owned() }
    })?;
    Ok(Value { kind: convert_table(table.get_ref(), None), origin: Origin::File { start: 0, end: 0 } })
}

/// Parses a single value of an override.
pub(crate) fn parse_value(text: &str, origin: Origin) -> Result<Value, SyntaxError> {
    let parsed = DeValue::parse(text).map_err(|error| SyntaxError {
        start: 0,
        end: text.len(),
        message: error.message().trim().to_owned(),
    })?;
    Ok(convert_value(&parsed, Some(origin)))
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
                value: convert_value(value, setting),
            };
            (key.span().start, entry)
        })
        .collect();
    entries.sort_by_key(|(start, _)| *start);
    Kind::Table(entries.into_iter().map(|(_, entry)| entry).collect())
}

/// Converts a TOML value; `setting` replaces the origins.
fn convert_value(value: &Spanned<DeValue<'_>>, setting: Option<Origin>) -> Value {
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
        DeValue::Array(items) => Kind::Array(items.iter().map(|item| convert_value(item, setting)).collect()),
        DeValue::Table(table) => convert_table(table, setting),
    };
    Value { kind, origin: setting.unwrap_or(origin_of(value.span())) }
}
