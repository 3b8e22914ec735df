//! Numbers and arrays that come from Python, checked before anything is done with them.

use crate::errors::error;
use glam::{DQuat, DVec3};
use numpy::{
    PyArrayDescrMethods, PyArrayDyn, PyArrayMethods, PyReadwriteArray2, PyUntypedArray, PyUntypedArrayMethods,
};
use pyo3::intern;
use pyo3::prelude::*;
use taffeta_sim::{BodyPoint, PanelPoint, PointError, World};

/// Types of numbers in arrays, by the letters of NumPy's kinds.
const REAL: &str = "fiu";
const WHOLE: &str = "iu";

fn wrong_type(py: Python<'_>, text: String) -> PyErr {
    error(py, "ArrayTypeError", text)
}

fn wrong_value(py: Python<'_>, text: String) -> PyErr {
    error(py, "ArrayError", text)
}

/// Three finite numbers, as a tuple, list or array.
pub(crate) fn vector(value: &Bound<'_, PyAny>, name: &str) -> PyResult<DVec3> {
    let numbers = finite_numbers(value, name, "three numbers (x, y, z)")?;
    <[f64; 3]>::try_from(numbers.as_slice()).map(DVec3::from).map_err(|_| {
        let found = numbers.len();
        wrong_value(value.py(), format!("{name} has {found} numbers, but must have three (x, y, z)"))
    })
}

/// A point of a body as it was given: two or three numbers, and perhaps a panel.
#[derive(Clone, Copy)]
pub(crate) struct GivenPoint {
    pub panel: Option<u32>,
    /// The third one is 0 if two were given [m].
    pub coords: DVec3,
    is_flat: bool,
}

impl GivenPoint {
    /// The material point that is meant: by material coordinates, or where it was at time 0.
    ///
    /// # Errors
    /// In words, if the numbers do not fit the body.
    pub(crate) fn on_body(self, world: &World, body: usize) -> Result<BodyPoint, String> {
        let Self { panel, coords, is_flat } = self;
        let on_panel = BodyPoint::Panel(PanelPoint { panel, material: coords.truncate() });
        match world.cloths().get(body).filter(|cloth| cloth.has_material) {
            Some(_) if is_flat => Ok(on_panel),
            Some(cloth) if cloth.has_one_chart || panel.is_some() => match coords.z == 0.0 {
                true => Ok(on_panel),
                false => Err(format!("the third number is {}, but material coordinates are two", coords.z)),
            },
            Some(_) => Ok(BodyPoint::Start(coords)),
            None if panel.is_some() => Err(PointError::NoMaterial.to_string()),
            None => Ok(BodyPoint::Start(coords)),
        }
    }
}

/// Two or three finite numbers and a panel.
pub(crate) fn given_point(value: &Bound<'_, PyAny>, panel: Option<u32>, name: &str) -> PyResult<GivenPoint> {
    match *finite_numbers(value, name, "two or three numbers")? {
        [u, v] => Ok(GivenPoint { panel, coords: DVec3::new(u, v, 0.0), is_flat: true }),
        [x, y, z] => Ok(GivenPoint { panel, coords: DVec3::new(x, y, z), is_flat: false }),
        ref numbers => {
            let found = numbers.len();
            Err(wrong_value(value.py(), format!("{name} has {found} numbers, but must have two or three")))
        }
    }
}

/// A position and a rotation as a quaternion (w, x, y, z), which need not have unit length.
pub(crate) fn pose(value: &Bound<'_, PyAny>, name: &str) -> PyResult<(DVec3, DQuat)> {
    let expected = "(position, quaternion) with three numbers and four (w, x, y, z)";
    let Ok((position, rotation)) = value.extract::<(Bound<'_, PyAny>, Bound<'_, PyAny>)>() else {
        return Err(wrong_type(value.py(), format!("{name} is no pose: it must be {expected}")));
    };
    let position = vector(&position, &format!("the position of {name}"))?;
    Ok((position, quaternion(&rotation, &format!("the quaternion of {name}"))?))
}

/// A rotation as a quaternion (w, x, y, z), which need not have unit length.
pub(crate) fn quaternion(value: &Bound<'_, PyAny>, what: &str) -> PyResult<DQuat> {
    let numbers = finite_numbers(value, what, "four numbers (w, x, y, z)")?;
    let [w, x, y, z] = *numbers else {
        let found = numbers.len();
        return Err(wrong_value(
            value.py(),
            format!("{what} has {found} numbers, but must have four (w, x, y, z)"),
        ));
    };
    let rotation = DQuat::from_xyzw(x, y, z, w);
    if rotation.length() < 1e-6 {
        return Err(wrong_value(
            value.py(),
            format!("{what} is zero: it has no direction; (1, 0, 0, 0) does not turn"),
        ));
    }
    Ok(rotation.normalize())
}

fn finite_numbers(value: &Bound<'_, PyAny>, name: &str, expected: &str) -> PyResult<Vec<f64>> {
    let Ok(numbers) = value.extract::<Vec<f64>>() else {
        let kind = value.get_type().name()?;
        return Err(wrong_type(value.py(), format!("{name} is of type {kind}, but must be {expected}")));
    };
    match numbers.iter().find(|number| !number.is_finite()) {
        Some(number) => {
            let text = format!("{name} has the number {number}, but all of its numbers must be finite");
            Err(wrong_value(value.py(), text))
        }
        None => Ok(numbers),
    }
}

/// An array, with its shape in words.
fn as_array<'py>(value: &Bound<'py, PyAny>, name: &str) -> PyResult<Bound<'py, PyUntypedArray>> {
    let py = value.py();
    let array =
        py.import(intern!(py, "numpy"))?.call_method1(intern!(py, "asarray"), (value,)).map_err(|cause| {
            let text = format!("{name} cannot be read as an array: {}", cause.value(py));
            wrong_value(py, text)
        })?;
    Ok(array.cast_into::<PyUntypedArray>()?)
}

fn kind_of(array: &Bound<'_, PyUntypedArray>) -> char {
    char::from(array.dtype().kind())
}

/// The shape of an array as Python writes it.
fn shape_text(shape: &[usize]) -> String {
    match shape {
        [one] => format!("({one},)"),
        _ => format!("({})", shape.iter().map(usize::to_string).collect::<Vec<_>>().join(", ")),
    }
}

fn refuse_shape(array: &Bound<'_, PyUntypedArray>, name: &str, expected: &str) -> PyErr {
    let shape = shape_text(array.shape());
    wrong_value(array.py(), format!("{name} has the shape {shape}, but must have {expected}"))
}

/// An array of the wanted kind of numbers as `T`, in the order of C.
fn numbers<'py, T: numpy::Element>(
    array: &Bound<'py, PyUntypedArray>,
    (name, kinds, expected, target): (&str, &str, &str, &str),
) -> PyResult<Bound<'py, PyArrayDyn<T>>> {
    let py = array.py();
    if !kinds.contains(kind_of(array)) {
        let text = format!("{name} has elements of type {}, but must have {expected}", array.dtype());
        return Err(wrong_type(py, text));
    }
    let converted = py.import(intern!(py, "numpy"))?.call_method1("ascontiguousarray", (array, target))?;
    Ok(converted.cast_into::<PyArrayDyn<T>>()?)
}

/// Real numbers of any shape, finite, with the shape.
pub(crate) fn reals(value: &Bound<'_, PyAny>, name: &str) -> PyResult<(Vec<f64>, Vec<usize>)> {
    let array = as_array(value, name)?;
    let numbers = numbers::<f64>(&array, (name, REAL, "real numbers", "float64"))?;
    let list = numbers.readonly().as_slice()?.to_vec();
    if let Some(at) = list.iter().position(|number| !number.is_finite()) {
        let row: usize = array.shape().iter().skip(1).product();
        let text = format!("{name} is {} in row {}, but must be finite", list[at], at / row.max(1));
        return Err(wrong_value(value.py(), text));
    }
    Ok((list, array.shape().to_vec()))
}

/// Rows of three finite real numbers.
pub(crate) fn points(value: &Bound<'_, PyAny>, name: &str) -> PyResult<Vec<[f64; 3]>> {
    let (list, shape) = reals(value, name)?;
    if shape.len() != 2 || shape[1] != 3 {
        return Err(refuse_shape(&as_array(value, name)?, name, "(n, 3)"));
    }
    Ok(list.as_chunks().0.to_vec())
}

/// Vectors from rows of three finite real numbers.
pub(crate) fn vectors(value: &Bound<'_, PyAny>, name: &str) -> PyResult<Vec<DVec3>> {
    Ok(points(value, name)?.into_iter().map(DVec3::from).collect())
}

/// Rows of three finite real numbers, so many of them.
pub(crate) fn points_of(value: &Bound<'_, PyAny>, name: &str, count: usize) -> PyResult<Vec<DVec3>> {
    let rows = vectors(value, name)?;
    if rows.len() != count {
        return Err(refuse_shape(&as_array(value, name)?, name, &shape_text(&[count, 3])));
    }
    Ok(rows)
}

/// Corners of triangles.
pub(crate) fn triangles(value: &Bound<'_, PyAny>, name: &str, vertices: usize) -> PyResult<Vec<[u32; 3]>> {
    let array = as_array(value, name)?;
    if array.shape().len() != 2 || array.shape()[1] != 3 {
        return Err(refuse_shape(&array, name, "(m, 3)"));
    }
    let list = numbers::<i64>(&array, (name, WHOLE, "whole numbers, such as int32", "int64"))?;
    let list = list.readonly().as_slice()?.to_vec();
    if let Some(at) = list.iter().position(|number| !(0..vertices as i64).contains(number)) {
        let text =
            format!("{name} has vertex {} in row {}, but there are {vertices}, from 0", list[at], at / 3);
        return Err(wrong_value(value.py(), text));
    }
    Ok(list.as_chunks().0.iter().map(|face: &[i64; 3]| face.map(|number| number as u32)).collect())
}

/// Which vertices are meant: a mask of all of them, or their numbers.
pub(crate) fn selection(value: &Bound<'_, PyAny>, name: &str, vertices: usize) -> PyResult<Vec<bool>> {
    let array = as_array(value, name)?;
    if array.shape().len() != 1 {
        return Err(refuse_shape(
            &array,
            name,
            &format!("{} or the numbers of vertices", shape_text(&[vertices])),
        ));
    }
    if kind_of(&array) == 'b' {
        if array.shape() != [vertices] {
            return Err(refuse_shape(&array, name, &shape_text(&[vertices])));
        }
        let mask = array.cast_into::<PyArrayDyn<bool>>()?;
        return Ok(mask.readonly().as_array().iter().copied().collect());
    }
    let mut mask = vec![false; vertices];
    if array.shape() == [0] {
        return Ok(mask);
    }
    let list = numbers::<i64>(&array, (name, WHOLE, "whole numbers or truth values", "int64"))?;
    for number in list.readonly().as_slice()? {
        match usize::try_from(*number).ok().and_then(|number| mask.get_mut(number)) {
            Some(place) => *place = true,
            None => {
                let text = format!("{name} has vertex {number}, but there are {vertices}, from 0");
                return Err(wrong_value(value.py(), text));
            }
        }
    }
    Ok(mask)
}

/// A buffer that rows of three numbers are written into: nothing else than float32, C order, writeable, shape (count, 3).
pub(crate) fn buffer<'py>(value: &Bound<'py, PyAny>, count: usize) -> PyResult<PyReadwriteArray2<'py, f32>> {
    let py = value.py();
    let expected = format!("a writeable float32 array of shape ({count}, 3) in C order");
    let Ok(array) = value.cast::<PyUntypedArray>() else {
        let kind = value.get_type().name()?;
        return Err(wrong_type(py, format!("out is of type {kind}, but must be {expected}")));
    };
    if array.shape() != [count, 3] {
        let shape = shape_text(array.shape());
        return Err(wrong_value(py, format!("out has the shape {shape}, but must be {expected}")));
    }
    let Ok(typed) = value.cast::<numpy::PyArray2<f32>>() else {
        let dtype = array.dtype();
        return Err(wrong_type(py, format!("out has elements of type {dtype}, but must be {expected}")));
    };
    if !array.is_c_contiguous() {
        return Err(wrong_value(py, format!("out is not contiguous in C order, but must be {expected}")));
    }
    typed
        .try_readwrite()
        .map_err(|_| wrong_value(py, format!("out is read-only or in use, but must be {expected}")))
}
