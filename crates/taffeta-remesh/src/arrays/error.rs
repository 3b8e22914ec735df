//! Why arrays cannot be remeshed.

use crate::settings::BadSetting;
use taffeta_mesh::BuildError;

/// Why arrays cannot be remeshed. Vertices, faces and corners are numbered as in the input, from 0.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum ArrayError {
    /// The faces are no surface: there are none, a number is out of range, an edge or a vertex is not manifold.
    #[error(transparent)]
    Surface(#[from] BuildError),
    /// An array has another length than the vertices or faces ask for.
    #[error("there are {found} entries in {array}, but {expected} are needed: {per}")]
    Length {
        /// Name of the array.
        array: &'static str,
        /// Its length.
        found: usize,
        /// The length that it should have.
        expected: usize,
        /// What each entry belongs to.
        per: &'static str,
    },
    /// A number at a vertex is NaN or infinite.
    #[error("{array} of vertex {vertex} is {value}, but must be finite")]
    NotFinite {
        /// What it is.
        array: &'static str,
        /// The vertex.
        vertex: u32,
        /// The number.
        value: f64,
    },
    /// A material coordinate at a corner is NaN or infinite.
    #[error("the material coordinate at corner {corner} of face {face} is {value}, but must be finite")]
    CornerNotFinite {
        /// The face.
        face: u32,
        /// The corner of the face, 0 to 2.
        corner: usize,
        /// The number.
        value: f64,
    },
    /// The faces around a vertex do not agree on its material coordinate.
    #[error(
        "vertex {vertex} has different material coordinates in faces {} and {}: sheets with seams, and faces laid flat \
         one by one, are not remeshed; cut the sheet at its seams, or give it one coordinate per vertex", faces[0], faces[1]
    )]
    Seam {
        /// The vertex.
        vertex: u32,
        /// Two faces that disagree.
        faces: [u32; 2],
    },
    /// The corners of a face are on a line in material space.
    #[error("face {face} has no area in material space")]
    Degenerate {
        /// The face.
        face: u32,
    },
    /// A face is turned over in material space.
    #[error(
        "face {face} is clockwise in material space; faces must be counter-clockwise ({inverted} of {total} are not: \
         {})", if inverted == total { "mirror the material coordinates, or swap two corners of every face" }
         else { "the sheet is folded over there" }
    )]
    Inverted {
        /// The first such face.
        face: u32,
        /// Number of faces that are turned over.
        inverted: usize,
        /// Number of faces.
        total: usize,
    },
    /// Two faces of a connected piece overlap in material space.
    #[error("faces {} and {} overlap in material space; only pieces that are not connected may", faces[0], faces[1])]
    Overlap {
        /// The faces, the lower first.
        faces: [u32; 2],
    },
    /// A size is not positive, or absurd.
    #[error(
        "the size at vertex {vertex} is {value} m, but must be finite and greater than 0, from 1e-60 to 1e60"
    )]
    Size {
        /// The vertex.
        vertex: u32,
        /// The size \[m\].
        value: f64,
    },
    /// A metric is not positive definite, or absurd.
    #[error(
        "the metric [{}, {}, {}] (m00, m01, m11) at vertex {vertex} is not positive definite with sizes from 1e-60 to \
         1e60 m", metric[0], metric[1], metric[2]
    )]
    Metric {
        /// The vertex.
        vertex: u32,
        /// Its entries `m00`, `m01`, `m11` \[1/m²\].
        metric: [f64; 3],
    },
    /// An option is out of range.
    #[error(transparent)]
    Setting(#[from] BadSetting),
}
