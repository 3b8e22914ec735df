//! The rows of all constraints as one sparse matrix `S`, by vertices: `Σ w AᵀA = Sᵀ W S`.

use super::constraint::Constraint;
use taffeta_core::VertexIndex;
use taffeta_core::index::DenseIndex;

/// Rows with their weights, one after the other.
#[derive(Clone, Debug, Default)]
pub(super) struct RowList {
    weights: Vec<f64>,
    offsets: Vec<u32>,
    vertices: Vec<u32>,
    coefficients: Vec<f64>,
}

impl RowList {
    /// Adds the rows of constraints of one kind.
    pub(super) fn push_kind<const R: usize, const V: usize>(
        &mut self,
        constraints: &[impl Constraint<R, V>],
    ) {
        for constraint in constraints {
            let vertices = constraint.vertices();
            for row in constraint.map() {
                self.push(constraint.weight(), vertices.iter().zip(row));
            }
        }
    }

    /// Adds a row.
    pub(super) fn push<'a>(&mut self, weight: f64, entries: impl Iterator<Item = (&'a VertexIndex, f64)>) {
        if self.offsets.is_empty() {
            self.offsets.push(0);
        }
        for (vi, coefficient) in entries {
            self.vertices.push(vi.to_usize() as u32);
            self.coefficients.push(coefficient);
        }
        self.weights.push(weight);
        self.offsets.push(self.vertices.len() as u32);
    }

    /// Adds empty rows until there are `count`.
    pub(super) fn fill_up(&mut self, count: usize) {
        while self.weights.len() < count {
            self.push(0.0, std::iter::empty());
        }
    }

    /// Number of rows.
    pub(super) fn len(&self) -> usize {
        self.weights.len()
    }

    fn row(&self, row: usize) -> impl Iterator<Item = (u32, f64)> + '_ {
        let span = self.offsets[row] as usize..self.offsets[row + 1] as usize;
        self.vertices[span.clone()].iter().copied().zip(self.coefficients[span].iter().copied())
    }

    /// The rows by vertex: the vertices become columns.
    pub(super) fn transpose(&self, vertex_count: usize) -> ColumnList {
        let mut offsets = vec![0u32; vertex_count + 1];
        self.vertices.iter().for_each(|v| offsets[*v as usize + 1] += 1);
        for i in 0..vertex_count {
            offsets[i + 1] += offsets[i];
        }
        let mut cursor = offsets.clone();
        let mut rows = vec![0u32; self.vertices.len()];
        let mut coefficients = vec![0.0; self.vertices.len()];
        for row in 0..self.len() {
            for (v, coefficient) in self.row(row) {
                let slot = cursor[v as usize] as usize;
                cursor[v as usize] += 1;
                (rows[slot], coefficients[slot]) = (row as u32, coefficient);
            }
        }
        ColumnList { offsets, rows, coefficients }
    }

    /// The rows with their vertices renamed: `places` has the new number of each.
    pub(super) fn rename(&mut self, places: &[u32]) {
        self.vertices.iter_mut().for_each(|v| *v = places[*v as usize]);
    }

    /// The vertices that share a row with each vertex, itself included, in increasing order: offsets and list.
    pub(super) fn neighbors(&self, columns: &ColumnList) -> (Vec<u32>, Vec<u32>) {
        let count = columns.offsets.len() - 1;
        let (mut offsets, mut list) = (vec![0u32], Vec::new());
        let mut seen = vec![u32::MAX; count];
        for v in 0..count as u32 {
            let begun = list.len();
            seen[v as usize] = v;
            list.push(v);
            for (row, _) in columns.column(v as usize) {
                for (other, _) in self.row(row as usize) {
                    if seen[other as usize] != v {
                        seen[other as usize] = v;
                        list.push(other);
                    }
                }
            }
            list[begun..].sort_unstable();
            offsets.push(list.len() as u32);
        }
        (offsets, list)
    }

    /// The entries of a column of `Sᵀ W S` that lie in the rows of `pattern`, in its order. `scratch` is zero, one entry
    /// per vertex, and is again afterwards.
    pub(super) fn product_column(
        &self,
        columns: &ColumnList,
        column: usize,
        pattern: &[usize],
        scratch: &mut [f64],
    ) -> Vec<f64> {
        for (row, coefficient) in columns.column(column) {
            let factor = self.weights[row as usize] * coefficient;
            for (other, coefficient) in self.row(row as usize) {
                scratch[other as usize] += factor * coefficient;
            }
        }
        let values = pattern.iter().map(|row| scratch[*row]).collect();
        for (row, _) in columns.column(column) {
            self.row(row as usize).for_each(|(other, _)| scratch[other as usize] = 0.0);
        }
        values
    }
}

/// Matrix of the rows stored by columns, one for each vertex.
#[derive(Clone, Debug, Default)]
pub(super) struct ColumnList {
    offsets: Vec<u32>,
    rows: Vec<u32>,
    coefficients: Vec<f64>,
}

impl ColumnList {
    /// Rows and coefficients of a vertex, in the order of the rows.
    #[inline(always)]
    pub(super) fn column(&self, v: usize) -> impl Iterator<Item = (u32, f64)> + '_ {
        let span = self.offsets[v] as usize..self.offsets[v + 1] as usize;
        self.rows[span.clone()].iter().copied().zip(self.coefficients[span].iter().copied())
    }
}
