//! A scene file: its text, and the tree of its values.

use crate::error::{Location, Problem, SceneError};
use crate::value::{Kind, Origin, SyntaxError, Value};
use crate::{json, toml_tree};
use std::path::{Path, PathBuf};

/// A scene file, parsed.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Document {
    pub path: PathBuf,
    pub text: String,
    /// The overrides that have been applied, as `key.path=value`.
    pub settings: Vec<String>,
    pub root: Value,
}

impl Document {
    /// Parses a text as JSON or TOML, by the ending of the path.
    pub(crate) fn parse(text: &str, path: &Path) -> Result<Self, SceneError> {
        let is_json = path.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("json"));
        let mut document = Self {
            path: path.to_owned(),
            text: text.to_owned(),
            settings: Vec::new(),
            root: Value { kind: Kind::Table(Vec::new()), origin: Origin::File { start: 0, end: 0 } },
        };
        let (parsed, format) =
            if is_json { (json::parse(text), "JSON") } else { (toml_tree::parse(text), "TOML") };
        document.root = parsed.map_err(|error| document.syntax_error(error, format))?;
        Ok(document)
    }

    fn syntax_error(&self, SyntaxError { start, end, message }: SyntaxError, format: &str) -> SceneError {
        let message = format!("not valid {format}: {message}");
        let problem = self.problem_at(Origin::File { start, end }, "", message, None);
        SceneError::Invalid { problems: vec![problem], warnings: Vec::new() }
    }

    /// The value at a key path, if there is one.
    pub(crate) fn find(&self, key: &str) -> Option<&Value> {
        key.split('.').try_fold(&self.root, |value, segment| value.child(segment))
    }

    /// A problem at a key path, or at the nearest table around it that exists.
    pub(crate) fn problem(&self, key: &str, message: String, help: Option<String>) -> Problem {
        let (mut value, mut origin) = (&self.root, self.root.origin);
        for segment in key.split('.').filter(|segment| !segment.is_empty()) {
            let Some(child) = value.child(segment) else { break };
            origin = child.origin;
            value = child;
        }
        self.problem_at(origin, key, message, help)
    }

    /// A problem at a known origin.
    pub(crate) fn problem_at(
        &self,
        origin: Origin,
        key: &str,
        message: String,
        help: Option<String>,
    ) -> Problem {
        let (location, setting) = match origin {
            Origin::File { start, end } => (Some(Location::of_bytes(&self.text, start, end)), None),
            Origin::Setting(number) => (None, self.settings.get(number).cloned()),
        };
        Problem { path: self.path.clone(), location, setting, key: key.to_owned(), message, help }
    }
}
