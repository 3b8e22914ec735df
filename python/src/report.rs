//! What a step reports, as attributes and as a mapping.

use crate::moved::obstacle_names;
use pyo3::exceptions::PyKeyError;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyIterator, PyList, PyTuple};
use taffeta_sim::{ClothId, Stage, StepReport as SimReport, World};

/// The names of the mapping, in their order.
const KEYS: [&str; 26] = [
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
    "state_hash",
];

/// The outcome of a step.
#[pyclass(frozen, mapping, module = "taffeta")]
pub(crate) struct StepReport {
    report: SimReport,
    /// Names of the cloths whose topology has changed.
    remeshed: Vec<String>,
    /// Names of the obstacles.
    obstacles: Vec<String>,
}

impl StepReport {
    /// The report of a step of a world.
    pub(crate) fn new(report: SimReport, world: &World) -> Self {
        let name = |id: &ClothId| world.cloth(*id).cloth().name.clone();
        Self {
            remeshed: report.remeshed.iter().map(name).collect(),
            obstacles: obstacle_names(world),
            report,
        }
    }
}

#[pymethods]
impl StepReport {
    #[getter]
    fn time(&self) -> f64 {
        self.report.time
    }

    #[getter]
    fn vertices(&self) -> usize {
        self.report.vertices
    }

    #[getter]
    fn faces(&self) -> usize {
        self.report.faces
    }

    #[getter]
    fn contacts(&self) -> usize {
        self.report.contacts
    }

    #[getter]
    fn substeps(&self) -> u32 {
        self.report.plan.substeps
    }

    #[getter]
    fn iterations(&self) -> u32 {
        self.report.plan.iterations
    }

    #[getter]
    fn energy(&self) -> f64 {
        self.kinetic_energy() + self.stretch_energy() + self.bend_energy() + self.gravity_energy()
    }

    #[getter]
    fn kinetic_energy(&self) -> f64 {
        self.report.metrics.kinetic_energy
    }

    #[getter]
    fn stretch_energy(&self) -> f64 {
        self.report.metrics.stretch_energy
    }

    #[getter]
    fn bend_energy(&self) -> f64 {
        self.report.metrics.bend_energy
    }

    #[getter]
    fn gravity_energy(&self) -> f64 {
        self.report.metrics.gravity_energy
    }

    #[getter]
    fn momentum(&self) -> (f64, f64, f64) {
        self.report.metrics.momentum.into()
    }

    #[getter]
    fn angular_momentum(&self) -> (f64, f64, f64) {
        self.report.metrics.angular_momentum.into()
    }

    #[getter]
    fn max_strain(&self) -> f64 {
        self.report.metrics.max_strain
    }

    #[getter]
    fn residual(&self) -> f64 {
        self.report.metrics.residual
    }

    #[getter]
    fn error(&self) -> f64 {
        self.report.plan.error
    }

    #[getter]
    fn not_converged(&self) -> u32 {
        self.report.plan.not_converged
    }

    #[getter]
    fn remeshed<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        PyTuple::new(py, &self.remeshed)
    }

    #[getter]
    fn splits(&self) -> u64 {
        self.report.remesh.splits
    }

    #[getter]
    fn collapses(&self) -> u64 {
        self.report.remesh.collapses
    }

    #[getter]
    fn flips(&self) -> u64 {
        self.report.remesh.flips
    }

    #[getter]
    fn broken_edges(&self) -> usize {
        self.report.broken_edges
    }

    #[getter]
    fn tears(&self) -> u64 {
        self.report.tears.count
    }

    #[getter]
    fn forced(&self) -> u64 {
        self.report.safeguard.forced
    }

    /// What each obstacle has borne, by name.
    #[getter]
    fn obstacle_loads<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let class = py.import("taffeta._bodies")?.getattr("Load")?;
        let dict = PyDict::new(py);
        for (name, load) in self.obstacles.iter().zip(&self.report.obstacle_loads) {
            let vectors = (load.force.to_array(), load.torque.to_array(), load.point.to_array());
            dict.set_item(name, class.call_method1("of", vectors)?)?;
        }
        Ok(dict)
    }

    #[getter]
    fn state_hash(&self) -> &str {
        &self.report.state_hash
    }

    /// Wall time of each stage [s].
    #[getter]
    fn times<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let dict = PyDict::new(py);
        for stage in Stage::ALL {
            dict.set_item(format!("{stage:?}").to_lowercase(), self.report.times.of(stage).as_secs_f64())?;
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

    fn __repr__(&self) -> String {
        let SimReport { time, vertices, faces, contacts, .. } = &self.report;
        format!("<StepReport at {time:.4} s, {vertices} vertices, {faces} faces, {contacts} contacts>")
    }
}
