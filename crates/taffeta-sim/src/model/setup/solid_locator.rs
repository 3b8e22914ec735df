//! Which tetrahedron of a solid a point of its rest shape lies in.

use glam::DVec3;
use taffeta_solve::block::tetrahedron::sixfold_volume;

/// Round-off in barycentric coordinates: a point that is outside of a tetrahedron by less counts as in it.
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

/// Finds the tetrahedron at a point: tetrahedra sorted into a grid of buckets. [`solid_point`](crate::api::queries::solid_point), which looks
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

    /// The tetrahedron in which a point lies deepest; for a point outside the solid, the one that it is least outside
    /// of.
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

/// Barycentric coordinates of a point \[m\] in a tetrahedron with corners `x` \[m\].
pub(crate) fn barycentric_of(x: [DVec3; 4], point: DVec3) -> [f64; 4] {
    [0, 1, 2, 3].map(|k| {
        let mut moved = x;
        moved[k] = point;
        sixfold_volume(moved) / sixfold_volume(x)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use glam::UVec3;

    const CELLS: [u32; 3] = [4, 3, 2];
    const SIZE: DVec3 = DVec3::new(0.4, 0.15, 0.3);

    fn corner([i, j, k]: [u32; 3]) -> u32 {
        (k * (CELLS[1] + 1) + j) * (CELLS[0] + 1) + i
    }

    /// A box in cells of six tetrahedra each, along the paths from one corner of a cell to the opposite one.
    fn solid() -> (Vec<DVec3>, Vec<[u32; 4]>) {
        let mut positions = Vec::new();
        let mut tetrahedra = Vec::new();
        let [n, m, l] = CELLS;
        let grid = |[n, m, l]: [u32; 3]| {
            (0..l).flat_map(move |k| (0..m).flat_map(move |j| (0..n).map(move |i| [i, j, k])))
        };
        for at in grid([n + 1, m + 1, l + 1]) {
            positions.push(UVec3::from_array(at).as_dvec3() / UVec3::from_array(CELLS).as_dvec3() * SIZE);
        }
        for cell in grid(CELLS) {
            for order in [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]] {
                let mut at = cell;
                let mut corners = [corner(at); 4];
                for (next, axis) in corners[1..].iter_mut().zip(order) {
                    at[axis] += 1;
                    *next = corner(at);
                }
                tetrahedra.push(corners);
            }
        }
        (positions, tetrahedra)
    }

    /// Points all over a box around the solid, which is wider by `margin` on every side.
    fn points(margin: f64) -> impl Iterator<Item = DVec3> {
        // Multiples of irrational numbers, modulo 1.
        (1..3000).map(move |i| {
            let part = (DVec3::new(0.819_172_513, 0.671_043_606, 0.549_700_477) * f64::from(i)).fract();
            part * (SIZE + 2.0 * margin) - margin
        })
    }

    #[test]
    fn every_point_of_the_solid_is_found_where_its_weights_put_it() {
        let (positions, tetrahedra) = solid();
        let locator = SolidLocator::build(&positions, &tetrahedra);
        for point in points(0.0).chain(positions.iter().copied()) {
            let place = locator.find_inside(point).unwrap_or_else(|| panic!("{point} is inside"));
            assert!(tetrahedra.contains(&place.corners));
            assert!(place.weights.iter().all(|w| *w >= -SLACK), "{point}: {place:?}");
            assert!((place.weights.iter().sum::<f64>() - 1.0).abs() < 1e-12, "{point}: {place:?}");
            assert!(place.mix(&positions).distance(point) < 1e-12, "{point}: {place:?}");
        }
    }

    /// The buckets hide nothing from the search.
    #[test]
    fn the_place_is_that_of_a_search_through_all_tetrahedra() {
        let (positions, tetrahedra) = solid();
        let locator = SolidLocator::build(&positions, &tetrahedra);
        for point in points(0.0) {
            let all = locator.find_deepest(point, 0..tetrahedra.len() as u32);
            assert_eq!(locator.find_inside(point), all.map(|(place, _)| place), "{point}");
        }
    }

    #[test]
    fn a_point_outside_is_none_or_the_border_of_the_tetrahedron_it_is_least_outside_of() {
        let (positions, tetrahedra) = solid();
        let locator = SolidLocator::build(&positions, &tetrahedra);
        let is_outside = |x: &DVec3| x.min_element() < -1e-6 || (*x - SIZE).max_element() > 1e-6;
        let mut count = 0;
        for point in points(0.1).filter(is_outside) {
            assert_eq!(locator.find_inside(point), None, "{point}");
            let place = locator.find(point);
            assert!(place.weights.iter().all(|w| *w >= 0.0), "{point}: {place:?}");
            let border = place.mix(&positions);
            assert!(place.weights.contains(&0.0) && !is_outside(&border), "{point}: {border}");
            let outside = |corners: &[u32; 4]| {
                let weights = barycentric_of(corners.map(|v| positions[v as usize]), point);
                weights.into_iter().fold(f64::INFINITY, f64::min)
            };
            let least = tetrahedra.iter().map(outside).fold(f64::NEG_INFINITY, f64::max);
            assert_eq!(outside(&place.corners), least, "{point}");
            count += 1;
        }
        assert!(count > 1000, "{count} points");
    }
}
