//! The scalar rows of ropes.

use super::element::{RowElement, RowForce};
use super::law::{RowLaw, RowStep};
use super::scalar::ScalarBatches;
use crate::block::{AcosAngle, Block, RopeAngle, RopeBend, RopeStretch, RopeTorsion};
use crate::model::ProjectionStiffness;
use crate::rope::RopeBlocks;
use taffeta_core::lanes::Row;

/// The rows of all ropes.
#[derive(Clone, Debug)]
pub(super) struct RopeRows {
    stretch: ScalarBatches<RopeStretch, 1, 2>,
    bends: ScalarBatches<RopeBend, 3, 3>,
    angles: ScalarBatches<RopeAngle, 1, 3>,
    acos: ScalarBatches<AcosAngle, 1, 3>,
    torsions: ScalarBatches<RopeTorsion, 3, 4>,
}

/// What makes a block into rows.
fn rows_of<const R: usize, const V: usize, B: Block<R, V> + Clone>(
    blocks: &[B],
    law: impl Fn(usize) -> Option<RowLaw>,
) -> Vec<RowElement<B, R>> {
    let row = |(k, block): (usize, &B)| match law(k) {
        Some(law) => RowElement::new(block.clone(), law),
        None => RowElement::compliant(block.clone()),
    };
    blocks.iter().enumerate().map(row).collect()
}

impl RopeRows {
    /// Every block as springs.
    pub(super) fn xpbd(blocks: &RopeBlocks, vertex_count: usize) -> Self {
        Self {
            stretch: ScalarBatches::build(&rows_of(&blocks.stretch, |_| None), vertex_count),
            bends: ScalarBatches::build(&rows_of(&blocks.bends, |_| None), vertex_count),
            angles: ScalarBatches::build(&rows_of(&blocks.angles, |_| None), vertex_count),
            acos: ScalarBatches::build(&rows_of(&blocks.acos, |_| None), vertex_count),
            torsions: ScalarBatches::build(&rows_of(&blocks.torsions, |_| None), vertex_count),
        }
    }

    /// Every block as projections with the stiffness of its rope.
    pub(super) fn pbd(ropes: &[(RopeBlocks, ProjectionStiffness)], vertex_count: usize) -> Self {
        let mut all = RopeBlocks::default();
        let (mut by_kind, mut stretch_laws) = ([const { Vec::new() }; 4], Vec::new());
        for (blocks, stiffness) in ropes {
            let law =
                |stiffness_k| RowLaw::Projection { stiffness: stiffness_k, correction: stiffness.correction };
            stretch_laws.resize(stretch_laws.len() + blocks.stretch.len(), law(stiffness.stretch));
            let counts = [blocks.bends.len(), blocks.angles.len(), blocks.acos.len(), blocks.torsions.len()];
            for (laws, count) in by_kind.iter_mut().zip(counts) {
                laws.resize(laws.len() + count, law(stiffness.bend));
            }
            all.append(blocks.clone());
        }
        let [bends, angles, acos, torsions] = by_kind;
        Self {
            stretch: ScalarBatches::build(&rows_of(&all.stretch, |k| Some(stretch_laws[k])), vertex_count),
            bends: ScalarBatches::build(&rows_of(&all.bends, |k| Some(bends[k])), vertex_count),
            angles: ScalarBatches::build(&rows_of(&all.angles, |k| Some(angles[k])), vertex_count),
            acos: ScalarBatches::build(&rows_of(&all.acos, |k| Some(acos[k])), vertex_count),
            torsions: ScalarBatches::build(&rows_of(&all.torsions, |k| Some(torsions[k])), vertex_count),
        }
    }

    /// Notes the positions at the start of a substep.
    pub(super) fn begin_substep(&mut self, rows: &[Row]) {
        self.stretch.begin_substep(rows);
        self.bends.begin_substep(rows);
        self.angles.begin_substep(rows);
        self.acos.begin_substep(rows);
        self.torsions.begin_substep(rows);
    }

    /// One sweep: stretch, then bending.
    pub(super) fn sweep(&mut self, rows: &mut [Row], step: &RowStep) {
        self.stretch.sweep(rows, step);
        self.bends.sweep(rows, step);
        self.angles.sweep(rows, step);
        self.acos.sweep(rows, step);
        self.torsions.sweep(rows, step);
    }

    /// The forces of all rows.
    pub(super) fn forces(&self, rows: &[Row], h: f64) -> Vec<RowForce> {
        let mut forces = self.stretch.forces(rows, h);
        forces.extend(self.bends.forces(rows, h));
        forces.extend(self.angles.forces(rows, h));
        forces.extend(self.acos.forces(rows, h));
        forces.extend(self.torsions.forces(rows, h));
        forces
    }
}
