//! Eigenvalues of a symmetric matrix by Jacobi's rotations. They are in elementary arithmetic only, so that the bits are
//! the same everywhere. The eigenvectors stay those of the axes where the matrix is diagonal already.

use nalgebra::SMatrix;

/// Rounds over all off-diagonal entries. Convergence is quadratic: four rounds suffice for 3×3, the rest is margin.
const ROUNDS: usize = 10;

/// `Q` with orthonormal columns and `d` such that `matrix = Q diag(d) Qᵀ`.
pub(crate) fn diagonalize<const N: usize>(matrix: &SMatrix<f64, N, N>) -> (SMatrix<f64, N, N>, [f64; N]) {
    let (mut d, mut q) = (*matrix, SMatrix::identity());
    for _ in 0..ROUNDS {
        for p in 0..N {
            for r in p + 1..N {
                rotate(&mut d, &mut q, [p, r]);
            }
        }
    }
    (q, std::array::from_fn(|k| d[(k, k)]))
}

/// Makes one off-diagonal entry zero.
fn rotate<const N: usize>(d: &mut SMatrix<f64, N, N>, q: &mut SMatrix<f64, N, N>, [p, r]: [usize; 2]) {
    if d[(p, r)] == 0.0 {
        return;
    }
    let ratio = (d[(r, r)] - d[(p, p)]) / (2.0 * d[(p, r)]);
    let tangent = ratio.signum() / (ratio.abs() + (ratio * ratio + 1.0).sqrt());
    let cosine = 1.0 / (tangent * tangent + 1.0).sqrt();
    let sine = tangent * cosine;
    for k in 0..N {
        let (a, b) = (d[(k, p)], d[(k, r)]);
        (d[(k, p)], d[(k, r)]) = (cosine * a - sine * b, sine * a + cosine * b);
    }
    for k in 0..N {
        let (a, b) = (d[(p, k)], d[(r, k)]);
        (d[(p, k)], d[(r, k)]) = (cosine * a - sine * b, sine * a + cosine * b);
        let (a, b) = (q[(k, p)], q[(k, r)]);
        (q[(k, p)], q[(k, r)]) = (cosine * a - sine * b, sine * a + cosine * b);
    }
    (d[(p, r)], d[(r, p)]) = (0.0, 0.0);
}

#[cfg(test)]
mod tests {
    use super::*;
    use nalgebra::{Matrix3, Vector3};

    #[test]
    fn vectors_and_values_make_up_the_matrix() {
        let examples = [
            Matrix3::new(2.0, -0.6, 0.1, -0.6, 5.0, 0.4, 0.1, 0.4, 7.0),
            Matrix3::new(1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0) * 1e-7,
            Matrix3::new(1.0, -0.3, 0.0, -0.3, 1.0, 0.0, 0.0, 0.0, 2.6) * 1e-3,
        ];
        for matrix in examples {
            let (q, d) = diagonalize(&matrix);
            let again = q * Matrix3::from_diagonal(&Vector3::from(d)) * q.transpose();
            assert!((again - matrix).norm() < 1e-15 * matrix.norm(), "{again} against {matrix}");
            assert!((q.transpose() * q - Matrix3::identity()).norm() < 1e-14);
        }
    }

    #[test]
    fn a_diagonal_matrix_keeps_its_axes() {
        let (q, d) = diagonalize(&Matrix3::from_diagonal(&Vector3::new(3.0, 1.0, 2.0)));
        assert_eq!((q, d), (Matrix3::identity(), [3.0, 1.0, 2.0]));
    }
}
