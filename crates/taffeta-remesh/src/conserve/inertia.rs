//! Inertia: what a motion has that keeps linear and angular momentum.

use glam::{DMat3, DVec3};

/// An axis about which the ring has less than this fraction of its largest moment of inertia cannot take angular
/// momentum: the ring is collinear to 1 in 100 000. Without the limit, round-off would become a fast spin.
const INERTIA_CUTOFF: f64 = 1e-10;

/// A vertex in motion.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Body {
    /// Lumped mass per areal density \[m²\].
    pub mass: f64,
    /// Position from the reference \[m\].
    pub arm: DVec3,
    pub velocity: DVec3,
    pub is_free: bool,
}

/// Mass, center and inertia of the free vertices of a ring.
pub(crate) struct Inertia {
    pub mass: f64,
    pub center: DVec3,
    moments: DVec3,
    axes: DMat3,
    /// True if the ring may turn: nothing holds it.
    can_turn: bool,
}

impl Inertia {
    /// `None` if nothing is free.
    pub(crate) fn of_free(bodies: &[Body]) -> Option<Self> {
        let free = || bodies.iter().filter(|body| body.is_free);
        let mass: f64 = free().map(|body| body.mass).sum();
        if mass <= 0.0 {
            return None;
        }
        let center = free().map(|body| body.mass * body.arm).sum::<DVec3>() / mass;
        let mut tensor = DMat3::ZERO;
        for body in free() {
            let r = body.arm - center;
            let outer = DMat3::from_cols(r * r.x, r * r.y, r * r.z);
            tensor += body.mass * (DMat3::from_diagonal(DVec3::splat(r.length_squared())) - outer);
        }
        let (moments, axes) = eigen_symmetric(tensor);
        Some(Self { mass, center, moments, axes, can_turn: bodies.iter().all(|body| body.is_free) })
    }

    /// The angular velocity \[rad/s\] that carries an angular momentum about the center: the pseudo-inverse of the
    /// inertia. A collinear ring has no inertia about its line; one that is held does not turn.
    pub(crate) fn rate_of(&self, angular: DVec3) -> DVec3 {
        if !self.can_turn {
            return DVec3::ZERO;
        }
        let limit = INERTIA_CUTOFF * self.moments.max_element();
        let along = self.axes.transpose() * angular;
        let mut rate = DVec3::ZERO;
        for k in 0..3 {
            if self.moments[k] > limit {
                rate += self.axes.col(k) * (along[k] / self.moments[k]);
            }
        }
        rate
    }
}

/// Eigenvalues and eigenvectors (columns) of a symmetric matrix by cyclic Jacobi rotations (Golub, Van Loan, Matrix
/// Computations, §8.5). The closed form by cosines loses half of the digits of small eigenvalues.
fn eigen_symmetric(matrix: DMat3) -> (DVec3, DMat3) {
    let mut a = matrix.to_cols_array_2d();
    let mut v = DMat3::IDENTITY;
    // Quadratic convergence: five sweeps reach round-off, the others guard.
    for _ in 0..8 {
        let off = a[0][1].abs() + a[0][2].abs() + a[1][2].abs();
        if off == 0.0 {
            break;
        }
        for (p, q) in [(0, 1), (0, 2), (1, 2)] {
            if a[p][q] == 0.0 {
                continue;
            }
            let tau = (a[q][q] - a[p][p]) / (2.0 * a[p][q]);
            let t = tau.signum() / (tau.abs() + (1.0 + tau * tau).sqrt());
            let c = 1.0 / (1.0 + t * t).sqrt();
            let s = t * c;
            for row in &mut a {
                (row[p], row[q]) = (c * row[p] - s * row[q], s * row[p] + c * row[q]);
            }
            let (row_p, row_q) = (a[p], a[q]);
            a[p] = std::array::from_fn(|k| c * row_p[k] - s * row_q[k]);
            a[q] = std::array::from_fn(|k| s * row_p[k] + c * row_q[k]);
            (a[p][q], a[q][p]) = (0.0, 0.0);
            let (vp, vq) = (v.col(p), v.col(q));
            *v.col_mut(p) = c * vp - s * vq;
            *v.col_mut(q) = s * vp + c * vq;
        }
    }
    (DVec3::new(a[0][0], a[1][1], a[2][2]), v)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn eigenvectors_diagonalize() {
        let outer = |v: DVec3| DMat3::from_cols(v * v.x, v * v.y, v * v.z);
        let cases = [
            DMat3::from_diagonal(DVec3::new(1.0, 2.0, 3.0)),
            outer(DVec3::new(1.0, 2.0, -1.0)) + 1e-9 * outer(DVec3::new(0.3, 0.1, 5.0)),
            DMat3::from_diagonal(DVec3::splat(4.0)) - outer(DVec3::new(0.5, 1.0, 1.5)),
            DMat3::ZERO,
        ];
        for matrix in cases {
            let (values, vectors) = eigen_symmetric(matrix);
            let again = vectors * DMat3::from_diagonal(values) * vectors.transpose();
            let scale = values.abs().max_element().max(1.0);
            assert!((again - matrix).to_cols_array().iter().all(|x| x.abs() < 1e-14 * scale));
            let unit = vectors * vectors.transpose() - DMat3::IDENTITY;
            assert!(unit.to_cols_array().iter().all(|x| x.abs() < 1e-14));
        }
    }
}
