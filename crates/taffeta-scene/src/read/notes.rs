//! Problems of a document that is being read, and the values that are left out for them.

use crate::document::Document;
use crate::document::value::{Entry, Value};
use crate::error::Problem;
use crate::keys::ARRAY_OF_TABLES;
use crate::words::{did_you_mean, join_key, place_of};
use serde::de::{Error, Expected, Unexpected};
use std::cell::RefCell;
use std::collections::BTreeSet;
use std::fmt;
use std::ops::Bound;

/// Tables that have a key, of which a message tells at most.
const MOST_HOMES: usize = 3;

/// Why a value does not fit.
#[derive(Debug)]
pub(super) enum Misfit {
    /// It is of another type: what it must be.
    Type(String),
    /// It is not allowed: a predicate of the value. A second line is help.
    Predicate(String),
    /// A table, by its name in the schema, does not have a key.
    Missing { table: Option<&'static str>, field: &'static str },
    /// A table has a key that it cannot have.
    Unknown { known: &'static [&'static str] },
    /// It has been noted, but is to be left out.
    Noted,
    /// It has been noted, and is left out when the document is read again.
    LeftOut,
}

impl fmt::Display for Misfit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{self:?}")
    }
}

impl std::error::Error for Misfit {}

impl Error for Misfit {
    fn custom<T: fmt::Display>(text: T) -> Self {
        Self::Predicate(text.to_string())
    }

    fn invalid_type(_: Unexpected<'_>, expected: &dyn Expected) -> Self {
        Self::Type(expected.to_string())
    }

    fn invalid_length(_: usize, expected: &dyn Expected) -> Self {
        Self::Type(expected.to_string())
    }

    fn unknown_field(_: &str, known: &'static [&'static str]) -> Self {
        Self::Unknown { known }
    }

    fn missing_field(field: &'static str) -> Self {
        Self::Missing { table: None, field }
    }
}

/// Problems found while a document is read.
pub(super) struct Notes<'a> {
    document: &'a Document,
    pub problems: RefCell<Vec<Problem>>,
    /// Key paths of what is left out, since it has a problem.
    left_out: RefCell<BTreeSet<String>>,
    /// An example of a key of a table.
    example: fn(&str, &str) -> Option<String>,
    /// The key paths of the tables that have a key.
    homes: fn(&str) -> Vec<String>,
}

impl<'a> Notes<'a> {
    pub(super) fn new(
        document: &'a Document,
        example: fn(&str, &str) -> Option<String>,
        homes: fn(&str) -> Vec<String>,
    ) -> Self {
        Self { document, problems: RefCell::default(), left_out: RefCell::default(), example, homes }
    }

    pub(super) fn is_left_out(&self, key: &str) -> bool {
        self.left_out.borrow().contains(key)
    }

    pub(super) fn leave_out(&self, key: String) {
        self.left_out.borrow_mut().insert(key);
    }

    /// Returns whether something in the table at a path is left out. The table may not fit for that reason.
    fn misses_something(&self, key: &str) -> bool {
        let start = if key.is_empty() { String::new() } else { format!("{key}.") };
        let left_out = self.left_out.borrow();
        let mut after = left_out.range::<str, _>((Bound::Excluded(start.as_str()), Bound::Unbounded));
        after.next().is_some_and(|path| path.starts_with(&start))
    }

    /// Notes what is wrong with a value.
    pub(super) fn note(&self, value: &Value, key: &str, misfit: Misfit) {
        let (message, help) = match misfit {
            Misfit::Noted | Misfit::LeftOut => return,
            Misfit::Missing { .. } | Misfit::Predicate(_) if self.misses_something(key) => return,
            Misfit::Type(allowed) => {
                let help = (allowed == ARRAY_OF_TABLES && value.is_table()).then(|| {
                    let path: Vec<&str> =
                        key.split('.').filter(|part| part.parse::<usize>().is_err()).collect();
                    format!("write [[{}]] instead of [{0}]", path.join("."))
                });
                (format!("`{key}` is {}, but must be {allowed}", value.describe()), help)
            }
            Misfit::Predicate(text) => {
                let (text, help) = split(&text);
                (format!("`{key}` {text}"), help)
            }
            Misfit::Missing { table, field } => {
                let example = table.and_then(|table| (self.example)(table, field));
                (format!("`{field}` is missing{}", place_of(key)), example)
            }
            // A key has another place than its value.
            Misfit::Unknown { .. } => return,
        };
        let problem = self.document.problem_at(value.origin, key, message, help);
        self.problems.borrow_mut().push(problem);
    }

    /// Notes a key that a table does not have.
    pub(super) fn record_unknown(&self, table: &str, entry: &Entry, known: &[&str]) {
        let homes = || {
            let tables = (self.homes)(&entry.key);
            let tables: Vec<_> = tables.iter().take(MOST_HOMES).map(|table| format!("`{table}`")).collect();
            (!tables.is_empty()).then(|| format!("it is a key of {};", tables.join(" and ")))
        };
        let suggestion = did_you_mean(&entry.key, known).or_else(homes);
        let suggestion = suggestion.map_or(String::new(), |text| format!("{text} "));
        let help = format!("{suggestion}allowed keys{}: {}", place_of(table), known.join(", "));
        let message = format!("unknown key `{}`", entry.key);
        let whole = join_key(table, &entry.key);
        let problem = self.document.problem_at(entry.key_origin, &whole, message, Some(help));
        self.problems.borrow_mut().push(problem);
        self.leave_out(whole);
    }
}

/// The two lines of a refusal: what is allowed, or wrong, and help.
fn split(text: &str) -> (&str, Option<String>) {
    match text.split_once('\n') {
        Some((text, help)) => (text, Some(help.to_owned())),
        None => (text, None),
    }
}
