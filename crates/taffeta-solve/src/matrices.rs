//! Small matrices that several blocks and drivers need.

use glam::{DMat3, DVec3};

/// A 3×3 block, column by column.
pub(crate) type Mat3 = [f64; 9];

/// Rows and columns of the six different entries of a symmetric 3×3 matrix, in the order in which they are stored.
pub(crate) const UPPER: [(usize, usize); 6] = [(0, 0), (0, 1), (0, 2), (1, 1), (1, 2), (2, 2)];

/// `a bᵀ`.
#[inline]
pub(crate) fn outer(a: DVec3, b: DVec3) -> DMat3 {
    DMat3::from_cols(a * b.x, a * b.y, a * b.z)
}

/// `[v]×`, the matrix of the cross product with `v` from the left.
pub(crate) fn cross_matrix(v: DVec3) -> DMat3 {
    DMat3::from_cols(DVec3::new(0.0, v.z, -v.y), DVec3::new(-v.z, 0.0, v.x), DVec3::new(v.y, -v.x, 0.0))
}
