//! References: closed forms, and numerical solutions of the continuum problem to more digits than any check needs.
//!
//! Nothing here knows the simulator. `k = Eh` is a membrane stiffness \[N/m\], `D` a bending stiffness \[N·m\], `ρ` an
//! areal density \[kg/m²\].

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
    let along = |y: [f64; 4], k: [f64; 4], h: f64| std::array::from_fn(|i| y[i] + h * k[i]);
    let mut y = [0.0, curvature, 0.0, 0.0];
    for step in 0..STEPS {
        let s = f64::from(step) * h;
        let k1 = slope(s, y);
        let k2 = slope(s + 0.5 * h, along(y, k1, 0.5 * h));
        let k3 = slope(s + 0.5 * h, along(y, k2, 0.5 * h));
        let k4 = slope(s + h, along(y, k3, h));
        y = std::array::from_fn(|i| y[i] + h / 6.0 * (k1[i] + 2.0 * k2[i] + 2.0 * k3[i] + k4[i]));
    }
    y
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

/// Lengths \[m\] that hang down on the light and on the heavy side of a rail of a radius \[m\] when a heavy strip is about to
/// slip, together `hanging` (L. Euler 1762, with weight on the rail).
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
/// of 1: the speed of the air past it falls as `u/(1 + k u t)` with `k = air/2 density`.
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
