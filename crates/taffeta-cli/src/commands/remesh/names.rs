//! Errors of the remesher in the words of the file: faces by their lines, vertices by their numbers from 1.

use super::input::{Input, ObjNames};
use taffeta_mesh::BuildError;
use taffeta_remesh::ArrayError;

/// Explains the defect of the mesh, or of the options.
pub(super) fn explain(error: &ArrayError, input: &Input) -> String {
    match &input.names {
        _ if *error == ArrayError::NoDirections => "--sizing has tensors, which speak of the directions of vt, but the mesh has \
                                                    no vt\n  = give lengths, or --flat if the sheet is almost flat"
            .to_owned(),
        Some(names) => explain_obj(error, names),
        None => error.to_string(),
    }
}

fn explain_obj(error: &ArrayError, names: &ObjNames) -> String {
    let line = |face: &u32| names.face_lines[*face as usize];
    let vertex = |vertex: &u32| names.vertices[*vertex as usize] + 1;
    match error {
        ArrayError::Surface(error) => explain_surface(error, names),
        ArrayError::NotFinite { array, vertex: v, value } => {
            format!("{array} of vertex {} is {value}, but must be finite", vertex(v))
        }
        ArrayError::CornerNotFinite { face, corner, value } => {
            let number = corner + 1;
            format!(
                "line {}: the material coordinate at corner {number} is {value}, but must be finite",
                line(face)
            )
        }
        ArrayError::Degenerate { face } => {
            format!("line {}: the face has no area", line(face))
        }
        ArrayError::Inverted { face, inverted, total } => format!(
            "line {}: the face is clockwise in material space, as {inverted} of the {total} of its panel are: the panel is \
             folded over",
            line(face)
        ),
        ArrayError::Reflections { face } => format!(
            "line {}: a panel is mirrored in material space, and turned over it would lie exactly on the one that it is sewn \
             to here\n  = move the vt of one of the two",
            line(face)
        ),
        ArrayError::Overlap { faces: [a, b] } => {
            format!("the faces of lines {} and {} of one panel overlap in material space", line(a), line(b))
        }
        ArrayError::Size { vertex: v, value } => {
            format!("the size at vertex {} is {value} m, but must be finite and greater than 0", vertex(v))
        }
        ArrayError::Metric { vertex: v, metric: [a, b, c] } => {
            format!("the metric {a},{b},{c} at vertex {} is not positive definite", vertex(v))
        }
        ArrayError::Length { .. }
        | ArrayError::PointNotFinite { .. }
        | ArrayError::PointOutOfRange { .. }
        | ArrayError::NoDirections
        | ArrayError::Setting(_) => error.to_string(),
    }
}

fn explain_surface(error: &BuildError, names: &ObjNames) -> String {
    let line = |face: &u32| names.face_lines[*face as usize];
    let vertex = |vertex: &u32| names.vertices[*vertex as usize] + 1;
    let lines =
        |faces: &[u32]| faces.iter().map(|face| line(face).to_string()).collect::<Vec<_>>().join(", ");
    match error {
        BuildError::RepeatedVertex { face, vertex: v } => {
            format!("line {}: vertex {} is at more than one corner of a triangle", line(face), vertex(v))
        }
        BuildError::NonManifoldEdge { vertices: [a, b], faces } => format!(
            "the edge {}–{} is shared by {} faces (lines {}); a surface has at most two",
            vertex(a),
            vertex(b),
            faces.len(),
            lines(faces)
        ),
        BuildError::InconsistentOrientation { vertices: [a, b], faces } => format!(
            "the faces of lines {} both run from vertex {} to vertex {}: one of them is turned over",
            lines(faces),
            vertex(a),
            vertex(b)
        ),
        BuildError::DoubledFace { faces } => {
            format!("the faces of lines {} have the same corners", lines(faces))
        }
        BuildError::BowTie { vertex: v, faces } => {
            format!("the faces of lines {} meet only at vertex {}", lines(faces), vertex(v))
        }
        // The reader has no such meshes.
        BuildError::NoFaces | BuildError::VertexOutOfRange { .. } | BuildError::IsolatedVertex { .. } => {
            error.to_string()
        }
    }
}
