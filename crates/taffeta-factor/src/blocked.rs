//! Factorization by faer: dense blocks of columns, with the instructions that the processor has.

use crate::FactorError;
use faer::dyn_stack::{MemBuffer, MemStack};
use faer::linalg::cholesky::llt::factor::LltError;
use faer::perm::PermRef;
use faer::sparse::linalg::SupernodalThreshold;
use faer::sparse::linalg::cholesky::supernodal::SupernodalLltRef;
use faer::sparse::linalg::cholesky::{
    CholeskySymbolicParams, LltRef, SymbolicCholesky, SymbolicCholeskyRaw, SymmetricOrdering,
    factorize_symbolic_cholesky,
};
use faer::sparse::{SparseColMatRef, SymbolicSparseColMatRef};
use faer::{Conj, MatMut, Par, Side};
use std::sync::Arc;

/// The lower triangle of a symmetric pattern in compressed columns, analyzed.
#[derive(Clone, Debug)]
pub struct CholeskyPattern {
    column_offsets: Vec<usize>,
    row_indices: Vec<usize>,
    symbolic: Arc<SymbolicCholesky<usize>>,
}

/// Factors of a matrix.
#[derive(Clone, Debug)]
pub struct CholeskyFactor {
    symbolic: Arc<SymbolicCholesky<usize>>,
    values: Vec<f64>,
}

impl CholeskyPattern {
    /// Analyzes a pattern, whose rows are sorted in each column and whose columns are in a good order of elimination.
    ///
    /// # Panics
    /// If the pattern is not one, or does not fit in memory.
    pub fn build(column_offsets: Vec<usize>, row_indices: Vec<usize>) -> Self {
        Self::analyze(column_offsets, row_indices, CholeskySymbolicParams::default())
    }

    /// Like [`build`](Self::build), but always with dense blocks of columns, as [`CholeskyFactor::visit_supernodes`] reads
    /// them.
    ///
    /// # Panics
    /// If the pattern is not one, or does not fit in memory.
    pub fn build_supernodal(column_offsets: Vec<usize>, row_indices: Vec<usize>) -> Self {
        let supernodal_flop_ratio_threshold = SupernodalThreshold::FORCE_SUPERNODAL;
        let params = CholeskySymbolicParams { supernodal_flop_ratio_threshold, ..Default::default() };
        Self::analyze(column_offsets, row_indices, params)
    }

    fn analyze(
        column_offsets: Vec<usize>,
        row_indices: Vec<usize>,
        params: CholeskySymbolicParams<'_>,
    ) -> Self {
        let count = column_offsets.len() - 1;
        let pattern = SymbolicSparseColMatRef::new_checked(count, count, &column_offsets, None, &row_indices);
        // faer's `SymmetricOrdering::Identity` fails in its elimination tree; a permutation that changes nothing works.
        let identity: Vec<usize> = (0..count).collect();
        let identity = PermRef::new_checked(&identity, &identity, count);
        let ordering = SymmetricOrdering::Custom(identity);
        let symbolic = factorize_symbolic_cholesky(pattern, Side::Lower, ordering, params);
        let symbolic = Arc::new(symbolic.expect("the pattern fits in memory"));
        Self { column_offsets, row_indices, symbolic }
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
        let count = self.column_offsets.len() - 1;
        let pattern =
            SymbolicSparseColMatRef::new_checked(count, count, &self.column_offsets, None, &self.row_indices);
        let mut factors = Vec::new();
        let length = self.symbolic.len_val();
        factors.try_reserve_exact(length).map_err(|_| FactorError::OutOfMemory)?;
        factors.resize(length, 0.0);
        let scratch = self.symbolic.factorize_numeric_llt_scratch::<f64>(Par::Seq, Default::default());
        let mut buffer = MemBuffer::try_new(scratch).map_err(|_| FactorError::OutOfMemory)?;
        let result = self.symbolic.factorize_numeric_llt(
            &mut factors,
            SparseColMatRef::new(pattern, values),
            Side::Lower,
            Default::default(),
            Par::Seq,
            MemStack::new(&mut buffer),
            Default::default(),
        );
        match result {
            Ok(_) => Ok(CholeskyFactor { symbolic: self.symbolic.clone(), values: factors }),
            Err(LltError::NonPositivePivot { .. }) => Err(FactorError::NotPositiveDefinite),
        }
    }
}

impl CholeskyFactor {
    /// Calls `visit` for the blocks of columns of a factor of [`CholeskyPattern::build_supernodal`], from the left. Its
    /// arguments are the first column and the number of columns, the rows below the block on the diagonal, and the entries by
    /// place in the block. Entries on the diagonal come first. Entries above the diagonal mean nothing.
    pub fn visit_supernodes(
        &self,
        mut visit: impl FnMut((usize, usize), &[usize], &dyn Fn(usize, usize) -> f64),
    ) {
        let SymbolicCholeskyRaw::Supernodal(symbolic) = self.symbolic.raw() else {
            panic!("the pattern was not built for dense blocks of columns");
        };
        let factor = SupernodalLltRef::new(symbolic, &self.values);
        for number in 0..symbolic.n_supernodes() {
            let supernode = factor.supernode(number);
            let values = supernode.val();
            let columns = (supernode.start(), values.ncols());
            visit(columns, supernode.pattern(), &|i, j| values[(i, j)]);
        }
    }

    /// Replaces a right-hand side by the solution.
    pub fn solve(&self, x: &mut [f64]) {
        let count = x.len();
        let mut buffer = MemBuffer::new(self.symbolic.solve_in_place_scratch::<f64>(1, Par::Seq));
        LltRef::new(&self.symbolic, &self.values).solve_in_place_with_conj(
            Conj::No,
            MatMut::from_column_major_slice_mut(x, count, 1),
            Par::Seq,
            MemStack::new(&mut buffer),
        );
    }
}
