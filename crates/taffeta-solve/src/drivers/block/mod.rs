//! The block driver: 3×3 Newton updates of the multipliers, colored Gauss-Seidel over dense arrays.
//!
//! A substep sets `λ = 0`, then each sweep updates every triangle and every hinge once, color by color. λ is never
//! carried over to the next substep: that was measured to blow up. Local updates spread a correction by one element
//! per sweep, so the error of a hanging sheet grows with the square of the element count ([`crate::substeps`]).
//!
//! The result has the same bits for any number of threads.

pub mod kernels;

use crate::blocks::Blocks;
use kernels::{HingeLanes, LengthLanes, StrainLanes, SweepStep};
use taffeta_core::lanes::{F64x4, LaneBatches, Row};
use taffeta_core::{SurfaceTopology, TopologyEpoch};

/// Colored and packed blocks of one topology.
#[derive(Clone, Debug)]
pub struct BlockDriver {
    epoch: TopologyEpoch,
    strain: Packed<3, StrainLanes>,
    lengths: Packed<3, LengthLanes>,
    hinges: Packed<4, HingeLanes>,
    membrane_damped: bool,
    bending_damped: bool,
}

/// Batches of one kind of block with their data.
#[derive(Clone, Debug)]
struct Packed<const V: usize, D> {
    batches: LaneBatches<V>,
    data: Vec<D>,
}

/// One substep of the driver.
#[derive(Clone, Copy, Debug)]
pub struct Substep {
    /// Length \[s\].
    pub h: f64,
    /// Number of the sweep within the substep; in sweep 0 every λ is zero.
    pub sweep: u32,
}

impl BlockDriver {
    /// Colors and packs the blocks.
    pub fn build(topology: &SurfaceTopology, blocks: &Blocks) -> Self {
        let n = topology.vertex_count;
        let strain = LaneBatches::build(&blocks.strain.iter().map(|b| b.vertices).collect::<Vec<_>>(), n);
        let lengths = LaneBatches::build(&blocks.lengths.iter().map(|b| b.vertices).collect::<Vec<_>>(), n);
        let hinges = LaneBatches::build(&blocks.hinges.iter().map(|b| b.vertices).collect::<Vec<_>>(), n);
        let stretch_damping = blocks.strain.iter().map(|b| b.damping);
        let length_damping = blocks.lengths.iter().map(|b| b.damping);
        Self {
            epoch: topology.epoch,
            membrane_damped: stretch_damping.chain(length_damping).any(|tau| tau > 0.0),
            bending_damped: blocks.hinges.iter().any(|b| b.damping > 0.0),
            strain: Packed {
                data: strain.pack(|lanes| StrainLanes::pack(lanes.map(|e| &blocks.strain[e]))),
                batches: strain,
            },
            lengths: Packed {
                data: lengths.pack(|lanes| LengthLanes::pack(lanes.map(|e| &blocks.lengths[e]))),
                batches: lengths,
            },
            hinges: Packed {
                data: hinges.pack(|lanes| HingeLanes::pack(lanes.map(|e| &blocks.hinges[e]))),
                batches: hinges,
            },
        }
    }

    /// Whether a sweep on more than one thread shares out work; small sheets are swept by one.
    pub fn sweeps_in_parallel(&self) -> bool {
        self.strain.batches.sweeps_in_parallel() || self.hinges.batches.sweeps_in_parallel()
    }

    /// Whether anything is damped, so that [`BlockDriver::begin_substep`] has something to note.
    pub fn is_damped(&self) -> bool {
        self.membrane_damped || self.bending_damped
    }

    /// The topology that the driver was built for.
    pub fn epoch(&self) -> TopologyEpoch {
        self.epoch
    }

    /// Notes the constraints at the start of a substep, if anything is damped. `rows` holds the positions then.
    pub fn begin_substep(&mut self, rows: &[Row]) {
        if self.membrane_damped {
            self.strain.batches.visit(rows, &mut self.strain.data, |d, x| d.note_start(x));
            self.lengths.batches.visit(rows, &mut self.lengths.data, |d, x| d.note_start(x));
        }
        if self.bending_damped {
            self.hinges.batches.visit(rows, &mut self.hinges.data, |d, x| d.note_start(x));
        }
    }

    /// One Gauss-Seidel sweep over all blocks: membrane, then bending.
    pub fn sweep(&mut self, rows: &mut [Row], substep: Substep) {
        let step = SweepStep {
            inverse_h2: F64x4::splat(1.0 / (substep.h * substep.h)),
            inverse_h: F64x4::splat(1.0 / substep.h),
            first: substep.sweep == 0,
        };
        if self.membrane_damped {
            self.sweep_membrane::<true>(rows, &step);
        } else {
            self.sweep_membrane::<false>(rows, &step);
        }
        let Packed { batches, data } = &mut self.hinges;
        if self.bending_damped {
            batches.sweep(
                rows,
                data,
                #[inline(always)]
                |d, x, w| d.update::<true>(x, w, &step),
            );
        } else {
            batches.sweep(
                rows,
                data,
                #[inline(always)]
                |d, x, w| d.update::<false>(x, w, &step),
            );
        }
    }

    fn sweep_membrane<const DAMPED: bool>(&mut self, rows: &mut [Row], step: &SweepStep) {
        let Packed { batches, data } = &mut self.strain;
        batches.sweep(
            rows,
            data,
            #[inline(always)]
            |d, x, w| d.update::<DAMPED>(x, w, step),
        );
        let Packed { batches, data } = &mut self.lengths;
        batches.sweep(
            rows,
            data,
            #[inline(always)]
            |d, x, w| d.update::<DAMPED>(x, w, step),
        );
    }

    /// The unwrapped hinge angles \[rad\], in the order of [`Blocks::hinges`].
    pub fn hinge_angles(&self, count: usize) -> Vec<f64> {
        self.hinges.batches.unpack(count, |batch, lane| self.hinges.data[batch].angle(lane))
    }
}

#[cfg(test)]
mod tests;
