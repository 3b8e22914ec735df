//! Which faces lie at a point of the material plane: faces sorted into square cells.

use crate::geometry::barycentric;
use crate::panel_point::PanelPoint;
use crate::triangle_mesh::TriangleMesh;
use glam::DVec2;

/// Cells per face: a cell then holds about ten faces, and a face reaches into two or three cells.
const CELLS_PER_FACE: f64 = 0.25;

/// Largest number of cells along one axis: a strip that is long and thin does not need more.
const MAX_CELLS: f64 = 8192.0;

/// Round-off in barycentric coordinates: a point that is outside of a face by less counts as on it.
const SLACK: f64 = 1e-9;

/// A grid of square cells over the material plane, each with the faces that reach into it.
#[derive(Clone, Debug)]
pub struct FaceGrid {
    low: DVec2,
    /// Side of a cell \[m\].
    cell: f64,
    counts: [usize; 2],
    /// Start of the faces of each cell in `faces`, and at last their end.
    starts: Vec<u32>,
    faces: Vec<u32>,
}

impl FaceGrid {
    /// A grid over faces by the material coordinates of their corners \[m\].
    pub fn build(faces: &[[DVec2; 3]]) -> Self {
        let bounds = |[low, high]: [DVec2; 2], u: &DVec2| [low.min(*u), high.max(*u)];
        let [low, high] = faces.as_flattened().iter().fold([DVec2::INFINITY, DVec2::NEG_INFINITY], bounds);
        let extent = high - low;
        let area = extent.x * extent.y / (CELLS_PER_FACE * faces.len() as f64);
        let cell = area.sqrt().max(extent.max_element() / MAX_CELLS).max(f64::MIN_POSITIVE);
        let counts = [extent.x, extent.y].map(|length| (length / cell) as usize + 1);
        let mut grid = Self { low, cell, counts, starts: Vec::new(), faces: Vec::new() };
        let mut starts = vec![0u32; counts[0] * counts[1] + 1];
        for face in faces {
            grid.for_each_cell(*face, |cell| starts[cell + 1] += 1);
        }
        for cell in 1..starts.len() {
            starts[cell] += starts[cell - 1];
        }
        let mut entries = vec![0u32; starts[starts.len() - 1] as usize];
        let mut ends = starts.clone();
        for (number, face) in (0u32..).zip(faces) {
            grid.for_each_cell(*face, |cell| {
                entries[ends[cell] as usize] = number;
                ends[cell] += 1;
            });
        }
        (grid.starts, grid.faces) = (starts, entries);
        grid
    }

    /// The cell along one axis, clamped to the grid.
    fn cell_along(&self, axis: usize, coord: f64) -> usize {
        let position = (coord - self.low[axis]) / self.cell;
        // The cast clamps below 0.
        (position as usize).min(self.counts[axis] - 1)
    }

    /// The cells that a triangle reaches into, and perhaps neighbors of them: in each row those between its lowest and
    /// highest u. Boxes would make quadratic lists of needles.
    fn for_each_cell(&self, corners: [DVec2; 3], mut visit: impl FnMut(usize)) {
        let [first, last] = span(corners.map(|u| u.y)).map(|v| self.cell_along(1, v));
        for row in first..=last {
            // Slack for the round-off of a row's limits; the outermost rows are open.
            let limit = |row: usize, slack: f64| self.low.y + self.cell * (row as f64 + slack);
            let low = if row == first { f64::NEG_INFINITY } else { limit(row, -1e-6) };
            let high = if row == last { f64::INFINITY } else { limit(row + 1, 1e-6) };
            let Some([left, right]) = span_between(corners, low, high) else { continue };
            for column in self.cell_along(0, left)..=self.cell_along(0, right) {
                visit(row * self.counts[0] + column);
            }
        }
    }

    fn faces_of(&self, cell: usize) -> &[u32] {
        &self.faces[self.starts[cell] as usize..self.starts[cell + 1] as usize]
    }

    /// The faces in the cell of a point, in the order of their numbers.
    pub fn faces_at(&self, point: DVec2) -> &[u32] {
        self.faces_of(self.cell_along(1, point.y) * self.counts[0] + self.cell_along(0, point.x))
    }

    /// The faces in the cells of a triangle, some of them several times.
    pub fn for_each_near(&self, corners: [DVec2; 3], mut visit: impl FnMut(u32)) {
        self.for_each_cell(corners, |cell| self.faces_of(cell).iter().for_each(|&face| visit(face)));
    }

    /// The faces in the cells that are `ring` cells away from that of a point, some of them several times.
    pub fn for_each_in_ring(&self, point: DVec2, ring: usize, mut visit: impl FnMut(u32)) {
        let [column, row] = [self.cell_along(0, point.x), self.cell_along(1, point.y)];
        let range =
            |center: usize, count: usize| center.saturating_sub(ring)..=(center + ring).min(count - 1);
        let mut visit_cell = |r: usize, c: usize| {
            self.faces_of(r * self.counts[0] + c).iter().for_each(|&face| visit(face));
        };
        for r in range(row, self.counts[1]) {
            if r.abs_diff(row) == ring {
                range(column, self.counts[0]).for_each(|c| visit_cell(r, c));
                continue;
            }
            let (left, right) = (column.checked_sub(ring), column + ring);
            left.into_iter().for_each(|c| visit_cell(r, c));
            (right < self.counts[0]).then(|| visit_cell(r, right));
        }
    }

    /// Distance \[m\] within which the rings up to `ring` contain everything around a point in the grid.
    pub fn reach_of(&self, ring: usize) -> f64 {
        self.cell * ring as f64
    }

    /// Returns whether the rings up to `ring` around a point are the whole grid.
    pub fn covers_all(&self, point: DVec2, ring: usize) -> bool {
        [0, 1].into_iter().all(|axis| {
            let center = self.cell_along(axis, point[axis]);
            center <= ring && center + ring + 1 >= self.counts[axis]
        })
    }
}

/// Finds the face at a point of a panel. Panels may overlap in material space.
#[derive(Clone, Debug)]
pub struct Locator {
    corners: Vec<[DVec2; 3]>,
    panels: Vec<u32>,
    grid: FaceGrid,
}

/// A place in a mesh: a face and the barycentric weights of its corners.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Place {
    /// The face.
    pub face: u32,
    /// Barycentric weights of its corners.
    pub weights: [f64; 3],
}

impl Locator {
    /// Sorts the faces of a mesh, whose [panels](TriangleMesh::panels) are given by face; `None`: it has no material
    /// coordinates or no faces.
    pub fn build(mesh: &TriangleMesh, panels: &[u32]) -> Option<Self> {
        let corners = mesh.material.clone().filter(|corners| !corners.is_empty())?;
        let grid = FaceGrid::build(&corners);
        Some(Self { corners, panels: panels.to_vec(), grid })
    }

    fn place(&self, face: u32, point: DVec2) -> Place {
        Place { face, weights: barycentric(point, self.corners[face as usize]) }
    }

    /// The panel of a face.
    pub fn panel_of(&self, face: u32) -> u32 {
        self.panels[face as usize]
    }

    /// All faces of all panels that a point lies on but for round-off: several on an edge, or where panels overlap.
    pub fn all_on_sheet(&self, point: DVec2) -> impl Iterator<Item = Place> + '_ {
        let near = self.grid.faces_at(point).iter().map(move |face| self.place(*face, point));
        near.filter(|place| place.depth() >= -SLACK)
    }

    /// The panels that a point lies on but for round-off, in the order of their numbers.
    pub fn panels_at(&self, point: DVec2) -> Vec<u32> {
        let mut panels: Vec<u32> = self.all_on_sheet(point).map(|place| self.panel_of(place.face)).collect();
        panels.sort_unstable();
        panels.dedup();
        panels
    }

    /// Finds the face in which a point lies deepest, on its panel or, without one, on any. For a point beside all faces it is
    /// the border of the face that the point is least outside of. `None`: there is no such panel.
    pub fn find(&self, PanelPoint { panel, material }: PanelPoint) -> Option<Place> {
        let is_wanted = |place: &Place| panel.is_none_or(|panel| self.panel_of(place.face) == panel);
        let all = || (0..self.corners.len() as u32).map(|face| self.place(face, material));
        let on_sheet = deepest(self.all_on_sheet(material).filter(is_wanted));
        let found = on_sheet.or_else(|| deepest(all().filter(is_wanted)))?;
        let kept = found.weights.map(|w| w.max(0.0));
        let sum: f64 = kept.iter().sum();
        Some(Place { weights: kept.map(|w| w / sum), ..found })
    }
}

impl Place {
    /// The least of the weights: negative outside of the face.
    fn depth(&self) -> f64 {
        self.weights.into_iter().fold(f64::INFINITY, f64::min)
    }
}

/// The deepest of some places; ties go to the first.
fn deepest(places: impl Iterator<Item = Place>) -> Option<Place> {
    places.reduce(|best, place| if place.depth() > best.depth() { place } else { best })
}

fn span(values: [f64; 3]) -> [f64; 2] {
    let [a, b, c] = values;
    [a.min(b).min(c), a.max(b).max(c)]
}

/// The lowest and highest u of the part of a triangle with `low ≤ v ≤ high`; `None`: there is no such part.
fn span_between(corners: [DVec2; 3], low: f64, high: f64) -> Option<[f64; 2]> {
    let mut bounds = [f64::INFINITY, f64::NEG_INFINITY];
    let mut add = |u: f64| bounds = [bounds[0].min(u), bounds[1].max(u)];
    for k in 0..3 {
        let (p, q) = (corners[k], corners[(k + 1) % 3]);
        if (low..=high).contains(&p.y) {
            add(p.x);
        }
        for limit in [low, high] {
            if (p.y < limit) != (q.y < limit) && limit.is_finite() {
                let t = (limit - p.y) / (q.y - p.y);
                add(p.x + t.clamp(0.0, 1.0) * (q.x - p.x));
            }
        }
    }
    (bounds[0] <= bounds[1]).then_some(bounds)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::SplitMix64;

    #[test]
    fn every_face_is_in_the_cells_of_its_points() {
        let mut random = SplitMix64(11);
        let material: Vec<DVec2> =
            (0..120).map(|_| DVec2::new(5.0 * random.next_unit() - 1.0, random.next_unit())).collect();
        let faces: Vec<[DVec2; 3]> = (0..40).map(|f| [0, 1, 2].map(|k| material[3 * f + k])).collect();
        let grid = FaceGrid::build(&faces);
        for _ in 0..2000 {
            let point = DVec2::new(5.0 * random.next_unit() - 1.0, random.next_unit());
            let mut found = Vec::new();
            grid.for_each_in_ring(point, 0, |face| found.push(face));
            for (number, face) in (0u32..).zip(&faces) {
                let weights = barycentric(point, *face);
                let is_inside = weights.iter().all(|&weight| weight > 1e-9);
                assert!(!is_inside || found.contains(&number), "{number} at {point}");
            }
        }
    }

    #[test]
    fn a_fan_of_needles_takes_few_entries() {
        let count = 4000;
        let mut material = vec![DVec2::ZERO];
        material
            .extend((0..count).map(|k| DVec2::from_angle(std::f64::consts::TAU * k as f64 / count as f64)));
        let corners = |k: usize| [0, 1 + k, 1 + (k + 1) % count].map(|v| material[v]);
        let faces: Vec<[DVec2; 3]> = (0..count).map(corners).collect();
        let entries = FaceGrid::build(&faces).faces.len();
        assert!(entries < 200 * faces.len(), "{entries}");
    }

    #[test]
    fn points_beside_the_sheet_are_told_from_points_on_its_border() {
        let corners = [DVec2::ZERO, DVec2::X, DVec2::ONE, DVec2::Y];
        let mut square = TriangleMesh { faces: vec![[0, 1, 2], [0, 2, 3]], ..TriangleMesh::default() };
        assert!(Locator::build(&square, &[]).is_none());
        square.positions = corners.iter().map(|u| u.extend(0.0)).collect();
        square.set_vertex_material(&corners);
        let locator = Locator::build(&square, &square.panels()).unwrap();
        assert_eq!(locator.all_on_sheet(DVec2::splat(0.5)).count(), 2);
        for corner in [DVec2::ZERO, DVec2::ONE, DVec2::new(0.0, 0.3)] {
            assert_eq!(locator.panels_at(corner), [0], "{corner}");
        }
        assert!(locator.panels_at(DVec2::new(1.001, 0.5)).is_empty());
        let beside = locator.find(DVec2::new(2.0, 2.0).into()).unwrap();
        assert_eq!(beside.weights.iter().sum::<f64>(), 1.0);
        assert_eq!(locator.find(PanelPoint::on(1, DVec2::ZERO)), None);
    }

    #[test]
    fn a_point_is_found_on_its_panel_where_panels_overlap() {
        let triangle = [DVec2::ZERO, DVec2::X, DVec2::Y];
        let mesh = TriangleMesh {
            faces: vec![[0, 1, 2], [3, 4, 5]],
            material: Some(vec![triangle; 2]),
            ..TriangleMesh::default()
        };
        let locator = Locator::build(&mesh, &mesh.panels()).unwrap();
        let point = DVec2::splat(0.25);
        assert_eq!(locator.panels_at(point), [0, 1]);
        for panel in [0, 1] {
            // On it, and beside it.
            for point in [point, DVec2::splat(3.0)] {
                assert_eq!(locator.find(PanelPoint::on(panel, point)).unwrap().face, panel);
            }
        }
    }
}
