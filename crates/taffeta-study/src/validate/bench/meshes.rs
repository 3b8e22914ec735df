//! Meshes that no scene can make: relaxed, graded, round.

use crate::plane::{flat_mesh, triangulate};
use glam::DVec2;
use std::f64::consts::TAU;
use taffeta_core::TriangleMesh;
use taffeta_core::random::SplitMix64;

/// Rounds of relaxation: later ones move no point by more than a few percent of its triangles.
const ROUNDS: usize = 40;

/// Edge lengths in the unit square \[m\]: linear from the lower left to the upper right corner.
#[derive(Clone, Copy, Debug)]
pub(crate) struct MeshSize {
    pub near: f64,
    pub far: f64,
}

impl MeshSize {
    fn at(self, point: DVec2) -> f64 {
        self.near + (self.far - self.near) * 0.5 * (point.x + point.y)
    }
}

/// Relaxed Delaunay mesh of the unit square: random points with the density of the sizes, moved to the weighted centroids
/// around them. It is Lloyd's method with triangles in place of Voronoi cells.
pub(crate) fn square_mesh(size: MeshSize) -> TriangleMesh {
    let mut points = boundary(size);
    let fixed = points.len();
    points.extend(random_points(size));
    let mut faces = triangulate(&points);
    for _ in 0..ROUNDS {
        let mut sums = vec![(DVec2::ZERO, 0.0); points.len()];
        for face in &faces {
            let [a, b, c] = face.map(|v| points[v as usize]);
            let centroid = (a + b + c) / 3.0;
            // Cells of a centroidal tessellation have sizes of the fourth root of the inverse weight (Du et al. 1999).
            let weight = (b - a).perp_dot(c - a) / size.at(centroid).powi(4);
            for v in face {
                let (moment, sum) = &mut sums[*v as usize];
                (*moment, *sum) = (*moment + centroid * weight, *sum + weight);
            }
        }
        for (point, (moment, sum)) in points.iter_mut().zip(sums).skip(fixed) {
            *point = moment / sum;
        }
        faces = triangulate(&points);
    }
    flat_mesh(points, faces)
}

/// Points along the four sides, counter-clockwise, in equal shares of what the sizes ask for.
fn boundary(size: MeshSize) -> Vec<DVec2> {
    let corners = [DVec2::ZERO, DVec2::X, DVec2::ONE, DVec2::Y];
    let mut points = Vec::new();
    for (k, from) in corners.into_iter().enumerate() {
        let to = corners[(k + 1) % 4];
        let density = |t: f64| 1.0 / size.at(from.lerp(to, t));
        const STEPS: u32 = 4000;
        let step = |i: u32| density((f64::from(i) + 0.5) / f64::from(STEPS)) / f64::from(STEPS);
        let total: f64 = (0..STEPS).map(step).sum();
        let share = total / total.round();
        points.push(from);
        let mut sum = 0.0;
        let mut next = share;
        for i in 0..STEPS {
            sum += step(i);
            if sum >= next && next < total - 0.5 * share {
                points.push(from.lerp(to, f64::from(i + 1) / f64::from(STEPS)));
                next += share;
            }
        }
    }
    points
}

/// Random points inside, as many as equilateral triangles of the sizes have.
fn random_points(size: MeshSize) -> Vec<DVec2> {
    let mut random = SplitMix64(7);
    let density = |point: DVec2| (2.0 / 3.0_f64.sqrt()) / size.at(point).powi(2);
    let grid = |i: u32| DVec2::new(f64::from(i % 64) + 0.5, f64::from(i / 64) + 0.5) / 64.0;
    let wanted = (0..64 * 64).map(|i| density(grid(i)) / 4096.0).sum::<f64>();
    // Half a layer of points belongs to the boundary.
    let wanted = (wanted - 0.5 * boundary(size).len() as f64).round() as usize;
    let densest = density(DVec2::ZERO).max(density(DVec2::ONE));
    let mut points = Vec::new();
    while points.len() < wanted {
        let point = DVec2::new(random.next_unit(), random.next_unit());
        let inside = point.min_element() > 0.0;
        if random.next_unit() * densest < density(point) && inside {
            points.push(point);
        }
    }
    points
}

/// A disk of radius 1 m around the origin: rings of near-equilateral triangles.
pub fn disk_mesh(rings: u32) -> TriangleMesh {
    let mut points = vec![DVec2::ZERO];
    for ring in 1..=rings {
        let radius = f64::from(ring) / f64::from(rings);
        let angle = |i: u32| TAU * f64::from(i) / f64::from(6 * ring);
        points.extend((0..6 * ring).map(|i| radius * DVec2::from_angle(angle(i))));
    }
    let first = |ring: u32| if ring == 0 { 0 } else { 1 + 3 * ring * (ring - 1) };
    let at = |ring: u32, i: u32| if ring == 0 { 0 } else { first(ring) + i % (6 * ring) };
    let mut faces = Vec::new();
    for ring in 1..=rings {
        for sector in 0..6 {
            for i in 0..ring {
                let (outer, inner) = (sector * ring + i, sector * (ring - 1) + i);
                faces.push([at(ring, outer), at(ring, outer + 1), at(ring - 1, inner)]);
                if i + 1 < ring {
                    faces.push([at(ring, outer + 1), at(ring - 1, inner + 1), at(ring - 1, inner)]);
                }
            }
        }
    }
    flat_mesh(points, faces)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::f64::consts::PI;
    use taffeta_core::geometry::{doubled_area, triangle_quality};

    fn total_area(mesh: &TriangleMesh) -> f64 {
        let areas = mesh.material.iter().flatten().map(|corners| 0.5 * doubled_area(*corners));
        areas.inspect(|area| assert!(*area > 0.0)).sum()
    }

    #[test]
    fn squares_are_covered_by_good_triangles_of_the_wanted_sizes() {
        for (near, far) in [(0.05, 0.05), (0.02, 0.08)] {
            let mesh = square_mesh(MeshSize { near, far });
            assert!((total_area(&mesh) - 1.0).abs() < 1e-12);
            let corners = || mesh.material.iter().flatten().copied();
            let worst = corners().map(triangle_quality).fold(1.0, f64::min);
            assert!(worst > 0.4, "{worst}");
            let area_at = |point: DVec2| {
                let near = corners().filter(|c| ((c[0] + c[1] + c[2]) / 3.0).distance(point) < 0.15);
                let areas: Vec<f64> = near.map(|c| 0.5 * doubled_area(c)).collect();
                areas.iter().sum::<f64>() / areas.len() as f64
            };
            let size = |point| (area_at(point) * 4.0 / 3.0_f64.sqrt()).sqrt();
            let ratio = size(DVec2::splat(0.9)) / size(DVec2::splat(0.1));
            let wanted = MeshSize { near, far };
            let expected = wanted.at(DVec2::splat(0.9)) / wanted.at(DVec2::splat(0.1));
            assert!((ratio / expected - 1.0).abs() < 0.25, "{ratio} for {expected}");
            assert!((size(DVec2::splat(0.5)) / wanted.at(DVec2::splat(0.5)) - 1.0).abs() < 0.15);
        }
    }

    #[test]
    fn a_disk_is_round() {
        let mesh = disk_mesh(16);
        assert_eq!((mesh.positions.len(), mesh.faces.len()), (817, 6 * 256));
        // The polygon of 96 sides.
        assert!((total_area(&mesh) / (48.0 * (PI / 48.0).sin()) - 1.0).abs() < 1e-12);
    }
}
