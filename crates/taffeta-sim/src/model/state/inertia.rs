//! From positions and velocities to the prediction of a stage of the time integration.
//!
//! Every stage has the form `x = X + s v`, `v = V + s a` with the effective step `s`. Implicit Euler has `X = xⁿ`, `V = vⁿ`,
//! `s = h`; the stages of TR-BDF2 are described in [`crate::step::stages::integrate`]. So the solve is one for all.

use glam::DVec3;

/// `γ = 1 − 1/√2`: the effective step of both stages of TR-BDF2, relative to the substep.
pub(crate) const GAMMA: f64 = 1.0 - std::f64::consts::FRAC_1_SQRT_2;

/// Inertial state of a vertex at the start of a substep.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Inertia {
    /// `X` \[m\].
    pub position: DVec3,
    /// `V` \[m/s\].
    pub velocity: DVec3,
    /// `s` \[s\].
    pub scale: f64,
}

/// Position \[m\] and velocity \[m/s\] at a time.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Moving {
    pub position: DVec3,
    pub velocity: DVec3,
}

impl Inertia {
    /// An Euler step of length `h` \[s\].
    pub(crate) fn euler(position: DVec3, velocity: DVec3, h: f64) -> Self {
        Self { position, velocity, scale: h }
    }

    /// The first stage of TR-BDF2, of length `s` \[s\]: the trapezoidal rule, with the acceleration `a` at the start.
    pub(crate) fn first_stage(x: DVec3, v: DVec3, a: DVec3, s: f64) -> Self {
        let half = 0.5 * s;
        Self { position: x + v * half, velocity: v + a * half, scale: half }
    }

    /// The second stage of a substep of length `h` \[s\], from `start`. The first ends in the `middle`, and its effective step is a `share`
    /// of its length. The second begins with what the first comes to at `(1 − γ) h`.
    pub(crate) fn second_stage(start: Moving, middle: Moving, h: f64, share: f64) -> Self {
        let part = second_begins(share);
        let ahead = |from: DVec3, to: DVec3| from + (to - from) * part;
        let position = ahead(start.position, middle.position);
        Self { position, velocity: ahead(start.velocity, middle.velocity), scale: GAMMA * h }
    }
}

/// The part of what the first stage has changed by which the second begins ahead. `share` is the effective step of the first, relative to
/// its length.
pub(crate) fn second_begins(share: f64) -> f64 {
    share * (1.0 - GAMMA) / GAMMA
}

/// The velocity that an acceleration \[m/s²\] and velocity damping \[1/s\] leave at the end of a substep:
/// `v = V + s (a − c v)`.
pub(crate) fn coast(inertia: Inertia, acceleration: DVec3, damping: f64) -> DVec3 {
    (inertia.velocity + acceleration * inertia.scale) / (1.0 + damping * inertia.scale)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Both stages of a substep under accelerations that are known at any time; where it ends, and how fast.
    fn substep(
        (x, v): (DVec3, DVec3),
        (h, share): (f64, f64),
        acceleration: impl Fn(f64) -> DVec3,
    ) -> (DVec3, DVec3) {
        let step = |inertia: Inertia, a: DVec3| {
            let velocity = coast(inertia, a, 0.0);
            (inertia.position + velocity * inertia.scale, velocity)
        };
        let length = h * GAMMA / share;
        let first = match share {
            0.5 => Inertia::first_stage(x, v, acceleration(0.0), length),
            _ => Inertia::euler(x, v, length),
        };
        let (position, velocity) = step(first, acceleration(length));
        let (start, middle) = (Moving { position: x, velocity: v }, Moving { position, velocity });
        step(Inertia::second_stage(start, middle, h, share), acceleration(h))
    }

    #[test]
    fn a_substep_is_exact_for_parabolas_and_for_velocities_that_are_parabolas() {
        let (a, jerk) = (DVec3::new(1.0, -2.0, 0.5), DVec3::new(0.3, 0.1, -0.7));
        let (x, v) = (DVec3::new(0.2, 0.0, 5.0), DVec3::new(-3.0, 1.0, 0.0));
        for step in [(0.1, 0.5), (0.7, 0.5), (0.1, 1.0), (0.7, 1.0)] {
            let h = step.0;
            let (end, velocity) = substep((x, v), step, |_| a);
            assert!((end - (x + v * h + a * (0.5 * h * h))).length() < 1e-14, "{end}");
            assert!((velocity - (v + a * h)).length() < 1e-14, "{velocity}");
            let (_, velocity) = substep((x, v), step, |t| a + jerk * t);
            assert!((velocity - (v + a * h + jerk * (0.5 * h * h))).length() < 1e-14, "{velocity}");
        }
    }

    #[test]
    fn a_vertex_at_rest_far_away_stays() {
        let x = DVec3::new(1e3, -2e3, 5e3);
        let (end, velocity) = substep((x, DVec3::ZERO), (0.004, 0.5), |_| DVec3::ZERO);
        assert_eq!((end, velocity), (x, DVec3::ZERO));
    }
}
