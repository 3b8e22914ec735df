//! Volume that a closed surface encloses: `C = V(x) − V*`, one row on all vertices of the surface.
//!
//! `V = ⅙ Σ (x₀ − c)·((x₁ − c) × (x₂ − c))` over the faces, the same for every `c`, and `∇_a V` is a third of the area vectors
//! of the faces around `a`. The force of the row is a pressure, the same on every face: `p = λ/h²`. With a modulus `k`
//! the energy is `½ k V₀ ((V − V*)/V₀)²`, i.e. `α = V₀/k`; without, `α = 0` and the volume is kept exactly.

use glam::DVec3;
use taffeta_core::VertexIndex;
use taffeta_core::index::DenseIndex;

/// The volume inside one closed component of a surface.
#[derive(Clone, Debug, PartialEq)]
pub struct EnclosedVolume {
    /// The vertices, in dense order.
    pub vertices: Vec<VertexIndex>,
    /// The corners of the faces, as numbers in `vertices`; counter-clockwise as seen from outside.
    pub faces: Vec<[u32; 3]>,
    /// The volume `V*` that it is to have \[m³\].
    pub target: f64,
    /// Compliance `α` \[m³/Pa\]; 0: what is inside cannot be compressed.
    pub compliance: f64,
    /// Pressure inside above that outside that the last substep has found \[Pa\].
    pub pressure: f64,
}

impl EnclosedVolume {
    /// The component with the given faces in dense numbers. Its target is zero and it has no pressure yet.
    pub fn new(corners: &[[VertexIndex; 3]], compliance: f64) -> Self {
        let mut vertices: Vec<VertexIndex> = corners.iter().flatten().copied().collect();
        vertices.sort_unstable();
        vertices.dedup();
        let local = |vi: VertexIndex| vertices.partition_point(|other| *other < vi) as u32;
        let faces = corners.iter().map(|face| face.map(local)).collect();
        Self { faces, vertices, target: 0.0, compliance, pressure: 0.0 }
    }

    /// Positions of its vertices out of those of all \[m\].
    pub fn gather(&self, x: &[DVec3]) -> Vec<DVec3> {
        self.vertices.iter().map(|vi| x[vi.to_usize()]).collect()
    }

    /// The volume with its vertices at `x` \[m³\]; negative if the surface is turned inside out.
    pub fn volume(&self, x: &[DVec3]) -> f64 {
        let center = x[0];
        let sixfold = |face: &[u32; 3]| {
            let [a, b, c] = face.map(|v| x[v as usize] - center);
            a.dot(b.cross(c))
        };
        self.faces.iter().map(sixfold).sum::<f64>() / 6.0
    }

    /// `∇V` with respect to its vertices \[m²\].
    pub fn gradients(&self, x: &[DVec3]) -> Vec<DVec3> {
        let mut gradients = vec![DVec3::ZERO; x.len()];
        for face in &self.faces {
            let [a, b, c] = face.map(|v| x[v as usize]);
            let third = (b - a).cross(c - a) / 6.0;
            face.iter().for_each(|v| gradients[*v as usize] += third);
        }
        gradients
    }

    /// The energy \[J\] at the positions `x` of all vertices \[m\]; none where the volume cannot change.
    pub fn energy(&self, x: &[DVec3]) -> f64 {
        let excess = self.volume(&self.gather(x)) - self.target;
        if self.compliance > 0.0 { 0.5 * excess * excess / self.compliance } else { 0.0 }
    }

    /// Adds the gradient of the energy \[N\], or less the forces of the last known pressure where the volume cannot change.
    pub fn add_gradient(&self, x: &[DVec3], out: &mut [DVec3]) {
        let x = self.gather(x);
        let stress = match self.compliance > 0.0 {
            true => (self.volume(&x) - self.target) / self.compliance,
            false => -self.pressure,
        };
        for (vi, gradient) in self.vertices.iter().zip(self.gradients(&x)) {
            out[vi.to_usize()] += gradient * stress;
        }
    }

    /// One update of the row with the multiplier `lambda`: the change of `λ`, and the displacements of the vertices \[m\].
    pub fn update(&self, x: &[DVec3], inverse_masses: &[f64], lambda: f64, h: f64) -> (f64, Vec<DVec3>) {
        let gradients = self.gradients(x);
        let squares = gradients.iter().zip(inverse_masses).map(|(g, w)| w * g.length_squared());
        let alpha_tilde = self.compliance / (h * h);
        let resistance = squares.sum::<f64>() + alpha_tilde;
        let excess = self.volume(x) - self.target + alpha_tilde * lambda;
        let change = if resistance > 0.0 { -excess / resistance } else { 0.0 };
        let moved = gradients.iter().zip(inverse_masses).map(|(g, w)| *g * (w * change));
        (change, moved.collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// An octahedron, squeezed; with its faces seen from outside.
    pub(super) fn example() -> (EnclosedVolume, Vec<DVec3>) {
        let mut x: Vec<DVec3> = DVec3::AXES.into_iter().flat_map(|axis| [axis, -axis]).collect();
        x.iter_mut()
            .enumerate()
            .for_each(|(i, x)| *x += DVec3::new(5.0, 0.1 * i as f64, -0.07 * (i * i) as f64));
        let mut faces = Vec::new();
        for [a, b, c] in [[0, 2, 4], [2, 1, 4], [1, 3, 4], [3, 0, 4]] {
            faces.push([a, b, c]);
            faces.push([b, a, 5]);
        }
        let corners: Vec<_> = faces.into_iter().map(|face| face.map(VertexIndex)).collect();
        (EnclosedVolume { target: 1.0, ..EnclosedVolume::new(&corners, 2e-4) }, x)
    }

    #[test]
    fn gradients_agree_with_finite_differences_and_keep_momentum() {
        let (block, x) = example();
        let gradients = block.gradients(&x);
        for (i, gradient) in gradients.iter().enumerate() {
            for axis in 0..3 {
                let shifted = |sign: f64| {
                    let mut y = x.clone();
                    y[i][axis] += sign * 1e-5;
                    block.volume(&y)
                };
                let difference = (shifted(1.0) - shifted(-1.0)) / 2e-5;
                assert!((difference - gradient[axis]).abs() < 1e-9, "{i}, {axis}");
            }
        }
        let turn: DVec3 = gradients.iter().zip(&x).map(|(g, x)| x.cross(*g)).sum();
        assert!(gradients.iter().sum::<DVec3>().length() < 1e-14 && turn.length() < 1e-13);
    }

    #[test]
    fn the_gradient_is_that_of_the_energy() {
        let (block, x) = example();
        let mut exact = vec![DVec3::ZERO; x.len()];
        block.add_gradient(&x, &mut exact);
        let shifted = |sign: f64| {
            let mut y = x.clone();
            y[3].y += sign * 1e-6;
            block.energy(&y)
        };
        let difference = (shifted(1.0) - shifted(-1.0)) / 2e-6;
        assert!((difference / exact[3].y - 1.0).abs() < 1e-6, "{difference} against {}", exact[3].y);
    }

    #[test]
    fn the_regular_octahedron_has_its_volume() {
        let (block, _) = example();
        let x: Vec<DVec3> = DVec3::AXES.into_iter().flat_map(|axis| [axis, -axis]).collect();
        assert!((block.volume(&x) - 4.0 / 3.0).abs() < 1e-15);
    }

    /// Without compliance repeated updates reach the target; with it, the pressure `λ/h²` is that of the modulus.
    #[test]
    fn updates_converge_to_the_target_or_to_the_balance() {
        let (soft, x) = example();
        for compliance in [0.0, soft.compliance] {
            let block = EnclosedVolume { compliance, ..soft.clone() };
            let (mut x, mut lambda, h) = (x.clone(), 0.0, 0.01);
            for _ in 0..60 {
                let (change, moved) = block.update(&x, &[1.0; 6], lambda, h);
                lambda += change;
                x.iter_mut().zip(moved).for_each(|(x, moved)| *x += moved);
            }
            let balance = block.volume(&x) - block.target + compliance / (h * h) * lambda;
            assert!(balance.abs() < 1e-12, "{compliance}: {balance}");
        }
    }
}
