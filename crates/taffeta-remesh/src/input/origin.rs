//! Places on the input surface.

/// Place of a vertex of the result on the input.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Origin {
    /// Number of the input face.
    pub face: u32,
    /// Barycentric coordinates in it, for its corners in their order; their sum is 1. A vertex of the input that was kept
    /// has exactly 1 at its corner. Not below 0, but for new vertices on an outline that was straightened within its
    /// tolerance (the sine of 1e-3): they can lie beside the input by that much.
    pub weights: [f64; 3],
}
