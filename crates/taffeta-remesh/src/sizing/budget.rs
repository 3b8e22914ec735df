//! The best mesh of so many vertices: where a cloth asks for more than it may have, all of it gets coarser by the same factor.
//!
//! A metric asks for a number of vertices in proportion to its complexity `∫ √det M dA` (A. Loseille, F. Alauzet, Continuous mesh
//! framework, 2011).

use crate::metric::{Metric, determinant};
use crate::sizing::settings::RemeshSettings;
use crate::sizing::working::Working;
use taffeta_core::geometry::doubled_area;
use taffeta_core::math::Sym2;

/// Vertices that a mesh has at most for a complexity of 1, before it is coarsened: 2.5 to 4 were counted on sheets that swing and
/// drape. Those that come out finer are stopped at the limit itself.
const DENSITY: f64 = 3.7;
/// Rounds in which the other sizes make up for those that are at their upper limit.
const ROUNDS: u32 = 12;

/// Makes the wanted sizes of cloths larger that would get more vertices than they may have. Returns those cloths, in increasing
/// order.
pub(crate) fn keep_within_budget<'a>(
    working: &mut Working,
    settings_of: impl Fn(u32) -> &'a RemeshSettings,
) -> Vec<u32> {
    let mut cloths: Vec<u32> = working.cloths.iter().flatten().copied().collect();
    cloths.sort_unstable();
    cloths.dedup();
    let mut limited = Vec::new();
    for _ in 0..ROUNDS {
        let complexities = complexities(working);
        let mut factors = vec![1.0; complexities.len()];
        for cloth in &cloths {
            let number = *cloth as usize;
            factors[number] = DENSITY * complexities[number] / settings_of(*cloth).max_vertices as f64;
        }
        let is_enough = |cloth: &u32| factors[*cloth as usize] <= 1.0 + 1e-3;
        if cloths.iter().all(is_enough) {
            break;
        }
        limited.extend(cloths.iter().filter(|cloth| !is_enough(cloth)));
        for (slot, cloth) in working.cloths.iter().enumerate() {
            let Some(cloth) = cloth.filter(|cloth| !is_enough(cloth)) else { continue };
            let least = 1.0 / settings_of(cloth).size_max.powi(2);
            working.metrics[slot] = coarsen(&working.metrics[slot], factors[cloth as usize], least);
        }
    }
    limited.sort_unstable();
    limited.dedup();
    limited
}

/// Divides a metric by a factor, but no eigenvalue below the least allowed.
fn coarsen(metric: &Metric, factor: f64, least: f64) -> Metric {
    let divided = Sym2::default().plus(1.0 / factor, metric);
    divided.map_eigenvalues(|eigenvalue| eigenvalue.max(least))
}

/// `∫ √det M dA` of each cloth, over its rest shape.
fn complexities(working: &Working) -> Vec<f64> {
    let mut sums = vec![0.0; working.kinds.len()];
    for row in &working.faces {
        let root = |slot: u32| determinant(&working.metrics[slot as usize]).max(0.0).sqrt();
        let mean = row.corners.into_iter().map(root).sum::<f64>() / 3.0;
        sums[row.cloth as usize] += 0.5 * doubled_area(row.material) * mean;
    }
    sums
}
