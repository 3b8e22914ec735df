//! Angles, energy and gradient: the plain form, oracle of the kernels.

use super::{Plate, PlateEdge, PlateState};
use crate::block::gather;
use crate::block::hinge::AREA_FLOOR;
use glam::DVec3;
use std::f64::consts::TAU;
use taffeta_core::math::atan2;

/// The normal beyond an edge: of the second face, or the clamp's, which has unit length.
fn normals(x: &[DVec3; 4], clamp: Option<DVec3>) -> [DVec3; 2] {
    let [a, b, c, d] = *x;
    [(c - a).cross(c - b), clamp.unwrap_or_else(|| (d - b).cross(d - a))]
}

/// The angle of an edge \[rad\], unwrapped; `clamps` are the unit normals beyond the clamped edges.
pub fn angle(edge: &PlateEdge, x: &[DVec3], clamps: &[DVec3]) -> f64 {
    let x = gather(edge.vertices, x);
    let [n1, n2] = normals(&x, edge.clamp.map(|clamp| clamps[clamp as usize]));
    let e = (x[1] - x[0]).normalize_or_zero();
    let wrapped = atan2(e.dot(n2.cross(n1)), n1.dot(n2));
    wrapped + TAU * ((edge.reference - wrapped) / TAU).round_ties_even()
}

/// The gradients of the angle with respect to `a, b, c, d` \[rad/m\]. At a clamp the normal beyond the edge stands
/// still, and the gradient of `d`, which is `c`, is zero.
pub fn angle_gradients(edge: &PlateEdge, x: &[DVec3]) -> [DVec3; 4] {
    let x = gather(edge.vertices, x);
    let [a, b, c, d] = x;
    let e = (b - a).normalize_or_zero();
    let length = (b - a).length();
    let floor = edge.doubled_areas.map(|area| (AREA_FLOOR * area) * (AREA_FLOOR * area));
    let [n1, n2] = normals(&x, None);
    let first = n1 / n1.length_squared().max(floor[0]);
    let second = if edge.clamp.is_some() { DVec3::ZERO } else { n2 / n2.length_squared().max(floor[1]) };
    [
        first * (c - b).dot(e) + second * (d - b).dot(e),
        first * -(c - a).dot(e) - second * (d - a).dot(e),
        first * length,
        second * length,
    ]
}

impl Plate {
    /// The angles of all edges \[rad\] at positions `x` \[m\].
    pub fn angles(&self, x: &[DVec3], clamps: &[DVec3]) -> Vec<f64> {
        self.edges.iter().map(|edge| angle(edge, x, clamps)).collect()
    }

    /// The bending energy \[J\] for given angles and scalars \[rad\].
    pub fn energy(&self, angles: &[f64], scalars: &[f64]) -> f64 {
        self.faces.iter().map(|face| self.face_energy(face, angles, scalars)).sum()
    }

    /// The bending energy of one face \[J\].
    pub fn face_energy(&self, face: &super::PlateFace, angles: &[f64], scalars: &[f64]) -> f64 {
        let bent = face.eta(&self.edges, angles, scalars) - face.rest;
        0.5 * bent.dot(&(face.stiffness * bent))
    }

    /// The derivatives of the energy with respect to angles and scalars \[N·m\].
    pub fn moments(&self, angles: &[f64], scalars: &[f64]) -> (Vec<f64>, Vec<f64>) {
        let mut by_angle = vec![0.0; self.edges.len()];
        let mut by_scalar = vec![0.0; self.edges.len()];
        for face in &self.faces {
            let moment = face.stiffness * (face.eta(&self.edges, angles, scalars) - face.rest);
            for k in 0..3 {
                if let Some(e) = face.edges[k] {
                    by_angle[e as usize] += self.edges[e as usize].share * moment[k];
                    by_scalar[e as usize] += face.signs[k] * moment[k];
                }
            }
        }
        (by_angle, by_scalar)
    }

    /// Adds the gradient of the energy with respect to the positions \[N\] to `out`.
    pub fn add_gradient(&self, x: &[DVec3], state: &PlateState, out: &mut [DVec3]) {
        let (by_angle, _) = self.moments(&self.angles(x, &state.clamps), &state.scalars);
        for (edge, moment) in self.edges.iter().zip(by_angle) {
            for (vi, gradient) in edge.vertices.iter().zip(angle_gradients(edge, x)) {
                out[vi.0 as usize] += gradient * moment;
            }
        }
    }

    /// Continues the angles to positions `x` \[m\]: later ones are unwrapped against these.
    pub fn begin_step(&mut self, x: &[DVec3], clamps: &[DVec3]) {
        for edge in &mut self.edges {
            edge.reference = angle(edge, x, clamps);
        }
    }
}
