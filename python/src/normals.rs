//! Normals at the vertices.

use glam::{DVec3, Vec3};

/// Unit normals at the vertices, as single precision: the sum of the normals of the faces around, weighted by area. Zero where
/// a vertex has no face with an area.
pub(crate) fn compute_normals(positions: &[DVec3], faces: &[[u32; 3]], normals: &mut [Vec3]) {
    // Relative to the first vertex, so that single precision is exact enough far from the origin.
    let origin = positions.first().copied().unwrap_or_default();
    let near: Vec<Vec3> = positions.iter().map(|x| (*x - origin).as_vec3()).collect();
    normals.fill(Vec3::ZERO);
    for &[a, b, c] in faces {
        let [a, b, c] = [a as usize, b as usize, c as usize];
        let doubled_area = (near[b] - near[a]).cross(near[c] - near[a]);
        for corner in [a, b, c] {
            normals[corner] += doubled_area;
        }
    }
    normals.iter_mut().for_each(|normal| *normal = normal.normalize_or_zero());
}
