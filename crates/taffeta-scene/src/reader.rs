//! A typed reader over a [`Document`]: every problem is noted with its place, and reading goes on.

use crate::document::{Document, Kind, Value};
use crate::error::{Problem, SceneError};
use glam::{DVec2, DVec3};
use std::cell::RefCell;

/// What is shared while a document is read.
pub(crate) struct Context<'a> {
    pub document: &'a Document,
    problems: RefCell<Vec<Problem>>,
    /// The keys that each table that was read may have, by key path.
    #[cfg(test)]
    pub tables: RefCell<std::collections::BTreeMap<String, std::collections::BTreeSet<String>>>,
}

impl<'a> Context<'a> {
    /// Starts reading.
    pub(crate) fn new(document: &'a Document) -> Self {
        Self {
            document,
            problems: RefCell::new(Vec::new()),
            #[cfg(test)]
            tables: RefCell::default(),
        }
    }

    /// Notes a problem at a key path.
    pub(crate) fn report(&self, key: &str, message: String, help: Option<String>) {
        let problem = self.document.problem(key, message, help);
        self.problems.borrow_mut().push(problem);
    }

    /// Ends reading.
    ///
    /// # Errors
    /// All problems in the order of the file; those of overrides come last.
    pub(crate) fn finish(self) -> Result<(), SceneError> {
        let mut problems = self.problems.into_inner();
        let place = |p: &Problem| p.location.as_ref().map_or((usize::MAX, 0), |at| (at.line, at.column));
        problems.sort_by_key(place);
        if problems.is_empty() { Ok(()) } else { Err(SceneError::Invalid { problems }) }
    }

    /// The whole document.
    pub(crate) fn root(&self) -> Item<'_> {
        Item { context: self, value: &self.document.root, key: String::new() }
    }
}

/// A set of numbers, with its name in messages.
#[derive(Clone, Copy)]
pub(crate) enum Range {
    /// Every finite number.
    Finite,
    /// Finite and greater than 0.
    Positive,
    /// Finite and at least 0.
    NotNegative,
    /// From 0 to 1.
    Part,
    /// Finite and at least 1.
    AtLeastOne,
}

/// The largest number that a scene may have: energies and their second derivatives have products of several numbers, which
/// must not overflow.
const LARGEST: f64 = 1e30;

impl Range {
    fn contains(self, value: f64) -> bool {
        value.abs() <= LARGEST
            && match self {
                Range::Finite => true,
                Range::Positive => value > 0.0,
                Range::NotNegative => value >= 0.0,
                Range::Part => (0.0..=1.0).contains(&value),
                Range::AtLeastOne => value >= 1.0,
            }
    }

    fn words(self) -> &'static str {
        match self {
            Range::Finite => "finite",
            Range::Positive => "finite and greater than 0",
            Range::NotNegative => "finite and at least 0",
            Range::Part => "from 0 to 1",
            Range::AtLeastOne => "finite and at least 1",
        }
    }
}

/// A value at a key path. The readers note a problem and return `None` if the value does not fit.
#[derive(Clone)]
pub(crate) struct Item<'a> {
    pub context: &'a Context<'a>,
    pub value: &'a Value,
    pub key: String,
}

impl<'a> Item<'a> {
    /// Notes a problem with this value.
    pub(crate) fn report(&self, message: String, help: Option<String>) {
        let problem = self.context.document.problem_at(self.value.origin, &self.key, message, help);
        self.context.problems.borrow_mut().push(problem);
    }

    fn wrong_type<T>(&self, expected: &str) -> Option<T> {
        self.report(format!("`{}` is {}, but must be {expected}", self.key, self.value.describe()), None);
        None
    }

    /// A number; whole numbers are fine.
    pub(crate) fn number(&self, range: Range) -> Option<f64> {
        let value = match self.value.kind {
            Kind::Integer(integer) => integer as f64,
            Kind::Float(number) => number,
            _ => return self.wrong_type("a number"),
        };
        if !range.contains(value) {
            let bound = if value.is_finite() && value.abs() > LARGEST {
                format!("at most {LARGEST:e}, beyond which products of numbers overflow")
            } else {
                range.words().to_owned()
            };
            // No row of three hundred zeros.
            let shown = if value.abs() > LARGEST { format!("{value:e}") } else { value.to_string() };
            self.report(format!("`{}` is {shown}, but must be {bound}", self.key), None);
            return None;
        }
        Some(value)
    }

    /// A number, or `Some(None)` for `false`: what it belongs to is switched off.
    pub(crate) fn number_or_off(&self, range: Range) -> Option<Option<f64>> {
        match self.value.kind {
            Kind::Boolean(false) => Some(None),
            Kind::Integer(_) | Kind::Float(_) => self.number(range).map(Some),
            _ => self.wrong_type("a number, or false to switch it off"),
        }
    }

    /// A whole number of at least `low` and at most `high`.
    pub(crate) fn integer(&self, low: u64, high: u64) -> Option<u64> {
        let Kind::Integer(value) = self.value.kind else { return self.wrong_type("a whole number") };
        let fits = u64::try_from(value).ok().filter(|value| (low..=high).contains(value));
        if fits.is_none() {
            let allowed = match high {
                u64::MAX => format!("at least {low}"),
                _ => format!("from {low} to {high}"),
            };
            self.report(format!("`{}` is {value}, but must be a whole number {allowed}", self.key), None);
        }
        fits
    }

    /// `true` or `false`.
    pub(crate) fn boolean(&self) -> Option<bool> {
        match self.value.kind {
            Kind::Boolean(value) => Some(value),
            _ => self.wrong_type("true or false"),
        }
    }

    /// A text.
    pub(crate) fn string(&self) -> Option<&'a str> {
        match &self.value.kind {
            Kind::String(text) => Some(text),
            _ => self.wrong_type("a string"),
        }
    }

    /// One of several words.
    pub(crate) fn choice<T: Clone>(&self, words: &[(&str, T)]) -> Option<T> {
        let names: Vec<&str> = words.iter().map(|(word, _)| *word).collect();
        let allowed = quoted_list(&names);
        let Kind::String(text) = &self.value.kind else {
            return self.wrong_type(&format!("one of {allowed}"));
        };
        let found = words.iter().find(|(word, _)| word == text).map(|(_, value)| value.clone());
        if found.is_none() {
            let help = did_you_mean(text, &names);
            self.report(format!("`{}` is {text:?}, but must be one of {allowed}", self.key), help);
        }
        found
    }

    /// The elements of an array.
    pub(crate) fn array(&self) -> Option<Vec<Item<'a>>> {
        let Kind::Array(items) = &self.value.kind else { return self.wrong_type("an array") };
        let item =
            |(index, value)| Item { context: self.context, value, key: format!("{}.{index}", self.key) };
        Some(items.iter().enumerate().map(item).collect())
    }

    /// A fixed number of elements.
    pub(crate) fn array_of<const N: usize>(&self, what: &str) -> Option<[Item<'a>; N]> {
        let expected = format!("an array of {N} {what}");
        match &self.value.kind {
            Kind::Array(items) if items.len() == N => self.array()?.try_into().ok(),
            _ => self.wrong_type(&expected),
        }
    }

    /// `N` numbers. Problems of the single numbers are all noted.
    pub(crate) fn numbers<const N: usize>(&self, range: Range) -> Option<[f64; N]> {
        let read = self.array_of::<N>("numbers")?.map(|item| item.number(range));
        read.iter().all(Option::is_some).then(|| read.map(Option::unwrap_or_default))
    }

    /// Two finite numbers.
    pub(crate) fn vec2(&self) -> Option<DVec2> {
        self.numbers(Range::Finite).map(DVec2::from_array)
    }

    /// Three finite numbers.
    pub(crate) fn vec3(&self) -> Option<DVec3> {
        self.numbers(Range::Finite).map(DVec3::from_array)
    }

    /// A table with known keys; others are noted.
    pub(crate) fn table(&self, known: &[&str]) -> Option<TableReader<'a>> {
        let Kind::Table(entries) = &self.value.kind else {
            return self.wrong_type(&format!("a table with the keys {}", known.join(", ")));
        };
        #[cfg(test)]
        self.context
            .tables
            .borrow_mut()
            .insert(self.key.clone(), known.iter().map(|key| (*key).to_owned()).collect());
        for entry in entries.iter().filter(|entry| !known.contains(&entry.key.as_str())) {
            let whole = join_key(&self.key, &entry.key);
            let suggestion = did_you_mean(&entry.key, known).map_or(String::new(), |text| format!("{text} "));
            let help = format!("{suggestion}allowed keys{}: {}", place_of(&self.key), known.join(", "));
            let message = format!("unknown key `{}`", entry.key);
            let problem = self.context.document.problem_at(entry.key_origin, &whole, message, Some(help));
            self.context.problems.borrow_mut().push(problem);
        }
        Some(TableReader { item: self.clone() })
    }
}

/// A table that is being read.
#[derive(Clone)]
pub(crate) struct TableReader<'a> {
    pub item: Item<'a>,
}

impl<'a> TableReader<'a> {
    /// The value under a key, unless it is absent.
    pub(crate) fn get(&self, key: &str) -> Option<Item<'a>> {
        let entry = self.item.value.entry(key)?;
        let key = join_key(&self.item.key, key);
        Some(Item { context: self.item.context, value: &entry.value, key })
    }

    /// The value under a key that must be there.
    pub(crate) fn require(&self, key: &str, example: &str) -> Option<Item<'a>> {
        let found = self.get(key);
        if found.is_none() {
            let place = place_of(&self.item.key);
            self.item.report(format!("`{key}` is missing{place}"), Some(format!("for example {example}")));
        }
        found
    }

    /// A number, or the default.
    pub(crate) fn number(&self, key: &str, default: f64, range: Range) -> f64 {
        self.get(key).and_then(|item| item.number(range)).unwrap_or(default)
    }

    /// A number or `None` for `false`, or the default.
    pub(crate) fn number_or_off(&self, key: &str, default: Option<f64>, range: Range) -> Option<f64> {
        self.get(key).and_then(|item| item.number_or_off(range)).unwrap_or(default)
    }

    /// `true` or `false`, or the default.
    pub(crate) fn boolean(&self, key: &str, default: bool) -> bool {
        self.get(key).and_then(|item| item.boolean()).unwrap_or(default)
    }

    /// Two positive numbers, or the default.
    pub(crate) fn positive_pair(&self, key: &str, default: [f64; 2]) -> [f64; 2] {
        self.get(key).and_then(|item| item.numbers(Range::Positive)).unwrap_or(default)
    }

    /// Three finite numbers, or the default.
    pub(crate) fn vec3(&self, key: &str, default: DVec3) -> DVec3 {
        self.get(key).and_then(|item| item.vec3()).unwrap_or(default)
    }

    /// A whole number, or the default.
    pub(crate) fn integer(&self, key: &str, default: u64, low: u64, high: u64) -> u64 {
        self.get(key).and_then(|item| item.integer(low, high)).unwrap_or(default)
    }

    /// The tables of an array of tables; none if it is absent.
    pub(crate) fn tables(&self, key: &str) -> Vec<Item<'a>> {
        let Some(item) = self.get(key) else { return Vec::new() };
        if matches!(item.value.kind, Kind::Table(_)) {
            let message = format!("`{}` is a table, but must be an array of tables", item.key);
            let path: Vec<&str> = item.key.split('.').filter(|part| part.parse::<usize>().is_err()).collect();
            item.report(message, Some(format!("write [[{}]] instead of [{0}]", path.join("."))));
            return Vec::new();
        }
        item.array().unwrap_or_default()
    }
}

/// The key path of a key in a table.
pub(crate) fn join_key(table: &str, key: &str) -> String {
    if table.is_empty() { key.to_owned() } else { format!("{table}.{key}") }
}

fn place_of(table: &str) -> String {
    if table.is_empty() { String::new() } else { format!(" in `{table}`") }
}

/// `"a", "b"`.
pub(crate) fn quoted_list(words: &[&str]) -> String {
    words.iter().map(|word| format!("{word:?}")).collect::<Vec<_>>().join(", ")
}

/// A suggestion for a misspelled word.
pub(crate) fn did_you_mean(word: &str, words: &[&str]) -> Option<String> {
    let limit = (word.chars().count() / 3).max(1);
    let nearest = words.iter().map(|other| (edit_distance(word, other), *other)).min()?;
    (nearest.0 <= limit).then(|| format!("did you mean `{}`?", nearest.1))
}

/// Levenshtein distance in characters, case ignored.
fn edit_distance(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.to_lowercase().chars().collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.to_lowercase().chars().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, y) in b.iter().enumerate() {
            let replaced = diagonal + usize::from(x != *y);
            diagonal = row[j + 1];
            row[j + 1] = replaced.min(row[j] + 1).min(row[j + 1] + 1);
        }
    }
    row[b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn near_misses_are_suggested() {
        assert_eq!(
            did_you_mean("frame_rat", &["duration", "frame_rate"]).unwrap(),
            "did you mean `frame_rate`?"
        );
        assert_eq!(did_you_mean("Cotton", &["cotton", "silk"]).unwrap(), "did you mean `cotton`?");
        assert_eq!(did_you_mean("xyz", &["cotton", "silk"]), None);
    }
}
