//! Result folders that are read back.

use crate::errors::error_with;
use glam::{DVec2, DVec3};
use numpy::{PyArray1, PyArrayMethods};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use std::path::PathBuf;
use taffeta_io::FrameData;
use taffeta_scene::{OutputError, ResultFolder};

fn refuse(py: Python<'_>, cause: &OutputError) -> PyErr {
    error_with(py, "RunError", cause.to_string(), |fields| fields.set_item("status", 2))
}

/// The numbers of the frames of a folder.
#[pyfunction]
pub(crate) fn list_frames(py: Python<'_>, folder: PathBuf) -> PyResult<Vec<u64>> {
    ResultFolder::open(&folder).map(|folder| folder.all_frames()).map_err(|cause| refuse(py, &cause))
}

/// The bodies of a frame with their arrays, by name.
#[pyfunction]
pub(crate) fn read_frame(py: Python<'_>, folder: PathBuf, frame: u64) -> PyResult<Bound<'_, PyDict>> {
    let read = || {
        let folder = ResultFolder::open(&folder)?;
        let names: Vec<String> = folder.cloth_names().into_iter().map(str::to_owned).collect();
        let present = names.into_iter().filter(|name| folder.frames(name).contains(&frame));
        present.map(|name| Ok((name.clone(), folder.read_frame(&name, frame)?))).collect()
    };
    let bodies: Result<Vec<(String, FrameData)>, OutputError> = py.detach(read);
    let dict = PyDict::new(py);
    for (name, data) in bodies.map_err(|cause| refuse(py, &cause))? {
        dict.set_item(name, describe(py, data)?)?;
    }
    Ok(dict)
}

fn describe(py: Python<'_>, data: FrameData) -> PyResult<Bound<'_, PyDict>> {
    let dict = PyDict::new(py);
    let vectors = |list: &[DVec3]| {
        PyArray1::from_slice(py, bytemuck::cast_slice::<DVec3, f64>(list)).reshape([list.len(), 3])
    };
    dict.set_item("positions", vectors(&data.mesh.positions)?)?;
    if !data.is_curve {
        let faces = &data.mesh.faces;
        dict.set_item("faces", PyArray1::from_slice(py, faces.as_flattened()).reshape([faces.len(), 3])?)?;
    }
    if let Some(material) = &data.mesh.material {
        let flat: &[f64] = bytemuck::cast_slice::<DVec2, f64>(material.as_flattened());
        dict.set_item("material", PyArray1::from_slice(py, flat).reshape([material.len(), 3, 2])?)?;
    }
    if let Some(material) = data.mesh.vertex_material() {
        let flat: &[f64] = bytemuck::cast_slice::<DVec2, f64>(&material);
        dict.set_item("vertex_material", PyArray1::from_slice(py, flat).reshape([material.len(), 2])?)?;
    }
    if let Some(velocities) = &data.velocities {
        dict.set_item("velocities", vectors(velocities)?)?;
    }
    let scalars = [("sizes", data.sizes), ("strains", data.strains), ("curvatures", data.curvatures)];
    for (name, values) in scalars {
        if let Some(values) = values {
            dict.set_item(name, PyArray1::from_vec(py, values))?;
        }
    }
    Ok(dict)
}
