//! A symmetric matrix of 3×3 blocks over the vertices, every pair of blocks stored once.
//!
//! ```text
//! row i of H p:   H_ii p_i  +  Σ own: H_ij p_j  +  Σ back: H_kiᵀ p_k
//! ```
//!
//! A block `H_ij` with `i < j` stands in row `i`; row `j` finds it by a list of the blocks that point back to it. So only
//! half of the matrix comes from memory. A task passes over the blocks of its rows in their order and adds each to both of
//! its rows. Before that, it sums up the terms that the rows of other tasks contribute. So the order is the same however
//! the rows are shared out.

use crate::matrices::Mat3;
use glam::DMat3;
use taffeta_core::lanes::vectorized;
use taffeta_core::tasks::share_out;

/// Rows that one task takes.
const ROWS_PER_TASK: usize = 1024;

/// The matrix.
#[derive(Clone, Debug)]
pub(crate) struct BlockRows {
    diagonal: Vec<Mat3>,
    /// The first block of each row, and of the one after the last.
    offsets: Vec<u32>,
    /// The column of each block \[vertex\].
    columns: Vec<u32>,
    /// The blocks \[N/m\].
    values: Vec<Mat3>,
    /// The pair of vertices, as `build` got them, that each block belongs to.
    pairs: Vec<u32>,
    back_offsets: Vec<u32>,
    back: Vec<Back>,
}

/// Place of the block of a corner of a face, see [`BlockRows::add_corners`].
#[derive(Clone, Copy, Debug)]
pub(crate) struct CornerPlace {
    pub block: u32,
    /// `3 face + corner`.
    pub corner: u16,
    pub is_transposed: bool,
    /// True if it is the first that goes there.
    pub begins: bool,
}

/// A block that stands in the row of another vertex.
#[derive(Clone, Copy, Debug, Default)]
struct Back {
    block: u32,
    row: u32,
}

impl BlockRows {
    /// A matrix of zeros that couples the given pairs of vertices, the smaller first. A pair may come twice; one of equal
    /// vertices must stay zero.
    pub(crate) fn build(vertex_count: usize, pairs: &[[u32; 2]]) -> Self {
        let offsets = count_offsets(vertex_count, pairs.iter().map(|pair| pair[0]));
        let back_offsets = count_offsets(vertex_count, pairs.iter().map(|pair| pair[1]));
        let mut cursor = offsets.clone();
        let mut columns = vec![0; pairs.len()];
        let mut numbers = vec![0; pairs.len()];
        for (number, [row, column]) in pairs.iter().enumerate() {
            let place = &mut cursor[*row as usize];
            columns[*place as usize] = *column;
            numbers[*place as usize] = number as u32;
            *place += 1;
        }
        let mut cursor = back_offsets.clone();
        let mut back = vec![Back::default(); pairs.len()];
        for row in 0..vertex_count as u32 {
            for block in offsets[row as usize]..offsets[row as usize + 1] {
                let place = &mut cursor[columns[block as usize] as usize];
                back[*place as usize] = Back { block, row };
                *place += 1;
            }
        }
        Self {
            diagonal: vec![[0.0; 9]; vertex_count],
            values: vec![[0.0; 9]; pairs.len()],
            pairs: numbers,
            offsets,
            columns,
            back_offsets,
            back,
        }
    }

    /// The pair of vertices, as `build` got them, of each block.
    pub(super) fn pairs_of_blocks(&self) -> impl Iterator<Item = usize> {
        self.pairs.iter().map(|pair| *pair as usize)
    }

    /// Sets the blocks of the pairs from `first_pair` on to what `block` gives for their numbers, counted from there: rows
    /// of the first vertex, columns of the second.
    pub(super) fn fill_from(&mut self, first_pair: usize, block: impl Fn(usize) -> Mat3 + Sync) {
        let pairs = &self.pairs;
        if pairs.len() == first_pair {
            return;
        }
        share_out(&mut self.values, ROWS_PER_TASK, |first, blocks| {
            for (out, pair) in blocks.iter_mut().zip(&pairs[first..]) {
                if let Some(number) = (*pair as usize).checked_sub(first_pair) {
                    *out = block(number);
                }
            }
        });
    }

    /// Adds the blocks of the corners of some faces to those at their places, which are sorted by block.
    pub(super) fn add_corners(&mut self, places: &[CornerPlace], corners: &[[Mat3; 3]]) {
        let (Some(low), Some(high)) = (places.first(), places.last()) else { return };
        let low = low.block as usize;
        let values = &mut self.values[low..=high.block as usize];
        let corners = corners.as_flattened();
        share_out(values, ROWS_PER_TASK, |first, blocks| {
            let start = low + first;
            let from = places.partition_point(|place| (place.block as usize) < start);
            for place in &places[from..] {
                let Some(out) = blocks.get_mut(place.block as usize - start) else { break };
                let block = &corners[usize::from(place.corner)];
                let entry = |e: usize| if place.is_transposed { block[TRANSPOSED[e]] } else { block[e] };
                if place.begins {
                    *out = std::array::from_fn(entry);
                } else {
                    (0..9).for_each(|e| out[e] += entry(e));
                }
            }
        });
    }

    /// Adds a block that couples two different vertices.
    ///
    /// # Panics
    /// If the pattern does not couple them.
    pub(crate) fn add(&mut self, row: u32, column: u32, block: &DMat3) {
        let (row, column, block) =
            if row < column { (row, column, *block) } else { (column, row, block.transpose()) };
        let range = self.offsets[row as usize] as usize..self.offsets[row as usize + 1] as usize;
        let place = self.columns[range.clone()].iter().position(|other| *other == column);
        let place = range.start + place.expect("the pattern couples the vertices");
        self.values[place].iter_mut().zip(block.to_cols_array()).for_each(|(out, entry)| *out += entry);
    }

    /// Sets the diagonal to the inertia \[N/m\] minus the other blocks of the row: translations meet inertia only.
    pub(super) fn balance(&mut self, inertia: &[f64]) {
        let (offsets, back_offsets) = (&self.offsets, &self.back_offsets);
        let (values, back) = (&self.values, &self.back);
        share_out(&mut self.diagonal, ROWS_PER_TASK, |first, diagonal| {
            for (k, out) in diagonal.iter_mut().enumerate() {
                let row = first + k;
                let mut sum = [0.0; 9];
                for block in &values[offsets[row] as usize..offsets[row + 1] as usize] {
                    (0..9).for_each(|e| sum[e] += block[e]);
                }
                for entry in &back[back_offsets[row] as usize..back_offsets[row + 1] as usize] {
                    let block = &values[entry.block as usize];
                    (0..9).for_each(|e| sum[e] += block[TRANSPOSED[e]]);
                }
                // Equal in exact arithmetic, made equal in bits.
                *out = std::array::from_fn(|e| -0.5 * (sum[e] + sum[TRANSPOSED[e]]));
                (0..3).for_each(|axis| out[4 * axis] += inertia[row]);
            }
        });
    }

    /// Adds to the diagonal block of a row.
    pub(super) fn add_diagonal(&mut self, row: u32, block: &DMat3) {
        let diagonal = &mut self.diagonal[row as usize];
        diagonal.iter_mut().zip(block.to_cols_array()).for_each(|(out, entry)| *out += entry);
    }

    /// The diagonal blocks.
    pub(crate) fn diagonal(&self) -> &[Mat3] {
        &self.diagonal
    }

    /// Columns and blocks of a row's own pairs.
    pub(crate) fn row(&self, row: usize) -> impl Iterator<Item = (u32, &Mat3)> {
        let range = self.offsets[row] as usize..self.offsets[row + 1] as usize;
        self.columns[range.clone()].iter().copied().zip(&self.values[range])
    }

    /// The block that couples two different vertices, rows of the first and columns of the second; zero if there is none.
    pub(crate) fn coupling(&self, row: u32, column: u32) -> DMat3 {
        let others = self.row(row.min(column) as usize).filter(|(other, _)| *other == row.max(column));
        let sum = others.map(|(_, block)| DMat3::from_cols_array(block)).sum::<DMat3>();
        if row < column { sum } else { sum.transpose() }
    }

    /// The pairs of vertices that blocks couple, the smaller first.
    pub(crate) fn pairs(&self) -> impl Iterator<Item = [u32; 2]> {
        let columns = |row: usize| &self.columns[self.offsets[row] as usize..self.offsets[row + 1] as usize];
        (0..self.diagonal.len())
            .flat_map(move |row| columns(row).iter().map(move |column| [row as u32, *column]))
    }

    /// Writes the product with `p` to `out`, both flat vectors of coordinates.
    pub(crate) fn product(&self, p: &[f64], out: &mut [f64]) {
        let p = p.as_chunks::<3>().0;
        share_out(out.as_chunks_mut::<3>().0, ROWS_PER_TASK, |first, out| {
            vectorized(
                #[inline(always)]
                || {
                    self.gather_from_before(first, p, out);
                    self.scatter_rows(first, p, out);
                },
            );
        });
    }

    /// Sets the rows from `first` on to the contributions of the blocks of earlier rows. These are the first terms of their
    /// sums, for the blocks that point back at a row come in the order of their own rows.
    #[inline(always)]
    fn gather_from_before(&self, first: usize, p: &[[f64; 3]], out: &mut [[f64; 3]]) {
        out.fill([0.0; 3]);
        if first == 0 {
            return;
        }
        for (k, out) in out.iter_mut().enumerate() {
            let range = self.back_offsets[first + k] as usize..self.back_offsets[first + k + 1] as usize;
            for entry in self.back[range].iter().take_while(|entry| (entry.row as usize) < first) {
                add_transposed(out, &self.values[entry.block as usize], &p[entry.row as usize]);
            }
        }
    }

    /// Adds the blocks of the rows from `first` on, each to both of its rows when it is read, but for what later rows sum
    /// up themselves.
    #[inline(always)]
    fn scatter_rows(&self, first: usize, p: &[[f64; 3]], out: &mut [[f64; 3]]) {
        let mut start = self.offsets[first] as usize;
        for k in 0..out.len() {
            let end = self.offsets[first + k + 1] as usize;
            let here = p[first + k];
            let mut own = [0.0; 3];
            add_product(&mut own, &self.diagonal[first + k], &here);
            for (block, column) in self.values[start..end].iter().zip(&self.columns[start..end]) {
                add_product(&mut own, block, &p[*column as usize]);
                if let Some(out) = out.get_mut(*column as usize - first) {
                    add_transposed(out, block, &here);
                }
            }
            (0..3).for_each(|axis| out[k][axis] += own[axis]);
            start = end;
        }
    }
}

/// `out += H p`.
#[inline(always)]
fn add_product(out: &mut [f64; 3], block: &Mat3, p: &[f64; 3]) {
    for axis in 0..3 {
        out[axis] += (block[axis] * p[0] + block[3 + axis] * p[1]) + block[6 + axis] * p[2];
    }
}

/// `out += Hᵀ p`.
#[inline(always)]
fn add_transposed(out: &mut [f64; 3], block: &Mat3, p: &[f64; 3]) {
    for axis in 0..3 {
        out[axis] += (block[3 * axis] * p[0] + block[3 * axis + 1] * p[1]) + block[3 * axis + 2] * p[2];
    }
}

/// Places of the entries of the transposed block.
pub(crate) const TRANSPOSED: [usize; 9] = [0, 3, 6, 1, 4, 7, 2, 5, 8];

/// Compressed rows: where each of `count` rows starts, for the rows of all entries.
pub(crate) fn count_offsets(count: usize, rows: impl Iterator<Item = u32>) -> Vec<u32> {
    let mut offsets = vec![0; count + 1];
    rows.for_each(|row| offsets[row as usize + 1] += 1);
    (0..count).for_each(|i| offsets[i + 1] += offsets[i]);
    offsets
}
