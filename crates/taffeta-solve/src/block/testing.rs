//! Comparisons that the tests of all blocks share.

use super::*;

/// Compares the Jacobian with central differences.
pub(crate) fn assert_jacobian<const R: usize, const V: usize>(block: &impl Block<R, V>, x: [DVec3; V]) {
    let step = 1e-6 * x[0].distance(x[1]);
    let exact = block.jacobian(&x);
    let scale = exact.iter().flatten().map(|g| g.length()).fold(0.0, f64::max);
    for v in 0..V {
        for axis in 0..3 {
            let shifted = |sign: f64| {
                let mut y = x;
                y[v][axis] += sign * step;
                block.constraint(&y)
            };
            let difference = (shifted(1.0) - shifted(-1.0)) / (2.0 * step);
            for r in 0..R {
                let error = (difference[r] - exact[r][v][axis]).abs();
                assert!(error < 1e-8 * scale, "row {r}, vertex {v}, axis {axis}: {error} of {scale}");
            }
        }
    }
}

/// Compares `Jᵀ α⁻¹ J` and the exact curvature with central differences of the forces.
pub(crate) fn assert_hessian<const R: usize, const V: usize>(block: &impl Block<R, V>, x: [DVec3; V]) {
    let step = 1e-6 * x[0].distance(x[1]);
    let force = |y: &[DVec3; V]| {
        let (stress, j) = (block.stiffness() * block.constraint(y), block.jacobian(y));
        let at = |v: usize| (0..R).map(|r| j[r][v] * stress[r]).sum::<DVec3>();
        std::array::from_fn::<DVec3, V, _>(at)
    };
    let (stiffness, j) = (block.stiffness(), block.jacobian(&x));
    let stress = stiffness * block.constraint(&x);
    let curved = block.geometric_stiffness(&x, &stress, Curvature::Exact);
    for b in 0..V {
        for axis in 0..3 {
            let shifted = |sign: f64| {
                let mut y = x;
                y[b][axis] += sign * step;
                force(&y)
            };
            let (plus, minus) = (shifted(1.0), shifted(-1.0));
            for a in 0..V {
                let difference = (plus[a] - minus[a]) / (2.0 * step);
                let mut exact = curved.map_or(DVec3::ZERO, |curved| curved[a][b].col(axis));
                for r in 0..R {
                    let column: f64 = (0..R).map(|s| stiffness[(r, s)] * j[s][b][axis]).sum();
                    exact += j[r][a] * column;
                }
                let scale = j.iter().flatten().map(|g| g.length_squared()).fold(0.0, f64::max);
                let error = (difference - exact).length();
                assert!(error < 1e-7 * scale * stiffness[(0, 0)], "{a}, {b}, {axis}: {error}");
            }
        }
    }
}

/// Checks that the gradients of every row add up to zero, i.e. that the block keeps linear momentum.
pub(crate) fn assert_gradients_sum_to_zero<const R: usize, const V: usize>(
    block: &impl Block<R, V>,
    x: [DVec3; V],
) {
    for row in block.jacobian(&x) {
        let scale = row.iter().map(|g| g.length()).fold(0.0, f64::max);
        assert!(row.iter().sum::<DVec3>().length() < 1e-13 * scale);
    }
}
