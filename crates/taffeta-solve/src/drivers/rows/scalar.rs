//! Rows in plain scalar form, one element after the other: of ropes, which are few, and the oracle of the lanes.

use super::batches::RowSet;
use super::element::{RowElement, RowForce};
use super::law::{RowStep, RowValue};
use crate::block::Block;
use crate::drivers::lanes::lane_of;
use glam::DVec3;
use std::fmt::Debug;
use taffeta_core::lanes::{F64x4, LANES, LaneBatches, Order, Row};

/// A block with its multipliers.
#[derive(Clone, Debug)]
pub(super) struct ScalarRows<B, const R: usize, const V: usize> {
    pub element: RowElement<B, R>,
    pub lambda: [f64; R],
    /// Positions at the start of the substep \[m\].
    start: [DVec3; V],
}

impl<const R: usize, const V: usize, B: Block<R, V>> ScalarRows<B, R, V> {
    pub(super) fn new(element: RowElement<B, R>) -> Self {
        Self { element, lambda: [0.0; R], start: [DVec3::ZERO; V] }
    }

    /// Notes the positions at the start of a substep.
    pub(super) fn begin_substep(&mut self, x: &[DVec3; V]) {
        self.element.block.begin_step(x);
        self.start = *x;
    }

    /// Constraint and gradients of one row.
    pub(super) fn row(&self, row: usize, x: &[DVec3; V]) -> (f64, [DVec3; V]) {
        let RowElement { block, basis, .. } = &self.element;
        let (c, j) = (block.constraint(x), block.jacobian(x));
        let gradient = |v: usize| (0..R).map(|r| j[r][v] * basis[(r, row)]).sum::<DVec3>();
        ((0..R).map(|r| c[r] * basis[(r, row)]).sum(), std::array::from_fn(gradient))
    }

    /// Updates every row once, each at the positions that the one before it has left.
    pub(super) fn project(&mut self, x: &mut [DVec3; V], inverse_masses: &[f64; V], step: &RowStep) {
        if step.sweep == 0 {
            self.lambda = [0.0; R];
        }
        for row in 0..R {
            let (constraint, gradients) = self.row(row, x);
            let mut value = RowValue { constraint, weight: 0.0, motion: 0.0 };
            for (v, gradient) in gradients.iter().enumerate() {
                value.weight += inverse_masses[v] * gradient.length_squared();
                value.motion += gradient.dot(x[v] - self.start[v]);
            }
            let change = self.element.laws[row].change(&value, self.lambda[row], step);
            self.lambda[row] += change;
            for (v, gradient) in gradients.iter().enumerate() {
                x[v] += *gradient * (inverse_masses[v] * change);
            }
        }
    }
}

/// Elements of one kind, colored: those of a color share no vertex, and can be updated in any order.
#[derive(Clone, Debug)]
pub struct ScalarBatches<B, const R: usize, const V: usize> {
    batches: LaneBatches<V>,
    elements: Vec<[ScalarRows<B, R, V>; LANES]>,
    count: usize,
}

impl<const R: usize, const V: usize, B: Block<R, V> + Clone + Debug + Send> RowSet<B, R>
    for ScalarBatches<B, R, V>
{
    fn build(elements: &[RowElement<B, R>], vertex_count: usize) -> Self {
        let vertices: Vec<_> = elements.iter().map(|element| element.block.vertices()).collect();
        let batches = LaneBatches::build(&vertices, vertex_count);
        let packed = batches.pack(|lanes| lanes.map(|k| ScalarRows::new(elements[k].clone())));
        Self { batches, elements: packed, count: elements.len() }
    }

    fn begin_substep(&mut self, rows: &[Row]) {
        self.batches.visit(rows, &mut self.elements, |elements, x| {
            for (lane, element) in elements.iter_mut().enumerate() {
                element.begin_substep(&lane_of(x, lane));
            }
        });
    }

    fn sweep(&mut self, rows: &mut [Row], step: &RowStep) {
        self.batches.sweep(rows, &mut self.elements, Order::Forward, |elements, x, w| {
            let mut moved = *x;
            for (lane, element) in elements.iter_mut().enumerate() {
                let mut positions = lane_of(x, lane);
                element.project(&mut positions, &w.map(|w: F64x4| w.0[lane]), step);
                for (moved, position) in moved.iter_mut().zip(positions) {
                    moved.x.0[lane] = position.x;
                    moved.y.0[lane] = position.y;
                    moved.z.0[lane] = position.z;
                }
            }
            moved
        });
    }

    fn forces(&self, rows: &[Row], h: f64) -> Vec<RowForce> {
        let forces = |scalar: &ScalarRows<B, R, V>| {
            let vertices = scalar.element.block.vertices();
            let x = vertices.map(|vi| rows[vi.0 as usize].position());
            let force = |row: usize| {
                let (lambda, gradients) = (scalar.lambda[row], scalar.row(row, &x).1);
                let forces = gradients.iter().map(|gradient| *gradient * (lambda / (h * h))).collect();
                RowForce { lambda, vertices: vertices.to_vec(), forces }
            };
            (0..R).map(force).collect::<Vec<_>>()
        };
        self.batches.unpack(self.count, |batch, lane| forces(&self.elements[batch][lane])).concat()
    }

    fn sweeps_in_parallel(&self) -> bool {
        self.batches.sweeps_in_parallel()
    }
}
