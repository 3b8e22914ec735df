//! Common parts of the drivers that sweep: lanes of four elements, colored, and the step of a sweep.

use glam::DVec3;
use std::hint::black_box;
use taffeta_core::VertexIndex;
use taffeta_core::lanes::{F64x4, LANES, LaneBatches, Order, Row, Vec3x4};

/// Parameters that all updates of a sweep share.
#[derive(Clone, Copy, Debug)]
pub struct SweepStep {
    /// Length `h` of the substep \[s\].
    pub h: f64,
    /// `1/h²` \[1/s²\].
    pub inverse_h2: F64x4,
    /// `1/h` \[1/s\].
    pub inverse_h: F64x4,
    /// True if λ is still zero everywhere: saves reading it.
    pub first: bool,
    /// The order in which the elements are taken.
    pub order: Order,
}

impl SweepStep {
    /// The step of a sweep, by its number within its substep of length `h` \[s\].
    pub fn new(h: f64, sweep: u32) -> Self {
        Self {
            h,
            inverse_h2: F64x4::splat(1.0 / (h * h)),
            inverse_h: F64x4::splat(1.0 / h),
            first: sweep == 0,
            order: Order::Forward,
        }
    }
}

/// Batches of one kind of block with their data.
#[derive(Clone, Debug)]
pub(super) struct Packed<const V: usize, D> {
    pub batches: LaneBatches<V>,
    pub data: Vec<D>,
}

impl<const V: usize, D> Packed<V, D> {
    /// Colors and packs the blocks.
    pub(super) fn build<B>(
        blocks: &[B],
        vertices: impl Fn(&B) -> [VertexIndex; V],
        vertex_count: usize,
        pack: impl Fn([&B; LANES]) -> D,
    ) -> Self {
        let batches = LaneBatches::build(&blocks.iter().map(vertices).collect::<Vec<_>>(), vertex_count);
        Self { data: batches.pack(|lanes| pack(lanes.map(|k| &blocks[k]))), batches }
    }

    /// One sweep of a kernel over all batches, in the order asked for.
    #[inline(always)]
    pub(super) fn sweep(
        &mut self,
        rows: &mut [Row],
        order: Order,
        kernel: impl Fn(&mut D, &[Vec3x4; V], &[F64x4; V]) -> [Vec3x4; V] + Sync,
    ) where
        D: Send,
    {
        self.batches.sweep(
            rows,
            &mut self.data,
            order,
            #[inline(always)]
            |data, x, w| {
                // The lanes pass through memory. If the compiler sees the origin and destination of the coordinates row by
                // row, it follows the rows instead of the lanes. Half of the kernel then stays scalar.
                let mut moved = kernel(data, black_box(x), black_box(w));
                black_box(&mut moved);
                moved
            },
        );
    }
}

/// Packs one number per lane.
pub(super) fn pack(value: impl Fn(usize) -> f64) -> F64x4 {
    F64x4(std::array::from_fn(value))
}

/// The positions of one lane.
#[inline]
pub(crate) fn lane_of<const V: usize>(x: &[Vec3x4; V], lane: usize) -> [DVec3; V] {
    x.map(|x| DVec3::new(x.x.0[lane], x.y.0[lane], x.z.0[lane]))
}
