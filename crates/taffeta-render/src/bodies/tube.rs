//! Ropes as tubes: a ring of vertices around every point.

use glam::DVec3;
use std::f64::consts::TAU;
use taffeta_core::TriangleMesh;

/// Vertices of a ring, which stand one after the other: round enough for a rope of some pixels.
pub const SIDES: usize = 12;

/// The surface of a rope through `points` with a radius \[m\]: rings whose directions are carried along without twist, and
/// flat ends. Empty with fewer than two points.
pub fn tube_mesh(points: &[DVec3], radius: f64) -> TriangleMesh {
    let mut mesh = TriangleMesh::default();
    let Some(last) = points.len().checked_sub(1).filter(|last| *last > 0) else { return mesh };
    let direction = |i: usize| {
        let (before, after) = (points[i.saturating_sub(1)], points[(i + 1).min(last)]);
        (after - before).try_normalize().unwrap_or(DVec3::X)
    };
    let mut side = direction(0).any_orthonormal_vector();
    for (i, point) in points.iter().enumerate() {
        let along = direction(i);
        // Where a rope turns at a right angle it may come to lie along it: what is left of it is round-off.
        let rest = side.reject_from_normalized(along);
        side = if rest.length() > 0.1 { rest.normalize() } else { along.any_orthonormal_vector() };
        let other = along.cross(side);
        for k in 0..SIDES {
            let (s, c) = (TAU * k as f64 / SIDES as f64).sin_cos();
            mesh.positions.push(*point + (side * c + other * s) * radius);
        }
    }
    let at = |i: usize, k: usize| (i * SIDES + k % SIDES) as u32;
    for i in 0..last {
        for k in 0..SIDES {
            mesh.faces.push([at(i, k), at(i, k + 1), at(i + 1, k)]);
            mesh.faces.push([at(i + 1, k), at(i, k + 1), at(i + 1, k + 1)]);
        }
    }
    for k in 1..SIDES - 1 {
        mesh.faces.push([at(0, 0), at(0, k + 1), at(0, k)]);
        mesh.faces.push([at(last, 0), at(last, k), at(last, k + 1)]);
    }
    mesh
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The volume inside, by the faces: positive if they look outwards.
    fn volume(mesh: &TriangleMesh) -> f64 {
        let corners = mesh.faces.iter().map(|face| face.map(|v| mesh.positions[v as usize]));
        corners.map(|[a, b, c]| a.dot(b.cross(c)) / 6.0).sum()
    }

    #[test]
    fn a_tube_encloses_the_volume_of_a_prism_and_looks_outwards() {
        let points: Vec<DVec3> = (0..5).map(|i| DVec3::new(1.0, 0.5 * f64::from(i), 2.0)).collect();
        let mesh = tube_mesh(&points, 0.1);
        let area = 0.5 * SIDES as f64 * (TAU / SIDES as f64).sin() * 0.01;
        assert!((volume(&mesh) / (2.0 * area) - 1.0).abs() < 1e-12);
        for (i, point) in points.iter().enumerate() {
            let ring = &mesh.positions[i * SIDES..(i + 1) * SIDES];
            assert!(ring.iter().all(|x| (x.distance(*point) - 0.1).abs() < 1e-14));
        }
        assert!(tube_mesh(&points[..1], 0.1).faces.is_empty());
    }
}
