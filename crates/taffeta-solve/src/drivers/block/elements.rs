//! Blocks of any kind under the block driver, each by the plain update: for those that have no kernel of four lanes.

use super::Substep;
use crate::block::{Block, Stitch, UpdateStep, block_update};
use crate::drivers::lane_of;
use crate::rope::RopeBlocks;
use crate::solid::SolidBlocks;
use nalgebra::SVector;
use taffeta_core::lanes::{F64x4, LANES, LaneBatches, Row, Vec3x4};

/// A block with what it keeps during a substep.
#[derive(Clone, Debug)]
struct Element<B, const R: usize> {
    block: B,
    lambda: SVector<f64, R>,
    start: SVector<f64, R>,
}

/// Elements of one kind, colored.
#[derive(Clone, Debug)]
struct ElementBatches<B, const R: usize, const V: usize> {
    batches: LaneBatches<V>,
    elements: Vec<[Element<B, R>; LANES]>,
}

impl<const R: usize, const V: usize, B: Block<R, V> + Clone + Send> ElementBatches<B, R, V> {
    fn build(blocks: &[B], vertex_count: usize) -> Self {
        let vertices: Vec<_> = blocks.iter().map(Block::vertices).collect();
        let batches = LaneBatches::build(&vertices, vertex_count);
        let zero = SVector::zeros();
        let element = |k: usize| Element { block: blocks[k].clone(), lambda: zero, start: zero };
        let elements = batches.pack(|lanes| lanes.map(element));
        Self { batches, elements }
    }

    fn begin_substep(&mut self, rows: &[Row]) {
        self.batches.visit(rows, &mut self.elements, |elements, x| {
            for (lane, element) in elements.iter_mut().enumerate() {
                let x = lane_of(x, lane);
                element.block.begin_step(&x);
                element.start = element.block.constraint(&x);
            }
        });
    }

    fn sweep(&mut self, rows: &mut [Row], substep: Substep) {
        self.batches.sweep(rows, &mut self.elements, |elements, x: &[Vec3x4; V], w: &[F64x4; V]| {
            let mut moved = *x;
            for (lane, element) in elements.iter_mut().enumerate() {
                if substep.sweep == 0 {
                    element.lambda = SVector::zeros();
                }
                let step = UpdateStep { h: substep.h, lambda: element.lambda, start: element.start };
                let masses = w.map(|w| w.0[lane]);
                let (change, shifts) = block_update(&element.block, &lane_of(x, lane), &masses, &step);
                element.lambda += change;
                for (moved, shift) in moved.iter_mut().zip(shifts) {
                    moved.x.0[lane] += shift.x;
                    moved.y.0[lane] += shift.y;
                    moved.z.0[lane] += shift.z;
                }
            }
            moved
        });
    }
}

/// The blocks of all ropes.
#[derive(Clone, Debug)]
pub(super) struct RopeSweeps {
    stretch: ElementBatches<crate::block::RopeStretch, 1, 2>,
    bends: ElementBatches<crate::block::RopeBend, 3, 3>,
    angles: ElementBatches<crate::block::RopeAngle, 1, 3>,
    acos: ElementBatches<crate::block::AcosAngle, 1, 3>,
    torsions: ElementBatches<crate::block::RopeTorsion, 3, 4>,
    pub is_empty: bool,
}

impl RopeSweeps {
    pub(super) fn build(blocks: &RopeBlocks, vertex_count: usize) -> Self {
        Self {
            stretch: ElementBatches::build(&blocks.stretch, vertex_count),
            bends: ElementBatches::build(&blocks.bends, vertex_count),
            angles: ElementBatches::build(&blocks.angles, vertex_count),
            acos: ElementBatches::build(&blocks.acos, vertex_count),
            torsions: ElementBatches::build(&blocks.torsions, vertex_count),
            is_empty: blocks.is_empty(),
        }
    }

    /// Notes the positions at the start of a substep: damping and unwrapped angles refer to them.
    pub(super) fn begin_substep(&mut self, rows: &[Row]) {
        self.stretch.begin_substep(rows);
        self.bends.begin_substep(rows);
        self.angles.begin_substep(rows);
        self.acos.begin_substep(rows);
        self.torsions.begin_substep(rows);
    }

    /// One sweep: stretch, then bending.
    pub(super) fn sweep(&mut self, rows: &mut [Row], substep: Substep) {
        self.stretch.sweep(rows, substep);
        self.bends.sweep(rows, substep);
        self.angles.sweep(rows, substep);
        self.acos.sweep(rows, substep);
        self.torsions.sweep(rows, substep);
    }
}

/// The stitches.
#[derive(Clone, Debug)]
pub(super) struct StitchSweeps {
    stitches: ElementBatches<Stitch, 3, 2>,
}

impl StitchSweeps {
    pub(super) fn build(blocks: &[Stitch], vertex_count: usize) -> Self {
        Self { stitches: ElementBatches::build(blocks, vertex_count) }
    }

    /// Takes over what the stitches want now, in the order of the blocks.
    pub(super) fn set(&mut self, stitches: &[Stitch]) {
        let mut numbers = self.stitches.batches.pack(|lanes| lanes);
        for (elements, numbers) in self.stitches.elements.iter_mut().zip(&mut numbers) {
            for (element, number) in elements.iter_mut().zip(numbers) {
                let Stitch { gap, reach, .. } = stitches[*number];
                (element.block.gap, element.block.reach) = (gap, reach);
            }
        }
    }

    pub(super) fn sweep(&mut self, rows: &mut [Row], substep: Substep) {
        self.stitches.sweep(rows, substep);
    }
}

/// The blocks of all solids.
#[derive(Clone, Debug)]
pub(super) struct SolidSweeps {
    normal: ElementBatches<crate::block::NormalStrain, 3, 4>,
    shear: ElementBatches<crate::block::ShearStrain, 3, 4>,
    volume: ElementBatches<crate::block::VolumeStrain, 1, 4>,
    pub is_damped: bool,
}

impl SolidSweeps {
    pub(super) fn build(blocks: &SolidBlocks, vertex_count: usize) -> Self {
        Self {
            normal: ElementBatches::build(&blocks.normal, vertex_count),
            shear: ElementBatches::build(&blocks.shear, vertex_count),
            volume: ElementBatches::build(&blocks.volume, vertex_count),
            is_damped: blocks.normal.iter().any(|block| block.damping > 0.0),
        }
    }

    /// Notes the constraints at the start of a substep, if anything is damped.
    pub(super) fn begin_substep(&mut self, rows: &[Row]) {
        if self.is_damped {
            self.normal.begin_substep(rows);
            self.shear.begin_substep(rows);
            self.volume.begin_substep(rows);
        }
    }

    /// One sweep: normal strains, shear, volume.
    pub(super) fn sweep(&mut self, rows: &mut [Row], substep: Substep) {
        self.normal.sweep(rows, substep);
        self.shear.sweep(rows, substep);
        self.volume.sweep(rows, substep);
    }
}
