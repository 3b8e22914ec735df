//! Problems of a scene, and their places.
//!
//! A [`SceneError`] prints a complete report: file, line and column, the line itself with a caret, what was found, what
//! is allowed.

use std::fmt;
use std::path::PathBuf;

/// Problems that are printed; the rest is counted.
const PRINTED_PROBLEMS: usize = 20;

/// A scene that cannot be used.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum SceneError {
    /// A file cannot be read or written.
    #[error("{}: {reason}", path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// Why not.
        reason: String,
    },
    /// An override is not of the form `key.path=value`.
    #[error("{}: {reason}", spell_option(text))]
    Override {
        /// The override as given.
        text: String,
        /// Description of the defect.
        reason: String,
    },
    /// The scene has errors, in the order of their places in the file.
    #[error("{}", print_problems(problems, &spell_option))]
    Invalid {
        /// The errors, at least one.
        problems: Vec<Problem>,
        /// Warnings of what was read before the scene was refused; one line each, no part of the printed report.
        warnings: Vec<String>,
    },
}

/// Spells an override as the command line gives it.
fn spell_option(setting: &str) -> String {
    format!("--set {setting}")
}

impl SceneError {
    /// The report with overrides spelled by `spell`, which gets each as `key.path=value`. It is for callers that set values in
    /// another way than the command line does.
    pub fn spelled(&self, spell: &dyn Fn(&str) -> String) -> String {
        match self {
            SceneError::File { .. } => self.to_string(),
            SceneError::Override { text, reason } => format!("{}: {reason}", spell(text)),
            SceneError::Invalid { problems, .. } => print_problems(problems, spell),
        }
    }

    /// The located errors; empty if the scene could not be read at all.
    pub fn problems(&self) -> &[Problem] {
        match self {
            SceneError::Invalid { problems, .. } => problems,
            SceneError::File { .. } | SceneError::Override { .. } => &[],
        }
    }

    /// Warnings of what was read before the scene was refused.
    pub fn warnings(&self) -> &[String] {
        match self {
            SceneError::Invalid { warnings, .. } => warnings,
            SceneError::File { .. } | SceneError::Override { .. } => &[],
        }
    }
}

/// One error in a scene.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// The scene file.
    pub path: PathBuf,
    /// Place in the file; `None` if the value comes from an override.
    pub location: Option<Location>,
    /// The override that set the value, as `key.path=value`.
    pub setting: Option<String>,
    /// The key path, as overrides spell it: `cloth.0.grid.cells`. Empty: the whole file.
    pub key: String,
    /// Description of the problem.
    pub message: String,
    /// The allowed values, or advice.
    pub help: Option<String>,
}

/// A place in a text file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Location {
    /// Line, from 1.
    pub line: usize,
    /// Column in characters, from 1.
    pub column: usize,
    /// Length in characters within the line, at least 1.
    pub length: usize,
    /// The line without its end.
    pub text: String,
}

impl Location {
    /// The place of a range of bytes in a text.
    pub fn of_bytes(text: &str, start: usize, end: usize) -> Self {
        let start = floor_char_boundary(text, start);
        let end = floor_char_boundary(text, end).max(start);
        let line_start = text[..start].rfind('\n').map_or(0, |at| at + 1);
        let line_end = text[start..].find('\n').map_or(text.len(), |at| start + at);
        Self {
            line: text[..start].matches('\n').count() + 1,
            column: text[line_start..start].chars().count() + 1,
            length: text[start..end.min(line_end)].trim_end().chars().count().max(1),
            text: text[line_start..line_end].trim_end_matches('\r').to_owned(),
        }
    }

    /// The line with a caret below the place, behind a gutter.
    fn excerpt(&self, gutter: &str) -> String {
        // Tabs stay tabs under the line, so that the caret lines up.
        let indent = self.text.chars().take(self.column - 1);
        let indent: String = indent.map(|c| if c == '\t' { '\t' } else { ' ' }).collect();
        let (line, text, carets) = (self.line, &self.text, "^".repeat(self.length));
        format!("{gutter} |\n{line} | {text}\n{gutter} | {indent}{carets}")
    }
}

fn floor_char_boundary(text: &str, at: usize) -> usize {
    let at = at.min(text.len());
    (0..=at).rev().find(|k| text.is_char_boundary(*k)).unwrap_or(0)
}

impl Problem {
    /// The report with an override spelled by `spell`, which gets it as `key.path=value`.
    pub fn spelled(&self, spell: &dyn Fn(&str) -> String) -> String {
        let (path, message) = (self.path.display(), &self.message);
        let (mut report, margin) = match (&self.location, &self.setting) {
            (Some(at), _) => {
                let gutter = " ".repeat(at.line.to_string().len());
                (format!("{path}:{}:{}: {message}\n{}", at.line, at.column, at.excerpt(&gutter)), gutter)
            }
            (None, Some(setting)) => (format!("{path}: {}: {message}", spell(setting)), " ".to_owned()),
            (None, None) => (format!("{path}: {message}"), " ".to_owned()),
        };
        if let Some(help) = &self.help {
            report += &format!("\n{margin} = {help}");
        }
        report
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.spelled(&spell_option))
    }
}

fn print_problems(problems: &[Problem], spell: &dyn Fn(&str) -> String) -> String {
    let printed = problems.iter().take(PRINTED_PROBLEMS).map(|problem| problem.spelled(spell));
    let mut report: Vec<String> = printed.collect();
    if problems.len() > PRINTED_PROBLEMS {
        report.push(format!("… and {} more errors", problems.len() - PRINTED_PROBLEMS));
    }
    report.join("\n\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_place_counts_lines_and_characters_from_one() {
        let text = "a = 1\nν = 2\r\nlast";
        let at = Location::of_bytes(text, 11, 12);
        assert_eq!((at.line, at.column, at.length, at.text.as_str()), (2, 5, 1, "ν = 2"));
        let end = Location::of_bytes(text, 999, 999);
        assert_eq!((end.line, end.column), (3, 5));
    }

    #[test]
    fn a_report_shows_the_line_with_a_caret() {
        let text = "x = 1\n\ty = -3\n";
        let problem = Problem {
            path: "a.toml".into(),
            location: Some(Location::of_bytes(text, 11, 13)),
            setting: None,
            key: "y".into(),
            message: "`y` is -3".into(),
            help: Some("must be positive".into()),
        };
        let report = problem.to_string();
        assert_eq!(report, "a.toml:2:6: `y` is -3\n  |\n2 | \ty = -3\n  | \t    ^^\n  = must be positive");
    }

    #[test]
    fn an_override_is_spelled_as_the_caller_sets_values() {
        let problem = Problem {
            path: "a.toml".into(),
            location: None,
            setting: Some("x.y=3".to_owned()),
            key: "x.y".into(),
            message: "`x.y` is 3".into(),
            help: Some("must be 2".into()),
        };
        assert_eq!(problem.to_string(), "a.toml: --set x.y=3: `x.y` is 3\n  = must be 2");
        let error = SceneError::Invalid { problems: vec![problem], warnings: Vec::new() };
        assert_eq!(error.spelled(&|text| format!("<{text}>")), "a.toml: <x.y=3>: `x.y` is 3\n  = must be 2");
        let error = SceneError::Override { text: "x".into(), reason: "no value".into() };
        assert_eq!(error.to_string(), "--set x: no value");
        assert_eq!(error.spelled(&|text| format!("<{text}>")), "<x>: no value");
    }
}
