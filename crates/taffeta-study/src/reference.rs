//! References: closed forms, and numerical solutions of the continuum problem to more digits than any check needs.
//!
//! Nothing here knows the simulator. `k = Eh` is a membrane stiffness \[N/m\], `D` a bending stiffness \[N·m\], `ρ` an
//! areal density \[kg/m²\].

use glam::{DMat2, DMat3, DVec3, Vec3Swizzles};
use std::f64::consts::PI;

/// Earth's gravity in the checks \[m/s²\].
pub const GRAVITY: f64 = 9.81;

/// The middle of an interval that a monotonic function changes its sign in, halved until it cannot shrink.
fn bisect(mut low: f64, mut high: f64, rises_above_zero: impl Fn(f64) -> bool) -> f64 {
    // 200 halvings exhaust every interval of doubles that starts below 1e60.
    for _ in 0..200 {
        let middle = 0.5 * (low + high);
        if rises_above_zero(middle) { high = middle } else { low = middle }
    }
    0.5 * (low + high)
}

/// Length of a strip that hangs by its end, over its rest length `L`, for `c = ρ g L/k` and no lateral contraction.
///
/// With the Green strain `E = (l² − 1)/2` of a stretch `l` the tension is `k l E`; at a material distance `s` from the
/// free end it carries `ρ g s`, so `l (l² − 1)/2 = c s/L`. Integrated over `s` with `l` at the top:
/// `(3l⁴/8 − l²/4 − 1/8)/c`.
pub fn hanging_strip(c: f64) -> f64 {
    let top = bisect(1.0, 2.0 + c, |l| 0.5 * l * (l * l - 1.0) > c);
    let (square, fourth) = (top * top, top.powi(4));
    (0.375 * fourth - 0.25 * square - 0.125) / c
}

/// Drop over reach of the tip of a heavy cantilever, for `Γ = ρ g L³/D`: the elastica `θ″ = −Γ (1 − s) cos θ` with
/// `θ(0) = 0` and no moment at `s = 1`, by shooting.
pub fn heavy_elastica(gamma: f64) -> f64 {
    let start = bisect(0.0, gamma, |curvature| elastica(gamma, curvature)[1] > 0.0);
    let [_, _, reach, drop] = elastica(gamma, start);
    drop / reach
}

/// Angle, curvature, reach and drop at the tip, for a curvature at the clamp: 1000 steps of Runge and Kutta's method.
fn elastica(gamma: f64, curvature: f64) -> [f64; 4] {
    const STEPS: u32 = 1000;
    let h = 1.0 / f64::from(STEPS);
    let slope = |s: f64, y: [f64; 4]| [y[1], -gamma * (1.0 - s) * y[0].cos(), y[0].cos(), y[0].sin()];
    (0..STEPS).fold([0.0, curvature, 0.0, 0.0], |y, step| runge_kutta(slope, f64::from(step) * h, y, h))
}

/// Bending length of a strip from its heart loop, both over the length of the strip (Peirce 1930; ASTM D1388, option B):
/// `l₀ (cos θ/tan θ)^⅓` with `θ = 32.85° (l − l₀)/l₀` and `l₀ = 0.1337`.
///
/// The ends are gripped side by side. `l` is the height of the grip above the lowest point. Good to 2 % for heights from 0.14 to
/// 0.18.
pub fn peirce_heart(height: f64) -> f64 {
    const WEIGHTLESS: f64 = 0.1337;
    let angle = (32.85 * (height - WEIGHTLESS) / WEIGHTLESS).to_radians();
    WEIGHTLESS * (angle.cos() / angle.tan()).cbrt()
}

/// Points along half a heart loop at the ends of equal intervals, from the grip to the lowest point, over the length of the strip.
///
/// The elastica `θ″ = w (½ − s) cos θ + P sin θ` for `w = ρ g L³/D` is upright at the grip and level at the lowest point, which lies
/// below the grip. Shooting finds the curvature at the grip and the thrust `P`.
pub fn heart_loop(load: f64, intervals: u32) -> Vec<[f64; 2]> {
    // Curvature and thrust of a loop without weight. Heavier loops are reached from it step by step.
    let (mut start, mut reached) = ([-9.829_231_784_7, -35.242_110_439_1], 0.0);
    while reached < load {
        reached = (reached + 2.0 + 0.2 * reached).min(load);
        start = close_heart(start, reached);
    }
    heart_path(close_heart(start, load), load, intervals).into_iter().map(|y| [y[0], y[1]]).collect()
}

/// Curvature at the grip and thrust of a loop, by Newton's method from those of a similar one.
fn close_heart(mut start: [f64; 2], load: f64) -> [f64; 2] {
    let miss = |start: [f64; 2]| {
        let end = heart_path(start, load, 100).pop().expect("a path has an end");
        [end[2] + PI, end[0]]
    };
    for _ in 0..10 {
        let [r0, r1] = miss(start);
        let step = 1e-6;
        let [a0, a1] = miss([start[0] + step, start[1]]).map(|v| v / step);
        let [b0, b1] = miss([start[0], start[1] + step]).map(|v| v / step);
        let (a, b) = ([a0 - r0 / step, a1 - r1 / step], [b0 - r0 / step, b1 - r1 / step]);
        let det = a[0] * b[1] - b[0] * a[1];
        start[0] -= (r0 * b[1] - r1 * b[0]) / det;
        start[1] -= (r1 * a[0] - r0 * a[1]) / det;
    }
    start
}

/// Place, angle and curvature along half a heart loop, by Runge and Kutta's method.
fn heart_path([curvature, thrust]: [f64; 2], load: f64, intervals: u32) -> Vec<[f64; 4]> {
    const STEPS: u32 = 4;
    let h = 0.5 / f64::from(STEPS * intervals);
    let slope = |s: f64, y: [f64; 4]| {
        let (sin, cos) = y[2].sin_cos();
        [cos, sin, y[3], load * (0.5 - s) * cos + thrust * sin]
    };
    let mut y = [0.0, 0.0, 0.5 * PI, curvature];
    let mut path = vec![y];
    for step in 0..STEPS * intervals {
        y = runge_kutta(slope, f64::from(step) * h, y, h);
        if (step + 1) % STEPS == 0 {
            path.push(y);
        }
    }
    path
}

/// A step of Runge and Kutta's method.
fn runge_kutta(slope: impl Fn(f64, [f64; 4]) -> [f64; 4], s: f64, y: [f64; 4], h: f64) -> [f64; 4] {
    let along = |y: [f64; 4], k: [f64; 4], h: f64| std::array::from_fn(|i| y[i] + h * k[i]);
    let k1 = slope(s, y);
    let k2 = slope(s + 0.5 * h, along(y, k1, 0.5 * h));
    let k3 = slope(s + 0.5 * h, along(y, k2, 0.5 * h));
    let k4 = slope(s + h, along(y, k3, h));
    std::array::from_fn(|i| y[i] + h / 6.0 * (k1[i] + 2.0 * k2[i] + 2.0 * k3[i] + k4[i]))
}

/// Stiffness \[N/m\] against a pull at an angle to warp \[rad\], of a material with moduli along warp and weft, shear stiffness
/// \[N/m\] and Poisson ratio: `1/k = c⁴/k₁ + s⁴/k₂ + (1/G − 2ν/k₁) c²s²` (S. G. Lekhnitskii, Anisotropic plates, 1968).
pub fn off_axis_stiffness([warp, weft]: [f64; 2], shear: f64, poisson: f64, angle: f64) -> f64 {
    let (sin, cos) = angle.sin_cos();
    let (s, c) = (sin * sin, cos * cos);
    1.0 / (c * c / warp + s * s / weft + (1.0 / shear - 2.0 * poisson / warp) * c * s)
}

/// A membrane: moduli along warp and weft \[N/m\] at the load of the tensile test KES-F1, linearity `LT` of its curve, shear
/// stiffness \[N/m\], Poisson ratio.
#[derive(Clone, Copy, Debug)]
pub struct Weave {
    /// Secants at the load of the test, 490 N/m.
    pub stretch: [f64; 2],
    /// Work of the tensile test, relative to that of a straight line.
    pub linearity: f64,
    /// Shear stiffness.
    pub shear: f64,
    /// Poisson ratio at rest.
    pub poisson: f64,
}

/// Largest load of the tensile test KES-F1 \[N/m\].
const TENSILE_LOAD: f64 = 490.0;

/// Iterations of [`pull_off_axis`] at most.
const PULLS: u32 = 100;

/// Stress \[N/m\] of a pull to a strain at an angle to warp \[rad\]. Along a yarn it is `k (r E + (1 − r) E²/E₁)` up to the strain
/// `E₁` of the tensile test and straight beyond, with `r = 3 LT − 2`. Newton's method finds the strains across and of shear at which
/// nothing else acts; not a number if it does not.
pub fn pull_off_axis(weave: &Weave, angle: f64, strain: f64) -> f64 {
    let Weave { stretch, linearity, shear, poisson } = *weave;
    let rest = 3.0 * linearity - 2.0;
    let [k1, k2] = stretch.map(|k| rest * k);
    let scale = 1.0 / (1.0 - poisson * poisson * k2 / k1);
    let stiffness = DMat3::from_cols(
        DVec3::new(k1, poisson * k2, 0.0) * scale,
        DVec3::new(poisson * k2, k2, 0.0) * scale,
        DVec3::Z * shear,
    );
    // What crimp adds along a yarn, and its derivative.
    let crimp = |k: f64, e: f64| {
        let (end, e) = (TENSILE_LOAD / k, e.max(0.0));
        let (slope, curved) = ((1.0 - rest) * k, e.min(end));
        [slope * (curved * curved / end + 2.0 * (e - curved)), 2.0 * slope * curved / end]
    };
    let (s, c) = angle.sin_cos();
    // From strains along, across and of shear to those along warp and weft, in Voigt form.
    let turn = DMat3::from_cols(
        DVec3::new(c * c, s * s, 2.0 * s * c),
        DVec3::new(s * s, c * c, -2.0 * s * c),
        DVec3::new(-s * c, s * c, c * c - s * s),
    );
    let mut along = DVec3::X * strain;
    for _ in 0..PULLS {
        let green = turn * along;
        let [warp, weft] = [crimp(stretch[0], green.x), crimp(stretch[1], green.y)];
        let stress = turn.transpose() * (stiffness * green + DVec3::new(warp[0], weft[0], 0.0));
        let tangent = stiffness + DMat3::from_diagonal(DVec3::new(warp[1], weft[1], 0.0));
        let tangent = turn.transpose() * tangent * turn;
        let free = DMat2::from_cols(tangent.y_axis.yz(), tangent.z_axis.yz());
        let change = free.inverse() * stress.yz();
        if change.length() < 1e-14 {
            return stress.x;
        }
        along -= DVec3::new(0.0, change.x, change.y);
    }
    f64::NAN
}

/// Wavelength \[m\] of the wrinkles of a sheet that is clamped at two ends and pulled: `2√π (D/T)^¼ √L` for a tension `T` \[N/m\]
/// and a length `L` \[m\] (E. Cerda, L. Mahadevan, Geometry and physics of wrinkling, 2003).
pub fn wrinkle_wavelength(bend: f64, tension: f64, length: f64) -> f64 {
    2.0 * PI.sqrt() * (bend / tension).powf(0.25) * length.sqrt()
}

/// Deflection \[m\] of the rim of an annular plate, clamped at the inner radius and free at the outer one, under a uniform load
/// `q` \[Pa\]: `w = q r⁴/64D + c₁ + c₂ ln r + c₃ r² + c₄ r² ln r` (S. Timoshenko, S. Woinowsky-Krieger, Theory of plates and
/// shells, 1959, §17).
pub fn annular_plate([inner, outer]: [f64; 2], load: f64, bend: f64, poisson: f64) -> f64 {
    let q = load / bend;
    // No shear force at the outer rim: (Δw)′ = 0.
    let c4 = -q * outer * outer / 8.0;
    // No moment there, and no slope at the inner rim.
    let moment = |power: f64, r: f64| (power * (power - 1.0) + poisson * power) * r.powf(power - 2.0);
    let log_moment = |r: f64| 2.0 * r.ln() + 3.0 + poisson * (2.0 * r.ln() + 1.0);
    let right_moment = -(q / 64.0 * moment(4.0, outer) + c4 * log_moment(outer));
    let right_slope = -(q / 16.0 * inner.powi(3) + c4 * inner * (2.0 * inner.ln() + 1.0));
    // c₂ (ν − 1)/b² + 2 c₃ (1 + ν) = right, c₂/a + 2 c₃ a = right.
    let (a1, b1) = ((poisson - 1.0) / (outer * outer), 2.0 * (1.0 + poisson));
    let (a2, b2) = (1.0 / inner, 2.0 * inner);
    let det = a1 * b2 - a2 * b1;
    let (c2, c3) =
        ((right_moment * b2 - right_slope * b1) / det, (a1 * right_slope - a2 * right_moment) / det);
    let shape = |r: f64| q / 64.0 * r.powi(4) + c2 * r.ln() + c3 * r * r + c4 * r * r * r.ln();
    shape(outer) - shape(inner)
}

/// Deflection at the center of a simply supported square plate of side `a` under a uniform load `q`, over `q a⁴/D`
/// (C. L. Navier; S. Timoshenko, S. Woinowsky-Krieger, Theory of plates and shells, 1959, §28):
/// `16/π⁶ Σ (−1)^((m+n)/2−1) / (m n (m² + n²)²)` over odd `m, n`.
pub fn square_plate() -> f64 {
    let odd = || (0..200).map(|i| f64::from(2 * i + 1));
    let sign = |m: f64, n: f64| if ((m + n) * 0.5) % 2.0 == 1.0 { 1.0 } else { -1.0 };
    let term = |m: f64, n: f64| sign(m, n) / (m * n * (m * m + n * n).powi(2));
    let sum: f64 = odd().map(|m| odd().map(|n| term(m, n)).sum::<f64>()).sum();
    16.0 / PI.powi(6) * sum
}

/// Deflection at the center of a circular membrane, clamped at a radius `a` without pretension, under a pressure `q`,
/// over `a (q a/k)^{1/3}` (H. Hencky, Über den Spannungszustand in kreisrunden Platten mit verschwindender
/// Biegungssteifigkeit, 1915).
///
/// With `r` in units of `a`, the radial tension `n(r) = Σ bⱼ r²ʲ` in units of `k (q a/k)^{2/3}` satisfies
/// `n² (3n′ + r n″) = −r/8`; nothing moves at the rim, `(1 − ν) n + n′ = 0`; the deflection is `∫ r/(2n) dr`.
pub fn hencky_membrane(poisson: f64) -> f64 {
    let at_rim = |b: &[f64]| {
        let n: f64 = b.iter().sum();
        let slope: f64 = b.iter().zip(0..).map(|(b, j)| 2.0 * f64::from(j) * b).sum();
        (1.0 - poisson) * n + slope
    };
    // Less tension at the center and the series does not converge at the rim.
    let first = bisect(0.3, 2.0, |first| at_rim(&membrane_series(first)) > 0.0);
    let series = membrane_series(first);
    let tension = |r: f64| series.iter().rev().fold(0.0, |sum, b| sum * r * r + b);
    // Simpson's rule.
    let count = 1000;
    let value = |i: i32| {
        let r = f64::from(i) / f64::from(count);
        0.5 * r / tension(r)
    };
    let weight = |i: i32| if i == 0 || i == count { 1.0 } else { f64::from(2 + 2 * (i % 2)) };
    (0..=count).map(|i| weight(i) * value(i)).sum::<f64>() / f64::from(3 * count)
}

/// The coefficients `bⱼ` for the tension at the center: order by order, `n² Σ 4j(j+1) bⱼ r^(2j−2) = −1/8`.
fn membrane_series(first: f64) -> Vec<f64> {
    const TERMS: usize = 60;
    let factor = |j: usize| (4 * j * (j + 1)) as f64;
    let mut b = vec![first];
    for j in 1..TERMS {
        // Coefficients of n², known up to r^(2j−2).
        let square = |m: usize| -> f64 { (0..=m).map(|i| b[i] * b[m - i]).sum() };
        let known: f64 = (1..j).map(|i| square(j - i) * factor(i) * b[i]).sum();
        let right = if j == 1 { -0.125 } else { 0.0 };
        b.push((right - known) / (first * first * factor(j)));
    }
    b
}

/// The Bessel function `J₀` by its power series: to round-off of 1e-12 below 12.
pub fn bessel_j0(x: f64) -> f64 {
    let quarter = 0.25 * x * x;
    let mut term = 1.0;
    let mut sum = 1.0;
    for k in 1..60 {
        term *= -quarter / f64::from(k * k);
        sum += term;
    }
    sum
}

/// The zero of `J₀` with a number from 1 to 3.
///
/// # Panics
/// For other numbers.
pub fn bessel_j0_zero(number: u32) -> f64 {
    assert!((1..=3).contains(&number), "the zeros 1 to 3 are known, not {number}");
    // Zeros lie close to (number − 1/4) π.
    let middle = (f64::from(number) - 0.25) * PI;
    let sign = if number % 2 == 1 { -1.0 } else { 1.0 };
    bisect(middle - 0.5, middle + 0.5, |x| sign * bessel_j0(x) > 0.0)
}

/// Angular frequency \[rad/s\] of a mode of a heavy chain of length `L` \[m\] in small swing: `(j₀,ⱼ/2) √(g/L)`
/// (D. Bernoulli 1733).
pub fn heavy_chain(mode: u32, length: f64) -> f64 {
    0.5 * bessel_j0_zero(mode) * (GRAVITY / length).sqrt()
}

/// Displacement of a mode of a heavy chain at a distance from the free end, as a part of the length; 1 at that end.
pub fn heavy_chain_mode(mode: u32, from_end: f64) -> f64 {
    bessel_j0(bessel_j0_zero(mode) * from_end.max(0.0).sqrt())
}

/// Acceleration \[m/s²\] of a body that slides down a plane of a slope \[rad\] with kinetic friction (Coulomb).
pub fn sliding_acceleration(slope: f64, kinetic: f64) -> f64 {
    GRAVITY * (slope.sin() - kinetic * slope.cos())
}

/// Distance \[m\] and time \[s\] to the stop of a body that slides on a level plane from a speed \[m/s\].
pub fn sliding_stop(speed: f64, kinetic: f64) -> [f64; 2] {
    let deceleration = kinetic * GRAVITY;
    [0.5 * speed * speed / deceleration, speed / deceleration]
}

/// Lengths \[m\] that hang down on the light and on the heavy side of a rail when a heavy strip is about to slip. Their sum
/// is `hanging`, and the rail has a radius \[m\] (L. Euler 1762, with weight on the rail).
///
/// In units of the weight per length, `T' = μ (T + R sin φ) + R cos φ` from the light side at `φ = 0` to the heavy one at `π`.
pub fn capstan_sides(hanging: f64, radius: f64, friction: f64) -> [f64; 2] {
    let growth = (friction * PI).exp();
    let on_rail = 2.0 * friction * radius / (1.0 + friction * friction);
    let light = (hanging - on_rail * (growth + 1.0)) / (1.0 + growth);
    [light, hanging - light]
}

/// Terminal speed \[m/s\] of a level sheet of an areal density \[kg/m²\] in air of a density \[kg/m³\].
pub fn terminal_speed(density: f64, air: f64, drag: f64) -> f64 {
    (2.0 * density * GRAVITY / (air * drag)).sqrt()
}

/// Way \[m\] of a free sheet, at rest at first, across which a wind blows with a speed \[m/s\], for a coefficient of drag
/// of 1. The speed of the air past the sheet falls as `u/(1 + k u t)` with `k = air/2 density`.
pub fn carried_by_wind(density: f64, air: f64, wind: f64, time: f64) -> f64 {
    let k = 0.5 * air / density;
    wind * time - (k * wind * time).ln_1p() / k
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn expect(value: f64, printed: f64, last_digit: f64) {
        assert!((value - printed).abs() <= 0.51 * last_digit, "{value}, printed as {printed}");
    }

    #[test]
    fn every_reference_has_its_printed_digits() {
        expect(hanging_strip(0.05), 1.0238607, 1e-7);
        expect(heavy_elastica(1.0), 0.124562, 1e-6);
        expect(heavy_elastica(10.0), 1.066802, 1e-6);
        expect(square_plate(), 0.00406235, 1e-8);
        expect(hencky_membrane(0.3), 0.653443, 1e-6);
        expect(heavy_chain(1, 1.0), 3.766067, 1e-6);
        expect(heavy_chain(2, 1.0), 8.644696, 1e-6);
        let [distance, time] = sliding_stop(1.0, 0.3);
        // 0.169895: the printed 0.16990 has four digits.
        expect(distance, 0.1699, 1e-4);
        expect(time, 0.33979, 1e-5);
    }

    #[test]
    fn textile_references_have_their_printed_digits() {
        // The bending length is half the overhang.
        expect(heavy_elastica(8.0).atan().to_degrees(), 41.5, 0.1);
        // Peirce's height of a heart without weight, and his bending length of heavier ones.
        let height = |load: f64| -heart_loop(load, 100)[100][1];
        expect(height(0.0), 0.1339, 1e-4);
        for load in [30.0_f64, 43.0, 60.0] {
            let ratio = peirce_heart(height(load)) * load.cbrt();
            assert!((ratio - 1.0).abs() < 0.012, "{load}: {ratio}");
        }
        // A narrow annulus is a cantilever, whose end sinks by q L⁴/8D.
        let narrow = annular_plate([100.0, 101.0], 1.0, 1.0, 0.0);
        assert!((narrow / 0.125 - 1.0).abs() < 0.01, "{narrow}");
    }

    #[test]
    fn an_isotropic_sheet_is_as_stiff_in_every_direction() {
        for angle in [0.0, 0.3, 0.8] {
            let stiffness = off_axis_stiffness([1000.0, 1000.0], 1000.0 / 2.6, 0.3, angle);
            assert!((stiffness - 1000.0).abs() < 1e-9);
        }
    }

    #[test]
    fn a_pull_off_axis_has_the_linear_stiffness_and_that_of_the_tensile_test() {
        let linear = Weave { stretch: [9000.0, 5000.0], linearity: 1.0, shear: 40.0, poisson: 0.2 };
        let cloth = Weave { linearity: 0.7, ..linear };
        for angle in [0.0, 0.3, 0.8, 1.5] {
            let exact = off_axis_stiffness(linear.stretch, 40.0, 0.2, angle);
            assert!((pull_off_axis(&linear, angle, 0.02) / (0.02 * exact) - 1.0).abs() < 1e-9);
            // At rest it has a tenth.
            let soft = off_axis_stiffness(linear.stretch.map(|k| 0.1 * k), 40.0, 0.2, angle);
            assert!((pull_off_axis(&cloth, angle, 1e-7) / (1e-7 * soft) - 1.0).abs() < 1e-3, "{angle}");
        }
        // Along a yarn the other shrinks, where nothing stiffens.
        for (angle, k) in [(0.0, 9000.0), (0.5 * PI, 5000.0)] {
            assert!((pull_off_axis(&cloth, angle, 490.0 / k) / 490.0 - 1.0).abs() < 1e-9);
        }
    }

    #[test]
    fn small_loads_give_the_linear_theory() {
        // A strip gains c/2 of its length, a cantilever drops by Γ/8.
        assert!(((hanging_strip(1e-4) - 1.0) / 5e-5 - 1.0).abs() < 1e-3);
        assert!((heavy_elastica(1e-3) / 1.25e-4 - 1.0).abs() < 1e-4);
    }

    #[test]
    fn a_strip_on_a_thin_rail_has_the_ratio_of_euler_and_eytelwein() {
        let [light, heavy] = capstan_sides(1.0, 1e-9, 0.3);
        assert!((heavy / light / (0.3 * PI).exp() - 1.0).abs() < 1e-6);
        let [light, heavy] = capstan_sides(1.0, 0.05, 0.0);
        assert!((light - heavy).abs() < 1e-15);
    }

    #[test]
    fn the_tension_of_a_strip_on_a_rail_satisfies_its_equation() {
        let (radius, friction, steps) = (0.05, 0.3, 100_000);
        let [light, heavy] = capstan_sides(0.8, radius, friction);
        let step = PI / f64::from(steps);
        let slope = |tension: f64, phi: f64| {
            let (sin, cos) = phi.sin_cos();
            friction * (tension + radius * sin) + radius * cos
        };
        let tension = (0..steps).fold(light, |tension, i| {
            let middle = (f64::from(i) + 0.5) * step;
            let half = tension + 0.5 * step * slope(tension, middle - 0.5 * step);
            tension + step * slope(half, middle)
        });
        assert!((tension / heavy - 1.0).abs() < 1e-8, "{tension} {heavy}");
    }

    #[test]
    fn air_acts_as_in_the_tables() {
        expect(terminal_speed(0.06, 1.2, 1.0), 0.99045, 1e-5);
        expect(carried_by_wind(0.06, 1.2, 3.0, 0.5), 1.22274, 1e-5);
        // At first the pressure of the wind accelerates the sheet evenly.
        assert!((carried_by_wind(0.06, 1.2, 3.0, 1e-4) / (0.5 * 10.0 * 9.0 * 1e-8) - 1.0).abs() < 3e-3);
    }

    #[test]
    fn bessel_zeros_are_those_of_the_tables() {
        expect(bessel_j0_zero(1), 2.404825557695773, 1e-12);
        expect(bessel_j0_zero(2), 5.520078110286311, 1e-12);
        expect(bessel_j0_zero(3), 8.653727912911013, 1e-12);
        assert!(heavy_chain_mode(2, 1.0).abs() < 1e-12 && heavy_chain_mode(2, 0.0) == 1.0);
    }

    #[test]
    fn a_slope_at_the_limit_of_friction_does_not_accelerate() {
        assert!(sliding_acceleration(0.3_f64.atan(), 0.3).abs() < 1e-12);
    }
}
