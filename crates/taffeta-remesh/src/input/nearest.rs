//! The point of the input surface nearest to a point in space, found by going from face to face.
//!
//! A search of all faces would also find what is close by but far along the surface, such as the other side of a fold or
//! of a thin sheet.

use crate::input::origin::Origin;
use crate::input::surface::{InputSurface, sample};
use glam::DVec3;
use std::cmp::Reverse;
use std::collections::{BTreeSet, BinaryHeap};
use taffeta_core::geometry::closest_point_on_triangle;

/// Faces that are looked at without coming closer before the search ends. All faces around a vertex may be equally close,
/// so this bounds the valence that the search gets past.
const PATIENCE: usize = 64;

/// A point closer than this part of a face's longest side is on the face.
const ON_FACE: f64 = 1e-12;

impl InputSurface {
    /// The nearest point of the input that a search from some of its faces finds.
    pub(crate) fn nearest(&self, starts: impl Iterator<Item = u32>, point: DVec3) -> Origin {
        let mut seen: BTreeSet<u32> = BTreeSet::new();
        let mut ahead: BinaryHeap<Reverse<(u64, u32)>> = BinaryHeap::new();
        // Squares of distances are not negative, so their bits sort like the numbers.
        let rank = |face: u32| {
            Reverse((self.distance_squared(&self.nearest_on(face, point), point).to_bits(), face))
        };
        for face in starts {
            if seen.insert(face) {
                ahead.push(rank(face));
            }
        }
        let (mut best, mut face) = ahead.peek().expect("a search starts at some face").0;
        let mut patience = PATIENCE;
        while let Some(Reverse((distance, at))) = ahead.pop() {
            (best, face, patience) =
                if distance < best { (distance, at, PATIENCE) } else { (best, face, patience - 1) };
            let longest = self.longest_side_squared(face);
            if patience == 0 || f64::from_bits(best) <= ON_FACE * ON_FACE * longest {
                break;
            }
            for next in self.chart.panels.neighbors[at as usize].into_iter().flatten() {
                if seen.insert(next) {
                    ahead.push(rank(next));
                }
            }
        }
        self.nearest_on(face, point)
    }

    /// World position \[m\] of a place on the input.
    pub(crate) fn position_at(&self, origin: &Origin) -> DVec3 {
        sample(&self.chart.faces, &self.positions, origin)
    }

    fn corners_of(&self, face: u32) -> [DVec3; 3] {
        self.chart.faces[face as usize].map(|v| self.positions[v as usize])
    }

    fn nearest_on(&self, face: u32, point: DVec3) -> Origin {
        Origin { face, weights: closest_point_on_triangle(point, self.corners_of(face)) }
    }

    fn distance_squared(&self, origin: &Origin, point: DVec3) -> f64 {
        self.position_at(origin).distance_squared(point)
    }

    fn longest_side_squared(&self, face: u32) -> f64 {
        let [a, b, c] = self.corners_of(face);
        a.distance_squared(b).max(b.distance_squared(c)).max(c.distance_squared(a))
    }
}
