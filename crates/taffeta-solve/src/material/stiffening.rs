//! Stiffening of a membrane that is stretched along its yarns.
//!
//! The yarns of a fabric are crimped: at first a load straightens them, and only then it stretches them. The tensile test KES-F1 pulls
//! to [`REFERENCE_LOAD`] and reports two numbers. From the extension there follows the secant stiffness `k`. The linearity `LT` is
//! the work, relative to that of a straight line to the same point. The law that has both, for the strain `E` along a yarn and the
//! reference strain `E₁ = F/k`:
//!
//! `S(E) = k (r E + (1 − r) E²/E₁)` with `LT = 2/3 + r/3`
//!
//! So `r` is the part of the stiffness that the first straightening has. Beyond `E₁` the curve is straight, and under compression it
//! has `r k`. The part with `r` is linear and belongs to the compliance of the membrane, with shear and the coupling of both directions.
//! This module has the other part. It is convex, and its stress is continuously differentiable.
//!
//! Source of the test and its quantities: S. Kawabata, The standardization and analysis of hand evaluation, 1980.

use taffeta_core::math::Sym2;

/// Load of the tensile test \[N/m\]: 500 gf/cm.
pub const REFERENCE_LOAD: f64 = 490.0;

/// Least linearity. At 2/3 cloth would have no stiffness at rest.
pub const LEAST_LINEARITY: f64 = 0.68;

/// Stiffening of a membrane along warp and weft.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Stiffening {
    /// `k (1 − r)` along each \[N/m\].
    pub slope: [f64; 2],
    /// The strain `E₁` at which the curve goes on straight.
    pub end: [f64; 2],
}

/// Energy \[N/m\], stress \[N/m\] and its derivative \[N/m\] at a strain.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Response {
    /// Energy per area.
    pub energy: f64,
    /// Stress.
    pub stress: f64,
    /// Derivative of the stress.
    pub tangent: f64,
}

impl Stiffening {
    /// That of a membrane of these secant stiffnesses \[N/m\]; `None` if it is linear.
    pub fn new(stretch: [f64; 2], linearity: f64) -> Option<Self> {
        let rise = 1.0 - onset(linearity);
        let end = stretch.map(|k| REFERENCE_LOAD / k);
        (rise > 0.0).then(|| Self { slope: stretch.map(|k| k * rise), end })
    }

    /// Its response at a Green strain, along warp and weft.
    pub fn respond(&self, green: &Sym2) -> [Response; 2] {
        let strains = [green.xx, green.yy];
        [0, 1].map(|axis| respond(strains[axis], self.slope[axis], self.end[axis]))
    }
}

/// The part `r` of the secant stiffness that cloth of a linearity has at rest.
pub fn onset(linearity: f64) -> f64 {
    3.0 * linearity - 2.0
}

/// The response along one yarn.
#[inline(always)]
pub(crate) fn respond(strain: f64, slope: f64, end: f64) -> Response {
    let strain = if strain > 0.0 { strain } else { 0.0 };
    let curved = if strain < end { strain } else { end };
    let straight = strain - curved;
    Response {
        energy: slope * (curved * curved * curved / (3.0 * end) + straight * strain),
        stress: slope * (curved * curved / end + 2.0 * straight),
        tangent: 2.0 * slope * curved / end,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stress_and_tangent_are_derivatives_of_the_energy() {
        let (slope, end) = (900.0, 0.06);
        let step = 1e-7;
        for strain in [-0.02, 0.01, 0.03, 0.0599, 0.0601, 0.2] {
            let [below, at, above] = [-step, 0.0, step].map(|by| respond(strain + by, slope, end));
            let stress = (above.energy - below.energy) / (2.0 * step);
            let tangent = (above.stress - below.stress) / (2.0 * step);
            assert!((stress - at.stress).abs() < 1e-6 * slope, "{strain}: {stress} {}", at.stress);
            assert!((tangent - at.tangent).abs() < 1e-6 * slope, "{strain}: {tangent} {}", at.tangent);
        }
    }

    #[test]
    fn the_tensile_test_measures_the_stiffness_and_the_linearity_that_were_given() {
        for (k, linearity) in [(8000.0, 0.7), (450.0, 0.85), (15_000.0, 0.68)] {
            let stiffening = Stiffening::new([k; 2], linearity).unwrap();
            let end = REFERENCE_LOAD / k;
            let first = onset(linearity) * k;
            let [along, across] = stiffening.respond(&Sym2 { xx: end, xy: 0.3, yy: -0.1 });
            assert_eq!(across, Response::default());
            let stress = first * end + along.stress;
            assert!((stress / REFERENCE_LOAD - 1.0).abs() < 1e-12, "{stress}");
            let work = 0.5 * first * end * end + along.energy;
            assert!((work / (0.5 * REFERENCE_LOAD * end) - linearity).abs() < 1e-12, "{work}");
        }
        assert_eq!(Stiffening::new([1000.0; 2], 1.0), None);
    }
}
