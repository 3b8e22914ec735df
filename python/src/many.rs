//! Steps of many worlds together, one thread for each.
//!
//! Each thread of a crew is a pool by itself. It takes a world, lets it work on that pool, where it stays on this thread, and
//! takes the next one. So all threads are busy as long as worlds wait, however unequal their steps.

use crate::board::{Board, Finish};
use crate::errors::{error, error_with};
use crate::grabs::{Grab, read_forces, read_inputs};
use crate::report::StepReport;
use crate::slot::{Away, World};
use crate::stepping::step_error;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use rayon::{ThreadPool, ThreadPoolBuilder};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;
use taffeta_cli::run::choose_threads;
use taffeta_sim::{
    BuildError, StepError, StepInputs, StepReport as SimReport, World as SimWorld, WorldSnapshot,
};

/// Threads that step worlds.
#[pyclass(frozen, module = "taffeta._taffeta")]
pub(crate) struct Crew {
    pools: Vec<Arc<ThreadPool>>,
}

#[pymethods]
impl Crew {
    #[new]
    fn new(py: Python<'_>, threads: usize) -> PyResult<Self> {
        let make = |_| ThreadPoolBuilder::new().num_threads(1).build().map(Arc::new);
        let threads = choose_threads(threads, &mut Vec::new());
        let pools: Result<Vec<_>, _> = (0..threads).map(make).collect();
        let refuse =
            |cause| error(py, "BuildError", format!("cannot start {threads} worker threads: {cause}"));
        Ok(Self { pools: pools.map_err(refuse)? })
    }

    /// Number of threads.
    #[getter]
    fn threads(&self) -> usize {
        self.pools.len()
    }
}

/// A world with what its step needs and gives.
struct Job<'a> {
    world: &'a mut SimWorld,
    before: WorldSnapshot,
    inputs: StepInputs,
    outcome: Option<Result<SimReport, StepError>>,
}

type Grabs<'py> = Vec<Option<Vec<PyRef<'py, Grab>>>>;

/// Makes a step of each world. The worlds come with the numbers by which errors name them.
#[pyfunction]
#[pyo3(signature = (crew, worlds, dt, gravity = None, wind = None, grabs = None))]
pub(crate) fn step_worlds(
    py: Python<'_>,
    crew: &Crew,
    worlds: Vec<(usize, Py<World>)>,
    dt: f64,
    gravity: Option<&Bound<'_, PyAny>>,
    wind: Option<&Bound<'_, PyAny>>,
    grabs: Option<Grabs<'_>>,
) -> PyResult<Vec<StepReport>> {
    let forces = read_forces(gravity, wind)?;
    if let Some(grabs) = grabs.as_ref().filter(|grabs| grabs.len() != worlds.len()) {
        let text =
            format!("there are grabs for {} worlds, but there are {} worlds", grabs.len(), worlds.len());
        return Err(error(py, "ArrayError", text));
    }
    let inputs_of = |(place, (number, world)): (usize, &(usize, Py<World>))| {
        let grabs = grabs.as_ref().and_then(|grabs| grabs[place].as_deref());
        let inputs = world.get().with(py, |world| read_inputs(world, forces.clone(), grabs))?;
        inputs.map_err(|text| error(py, "ArrayError", format!("world {number}: {text}")))
    };
    let inputs: Vec<StepInputs> = worlds.iter().enumerate().map(inputs_of).collect::<PyResult<_>>()?;
    let away: PyResult<Vec<Away<'_>>> =
        worlds.iter().map(|(_, world)| world.get().take(py, "make a step with others")).collect();
    let mut away = away?;
    let job = |(away, inputs)| {
        let world = Away::world(away);
        Mutex::new(Job { before: world.snapshot(), world, inputs, outcome: None })
    };
    let jobs: Vec<Mutex<Job<'_>>> = away.iter_mut().zip(inputs).map(job).collect();
    let failure = step_all(py, &crew.pools, &jobs, dt);
    let mut jobs: Vec<Job<'_>> = jobs.into_iter().map(into_job).collect();
    let numbers: Vec<usize> = worlds.iter().map(|(number, _)| *number).collect();
    match failure.or_else(|| find_failures(py, &numbers, &jobs)) {
        None => Ok(jobs.into_iter().filter_map(Job::into_report).collect()),
        Some(failure) => {
            py.detach(|| jobs.iter_mut().try_for_each(Job::take_back))
                .map_err(|cause| error(py, "StepError", cause.to_string()))?;
            Err(failure)
        }
    }
}

impl Job<'_> {
    fn into_report(self) -> Option<StepReport> {
        Some(StepReport::new(self.outcome?.ok()?, self.world))
    }

    /// Takes a world that has made its step back to where it was before.
    fn take_back(&mut self) -> Result<(), BuildError> {
        if matches!(self.outcome, Some(Ok(_))) { self.world.return_to(&self.before) } else { Ok(()) }
    }
}

/// Makes steps as a program in Rust makes them, and returns how long each took [s]: what steps from Python are compared with.
/// Between two of them the program is busy with something else for `pause` [s].
#[pyfunction]
#[pyo3(signature = (world, dt, count, pause = 0.0))]
pub(crate) fn time_steps(
    py: Python<'_>,
    world: &World,
    dt: f64,
    count: usize,
    pause: f64,
) -> PyResult<Vec<f64>> {
    let mut away = world.take(py, "time its steps")?;
    let world = away.world();
    let timed = py.detach(|| {
        let mut time_step = |_| {
            let idle = Instant::now();
            while idle.elapsed().as_secs_f64() < pause {
                std::hint::spin_loop();
            }
            let start = Instant::now();
            world.step(&StepInputs::default(), dt).map(|_| start.elapsed().as_secs_f64())
        };
        (0..count).map(&mut time_step).collect::<Result<Vec<f64>, StepError>>()
    });
    timed.map_err(|cause| step_error(py, &cause))
}

fn into_job(job: Mutex<Job<'_>>) -> Job<'_> {
    job.into_inner().unwrap_or_else(PoisonError::into_inner)
}

/// Makes the steps; the exception of a signal, if there was one.
fn step_all(py: Python<'_>, pools: &[Arc<ThreadPool>], jobs: &[Mutex<Job<'_>>], dt: f64) -> Option<PyErr> {
    let lock =
        |job: &'_ Mutex<Job<'_>>| job.lock().unwrap_or_else(PoisonError::into_inner).world.stop_token();
    let stop_tokens: Vec<_> = jobs.iter().map(lock).collect();
    let stop = || stop_tokens.iter().for_each(|stop_token| stop_token.request_stop());
    let failure = py.detach(|| {
        let (board, next, busy) = (Board::default(), AtomicUsize::new(0), AtomicUsize::new(pools.len()));
        let work = |pool: &Arc<ThreadPool>| {
            let _leave = Leave { busy: &busy, board: &board };
            while let Some(job) = jobs.get(next.fetch_add(1, Ordering::Relaxed)) {
                let mut job = job.lock().unwrap_or_else(PoisonError::into_inner);
                let Job { world, inputs, outcome, .. } = &mut *job;
                world.set_thread_pool(Arc::clone(pool));
                *outcome = Some(world.step(inputs, dt));
            }
        };
        let mut failure = None;
        fan_out(pools, &work, &mut || failure = board.attend(&stop, None));
        failure
    });
    stop_tokens.iter().for_each(|stop_token| stop_token.allow());
    failure
}

/// The last thread that leaves says that all is done, also if it panics.
struct Leave<'a> {
    busy: &'a AtomicUsize,
    board: &'a Board,
}

impl Drop for Leave<'_> {
    fn drop(&mut self) {
        if self.busy.fetch_sub(1, Ordering::AcqRel) == 1 {
            drop(Finish(self.board));
        }
    }
}

/// Lets each pool work while this thread waits.
fn fan_out(pools: &[Arc<ThreadPool>], work: &(dyn Fn(&Arc<ThreadPool>) + Sync), wait: &mut dyn FnMut()) {
    match pools.split_first() {
        None => wait(),
        Some((pool, others)) => pool.in_place_scope(|scope| {
            scope.spawn(move |_| work(pool));
            fan_out(others, work, wait);
        }),
    }
}

/// One exception with those of the worlds that failed; `None`: none did.
fn find_failures(py: Python<'_>, numbers: &[usize], jobs: &[Job<'_>]) -> Option<PyErr> {
    let failed = |(number, job): (&usize, &'_ Job<'_>)| match &job.outcome {
        Some(Err(cause)) => Some((*number, cause.clone())),
        _ => None,
    };
    let failures: Vec<(usize, StepError)> = numbers.iter().zip(jobs).filter_map(failed).collect();
    let (first, cause) = failures.first()?;
    let more = match failures.len() - 1 {
        0 => String::new(),
        count => format!(" (and {count} more worlds failed)"),
    };
    let text = format!("world {first}: {cause}{more}; all worlds are as they were before the step");
    Some(error_with(py, "VectorStepError", text, |fields| {
        let dict = PyDict::new(py);
        for (number, cause) in &failures {
            dict.set_item(number, step_error(py, cause).into_value(py))?;
        }
        fields.set_item("failures", dict)
    }))
}
