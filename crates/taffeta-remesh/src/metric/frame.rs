//! Shape as a metric sees it: angles and qualities in the plane that the metric stretches to unit lengths.

use crate::metric::{Metric, determinant, is_isotropic};
use glam::DVec2;
use taffeta_core::geometry::{doubled_area, triangle_quality};
use taffeta_core::math::{self, Sym2};

/// A metric of determinant 1: areas are those of material space, angles and ratios of lengths those of the metric.
#[derive(Clone, Copy, Debug)]
pub(crate) struct MetricFrame {
    tensor: Sym2,
    is_isotropic: bool,
}

impl MetricFrame {
    /// Angles as they are.
    pub(crate) const ISOTROPIC: Self =
        Self { tensor: Sym2 { xx: 1.0, xy: 0.0, yy: 1.0 }, is_isotropic: true };

    /// The mean of some metrics.
    pub(crate) fn of<const N: usize>(metrics: [Metric; N]) -> Self {
        if metrics.iter().all(is_isotropic) {
            return Self::ISOTROPIC;
        }
        let sum = metrics.iter().fold(Sym2::default(), |sum, metric| sum.plus(1.0, metric));
        let root = determinant(&sum).sqrt();
        Self { tensor: Sym2::default().plus(1.0 / root, &sum), is_isotropic: false }
    }

    /// The scalar product of the frame.
    #[inline]
    pub(crate) fn dot(&self, p: DVec2, q: DVec2) -> f64 {
        if self.is_isotropic {
            return p.dot(q);
        }
        let Sym2 { xx, xy, yy } = self.tensor;
        p.x * (xx * q.x + xy * q.y) + p.y * (xy * q.x + yy * q.y)
    }

    /// [`triangle_quality`] in the frame.
    #[inline]
    pub(crate) fn quality(&self, [a, b, c]: [DVec2; 3]) -> f64 {
        if self.is_isotropic {
            return triangle_quality([a, b, c]);
        }
        let length = |u: DVec2| self.tensor.quadratic_form(u).sqrt();
        let perimeter = length(b - a) + length(c - b) + length(a - c);
        6.0 * 3.0_f64.sqrt() * doubled_area([a, b, c]) / (perimeter * perimeter)
    }
}

/// The smallest angle of a triangle \[rad\] in the mean of the metrics at its corners; not positive if it is turned over.
pub fn smallest_angle_in(corners: [DVec2; 3], metrics: [Metric; 3]) -> f64 {
    let frame = MetricFrame::of(metrics);
    let angle = |k: usize| {
        let (p, q) = (corners[(k + 1) % 3] - corners[k], corners[(k + 2) % 3] - corners[k]);
        math::atan2(p.perp_dot(q), frame.dot(p, q))
    };
    (0..3).map(angle).fold(f64::INFINITY, f64::min)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stretched_equilateral_triangle_has_quality_one_in_its_metric() {
        let stretch = DVec2::new(0.2, 0.01);
        let corners =
            [DVec2::ZERO, DVec2::new(1.0, 0.0), DVec2::new(0.5, 0.75_f64.sqrt())].map(|u| u * stretch);
        let metric = Sym2 { xx: 1.0 / stretch.x.powi(2), xy: 0.0, yy: 1.0 / stretch.y.powi(2) };
        let frame = MetricFrame::of([metric, metric.plus(3.0, &metric)]);
        assert!((frame.quality(corners) - 1.0).abs() < 1e-12);
        assert!(MetricFrame::ISOTROPIC.quality(corners) < 0.3);
        assert!((smallest_angle_in(corners, [metric; 3]).to_degrees() - 60.0).abs() < 1e-9);
        let [a, b, c] = corners;
        assert!(smallest_angle_in([a, c, b], [metric; 3]) < 0.0);
        assert!(
            (smallest_angle_in([DVec2::ZERO, DVec2::X, DVec2::Y], [Metric::diagonal(3.0); 3]).to_degrees()
                - 45.0)
                .abs()
                < 1e-9
        );
        let (p, q) = (corners[1], corners[2]);
        assert!((frame.dot(p, q) / (frame.dot(p, p) * frame.dot(q, q)).sqrt() - 0.5).abs() < 1e-12);
    }
}
