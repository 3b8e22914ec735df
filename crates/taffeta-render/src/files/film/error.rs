//! Errors of a film.

use super::{LONGEST_SIDE, SHORTER_SIDE};
use std::path::PathBuf;
use thiserror::Error;

/// Why there is no film.
#[derive(Debug, Error)]
pub enum FilmError {
    /// The encoder takes no pictures of that size.
    #[error(
        "a film of {width} × {height} pixels cannot be encoded: both sides must be even, at least 16, and at most \
         {LONGEST_SIDE} and {SHORTER_SIDE}"
    )]
    Size {
        /// Width asked for \[pixels\].
        width: u32,
        /// Height asked for \[pixels\].
        height: u32,
    },
    /// The quality is not on the scale.
    #[error("a quality of {quality} is not from 1 to 100")]
    Quality {
        /// The quality asked for.
        quality: u8,
    },
    /// The rate is none.
    #[error("{rate} pictures per second are not a finite number above 0")]
    Rate {
        /// The rate asked for \[1/s\].
        rate: f64,
    },
    /// The pictures are not all of one size.
    #[error("a picture of {found:?} pixels cannot be part of a film of {expected:?} pixels")]
    SizeMismatch {
        /// Width and height of the film \[pixels\].
        expected: [u32; 2],
        /// Width and height of the picture \[pixels\].
        found: [u32; 2],
    },
    /// A picture would end before it begins.
    #[error("a picture cannot stay until {until} s: the one before it stays until {before} s")]
    Time {
        /// When the picture was to end \[s\].
        until: f64,
        /// When the one before it ends \[s\].
        before: f64,
    },
    /// A film needs a picture.
    #[error("a film without pictures cannot be written")]
    Empty,
    /// The encoder failed.
    #[error("{path} could not be encoded as H.264")]
    Encode {
        /// The file.
        path: PathBuf,
        /// Why.
        source: openh264::Error,
    },
    /// The encoder has made something that does not fit the container.
    #[error("{path} could not be put together as MP4: {reason}")]
    Container {
        /// The file.
        path: PathBuf,
        /// Why.
        reason: String,
    },
    /// The file could not be written.
    #[error("{path} could not be written")]
    Write {
        /// The file.
        path: PathBuf,
        /// Why.
        source: std::io::Error,
    },
}
