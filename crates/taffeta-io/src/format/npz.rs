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
//! | `panel` | int32 | (F,) | panel, if the panels have names |
//! | `panel_names` | str | (P,) | names of the panels |
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

use crate::arrays::archive::{Archive, ArchiveWriter};
use crate::arrays::npy::NumberArray;
use crate::arrays::npy::NumberKind::{self, Real, Whole};
use crate::frame::{FACE_SCALARS, FaceGroups, FrameData, ReadError, to_index};
use glam::{DVec2, DVec3};
use std::io::{self, Seek, Write};

/// Writes a frame.
///
/// # Errors
/// Those of the writer.
pub fn write_npz(writer: impl Write + Seek, frame: &FrameData) -> io::Result<()> {
    let mut npz = ArchiveWriter::new(writer);
    let (vertices, faces) = (frame.mesh.positions.len(), frame.mesh.faces.len());
    if let Some(time) = frame.time {
        npz.add("time", &[], [time])?;
    }
    if let Some(number) = frame.number {
        npz.add("frame", &[], [number as i64])?;
    }
    let vectors = |list: &[DVec3]| list.iter().flat_map(DVec3::to_array).collect::<Vec<f64>>();
    npz.add("positions", &[vertices, 3], vectors(&frame.mesh.positions))?;
    if let Some(names) = &frame.vertex_names {
        let names = names.iter().map(|name| name.map_or(-1, |name| name as i32));
        npz.add("vertex_names", &[names.len()], names)?;
    }
    if let Some(velocities) = &frame.velocities {
        npz.add("velocities", &[velocities.len(), 3], vectors(velocities))?;
    }
    npz.add("faces", &[faces, 3], frame.mesh.faces.as_flattened().iter().map(|v| *v as i32))?;
    if frame.is_curve {
        let count = vertices.saturating_sub(1);
        npz.add("edges", &[count, 2], (0..count as i32).flat_map(|e| [e, e + 1]))?;
    }
    if let Some(material) = &frame.mesh.material {
        let corners = material.as_flattened().iter().flat_map(DVec2::to_array);
        npz.add("material", &[material.len(), 3, 2], corners)?;
    }
    if let Some(material) = frame.mesh.vertex_material() {
        npz.add("vertex_material", &[material.len(), 2], material.iter().flat_map(DVec2::to_array))?;
    }
    let of_faces = FACE_SCALARS.into_iter().zip(frame.face_scalars());
    for (name, values) in [("sizing", &frame.sizes)].into_iter().chain(of_faces) {
        if let Some(values) = values {
            npz.add(name, &[values.len()], values.iter().copied())?;
        }
    }
    if let Some(FaceGroups { names, of_face }) = &frame.panels {
        npz.add("panel", &[of_face.len()], of_face.iter().map(|panel| *panel as i32))?;
        npz.add_texts("panel_names", names)?;
    }
    npz.finish()
}

/// Reads a frame that [`write_npz`] has written.
///
/// # Errors
/// If the bytes are no NPZ file, or `positions` or `faces` is missing. If an array has another type or shape, claims more than
/// it has, or unpacks to far more than the file.
pub fn read_npz(bytes: &[u8]) -> Result<FrameData, ReadError> {
    let archive = Archive::open(bytes)?;
    let mut npz = Frame { names: archive.names(), archive };
    for needed in ["positions", "faces"] {
        if !npz.has(needed) {
            return Err(ReadError(format!("it has no array `{needed}`")));
        }
    }
    let mut frame = FrameData { is_curve: npz.has("edges"), ..FrameData::default() };
    let faces = npz.read("faces", Whole, [None, Some(3)])?;
    let corner = |v: f64| to_index(v).ok_or_else(|| ReadError(format!("`faces` has the corner {v}")));
    let faces =
        faces.values.as_chunks().0.iter().map(|[a, b, c]| Ok([corner(*a)?, corner(*b)?, corner(*c)?]));
    frame.mesh.faces = faces.collect::<Result<_, _>>()?;
    frame.mesh.positions = npz.read_vectors("positions")?;
    if npz.has("time") {
        frame.time = Some(npz.read("time", Real, [])?.values[0]);
    }
    if npz.has("frame") {
        let number = npz.read("frame", Whole, [])?.values[0];
        if number < 0.0 {
            return Err(ReadError(format!("`frame` is {number}")));
        }
        frame.number = Some(number as u64);
    }
    if npz.has("vertex_names") {
        let names = npz.read("vertex_names", Whole, [None])?.values;
        frame.vertex_names = Some(names.into_iter().map(to_index).collect());
    }
    if npz.has("velocities") {
        frame.velocities = Some(npz.read_vectors("velocities")?);
    }
    if npz.has("material") {
        let material = npz.read("material", Real, [None, Some(3), Some(2)])?;
        let corners = material.values.as_chunks().0.iter();
        let corners = corners.map(|&[a, b, c, d, e, f]| [[a, b], [c, d], [e, f]].map(DVec2::from_array));
        frame.mesh.material = Some(corners.collect());
    }
    if npz.has("sizing") {
        frame.sizes = Some(npz.read("sizing", Real, [None])?.values);
    }
    for (name, slot) in FACE_SCALARS.into_iter().zip(frame.face_scalars_mut()) {
        if npz.has(name) {
            *slot = Some(npz.read(name, Real, [None])?.values);
        }
    }
    if npz.has("panel") && npz.has("panel_names") {
        let of_face = npz.read("panel", Whole, [None])?.values;
        let of_face = of_face.into_iter().map(|panel| to_index(panel).unwrap_or(u32::MAX)).collect();
        frame.panels = Some(FaceGroups { names: npz.read_texts("panel_names")?, of_face });
    }
    match frame.find_defect() {
        Some(defect) => Err(ReadError(defect)),
        None => Ok(frame),
    }
}

/// An archive with the arrays of a frame.
struct Frame<'a> {
    archive: Archive<'a>,
    names: Vec<String>,
}

impl Frame<'_> {
    fn has(&self, name: &str) -> bool {
        self.names.iter().any(|found| found == name)
    }

    /// Reads an array of a kind and a shape, in which `None` is any length.
    fn read<const N: usize>(
        &mut self,
        name: &str,
        kind: NumberKind,
        shape: [Option<usize>; N],
    ) -> Result<NumberArray, ReadError> {
        let named = |reason: String| ReadError(format!("`{name}`: {reason}"));
        let number = self.find(name)?;
        let array = self.archive.read(number).map_err(|error| named(error.0))?;
        if array.kind != kind {
            let expected = if kind == Whole { "whole numbers are" } else { "floating-point numbers are" };
            return Err(named(format!("{expected} expected")));
        }
        let fits = |(axis, length): (&usize, &Option<usize>)| length.is_none_or(|length| length == *axis);
        if array.shape.len() != N || !array.shape.iter().zip(&shape).all(fits) {
            let axes: Vec<String> =
                shape.iter().map(|n| n.map_or("n".to_owned(), |n| n.to_string())).collect();
            let (found, expected) = (array.shape_text(), axes.join(", "));
            return Err(named(format!("it has the shape {found}, but ({expected}) is expected")));
        }
        Ok(array)
    }

    fn find(&self, name: &str) -> Result<usize, ReadError> {
        let number = self.names.iter().position(|found| found == name);
        number.ok_or_else(|| ReadError(format!("`{name}`: there is no such array")))
    }

    fn read_texts(&mut self, name: &str) -> Result<Vec<String>, ReadError> {
        let number = self.find(name)?;
        self.archive.read_texts(number).map_err(|error| ReadError(format!("`{name}`: {error}")))
    }

    fn read_vectors(&mut self, name: &str) -> Result<Vec<DVec3>, ReadError> {
        let array = self.read(name, Real, [None, Some(3)])?;
        Ok(array.values.as_chunks().0.iter().copied().map(DVec3::from_array).collect())
    }
}
