//! From positions and velocities to the prediction of a stage of the time integration.
//!
//! Every stage has the form `x = X + s v`, `v = V + s a` with the effective step `s`. Implicit Euler has `X = xⁿ`, `V = vⁿ`,
//! `s = h`; the second stage of SDIRK2 is described in [`crate::step::integrate`]. So the solve is one for all.

use glam::DVec3;

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
    pub(crate) fn second_stage(x: DVec3, v: DVec3, velocity: DVec3, acceleration: DVec3, h: f64) -> Self {
        let before = h * (1.0 - GAMMA);
        Self { position: x + velocity * before, velocity: v + acceleration * before, scale: GAMMA * h }
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

    /// Both stages of a substep under accelerations that are known at any time; where it ends, and how fast.
    fn substep(x: DVec3, v: DVec3, h: f64, acceleration: impl Fn(f64) -> DVec3) -> (DVec3, DVec3) {
        let step = |inertia: Inertia, a: DVec3| {
            let velocity = coast(inertia, (a, 0.0));
            (inertia.position + velocity * inertia.scale, velocity)
        };
        let a = acceleration(GAMMA * h);
        let (_, velocity) = step(Inertia::euler(x, v, GAMMA * h), a);
        step(Inertia::second_stage(x, v, velocity, a, h), acceleration(h))
    }

    #[test]
    fn a_substep_is_exact_for_parabolas_and_for_velocities_that_are_parabolas() {
        let (a, jerk) = (DVec3::new(1.0, -2.0, 0.5), DVec3::new(0.3, 0.1, -0.7));
        let (x, v) = (DVec3::new(0.2, 0.0, 5.0), DVec3::new(-3.0, 1.0, 0.0));
        for h in [0.1, 0.7] {
            let (end, velocity) = substep(x, v, h, |_| a);
            assert!((end - (x + v * h + a * (0.5 * h * h))).length() < 1e-14, "{end}");
            assert!((velocity - (v + a * h)).length() < 1e-14, "{velocity}");
            let (_, velocity) = substep(x, v, h, |t| a + jerk * t);
            assert!((velocity - (v + a * h + jerk * (0.5 * h * h))).length() < 1e-14, "{velocity}");
        }
    }

    #[test]
    fn a_vertex_at_rest_far_away_stays() {
        let x = DVec3::new(1e3, -2e3, 5e3);
        let (end, velocity) = substep(x, DVec3::ZERO, 0.004, |_| DVec3::ZERO);
        assert_eq!((end, velocity), (x, DVec3::ZERO));
    }
}
