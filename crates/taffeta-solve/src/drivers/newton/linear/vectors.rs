//! Sums and products of long vectors, in a fixed order.

use taffeta_core::lanes::vectorized;
use taffeta_core::tasks::share_out;

/// Partial sums of a dot product: wide enough for vector code, and part of the definition of the result.
const PARTS: usize = 8;
/// Entries that one task takes, and are summed up by themselves.
const CHUNK: usize = 8192;

/// The dot product: of each chunk in eight interleaved partial sums, the chunks one after the other.
pub(crate) fn dot(a: &[f64], b: &[f64]) -> f64 {
    let chunk = |number: usize| {
        let range = number * CHUNK..a.len().min((number + 1) * CHUNK);
        dot_of_chunk(&a[range.clone()], &b[range])
    };
    if a.len() <= CHUNK {
        return dot_of_chunk(a, b);
    }
    let mut sums = vec![0.0; a.len().div_ceil(CHUNK)];
    share_out(&mut sums, 1, |first, sums| {
        sums.iter_mut().zip(first..).for_each(|(sum, number)| *sum = chunk(number));
    });
    sums.iter().sum()
}

fn dot_of_chunk(a: &[f64], b: &[f64]) -> f64 {
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

/// `y += factor x`.
pub(crate) fn add_scaled(y: &mut [f64], factor: f64, x: &[f64]) {
    share_out(y, CHUNK, |first, y| {
        vectorized(
            #[inline(always)]
            || y.iter_mut().zip(&x[first..]).for_each(|(y, x)| *y += factor * x),
        );
    });
}

/// `y = x + factor y`.
pub(crate) fn scale_and_add(y: &mut [f64], factor: f64, x: &[f64]) {
    share_out(y, CHUNK, |first, y| {
        vectorized(
            #[inline(always)]
            || y.iter_mut().zip(&x[first..]).for_each(|(y, x)| *y = x + factor * *y),
        );
    });
}
