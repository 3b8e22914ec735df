//! Grids over the connected pieces of cloth, fixed in material space.
//!
//! Every panel of every piece has a grid of its own in material space. For cloth without material coordinates the grid is
//! in the space of its rest shape (then trilinear). A grid does not move when the mesh does, nor when panels are sewn
//! together. A vertex of a seam lies in the grid of the first of its panels, and links couple the grids (`links`). Halving
//! the number of cells gives a grid whose functions are functions of the finer one.

use glam::DVec3;
use taffeta_core::index::DenseIndex;
use taffeta_core::{FaceIndex, SurfaceTopology, VertexIndex};

/// Edges of the mesh per cell, about.
const EDGES_PER_CELL: f64 = 3.0;
/// A cell is fitted to faces of at least this part of the mean area.
const LEAST_PART: f64 = 0.25;
/// Cells along the longer side that a grid may have; sums of grids are limited by the vertices of the mesh.
const CELL_COUNTS: [usize; 13] = [2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 96, 128];
/// Largest number of them in a grid in space: its nodes grow with the third power.
const SPATIAL_COUNTS: usize = 5;

/// Positions of the vertices in material space if no single chart lays out the cloths.
#[derive(Clone, Copy, Debug)]
pub struct Charts<'a> {
    /// A point of every vertex on its chart \[m\].
    pub points: &'a [DVec3],
    /// The chart of every vertex, by any number: nothing follows from distances between different ones.
    pub charts: &'a [u32],
}

/// The grid of one piece of cloth.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Grid {
    origin: DVec3,
    spacing: f64,
    /// Nodes along each axis; one along an axis in which the piece is flat.
    pub nodes: [usize; 3],
    /// Number of the first node.
    pub first: usize,
}

/// Position of a point in a grid.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Place {
    /// The lowest node of its cell.
    pub node: u32,
    /// The number of the grid.
    pub grid: u32,
    /// The coordinates of the cell.
    pub cell: [i16; 3],
    /// Position in the cell, from 0 to 1 along each axis; 0 along an axis with one node.
    pub part: [f32; 3],
}

impl Place {
    /// The weights of the corners of the cell, x first: four in a flat grid, eight in space.
    #[inline(always)]
    pub(crate) fn weights(&self) -> [f64; 8] {
        let [x, y, z] = [f64::from(self.part[0]), f64::from(self.part[1]), f64::from(self.part[2])];
        let (low, high) = ((1.0 - y) * (1.0 - z), y * (1.0 - z));
        let (low_up, high_up) = ((1.0 - y) * z, y * z);
        [
            (1.0 - x) * low,
            x * low,
            (1.0 - x) * high,
            x * high,
            (1.0 - x) * low_up,
            x * low_up,
            (1.0 - x) * high_up,
            x * high_up,
        ]
    }
}

impl Grid {
    /// The grid over a piece of cloth, with cells of about [`EDGES_PER_CELL`] edges.
    pub(crate) fn fit(topology: &SurfaceTopology, points: &[DVec3], piece: &Piece, first: usize) -> Self {
        let point = |vi: &VertexIndex| points[vi.to_usize()];
        let low = piece.vertices.iter().map(point).fold(DVec3::INFINITY, DVec3::min);
        let high = piece.vertices.iter().map(point).fold(DVec3::NEG_INFINITY, DVec3::max);
        let extent = high - low;
        let area_of = |fi: &u32| {
            let [a, b, c] = topology.faces[FaceIndex(*fi)].map(|vi| point(&vi));
            0.5 * (b - a).cross(c - a).length()
        };
        let mut areas: Vec<f64> = piece.faces.iter().map(area_of).collect();
        areas.sort_unstable_by(f64::total_cmp);
        let mean = areas.iter().sum::<f64>() / areas.len().max(1) as f64;
        // On a graded mesh most faces are smaller than the mean; but the nodes must not outnumber the vertices.
        let typical = areas.get(areas.len() / 2).copied().unwrap_or(0.0).max(LEAST_PART * mean);
        // An equilateral triangle of edge s has an area of 0.43 s².
        let edge = (typical / 0.433).sqrt();
        let longest = extent.max_element().max(f64::MIN_POSITIVE);
        let wanted = if edge > 0.0 { longest / (EDGES_PER_CELL * edge.max(1e-9 * longest)) } else { 0.0 };
        let is_flat = extent.z == 0.0;
        let allowed = if is_flat { &CELL_COUNTS[..] } else { &CELL_COUNTS[..SPATIAL_COUNTS] };
        let cells = allowed.iter().copied().find(|count| *count as f64 >= wanted);
        let spacing = longest / cells.unwrap_or(allowed[allowed.len() - 1]) as f64;
        let nodes = extent
            .to_array()
            .map(|side| if side == 0.0 { 1 } else { (side / spacing - 1e-9).ceil() as usize + 1 });
        Self { origin: low, spacing, nodes, first }
    }

    /// The grid of twice the spacing, whose nodes are numbered from `first`.
    pub(super) fn halve(&self, first: usize) -> Self {
        let nodes = self.nodes.map(|count| (count - 1).div_ceil(2) + 1);
        Self { spacing: 2.0 * self.spacing, nodes, first, ..*self }
    }

    /// Number of nodes.
    pub(super) fn node_count(&self) -> usize {
        self.nodes.iter().product()
    }

    /// Cells along the longest side.
    pub(super) fn cell_count(&self) -> usize {
        self.nodes.iter().max().map_or(0, |count| count - 1)
    }

    /// Returns whether it has one layer of nodes only.
    pub(super) fn is_flat(&self) -> bool {
        self.nodes[2] == 1
    }

    /// Increment of the number of a node for a step along each axis.
    #[inline(always)]
    pub(super) fn strides(&self) -> [usize; 3] {
        let [nx, ny, _] = self.nodes;
        [usize::from(nx > 1), if ny > 1 { nx } else { 0 }, if self.is_flat() { 0 } else { nx * ny }]
    }

    /// The coordinates of all nodes in their order.
    pub(super) fn node_cells(&self) -> impl Iterator<Item = [usize; 3]> {
        let [nx, ny, nz] = self.nodes;
        (0..nz).flat_map(move |z| (0..ny).flat_map(move |y| (0..nx).map(move |x| [x, y, z])))
    }

    /// The nodes around a place that count there: number, coordinates and weight.
    pub(crate) fn corners(&self, place: &Place) -> impl Iterator<Item = (usize, [i32; 3], f64)> {
        let (strides, first, cell) = (self.strides(), place.node as usize, place.cell);
        let weights = place.weights().into_iter().enumerate().filter(|(_, weight)| *weight != 0.0);
        weights.map(move |(corner, weight)| {
            let step: [usize; 3] = std::array::from_fn(|axis| corner >> axis & 1);
            let node = first + (0..3).map(|axis| step[axis] * strides[axis]).sum::<usize>();
            (node, std::array::from_fn(|axis| i32::from(cell[axis]) + step[axis] as i32), weight)
        })
    }

    /// Position of a point of the piece; `number` is that of the grid.
    pub(super) fn find_place(&self, point: DVec3, number: usize) -> Place {
        self.place(((point - self.origin) / self.spacing).to_array(), number)
    }

    /// Position of a node of the grid with half the spacing.
    pub(super) fn find_node_place(&self, node: [usize; 3], number: usize) -> Place {
        self.place(node.map(|k| 0.5 * k as f64), number)
    }

    /// Position of a point that is given in cells.
    #[allow(clippy::needless_range_loop, reason = "an axis is read from several arrays at once")]
    fn place(&self, local: [f64; 3], number: usize) -> Place {
        let mut place = Place { grid: number as u32, ..Place::default() };
        let mut node = self.first;
        for axis in 0..3 {
            let last = self.nodes[axis].saturating_sub(2) as f64;
            let cell = local[axis].floor().clamp(0.0, last);
            if self.nodes[axis] > 1 {
                place.part[axis] = (local[axis] - cell).clamp(0.0, 1.0) as f32;
            }
            place.cell[axis] = cell as i16;
            node += cell as usize * self.strides()[axis];
        }
        place.node = node as u32;
        place
    }
}

/// A connected piece of cloth, or of a panel.
#[derive(Clone, Debug)]
pub(crate) struct Piece {
    /// Its vertices.
    pub vertices: Vec<VertexIndex>,
    /// The faces between them.
    faces: Vec<u32>,
}

/// The connected pieces of the surface, in the order of their first vertices. Loose vertices are part of none. Vertices of
/// different labels are not part of one piece; without labels all are the same.
pub(crate) fn find_pieces(topology: &SurfaceTopology, labels: &[u32]) -> Vec<Piece> {
    let mut numbers: Vec<Option<u32>> = vec![None; topology.vertex_count];
    let mut pieces: Vec<Piece> = Vec::new();
    let label = |vi: VertexIndex| labels.get(vi.to_usize());
    for seed in topology.vertices().take(topology.surface_vertex_count()) {
        if numbers[seed.to_usize()].is_some() {
            continue;
        }
        let number = pieces.len() as u32;
        numbers[seed.to_usize()] = Some(number);
        let mut vertices = vec![seed];
        let mut next = 0;
        while let Some(vi) = vertices.get(next).copied() {
            next += 1;
            for fi in topology.faces_around(vi) {
                for other in topology.faces[*fi] {
                    if numbers[other.to_usize()].is_none() && label(other) == label(seed) {
                        numbers[other.to_usize()] = Some(number);
                        vertices.push(other);
                    }
                }
            }
        }
        pieces.push(Piece { vertices, faces: Vec::new() });
    }
    for (fi, face) in topology.faces.iter_indexed() {
        let [a, b, c] = face.map(|vi| numbers[vi.to_usize()].expect("every vertex is part of a piece"));
        if a == b && b == c {
            pieces[a as usize].faces.push(fi.0);
        }
    }
    pieces
}
