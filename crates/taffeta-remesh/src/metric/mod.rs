//! Metrics: how long an edge of material space is, in units of the size that is wanted there.

pub(crate) mod enclose;
pub(crate) mod frame;
pub(crate) mod gradation;

use glam::DVec2;
use taffeta_core::math::Sym2;

/// A sizing metric \[1/m²\] in material space: `√(uᵀ M u)` is the length of `u` in wanted edge lengths.
pub type Metric = Sym2;

/// The size of an edge `u` \[m\] in wanted lengths, `√( ½ uᵀ (M_i + M_j) u )`; 1 is just fine enough.
#[inline]
pub fn edge_size(u: DVec2, metric_i: &Metric, metric_j: &Metric) -> f64 {
    (0.5 * (metric_i.quadratic_form(u) + metric_j.quadratic_form(u))).sqrt()
}

/// The smallest metric with the same length in all directions that is nowhere smaller.
#[inline]
pub(crate) fn isotropic_bound(metric: &Metric) -> Metric {
    Sym2::diagonal(largest_eigenvalue(metric))
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

/// The geometric mean \[m\] of the edge lengths that a metric wants in its two main directions; `h` of `I/h²`.
pub fn mean_size(metric: &Metric) -> f64 {
    1.0 / determinant(metric).sqrt().sqrt()
}

/// The isotropic metric that wants an edge length \[m\].
#[inline]
pub fn metric_of_size(size: f64) -> Metric {
    Sym2::diagonal(1.0 / (size * size))
}

/// `M^(−½)` \[m\]: the lengths that a metric wants, as a tensor. Sizes between two places are interpolated in this form,
/// so that scalar sizes are linear.
pub(crate) fn size_tensor(metric: &Metric) -> Sym2 {
    // √M = (M + √det M · I)/√(tr M + 2√det M), by Cayley and Hamilton, and det √M = √det M.
    let root = determinant(metric).sqrt();
    let scale = (metric.xx + metric.yy + 2.0 * root).sqrt() * root;
    Sym2 { xx: (metric.yy + root) / scale, xy: -metric.xy / scale, yy: (metric.xx + root) / scale }
}

/// The inverse of [`size_tensor`].
pub(crate) fn metric_of_size_tensor(size: &Sym2) -> Metric {
    let scale = 1.0 / determinant(size);
    let (xx, xy, yy) = (scale * size.yy, -scale * size.xy, scale * size.xx);
    Sym2 { xx: xx * xx + xy * xy, xy: xy * (xx + yy), yy: xy * xy + yy * yy }
}

pub(crate) fn determinant(tensor: &Sym2) -> f64 {
    tensor.xx * tensor.yy - tensor.xy * tensor.xy
}

/// Returns whether a metric wants the same length in all directions, to the bit.
#[inline]
pub(crate) fn is_isotropic(metric: &Metric) -> bool {
    metric.xx == metric.yy && metric.xy == 0.0
}

/// The smallest metric with the axes of both that is nowhere smaller than either: in the frame where the first one is
/// the unit matrix, `I + [B − I]₊` (F. Alauzet, Size gradation control of anisotropic meshes, 2010, §2.4).
pub(crate) fn intersect(a: &Metric, b: &Metric) -> Metric {
    if is_isotropic(a) && is_isotropic(b) {
        return Sym2::diagonal(a.xx.max(b.xx));
    }
    let inverse_root = size_tensor(a);
    let root = Sym2::default().plus(1.0 / determinant(&inverse_root), &adjugate(&inverse_root));
    let unit = Sym2::diagonal(1.0);
    let excess = congruence(&inverse_root, b).plus(-1.0, &unit).positive_part();
    if excess == Sym2::default() { *a } else { congruence(&root, &unit.plus(1.0, &excess)) }
}

/// Brings the eigenvalues into a range \[1/m²\], so that no length is wanted that is not in `[size_min, size_max]` \[m\].
pub(crate) fn clamp_sizes(metric: &Metric, [size_min, size_max]: [f64; 2]) -> Metric {
    let (least, most) = (1.0 / (size_max * size_max), 1.0 / (size_min * size_min));
    metric.map_eigenvalues(|eigenvalue| eigenvalue.clamp(least, most))
}

/// Raises the smaller eigenvalue until the lengths in the two main directions differ by at most a factor.
pub(crate) fn bound_aspect(metric: &Metric, aspect: f64) -> Metric {
    let ([high, low], [c, s]) = metric.eigen();
    let raised = high / (aspect * aspect);
    if low >= raised {
        return *metric;
    }
    let spread = high - raised;
    Sym2 { xx: raised + spread * c * c, xy: spread * c * s, yy: raised + spread * s * s }
}

fn adjugate(a: &Sym2) -> Sym2 {
    Sym2 { xx: a.yy, xy: -a.xy, yy: a.xx }
}

/// `S X S` of symmetric matrices.
fn congruence(s: &Sym2, x: &Sym2) -> Sym2 {
    let [a, b] = [s.xx * x.xx + s.xy * x.xy, s.xx * x.xy + s.xy * x.yy];
    let [c, d] = [s.xy * x.xx + s.yy * x.xy, s.xy * x.xy + s.yy * x.yy];
    Sym2 { xx: a * s.xx + b * s.xy, xy: a * s.xy + b * s.yy, yy: c * s.xy + d * s.yy }
}

#[cfg(test)]
mod tests {
    use super::*;

    const METRICS: [Sym2; 4] = [
        Sym2 { xx: 4.0, xy: 1.0, yy: 0.5 },
        Sym2 { xx: 0.1, xy: -0.4, yy: 2.0 },
        Sym2 { xx: 900.0, xy: 0.0, yy: 900.0 },
        Sym2 { xx: 1e6, xy: 2e3, yy: 5.0 },
    ];

    fn directions() -> impl Iterator<Item = DVec2> {
        (0..32).map(|k| (f64::from(k) * 0.2).sin_cos()).map(|(s, c)| DVec2::new(c, s))
    }

    #[test]
    fn sizes_as_tensors_give_the_metric_back() {
        for metric in METRICS {
            let again = metric_of_size_tensor(&size_tensor(&metric));
            for u in directions() {
                let ratio = again.quadratic_form(u) / metric.quadratic_form(u);
                assert!((ratio - 1.0).abs() < 1e-8, "{metric:?}: {ratio}");
            }
        }
        let size = size_tensor(&metric_of_size(0.02));
        assert!((size.xx - 0.02).abs() < 1e-16 && is_isotropic(&size));
    }

    #[test]
    fn the_intersection_is_nowhere_smaller_and_touches_both() {
        for a in METRICS {
            for b in METRICS {
                let bound = intersect(&a, &b);
                let larger = |u: DVec2| a.quadratic_form(u).max(b.quadratic_form(u));
                assert!(
                    directions().all(|u| bound.quadratic_form(u) >= larger(u) * (1.0 - 1e-9)),
                    "{a:?} {b:?}"
                );
                // A determinant above both of them only where neither contains the other.
                assert!(determinant(&bound) >= determinant(&a).max(determinant(&b)) * (1.0 - 1e-9));
            }
            assert_eq!(intersect(&a, &a.plus(-0.5, &a)), a);
        }
    }

    #[test]
    fn the_aspect_is_bounded_by_refining_the_longer_direction() {
        for metric in METRICS {
            let bound = bound_aspect(&metric, 3.0);
            let ([high, low], _) = bound.eigen();
            let ([before, _], _) = metric.eigen();
            assert!((high / before - 1.0).abs() < 1e-12 && high <= 9.0 * low * (1.0 + 1e-9), "{metric:?}");
            assert!(directions().all(|u| bound.quadratic_form(u) >= metric.quadratic_form(u) * (1.0 - 1e-9)));
        }
    }

    #[test]
    fn an_edge_of_the_wanted_length_has_size_one() {
        let metric = metric_of_size(0.02);
        assert!((edge_size(DVec2::new(0.012, 0.016), &metric, &metric) - 1.0).abs() < 1e-14);
        assert!((isotropic_size(&metric) - 0.02).abs() < 1e-16);
    }

    #[test]
    fn the_mean_size_does_not_depend_on_the_axes() {
        assert!((mean_size(&metric_of_size(0.02)) - 0.02).abs() < 1e-16);
        let (c, s) = (0.6, 0.8);
        let [long, short]: [f64; 2] = [1.0 / (0.16 * 0.16), 1.0 / (0.04 * 0.04)];
        let turned = Sym2 {
            xx: long * c * c + short * s * s,
            xy: (long - short) * c * s,
            yy: long * s * s + short * c * c,
        };
        assert!((mean_size(&turned) - 0.08).abs() < 1e-14);
    }

    #[test]
    fn clamped_metrics_want_lengths_within_the_limits() {
        for metric in METRICS {
            let clamped = clamp_sizes(&metric, [0.02, 0.3]);
            let lengths = clamped.eigen().0.map(|eigenvalue| 1.0 / eigenvalue.sqrt());
            assert!(lengths[0] >= 0.02 * (1.0 - 1e-12) && lengths[1] <= 0.3 * (1.0 + 1e-12), "{lengths:?}");
        }
        let within = Sym2 { xx: 300.0, xy: 20.0, yy: 100.0 };
        let kept = clamp_sizes(&within, [0.02, 0.3]);
        assert!((kept.xx - within.xx).abs() < 1e-12 * within.xx && (kept.xy - within.xy).abs() < 1e-11);
        assert_eq!(isotropic_bound(&Sym2::diagonal(7.0)), Sym2::diagonal(7.0));
    }
}
