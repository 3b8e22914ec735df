//! The random Delaunay pattern: a mesh without preferred directions.

use super::lattice::fraction;
use glam::DVec2;
use spade::{DelaunayTriangulation, HasPosition, Point2, Triangulation};
use taffeta_core::random::SplitMix64;

/// Displacement of an inner point, in cells. At 0.5 two neighbors could meet and leave slivers; below 0.2 the regular grid
/// shows.
const JITTER: f64 = 0.3;

/// A numbered point of the triangulation.
struct GridPoint {
    position: Point2<f64>,
    number: u32,
}

impl HasPosition for GridPoint {
    type Scalar = f64;
    fn position(&self) -> Point2<f64> {
        self.position
    }
}

/// Points of a grid, the inner ones moved at random, and their Delaunay triangulation. Points are numbered row by row,
/// faces by their corners.
///
/// # Panics
/// If the triangulation refuses a point: sizes below about 1e-140 m.
pub(crate) fn jittered_grid(size: DVec2, [nu, nv]: [u32; 2], seed: u64) -> (Vec<DVec2>, Vec<[u32; 3]>) {
    let mut random = SplitMix64(seed);
    let mut points = Vec::with_capacity((nu as usize + 1) * (nv as usize + 1));
    for j in 0..=nv {
        for i in 0..=nu {
            let inner = i > 0 && i < nu && j > 0 && j < nv;
            let mut offset = || if inner { JITTER * (2.0 * random.next_unit() - 1.0) } else { 0.0 };
            let (u, v) = (f64::from(i) + offset(), f64::from(j) + offset());
            points.push(DVec2::new(fraction(size.x, u, nu), fraction(size.y, v, nv)));
        }
    }
    let numbered = points
        .iter()
        .enumerate()
        .map(|(number, p)| GridPoint { position: Point2::new(p.x, p.y), number: number as u32 });
    let triangulation = DelaunayTriangulation::<GridPoint>::bulk_load(numbered.collect())
        .expect("the points of a grid have moderate coordinates");
    let mut faces: Vec<[u32; 3]> = triangulation
        .inner_faces()
        .map(|face| {
            let mut corners = face.vertices().map(|vertex| vertex.data().number);
            // The smallest number first, the cyclic order kept: the list does not depend on how it was built.
            let first = (0..3).min_by_key(|k| corners[*k]).unwrap_or(0);
            corners.rotate_left(first);
            corners
        })
        .collect();
    faces.sort_unstable();
    (points, faces)
}
