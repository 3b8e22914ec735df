//! Exact signs of areas.

use glam::DVec2;
use robust::{Coord, orient2d};

/// Twice the signed area of a triangle with the exact sign (J. R. Shewchuk, Adaptive precision floating-point arithmetic
/// and fast robust geometric predicates, 1997).
pub(crate) fn exact_side([a, b, c]: [DVec2; 3]) -> f64 {
    let coord = |u: DVec2| Coord { x: u.x, y: u.y };
    orient2d(coord(a), coord(b), coord(c))
}
