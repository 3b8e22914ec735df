//! Response of a scalar row to its violation: the two update formulas.

use crate::model::StiffnessCorrection;

/// One Gauss-Seidel sweep of a substep.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RowStep {
    /// Length of the substep \[s\].
    pub h: f64,
    /// Number of the sweep within the substep; in sweep 0 every λ is zero.
    pub sweep: u32,
    /// Sweeps of the whole substep, at least 1: what the correction of a stiffness depends on.
    pub sweeps: u32,
}

/// Response of a scalar row to its violation `C`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum RowLaw {
    /// Position-based dynamics: each sweep takes back a part of the violation.
    Projection {
        /// The part `k`, from 0 to 1.
        stiffness: f64,
        /// Reference of `k`: one sweep, or all sweeps of a substep together.
        correction: StiffnessCorrection,
    },
    /// Extended position-based dynamics: the row is a spring.
    Compliance {
        /// Compliance `α` \[unit of C² per J\].
        alpha: f64,
        /// Damping time constant `τ` \[s\]: the damping matrix is `β = τ/α`.
        damping: f64,
    },
}

/// A row at the current positions.
#[derive(Clone, Copy, Debug)]
pub struct RowValue {
    /// The constraint `C`.
    pub constraint: f64,
    /// `Σ_v w_v |∇_v C|²`.
    pub weight: f64,
    /// `Σ_v ∇_v C · (x_v − xⁿ_v)`: by how much the motion of the substep has changed `C`, to first order.
    pub motion: f64,
}

impl RowLaw {
    /// `α` of a spring; 0 for a projection.
    pub(super) fn compliance(&self) -> f64 {
        match *self {
            Self::Projection { .. } => 0.0,
            Self::Compliance { alpha, .. } => alpha,
        }
    }

    /// `τ` of a spring \[s\]; 0 for a projection.
    pub(super) fn damping(&self) -> f64 {
        match *self {
            Self::Projection { .. } => 0.0,
            Self::Compliance { damping, .. } => damping,
        }
    }

    /// The part of a violation that one of `sweeps` sweeps asks back: all of it for a spring, whose compliance then gives
    /// way.
    pub(super) fn part(&self, sweeps: u32) -> f64 {
        match *self {
            Self::Projection { stiffness, correction } => correction.part_per_sweep(stiffness, sweeps),
            Self::Compliance { .. } => 1.0,
        }
    }

    /// `Δλ` for a row with the multiplier `lambda`; the displacements are `w_v ∇_v C Δλ`.
    ///
    /// Projection: `Δλ = −k C / Σ w|∇C|²` (Müller et al. 2007, eqs. 7 and 8). Compliance:
    /// `Δλ = (−C − α̃ λ − γ ∇C·(x − xⁿ)) / ((1 + γ) Σ w|∇C|² + α̃)` with `α̃ = α/h²` and `γ = α̃ β̃/h`, `β̃ = h² β` (Macklin
    /// et al. 2016, eqs. 18 and 26), so that `γ = τ/h`. Zero where nothing can move.
    pub fn change(&self, value: &RowValue, lambda: f64, step: &RowStep) -> f64 {
        let RowValue { constraint, weight, motion } = *value;
        let (excess, resistance) = match *self {
            RowLaw::Projection { stiffness, correction } => {
                (correction.part_per_sweep(stiffness, step.sweeps) * constraint, weight)
            }
            RowLaw::Compliance { alpha, damping } => {
                let alpha_tilde = alpha / (step.h * step.h);
                let gamma = damping / step.h;
                (constraint + alpha_tilde * lambda + gamma * motion, (1.0 + gamma) * weight + alpha_tilde)
            }
        };
        if resistance > 0.0 { -excess / resistance } else { 0.0 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const VALUE: RowValue = RowValue { constraint: 0.3, weight: 2.0, motion: 0.1 };

    /// Rest of a violation after all sweeps, each of which takes back its part.
    fn left(correction: StiffnessCorrection, sweeps: u32) -> f64 {
        let law = RowLaw::Projection { stiffness: 0.4, correction };
        let mut c = 1.0;
        for sweep in 0..sweeps {
            let value = RowValue { constraint: c, ..VALUE };
            c += VALUE.weight * law.change(&value, 0.0, &RowStep { h: 0.01, sweep, sweeps });
        }
        c
    }

    #[test]
    fn the_corrected_stiffness_does_not_depend_on_the_sweeps_and_the_plain_one_does() {
        for sweeps in [1, 2, 5, 40] {
            assert!((left(StiffnessCorrection::PerSubstep, sweeps) - 0.6).abs() < 1e-14, "{sweeps}");
            let plain = 0.6_f64.powi(sweeps as i32);
            assert!((left(StiffnessCorrection::Plain, sweeps) / plain - 1.0).abs() < 1e-12, "{sweeps}");
        }
    }

    #[test]
    fn full_and_no_stiffness_stay_what_they_are_under_correction() {
        for sweeps in [1, 7] {
            let part = |k| StiffnessCorrection::PerSubstep.part_per_sweep(k, sweeps);
            assert_eq!((part(1.0), part(0.0)), (1.0, 0.0));
        }
    }

    /// The damped row is the minimum of inertia, spring and dashpot: `λ (1 + γ) w + α̃ λ = −C − γ ∇C·(x − xⁿ)` for a linear
    /// constraint, reached in one update and kept by the next.
    #[test]
    fn a_linear_row_is_solved_by_one_update() {
        let law = RowLaw::Compliance { alpha: 3e-4, damping: 0.02 };
        let step = RowStep { h: 0.01, sweep: 0, sweeps: 2 };
        let first = law.change(&VALUE, 0.0, &step);
        let moved = VALUE.weight * first;
        let then = RowValue { constraint: 0.3 + moved, motion: 0.1 + moved, ..VALUE };
        assert!(law.change(&then, first, &step).abs() < 1e-16 * first.abs() + 1e-17);
        let balance = 0.3 + moved + 3.0 * first + 2.0 * (0.1 + moved);
        assert!(balance.abs() < 1e-15, "{balance}");
    }

    #[test]
    fn nothing_moves_what_is_held() {
        let law = RowLaw::Projection { stiffness: 1.0, correction: StiffnessCorrection::Plain };
        let held = RowValue { weight: 0.0, ..VALUE };
        assert_eq!(law.change(&held, 0.0, &RowStep { h: 0.01, sweep: 0, sweeps: 1 }), 0.0);
    }
}
