//! Energy, gradient and Hessian of one kind of block, with damping.

use super::pattern::{BlockMatrix, BlockPattern};
use crate::block::{Block, Curvature, gather};
use glam::{DMat3, DVec3};
use nalgebra::{SMatrix, SVector};
use taffeta_core::VertexIndex;

/// The blocks of one kind with their places in the matrix.
#[derive(Clone, Debug)]
pub struct Elements<const R: usize, const V: usize, B> {
    /// The blocks.
    pub blocks: Vec<B>,
    /// The constraints at the start of the step.
    start: Vec<SVector<f64, R>>,
    /// Slots of the couplings of each block, `[a][b]` for the vertices `a`, `b`.
    slots: Vec<[[u32; V]; V]>,
}

impl<const R: usize, const V: usize, B: Block<R, V> + Clone> Elements<R, V, B> {
    /// Copies the blocks and looks up their slots.
    pub fn new(blocks: &[B], pattern: &BlockPattern) -> Self {
        let slots = |block: &B| {
            let v = block.vertices();
            let slot = |a: usize, b: usize| if a == b { 0 } else { pattern.slot(v[a], v[b]) };
            std::array::from_fn(|a| std::array::from_fn(|b| slot(a, b)))
        };
        Self {
            start: vec![SVector::zeros(); blocks.len()],
            slots: blocks.iter().map(slots).collect(),
            blocks: blocks.to_vec(),
        }
    }

    /// Notes the constraints at the start of a step.
    pub fn begin_step(&mut self, x: &[DVec3]) {
        for (block, start) in self.blocks.iter_mut().zip(&mut self.start) {
            let x = gather(block.vertices(), x);
            block.begin_step(&x);
            *start = block.constraint(&x);
        }
    }

    /// The generalized stress `α⁻¹ (C + (τ/h)(C − Cⁿ))` of one block.
    fn stress(&self, e: usize, x: &[DVec3; V], h: f64) -> SVector<f64, R> {
        let block = &self.blocks[e];
        let c = block.constraint(x);
        block.stiffness() * (c + (c - self.start[e]) * (block.damping() / h))
    }

    /// `Σ ½ Cᵀ α⁻¹ C + (τ/2h) (C−Cⁿ)ᵀ α⁻¹ (C−Cⁿ)` \[J\].
    pub fn energy(&self, x: &[DVec3], h: f64) -> f64 {
        let energy = |(block, start): (&B, &SVector<f64, R>)| {
            let c = block.constraint(&gather(block.vertices(), x));
            let (stiffness, change) = (block.stiffness(), c - start);
            0.5 * (c.dot(&(stiffness * c)) + block.damping() / h * change.dot(&(stiffness * change)))
        };
        self.blocks.iter().zip(&self.start).map(energy).sum()
    }

    /// Adds the gradient of the energy \[N\].
    pub fn add_gradient(&self, x: &[DVec3], h: f64, out: &mut [DVec3]) {
        for (e, block) in self.blocks.iter().enumerate() {
            let vertices = block.vertices();
            let x = gather(vertices, x);
            let (stress, j) = (self.stress(e, &x, h), block.jacobian(&x));
            for (a, vi) in vertices.iter().enumerate() {
                out[vi.0 as usize] += (0..R).map(|r| j[r][a] * stress[r]).sum::<DVec3>();
            }
        }
    }

    /// Adds the Hessian of the energy \[N/m\].
    pub fn add_hessian(&self, x: &[DVec3], (h, curvature): (f64, Curvature), matrix: &mut BlockMatrix<'_>) {
        for (e, block) in self.blocks.iter().enumerate() {
            let vertices = block.vertices();
            let x = gather(vertices, x);
            let stiffness = block.stiffness() * (1.0 + block.damping() / h);
            let j = block.jacobian(&x);
            let geometric = block.geometric_stiffness(&x, &self.stress(e, &x, h), curvature);
            for a in 0..V {
                for b in 0..V {
                    if vertices[a] < vertices[b] {
                        continue;
                    }
                    let mut local = couple(&j, &stiffness, a, b);
                    if let Some(geometric) = &geometric {
                        local += geometric[a][b];
                    }
                    if a == b {
                        matrix.add_diagonal(vertices[a], local);
                    } else {
                        matrix.add_coupling(vertices[b], vertices[a], self.slots[e][a][b], local);
                    }
                }
            }
        }
    }
}

/// `J_aᵀ K J_b` as a 3×3 block.
fn couple<const R: usize, const V: usize>(
    j: &[[DVec3; V]; R],
    stiffness: &SMatrix<f64, R, R>,
    a: usize,
    b: usize,
) -> DMat3 {
    let mut out = DMat3::ZERO;
    for r in 0..R {
        let column = (0..R).map(|s| j[s][b] * stiffness[(r, s)]).sum::<DVec3>();
        let left = j[r][a];
        out += DMat3::from_cols(left * column.x, left * column.y, left * column.z);
    }
    out
}

/// Adds the pairs of coupled vertices of all blocks.
pub fn collect_pairs<const R: usize, const V: usize>(
    blocks: &[impl Block<R, V>],
    pairs: &mut Vec<(u32, u32)>,
) {
    blocks.iter().for_each(|block| add_pairs(&block.vertices(), pairs));
}

/// Adds the pairs of the vertices of one element, the smaller first.
pub fn add_pairs(vertices: &[VertexIndex], pairs: &mut Vec<(u32, u32)>) {
    for (k, a) in vertices.iter().enumerate() {
        pairs.extend(vertices[..k].iter().map(|b| (a.0.min(b.0), a.0.max(b.0))));
    }
}
