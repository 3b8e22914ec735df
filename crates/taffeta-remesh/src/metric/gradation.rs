//! Gradation: how fast the wanted size may change from place to place.
//!
//! `h_j ≤ h_i (1 + ln β |u|/h_i)` along every edge `u`, and for tensors `M_j ≥ (1 + ln β |u|_{M_i})⁻² M_i` (F. Alauzet,
//! Size gradation control of anisotropic meshes, 2010). For the same size in all directions the two are the same.

use crate::metric::{Metric, intersect};
use glam::DVec2;
use taffeta_core::math::{self, Sym2};

/// The wanted size grows at most by this factor per edge of wanted length. Smaller: more vertices around details;
/// larger: triangles that are badly shaped because their neighbors differ too much.
pub const GRADATION: f64 = 1.4;

/// Sweeps of gradation over the edges in one pass, alternating in direction. A detail at the far end of an unlucky
/// numbering takes more; the relaxation in time then carries its influence on in the next pass.
pub(crate) const GRADATION_SWEEPS: usize = 6;

/// Relative growth of a metric below which a sweep counts as without effect. Intersections are exact to round-off only,
/// so without it the sweeps would not end.
const SETTLED: f64 = 1e-6;

/// An edge along which the change of the size is bounded.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SizeLimit {
    /// Numbers of the ends.
    pub ends: [usize; 2],
    /// From the first to the second end \[m\], in material space.
    pub edge: DVec2,
}

/// Bounds the growth of sizes \[m\], in at most so many sweeps.
pub(crate) fn grade_sizes(limits: &[SizeLimit], sizes: &mut [f64], beta: f64, sweeps: usize) {
    let slope = math::ln(beta);
    let limits: Vec<([usize; 2], f64)> =
        limits.iter().map(|limit| (limit.ends, slope * limit.edge.length())).collect();
    let relax = |&([a, b], growth): &([usize; 2], f64)| {
        let (size_a, size_b) = (sizes[a], sizes[b]);
        sizes[a] = size_a.min(size_b + growth);
        sizes[b] = size_b.min(size_a + growth);
        sizes[a] < size_a || sizes[b] < size_b
    };
    sweep_until_settled(&limits, sweeps, relax);
}

/// Bounds the growth of metrics \[1/m²\], in at most so many sweeps.
pub(crate) fn grade_metrics(limits: &[SizeLimit], metrics: &mut [Metric], beta: f64, sweeps: usize) {
    let slope = math::ln(beta);
    let relax = |&SizeLimit { ends: [a, b], edge }: &SizeLimit| {
        let before = [metrics[a], metrics[b]];
        let seen_from = |metric: &Metric| {
            let factor = 1.0 + slope * metric.quadratic_form(edge).sqrt();
            Sym2::default().plus(1.0 / (factor * factor), metric)
        };
        let after =
            [intersect(&before[0], &seen_from(&before[1])), intersect(&before[1], &seen_from(&before[0]))];
        let mut changed = false;
        for (v, (old, new)) in [a, b].into_iter().zip(before.iter().zip(after)) {
            let (old_trace, new_trace) = (old.xx + old.yy, new.xx + new.yy);
            if new_trace > old_trace * (1.0 + SETTLED) {
                metrics[v] = new;
                changed = true;
            }
        }
        changed
    };
    sweep_until_settled(limits, sweeps, relax);
}

fn sweep_until_settled<T>(limits: &[T], sweeps: usize, mut relax: impl FnMut(&T) -> bool) {
    for sweep in 0..sweeps {
        let count_changes = |changes: usize, changed: bool| changes + usize::from(changed);
        let changes = if sweep % 2 == 0 {
            limits.iter().map(&mut relax).fold(0, count_changes)
        } else {
            limits.iter().rev().map(&mut relax).fold(0, count_changes)
        };
        if changes == 0 {
            break;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::metric::{isotropic_size, metric_of_size};

    /// A line of 40 edges of 0.1 m.
    fn line() -> Vec<SizeLimit> {
        (0..40).map(|k| SizeLimit { ends: [k, k + 1], edge: DVec2::new(0.06, 0.08) }).collect()
    }

    #[test]
    fn sizes_grow_linearly_away_from_a_detail_and_tensors_alike() {
        let mut sizes = vec![5.0; 41];
        sizes[25] = 0.01;
        let mut metrics: Vec<Metric> = sizes.iter().map(|&size| metric_of_size(size)).collect();
        grade_sizes(&line(), &mut sizes, 1.3, 100);
        grade_metrics(&line(), &mut metrics, 1.3, 100);
        for (k, (size, metric)) in sizes.iter().zip(&metrics).enumerate() {
            let exact = 0.01 + 1.3_f64.ln() * 0.1 * (k as f64 - 25.0).abs();
            assert!((size - exact).abs() < 1e-12 && (isotropic_size(metric) - exact).abs() < 1e-6 * exact);
        }
    }

    #[test]
    fn after_gradation_of_tensors_every_edge_keeps_its_bound() {
        let mut metrics = vec![Sym2::diagonal(0.1); 41];
        metrics[7] = Sym2 { xx: 1e4, xy: 0.0, yy: 4.0 };
        metrics[30] = Sym2 { xx: 20.0, xy: 300.0, yy: 1e4 };
        grade_metrics(&line(), &mut metrics, 1.4, 200);
        for SizeLimit { ends, edge } in line() {
            for [i, j] in [ends, [ends[1], ends[0]]] {
                let factor = 1.0 + 1.4_f64.ln() * metrics[i].quadratic_form(edge).sqrt();
                let needed = Sym2::default().plus(1.0 / (factor * factor), &metrics[i]);
                let excess = needed.plus(-1.0, &metrics[j]).positive_part();
                assert!(excess.xx + excess.yy <= 1e-5 * (metrics[j].xx + metrics[j].yy), "{i} to {j}");
            }
        }
    }
}
