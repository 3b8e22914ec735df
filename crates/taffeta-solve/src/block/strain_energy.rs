//! Strain energy of a triangle as one scalar row.
//!
//! With the stress `S` of the strain `E` and the area `A`, [`GreenStrain`] has `½ A S:E` as its energy. Two constraints
//! are made of it:
//!
//! * [`EnergyForm::Root`]: `C = √(A S:E)` with `α = 1`. Its energy `½ C²` is the same `½ A S:E`.
//! * [`EnergyForm::Published`]: `C = (1/√A) ∫ S:E dA = √A S:E`, as in the adaptive variational position-based dynamics of
//!   Umetani et al. Its energy `½ A (S:E)²/α` is of the fourth order in the strain: there is no stiffness at rest. `α` is
//!   1 N/m, so that both energies agree where the energy of the material is ½ J/m².
//!
//! Both energies are sums over the area, so both are the same on every mesh as long as the strain is.

use super::{Block, GreenStrain, Jacobian};
use glam::DVec3;
use nalgebra::{Matrix1, Vector1, Vector3};
use taffeta_core::VertexIndex;

/// Form of the constraint made of the energy.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EnergyForm {
    /// `√(A S:E)` \[√J\], with the energy of the material.
    Root,
    /// `√A S:E` \[N\], as published.
    Published,
}

/// The energy of a triangle as one row.
#[derive(Clone, Debug)]
pub struct StrainEnergy {
    /// Strain, elasticity and damping of the triangle.
    pub strain: GreenStrain,
    /// Form of the constraint made of the energy.
    pub form: EnergyForm,
    /// Compliance: a number for [`EnergyForm::Root`], in N/m for [`EnergyForm::Published`].
    pub compliance: f64,
}

impl StrainEnergy {
    /// `C` at positions `x` \[m\], and its derivatives by the three rows of the strain.
    fn evaluate(&self, x: &[DVec3; 3]) -> (f64, Vector3<f64>) {
        let c = self.strain.constraint(x);
        let stress = self.strain.elasticity.stiffness * c;
        // A S:E, twice the energy of the material.
        let doubled = c.dot(&stress).max(0.0);
        match self.form {
            EnergyForm::Root => {
                let root = doubled.sqrt();
                // At rest the root has no gradient; there is nothing to correct there either.
                let slope = if root > 0.0 { 1.0 / root } else { 0.0 };
                (root, stress * slope)
            }
            EnergyForm::Published => {
                let root = self.strain.area.sqrt();
                (doubled / root, stress * (2.0 / root))
            }
        }
    }
}

/// No geometric stiffness: Newton's method takes the strains themselves, whose energy this is.
impl Block<1, 3> for StrainEnergy {
    fn vertices(&self) -> [VertexIndex; 3] {
        self.strain.vertices
    }

    fn constraint(&self, x: &[DVec3; 3]) -> Vector1<f64> {
        Vector1::new(self.evaluate(x).0)
    }

    /// Zero at rest, where the root has no gradient.
    fn jacobian(&self, x: &[DVec3; 3]) -> Jacobian<1, 3> {
        let (_, slope) = self.evaluate(x);
        let rows = self.strain.jacobian(x);
        [std::array::from_fn(|v| (0..3).map(|r| rows[r][v] * slope[r]).sum())]
    }

    fn compliance(&self) -> Matrix1<f64> {
        Matrix1::new(self.compliance)
    }

    fn stiffness(&self) -> Matrix1<f64> {
        Matrix1::new(1.0 / self.compliance)
    }

    fn damping(&self) -> f64 {
        self.strain.damping
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::block::green_strain::tests::{block_on, example};
    use crate::block::testing::{assert_gradients_sum_to_zero, assert_jacobian};
    use crate::block::{UpdateStep, block_update};
    use crate::material::Material;
    use glam::DVec2;

    const FORMS: [EnergyForm; 2] = [EnergyForm::Root, EnergyForm::Published];

    fn energy_of(strain: GreenStrain, form: EnergyForm) -> StrainEnergy {
        StrainEnergy { strain, form, compliance: 1.0 }
    }

    /// The corners of a triangle under an affine map by a displacement gradient of a given size.
    fn stretched(u: [DVec2; 3], size: f64) -> [DVec3; 3] {
        u.map(|u| DVec3::new(u.x + size * (u.x + 0.3 * u.y), u.y - size * 0.4 * u.y, 0.0))
    }

    #[test]
    fn jacobian_agrees_with_finite_differences() {
        let (strain, x) = example();
        for form in FORMS {
            let block = energy_of(strain.clone(), form);
            assert_jacobian(&block, x);
            assert_gradients_sum_to_zero(&block, x);
        }
    }

    #[test]
    fn the_root_has_the_energy_and_the_forces_of_the_strain() {
        let (strain, x) = example();
        let block = energy_of(strain.clone(), EnergyForm::Root);
        assert!((block.energy(&x) / strain.energy(&x) - 1.0).abs() < 1e-14);
        let stress = strain.elasticity.stiffness * strain.constraint(&x);
        let (rows, [gradient]) = (strain.jacobian(&x), block.jacobian(&x));
        for v in 0..3 {
            let expected: DVec3 = (0..3).map(|r| rows[r][v] * stress[r]).sum();
            let force = gradient[v] * block.constraint(&x)[0];
            assert!((force - expected).length() < 1e-13 * expected.length(), "{force} against {expected}");
        }
    }

    #[test]
    fn the_published_energy_is_half_the_area_times_the_squared_density() {
        let (strain, x) = example();
        let density = 2.0 * strain.energy(&x) / strain.area;
        let block = energy_of(strain.clone(), EnergyForm::Published);
        let expected = 0.5 * strain.area * density * density;
        assert!((block.energy(&x) / expected - 1.0).abs() < 1e-14);
    }

    #[test]
    fn the_published_energy_has_no_stiffness_at_rest() {
        let material = Material::isotropic(0.2, 900.0, 0.3, 1e-5);
        let u = [DVec2::new(0.1, 0.0), DVec2::new(0.5, 0.1), DVec2::new(0.2, 0.4)];
        let strain = block_on(u, &material);
        let exponent = |form| {
            let block = energy_of(strain.clone(), form);
            let [small, large] = [1e-5, 2e-5].map(|size| block.energy(&stretched(u, size)));
            (large / small).log2()
        };
        assert!((exponent(EnergyForm::Root) - 2.0).abs() < 1e-3);
        assert!((exponent(EnergyForm::Published) - 4.0).abs() < 1e-3);
    }

    #[test]
    fn a_triangle_at_rest_is_left_alone() {
        let u = [DVec2::ZERO, DVec2::new(0.5, 0.0), DVec2::new(0.0, 0.25)];
        let strain = block_on(u, &Material::isotropic(0.2, 900.0, 0.3, 1e-5));
        let x = u.map(|u| u.extend(0.0));
        assert_eq!(strain.constraint(&x).norm(), 0.0, "these corners have no round-off");
        for form in FORMS {
            let block = energy_of(strain.clone(), form);
            assert_eq!(block.jacobian(&x), [[DVec3::ZERO; 3]]);
            let step = UpdateStep { h: 0.01, lambda: Vector1::zeros(), start: Vector1::zeros() };
            let (delta, moves) = block_update(&block, &x, &[1.0; 3], &step);
            assert_eq!((delta[0], moves), (0.0, [DVec3::ZERO; 3]));
        }
    }
}
