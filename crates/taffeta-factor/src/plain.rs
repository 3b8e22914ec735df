//! Plain factorization: one column after the other.
//!
//! Column `k` of `L` is column `k` of the matrix less the contributions of earlier columns with an entry in row `k`. Column `j`
//! contributes its entries from row `k` on times `L_kj` (T. A. Davis, Direct Methods for Sparse Linear Systems, 2006, §4.9). A
//! column waits in a list for the next row in which it has an entry.

use crate::FactorError;
use std::sync::Arc;

/// The lower triangle of a symmetric pattern in compressed columns, analyzed.
#[derive(Clone, Debug)]
pub struct CholeskyPattern {
    column_offsets: Vec<usize>,
    row_indices: Vec<usize>,
    symbolic: Arc<Columns>,
}

/// Factors of a matrix.
#[derive(Clone, Debug)]
pub struct CholeskyFactor {
    symbolic: Arc<Columns>,
    values: Vec<f64>,
}

/// The pattern of a factor: rows of each column in increasing order, its own first.
#[derive(Clone, Debug, Default)]
struct Columns {
    offsets: Vec<usize>,
    rows: Vec<usize>,
}

impl Columns {
    fn count(&self) -> usize {
        self.offsets.len() - 1
    }

    fn rows(&self, column: usize) -> &[usize] {
        &self.rows[self.offsets[column]..self.offsets[column + 1]]
    }

    /// The pattern of the factor of a matrix. A column has the rows of the matrix, and those of all columns whose first row
    /// below the diagonal is its own.
    fn of_factor(matrix: &Self) -> Self {
        let count = matrix.count();
        let mut factor = Self { offsets: vec![0], rows: Vec::new() };
        let mut children: Vec<Vec<usize>> = vec![Vec::new(); count];
        let mut seen_by = vec![usize::MAX; count];
        for column in 0..count {
            let start = factor.rows.len();
            factor.rows.push(column);
            seen_by[column] = column;
            let mut add = |rows: &mut Vec<usize>, row: usize| {
                assert!(row < count, "row {row} of {count}");
                if row > column && std::mem::replace(&mut seen_by[row], column) != column {
                    rows.push(row);
                }
            };
            matrix.rows(column).iter().for_each(|row| add(&mut factor.rows, *row));
            for child in std::mem::take(&mut children[column]) {
                for entry in factor.offsets[child]..factor.offsets[child + 1] {
                    let row = factor.rows[entry];
                    add(&mut factor.rows, row);
                }
            }
            factor.rows[start..].sort_unstable();
            if let Some(parent) = factor.rows.get(start + 1) {
                children[*parent].push(column);
            }
            factor.offsets.push(factor.rows.len());
        }
        factor
    }
}

impl CholeskyPattern {
    /// Analyzes a pattern, whose rows are sorted in each column and whose columns are in a good order of elimination.
    ///
    /// # Panics
    /// If the pattern is not one.
    pub fn build(column_offsets: Vec<usize>, row_indices: Vec<usize>) -> Self {
        let matrix = Columns { offsets: column_offsets, rows: row_indices };
        let symbolic = Arc::new(Columns::of_factor(&matrix));
        Self { column_offsets: matrix.offsets, row_indices: matrix.rows, symbolic }
    }

    /// Does what [`build`](Self::build) does: [`CholeskyFactor::visit_supernodes`] reads any factor.
    ///
    /// # Panics
    /// If the pattern is not one.
    pub fn build_supernodal(column_offsets: Vec<usize>, row_indices: Vec<usize>) -> Self {
        Self::build(column_offsets, row_indices)
    }

    /// First entry of each column, and of the one after the last.
    pub fn column_offsets(&self) -> &[usize] {
        &self.column_offsets
    }

    /// Row of each entry.
    pub fn row_indices(&self) -> &[usize] {
        &self.row_indices
    }

    /// Factorizes the matrix with the given values.
    ///
    /// # Errors
    /// If it is not positive definite or the factors do not fit in memory.
    pub fn factorize(&self, values: &[f64]) -> Result<CholeskyFactor, FactorError> {
        let Columns { offsets, rows } = &*self.symbolic;
        let count = self.symbolic.count();
        let mut factor = Vec::new();
        factor.try_reserve_exact(rows.len()).map_err(|_| FactorError::OutOfMemory)?;
        factor.resize(rows.len(), 0.0);
        // Of each row the first column that waits for it, of each column the next one that waits for the same row, and its entry
        // there.
        let (mut first, mut next) = (vec![None; count], vec![None; count]);
        let mut entries = offsets.clone();
        let mut sums = vec![0.0; count];
        for column in 0..count {
            let given = self.column_offsets[column]..self.column_offsets[column + 1];
            given.for_each(|entry| sums[self.row_indices[entry]] += values[entry]);
            let mut waiting: Option<usize> = first[column].take();
            while let Some(before) = waiting {
                waiting = next[before].take();
                let (entry, end) = (entries[before], offsets[before + 1]);
                let part: f64 = factor[entry];
                for (row, value) in rows[entry..end].iter().zip(&factor[entry..end]) {
                    sums[*row] -= part * value;
                }
                if entry + 1 < end {
                    entries[before] = entry + 1;
                    next[before] = first[rows[entry + 1]].replace(before);
                }
            }
            let own = offsets[column]..offsets[column + 1];
            let pivot = sums[column].sqrt();
            if pivot.is_nan() || pivot <= 0.0 {
                return Err(FactorError::NotPositiveDefinite);
            }
            for (value, row) in factor[own.clone()].iter_mut().zip(&rows[own.clone()]) {
                *value = std::mem::take(&mut sums[*row]) / pivot;
            }
            factor[own.start] = pivot;
            if own.len() > 1 {
                entries[column] = own.start + 1;
                next[column] = first[rows[own.start + 1]].replace(column);
            }
        }
        Ok(CholeskyFactor { symbolic: self.symbolic.clone(), values: factor })
    }
}

impl CholeskyFactor {
    /// Calls `visit` for the dense blocks of columns of the factor, from the left. Its arguments are the first column and the
    /// number of columns, the rows below the block on the diagonal, and the entries by place in the block. Entries on the
    /// diagonal come first. Entries above the diagonal must not be asked for.
    pub fn visit_supernodes(
        &self,
        mut visit: impl FnMut((usize, usize), &[usize], &dyn Fn(usize, usize) -> f64),
    ) {
        let Columns { offsets, .. } = &*self.symbolic;
        let mut start = 0;
        while start < self.symbolic.count() {
            // A column that has all rows of the one before it but the first is one with it.
            let mut end = start + 1;
            while end < self.symbolic.count()
                && self.symbolic.rows(end - 1).get(1) == Some(&end)
                && self.symbolic.rows(end - 1).len() == self.symbolic.rows(end).len() + 1
            {
                end += 1;
            }
            let below = &self.symbolic.rows(end - 1)[1..];
            visit((start, end - start), below, &|i, j| self.values[offsets[start + j] + i - j]);
            start = end;
        }
    }

    /// Replaces a right-hand side by the solution.
    pub fn solve(&self, x: &mut [f64]) {
        let Columns { offsets, rows } = &*self.symbolic;
        let entries = |column: usize| (offsets[column], offsets[column] + 1..offsets[column + 1]);
        for column in 0..x.len() {
            let (diagonal, below) = entries(column);
            x[column] /= self.values[diagonal];
            let value = x[column];
            below.for_each(|entry| x[rows[entry]] -= self.values[entry] * value);
        }
        for column in (0..x.len()).rev() {
            let (diagonal, below) = entries(column);
            let rest: f64 = below.map(|entry| self.values[entry] * x[rows[entry]]).sum();
            x[column] = (x[column] - rest) / self.values[diagonal];
        }
    }
}
