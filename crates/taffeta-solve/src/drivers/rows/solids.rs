//! The scalar rows of solids: the strains of every tetrahedron along the eigenvectors of its compliance, and its volume.

use super::element::{RowElement, RowForce};
use super::law::RowStep;
use super::scalar::ScalarBatches;
use crate::block::{Block, NormalStrain, ShearStrain, VolumeStrain};
use crate::solid::SolidBlocks;
use taffeta_core::lanes::Row;

/// The rows of all solids.
#[derive(Clone, Debug)]
pub(super) struct SolidRows {
    normal: ScalarBatches<NormalStrain, 3, 4>,
    shear: ScalarBatches<ShearStrain, 3, 4>,
    volume: ScalarBatches<VolumeStrain, 1, 4>,
}

fn rows_of<const R: usize, B: Block<R, 4> + Clone>(blocks: &[B]) -> Vec<RowElement<B, R>> {
    blocks.iter().cloned().map(RowElement::compliant).collect()
}

impl SolidRows {
    /// Every block as springs.
    pub(super) fn xpbd(blocks: &SolidBlocks, vertex_count: usize) -> Self {
        Self {
            normal: ScalarBatches::build(&rows_of(&blocks.normal), vertex_count),
            shear: ScalarBatches::build(&rows_of(&blocks.shear), vertex_count),
            volume: ScalarBatches::build(&rows_of(&blocks.volume), vertex_count),
        }
    }

    /// Notes the positions at the start of a substep.
    pub(super) fn begin_substep(&mut self, rows: &[Row]) {
        self.normal.begin_substep(rows);
        self.shear.begin_substep(rows);
        self.volume.begin_substep(rows);
    }

    /// One sweep: normal strains, shear, volume.
    pub(super) fn sweep(&mut self, rows: &mut [Row], step: &RowStep) {
        self.normal.sweep(rows, step);
        self.shear.sweep(rows, step);
        self.volume.sweep(rows, step);
    }

    /// The forces of all rows.
    pub(super) fn forces(&self, rows: &[Row], h: f64) -> Vec<RowForce> {
        let mut forces = self.normal.forces(rows, h);
        forces.extend(self.shear.forces(rows, h));
        forces.extend(self.volume.forces(rows, h));
        forces
    }
}
