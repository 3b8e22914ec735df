//! Quadratic drag of faces and rope segments as a term of `W`.
//!
//! The force on a body of drag coefficient `k` \[kg/m\] in a flow `u = w − v` is `k |u| u`. Here `w` is the wind. Of `u`
//! only the part along the normal of a face or across a segment counts (a cylinder in cross flow). The force is minus the
//! gradient of the dissipation potential `k |u|³/3` with respect to `v`.
//!
//! In a step with `v = (x − X)/s` the term `s k |u|³/3` of `W` has that force as its negative gradient. Let
//! `d = P (x̄ − r)` be the displacement of the middle `x̄` from the place to which the flow would take it, `r = X̄ + s w`.
//! With `κ = k/s²` the term reads
//!
//! ```text
//!  D = κ |d|³/3      −∇D = −κ |d| d      ∇²D = κ (|d| P + d dᵀ/|d|)
//! ```
//!
//! and is convex. Each vertex bears an equal share. The projection `P` is that of the start of the step. The force is that at
//! the end of the step, so that a steady motion does not depend on its length.
//! Source: Cohen and Hollig, Drag Force, NASA Glenn; potentials of dissipation: Ortiz and Stainier, The variational
//! formulation of viscoplastic constitutive updates, 1999.

use super::elements::{add, at};
use crate::matrices::outer;
use glam::{DMat3, DVec3};

/// Drag of a face, of three vertices, or of a segment, of two.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Drag<const V: usize> {
    /// Its vertices.
    pub vertices: [u32; V],
    /// Unit normal of a face, unit direction of a segment; zero where nothing acts.
    pub axis: DVec3,
    /// `κ` \[N/m²\].
    pub coefficient: f64,
    /// `r` \[m\].
    pub target: DVec3,
}

impl<const V: usize> Drag<V> {
    /// Share of each vertex.
    pub const SHARE: f64 = 1.0 / V as f64;

    /// The part of a vector on which drag depends.
    #[inline]
    pub fn project(axis: DVec3, vector: DVec3) -> DVec3 {
        let along = axis * axis.dot(vector);
        if V == 3 { along } else { vector - along }
    }

    /// `d` \[m\], for the positions of the vertices \[m\].
    #[inline]
    fn displacement(&self, position: impl Fn(u32) -> DVec3) -> DVec3 {
        let middle = self.vertices.iter().map(|vertex| position(*vertex)).sum::<DVec3>() * Self::SHARE;
        Self::project(self.axis, middle - self.target)
    }

    /// Share of each vertex in the gradient \[N\].
    #[inline]
    fn gradient_share(&self, d: DVec3) -> DVec3 {
        d * (self.coefficient * d.length() * Self::SHARE)
    }

    /// Adds the gradient and returns the energy \[J\] and `d` \[m\].
    #[inline]
    fn evaluate(&self, x: &[f64], out: &mut [f64]) -> (f64, DVec3) {
        let d = self.displacement(|vertex| at(x, vertex));
        let (size, share) = (d.length(), self.gradient_share(d));
        self.vertices.iter().for_each(|vertex| add(out, *vertex, share));
        (self.coefficient * size * size * size / 3.0, d)
    }

    /// Second derivative with respect to `x̄` for a displacement `d` \[N/m\].
    #[inline]
    fn hessian(&self, d: DVec3) -> DMat3 {
        let size = d.length();
        if size == 0.0 {
            return DMat3::ZERO;
        }
        let along = outer(self.axis, self.axis);
        let project = if V == 3 { along } else { DMat3::IDENTITY - along };
        (project * size + outer(d / size, d)) * self.coefficient
    }
}

/// Drag on a sheet and its ropes.
#[derive(Clone, Copy, Debug, Default)]
pub struct Drags<'a> {
    /// One for each face in the order of the faces; or none.
    pub faces: &'a [Drag<3>],
    /// One for each segment that is exposed.
    pub segments: &'a [Drag<2>],
}

/// Displacements `d` at the last evaluation \[m\].
#[derive(Clone, Debug, Default)]
pub(crate) struct Displacements {
    faces: Vec<DVec3>,
    segments: Vec<DVec3>,
}

impl Drags<'_> {
    /// Adds the gradient \[N\], notes the displacements, returns the energy \[J\].
    pub(crate) fn evaluate(&self, x: &[f64], noted: &mut Displacements, out: &mut [f64]) -> f64 {
        evaluate_all(self.faces, x, &mut noted.faces, out)
            + evaluate_all(self.segments, x, &mut noted.segments, out)
    }

    /// Calls `visit` with the vertices of each drag and its Hessian `H` at the last evaluation: `share² H` couples any two
    /// vertices.
    pub(crate) fn for_each_hessian(&self, noted: &Displacements, mut visit: impl FnMut(&[u32], DMat3)) {
        self.segment_hessians(noted).for_each(|(vertices, hessian)| visit(vertices, hessian));
        let faces = self.faces.iter().zip(&noted.faces);
        faces.for_each(|(drag, d)| visit(&drag.vertices, drag.hessian(*d)));
    }

    /// The segments with their Hessians at the last evaluation.
    pub(crate) fn segment_hessians(&self, noted: &Displacements) -> impl Iterator<Item = (&[u32; 2], DMat3)> {
        self.segments.iter().zip(&noted.segments).map(|(drag, d)| (&drag.vertices, drag.hessian(*d)))
    }

    /// The Hessian of a face at the last evaluation; zero if there is no drag.
    pub(crate) fn face_hessian(&self, noted: &Displacements, face: usize) -> DMat3 {
        self.faces.get(face).map_or(DMat3::ZERO, |drag| drag.hessian(noted.faces[face]))
    }

    /// Adds the forces at positions `x` \[m\] to `out` \[N\].
    pub fn add_forces(&self, x: &[DVec3], out: &mut [DVec3]) {
        add_forces(self.faces, x, out);
        add_forces(self.segments, x, out);
    }

    /// Calls `visit` for each drag at `z` with one of its vertices, and with gradient \[N\] and second derivative \[N/m\] with
    /// respect to a common translation.
    pub(crate) fn for_each_translation(&self, z: &[f64], mut visit: impl FnMut(u32, DVec3, DMat3)) {
        for drag in self.faces {
            let d = drag.displacement(|vertex| at(z, vertex));
            visit(drag.vertices[0], drag.gradient_share(d) * 3.0, drag.hessian(d));
        }
        for drag in self.segments {
            let d = drag.displacement(|vertex| at(z, vertex));
            visit(drag.vertices[0], drag.gradient_share(d) * 2.0, drag.hessian(d));
        }
    }
}

fn evaluate_all<const V: usize>(
    drags: &[Drag<V>],
    x: &[f64],
    noted: &mut Vec<DVec3>,
    out: &mut [f64],
) -> f64 {
    noted.clear();
    let mut energy = 0.0;
    noted.extend(drags.iter().map(|drag| {
        let (part, d) = drag.evaluate(x, out);
        energy += part;
        d
    }));
    energy
}

fn add_forces<const V: usize>(drags: &[Drag<V>], x: &[DVec3], out: &mut [DVec3]) {
    for drag in drags {
        let share = drag.gradient_share(drag.displacement(|vertex| x[vertex as usize]));
        drag.vertices.iter().for_each(|vertex| out[*vertex as usize] -= share);
    }
}
