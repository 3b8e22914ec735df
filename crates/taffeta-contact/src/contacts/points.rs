//! The two points of a contact, and by what they are carried.

use crate::broad::pair::{Closest, Pair, PairKind};
use glam::DVec3;

/// Pair of touching features, by the vertices that carry the two points in ascending order, filled up with the
/// greatest number.
pub(crate) type Feature = [[u32; 3]; 2];

/// A point of a primitive.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Point {
    /// The vertices that carry it, of which the first `count` count, and their weights.
    pub vertices: [u32; 3],
    pub weights: [f64; 3],
    pub count: usize,
}

impl Point {
    /// The value of a field at the point.
    pub(crate) fn interpolate(&self, field: impl Fn(u32) -> DVec3) -> DVec3 {
        (0..self.count).map(|i| field(self.vertices[i]) * self.weights[i]).sum()
    }
}

/// The closest points of a pair.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ContactPoints {
    pub points: [Point; 2],
}

impl ContactPoints {
    /// Builds the points of a pair without the vertices whose weight is zero.
    pub(crate) fn new(pair: &Pair, found: &Closest) -> Self {
        let point = |range: std::ops::Range<usize>| {
            let mut point = Point { vertices: [pair.vertices[range.start]; 3], weights: [0.0; 3], count: 0 };
            for k in range.filter(|k| found.weights[*k] != 0.0) {
                point.vertices[point.count] = pair.vertices[k];
                point.weights[point.count] = found.weights[k];
                point.count += 1;
            }
            point
        };
        let split = pair.split();
        debug_assert!(split == 1 || pair.kind == PairKind::EdgeEdge);
        Self { points: [point(0..split), point(split..4)] }
    }

    /// The pair of touching features.
    pub(crate) fn feature(&self) -> Feature {
        let mut feature = self.points.map(|point| {
            let mut carriers = [u32::MAX; 3];
            carriers[..point.count].copy_from_slice(&point.vertices[..point.count]);
            carriers.sort_unstable();
            carriers
        });
        feature.sort_unstable();
        feature
    }
}
