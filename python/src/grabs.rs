//! Grabs and the other inputs of a step.

use crate::errors::error;
use crate::input::{GivenPoint, given_point, vector};
use glam::DVec3;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use taffeta_sim::{Grab as SimGrab, StepInputs, World as SimWorld};

/// The arguments of a grab without keywords: body, point and target.
type Positional<'a> = (&'a str, [f64; 3], [f64; 3]);

/// A pull on a material point.
#[pyclass(frozen, module = "taffeta")]
pub(crate) struct Grab {
    body: String,
    point: GivenPoint,
    target: DVec3,
    stiffness: f64,
    radius: f64,
}

#[pymethods]
impl Grab {
    #[new]
    #[pyo3(signature = (body, point, target, *, stiffness = 100.0, radius = 0.0, panel = None))]
    fn new(
        body: String,
        point: &Bound<'_, PyAny>,
        target: &Bound<'_, PyAny>,
        stiffness: f64,
        radius: f64,
        panel: Option<u32>,
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
        let point = given_point(point, panel, "the point of a grab")?;
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
        self.point.coords.to_array()
    }

    /// The panel of the point; `None`: the only one that covers it.
    #[getter]
    fn panel(&self) -> Option<u32> {
        self.point.panel
    }

    /// Point that it is pulled to [m].
    #[getter]
    fn target(&self) -> [f64; 3] {
        self.target.to_array()
    }

    /// Stiffness of the spring [N/m].
    #[getter]
    fn stiffness(&self) -> f64 {
        self.stiffness
    }

    /// Radius of the patch that shares the force [m].
    #[getter]
    fn radius(&self) -> f64 {
        self.radius
    }

    /// The arguments from which pickling makes it again.
    fn __getnewargs_ex__<'py>(&self, py: Python<'py>) -> PyResult<(Positional<'_>, Bound<'py, PyDict>)> {
        let keywords = PyDict::new(py);
        keywords.set_item("stiffness", self.stiffness)?;
        keywords.set_item("radius", self.radius)?;
        Ok(((&self.body, self.point(), self.target()), keywords))
    }

    fn __repr__(&self) -> String {
        let Self { body, point: GivenPoint { panel, coords, .. }, target, stiffness, radius } = self;
        let panel = panel.map_or(String::new(), |panel| format!(", panel={panel}"));
        format!("Grab({body:?}, {coords}, {target}, stiffness={stiffness}, radius={radius}{panel})")
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
/// In words, if there is no such body, or if it has no such point.
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
        let point = point.on_body(world, body).map_err(|reason| format!("the point of a grab: {reason}"))?;
        Ok(SimGrab { body, point, radius, target, stiffness })
    };
    let grabs: Result<Vec<SimGrab>, String> = grabs.unwrap_or_default().iter().map(find).collect();
    Ok(StepInputs { grabs: grabs?, ..forces })
}
