//! Preconditioner: the inverses of the 3×3 diagonal blocks, plus an additive multigrid correction. It solves ropes exactly, and
//! vertices that are sewn together.

pub(super) mod chains;
pub(super) mod clusters;
pub(super) mod coarse;
pub(super) mod coarse_blocks;
pub(super) mod exact;
pub(super) mod grid;
pub(super) mod interpolation;
pub(super) mod levels;
pub(super) mod links;

use crate::drivers::newton::linear::hessian::Hessian;
use crate::drivers::newton::objective::held::{hold, mask};
use crate::drivers::newton::objective::{NewtonProblem, System};
use chains::Chains;
use clusters::Clusters;
use glam::{DMat3, DVec3};
use levels::Levels;
use taffeta_core::tasks::{join, share_out};

/// Determinant, relative to the product of the diagonal entries, below which a block is not inverted.
const LEAST_DETERMINANT: f64 = 1e-12;

/// Vertices that one task takes, and from which on the grids are left to another thread.
const VERTICES_PER_TASK: usize = 1024;
const VERTICES_TO_JOIN: usize = 1024;

/// Approximate inverse of the Hessian.
#[derive(Clone, Debug)]
pub(crate) struct Preconditioner {
    levels: Levels,
    clusters: Clusters,
    chains: Chains,
    /// Inverses of the diagonal blocks: entries xx, xy, xz, yy, yz, zz.
    blocks: Vec<[f64; 6]>,
    /// Inverses of the diagonal of the scalars.
    scalars: Vec<f64>,
}

impl Preconditioner {
    /// A preconditioner over grids, what is sewn and ropes, to be updated before use.
    pub(super) fn new(levels: Levels, clusters: Clusters, chains: Chains) -> Self {
        Self { levels, clusters, chains, blocks: Vec::new(), scalars: Vec::new() }
    }

    /// The grids.
    pub(super) fn levels(&self) -> &Levels {
        &self.levels
    }

    /// Computes the matrices of the grids for a Hessian.
    pub(super) fn update_grids(&mut self, hessian: &Hessian, problem: &NewtonProblem<'_>) {
        self.levels.update(hessian, problem);
    }

    /// Computes the diagonal blocks for a Hessian at the last evaluation of the system.
    pub(super) fn update(&mut self, hessian: &Hessian, system: &System, problem: &NewtonProblem<'_>) {
        self.update_blocks(hessian, problem);
        system.bending.invert_scalar_diagonal(problem.damping_rate, &mut self.scalars);
    }

    /// Factorizes the Hessian along the ropes anew, which costs little and is their whole solve.
    pub(super) fn update_chains(&mut self, hessian: &Hessian, system: &System, problem: &NewtonProblem<'_>) {
        if system.elements.ropes.chains.is_empty() {
            return;
        }
        let mut touches = vec![DMat3::ZERO; problem.inertia.len()];
        for contact in hessian.contacts() {
            for (v, s) in contact.vertices.iter().zip(contact.weights) {
                touches[*v as usize] += contact.hessian * (s * s);
            }
        }
        let rows = hessian.rows();
        let diagonal = |i: usize| (DMat3::from_cols_array(&rows.diagonal()[i]) + touches[i]).to_cols_array();
        self.chains.update(rows, diagonal, problem.held);
    }

    fn update_blocks(&mut self, hessian: &Hessian, problem: &NewtonProblem<'_>) {
        let diagonal = hessian.rows().diagonal();
        let mut blocks = vec![DMat3::ZERO; diagonal.len()];
        share_out(&mut blocks, VERTICES_PER_TASK, |first, out| {
            for (v, out) in (first..).zip(out) {
                let bent = hessian.bending_factors().map_or(DMat3::ZERO, |factors| factors.diagonal_block(v));
                *out = DMat3::from_cols_array(&diagonal[v]) + bent;
            }
        });
        for contact in hessian.contacts() {
            for (v, s) in contact.vertices.iter().zip(contact.weights) {
                blocks[*v as usize] += contact.hessian * (s * s);
            }
        }
        for contact in hessian.carried() {
            let of_bodies = contact.carriers.iter().flat_map(|c| c.diagonal_blocks(contact.cloth.hessian));
            of_bodies.for_each(|(v, block)| blocks[v] += block);
        }
        self.clusters.update(hessian.rows(), &blocks, problem.held);
        self.blocks.resize(blocks.len(), [0.0; 6]);
        share_out(&mut self.blocks, VERTICES_PER_TASK, |first, out| {
            for (v, out) in (first..).zip(out) {
                let [x, y, z] = invert(hold(blocks[v], problem.held[v])).to_cols_array_2d();
                *out = [x[0], x[1], x[2], y[1], y[2], z[2]];
            }
        });
    }

    /// Writes an approximation of `H⁻¹ r` to `z`.
    pub(super) fn apply(&mut self, r: &[f64], held: &[[bool; 3]], z: &mut [f64]) {
        let count = 3 * self.blocks.len();
        let ((r, r_scalars), (z, z_scalars)) = (r.split_at(count), z.split_at_mut(count));
        let (blocks, scalars, clusters, levels) =
            (&self.blocks, &self.scalars, &self.clusters, &mut self.levels);
        let local = || {
            multiply_blocks(blocks, r, z);
            z_scalars.iter_mut().zip(r_scalars.iter().zip(scalars)).for_each(|(z, (r, d))| *z = r * d);
            clusters.apply(r, z);
        };
        join(blocks.len() >= VERTICES_TO_JOIN, || levels.correct(r), local);
        self.levels.add_correction(z);
        self.chains.apply(r, z);
        mask(held, z);
    }
}

/// Multiplies the vectors of all vertices by their blocks.
fn multiply_blocks(blocks: &[[f64; 6]], r: &[f64], z: &mut [f64]) {
    let r = r.as_chunks::<3>().0;
    share_out(z.as_chunks_mut::<3>().0, VERTICES_PER_TASK, |first, z| {
        for ((z, r), [xx, xy, xz, yy, yz, zz]) in z.iter_mut().zip(&r[first..]).zip(&blocks[first..]) {
            *z = [
                xx * r[0] + xy * r[1] + xz * r[2],
                xy * r[0] + yy * r[1] + yz * r[2],
                xz * r[0] + yz * r[1] + zz * r[2],
            ];
        }
    });
}

/// The inverse of a positive definite block; of the diagonal alone, as far as it is positive, if round-off has left the
/// block indefinite.
fn invert(block: DMat3) -> DMat3 {
    let diagonal = DVec3::new(block.x_axis.x, block.y_axis.y, block.z_axis.z);
    if block.determinant() > LEAST_DETERMINANT * diagonal.element_product() && diagonal.min_element() > 0.0 {
        return block.inverse();
    }
    DMat3::from_diagonal(diagonal.map(|entry| if entry > 0.0 { 1.0 / entry } else { 0.0 }))
}
