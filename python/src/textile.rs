//! Tests of the textile industry.

use crate::errors::error;
use crate::scene::Scene;
use numpy::{PyArray1, PyArray2};
use pyo3::prelude::*;
use taffeta_study::textile::{AnnulusPattern, Drape, DrapeSettings, DrapeSizes, drape};

/// Drape coefficient, folds, asymmetry, outline, positions, faces, energy, crossings, time.
type Draped<'py> = (
    f64,
    usize,
    f64,
    Bound<'py, PyArray1<f64>>,
    Bound<'py, PyArray2<f64>>,
    Bound<'py, PyArray2<u32>>,
    f64,
    usize,
    f64,
);

/// Drapes the material of the first cloth of a scene.
#[pyfunction]
#[pyo3(signature = (scene, pattern, size, refine_error, start, waves, lowering, radii))]
#[expect(clippy::too_many_arguments, reason = "they are the keywords of a Python function")]
pub(crate) fn drape_material<'py>(
    py: Python<'py>,
    scene: &Scene,
    pattern: &str,
    size: f64,
    refine_error: Option<f64>,
    start: u32,
    waves: Option<u32>,
    lowering: f64,
    radii: [f64; 2],
) -> PyResult<Draped<'py>> {
    let refuse = |text: String| error(py, "TextileError", text);
    let find = |name: &&AnnulusPattern| name.name() == pattern;
    let Some(pattern) = AnnulusPattern::ALL.iter().find(find).copied() else {
        let allowed = AnnulusPattern::ALL.map(AnnulusPattern::name).join(", ");
        return Err(refuse(format!("pattern is {pattern:?}, but must be one of {allowed}")));
    };
    let description = scene.current().build().map_err(|problem| refuse(problem.to_string()))?;
    let Some(cloth) = description.cloths.into_iter().next() else {
        return Err(refuse("the scene has no cloth".to_owned()));
    };
    let [support, specimen] = radii;
    let sizes = DrapeSizes { support, specimen };
    let settings =
        DrapeSettings { sizes, pattern, size, refine_error, waves, lowering, ..DrapeSettings::default() };
    let settings = settings.start(start);
    let found =
        py.detach(|| drape(&cloth.material, &settings)).map_err(|problem| refuse(problem.to_string()))?;
    let Drape { shadow, mesh, energy, crossings, time } = found;
    let positions: Vec<Vec<f64>> = mesh.positions.iter().map(|x| x.to_array().to_vec()).collect();
    let faces: Vec<Vec<u32>> = mesh.faces.iter().map(|face| face.to_vec()).collect();
    Ok((
        shadow.coefficient,
        shadow.folds,
        shadow.asymmetry,
        PyArray1::from_vec(py, shadow.outline),
        PyArray2::from_vec2(py, &positions)?,
        PyArray2::from_vec2(py, &faces)?,
        energy,
        crossings,
        time,
    ))
}
