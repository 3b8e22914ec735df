//! Singular values of 3×2 and 3×3 matrices, and what projections do to them.
//!
//! Both decompositions are closed or converge in a few rotations, and use nothing but roots: the same bits everywhere.

use glam::{DMat3, DVec3};
use taffeta_core::lanes::{F64x4, Vec3x4};
use taffeta_core::math::{self, Sym2};

/// A second singular value below this part of the first has lost its direction in round-off.
const DEGENERATE: f64 = 1e-9;
/// Relative gap of the eigenvalues below which they are taken for equal.
const EQUAL: f64 = 1e-14;
/// Sweeps of rotations at most; three or four are the rule.
const MAX_SWEEPS: usize = 30;
/// Iterations of the projection on a product of singular values at most.
const MAX_PRODUCT_STEPS: usize = 200;

/// The 3×2 matrix with the columns `f` after a change of its singular values `σ₁ ≥ σ₂ ≥ 0`.
///
/// `F V diag(σ′/σ) Vᵀ` with the eigenvectors `V` of `FᵀF`, written as a function of that matrix. A matrix whose columns are
/// parallel has no second direction: it gets one that is perpendicular to the first.
pub fn change_singular_values_2(f: [DVec3; 2], change: impl Fn([f64; 2]) -> [f64; 2]) -> [DVec3; 2] {
    let [f1, f2] = f;
    let (b, half) = (f1.dot(f2), 0.5 * (f1.dot(f1) - f2.dot(f2)));
    let radius = (half * half + b * b).sqrt();
    let first = 0.5 * (f1.dot(f1) + f2.dot(f2)) + radius;
    let high = first.sqrt();
    // From the area, which does not cancel as the difference of the eigenvalues does.
    let low = if high > 0.0 { f1.cross(f2).length() / high } else { 0.0 };
    let [new_high, new_low] = change([high, low]);
    if low <= DEGENERATE * high || high < f64::MIN_POSITIVE {
        return rebuild_degenerate(f, high, [new_high, new_low]);
    }
    let (h1, h2) = (new_high / high, new_low / low);
    let slope = if radius > EQUAL * first { (h1 - h2) / (2.0 * radius) } else { 0.0 };
    let (m11, m12, m22) = (h1 + slope * (half - radius), slope * b, h1 - slope * (half + radius));
    [f1 * m11 + f2 * m12, f1 * m12 + f2 * m22]
}

/// The matrix with new singular values where the second direction is lost.
fn rebuild_degenerate([f1, f2]: [DVec3; 2], high: f64, [new_high, new_low]: [f64; 2]) -> [DVec3; 2] {
    let gram = Sym2 { xx: f1.dot(f1), xy: f1.dot(f2), yy: f2.dot(f2) };
    let (_, [c, s]) = gram.eigen();
    let along = if high >= f64::MIN_POSITIVE { (f1 * c + f2 * s).normalize_or_zero() } else { DVec3::X };
    let along = if along == DVec3::ZERO { DVec3::X } else { along };
    let across = along.any_orthonormal_vector();
    [along * (c * new_high) - across * (s * new_low), along * (s * new_high) + across * (c * new_low)]
}

/// [`change_singular_values_2`] for four matrices: clamps the singular values to `[low, high]`. Lanes that are
/// degenerate are not of use; the second result is below 1 for them.
#[inline(always)]
pub(super) fn clamp_singular_values_x4(
    [f1, f2]: [Vec3x4; 2],
    [low, high]: [F64x4; 2],
) -> ([Vec3x4; 2], F64x4) {
    let half_one = F64x4::splat(0.5);
    let (a, b, c) = (f1.dot(f1), f1.dot(f2), f2.dot(f2));
    let half = half_one * (a - c);
    let radius = (half * half + b * b).sqrt();
    let first = half_one * (a + c) + radius;
    let s1 = first.sqrt();
    let normal = f1.cross(f2);
    let s2 = normal.dot(normal).sqrt() / s1;
    let h1 = s1.max(low).min(high) / s1;
    let h2 = s2.max(low).min(high) / s2;
    let zero = F64x4::splat(0.0);
    let slope = (h1 - h2) / (radius + radius);
    let slope = radius.select_greater(F64x4::splat(EQUAL) * first, slope, zero);
    let (m11, m12, m22) = (h1 + slope * (half - radius), slope * b, h1 - slope * (half + radius));
    let proper = s2.select_greater(F64x4::splat(DEGENERATE) * s1, F64x4::splat(1.0), zero);
    ([f1 * m11 + f2 * m12, f1 * m12 + f2 * m22], proper)
}

/// A decomposition `F = Σ σᵢ uᵢ vᵢᵀ` with rotations `U`, `V` and `σ₁ ≥ σ₂ ≥ |σ₃|`: only the last singular value may be
/// negative, and is if `F` turns space inside out.
#[derive(Clone, Copy, Debug)]
pub struct SignedSingularValues {
    /// The left singular vectors as columns: a rotation.
    pub u: DMat3,
    /// The singular values.
    pub sigma: [f64; 3],
    /// The right singular vectors as columns: a rotation.
    pub v: DMat3,
}

impl SignedSingularValues {
    /// Decomposes a matrix by one-sided rotations (Hestenes 1958).
    pub fn of(f: DMat3) -> Self {
        let mut b = [f.x_axis, f.y_axis, f.z_axis];
        let mut v = [DVec3::X, DVec3::Y, DVec3::Z];
        for _ in 0..MAX_SWEEPS {
            let turned = [(0, 1), (0, 2), (1, 2)].map(|(p, q)| rotate_pair(&mut b, &mut v, p, q));
            if turned == [false; 3] {
                break;
            }
        }
        let mut order = [0, 1, 2];
        let size = |k: usize| b[k].length_squared();
        order.sort_by(|i, j| size(*j).total_cmp(&size(*i)));
        let [b, mut v] = [order.map(|k| b[k]), order.map(|k| v[k])];
        if v[0].cross(v[1]).dot(v[2]) < 0.0 {
            v[2] = -v[2];
        }
        let last = if v[2].dot(f.transpose() * b[2]) < 0.0 { -b[2] } else { b[2] };
        let u0 = if b[0].length() >= f64::MIN_POSITIVE { b[0].normalize() } else { DVec3::X };
        let side = b[1] - u0 * u0.dot(b[1]);
        let is_degenerate = side.length() <= 1e-14 * b[0].length() || side.length() < f64::MIN_POSITIVE;
        let u1 = if is_degenerate { u0.any_orthonormal_vector() } else { side.normalize() };
        let u2 = u0.cross(u1);
        Self {
            u: DMat3::from_cols(u0, u1, u2),
            sigma: [b[0].dot(u0), b[1].dot(u1), last.dot(u2)],
            v: DMat3::from_cols(v[0], v[1], v[2]),
        }
    }

    /// The matrix with other singular values.
    pub fn with(&self, sigma: [f64; 3]) -> DMat3 {
        self.u * DMat3::from_diagonal(DVec3::from_array(sigma)) * self.v.transpose()
    }
}

/// Makes two columns of `b = F v` perpendicular; whether they were not.
fn rotate_pair(b: &mut [DVec3; 3], v: &mut [DVec3; 3], p: usize, q: usize) -> bool {
    let (alpha, beta, gamma) = (b[p].length_squared(), b[q].length_squared(), b[p].dot(b[q]));
    // What is not a number must end the sweeps too.
    let is_turned = gamma.abs() > 1e-15 * (alpha * beta).sqrt() && gamma != 0.0;
    if !is_turned {
        return false;
    }
    let zeta = (beta - alpha) / (2.0 * gamma);
    let t = 1.0 / (zeta.abs() + (1.0 + zeta * zeta).sqrt());
    let t = if zeta < 0.0 { -t } else { t };
    let c = 1.0 / (1.0 + t * t).sqrt();
    let s = c * t;
    for columns in [b, v] {
        let (left, right) = (columns[p], columns[q]);
        columns[p] = left * c - right * s;
        columns[q] = left * s + right * c;
    }
    true
}

/// The singular values closest to `sigma` whose product lies in `[low, high]`.
///
/// Bouaziz et al. 2014, appendix: `min |D|²` with `Π(σᵢ + Dᵢ) = c` by the iteration `D ← (∇C·D − C) ∇C / |∇C|²`. It may
/// settle slowly where the values are far from the product; the values are then scaled to it.
pub fn clamp_product<const N: usize>(sigma: [f64; N], [low, high]: [f64; 2]) -> [f64; N] {
    let product = |s: &[f64; N]| s.iter().product::<f64>();
    let target = product(&sigma).clamp(low, high);
    if target == product(&sigma) {
        return sigma;
    }
    let mut change = [0.0; N];
    for _ in 0..MAX_PRODUCT_STEPS {
        let s: [f64; N] = std::array::from_fn(|i| sigma[i] + change[i]);
        let slope: [f64; N] =
            std::array::from_fn(|i| (0..N).filter(|j| *j != i).map(|j| s[j]).product::<f64>());
        let square: f64 = slope.iter().map(|g| g * g).sum();
        if square.is_nan() || square <= 0.0 {
            // No direction leads away from where two of them are zero: all values alike are as close as any.
            return [math::exp(math::ln(target) / N as f64); N];
        }
        let along: f64 = slope.iter().zip(&change).map(|(g, d)| g * d).sum();
        let scale = (along - (product(&s) - target)) / square;
        let next = slope.map(|g| g * scale);
        let moved: f64 = next.iter().zip(&change).map(|(a, b)| (a - b).abs()).sum();
        change = next;
        if moved <= 1e-15 * sigma.iter().fold(1.0, |m: f64, s| m.max(s.abs())) {
            break;
        }
    }
    let s: [f64; N] = std::array::from_fn(|i| sigma[i] + change[i]);
    let ratio = target / product(&s);
    let scale = if ratio > 0.0 { math::exp(math::ln(ratio) / N as f64) } else { 1.0 };
    s.map(|s| s * scale)
}
