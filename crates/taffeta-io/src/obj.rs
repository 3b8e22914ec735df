//! Wavefront OBJ, read and written.
//!
//! Read: `v`, `vt`, `f` with polygons and negative numbers; all groups and objects form one mesh, whose faces know the last
//! `g` or `o` before them. Elements that are no faces (`l`, `p`, `curv`, `surf`) are counted. Everything else (normals, materials, comments, statements of other
//! programs) is skipped. Vertices keep their order and their
//! numbers, which pins refer to.
//!
//! ```text
//! text ──► scan: faces checked, v, vt, f kept ──► tobj: numbers, polygons ──► ears cut, unused vertices dropped
//! ```

mod polygon;
mod polyline;
mod scan;
mod sequence;
mod text;
mod write;

pub(crate) use polygon::triangulate;
pub use polyline::read_polyline;
pub use sequence::{FileSequence, read_obj_sequence};
pub use write::{MaterialPoints, write_grouped_obj, write_indexed_obj, write_obj, write_polyline};

use crate::frame::FaceGroups;
use crate::read_file;
use glam::{DVec2, DVec3};
use scan::{Refusal, Scan};
use std::path::{Path, PathBuf};
use taffeta_core::TriangleMesh;

/// A mesh from an OBJ file.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ObjMesh {
    /// The triangles; material coordinates as in the file, per corner.
    pub mesh: TriangleMesh,
    /// For each vertex of the mesh its number in the file, from 0, increasing.
    pub source_vertices: Vec<u32>,
    /// For each face of the mesh the line of the file with its polygon, from 1.
    pub face_lines: Vec<u32>,
    /// The group or object of each face of the mesh, by the last `g` or `o` before it; `None`: there is none.
    pub groups: Option<FaceGroups>,
    /// Vertices of the file that no face uses: they are not in the mesh.
    pub dropped_vertices: usize,
    /// Elements of the file that are no faces, as `3 lines (`l`)`: they are not in the mesh.
    pub other_elements: Vec<String>,
}

/// Why an OBJ file cannot be used.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ObjError {
    /// The file cannot be read.
    #[error("cannot read the mesh {}: {reason}", path.display())]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// Why not.
        reason: String,
    },
    /// A line is wrong.
    #[error("{}:{line}: {message}\n  {text}", path.display())]
    Line {
        /// The file.
        path: PathBuf,
        /// The line, from 1.
        line: usize,
        /// Description of the defect.
        message: String,
        /// The line itself.
        text: String,
    },
    /// The file as a whole is wrong.
    #[error("{}: {message}", path.display())]
    Whole {
        /// The file.
        path: PathBuf,
        /// Description of the defect.
        message: String,
    },
}

/// Reads an OBJ file.
///
/// # Errors
/// If the file cannot be read, has no faces, or a line is malformed, with its number.
pub fn read_obj(path: &Path) -> Result<ObjMesh, ObjError> {
    parse_joined(&read_text(path)?, path)
}

fn read_text(path: &Path) -> Result<String, ObjError> {
    let bytes = read_file(path)
        .map_err(|error| ObjError::Unreadable { path: path.to_owned(), reason: error.to_string() })?;
    decode(bytes, path)
}

/// The text of a file, whose lines are whole statements.
fn decode(bytes: Vec<u8>, path: &Path) -> Result<String, ObjError> {
    let text = text::decode(bytes).map_err(|message| ObjError::Whole { path: path.to_owned(), message })?;
    Ok(text::join_lines(text))
}

/// Reads the bytes of an OBJ file; the path is for messages.
pub(crate) fn parse_obj_file(bytes: &[u8], path: &Path) -> Result<ObjMesh, ObjError> {
    parse_joined(&decode(bytes.to_vec(), path)?, path)
}

/// Reads an OBJ text; the path is for messages.
///
/// # Errors
/// As [`read_obj`].
pub fn parse_obj(text: &str, path: &Path) -> Result<ObjMesh, ObjError> {
    let text = text::join_lines(text.to_owned());
    parse_joined(&text, path)
}

/// Reads a text whose lines are whole statements.
fn parse_joined(text: &str, path: &Path) -> Result<ObjMesh, ObjError> {
    let (scan, source) = load(text).map_err(|refusal| refuse(path, text, refusal))?;
    Ok(to_mesh(&scan, &source))
}

/// The error about a file with this text.
fn refuse(path: &Path, text: &str, Refusal { line, message }: Refusal) -> ObjError {
    match line {
        Some(line) => ObjError::Line {
            path: path.to_owned(),
            line,
            message,
            text: text.lines().nth(line - 1).unwrap_or_default().trim_end().to_owned(),
        },
        None => ObjError::Whole { path: path.to_owned(), message },
    }
}

/// Vertices, material coordinates and polygons as they are in a text with at least one face.
fn load(text: &str) -> Result<(Scan, tobj::Mesh), Refusal> {
    let scan = Scan::of(text)?;
    let source = scan.load(text)?;
    if scan.face_lines.is_empty() {
        let what = if text.trim().is_empty() { "the file is empty" } else { "the file has no faces" };
        return Err(Refusal::of_all(what));
    }
    Ok((scan, source))
}

/// Cuts the polygons into triangles and drops the vertices that none of them uses.
fn to_mesh(scan: &Scan, source: &tobj::Mesh) -> ObjMesh {
    let positions: Vec<DVec3> = source.positions.chunks_exact(3).map(DVec3::from_slice).collect();
    let coords: Vec<DVec2> = source.texcoords.chunks_exact(2).map(DVec2::from_slice).collect();
    // Polygons one after the other; the first is not from the file. Without arities all are triangles.
    let mut arities = source.face_arities.iter().map(|arity| *arity as usize).chain(std::iter::repeat(3));
    let mut start = arities.next().unwrap_or_default();
    let mut result = ObjMesh { other_elements: scan.describe_others(), ..ObjMesh::default() };
    let mut material = Vec::new();
    let mut groups = Vec::new();
    for ((line, group), arity) in scan.face_lines.iter().zip(&scan.face_groups).zip(arities) {
        let corners = start..start + arity;
        start = corners.end;
        let vertices = &source.indices[corners.clone()];
        // Files of triangles need no lists of corners.
        let triangles = match arity {
            3 => vec![[0, 1, 2]],
            _ => {
                let points: Vec<DVec3> = vertices.iter().map(|vertex| positions[*vertex as usize]).collect();
                polygon::triangulate(&points)
            }
        };
        for triangle in triangles {
            result.mesh.faces.push(triangle.map(|k| vertices[k]));
            result.face_lines.push(*line);
            groups.push(*group);
            if scan.with_coords {
                let numbers = &source.texcoord_indices[corners.clone()];
                material.push(triangle.map(|k| coords[numbers[k] as usize]));
            }
        }
    }
    result.mesh.material = scan.with_coords.then_some(material);
    let names = &scan.groups;
    result.groups = (!names.is_empty()).then(|| FaceGroups { names: names.clone(), of_face: groups });
    result.keep_used(&positions);
    result
}

impl ObjMesh {
    /// Takes the positions of a file for the faces, whose corners are numbers in it: those that a face uses, in their
    /// order.
    pub(crate) fn keep_used(&mut self, positions: &[DVec3]) {
        let mut used = vec![false; positions.len()];
        self.mesh.faces.iter().flatten().for_each(|vertex| used[*vertex as usize] = true);
        let mut new_from_old = vec![0u32; positions.len()];
        for (old, position) in positions.iter().enumerate().filter(|(old, _)| used[*old]) {
            new_from_old[old] = self.source_vertices.len() as u32;
            self.source_vertices.push(old as u32);
            self.mesh.positions.push(*position);
        }
        for vertex in self.mesh.faces.iter_mut().flatten() {
            *vertex = new_from_old[*vertex as usize];
        }
        self.dropped_vertices = positions.len() - self.source_vertices.len();
    }
}
