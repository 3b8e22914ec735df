//! Displacement of the material points by a change of the mesh, although no vertex moves.
//!
//! Before and after a collapse or a flip the same patch of the material plane is covered by other faces. Both surfaces are
//! linear on the pieces in which the faces overlap, so the mean square of their distance is exact.

use glam::{DVec2, DVec3};
use taffeta_core::geometry::doubled_area;

/// A flip waits beyond this times the root mean square by which the pass may move the whole cloth. Smaller: edges are
/// split in half while quads are still stretched; larger: coarse quads turn, which moves most.
const PATIENCE: f64 = 3.0;

/// A face in both spaces.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Patch {
    /// Material coordinates of the corners \[m\], counter-clockwise.
    pub material: [DVec2; 3],
    /// World positions of the corners \[m\].
    pub positions: [DVec3; 3],
}

impl Patch {
    /// The world position of a material point \[m\], on the plane of the face.
    fn at(&self, u: DVec2) -> DVec3 {
        let [a, b, c] = self.material;
        let doubled = (b - a).perp_dot(c - a);
        let (wb, wc) = ((u - a).perp_dot(c - a) / doubled, (b - a).perp_dot(u - a) / doubled);
        let [x, y, z] = self.positions;
        x + (y - x) * wb + (z - x) * wc
    }
}

/// Displacement of the material points by an edit.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Displacement {
    /// The squared distance between the surfaces before and after, integrated over the patch \[m⁴\].
    pub squared: f64,
    /// Area of the patch \[m²\].
    pub area: f64,
}

impl Displacement {
    /// The distance of two surfaces over the same patch of material space.
    pub(crate) fn between(before: &[Patch], after: &[Patch]) -> Self {
        let pairs = before.iter().flat_map(|old| after.iter().map(move |new| (old, new)));
        Self {
            squared: pairs.map(|(old, new)| over_overlap(old, new)).sum(),
            area: before.iter().map(|old| 0.5 * doubled_area(old.material)).sum(),
        }
    }
}

/// Limit of the displacement of the material points of a cloth by edits.
#[derive(Clone, Copy, Debug)]
pub(crate) struct DisplacementBudget {
    /// The squared distance over the cloth, integrated, that is left to the pass \[m⁴\].
    pub left: f64,
    /// Mean squared distance over its faces beyond which a flip waits until splits are done \[m²\].
    pub at_once: f64,
}

impl DisplacementBudget {
    /// Allowance of a pass that may move everything.
    pub(crate) const UNLIMITED: Self = Self { left: f64::INFINITY, at_once: f64::INFINITY };

    /// Allowance of a pass that may move a cloth with an area \[m²\] by a root mean square \[m\].
    pub(crate) fn new(distance: f64, area: f64) -> Self {
        if distance == f64::INFINITY {
            return Self::UNLIMITED;
        }
        Self { left: distance * distance * area, at_once: (PATIENCE * distance).powi(2) }
    }
}

fn over_overlap(old: &Patch, new: &Patch) -> f64 {
    let overlap = clip(new.material, old.material);
    let Some((&first, others)) = overlap.split_first() else { return 0.0 };
    let gap = |u: DVec2| new.at(u) - old.at(u);
    let of_triangle = |pair: &[DVec2]| {
        let area = 0.5 * (pair[0] - first).perp_dot(pair[1] - first);
        let gaps = [gap(first), gap(pair[0]), gap(pair[1])];
        let sum = gaps[0] + gaps[1] + gaps[2];
        // The integral of the square of a linear field.
        area / 12.0 * (gaps.iter().map(|gap| gap.length_squared()).sum::<f64>() + sum.length_squared())
    };
    others.windows(2).map(of_triangle).sum()
}

/// The area of the part of a triangle inside another one, both counter-clockwise \[m²\].
pub(crate) fn overlap_area(triangle: [DVec2; 3], by: [DVec2; 3]) -> f64 {
    let overlap = clip(triangle, by);
    let Some((&first, others)) = overlap.split_first() else { return 0.0 };
    others.windows(2).map(|pair| 0.5 * (pair[0] - first).perp_dot(pair[1] - first)).sum()
}

/// The part of a triangle inside another one, both counter-clockwise (I. E. Sutherland, G. W. Hodgman, Reentrant polygon
/// clipping, 1974).
fn clip(triangle: [DVec2; 3], by: [DVec2; 3]) -> Vec<DVec2> {
    let mut polygon = triangle.to_vec();
    for k in 0..3 {
        let (start, way) = (by[k], by[(k + 1) % 3] - by[k]);
        let height = |u: DVec2| way.perp_dot(u - start);
        let mut kept = Vec::with_capacity(polygon.len() + 1);
        for (i, &here) in polygon.iter().enumerate() {
            let next = polygon[(i + 1) % polygon.len()];
            let (h, g) = (height(here), height(next));
            if h >= 0.0 {
                kept.push(here);
            }
            if (h >= 0.0) != (g >= 0.0) {
                kept.push(here + (next - here) * (h / (h - g)));
            }
        }
        polygon = kept;
    }
    polygon
}

#[cfg(test)]
mod tests {
    use super::*;

    fn patch(corners: [usize; 3], points: &[(DVec2, DVec3)]) -> Patch {
        Patch { material: corners.map(|k| points[k].0), positions: corners.map(|k| points[k].1) }
    }

    fn squared(before: &[Patch], after: &[Patch]) -> f64 {
        Displacement::between(before, after).squared
    }

    fn point(u: f64, v: f64, height: f64) -> (DVec2, DVec3) {
        (DVec2::new(u, v), DVec3::new(u, v, height))
    }

    #[test]
    fn a_flip_of_a_bent_square_moves_a_tent() {
        // One corner is 1 cm up: the diagonals are .5 cm apart, and so high is the tent over the square.
        let points =
            [point(0.0, 0.0, 0.0), point(1.0, 0.0, 0.0), point(1.0, 1.0, 0.01), point(0.0, 1.0, 0.0)];
        let old = [patch([0, 1, 2], &points), patch([0, 2, 3], &points)];
        let new = [patch([0, 1, 3], &points), patch([1, 2, 3], &points)];
        let exact = 0.005_f64.powi(2) / 6.0;
        assert!((squared(&old, &new) / exact - 1.0).abs() < 1e-12);
        assert!((squared(&new, &old) / exact - 1.0).abs() < 1e-12);
        assert!(squared(&old, &old) < 1e-30);
    }

    #[test]
    fn a_collapse_moves_what_a_dense_sum_says() {
        // A fan of six faces around a vertex off the middle and up, which goes into one of its neighbors.
        let rim = |k: usize| {
            let (s, c) = (k as f64).sin_cos();
            point(c, s, 0.02 * (k as f64 * 1.7).sin())
        };
        let mut points: Vec<_> = (0..6).map(rim).collect();
        points.push(point(0.1, 0.05, 0.05));
        let old: Vec<_> = (0..6).map(|k| patch([k, (k + 1) % 6, 6], &points)).collect();
        let new: Vec<_> = (1..5).map(|k| patch([0, k, k + 1], &points)).collect();
        let inside = |u: DVec2, faces: &[Patch]| {
            let is_in = |face: &&Patch| {
                (0..3).all(|k| {
                    (face.material[(k + 1) % 3] - face.material[k]).perp_dot(u - face.material[k]) >= 0.0
                })
            };
            faces.iter().find(is_in).map(|face| face.at(u))
        };
        let n = 500;
        let mut sum = 0.0;
        for i in 0..n * n {
            let at = |k: i32| (f64::from(k) + 0.5) / f64::from(n) * 2.0 - 1.0;
            let u = DVec2::new(at(i % n), at(i / n));
            if let (Some(x), Some(y)) = (inside(u, &old), inside(u, &new)) {
                sum += x.distance_squared(y) * (2.0 / f64::from(n)).powi(2);
            }
        }
        let found = squared(&old, &new);
        assert!((found / sum - 1.0).abs() < 5e-3, "{found} {sum}");
    }
}
