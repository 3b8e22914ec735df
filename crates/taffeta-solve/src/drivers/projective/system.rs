//! The constant matrix `M/h² + Σ w AᵀA` and its factor.
//!
//! One scalar matrix serves all three coordinates, unless vertices are held along some axes only. Then each set of equally
//! held axes has a factor of its own. Rows and columns of held coordinates are those of the identity, which takes them out
//! of the system exactly. A stiff position constraint in their place would need a weight that suits every cloth and every
//! step length. It would hold only as well as the iterations converge.

use super::column_tiles::ColumnTiles;
use super::rows::{ColumnList, RowList};
use taffeta_core::lanes::F64x4;
use taffeta_factor::{CholeskyPattern, FactorError};

/// Axes that are held at the same vertices, and the factor for them.
#[derive(Debug)]
struct AxisGroup {
    axes: [bool; 3],
    /// Which unknowns are held along them, in the order of elimination.
    held: Vec<bool>,
    factor: ColumnTiles,
}

/// The matrix in the order of elimination.
#[derive(Debug)]
pub(super) struct GlobalSystem {
    pattern: CholeskyPattern,
    /// `Σ w AᵀA` on the pattern \[N/m\].
    stiffness: Vec<f64>,
    masses: Vec<f64>,
    groups: Vec<AxisGroup>,
    /// The step that the factors are made for \[s\].
    h: Option<f64>,
    factorizations: usize,
    scratch: Vec<F64x4>,
}

impl GlobalSystem {
    /// Analyzes the matrix. Everything is in the order of elimination; `neighbors` has offsets and list of the vertices that
    /// share a row.
    pub(super) fn build(
        rows: &RowList,
        columns: &ColumnList,
        neighbors: (Vec<u32>, Vec<u32>),
        masses: Vec<f64>,
        held: &[[bool; 3]],
    ) -> Self {
        let count = masses.len();
        let (mut column_offsets, mut row_indices, mut stiffness) = (vec![0], Vec::new(), Vec::new());
        let mut scratch = vec![0.0; count];
        for k in 0..count {
            let around = &neighbors.1[neighbors.0[k] as usize..neighbors.0[k + 1] as usize];
            let begun = row_indices.len();
            row_indices.extend(around.iter().map(|v| *v as usize).filter(|v| *v >= k));
            column_offsets.push(row_indices.len());
            stiffness.extend(rows.product_column(columns, k, &row_indices[begun..], &mut scratch));
        }
        Self {
            pattern: CholeskyPattern::build_supernodal(column_offsets, row_indices),
            stiffness,
            groups: group_axes(held),
            h: None,
            factorizations: 0,
            scratch: vec![F64x4::default(); count],
            masses,
        }
    }

    /// Sees to it that the factors are those of a step of length `h` \[s\].
    ///
    /// # Errors
    /// If the matrix is not positive definite or the factors do not fit in memory.
    pub(super) fn prepare(&mut self, h: f64) -> Result<(), FactorError> {
        if self.h == Some(h) {
            return Ok(());
        }
        self.h = None;
        let mut values = Vec::with_capacity(self.stiffness.len());
        for group in &mut self.groups {
            values.clear();
            for (k, span) in self.pattern.column_offsets().windows(2).enumerate() {
                for entry in span[0]..span[1] {
                    let row = self.pattern.row_indices()[entry];
                    values.push(match (row == k, group.held[k] || group.held[row]) {
                        (true, true) => 1.0,
                        (false, true) => 0.0,
                        (true, false) => self.stiffness[entry] + self.masses[k] / (h * h),
                        (false, false) => self.stiffness[entry],
                    });
                }
            }
            let factor = self.pattern.factorize(&values)?;
            let mut tiles = ColumnTiles::default();
            factor.visit_supernodes(|(start, width), below, entry| {
                tiles.push_columns(start, width, below, entry)
            });
            group.factor = tiles;
        }
        self.factorizations += 1;
        self.h = Some(h);
        Ok(())
    }

    /// Number of factorizations of the matrix.
    pub(super) fn factorizations(&self) -> usize {
        self.factorizations
    }

    /// Number of entries of the factors.
    pub(super) fn factor_entries(&self) -> usize {
        self.groups.iter().map(|group| group.factor.entry_count()).sum()
    }

    /// Replaces the forces \[N\] by the displacements \[m\] that they bring about; what is held does not move.
    pub(super) fn solve(&mut self, forces: &mut [F64x4]) {
        if let [group] = self.groups.as_slice() {
            release_forces(group, forces);
            group.factor.solve(forces);
            return;
        }
        let right = forces.to_vec();
        for group in &self.groups {
            self.scratch.clone_from_slice(&right);
            release_forces(group, &mut self.scratch);
            group.factor.solve(&mut self.scratch);
            for (out, solution) in forces.iter_mut().zip(&self.scratch) {
                for axis in (0..3).filter(|axis| group.axes[*axis]) {
                    out.0[axis] = solution.0[axis];
                }
            }
        }
    }
}

/// Takes away the forces on what is held.
fn release_forces(group: &AxisGroup, forces: &mut [F64x4]) {
    for (force, held) in forces.iter_mut().zip(&group.held) {
        if *held {
            *force = F64x4::default();
        }
    }
}

/// The axes by what is held along them.
fn group_axes(held: &[[bool; 3]]) -> Vec<AxisGroup> {
    let mut groups: Vec<AxisGroup> = Vec::new();
    for axis in 0..3 {
        let here: Vec<bool> = held.iter().map(|held| held[axis]).collect();
        match groups.iter_mut().find(|group| group.held == here) {
            Some(group) => group.axes[axis] = true,
            None => {
                let mut axes = [false; 3];
                axes[axis] = true;
                groups.push(AxisGroup { axes, held: here, factor: ColumnTiles::default() });
            }
        }
    }
    groups
}
