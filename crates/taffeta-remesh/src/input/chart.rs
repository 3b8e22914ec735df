//! The faces of the input in the material plane: which of them holds a point, and whether any two of a panel overlap.

use crate::input::exact::exact_side;
use crate::input::origin::Origin;
use crate::input::panels::Panels;
use glam::DVec2;
use taffeta_core::geometry::{barycentric, closest_point_on_triangle};
use taffeta_core::locate::FaceGrid;

/// Faces that a walk may cross before the grid is asked. A walk from an end of an edge to its middle crosses a few, unless
/// the mesh has become much coarser than the input.
const MAX_STEPS: usize = 64;

/// Barycentric coordinates closer to 0 than this are 0. A field that changes by 1 over a face is wrong by as much.
const SNAP: f64 = 1e-13;

/// The input faces with the material coordinates of their corners.
#[derive(Clone, Debug)]
pub(crate) struct Chart {
    /// The vertices at the corners of each face.
    pub faces: Vec<[u32; 3]>,
    /// Their coordinates \[m\] in panels that are upright.
    pub coords: Vec<[DVec2; 3]>,
    /// Which faces share a chart. Panels may overlap each other.
    pub panels: Panels,
    /// `None`: the rest shape is in space, every face is laid flat by itself, and nothing is located in the plane.
    grid: Option<FaceGrid>,
}

impl Chart {
    /// The chart of faces with their coordinates as they were given.
    pub(crate) fn build(faces: &[[u32; 3]], coords: &[[DVec2; 3]], panels: Panels) -> Self {
        let coords = panels.reflected(coords);
        let grid = Some(FaceGrid::build(&coords));
        Self { faces: faces.to_vec(), coords, panels, grid }
    }

    /// Faces of a rest shape in space, each laid flat by itself \[m\].
    pub(crate) fn laid_flat(faces: &[[u32; 3]], coords: Vec<[DVec2; 3]>, panels: Panels) -> Self {
        Self { faces: faces.to_vec(), coords, panels, grid: None }
    }

    /// Returns whether the rest shape is in space.
    pub(crate) fn is_in_space(&self) -> bool {
        self.grid.is_none()
    }

    fn grid(&self) -> &FaceGrid {
        self.grid.as_ref().expect("only charts in the plane are searched")
    }

    /// The material coordinates of the corners of a face \[m\].
    pub(crate) fn corners(&self, face: u32) -> [DVec2; 3] {
        self.coords[face as usize]
    }

    /// The panel of an origin and its material point \[m\].
    pub(crate) fn panel_and_point(&self, Origin { face, weights: [a, b, c] }: &Origin) -> (u32, DVec2) {
        let [p, q, r] = self.corners(*face);
        (self.panels.of_face[*face as usize], *a * p + *b * q + *c * r)
    }

    /// The face of a panel that holds a point; the closest one if none does. A face near it makes it faster to find, if it
    /// is of the panel.
    pub(crate) fn locate(&self, panel: u32, near: u32, point: DVec2) -> Origin {
        let is_within = self.panels.of_face[near as usize] == panel;
        let found = if is_within { self.walk(near, point) } else { None };
        let face = found.unwrap_or_else(|| self.search(panel, point));
        Origin { face, weights: clean(barycentric(point, self.corners(face))) }
    }

    /// Goes from face to face toward a point; `None`: the way is long or leaves the panel.
    fn walk(&self, start: u32, point: DVec2) -> Option<u32> {
        let mut face = start;
        for _ in 0..MAX_STEPS {
            let weights = barycentric(point, self.corners(face));
            let lowest = (0..3).min_by(|&i, &j| weights[i].total_cmp(&weights[j]))?;
            if weights[lowest] >= -SNAP {
                return Some(face);
            }
            // The side opposite to corner k starts at the next corner.
            face = self.panels.neighbors[face as usize][(lowest + 1) % 3]?;
        }
        None
    }

    /// The face of a panel closest to a point, the first of several.
    fn search(&self, panel: u32, point: DVec2) -> u32 {
        let mut best = (f64::INFINITY, 0);
        for ring in 0.. {
            self.grid().for_each_in_ring(point, ring, |face| {
                if self.panels.of_face[face as usize] == panel {
                    best = lesser(best, (self.distance_squared(face, point), face));
                }
            });
            let reach = self.grid().reach_of(ring);
            if best.0 <= reach * reach || self.grid().covers_all(point, ring) {
                break;
            }
        }
        best.1
    }

    fn distance_squared(&self, face: u32, point: DVec2) -> f64 {
        let corners = self.corners(face);
        let [a, b, c] = closest_point_on_triangle(point.extend(0.0), corners.map(|u| u.extend(0.0)));
        (a * corners[0] + b * corners[1] + c * corners[2]).distance_squared(point)
    }

    /// Two faces of one panel that overlap in material space, if there are any. All faces must be upright.
    ///
    /// Only faces at the boundary are compared with the others. The number of faces over a point changes only across the
    /// image of the boundary. So where two are, at the edge of the region in which there are two, one of them ends: a
    /// face at the boundary.
    pub(crate) fn find_overlap(&self) -> Option<[u32; 2]> {
        let mut seen = vec![u32::MAX; self.faces.len()];
        for (face, beyond) in (0u32..).zip(&self.panels.neighbors) {
            if !beyond.contains(&None) {
                continue;
            }
            let mut found: Option<u32> = None;
            self.grid().for_each_near(self.corners(face), |other| {
                let is_new = std::mem::replace(&mut seen[other as usize], face) != face;
                let is_foreign = other != face && !beyond.contains(&Some(other));
                let is_same_panel = self.panels.of_face[face as usize] == self.panels.of_face[other as usize];
                if is_new && is_foreign && is_same_panel && overlap(self.corners(face), self.corners(other)) {
                    found = Some(found.map_or(other, |first| first.min(other)));
                }
            });
            if let Some(other) = found {
                return Some([face.min(other), face.max(other)]);
            }
        }
        None
    }
}

/// The smaller pair, the first of two with the same number.
fn lesser(a: (f64, u32), b: (f64, u32)) -> (f64, u32) {
    if (b.0, b.1) < (a.0, a.1) { b } else { a }
}

/// Returns whether two upright triangles have inner points in common, exactly: no side of either has the other beyond
/// it.
fn overlap(first: [DVec2; 3], second: [DVec2; 3]) -> bool {
    let separates = |from: [DVec2; 3], other: [DVec2; 3]| {
        (0..3).any(|k| other.iter().all(|&u| exact_side([from[k], from[(k + 1) % 3], u]) <= 0.0))
    };
    !separates(first, second) && !separates(second, first)
}

/// Weights without the round-off around 0; their sum is 1.
fn clean(weights: [f64; 3]) -> [f64; 3] {
    let mut clean = weights.map(|weight| if weight.abs() <= SNAP { 0.0 } else { weight });
    let largest = (0..3).max_by(|&i, &j| clean[i].total_cmp(&clean[j])).unwrap_or_default();
    clean[largest] = 1.0 - clean[(largest + 1) % 3] - clean[(largest + 2) % 3];
    clean
}

#[cfg(test)]
mod tests {
    use super::*;
    use taffeta_core::random::SplitMix64;
    use taffeta_mesh::HalfedgeMesh;

    fn chart(coords: &[[f64; 2]], faces: &[[u32; 3]]) -> Chart {
        let built = HalfedgeMesh::from_triangles(coords.len(), faces).expect("a surface");
        let corners: Vec<[DVec2; 3]> =
            faces.iter().map(|face| face.map(|v| coords[v as usize].into())).collect();
        let panels = Panels::find(&built, &corners).expect("upright panels");
        Chart::build(faces, &corners, panels)
    }

    /// A strip that runs around an annulus for so many turns, 24 quads each.
    fn spiral(turns: f64) -> Chart {
        let count = (24.0 * turns) as u32;
        let at = |k: u32| {
            let (s, c) = (std::f64::consts::TAU * f64::from(k) / 24.0).sin_cos();
            [[c, s], [2.0 * c, 2.0 * s]]
        };
        let coords: Vec<[f64; 2]> = (0..=count).flat_map(at).collect();
        let faces: Vec<[u32; 3]> =
            (0..count).flat_map(|k| [[2 * k, 2 * k + 1, 2 * k + 3], [2 * k, 2 * k + 3, 2 * k + 2]]).collect();
        chart(&coords, &faces)
    }

    #[test]
    fn a_strip_overlaps_itself_only_after_a_full_turn() {
        assert_eq!(spiral(0.9).find_overlap(), None);
        // The ends meet within round-off of the sine; three quads more, and they overlap for good.
        let [first, second] = spiral(1.125).find_overlap().expect("it overlaps");
        assert!(first < 6 && second >= 46, "{first} and {second}");
    }

    #[test]
    fn a_cone_that_is_wound_twice_overlaps_and_a_slit_does_not() {
        let around = |turns: f64| {
            let mut coords = vec![[0.0, 0.0]];
            coords.extend((0..12).map(|k| {
                let (s, c) = (std::f64::consts::TAU * turns * f64::from(k) / 12.0).sin_cos();
                [c, s]
            }));
            let faces: Vec<[u32; 3]> = (0..12).map(|k| [0, 1 + k, 1 + (k + 1) % 12]).collect();
            chart(&coords, &faces).find_overlap()
        };
        assert_eq!(around(1.0), None);
        assert!(around(2.0).is_some());
        let slit = [[0.0, 0.0], [1.0, 0.0], [0.0, 1.0], [-1.0, 0.0], [0.0, -1.0], [1.0, 0.0]];
        assert_eq!(chart(&slit, &[[0, 1, 2], [0, 2, 3], [0, 3, 4], [0, 4, 5]]).find_overlap(), None);
    }

    #[test]
    fn panels_may_lie_on_each_other_and_points_stay_in_theirs() {
        let square = [[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [0.0, 1.0]];
        let coords = [square, square].concat();
        let chart = chart(&coords, &[[0, 1, 2], [0, 2, 3], [4, 5, 6], [4, 6, 7]]);
        assert_eq!((chart.find_overlap(), chart.panels.panel_count()), (None, 2));
        assert_eq!(chart.locate(0, 1, DVec2::new(0.9, 0.5)).face, 0);
        assert_eq!(chart.locate(1, 3, DVec2::new(0.9, 0.5)).face, 2);
        // What is near may be in another panel.
        assert_eq!(chart.locate(1, 0, DVec2::new(0.9, 0.5)).face, 2);
    }

    #[test]
    fn walking_finds_what_a_search_of_all_faces_finds() {
        let chart = spiral(0.9);
        let mut random = SplitMix64(3);
        for _ in 0..500 {
            let angle = random.next_unit() * 0.89 * std::f64::consts::TAU;
            let point = DVec2::from_angle(angle) * (1.01 + 0.97 * random.next_unit());
            let best = (0..chart.faces.len() as u32)
                .map(|face| (chart.distance_squared(face, point), face))
                .fold((f64::INFINITY, 0), lesser);
            let start = random.below(chart.faces.len()) as u32;
            let Origin { face, weights } = chart.locate(0, start, point);
            assert!(chart.distance_squared(face, point) <= best.0 + 1e-24, "{point}: {face} and {best:?}");
            let again = (0..3).map(|k| weights[k] * chart.corners(face)[k]).sum::<DVec2>();
            assert!(again.distance(point) < 1e-14);
            assert_eq!(chart.search(0, point), best.1);
        }
    }
}
