//! When cloth tears: the stress of the membrane against the strength of the material.
//!
//! The stress is a force per width of cloth as it is at rest, as a strip test measures it. Beside the tip of a tear it
//! grows without bound as the mesh gets finer, `K/√(2πr)` at a distance `r` from it. So no single face can be asked.
//!
//! The law compares the strength with the mean over a disk of the material. The radius of the disk is a property of the
//! cloth: it is the same on every mesh whose edges are shorter than that. [`Tearing::toughness`] is the toughness that
//! follows. The theory is that of critical distances (H. Neuber, Theory of notch stresses, 1946; D. Taylor, The theory of
//! critical distances, 2007).

use super::checks::{MaterialError, check_positive};
use super::stiffening::Response;
use glam::DVec2;
use nalgebra::{Matrix3, Vector3};
use serde::{Deserialize, Serialize};
use taffeta_core::math::Sym2;

/// `K/(s √ℓ)` where a tear goes on: the mean of the stress across it, `K/√(2πr) cos(φ/2) (1 + sin(φ/2) sin(3φ/2))`, over a
/// disk around the tip with the weights `1 − r²/ℓ²` is `(2.4/π) (32/21) K/√(2πℓ)`.
const TOUGHNESS: f64 = 2.1539;

/// Law by which a material tears.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Tearing {
    /// Strength under tension along warp and weft \[N/m\]: force per width of cloth at rest.
    pub strength: [f64; 2],
    /// Radius over which the stress is averaged \[m\].
    pub length: f64,
}

impl Tearing {
    /// Radius over which the stress is averaged unless a material says otherwise \[m\]: some ten yarns of a plain cloth.
    pub const DEFAULT_LENGTH: f64 = 0.01;

    /// Checks the ranges.
    ///
    /// # Errors
    /// The first quantity that is not positive, by its name in scene files.
    pub fn validate(&self) -> Result<(), MaterialError> {
        let Self { strength: [warp, weft], length } = *self;
        check_positive(&[("tear_strength", warp), ("tear_strength", weft), ("tear_length", length)])
    }

    /// A stress \[N/m\] relative to the strength. The cloth tears where the larger eigenvalue exceeds 1: the stress across
    /// some direction `n` then exceeds the strength there, `s₁n₁² + s₂n₂²`.
    pub fn load(&self, stress: &Sym2) -> Sym2 {
        let [warp, weft] = self.strength;
        Sym2 { xx: stress.xx / warp, xy: stress.xy / (warp * weft).sqrt(), yy: stress.yy / weft }
    }

    /// The largest load of all directions, and the unit normal of the line along which the cloth gives way to it.
    pub fn worst(&self, load: &Sym2) -> (f64, DVec2) {
        let ([most, _], [c, s]) = load.eigen();
        let normal = DVec2::new(c / self.strength[0].sqrt(), s / self.strength[1].sqrt());
        (most, normal.normalize_or(DVec2::X))
    }

    /// The stress intensity `K` \[N/√m\] at which a straight tear across a direction of this strength \[N/m\] goes on,
    /// wherever the mesh is fine enough. In a sheet of stiffness `k` \[N/m\] that takes the energy `K²/k` per length \[J/m\].
    pub fn toughness(&self, strength: f64) -> f64 {
        TOUGHNESS * strength * self.length.sqrt()
    }
}

/// The stress of a membrane \[N/m\] in material space. It follows from its Green strain, its stiffness matrix at rest in Voigt form
/// \[N/m\] and the response of its stiffening along warp and weft.
///
/// It is that of Biot, `sym(U S)`, with the stretch `U = √(FᵀF)` and the second Piola-Kirchhoff stress `S` of the law that the blocks
/// have. Along an axis of `U` it is force per width at rest.
pub fn membrane_stress(stiffness: &Matrix3<f64>, green: &Sym2, [warp, weft]: [Response; 2]) -> Sym2 {
    let voigt = stiffness * Vector3::new(green.xx, green.yy, 2.0 * green.xy);
    let s = Sym2 { xx: voigt[0] + warp.stress, xy: voigt[2], yy: voigt[1] + weft.stress };
    let u = stretch_of(green);
    let (product, transposed) = (u.xx * s.xy + u.xy * s.yy, u.xy * s.xx + u.yy * s.xy);
    Sym2 { xx: u.xx * s.xx + u.xy * s.xy, xy: 0.5 * (product + transposed), yy: u.xy * s.xy + u.yy * s.yy }
}

/// `√(I + 2E)`, in closed form for two rows.
fn stretch_of(green: &Sym2) -> Sym2 {
    let c = Sym2 { xx: 1.0 + 2.0 * green.xx, xy: 2.0 * green.xy, yy: 1.0 + 2.0 * green.yy };
    let root = (c.xx * c.yy - c.xy * c.xy).max(0.0).sqrt();
    let scale = 1.0 / (c.xx + c.yy + 2.0 * root).max(f64::MIN_POSITIVE).sqrt();
    Sym2 { xx: scale * (c.xx + root), xy: scale * c.xy, yy: scale * (c.yy + root) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::material::Material;
    use glam::DVec3;
    use taffeta_core::geometry::green_strain;
    use taffeta_core::random::SplitMix64;

    fn stiffness(material: &Material) -> Matrix3<f64> {
        material.membrane_compliance().try_inverse().expect("positive definite")
    }

    fn weave() -> Material {
        Material { stretch: [2000.0, 700.0], shear: Some(90.0), ..Material::isotropic(0.2, 1.0, 0.2, 1e-5) }
    }

    #[test]
    fn the_stress_does_the_work_of_the_energy() {
        let material = Material { linearity: 0.7, ..weave() };
        let (k, stiffening) = (stiffness(&material), material.stiffening());
        let energy = |columns: [DVec3; 2]| {
            let green = green_strain(columns);
            let e = Vector3::new(green.xx, green.yy, 2.0 * green.xy);
            let [warp, weft] = stiffening.map(|law| law.respond(&green)).unwrap_or_default();
            0.5 * e.dot(&(k * e)) + warp.energy + weft.energy
        };
        let mut random = SplitMix64(3);
        let mut number = || 0.4 * (random.next_unit() - 0.5);
        for _ in 0..20 {
            let columns = [
                DVec3::new(1.1 + number(), number(), number()),
                DVec3::new(number(), 1.0 + number(), number()),
            ];
            let change = [DVec3::new(number(), number(), number()), DVec3::new(number(), number(), number())];
            let at = |t: f64| [0, 1].map(|k| columns[k] + t * change[k]);
            let stretch = |t: f64| stretch_of(&green_strain(at(t)));
            let h = 1e-5;
            let work = (energy(at(h)) - energy(at(-h))) / (2.0 * h);
            let du = stretch(h).plus(-1.0, &stretch(-h));
            let green = green_strain(columns);
            let stretched = stiffening.map(|law| law.respond(&green)).unwrap_or_default();
            let stress = membrane_stress(&k, &green, stretched);
            let sum = stress.xx * du.xx + 2.0 * stress.xy * du.xy + stress.yy * du.yy;
            assert!((sum / (2.0 * h) - work).abs() < 1e-5 * (1.0 + work.abs()), "{sum} {work}");
        }
    }

    #[test]
    fn a_strip_that_is_pulled_bears_its_force_per_width_at_rest() {
        let k = stiffness(&Material::isotropic(0.2, 1000.0, 0.0, 1e-5));
        let stretch = 1.2;
        let stress = membrane_stress(&k, &green_strain([DVec3::Y * stretch, DVec3::Z]), Default::default());
        assert!((stress.xx - stretch * 1000.0 * 0.5 * (stretch * stretch - 1.0)).abs() < 1e-9, "{stress:?}");
        assert!(stress.xy.abs() < 1e-12 && stress.yy.abs() < 1e-9);
    }

    #[test]
    fn the_worst_direction_is_that_of_a_search_over_all() {
        let tearing = Tearing { strength: [900.0, 300.0], length: 0.01 };
        let stress = Sym2 { xx: 500.0, xy: 180.0, yy: 150.0 };
        let (most, normal) = tearing.worst(&tearing.load(&stress));
        let ratio = |n: DVec2| stress.quadratic_form(n) / (900.0 * n.x * n.x + 300.0 * n.y * n.y);
        assert!((ratio(normal) - most).abs() < 1e-12);
        let all = (0..3600).map(|k| ratio(DVec2::from_angle(f64::from(k) * std::f64::consts::PI / 3600.0)));
        let found = all.fold(0.0, f64::max);
        assert!(found <= most + 1e-12 && found > most - 1e-6, "{found} {most}");
    }

    #[test]
    fn the_toughness_is_that_of_the_field_at_a_tip() {
        // The mean over a unit disk by the midpoint rule.
        let (rings, rays) = (2000, 360);
        let (mut sum, mut weight) = (0.0, 0.0);
        for i in 0..rings {
            let r = (f64::from(i) + 0.5) / f64::from(rings);
            for j in 0..rays {
                let angle = std::f64::consts::PI * (2.0 * (f64::from(j) + 0.5) / f64::from(rays) - 1.0);
                let field = (0.5 * angle).cos() * (1.0 + (0.5 * angle).sin() * (1.5 * angle).sin());
                sum += (1.0 - r * r) * r * field / (std::f64::consts::TAU * r).sqrt();
                weight += (1.0 - r * r) * r;
            }
        }
        let tearing = Tearing { strength: [300.0; 2], length: 0.04 };
        let expected = 300.0 * 0.2 * weight / sum;
        assert!((tearing.toughness(300.0) / expected - 1.0).abs() < 1e-3, "{expected}");
    }

    #[test]
    fn what_is_not_positive_is_refused_by_name() {
        let good = Tearing { strength: [300.0; 2], length: 0.01 };
        assert_eq!(good.validate(), Ok(()));
        let refused = |tearing: Tearing| tearing.validate().expect_err("out of range").to_string();
        assert!(refused(Tearing { strength: [300.0, 0.0], ..good }).starts_with("tear_strength is 0"));
        assert!(refused(Tearing { length: f64::NAN, ..good }).starts_with("tear_length is NaN"));
    }
}
