//! The coarsest grids, solved exactly: their matrix is factorized, and solved for one right-hand side at a time.
//!
//! A node has three columns of the factor, and the nodes of a dense block share the rows below it. So a solve goes
//! node by node: three columns, which stand one after the other in memory, act on a copy of the values of the block. In
//! an iteration of conjugate gradients this is most of what the grids cost.

use super::coarse::CoarseMatrix;
use crate::drivers::newton::linear::block_rows::count_offsets;
use crate::drivers::ordering::dissect;
use glam::DVec3;
use taffeta_core::lanes::vectorized;
use taffeta_factor::{CholeskyFactor, CholeskyPattern};

/// Regularization added to the diagonal, relative to it. Where the mesh is coarser than the grid, functions depend on
/// each other.
const REGULARIZATION: f64 = 1e-9;
/// Partial sums of a dot product: as many as an AVX2 register holds.
const LANES: usize = 4;

/// The pattern of the matrix, analyzed.
#[derive(Debug)]
pub(crate) struct ExactPattern {
    pattern: CholeskyPattern,
    /// When each node is eliminated.
    ranks: Vec<u32>,
    /// Places of the blocks beside the diagonal, in the order in which [`CoarseMatrix::for_rows`] comes to them.
    slots: Vec<Slot>,
}

/// The place of a block in the lower triangle.
#[derive(Clone, Copy, Debug)]
struct Slot {
    /// The node whose columns it is part of, by rank, and how many rows stand above it in these, the diagonal left out.
    column: u32,
    above: u32,
    /// True if its columns are those of the node that follows.
    is_turned: bool,
}

impl ExactPattern {
    /// Analyzes the pattern of a matrix, whose nodes lie at `places`: for the order of elimination alone.
    pub(crate) fn build(matrix: &CoarseMatrix, places: &[DVec3]) -> Self {
        let mut pairs: Vec<[u32; 2]> = Vec::new();
        matrix.for_rows(|node, _, others| {
            pairs.extend(others.iter().map(|(other, _)| [node as u32, *other as u32]));
        });
        let ranks = rank(places, &pairs);
        let lower = |pair: &[u32; 2]| {
            let [a, b] = pair.map(|node| ranks[node as usize]);
            [a.min(b), a.max(b)]
        };
        let mut below: Vec<[u32; 2]> = pairs.iter().map(lower).collect();
        below.sort_unstable();
        let starts = count_offsets(places.len(), below.iter().map(|[column, _]| *column));
        let (mut offsets, mut rows) = (vec![0], Vec::new());
        for node in 0..places.len() {
            let below = &below[starts[node] as usize..starts[node + 1] as usize];
            for c in 0..3 {
                rows.extend((c..3).map(|r| 3 * node + r));
                rows.extend(below.iter().flat_map(|[_, row]| (0..3).map(move |r| 3 * *row as usize + r)));
                offsets.push(rows.len());
            }
        }
        let slot = |pair: &[u32; 2]| {
            let [column, row] = lower(pair);
            let place = below.binary_search(&[column, row]).expect("it is one of them");
            let is_turned = ranks[pair[0] as usize] != column;
            Slot { column, above: 3 * (place as u32 - starts[column as usize]), is_turned }
        };
        let slots = pairs.iter().map(slot).collect();
        Self { pattern: CholeskyPattern::build_supernodal(offsets, rows), slots, ranks }
    }

    /// Factorizes a matrix, regularized; a node without cloth gets a one. `None` if it is not positive definite.
    pub(crate) fn factorize(&self, matrix: &CoarseMatrix) -> Option<ExactFactor> {
        let offsets = self.pattern.column_offsets();
        let mut values = vec![0.0; self.pattern.row_indices().len()];
        let mut slots = self.slots.iter();
        matrix.for_rows(|node, diagonal, others| {
            for c in 0..3 {
                let first = offsets[3 * self.ranks[node] as usize + c];
                let own = diagonal[4 * c];
                values[first] = if own > 0.0 { own * (1.0 + REGULARIZATION) } else { 1.0 };
                (c + 1..3).for_each(|r| values[first + r - c] = diagonal[3 * c + r]);
            }
            for ((_, block), slot) in others.iter().zip(&mut slots) {
                for c in 0..3 {
                    let first = offsets[3 * slot.column as usize + c] + 3 - c + slot.above as usize;
                    for r in 0..3 {
                        values[first + r] = block[if slot.is_turned { 3 * c + r } else { 3 * r + c }];
                    }
                }
            }
        });
        let factor = self.pattern.factorize(&values).ok()?;
        Some(ExactFactor::new(&factor, self.ranks.clone()))
    }
}

/// When each node is eliminated.
fn rank(places: &[DVec3], pairs: &[[u32; 2]]) -> Vec<u32> {
    let both = || pairs.iter().flat_map(|[a, b]| [[*a, *b], [*b, *a]]);
    let offsets = count_offsets(places.len(), both().map(|[a, _]| a));
    let (mut cursor, mut neighbors) = (offsets.clone(), vec![0; 2 * pairs.len()]);
    for [a, b] in both() {
        neighbors[cursor[a as usize] as usize] = b;
        cursor[a as usize] += 1;
    }
    let around = |node: u32| &neighbors[offsets[node as usize] as usize..offsets[node as usize + 1] as usize];
    let mut ranks = vec![0; places.len()];
    for (rank, node) in (0..).zip(dissect(places, around)) {
        ranks[node as usize] = rank;
    }
    ranks
}

/// The factor `L` of `A = L Lᵀ`.
#[derive(Clone, Debug, Default)]
pub(crate) struct ExactFactor {
    ranks: Vec<u32>,
    supernodes: Vec<Supernode>,
    /// The nodes below the supernodes, by rank.
    below: Vec<u32>,
    /// Of each node the rows below its diagonal block, column by column.
    values: Vec<f64>,
    /// Its diagonal block: `1/L` on the diagonal, and below it xy, xz, yz.
    blocks: Vec<[f64; 6]>,
    /// Values of all nodes by rank, and a copy of those of a supernode.
    ordered: Vec<[f64; 3]>,
    local: Vec<f64>,
}

/// Nodes that follow each other and share the rows below the last.
#[derive(Clone, Copy, Debug)]
struct Supernode {
    start: u32,
    width: u32,
    /// The nodes below it: where they stand in the list, and how many they are.
    below: u32,
    count: u32,
    /// Start of its columns in the values.
    values: u32,
}

impl ExactFactor {
    fn new(factor: &CholeskyFactor, ranks: Vec<u32>) -> Self {
        let mut out = Self { ordered: vec![[0.0; 3]; ranks.len()], ranks, ..Self::default() };
        factor.visit_supernodes(|(start, columns), below, entry| out.push(start, columns, below, entry));
        let longest = out.supernodes.iter().map(|s| 3 * (s.width + s.count) as usize).max();
        out.local = vec![0.0; longest.unwrap_or(0)];
        out
    }

    fn push(&mut self, start: usize, columns: usize, below: &[usize], entry: impl Fn(usize, usize) -> f64) {
        assert!(
            [start, columns, below.len()].iter().all(|count| count.is_multiple_of(3)),
            "the columns of a node stay together"
        );
        self.supernodes.push(Supernode {
            start: start as u32 / 3,
            width: columns as u32 / 3,
            below: self.below.len() as u32,
            count: below.len() as u32 / 3,
            values: self.values.len() as u32,
        });
        self.below.extend(below.iter().step_by(3).map(|row| (row / 3) as u32));
        for first in (0..columns).step_by(3) {
            let at = |r: usize, c: usize| entry(first + r, first + c);
            let [x, y, z] = [0, 1, 2].map(|axis| at(axis, axis).recip());
            self.blocks.push([x, y, z, at(1, 0), at(2, 0), at(2, 1)]);
            for c in 0..3 {
                self.values.extend((first + 3..columns + below.len()).map(|row| entry(row, first + c)));
            }
        }
    }

    /// Replaces a right-hand side, three values for each node, by the solution.
    pub(crate) fn solve(&mut self, x: &mut [f64]) {
        let Self { ranks, ordered, local, .. } = self;
        let x = x.as_chunks_mut::<3>().0;
        ranks.iter().zip(&*x).for_each(|(rank, value)| ordered[*rank as usize] = *value);
        let (mut y, mut local) = (std::mem::take(ordered), std::mem::take(local));
        vectorized(
            #[inline(always)]
            || {
                self.supernodes.iter().for_each(|s| self.forward(s, &mut y, &mut local));
                self.supernodes.iter().rev().for_each(|s| self.backward(s, &mut y, &mut local));
            },
        );
        self.ranks.iter().zip(x).for_each(|(rank, value)| *value = y[*rank as usize]);
        (self.ordered, self.local) = (y, local);
    }

    fn rows_below(&self, supernode: &Supernode) -> &[u32] {
        &self.below[supernode.below as usize..][..supernode.count as usize]
    }

    #[inline(always)]
    fn forward(&self, supernode: &Supernode, y: &mut [[f64; 3]], local: &mut [f64]) {
        let own = supernode.start as usize..(supernode.start + supernode.width) as usize;
        let rows = self.rows_below(supernode);
        let local = &mut local[..3 * (own.len() + rows.len())];
        let (inner, outer) = local.split_at_mut(3 * own.len());
        inner.copy_from_slice(y[own.clone()].as_flattened());
        outer.fill(0.0);
        let mut values = &self.values[supernode.values as usize..];
        let mut rest = &mut *local;
        for [dx, dy, dz, xy, xz, yz] in &self.blocks[own.clone()] {
            let (node, below) = rest.split_at_mut(3);
            let x0 = node[0] * dx;
            let x1 = (node[1] - xy * x0) * dy;
            let x2 = (node[2] - xz * x0 - yz * x1) * dz;
            node.copy_from_slice(&[x0, x1, x2]);
            let (columns, after) = values.split_at(3 * below.len());
            let (first, others) = columns.split_at(below.len());
            let (second, third) = others.split_at(below.len());
            for (((out, a), b), c) in below.iter_mut().zip(first).zip(second).zip(third) {
                *out -= (a * x0 + b * x1) + c * x2;
            }
            (values, rest) = (after, below);
        }
        let (inner, outer) = local.as_chunks::<3>().0.split_at(own.len());
        y[own].copy_from_slice(inner);
        for (row, change) in rows.iter().zip(outer) {
            let out = &mut y[*row as usize];
            (0..3).for_each(|axis| out[axis] += change[axis]);
        }
    }

    #[inline(always)]
    fn backward(&self, supernode: &Supernode, y: &mut [[f64; 3]], local: &mut [f64]) {
        let own = supernode.start as usize..(supernode.start + supernode.width) as usize;
        let rows = self.rows_below(supernode);
        let local = &mut local[..3 * (own.len() + rows.len())];
        {
            let (inner, outer) = local.as_chunks_mut::<3>().0.split_at_mut(own.len());
            inner.copy_from_slice(&y[own.clone()]);
            outer.iter_mut().zip(rows).for_each(|(out, row)| *out = y[*row as usize]);
        }
        let last = own.len() * 3 * (local.len() - 3) - 9 * (own.len() * (own.len() - 1) / 2);
        let mut values = &self.values[supernode.values as usize..][..last];
        for (k, [dx, dy, dz, xy, xz, yz]) in self.blocks[own.clone()].iter().enumerate().rev() {
            let (node, below) = local[3 * k..].split_at_mut(3);
            let (before, columns) = values.split_at(values.len() - 3 * below.len());
            let (first, others) = columns.split_at(below.len());
            let (second, third) = others.split_at(below.len());
            let [s0, s1, s2] = [first, second, third].map(
                #[inline(always)]
                |column| dot(column, below),
            );
            node[2] = (node[2] - s2) * dz;
            node[1] = (node[1] - s1 - yz * node[2]) * dy;
            node[0] = (node[0] - s0 - xy * node[1] - xz * node[2]) * dx;
            values = before;
        }
        y[own.clone()].copy_from_slice(&local.as_chunks::<3>().0[..own.len()]);
    }
}

/// The dot product, in a fixed order.
#[inline(always)]
fn dot(a: &[f64], b: &[f64]) -> f64 {
    let ((a, a_rest), (b, b_rest)) = (a.as_chunks::<LANES>(), b.as_chunks::<LANES>());
    let mut sums = [0.0; LANES];
    for (a, b) in a.iter().zip(b) {
        (0..LANES).for_each(|k| sums[k] += a[k] * b[k]);
    }
    let rest: f64 = a_rest.iter().zip(b_rest).map(|(a, b)| a * b).sum();
    (sums[0] + sums[1]) + (sums[2] + sums[3]) + rest
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::drivers::newton::precondition::coarse::find_links;
    use crate::drivers::newton::precondition::coarse_blocks::Touched;
    use crate::drivers::newton::precondition::grid::{Grid, Place, find_pieces};
    use glam::DMat3;
    use std::sync::Arc;
    use taffeta_core::SurfaceTopology;
    use taffeta_core::VertexIndex;
    use taffeta_core::random::SplitMix64;

    /// The matrix of springs between neighbors of a sheet, on a grid that is too large for one leaf of the dissection. A
    /// link joins two places in opposite corners.
    fn matrix() -> (CoarseMatrix, Vec<DVec3>) {
        let n = 40u32;
        let points: Vec<_> = (0..=n)
            .flat_map(|j| (0..=n).map(move |i| DVec3::new(f64::from(i), 0.7 * f64::from(j), 0.0)))
            .collect();
        let at = |i: u32, j: u32| VertexIndex(j * (n + 1) + i);
        let square = |k: u32| {
            let (i, j) = (k % n, k / n);
            [[at(i, j), at(i + 1, j), at(i + 1, j + 1)], [at(i, j), at(i + 1, j + 1), at(i, j + 1)]]
        };
        let topology = SurfaceTopology::from_faces(points.len(), (0..n * n).flat_map(square).collect());
        let grid = Grid::fit(&topology, &points, &find_pieces(&topology, &[])[0], 0);
        let places: Vec<Place> = points.iter().map(|point| grid.find_place(*point, 0)).collect();
        let links = find_links(&[grid], std::iter::once([&places[0], &places[points.len() - 1]]));
        let mut matrix = CoarseMatrix::new(&[grid], Arc::new(links));
        let (mut random, mut touched) = (SplitMix64(3), Touched::new([0.0; 9]));
        let pairs: Vec<[usize; 2]> = (0..points.len() - 1)
            .map(|i| [i, i + 1])
            .chain((0..points.len() - n as usize - 1).map(|i| [i, i + n as usize + 1]))
            .chain([[0, points.len() - 1]])
            .collect();
        for [a, b] in pairs {
            let way = DVec3::from_array([0; 3].map(|_| random.next_unit()));
            let stiffness = DMat3::from_cols(way * way.x, way * way.y, way * way.z) + DMat3::IDENTITY * 0.1;
            let (half, other) = ((stiffness * 0.5).to_cols_array(), (stiffness * -1.0).to_cols_array());
            matrix.add_row(&places[a], &mut touched, [(&places[a], half), (&places[b], other)].into_iter());
            matrix.add_row(&places[b], &mut touched, std::iter::once((&places[b], half)));
        }
        for place in &places {
            let inertia = (DMat3::IDENTITY * 0.05).to_cols_array();
            matrix.add_row(place, &mut touched, std::iter::once((place, inertia)));
        }
        matrix.symmetrize();
        let nodes = grid.node_cells().map(|cell| DVec3::from(cell.map(|k| k as f64))).collect();
        (matrix, nodes)
    }

    #[test]
    fn the_solution_fulfils_the_equations() {
        let (matrix, nodes) = matrix();
        assert!(nodes.len() > 100, "{}", nodes.len());
        let pattern = ExactPattern::build(&matrix, &nodes);
        let mut factor = pattern.factorize(&matrix).expect("it is positive definite");
        assert!(factor.supernodes.len() > 3 && factor.supernodes.iter().any(|s| s.width > 1));
        let right: Vec<f64> = (0..3 * nodes.len()).map(|i| (0.7 * i as f64).sin()).collect();
        let mut x = right.clone();
        factor.solve(&mut x);
        let mut product = vec![DVec3::ZERO; nodes.len()];
        let at = |node: usize| DVec3::from_slice(&x[3 * node..]);
        matrix.for_rows(|node, diagonal, others| {
            product[node] += DMat3::from_cols_array(diagonal) * at(node);
            for (other, block) in others {
                let block = DMat3::from_cols_array(block);
                product[node] += block * at(*other);
                product[*other] += block.transpose() * at(node);
            }
        });
        for (product, right) in product.iter().zip(right.chunks_exact(3)) {
            assert!(product.distance(DVec3::from_slice(right)) < 1e-6, "{product} instead of {right:?}");
        }
        let mut again = right;
        factor.solve(&mut again);
        assert_eq!(x, again, "the scratch of one solve is seen by the next");
    }

    #[test]
    fn a_matrix_that_is_not_definite_has_no_factor() {
        let (matrix, nodes) = matrix();
        let pattern = ExactPattern::build(&matrix, &nodes);
        let (mut bad, mut touched) = (matrix, Touched::new([0.0; 9]));
        let first = Place::default();
        let next = Place { node: 1, cell: [1, 0, 0], ..first };
        let block = (DMat3::IDENTITY * 1e6).to_cols_array();
        bad.add_row(&first, &mut touched, std::iter::once((&next, block)));
        assert!(pattern.factorize(&bad).is_none());
    }
}
