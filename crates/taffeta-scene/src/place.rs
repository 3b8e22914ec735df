//! Key paths of a document whose tables are being checked: where problems and warnings are noted.

use crate::document::Document;
use crate::error::{Problem, SceneError};
use crate::words::{join_key, place_of};
use std::cell::RefCell;
use std::fmt;
use std::path::PathBuf;
use taffeta_sim::rules::Mismatch;

/// Problems and warnings found in a document so far.
pub(crate) struct Check<'a> {
    document: &'a Document,
    problems: RefCell<Vec<Problem>>,
    warnings: RefCell<Vec<String>>,
}

impl<'a> Check<'a> {
    /// Begins.
    pub(crate) fn new(document: &'a Document) -> Self {
        Self { document, problems: RefCell::default(), warnings: RefCell::default() }
    }

    /// The whole document.
    pub(crate) fn root(&self) -> Place<'_> {
        Place { check: self, key: String::new() }
    }

    /// Ends with the warnings in the order in which they were noted.
    ///
    /// # Errors
    /// All problems in the order of the file; those of overrides come last. The warnings go with them.
    pub(crate) fn finish(self) -> Result<Vec<String>, SceneError> {
        refuse(self.problems.into_inner(), self.warnings.into_inner())
    }
}

/// The warnings, if there are no problems.
///
/// # Errors
/// The problems in the order of the file, those of overrides last, with the warnings.
pub(crate) fn refuse(mut problems: Vec<Problem>, warnings: Vec<String>) -> Result<Vec<String>, SceneError> {
    let place = |p: &Problem| p.location.as_ref().map_or((usize::MAX, 0), |at| (at.line, at.column));
    problems.sort_by_key(place);
    if problems.is_empty() { Ok(warnings) } else { Err(SceneError::Invalid { problems, warnings }) }
}

/// A key path. Written out it is the path itself.
#[derive(Clone)]
pub(crate) struct Place<'a> {
    check: &'a Check<'a>,
    key: String,
}

impl<'a> Place<'a> {
    /// The path of a key in the table at this path, or of an element in the array.
    pub(crate) fn at(&self, key: impl fmt::Display) -> Place<'a> {
        Place { check: self.check, key: join_key(&self.key, &key.to_string()) }
    }

    /// Notes a problem with the value at this path or, where there is none, with the table around it.
    pub(crate) fn refuse<'h>(&self, message: String, help: impl Into<Option<&'h str>>) {
        let help = help.into().map(str::to_owned);
        let problem = self.check.document.problem(&self.key, message, help);
        self.check.problems.borrow_mut().push(problem);
    }

    /// Notes settings that do not go together, one of which is in the table at this path.
    pub(crate) fn refuse_mismatch(&self, found: &Mismatch) {
        let at = self.at(&found.key);
        at.refuse(found.sentence(&at.key), found.help.as_str());
    }

    /// Notes that a key of this table is missing.
    pub(crate) fn miss(&self, key: &str, example: &str) {
        self.refuse(
            format!("`{key}` is missing{}", place_of(&self.key)),
            format!("for example {example}").as_str(),
        );
    }

    /// Returns the keys among these that the table at this path has.
    pub(crate) fn given<'k>(&self, keys: &[&'k str]) -> Vec<&'k str> {
        let document = self.check.document;
        keys.iter().copied().filter(|key| document.find(&join_key(&self.key, key)).is_some()).collect()
    }

    /// The only key of several that the table at this path has. If it is not the only one, notes that, with help.
    pub(crate) fn only_one<'k>(&self, keys: &[&'k str], help: &str) -> Option<&'k str> {
        let given = self.given(keys);
        if let [only] = given.as_slice() {
            return Some(*only);
        }
        let found = match given.as_slice() {
            [] => "none".to_owned(),
            [_, _] if keys.len() == 2 => format!("both, {}", given.join(" and ")),
            _ => given.join(" and "),
        };
        let message = format!("`{self}` must have exactly one of {}, but has {found}", keys.join(", "));
        self.refuse(message, Some(help).filter(|help| !help.is_empty()));
        None
    }

    /// Notes what is odd, though not wrong.
    pub(crate) fn warn(&self, text: String) {
        self.check.warnings.borrow_mut().push(text);
    }

    /// A path from the root of the file system; in the document it is relative to its folder. It stays as it is if there is
    /// no current folder.
    pub(crate) fn absolute(&self, path: &str) -> PathBuf {
        let path = self.check.document.source.folder.join(path);
        std::path::absolute(&path).unwrap_or(path)
    }
}

impl fmt::Display for Place<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.key)
    }
}
