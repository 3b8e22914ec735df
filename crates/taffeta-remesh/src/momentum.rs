//! Keeping momentum over an edit.
//!
//! An edit shifts lumped mass between the vertices of a ring, and with it linear and angular momentum and kinetic
//! energy. The velocities of the ring's free vertices are corrected by `δv_i = ΔP/M + ω×(x_i − c)`, `I ω = ΔL` about
//! their center of mass `c`; if the kinetic energy rose, the part of their motion that is not rigid is scaled down.
//!
//! The areal density is uniform over a ring, so it cancels: masses here are thirds of material areas [m²].

use crate::attributes::{SheetAttributes, lumped_mass};
use glam::{DMat3, DVec3};
use taffeta_mesh::{HalfedgeMesh, VertexKey};

/// An axis about which the ring has less than this fraction of its largest moment of inertia cannot take angular
/// momentum: the ring is collinear to 1 in 100 000. Without the limit, round-off would become a fast spin.
const INERTIA_CUTOFF: f64 = 1e-10;

/// Motion of a ring before an edit, per unit of areal density.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RingMotion {
    /// Where angular momentum is taken about [m]. Near the ring, so that it does not cancel.
    reference: DVec3,
    linear: DVec3,
    angular: DVec3,
    kinetic: f64,
}

/// A vertex of the ring.
#[derive(Clone, Copy, Debug)]
struct Body {
    v: VertexKey,
    /// Lumped mass per areal density [m²].
    mass: f64,
    /// Position from the reference [m].
    arm: DVec3,
    velocity: DVec3,
    is_free: bool,
}

impl RingMotion {
    /// Measures the motion of the ring that an edit is about to change.
    pub fn measure(mesh: &HalfedgeMesh, attributes: &SheetAttributes, ring: &[VertexKey]) -> Self {
        let reference = attributes.vertices[ring[0]].position;
        Self::of_bodies(&collect_bodies(mesh, attributes, ring, reference), reference)
    }

    fn of_bodies(bodies: &[Body], reference: DVec3) -> Self {
        let mut motion = Self { reference, linear: DVec3::ZERO, angular: DVec3::ZERO, kinetic: 0.0 };
        for body in bodies {
            let momentum = body.mass * body.velocity;
            motion.linear += momentum;
            motion.angular += body.arm.cross(momentum);
            motion.kinetic += 0.5 * momentum.dot(body.velocity);
        }
        motion
    }

    /// Corrects the velocities of the ring after the edit. Held vertices count but are not corrected: their motion is
    /// prescribed.
    pub fn restore(&self, mesh: &HalfedgeMesh, attributes: &mut SheetAttributes, ring: &[VertexKey]) {
        let mut bodies = collect_bodies(mesh, attributes, ring, self.reference);
        let Some(inertia) = Inertia::of_free(&bodies) else { return };
        let now = Self::of_bodies(&bodies, self.reference);
        let linear = self.linear - now.linear;
        let angular = self.angular - now.angular - inertia.center.cross(linear);
        let shift = linear / inertia.mass;
        let spin = inertia.spin_of(angular);
        for body in bodies.iter_mut().filter(|body| body.is_free) {
            body.velocity += shift + spin.cross(body.arm - inertia.center);
        }
        self.limit_energy(&mut bodies, &inertia);
        for body in bodies {
            attributes.vertices[body.v].velocity = body.velocity;
        }
    }

    /// Scales the non-rigid motion of the free vertices down, until the ring has no more kinetic energy than before
    /// or moves rigidly. Neither momentum changes.
    fn limit_energy(&self, bodies: &mut [Body], inertia: &Inertia) {
        let kinetic = Self::of_bodies(bodies, self.reference).kinetic;
        if kinetic <= self.kinetic {
            return;
        }
        let free = || bodies.iter().filter(|body| body.is_free);
        let drift = free().map(|body| body.mass * body.velocity).sum::<DVec3>() / inertia.mass;
        let angular: DVec3 =
            free().map(|body| body.mass * (body.arm - inertia.center).cross(body.velocity)).sum();
        let spin = inertia.spin_of(angular);
        let rest_of = |body: &Body| body.velocity - drift - spin.cross(body.arm - inertia.center);
        let non_rigid: f64 = free().map(|body| 0.5 * body.mass * rest_of(body).length_squared()).sum();
        if non_rigid <= 0.0 {
            return;
        }
        let scale = ((self.kinetic - (kinetic - non_rigid)) / non_rigid).clamp(0.0, 1.0).sqrt();
        for body in bodies.iter_mut().filter(|body| body.is_free) {
            let rest = rest_of(body);
            body.velocity -= (1.0 - scale) * rest;
        }
    }
}

fn collect_bodies(
    mesh: &HalfedgeMesh,
    attributes: &SheetAttributes,
    ring: &[VertexKey],
    reference: DVec3,
) -> Vec<Body> {
    ring.iter()
        .map(|&v| {
            let vertex = &attributes.vertices[v];
            Body {
                v,
                mass: lumped_mass(mesh, attributes, v, 1.0),
                arm: vertex.position - reference,
                velocity: vertex.velocity,
                is_free: vertex.pin.is_none(),
            }
        })
        .collect()
}

/// Mass, center and inertia of the free vertices of a ring.
struct Inertia {
    mass: f64,
    center: DVec3,
    moments: DVec3,
    axes: DMat3,
}

impl Inertia {
    /// `None` if nothing is free.
    fn of_free(bodies: &[Body]) -> Option<Self> {
        let free = || bodies.iter().filter(|body| body.is_free);
        let mass: f64 = free().map(|body| body.mass).sum();
        if mass <= 0.0 {
            return None;
        }
        let center = free().map(|body| body.mass * body.arm).sum::<DVec3>() / mass;
        let mut tensor = DMat3::ZERO;
        for body in free() {
            let r = body.arm - center;
            let outer = DMat3::from_cols(r * r.x, r * r.y, r * r.z);
            tensor += body.mass * (DMat3::from_diagonal(DVec3::splat(r.length_squared())) - outer);
        }
        let (moments, axes) = eigen_symmetric(tensor);
        Some(Self { mass, center, moments, axes })
    }

    /// The angular velocity [rad/s] that carries an angular momentum about the center: the pseudo-inverse of the
    /// inertia. A collinear ring has no inertia about its line, a single vertex none at all.
    fn spin_of(&self, angular: DVec3) -> DVec3 {
        let limit = INERTIA_CUTOFF * self.moments.max_element();
        let along = self.axes.transpose() * angular;
        let mut spin = DVec3::ZERO;
        for k in 0..3 {
            if self.moments[k] > limit {
                spin += self.axes.col(k) * (along[k] / self.moments[k]);
            }
        }
        spin
    }
}

/// Eigenvalues and eigenvectors (columns) of a symmetric matrix by cyclic Jacobi rotations (Golub, Van Loan, Matrix
/// Computations, §8.5). The closed form by cosines loses half of the digits of small eigenvalues.
fn eigen_symmetric(matrix: DMat3) -> (DVec3, DMat3) {
    let mut a = matrix.to_cols_array_2d();
    let mut v = DMat3::IDENTITY;
    // Quadratic convergence: five sweeps reach round-off, the others guard.
    for _ in 0..8 {
        let off = a[0][1].abs() + a[0][2].abs() + a[1][2].abs();
        if off == 0.0 {
            break;
        }
        for (p, q) in [(0, 1), (0, 2), (1, 2)] {
            if a[p][q] == 0.0 {
                continue;
            }
            let tau = (a[q][q] - a[p][p]) / (2.0 * a[p][q]);
            let t = tau.signum() / (tau.abs() + (1.0 + tau * tau).sqrt());
            let c = 1.0 / (1.0 + t * t).sqrt();
            let s = t * c;
            for row in &mut a {
                (row[p], row[q]) = (c * row[p] - s * row[q], s * row[p] + c * row[q]);
            }
            for k in 0..3 {
                (a[p][k], a[q][k]) = (c * a[p][k] - s * a[q][k], s * a[p][k] + c * a[q][k]);
            }
            (a[p][q], a[q][p]) = (0.0, 0.0);
            let (vp, vq) = (v.col(p), v.col(q));
            *v.col_mut(p) = c * vp - s * vq;
            *v.col_mut(q) = s * vp + c * vq;
        }
    }
    (DVec3::new(a[0][0], a[1][1], a[2][2]), v)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn eigenvectors_diagonalize() {
        let outer = |v: DVec3| DMat3::from_cols(v * v.x, v * v.y, v * v.z);
        let cases = [
            DMat3::from_diagonal(DVec3::new(1.0, 2.0, 3.0)),
            outer(DVec3::new(1.0, 2.0, -1.0)) + 1e-9 * outer(DVec3::new(0.3, 0.1, 5.0)),
            DMat3::from_diagonal(DVec3::splat(4.0)) - outer(DVec3::new(0.5, 1.0, 1.5)),
            DMat3::ZERO,
        ];
        for matrix in cases {
            let (values, vectors) = eigen_symmetric(matrix);
            let again = vectors * DMat3::from_diagonal(values) * vectors.transpose();
            let scale = values.abs().max_element().max(1.0);
            assert!((again - matrix).to_cols_array().iter().all(|x| x.abs() < 1e-14 * scale));
            let unit = vectors * vectors.transpose() - DMat3::IDENTITY;
            assert!(unit.to_cols_array().iter().all(|x| x.abs() < 1e-14));
        }
    }
}
