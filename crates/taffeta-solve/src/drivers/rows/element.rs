//! The scalar rows of one block, and batches of them.

use super::diagonal::diagonalize;
use super::law::{RowLaw, RowStep, RowValue};
use crate::block::Block;
use crate::drivers::lane_of;
use glam::DVec3;
use nalgebra::SMatrix;
use taffeta_core::VertexIndex;
use taffeta_core::lanes::{F64x4, LANES, LaneBatches, Row};

/// A block whose rows are taken one at a time.
///
/// The rows are `Qᵀ C` for the eigenvectors `Q` of the block's compliance: the energy `½ Cᵀ α⁻¹ C` is then a sum over the
/// rows, each a spring with an eigenvalue of `α` as its compliance.
#[derive(Clone, Debug)]
pub(super) struct RowElement<B, const R: usize, const V: usize> {
    pub block: B,
    basis: SMatrix<f64, R, R>,
    pub laws: [RowLaw; R],
    lambda: [f64; R],
    /// Positions at the start of the substep \[m\].
    start: [DVec3; V],
}

/// The force of one scalar row.
#[derive(Clone, Debug, PartialEq)]
pub struct RowForce {
    /// The multiplier `λ` \[J·s² per unit of C\].
    pub lambda: f64,
    /// The vertices.
    pub vertices: Vec<VertexIndex>,
    /// The force on each of them, `∇C λ / h²` \[N\].
    pub forces: Vec<DVec3>,
}

impl<const R: usize, const V: usize, B: Block<R, V>> RowElement<B, R, V> {
    /// The rows of a block as springs.
    pub fn compliant(block: B) -> Self {
        let (basis, values) = diagonalize(&block.compliance());
        let damping = block.damping();
        let laws = values.map(|alpha| RowLaw::Compliance { alpha, damping });
        Self { block, basis, laws, lambda: [0.0; R], start: [DVec3::ZERO; V] }
    }

    /// The rows of a block as they are, all with the same law.
    pub fn new(block: B, law: RowLaw) -> Self {
        let basis = SMatrix::identity();
        Self { block, basis, laws: [law; R], lambda: [0.0; R], start: [DVec3::ZERO; V] }
    }

    /// Constraint and gradients of one row.
    #[inline]
    fn row(&self, row: usize, x: &[DVec3; V]) -> (f64, [DVec3; V]) {
        let (c, j) = (self.block.constraint(x), self.block.jacobian(x));
        let along = |r: usize| self.basis[(r, row)];
        let gradient = |v: usize| (0..R).map(|r| j[r][v] * along(r)).sum::<DVec3>();
        ((0..R).map(|r| c[r] * along(r)).sum(), std::array::from_fn(gradient))
    }

    /// Notes the positions at the start of a substep.
    fn begin_substep(&mut self, x: &[DVec3; V]) {
        self.block.begin_step(x);
        self.start = *x;
    }

    /// Updates every row once, each at the positions that the one before it has left.
    #[inline]
    fn project(&mut self, x: &mut [DVec3; V], inverse_masses: &[f64; V], step: &RowStep) {
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
            let change = self.laws[row].change(&value, self.lambda[row], step);
            self.lambda[row] += change;
            for (v, gradient) in gradients.iter().enumerate() {
                x[v] += *gradient * (inverse_masses[v] * change);
            }
        }
    }
}

/// Elements of one kind, colored: those of a color share no vertex, and can be updated in any order.
#[derive(Clone, Debug)]
pub(super) struct RowBatches<B, const R: usize, const V: usize> {
    batches: LaneBatches<V>,
    pub elements: Vec<[RowElement<B, R, V>; LANES]>,
    count: usize,
}

impl<const R: usize, const V: usize, B: Block<R, V> + Clone + Send> RowBatches<B, R, V> {
    pub fn build(elements: &[RowElement<B, R, V>], vertex_count: usize) -> Self {
        let vertices: Vec<_> = elements.iter().map(|element| element.block.vertices()).collect();
        let batches = LaneBatches::build(&vertices, vertex_count);
        let packed = batches.pack(|lanes| lanes.map(|k| elements[k].clone()));
        Self { batches, elements: packed, count: elements.len() }
    }

    pub fn sweeps_in_parallel(&self) -> bool {
        self.batches.sweeps_in_parallel()
    }

    pub fn begin_substep(&mut self, rows: &[Row]) {
        self.batches.visit(rows, &mut self.elements, |elements, x| {
            for (lane, element) in elements.iter_mut().enumerate() {
                element.begin_substep(&lane_of(x, lane));
            }
        });
    }

    pub fn sweep(&mut self, rows: &mut [Row], step: &RowStep) {
        self.batches.sweep(rows, &mut self.elements, |elements, x, w| {
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

    /// What every element tells, in the order in which they were given.
    pub fn read<T: Clone + Default>(&self, tell: impl Fn(&RowElement<B, R, V>) -> T) -> Vec<T> {
        self.batches.unpack(self.count, |batch, lane| tell(&self.elements[batch][lane]))
    }

    /// The forces of all rows at positions `rows`, element by element.
    pub fn forces(&self, rows: &[Row], h: f64) -> Vec<RowForce> {
        let forces = |element: &RowElement<B, R, V>| {
            let vertices = element.block.vertices();
            let x = vertices.map(|vi| rows[vi.0 as usize].position());
            let force = |row: usize| {
                let (lambda, gradients) = (element.lambda[row], element.row(row, &x).1);
                let forces = gradients.iter().map(|gradient| *gradient * (lambda / (h * h))).collect();
                RowForce { lambda, vertices: vertices.to_vec(), forces }
            };
            (0..R).map(force).collect::<Vec<_>>()
        };
        self.read(forces).concat()
    }
}
