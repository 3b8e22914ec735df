//! Angles between neighboring faces, so that edits of a shape in space fold nothing over.
//!
//! Turning little in every edit does not keep a sliver from being turned over by several. So of a fixed field in space no
//! edit makes a sharper fold than [`SHARPEST`], unless it was as sharp around the edit before. In a simulation the gate looks for
//! what crosses.

use crate::attributes::SheetAttributes;
use glam::DVec3;
use taffeta_mesh::{FaceKey, HalfedgeMesh, VertexKey, slot_of};

/// Cosine of the angle between the normals of two neighbors from which on they count as folded over (120°): what is sharper in
/// the input is seldom meant.
const SHARPEST: f64 = -0.5;

/// A corner of a face: a number that tells it from others, and its place \[m\].
pub(crate) type Corner = (u32, DVec3);

/// The corner at the start position of a vertex.
pub(crate) fn corner(attributes: &SheetAttributes, v: VertexKey) -> Corner {
    (slot_of(v) as u32, attributes.vertices[v].start)
}

/// The corners of a face.
pub(crate) fn corners(mesh: &HalfedgeMesh, attributes: &SheetAttributes, f: FaceKey) -> [Corner; 3] {
    mesh.face_vertices(f).map(|v| corner(attributes, v))
}

/// The faces across the sides of some faces that are none of them.
fn rim(mesh: &HalfedgeMesh, attributes: &SheetAttributes, faces: &[FaceKey]) -> Vec<[Corner; 3]> {
    let sides = faces.iter().flat_map(|&f| mesh.face_halfedges(f));
    let beyond = sides.filter_map(|he| mesh.face(he.twin())).filter(|f| !faces.contains(f));
    beyond.map(|f| corners(mesh, attributes, f)).collect()
}

/// Returns whether faces can take the place of others without a sharper fold than is allowed.
pub(crate) fn keeps_unfolded(
    mesh: &HalfedgeMesh,
    attributes: &SheetAttributes,
    before: &[FaceKey],
    after: &[[Corner; 3]],
) -> bool {
    let rim = rim(mesh, attributes, before);
    let sharpest_after = sharpest(&[after, &rim].concat());
    if sharpest_after >= SHARPEST {
        return true;
    }
    let before: Vec<[Corner; 3]> = before.iter().map(|&f| corners(mesh, attributes, f)).collect();
    sharpest_after >= sharpest(&[before, rim].concat())
}

/// The least cosine of the angle between the normals of two faces that share a side; 1 if none do.
fn sharpest(faces: &[[Corner; 3]]) -> f64 {
    let normals: Vec<DVec3> = faces.iter().map(normal).collect();
    let mut least = 1.0_f64;
    for (number, face) in faces.iter().enumerate() {
        for other in (0..number).filter(|&other| share_side(face, &faces[other])) {
            least = least.min(normals[number].dot(normals[other]));
        }
    }
    least
}

fn normal([(_, a), (_, b), (_, c)]: &[Corner; 3]) -> DVec3 {
    (*b - *a).cross(*c - *a).normalize_or_zero()
}

fn share_side(face: &[Corner; 3], other: &[Corner; 3]) -> bool {
    let side = |face: &[Corner; 3], k: usize| [face[k].0, face[(k + 1) % 3].0];
    (0..3).any(|k| {
        let [a, b] = side(face, k);
        (0..3).any(|j| side(other, j) == [b, a])
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folds_are_measured_between_faces_that_share_a_side() {
        let [o, x, y] = [DVec3::ZERO, DVec3::X, DVec3::Y];
        let face = [(0, o), (1, x), (2, y)];
        let turned = |z: f64| [(1, x), (0, o), (3, DVec3::new(0.0, -z.cos(), z.sin()))];
        for angle in [0.0_f64, 1.0, 2.0, 3.0] {
            assert!((sharpest(&[face, turned(angle)]) - angle.cos()).abs() < 1e-12, "{angle}");
        }
        // Two faces that meet only at a corner may look in any direction.
        assert_eq!(sharpest(&[face, [(0, o), (4, y), (5, x)]]), 1.0);
    }
}
