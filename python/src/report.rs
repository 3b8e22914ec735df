//! Report of a step, as attributes and as a mapping.

use crate::moved::obstacle_names;
use pyo3::exceptions::PyKeyError;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyIterator, PyList, PyTuple};
use taffeta_sim::{ClothId, ObstacleLoad, Stage, StepReport as SimReport, World};

/// The names of the mapping, in their order.
const KEYS: [&str; 27] = [
    "time",
    "vertices",
    "faces",
    "contacts",
    "substeps",
    "iterations",
    "energy",
    "kinetic_energy",
    "stretch_energy",
    "bend_energy",
    "gravity_energy",
    "momentum",
    "angular_momentum",
    "max_strain",
    "residual",
    "error",
    "not_converged",
    "remeshed",
    "splits",
    "collapses",
    "flips",
    "broken_edges",
    "tears",
    "forced",
    "obstacle_loads",
    "rough",
    "state_hash",
];

/// The outcome of a step.
#[pyclass(frozen, mapping, module = "taffeta")]
pub(crate) struct StepReport {
    values: Values,
}

/// Everything that a report tells, as pickling takes it.
#[derive(Clone, FromPyObject, IntoPyObject)]
#[pyo3(from_item_all)]
struct Values {
    time: f64,
    vertices: usize,
    faces: usize,
    contacts: usize,
    substeps: u32,
    iterations: u32,
    kinetic_energy: f64,
    stretch_energy: f64,
    bend_energy: f64,
    gravity_energy: f64,
    momentum: (f64, f64, f64),
    angular_momentum: (f64, f64, f64),
    max_strain: f64,
    residual: f64,
    error: f64,
    not_converged: u32,
    /// Names of the cloths whose topology has changed.
    remeshed: Vec<String>,
    splits: u64,
    collapses: u64,
    flips: u64,
    broken_edges: usize,
    tears: u64,
    forced: u64,
    /// The obstacles with force, torque and point.
    loads: Vec<(String, [[f64; 3]; 3])>,
    /// Accuracy, and the factor of edges.
    rough: Option<(f64, f64)>,
    state_hash: String,
    /// Wall times of the stages [s].
    times: Vec<(String, f64)>,
}

impl StepReport {
    /// The report of a step of a world.
    pub(crate) fn new(report: SimReport, world: &World) -> Self {
        let name = |id: &ClothId| world.cloth(*id).cloth().name.clone();
        let SimReport { plan, metrics, remesh, .. } = &report;
        let load = |load: &ObstacleLoad| [load.force, load.torque, load.point].map(|v| v.to_array());
        let stage =
            |stage: Stage| (format!("{stage:?}").to_lowercase(), report.times.of(stage).as_secs_f64());
        let values = Values {
            time: report.time,
            vertices: report.vertices,
            faces: report.faces,
            contacts: report.contacts,
            substeps: plan.substeps,
            iterations: plan.iterations,
            kinetic_energy: metrics.kinetic_energy,
            stretch_energy: metrics.stretch_energy,
            bend_energy: metrics.bend_energy,
            gravity_energy: metrics.gravity_energy,
            momentum: metrics.momentum.into(),
            angular_momentum: metrics.angular_momentum.into(),
            max_strain: metrics.max_strain,
            residual: metrics.residual,
            error: plan.error,
            not_converged: plan.not_converged,
            remeshed: report.remeshed.iter().map(name).collect(),
            splits: remesh.splits,
            collapses: remesh.collapses,
            flips: remesh.flips,
            broken_edges: report.broken_edges,
            tears: report.tears.count,
            forced: report.safeguard.forced,
            loads: obstacle_names(world).into_iter().zip(report.obstacle_loads.iter().map(load)).collect(),
            rough: report.rough.map(|rough| (rough.accuracy, rough.edges)),
            times: Stage::ALL.into_iter().map(stage).collect(),
            state_hash: report.state_hash,
        };
        Self { values }
    }
}

#[pymethods]
impl StepReport {
    #[getter]
    fn time(&self) -> f64 {
        self.values.time
    }

    #[getter]
    fn vertices(&self) -> usize {
        self.values.vertices
    }

    #[getter]
    fn faces(&self) -> usize {
        self.values.faces
    }

    #[getter]
    fn contacts(&self) -> usize {
        self.values.contacts
    }

    #[getter]
    fn substeps(&self) -> u32 {
        self.values.substeps
    }

    #[getter]
    fn iterations(&self) -> u32 {
        self.values.iterations
    }

    #[getter]
    fn energy(&self) -> f64 {
        let Values { kinetic_energy, stretch_energy, bend_energy, gravity_energy, .. } = &self.values;
        kinetic_energy + stretch_energy + bend_energy + gravity_energy
    }

    #[getter]
    fn kinetic_energy(&self) -> f64 {
        self.values.kinetic_energy
    }

    #[getter]
    fn stretch_energy(&self) -> f64 {
        self.values.stretch_energy
    }

    #[getter]
    fn bend_energy(&self) -> f64 {
        self.values.bend_energy
    }

    #[getter]
    fn gravity_energy(&self) -> f64 {
        self.values.gravity_energy
    }

    #[getter]
    fn momentum(&self) -> (f64, f64, f64) {
        self.values.momentum
    }

    #[getter]
    fn angular_momentum(&self) -> (f64, f64, f64) {
        self.values.angular_momentum
    }

    #[getter]
    fn max_strain(&self) -> f64 {
        self.values.max_strain
    }

    #[getter]
    fn residual(&self) -> f64 {
        self.values.residual
    }

    #[getter]
    fn error(&self) -> f64 {
        self.values.error
    }

    #[getter]
    fn not_converged(&self) -> u32 {
        self.values.not_converged
    }

    #[getter]
    fn remeshed<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        PyTuple::new(py, &self.values.remeshed)
    }

    #[getter]
    fn splits(&self) -> u64 {
        self.values.splits
    }

    #[getter]
    fn collapses(&self) -> u64 {
        self.values.collapses
    }

    #[getter]
    fn flips(&self) -> u64 {
        self.values.flips
    }

    #[getter]
    fn broken_edges(&self) -> usize {
        self.values.broken_edges
    }

    #[getter]
    fn tears(&self) -> u64 {
        self.values.tears
    }

    #[getter]
    fn forced(&self) -> u64 {
        self.values.forced
    }

    /// Load on each obstacle, by name.
    #[getter]
    fn obstacle_loads<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let class = py.import("taffeta._bodies")?.getattr("Load")?;
        let dict = PyDict::new(py);
        for (name, [force, torque, point]) in &self.values.loads {
            dict.set_item(name, class.call_method1("of", (*force, *torque, *point))?)?;
        }
        Ok(dict)
    }

    #[getter]
    fn rough(&self) -> Option<(f64, f64)> {
        self.values.rough
    }

    #[getter]
    fn state_hash(&self) -> &str {
        &self.values.state_hash
    }

    /// Wall time of each stage [s].
    #[getter]
    fn times<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let dict = PyDict::new(py);
        for (stage, time) in &self.values.times {
            dict.set_item(stage, time)?;
        }
        Ok(dict)
    }

    fn keys(&self) -> Vec<&'static str> {
        KEYS.to_vec()
    }

    fn values<'py>(slf: &Bound<'py, Self>) -> PyResult<Vec<Bound<'py, PyAny>>> {
        KEYS.iter().map(|key| slf.getattr(*key)).collect()
    }

    fn items<'py>(slf: &Bound<'py, Self>) -> PyResult<Vec<(&'static str, Bound<'py, PyAny>)>> {
        KEYS.iter().map(|key| Ok((*key, slf.getattr(*key)?))).collect()
    }

    #[pyo3(signature = (key, default = None))]
    fn get<'py>(
        slf: &Bound<'py, Self>,
        key: &str,
        default: Option<Bound<'py, PyAny>>,
    ) -> PyResult<Option<Bound<'py, PyAny>>> {
        if KEYS.contains(&key) { slf.getattr(key).map(Some) } else { Ok(default) }
    }

    fn __getitem__<'py>(slf: &Bound<'py, Self>, key: &str) -> PyResult<Bound<'py, PyAny>> {
        if KEYS.contains(&key) {
            return slf.getattr(key);
        }
        Err(PyKeyError::new_err(format!("a report has no {key:?}; it has {}", KEYS.join(", "))))
    }

    fn __contains__(&self, key: &Bound<'_, PyAny>) -> bool {
        key.extract::<&str>().is_ok_and(|key| KEYS.contains(&key))
    }

    fn __len__(&self) -> usize {
        KEYS.len()
    }

    fn __iter__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyIterator>> {
        PyList::new(py, KEYS)?.try_iter()
    }

    /// Pickles the report as everything that it tells.
    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> PyResult<(Bound<'py, PyAny>, (Values,))> {
        Ok((slf.get_type().getattr("_from_values")?, (slf.get().values.clone(),)))
    }

    /// The report of a pickle.
    #[staticmethod]
    fn _from_values(values: Values) -> Self {
        Self { values }
    }

    fn __repr__(&self) -> String {
        let Values { time, vertices, faces, contacts, .. } = &self.values;
        format!("<StepReport at {time:.4} s, {vertices} vertices, {faces} faces, {contacts} contacts>")
    }
}
