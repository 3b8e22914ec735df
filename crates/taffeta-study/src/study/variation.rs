//! Variation: `key.path=a,b,c`, and the names of the variants.
//!
//! An axis is a list of entries, separated by commas. An entry is one assignment `key.path=value` or several, joined by
//! `/`; an entry without a key takes the key of the entry before. Commas and slashes in quotes, brackets and braces
//! separate nothing, nor does a slash that no `key=` follows, as in `../shirt.obj`.

use super::StudyError;
use std::fmt;

/// A value for a key of the scene.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Assignment {
    /// Key path, as overrides spell it.
    pub key: String,
    /// The value as given.
    pub value: String,
}

impl fmt::Display for Assignment {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}={}", self.key, self.value)
    }
}

/// One thing that varies, with at least one entry.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Axis {
    /// The entries; each sets one or several keys.
    pub entries: Vec<Vec<Assignment>>,
}

impl Axis {
    /// Reads `key.path=a,b,c`.
    ///
    /// # Errors
    /// If a key or a value is missing, or if it is not clear which key a value is for.
    pub fn parse(text: &str) -> Result<Self, StudyError> {
        let fail = |reason: String| StudyError::Vary { text: text.to_owned(), reason };
        let mut entries: Vec<Vec<Assignment>> = Vec::new();
        for part in split_top_level(text, ',', |_| true) {
            let part = part.trim();
            if part.is_empty() {
                return Err(fail("a value is missing next to a comma".to_owned()));
            }
            let entry = match (starts_with_key(part), entries.last().map(Vec::as_slice)) {
                (true, _) => parse_assignments(part).map_err(fail)?,
                (false, Some([only])) => {
                    vec![Assignment { key: only.key.clone(), value: part.to_owned() }]
                }
                (false, Some(_)) => {
                    return Err(fail(format!(
                        "the entry `{part}` needs its keys, because the entry before it sets several"
                    )));
                }
                (false, None) => {
                    return Err(fail(
                        "expected key.path=a,b,c, for example cloth.0.grid.cells=[16,16],[32,32]".to_owned(),
                    ));
                }
            };
            entries.push(entry);
        }
        Ok(Self { entries })
    }

    /// The keys that some entry sets, in their order.
    pub fn keys(&self) -> Vec<&str> {
        let mut keys: Vec<&str> = Vec::new();
        for assignment in self.entries.iter().flatten() {
            if !keys.contains(&assignment.key.as_str()) {
                keys.push(&assignment.key);
            }
        }
        keys
    }
}

/// Reads assignments that are joined by `/`.
///
/// # Errors
/// What is wrong, in words.
pub(super) fn parse_assignments(text: &str) -> Result<Vec<Assignment>, String> {
    let mut assignments: Vec<Assignment> = Vec::new();
    for part in split_top_level(text, '/', starts_with_key) {
        let (key, value) = part.split_once('=').ok_or_else(|| format!("`{part}` is no key.path=value"))?;
        let (key, value) = (key.trim().to_owned(), value.trim().to_owned());
        if value.is_empty() {
            return Err(format!("`{key}` has no value"));
        }
        if assignments.iter().any(|other| other.key == key) {
            return Err(format!("`{key}` is set twice in `{text}`"));
        }
        assignments.push(Assignment { key, value });
    }
    Ok(assignments)
}

/// Returns whether a text starts with `key.path =`.
pub(super) fn starts_with_key(text: &str) -> bool {
    let is_word = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
    text.split_once('=').is_some_and(|(key, _)| {
        key.trim().split('.').all(|word| !word.is_empty() && word.chars().all(is_word))
    })
}

/// Splits at a separator outside of quotes and brackets, where `follows` accepts the rest of the text.
fn split_top_level(text: &str, separator: char, follows: impl Fn(&str) -> bool) -> Vec<&str> {
    let (mut parts, mut start, mut depth, mut quote) = (Vec::new(), 0, 0_usize, None);
    for (at, c) in text.char_indices() {
        match (quote, c) {
            (Some(open), _) if c == open => quote = None,
            (Some(_), _) => {}
            (None, '"' | '\'') => quote = Some(c),
            (None, '[' | '{') => depth += 1,
            (None, ']' | '}') => depth = depth.saturating_sub(1),
            (None, _) if c == separator && depth == 0 && follows(&text[at + 1..]) => {
                parts.push(&text[start..at]);
                start = at + 1;
            }
            (None, _) => {}
        }
    }
    parts.push(&text[start..]);
    parts
}

/// All combinations of one entry of each axis; the last axis runs fastest.
pub(super) fn combine(axes: &[Axis]) -> Vec<Vec<usize>> {
    axes.iter().fold(vec![Vec::new()], |chosen, axis| {
        let longer = |choice: &Vec<usize>| {
            let choice = choice.clone();
            (0..axis.entries.len()).map(move |entry| [choice.as_slice(), &[entry]].concat())
        };
        chosen.iter().flat_map(longer).collect()
    })
}

/// Short names of keys: as many words from the end as tell them apart.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct ShortNames {
    names: Vec<(String, String)>,
}

impl ShortNames {
    /// For a set of keys.
    pub(super) fn of(keys: &[String]) -> Self {
        let tail = |key: &str, words: usize| {
            let all: Vec<&str> = key.split('.').collect();
            all[all.len().saturating_sub(words)..].join(".")
        };
        let shortest = |key: &String| {
            let is_unique = |words: &usize| {
                let name = tail(key, *words);
                keys.iter().filter(|other| tail(other, *words) == name).count() == 1
            };
            let words = (1..=key.split('.').count()).find(is_unique);
            words.map_or(key.clone(), |words| tail(key, words))
        };
        Self { names: keys.iter().map(|key| (key.clone(), shortest(key))).collect() }
    }

    /// The short name of a key; an unknown key stays as it is.
    pub(super) fn get<'a>(&'a self, key: &'a str) -> &'a str {
        self.names.iter().find(|(long, _)| long == key).map_or(key, |(_, short)| short)
    }

    /// The label of assignments.
    pub(super) fn label(&self, assignments: &[Assignment]) -> String {
        if assignments.is_empty() {
            return "as the scene".to_owned();
        }
        let name = |a: &Assignment| {
            let value = a.value.trim_matches(['"', '\'']);
            format!("{}={}", self.get(&a.key), value.split_whitespace().collect::<Vec<_>>().join(" "))
        };
        assignments.iter().map(name).collect::<Vec<_>>().join(" ")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entries(text: &str) -> Vec<String> {
        let names = ShortNames::default();
        Axis::parse(text).unwrap().entries.iter().map(|entry| names.label(entry)).collect()
    }

    #[test]
    fn values_are_separated_by_commas_outside_of_brackets_and_quotes() {
        assert_eq!(entries("a.b=1, 2,3"), ["a.b=1", "a.b=2", "a.b=3"]);
        assert_eq!(entries("c=[16,16],[32, 32]"), ["c=[16,16]", "c=[32, 32]"]);
        assert_eq!(entries("m=\"x,y\",silk"), ["m=x,y", "m=silk"]);
        let tables = entries("m={ density = 0.1, bend = [1, 1] },{ density = 0.2 }");
        assert_eq!(tables, ["m={ density = 0.1, bend = [1, 1] }", "m={ density = 0.2 }"]);
        assert_eq!(entries("mesh=../a/b.obj,c.obj"), ["mesh=../a/b.obj", "mesh=c.obj"]);
    }

    #[test]
    fn an_entry_may_set_several_keys_and_each_entry_others() {
        let found = entries("s.solver=block/s.substeps=48,s.solver=direct");
        assert_eq!(found, ["s.solver=block s.substeps=48", "s.solver=direct"]);
        let axis = Axis::parse("cells=[8,8],remesh={ size_min = 0.1 }").unwrap();
        assert_eq!(axis.keys(), ["cells", "remesh"]);
    }

    #[test]
    fn malformed_axes_are_refused_in_words() {
        for (text, part) in [
            ("solver", "expected key.path"),
            ("a=1,,2", "missing next to a comma"),
            ("a=", "no value"),
            ("a=1/a=2", "set twice"),
            ("a=1/b=2,3", "needs its keys"),
        ] {
            let message = Axis::parse(text).unwrap_err().to_string();
            assert!(message.contains(part) && message.contains(&format!("--vary {text}")), "{message}");
        }
    }

    #[test]
    fn combinations_run_over_the_last_axis_first() {
        let axes = [Axis::parse("a=1,2").unwrap(), Axis::parse("b=x,y").unwrap()];
        assert_eq!(combine(&axes), [[0, 0], [0, 1], [1, 0], [1, 1]]);
    }

    #[test]
    fn names_are_as_short_as_they_may_be() {
        let keys = ["cloth.0.grid.cells", "cloth.0.pin.0.axes", "cloth.0.pin.1.axes"].map(str::to_owned);
        let names = ShortNames::of(&keys);
        assert_eq!(keys.each_ref().map(|key| names.get(key)), ["cells", "0.axes", "1.axes"]);
    }
}
