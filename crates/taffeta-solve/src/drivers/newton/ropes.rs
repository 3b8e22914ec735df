//! The blocks of ropes in Newton's method.

use super::elements::Elements;
use crate::block::{AcosAngle, Curvature, RopeAngle, RopeBend, RopeStretch, RopeTorsion};
use crate::rope::RopeBlocks;
use glam::DMat3;
use std::ops::Range;

/// The elements of all ropes with their local Hessians.
#[derive(Clone, Debug)]
pub(super) struct RopeElements {
    stretch: Elements<1, 2, RopeStretch>,
    bends: Elements<3, 3, RopeBend>,
    angles: Elements<1, 3, RopeAngle>,
    acos: Elements<1, 3, AcosAngle>,
    torsions: Elements<3, 4, RopeTorsion>,
    /// The vertices of each rope.
    pub chains: Vec<Range<usize>>,
}

impl RopeElements {
    /// Copies the blocks.
    pub(super) fn new(blocks: &RopeBlocks) -> Self {
        Self {
            stretch: Elements::new(&blocks.stretch),
            bends: Elements::new(&blocks.bends),
            angles: Elements::new(&blocks.angles),
            acos: Elements::new(&blocks.acos),
            torsions: Elements::new(&blocks.torsions),
            chains: blocks.chains.clone(),
        }
    }

    /// Notes the state at the start of a step.
    pub(super) fn begin_step(&mut self, x: &[f64]) {
        self.stretch.begin_step(x);
        self.bends.begin_step(x);
        self.angles.begin_step(x);
        self.acos.begin_step(x);
        self.torsions.begin_step(x);
    }

    /// Adds the gradient to `out` \[N\], keeps the Hessians, returns the energy \[J\]. `rate` is `1/h`.
    pub(super) fn evaluate(
        &mut self,
        x: &[f64],
        (rate, curvature): (f64, Curvature),
        out: &mut [f64],
    ) -> f64 {
        let mut energy = self.stretch.evaluate(x, (rate, curvature), out);
        energy += self.bends.evaluate(x, (rate, curvature), out);
        energy += self.angles.evaluate(x, (rate, curvature), out);
        energy += self.acos.evaluate(x, (rate, curvature), out);
        energy + self.torsions.evaluate(x, (rate, curvature), out)
    }

    /// Calls `visit` for every element with its vertices and the blocks of its Hessian at the last evaluation.
    pub(super) fn for_each_hessian(&self, mut visit: impl FnMut(&[u32], &dyn Fn(usize, usize) -> DMat3)) {
        self.stretch.hessians().for_each(|(vertices, h)| visit(&vertices, &|a, b| h[a][b]));
        self.bends.hessians().for_each(|(vertices, h)| visit(&vertices, &|a, b| h[a][b]));
        self.angles.hessians().for_each(|(vertices, h)| visit(&vertices, &|a, b| h[a][b]));
        self.acos.hessians().for_each(|(vertices, h)| visit(&vertices, &|a, b| h[a][b]));
        self.torsions.hessians().for_each(|(vertices, h)| visit(&vertices, &|a, b| h[a][b]));
    }

    /// The pairs of vertices that couple, the smaller first, each once.
    pub(super) fn pairs(&self) -> Vec<[u32; 2]> {
        let mut pairs = Vec::new();
        self.for_each_hessian(|vertices, _| {
            for (k, a) in vertices.iter().enumerate() {
                pairs.extend(vertices[..k].iter().map(|b| [*a.min(b), *a.max(b)]));
            }
        });
        pairs.sort_unstable();
        pairs.dedup();
        pairs
    }
}
