//! Volumes inside closed cloths: `V(x) = V*`, one global constraint for each component.
//!
//! The matrix of such a constraint is dense, so it stays out of `Σ w AᵀA`. Its force is a pressure on the gradient `∇V`,
//! which comes in from outside as that of contacts does. How much is known exactly, for a cloth of the constant matrix `K`:
//! a change `δ` of the pressure moves the vertices by `K⁻¹∇V δ`, hence
//!
//! ```text
//!  δ = (V* − V − α p) / (∇V·K⁻¹∇V + α),      x ← x + K⁻¹∇V δ,      p ← p + δ
//! ```
//!
//! after every global step: Newton's step for the volume in the metric of the global step, with the compliance `α` of the
//! filling. It takes one more global step per iteration, for all components together: they share no vertices, so that
//! their responses do not mix. A projection in proportion to the masses, as contacts have it, would be cheaper, but finds
//! the pressure only over hundreds of iterations where the cloth is stiff.

use super::ProjectiveDriver;
use super::constraint::{narrow, widen};
use crate::block::EnclosedVolume;
use glam::DVec3;
use std::time::Instant;
use taffeta_core::index::DenseIndex;
use taffeta_core::lanes::F64x4;

impl ProjectiveDriver {
    /// One local and one global step under forces from outside \[N\], one per vertex, after which the volumes are those
    /// asked for, to second order in the step. The pressures of the volumes are read and changed; those of a step begin at 0.
    pub fn iterate_with_volumes(&mut self, outside: &[DVec3], volumes: &mut [EnclosedVolume]) {
        if volumes.is_empty() {
            return self.iterate_with_forces(outside);
        }
        let mut forces = outside.to_vec();
        for volume in volumes.iter() {
            let gradients = volume.gradients(&self.gather(volume));
            for (vi, gradient) in volume.vertices.iter().zip(gradients) {
                forces[vi.to_usize()] += gradient * volume.pressure;
            }
        }
        self.iterate_with_forces(&forces);
        self.correct_volumes(volumes);
    }

    /// Moves the vertices along the response to pressure until the volumes are those asked for.
    fn correct_volumes(&mut self, volumes: &mut [EnclosedVolume]) {
        let mut response = vec![F64x4::default(); self.places.len()];
        let gradients: Vec<Vec<DVec3>> =
            volumes.iter().map(|volume| volume.gradients(&self.gather(volume))).collect();
        for (volume, gradients) in volumes.iter().zip(&gradients) {
            for (vi, gradient) in volume.vertices.iter().zip(gradients) {
                response[self.places[vi.to_usize()] as usize] = widen(*gradient);
            }
        }
        let begun = Instant::now();
        self.system.solve(&mut response);
        self.times.global += begun.elapsed();
        for (volume, gradients) in volumes.iter_mut().zip(&gradients) {
            let places = volume.vertices.iter().map(|vi| self.places[vi.to_usize()] as usize);
            let places: Vec<usize> = places.collect();
            let moved = places.iter().map(|k| narrow(response[*k]));
            let grown: f64 = moved.zip(gradients).map(|(moved, gradient)| moved.dot(*gradient)).sum();
            let lacking =
                volume.target - volume.volume(&self.gather(volume)) - volume.compliance * volume.pressure;
            let resistance = grown + volume.compliance;
            // Nothing can move: all its vertices are held.
            let change = if resistance > 0.0 { lacking / resistance } else { 0.0 };
            volume.pressure += change;
            for k in places {
                self.work.x[k] = self.work.x[k] + response[k] * F64x4::splat(change);
            }
        }
    }

    /// Positions of the vertices of a volume \[m\] as the last iteration left them.
    fn gather(&self, volume: &EnclosedVolume) -> Vec<DVec3> {
        volume.vertices.iter().map(|vi| self.position(vi.to_usize())).collect()
    }
}
