//! Values of scenes as Python values, and the other way round.

use crate::errors::error;
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyDict, PyFloat, PyInt, PyList, PyString, PyTuple};
use serde_json::Value;

/// Nesting at which a value is taken for one that contains itself.
const DEEPEST: usize = 80;

/// A JSON value as dicts, lists, numbers, strings, truth values and `None`.
pub(crate) fn to_python<'py>(py: Python<'py>, value: &Value) -> PyResult<Bound<'py, PyAny>> {
    Ok(match value {
        Value::Null => py.None().into_bound(py),
        Value::Bool(value) => PyBool::new(py, *value).to_owned().into_any(),
        Value::Number(number) => match number.as_i64() {
            Some(integer) => integer.into_pyobject(py)?.into_any(),
            None => number.as_f64().unwrap_or(f64::NAN).into_pyobject(py)?.into_any(),
        },
        Value::String(text) => PyString::new(py, text).into_any(),
        Value::Array(items) => {
            let list = PyList::empty(py);
            for item in items {
                list.append(to_python(py, item)?)?;
            }
            list.into_any()
        }
        Value::Object(entries) => {
            let dict = PyDict::new(py);
            for (key, entry) in entries {
                dict.set_item(key, to_python(py, entry)?)?;
            }
            dict.into_any()
        }
    })
}

/// Syntax of a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Syntax {
    Json,
    /// A value of TOML on one line.
    Toml,
}

/// Writes a Python value as text that a scene is read from. `key` names it in messages.
pub(crate) fn write_value(value: &Bound<'_, PyAny>, key: &str, syntax: Syntax) -> PyResult<String> {
    let mut text = String::new();
    write_into(value, key, syntax, &mut text, 0)?;
    Ok(text)
}

fn write_into(
    value: &Bound<'_, PyAny>,
    key: &str,
    syntax: Syntax,
    text: &mut String,
    depth: usize,
) -> PyResult<()> {
    if depth > DEEPEST {
        let reason = format!("`{key}` nests deeper than {DEEPEST} values; does it contain itself?");
        return Err(error(value.py(), "ArrayError", reason));
    }
    let inner = |name: &str| if key.is_empty() { name.to_owned() } else { format!("{key}.{name}") };
    if let Ok(dict) = value.cast::<PyDict>() {
        return write_table(dict, key, syntax, depth, text);
    }
    if value.is_instance_of::<PyList>() || value.is_instance_of::<PyTuple>() {
        text.push('[');
        for (number, item) in value.try_iter()?.enumerate() {
            text.push_str(if number > 0 { ", " } else { "" });
            write_into(&item?, &inner(&number.to_string()), syntax, text, depth + 1)?;
        }
        text.push(']');
        return Ok(());
    }
    if let Ok(word) = value.cast::<PyString>() {
        text.push_str(&Value::from(word.to_str()?).to_string());
    } else if let Ok(truth) = value.cast::<PyBool>() {
        text.push_str(if truth.is_true() { "true" } else { "false" });
    } else if value.is_instance_of::<PyInt>() {
        text.push_str(value.str()?.to_str()?);
    } else if value.is_instance_of::<PyFloat>() {
        text.push_str(&write_float(value.extract()?, syntax));
    } else if value.hasattr("tolist")? {
        // NumPy arrays and numbers.
        write_into(&value.call_method0("tolist")?, key, syntax, text, depth + 1)?;
    } else if value.hasattr("__fspath__")? {
        write_into(&value.call_method0("__fspath__")?, key, syntax, text, depth + 1)?;
    } else {
        let kind = value.get_type().name()?;
        let allowed = "a dict, list, tuple, NumPy array, number, string, path or truth value";
        return Err(error(
            value.py(),
            "ArrayTypeError",
            format!("`{key}` is of type {kind}, but must be {allowed}; leave out a key for its default"),
        ));
    }
    Ok(())
}

fn write_table(
    dict: &Bound<'_, PyDict>,
    key: &str,
    syntax: Syntax,
    depth: usize,
    text: &mut String,
) -> PyResult<()> {
    let indent =
        if syntax == Syntax::Json { "\n".to_owned() + &"  ".repeat(depth + 1) } else { " ".to_owned() };
    text.push('{');
    for (number, (name, entry)) in dict.iter().enumerate() {
        let Ok(name) = name.cast::<PyString>() else {
            let reason = format!("`{key}` has the key {}, but keys must be strings", name.repr()?);
            return Err(error(dict.py(), "ArrayTypeError", reason));
        };
        let name = name.to_str()?;
        text.push_str(if number > 0 { "," } else { "" });
        text.push_str(&indent);
        text.push_str(&Value::from(name).to_string());
        text.push_str(if syntax == Syntax::Json { ": " } else { " = " });
        let inner = if key.is_empty() { name.to_owned() } else { format!("{key}.{name}") };
        write_into(&entry, &inner, syntax, text, depth + 1)?;
    }
    if syntax == Syntax::Json && !dict.is_empty() {
        text.push('\n');
        text.push_str(&"  ".repeat(depth));
    }
    text.push('}');
    Ok(())
}

/// A number that is read back to the same bits. JSON knows no infinite numbers: those become ones beyond all.
fn write_float(number: f64, syntax: Syntax) -> String {
    match (number.is_finite(), syntax) {
        (true, _) => format!("{number:?}"),
        (false, Syntax::Toml) => number.to_string().to_lowercase(),
        (false, Syntax::Json) => format!("\"{number}\""),
    }
}
