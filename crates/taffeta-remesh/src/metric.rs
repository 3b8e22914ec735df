//! Metrics: how long an edge of material space is, in units of the size that is wanted there.

use glam::DVec2;
use taffeta_core::math::Sym2;

/// A sizing metric \[1/m²\] in material space: `√(uᵀ M u)` is the length of `u` in wanted edge lengths.
pub type Metric = Sym2;

/// The size of an edge `u` \[m\] in wanted lengths, `√( ½ uᵀ (M_i + M_j) u )`; 1 is just fine enough.
#[inline]
pub fn edge_size(u: DVec2, metric_i: &Metric, metric_j: &Metric) -> f64 {
    (0.5 * (metric_i.quadratic_form(u) + metric_j.quadratic_form(u))).sqrt()
}

/// The smallest isotropic metric that is nowhere smaller than any of the given ones.
///
/// Isotropic until bending is the same on meshes of any anisotropy; the place where a tensor-valued bound will go.
pub fn dominate(metrics: impl IntoIterator<Item = Metric>) -> Metric {
    Sym2::diagonal(metrics.into_iter().map(|metric| largest_eigenvalue(&metric)).fold(0.0, f64::max))
}

/// [`Sym2::eigen`] without the eigenvector.
#[inline]
fn largest_eigenvalue(metric: &Metric) -> f64 {
    let half = 0.5 * (metric.xx - metric.yy);
    0.5 * (metric.xx + metric.yy) + (half * half + metric.xy * metric.xy).sqrt()
}

/// The edge length \[m\] that an isotropic metric wants.
#[inline]
pub fn isotropic_size(metric: &Metric) -> f64 {
    1.0 / metric.xx.sqrt()
}

/// The isotropic metric that wants an edge length \[m\].
#[inline]
pub fn metric_of_size(size: f64) -> Metric {
    Sym2::diagonal(1.0 / (size * size))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_edge_of_the_wanted_length_has_size_one() {
        let metric = metric_of_size(0.02);
        assert!((edge_size(DVec2::new(0.012, 0.016), &metric, &metric) - 1.0).abs() < 1e-14);
        assert!((isotropic_size(&metric) - 0.02).abs() < 1e-16);
    }

    #[test]
    fn the_dominating_metric_is_nowhere_smaller() {
        let metrics = [Sym2 { xx: 3.0, xy: 1.0, yy: 0.5 }, Sym2 { xx: 0.1, xy: -0.4, yy: 2.0 }];
        let bound = dominate(metrics);
        for k in 0..32 {
            let (s, c) = (f64::from(k) * 0.2).sin_cos();
            let u = DVec2::new(c, s);
            assert!(metrics.iter().all(|m| m.quadratic_form(u) <= bound.quadratic_form(u) + 1e-14));
        }
    }
}
