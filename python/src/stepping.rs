//! Steps, with the interpreter free for other threads meanwhile.
//!
//! ```text
//! caller's thread:  release the interpreter ─► wait ─┬─ now and then: signals ──► ask the world to stop
//!                                                    ├─ asked: callback ────────► new targets, or ask to stop
//! world's threads:  ─────────────── the step ────────┴─ done
//! ```
//!
//! Python code, callbacks and signal handlers, runs on the caller's thread, as most of it expects.

use crate::board::{Board, Finish, Substep};
use crate::errors::error;
use pyo3::prelude::*;
use std::sync::{Mutex, PoisonError};
use taffeta_sim::{StepError, StepInputs, StepReport, SubstepStart, World as SimWorld};

/// The exception of a step that failed.
pub(crate) fn step_error(py: Python<'_>, cause: &StepError) -> PyErr {
    let class = match cause {
        StepError::BadTimeStep { .. }
        | StepError::BadBudget { .. }
        | StepError::BadInput { .. }
        | StepError::WindInVacuum { .. }
        | StepError::BadGrab { .. } => "StepInputError",
        _ => "StepError",
    };
    error(py, class, cause.to_string())
}

/// Lets a world work on its threads while this one attends to it.
fn supervise<R: Send>(
    py: Python<'_>,
    world: &mut SimWorld,
    callback: Option<&Py<PyAny>>,
    work: impl FnOnce(&mut SimWorld, &Board) -> Result<R, StepError> + Send,
) -> PyResult<R> {
    let (pool, stop_token, before) = (world.thread_pool(), world.stop_token(), world.snapshot());
    let stop = || stop_token.request_stop();
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
    stop_token.allow();
    match (outcome, failure) {
        (Some(Ok(_)), Some(failure)) => {
            // The signal came too late for the step to end early.
            world.return_to(&before).map_err(|cause| error(py, "StepError", cause.to_string()))?;
            Err(failure)
        }
        (_, Some(failure)) => Err(failure),
        (Some(Ok(report)), None) => Ok(report),
        (Some(Err(cause)), None) => Err(step_error(py, &cause)),
        (None, None) => Err(error(py, "StepError", "the step was not made")),
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
        world.step_with(inputs, dt, &mut |lead: SubstepStart<'_>| {
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
