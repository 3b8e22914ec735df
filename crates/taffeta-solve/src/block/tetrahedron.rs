//! Strain and volume of a tetrahedron: `√V (E_xx, E_yy, E_zz)`, `√V (2E_yz, 2E_zx, 2E_xy)` and `√V (det F − 1)`.
//!
//! `F = Σ_a x_a ⊗ B_a` is constant over the tetrahedron, with the rest gradients `B_a` of the hat functions, and
//! `E = ½(FᵀF − I)`. For an isotropic material normal strains and shear do not couple, so that the six rows of the strain
//! are two blocks of three. The energy of both is `V (μ E:E + ½ λ (tr E)²)`, the material of St. Venant and Kirchhoff, which
//! resists no inversion; the volume block does.

pub use taffeta_core::geometry::{is_flat, sixfold_volume};

use super::{Block, Curvature, Jacobian};
use glam::{DMat3, DVec3};
use nalgebra::{Matrix3, SMatrix, SVector, Vector3};
use taffeta_core::VertexIndex;

/// Corners and rest shape of a tetrahedron.
#[derive(Clone, Debug)]
pub struct Tetrahedron {
    /// The corners; the last lies on the side to which the normal of the first three, counter-clockwise, points.
    pub vertices: [VertexIndex; 4],
    /// Gradients `B_a` of the hat functions in the rest shape \[1/m\]; they add up to zero.
    pub gradients: [DVec3; 4],
    /// Rest volume `V` \[m³\].
    pub volume: f64,
}

impl Tetrahedron {
    /// The tetrahedron with the rest positions `x` \[m\] of its corners.
    pub fn new(vertices: [VertexIndex; 4], x: [DVec3; 4]) -> Self {
        let [p, q, r] = [x[1] - x[0], x[2] - x[0], x[3] - x[0]];
        let sixfold = sixfold_volume(x);
        let [b, c, d] = [q.cross(r), r.cross(p), p.cross(q)].map(|normal| normal / sixfold);
        Self { vertices, gradients: [-b - c - d, b, c, d], volume: sixfold / 6.0 }
    }

    /// The columns of `F`.
    pub fn columns(&self, x: &[DVec3; 4]) -> [DVec3; 3] {
        // Differences: far from the origin the sum of the products would cancel.
        let edges = [x[1] - x[0], x[2] - x[0], x[3] - x[0]];
        let b = &self.gradients;
        [0, 1, 2].map(|i| edges[0] * b[1][i] + edges[1] * b[2][i] + edges[2] * b[3][i])
    }

    /// Green strain `E`.
    pub fn strain(&self, x: &[DVec3; 4]) -> Matrix3<f64> {
        let f = self.columns(x);
        Matrix3::from_fn(|i, j| 0.5 * (f[i].dot(f[j]) - if i == j { 1.0 } else { 0.0 }))
    }
}

/// Normal strains `√V (E_xx, E_yy, E_zz)`.
#[derive(Clone, Debug)]
pub struct NormalStrain {
    /// The tetrahedron.
    pub shape: Tetrahedron,
    /// Compliance \[1/Pa\].
    pub compliance: Matrix3<f64>,
    /// Its inverse \[Pa\].
    pub stiffness: Matrix3<f64>,
    /// Damping time constant \[s\].
    pub damping: f64,
}

impl Block<3, 4> for NormalStrain {
    fn vertices(&self) -> [VertexIndex; 4] {
        self.shape.vertices
    }

    fn constraint(&self, x: &[DVec3; 4]) -> Vector3<f64> {
        let f = self.shape.columns(x);
        Vector3::from_fn(|i, _| 0.5 * (f[i].length_squared() - 1.0) * self.shape.volume.sqrt())
    }

    fn jacobian(&self, x: &[DVec3; 4]) -> Jacobian<3, 4> {
        let (f, root) = (self.shape.columns(x), self.shape.volume.sqrt());
        [0, 1, 2].map(|i| self.shape.gradients.map(|b| f[i] * (b[i] * root)))
    }

    fn compliance(&self) -> Matrix3<f64> {
        self.compliance
    }

    fn stiffness(&self) -> Matrix3<f64> {
        self.stiffness
    }

    fn damping(&self) -> f64 {
        self.damping
    }

    /// `√V s_i B_ai B_bi I`, of tensions only if clamped.
    fn geometric_stiffness(
        &self,
        _x: &[DVec3; 4],
        stress: &Vector3<f64>,
        curvature: Curvature,
    ) -> Option<[[DMat3; 4]; 4]> {
        let clamped = |s: f64| if curvature == Curvature::Clamped { s.max(0.0) } else { s };
        let (root, b) = (self.shape.volume.sqrt(), &self.shape.gradients);
        let factor = |a: usize, c: usize| (0..3).map(|i| clamped(stress[i]) * b[a][i] * b[c][i]).sum::<f64>();
        Some([0, 1, 2, 3].map(|a| [0, 1, 2, 3].map(|c| DMat3::IDENTITY * (root * factor(a, c)))))
    }
}

/// Shear strains `√V (2E_yz, 2E_zx, 2E_xy)`.
#[derive(Clone, Debug)]
pub struct ShearStrain {
    /// The tetrahedron.
    pub shape: Tetrahedron,
    /// Shear modulus `G` \[Pa\].
    pub modulus: f64,
    /// Damping time constant \[s\].
    pub damping: f64,
}

/// The two columns of `F` of which each row is the product.
const SHEARS: [[usize; 2]; 3] = [[1, 2], [2, 0], [0, 1]];

impl Block<3, 4> for ShearStrain {
    fn vertices(&self) -> [VertexIndex; 4] {
        self.shape.vertices
    }

    fn constraint(&self, x: &[DVec3; 4]) -> Vector3<f64> {
        let f = self.shape.columns(x);
        Vector3::from_iterator(SHEARS.map(|[i, j]| f[i].dot(f[j]) * self.shape.volume.sqrt()))
    }

    fn jacobian(&self, x: &[DVec3; 4]) -> Jacobian<3, 4> {
        let (f, root) = (self.shape.columns(x), self.shape.volume.sqrt());
        SHEARS.map(|[i, j]| self.shape.gradients.map(|b| (f[j] * b[i] + f[i] * b[j]) * root))
    }

    fn stiffness(&self) -> Matrix3<f64> {
        Matrix3::from_diagonal_element(self.modulus)
    }

    fn damping(&self) -> f64 {
        self.damping
    }

    /// `√V s (B_ai B_bj + B_aj B_bi) I`; nothing if clamped: a product has no semidefinite part of its own.
    fn geometric_stiffness(
        &self,
        _x: &[DVec3; 4],
        stress: &Vector3<f64>,
        curvature: Curvature,
    ) -> Option<[[DMat3; 4]; 4]> {
        if curvature == Curvature::Clamped {
            return None;
        }
        let (root, b) = (self.shape.volume.sqrt(), &self.shape.gradients);
        let factor = |a: usize, c: usize| {
            let row = |(k, [i, j]): (usize, [usize; 2])| stress[k] * (b[a][i] * b[c][j] + b[a][j] * b[c][i]);
            SHEARS.into_iter().enumerate().map(row).sum::<f64>()
        };
        Some([0, 1, 2, 3].map(|a| [0, 1, 2, 3].map(|c| DMat3::IDENTITY * (root * factor(a, c)))))
    }
}

/// Change of volume `√V (det F − 1)`.
#[derive(Clone, Debug)]
pub struct VolumeStrain {
    /// The tetrahedron.
    pub shape: Tetrahedron,
    /// Modulus of the energy `½ k V (det F − 1)²` \[Pa\].
    pub modulus: f64,
    /// Damping time constant \[s\].
    pub damping: f64,
}

impl Block<1, 4> for VolumeStrain {
    fn vertices(&self) -> [VertexIndex; 4] {
        self.shape.vertices
    }

    fn constraint(&self, x: &[DVec3; 4]) -> SVector<f64, 1> {
        let [f, g, h] = self.shape.columns(x);
        SVector::<f64, 1>::new((f.cross(g).dot(h) - 1.0) * self.shape.volume.sqrt())
    }

    fn jacobian(&self, x: &[DVec3; 4]) -> Jacobian<1, 4> {
        let ([f, g, h], root) = (self.shape.columns(x), self.shape.volume.sqrt());
        let cofactors = [g.cross(h), h.cross(f), f.cross(g)];
        let gradient = |b: DVec3| cofactors[0] * b.x + cofactors[1] * b.y + cofactors[2] * b.z;
        [self.shape.gradients.map(|b| gradient(b) * root)]
    }

    fn stiffness(&self) -> SMatrix<f64, 1, 1> {
        SMatrix::<f64, 1, 1>::new(self.modulus)
    }

    fn damping(&self) -> f64 {
        self.damping
    }

    /// `−√V s [F (B_a × B_b)]×`, the derivative of the cofactors; nothing if clamped: its trace is zero.
    fn geometric_stiffness(
        &self,
        x: &[DVec3; 4],
        stress: &SVector<f64, 1>,
        curvature: Curvature,
    ) -> Option<[[DMat3; 4]; 4]> {
        if curvature == Curvature::Clamped {
            return None;
        }
        let ([f, g, h], b) = (self.shape.columns(x), &self.shape.gradients);
        let factor = -self.shape.volume.sqrt() * stress[0];
        let cross = |a: usize, c: usize| {
            let n = b[a].cross(b[c]);
            let w = (f * n.x + g * n.y + h * n.z) * factor;
            DMat3::from_cols(DVec3::X.cross(-w), DVec3::Y.cross(-w), DVec3::Z.cross(-w))
        };
        Some([0, 1, 2, 3].map(|a| [0, 1, 2, 3].map(|c| cross(a, c))))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::block::testing::{assert_gradients_sum_to_zero, assert_hessian, assert_jacobian};
    use crate::solid::SolidMaterial;

    const REST: [DVec3; 4] = [
        DVec3::new(0.1, 0.0, 0.2),
        DVec3::new(0.5, 0.1, 0.1),
        DVec3::new(0.2, 0.4, 0.0),
        DVec3::new(0.3, 0.2, 0.5),
    ];

    fn material() -> SolidMaterial {
        SolidMaterial { volume_stiffness: 3e4, ..SolidMaterial::new(1000.0, 5e4, 0.3) }
    }

    fn example() -> (NormalStrain, ShearStrain, VolumeStrain, [DVec3; 4]) {
        let shape = Tetrahedron::new([0, 1, 2, 3].map(VertexIndex), REST);
        let material = material();
        let x = [
            DVec3::new(0.0, 0.1, 0.2),
            DVec3::new(0.5, 0.0, 0.2),
            DVec3::new(0.3, 0.5, -0.1),
            DVec3::new(0.2, 0.1, 0.6),
        ];
        (
            material.normal_block(&shape),
            material.shear_block(&shape),
            material.volume_block(&shape).unwrap(),
            x,
        )
    }

    #[test]
    fn jacobians_agree_with_finite_differences() {
        let (normal, shear, volume, x) = example();
        assert_jacobian(&normal, x);
        assert_jacobian(&shear, x);
        assert_jacobian(&volume, x);
        assert_gradients_sum_to_zero(&normal, x);
        assert_gradients_sum_to_zero(&shear, x);
        assert_gradients_sum_to_zero(&volume, x);
    }

    #[test]
    fn hessians_of_the_strains_agree_with_finite_differences() {
        let (normal, shear, volume, x) = example();
        assert_hessian(&normal, x);
        assert_hessian(&shear, x);
        assert_hessian(&volume, x);
    }

    #[test]
    fn both_strain_blocks_together_have_the_energy_of_the_continuum() {
        let (normal, shear, volume, x) = example();
        let SolidMaterial { young, poisson, .. } = material();
        let mu = young / (2.0 * (1.0 + poisson));
        let lambda = young * poisson / ((1.0 + poisson) * (1.0 - 2.0 * poisson));
        let e = normal.shape.strain(&x);
        let expected = normal.shape.volume * (mu * e.dot(&e) + 0.5 * lambda * e.trace() * e.trace());
        assert!(((normal.energy(&x) + shear.energy(&x)) / expected - 1.0).abs() < 1e-12);
        let ratio = sixfold_volume(x) / sixfold_volume(REST) - 1.0;
        let expected = 0.5 * 3e4 * volume.shape.volume * ratio * ratio;
        assert!((volume.energy(&x) / expected - 1.0).abs() < 1e-12);
    }

    #[test]
    fn turning_and_shifting_cost_nothing() {
        let (normal, shear, volume, _) = example();
        let turn = glam::DQuat::from_scaled_axis(DVec3::new(0.7, -1.1, 0.4));
        let x = REST.map(|x| turn * x + DVec3::new(3.0, -2.0, 1.0));
        assert!(normal.constraint(&x).norm() + shear.constraint(&x).norm() < 1e-14);
        assert!(volume.constraint(&x)[0].abs() < 1e-14);
    }

    /// Cut through the middle of its longest side again and again, an affine deformation keeps its energy.
    #[test]
    fn the_energy_of_an_affine_deformation_does_not_depend_on_the_mesh() {
        let affine = |x: DVec3| {
            DVec3::new(1.1 * x.x + 0.2 * x.y, 0.9 * x.y - 0.3 * x.z, 0.1 * x.x + 1.2 * x.z + 0.05 * x.y)
        };
        let energy = |tets: &[[DVec3; 4]]| -> f64 {
            let of_tet = |rest: &[DVec3; 4]| {
                let shape = Tetrahedron::new([0, 1, 2, 3].map(VertexIndex), *rest);
                let (m, x) = (material(), rest.map(affine));
                let volume = m.volume_block(&shape).unwrap().energy(&x);
                m.normal_block(&shape).energy(&x) + m.shear_block(&shape).energy(&x) + volume
            };
            tets.iter().map(of_tet).sum()
        };
        let mut tets = vec![REST];
        let whole = energy(&tets);
        for _ in 0..6 {
            tets = tets.into_iter().flat_map(halve).collect();
            assert!((energy(&tets) / whole - 1.0).abs() < 1e-12, "{} against {whole}", energy(&tets));
        }
        assert_eq!(tets.len(), 64);
    }

    fn halve(tet: [DVec3; 4]) -> [[DVec3; 4]; 2] {
        let pairs = [[0, 1], [0, 2], [0, 3], [1, 2], [1, 3], [2, 3]];
        let length = |[a, b]: &[usize; 2]| tet[*a].distance(tet[*b]);
        let [a, b] = pairs.into_iter().max_by(|p, q| length(p).total_cmp(&length(q))).unwrap();
        let (mut first, mut second) = (tet, tet);
        let middle = 0.5 * (tet[a] + tet[b]);
        (first[b], second[a]) = (middle, middle);
        [first, second]
    }
}
