//! The blocks of one kind under the block driver.

use crate::block::Block;
use crate::drivers::lanes::{Packed, SweepStep};
use std::fmt::Debug;
use taffeta_core::lanes::{F64x4, LANES, Row, Vec3x4};

/// All blocks of a kind, colored.
pub trait SweptSet<B>: Clone + Debug {
    /// Colors and packs the blocks.
    fn build(blocks: &[B], vertex_count: usize) -> Self;

    /// Returns whether it has anything to note at the start of a substep: constraints of damped blocks, or angles to
    /// be continued.
    fn notes_start(&self) -> bool;

    /// Notes the start of a substep, at which the positions are those of `rows`, if there is anything to note.
    fn begin_substep(&mut self, rows: &[Row]);

    /// Updates every block once, in the order of the step.
    fn sweep(&mut self, rows: &mut [Row], step: &SweepStep);

    /// Returns whether a sweep on more than one thread shares out work.
    fn sweeps_in_parallel(&self) -> bool;
}

/// A kind that is left out.
impl<B> SweptSet<B> for () {
    fn build(_: &[B], _: usize) -> Self {}

    fn notes_start(&self) -> bool {
        false
    }

    fn begin_substep(&mut self, _: &[Row]) {}

    fn sweep(&mut self, _: &mut [Row], _: &SweepStep) {}

    fn sweeps_in_parallel(&self) -> bool {
        false
    }
}

/// The kernel of four blocks: the Newton step on the dual function. [`crate::block::block_update`] is the oracle.
pub trait SweptLanes<const R: usize, const V: usize>: Clone + Debug + Send {
    /// The block in scalar form.
    type Block: Block<R, V>;

    /// True if [`record_start`](Self::record_start) is to be called even if nothing is damped.
    const REMEMBERS: bool = false;

    /// Packs four blocks.
    fn pack(blocks: [&Self::Block; LANES]) -> Self;

    /// Notes the constraint at the start of a substep.
    fn record_start(&mut self, x: &[Vec3x4; V]);

    /// One update at positions `x` \[m\] with the inverse masses `w` \[1/kg\]; returns the new positions.
    fn update<const DAMPED: bool>(
        &mut self,
        x: &[Vec3x4; V],
        w: &[F64x4; V],
        step: &SweepStep,
    ) -> [Vec3x4; V];
}

/// Blocks that have a kernel.
#[derive(Clone, Debug)]
pub struct LaneSet<L, const R: usize, const V: usize> {
    pub(super) packed: Packed<V, L>,
    is_damped: bool,
}

impl<L, const R: usize, const V: usize> LaneSet<L, R, V> {
    /// Returns a value of each of the first `count` blocks, read from its kernel and lane.
    pub(super) fn read<T: Clone + Default>(&self, count: usize, tell: impl Fn(&L, usize) -> T) -> Vec<T> {
        self.packed.batches.unpack(count, |batch, lane| tell(&self.packed.data[batch], lane))
    }
}

impl<const R: usize, const V: usize, L: SweptLanes<R, V>> SweptSet<L::Block> for LaneSet<L, R, V> {
    fn build(blocks: &[L::Block], vertex_count: usize) -> Self {
        Self {
            packed: Packed::build(blocks, Block::vertices, vertex_count, L::pack),
            is_damped: blocks.iter().any(|block| block.damping() > 0.0),
        }
    }

    fn notes_start(&self) -> bool {
        L::REMEMBERS || self.is_damped
    }

    fn begin_substep(&mut self, rows: &[Row]) {
        if self.notes_start() {
            self.packed.batches.visit(rows, &mut self.packed.data, |lanes, x| lanes.record_start(x));
        }
    }

    fn sweep(&mut self, rows: &mut [Row], step: &SweepStep) {
        if self.is_damped {
            self.packed.sweep(
                rows,
                step.order,
                #[inline(always)]
                |lanes, x, w| lanes.update::<true>(x, w, step),
            );
        } else {
            self.packed.sweep(
                rows,
                step.order,
                #[inline(always)]
                |lanes, x, w| lanes.update::<false>(x, w, step),
            );
        }
    }

    fn sweeps_in_parallel(&self) -> bool {
        self.packed.batches.sweeps_in_parallel()
    }
}
