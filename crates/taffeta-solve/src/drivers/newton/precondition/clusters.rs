//! Exact solution of clusters that threads sew together: a block of the preconditioner for all vertices of a cluster.
//!
//! A thread is thousands of times as stiff as the inertia of its vertices and, across the cloth, as its bending. By
//! themselves the two would hardly move: that both may move together only shows in a block with both of them.

use crate::drivers::newton::linear::block_rows::BlockRows;
use crate::drivers::newton::objective::held::{free_axes, hold};
use glam::DMat3;
use nalgebra::{DMatrix, DVector};
use taffeta_core::components::Components;

/// The clusters with the inverses of their blocks.
#[derive(Clone, Debug, Default)]
pub(crate) struct Clusters {
    /// The vertices of each cluster.
    members: Vec<Vec<u32>>,
    /// Inverse of the block of each, coordinates by vertex; none where round-off has left it indefinite.
    inverses: Vec<Option<DMatrix<f64>>>,
}

impl Clusters {
    /// Joins the vertices that pairs join, directly or through others.
    pub(crate) fn find(vertex_count: usize, pairs: &[[u32; 2]]) -> Self {
        if pairs.is_empty() {
            return Self::default();
        }
        let mut joined = Components::new(vertex_count);
        pairs.iter().for_each(|[a, b]| joined.join(*a, *b));
        let mut members: Vec<Vec<u32>> = vec![Vec::new(); vertex_count];
        for (vertex, label) in (0..).zip(joined.labels()) {
            members[label as usize].push(vertex);
        }
        members.retain(|members| members.len() > 1);
        Self { members, inverses: Vec::new() }
    }

    /// Inverts the blocks of the clusters; `diagonal` are the blocks of the vertices with all that acts there.
    pub(crate) fn update(&mut self, rows: &BlockRows, diagonal: &[DMat3], held: &[[bool; 3]]) {
        let invert = |members: &Vec<u32>| {
            let mut matrix = DMatrix::zeros(3 * members.len(), 3 * members.len());
            for (a, v) in members.iter().enumerate() {
                for (b, w) in members.iter().enumerate().take(a + 1) {
                    let [rows_held, columns_held] = [*v, *w].map(|vertex| held[vertex as usize]);
                    let block = if a == b {
                        hold(diagonal[*v as usize], rows_held)
                    } else {
                        let [left, right] =
                            [rows_held, columns_held].map(|held| DMat3::from_diagonal(free_axes(held)));
                        left * rows.coupling(*v, *w) * right
                    };
                    for (column, row) in (0..3).flat_map(|column| (0..3).map(move |row| (column, row))) {
                        matrix[(3 * a + row, 3 * b + column)] = block.col(column)[row];
                        matrix[(3 * b + column, 3 * a + row)] = block.col(column)[row];
                    }
                }
            }
            matrix.cholesky().map(|factor| factor.inverse())
        };
        self.inverses = self.members.iter().map(invert).collect();
    }

    /// Overwrites the coordinates of the clusters in `z` by the solutions for the residual `r`.
    pub(crate) fn apply(&self, r: &[f64], z: &mut [f64]) {
        for (members, inverse) in self.members.iter().zip(&self.inverses) {
            let Some(inverse) = inverse else { continue };
            let entries = members.iter().flat_map(|v| &r[3 * *v as usize..3 * *v as usize + 3]);
            let solved = inverse * DVector::from_iterator(3 * members.len(), entries.copied());
            for (v, solved) in members.iter().zip(solved.as_slice().chunks_exact(3)) {
                z[3 * *v as usize..3 * *v as usize + 3].copy_from_slice(solved);
            }
        }
    }
}
