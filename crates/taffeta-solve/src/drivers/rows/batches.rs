//! Elements of one kind, colored, four at a time.

use super::element::{RowElement, RowForce};
use super::law::{RowLaw, RowStep};
use crate::block::Block;
use crate::drivers::lanes::{Packed, SweepStep, pack};
use glam::DVec3;
use std::fmt::Debug;
use taffeta_core::VertexIndex;
use taffeta_core::lanes::{F64x4, LANES, Order, Row, Vec3x4};

/// Constraint and gradients of the rows of four elements. The scalar [`Block`] is its oracle.
pub trait RowKernel<const R: usize, const V: usize>: Clone + Debug + Send {
    /// The block in scalar form.
    type Block: Block<R, V>;

    /// Packs four elements.
    fn pack(elements: [&RowElement<Self::Block, R>; LANES]) -> Self;

    /// Constraint and gradients of row `row` at positions `x` \[m\]. May remember what continues, such as an angle.
    fn row(&mut self, row: usize, x: &[Vec3x4; V]) -> (F64x4, [Vec3x4; V]);
}

/// All elements of a kind under the row driver.
pub trait RowSet<B, const R: usize>: Clone + Debug {
    /// Colors and packs the elements.
    fn build(elements: &[RowElement<B, R>], vertex_count: usize) -> Self;

    /// Notes the positions at the start of a substep.
    fn begin_substep(&mut self, rows: &[Row]);

    /// Updates every row once.
    fn sweep(&mut self, rows: &mut [Row], step: &RowStep);

    /// The forces of all rows after a substep of length `h` \[s\] that ended at `rows`, element by element.
    fn forces(&self, rows: &[Row], h: f64) -> Vec<RowForce>;

    /// Returns whether a sweep on more than one thread shares out work.
    fn sweeps_in_parallel(&self) -> bool;
}

/// A kind that is left out.
impl<B, const R: usize> RowSet<B, R> for () {
    fn build(_: &[RowElement<B, R>], _: usize) -> Self {}

    fn begin_substep(&mut self, _: &[Row]) {}

    fn sweep(&mut self, _: &mut [Row], _: &RowStep) {}

    fn forces(&self, _: &[Row], _: f64) -> Vec<RowForce> {
        Vec::new()
    }

    fn sweeps_in_parallel(&self) -> bool {
        false
    }
}

/// Four elements with their laws and multipliers.
///
/// Both laws are one: `Δλ = −(k C + α̃ λ + γ ∇C·(x − xⁿ)) / ((1 + γ) Σ w|∇C|² + α̃)`, for a projection with `α = τ = 0`, for
/// a spring with `k = 1`, for a row that is switched off with `k = τ = 0`. [`RowLaw::change`] is the oracle.
#[derive(Clone, Debug)]
struct RowLanes<K, const R: usize> {
    kernel: K,
    lambda: [F64x4; R],
    alpha: [F64x4; R],
    part: [F64x4; R],
    /// Damping time constant \[s\], the same for all rows of a block.
    tau: F64x4,
}

impl<K, const R: usize> RowLanes<K, R> {
    /// Updates every row once, each at the positions that the one before it has left. `start` is where the vertices were
    /// at the start of the substep \[m\], for damping.
    #[inline(always)]
    fn project<const V: usize>(
        &mut self,
        x: &[Vec3x4; V],
        w: &[F64x4; V],
        start: Option<&[Vec3x4; V]>,
        step: &SweepStep,
    ) -> [Vec3x4; V]
    where
        K: RowKernel<R, V>,
    {
        let zero = F64x4::splat(0.0);
        let mut x = *x;
        for row in 0..R {
            let (constraint, gradients) = self.kernel.row(row, &x);
            let mut weight = w[0] * gradients[0].dot(gradients[0]);
            for v in 1..V {
                weight = weight + w[v] * gradients[v].dot(gradients[v]);
            }
            let alpha_tilde = self.alpha[row] * step.inverse_h2;
            let mut excess = self.part[row] * constraint;
            if !step.first {
                excess = excess + alpha_tilde * self.lambda[row];
            }
            if let Some(start) = start {
                let gamma = self.tau * step.inverse_h;
                let mut motion = gradients[0].dot(x[0] - start[0]);
                for v in 1..V {
                    motion = motion + gradients[v].dot(x[v] - start[v]);
                }
                excess = excess + gamma * motion;
                weight = weight + gamma * weight;
            }
            let resistance = weight + alpha_tilde;
            // Where nothing can move, nothing does.
            let change = resistance.select_greater(zero, (zero - excess) / resistance, zero);
            self.lambda[row] = if step.first { change } else { self.lambda[row] + change };
            for v in 0..V {
                x[v] = x[v] + gradients[v] * (w[v] * change);
            }
        }
        x
    }
}

/// The elements of one kind. Those of a color share no vertex and can be updated in any order.
#[derive(Clone, Debug)]
pub struct RowBatches<K, const R: usize, const V: usize> {
    lanes: Rows<K, R, V>,
    /// In the order in which the elements were given.
    vertices: Vec<[VertexIndex; V]>,
    laws: Vec<[RowLaw; R]>,
    is_off: Vec<bool>,
    /// The number of sweeps that the stiffnesses are for.
    sweeps: u32,
}

/// With the positions at the start of the substep only where something is damped: they are most of the memory that a
/// sweep would have to pass through.
#[derive(Clone, Debug)]
enum Rows<K, const R: usize, const V: usize> {
    Free(Packed<V, RowLanes<K, R>>),
    Damped(Packed<V, (RowLanes<K, R>, [Vec3x4; V])>),
}

impl<const R: usize, const V: usize, K: RowKernel<R, V>> RowSet<K::Block, R> for RowBatches<K, R, V> {
    fn build(elements: &[RowElement<K::Block, R>], vertex_count: usize) -> Self {
        let vertices = |element: &RowElement<K::Block, R>| element.block.vertices();
        let lanes = |elements: [&RowElement<K::Block, R>; LANES]| RowLanes {
            kernel: K::pack(elements),
            lambda: [F64x4::default(); R],
            alpha: std::array::from_fn(|row| pack(|lane| elements[lane].laws[row].compliance())),
            part: std::array::from_fn(|row| pack(|lane| elements[lane].laws[row].part(1))),
            tau: pack(|lane| elements[lane].laws[0].damping()),
        };
        let is_damped = elements.iter().any(|element| element.laws[0].damping() > 0.0);
        Self {
            lanes: if is_damped {
                let damped =
                    |elements: [&RowElement<K::Block, R>; LANES]| (lanes(elements), [Vec3x4::default(); V]);
                Rows::Damped(Packed::build(elements, vertices, vertex_count, damped))
            } else {
                Rows::Free(Packed::build(elements, vertices, vertex_count, lanes))
            },
            vertices: elements.iter().map(vertices).collect(),
            laws: elements.iter().map(|element| element.laws).collect(),
            is_off: vec![false; elements.len()],
            sweeps: 1,
        }
    }

    fn sweeps_in_parallel(&self) -> bool {
        match &self.lanes {
            Rows::Free(packed) => packed.batches.sweeps_in_parallel(),
            Rows::Damped(packed) => packed.batches.sweeps_in_parallel(),
        }
    }

    fn begin_substep(&mut self, rows: &[Row]) {
        if let Rows::Damped(packed) = &mut self.lanes {
            packed.batches.visit(rows, &mut packed.data, |(_, start), x| *start = *x);
        }
    }

    fn sweep(&mut self, rows: &mut [Row], step: &RowStep) {
        if step.sweeps != self.sweeps {
            self.sweeps = step.sweeps;
            self.set_laws();
        }
        let step = SweepStep::new(step.h, step.sweep);
        match &mut self.lanes {
            Rows::Free(packed) => packed.sweep(
                rows,
                Order::Forward,
                #[inline(always)]
                |lanes, x, w| lanes.project(x, w, None, &step),
            ),
            Rows::Damped(packed) => packed.sweep(
                rows,
                Order::Forward,
                #[inline(always)]
                |(lanes, start), x, w| lanes.project(x, w, Some(start), &step),
            ),
        }
    }

    fn forces(&self, rows: &[Row], h: f64) -> Vec<RowForce> {
        let kernels: Vec<Option<(K, usize)>> = self.kernels(|kernel, lane| Some((kernel.clone(), lane)));
        let multipliers: [Vec<f64>; R] = std::array::from_fn(|row| self.multipliers(row));
        let mut forces = Vec::with_capacity(R * kernels.len());
        for (element, (mut kernel, lane)) in kernels.into_iter().flatten().enumerate() {
            let vertices = &self.vertices[element];
            let x = vertices.map(|vi| lanes_of(rows[vi.0 as usize].position()));
            for (row, multipliers) in multipliers.iter().enumerate() {
                let lambda = multipliers[element];
                let gradients = kernel.row(row, &x).1;
                let force =
                    |g: &Vec3x4| DVec3::new(g.x.0[lane], g.y.0[lane], g.z.0[lane]) * (lambda / (h * h));
                forces.push(RowForce {
                    lambda,
                    vertices: vertices.to_vec(),
                    forces: gradients.iter().map(force).collect(),
                });
            }
        }
        forces
    }
}

impl<const R: usize, const V: usize, K: RowKernel<R, V>> RowBatches<K, R, V> {
    /// Takes elements out of all later sweeps, by their numbers.
    pub(super) fn switch_off(&mut self, elements: impl Iterator<Item = usize>) {
        elements.for_each(|element| self.is_off[element] = true);
        self.set_laws();
    }

    /// Writes stiffnesses and damping of all rows into the lanes.
    fn set_laws(&mut self) {
        let (laws, is_off, sweeps) = (&self.laws, &self.is_off, self.sweeps);
        let set = |numbers: [usize; LANES], lanes: &mut RowLanes<K, R>| {
            for (row, out) in lanes.part.iter_mut().enumerate() {
                let part = |e: usize| if is_off[e] { 0.0 } else { laws[e][row].part(sweeps) };
                *out = F64x4(numbers.map(part));
            }
            lanes.tau = F64x4(numbers.map(|e| if is_off[e] { 0.0 } else { laws[e][0].damping() }));
        };
        match &mut self.lanes {
            Rows::Free(Packed { batches, data }) => {
                let numbers = batches.pack(|numbers| numbers);
                data.iter_mut().zip(numbers).for_each(|(lanes, numbers)| set(numbers, lanes));
            }
            Rows::Damped(Packed { batches, data }) => {
                let numbers = batches.pack(|numbers| numbers);
                data.iter_mut().zip(numbers).for_each(|((lanes, _), numbers)| set(numbers, lanes));
            }
        }
    }

    /// Values of `tell` for all elements, in the order in which these were given.
    fn read<T: Clone + Default>(&self, tell: impl Fn(&RowLanes<K, R>, usize) -> T) -> Vec<T> {
        let count = self.vertices.len();
        match &self.lanes {
            Rows::Free(Packed { batches, data }) => batches.unpack(count, |b, lane| tell(&data[b], lane)),
            Rows::Damped(Packed { batches, data }) => batches.unpack(count, |b, lane| tell(&data[b].0, lane)),
        }
    }

    /// The kernels of the elements, each with its lane.
    pub(super) fn kernels<T: Clone + Default>(&self, tell: impl Fn(&K, usize) -> T) -> Vec<T> {
        self.read(|lanes, lane| tell(&lanes.kernel, lane))
    }

    /// The multipliers of one row of all elements.
    pub(super) fn multipliers(&self, row: usize) -> Vec<f64> {
        self.read(|lanes, lane| lanes.lambda[row].0[lane])
    }
}

/// One vector in every lane.
fn lanes_of(x: DVec3) -> Vec3x4 {
    Vec3x4 { x: F64x4::splat(x.x), y: F64x4::splat(x.y), z: F64x4::splat(x.z) }
}
