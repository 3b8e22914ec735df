//! Checks of a mesh before it becomes cloth.

use super::placed::PlacedMesh;
use glam::DVec2;
use taffeta_core::TriangleMesh;
use taffeta_core::geometry::doubled_area;

/// Faces that a message names; the rest is counted.
const NAMED_FACES: usize = 5;
/// A triangle whose height is below this part of its longest edge has no usable area. The conditioning of the stiffness is the
/// square of its inverse, and would leave fewer than four digits to the solver.
const DEGENERATE_HEIGHT: f64 = 1e-6;

/// One side of an edge.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Side {
    /// The smaller end.
    pub low: u32,
    /// The larger end.
    pub high: u32,
    /// True if the face runs from the larger to the smaller end.
    reversed: bool,
    /// The face.
    pub face: u32,
}

/// All sides of all edges, those of an edge together.
pub(super) fn directed_edges(mesh: &TriangleMesh) -> Vec<Side> {
    let mut sides = Vec::with_capacity(3 * mesh.faces.len());
    for (face, corners) in mesh.faces.iter().enumerate() {
        for k in 0..3 {
            let (tail, tip) = (corners[k], corners[(k + 1) % 3]);
            let (low, high) = (tail.min(tip), tail.max(tip));
            sides.push(Side { low, high, reversed: tail > tip, face: face as u32 });
        }
    }
    sides.sort_unstable();
    sides
}

/// Everything that keeps a mesh from being cloth, one message each.
pub(super) fn find_mesh_problems(placed: &PlacedMesh) -> Vec<String> {
    let mesh = &placed.mesh;
    if mesh.faces.is_empty() {
        return vec!["the mesh has no faces".to_owned()];
    }
    if let Some(vertex) = mesh.positions.iter().position(|point| !point.is_finite()) {
        return vec![format!("the position of vertex {vertex} is not finite after placing")];
    }
    let corners = mesh.material.iter().flatten();
    if let Some(face) = corners.into_iter().position(|corners| !corners.iter().all(|u| u.is_finite())) {
        return vec![format!("a material coordinate of {} is not finite", name_face(placed, face))];
    }
    let mut problems = Vec::new();
    problems.extend(find_repeated_corners(placed));
    if problems.is_empty() {
        problems.extend(find_flat_faces(placed));
        problems.extend(find_crowded_edge(placed));
    }
    problems
}

/// A face for messages, with its line in the file.
pub(super) fn name_face(placed: &PlacedMesh, face: usize) -> String {
    match placed.face_lines.as_ref().and_then(|lines| lines.get(face)) {
        Some(line) => format!("face {face} (line {line})"),
        None => format!("face {face}"),
    }
}

fn name_faces(placed: &PlacedMesh, faces: &[usize]) -> String {
    let named: Vec<String> = faces.iter().take(NAMED_FACES).map(|face| name_face(placed, *face)).collect();
    let more = match faces.len().saturating_sub(NAMED_FACES) {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    format!("{}{more}", named.join(", "))
}

fn find_repeated_corners(placed: &PlacedMesh) -> Option<String> {
    let repeats = |[a, b, c]: [u32; 3]| a == b || b == c || c == a;
    let faces = placed.mesh.faces.iter().enumerate().filter(|(_, corners)| repeats(**corners));
    let faces: Vec<usize> = faces.map(|(face, _)| face).collect();
    (!faces.is_empty()).then(|| format!("triangles with a repeated corner: {}", name_faces(placed, &faces)))
}

/// Returns whether a triangle has no area, relative to its longest edge.
fn is_flat(doubled: f64, longest: f64) -> bool {
    doubled.abs() <= DEGENERATE_HEIGHT * longest * longest || doubled.is_nan()
}

fn find_flat_faces(placed: &PlacedMesh) -> Option<String> {
    let mesh = &placed.mesh;
    let (flat, space): (Vec<usize>, &str) = match &mesh.material {
        Some(material) => {
            let longest = |[a, b, c]: [DVec2; 3]| a.distance(b).max(b.distance(c)).max(c.distance(a));
            let flat = |corners: &[DVec2; 3]| is_flat(doubled_area(*corners), longest(*corners));
            let faces = material.iter().enumerate().filter(|(_, corners)| flat(corners));
            (faces.map(|(face, _)| face).collect(), "in material space")
        }
        None => {
            let flat = |face: &[u32; 3]| {
                let [a, b, c] = face.map(|v| mesh.positions[v as usize]);
                is_flat((b - a).cross(c - a).length(), a.distance(b).max(b.distance(c)).max(c.distance(a)))
            };
            let faces = mesh.faces.iter().enumerate().filter(|(_, face)| flat(face));
            (faces.map(|(face, _)| face).collect(), "in its rest shape")
        }
    };
    (!flat.is_empty()).then(|| format!("triangles without area {space}: {}", name_faces(placed, &flat)))
}

/// An edge with two faces that run along it in the same direction.
fn find_crowded_edge(placed: &PlacedMesh) -> Option<String> {
    let sides = directed_edges(&placed.mesh);
    let pair = sides.windows(2).find(|pair| {
        (pair[0].low, pair[0].high, pair[0].reversed) == (pair[1].low, pair[1].high, pair[1].reversed)
    })?;
    let faces = [pair[0].face as usize, pair[1].face as usize];
    Some(format!(
        "{} run along one edge in the same direction: the surface branches there or its faces are not oriented alike",
        faces.map(|face| name_face(placed, face)).join(" and ")
    ))
}
