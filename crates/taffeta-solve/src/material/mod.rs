//! The cloth's material: areal density, orthotropic plane-stress membrane, plate bending, damping, friction.

pub(crate) mod checks;
pub mod stiffening;
pub(crate) mod tearing;

use checks::{MaterialError, check, check_friction, check_not_negative, check_positive};
use nalgebra::Matrix3;
use serde::{Deserialize, Serialize};
use stiffening::{LEAST_LINEARITY, Stiffening, onset};
use taffeta_core::Friction;
use tearing::Tearing;

/// A cloth material in SI units. Warp is the first material axis (u), weft the second (v).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Material {
    /// Areal density `ρ` \[kg/m²\].
    pub density: f64,
    /// Thickness, used for contact only \[m\].
    pub thickness: f64,
    /// Membrane stiffness along warp and weft `k₁, k₂` \[N/m\]; the secant at 490 N/m if cloth stiffens.
    pub stretch: [f64; 2],
    /// Linearity `LT` of the tensile curve, as in [`stiffening`]. 1: stress is proportional to strain.
    pub linearity: f64,
    /// Poisson ratio `ν₁₂`: contraction along weft under tension along warp.
    pub poisson: f64,
    /// Shear stiffness `k₁₂` \[N/m\]; `None`: the isotropic value `√(k₁k₂) / 2(1+ν)`.
    pub shear: Option<f64>,
    /// Plate stiffness `D = E h³ / 12(1−ν²)` along warp and weft \[N·m\].
    pub bend: [f64; 2],
    /// Poisson ratio of bending; `None`: `poisson`.
    pub bend_poisson: Option<f64>,
    /// Elastic curvature `κ_Y` beyond which a fold stays \[1/m\], for a bend about one line in any direction; `None`: all
    /// bending is elastic.
    pub yield_curvature: Option<f64>,
    /// Hardening of a fold that stays: the part of the plastic curvature by which the elastic one must exceed the limit in the
    /// same direction for it to go on. 0: not at all. Of no effect without a yield curvature.
    pub yield_hardening: f64,
    /// Damping time constant of the membrane `τ` \[s\].
    pub stretch_damping: f64,
    /// Damping time constant of bending `τ` \[s\].
    pub bend_damping: f64,
    /// Friction against other bodies.
    pub friction: Friction,
    /// Law of tearing; `None`: not at all.
    pub tearing: Option<Tearing>,
}

/// [`Material::yield_hardening`] unless a material says otherwise. It is enough to spread a bend over a strip of which some
/// faces yield a few percent too early. Folds of ten times the yield curvature still stay.
pub const DEFAULT_HARDENING: f64 = 0.1;

/// Part of the greater bending stiffness that the smaller one has at least in [`Material::bending_matrix`].
const FLOOR_OF_BENDING: f64 = 1e-6;

impl Material {
    /// An isotropic material without damping: areal density \[kg/m²\], membrane stiffness \[N/m\], Poisson ratio, plate
    /// stiffness \[N·m\]. The thickness is half a millimeter.
    pub fn isotropic(density: f64, stretch: f64, poisson: f64, bend: f64) -> Self {
        Self {
            density,
            thickness: 0.0005,
            stretch: [stretch; 2],
            linearity: 1.0,
            poisson,
            shear: None,
            bend: [bend; 2],
            bend_poisson: None,
            yield_curvature: None,
            yield_hardening: DEFAULT_HARDENING,
            stretch_damping: 0.0,
            bend_damping: 0.0,
            friction: Friction::default(),
            tearing: None,
        }
    }

    /// Shear stiffness `k₁₂` \[N/m\].
    pub fn shear_stiffness(&self) -> f64 {
        let isotropic = (self.stretch[0] * self.stretch[1]).sqrt() / (2.0 * (1.0 + self.poisson));
        self.shear.unwrap_or(isotropic)
    }

    /// The stiffening beyond [`Material::membrane_compliance`]; `None` if it is linear.
    pub fn stiffening(&self) -> Option<Stiffening> {
        Stiffening::new(self.stretch, self.linearity)
    }

    /// Compliance of the membrane at rest in Voigt form \[m/N\], for the strains `(E_XX, E_YY, 2E_XY)`: orthotropic plane
    /// stress, written down directly.
    pub fn membrane_compliance(&self) -> Matrix3<f64> {
        let [k1, k2] = self.stretch.map(|k| k * onset(self.linearity));
        // ν₂₁/k₂ = ν₁₂/k₁ by symmetry.
        let coupling = -self.poisson / k1;
        Matrix3::new(1.0 / k1, coupling, 0.0, coupling, 1.0 / k2, 0.0, 0.0, 0.0, 1.0 / self.shear_stiffness())
    }

    /// Plate stiffness for bending about a fold line \[N·m\]; `across` is the unit direction in material space that is
    /// perpendicular to the fold. The twisting stiffness is the isotropic one of the mean `√(D₁D₂)`.
    pub fn bending_stiffness(&self, across: [f64; 2]) -> f64 {
        let (c, s) = (across[0] * across[0], across[1] * across[1]);
        let mean = (self.bend[0] * self.bend[1]).sqrt();
        // D₁₂ + 2 D₆₆ = ν D + (1 − ν) D = D: the Poisson ratio cancels for an isotropic twist.
        self.bend[0] * c * c + self.bend[1] * s * s + 2.0 * mean * c * s
    }

    /// Returns whether anything resists bending.
    pub fn bends(&self) -> bool {
        self.bend.iter().any(|d| *d > 0.0)
    }

    /// Stiffness of the plate in Voigt form \[N·m\], for the curvatures `(κ_uu, κ_vv, 2κ_uv)`: orthotropic, with
    /// `D₁₂ = ν₁₂ D₂` and the twisting stiffness of Huber, `D₁₂ + 2 D₆₆ = √(D₁D₂)`. A direction without stiffness gets
    /// a millionth of the other's, so that the matrix is positive definite.
    pub fn bending_matrix(&self) -> Matrix3<f64> {
        let floor = FLOOR_OF_BENDING * self.bend[0].max(self.bend[1]);
        let [d1, d2] = self.bend.map(|d| d.max(floor));
        let coupling = if self.bend.contains(&0.0) { 0.0 } else { self.bend_ratio() * d2 };
        let twist = 0.5 * ((d1 * d2).sqrt() - coupling);
        Matrix3::new(d1, coupling, 0.0, coupling, d2, 0.0, 0.0, 0.0, twist)
    }

    /// The square of the norm in which curvatures `(κ_uu, κ_vv, 2κ_uv)` yield, as a matrix. It is the bending energy,
    /// scaled so that an orthotropic plate is equally stiff in both directions. A plate that is bent about one line then
    /// has the norm of its curvature.
    pub fn fold_norm(&self) -> Matrix3<f64> {
        let plate = self.bending_matrix();
        let ratio = plate[(0, 1)] / (plate[(0, 0)] * plate[(1, 1)]).sqrt();
        Matrix3::new(1.0, ratio, 0.0, ratio, 1.0, 0.0, 0.0, 0.0, 0.5 * (1.0 - ratio))
    }

    /// Poisson ratio `ν₁₂` of bending.
    fn bend_ratio(&self) -> f64 {
        self.bend_poisson.unwrap_or(self.poisson)
    }

    /// Checks every range and that the compliance is positive definite.
    ///
    /// # Errors
    /// The first quantity that is out of range, by its name in scene files.
    pub fn validate(&self) -> Result<(), MaterialError> {
        let positive = [
            ("density", self.density),
            ("thickness", self.thickness),
            ("stretch", self.stretch[0]),
            ("stretch", self.stretch[1]),
            ("shear", self.shear_stiffness()),
        ];
        let not_negative = [
            ("bend", self.bend[0]),
            ("bend", self.bend[1]),
            ("stretch_damping", self.stretch_damping),
            ("bend_damping", self.bend_damping),
            ("yield_hardening", self.yield_hardening),
        ];
        let ratio = |value: f64| value.is_finite() && value > -1.0 && value <= 1.0;
        // The product test comes first: it explains a ratio that is too large better than a range does.
        let product = self.poisson * self.poisson * self.stretch[1] / self.stretch[0];
        let indefinite = self.stretch.iter().all(|k| *k > 0.0) && product >= 1.0;
        check_positive(&positive)?;
        if indefinite {
            let [warp, weft] = self.stretch;
            return Err(MaterialError::Indefinite { poisson: self.poisson, warp, weft, product });
        }
        check_not_negative(&not_negative)?;
        check("greater than -1", &[("poisson", self.poisson)], |v| v.is_finite() && v > -1.0)?;
        let is_linearity = |value: f64| (LEAST_LINEARITY..=1.0).contains(&value);
        check("from 0.68 to 1", &[("linearity", self.linearity)], is_linearity)?;
        check_friction(self.friction)?;
        if let Some(most) = self.yield_curvature {
            check_positive(&[("yield_curvature", most)])?;
        }
        check("greater than -1 and at most 1", &[("bend_poisson", self.bend_poisson.unwrap_or(0.0))], ratio)?;
        self.tearing.as_ref().map_or(Ok(()), Tearing::validate)?;
        self.validate_bending()
    }

    /// Checks that the plate's stiffness is positive definite.
    fn validate_bending(&self) -> Result<(), MaterialError> {
        let [warp, weft] = self.bend;
        let ratio = self.bend_ratio();
        let product = ratio * ratio * weft / warp;
        if warp > 0.0 && weft > 0.0 && product >= 1.0 {
            return Err(MaterialError::IndefiniteBending { ratio, warp, weft, product });
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn isotropic_compliance_inverts_to_the_plane_stress_stiffness() {
        let (k, nu) = (2000.0, 0.3);
        let stiffness = Material::isotropic(0.2, k, nu, 1e-5).membrane_compliance().try_inverse().unwrap();
        let expected = k / (1.0 - nu * nu);
        assert!((stiffness[(0, 0)] - expected).abs() < 1e-9);
        assert!((stiffness[(0, 1)] - nu * expected).abs() < 1e-9);
        assert!((stiffness[(2, 2)] - k / (2.0 * (1.0 + nu))).abs() < 1e-9);
    }

    #[test]
    fn isotropic_bending_is_the_same_in_every_direction() {
        let material = Material::isotropic(0.2, 1000.0, 0.3, 2e-5);
        for k in 0..16 {
            let (s, c) = (f64::from(k) * 0.3).sin_cos();
            assert!((material.bending_stiffness([c, s]) - 2e-5).abs() < 1e-19);
        }
    }

    #[test]
    fn bad_materials_are_refused_by_name() {
        let mut material = Material::isotropic(0.2, 1000.0, 0.3, 1e-5);
        assert_eq!(material.validate(), Ok(()));
        material.density = -1.0;
        assert!(material.validate().unwrap_err().to_string().starts_with("density is -1"));
        material.density = 0.2;
        material.stretch = [100.0, 4000.0];
        assert!(material.validate().unwrap_err().to_string().contains("ν₁₂ν₂₁"));
    }
}
