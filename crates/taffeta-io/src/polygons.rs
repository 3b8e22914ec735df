//! The surface in any PLY file: ASCII or binary, whatever else it has.

use crate::format::ply::file::{PlyFile, Table};
use crate::format::ply::read_vectors;
use crate::frame::{ReadError, to_index};
use glam::DVec3;

/// Positions and polygons.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Polygons {
    /// Positions \[m\].
    pub positions: Vec<DVec3>,
    /// The corners of each polygon: at least three, in the order of the file, each an index into `positions`.
    pub faces: Vec<Vec<u32>>,
}

/// Reads positions and polygons. Other elements and properties are skipped.
///
/// # Errors
/// If the bytes are no PLY file or have fewer elements than their header claims. If there are no vertices or faces, a
/// coordinate is not finite, or a face has fewer than three corners or refers to a vertex that is not there.
pub fn read_ply_polygons(bytes: &[u8]) -> Result<Polygons, ReadError> {
    let mut file = PlyFile::open(bytes)?;
    let mut polygons = Polygons::default();
    for element in file.elements.clone() {
        let is_without = |names: &[&str]| !names.iter().any(|name| element.has(name));
        if element.name == "vertex" && ["x", "y", "z"].iter().any(|name| is_without(&[name])) {
            return Err(ReadError("its vertices have no x, y and z".to_owned()));
        }
        if element.name == "face" && is_without(&CORNERS) {
            return Err(ReadError("its faces have no vertex_indices".to_owned()));
        }
        let table = file.read(&element)?;
        match element.name.as_str() {
            "vertex" => polygons.positions = read_vectors(&table, ["x", "y", "z"]).unwrap_or_default(),
            "face" => polygons.faces = read_faces(&table)?,
            _ => {}
        }
    }
    check(&polygons)?;
    Ok(polygons)
}

/// Names of the lists of corners, both of which are in use.
const CORNERS: [&str; 2] = ["vertex_indices", "vertex_index"];

fn read_faces(table: &Table) -> Result<Vec<Vec<u32>>, ReadError> {
    let Some(lists) = CORNERS.into_iter().find_map(|name| table.lists(name)) else { return Ok(Vec::new()) };
    let corner = |v: &f64| to_index(*v).ok_or_else(|| ReadError(format!("a face has the corner {v}")));
    lists.map(|list| list.iter().map(corner).collect()).collect()
}

fn check(polygons: &Polygons) -> Result<(), ReadError> {
    let count = polygons.positions.len();
    if let Some(vertex) = polygons.positions.iter().position(|p| !p.is_finite()) {
        return Err(ReadError(format!("vertex {vertex} (from 0) has no finite position")));
    }
    if polygons.faces.is_empty() {
        return Err(ReadError("it has no faces".to_owned()));
    }
    for (number, face) in polygons.faces.iter().enumerate() {
        if face.len() < 3 {
            return Err(ReadError(format!("face {number} (from 0) has {} corners, not three", face.len())));
        }
        if let Some(corner) = face.iter().find(|corner| **corner as usize >= count) {
            return Err(ReadError(format!(
                "face {number} (from 0) refers to vertex {corner}, but there are {count} vertices"
            )));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    const SQUARE: &str = "ply\nformat ascii 1.0\ncomment by hand\nelement vertex 4\nproperty float x\nproperty float y\n\
                          property float z\nproperty uchar red\nelement face 1\nproperty list uchar uint vertex_index\n\
                          element edge 1\nproperty int vertex1\nproperty int vertex2\nend_header\n\
                          0 0 0 255\n1 0 0 0\n1 1 0 9\n0 1 0.5 1\n4 0 1 2 3\n0 1\n";

    #[test]
    fn polygons_are_read_whatever_else_there_is() {
        let read = read_ply_polygons(SQUARE.as_bytes()).unwrap();
        assert_eq!(read.faces, [[0, 1, 2, 3]]);
        assert_eq!(read.positions[3], DVec3::new(0.0, 1.0, 0.5));
        let windows = SQUARE.replace('\n', "\r\n");
        assert_eq!(read_ply_polygons(windows.as_bytes()).unwrap(), read);
    }

    #[test]
    fn big_endian_files_are_read() {
        let header = "ply\nformat binary_big_endian 1.0\nelement vertex 3\nproperty double x\nproperty double y\n\
                      property double z\nelement face 1\nproperty list uchar int vertex_indices\nend_header\n";
        let mut bytes = header.as_bytes().to_vec();
        for number in [0.0, 0.0, 0.0, 2.0, 0.0, 0.0, 0.0, 3.0, 0.0_f64] {
            bytes.extend(number.to_be_bytes());
        }
        bytes.push(3);
        [0_i32, 1, 2].iter().for_each(|v| bytes.extend(v.to_be_bytes()));
        let read = read_ply_polygons(&bytes).unwrap();
        assert_eq!((read.positions[1], &read.faces[..]), (DVec3::X * 2.0, &[vec![0, 1, 2]][..]));
        bytes.truncate(bytes.len() - 5);
        assert!(read_ply_polygons(&bytes).unwrap_err().0.contains("face"));
    }

    #[test]
    fn what_is_no_surface_is_refused() {
        let refused =
            |from: &str, to: &str| read_ply_polygons(SQUARE.replace(from, to).as_bytes()).unwrap_err().0;
        assert!(refused("4 0 1 2 3", "4 0 1 2 4").contains("refers to vertex 4, but there are 4"));
        assert!(refused("4 0 1 2 3", "2 0 1").contains("2 corners"));
        assert!(!refused("0 1 0.5 1", "0 1 nan 1").is_empty());
        assert!(refused("property float z", "property float w").contains("no x, y and z"));
        assert!(refused("uint vertex_index", "uint corners").contains("no vertex_indices"));
        assert!(!refused("element vertex 4", "element vertex 4000000000").is_empty());
        for bytes in [&b""[..], b"ply\n", b"solid x\n", &[0; 200], b"\xff\xfe\x00p"] {
            assert!(read_ply_polygons(bytes).is_err());
        }
    }
}
