//! Interpolation between the nodes of grids and the points in them, listed both ways: every value is summed up by its
//! owner, in a fixed order.

use super::grid::{Grid, Place};
use crate::drivers::newton::linear::block_rows::count_offsets;
use taffeta_core::lanes::vectorized;
use taffeta_core::tasks::share_out;

/// Values that one task sums up: of a point from four nodes or eight, of a node from some thirty points.
const POINTS_PER_TASK: usize = 2048;
const NODES_PER_TASK: usize = 128;

/// The weights `P` of nodes at points, and their transpose.
#[derive(Clone, Debug)]
pub(crate) struct Interpolation {
    nodes_of_points: Weights,
    points_of_nodes: Weights,
}

/// A matrix of weights, compressed by rows.
#[derive(Clone, Debug)]
struct Weights {
    offsets: Vec<u32>,
    entries: Vec<Entry>,
}

/// Both ways have the same weights, whatever they are rounded to.
#[derive(Clone, Copy, Debug, Default)]
struct Entry {
    column: u32,
    weight: f32,
}

impl Interpolation {
    /// Lists what the nodes of grids, so many altogether, are worth at some places in them.
    pub(crate) fn new(grids: &[Grid], node_count: usize, places: &[Place]) -> Self {
        let (mut offsets, mut entries) = (vec![0], Vec::with_capacity(4 * places.len()));
        for place in places {
            let corners = grids[place.grid as usize].corners(place);
            entries.extend(
                corners.map(|(node, _, weight)| Entry { column: node as u32, weight: weight as f32 }),
            );
            offsets.push(entries.len() as u32);
        }
        let nodes_of_points = Weights { offsets, entries };
        Self { points_of_nodes: nodes_of_points.transposed(node_count), nodes_of_points }
    }

    /// `Pᵀ`: writes the sums of the values of points, three each, to the nodes around them.
    pub(crate) fn collect(&self, points: &[f64], nodes: &mut [f64]) {
        let points = points.as_chunks::<3>().0;
        share_out(nodes.as_chunks_mut::<3>().0, NODES_PER_TASK, |first, nodes| {
            vectorized(
                #[inline(always)]
                || {
                    nodes.fill([0.0; 3]);
                    self.points_of_nodes.add_products(first, points, nodes);
                },
            );
        });
    }

    /// `P`: adds the values of nodes, interpolated, to those of points.
    pub(crate) fn spread(&self, nodes: &[f64], points: &mut [f64]) {
        let nodes = nodes.as_chunks::<3>().0;
        let points = &mut points.as_chunks_mut::<3>().0[..self.nodes_of_points.offsets.len() - 1];
        share_out(points, POINTS_PER_TASK, |first, points| {
            vectorized(
                #[inline(always)]
                || self.nodes_of_points.add_products(first, nodes, points),
            );
        });
    }
}

impl Weights {
    fn transposed(&self, column_count: usize) -> Self {
        let offsets = count_offsets(column_count, self.entries.iter().map(|entry| entry.column));
        let mut cursor = offsets.clone();
        let mut entries = vec![Entry::default(); self.entries.len()];
        for (row, range) in self.offsets.windows(2).enumerate() {
            for entry in &self.entries[range[0] as usize..range[1] as usize] {
                let place = &mut cursor[entry.column as usize];
                entries[*place as usize] = Entry { column: row as u32, weight: entry.weight };
                *place += 1;
            }
        }
        Self { offsets, entries }
    }

    /// Adds the products of the rows from `first` on with some values to `out`.
    #[inline(always)]
    fn add_products(&self, first: usize, values: &[[f64; 3]], out: &mut [[f64; 3]]) {
        let mut start = self.offsets[first] as usize;
        for (out, end) in out.iter_mut().zip(&self.offsets[first + 1..]) {
            let mut sum = *out;
            for entry in &self.entries[start..*end as usize] {
                let value = &values[entry.column as usize];
                (0..3).for_each(|axis| sum[axis] += f64::from(entry.weight) * value[axis]);
            }
            *out = sum;
            start = *end as usize;
        }
    }
}
