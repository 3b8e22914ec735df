//! NPZ: the arrays of a frame for `numpy.load`, without pickled objects.
//!
//! With `V` vertices and `F` faces, little-endian, in C order:
//!
//! | key | dtype | shape | |
//! |---|---|---|---|
//! | `time` | float64 | () | time of the frame \[s\] |
//! | `frame` | int64 | () | number of the frame, from 0 |
//! | `positions` | float64 | (V, 3) | world positions \[m\] |
//! | `vertex_names` | int32 | (V,) | number in the file that the cloth was made from, −1: added since |
//! | `velocities` | float64 | (V, 3) | \[m/s\] |
//! | `faces` | int32 | (F, 3) | corners, counter-clockwise; of a rope (0, 3) |
//! | `edges` | int32 | (V − 1, 2) | of a rope only |
//! | `material` | float64 | (F, 3, 2) | material coordinates of the corners \[m\] |
//! | `vertex_material` | float64 | (V, 2) | material coordinates by vertex \[m\]; on a seam those of the vertex's first face |
//! | `sizing` | float64 | (V,) | edge length that is wanted at the vertices \[m\] |
//! | `strain` | float64 | (F,) | principal Green strain, the larger in absolute value |
//! | `curvature` | float64 | (F,) | mean curvature \[1/m\] |
//! | `strain_jump` | float64 | (F,) | largest difference of the strain from that of a neighbor |
//! | `curvature_jump` | float64 | (F,) | largest difference of the curvature from that of a neighbor \[1/m\] |
//! | `plastic_curvature` | float64 | (F,) | curvature that stays \[1/m\], of a material that yields |
//!
//! Missing data are absent: material coordinates of a cloth that came without, everything about faces of a rope.
//! Material coordinates belong to corners, because the two sides of a seam differ. `vertex_material` has one of them for each
//! vertex; `(vertex_material[faces] == material).all()` says that there is no seam.

use crate::archive::Archive;
use crate::frame::{FACE_SCALARS, FrameData, ReadError};
use glam::{DVec2, DVec3};
use ndarray::{Array, Array1, Array2, Array3, Dimension, Ix0, arr0};
use ndarray_npy::{NpzWriter, ReadNpyExt, ReadableElement, WriteNpzError};
use std::io::{self, Seek, Write};

/// Writes a frame.
///
/// # Errors
/// Those of the writer, and meshes of more than 2³¹ vertices.
pub fn write_npz(writer: impl Write + Seek, frame: &FrameData) -> io::Result<()> {
    let mut npz = NpzWriter::new(writer);
    try_write(&mut npz, frame).map_err(io::Error::other)?;
    npz.finish().map_err(io::Error::other)?.flush()
}

fn try_write<W: Write + Seek>(npz: &mut NpzWriter<W>, frame: &FrameData) -> Result<(), WriteNpzError> {
    let faces = &frame.mesh.faces;
    if let Some(time) = frame.time {
        npz.add_array("time", &arr0(time))?;
    }
    if let Some(number) = frame.number {
        npz.add_array("frame", &arr0(number as i64))?;
    }
    npz.add_array("positions", &vectors(&frame.mesh.positions))?;
    if let Some(names) = &frame.vertex_names {
        let names = names.iter().map(|name| name.map_or(-1, |name| name as i32));
        npz.add_array("vertex_names", &names.collect::<Array1<i32>>())?;
    }
    if let Some(velocities) = &frame.velocities {
        npz.add_array("velocities", &vectors(velocities))?;
    }
    npz.add_array("faces", &Array2::from_shape_fn((faces.len(), 3), |(f, k)| faces[f][k] as i32))?;
    if frame.is_curve {
        let count = frame.mesh.positions.len().saturating_sub(1);
        npz.add_array("edges", &Array2::from_shape_fn((count, 2), |(e, k)| (e + k) as i32))?;
    }
    if let Some(material) = &frame.mesh.material {
        let corners = Array3::from_shape_fn((faces.len(), 3, 2), |(f, k, c)| material[f][k][c]);
        npz.add_array("material", &corners)?;
    }
    if let Some(material) = frame.mesh.vertex_material() {
        let rows = Array2::from_shape_fn((material.len(), 2), |(v, c)| material[v][c]);
        npz.add_array("vertex_material", &rows)?;
    }
    let of_faces = FACE_SCALARS.into_iter().zip(frame.face_scalars());
    for (name, values) in [("sizing", &frame.sizes)].into_iter().chain(of_faces) {
        if let Some(values) = values {
            npz.add_array(name, &Array1::from_vec(values.clone()))?;
        }
    }
    Ok(())
}

fn vectors(list: &[DVec3]) -> Array2<f64> {
    Array2::from_shape_fn((list.len(), 3), |(v, c)| list[v][c])
}

/// Reads a frame that [`write_npz`] has written.
///
/// # Errors
/// If the bytes are no NPZ file, or `positions` or `faces` is missing. If an array has another type or shape, claims more than
/// it has, or unpacks to far more than the file.
pub fn read_npz(bytes: &[u8]) -> Result<FrameData, ReadError> {
    let mut npz = Archive::open(bytes)?;
    let names = npz.names();
    let has = |name: &str| names.iter().any(|found| found == name);
    for needed in ["positions", "faces"] {
        if !has(needed) {
            return Err(ReadError(format!("it has no array `{needed}`")));
        }
    }
    let faces: Array2<i32> = read_array(&mut npz, "faces")?;
    let faces = rows::<3, _>("faces", &faces)?;
    let corner = |v: i32| u32::try_from(v).map_err(|_| ReadError(format!("`faces` has the corner {v}")));
    let faces = faces.into_iter().map(|[a, b, c]| Ok([corner(a)?, corner(b)?, corner(c)?]));
    let mut frame = FrameData { is_curve: has("edges"), ..FrameData::default() };
    frame.mesh.faces = faces.collect::<Result<_, _>>()?;
    frame.mesh.positions = read_vectors(&mut npz, "positions")?;
    if has("time") {
        frame.time = Some(read_array::<f64, Ix0>(&mut npz, "time")?.into_scalar());
    }
    if has("frame") {
        let number = read_array::<i64, Ix0>(&mut npz, "frame")?.into_scalar();
        let number = u64::try_from(number).map_err(|_| ReadError(format!("`frame` is {number}")))?;
        frame.number = Some(number);
    }
    if has("vertex_names") {
        let names: Array1<i32> = read_array(&mut npz, "vertex_names")?;
        frame.vertex_names = Some(names.iter().map(|name| u32::try_from(*name).ok()).collect());
    }
    if has("velocities") {
        frame.velocities = Some(read_vectors(&mut npz, "velocities")?);
    }
    if has("material") {
        let material: Array3<f64> = read_array(&mut npz, "material")?;
        if material.shape()[1..] != [3, 2] {
            return Err(ReadError(format!("`material` has the shape {:?}", material.shape())));
        }
        let at = |f: usize, k: usize| DVec2::new(material[[f, k, 0]], material[[f, k, 1]]);
        frame.mesh.material = Some((0..material.shape()[0]).map(|f| [0, 1, 2].map(|k| at(f, k))).collect());
    }
    if has("sizing") {
        frame.sizes = Some(read_scalars(&mut npz, "sizing")?);
    }
    for (name, slot) in FACE_SCALARS.into_iter().zip(frame.face_scalars_mut()) {
        if has(name) {
            *slot = Some(read_scalars(&mut npz, name)?);
        }
    }
    match frame.find_defect() {
        Some(defect) => Err(ReadError(defect)),
        None => Ok(frame),
    }
}

fn read_scalars(npz: &mut Archive<'_>, name: &str) -> Result<Vec<f64>, ReadError> {
    Ok(read_array::<f64, _>(npz, name)?.to_vec())
}

fn read_vectors(npz: &mut Archive<'_>, name: &str) -> Result<Vec<DVec3>, ReadError> {
    Ok(rows::<3, _>(name, &read_array(npz, name)?)?.into_iter().map(DVec3::from_array).collect())
}

fn read_array<T: ReadableElement, D: Dimension>(
    npz: &mut Archive<'_>,
    name: &str,
) -> Result<Array<T, D>, ReadError> {
    let named = |reason: String| ReadError(format!("`{name}`: {reason}"));
    let number = npz.names().iter().position(|found| found == name);
    let number = number.ok_or_else(|| named("there is no such array".to_owned()))?;
    let entry = npz.unpack(number).map_err(|error| named(error.0))?;
    Array::read_npy(entry.as_slice()).map_err(|error| named(error.to_string()))
}

fn rows<const N: usize, T: Copy + Default>(name: &str, array: &Array2<T>) -> Result<Vec<[T; N]>, ReadError> {
    if array.ncols() != N {
        return Err(ReadError(format!(
            "`{name}` has the shape {:?}, but {N} columns are expected",
            array.shape()
        )));
    }
    let row = |r: usize| {
        let mut row = [T::default(); N];
        row.iter_mut().enumerate().for_each(|(c, value)| *value = array[[r, c]]);
        row
    };
    Ok((0..array.nrows()).map(row).collect())
}
