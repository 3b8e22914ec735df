//! Blocks: every elastic force as a constraint vector of at most three rows on a few vertices.
//!
//! A block is `(C_e, J_e = ∂C_e/∂x, α_e)` with the energy `U_e = ½ C_eᵀ α_e⁻¹ C_e`. Constraints that are strains are scaled
//! by the square root of the element's volume. So `U_e` is proportional to the volume, and the sum approximates the energy
//! of the continuum on any mesh. Solvers are interchangeable drivers over the same blocks.
//!
//! The types here are the plain scalar form: the oracle of the four-wide kernels and the working form of the direct
//! driver.

pub mod distance;
pub mod edge_lengths;
pub mod enclosed_volume;
pub mod face_curvature;
pub mod green_strain;
pub mod hinge;
pub mod quadratic;
pub mod rope;
pub mod stitch;
pub mod strain_energy;
pub mod tetrahedron;

pub use distance::Distance;
pub use edge_lengths::EdgeLengths;
pub use enclosed_volume::EnclosedVolume;
pub use face_curvature::FaceCurvature;
pub use green_strain::{Elasticity, GreenStrain};
pub use hinge::Hinge;
pub use quadratic::QuadraticBend;
pub use rope::angle as rope_angle;
pub use rope::{AcosAngle, RopeAngle, RopeBend, RopeStretch, RopeTorsion};
pub use stitch::Stitch;
pub use strain_energy::{EnergyForm, StrainEnergy};
pub use tetrahedron::{NormalStrain, ShearStrain, Tetrahedron, VolumeStrain};

use glam::{DMat3, DVec3};
use nalgebra::{SMatrix, SVector};
use taffeta_core::VertexIndex;

/// The gradient of each row of a constraint with respect to each vertex.
pub type Jacobian<const ROWS: usize, const VERTICES: usize> = [[DVec3; VERTICES]; ROWS];

/// Which second derivatives of the constraints a Newton step uses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Curvature {
    /// All of them: converges at second order, but the Hessian may be indefinite.
    Exact,
    /// Their positive semidefinite part, element by element: the Hessian is always positive definite.
    Clamped,
}

/// A constraint vector with `ROWS` rows on `VERTICES` vertices.
pub trait Block<const ROWS: usize, const VERTICES: usize> {
    /// True if [`begin_step`](Self::begin_step) notes anything.
    const REMEMBERS: bool = false;

    /// The vertices, in the order of the positions that the other functions take.
    fn vertices(&self) -> [VertexIndex; VERTICES];

    /// The constraint vector `C` at positions `x` \[m\].
    fn constraint(&self, x: &[DVec3; VERTICES]) -> SVector<f64, ROWS>;

    /// Its gradients `J` at positions `x` \[m\].
    fn jacobian(&self, x: &[DVec3; VERTICES]) -> Jacobian<ROWS, VERTICES>;

    /// The compliance `α` \[unit of C² per J\], symmetric positive definite. By default that of rows that are equally stiff
    /// and independent.
    fn compliance(&self) -> SMatrix<f64, ROWS, ROWS> {
        SMatrix::from_diagonal_element(1.0 / self.stiffness()[(0, 0)])
    }

    /// The stiffness `α⁻¹`.
    fn stiffness(&self) -> SMatrix<f64, ROWS, ROWS>;

    /// The damping time constant `τ` \[s\].
    fn damping(&self) -> f64 {
        0.0
    }

    /// `Σ_k s_k ∇²C_k` for the generalized stress `s = α⁻¹ C`, in 3×3 blocks. By default `None`: the block is solved by
    /// Gauss-Newton alone.
    fn geometric_stiffness(
        &self,
        _x: &[DVec3; VERTICES],
        _stress: &SVector<f64, ROWS>,
        _curvature: Curvature,
    ) -> Option<[[DMat3; VERTICES]; VERTICES]> {
        None
    }

    /// Notes the positions `x` \[m\] at the start of a step, for blocks that remember (unwrapped angles).
    fn begin_step(&mut self, _x: &[DVec3; VERTICES]) {}

    /// The generalized stress at positions `x` \[m\]: the derivative of the energy by `C`, `α⁻¹ C`.
    fn stress(&self, x: &[DVec3; VERTICES]) -> SVector<f64, ROWS> {
        self.stiffness() * self.constraint(x)
    }

    /// The energy \[J\]: `½ Cᵀ α⁻¹ C`.
    fn energy(&self, x: &[DVec3; VERTICES]) -> f64 {
        let c = self.constraint(x);
        0.5 * c.dot(&(self.stiffness() * c))
    }
}

/// The positions of a block's vertices.
#[inline]
pub fn gather<const V: usize>(vertices: [VertexIndex; V], x: &[DVec3]) -> [DVec3; V] {
    vertices.map(|vi| x[vi.0 as usize])
}

/// One block update, the slow and plain form: the Newton step on the dual function.
///
/// With `A = J M⁻¹ Jᵀ`, `α̃ = α/Δt²` and damping `τ`, solves
/// `(α̃/(1+τ/Δt) + A) Δλ = −(C + α̃ λ + (τ/Δt)(C − Cⁿ)) / (1+τ/Δt)` and returns `Δλ` and the displacements
/// `M⁻¹ Jᵀ Δλ` \[m\]. Adaptive variational position-based dynamics, eq. for the 3×3 Newton update; damping in the
/// material form.
pub fn block_update<const R: usize, const V: usize>(
    block: &impl Block<R, V>,
    x: &[DVec3; V],
    inverse_masses: &[f64; V],
    step: &UpdateStep<R>,
) -> (SVector<f64, R>, [DVec3; V]) {
    let (c, j) = (block.constraint(x), block.jacobian(x));
    let weighted = |r: usize, s: usize| (0..V).map(|a| inverse_masses[a] * j[r][a].dot(j[s][a])).sum::<f64>();
    let a = SMatrix::<f64, R, R>::from_fn(weighted);
    let alpha_tilde = block.compliance() / (step.h * step.h);
    let ratio = block.damping() / step.h;
    let rhs = -(c + alpha_tilde * step.lambda + (c - step.start) * ratio) / (1.0 + ratio);
    let matrix = a + alpha_tilde / (1.0 + ratio);
    // Positive definite, unless the positions are no numbers: then nothing moves, and the guard of the step sees them.
    let factor = nalgebra::Cholesky::new(matrix);
    let delta = factor.map_or_else(SVector::zeros, |factor| factor.solve(&rhs));
    let displacement = |v: usize| (0..R).map(|r| j[r][v] * delta[r]).sum::<DVec3>() * inverse_masses[v];
    (delta, std::array::from_fn(displacement))
}

/// Inputs of a block update besides the positions.
#[derive(Clone, Copy, Debug)]
pub struct UpdateStep<const ROWS: usize> {
    /// Length of the substep \[s\].
    pub h: f64,
    /// The multiplier so far; 0 at the start of a substep.
    pub lambda: SVector<f64, ROWS>,
    /// The constraint at the start of the substep, for damping.
    pub start: SVector<f64, ROWS>,
}

#[cfg(test)]
pub(crate) mod testing;
