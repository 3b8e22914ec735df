//! A stitch: a thread that pulls two vertices together until they are as close as it is long.
//!
//! With the gap `d = x_b − x_a` and the excess `x = |d| − ℓ` over the length `ℓ` of the thread, the energy is `½ k x²` up to an
//! excess of `r`, and goes on with the constant force `k r` beyond: a seam that cannot close pulls, but does not tear.
//! Where the thread is slack there is no force. As a constraint vector this is `C = c(x) d/|d|`, `α = 1/k`, with `c = x` up
//! to `r` and `c = √(r (2x − r))` beyond. Three rows and not one: across the gap they stay stiff when it closes, where a
//! distance has no direction.

use super::{Block, Curvature, Jacobian};
use glam::{DMat3, DVec3};
use nalgebra::{SMatrix, Vector3};
use taffeta_core::VertexIndex;

/// See the module page.
#[derive(Clone, Debug)]
pub struct Stitch {
    /// What is sewn together.
    pub vertices: [VertexIndex; 2],
    /// Length of the thread `ℓ`, greater than 0 \[m\].
    pub length: f64,
    /// Stiffness `k` \[N/m\].
    pub stiffness: f64,
    /// Excess `r` beyond which the force does not grow \[m\].
    pub reach: f64,
}

impl Stitch {
    /// `c` and its derivative at an excess.
    fn profile(&self, excess: f64) -> (f64, f64) {
        if excess <= self.reach {
            return (excess, 1.0);
        }
        let c = (self.reach * (2.0 * excess - self.reach)).sqrt();
        (c, self.reach / c)
    }

    /// Direction, length and profile of the gap; `None` where the thread is slack.
    fn pull(&self, x: &[DVec3; 2]) -> Option<(DVec3, f64, (f64, f64))> {
        let gap = x[1] - x[0];
        let distance = gap.length();
        let excess = distance - self.length;
        (excess > 0.0).then(|| (gap / distance, distance, self.profile(excess)))
    }

    /// The tension of the thread \[N\].
    pub fn tension(&self, x: &[DVec3; 2]) -> f64 {
        self.pull(x).map_or(0.0, |(_, _, (c, slope))| self.stiffness * c * slope)
    }
}

/// `n nᵀ`.
fn along(n: DVec3) -> DMat3 {
    DMat3::from_cols(n * n.x, n * n.y, n * n.z)
}

impl Block<3, 2> for Stitch {
    fn vertices(&self) -> [VertexIndex; 2] {
        self.vertices
    }

    fn constraint(&self, x: &[DVec3; 2]) -> Vector3<f64> {
        let c = self.pull(x).map_or(DVec3::ZERO, |(n, _, (c, _))| n * c);
        Vector3::new(c.x, c.y, c.z)
    }

    /// `± (c' n nᵀ + c/|d| (I − n nᵀ))`.
    fn jacobian(&self, x: &[DVec3; 2]) -> Jacobian<3, 2> {
        let Some((n, distance, (c, slope))) = self.pull(x) else { return [[DVec3::ZERO; 2]; 3] };
        let across = c / distance;
        let matrix = along(n) * (slope - across) + DMat3::from_diagonal(DVec3::splat(across));
        std::array::from_fn(|row| [-matrix.row(row), matrix.row(row)])
    }

    fn compliance(&self) -> SMatrix<f64, 3, 3> {
        SMatrix::<f64, 3, 3>::from_diagonal_element(1.0 / self.stiffness)
    }

    fn stiffness(&self) -> SMatrix<f64, 3, 3> {
        SMatrix::<f64, 3, 3>::from_diagonal_element(self.stiffness)
    }

    fn damping(&self) -> f64 {
        0.0
    }

    /// What `Jᵀ k J` lacks to the Hessian of the energy: `k (c c'' ) n nᵀ + k (c c'/|d| − c²/|d|²)(I − n nᵀ)`.
    fn geometric_stiffness(
        &self,
        x: &[DVec3; 2],
        _stress: &Vector3<f64>,
        curvature: Curvature,
    ) -> Option<[[DMat3; 2]; 2]> {
        let (n, distance, (c, slope)) = self.pull(x)?;
        let is_bounded = slope < 1.0;
        let stretch = if is_bounded { -slope * slope } else { 0.0 };
        let turn = c * slope / distance - (c / distance).powi(2);
        let [stretch, turn] = match curvature {
            Curvature::Exact => [stretch, turn],
            Curvature::Clamped => [stretch.max(0.0), turn.max(0.0)],
        };
        let own = (along(n) * (stretch - turn) + DMat3::from_diagonal(DVec3::splat(turn))) * self.stiffness;
        Some([[own, -own], [-own, own]])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::block::testing::{assert_gradients_sum_to_zero, assert_hessian, assert_jacobian};

    const X: [DVec3; 2] = [DVec3::new(0.1, 0.2, -0.1), DVec3::new(0.4, -0.1, 0.2)];

    fn example(length: f64, reach: f64) -> Stitch {
        Stitch { vertices: [0, 1].map(VertexIndex), length, stiffness: 40.0, reach }
    }

    #[test]
    fn derivatives_agree_with_finite_differences() {
        for (length, reach) in [(0.3, 1.0), (0.01, 1.0), (0.3, 0.05), (0.01, 0.05)] {
            assert_jacobian(&example(length, reach), X);
            assert_gradients_sum_to_zero(&example(length, reach), X);
            assert_hessian(&example(length, reach), X);
        }
    }

    #[test]
    fn the_clamped_hessian_bounds_the_exact_one_and_is_not_negative() {
        for (length, reach) in [(0.3, 1.0), (0.3, 0.05), (0.01, 0.05)] {
            let stitch = example(length, reach);
            let stress = stitch.stiffness() * stitch.constraint(&X);
            let own =
                |curvature| stitch.geometric_stiffness(&X, &stress, curvature).expect("it is taut")[0][0];
            let (exact, clamped) = (own(Curvature::Exact), own(Curvature::Clamped));
            for direction in [DVec3::X, DVec3::Y, X[1] - X[0], (X[1] - X[0]).any_orthogonal_vector()] {
                let (exact, clamped) = (direction.dot(exact * direction), direction.dot(clamped * direction));
                assert!(clamped >= exact - 1e-12 && clamped >= -1e-12, "{exact} {clamped}");
            }
        }
    }

    #[test]
    fn a_slack_thread_does_not_push_and_a_long_gap_pulls_no_harder_than_the_reach_allows() {
        let slack = example(1.0, 0.1);
        assert_eq!((slack.energy(&X), slack.tension(&X)), (0.0, 0.0));
        assert_eq!(slack.energy(&[X[0]; 2]), 0.0, "no direction where both are at one place");
        let taut = example(0.01, 0.1);
        assert!((taut.tension(&X) - 40.0 * 0.1).abs() < 1e-12);
        let far = [X[0], X[0] + 10.0 * (X[1] - X[0])];
        assert!((taut.tension(&far) - 40.0 * 0.1).abs() < 1e-12);
        let near = [X[0], X[0] + DVec3::X * 0.02];
        assert!((taut.tension(&near) - 40.0 * 0.01).abs() < 1e-12);
    }
}
