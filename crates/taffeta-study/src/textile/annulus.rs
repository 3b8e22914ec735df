//! Meshes of the part of a round specimen that hangs over its support.

use super::DrapeSizes;
use crate::plane::{flat_mesh, triangulate};
use glam::DVec2;
use std::f64::consts::TAU;
use taffeta_core::TriangleMesh;
use taffeta_core::random::SplitMix64;

/// Rounds in which random points are relaxed.
const ROUNDS: usize = 40;

/// Arrangement of the triangles.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AnnulusPattern {
    /// Rings that are shifted by half an edge against each other: near-equilateral triangles.
    Staggered,
    /// A polar grid whose diagonals alternate.
    Alternating,
    /// A polar grid whose cells have both diagonals.
    Crossed,
    /// A relaxed Delaunay mesh of random points, without any direction.
    Delaunay,
}

impl AnnulusPattern {
    /// All of them.
    pub const ALL: [Self; 4] = [Self::Staggered, Self::Alternating, Self::Crossed, Self::Delaunay];

    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Staggered => "staggered",
            Self::Alternating => "alternating",
            Self::Crossed => "crossed",
            Self::Delaunay => "delaunay",
        }
    }
}

/// An annulus from the rim of the support to that of the specimen in the xy-plane, whose material coordinates are its positions.
/// The vertices of the inner rim come first; returns their number too.
///
/// `size` is the length of its edges \[m\], `turn` its angle against warp \[rad\].
pub(super) fn annulus_mesh(
    sizes: DrapeSizes,
    pattern: AnnulusPattern,
    size: f64,
    turn: f64,
) -> (TriangleMesh, u32) {
    let (mut points, faces, inner) = match pattern {
        AnnulusPattern::Delaunay => relaxed(sizes, size),
        _ => polar(sizes, pattern, size),
    };
    let rotation = DVec2::from_angle(turn);
    points.iter_mut().for_each(|point| *point = rotation.rotate(*point));
    (flat_mesh(points, faces), inner)
}

/// Points, faces, and the number of points on the inner rim.
type Annulus = (Vec<DVec2>, Vec<[u32; 3]>, u32);

/// A polar grid. Its cells are square on the middle ring.
fn polar(sizes: DrapeSizes, pattern: AnnulusPattern, size: f64) -> Annulus {
    let DrapeSizes { support, specimen } = sizes;
    let rows = (sizes.width() / size).round() as u32;
    // An even number, for diagonals that alternate.
    let sectors = 2 * (0.5 * edges(0.5 * (specimen + support), size)).round() as u32;
    let point = |row: f64, sector: f64| {
        let radius = support + sizes.width() * row / f64::from(rows);
        radius * DVec2::from_angle(TAU * sector / f64::from(sectors))
    };
    let mut points = Vec::new();
    for row in 0..=rows {
        let shift = if pattern == AnnulusPattern::Staggered { 0.5 * f64::from(row % 2) } else { 0.0 };
        points.extend((0..sectors).map(|i| point(f64::from(row), f64::from(i) + shift)));
    }
    let mut faces = Vec::new();
    for cell in 0..rows * sectors {
        let (row, i) = (cell / sectors, cell % sectors);
        let at = |row: u32, i: u32| row * sectors + i % sectors;
        let [a, b, c, d] = [at(row, i), at(row, i + 1), at(row + 1, i + 1), at(row + 1, i)];
        let rises = if pattern == AnnulusPattern::Staggered { row % 2 == 1 } else { (row + i) % 2 == 0 };
        if pattern == AnnulusPattern::Crossed {
            let middle = points.len() as u32;
            points.push(point(f64::from(row) + 0.5, f64::from(i) + 0.5));
            faces.extend([[b, a, middle], [c, b, middle], [d, c, middle], [a, d, middle]]);
        } else if rises {
            faces.extend([[a, c, b], [a, d, c]]);
        } else {
            faces.extend([[a, d, b], [b, d, c]]);
        }
    }
    (points, faces, sectors)
}

/// Random points, moved to the centroids of the triangles around them.
fn relaxed(DrapeSizes { support, specimen }: DrapeSizes, size: f64) -> Annulus {
    let inner = edges(support, size).round() as u32;
    let outer = edges(specimen, size).round() as u32;
    let circle = |radius: f64, count: u32| {
        (0..count).map(move |i| radius * DVec2::from_angle(TAU * f64::from(i) / f64::from(count)))
    };
    let mut points: Vec<DVec2> = circle(support, inner).chain(circle(specimen, outer)).collect();
    let fixed = points.len();
    let mut random = SplitMix64(u64::from(inner));
    let squares = [support + 0.4 * size, specimen - 0.4 * size].map(|radius| radius * radius);
    let area = 0.5 * TAU * (specimen * specimen - support * support);
    // Equilateral triangles have half a point each; points on the rims count half.
    let wanted = area / (0.75_f64.sqrt() * size * size) - 0.5 * fixed as f64;
    points.extend((0..wanted.round() as u32).map(|_| {
        let radius = (squares[0] + (squares[1] - squares[0]) * random.next_unit()).sqrt();
        radius * DVec2::from_angle(TAU * random.next_unit())
    }));
    let mesh = |points: &[DVec2]| {
        let mut faces = triangulate(points);
        // Not those of the hole.
        faces.retain(|face| face.iter().any(|v| *v >= inner));
        faces
    };
    let mut faces = mesh(&points);
    for _ in 0..ROUNDS {
        let mut sums = vec![(DVec2::ZERO, 0.0); points.len()];
        for face in &faces {
            let [a, b, c] = face.map(|v| points[v as usize]);
            let weight = (b - a).perp_dot(c - a);
            for v in face {
                let (moment, sum) = &mut sums[*v as usize];
                (*moment, *sum) = (*moment + (a + b + c) / 3.0 * weight, *sum + weight);
            }
        }
        for (point, (moment, sum)) in points.iter_mut().zip(sums).skip(fixed) {
            *point = moment / sum;
        }
        faces = mesh(&points);
    }
    (points, faces, inner)
}

/// Edges of a length on a circle.
fn edges(radius: f64, size: f64) -> f64 {
    TAU * radius / size
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::f64::consts::PI;
    use taffeta_core::geometry::{doubled_area, triangle_quality};

    #[test]
    fn annuli_are_covered_once_by_good_triangles() {
        let sizes = [DrapeSizes::CUSICK, DrapeSizes::JIS];
        for (sizes, pattern) in sizes.into_iter().flat_map(|s| AnnulusPattern::ALL.map(|p| (s, p))) {
            let DrapeSizes { support, specimen } = sizes;
            let (mesh, inner) = annulus_mesh(sizes, pattern, 0.005, 0.3);
            let corners = || mesh.material.iter().flatten().copied();
            let area: f64 = corners().map(|corners| 0.5 * doubled_area(corners)).sum();
            let exact = PI * (specimen * specimen - support * support);
            assert!((area / exact - 1.0).abs() < 3e-3, "{pattern:?}: {}", area / exact);
            let worst = corners().map(triangle_quality).fold(1.0, f64::min);
            assert!(worst > 0.4, "{pattern:?}: {worst}");
            assert!(corners().all(|corners| doubled_area(corners) > 0.0), "{pattern:?}");
            let held = &mesh.positions[..inner as usize];
            assert!(held.iter().all(|x| (x.length() - support).abs() < 1e-12), "{pattern:?}");
            assert!(mesh.positions[inner as usize..].iter().all(|x| x.length() > support + 1e-4));
        }
    }
}
