//! Blocks of any kind, one by one: the plain way, for those that have no fast one. The passes of Newton's method over the
//! list of kinds.

use crate::block::{Block, Curvature, EnclosedVolume};
use crate::kinds::{Blocks, Build, ElementSet, Kind, RopeElements, Storage, Visitor, VisitorMut};
use crate::matrices::outer;
use crate::plate::Plate;
use glam::{DMat3, DVec3};
use nalgebra::{SMatrix, SVector};

/// The blocks of one kind with their local Hessians.
#[derive(Clone, Debug)]
pub(crate) struct Elements<const R: usize, const V: usize, B> {
    blocks: Vec<B>,
    /// The constraints at the start of the step.
    start: Vec<SVector<f64, R>>,
    hessians: Vec<[[DMat3; V]; V]>,
}

impl<const R: usize, const V: usize, B: Block<R, V> + Clone> Elements<R, V, B> {
    /// Copies the blocks.
    fn new(blocks: &[B]) -> Self {
        Self {
            start: vec![SVector::zeros(); blocks.len()],
            hessians: vec![[[DMat3::ZERO; V]; V]; blocks.len()],
            blocks: blocks.to_vec(),
        }
    }

    /// The blocks, of which parameters may change between steps.
    pub(crate) fn blocks_mut(&mut self) -> &mut [B] {
        &mut self.blocks
    }

    /// Notes the constraints at the start of a step.
    fn begin_step(&mut self, x: &[f64]) {
        for (block, start) in self.blocks.iter_mut().zip(&mut self.start) {
            let x = positions(block, x);
            block.begin_step(&x);
            *start = block.constraint(&x);
        }
    }

    /// Moves the constraints at the start on to what they come to if they go on as they have changed until `x`, by a part of that.
    fn continue_step(&mut self, x: &[f64], part: f64) {
        for (block, start) in self.blocks.iter().zip(&mut self.start) {
            *start += (block.constraint(&positions(block, x)) - *start) * part;
        }
    }

    /// Adds the gradient to `out` \[N\], keeps the Hessians, returns the energy \[J\]: elastic and viscous,
    /// `Σ ½ Cᵀ α⁻¹ C + (τ/2h) (C−Cⁿ)ᵀ α⁻¹ (C−Cⁿ)`. `rate` is `1/h`.
    fn evaluate(&mut self, x: &[f64], rate: f64, curvature: Curvature, out: &mut [f64]) -> f64 {
        let mut energy = 0.0;
        for (e, block) in self.blocks.iter().enumerate() {
            let x = positions(block, x);
            let (c, stiffness) = (block.constraint(&x), block.stiffness());
            let (change, ratio) = (c - self.start[e], block.damping() * rate);
            energy += 0.5 * (c.dot(&(stiffness * c)) + ratio * change.dot(&(stiffness * change)));
            let stress = stiffness * (c + change * ratio);
            let j = block.jacobian(&x);
            for (a, vi) in block.vertices().iter().enumerate() {
                let force = (0..R).map(|r| j[r][a] * stress[r]).sum::<DVec3>();
                add(out, vi.0, force);
            }
            let geometric = block.geometric_stiffness(&x, &stress, curvature);
            let stiffness = stiffness * (1.0 + ratio);
            for a in 0..V {
                for b in 0..V {
                    let curved = geometric.map_or(DMat3::ZERO, |g| g[a][b]);
                    self.hessians[e][a][b] = couple(&j, &stiffness, a, b) + curved;
                }
            }
        }
        energy
    }
}

/// Every kind with its local Hessians; empty for those that Newton's method takes in another form.
#[derive(Clone, Copy, Debug)]
pub(crate) struct WithHessians;

impl Storage for WithHessians {
    type Of<const R: usize, const V: usize, B: Kind<R, V>> = Elements<R, V, B>;
    type Plate = ();
    type Volumes = ();
}

/// The elements of all kinds.
pub(crate) type AllElements = ElementSet<WithHessians>;

impl AllElements {
    /// Copies the blocks.
    pub(crate) fn new(blocks: &Blocks) -> Self {
        Self::build_from(blocks, &mut Copying)
    }

    /// Notes the constraints at the start of a step.
    pub(crate) fn begin_step(&mut self, x: &[f64]) {
        self.visit_mut(&mut Begin { x });
    }

    /// Moves the constraints at the start on to what they come to if they go on as they have changed until `x`, by a part of that.
    pub(crate) fn continue_step(&mut self, x: &[f64], part: f64) {
        self.visit_mut(&mut Continue { x, part });
    }

    /// Adds energy and gradient to those of a pass, and keeps the Hessians.
    pub(crate) fn evaluate(&mut self, pass: &mut Evaluate<'_>) {
        self.visit_mut(pass);
    }

    /// Calls `visit` for every element with its vertices and its Hessian at the last evaluation, in 3×3 blocks row by row.
    pub(crate) fn for_each_hessian(&self, visit: impl FnMut(&[u32], &[DMat3])) {
        self.visit(&mut Hessians { visit });
    }
}

/// Copies the blocks.
struct Copying;

impl Build<WithHessians> for Copying {
    fn build<const R: usize, const V: usize, B: Kind<R, V>>(&mut self, blocks: &[B]) -> Elements<R, V, B> {
        Elements::new(if B::IN_NEWTON { blocks } else { &[] })
    }

    fn plate(&mut self, _: &Plate) {}

    fn volumes(&mut self, _: &[EnclosedVolume]) {}
}

/// Notes the start of a step.
struct Begin<'a> {
    x: &'a [f64],
}

impl VisitorMut<WithHessians> for Begin<'_> {
    fn visit<const R: usize, const V: usize, B: Kind<R, V>>(&mut self, elements: &mut Elements<R, V, B>) {
        elements.begin_step(self.x);
    }
}

/// The pass of [`AllElements::continue_step`].
struct Continue<'a> {
    x: &'a [f64],
    part: f64,
}

impl VisitorMut<WithHessians> for Continue<'_> {
    fn visit<const R: usize, const V: usize, B: Kind<R, V>>(&mut self, elements: &mut Elements<R, V, B>) {
        elements.continue_step(self.x, self.part);
    }
}

/// The pass of [`AllElements::evaluate`].
pub(crate) struct Evaluate<'a> {
    pub x: &'a [f64],
    /// `1/h`.
    pub rate: f64,
    pub curvature: Curvature,
    /// The sum so far \[J\].
    pub energy: f64,
    /// The sum so far \[N\].
    pub gradient: &'a mut [f64],
}

impl VisitorMut<WithHessians> for Evaluate<'_> {
    fn visit<const R: usize, const V: usize, B: Kind<R, V>>(&mut self, elements: &mut Elements<R, V, B>) {
        self.energy += elements.evaluate(self.x, self.rate, self.curvature, self.gradient);
    }

    /// Summed up by themselves: the order of the sums is part of the result.
    fn ropes(&mut self, ropes: &mut RopeElements<WithHessians>) {
        let before = std::mem::take(&mut self.energy);
        ropes.visit_mut(self);
        self.energy += before;
    }
}

/// Hands over the Hessians.
struct Hessians<F> {
    visit: F,
}

impl<F: FnMut(&[u32], &[DMat3])> Visitor<WithHessians> for Hessians<F> {
    fn visit<const R: usize, const V: usize, B: Kind<R, V>>(&mut self, elements: &Elements<R, V, B>) {
        for (block, hessian) in elements.blocks.iter().zip(&elements.hessians) {
            (self.visit)(&block.vertices().map(|vi| vi.0), hessian.as_flattened());
        }
    }
}

/// The positions of a block's vertices in a flat vector.
fn positions<const R: usize, const V: usize>(block: &impl Block<R, V>, x: &[f64]) -> [DVec3; V] {
    block.vertices().map(|vi| at(x, vi.0))
}

/// The vector of one vertex.
#[inline]
pub(crate) fn at(x: &[f64], vertex: u32) -> DVec3 {
    DVec3::from_slice(&x[3 * vertex as usize..3 * vertex as usize + 3])
}

/// Adds to the vector of one vertex.
#[inline]
pub(crate) fn add(x: &mut [f64], vertex: u32, value: DVec3) {
    let out = &mut x[3 * vertex as usize..3 * vertex as usize + 3];
    out[0] += value.x;
    out[1] += value.y;
    out[2] += value.z;
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
        out += outer(j[r][a], column);
    }
    out
}
