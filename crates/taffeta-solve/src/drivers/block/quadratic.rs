//! Quadratic bending, four edges at a time: the constraint is linear and its three rows are independent.

use super::sets::SweptLanes;
use crate::block::QuadraticBend;
use crate::drivers::lanes::{SweepStep, pack};
use taffeta_core::lanes::{F64x4, LANES, Vec3x4};

/// Four quadratic bending blocks.
#[derive(Clone, Debug)]
pub struct QuadraticLanes {
    /// `K / √(A₁+A₂)` \[1/m\].
    weights: [F64x4; 4],
    /// `1/D` \[1/(N·m)\].
    alpha: F64x4,
    lambda: Vec3x4,
    /// Constraint at the start of the substep.
    start: Vec3x4,
    /// Damping time constant \[s\].
    tau: F64x4,
}

impl SweptLanes<3, 4> for QuadraticLanes {
    type Block = QuadraticBend;

    fn pack(blocks: [&QuadraticBend; LANES]) -> Self {
        Self {
            weights: [0, 1, 2, 3].map(|v| pack(|lane| blocks[lane].weights[v])),
            alpha: pack(|lane| 1.0 / blocks[lane].stiffness),
            lambda: Vec3x4::default(),
            start: Vec3x4::default(),
            tau: pack(|lane| blocks[lane].damping),
        }
    }

    #[inline(always)]
    fn record_start(&mut self, x: &[Vec3x4; 4]) {
        self.start = self.evaluate(x);
    }

    #[inline(always)]
    fn update<const DAMPED: bool>(
        &mut self,
        x: &[Vec3x4; 4],
        w: &[F64x4; 4],
        step: &SweepStep,
    ) -> [Vec3x4; 4] {
        let k = self.weights;
        let c = self.evaluate(x);
        let mass = w[0] * k[0] * k[0] + w[1] * k[1] * k[1] + w[2] * k[2] * k[2] + w[3] * k[3] * k[3];
        let at = self.alpha * step.inverse_h2;
        // Minus the right-hand side of the update.
        let mut excess = if step.first { c } else { c + self.lambda * at };
        let mut scale = F64x4::splat(-1.0) / (mass + at);
        if DAMPED {
            let ratio = self.tau * step.inverse_h;
            let part = F64x4::splat(1.0) / (F64x4::splat(1.0) + ratio);
            excess = (excess + (c - self.start) * ratio) * part;
            scale = F64x4::splat(-1.0) / (mass + at * part);
        }
        let delta = excess * scale;
        self.lambda = if step.first { delta } else { self.lambda + delta };
        let mut moved = *x;
        for v in 0..4 {
            moved[v] = x[v] + delta * (w[v] * k[v]);
        }
        moved
    }
}

impl QuadraticLanes {
    #[inline(always)]
    fn evaluate(&self, x: &[Vec3x4; 4]) -> Vec3x4 {
        let k = &self.weights;
        (x[1] - x[0]) * k[1] + (x[2] - x[0]) * k[2] + (x[3] - x[0]) * k[3]
    }
}
