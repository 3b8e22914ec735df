//! The Hessian on a grid of the multigrid hierarchy: the Galerkin matrix `Pᵀ H P` of the functions of its nodes.
//!
//! Nodes couple to those at most two cells away in each direction. The blocks of a node stand one after the other, in the
//! order of the offsets. A row of the finer matrix is first interpolated as a whole, `T = H P`, over the four cells in each
//! direction that it can touch. Then it is added to the nodes of its own cell.
//!
//! Pairs of grids, and sewn places, have blocks of their own (`links`). Couplings that reach farther otherwise, where the
//! mesh is coarser than the grid, go to the diagonal as a bound of their size. So the matrix stays positive definite.

use super::coarse_blocks::{GridBlocks, Touched, WINDOW_NODES, window_place};
use super::grid::{Grid, Place};
use super::links::Links;
use crate::drivers::newton::linear::block_rows::TRANSPOSED;
use crate::matrices::{Mat3, outer};
use glam::{DMat3, DVec3};
use std::sync::Arc;
use taffeta_core::lanes::vectorized;

/// A matrix over the nodes of grids. While it is summed up, only the sum with its transpose means something.
#[derive(Clone, Debug)]
pub(crate) struct CoarseMatrix {
    grids: Vec<GridBlocks>,
    values: Vec<Mat3>,
    links: Arc<Links>,
    /// The blocks of the links, whole: rows of the first node, columns of the later one.
    linked: Vec<Mat3>,
}

/// A node that moves the point of a contact.
#[derive(Clone, Copy, Debug)]
pub(crate) struct MovedNode {
    number: usize,
    grid: u32,
    cell: [i32; 3],
    /// Share of the node's motion that the point takes, along each axis.
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

impl CoarseMatrix {
    /// A matrix of zeros over grids.
    pub(crate) fn new(grids: &[Grid], links: Arc<Links>) -> Self {
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
    pub(crate) fn clear(&mut self) {
        self.values.fill([0.0; 9]);
        self.linked.fill([0.0; 9]);
    }

    /// Adds a matrix over the same grids.
    pub(crate) fn add(&mut self, other: &CoarseMatrix) {
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
            if !touched.interpolate(place, other, corners, add) {
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
        gradients: [DVec3; V],
        stiffness: f64,
    ) {
        let grid = self.grids[places[0].grid as usize];
        let corners = grid.corner_count();
        let is_near = (0..V).all(|v| {
            let add = |value: &mut DVec3, weight: f64| *value += gradients[v] * weight;
            touched.interpolate(places[0], places[v], corners, add)
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
