//! Names of the faces and vertices of a file in a report.

use taffeta_io::ObjMesh;

/// Vertices or faces that a line names; the rest is counted.
pub(super) const NAMED: usize = 5;

/// A face by its line in the file.
pub(super) fn name_face(file: &ObjMesh, face: usize) -> String {
    match file.face_lines.get(face) {
        Some(line) => format!("line {line}"),
        None => format!("face {}", face + 1),
    }
}

/// A vertex by its number in the file.
pub(super) fn name_vertex(file: &ObjMesh, vertex: u32) -> String {
    let number = file.source_vertices.get(vertex as usize).copied().unwrap_or(vertex);
    format!("vertex {}", number + 1)
}

/// Some faces, counted and named.
pub(super) fn name_faces(file: &ObjMesh, faces: &[usize]) -> String {
    let names: Vec<String> = faces.iter().take(NAMED).map(|face| name_face(file, *face)).collect();
    count_and_name(faces.len(), &names)
}

/// Number of some things, and the names of the first.
pub(super) fn count_and_name(count: usize, names: &[String]) -> String {
    if count == 0 {
        return "none".to_owned();
    }
    let more = if count > names.len() { ", …" } else { "" };
    format!("{count} ({}{more})", names.join(", "))
}
