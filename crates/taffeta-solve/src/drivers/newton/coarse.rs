//! The coarse space: bilinear functions on a grid that is fixed in material space.
//!
//! Conjugate gradients with a local preconditioner need more iterations the finer the mesh; a correction on a grid of
//! fixed size takes away what is smooth. The grid does not move when the mesh does, so the symbolic factorization of
//! its matrix `Pᵀ H P` survives remeshing. Every connected piece of cloth has a grid of its own: in material space, or,
//! for cloth without material coordinates, in the space of its rest shape (then trilinear). Nodes without cloth get a
//! one on the diagonal.

use super::cholesky::CholeskyFactor;
use super::pattern::{BlockMatrix, BlockPattern};
use glam::{DMat3, DVec3};
use std::sync::Arc;
use taffeta_core::index::DenseIndex;
use taffeta_core::{SurfaceTopology, VertexIndex};

/// Edges of the mesh per cell, about.
const EDGES_PER_CELL: f64 = 4.0;
/// Cells along the longer side that a grid may have; sums of grids are limited by the vertices of the mesh.
const CELL_COUNTS: [usize; 9] = [2, 3, 4, 6, 8, 12, 16, 24, 32];
/// Nodes that couple are at most this far apart, in cells.
const REACH: i64 = 2;
/// What is added to the diagonal, relative to it: where the mesh is coarser than the grid, functions depend on each
/// other.
const REGULARIZATION: f64 = 1e-9;

/// Grids, interpolation and factorization.
#[derive(Clone, Debug)]
pub struct CoarseSpace {
    shape: Arc<GridShape>,
    /// Nodes and weights of each vertex; unused places have weight 0.
    rows: Vec<Row>,
    factor: Option<CholeskyFactor>,
}

/// Nodes and weights of a vertex.
#[derive(Clone, Copy, Debug, Default)]
struct Row {
    nodes: [u32; 8],
    weights: [f64; 8],
    count: u8,
}

/// What survives remeshing.
#[derive(Debug)]
struct GridShape {
    grids: Vec<Grid>,
    node_count: usize,
    pattern: BlockPattern,
    /// For each node and each offset within reach the slot of the coupling, `NONE` if there is no such node.
    slots: Vec<u32>,
    /// The cell coordinates of each node and the grid it belongs to.
    places: Vec<([i16; 3], u16)>,
}

/// The grid of one piece of cloth.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Grid {
    origin: DVec3,
    spacing: f64,
    /// Nodes along each axis; one along an axis in which the piece is flat.
    nodes: [usize; 3],
    first: usize,
}

const NONE: u32 = u32::MAX;
/// Offsets within reach: `(2 REACH + 1)³`.
const OFFSETS: usize = 125;

impl CoarseSpace {
    /// Makes the grids; takes over the factorization of `before` if they are the same.
    pub fn build(topology: &SurfaceTopology, points: &[DVec3], before: Option<&CoarseSpace>) -> Self {
        let pieces = find_pieces(topology);
        let mut grids = Vec::new();
        for piece in &pieces {
            let first =
                grids.last().map_or(0, |grid: &Grid| grid.first + grid.nodes.iter().product::<usize>());
            grids.push(Grid::fit(topology, points, piece, first));
        }
        let same = before.filter(|before| before.shape.grids == grids).map(|before| before.shape.clone());
        let shape = same.unwrap_or_else(|| Arc::new(GridShape::build(grids)));
        let mut rows = vec![Row::default(); topology.vertex_count];
        for (piece, grid) in pieces.iter().zip(&shape.grids) {
            for vi in &piece.vertices {
                rows[vi.to_usize()] = grid.interpolate(points[vi.to_usize()]);
            }
        }
        Self { shape, rows, factor: None }
    }

    /// A matrix of zeros to add elements to.
    pub fn matrix(&self) -> CoarseMatrix<'_> {
        CoarseMatrix { space: self, blocks: self.shape.pattern.matrix() }
    }

    /// Factorizes a matrix; without success there is no coarse correction until the next time.
    pub fn factorize(&mut self, values: Vec<f64>) {
        self.factor = self.shape.pattern.entries().factorize(&values).ok();
    }

    /// Adds `P (Pᵀ H P)⁻¹ Pᵀ r` to `z`; both are flat vectors of coordinates.
    pub fn add_correction(&self, r: &[f64], z: &mut [f64], work: &mut Vec<f64>) {
        let Some(factor) = &self.factor else { return };
        let count = 3 * self.shape.node_count;
        work.clear();
        work.resize(count, 0.0);
        for (row, r) in self.rows.iter().zip(r.chunks_exact(3)) {
            for (node, weight) in row.entries() {
                let at = &mut work[3 * node as usize..3 * node as usize + 3];
                (0..3).for_each(|axis| at[axis] += weight * r[axis]);
            }
        }
        factor.solve(work);
        for (row, z) in self.rows.iter().zip(z.chunks_exact_mut(3)) {
            for (node, weight) in row.entries() {
                let at = &work[3 * node as usize..3 * node as usize + 3];
                (0..3).for_each(|axis| z[axis] += weight * at[axis]);
            }
        }
    }
}

/// The matrix `Pᵀ H P` while it is summed up.
#[derive(Debug)]
pub struct CoarseMatrix<'a> {
    space: &'a CoarseSpace,
    blocks: BlockMatrix<'a>,
}

/// The nodes that an element touches, with what the element knows about each.
#[derive(Debug)]
pub struct Touched<T> {
    nodes: Vec<u32>,
    values: Vec<T>,
}

impl<T: Copy + Default + std::ops::AddAssign + std::ops::Mul<f64, Output = T>> Touched<T> {
    /// No nodes.
    pub fn new() -> Self {
        Self { nodes: Vec::with_capacity(32), values: Vec::with_capacity(32) }
    }

    /// Interpolates a value of each vertex to the nodes: `Σ P_vI value_v`.
    pub fn collect(&mut self, space: &CoarseSpace, vertices: impl Iterator<Item = (u32, T)>) {
        self.nodes.clear();
        self.values.clear();
        for (vertex, value) in vertices {
            for (node, weight) in space.rows[vertex as usize].entries() {
                match self.nodes.iter().position(|n| *n == node) {
                    Some(k) => self.values[k] += value * weight,
                    None => {
                        self.nodes.push(node);
                        self.values.push(value * weight);
                    }
                }
            }
        }
    }
}

impl CoarseMatrix<'_> {
    /// Adds the matrix of an element, whose 3×3 blocks `couple` gives for the values at two nodes.
    pub fn add<T: Copy>(&mut self, touched: &Touched<T>, couple: impl Fn(T, T) -> DMat3) {
        let shape = &self.space.shape;
        for (k, (node, value)) in touched.nodes.iter().zip(&touched.values).enumerate() {
            self.blocks.add_diagonal(VertexIndex(*node), couple(*value, *value));
            for (other, other_value) in touched.nodes[..k].iter().zip(&touched.values) {
                let (low, high) = (*node.min(other), *node.max(other));
                let slot = shape.slot(low, high);
                // The row is the higher node, the column the lower.
                let block =
                    if high == *node { couple(*value, *other_value) } else { couple(*other_value, *value) };
                if slot == NONE {
                    self.add_far(low, high, block);
                } else {
                    self.blocks.add_coupling(VertexIndex(low), VertexIndex(high), slot, block);
                }
            }
        }
    }

    /// Adds a diagonal 3×3 block of a vertex.
    pub fn add_vertex(&mut self, vertex: usize, block: DMat3) {
        let shape = &self.space.shape;
        let row = &self.space.rows[vertex];
        for (k, (node, weight)) in row.entries().enumerate() {
            self.blocks.add_diagonal(VertexIndex(node), block * (weight * weight));
            for (other, other_weight) in row.entries().take(k) {
                let (low, high) = (node.min(other), node.max(other));
                let slot = shape.slot(low, high);
                self.blocks.add_coupling(
                    VertexIndex(low),
                    VertexIndex(high),
                    slot,
                    block * (weight * other_weight),
                );
            }
        }
    }

    /// Nodes that are too far apart for the pattern: both diagonals get a bound of the coupling, which keeps the
    /// matrix positive definite.
    fn add_far(&mut self, low: u32, high: u32, block: DMat3) {
        let bound = block.x_axis.length().max(block.y_axis.length()).max(block.z_axis.length());
        let diagonal = DMat3::from_diagonal(DVec3::splat(3f64.sqrt() * bound));
        self.blocks.add_diagonal(VertexIndex(low), diagonal);
        self.blocks.add_diagonal(VertexIndex(high), diagonal);
    }

    /// The values, regularized.
    pub fn finish(self) -> Vec<f64> {
        self.blocks.finish(REGULARIZATION)
    }
}

impl Row {
    fn entries(&self) -> impl Iterator<Item = (u32, f64)> + '_ {
        self.nodes.iter().zip(&self.weights).take(self.count as usize).map(|(node, weight)| (*node, *weight))
    }
}

impl GridShape {
    fn build(grids: Vec<Grid>) -> Self {
        let node_count = grids.iter().map(|grid| grid.nodes.iter().product::<usize>()).sum();
        let mut places = Vec::with_capacity(node_count);
        for (number, grid) in grids.iter().enumerate() {
            let [nx, ny, nz] = grid.nodes.map(|n| n as i16);
            for z in 0..nz {
                for y in 0..ny {
                    places.extend((0..nx).map(|x| ([x, y, z], number as u16)));
                }
            }
        }
        let mut pairs = Vec::new();
        for (low, (place, number)) in places.iter().enumerate() {
            let grid = &grids[*number as usize];
            pairs.extend(grid.neighbors(*place).map(|(_, high)| (low as u32, high)).filter(|(l, h)| l < h));
        }
        let pattern = BlockPattern::build(node_count, pairs);
        let mut slots = vec![NONE; node_count * OFFSETS];
        for (low, (place, number)) in places.iter().enumerate() {
            for (offset, high) in grids[*number as usize].neighbors(*place).filter(|(_, h)| *h > low as u32) {
                slots[low * OFFSETS + offset] = pattern.slot(VertexIndex(low as u32), VertexIndex(high));
            }
        }
        Self { grids, node_count, pattern, slots, places }
    }

    /// Where the coupling of two nodes of one grid stands.
    #[inline]
    fn slot(&self, low: u32, high: u32) -> u32 {
        let (a, b) = (self.places[low as usize].0, self.places[high as usize].0);
        let offset = [0, 1, 2].map(|axis| i64::from(b[axis]) - i64::from(a[axis]));
        if offset.iter().any(|d| d.abs() > REACH) {
            return NONE;
        }
        self.slots[low as usize * OFFSETS + offset_number(offset)]
    }
}

fn offset_number([x, y, z]: [i64; 3]) -> usize {
    (((z + REACH) * 5 + y + REACH) * 5 + x + REACH) as usize
}

impl Grid {
    /// The grid over a piece of cloth, with cells of about [`EDGES_PER_CELL`] edges.
    fn fit(topology: &SurfaceTopology, points: &[DVec3], piece: &Piece, first: usize) -> Self {
        let point = |vi: &VertexIndex| points[vi.to_usize()];
        let low = piece.vertices.iter().map(point).fold(DVec3::INFINITY, DVec3::min);
        let high = piece.vertices.iter().map(point).fold(DVec3::NEG_INFINITY, DVec3::max);
        let extent = high - low;
        let mut area = 0.0;
        for fi in &piece.faces {
            let [a, b, c] = topology.faces[taffeta_core::FaceIndex(*fi)].map(|vi| point(&vi));
            area += 0.5 * (b - a).cross(c - a).length();
        }
        // An equilateral triangle of edge s has an area of 0.43 s².
        let edge = (area / (0.433 * piece.faces.len().max(1) as f64)).sqrt();
        let longest = extent.max_element().max(f64::MIN_POSITIVE);
        let wanted = longest / (EDGES_PER_CELL * edge.max(1e-9 * longest));
        let is_flat = extent.z == 0.0;
        let allowed = if is_flat { &CELL_COUNTS[..] } else { &CELL_COUNTS[..5] };
        let cells = allowed.iter().copied().find(|count| *count as f64 >= wanted);
        let spacing = longest / cells.unwrap_or(allowed[allowed.len() - 1]) as f64;
        let nodes = extent
            .to_array()
            .map(|side| if side == 0.0 { 1 } else { (side / spacing - 1e-9).ceil() as usize + 1 });
        Self { origin: low, spacing, nodes, first }
    }

    /// The nodes within reach of a node, with the number of the offset.
    fn neighbors(&self, place: [i16; 3]) -> impl Iterator<Item = (usize, u32)> + '_ {
        let reach = -REACH..=REACH;
        let offsets = reach.clone().flat_map(move |z| {
            let reach = -REACH..=REACH;
            reach.clone().flat_map(move |y| (-REACH..=REACH).map(move |x| [x, y, z]))
        });
        offsets.filter_map(move |offset| {
            let mut at = [0usize; 3];
            for axis in 0..3 {
                let k = i64::from(place[axis]) + offset[axis];
                at[axis] = usize::try_from(k).ok().filter(|k| *k < self.nodes[axis])?;
            }
            let number = self.first + (at[2] * self.nodes[1] + at[1]) * self.nodes[0] + at[0];
            Some((offset_number(offset), number as u32))
        })
    }

    /// Nodes and weights of a point.
    fn interpolate(&self, point: DVec3) -> Row {
        let local = (point - self.origin) / self.spacing;
        let mut row = Row::default();
        let axis = |k: usize| {
            let last = self.nodes[k].saturating_sub(2) as f64;
            let cell = local[k].floor().clamp(0.0, last);
            (cell as usize, (local[k] - cell).clamp(0.0, 1.0))
        };
        let cells = [axis(0), axis(1), axis(2)];
        for corner in 0..8 {
            let mut weight = 1.0;
            let mut at = [0; 3];
            for k in 0..3 {
                let up = corner >> k & 1;
                at[k] = cells[k].0 + up;
                weight *= if up == 1 { cells[k].1 } else { 1.0 - cells[k].1 };
            }
            if weight == 0.0 || (0..3).any(|k| at[k] >= self.nodes[k]) {
                continue;
            }
            let node = self.first + (at[2] * self.nodes[1] + at[1]) * self.nodes[0] + at[0];
            row.nodes[row.count as usize] = node as u32;
            row.weights[row.count as usize] = weight;
            row.count += 1;
        }
        row
    }
}

/// A connected piece of cloth.
pub struct Piece {
    /// Its vertices.
    pub vertices: Vec<VertexIndex>,
    faces: Vec<u32>,
}

/// The connected pieces, in the order of their first vertices.
pub fn find_pieces(topology: &SurfaceTopology) -> Vec<Piece> {
    let mut labels: Vec<u32> = vec![NONE; topology.vertex_count];
    let mut pieces: Vec<Piece> = Vec::new();
    for seed in topology.vertices() {
        if labels[seed.to_usize()] != NONE {
            continue;
        }
        let label = pieces.len() as u32;
        labels[seed.to_usize()] = label;
        let mut vertices = vec![seed];
        let mut next = 0;
        while let Some(vi) = vertices.get(next).copied() {
            next += 1;
            for fi in topology.faces_around(vi) {
                for other in topology.faces[*fi] {
                    if labels[other.to_usize()] == NONE {
                        labels[other.to_usize()] = label;
                        vertices.push(other);
                    }
                }
            }
        }
        pieces.push(Piece { vertices, faces: Vec::new() });
    }
    for (fi, face) in topology.faces.iter_indexed() {
        pieces[labels[face[0].to_usize()] as usize].faces.push(fi.0);
    }
    pieces
}
