//! Why a study cannot be made.

use std::path::PathBuf;
use taffeta_scene::SceneError;
use taffeta_sim::BuildError;

/// Why a study cannot be made. Nothing was simulated or written.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum StudyError {
    /// The axes of variation are malformed.
    #[error("--vary {text}: {reason}")]
    Vary {
        /// The axis as given.
        text: String,
        /// Description of the defect.
        reason: String,
    },
    /// Nothing varies.
    #[error("nothing varies: a study needs at least one --vary key.path=a,b,c")]
    NothingVaries,
    /// There is nothing to compare with.
    #[error("the only variant is `{label}`: give --vary a second value, or --reference other values")]
    OneVariant {
        /// The variant.
        label: String,
    },
    /// Two axes set the same key.
    #[error("`{key}` is set by two --vary: give all its values to one")]
    TwoAxes {
        /// The key path.
        key: String,
    },
    /// A variant is given twice.
    #[error("the variant `{label}` appears twice")]
    SameVariant {
        /// The variant.
        label: String,
    },
    /// The reference cannot be found or made.
    #[error("--reference {text}: {reason}")]
    Reference {
        /// The reference as given.
        text: String,
        /// Description of the defect.
        reason: String,
    },
    /// There is no variant that the others can be compared with.
    #[error(
        "--reference is needed: {reason}\n  = write {}with a variant: --reference '{label}'",
        exact.as_ref().map(|words| format!("--reference '{words}' to compare with an exact solver, or ")).unwrap_or_default()
    )]
    NoReference {
        /// Why not.
        reason: String,
        /// Assignments of the finest variant with an exact solver; `None`: the scene works with none.
        exact: Option<String>,
        /// The variant with the most vertices.
        label: String,
    },
    /// The scene cannot be read.
    #[error("{}: {reason}", path.display())]
    File {
        /// The scene file.
        path: PathBuf,
        /// Why not.
        reason: String,
    },
    /// An override of all variants is malformed.
    #[error("{0}")]
    Setting(SceneError),
    /// A variant is no valid scene.
    #[error("in the variant `{label}`:\n{source}")]
    Scene {
        /// The variant.
        label: String,
        /// The defect.
        source: SceneError,
    },
    /// A variant is no valid world.
    #[error("in the variant `{label}`: {source}")]
    Build {
        /// The variant.
        label: String,
        /// The defect.
        source: BuildError,
    },
    /// The variants share no material point.
    #[error(
        "the variants have no material points in common: a study compares cloths with material coordinates (a grid, or a \
         mesh with vt), ropes and solids"
    )]
    NoPoints,
}
