//! Worlds: state, slot, and what is asked of them.

use crate::bodies::{Cloth, Rope, Topology};
use crate::errors::error;
use crate::report::StepReport;
use crate::stepping::{self, Grab};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use taffeta_scene::Scene as SimScene;
use taffeta_sim::{Checkpoint, Metrics, World as SimWorld, ask};

/// Where the world is.
pub(crate) enum Slot {
    Ready(Box<SimWorld>),
    /// Another thread has it, for what.
    Away(&'static str),
    /// What it was doing has panicked.
    Lost,
}

/// A simulated world. One thread at a time uses it.
#[pyclass(frozen, module = "taffeta")]
pub(crate) struct World {
    slot: Mutex<Slot>,
    scene: Arc<SimScene>,
    /// Faces and material coordinates of the cloths, as they were last asked for.
    topologies: Mutex<Vec<Option<Topology>>>,
}

/// A world that is away from its slot. It goes back when this is dropped, unless the thread panics.
pub(crate) struct Away<'a> {
    owner: &'a World,
    world: Option<Box<SimWorld>>,
}

impl Away<'_> {
    pub(crate) fn world(&mut self) -> &mut SimWorld {
        self.world.as_mut().expect("it is here until it is dropped")
    }
}

impl Drop for Away<'_> {
    fn drop(&mut self) {
        let back = match self.world.take() {
            Some(world) if !std::thread::panicking() => Slot::Ready(world),
            _ => Slot::Lost,
        };
        *self.owner.lock() = back;
    }
}

impl World {
    pub(crate) fn new(world: SimWorld, scene: Arc<SimScene>) -> Self {
        let slot = Mutex::new(Slot::Ready(Box::new(world)));
        Self { slot, scene, topologies: Mutex::default() }
    }

    pub(crate) fn scene_of(&self) -> &Arc<SimScene> {
        &self.scene
    }

    fn lock(&self) -> MutexGuard<'_, Slot> {
        self.slot.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Lets `look` look at the world, or change it in no time. It must not call Python: other threads of the interpreter
    /// would wait for the slot with nobody to run them.
    pub(crate) fn with<R>(&self, py: Python<'_>, look: impl FnOnce(&mut SimWorld) -> R) -> PyResult<R> {
        let found = match &mut *self.lock() {
            Slot::Ready(world) => Ok(look(world)),
            Slot::Away(doing) => Err(Some(*doing)),
            Slot::Lost => Err(None),
        };
        found.map_err(|doing| refuse(py, doing))
    }

    /// Takes the world away for something that takes its time.
    pub(crate) fn take(&self, py: Python<'_>, doing: &'static str) -> PyResult<Away<'_>> {
        let found = {
            let mut slot = self.lock();
            match std::mem::replace(&mut *slot, Slot::Away(doing)) {
                Slot::Ready(world) => Ok(Away { owner: self, world: Some(world) }),
                other => {
                    *slot = other;
                    Err(if let Slot::Away(doing) = &*slot { Some(*doing) } else { None })
                }
            }
        };
        found.map_err(|doing| refuse(py, doing))
    }

    /// Faces and material coordinates of a cloth as it is now.
    pub(crate) fn topology(&self, py: Python<'_>, cloth: usize) -> PyResult<Topology> {
        self.with(py, |world| {
            let version = world.sheet().topology.epoch.0;
            let mut kept = self.topologies.lock().unwrap_or_else(PoisonError::into_inner);
            if kept.len() <= cloth {
                kept.resize_with(cloth + 1, || None);
            }
            match &kept[cloth] {
                Some(topology) if topology.version == version => topology.clone(),
                _ => kept[cloth].insert(Topology::of(world, cloth)).clone(),
            }
        })
    }
}

/// The exception of a world that another thread uses, for what; `None`: that is lost.
fn refuse(py: Python<'_>, doing: Option<&str>) -> PyErr {
    let text = match doing {
        Some(doing) => format!(
            "another thread is using this world to {doing}: wait until it is done, or give each thread a world of its own \
             (scene.build())"
        ),
        None => {
            "this world was lost in an internal error: build it anew and restore a saved state".to_owned()
        }
    };
    error(py, "WorldBusyError", text)
}

/// A dict that knows what to say of a name that it has not.
fn named_bodies<'py>(py: Python<'py>, kind: &str, bodies: Bound<'py, PyDict>) -> PyResult<Bound<'py, PyAny>> {
    py.import("taffeta._bodies")?.getattr("Bodies")?.call1((kind, bodies))
}

fn describe_metrics<'py>(py: Python<'py>, metrics: &Metrics) -> PyResult<Bound<'py, PyDict>> {
    let dict = PyDict::new(py);
    let energy =
        metrics.kinetic_energy + metrics.stretch_energy + metrics.bend_energy + metrics.gravity_energy;
    dict.set_item("energy", energy)?;
    dict.set_item("kinetic_energy", metrics.kinetic_energy)?;
    dict.set_item("stretch_energy", metrics.stretch_energy)?;
    dict.set_item("bend_energy", metrics.bend_energy)?;
    dict.set_item("gravity_energy", metrics.gravity_energy)?;
    dict.set_item("momentum", metrics.momentum.to_array())?;
    dict.set_item("angular_momentum", metrics.angular_momentum.to_array())?;
    dict.set_item("max_strain", metrics.max_strain)?;
    dict.set_item("residual", metrics.residual)?;
    Ok(dict)
}

#[pymethods]
impl World {
    /// Advances the world by a time.
    #[pyo3(signature = (dt, *, gravity = None, wind = None, grabs = None, callback = None))]
    fn step(
        &self,
        py: Python<'_>,
        dt: f64,
        gravity: Option<&Bound<'_, PyAny>>,
        wind: Option<&Bound<'_, PyAny>>,
        grabs: Option<Vec<PyRef<'_, Grab>>>,
        callback: Option<Py<PyAny>>,
    ) -> PyResult<StepReport> {
        let forces = stepping::read_forces(gravity, wind)?;
        let inputs = self.with(py, |world| stepping::read_inputs(world, forces, grabs.as_deref()))?;
        let inputs = inputs.map_err(|text| error(py, "ArrayError", text))?;
        let mut away = self.take(py, "make a step")?;
        stepping::step(py, away.world(), (&inputs, dt), callback.as_ref()).map(StepReport::new)
    }

    /// Moves the cloths to an equilibrium, without time passing.
    fn equilibrate(&self, py: Python<'_>) -> PyResult<StepReport> {
        let mut away = self.take(py, "find an equilibrium")?;
        stepping::equilibrate(py, away.world()).map(StepReport::new)
    }

    /// The state as bytes.
    fn save<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        let mut away = self.take(py, "save its state")?;
        let world = away.world();
        let bytes = py.detach(|| world.checkpoint().to_bytes());
        Ok(PyBytes::new(py, &bytes))
    }

    /// Goes to a state that was saved.
    fn restore(&self, py: Python<'_>, state: &[u8]) -> PyResult<()> {
        let mut away = self.take(py, "restore a state")?;
        let world = away.world();
        let restored = py.detach(|| Checkpoint::from_bytes(state).and_then(|state| world.restore(state)));
        restored.map_err(|cause| error(py, "StateError", cause.to_string()))
    }

    /// The cloths by name.
    #[getter]
    fn cloths<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        let py = slf.py();
        let names: Vec<String> =
            slf.get().with(py, |world| world.cloths().iter().map(|cloth| cloth.name.clone()).collect())?;
        let dict = PyDict::new(py);
        for (number, name) in names.into_iter().enumerate() {
            dict.set_item(&name, Cloth::new(slf.clone().unbind(), number, name.clone()))?;
        }
        named_bodies(py, "cloth", dict)
    }

    /// The ropes by name.
    #[getter]
    fn ropes<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        let py = slf.py();
        let find = |world: &mut SimWorld| -> Vec<(usize, String)> {
            ask::rope_bodies(world).map(|(number, body)| (number, body.name.clone())).collect()
        };
        let dict = PyDict::new(py);
        for (body, name) in slf.get().with(py, find)? {
            dict.set_item(&name, Rope::new(slf.clone().unbind(), body, name.clone()))?;
        }
        named_bodies(py, "rope", dict)
    }

    /// Time [s].
    #[getter]
    fn time(&self, py: Python<'_>) -> PyResult<f64> {
        self.with(py, |world| world.time())
    }

    /// Number of steps made.
    #[getter]
    fn frame(&self, py: Python<'_>) -> PyResult<u64> {
        self.with(py, |world| world.frame())
    }

    /// Number of vertices of all bodies.
    #[getter]
    fn vertex_count(&self, py: Python<'_>) -> PyResult<usize> {
        self.with(py, |world| world.vertex_count())
    }

    /// Number of faces of all cloths.
    #[getter]
    fn face_count(&self, py: Python<'_>) -> PyResult<usize> {
        self.with(py, |world| world.face_count())
    }

    /// The solver in use.
    #[getter]
    fn solver(&self, py: Python<'_>) -> PyResult<&'static str> {
        self.with(py, |world| world.solver_name())
    }

    /// Counts changes of the meshes.
    #[getter]
    fn topology_version(&self, py: Python<'_>) -> PyResult<u64> {
        self.with(py, |world| world.sheet().topology.epoch.0)
    }

    /// Returns whether nothing in the world can change a mesh.
    #[getter]
    fn has_fixed_topology(&self, py: Python<'_>) -> PyResult<bool> {
        self.with(py, |world| {
            let is_fixed = world
                .cloths()
                .iter()
                .all(|cloth| cloth.remesh.is_none() && cloth.model.material.tearing.is_none());
            is_fixed && ask::seams(world).is_empty()
        })
    }

    /// Hash of positions and velocities.
    fn state_hash(&self, py: Python<'_>) -> PyResult<String> {
        self.with(py, |world| world.state_hash())
    }

    /// Hash of the whole state, as `summary.json` has it.
    fn checkpoint_hash(&self, py: Python<'_>) -> PyResult<String> {
        self.with(py, |world| world.checkpoint_hash())
    }

    /// Energies, momenta and residual of the present state.
    fn measure<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        describe_metrics(py, &self.with(py, |world| world.measure())?)
    }

    /// Number of places where an edge goes through a face; `None` where nothing can meet.
    fn count_crossings(&self, py: Python<'_>) -> PyResult<Option<usize>> {
        let mut away = self.take(py, "count crossings")?;
        let world = away.world();
        Ok(py.detach(|| world.crossings()).map(|crossings| crossings.len()))
    }

    fn _repr_png_<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        slf.py().import("taffeta._pictures")?.call_method1("png_of", (slf,))
    }

    fn __repr__(&self, py: Python<'_>) -> String {
        let describe = |world: &mut SimWorld| {
            format!(
                "<World at {:.4} s, {} vertices, {} faces>",
                world.time(),
                world.vertex_count(),
                world.face_count()
            )
        };
        self.with(py, describe).unwrap_or_else(|_| "<World in use by another thread>".to_owned())
    }
}
