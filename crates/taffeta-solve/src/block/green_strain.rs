//! Green strain of a triangle: `C = √A (E_XX, E_YY, 2E_XY)`.

use super::{Block, Curvature, Jacobian};
use crate::buckling::wrinkle_strain;
use crate::material::stiffening::Stiffening;
use glam::{DMat3, DVec2, DVec3};
use nalgebra::{Matrix3, Vector3};
use std::sync::Arc;
use taffeta_core::VertexIndex;
use taffeta_core::geometry::green_strain;
use taffeta_core::math::Sym2;

/// The membrane block of a triangle (StVK, orthotropic plane stress).
///
/// With `F = Σ x_a ⊗ B_a` and `E = ½(FᵀF − I)`; the third row is the engineering shear, to go with the Voigt form of
/// the compliance. `√A` with a stiffness in N/m does what `√V` does with a modulus in Pa: the thickness cancels.
///
/// With a critical stress the energy is that of [`buckling`](crate::buckling), of which constraint and Jacobian know nothing.
#[derive(Clone, Debug)]
pub struct GreenStrain {
    /// The corners.
    pub vertices: [VertexIndex; 3],
    /// Gradients of the hat functions in material space \[1/m\].
    pub gradients: [DVec2; 3],
    /// Material area \[m²\].
    pub area: f64,
    /// Compliance and stiffness, which faces of one cloth share.
    pub elasticity: Arc<Elasticity>,
    /// Damping time constant \[s\].
    pub damping: f64,
    /// The compressive stress at which the cloth in the triangle buckles \[N/m\]; `None`: it bears any.
    pub critical: Option<Sym2>,
}

/// Law of a membrane.
#[derive(Clone, Debug, PartialEq)]
pub struct Elasticity {
    /// Compliance, Voigt \[m/N\].
    pub compliance: Matrix3<f64>,
    /// Its inverse \[N/m\].
    pub stiffness: Matrix3<f64>,
    /// Its stiffening in tension, which constraint and compliance know nothing of; `None`: it is linear.
    pub stiffening: Option<Stiffening>,
}

impl GreenStrain {
    /// The two columns of the deformation gradient `F` at positions `x` \[m\].
    pub fn deformation(&self, x: &[DVec3; 3]) -> [DVec3; 2] {
        let b = &self.gradients;
        let column = |axis: usize| x[0] * b[0][axis] + x[1] * b[1][axis] + x[2] * b[2][axis];
        [column(0), column(1)]
    }

    /// The Green strain `E` at positions `x` \[m\].
    pub fn strain(&self, x: &[DVec3; 3]) -> Sym2 {
        green_strain(self.deformation(x))
    }

    /// The wrinkle strain at positions `x` \[m\], in Voigt form; `None` where the cloth does not buckle.
    fn wrinkle_strain(&self, x: &[DVec3; 3]) -> Option<DVec3> {
        wrinkle_strain(&self.elasticity.stiffness, &self.critical?, &self.strain(x))
    }

    /// `√A (E + P)` with the wrinkle strain `P`.
    fn elastic_constraint(&self, x: &[DVec3; 3]) -> Vector3<f64> {
        let c = self.constraint(x);
        let wrinkles = self.wrinkle_strain(x);
        wrinkles.map_or(c, |p| c + Vector3::new(p.x, p.y, p.z) * self.area.sqrt())
    }
}

impl Block<3, 3> for GreenStrain {
    fn vertices(&self) -> [VertexIndex; 3] {
        self.vertices
    }

    fn constraint(&self, x: &[DVec3; 3]) -> Vector3<f64> {
        let e = self.strain(x);
        Vector3::new(e.xx, e.yy, 2.0 * e.xy) * self.area.sqrt()
    }

    fn jacobian(&self, x: &[DVec3; 3]) -> Jacobian<3, 3> {
        let [f1, f2] = self.deformation(x);
        let root = self.area.sqrt();
        let rows =
            self.gradients.map(|b| [f1 * (root * b.x), f2 * (root * b.y), (f2 * b.x + f1 * b.y) * root]);
        std::array::from_fn(|r| rows.map(|row| row[r]))
    }

    fn compliance(&self) -> Matrix3<f64> {
        self.elasticity.compliance
    }

    fn stiffness(&self) -> Matrix3<f64> {
        self.elasticity.stiffness
    }

    fn damping(&self) -> f64 {
        self.damping
    }

    /// `√A (D (E + P) + S(E))` with the stress `S` of the stiffening.
    fn stress(&self, x: &[DVec3; 3]) -> Vector3<f64> {
        let stress = self.elasticity.stiffness * self.elastic_constraint(x);
        let Some(stiffening) = self.elasticity.stiffening else { return stress };
        let [warp, weft] = stiffening.respond(&self.strain(x));
        stress + Vector3::new(warp.stress, weft.stress, 0.0) * self.area.sqrt()
    }

    /// `½ A (E + P):D:(E + P) + A N:P` with the critical stress `N`, and the energy of the stiffening.
    fn energy(&self, x: &[DVec3; 3]) -> f64 {
        let c = self.elastic_constraint(x);
        let stiffening = self.elasticity.stiffening.map(|law| law.respond(&self.strain(x)));
        let stretched = stiffening.map_or(0.0, |[warp, weft]| self.area * (warp.energy + weft.energy));
        let elastic = 0.5 * c.dot(&(self.elasticity.stiffness * c)) + stretched;
        match (self.critical, self.wrinkle_strain(x)) {
            (Some(n), Some(p)) => elastic + self.area * (n.xx * p.x + n.yy * p.y + n.xy * p.z),
            _ => elastic,
        }
    }

    /// `A (B_a · S B_b) I₃` with the stress `S`, clamped to its positive part if asked.
    fn geometric_stiffness(
        &self,
        _x: &[DVec3; 3],
        stress: &Vector3<f64>,
        curvature: Curvature,
    ) -> Option<[[DMat3; 3]; 3]> {
        // s = α⁻¹ C = √A S, so A S = √A s.
        let stress = stress * self.area.sqrt();
        let s = Sym2 { xx: stress[0], xy: stress[2], yy: stress[1] };
        let s = if curvature == Curvature::Clamped { s.positive_part() } else { s };
        let couple = |a: DVec2, b: DVec2| {
            let sb = DVec2::new(s.xx * b.x + s.xy * b.y, s.xy * b.x + s.yy * b.y);
            DMat3::from_diagonal(DVec3::splat(a.dot(sb)))
        };
        Some(self.gradients.map(|a| self.gradients.map(|b| couple(a, b))))
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use crate::block::testing::{assert_gradients_sum_to_zero, assert_jacobian};
    use crate::material::Material;
    use taffeta_core::geometry::doubled_area;

    /// A block on the material triangle `u` \[m\].
    pub(crate) fn block_on(u: [DVec2; 3], material: &Material) -> GreenStrain {
        let doubled = doubled_area(u);
        let compliance = material.membrane_compliance();
        GreenStrain {
            vertices: [0, 1, 2].map(VertexIndex),
            gradients: [(u[2] - u[1]).perp(), (u[0] - u[2]).perp(), (u[1] - u[0]).perp()]
                .map(|g| g / doubled),
            area: 0.5 * doubled,
            elasticity: Arc::new(Elasticity {
                compliance,
                stiffness: compliance.try_inverse().unwrap(),
                stiffening: material.stiffening(),
            }),
            damping: material.stretch_damping,
            critical: None,
        }
    }

    pub(crate) fn example() -> (GreenStrain, [DVec3; 3]) {
        let u = [DVec2::new(0.1, 0.0), DVec2::new(0.5, 0.1), DVec2::new(0.2, 0.4)];
        let mut material = Material::isotropic(0.2, 900.0, 0.3, 1e-5);
        material.stretch[1] = 500.0;
        let x = [DVec3::new(0.1, 0.05, 0.0), DVec3::new(0.52, 0.1, 0.2), DVec3::new(0.25, 0.5, -0.1)];
        (block_on(u, &material), x)
    }

    #[test]
    fn jacobian_agrees_with_finite_differences() {
        let (block, x) = example();
        assert_jacobian(&block, x);
        assert_gradients_sum_to_zero(&block, x);
    }

    #[test]
    fn strain_vanishes_under_rotation_and_measures_stretch() {
        let (block, _) = example();
        let u = [DVec2::new(0.1, 0.0), DVec2::new(0.5, 0.1), DVec2::new(0.2, 0.4)];
        let rotation = taffeta_core::motion::rotation_xyz(DVec3::new(30.0, -50.0, 70.0));
        let rigid = u.map(|u| rotation * u.extend(0.0) + DVec3::ONE);
        assert!(block.constraint(&rigid).norm() < 1e-15);
        let stretched = u.map(|u| DVec3::new(1.1 * u.x, u.y, 0.0));
        let e = block.strain(&stretched);
        assert!((e.xx - 0.5 * (1.21 - 1.0)).abs() < 1e-14 && e.xy.abs() < 1e-14 && e.yy.abs() < 1e-14);
    }

    #[test]
    fn geometric_stiffness_is_the_second_derivative() {
        let (block, x) = example();
        let stress = block.stiffness() * block.constraint(&x);
        let exact = block.geometric_stiffness(&x, &stress, Curvature::Exact).unwrap();
        let step = 1e-6;
        for a in 0..3 {
            for b in 0..3 {
                for axis in 0..3 {
                    let gradient = |sign: f64| {
                        let mut y = x;
                        y[b][axis] += sign * step;
                        let j = block.jacobian(&y);
                        (0..3).map(|r| j[r][a] * stress[r]).sum::<DVec3>()
                    };
                    let difference = (gradient(1.0) - gradient(-1.0)) / (2.0 * step);
                    let scale = exact[a][a].x_axis.x.abs();
                    assert!((difference - exact[a][b].col(axis)).length() < 1e-7 * scale);
                }
            }
        }
    }
}
