//! The scalar rows of one block.

use super::law::RowLaw;
use crate::block::Block;
use crate::diagonal::diagonalize;
use glam::DVec3;
use nalgebra::SMatrix;
use taffeta_core::VertexIndex;

/// A block whose rows are taken one at a time.
///
/// The rows are `Qᵀ C` for the eigenvectors `Q` of the block's compliance. The energy `½ Cᵀ α⁻¹ C` is then a sum over the
/// rows, and each row is a spring with an eigenvalue of `α` as its compliance.
#[derive(Clone, Debug)]
pub struct RowElement<B, const R: usize> {
    /// The block.
    pub block: B,
    /// `Q`; column `r` makes row `r`.
    pub basis: SMatrix<f64, R, R>,
    /// The law of each row.
    pub laws: [RowLaw; R],
}

/// The force of one scalar row.
#[derive(Clone, Debug, PartialEq)]
pub struct RowForce {
    /// The multiplier `λ` \[J·s² per unit of C\].
    pub lambda: f64,
    /// The vertices.
    pub vertices: Vec<VertexIndex>,
    /// The force on each of them, `∇C λ / h²` \[N\].
    pub forces: Vec<DVec3>,
}

impl<B, const R: usize> RowElement<B, R> {
    /// The rows of a block as springs.
    pub(super) fn compliant<const V: usize>(block: B) -> Self
    where
        B: Block<R, V>,
    {
        let (basis, values) = diagonalize(&block.compliance());
        let damping = block.damping();
        let laws = values.map(|alpha| RowLaw::Compliance { alpha, damping });
        Self { block, basis, laws }
    }

    /// The rows of a block as they are, all with the same law.
    pub(super) fn new(block: B, law: RowLaw) -> Self {
        Self { block, basis: SMatrix::identity(), laws: [law; R] }
    }
}
