//! Errors of a picture.

use std::path::PathBuf;
use thiserror::Error;

/// Why there is no picture.
#[derive(Debug, Error)]
pub enum RenderError {
    /// No body has a face.
    #[error("there is nothing to draw: no body has a face")]
    EmptyScene,
    /// A position is infinite or not a number.
    #[error("vertex {vertex} of body {body} has no finite position")]
    PositionNotFinite {
        /// The body's place in the list.
        body: usize,
        /// The vertex of its mesh.
        vertex: usize,
    },
    /// A face refers to a vertex that its mesh does not have.
    #[error("face {face} of body {body} refers to vertex {corner}, but the mesh has {vertex_count} vertices")]
    CornerOutOfRange {
        /// The body's place in the list.
        body: usize,
        /// The face of its mesh.
        face: usize,
        /// The vertex to which it refers.
        corner: u32,
        /// The number of vertices of the mesh.
        vertex_count: usize,
    },
    /// The values of a body are not one per vertex.
    #[error("body {body} has {value_count} values, but its mesh has {vertex_count} vertices")]
    ValueCount {
        /// The body's place in the list.
        body: usize,
        /// The number of values.
        value_count: usize,
        /// The number of vertices of the mesh.
        vertex_count: usize,
    },
    /// A scale has no extent.
    #[error("colors from {low} to {high} have no scale: both ends must be finite and the second one larger{}", if *is_logarithmic { ", and on a logarithmic scale both positive" } else { "" })]
    Scale {
        /// Value of the first color.
        low: f64,
        /// Value of the last color.
        high: f64,
        /// True if the scale is logarithmic.
        is_logarithmic: bool,
    },
    /// The picture has no pixels.
    #[error("a picture of {width} × {height} pixels has no pixels")]
    SizeZero {
        /// Width asked for \[pixels\].
        width: u32,
        /// Height asked for \[pixels\].
        height: u32,
    },
    /// The picture is larger than any use it could have.
    #[error("a picture of {width} × {height} pixels is too large: at most {side} on a side")]
    SizeTooLarge {
        /// Width asked for \[pixels\].
        width: u32,
        /// Height asked for \[pixels\].
        height: u32,
        /// Largest side allowed \[pixels\].
        side: u32,
    },
    /// The camera does not define a view.
    #[error("the camera has no view: {0}")]
    Camera(CameraDefect),
    /// The file could not be written.
    #[error("{path} could not be written")]
    Write {
        /// The file.
        path: PathBuf,
        /// Why.
        source: std::io::Error,
    },
    /// The image could not be encoded.
    #[error("{path} could not be encoded as PNG")]
    Encode {
        /// The file.
        path: PathBuf,
        /// Why.
        source: png::EncodingError,
    },
    /// The animation could not be encoded.
    #[error("{path} could not be encoded as GIF")]
    EncodeGif {
        /// The file.
        path: PathBuf,
        /// Why.
        source: gif::EncodingError,
    },
    /// The pictures of an animation or a sheet are not all of one size.
    #[error("a picture of {found:?} pixels cannot stand beside pictures of {expected:?} pixels")]
    SizeMismatch {
        /// Width and height of the first picture \[pixels\].
        expected: [u32; 2],
        /// Width and height of another picture \[pixels\].
        found: [u32; 2],
    },
}

/// Defect of a camera.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum CameraDefect {
    /// A coordinate is infinite or not a number.
    #[error("a coordinate is not finite")]
    NotFinite,
    /// The eye is at the target, or `up` points along the line of sight.
    #[error("the eye, the target and the up direction lie on one line")]
    Collinear,
    /// The angle of view is not between 0 and π.
    #[error("the angle of view must lie between 0 and π")]
    FieldOfView,
}
