//! Exceptions. Their classes are Python code, so that they can inherit from several built-in ones and have attributes.

use crate::spelling::spell_assignment;
use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyType};
use std::path::Path;
use taffeta_cli::Failure;
use taffeta_cli::run::refuse_scene;
use taffeta_scene::SceneError;

/// Makes an exception of a class of `taffeta._errors`.
pub(crate) fn error(py: Python<'_>, class: &str, text: impl Into<String>) -> PyErr {
    error_with(py, class, text, |_| Ok(()))
}

/// Makes an exception of a class of `taffeta._errors`, with keyword arguments of its constructor.
pub(crate) fn error_with(
    py: Python<'_>,
    class: &str,
    text: impl Into<String>,
    fill: impl FnOnce(&Bound<'_, PyDict>) -> PyResult<()>,
) -> PyErr {
    let text = text.into();
    let make = || {
        let module = py.import("taffeta._errors")?;
        let class = module.getattr(class)?.cast_into::<PyType>()?;
        let fields = PyDict::new(py);
        fill(&fields)?;
        class.call((text.as_str(),), Some(&fields))
    };
    match make() {
        Ok(value) => PyErr::from_value(value),
        // The package is not complete: better an exception of another class than none.
        Err(_) => PyRuntimeError::new_err(text),
    }
}

/// The exception of a scene with errors. The text is that of the program; what was set is spelled as Python sets it.
pub(crate) fn scene_error(py: Python<'_>, path: &Path, problem: &SceneError) -> PyErr {
    scene_error_by(py, path, problem, &spell_assignment)
}

/// The exception of a table that a world cannot take up by a method.
pub(crate) fn table_error(
    py: Python<'_>,
    path: &Path,
    problem: &SceneError,
    (method, key): (&str, &str),
) -> PyErr {
    let is_table = |setting: &str| setting.split_once('=').is_some_and(|(own, _)| own == key);
    let call = format!("world.{method}(…)");
    scene_error_by(py, path, problem, &|setting| {
        if is_table(setting) { call.clone() } else { spell_assignment(setting) }
    })
}

fn scene_error_by(
    py: Python<'_>,
    path: &Path,
    problem: &SceneError,
    spell: &dyn Fn(&str) -> String,
) -> PyErr {
    let text = match problem {
        SceneError::File { .. } => refuse_scene(path, problem).into_reason(),
        SceneError::Override { .. } | SceneError::Invalid { .. } => problem.spelled(spell),
    };
    error_with(py, "SceneError", text, |fields| {
        let first = problem.problems().first();
        let file = match problem {
            SceneError::File { path, .. } => Some(path.as_path()),
            SceneError::Override { .. } => Some(path),
            SceneError::Invalid { .. } => first.map(|problem| problem.path.as_path()),
        };
        fields.set_item("file", file.map(|path| path.to_string_lossy().into_owned()))?;
        let location = first.and_then(|problem| problem.location.as_ref());
        fields.set_item("line", location.map(|at| at.line))?;
        fields.set_item("column", location.map(|at| at.column))?;
        fields.set_item("key", first.map(|problem| problem.key.as_str()))?;
        let problems: Vec<String> = problem.problems().iter().map(|problem| problem.spelled(spell)).collect();
        fields.set_item("problems", problems)
    })
}

/// The exception of a command that failed, with the text and the exit status of the program.
pub(crate) fn run_error(py: Python<'_>, failure: Failure) -> PyErr {
    let status = failure.status();
    error_with(py, "RunError", failure.into_reason(), |fields| fields.set_item("status", status))
}
