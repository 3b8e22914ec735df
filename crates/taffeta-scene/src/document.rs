//! A scene file: its text, and the tree of its values.

pub(crate) mod json;
pub(crate) mod toml_tree;
pub(crate) mod value;

use crate::error::{Location, Problem, SceneError};
use std::path::{Path, PathBuf};
use value::{Kind, Origin, SyntaxError, Value};

/// Source of a scene: everything that the scene is read from. Reading it again gives an equal scene, in any process and
/// whatever its current folder is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SceneSource {
    /// Path that names the scene in messages. Its ending decides between JSON and TOML.
    pub path: PathBuf,
    /// Folder to which relative paths in the scene are relative.
    pub folder: PathBuf,
    /// Text of the file.
    pub text: String,
    /// Overrides in their order, as `key.path=value`.
    pub settings: Vec<String>,
}

impl SceneSource {
    /// Source of a text at a path, without overrides. A relative path starts from the current folder.
    pub(crate) fn new(text: &str, path: &Path) -> Self {
        let folder = path.parent().unwrap_or(Path::new(""));
        // The current folder itself has an empty path, which has no absolute form. Without a current folder the path stays.
        let folder = if folder == Path::new("") { Path::new(".") } else { folder };
        Self {
            path: path.to_owned(),
            folder: std::path::absolute(folder).unwrap_or_else(|_| folder.to_owned()),
            text: text.strip_prefix('\u{feff}').unwrap_or(text).to_owned(),
            settings: Vec::new(),
        }
    }
}

/// A scene file, parsed.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Document {
    pub source: SceneSource,
    pub root: Value,
}

impl Document {
    /// Parses a text as JSON or TOML, by the ending of the path. The overrides are not applied.
    pub(crate) fn parse(source: SceneSource) -> Result<Self, SceneError> {
        let is_json = source.path.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("json"));
        let root = Value { kind: Kind::Table(Vec::new()), origin: Origin::File { start: 0, end: 0 } };
        let mut document = Self { source, root };
        let text = &document.source.text;
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
        let SceneSource { path, text, settings, .. } = &self.source;
        let (location, setting) = match origin {
            Origin::File { start, end } => (Some(Location::of_bytes(text, start, end)), None),
            Origin::Setting(number) => (None, settings.get(number).cloned()),
        };
        Problem { path: path.clone(), location, setting, key: key.to_owned(), message, help }
    }
}
