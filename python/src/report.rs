//! Report of a step, as attributes and as a mapping.

use crate::moved::obstacle_names;
use pyo3::IntoPyObjectExt;
use pyo3::exceptions::PyKeyError;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyIterator, PyList, PyTuple};
use taffeta_sim::columns::{Column, Value};
use taffeta_sim::{ClothId, ObstacleLoad, Stage, StepReport as SimReport, World};

/// Names of the mapping that stand in no table, with their meanings: they follow the columns.
const OTHERS: [(&str, &str); 4] = [
    ("remeshed", "Names of the cloths whose topology has changed, by remeshing, tearing or sewing."),
    ("obstacle_loads", "Load on each obstacle, by name."),
    ("rough", "Error allowed to a substep and factor of edge lengths, for the budget of the step."),
    ("state_hash", "Hash of positions and velocities after the step."),
];

/// The names of the mapping, in their order.
fn keys() -> impl Iterator<Item = &'static str> {
    Column::of_reports().map(|column| column.name).chain(OTHERS.iter().map(|(name, _)| *name))
}

/// Makes each name of the mapping an attribute.
pub(crate) fn add_attributes(module: &Bound<'_, PyModule>) -> PyResult<()> {
    let (class, py) = (module.getattr("StepReport")?, module.py());
    let (property, getter) = (py.import("builtins")?.getattr("property")?, py.import("operator")?);
    let columns = Column::of_reports().map(|column| (column.name, column.meaning));
    for (name, meaning) in columns.chain(OTHERS) {
        let read = getter.call_method1("itemgetter", (name,))?;
        class.setattr(name, property.call1((read, py.None(), py.None(), meaning))?)?;
    }
    Ok(())
}

/// A value of a column, as Python and pickling take it.
#[derive(Clone, FromPyObject, IntoPyObject)]
pub(crate) enum Cell {
    Count(u64),
    Number(f64),
    Vector((f64, f64, f64)),
}

impl From<Value> for Cell {
    fn from(value: Value) -> Self {
        match value {
            Value::Count(count) => Self::Count(count),
            Value::Number(number) => Self::Number(number),
            Value::Vector(vector) => Self::Vector(vector.into()),
        }
    }
}

/// The outcome of a step.
#[pyclass(frozen, mapping, module = "taffeta")]
pub(crate) struct StepReport {
    values: Values,
}

/// Everything that a report tells, as pickling takes it.
#[derive(Clone, FromPyObject, IntoPyObject)]
#[pyo3(from_item_all)]
struct Values {
    /// The columns in their order.
    cells: Vec<Option<Cell>>,
    /// Names of the cloths whose topology has changed.
    remeshed: Vec<String>,
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
        let load = |load: &ObstacleLoad| [load.force, load.torque, load.point].map(|v| v.to_array());
        let stage =
            |stage: Stage| (format!("{stage:?}").to_lowercase(), report.times.of(stage).as_secs_f64());
        let values = Values {
            cells: Column::of_reports().map(|column| column.read(&report).map(Cell::from)).collect(),
            remeshed: report.remeshed.iter().map(name).collect(),
            loads: obstacle_names(world).into_iter().zip(report.obstacle_loads.iter().map(load)).collect(),
            rough: report.rough.map(|rough| (rough.accuracy, rough.edges)),
            times: Stage::ALL.into_iter().map(stage).collect(),
            state_hash: report.state_hash,
        };
        Self { values }
    }

    /// Load on each obstacle, by name.
    fn loads<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let class = py.import("taffeta._bodies")?.getattr("Load")?;
        let dict = PyDict::new(py);
        for (name, [force, torque, point]) in &self.values.loads {
            dict.set_item(name, class.call_method1("of", (*force, *torque, *point))?)?;
        }
        Ok(dict.into_any())
    }
}

#[pymethods]
impl StepReport {
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
        keys().collect()
    }

    fn values<'py>(&self, py: Python<'py>) -> PyResult<Vec<Bound<'py, PyAny>>> {
        keys().map(|key| self.__getitem__(py, key)).collect()
    }

    fn items<'py>(&self, py: Python<'py>) -> PyResult<Vec<(&'static str, Bound<'py, PyAny>)>> {
        keys().map(|key| Ok((key, self.__getitem__(py, key)?))).collect()
    }

    #[pyo3(signature = (key, default = None))]
    fn get<'py>(
        &self,
        py: Python<'py>,
        key: &str,
        default: Option<Bound<'py, PyAny>>,
    ) -> PyResult<Option<Bound<'py, PyAny>>> {
        if keys().any(|name| name == key) { self.__getitem__(py, key).map(Some) } else { Ok(default) }
    }

    fn __getitem__<'py>(&self, py: Python<'py>, key: &str) -> PyResult<Bound<'py, PyAny>> {
        let values = &self.values;
        if let Some(place) = Column::of_reports().position(|column| column.name == key) {
            return values.cells[place].clone().into_bound_py_any(py);
        }
        match key {
            "remeshed" => Ok(PyTuple::new(py, &values.remeshed)?.into_any()),
            "obstacle_loads" => self.loads(py),
            "rough" => values.rough.into_bound_py_any(py),
            "state_hash" => values.state_hash.as_str().into_bound_py_any(py),
            _ => {
                let names: Vec<_> = keys().collect();
                Err(PyKeyError::new_err(format!("a report has no {key:?}; it has {}", names.join(", "))))
            }
        }
    }

    fn __contains__(&self, key: &Bound<'_, PyAny>) -> bool {
        key.extract::<&str>().is_ok_and(|key| keys().any(|name| name == key))
    }

    fn __len__(&self) -> usize {
        keys().count()
    }

    fn __iter__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyIterator>> {
        PyList::new(py, self.keys())?.try_iter()
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

    fn __repr__(slf: &Bound<'_, Self>) -> PyResult<String> {
        let number = |name: &str| slf.getattr(name)?.str()?.extract::<String>();
        let time: f64 = slf.getattr("time")?.extract()?;
        let [vertices, faces, contacts] = [number("vertices")?, number("faces")?, number("contacts")?];
        Ok(format!("<StepReport at {time:.4} s, {vertices} vertices, {faces} faces, {contacts} contacts>"))
    }
}
