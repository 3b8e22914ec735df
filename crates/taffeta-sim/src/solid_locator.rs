//! Which tetrahedron of a solid a point of its rest shape lies in.

use crate::solid::barycentric_of;
use glam::DVec3;

/// How far outside of a tetrahedron, in its barycentric coordinates, a point counts as in it: round-off.
const SLACK: f64 = 1e-9;
/// Tetrahedra per bucket, about: a bucket overlaps several times as many as it has the volume of.
const PER_BUCKET: usize = 2;
/// Buckets: more would take more memory than the tetrahedra.
const MAX_BUCKETS: usize = 1 << 20;

/// A place in a solid: the corners of a tetrahedron and their barycentric weights.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SolidPlace {
    /// Corners, as numbers of the solid's vertices.
    pub corners: [u32; 4],
    /// Barycentric weights of the corners.
    pub weights: [f64; 4],
}

impl SolidPlace {
    /// The value there of a field that is given at the vertices and linear in between.
    pub fn mix(&self, field: &[DVec3]) -> DVec3 {
        self.corners.iter().zip(self.weights).map(|(v, w)| field[*v as usize] * w).sum()
    }
}

/// Finds the tetrahedron at a point: tetrahedra sorted into a grid of buckets. [`crate::World::solid_point`], which looks
/// through all of them, finds the same.
pub struct SolidLocator<'a> {
    positions: &'a [DVec3],
    tetrahedra: &'a [[u32; 4]],
    low: DVec3,
    /// Sides of a bucket \[m\].
    bucket: DVec3,
    counts: [usize; 3],
    buckets: Vec<Vec<u32>>,
}

impl<'a> SolidLocator<'a> {
    /// Sorts tetrahedra, which have volumes, by the positions of their corners \[m\].
    ///
    /// # Panics
    /// If there are no vertices, or a corner is none of them.
    pub fn build(positions: &'a [DVec3], tetrahedra: &'a [[u32; 4]]) -> Self {
        let low = positions.iter().copied().reduce(DVec3::min).expect("a solid has vertices");
        let high = positions.iter().copied().fold(low, DVec3::max);
        let size = (high - low).max(DVec3::splat(f64::MIN_POSITIVE));
        let wanted = (tetrahedra.len() / PER_BUCKET).clamp(1, MAX_BUCKETS) as f64;
        let mut side = (size.x * size.y * size.z / wanted).cbrt();
        let divide = |side: f64| (size / side).to_array().map(|count| (count as usize).clamp(1, MAX_BUCKETS));
        // What is thinner than a bucket has too many of them along its other sides.
        while divide(side).map(|count| count as f64).iter().product::<f64>() > 8.0 * wanted {
            side *= 2.0;
        }
        let counts = divide(side);
        let bucket = size / DVec3::from_array(counts.map(|count| count as f64));
        let buckets = vec![Vec::new(); counts.iter().product()];
        let mut locator = Self { positions, tetrahedra, low, bucket, counts, buckets };
        for (number, corners) in tetrahedra.iter().enumerate() {
            let [a, b, c, d] = corners.map(|v| positions[v as usize]);
            let first = locator.bucket_of(a.min(b).min(c.min(d)));
            let last = locator.bucket_of(a.max(b).max(c.max(d)));
            for k in first[2]..=last[2] {
                for j in first[1]..=last[1] {
                    for i in first[0]..=last[0] {
                        let bucket = locator.number_of([i, j, k]);
                        locator.buckets[bucket].push(number as u32);
                    }
                }
            }
        }
        locator
    }

    fn bucket_of(&self, point: DVec3) -> [usize; 3] {
        let at = ((point - self.low) / self.bucket).to_array();
        // A cast takes what is negative to zero.
        [0, 1, 2].map(|c| (at[c] as usize).min(self.counts[c] - 1))
    }

    fn number_of(&self, [i, j, k]: [usize; 3]) -> usize {
        (k * self.counts[1] + j) * self.counts[0] + i
    }

    /// The tetrahedron in which a point lies deepest, if it lies in the solid but for round-off.
    pub fn find_inside(&self, point: DVec3) -> Option<SolidPlace> {
        let near = &self.buckets[self.number_of(self.bucket_of(point))];
        self.find_deepest(point, near.iter().copied()).filter(|(_, depth)| *depth >= -SLACK).map(|(p, _)| p)
    }

    /// The same, and for a point outside the border of the tetrahedron that it is least outside of.
    ///
    /// # Panics
    /// If there are no tetrahedra.
    pub fn find(&self, point: DVec3) -> SolidPlace {
        let found = self.find_inside(point).unwrap_or_else(|| {
            self.find_deepest(point, 0..self.tetrahedra.len() as u32).expect("a solid has tetrahedra").0
        });
        let kept = found.weights.map(|w| w.max(0.0));
        let sum: f64 = kept.iter().sum();
        SolidPlace { weights: kept.map(|w| w / sum), ..found }
    }

    /// The deepest tetrahedron and the least of its weights; ties go to the first.
    fn find_deepest(&self, point: DVec3, numbers: impl Iterator<Item = u32>) -> Option<(SolidPlace, f64)> {
        let mut best: Option<(SolidPlace, f64)> = None;
        for number in numbers {
            let corners = self.tetrahedra[number as usize];
            let weights = barycentric_of(corners.map(|v| self.positions[v as usize]), point);
            let depth = weights.into_iter().fold(f64::INFINITY, f64::min);
            if best.is_none_or(|(_, deepest)| depth > deepest) {
                best = Some((SolidPlace { corners, weights }, depth));
            }
        }
        best
    }
}
