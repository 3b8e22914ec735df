//! The Hessian on a grid: the Galerkin matrix `Pᵀ H P` of the functions of its nodes.
//!
//! Nodes couple to those at most two cells away in each direction; the blocks of a node stand one after the other, in
//! the order of the offsets. A row of the finer matrix is first interpolated as a whole, `T = H P`, over the four
//! cells in each direction that it can touch, and then added to the nodes of its own cell. What couples two grids, or
//! is sewn together, has blocks of its own (`links`). Whatever else reaches farther, where the mesh is coarser than the
//! grid, goes to the diagonal as a bound of its size: the matrix stays positive definite.

use super::block_rows::{Mat3, TRANSPOSED};
use super::grid::{Grid, Place};
use super::links::Links;
use crate::matrices::outer;
use glam::{DMat3, DVec3};
use std::sync::Arc;
use taffeta_core::lanes::vectorized;

/// Nodes that couple are at most this far apart, in cells.
const REACH: i32 = 2;
/// Nodes along each axis that a row can touch: its own cell and one more on either side.
const WINDOW: i32 = 4;
/// Nodes that a row can touch in space.
const WINDOW_NODES: usize = 64;

/// A matrix over the nodes of grids. While it is summed up, only the sum with its transpose means something.
#[derive(Clone, Debug)]
pub(super) struct CoarseMatrix {
    grids: Vec<GridBlocks>,
    values: Vec<Mat3>,
    links: Arc<Links>,
    /// The blocks of the links, whole: rows of the first node, columns of the later one.
    linked: Vec<Mat3>,
}

/// Where the blocks of a grid stand.
#[derive(Clone, Copy, Debug)]
struct GridBlocks {
    grid: Grid,
    first: usize,
    /// Whether windows and offsets have one layer only.
    is_flat: bool,
}

/// The nodes that an element touches, in a window around a cell.
#[derive(Clone, Debug)]
pub(super) struct Touched<T> {
    values: [T; WINDOW_NODES],
    /// One bit per node of the window.
    nodes: u64,
}

/// A node that moves the point of a contact.
#[derive(Clone, Copy, Debug)]
pub(super) struct MovedNode {
    number: usize,
    grid: u32,
    cell: [i32; 3],
    /// How far the point moves with the node, along each axis.
    weight: DVec3,
    /// By how much more its own block is to count, for the nodes that it has no blocks with.
    bound: f64,
}

impl MovedNode {
    /// `W_a H W_b` for two nodes.
    #[inline(always)]
    fn between(&self, hessian: &DMat3, other: &MovedNode) -> Mat3 {
        let rows = DMat3::from_diagonal(self.weight);
        (rows * *hessian * DMat3::from_diagonal(other.weight)).to_cols_array()
    }
}

impl GridBlocks {
    /// Offsets of the nodes that a node couples to.
    fn offset_count(&self) -> usize {
        if self.is_flat { 25 } else { 125 }
    }

    /// The number of an offset, of which the negative one has the mirrored number; `None` if it is out of reach.
    #[inline(always)]
    fn offset_number(&self, [x, y, z]: [i32; 3]) -> Option<usize> {
        if x.abs() > REACH || y.abs() > REACH || z.abs() > REACH {
            return None;
        }
        let layer = if self.is_flat { 0 } else { z + REACH };
        Some((layer * 25 + (y + REACH) * 5 + x + REACH) as usize)
    }

    /// The offset of a number, with what it adds to the number of a node.
    fn offset(&self, number: usize) -> ([i64; 3], i64) {
        let number = number as i64;
        let z = if self.is_flat { 0 } else { number / 25 - i64::from(REACH) };
        let at = [number % 5 - i64::from(REACH), number / 5 % 5 - i64::from(REACH), z];
        let strides = self.grid.strides().map(|stride| stride as i64);
        (at, (0..3).map(|axis| at[axis] * strides[axis]).sum())
    }

    /// The corners of a cell.
    fn corner_count(&self) -> usize {
        if self.is_flat { 4 } else { 8 }
    }

    /// Where the block of a node and an offset stands.
    #[inline(always)]
    fn slot(&self, node: usize, offset: usize) -> usize {
        self.first + (node - self.grid.first) * self.offset_count() + offset
    }

    /// The number of a node, given by its place in the window around a cell.
    #[inline(always)]
    fn node(&self, place: &Place, window: usize) -> usize {
        let strides = self.grid.strides();
        let at = window_place(window);
        let z = if self.is_flat { 1 } else { at[2] };
        let offset =
            (at[0] - 1) * strides[0] as i32 + (at[1] - 1) * strides[1] as i32 + (z - 1) * strides[2] as i32;
        (place.node as i32 + offset) as usize
    }
}

/// The coordinates of a node in the window.
#[inline(always)]
fn window_place(window: usize) -> [i32; 3] {
    let window = window as i32;
    [window % WINDOW, window / WINDOW % WINDOW, window / (WINDOW * WINDOW)]
}

impl<T: Copy> Touched<T> {
    /// No nodes; `zero` is what every value starts from.
    pub(super) fn new(zero: T) -> Self {
        Self { values: [zero; WINDOW_NODES], nodes: 0 }
    }

    /// Forgets all nodes.
    fn clear(&mut self, zero: T) {
        let mut nodes = std::mem::take(&mut self.nodes);
        while nodes != 0 {
            self.values[nodes.trailing_zeros() as usize] = zero;
            nodes &= nodes - 1;
        }
    }

    /// Adds to the corners of the cell of `other`, seen from the cell of `place`: `add(value, weight)`. Nothing happens
    /// and `false` is returned if they are too far apart.
    #[inline(always)]
    fn interpolate(
        &mut self,
        place: &Place,
        (other, corners): (&Place, usize),
        mut add: impl FnMut(&mut T, f64),
    ) -> bool {
        let step = |axis: usize| i32::from(other.cell[axis]) - i32::from(place.cell[axis]);
        let [x, y, z] = [step(0), step(1), step(2)];
        if x.abs() > 1 || y.abs() > 1 || z.abs() > 1 || other.grid != place.grid {
            return false;
        }
        let layer = if corners == 4 { 0 } else { z + 1 };
        let first = ((layer * WINDOW + y + 1) * WINDOW + x + 1) as usize;
        for (corner, weight) in other.weights().iter().enumerate().take(corners) {
            if *weight != 0.0 {
                let node = first + (corner & 1) + 4 * (corner >> 1 & 1) + 16 * (corner >> 2);
                self.nodes |= 1 << node;
                add(&mut self.values[node], *weight);
            }
        }
        true
    }

    /// The nodes and their values.
    #[inline(always)]
    fn iter(&self) -> impl Iterator<Item = (usize, &T)> {
        let mut nodes = self.nodes;
        std::iter::from_fn(move || {
            if nodes == 0 {
                return None;
            }
            let node = nodes.trailing_zeros() as usize;
            nodes &= nodes - 1;
            Some((node, &self.values[node]))
        })
    }
}

impl CoarseMatrix {
    /// A matrix of zeros over grids.
    pub(super) fn new(grids: &[Grid], links: Arc<Links>) -> Self {
        let linked = vec![[0.0; 9]; links.len()];
        let mut out = Self { grids: Vec::new(), values: Vec::new(), links, linked };
        let mut first = 0;
        for grid in grids {
            let blocks = GridBlocks { grid: *grid, first, is_flat: grid.is_flat() };
            first += grid.node_count() * blocks.offset_count();
            out.grids.push(blocks);
        }
        out.values = vec![[0.0; 9]; first];
        out
    }

    /// Sets all of it to zero.
    pub(super) fn clear(&mut self) {
        self.values.fill([0.0; 9]);
        self.linked.fill([0.0; 9]);
    }

    /// Adds a matrix over the same grids.
    pub(super) fn add(&mut self, other: &CoarseMatrix) {
        let own = self.values.iter_mut().chain(&mut self.linked);
        let others = other.values.iter().chain(&other.linked);
        own.zip(others).for_each(|(out, block)| add_scaled(out, 1.0, block));
    }

    /// Adds `P_iᵀ Σ_j H_ij P_j` for a row of a finer matrix: the places of its columns, and their blocks. The diagonal
    /// block counts half.
    #[inline(always)]
    pub(super) fn add_row<'a>(
        &mut self,
        place: &Place,
        touched: &mut Touched<Mat3>,
        row: impl Iterator<Item = (&'a Place, Mat3)>,
    ) {
        let grid = self.grids[place.grid as usize];
        let corners = grid.corner_count();
        for (other, block) in row {
            let add = |value: &mut Mat3, weight: f64| (0..9).for_each(|e| value[e] += weight * block[e]);
            if !touched.interpolate(place, (other, corners), add) {
                self.add_pair([place, other], &block);
            }
        }
        let weights = place.weights();
        for (window, value) in touched.iter() {
            let at = window_place(window);
            let node = grid.node(place, window);
            let z = if grid.is_flat { 0 } else { at[2] - 1 };
            for (corner, weight) in weights.iter().enumerate().take(corners) {
                let (cx, cy, cz) = (corner as i32 & 1, corner as i32 >> 1 & 1, corner as i32 >> 2);
                let offset = [at[0] - 1 - cx, at[1] - 1 - cy, z - cz];
                let Some(number) = grid.offset_number(offset).filter(|_| *weight != 0.0) else { continue };
                let strides = grid.grid.strides();
                let back: i32 = (0..3).map(|axis| offset[axis] * strides[axis] as i32).sum();
                let out = &mut self.values[grid.slot((node as i32 - back) as usize, number)];
                (0..9).for_each(|e| out[e] += weight * value[e]);
            }
        }
        touched.clear([0.0; 9]);
    }

    /// Adds `k (Σ P g) (Σ P g)ᵀ` for the gradients of an element at the places of its vertices.
    #[inline(always)]
    pub(super) fn add_outer<const V: usize>(
        &mut self,
        places: [&Place; V],
        touched: &mut Touched<DVec3>,
        (gradients, stiffness): ([DVec3; V], f64),
    ) {
        let grid = self.grids[places[0].grid as usize];
        let corners = grid.corner_count();
        let is_near = (0..V).all(|v| {
            let add = |value: &mut DVec3, weight: f64| *value += gradients[v] * weight;
            touched.interpolate(places[0], (places[v], corners), add)
        });
        if !is_near {
            for a in 0..V {
                for b in a..V {
                    let scale = if a == b { 0.5 * stiffness } else { stiffness };
                    let block = outer(gradients[a] * scale, gradients[b]);
                    self.add_pair([places[a], places[b]], &block.to_cols_array());
                }
            }
            return touched.clear(DVec3::ZERO);
        }
        for (a, first) in touched.iter() {
            let (row, at) = (grid.node(places[0], a), window_place(a));
            for (b, second) in touched.iter().filter(|(b, _)| *b >= a) {
                let scale = if a == b { 0.5 * stiffness } else { stiffness };
                let to = window_place(b);
                match grid.offset_number([to[0] - at[0], to[1] - at[1], to[2] - at[2]]) {
                    Some(number) => {
                        let out = &mut self.values[grid.slot(row, number)];
                        let scaled = *first * scale;
                        let [x, y, z] = second.to_array().map(|entry| scaled * entry);
                        let columns = [x.x, x.y, x.z, y.x, y.y, y.z, z.x, z.y, z.z];
                        (0..9).for_each(|e| out[e] += columns[e]);
                    }
                    None => {
                        let bound = 0.5 * stiffness * first.length() * second.length();
                        let middle = grid.offset_count() / 2;
                        for node in [row, grid.node(places[0], b)] {
                            let out = &mut self.values[grid.slot(node, middle)];
                            (0..3).for_each(|axis| out[4 * axis] += bound);
                        }
                    }
                }
            }
        }
        touched.clear(DVec3::ZERO);
    }

    /// Adds `P_iᵀ H_ij P_j` for a block between two places, wherever they are: what no link is there for as a bound of
    /// its size, `|2 pᵀ B q| ≤ |B| (|p|² + |q|²)`.
    fn add_pair(&mut self, [place, other]: [&Place; 2], block: &Mat3) {
        if *block == [0.0; 9] {
            return;
        }
        let [from, to] = [place, other].map(|place| self.grids[place.grid as usize]);
        for (node, cell, weight) in from.grid.corners(place) {
            for (end, at, part) in to.grid.corners(other) {
                let scale = weight * part;
                let step = [0, 1, 2].map(|axis| at[axis] - cell[axis]);
                let near = from.offset_number(step).filter(|_| place.grid == other.grid);
                if let Some(number) = near {
                    add_scaled(&mut self.values[from.slot(node, number)], scale, block);
                } else if let Some(link) = self.links.number([node, end]) {
                    let turned = if node < end { *block } else { TRANSPOSED.map(|entry| block[entry]) };
                    add_scaled(&mut self.linked[link], scale, &turned);
                } else {
                    let size = block.iter().map(|entry| entry * entry).sum::<f64>().sqrt();
                    for (grid, node) in [(from, node), (to, end)] {
                        let out = &mut self.values[grid.slot(node, grid.offset_count() / 2)];
                        (0..3).for_each(|axis| out[4 * axis] += 0.5 * scale * size);
                    }
                }
            }
        }
    }

    /// Adds `Σ_ab W_a H W_b` over the nodes around the vertices of a contact, which may lie anywhere: of each vertex its place
    /// and its weight along each axis. What no block is there for is added as a bound,
    /// `|2 pᵀ W_a H W_b q| ≤ t pᵀ W_a H W_a p + t⁻¹ qᵀ W_b H W_b q` with `t = |W_b| / |W_a|`: no stiffer along the surface than
    /// the contact is. `nodes` is scratch.
    pub(super) fn add_contact<'a>(
        &mut self,
        vertices: impl Iterator<Item = (&'a Place, DVec3)>,
        hessian: &DMat3,
        nodes: &mut Vec<MovedNode>,
    ) {
        nodes.clear();
        for (place, weight) in vertices {
            self.gather_nodes(place, weight, nodes);
        }
        nodes.retain(|node| node.weight != DVec3::ZERO);
        for a in 0..nodes.len() {
            let (before, after) = nodes.split_at_mut(a + 1);
            let node = &mut before[a];
            for other in after {
                if !self.couple(node, other, hessian) {
                    let ratio = (other.weight.length_squared() / node.weight.length_squared()).sqrt();
                    node.bound += ratio;
                    other.bound += ratio.recip();
                }
            }
            let grid = self.grids[node.grid as usize];
            let out = &mut self.values[grid.slot(node.number, grid.offset_count() / 2)];
            add_scaled(out, 0.5 * (1.0 + node.bound), &node.between(hessian, node));
        }
    }

    /// Adds the corners of the cell of a place to a list of nodes, each of them once.
    fn gather_nodes(&self, place: &Place, weight: DVec3, nodes: &mut Vec<MovedNode>) {
        for (number, cell, part) in self.grids[place.grid as usize].grid.corners(place) {
            match nodes.iter_mut().find(|node| node.number == number) {
                Some(node) => node.weight += weight * part,
                None => nodes.push(MovedNode {
                    number,
                    grid: place.grid,
                    cell,
                    weight: weight * part,
                    bound: 0.0,
                }),
            }
        }
    }

    /// Adds what couples two nodes of a contact; `false` if there is no block for them.
    fn couple(&mut self, node: &MovedNode, other: &MovedNode, hessian: &DMat3) -> bool {
        let grid = self.grids[node.grid as usize];
        let step = [0, 1, 2].map(|axis| other.cell[axis] - node.cell[axis]);
        let near = grid.offset_number(step).filter(|_| node.grid == other.grid);
        let (out, is_turned) = if let Some(number) = near {
            (&mut self.values[grid.slot(node.number, number)], false)
        } else if let Some(link) = self.links.number([node.number, other.number]) {
            // The rows are those of the earlier node.
            (&mut self.linked[link], node.number > other.number)
        } else {
            return false;
        };
        let (row, column) = if is_turned { (other, node) } else { (node, other) };
        add_scaled(out, 1.0, &row.between(hessian, column));
        true
    }

    /// Adds the transpose: the sum is the matrix, of which the diagonal and what follows it in each row is kept.
    pub(super) fn symmetrize(&mut self) {
        for grid in self.grids.clone() {
            let (count, middle) = (grid.offset_count(), grid.offset_count() / 2);
            for (node, cell) in (grid.grid.first..).zip(grid.grid.node_cells()) {
                for number in middle..count {
                    let Some(other) = grid.neighbor(node, cell, number) else { continue };
                    let mirrored = self.values[grid.slot(other, count - 1 - number)];
                    let out = &mut self.values[grid.slot(node, number)];
                    for c in 0..3 {
                        (0..3).for_each(|r| out[3 * c + r] += mirrored[3 * r + c]);
                    }
                }
            }
        }
    }

    /// Calls `visit` for every node with its diagonal block, and the numbers and blocks of the nodes that follow it.
    pub(super) fn for_rows(&self, mut visit: impl FnMut(usize, &Mat3, &[(usize, Mat3)])) {
        let mut row = Vec::with_capacity(WINDOW_NODES);
        for grid in &self.grids {
            let (count, middle) = (grid.offset_count(), grid.offset_count() / 2);
            for (node, cell) in (grid.grid.first..).zip(grid.grid.node_cells()) {
                row.clear();
                for number in middle + 1..count {
                    let other = grid.neighbor(node, cell, number);
                    row.extend(other.map(|other| (other, self.values[grid.slot(node, number)])));
                }
                let links = self.links.of(node);
                if !links.is_empty() {
                    row.extend(links.map(|link| (self.links.end(link), self.linked[link])));
                    row.sort_unstable_by_key(|(other, _)| *other);
                }
                visit(node, &self.values[grid.slot(node, middle)], &row);
            }
        }
    }

    /// The Galerkin matrix of a finer one, whose nodes lie at `places`.
    pub(super) fn restrict(&mut self, finer: &CoarseMatrix, places: &[Place]) {
        self.clear();
        let mut touched = Touched::new([0.0; 9]);
        vectorized(|| {
            finer.for_rows(|node, diagonal, row| {
                let half = diagonal.map(|entry| 0.5 * entry);
                let own = std::iter::once((&places[node], half));
                self.add_row(
                    &places[node],
                    &mut touched,
                    own.chain(row.iter().map(|(j, b)| (&places[*j], *b))),
                );
            });
        });
        self.symmetrize();
    }
}

impl GridBlocks {
    /// The node at an offset from a node, if there is one.
    fn neighbor(&self, node: usize, cell: [usize; 3], number: usize) -> Option<usize> {
        let (at, stride) = self.offset(number);
        let is_inside = (0..3).all(|axis| {
            let k = cell[axis] as i64 + at[axis];
            (0..self.grid.nodes[axis] as i64).contains(&k)
        });
        is_inside.then(|| (node as i64 + stride) as usize)
    }
}

/// The links of a level, between pairs of places.
pub(super) fn find_links<'a>(grids: &[Grid], pairs: impl Iterator<Item = [&'a Place; 2]>) -> Links {
    let blocks = CoarseMatrix::new(grids, Arc::default()).grids;
    Links::find(grids, pairs, |grid, step| blocks[grid as usize].offset_number(step).is_some())
}

#[inline(always)]
fn add_scaled(out: &mut Mat3, scale: f64, block: &Mat3) {
    (0..9).for_each(|entry| out[entry] += scale * block[entry]);
}

/// The inverse of a symmetric block on the axes that it knows; zero if it has none.
pub(super) fn invert(block: &Mat3) -> Mat3 {
    let mut matrix = DMat3::from_cols_array(block);
    for axis in (0..3).filter(|axis| block[4 * axis] == 0.0) {
        matrix.col_mut(axis)[axis] = 1.0;
    }
    if matrix.determinant() > 0.0 { matrix.inverse().to_cols_array() } else { [0.0; 9] }
}
