//! Time integration: from positions and velocities, now and one substep earlier, to the prediction of a substep.
//!
//! Both methods have the form `x = X + s v`, `v = V + s a` with the effective step `s`: implicit Euler with `X = xⁿ`,
//! `V = vⁿ`, `s = h`, and the backward differences of second order (BDF2) for a substep `h` after one of `h/ω`,
//!
//! `(1+2ω)/(1+ω) xⁿ⁺¹ − (1+ω) xⁿ + ω²/(1+ω) xⁿ⁻¹ = h vⁿ⁺¹`, and the same for `v`,
//!
//! so that the solve is the same for both. A vertex without history takes an Euler step: at the start, where it hits or
//! sticks to something, after whose jumps of the velocity BDF2 would swing, and where it has just been made.

use glam::DVec3;
use taffeta_remesh::VertexHistory;

/// A substep may be this many times longer than the one before without a new start: BDF2 is stable up to 1 + √2.
pub(crate) const LARGEST_GROWTH: f64 = 2.1;

/// `γ = 1 − 1/√2`: the length of a stage of SDIRK2, relative to the substep.
pub(crate) const GAMMA: f64 = 1.0 - std::f64::consts::FRAC_1_SQRT_2;

/// Inertial state of a vertex at the start of a substep.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Inertia {
    /// `X` \[m\].
    pub position: DVec3,
    /// `V` \[m/s\].
    pub velocity: DVec3,
    /// `s` \[s\].
    pub scale: f64,
}

impl Inertia {
    /// An Euler step of length `h` \[s\].
    pub(crate) fn euler(position: DVec3, velocity: DVec3, h: f64) -> Self {
        Self { position, velocity, scale: h }
    }

    /// The second stage of SDIRK2 of a substep of length `h` \[s\]: `velocity` and `acceleration` are those at the end of the first.
    pub(crate) fn second_stage((x, v): (DVec3, DVec3), (velocity, acceleration): (DVec3, DVec3), h: f64) -> Self {
        let before = h * (1.0 - GAMMA);
        Self { position: x + velocity * before, velocity: v + acceleration * before, scale: GAMMA * h }
    }

    /// A BDF2 step of length `h` \[s\] after one that was `1/ratio` times as long.
    pub(crate) fn bdf2(
        position: DVec3,
        velocity: DVec3,
        last: &VertexHistory,
        (h, ratio): (f64, f64),
    ) -> Self {
        let lead = (1.0 + 2.0 * ratio) / (1.0 + ratio);
        let now = (1.0 + ratio) / lead;
        let then = ratio * ratio / (1.0 + ratio) / lead;
        // Written with differences: far from the origin the positions would cancel.
        Self {
            position: position + (position - last.position) * then,
            velocity: velocity * now - last.velocity * then,
            scale: h / lead,
        }
    }
}

/// The velocity that an acceleration \[m/s²\] and velocity damping \[1/s\] leave at the end of a substep:
/// `v = V + s (a − c v)`.
pub(crate) fn coast(inertia: Inertia, (acceleration, damping): (DVec3, f64)) -> DVec3 {
    (inertia.velocity + acceleration * inertia.scale) / (1.0 + damping * inertia.scale)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Constant acceleration is integrated exactly by BDF2 in the velocities, and to second order in the positions.
    #[test]
    fn steps_of_changing_length_are_exact_for_parabolas_of_the_velocity() {
        let (a, jerk) = (DVec3::new(1.0, -2.0, 0.5), DVec3::new(0.3, 0.1, -0.7));
        let velocity = |t: f64| a * t + jerk * (0.5 * t * t);
        for (h, ratio) in [(0.1, 1.0), (0.2, 2.0), (0.05, 0.4)] {
            let (now, then) = (1.0, 1.0 - h / ratio);
            let last = VertexHistory { position: DVec3::ZERO, velocity: velocity(then) };
            let step = Inertia::bdf2(DVec3::ZERO, velocity(now), &last, (h, ratio));
            let acceleration = a + jerk * (now + h);
            let reached = step.velocity + acceleration * step.scale;
            assert!((reached - velocity(now + h)).length() < 1e-14, "{h}, {ratio}");
        }
    }

    #[test]
    fn a_vertex_at_rest_far_away_stays() {
        let x = DVec3::new(1e3, -2e3, 5e3);
        let last = VertexHistory { position: x, velocity: DVec3::ZERO };
        let step = Inertia::bdf2(x, DVec3::ZERO, &last, (0.004, 1.3));
        assert!((step.position - x).length() < 1e-12, "{}", (step.position - x).length());
    }
}
