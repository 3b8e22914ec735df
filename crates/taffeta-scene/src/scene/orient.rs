//! Faces that are mirrored in material space.
//!
//! Patterns of garments give the left and the right piece the same material coordinates, one of them mirrored. A piece
//! whose faces are all clockwise in material space is turned over: its faces are listed the other way round. That
//! changes neither positions nor material coordinates, and an orthotropic material does not tell its sides apart.

use super::check::{directed_edges, name_face};
use super::pin::PlacedMesh;
use taffeta_core::components::Components;
use taffeta_core::geometry::doubled_area;

/// Turns over every connected piece that is mirrored, and returns the number of its faces.
///
/// # Errors
/// A message if a piece is mirrored in part: no orientation of its faces is then right in material space.
pub(super) fn turn_mirrored_pieces(placed: &mut PlacedMesh) -> Result<usize, String> {
    let Some(material) = &placed.mesh.material else { return Ok(0) };
    let mirrored: Vec<bool> = material.iter().map(|corners| doubled_area(*corners) < 0.0).collect();
    if !mirrored.contains(&true) {
        return Ok(0);
    }
    let pieces = find_pieces(placed);
    // Whether a piece is mirrored, by its first face.
    let piece_mirrored = |face: usize| mirrored[pieces[face] as usize];
    if let Some(face) = (0..mirrored.len()).find(|face| mirrored[*face] != piece_mirrored(*face)) {
        let first = pieces[face] as usize;
        let [clockwise, other] = if mirrored[face] { [face, first] } else { [first, face] };
        return Err(format!(
            "{} is mirrored (clockwise) in material space, but {} of the same piece is not; a piece that is mirrored in \
             part is not supported yet",
            name_face(placed, clockwise),
            name_face(placed, other)
        ));
    }
    let mesh = &mut placed.mesh;
    for (face, corners) in mesh
        .faces
        .iter_mut()
        .zip(mesh.material.iter_mut().flatten())
        .enumerate()
        .filter_map(|(number, pair)| mirrored[number].then_some(pair))
    {
        face.swap(1, 2);
        corners.swap(1, 2);
    }
    Ok(mirrored.iter().filter(|mirrored| **mirrored).count())
}

/// For each face the first face of its piece; pieces are connected by edges.
fn find_pieces(placed: &PlacedMesh) -> Vec<u32> {
    let mut pieces = Components::new(placed.mesh.faces.len());
    let sides = directed_edges(&placed.mesh);
    for edge in sides.chunk_by(|a, b| (a.low, a.high) == (b.low, b.high)) {
        edge[1..].iter().for_each(|side| pieces.join(edge[0].face, side.face));
    }
    pieces.labels()
}
