//! The multiplier of a block with one row, four at a time.

use crate::drivers::lanes::SweepStep;
use taffeta_core::lanes::{F64x4, Vec3x4};

/// Compliance, λ and damping of a one-row block.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct ScalarDual {
    alpha: F64x4,
    lambda: F64x4,
    /// Constraint at the start of the substep.
    pub start: F64x4,
    /// Damping time constant \[s\].
    tau: F64x4,
}

impl ScalarDual {
    /// λ = 0, the compliances and the damping time constants \[s\].
    pub(super) fn new(alpha: F64x4, tau: F64x4) -> Self {
        Self { alpha, tau, ..Self::default() }
    }

    /// One update for the constraint `c` with its gradients at positions `x` \[m\] and inverse masses `w` \[1/kg\]; returns
    /// the new positions.
    #[inline(always)]
    pub(super) fn update<const DAMPED: bool, const V: usize>(
        &mut self,
        c: F64x4,
        gradients: [Vec3x4; V],
        x: &[Vec3x4; V],
        w: &[F64x4; V],
        step: &SweepStep,
    ) -> [Vec3x4; V] {
        let mut mass = F64x4::splat(0.0);
        for v in 0..V {
            mass = mass + w[v] * gradients[v].dot(gradients[v]);
        }
        let delta = self.step::<DAMPED>(c, mass, step);
        let mut moved = *x;
        for v in 0..V {
            moved[v] = x[v] + gradients[v] * (w[v] * delta);
        }
        moved
    }

    /// The step of λ for the constraint `c` and `mass = Σ w|∇C|²`; updates λ.
    #[inline(always)]
    fn step<const DAMPED: bool>(&mut self, c: F64x4, mass: F64x4, step: &SweepStep) -> F64x4 {
        let at = self.alpha * step.inverse_h2;
        let mut rhs = F64x4::splat(0.0) - c;
        if !step.first {
            rhs = rhs - at * self.lambda;
        }
        let delta = if DAMPED {
            let ratio = self.tau * step.inverse_h;
            let scale = F64x4::splat(1.0) / (F64x4::splat(1.0) + ratio);
            (rhs - ratio * (c - self.start)) * scale / (mass + at * scale)
        } else {
            rhs / (mass + at)
        };
        self.lambda = if step.first { delta } else { self.lambda + delta };
        delta
    }
}
