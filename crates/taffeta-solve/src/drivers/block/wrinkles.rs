//! Green strain where compression is bounded ([`crate::buckling`]), four triangles at a time.
//!
//! The energy is `max_S S:E − ½ S:D⁻¹:S` over the stresses with `S + N ⪰ 0`. In the multipliers `λ = −h² √A S` the bound is
//! thus one on `λ`, like that of a contact. The block update is the Newton step on the dual function, as without the bound.
//! If the step leads beyond the bound, the update is the point on the bound where the dual function is least. The
//! set of wrinkled triangles is no state.

use super::kernels::{StrainLanes, Sym3x4, dual_step, pack_sym3};
use super::sets::{LaneSet, SweptLanes, SweptSet};
use crate::block::GreenStrain;
use crate::buckling::{Stiffness, find_wrinkles, inverse, multiply};
use crate::drivers::lanes::{SweepStep, pack};
use glam::DVec3;
use taffeta_core::lanes::{F64x4, LANES, Order, Row, Vec3x4};

/// The Green-strain blocks: those that bear any compression, then those of bounded compression.
#[derive(Clone, Debug)]
pub struct StrainSet {
    free: LaneSet<StrainLanes, 3, 3>,
    bounded: LaneSet<WrinkleLanes, 3, 3>,
}

impl SweptSet<GreenStrain> for StrainSet {
    fn build(blocks: &[GreenStrain], vertex_count: usize) -> Self {
        let (bounded, free): (Vec<_>, Vec<_>) =
            blocks.iter().cloned().partition(|block| block.critical.is_some());
        Self { free: LaneSet::build(&free, vertex_count), bounded: LaneSet::build(&bounded, vertex_count) }
    }

    fn notes_start(&self) -> bool {
        self.free.notes_start() || self.bounded.notes_start()
    }

    fn begin_substep(&mut self, rows: &[Row]) {
        self.free.begin_substep(rows);
        self.bounded.begin_substep(rows);
    }

    fn sweep(&mut self, rows: &mut [Row], step: &SweepStep) {
        if step.order == Order::Forward {
            self.free.sweep(rows, step);
            self.bounded.sweep(rows, step);
        } else {
            self.bounded.sweep(rows, step);
            self.free.sweep(rows, step);
        }
    }

    fn sweeps_in_parallel(&self) -> bool {
        self.free.sweeps_in_parallel() || self.bounded.sweeps_in_parallel()
    }
}

/// Four Green-strain blocks of bounded compression.
#[derive(Clone, Debug)]
pub(super) struct WrinkleLanes {
    strain: StrainLanes,
    /// Membrane stiffness \[N/m\].
    stiffness: Sym3x4,
    /// Critical stress \[N/m\]: 11, 22, 12.
    critical: [F64x4; 3],
}

impl SweptLanes<3, 3> for WrinkleLanes {
    type Block = GreenStrain;

    fn pack(blocks: [&GreenStrain; LANES]) -> Self {
        let critical = |lane: usize| blocks[lane].critical.unwrap_or_default();
        Self {
            stiffness: pack_sym3(|lane| blocks[lane].elasticity.stiffness),
            critical: [
                pack(|lane| critical(lane).xx),
                pack(|lane| critical(lane).yy),
                pack(|lane| critical(lane).xy),
            ],
            strain: StrainLanes::pack(blocks),
        }
    }

    fn record_start(&mut self, x: &[Vec3x4; 3]) {
        self.strain.record_start(x);
        for lane in 0..LANES {
            let (k, root) = (lane_of(&self.stiffness, lane), self.strain.root.0[lane]);
            let start = &mut self.strain.dual.start;
            let trial = multiply(&k, vector(start, lane) / root) + vector(&self.critical, lane);
            if let Some(wrinkles) = find_wrinkles(&k, trial) {
                let elastic = vector(start, lane) + wrinkles.strain * root;
                set_vector(start, lane, elastic);
            }
        }
    }

    #[inline(always)]
    fn update<const DAMPED: bool>(
        &mut self,
        x: &[Vec3x4; 3],
        w: &[F64x4; 3],
        step: &SweepStep,
    ) -> [Vec3x4; 3] {
        let (columns, c, a) = self.strain.linearize(x, w);
        let alpha = self.strain.alpha;
        let mut d = dual_step::<DAMPED>(&mut self.strain.dual, c, a, &alpha, step);
        // S + N = N − λ/(h² √A), compared as a multiple of √A.
        let lambda = self.strain.dual.lambda;
        let root = self.strain.root;
        let trial: [F64x4; 3] =
            std::array::from_fn(|r| self.critical[r] - lambda[r] * step.inverse_h2 / root);
        for lane in 0..LANES {
            let trial = vector(&trial, lane);
            let (sum, difference) = (trial.x + trial.y, trial.x - trial.y);
            if sum < 0.0 || sum * sum < difference * difference + 4.0 * trial.z * trial.z {
                let scale =
                    if DAMPED { 1.0 + self.strain.dual.tau.0[lane] * step.inverse_h.0[lane] } else { 1.0 };
                let matrix: Stiffness = std::array::from_fn(|e| {
                    a[e].0[lane] + alpha[e].0[lane] * step.inverse_h2.0[lane] / scale
                });
                self.return_to_bound(&mut d, lane, &matrix, trial, step);
            }
        }
        self.strain.displace(x, w, columns, d)
    }
}

impl WrinkleLanes {
    /// Takes the multipliers of one lane back to the bound, along the matrix of their Newton step.
    #[inline(never)]
    fn return_to_bound(
        &mut self,
        d: &mut [F64x4; 3],
        lane: usize,
        matrix: &Stiffness,
        trial: DVec3,
        step: &SweepStep,
    ) {
        let k = inverse(matrix);
        let Some(wrinkles) = find_wrinkles(&k, trial) else { return };
        // T grows by K P, so λ falls by h² √A K P.
        let change = multiply(&k, wrinkles.strain) * (self.strain.root.0[lane] / step.inverse_h2.0[lane]);
        let (lambda, step) = (vector(&self.strain.dual.lambda, lane), vector(d, lane));
        set_vector(&mut self.strain.dual.lambda, lane, lambda - change);
        set_vector(d, lane, step - change);
    }
}

fn vector(lanes: &[F64x4; 3], lane: usize) -> DVec3 {
    DVec3::new(lanes[0].0[lane], lanes[1].0[lane], lanes[2].0[lane])
}

fn set_vector(lanes: &mut [F64x4; 3], lane: usize, value: DVec3) {
    (lanes[0].0[lane], lanes[1].0[lane], lanes[2].0[lane]) = (value.x, value.y, value.z);
}

fn lane_of(matrix: &Sym3x4, lane: usize) -> Stiffness {
    matrix.map(|entry| entry.0[lane])
}
