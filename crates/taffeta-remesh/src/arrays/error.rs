//! Why arrays cannot be remeshed.

use crate::sizing::settings::BadSetting;
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
        /// Kind of element that each entry belongs to.
        per: &'static str,
    },
    /// A number at a vertex is NaN or infinite.
    #[error("{array} of vertex {vertex} is {value}, but must be finite")]
    NotFinite {
        /// Name of the quantity.
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
    /// A material point is NaN or infinite.
    #[error("material point {point} has the coordinate {value}, but must be finite")]
    PointNotFinite {
        /// The material point.
        point: u32,
        /// The number.
        value: f64,
    },
    /// A face refers to a material point that does not exist.
    #[error("face {face} has the material point {point}, but there are {count}")]
    PointOutOfRange {
        /// The face.
        face: u32,
        /// The material point.
        point: u32,
        /// Number of material points.
        count: usize,
    },
    /// The corners of a face are on a line, in material space or where there is none in space.
    #[error("face {face} has no area")]
    Degenerate {
        /// The face.
        face: u32,
    },
    /// A face is turned over in material space, and others of its panel are not.
    #[error(
        "face {face} is clockwise in material space, as {inverted} of the {total} faces of its panel are: the panel is \
         folded over there"
    )]
    Inverted {
        /// The first such face.
        face: u32,
        /// Number of faces that are turned over in its panel.
        inverted: usize,
        /// Number of faces of the panel.
        total: usize,
    },
    /// Some panels are mirrored, and each way to turn them over would close a seam.
    #[error(
        "some panels are mirrored in material space (clockwise), and turned over they would lie exactly on the panels that \
         they are sewn to, at face {face} for one: move one of the two in material space"
    )]
    Reflections {
        /// A face at such a seam.
        face: u32,
    },
    /// Two faces of a panel overlap in material space.
    #[error("faces {} and {} of one panel overlap in material space; only different panels may", faces[0], faces[1])]
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
    /// A field of tensors for a sheet without material coordinates.
    #[error(
        "a sizing field of tensors needs material coordinates, whose directions it speaks of; give sizes"
    )]
    NoDirections,
    /// An option is out of range.
    #[error(transparent)]
    Setting(#[from] BadSetting),
}
