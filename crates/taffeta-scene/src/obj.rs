//! Wavefront OBJ, read and written.
//!
//! Read: `v`, `vt`, `f` with polygons and negative numbers; all groups and objects form one mesh. Everything else
//! (normals, materials, comments, statements of other programs) is skipped. Vertices keep their order and their
//! numbers, which pins refer to; general OBJ libraries renumber them in the order in which faces use them, and report
//! errors without a line, so the few statements are read here.

mod polygon;
mod write;

pub use write::write_obj;

use glam::{DVec2, DVec3};
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
    /// Vertices of the file that no face uses: they are not in the mesh.
    pub dropped_vertices: usize,
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
        /// What is wrong.
        message: String,
        /// The line itself.
        text: String,
    },
    /// The file as a whole is wrong.
    #[error("{}: {message}", path.display())]
    Whole {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        message: String,
    },
}

/// Reads an OBJ file.
///
/// # Errors
/// If the file cannot be read, has no faces, or a line is malformed, with its number.
pub fn read_obj(path: &Path) -> Result<ObjMesh, ObjError> {
    let bytes = std::fs::read(path)
        .map_err(|error| ObjError::Unreadable { path: path.to_owned(), reason: error.to_string() })?;
    // Comments may be in any encoding; what is not UTF-8 becomes a replacement character there.
    parse_obj(&String::from_utf8_lossy(&bytes), path)
}

/// Reads an OBJ text; the path is for messages.
///
/// # Errors
/// As [`read_obj`].
pub fn parse_obj(text: &str, path: &Path) -> Result<ObjMesh, ObjError> {
    let mut parser = Parser::default();
    for (index, line) in text.lines().enumerate() {
        parser.read_line(line, index + 1).map_err(|message| ObjError::Line {
            path: path.to_owned(),
            line: index + 1,
            message,
            text: line.trim_end().to_owned(),
        })?;
    }
    parser.finish(text).map_err(|problem| match problem {
        (Some(line), message) => ObjError::Line {
            path: path.to_owned(),
            line,
            message,
            text: text.lines().nth(line - 1).unwrap_or_default().trim_end().to_owned(),
        },
        (None, message) => ObjError::Whole { path: path.to_owned(), message },
    })
}

/// A corner as the file gives it, resolved to numbers from 0.
#[derive(Clone, Copy)]
struct Corner {
    vertex: usize,
    coord: Option<usize>,
}

#[derive(Default)]
struct Parser {
    positions: Vec<DVec3>,
    coords: Vec<DVec2>,
    /// Polygons: their line, and the end of their corners.
    polygons: Vec<(usize, usize)>,
    corners: Vec<Corner>,
}

impl Parser {
    fn read_line(&mut self, line: &str, number: usize) -> Result<(), String> {
        let line = line.split('#').next().unwrap_or_default();
        let mut words = line.split_ascii_whitespace();
        match words.next() {
            Some("v") => {
                let point = read_numbers::<3>(words, "a vertex needs three numbers")?;
                self.positions.push(DVec3::from_array(point));
            }
            Some("vt") => {
                let coord = read_numbers::<2>(words, "a material coordinate needs two numbers")?;
                self.coords.push(DVec2::from_array(coord));
            }
            Some("f") => self.read_face(words, number)?,
            _ => {}
        }
        Ok(())
    }

    fn read_face<'a>(&mut self, words: impl Iterator<Item = &'a str>, line: usize) -> Result<(), String> {
        let start = self.corners.len();
        for word in words {
            let mut parts = word.split('/');
            let vertex = resolve_number(parts.next().unwrap_or_default(), self.positions.len(), "vertex")?;
            let coord = match parts.next() {
                None | Some("") => None,
                Some(text) => Some(resolve_number(text, self.coords.len(), "material coordinate")?),
            };
            self.corners.push(Corner { vertex, coord });
        }
        let corners = &self.corners[start..];
        if corners.len() < 3 {
            return Err(format!("a face needs at least three corners, not {}", corners.len()));
        }
        let with = corners.iter().filter(|corner| corner.coord.is_some()).count();
        if with != 0 && with != corners.len() {
            return Err(
                "some corners of the face have a material coordinate (vt) and others have none".to_owned()
            );
        }
        self.polygons.push((line, self.corners.len()));
        Ok(())
    }

    /// Checks what needs the whole file, and triangulates.
    fn finish(self, text: &str) -> Result<ObjMesh, (Option<usize>, String)> {
        if self.polygons.is_empty() {
            let what = if text.trim().is_empty() { "the file is empty" } else { "the file has no faces" };
            return Err((None, what.to_owned()));
        }
        let (vertex_count, coord_count) = (self.positions.len(), self.coords.len());
        if u32::try_from(vertex_count.max(coord_count).max(self.corners.len())).is_err() {
            return Err((None, "the mesh has more elements than 32 bits can count".to_owned()));
        }
        let with_coords = self.corners[0].coord.is_some();
        let mut result = ObjMesh::default();
        let mut material = Vec::new();
        let mut start = 0;
        for &(line, end) in &self.polygons {
            let corners = &self.corners[start..end];
            start = end;
            self.check_corners(corners, with_coords).map_err(|message| (Some(line), message))?;
            let points: Vec<DVec3> = corners.iter().map(|corner| self.positions[corner.vertex]).collect();
            for triangle in polygon::triangulate(&points) {
                result.mesh.faces.push(triangle.map(|k| corners[k].vertex as u32));
                result.face_lines.push(line as u32);
                if with_coords {
                    material.push(triangle.map(|k| self.coords[corners[k].coord.unwrap_or(0)]));
                }
            }
        }
        result.mesh.material = with_coords.then_some(material);
        drop_unused_vertices(&mut result, &self.positions);
        Ok(result)
    }

    fn check_corners(&self, corners: &[Corner], with_coords: bool) -> Result<(), String> {
        for corner in corners {
            check_range(corner.vertex, self.positions.len(), "vertex", "vertices")?;
            if let Some(coord) = corner.coord {
                check_range(coord, self.coords.len(), "material coordinate", "material coordinates (vt)")?;
            }
            if corner.coord.is_some() != with_coords {
                let (here, there) = if with_coords { ("no", "some") } else { ("some", "none") };
                return Err(format!(
                    "this face has {here} material coordinates (vt), but the first face has {there}: give them to all \
                     faces or to none"
                ));
            }
        }
        Ok(())
    }
}

fn read_numbers<'a, const N: usize>(
    mut words: impl Iterator<Item = &'a str>,
    missing: &str,
) -> Result<[f64; N], String> {
    let mut numbers = [0.0; N];
    for number in &mut numbers {
        let word = words.next().ok_or(missing)?;
        let value: f64 = word.parse().map_err(|_| format!("{word:?} is not a number"))?;
        if !value.is_finite() {
            return Err(format!("{word:?} is not a finite number"));
        }
        *number = value;
    }
    Ok(numbers)
}

/// A number in a face, from 0. Negative numbers count back from the elements so far.
fn resolve_number(text: &str, count: usize, what: &str) -> Result<usize, String> {
    let number: i64 = text.parse().map_err(|_| format!("{text:?} is not a {what} number"))?;
    match number {
        0 => Err(format!("{what} numbers start at 1, not 0")),
        1.. => Ok(number as usize - 1),
        _ => {
            let back = number.unsigned_abs() as usize;
            count
                .checked_sub(back)
                .ok_or(format!("{what} {number} is out of range: there are {count} so far"))
        }
    }
}

fn check_range(index: usize, count: usize, what: &str, plural: &str) -> Result<(), String> {
    if index < count {
        return Ok(());
    }
    Err(format!("{what} {} is out of range: the file has {count} {plural}", index + 1))
}

/// Keeps the vertices that a face uses, in their order.
fn drop_unused_vertices(result: &mut ObjMesh, positions: &[DVec3]) {
    let mut used = vec![false; positions.len()];
    result.mesh.faces.iter().flatten().for_each(|vertex| used[*vertex as usize] = true);
    let mut new_from_old = vec![0u32; positions.len()];
    for (old, position) in positions.iter().enumerate().filter(|(old, _)| used[*old]) {
        new_from_old[old] = result.source_vertices.len() as u32;
        result.source_vertices.push(old as u32);
        result.mesh.positions.push(*position);
    }
    for vertex in result.mesh.faces.iter_mut().flatten() {
        *vertex = new_from_old[*vertex as usize];
    }
    result.dropped_vertices = positions.len() - result.source_vertices.len();
}
