//! Compression that an element cannot show.
//!
//! A sheet that is pressed together buckles, at a stress that falls with the square of the length `ℓ` of its half waves:
//! `D (π/ℓ)²`. A flat triangle shows no wave that is shorter than itself. Under the full law it bears any compression
//! instead, and a coarse sheet is stiff where the cloth would fold: it locks. Here a triangle bears the stress only at which
//! the cloth in it would buckle, and what lies beyond is taken for waves that are too fine to be seen:
//!
//! `W_r(E) = min_{P ⪰ 0} ½ (E+P):D:(E+P) + N:P`
//!
//! with `P`, the *wrinkle strain*, the length that those waves take up. A wave `w = a sin(πx/ℓ)` takes up `P = a²π²/4ℓ²` on
//! average and costs the bending energy `D (π/ℓ)² P`. So `N` is the buckling stress, and exactly so while waves are flat.
//! Stress and wrinkle strain exclude each other: `S + N ⪰ 0`, `P ⪰ 0`, `(S+N):P = 0`.
//!
//! With `N = 0` this is the theory of tension fields (A. Pipkin, The relaxed energy density for isotropic elastic
//! membranes, 1986; D. Steigmann, Tension-field theory, 1990). `N:P` is linear in `P`, so `W_r` is convex in `E` and
//! once differentiable, whatever `N`.
//!
//! [`critical_stress`] gets `ℓ` in every direction from the shape of the triangle, and grows without bound as the mesh is
//! refined: the full law comes back by itself.

use crate::matrices::UPPER;
use glam::{DVec2, DVec3};
use nalgebra::Matrix3;
use std::f64::consts::{FRAC_1_SQRT_2, PI};
use taffeta_core::math::Sym2;

/// Stiffness in Voigt form \[N/m\], or such a matrix times an area: entries 00, 01, 02, 11, 12, 22.
pub(crate) type Stiffness = [f64; 6];

/// Iterations of the search for the direction of the waves. It ends after one for an isotropic material and three to six
/// for others.
const MAX_TURNS: u32 = 40;
/// A turn below which the search has ended: the one before was the square root of what is left.
const LAST_TURN: f64 = 1e-8;
/// Part of the gain that a turn may lose because of round-off.
const GAIN_ROUND_OFF: f64 = 1e-14;
/// Longest turn of the doubled angle.
const LONGEST_TURN: f64 = 0.5;
/// Directions to start from where the first one led astray, as cosine and sine of the doubled angle.
const STARTS: [[f64; 2]; 8] = [
    [1.0, 0.0],
    [FRAC_1_SQRT_2, FRAC_1_SQRT_2],
    [0.0, 1.0],
    [-FRAC_1_SQRT_2, FRAC_1_SQRT_2],
    [-1.0, 0.0],
    [-FRAC_1_SQRT_2, -FRAC_1_SQRT_2],
    [0.0, -1.0],
    [FRAC_1_SQRT_2, -FRAC_1_SQRT_2],
];
/// Part of the stress by which it may pass the bound because of round-off.
const ROUND_OFF: f64 = 1e-9;
/// Part of the full stiffness that [`Wrinkles::tangent`] keeps, so that vertices among slack faces have one.
const FLOOR: f64 = 1e-4;

/// The compressive stress at which cloth buckles within a triangle \[N/m\]: `n·N n = D (π/ℓ)²` for waves along `n`. The
/// length `ℓ` is that of an edge along `n` of a triangle of the same shape, and `D` is the bending stiffness along `n`.
///
/// `gradients` are those of the hat functions \[1/m\], `bend` the bending stiffness along warp and weft \[N·m\]. The edges of the
/// triangle have length 1 in the metric `G = ½ Σ b bᵀ` of the gradients `b`, so that `ℓ⁻² = n·G n`. For `D` as a quadratic form, without
/// which the energy would not be convex, `√D` is taken as a tensor; it is exact along warp and weft.
pub fn critical_stress(gradients: [DVec2; 3], bend: [f64; 2]) -> Sym2 {
    let [warp, weft] = bend.map(f64::sqrt);
    let mut critical = Sym2::default();
    for b in gradients {
        let b = DVec2::new(warp * b.x, weft * b.y);
        critical = critical.plus(0.5 * PI * PI, &Sym2 { xx: b.x * b.x, xy: b.x * b.y, yy: b.y * b.y });
    }
    critical
}

/// The wrinkle strain of a triangle of a membrane stiffness \[N/m\] and a critical stress \[N/m\] at a Green strain, in
/// Voigt form; `None`: there is none.
pub(crate) fn wrinkle_strain(stiffness: &Matrix3<f64>, critical: &Sym2, green: &Sym2) -> Option<DVec3> {
    let k = pack(stiffness);
    let stress = multiply(&k, DVec3::new(green.xx, green.yy, 2.0 * green.xy));
    let trial = stress + DVec3::new(critical.xx, critical.yy, critical.xy);
    find_wrinkles(&k, trial).map(|found| found.strain)
}

/// The Green strain of the cloth in a triangle, waves included, from that of the triangle: `E + P`. The membrane has a
/// stiffness \[N/m\] and, where compression is bounded, a critical stress \[N/m\].
pub fn elastic_strain(stiffness: &Matrix3<f64>, critical: Option<Sym2>, green: &Sym2) -> Sym2 {
    let wrinkles = critical.and_then(|critical| wrinkle_strain(stiffness, &critical, green));
    wrinkles.map_or(*green, |p| green.plus(1.0, &Sym2 { xx: p.x, xy: 0.5 * p.z, yy: p.y }))
}

/// The waves in a triangle.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Wrinkles {
    /// The wrinkle strain `P` in Voigt form, the third entry `2P_XY`.
    pub strain: DVec3,
    /// Direction, where there is one; `None`: the triangle is slack both ways.
    along: Option<Direction>,
}

/// Waves in one direction.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Direction {
    /// Cosine and sine of the doubled angle of the direction in which the waves follow each other.
    doubled: [f64; 2],
    /// Wrinkle strain.
    amount: f64,
    /// `S + N` along the waves' crests \[as the stiffness\].
    tension: f64,
}

/// The wrinkles of a triangle of a stiffness `K`, of which `trial` is `S + N` without any, in Voigt form: the `P ⪰ 0` of least
/// `½ P·KP + trial·P`. `None`: there are none.
#[inline]
pub(crate) fn find_wrinkles(k: &Stiffness, trial: DVec3) -> Option<Wrinkles> {
    let (mean, half) = (0.5 * (trial.x + trial.y), 0.5 * (trial.x - trial.y));
    let radius = (half * half + trial.z * trial.z).sqrt();
    // Not a number is none either: the guard of the step finds it.
    if mean < radius { find_some(k, trial, [half, radius]) } else { None }
}

/// [`find_wrinkles`] where there are some; of the trial half the difference of the diagonal, and the radius of Mohr's circle.
fn find_some(k: &Stiffness, trial: DVec3, [half, radius]: [f64; 2]) -> Option<Wrinkles> {
    let slack = -solve(k, trial);
    if slack.x >= 0.0 && slack.y >= 0.0 && slack.x * slack.y >= 0.25 * slack.z * slack.z {
        return Some(Wrinkles { strain: slack, along: None });
    }
    let least = if radius > 0.0 { [-half / radius, -trial.z / radius] } else { [1.0, 0.0] };
    // On the bound, round-off may say one thing here and another there.
    let is_pressed = Slope::at(k, trial, least).u < 0.0;
    if !is_pressed {
        return None;
    }
    let found = turn(k, trial, least);
    let scale = trial.abs().max_element();
    let direction = if found.tension >= -ROUND_OFF * scale {
        found
    } else {
        // A strongly orthotropic matrix has several directions that no small turn improves. One of them leaves a tension.
        let starts = STARTS.into_iter().filter(|start| Slope::at(k, trial, *start).u < 0.0);
        let others = starts.map(|start| turn(k, trial, start));
        others.fold(found, |best, other| if other.tension > best.tension { other } else { best })
    };
    Some(Wrinkles { strain: across(direction.doubled) * direction.amount, along: Some(direction) })
}

/// The tensor `n nᵀ` in Voigt form, as a strain.
fn across([c, s]: [f64; 2]) -> DVec3 {
    DVec3::new(0.5 * (1.0 + c), 0.5 * (1.0 - c), s)
}

/// Turns the direction of the waves to where they take up most energy: Newton's method on the logarithm of
/// [`Slope::gain`] over the doubled angle, never to a smaller gain.
fn turn(k: &Stiffness, trial: DVec3, start: [f64; 2]) -> Direction {
    let (mut doubled, mut here) = (start, Slope::at(k, trial, start));
    for _ in 0..MAX_TURNS {
        let (first, second) = here.derivatives();
        let newton = if second < 0.0 { -first / second } else { LONGEST_TURN.copysign(first) };
        let mut angle = newton.clamp(-LONGEST_TURN, LONGEST_TURN);
        let mut accepted = None;
        while accepted.is_none() && angle.abs() > LAST_TURN {
            let there = turned(doubled, angle);
            let slope = Slope::at(k, trial, there);
            accepted = (slope.gain() >= here.gain() * (1.0 - GAIN_ROUND_OFF)).then_some((there, slope));
            angle *= 0.5;
        }
        let Some((there, slope)) = accepted else {
            // Too small to show in the gain.
            doubled = turned(doubled, angle);
            break;
        };
        (doubled, here) = (there, slope);
    }
    let here = Slope::at(k, trial, doubled);
    let amount = -here.u / here.q;
    let stress = trial + multiply(k, across(doubled)) * amount;
    Direction { doubled, amount, tension: stress.x + stress.y }
}

/// A direction, turned by an angle whose tangent is given.
fn turned([c, s]: [f64; 2], tangent: f64) -> [f64; 2] {
    let (c, s) = (c - tangent * s, s + tangent * c);
    let length = (c * c + s * s).sqrt();
    [c / length, s / length]
}

/// `u = n·T n` and `q = n̂·K n̂` with two derivatives each by the doubled angle. Waves along `n` take up the energy
/// `½ u²/q` if `u < 0`.
struct Slope {
    u: f64,
    q: f64,
    first: [f64; 2],
    second: [f64; 2],
}

impl Slope {
    fn at(k: &Stiffness, trial: DVec3, [c, s]: [f64; 2]) -> Self {
        let (n, n1, n2) =
            (across([c, s]), DVec3::new(-0.5 * s, 0.5 * s, c), DVec3::new(-0.5 * c, 0.5 * c, -s));
        let (kn, kn1) = (multiply(k, n), multiply(k, n1));
        Self {
            u: n.dot(trial),
            q: n.dot(kn),
            first: [n1.dot(trial), 2.0 * n1.dot(kn)],
            second: [n2.dot(trial), 2.0 * (n1.dot(kn1) + n2.dot(kn))],
        }
    }

    fn gain(&self) -> f64 {
        if self.u < 0.0 { self.u * self.u / self.q } else { f64::NEG_INFINITY }
    }

    /// Derivatives of the logarithm of the gain.
    fn derivatives(&self) -> (f64, f64) {
        let ([u1, q1], [u2, q2]) = (self.first, self.second);
        let (u, q) = (self.u, self.q);
        (2.0 * u1 / u - q1 / q, 2.0 * (u2 * u - u1 * u1) / (u * u) - (q2 * q - q1 * q1) / (q * q))
    }
}

impl Wrinkles {
    /// The derivative of the stress by the strain, `K − B H⁻¹ Bᵀ` with the Hessian `H` of the energy over amount and angle
    /// of the waves, and a ten-thousandth of `K`. Positive semidefinite: the energy is convex.
    pub(crate) fn tangent(&self, k: &Stiffness) -> Stiffness {
        let floor = k.map(|entry| FLOOR * entry);
        let Some(Direction { doubled: [c, s], amount, tension }) = self.along else { return floor };
        let n = across([c, s]);
        // By the angle itself, and over the amount: finite however small the waves are.
        let turn = DVec3::new(-s, s, 2.0 * c);
        let (kn, kt) = (multiply(k, n), multiply(k, turn));
        let (a, b) = (n.dot(kn), n.dot(kt));
        let w = amount / (2.0 * tension.max(0.0) + amount * turn.dot(kt));
        let inverse = 1.0 / (a - b * b * w);
        let lost = |i: usize, j: usize| {
            let mixed = kn[i] * kt[j] + kt[i] * kn[j];
            (kn[i] * kn[j] - b * w * mixed + a * w * kt[i] * kt[j]) * inverse
        };
        let mut tangent = *k;
        for (entry, (i, j)) in tangent.iter_mut().zip(UPPER) {
            *entry -= lost(i, j);
        }
        std::array::from_fn(|e| tangent[e] + floor[e])
    }
}

/// The different entries of a symmetric matrix.
pub(crate) fn pack(k: &Matrix3<f64>) -> Stiffness {
    UPPER.map(|entry| k[entry])
}

/// `K e` in Voigt form.
#[inline]
pub(crate) fn multiply(k: &Stiffness, e: DVec3) -> DVec3 {
    let [k00, k01, k02, k11, k12, k22] = *k;
    DVec3::new(
        k00 * e.x + k01 * e.y + k02 * e.z,
        k01 * e.x + k11 * e.y + k12 * e.z,
        k02 * e.x + k12 * e.y + k22 * e.z,
    )
}

/// `K⁻¹ t` for a positive definite `K`.
fn solve(k: &Stiffness, t: DVec3) -> DVec3 {
    multiply(&inverse(k), t)
}

/// `K⁻¹` for a positive definite `K`, by cofactors.
pub(crate) fn inverse(k: &Stiffness) -> Stiffness {
    let [k00, k01, k02, k11, k12, k22] = *k;
    let (c00, c01, c02) = (k11 * k22 - k12 * k12, k02 * k12 - k01 * k22, k01 * k12 - k02 * k11);
    let scale = 1.0 / (k00 * c00 + k01 * c01 + k02 * c02);
    [
        c00 * scale,
        c01 * scale,
        c02 * scale,
        (k00 * k22 - k02 * k02) * scale,
        (k01 * k02 - k00 * k12) * scale,
        (k00 * k11 - k01 * k01) * scale,
    ]
}

#[cfg(test)]
mod tests;
