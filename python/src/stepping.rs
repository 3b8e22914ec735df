//! Steps, with the interpreter free for other threads meanwhile.
//!
//! ```text
//! caller's thread:  release the interpreter ─► wait ─┬─ now and then: signals ──► ask the world to stop
//!                                                    ├─ asked: callback ────────► new targets, or ask to stop
//! world's threads:  ─────────────── the step ────────┴─ done
//! ```
//!
//! Python code, callbacks and signal handlers, runs on the caller's thread, as most of it expects.

use crate::errors::{error, error_with};
use crate::input::{material_point, vector};
use glam::DVec3;
use numpy::PyArray2;
use pyo3::prelude::*;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use taffeta_sim::{Grab as SimGrab, Lead, StepError, StepInputs, StepReport, World as SimWorld};

/// Time between two looks at signals: short for a person, long for a processor.
const LOOK_INTERVAL: Duration = Duration::from_millis(50);

/// Stiffness of a grab that gives none [N/m]: holds a sheet of cotton of 1 m² against its weight with a give of 2 cm.
const STIFFNESS: f64 = 100.0;

/// A pull on a material point.
#[pyclass(frozen, module = "taffeta")]
pub(crate) struct Grab {
    body: String,
    point: DVec3,
    target: DVec3,
    stiffness: f64,
    radius: f64,
}

#[pymethods]
impl Grab {
    #[new]
    #[pyo3(signature = (body, point, target, *, stiffness = STIFFNESS, radius = 0.0))]
    fn new(
        body: String,
        point: &Bound<'_, PyAny>,
        target: &Bound<'_, PyAny>,
        stiffness: f64,
        radius: f64,
    ) -> PyResult<Self> {
        let py = target.py();
        if !(stiffness.is_finite() && stiffness > 0.0) {
            let text =
                format!("the stiffness of a grab is {stiffness} N/m, but must be finite and greater than 0");
            return Err(error(py, "ArrayError", text));
        }
        if !(radius.is_finite() && radius >= 0.0) {
            let text = format!("the radius of a grab is {radius} m, but must be finite and not negative");
            return Err(error(py, "ArrayError", text));
        }
        let point = material_point(point, "the point of a grab")?;
        let target = vector(target, "the target of a grab")?;
        Ok(Self { body, point, target, stiffness, radius })
    }

    /// Name of the cloth or rope.
    #[getter]
    fn body(&self) -> &str {
        &self.body
    }

    /// The material point [m].
    #[getter]
    fn point(&self) -> [f64; 3] {
        self.point.to_array()
    }

    /// Where it is pulled to [m].
    #[getter]
    fn target(&self) -> [f64; 3] {
        self.target.to_array()
    }

    /// Stiffness of the spring [N/m].
    #[getter]
    fn stiffness(&self) -> f64 {
        self.stiffness
    }

    /// Radius of the patch that is held [m].
    #[getter]
    fn radius(&self) -> f64 {
        self.radius
    }

    fn __repr__(&self) -> String {
        let Self { body, point, target, stiffness, radius } = self;
        format!("Grab({body:?}, {point}, {target}, stiffness={stiffness}, radius={radius})")
    }
}

/// What a callback is told before a substep.
#[pyclass(frozen, module = "taffeta")]
pub(crate) struct Substep {
    time: f64,
    length: f64,
    places: Vec<DVec3>,
    targets: Mutex<Vec<DVec3>>,
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

    /// Where the middle of what each grab holds is [m].
    #[getter]
    fn places<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray2<f64>>> {
        rows_of(py, &self.places)
    }

    /// Where each grab pulls to [m].
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

/// Gravity and wind of a step.
pub(crate) fn read_forces(
    gravity: Option<&Bound<'_, PyAny>>,
    wind: Option<&Bound<'_, PyAny>>,
) -> PyResult<StepInputs> {
    let gravity = gravity.map(|value| vector(value, "gravity")).transpose()?;
    let wind = wind.map(|value| vector(value, "wind")).transpose()?;
    Ok(StepInputs { gravity, wind, ..StepInputs::default() })
}

/// The inputs of a step, with the grabs' bodies by number.
///
/// # Errors
/// In words, if there is no such body.
pub(crate) fn read_inputs(
    world: &SimWorld,
    forces: StepInputs,
    grabs: Option<&[PyRef<'_, Grab>]>,
) -> Result<StepInputs, String> {
    let names = || {
        let cloths = world.cloths().iter().map(|cloth| cloth.name.as_str());
        cloths.chain(world.loose_bodies().iter().map(|body| body.name.as_str()))
    };
    let find = |grab: &PyRef<'_, Grab>| {
        let body = names().position(|name| name == grab.body).ok_or_else(|| {
            let known = names().map(|name| format!("{name:?}")).collect::<Vec<_>>().join(", ");
            format!("a grab holds the body {:?}, but there are only {known}", grab.body)
        })?;
        let Grab { point, target, stiffness, radius, .. } = **grab;
        Ok(SimGrab { body, point, radius, target, stiffness })
    };
    let grabs: Result<Vec<SimGrab>, String> = grabs.unwrap_or_default().iter().map(find).collect();
    Ok(StepInputs { grabs: grabs?, ..forces })
}

/// The exception of a step that failed.
pub(crate) fn step_error(py: Python<'_>, cause: &StepError) -> PyErr {
    let class = match cause {
        StepError::BadTimeStep { .. } | StepError::BadInput { .. } | StepError::BadGrab { .. } => {
            "StepInputError"
        }
        _ => "StepError",
    };
    error(py, class, cause.to_string())
}

/// What the caller's thread and those of the worlds tell each other.
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
    fn ask(&self, substep: Substep) -> Option<Vec<DVec3>> {
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

/// Lets a world work on its threads while this one attends to it.
fn supervise<R: Send>(
    py: Python<'_>,
    world: &mut SimWorld,
    callback: Option<&Py<PyAny>>,
    work: impl FnOnce(&mut SimWorld, &Board) -> Result<R, StepError> + Send,
) -> PyResult<R> {
    let (pool, watch, before) = (world.thread_pool(), world.watch(), world.snapshot());
    let stop = || watch.request_stop();
    let (outcome, failure) = py.detach(|| {
        let (board, outcome) = (Board::default(), Mutex::new(None));
        let mut failure = None;
        pool.in_place_scope(|scope| {
            scope.spawn(|_| {
                let _finish = Finish(&board);
                let done = work(&mut *world, &board);
                *outcome.lock().unwrap_or_else(PoisonError::into_inner) = Some(done);
            });
            failure = board.attend(&stop, callback);
        });
        (outcome.into_inner().unwrap_or_else(PoisonError::into_inner), failure)
    });
    watch.allow();
    match (outcome, failure) {
        (Some(Ok(_)), Some(failure)) => {
            // The signal came too late for the step to end early.
            world.return_to(&before).map_err(|cause| error(py, "StepError", cause.to_string()))?;
            Err(failure)
        }
        (_, Some(failure)) => Err(failure),
        (Some(Ok(report)), None) => Ok(report),
        (Some(Err(cause)), None) => Err(step_error(py, &cause)),
        (None, None) => Err(error_with(py, "StepError", "the step was not made", |_| Ok(()))),
    }
}

/// Makes a step.
pub(crate) fn step(
    py: Python<'_>,
    world: &mut SimWorld,
    (inputs, dt): (&StepInputs, f64),
    callback: Option<&Py<PyAny>>,
) -> PyResult<StepReport> {
    let is_led = callback.is_some();
    supervise(py, world, callback, |world, board| {
        if !is_led {
            return world.step(inputs, dt);
        }
        world.step_led(inputs, dt, &mut |lead: Lead<'_>| {
            let substep = Substep {
                time: lead.world.time(),
                length: lead.h,
                places: lead.places.to_vec(),
                targets: Mutex::new(lead.targets.to_vec()),
            };
            if let Some(targets) = board.ask(substep) {
                lead.targets.copy_from_slice(&targets);
            }
        })
    })
}

/// Finds an equilibrium.
pub(crate) fn equilibrate(py: Python<'_>, world: &mut SimWorld) -> PyResult<StepReport> {
    supervise(py, world, None, |world, _| world.equilibrate())
}
