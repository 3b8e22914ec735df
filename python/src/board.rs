//! Messages between the caller's thread and those of the worlds during a step.

use glam::DVec3;
use numpy::PyArray2;
use pyo3::prelude::*;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// State that a callback gets before a substep.
#[pyclass(frozen, module = "taffeta")]
pub(crate) struct Substep {
    pub time: f64,
    pub length: f64,
    pub places: Vec<DVec3>,
    pub targets: Mutex<Vec<DVec3>>,
}

impl Substep {
    fn locked(&self) -> MutexGuard<'_, Vec<DVec3>> {
        self.targets.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn rows_of<'py>(py: Python<'py>, list: &[DVec3]) -> PyResult<Bound<'py, PyArray2<f64>>> {
    let array = PyArray2::<f64>::zeros(py, [list.len(), 3], false);
    numpy::PyArrayMethods::readwrite(&array).as_slice_mut()?.copy_from_slice(bytemuck::cast_slice(list));
    Ok(array)
}

#[pymethods]
impl Substep {
    /// Time at the start of the substep [s].
    #[getter]
    fn time(&self) -> f64 {
        self.time
    }

    /// Length of the substep [s].
    #[getter]
    fn length(&self) -> f64 {
        self.length
    }

    /// Position of the point of each grab [m].
    #[getter]
    fn places<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray2<f64>>> {
        rows_of(py, &self.places)
    }

    /// Target of each grab [m].
    #[getter]
    fn get_targets<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray2<f64>>> {
        rows_of(py, &self.locked())
    }

    #[setter]
    fn set_targets(&self, targets: &Bound<'_, PyAny>) -> PyResult<()> {
        let count = self.places.len();
        *self.locked() = crate::input::points_of(targets, "targets", count)?;
        Ok(())
    }

    fn __repr__(&self) -> String {
        format!("<Substep of {:.3e} s at {:.5} s, {} grabs>", self.length, self.time, self.places.len())
    }
}

/// Time between two looks at signals: short for a person, long for a processor.
const LOOK_INTERVAL: Duration = Duration::from_millis(50);

/// Messages between the caller's thread and those of the worlds.
#[derive(Default)]
pub(crate) struct Board {
    turn: Mutex<Turn>,
    changed: Condvar,
}

#[derive(Default)]
enum Turn {
    #[default]
    Working,
    /// The callback is wanted.
    Asked(Substep),
    /// New targets; `None`: the step is to end.
    Answered(Option<Vec<DVec3>>),
    Done,
}

/// Says that the work is done, also if it panics.
pub(crate) struct Finish<'a>(pub &'a Board);

impl Drop for Finish<'_> {
    fn drop(&mut self) {
        *self.0.lock() = Turn::Done;
        self.0.changed.notify_all();
    }
}

impl Board {
    fn lock(&self) -> MutexGuard<'_, Turn> {
        self.turn.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Asks the caller's thread for the callback, from a world's thread.
    pub(crate) fn ask(&self, substep: Substep) -> Option<Vec<DVec3>> {
        let mut turn = self.lock();
        *turn = Turn::Asked(substep);
        self.changed.notify_all();
        loop {
            match std::mem::take(&mut *turn) {
                Turn::Answered(targets) => return targets,
                other => *turn = other,
            }
            turn = self.changed.wait(turn).unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// Waits for the end of the work on the caller's thread: answers, looks at signals, and calls `stop` when one of them has
    /// raised an exception, which is returned.
    pub(crate) fn attend(&self, stop: &dyn Fn(), callback: Option<&Py<PyAny>>) -> Option<PyErr> {
        let mut failure: Option<PyErr> = None;
        let mut turn = self.lock();
        loop {
            match std::mem::take(&mut *turn) {
                Turn::Done => return failure,
                Turn::Asked(substep) => {
                    drop(turn);
                    let answer = match &failure {
                        None => Python::attach(|py| call(py, callback, substep)).map(Some),
                        Some(_) => Ok(None),
                    };
                    let answer = answer.unwrap_or_else(|error| {
                        failure = Some(error);
                        stop();
                        None
                    });
                    turn = self.lock();
                    *turn = Turn::Answered(answer);
                    self.changed.notify_all();
                }
                other => *turn = other,
            }
            if matches!(*turn, Turn::Done) {
                continue;
            }
            let (next, timeout) =
                self.changed.wait_timeout(turn, LOOK_INTERVAL).unwrap_or_else(PoisonError::into_inner);
            turn = next;
            if timeout.timed_out() && failure.is_none() && matches!(*turn, Turn::Working) {
                drop(turn);
                if let Err(error) = Python::attach(|py| py.check_signals()) {
                    failure = Some(error);
                    stop();
                }
                turn = self.lock();
            }
        }
    }
}

/// Calls the callback and returns the targets that it has left.
fn call(py: Python<'_>, callback: Option<&Py<PyAny>>, substep: Substep) -> PyResult<Vec<DVec3>> {
    let substep = Bound::new(py, substep)?;
    if let Some(callback) = callback {
        callback.call1(py, (&substep,))?;
    }
    let targets = substep.get().locked().clone();
    Ok(targets)
}
