//! Blocks of any kind under the block driver, each by the plain update: the kernel of kinds that have none of their own.

use super::sets::{LaneSet, SweptLanes};
use crate::block::{Block, UpdateStep, block_update};
use crate::drivers::lanes::{SweepStep, lane_of};
use glam::DVec3;
use nalgebra::SVector;
use std::fmt::Debug;
use taffeta_core::lanes::{F64x4, LANES, Vec3x4};

/// A block with its multiplier and its constraint at the start of the substep.
#[derive(Clone, Debug)]
pub struct Element<B, const R: usize> {
    pub(super) block: B,
    lambda: SVector<f64, R>,
    start: SVector<f64, R>,
}

/// Elements of one kind, colored.
pub(crate) type ElementBatches<B, const R: usize, const V: usize> = LaneSet<[Element<B, R>; LANES], R, V>;

impl<const R: usize, B> Element<B, R> {
    pub(super) fn new(block: B) -> Self {
        Self { block, lambda: SVector::zeros(), start: SVector::zeros() }
    }

    /// Notes the start of a substep, at positions `x` \[m\].
    pub(super) fn record_start<const V: usize>(&mut self, x: &[DVec3; V])
    where
        B: Block<R, V>,
    {
        self.block.begin_step(x);
        self.start = self.block.constraint(x);
    }

    /// One update at positions `x` \[m\]; returns the displacements \[m\].
    pub(super) fn update<const V: usize>(
        &mut self,
        x: &[DVec3; V],
        inverse_masses: &[f64; V],
        step: &SweepStep,
    ) -> [DVec3; V]
    where
        B: Block<R, V>,
    {
        if step.first {
            self.lambda = SVector::zeros();
        }
        let update = UpdateStep { h: step.h, lambda: self.lambda, start: self.start };
        let (change, shifts) = block_update(&self.block, x, inverse_masses, &update);
        self.lambda += change;
        shifts
    }
}

impl<const R: usize, const V: usize, B: Block<R, V> + Clone + Debug + Send> SweptLanes<R, V>
    for [Element<B, R>; LANES]
{
    type Block = B;

    const REMEMBERS: bool = B::REMEMBERS;

    fn pack(blocks: [&B; LANES]) -> Self {
        blocks.map(|block| Element::new(block.clone()))
    }

    fn record_start(&mut self, x: &[Vec3x4; V]) {
        for (lane, element) in self.iter_mut().enumerate() {
            element.record_start(&lane_of(x, lane));
        }
    }

    fn update<const DAMPED: bool>(
        &mut self,
        x: &[Vec3x4; V],
        w: &[F64x4; V],
        step: &SweepStep,
    ) -> [Vec3x4; V] {
        let mut moved = *x;
        for (lane, element) in self.iter_mut().enumerate() {
            let shifts = element.update(&lane_of(x, lane), &w.map(|w| w.0[lane]), step);
            for (moved, shift) in moved.iter_mut().zip(shifts) {
                moved.x.0[lane] += shift.x;
                moved.y.0[lane] += shift.y;
                moved.z.0[lane] += shift.z;
            }
        }
        moved
    }
}

impl<const R: usize, const V: usize, B> ElementBatches<B, R, V> {
    /// Updates every block by a value of its number.
    pub(super) fn update_blocks<T>(&mut self, values: &[T], update: impl Fn(&mut B, &T)) {
        let numbers = self.packed.batches.pack(|lanes| lanes);
        for (elements, numbers) in self.packed.data.iter_mut().zip(numbers) {
            elements.iter_mut().zip(numbers).for_each(|(e, number)| update(&mut e.block, &values[number]));
        }
    }
}
