//! Surfaces from files of several formats, by the endings of their names: OBJ, STL, PLY.

use crate::obj::{ObjError, ObjMesh, parse_obj_file, read_obj, triangulate};
use crate::{read_file, read_ply_polygons};
use glam::DVec3;
use std::collections::HashMap;
use std::io::Cursor;
use std::path::Path;

/// Bytes before the triangles of a binary STL file, the last four of which count them, and of each triangle.
const STL_HEADER: usize = 84;
const STL_TRIANGLE: usize = 50;

/// The format of a surface.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MeshFormat {
    /// Wavefront OBJ.
    Obj,
    /// Stereolithography, ASCII or binary.
    Stl,
    /// Polygon file format, ASCII or binary.
    Ply,
}

impl MeshFormat {
    /// The format by the ending of a name; OBJ for a name without one.
    ///
    /// # Errors
    /// A sentence with the formats that are read, if it is none of them.
    pub fn of(path: &Path) -> Result<Self, String> {
        let Some(ending) = path.extension() else { return Ok(Self::Obj) };
        let ending = ending.to_string_lossy().to_ascii_uppercase();
        match ending.as_str() {
            "OBJ" => Ok(Self::Obj),
            "STL" => Ok(Self::Stl),
            "PLY" => Ok(Self::Ply),
            "GLB" | "GLTF" => {
                Err(format!("{ending} is read for obstacles only: export the mesh as OBJ, STL or PLY"))
            }
            _ => Err(format!("{ending} is not read: OBJ, STL, PLY are; export the mesh as one of them")),
        }
    }

    /// The format of a file for [`read_mesh`].
    fn of_file(path: &Path) -> Result<Self, ObjError> {
        Self::of(path).map_err(|message| ObjError::Whole { path: path.to_owned(), message })
    }
}

/// Reads the surface in an OBJ, STL or PLY file. Equal vertices of an STL file, in which every triangle has its own,
/// become one. STL and PLY files give no material coordinates and no lines.
///
/// # Errors
/// If the file is of another format, cannot be read, is malformed or has no faces.
pub fn read_mesh(path: &Path) -> Result<ObjMesh, ObjError> {
    if MeshFormat::of_file(path)? == MeshFormat::Obj {
        return read_obj(path);
    }
    let bytes = read_file(path)
        .map_err(|error| ObjError::Unreadable { path: path.to_owned(), reason: error.to_string() })?;
    parse_mesh(&bytes, path)
}

/// Like [`read_mesh`], from the bytes of a file; the path is for messages, and its ending tells the format.
///
/// # Errors
/// As [`read_mesh`].
pub fn parse_mesh(bytes: &[u8], path: &Path) -> Result<ObjMesh, ObjError> {
    let read = match MeshFormat::of_file(path)? {
        MeshFormat::Obj => return parse_obj_file(bytes, path),
        MeshFormat::Stl => parse_stl(bytes),
        MeshFormat::Ply => parse_ply(bytes),
    };
    read.map_err(|message| ObjError::Whole { path: path.to_owned(), message })
}

fn parse_ply(bytes: &[u8]) -> Result<ObjMesh, String> {
    let file = read_ply_polygons(bytes).map_err(|error| format!("it cannot be read as PLY: {error}"))?;
    let mut mesh = ObjMesh::default();
    for polygon in &file.faces {
        let points: Vec<DVec3> = polygon.iter().map(|v| file.positions[*v as usize]).collect();
        mesh.mesh.faces.extend(triangulate(&points).into_iter().map(|corners| corners.map(|k| polygon[k])));
    }
    mesh.keep_used(&file.positions);
    Ok(mesh)
}

fn parse_stl(bytes: &[u8]) -> Result<ObjMesh, String> {
    let refuse = |reason: String| format!("it cannot be read as STL: {reason}");
    let mut corners: Vec<[f32; 3]> = Vec::new();
    let mut cursor = Cursor::new(prepare_stl(bytes).map_err(refuse)?);
    let triangles = stl_io::create_stl_reader(&mut cursor).map_err(|error| refuse(error.to_string()))?;
    for (number, triangle) in triangles.enumerate() {
        let at = |reason: String| refuse(format!("triangle {} (from 1): {reason}", number + 1));
        let triangle = triangle.map_err(|error| at(error.to_string()))?;
        let places = triangle.vertices.map(|vertex| vertex.0);
        if places.as_flattened().iter().any(|number| !number.is_finite()) {
            return Err(at("a coordinate is not finite".to_owned()));
        }
        corners.extend(places);
    }
    if corners.is_empty() {
        return Err("it has no triangles".to_owned());
    }
    Ok(weld(&corners))
}

/// The bytes such that the reader takes ASCII for ASCII and binary for binary: it goes by the first word alone, with which
/// many binary files begin too.
fn prepare_stl(bytes: &[u8]) -> Result<Vec<u8>, String> {
    let count = bytes.get(STL_HEADER - 4..STL_HEADER).and_then(|count| count.try_into().ok());
    let count = count.map(u32::from_le_bytes);
    let is_text = bytes.trim_ascii_start().starts_with(b"solid");
    let length = count.map(|count| STL_HEADER as u64 + STL_TRIANGLE as u64 * u64::from(count));
    if length == Some(bytes.len() as u64) || !is_text {
        let (Some(count), Some(length)) = (count, length) else {
            return Err(format!(
                "it is neither ASCII, which starts with solid, nor binary: it has {} bytes",
                bytes.len()
            ));
        };
        if length > bytes.len() as u64 {
            let whole = (bytes.len() - STL_HEADER) / STL_TRIANGLE;
            return Err(format!("its header tells of {count} triangles, but it ends after {whole}"));
        }
        let mut binary = bytes.to_vec();
        binary[..5].fill(0);
        return Ok(binary);
    }
    // The reader wants a name.
    let text = bytes.trim_ascii_start();
    Ok([b"solid ", &text[b"solid".len()..]].concat())
}

/// One vertex for all corners at the same place, in the order in which they come.
fn weld(corners: &[[f32; 3]]) -> ObjMesh {
    let mut numbers: HashMap<[u32; 3], u32> = HashMap::new();
    let mut positions = Vec::new();
    let mut number_of = |place: &[f32; 3]| {
        // Adding zero makes −0 and 0 the same.
        let bits = place.map(|number| (number + 0.0).to_bits());
        *numbers.entry(bits).or_insert_with(|| {
            positions.push(DVec3::from(place.map(f64::from)));
            positions.len() as u32 - 1
        })
    };
    let vertices: Vec<u32> = corners.iter().map(&mut number_of).collect();
    let mut mesh = ObjMesh::default();
    mesh.mesh.faces = vertices.as_chunks::<3>().0.to_vec();
    mesh.keep_used(&positions);
    mesh
}

#[cfg(test)]
mod tests {
    use super::*;

    const CORNERS: [[f32; 3]; 6] = [
        [0.0, 0.0, 0.0],
        [1.0, 0.0, 0.0],
        [0.0, 1.0, 0.0],
        [1.0, 0.0, -0.0],
        [1.0, 1.0, 0.5],
        [0.0, 1.0, 0.0],
    ];

    fn ascii() -> String {
        let mut text = "solid\n".to_owned();
        for triangle in CORNERS.chunks(3) {
            text += "facet normal 0 0 1\nouter loop\n";
            triangle.iter().for_each(|[x, y, z]| text += &format!("vertex {x} {y} {z}\n"));
            text += "endloop\nendfacet\n";
        }
        text + "endsolid\n"
    }

    fn binary(header: &[u8]) -> Vec<u8> {
        let mut bytes = header.to_vec();
        bytes.resize(80, b' ');
        bytes.extend(2_u32.to_le_bytes());
        for triangle in CORNERS.chunks(3) {
            bytes.extend([0; 12]);
            triangle.as_flattened().iter().for_each(|number| bytes.extend(number.to_le_bytes()));
            bytes.extend([0; 2]);
        }
        bytes
    }

    #[test]
    fn both_kinds_of_stl_files_give_the_same_welded_surface() {
        let mesh = parse_stl(ascii().as_bytes()).unwrap();
        assert_eq!(mesh.mesh.faces, [[0, 1, 2], [1, 3, 2]]);
        assert_eq!(mesh.mesh.positions[3], DVec3::new(1.0, 1.0, 0.5));
        for header in [&b"made by hand"[..], b"solid but binary", b"\0\0"] {
            assert_eq!(parse_stl(&binary(header)).unwrap(), mesh);
        }
        assert_eq!(parse_stl(ascii().replace('\n', "\r\n").as_bytes()).unwrap(), mesh);
        assert_eq!(parse_stl(ascii().replacen("solid", "solid a body", 1).as_bytes()).unwrap(), mesh);
    }

    #[test]
    fn broken_stl_files_are_refused_with_the_triangle() {
        let refused = |bytes: &[u8]| parse_stl(bytes).unwrap_err();
        let whole = binary(b"x");
        assert!(refused(&whole[..whole.len() - 60]).contains("2 triangles, but it ends after 0"));
        let mut many = whole.clone();
        many[80..84].fill(0xff);
        assert!(refused(&many).contains("4294967295 triangles, but it ends after 2"));
        let mut infinite = whole.clone();
        infinite[84 + 12..84 + 16].copy_from_slice(&f32::NAN.to_le_bytes());
        assert!(refused(&infinite).contains("triangle 1 (from 1): a coordinate is not finite"));
        assert!(
            refused(ascii().replacen("vertex 1 1 0.5", "vertex 1 1e99 0.5", 1).as_bytes())
                .contains("triangle 2")
        );
        assert!(refused(&ascii().as_bytes()[..150]).contains("triangle 2"));
        assert!(refused(b"solid x\nendsolid\n").contains("no triangles"));
        for bytes in [&b""[..], b"v 0 0 0\n", b"solid", &[0; 84], &[255; 300]] {
            assert!(parse_stl(bytes).is_err());
        }
    }

    #[test]
    fn formats_go_by_the_ending_and_unknown_ones_are_named() {
        let of = |name: &str| MeshFormat::of(Path::new(name));
        for (name, format) in
            [("a.OBJ", MeshFormat::Obj), ("a.Stl", MeshFormat::Stl), ("a.x.ply", MeshFormat::Ply)]
        {
            assert_eq!(of(name), Ok(format));
        }
        assert_eq!(of("folder.d/a"), Ok(MeshFormat::Obj));
        for ending in ["glb", "gltf"] {
            let message = parse_mesh(b"", Path::new(&format!("a.{ending}"))).unwrap_err().to_string();
            assert!(message.contains("read for obstacles only: export the mesh as OBJ"), "{message}");
        }
        for ending in ["off", "fbx", "dae", "usd", "usda", "abc", "3ds", "gz"] {
            let message = parse_mesh(b"", Path::new(&format!("a.{ending}"))).unwrap_err().to_string();
            let expected = format!("{} is not read: OBJ, STL, PLY", ending.to_uppercase());
            assert!(message.contains(&expected), "{message}");
        }
    }

    #[test]
    fn polygons_of_ply_files_are_cut_and_unused_vertices_dropped() {
        let text = "ply\nformat ascii 1.0\nelement vertex 5\nproperty float x\nproperty float y\nproperty float z\n\
                    element face 1\nproperty list uchar int vertex_indices\nend_header\n\
                    9 9 9\n0 0 0\n1 0 0\n1 1 0\n0 1 0\n4 1 2 3 4\n";
        let mesh = parse_ply(text.as_bytes()).unwrap();
        assert_eq!((mesh.mesh.faces.len(), mesh.mesh.positions.len(), mesh.dropped_vertices), (2, 4, 1));
        assert_eq!(mesh.source_vertices, [1, 2, 3, 4]);
    }
}
