//! Comparison of the variants of a scene, and physical checks against references.
//!
//! ```text
//! scene + what varies ──► Study ──► every variant, one after the other ──► tables and a page with plots   (study)
//! Material ──► draped specimen ──► drape coefficient, folds, outline                                       (textile)
//! Check ──► scene or library ──► rows of value, reference, tolerance                                       (validate)
//!             reference: closed forms and converged solutions of the continuum, independent of the simulator
//! ```
//!
//! Variants are compared by *material points*: places on the cloth, in a solid or along a rope that no mesh moves. Two meshes
//! of a cloth have no vertex in common, but every material point.

#![forbid(unsafe_code)]

mod plane;
pub mod reference;
pub mod study;
pub mod textile;
pub mod validate;

pub use study::{Study, StudyError, StudyOptions, StudyReport};
pub use validate::{CHECKS, Check, CheckError, Row};
