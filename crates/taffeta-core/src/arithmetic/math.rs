//! Elementary functions with the same bits on every machine, and 2×2 symmetric matrices.
//!
//! The functions of the standard library call the platform's C library, whose last bits differ from machine to
//! machine. The simulator uses these instead.

/// Sine and cosine of an angle \[rad\].
pub fn sin_cos(angle: f64) -> (f64, f64) {
    libm::sincos(angle)
}

/// `eˣ`.
pub fn exp(x: f64) -> f64 {
    libm::exp(x)
}

/// Natural logarithm.
pub fn ln(x: f64) -> f64 {
    libm::log(x)
}

/// `tan(3π/8) − 1` … the bound `tan(π/8)` above which [`atan2`] folds the argument.
pub(crate) const TAN_PI_8: f64 = 0.414_213_562_373_095_03;
/// Coefficients of the numerator of the rational approximation of `atan` (Moshier, Cephes `atan.c`), highest first.
pub(crate) const ATAN_P: [f64; 5] = [
    -8.750_608_600_031_904e-1,
    -1.615_753_718_733_365e1,
    -7.500_855_792_314_705e1,
    -1.228_866_684_490_136_1e2,
    -6.485_021_904_942_025e1,
];
/// Coefficients of its monic denominator, without the leading one, highest first.
pub(crate) const ATAN_Q: [f64; 5] = [
    2.485_846_490_142_306e1,
    1.650_270_098_316_988_5e2,
    4.328_810_604_912_902_7e2,
    4.853_903_996_359_137e2,
    1.945_506_571_482_614e2,
];

/// The angle of the point `(x, y)` \[rad\], in `[−π, π]`; 0 at the origin.
///
/// Within 2 units in the last place of the exact value. [`crate::lanes::F64x4::atan2`] computes the same bits.
pub fn atan2(y: f64, x: f64) -> f64 {
    let (ax, ay) = (x.abs(), y.abs());
    let small = ax.min(ay);
    let large = ax.max(ay).max(f64::MIN_POSITIVE);
    let fold = small > TAN_PI_8 * large;
    let numerator = if fold { small - large } else { small };
    let denominator = if fold { small + large } else { large };
    let t = numerator / denominator;
    let z = t * t;
    let [p0, p1, p2, p3, p4] = ATAN_P;
    let [q0, q1, q2, q3, q4] = ATAN_Q;
    let p = (((p0 * z + p1) * z + p2) * z + p3) * z + p4;
    let q = ((((z + q0) * z + q1) * z + q2) * z + q3) * z + q4;
    let base = if fold { std::f64::consts::FRAC_PI_4 } else { 0.0 };
    let octant = base + (t + t * (z * (p / q)));
    let quadrant = if ay > ax { std::f64::consts::FRAC_PI_2 - octant } else { octant };
    let half = if x < 0.0 { std::f64::consts::PI - quadrant } else { quadrant };
    if y < 0.0 { -half } else { half }
}

/// A symmetric 2×2 matrix.
#[derive(Clone, Copy, Debug, Default, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct Sym2 {
    /// First diagonal entry.
    pub xx: f64,
    /// Off-diagonal entry.
    pub xy: f64,
    /// Second diagonal entry.
    pub yy: f64,
}

impl Sym2 {
    /// A multiple of the identity.
    pub fn diagonal(value: f64) -> Self {
        Self { xx: value, xy: 0.0, yy: value }
    }

    /// Eigenvalues, the larger first, and the unit eigenvector `(c, s)` of the larger one.
    pub fn eigen(&self) -> ([f64; 2], [f64; 2]) {
        let mean = 0.5 * (self.xx + self.yy);
        let half = 0.5 * (self.xx - self.yy);
        let radius = (half * half + self.xy * self.xy).sqrt();
        // The column of A − λ₂ I with the larger entry is the better-conditioned eigenvector.
        let column = if half >= 0.0 { [half + radius, self.xy] } else { [self.xy, radius - half] };
        let length = (column[0] * column[0] + column[1] * column[1]).sqrt();
        let vector = if length > 0.0 { [column[0] / length, column[1] / length] } else { [1.0, 0.0] };
        ([mean + radius, mean - radius], vector)
    }

    /// `A²`.
    pub fn squared(&self) -> Self {
        let Self { xx, xy, yy } = *self;
        Self { xx: xx * xx + xy * xy, xy: xy * (xx + yy), yy: xy * xy + yy * yy }
    }

    /// The matrix with the same eigenvectors and other eigenvalues.
    pub fn map_eigenvalues(&self, map: impl Fn(f64) -> f64) -> Self {
        let (eigenvalues, [c, s]) = self.eigen();
        let [high, low] = eigenvalues.map(map);
        let spread = high - low;
        Self { xx: low + spread * c * c, xy: spread * c * s, yy: low + spread * s * s }
    }

    /// The matrix with its negative eigenvalues replaced by zero.
    pub fn positive_part(&self) -> Self {
        let ([high, low], [c, s]) = self.eigen();
        if low >= 0.0 {
            return *self;
        }
        let high = high.max(0.0);
        Self { xx: high * c * c, xy: high * c * s, yy: high * s * s }
    }

    /// `uᵀ A u`.
    pub fn quadratic_form(&self, u: glam::DVec2) -> f64 {
        u.x * (self.xx * u.x + self.xy * u.y) + u.y * (self.xy * u.x + self.yy * u.y)
    }

    /// The sum of two matrices, scaled: `self + scale · other`.
    pub fn plus(&self, scale: f64, other: &Self) -> Self {
        Self {
            xx: self.xx + scale * other.xx,
            xy: self.xy + scale * other.xy,
            yy: self.yy + scale * other.yy,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn atan2_agrees_with_the_library_everywhere() {
        for i in 0..20_000 {
            let angle = (f64::from(i) / 10_000.0 - 1.0) * std::f64::consts::PI;
            for radius in [1e-200, 1e-3, 1.0, 7e9] {
                let (y, x) = (radius * angle.sin(), radius * angle.cos());
                let error = (atan2(y, x) - y.atan2(x)).abs();
                assert!(error <= 4.5e-16 * y.atan2(x).abs().max(1e-300), "{y} {x}: {error}");
            }
        }
        assert_eq!(atan2(0.0, 0.0), 0.0);
        assert_eq!(atan2(0.0, -1.0), std::f64::consts::PI);
    }

    #[test]
    fn the_square_has_the_squares_of_the_eigenvalues() {
        let a = Sym2 { xx: 1.0, xy: 2.0, yy: -3.0 };
        let (squared, mapped) = (a.squared(), a.map_eigenvalues(|eigenvalue| eigenvalue * eigenvalue));
        for (x, y) in [(squared.xx, mapped.xx), (squared.xy, mapped.xy), (squared.yy, mapped.yy)] {
            assert!((x - y).abs() < 1e-13, "{squared:?} {mapped:?}");
        }
        assert_eq!(Sym2::diagonal(4.0).map_eigenvalues(f64::sqrt), Sym2::diagonal(2.0));
    }

    #[test]
    fn positive_part_keeps_positive_eigenvalues() {
        let a = Sym2 { xx: 1.0, xy: 2.0, yy: -3.0 };
        let ([high, low], _) = a.eigen();
        assert!(low < 0.0);
        let ([kept, zero], _) = a.positive_part().eigen();
        assert!((kept - high).abs() < 1e-14 && zero.abs() < 1e-14);
        let b = Sym2 { xx: 3.0, xy: 0.5, yy: 1.0 };
        assert_eq!(b.positive_part(), b);
    }
}
