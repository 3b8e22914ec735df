//! Points of a rectangle in rows and columns.

use glam::DVec2;

/// The coordinate of a fraction of a length; exactly the length for `i = n`.
pub(crate) fn fraction(length: f64, i: f64, n: u32) -> f64 {
    length * (i / f64::from(n))
}

/// The corners of all cells, row by row.
pub(crate) fn lattice(size: DVec2, [nu, nv]: [u32; 2]) -> Vec<DVec2> {
    let point =
        |i: u32, j: u32| DVec2::new(fraction(size.x, f64::from(i), nu), fraction(size.y, f64::from(j), nv));
    (0..=nv).flat_map(|j| (0..=nu).map(move |i| point(i, j))).collect()
}
