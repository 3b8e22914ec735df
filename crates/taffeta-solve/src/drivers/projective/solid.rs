//! The constraints of a solid: which, and how stiff.

use super::{ProjectiveConstraints, TetrahedronLimits, TetrahedronMeasure};
use crate::block::Tetrahedron;
use crate::solid::SolidMaterial;

/// The stiffness of strain and that of volume \[Pa\] that projective dynamics takes from a material.
///
/// For small strains `ε` the distance of `F` from the rotations is `|ε|`, and that from the matrices of determinant 1 is
/// `|tr ε|/√3`. With `k = 2μ` and `k = 3(λ + κ)`, `κ` the extra resistance to changes of volume, the energy is then
/// `μ ε:ε + ½ (λ + κ) (tr ε)²`, that of the material. For large ones it is another material: strain enters by `√(FᵀF) − I`
/// in place of Green's. A Poisson ratio below 0 would need a negative stiffness; it is taken for 0, with the same Young's
/// modulus.
pub fn solid_stiffness(material: &SolidMaterial) -> [f64; 2] {
    let (young, poisson) = (material.young, material.poisson.max(0.0));
    let shear = young / (2.0 * (1.0 + poisson));
    let lame = 2.0 * shear * poisson / (1.0 - 2.0 * poisson);
    [2.0 * shear, 3.0 * (lame + material.volume_stiffness)]
}

impl ProjectiveConstraints {
    /// Adds the constraints of one tetrahedron of a solid: strain, and volume if the material resists its changes other
    /// than by strain.
    pub fn push_solid(&mut self, shape: &Tetrahedron, material: &SolidMaterial) {
        let [strain, volume] = solid_stiffness(material).map(|stiffness| stiffness * shape.volume);
        let keep =
            |measure, weight| TetrahedronLimits { rest: shape.clone(), measure, limits: [1.0; 2], weight };
        self.tetrahedra.push(keep(TetrahedronMeasure::Strain, strain));
        if volume > 0.0 {
            self.volumes.push(keep(TetrahedronMeasure::Volume, volume));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::drivers::projective::{ProjectiveDriver, ProjectiveProblem};
    use glam::{DMat3, DVec3};
    use taffeta_core::VertexIndex;
    use taffeta_core::random::SplitMix64;

    const REST: [DVec3; 4] =
        [DVec3::ZERO, DVec3::new(0.3, 0.0, 0.05), DVec3::new(0.1, 0.2, 0.0), DVec3::new(0.0, 0.1, 0.4)];

    /// The energy of one tetrahedron under a displacement gradient, and its volume at rest.
    fn energy(material: &SolidMaterial, gradient: DMat3) -> (f64, f64) {
        let shape = Tetrahedron::new([0, 1, 2, 3].map(VertexIndex), REST);
        let mut constraints = ProjectiveConstraints::default();
        constraints.push_solid(&shape, material);
        let problem = ProjectiveProblem { masses: &[1.0; 4], held: &[[false; 3]; 4], points: &REST };
        let driver = ProjectiveDriver::build(problem, constraints);
        let turn = DMat3::from_rotation_y(0.7) * DMat3::from_rotation_z(-1.1);
        let x = REST.map(|x| turn * (x + gradient * x));
        (driver.energy(&x).stretch, shape.volume)
    }

    fn small_strain(random: &mut SplitMix64) -> DMat3 {
        let e: [f64; 6] = std::array::from_fn(|_| 1e-4 * (2.0 * random.next_unit() - 1.0));
        DMat3::from_cols_array(&[e[0], e[3], e[4], e[3], e[1], e[5], e[4], e[5], e[2]])
    }

    #[test]
    fn small_strains_have_the_energy_of_the_material() {
        let mut random = SplitMix64(3);
        for (poisson, extra) in [(0.0, 0.0), (0.3, 0.0), (0.3, 5e5), (0.45, 0.0)] {
            let material =
                SolidMaterial { volume_stiffness: extra, ..SolidMaterial::new(1000.0, 2e5, poisson) };
            let lame = 2e5 * poisson / ((1.0 + poisson) * (1.0 - 2.0 * poisson));
            for _ in 0..10 {
                let strain = small_strain(&mut random);
                let trace = strain.x_axis.x + strain.y_axis.y + strain.z_axis.z;
                let square: f64 = strain.to_cols_array().iter().map(|e| e * e).sum();
                let (found, volume) = energy(&material, strain);
                let density = material.shear_modulus() * square + 0.5 * (lame + extra) * trace * trace;
                let ratio = found / (density * volume);
                assert!((ratio - 1.0).abs() < 2e-3, "ν = {poisson}, κ = {extra}: {ratio}");
            }
        }
    }

    /// A material with a negative Poisson ratio keeps its Young's modulus.
    #[test]
    fn a_negative_poisson_ratio_is_taken_for_zero() {
        let stretched = DMat3::from_diagonal(DVec3::new(1e-4, 0.0, 0.0));
        let (found, volume) = energy(&SolidMaterial::new(1000.0, 2e5, -0.4), stretched);
        assert!((found / (0.5 * 2e5 * 1e-8 * volume) - 1.0).abs() < 1e-6, "{found}");
    }
}
