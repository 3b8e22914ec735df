//! Mean curvature of a triangle surface.

use glam::DVec3;
use taffeta_core::math;

/// The mean curvature of each face \[1/m\], `H_f = (1/4A_f) Σ_e θ_e |e|` over its edges with two faces: the integral of
/// the mean curvature over an edge is `½ θ_e |e|` (D. Cohen-Steiner, J.-M. Morvan, Restricted Delaunay triangulations
/// and normal cycle, 2003), and each of the two faces gets half of it. Lengths, areas and angles are those of the
/// present shape; free edges do not count. Positive where the normals point out of the bend. 0 for faces without area.
///
/// # Panics
/// If a face refers to a vertex without a position.
pub fn mean_curvatures(positions: &[DVec3], faces: &[[u32; 3]]) -> Vec<f64> {
    let vectors: Vec<DVec3> = faces
        .iter()
        .map(|face| {
            let [a, b, c] = face.map(|v| positions[v as usize]);
            (b - a).cross(c - a)
        })
        .collect();
    // The two sides of an edge stand one after the other once they are sorted by its ends.
    let mut sides: Vec<(u32, u32, u32, bool)> = Vec::with_capacity(3 * faces.len());
    for (number, face) in (0u32..).zip(faces) {
        for k in 0..3 {
            let (tail, tip) = (face[k], face[(k + 1) % 3]);
            sides.push((tail.min(tip), tail.max(tip), number, tail < tip));
        }
    }
    sides.sort_unstable();
    let mut sums = vec![0.0; faces.len()];
    for pair in sides.chunk_by(|a, b| (a.0, a.1) == (b.0, b.1)) {
        let [first, second] = pair else { continue };
        let (f, g) = (first.2 as usize, second.2 as usize);
        let (n, m) = (vectors[f].normalize_or_zero(), vectors[g].normalize_or_zero());
        let edge = positions[first.1 as usize] - positions[first.0 as usize];
        // Seen along the edge from the low to the high number, the face that runs this way lies on the left.
        let direction = if first.3 { edge } else { -edge }.normalize_or_zero();
        let angle = math::atan2(n.cross(m).dot(direction), n.dot(m));
        let share = angle * edge.length();
        sums[f] += share;
        sums[g] += share;
    }
    let mean = |(sum, vector): (f64, &DVec3)| {
        let doubled_area = vector.length();
        if doubled_area > 0.0 { sum / (2.0 * doubled_area) } else { 0.0 }
    };
    sums.into_iter().zip(&vectors).map(mean).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A strip bent to a part of a cylinder about the y axis.
    fn arc(radius: f64, outward: bool) -> (Vec<DVec3>, Vec<[u32; 3]>) {
        let (n, m) = (60u32, 20u32);
        let mut positions = Vec::new();
        for i in 0..=n {
            for j in 0..=m {
                let angle = 1.5 * f64::from(i) / f64::from(n);
                let (sin, cos) = math::sin_cos(angle);
                positions.push(DVec3::new(radius * sin, 0.05 * f64::from(j), radius * cos));
            }
        }
        let at = |i: u32, j: u32| i * (m + 1) + j;
        let mut faces = Vec::new();
        for (i, j) in (0..n).flat_map(|i| (0..m).map(move |j| (i, j))) {
            faces.push([at(i, j), at(i + 1, j), at(i + 1, j + 1)]);
            faces.push([at(i, j), at(i + 1, j + 1), at(i, j + 1)]);
        }
        if !outward {
            faces.iter_mut().for_each(|face| face.swap(1, 2));
        }
        (positions, faces)
    }

    #[test]
    fn a_cylinder_has_half_the_inverse_of_its_radius_with_a_sign() {
        for (radius, outward) in [(0.5, true), (0.5, false), (2.0, true)] {
            let (positions, faces) = arc(radius, outward);
            let found = mean_curvatures(&positions, &faces);
            let area = |face: &[u32; 3]| {
                let [a, b, c] = face.map(|v| positions[v as usize]);
                0.5 * (b - a).cross(c - a).length()
            };
            // The two faces of a cell share its curvature unevenly: compare means, away from the ends.
            let inner = 40..faces.len() - 40;
            let total: f64 = inner.clone().map(|f| area(&faces[f])).sum();
            let mean: f64 = inner.map(|f| found[f] * area(&faces[f])).sum::<f64>() / total;
            // The normal (b−a)×(c−a) of the first face points to +y × … : out of the cylinder or into it.
            let expected = if outward { 0.5 } else { -0.5 } / radius;
            assert!((mean / expected - 1.0).abs() < 2e-3, "{mean} against {expected}");
        }
    }

    #[test]
    fn flat_sheets_and_free_edges_have_none() {
        let positions = vec![DVec3::ZERO, DVec3::X, DVec3::ONE.with_z(0.0), DVec3::Y];
        assert_eq!(mean_curvatures(&positions, &[[0, 1, 2], [0, 2, 3]]), [0.0, 0.0]);
        assert_eq!(mean_curvatures(&positions, &[[0, 1, 1]]), [0.0]);
    }
}
