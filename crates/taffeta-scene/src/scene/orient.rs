//! Faces that are mirrored in material space.
//!
//! Patterns of garments give the left and the right piece the same material coordinates, one of them mirrored. A piece
//! whose panels are all clockwise in material space is turned over: its faces are listed the other way round. That
//! changes neither positions nor material coordinates, and an orthotropic material does not tell its sides apart.
//!
//! Of a piece that is sewn together from panels of both kinds, no orientation of the faces is right. Its mirrored panels
//! are reflected, `u` within their own extent: axes of the material, lengths and the place on the pattern stay.
//! Within a panel all faces must agree; where they do not, the panel is folded over in material space.

use super::check::{directed_edges, name_face};
use super::placed::PlacedMesh;
use taffeta_core::components::Components;
use taffeta_core::geometry::doubled_area;

/// Corrections of mirrored faces.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Turned {
    /// How many faces were turned over.
    pub faces: usize,
    /// The panels that were reflected.
    pub reflected: Vec<u32>,
}

/// Turns over every connected piece that is mirrored, and reflects every panel that is mirrored in a piece that is not.
///
/// # Errors
/// A message with panel and face if a panel is mirrored in part.
pub(super) fn turn_mirrored_panels(placed: &mut PlacedMesh) -> Result<Turned, String> {
    let Some(material) = &placed.mesh.material else { return Ok(Turned::default()) };
    let mirrored: Vec<bool> = material.iter().map(|corners| doubled_area(*corners) < 0.0).collect();
    if !mirrored.contains(&true) {
        return Ok(Turned::default());
    }
    let panels = placed.mesh.panels();
    check_panels(placed, &mirrored, &panels)?;
    let pieces = find_pieces(placed);
    // Whether a piece is to be turned over, by its first face: if all of it is mirrored.
    let mut turns = mirrored.clone();
    for (face, piece) in pieces.iter().enumerate() {
        turns[*piece as usize] &= mirrored[face];
    }
    let mut turned = Turned::default();
    for face in 0..mirrored.len() {
        if turns[pieces[face] as usize] {
            turn_over(placed, face);
            turned.faces += 1;
        } else if mirrored[face] && !turned.reflected.contains(&panels[face]) {
            turned.reflected.push(panels[face]);
        }
    }
    turned.reflected.iter().for_each(|panel| reflect(placed, &panels, *panel));
    Ok(turned)
}

/// Finds a panel of which some faces are mirrored and others are not.
fn check_panels(placed: &PlacedMesh, mirrored: &[bool], panels: &[u32]) -> Result<(), String> {
    let mut firsts: Vec<Option<usize>> = vec![None; mirrored.len()];
    for (face, panel) in panels.iter().enumerate() {
        let first = *firsts[*panel as usize].get_or_insert(face);
        if mirrored[face] == mirrored[first] {
            continue;
        }
        let [clockwise, other] = if mirrored[face] { [face, first] } else { [first, face] };
        return Err(format!(
            "panel {panel} is folded over in material space: {} is mirrored (clockwise), but {} is not",
            name_face(placed, clockwise),
            name_face(placed, other)
        ));
    }
    Ok(())
}

fn turn_over(placed: &mut PlacedMesh, face: usize) {
    placed.mesh.faces[face].swap(1, 2);
    if let Some(material) = &mut placed.mesh.material {
        material[face].swap(1, 2);
    }
}

fn reflect(placed: &mut PlacedMesh, panels: &[u32], panel: u32) {
    let Some(material) = &mut placed.mesh.material else { return };
    let of_panel = || panels.iter().enumerate().filter(|(_, other)| **other == panel).map(|(face, _)| face);
    let u = |face: usize| material[face].map(|corner| corner.x);
    let low = of_panel().flat_map(u).fold(f64::INFINITY, f64::min);
    let high = of_panel().flat_map(u).fold(f64::NEG_INFINITY, f64::max);
    for face in of_panel() {
        material[face].iter_mut().for_each(|corner| corner.x = low + high - corner.x);
    }
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
