//! Ranges of the quantities of materials.

use taffeta_core::Friction;

/// Defect of a material.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum MaterialError {
    /// A quantity is outside its range.
    #[error("{field} is {value}, but must be {allowed}")]
    OutOfRange {
        /// Name of the field, as in scene files.
        field: &'static str,
        /// The value found, in the unit of the field.
        value: f64,
        /// The allowed range in words.
        allowed: &'static str,
    },
    /// The compliance matrix is not positive definite.
    #[error(
        "poisson is {poisson}, which with stretch = [{warp}, {weft}] makes ν₁₂ν₂₁ = {product} ≥ 1; must be below 1"
    )]
    Indefinite {
        /// `ν₁₂`.
        poisson: f64,
        /// `k₁` \[N/m\].
        warp: f64,
        /// `k₂` \[N/m\].
        weft: f64,
        /// `ν₁₂ ν₂₁ = ν₁₂² k₂/k₁`.
        product: f64,
    },
    /// The stiffness matrix of bending is not positive definite.
    #[error(
        "bend_poisson (poisson if not given) is {ratio}, which with bend = [{warp}, {weft}] makes ν₁₂ν₂₁ = {product} ≥ 1; \
         must be below 1"
    )]
    IndefiniteBending {
        /// `ν₁₂` of bending.
        ratio: f64,
        /// `D₁` \[N·m\].
        warp: f64,
        /// `D₂` \[N·m\].
        weft: f64,
        /// `ν₁₂ ν₂₁ = ν₁₂² D₂/D₁`.
        product: f64,
    },
}

/// Refuses the first of the named values that is not positive.
pub(crate) fn check_positive(values: &[(&'static str, f64)]) -> Result<(), MaterialError> {
    check("finite and greater than 0", values, |v| v.is_finite() && v > 0.0)
}

/// Refuses the first of the named values that is negative.
pub(crate) fn check_not_negative(values: &[(&'static str, f64)]) -> Result<(), MaterialError> {
    check("finite and at least 0", values, |v| v.is_finite() && v >= 0.0)
}

/// Refuses negative coefficients of friction, and a kinetic one above the static one.
pub(crate) fn check_friction(friction: Friction) -> Result<(), MaterialError> {
    let Friction { static_, kinetic } = friction;
    check_not_negative(&[("friction.static", static_), ("friction.kinetic", kinetic)])?;
    check("at most friction.static", &[("friction.kinetic", kinetic)], |v| v <= static_)
}

/// Refuses the first of the named values that does not hold what is allowed.
pub(crate) fn check(
    allowed: &'static str,
    values: &[(&'static str, f64)],
    holds: impl Fn(f64) -> bool,
) -> Result<(), MaterialError> {
    match values.iter().find(|(_, value)| !holds(*value)) {
        Some(&(field, value)) => Err(MaterialError::OutOfRange { field, value, allowed }),
        None => Ok(()),
    }
}
