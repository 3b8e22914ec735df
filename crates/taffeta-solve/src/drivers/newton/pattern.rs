//! The lower triangle of a block-sparse symmetric matrix in compressed columns.

use super::cholesky::CholeskyPattern;
use glam::DMat3;
use taffeta_core::VertexIndex;
use taffeta_core::index::DenseIndex;

/// Sparsity pattern with one 3×3 block per pair of coupled vertices.
#[derive(Clone, Debug)]
pub struct BlockPattern {
    vertex_count: usize,
    /// Off-diagonal block rows of each block column, sorted, compressed.
    block_offsets: Vec<usize>,
    block_rows: Vec<u32>,
    /// The same pattern entry by entry.
    entries: CholeskyPattern,
}

impl BlockPattern {
    /// Builds the pattern from pairs `(column, row)` of coupled vertices with `column < row`, in any order.
    pub fn build(vertex_count: usize, mut pairs: Vec<(u32, u32)>) -> Self {
        pairs.sort_unstable();
        pairs.dedup();
        let mut block_offsets = vec![0; vertex_count + 1];
        for (column, _) in &pairs {
            block_offsets[*column as usize + 1] += 1;
        }
        for i in 0..vertex_count {
            block_offsets[i + 1] += block_offsets[i];
        }
        let block_rows: Vec<u32> = pairs.into_iter().map(|(_, row)| row).collect();
        let mut column_offsets = vec![0];
        let mut row_indices = Vec::with_capacity(9 * block_rows.len() + 6 * vertex_count);
        for j in 0..vertex_count {
            for c in 0..3 {
                row_indices.extend((c..3).map(|r| 3 * j + r));
                let below = &block_rows[block_offsets[j]..block_offsets[j + 1]];
                row_indices.extend(below.iter().flat_map(|row| (0..3).map(|r| 3 * *row as usize + r)));
                column_offsets.push(row_indices.len());
            }
        }
        let entries = CholeskyPattern::build(column_offsets, row_indices, false);
        Self { vertex_count, block_offsets, block_rows, entries }
    }

    /// The pattern entry by entry, to factorize.
    pub fn entries(&self) -> &CholeskyPattern {
        &self.entries
    }

    /// Where the block of two different vertices stands in its column.
    ///
    /// # Panics
    /// If the pair is not part of the pattern.
    pub fn slot(&self, column: VertexIndex, row: VertexIndex) -> u32 {
        let (column, row) = (column.min(row).to_usize(), column.max(row).0);
        let rows = &self.block_rows[self.block_offsets[column]..self.block_offsets[column + 1]];
        rows.binary_search(&row).expect("coupled vertices are part of the pattern") as u32
    }

    /// A zero matrix.
    pub fn matrix(&self) -> BlockMatrix<'_> {
        BlockMatrix { pattern: self, values: vec![0.0; self.entries.row_indices().len()] }
    }
}

/// Values over a [`BlockPattern`].
#[derive(Debug)]
pub struct BlockMatrix<'a> {
    pattern: &'a BlockPattern,
    values: Vec<f64>,
}

impl BlockMatrix<'_> {
    /// Adds a symmetric 3×3 block on the diagonal.
    #[inline]
    pub fn add_diagonal(&mut self, vi: VertexIndex, block: DMat3) {
        for c in 0..3 {
            let start = self.pattern.entries.column_offsets()[3 * vi.to_usize() + c];
            for r in c..3 {
                self.values[start + r - c] += block.col(c)[r];
            }
        }
    }

    /// Adds a 3×3 block that couples `row` to a smaller `column`, at the slot that the pattern gave.
    #[inline]
    pub fn add_coupling(&mut self, column: VertexIndex, row: VertexIndex, slot: u32, block: DMat3) {
        debug_assert!(column < row, "the lower triangle is stored");
        for c in 0..3 {
            let start = self.pattern.entries.column_offsets()[3 * column.to_usize() + c]
                + (3 - c)
                + 3 * slot as usize;
            let at = &mut self.values[start..start + 3];
            (0..3).for_each(|r| at[r] += block.col(c)[r]);
        }
    }

    /// The values, with the diagonal enlarged by a part of itself; an empty row gets a one.
    pub fn finish(mut self, regularization: f64) -> Vec<f64> {
        for column in 0..3 * self.pattern.vertex_count {
            let diagonal = &mut self.values[self.pattern.entries.column_offsets()[column]];
            *diagonal = if *diagonal > 0.0 { *diagonal * (1.0 + regularization) } else { 1.0 };
        }
        self.values
    }
}
