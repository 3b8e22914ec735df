//! A stitch: a thread that draws one vertex to a place beside another, which moves toward it.
//!
//! The miss is `e = (x_b − x_a) − d`, where `d` is the gap that is wanted. The energy is `½ k |e|²` up to a miss of `r`,
//! and goes on with the constant force `k r` beyond. A seam that cannot close pulls, but does not tear. As a constraint
//! vector this is `C = c(|e|) e/|e|`, `α = 1/k`, with `c = |e|` up to `r` and `c = √(r (2 |e| − r))` beyond. Up to `r` it
//! is linear.
//!
//! The gap has a direction in space: what turns while it is sewn is held back, and its angular momentum not kept.
//!
//! A thread with a length, which only pulls, was tried: where it is slack it is not there, and where it is taut it knows one
//! direction. Newton's method took most of its iterations to find out which threads are taut.

use super::{Block, Curvature, Jacobian};
use crate::matrices::outer;
use glam::{DMat3, DVec3};
use nalgebra::{SMatrix, Vector3};
use taffeta_core::VertexIndex;

/// See the module page.
#[derive(Clone, Debug)]
pub struct Stitch {
    /// The two vertices that are sewn together.
    pub vertices: [VertexIndex; 2],
    /// The gap `d` that is wanted, from the first to the second \[m\].
    pub gap: DVec3,
    /// Stiffness `k` \[N/m\].
    pub stiffness: f64,
    /// Miss `r` beyond which the force does not grow \[m\].
    pub reach: f64,
}

impl Stitch {
    /// Direction and size of the miss with the profile `c` and its derivative there.
    fn pull(&self, x: &[DVec3; 2]) -> (DVec3, f64, (f64, f64)) {
        let miss = x[1] - x[0] - self.gap;
        let size = miss.length();
        if size <= self.reach {
            return (miss.normalize_or_zero(), size, (size, 1.0));
        }
        let c = (self.reach * (2.0 * size - self.reach)).sqrt();
        (miss / size, size, (c, self.reach / c))
    }

    /// The tension of the thread \[N\].
    pub fn tension(&self, x: &[DVec3; 2]) -> f64 {
        let (_, _, (c, slope)) = self.pull(x);
        self.stiffness * c * slope
    }
}

impl Block<3, 2> for Stitch {
    fn vertices(&self) -> [VertexIndex; 2] {
        self.vertices
    }

    fn constraint(&self, x: &[DVec3; 2]) -> Vector3<f64> {
        let (n, _, (c, _)) = self.pull(x);
        Vector3::new(n.x * c, n.y * c, n.z * c)
    }

    /// `± (c' n nᵀ + c/|e| (I − n nᵀ))`.
    fn jacobian(&self, x: &[DVec3; 2]) -> Jacobian<3, 2> {
        let (n, size, (c, slope)) = self.pull(x);
        let across = if size > self.reach { c / size } else { 1.0 };
        let matrix = outer(n, n) * (slope - across) + DMat3::from_diagonal(DVec3::splat(across));
        std::array::from_fn(|row| [-matrix.row(row), matrix.row(row)])
    }

    fn stiffness(&self) -> SMatrix<f64, 3, 3> {
        SMatrix::<f64, 3, 3>::from_diagonal_element(self.stiffness)
    }

    /// Difference between the Hessian of the energy and `Jᵀ k J`: `k c c'' n nᵀ + k (c c'/|e| − c²/|e|²)(I − n nᵀ)`.
    fn geometric_stiffness(
        &self,
        x: &[DVec3; 2],
        _stress: &Vector3<f64>,
        curvature: Curvature,
    ) -> Option<[[DMat3; 2]; 2]> {
        let (n, size, (c, slope)) = self.pull(x);
        if size <= self.reach {
            return None;
        }
        let (stretch, turn) = (-slope * slope, c * slope / size - (c / size).powi(2));
        let [stretch, turn] = match curvature {
            Curvature::Exact => [stretch, turn],
            Curvature::Clamped => [stretch.max(0.0), turn.max(0.0)],
        };
        let own =
            (outer(n, n) * (stretch - turn) + DMat3::from_diagonal(DVec3::splat(turn))) * self.stiffness;
        Some([[own, -own], [-own, own]])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::block::testing::{assert_gradients_sum_to_zero, assert_hessian, assert_jacobian};

    const X: [DVec3; 2] = [DVec3::new(0.1, 0.2, -0.1), DVec3::new(0.4, -0.1, 0.2)];
    const GAP: DVec3 = DVec3::new(0.2, 0.1, 0.05);

    fn example(gap: DVec3, reach: f64) -> Stitch {
        Stitch { vertices: [0, 1].map(VertexIndex), gap, stiffness: 40.0, reach }
    }

    #[test]
    fn derivatives_agree_with_finite_differences() {
        for (gap, reach) in [(GAP, 1.0), (DVec3::ZERO, 1.0), (GAP, 0.05), (DVec3::ZERO, 0.05)] {
            assert_jacobian(&example(gap, reach), X);
            assert_gradients_sum_to_zero(&example(gap, reach), X);
            assert_hessian(&example(gap, reach), X);
        }
    }

    #[test]
    fn the_clamped_hessian_bounds_the_exact_one_and_is_not_negative() {
        for gap in [GAP, DVec3::ZERO] {
            let stitch = example(gap, 0.05);
            let stress = stitch.stiffness() * stitch.constraint(&X);
            let own =
                |curvature| stitch.geometric_stiffness(&X, &stress, curvature).expect("it is far")[0][0];
            let (exact, clamped) = (own(Curvature::Exact), own(Curvature::Clamped));
            let miss = X[1] - X[0] - gap;
            for direction in [DVec3::X, DVec3::Y, miss, miss.any_orthogonal_vector()] {
                let (exact, clamped) = (direction.dot(exact * direction), direction.dot(clamped * direction));
                assert!(clamped >= exact - 1e-12 && clamped >= -1e-12, "{exact} {clamped}");
            }
        }
    }

    #[test]
    fn a_thread_holds_its_gap_in_all_directions_and_pulls_no_harder_than_its_reach_allows() {
        let stitch = example(GAP, 0.1);
        let at = |miss: DVec3| [X[0], X[0] + GAP + miss];
        assert!(stitch.energy(&at(DVec3::ZERO)) < 1e-30 && stitch.tension(&at(DVec3::ZERO)) < 1e-14);
        for direction in [DVec3::X, -DVec3::X, DVec3::Z, DVec3::new(0.6, 0.0, -0.8)] {
            assert!((stitch.tension(&at(direction * 0.02)) - 40.0 * 0.02).abs() < 1e-12);
            for size in [0.1, 0.5, 20.0] {
                assert!((stitch.tension(&at(direction * size)) - 40.0 * 0.1).abs() < 1e-9);
            }
        }
        let stiffness = stitch.jacobian(&at(DVec3::ZERO));
        assert_eq!(stiffness[1], [-DVec3::Y, DVec3::Y], "also where there is no miss");
    }
}
