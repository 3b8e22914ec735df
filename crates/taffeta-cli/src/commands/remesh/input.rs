//! Input of remeshing: an OBJ or an NPZ file.

use crate::failure::Failure;
use glam::{DVec2, DVec3};
use std::path::Path;
use taffeta_core::TriangleMesh;
use taffeta_io::{
    ArchivedArray, MeshFormat, NumberArray, NumberKind, ReadError, read_file, read_npz_numbers, read_obj,
};

/// Names of the arrays of an NPZ file, the usual one first.
const POSITIONS: &[&str] = &["positions", "world_pos", "vertices"];
const FACES: &[&str] = &["faces", "cells", "triangles"];
const POINTS: &[&str] = &["uv", "mesh_pos", "vertex_material"];

/// The arrays that the output writes itself, which no field of the input may be named after: there is one of each name in a file.
const OWN_NAMES: [&str; 11] = [
    "positions",
    "faces",
    "uv",
    "uv_faces",
    "velocities",
    "pinned",
    "origin_face",
    "origin_weights",
    "uv_origin_face",
    "uv_origin_weights",
    "output_of_input",
];

/// A mesh with what its vertices carry.
#[derive(Clone, Debug, Default)]
pub(super) struct Input {
    /// Triangles, with the material coordinates of their corners.
    pub mesh: TriangleMesh,
    /// World velocities \[m/s\].
    pub velocities: Option<Vec<[f64; 3]>>,
    /// True for each vertex that is held.
    pub pinned: Vec<bool>,
    /// Other fields of the vertices.
    pub fields: Vec<Field>,
    /// Names of the data that are not carried over, in words.
    pub left_out: Vec<String>,
    /// Names of vertices and faces in the file; `None`: as they are numbered here.
    pub names: Option<ObjNames>,
}

/// A field on the vertices.
#[derive(Clone, Debug)]
pub(super) struct Field {
    pub name: String,
    /// Axes after the first one, which is that of the vertices.
    pub shape: Vec<usize>,
    pub values: Vec<f64>,
}

impl Field {
    /// Numbers per vertex.
    pub(super) fn width(&self) -> usize {
        self.shape.iter().product()
    }
}

/// The vertices and faces of an OBJ file.
#[derive(Clone, Debug)]
pub(super) struct ObjNames {
    /// For each vertex its number in the file, from 0.
    pub vertices: Vec<u32>,
    /// For each face its line, from 1.
    pub face_lines: Vec<u32>,
    /// Vertices of the file that no face uses.
    pub dropped: usize,
}

impl Input {
    /// Reads a file by its ending.
    pub(super) fn read(path: &Path) -> Result<Self, Failure> {
        if !is_npz(path) {
            if MeshFormat::of(path) != Ok(MeshFormat::Obj) {
                let message = "the mesh must be an OBJ file or an NPZ file with arrays";
                return Err(Failure::Usage(format!("{}: {message}", path.display())));
            }
            let file = read_obj(path).map_err(|error| Failure::usage(&error))?;
            let (vertices, face_lines) = (file.source_vertices, file.face_lines);
            let names = Some(ObjNames { vertices, face_lines, dropped: file.dropped_vertices });
            let pinned = vec![false; file.mesh.positions.len()];
            let left_out = file.other_elements;
            return Ok(Self { mesh: file.mesh, pinned, names, left_out, ..Self::default() });
        }
        let shown = path.display();
        let bytes = read_file(path)
            .map_err(|error| Failure::Usage(format!("cannot read the mesh {shown}: {error}")))?;
        let read = || Self::of_arrays(Arrays(read_npz_numbers(&bytes)?));
        read().map_err(|error| Failure::Usage(format!("{shown}: {error}")))
    }

    fn of_arrays(mut arrays: Arrays) -> Result<Self, ReadError> {
        let positions: Vec<[f64; 3]> = rows(&arrays.need(POSITIONS)?)?;
        let vertex_count = positions.len();
        let faces = corners(&arrays.need(FACES)?, vertex_count, "vertices")?;
        let material = arrays.material(&faces, vertex_count)?;
        let mut input = Self {
            mesh: TriangleMesh { positions: positions.iter().map(|&x| x.into()).collect(), faces, material },
            pinned: vec![false; vertex_count],
            ..Self::default()
        };
        if let Some(velocities) = arrays.take(&["velocities", "velocity"])? {
            input.velocities = Some(expect_count(&velocities, rows(&velocities)?, vertex_count)?);
        }
        if let Some(Named { name, array: pinned }) = arrays.take(&["pinned"])? {
            if pinned.shape != [vertex_count] {
                return Err(wrong_shape(&name, &pinned, &format!("({vertex_count},)")));
            }
            input.pinned = pinned.values.iter().map(|&value| value != 0.0).collect();
        }
        if let Some(Named { name, array: pins }) = arrays.take(&["pins"])? {
            if pins.kind == NumberKind::Truth {
                let text = format!(
                    "`{name}` has truth values, but must have numbers of vertices: call a mask `pinned`"
                );
                return Err(ReadError(text));
            }
            for &number in &pins.values {
                let is_vertex = number.fract() == 0.0 && (0.0..vertex_count as f64).contains(&number);
                if !is_vertex {
                    let text =
                        format!("`{name}` has the vertex {number}, but there are {vertex_count}, from 0");
                    return Err(ReadError(text));
                }
                input.pinned[number as usize] = true;
            }
        }
        input.keep_fields(arrays)?;
        Ok(input)
    }

    /// Takes everything that is linear on the faces: real numbers, a row of them per vertex.
    fn keep_fields(&mut self, arrays: Arrays) -> Result<(), ReadError> {
        let vertex_count = self.mesh.positions.len();
        for (name, array) in arrays.0 {
            match array {
                _ if OWN_NAMES.contains(&name.as_str()) => {
                    self.left_out.push(format!("`{name}` (the output has its own)"));
                }
                Ok(array) if array.shape.first() != Some(&vertex_count) => {
                    self.left_out.push(format!("`{name}` {}", array.shape_text()));
                }
                Ok(array) if array.kind != NumberKind::Real => {
                    self.left_out.push(format!("`{name}` (no real numbers)"));
                }
                Ok(NumberArray { shape, values, .. }) => {
                    let field = Field { name, shape: shape[1..].to_vec(), values };
                    if let Some(at) = field.values.iter().position(|value| !value.is_finite()) {
                        let vertex = at / field.width().max(1);
                        return Err(ReadError(format!(
                            "`{}` is {} at vertex {vertex}, but must be finite to be carried over",
                            field.name, field.values[at]
                        )));
                    }
                    self.fields.push(field);
                }
                Err(_) => self.left_out.push(format!("`{name}` (no numbers)")),
            }
        }
        Ok(())
    }

    /// Vertices that the file has, also those that no face uses.
    pub(super) fn file_vertex_count(&self) -> usize {
        self.mesh.positions.len() + self.names.as_ref().map_or(0, |names| names.dropped)
    }

    /// The number of a vertex in the file, from 0.
    pub(super) fn file_vertex(&self, vertex: u32) -> u32 {
        self.names.as_ref().map_or(vertex, |names| names.vertices[vertex as usize])
    }

    /// World positions \[m\].
    pub(super) fn positions(&self) -> Vec<[f64; 3]> {
        self.mesh.positions.iter().map(DVec3::to_array).collect()
    }
}

/// Returns whether a file is NPZ, by its name.
pub(super) fn is_npz(path: &Path) -> bool {
    path.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("npz"))
}

/// The arrays of a file that have not been used yet.
struct Arrays(Vec<ArchivedArray>);

/// An array of the file with its name.
struct Named {
    name: String,
    array: NumberArray,
}

impl Arrays {
    /// The first array with one of some names.
    fn take(&mut self, names: &[&str]) -> Result<Option<Named>, ReadError> {
        let find = |name: &&str| self.0.iter().position(|(found, _)| found == name);
        let Some(at) = names.iter().find_map(find) else { return Ok(None) };
        let (name, array) = self.0.remove(at);
        let array = array.map_err(|error| ReadError(format!("`{name}`: {error}")))?;
        Ok(Some(Named { name, array }))
    }

    fn need(&mut self, names: &[&str]) -> Result<Named, ReadError> {
        let missing = || {
            let found: Vec<&str> = self.0.iter().map(|(name, _)| name.as_str()).collect();
            let others = names[1..].join(" or ");
            ReadError(format!("it has no array `{}` (or {others}), only {}", names[0], found.join(", ")))
        };
        let error = missing();
        self.take(names)?.ok_or(error)
    }

    /// The material coordinates of the corners \[m\], in either form.
    fn material(
        &mut self,
        faces: &[[u32; 3]],
        vertex_count: usize,
    ) -> Result<Option<Vec<[DVec2; 3]>>, ReadError> {
        if let Some(Named { name, array }) = self.take(&["material"])? {
            if array.shape != [faces.len(), 3, 2] {
                return Err(wrong_shape(&name, &array, &format!("({}, 3, 2)", faces.len())));
            }
            // Frames have the coordinates by vertex too, which follow from these.
            self.take(&["vertex_material"])?;
            let point = |numbers: &[f64]| DVec2::new(numbers[0], numbers[1]);
            let face = |numbers: &[f64]| [0, 2, 4].map(|start| point(&numbers[start..]));
            return Ok(Some(array.values.chunks_exact(6).map(face).collect()));
        }
        let Some(points) = self.take(POINTS)? else { return Ok(None) };
        let coords: Vec<[f64; 2]> = rows(&points)?;
        let numbers = match self.take(&["uv_faces"])? {
            Some(numbers) => {
                let list = corners(&numbers, coords.len(), "points in `uv`")?;
                expect_count(&numbers, list, faces.len())?
            }
            None => {
                let Named { name, array } = &points;
                if coords.len() != vertex_count {
                    let text = "with `uv_faces` its points may be others than the vertices";
                    let shape = format!("({vertex_count}, 2); {text}");
                    return Err(wrong_shape(name, array, &shape));
                }
                faces.to_vec()
            }
        };
        Ok(Some(numbers.iter().map(|face| face.map(|point| coords[point as usize].into())).collect()))
    }
}

fn wrong_shape(name: &str, array: &NumberArray, expected: &str) -> ReadError {
    ReadError(format!("`{name}` has the shape {}, but must have {expected}", array.shape_text()))
}

/// The rows of an array with N columns.
fn rows<const N: usize>(Named { name, array }: &Named) -> Result<Vec<[f64; N]>, ReadError> {
    if array.shape.len() != 2 || array.shape[1] != N {
        return Err(wrong_shape(name, array, &format!("(…, {N})")));
    }
    let row = |numbers: &[f64]| std::array::from_fn(|k| numbers[k]);
    Ok(array.values.chunks_exact(N).map(row).collect())
}

fn expect_count<T>(
    Named { name, array }: &Named,
    rows: Vec<T>,
    expected: usize,
) -> Result<Vec<T>, ReadError> {
    if rows.len() == expected {
        return Ok(rows);
    }
    let text = format!("`{name}` has the shape {}, but {expected} rows are needed", array.shape_text());
    Err(ReadError(text))
}

/// Numbers of vertices or points at the corners of faces.
fn corners(named: &Named, count: usize, what: &str) -> Result<Vec<[u32; 3]>, ReadError> {
    let Named { name, array } = named;
    if array.kind != NumberKind::Whole {
        return Err(ReadError(format!("`{name}` must have whole numbers")));
    }
    let rows: Vec<[f64; 3]> = rows(named)?;
    for (face, row) in rows.iter().enumerate() {
        if let Some(number) = row.iter().find(|number| !(0.0..count as f64).contains(*number)) {
            let text = format!("`{name}` has {number} in face {face}, but there are {count} {what}, from 0");
            return Err(ReadError(text));
        }
    }
    Ok(rows.iter().map(|row| row.map(|number| number as u32)).collect())
}
