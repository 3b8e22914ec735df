//! Questions of Python code to a world.

use crate::cloth::Cloth;
use crate::errors::error;
use crate::grabs::{Grab, read_forces, read_inputs};
use crate::members;
use crate::moved::{Obstacle, Pin, call_by, obstacle_names};
use crate::report::{Cell, StepReport};
use crate::rope::Rope;
use crate::slot::World;
use crate::stepping;
use crate::teleport::teleport;
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict};
use taffeta_sim::columns::{Column, Source, Value};
use taffeta_sim::{
    Checkpoint, ClothId, Metrics, ObstacleId, PinId, StepInputs, World as SimWorld, WorldSnapshot, queries,
};

/// A dict of handles that knows what to say of a name that it has not. What has no name is called by its number.
fn collect_bodies<'py, I, B: IntoPyObject<'py>>(
    world: &Bound<'py, World>,
    kind: &str,
    list: Vec<(String, I)>,
    make: impl Fn(Py<World>, I, String) -> B,
) -> PyResult<Bound<'py, PyAny>> {
    let py = world.py();
    let dict = PyDict::new(py);
    for (number, (name, id)) in list.into_iter().enumerate() {
        let name = call_by(kind, number, &name);
        dict.set_item(&name, make(world.clone().unbind(), id, name.clone()))?;
    }
    py.import("taffeta._bodies")?.getattr("Bodies")?.call1((kind, dict))
}

/// A note of a state of a world, to return to.
#[pyclass(frozen, module = "taffeta")]
pub(crate) struct Snapshot {
    snapshot: WorldSnapshot,
    time: f64,
}

#[pymethods]
impl Snapshot {
    /// The time when it was taken [s].
    #[getter]
    fn time(&self) -> f64 {
        self.time
    }

    fn __repr__(&self) -> String {
        format!("<Snapshot at {:.4} s>", self.time)
    }
}

fn describe_metrics<'py>(py: Python<'py>, metrics: &Metrics) -> PyResult<Bound<'py, PyDict>> {
    let dict = PyDict::new(py);
    for column in Column::of_reports() {
        if let Source::State(read) = column.source {
            match read(metrics) {
                Value::Vector(vector) => dict.set_item(column.name, vector)?,
                value => dict.set_item(column.name, Cell::from(value))?,
            }
        }
    }
    Ok(dict)
}

#[pymethods]
impl World {
    /// Advances the world by a time.
    #[expect(clippy::too_many_arguments, reason = "Python passes each by its name")]
    #[pyo3(signature = (dt, *, gravity = None, wind = None, grabs = None, budget = None, callback = None))]
    fn step(
        &self,
        py: Python<'_>,
        dt: f64,
        gravity: Option<&Bound<'_, PyAny>>,
        wind: Option<&Bound<'_, PyAny>>,
        grabs: Option<Vec<PyRef<'_, Grab>>>,
        budget: Option<f64>,
        callback: Option<Py<PyAny>>,
    ) -> PyResult<StepReport> {
        let forces = StepInputs { budget, ..read_forces(gravity, wind)? };
        let inputs = self.with(py, |world| read_inputs(world, forces, grabs.as_deref()))?;
        let inputs = inputs.map_err(|text| error(py, "ArrayError", text))?;
        let mut away = self.take(py, "make a step")?;
        let report = stepping::step(py, away.world(), (&inputs, dt), callback.as_ref())?;
        Ok(StepReport::new(report, away.world()))
    }

    /// Moves the cloths to an equilibrium, without time passing.
    fn equilibrate(&self, py: Python<'_>) -> PyResult<StepReport> {
        let mut away = self.take(py, "find an equilibrium")?;
        let report = stepping::equilibrate(py, away.world())?;
        Ok(StepReport::new(report, away.world()))
    }

    /// A note of the present state.
    fn snapshot(&self, py: Python<'_>) -> PyResult<Snapshot> {
        self.with(py, |world| Snapshot { snapshot: world.snapshot(), time: world.time() })
    }

    /// Goes to a state that was noted.
    fn return_to(&self, py: Python<'_>, snapshot: &Snapshot) -> PyResult<()> {
        let mut away = self.take(py, "return to a snapshot")?;
        let world = away.world();
        let done = py.detach(|| world.return_to(&snapshot.snapshot));
        done.map_err(|cause| error(py, "StateError", cause.to_string()))
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
        let list = slf.get().with(slf.py(), |world| {
            let names = world.cloths().iter().map(|cloth| cloth.name.clone());
            names.zip(world.cloth_ids().iter().copied()).collect::<Vec<(String, ClothId)>>()
        })?;
        collect_bodies(slf, "cloth", list, Cloth::new)
    }

    /// The obstacles by name.
    #[getter]
    fn obstacles<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        let list = slf.get().with(slf.py(), |world| {
            obstacle_names(world).into_iter().zip(world.obstacle_ids()).collect::<Vec<(String, ObstacleId)>>()
        })?;
        collect_bodies(slf, "obstacle", list, Obstacle::new)
    }

    /// The pins by name.
    #[getter]
    fn pins<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        let list = slf.get().with(slf.py(), |world| {
            world.pin_ids().map(|id| (world.pin(id).name.clone(), id)).collect::<Vec<(String, PinId)>>()
        })?;
        collect_bodies(slf, "pin", list, Pin::new)
    }

    /// Adds an obstacle, described as in a scene file.
    fn add_obstacle(slf: &Bound<'_, Self>, table: &Bound<'_, PyDict>) -> PyResult<Obstacle> {
        let id = members::add_obstacle(slf.py(), slf.get(), table)?;
        let place = |world: &mut SimWorld| {
            let place = world.obstacle_ids().position(|own| own == id);
            place.and_then(|place| obstacle_names(world).into_iter().nth(place))
        };
        let name = slf.get().with(slf.py(), place)?.unwrap_or_default();
        Ok(Obstacle::new(slf.clone().unbind(), id, name))
    }

    /// Adds a cloth, described as in a scene file.
    fn add_cloth(slf: &Bound<'_, Self>, table: &Bound<'_, PyDict>) -> PyResult<Cloth> {
        let id = members::add_cloth(slf.py(), slf.get(), table)?;
        let name = slf.get().with(slf.py(), |world| world.cloth(id).cloth().name.clone())?;
        Ok(Cloth::new(slf.clone().unbind(), id, name))
    }

    /// Sets cloths and obstacles elsewhere at once.
    #[pyo3(signature = (bodies, *, position = None, rotation = None, keep_velocities = true))]
    fn teleport(
        slf: &Bound<'_, Self>,
        bodies: &Bound<'_, PyAny>,
        position: Option<&Bound<'_, PyAny>>,
        rotation: Option<&Bound<'_, PyAny>>,
        keep_velocities: bool,
    ) -> PyResult<()> {
        teleport(slf, bodies, (position, rotation), keep_velocities)
    }

    /// The ropes by name.
    #[getter]
    fn ropes<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        let list = slf.get().with(slf.py(), |world| {
            queries::rope_bodies(world).map(|(number, body)| (body.name.clone(), number)).collect::<Vec<_>>()
        })?;
        collect_bodies(slf, "rope", list, Rope::new)
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

    /// Returns whether nothing in the world can change a mesh.
    #[getter]
    fn has_fixed_topology(&self, py: Python<'_>) -> PyResult<bool> {
        self.with(py, |world| {
            let is_fixed =
                world.cloths().iter().all(|cloth| cloth.remesh.is_none() && cloth.material.tearing.is_none());
            is_fixed && queries::seams(world).is_empty()
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

    /// Refuses to be pickled or copied, and says what can be.
    fn __reduce__(&self) -> PyResult<()> {
        Err(PyTypeError::new_err(
            "a World cannot be pickled or copied: pickle its Scene and the bytes of world.save(), and there call \
             scene.build() and restore(bytes)",
        ))
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
