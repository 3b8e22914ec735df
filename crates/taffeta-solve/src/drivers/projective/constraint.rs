//! Constraints, and sets of constraints of one kind.
//!
//! Every constraint has the energy `W(x) = min_p w/2 |A x − p|²` with `p` in its set of admissible values (Bouaziz et al.
//! 2014, eq. 6 with `B = A`): `A` is constant, so all constraints together give one constant matrix `Σ w AᵀA`; what is
//! not linear hides in the projection.

use glam::DVec3;
use std::fmt::Debug;
use taffeta_core::lanes::{F64x4, LANES, Vec3x4, vectorized};
use taffeta_core::tasks::for_each_part;
use taffeta_core::{VertexIndex, index::DenseIndex};

/// Elements that one task of a parallel projection takes: a multiple of the lanes.
const ELEMENTS_PER_TASK: usize = 1024;

/// A constraint of `R` rows on `V` vertices.
pub trait Constraint<const R: usize, const V: usize>: Clone + Debug + Send + Sync {
    /// The vertices, all different.
    fn vertices(&self) -> [VertexIndex; V];

    /// The weight `w`, of the unit that makes `w |A x|²` an energy.
    fn weight(&self) -> f64;

    /// The matrix `A`.
    fn map(&self) -> [[f64; V]; R];

    /// The admissible value that is closest to `z = A x`.
    fn project(&self, z: &[DVec3; R]) -> [DVec3; R];

    /// `A x` for the positions of the vertices \[m\].
    fn apply(&self, x: &[DVec3; V]) -> [DVec3; R] {
        self.map().map(|row| row.iter().zip(x).fold(DVec3::ZERO, |sum, (a, x)| sum + *x * *a))
    }

    /// `w (z − p)` for the positions of the vertices \[m\].
    fn residual(&self, x: &[DVec3; V]) -> [DVec3; R] {
        let (weight, z) = (self.weight(), self.apply(x));
        let p = self.project(&z);
        std::array::from_fn(|r| (z[r] - p[r]) * weight)
    }
}

/// Projection of four elements at a time, one in each lane.
pub(super) trait LaneKernel<const R: usize>: Debug + Send + Sync {
    /// `w (z − p)` for `z = A x`.
    fn residual(&self, z: [Vec3x4; R]) -> [Vec3x4; R];
}

/// Rows `w (z − p)` of all constraints of one kind, element by element.
pub(super) trait ConstraintSet: Debug + Send + Sync {
    /// Number of rows, those that only fill up the lanes included.
    fn row_count(&self) -> usize;

    /// Writes `w (z − p)` of every row, at the positions `x` \[m\]. Runs on the current rayon pool; every element writes
    /// its own rows, so the bits do not depend on the threads.
    fn pull(&self, x: &[F64x4], out: &mut [F64x4]);

    /// Writes the rows as `pull` does, one element after the other; returns the energy \[J\].
    fn evaluate(&self, x: &[F64x4], out: &mut [F64x4]) -> f64;
}

/// A vector with a fourth lane of zero.
pub(super) fn widen(v: DVec3) -> F64x4 {
    F64x4([v.x, v.y, v.z, 0.0])
}

/// The first three lanes.
pub(super) fn narrow(v: F64x4) -> DVec3 {
    DVec3::new(v.0[0], v.0[1], v.0[2])
}

/// Constraints of one kind, one after the other.
#[derive(Debug)]
pub(super) struct ScalarSet<C, const R: usize, const V: usize> {
    elements: Vec<(C, [u32; V])>,
}

/// The vertices of a constraint by their places in the order of elimination.
fn find_places<const R: usize, const V: usize>(c: &impl Constraint<R, V>, places: &[u32]) -> [u32; V] {
    c.vertices().map(|vi| places[vi.to_usize()])
}

impl<C: Constraint<R, V>, const R: usize, const V: usize> ScalarSet<C, R, V> {
    /// `places` has the place of each vertex in the order of elimination.
    pub(super) fn build(constraints: Vec<C>, places: &[u32]) -> Self {
        let element = |c: C| {
            let vertices = find_places(&c, places);
            (c, vertices)
        };
        Self { elements: constraints.into_iter().map(element).collect() }
    }
}

/// Residuals of one element.
fn pull_one<const R: usize, const V: usize>(
    constraint: &impl Constraint<R, V>,
    vertices: &[u32; V],
    x: &[F64x4],
    out: &mut [F64x4],
) {
    let residual = constraint.residual(&vertices.map(|v| narrow(x[v as usize])));
    out.iter_mut().zip(residual).for_each(|(slot, r)| *slot = widen(r));
}

/// Energy of one element, whose residuals go to `out`.
fn evaluate_one<const R: usize, const V: usize>(
    constraint: &impl Constraint<R, V>,
    vertices: &[u32; V],
    x: &[F64x4],
    out: &mut [F64x4],
) -> f64 {
    pull_one(constraint, vertices, x, out);
    let square: f64 = out.iter().map(|r| narrow(*r).length_squared()).sum();
    0.5 * square / constraint.weight()
}

impl<C: Constraint<R, V>, const R: usize, const V: usize> ConstraintSet for ScalarSet<C, R, V> {
    fn row_count(&self) -> usize {
        R * self.elements.len()
    }

    fn pull(&self, x: &[F64x4], out: &mut [F64x4]) {
        let tasks = self.elements.chunks(ELEMENTS_PER_TASK);
        for_each_part(tasks.zip(out.chunks_mut(R * ELEMENTS_PER_TASK)), |_, (elements, out)| {
            for ((constraint, vertices), out) in elements.iter().zip(out.chunks_exact_mut(R)) {
                pull_one(constraint, vertices, x, out);
            }
        });
    }

    fn evaluate(&self, x: &[F64x4], out: &mut [F64x4]) -> f64 {
        let rows = out.chunks_exact_mut(R);
        self.elements.iter().zip(rows).map(|((c, vertices), out)| evaluate_one(c, vertices, x, out)).sum()
    }
}

/// Four elements.
#[derive(Debug)]
struct Batch<K, const R: usize, const V: usize> {
    vertices: [[u32; LANES]; V],
    map: [[F64x4; V]; R],
    kernel: K,
}

/// Constraints of one kind, four at a time.
#[derive(Debug)]
pub(super) struct LaneSet<C, K, const R: usize, const V: usize> {
    scalars: Vec<(C, [u32; V])>,
    batches: Vec<Batch<K, R, V>>,
}

impl<C: Constraint<R, V>, K: LaneKernel<R>, const R: usize, const V: usize> LaneSet<C, K, R, V> {
    /// `pack` makes the kernel of four constraints; unused lanes repeat the last one.
    pub(super) fn build(constraints: Vec<C>, places: &[u32], pack: impl Fn([&C; LANES]) -> K) -> Self {
        let place = |c: C| {
            let vertices = find_places(&c, places);
            (c, vertices)
        };
        let scalars: Vec<_> = constraints.into_iter().map(place).collect();
        let batch = |group: &[(C, [u32; V])]| {
            let lane = |lane: usize| &group[lane.min(group.len() - 1)];
            let lanes: [&(C, [u32; V]); LANES] = std::array::from_fn(lane);
            let maps = lanes.map(|(c, _)| c.map());
            let entry = |r: usize, k: usize| F64x4(std::array::from_fn(|lane| maps[lane][r][k]));
            Batch {
                vertices: std::array::from_fn(|k| lanes.map(|(_, vertices)| vertices[k])),
                map: std::array::from_fn(|r| std::array::from_fn(|k| entry(r, k))),
                kernel: pack(lanes.map(|(c, _)| c)),
            }
        };
        let batches = scalars.chunks(LANES).map(batch).collect();
        Self { scalars, batches }
    }
}

/// The positions of a corner of four elements.
#[inline(always)]
fn gather(vertices: &[u32; LANES], x: &[F64x4]) -> Vec3x4 {
    let [a, b, c, d] = vertices.map(|v| x[v as usize].0);
    let lanes = |k: usize| F64x4([a[k], b[k], c[k], d[k]]);
    Vec3x4 { x: lanes(0), y: lanes(1), z: lanes(2) }
}

#[inline(always)]
fn run_batches<K: LaneKernel<R>, const R: usize, const V: usize>(
    batches: &[Batch<K, R, V>],
    x: &[F64x4],
    out: &mut [F64x4],
) {
    for (batch, out) in batches.iter().zip(out.chunks_exact_mut(LANES * R)) {
        let mut corners = [Vec3x4::default(); V];
        for (corner, vertices) in corners.iter_mut().zip(&batch.vertices) {
            *corner = gather(vertices, x);
        }
        let residual = batch.kernel.residual(apply_lanes(&batch.map, &corners));
        for (r, v) in residual.iter().enumerate() {
            for lane in 0..LANES {
                out[lane * R + r] = F64x4([v.x.0[lane], v.y.0[lane], v.z.0[lane], 0.0]);
            }
        }
    }
}

impl<C: Constraint<R, V>, K: LaneKernel<R>, const R: usize, const V: usize> ConstraintSet
    for LaneSet<C, K, R, V>
{
    fn row_count(&self) -> usize {
        R * LANES * self.batches.len()
    }

    fn pull(&self, x: &[F64x4], out: &mut [F64x4]) {
        let tasks = self.batches.chunks(ELEMENTS_PER_TASK / LANES);
        let tasks = tasks.zip(out.chunks_mut(R * ELEMENTS_PER_TASK));
        for_each_part(tasks, |_, (batches, out)| vectorized(|| run_batches(batches, x, out)));
    }

    fn evaluate(&self, x: &[F64x4], out: &mut [F64x4]) -> f64 {
        out.fill(F64x4::default());
        let rows = out.chunks_exact_mut(R);
        self.scalars.iter().zip(rows).map(|((c, vertices), out)| evaluate_one(c, vertices, x, out)).sum()
    }
}

/// The rows `A x` of four elements.
#[inline(always)]
fn apply_lanes<const R: usize, const V: usize>(map: &[[F64x4; V]; R], x: &[Vec3x4; V]) -> [Vec3x4; R] {
    let mut out = [Vec3x4::default(); R];
    for (z, row) in out.iter_mut().zip(map) {
        let mut sum = x[0] * row[0];
        for k in 1..V {
            sum = sum + x[k] * row[k];
        }
        *z = sum;
    }
    out
}
