//! Blocks of any kind under the block driver, each by the plain update: for those that have no kernel of four lanes.

use super::sets::SweptSet;
use crate::block::{Block, UpdateStep, block_update};
use crate::drivers::lanes::{SweepStep, lane_of};
use nalgebra::SVector;
use std::fmt::Debug;
use taffeta_core::lanes::{LANES, LaneBatches, Row, Vec3x4};

/// A block with what it keeps during a substep.
#[derive(Clone, Debug)]
struct Element<B, const R: usize> {
    block: B,
    lambda: SVector<f64, R>,
    start: SVector<f64, R>,
}

/// Elements of one kind, colored.
#[derive(Clone, Debug)]
pub struct ElementBatches<B, const R: usize, const V: usize> {
    batches: LaneBatches<V>,
    elements: Vec<[Element<B, R>; LANES]>,
    notes_start: bool,
}

impl<const R: usize, const V: usize, B> ElementBatches<B, R, V> {
    /// Updates every block by a value of its number.
    pub(super) fn update_blocks<T>(&mut self, values: &[T], update: impl Fn(&mut B, &T)) {
        let numbers = self.batches.pack(|lanes| lanes);
        for (elements, numbers) in self.elements.iter_mut().zip(numbers) {
            elements.iter_mut().zip(numbers).for_each(|(e, number)| update(&mut e.block, &values[number]));
        }
    }
}

impl<const R: usize, const V: usize, B: Block<R, V> + Clone + Debug + Send> SweptSet<B>
    for ElementBatches<B, R, V>
{
    fn build(blocks: &[B], vertex_count: usize) -> Self {
        let vertices: Vec<_> = blocks.iter().map(Block::vertices).collect();
        let batches = LaneBatches::build(&vertices, vertex_count);
        let zero = SVector::zeros();
        let element = |k: usize| Element { block: blocks[k].clone(), lambda: zero, start: zero };
        let elements = batches.pack(|lanes| lanes.map(element));
        let notes_start = blocks.iter().any(|block| B::REMEMBERS || block.damping() > 0.0);
        Self { batches, elements, notes_start }
    }

    fn notes_start(&self) -> bool {
        self.notes_start
    }

    fn begin_substep(&mut self, rows: &[Row]) {
        if !self.notes_start {
            return;
        }
        self.batches.visit(rows, &mut self.elements, |elements, x| {
            for (lane, element) in elements.iter_mut().enumerate() {
                let x = lane_of(x, lane);
                element.block.begin_step(&x);
                element.start = element.block.constraint(&x);
            }
        });
    }

    fn sweep(&mut self, rows: &mut [Row], step: &SweepStep) {
        self.batches.sweep(rows, &mut self.elements, |elements, x: &[Vec3x4; V], w| {
            let mut moved = *x;
            for (lane, element) in elements.iter_mut().enumerate() {
                if step.first {
                    element.lambda = SVector::zeros();
                }
                let update = UpdateStep { h: step.h, lambda: element.lambda, start: element.start };
                let masses = w.map(|w| w.0[lane]);
                let (change, shifts) = block_update(&element.block, &lane_of(x, lane), &masses, &update);
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

    fn sweeps_in_parallel(&self) -> bool {
        self.batches.sweeps_in_parallel()
    }
}
