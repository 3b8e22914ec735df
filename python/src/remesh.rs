//! The remesher by itself, on arrays.

use crate::errors::error;
use crate::input::{points, reals, selection, triangles};
use numpy::{PyArray1, PyArray2, PyArrayMethods};
use pyo3::prelude::*;
use taffeta_remesh::{FieldOptions, FieldRemesher, MaterialCoords, SheetArrays, SizingField};

/// A static mesh is not remeshed again as it moves: no gap is needed that keeps edges from coming and going.
const COLLAPSE_SIZE: f64 = 1.0;

/// Wanted edge lengths as they are given.
enum Sizing {
    Sizes(Vec<f64>),
    Metrics(Vec<[f64; 3]>),
}

impl Sizing {
    fn read(value: &Bound<'_, PyAny>, vertices: usize) -> PyResult<Self> {
        let (list, shape) = reals(value, "sizing")?;
        match *shape {
            [] => Ok(Self::Sizes(vec![list[0]; vertices])),
            [count] if count == vertices => Ok(Self::Sizes(list)),
            [count, 3] if count == vertices => Ok(Self::Metrics(list.as_chunks().0.to_vec())),
            [count, 2, 2] if count == vertices => {
                let packed = |m: &[f64; 4]| [m[0], 0.5 * (m[1] + m[2]), m[3]];
                Ok(Self::Metrics(list.as_chunks().0.iter().map(packed).collect()))
            }
            _ => {
                let text = format!(
                    "sizing has the shape {shape:?}, but must be one edge length, ({vertices},) edge lengths, or tensors of \
                     shape ({vertices}, 3) (m00, m01, m11) or ({vertices}, 2, 2)"
                );
                Err(error(value.py(), "ArrayError", text))
            }
        }
    }

    fn borrow(&self) -> SizingField<'_> {
        match self {
            Self::Sizes(sizes) => SizingField::Sizes(sizes),
            Self::Metrics(metrics) => SizingField::Metrics(metrics),
        }
    }
}

/// Material coordinates as they are given.
enum Coords {
    None,
    PerVertex(Vec<[f64; 2]>),
    PerCorner(Vec<[[f64; 2]; 3]>),
}

impl Coords {
    fn read(value: Option<&Bound<'_, PyAny>>, vertices: usize, faces: usize) -> PyResult<Self> {
        let Some(value) = value else { return Ok(Self::None) };
        let (list, shape) = reals(value, "uv")?;
        match *shape {
            [count, 2] if count == vertices => Ok(Self::PerVertex(list.as_chunks().0.to_vec())),
            [count, 3, 2] if count == faces => {
                Ok(Self::PerCorner(list.as_chunks::<2>().0.as_chunks().0.to_vec()))
            }
            _ => {
                let text = format!(
                    "uv has the shape {shape:?}, but must have ({vertices}, 2), one point per vertex, or ({faces}, 3, 2), one \
                     per corner"
                );
                Err(error(value.py(), "ArrayError", text))
            }
        }
    }

    fn borrow(&self) -> MaterialCoords<'_> {
        match self {
            Self::None => MaterialCoords::Positions,
            Self::PerVertex(list) => MaterialCoords::PerVertex(list),
            Self::PerCorner(list) => MaterialCoords::PerCorner(list),
        }
    }
}

type Arrays<'py> = (
    Bound<'py, PyArray2<f64>>,
    Bound<'py, PyArray2<u32>>,
    Bound<'py, PyArray1<u32>>,
    Bound<'py, PyArray2<f64>>,
);

/// Remeshes a sheet, and says whether it is as fine as was asked.
#[pyfunction]
#[pyo3(signature = (positions, faces, sizing, uv, pins, passes, max_vertices, gradation, aspect, tolerance))]
#[expect(clippy::too_many_arguments, reason = "they are the keywords of a Python function")]
pub(crate) fn remesh<'py>(
    py: Python<'py>,
    positions: &Bound<'py, PyAny>,
    faces: &Bound<'py, PyAny>,
    sizing: &Bound<'py, PyAny>,
    uv: Option<&Bound<'py, PyAny>>,
    pins: Option<&Bound<'py, PyAny>>,
    passes: u32,
    max_vertices: usize,
    gradation: Option<f64>,
    aspect: f64,
    tolerance: Option<f64>,
) -> PyResult<(Arrays<'py>, bool)> {
    let positions = points(positions, "positions")?;
    let faces = triangles(faces, "faces", positions.len())?;
    let sizing = Sizing::read(sizing, positions.len())?;
    let coords = Coords::read(uv, positions.len(), faces.len())?;
    let pinned = pins.map(|pins| selection(pins, "pins", positions.len())).transpose()?;
    let sheet =
        SheetArrays { pinned: pinned.as_deref(), ..SheetArrays::new(coords.borrow(), &positions, &faces) };
    let options = FieldOptions {
        passes,
        max_vertices,
        gradation,
        aspect,
        collapse_size: COLLAPSE_SIZE,
        rest_tolerance: tolerance,
        ..FieldOptions::default()
    };
    let refuse = |cause: taffeta_remesh::ArrayError| error(py, "RemeshError", cause.to_string());
    let mut remesher = py.detach(|| FieldRemesher::new(&sheet, sizing.borrow(), &options)).map_err(refuse)?;
    while !remesher.report().settled && remesher.report().passes < passes {
        py.detach(|| remesher.pass(&mut |_| false));
        py.check_signals()?;
    }
    let done = py.detach(|| remesher.finish());
    let origin_faces: Vec<u32> = done.origins.iter().map(|origin| origin.face).collect();
    let weights: Vec<[f64; 3]> = done.origins.iter().map(|origin| origin.weights).collect();
    let is_complete = done.report.settled && !done.report.at_vertex_limit;
    let arrays = (
        rows(py, done.arrays.positions)?,
        rows(py, done.arrays.faces)?,
        PyArray1::from_vec(py, origin_faces),
        rows(py, weights)?,
    );
    Ok((arrays, is_complete))
}

fn rows<T: numpy::Element>(py: Python<'_>, list: Vec<[T; 3]>) -> PyResult<Bound<'_, PyArray2<T>>> {
    let count = list.len();
    PyArray1::from_vec(py, list.into_flattened()).reshape([count, 3])
}
