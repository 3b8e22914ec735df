//! Sums and products of long vectors, in a fixed order.

use taffeta_core::lanes::vectorized;

/// Partial sums of a dot product: wide enough for vector code, and part of the definition of the result.
const PARTS: usize = 8;

/// The dot product, in eight interleaved partial sums.
pub(super) fn dot(a: &[f64], b: &[f64]) -> f64 {
    vectorized(
        #[inline(always)]
        || {
            let mut sums = [0.0; PARTS];
            let (a, a_rest) = a.as_chunks::<PARTS>();
            let (b, b_rest) = b.as_chunks::<PARTS>();
            for (a, b) in a.iter().zip(b) {
                for k in 0..PARTS {
                    sums[k] += a[k] * b[k];
                }
            }
            sums.iter().sum::<f64>() + a_rest.iter().zip(b_rest).map(|(a, b)| a * b).sum::<f64>()
        },
    )
}

/// `x += alpha p` and `r -= alpha q`, in one pass.
pub(super) fn advance(alpha: f64, (x, p): (&mut [f64], &[f64]), (r, q): (&mut [f64], &[f64])) {
    vectorized(
        #[inline(always)]
        || {
            let pairs = x.iter_mut().zip(p).zip(r.iter_mut().zip(q));
            for ((x, p), (r, q)) in pairs {
                *x += alpha * p;
                *r -= alpha * q;
            }
        },
    );
}

/// `y = x + factor y`.
pub(super) fn scale_and_add(y: &mut [f64], factor: f64, x: &[f64]) {
    vectorized(
        #[inline(always)]
        || y.iter_mut().zip(x).for_each(|(y, x)| *y = x + factor * *y),
    );
}
