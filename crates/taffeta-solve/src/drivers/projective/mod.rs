//! Projective dynamics (Bouaziz, Martin, Liu, Kavan, Pauly 2014): local projections, one global solve with a constant
//! matrix, in turns.
//!
//! ```text
//!  min over x and p of   1/(2h²) (x−x̄)ᵀ M (x−x̄)  +  Σ_c w_c/2 |A_c x − p_c|²,      p_c admissible
//!
//!  local:   p_c = the admissible value closest to A_c x          every constraint by itself, in parallel
//!  global:  (M/h² + Σ w AᵀA) Δx = −∇                             factorized once; three right-hand sides
//! ```
//!
//! Neither step can raise the objective. The global step is solved for the displacement, with the gradient at fixed `p` as
//! the right-hand side. So nothing is lost far from the origin, and held vertices need no more than a zero in it. The
//! matrix changes, and is factorized anew, only with the constraints (which come with the topology), with the set of held
//! vertices and with `h`.
//!
//! Contact comes in as forces on the right-hand side, so that the matrix never knows of it. The caller that drives the
//! iterations finds the forces. After each global step it adds the lack of each contact, in proportion to the mass there.
//! That is an ascent on the multipliers of the contacts, stable because the matrix is never less than `M/h²`.
//!
//! Ly et al. 2020 read the forces off the places to which elasticity would take each vertex by itself. These forces have
//! the same limit. At the stiffness of cloth and few iterations they rectify forces that are not in balance yet: the cloth
//! jumps off.
//!
//! At few iterations the rotations in `p` lag behind and motion is damped, more so in stiff cloth and long steps; the
//! objective looks converged long before the motion is.

mod cloth;
mod column_tiles;
mod constraint;
mod edge;
mod enclosed;
mod ring;
mod rows;
pub mod singular;
mod solid;
mod system;
#[cfg(test)]
mod tests;
mod tetrahedron;
mod times;
mod triangle;

pub use cloth::{RestPlaces, cloth_constraints, isotropic_stiffness};
pub use constraint::Constraint;
pub use edge::EdgeStrain;
pub use ring::RingBend;
pub use solid::solid_stiffness;
pub use tetrahedron::{TetrahedronLimits, TetrahedronMeasure};
pub use times::ProjectiveTimes;
pub use triangle::TriangleStrain;

use crate::drivers::ordering::dissect;
use constraint::{ConstraintSet, LaneSet, ScalarSet, narrow, widen};
use edge::EdgeKernel;
use glam::DVec3;
use ring::RingSet;
use rows::{ColumnList, RowList};
use std::time::Instant;
use system::GlobalSystem;
use taffeta_core::lanes::{F64x4, LANES, vectorized};
use taffeta_core::tasks::share_out;
use taffeta_factor::FactorError;
use triangle::TriangleKernel;

/// Vertices that one task of the gradient takes.
const VERTICES_PER_TASK: usize = 1024;

/// All constraints, by kind. Weights must be positive and the vertices of a constraint different.
#[derive(Clone, Debug, Default)]
pub struct ProjectiveConstraints {
    /// Lengths of edges.
    pub edges: Vec<EdgeStrain>,
    /// Strain of triangles.
    pub triangles: Vec<TriangleStrain>,
    /// Strain of tetrahedra.
    pub tetrahedra: Vec<TetrahedronLimits>,
    /// Volumes of tetrahedra.
    pub volumes: Vec<TetrahedronLimits>,
    /// Mean curvatures.
    pub rings: Vec<RingBend>,
}

/// Vertices that the constraints act on, one entry each.
#[derive(Clone, Copy, Debug)]
pub struct ProjectiveProblem<'a> {
    /// Masses \[kg\], positive.
    pub masses: &'a [f64],
    /// Along which axes each vertex is held: it leaves the system there, and stays where the step puts it.
    pub held: &'a [[bool; 3]],
    /// A point of every vertex at rest \[m\], for the order of elimination.
    pub points: &'a [DVec3],
}

/// Objective and forces of a state.
#[derive(Clone, Debug)]
pub struct ProjectiveEnergy {
    /// Energy of the constraints that act within edges, triangles and tetrahedra \[J\].
    pub stretch: f64,
    /// Energy of bending \[J\].
    pub bend: f64,
    /// Gradient of both \[N\].
    pub gradient: Vec<DVec3>,
}

/// The constraints of one topology with their factorized system.
#[derive(Debug)]
pub struct ProjectiveDriver {
    /// Sets with the number of their first row; the rings come last.
    sets: Vec<Box<dyn ConstraintSet>>,
    columns: ColumnList,
    row_count: usize,
    system: GlobalSystem,
    /// `order[k]` is the vertex that is eliminated as the `k`-th, `places` the inverse.
    order: Vec<u32>,
    places: Vec<u32>,
    masses: Vec<f64>,
    work: Work,
    times: ProjectiveTimes,
}

/// The state of a step, in the order of elimination.
#[derive(Clone, Debug, Default)]
struct Work {
    x: Vec<F64x4>,
    predicted: Vec<F64x4>,
    pulls: Vec<F64x4>,
    forces: Vec<F64x4>,
    h: f64,
}

impl ProjectiveDriver {
    /// Packs the constraints and analyzes the system; it is factorized when a step begins.
    ///
    /// # Panics
    /// If a constraint names a vertex that there is not.
    pub fn build(problem: ProjectiveProblem<'_>, constraints: ProjectiveConstraints) -> Self {
        let begun = Instant::now();
        let count = problem.masses.len();
        let mut rows = list_rows(&constraints);
        let columns = rows.transpose(count);
        let (offsets, list) = rows.neighbors(&columns);
        let around = |v: u32| &list[offsets[v as usize] as usize..offsets[v as usize + 1] as usize];
        let order = dissect(problem.points, around);
        let mut places = vec![0u32; count];
        (0..).zip(&order).for_each(|(place, v)| places[*v as usize] = place);
        rows.rename(&places);
        let columns = rows.transpose(count);
        let neighbors = rows.neighbors(&columns);
        let masses: Vec<f64> = order.iter().map(|v| problem.masses[*v as usize]).collect();
        let held: Vec<_> = order.iter().map(|v| problem.held[*v as usize]).collect();
        let row_count = rows.len();
        let sets = build_sets(constraints, &places);
        debug_assert_eq!(row_count, sets.iter().map(|set| set.row_count()).sum::<usize>());
        let system = GlobalSystem::build(&rows, &columns, neighbors, masses.clone(), &held);
        let zero = |count: usize| vec![F64x4::default(); count];
        let work = Work { pulls: zero(row_count), forces: zero(count), ..Work::default() };
        let times = ProjectiveTimes { analysis: begun.elapsed(), ..ProjectiveTimes::default() };
        Self { sets, columns, row_count, system, order, places, masses, work, times }
    }

    /// Begins a step of length `h` \[s\] towards the predicted positions `x̄` \[m\], from which the iterations start. Held
    /// vertices stay there along their axes. Factorizes the system if `h` is another than before.
    ///
    /// # Errors
    /// If the system is not positive definite, or its factors do not fit in memory.
    pub fn begin_step(&mut self, predicted: &[DVec3], h: f64) -> Result<(), FactorError> {
        let begun = Instant::now();
        self.system.prepare(h)?;
        self.times.factorization += begun.elapsed();
        let work = &mut self.work;
        work.h = h;
        work.predicted.clear();
        work.predicted.extend(self.order.iter().map(|v| widen(predicted[*v as usize])));
        work.x.clone_from(&work.predicted);
        Ok(())
    }

    /// One local and one global step, without contact.
    pub fn iterate(&mut self) {
        let begun = Instant::now();
        self.find_forces();
        self.times.local += begun.elapsed();
        self.solve();
    }

    /// One local and one global step under forces from outside \[N\], one per vertex: those of contacts.
    pub fn iterate_with_forces(&mut self, outside: &[DVec3]) {
        let begun = Instant::now();
        self.find_forces();
        for (force, vertex) in self.work.forces.iter_mut().zip(&self.order) {
            *force = *force - widen(outside[*vertex as usize]);
        }
        self.times.local += begun.elapsed();
        self.solve();
    }

    /// The local step: the gradient of the objective at fixed projections.
    fn find_forces(&mut self) {
        let Work { x, predicted, pulls, forces, h } = &mut self.work;
        let mut rest = pulls.as_mut_slice();
        for set in &self.sets {
            let (own, others) = rest.split_at_mut(set.row_count());
            set.pull(x, own);
            rest = others;
        }
        let inverse = 1.0 / (*h * *h);
        let (x, predicted, pulls) = (x.as_slice(), predicted.as_slice(), pulls.as_slice());
        share_out(forces, VERTICES_PER_TASK, |first, forces| {
            vectorized(|| {
                for (force, k) in forces.iter_mut().zip(first..) {
                    let inertia = (x[k] - predicted[k]) * F64x4::splat(self.masses[k] * inverse);
                    *force = gather_pulls(&self.columns, k, pulls, inertia);
                }
            });
        });
    }

    /// The global step.
    fn solve(&mut self) {
        let begun = Instant::now();
        self.system.solve(&mut self.work.forces);
        for (x, back) in self.work.x.iter_mut().zip(&self.work.forces) {
            *x = *x - *back;
        }
        self.times.global += begun.elapsed();
    }

    /// The position of a vertex \[m\] as the last iteration left it.
    pub fn position(&self, vertex: usize) -> DVec3 {
        narrow(self.work.x[self.places[vertex] as usize])
    }

    /// The positions of all vertices \[m\] as the last iteration left them.
    pub fn positions(&self) -> Vec<DVec3> {
        (0..self.places.len()).map(|vertex| self.position(vertex)).collect()
    }

    /// The objective \[J\] at the positions that the last iteration left.
    pub fn objective(&self) -> f64 {
        let Work { x, predicted, h, .. } = &self.work;
        let moved = x.iter().zip(predicted).zip(&self.masses);
        let inertia: f64 = moved.map(|((x, p), m)| m * narrow(*x - *p).length_squared()).sum();
        let [stretch, bend] = self.evaluate(x, &mut vec![F64x4::default(); self.row_count]);
        0.5 * inertia / (h * h) + stretch + bend
    }

    /// Energies \[J\] and their gradient \[N\] at positions `x` \[m\], by the constraints one at a time.
    pub fn energy(&self, x: &[DVec3]) -> ProjectiveEnergy {
        let x: Vec<F64x4> = self.order.iter().map(|v| widen(x[*v as usize])).collect();
        let mut pulls = vec![F64x4::default(); self.row_count];
        let [stretch, bend] = self.evaluate(&x, &mut pulls);
        let force =
            |place: &u32| narrow(gather_pulls(&self.columns, *place as usize, &pulls, F64x4::default()));
        ProjectiveEnergy { stretch, bend, gradient: self.places.iter().map(force).collect() }
    }

    /// Energies but of bending, and of bending \[J\]; the residuals of all rows go to `pulls`.
    fn evaluate(&self, x: &[F64x4], pulls: &mut [F64x4]) -> [f64; 2] {
        let mut rest = pulls;
        let mut energies = [0.0; 2];
        for (number, set) in self.sets.iter().enumerate() {
            let (own, others) = rest.split_at_mut(set.row_count());
            energies[usize::from(number + 1 == self.sets.len())] += set.evaluate(x, own);
            rest = others;
        }
        energies
    }

    /// Number of factorizations of the system.
    pub fn factorizations(&self) -> usize {
        self.system.factorizations()
    }

    /// Times of the parts since the driver was built.
    pub fn times(&self) -> ProjectiveTimes {
        self.times
    }

    /// Number of entries of the factor, 0 before the first step.
    pub fn factor_entries(&self) -> usize {
        self.system.factor_entries()
    }
}

/// `start` and the pulls of all rows on the vertex that is eliminated as the `k`-th.
#[inline(always)]
fn gather_pulls(columns: &ColumnList, k: usize, pulls: &[F64x4], start: F64x4) -> F64x4 {
    let mut force = start;
    for (row, coefficient) in columns.column(k) {
        force = force + pulls[row as usize] * F64x4::splat(coefficient);
    }
    force
}

/// The rows of all constraints in the order of the sets. Sets that work in lanes are filled up.
fn list_rows(constraints: &ProjectiveConstraints) -> RowList {
    let mut rows = RowList::default();
    let full = |rows: usize, elements: usize| rows * elements.div_ceil(LANES) * LANES;
    rows.push_kind(&constraints.edges);
    rows.fill_up(full(1, constraints.edges.len()));
    let begun = rows.len();
    rows.push_kind(&constraints.triangles);
    rows.fill_up(begun + full(2, constraints.triangles.len()));
    rows.push_kind(&constraints.tetrahedra);
    rows.push_kind(&constraints.volumes);
    for ring in &constraints.rings {
        rows.push(ring.weight, ring.vertices.iter().zip(ring.coefficients.iter().copied()));
    }
    rows
}

/// Sets of all kinds, in the order of [`list_rows`]; the rings are the last.
fn build_sets(constraints: ProjectiveConstraints, places: &[u32]) -> Vec<Box<dyn ConstraintSet>> {
    vec![
        Box::new(LaneSet::build(constraints.edges, places, EdgeKernel::pack)),
        Box::new(LaneSet::build(constraints.triangles, places, TriangleKernel::pack)),
        Box::new(ScalarSet::build(constraints.tetrahedra, places)),
        Box::new(ScalarSet::build(constraints.volumes, places)),
        Box::new(RingSet::build(&constraints.rings, places)),
    ]
}
