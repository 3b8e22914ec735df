//! Keeping momentum over an edit.
//!
//! An edit shifts lumped mass between the vertices of a ring, and with it momentum and kinetic energy. The velocities of
//! the ring's free vertices are corrected by `δv_i = ΔP/M + ω×(x_i − c)`, `I ω = ΔL`; if the kinetic energy rose, the
//! part of their motion that is not rigid is scaled down.
//!
//! `ΔL` is the change of the *spin*: the angular momentum about the ring's center of mass, where that is before and
//! after. Collapses and flips move the center, so that the angular momentum about a fixed point changes by `Δ(m c) × V`.
//! To undo that on the ring as well was tried on paper and rejected: a sheet that falls without turning would get a
//! local spin of about `V/10h` from every flip. It is a [`Drift`] instead, tiny beside the sheet, and [`settle_drifts`]
//! gives it back to the whole sheet.
//!
//! Where an edit changes the mass, as it does where a rest shape in space moves, what is kept is the velocity of the center
//! of mass: a cloth that falls goes on falling as one. Keeping momentum would shake it by `Δm/m` of its speed.
//!
//! The areal density is uniform over a cloth, so it cancels: masses here are thirds of material areas \[m²\].

use crate::attributes::{SheetAttributes, lumped_mass};
use glam::{DMat3, DVec3};
use taffeta_core::geometry::doubled_area;
use taffeta_mesh::{HalfedgeMesh, VertexKey, slot_of};

/// An axis about which the ring has less than this fraction of its largest moment of inertia cannot take angular
/// momentum: the ring is collinear to 1 in 100 000. Without the limit, round-off would become a fast spin.
const INERTIA_CUTOFF: f64 = 1e-10;

/// The same relative to the mass and the square of the size of the ring. Without it a ring of which all but one vertex are
/// held threw that one away.
const ROUND_OFF: f64 = 1e-24;

/// A relative change of mass below this is round-off.
const MASS_SLACK: f64 = 1e-12;

/// What edits changed beyond the ring: the sheet's mass, center and angular momentum, per unit of areal density.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Drift {
    /// Change of the mass \[m²\]: zero but for outlines that are not quite straight and rest shapes in space.
    pub mass: f64,
    /// Change of mass times center \[m³\].
    pub moment: DVec3,
    /// Change of the momentum, that of the mass \[m³/s\].
    pub linear: DVec3,
    /// Change of the angular momentum about the origin \[m⁴/s\].
    pub angular: DVec3,
}

impl Drift {
    /// The drift of two edits.
    pub fn plus(&self, other: &Self) -> Self {
        Self {
            mass: self.mass + other.mass,
            moment: self.moment + other.moment,
            linear: self.linear + other.linear,
            angular: self.angular + other.angular,
        }
    }
}

/// Motion of some vertices, per unit of areal density.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RingMotion {
    /// Where the moments are taken about \[m\]. Near the ring, so that they do not cancel.
    reference: DVec3,
    mass: f64,
    moment: DVec3,
    linear: DVec3,
    angular: DVec3,
    kinetic: f64,
    /// Linear momentum one substep earlier.
    last: DVec3,
}

/// A vertex of the ring.
#[derive(Clone, Copy, Debug)]
struct Body {
    v: VertexKey,
    /// Lumped mass per areal density \[m²\].
    mass: f64,
    /// Position from the reference \[m\].
    arm: DVec3,
    velocity: DVec3,
    /// Velocity one substep earlier.
    last: Option<DVec3>,
    is_free: bool,
}

impl RingMotion {
    /// Measures the motion of the ring that an edit is about to change.
    pub fn measure(mesh: &HalfedgeMesh, attributes: &SheetAttributes, ring: &[VertexKey]) -> Self {
        let reference = attributes.vertices[ring[0]].position;
        Self::of_bodies(&collect_bodies(mesh, attributes, ring, reference), reference)
    }

    fn of_bodies(bodies: &[Body], reference: DVec3) -> Self {
        let mut motion = Self {
            reference,
            mass: 0.0,
            moment: DVec3::ZERO,
            linear: DVec3::ZERO,
            angular: DVec3::ZERO,
            kinetic: 0.0,
            last: DVec3::ZERO,
        };
        for body in bodies {
            let momentum = body.mass * body.velocity;
            motion.mass += body.mass;
            motion.moment += body.mass * body.arm;
            motion.linear += momentum;
            motion.angular += body.arm.cross(momentum);
            motion.kinetic += 0.5 * momentum.dot(body.velocity);
            motion.last += body.mass * body.last.unwrap_or(DVec3::ZERO);
        }
        motion
    }

    fn center(&self) -> DVec3 {
        self.moment / self.mass
    }

    /// Angular momentum about the center of mass.
    fn spin(&self) -> DVec3 {
        self.angular - self.center().cross(self.linear)
    }

    /// The momentum of the ring if it has another mass and its center the same velocity.
    fn linear_at(&self, mass: f64) -> DVec3 {
        if self.has_mass(mass) { self.linear } else { self.linear * (mass / self.mass) }
    }

    fn has_mass(&self, mass: f64) -> bool {
        (mass - self.mass).abs() <= MASS_SLACK * self.mass
    }

    /// Corrects the velocities of the ring after the edit. Held vertices count but are not corrected: their motion is
    /// prescribed.
    pub fn restore(
        &self,
        mesh: &HalfedgeMesh,
        attributes: &mut SheetAttributes,
        ring: &[VertexKey],
    ) -> Drift {
        let mut bodies = collect_bodies(mesh, attributes, ring, self.reference);
        if let Some(inertia) = Inertia::of_free(&bodies) {
            let now = Self::of_bodies(&bodies, self.reference);
            let linear = self.linear_at(now.mass) - now.linear;
            let spin = self.spin() - now.spin() - (inertia.center - now.center()).cross(linear);
            let (shift, rate) = (linear / inertia.mass, inertia.rate_of(spin));
            for body in bodies.iter_mut().filter(|body| body.is_free) {
                body.velocity += shift + rate.cross(body.arm - inertia.center);
            }
            self.limit_energy(&mut bodies, &inertia);
            for body in &bodies {
                attributes.vertices[body.v].velocity = body.velocity;
            }
            self.restore_history(attributes, &bodies);
        }
        self.drift_to(&Self::of_bodies(&bodies, self.reference))
    }

    /// Shifts the earlier velocities so that their momentum is what it was: a time integration over two substeps then
    /// keeps momentum, too.
    fn restore_history(&self, attributes: &mut SheetAttributes, bodies: &[Body]) {
        let movable = || bodies.iter().filter(|body| body.is_free && body.last.is_some());
        let mass: f64 = movable().map(|body| body.mass).sum();
        if mass <= 0.0 {
            return;
        }
        let now = Self::of_bodies(bodies, self.reference);
        let last = if self.has_mass(now.mass) { self.last } else { self.last * (now.mass / self.mass) };
        let shift = (last - now.last) / mass;
        for body in movable() {
            if let Some(history) = &mut attributes.vertices[body.v].history {
                history.velocity += shift;
            }
        }
    }

    /// The drift from this motion to a later one with the same reference.
    fn drift_to(&self, now: &Self) -> Drift {
        let mass = now.mass - self.mass;
        Drift {
            mass,
            moment: now.moment - self.moment + mass * self.reference,
            linear: if self.has_mass(now.mass) { DVec3::ZERO } else { now.linear - self.linear },
            angular: now.angular - self.angular + self.reference.cross(now.linear - self.linear),
        }
    }

    /// Scales the non-rigid motion of the free vertices down, until the ring has no more kinetic energy than before
    /// or moves rigidly. Neither momentum changes. A rigid ring may gain energy: with less inertia it turns faster.
    fn limit_energy(&self, bodies: &mut [Body], inertia: &Inertia) {
        let kinetic = Self::of_bodies(bodies, self.reference).kinetic;
        if kinetic <= self.kinetic {
            return;
        }
        let free = || bodies.iter().filter(|body| body.is_free);
        let drift = free().map(|body| body.mass * body.velocity).sum::<DVec3>() / inertia.mass;
        let spin: DVec3 =
            free().map(|body| body.mass * (body.arm - inertia.center).cross(body.velocity)).sum();
        let rate = inertia.rate_of(spin);
        let rest_of = |body: &Body| body.velocity - drift - rate.cross(body.arm - inertia.center);
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

/// Turns whole cloths a little, so that the angular momentum of each about its own center of mass is what it was before
/// the edits that drifted: `drifts` by cloth number. A cloth with held vertices is left alone: the pins take what is
/// missing.
///
/// Takes time proportional to the mesh: once after a series of edits, not after each.
///
/// # Panics
/// If a face belongs to a cloth that has no entry.
pub fn settle_drifts(mesh: &HalfedgeMesh, attributes: &mut SheetAttributes, drifts: &[Drift]) {
    let has_drifted: Vec<bool> = drifts.iter().map(|drift| *drift != Drift::default()).collect();
    if !has_drifted.contains(&true) {
        return;
    }
    let cloths = collect_cloths(mesh, attributes, &has_drifted);
    for (drift, bodies) in drifts.iter().zip(cloths) {
        if bodies.iter().any(|body| !body.is_free) {
            continue;
        }
        let Some(inertia) = Inertia::of_free(&bodies) else { continue };
        let now = RingMotion::of_bodies(&bodies, DVec3::ZERO);
        let before = RingMotion {
            mass: now.mass - drift.mass,
            moment: now.moment - drift.moment,
            linear: now.linear - drift.linear,
            angular: now.angular - drift.angular,
            ..now
        };
        let rate = inertia.rate_of(before.spin() - now.spin());
        for body in bodies {
            attributes.vertices[body.v].velocity += rate.cross(body.arm - inertia.center);
        }
    }
}

/// All vertices of the chosen cloths in key order, with moments about the origin; none of the others.
fn collect_cloths(mesh: &HalfedgeMesh, attributes: &SheetAttributes, chosen: &[bool]) -> Vec<Vec<Body>> {
    let mut faces: Vec<_> =
        mesh.face_keys().filter(|&f| chosen[attributes.faces[f].cloth as usize]).collect();
    faces.sort_unstable();
    let mut vertices: Vec<_> = mesh.vertex_keys().collect();
    vertices.sort_unstable();
    let mut shares = vec![(0.0, 0u32); mesh.vertex_slot_limit()];
    for f in faces {
        let corners = mesh.face_vertices(f).map(slot_of);
        let third = doubled_area(attributes.face_material(mesh, f)) / 6.0;
        for slot in corners {
            let (mass, cloth) = &mut shares[slot];
            *mass += third;
            *cloth = attributes.faces[f].cloth;
        }
    }
    vertices.retain(|&v| shares[slot_of(v)].0 > 0.0);
    let mut cloths = vec![Vec::new(); chosen.len()];
    for v in vertices {
        let vertex = &attributes.vertices[v];
        let (mass, cloth) = shares[slot_of(v)];
        let (arm, velocity, is_free) = (vertex.position, vertex.velocity, vertex.pin.is_none());
        cloths[cloth as usize].push(Body { v, mass, arm, velocity, last: None, is_free });
    }
    cloths
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
                last: vertex.history.map(|history| history.velocity),
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
    /// A moment that is round-off.
    round_off: f64,
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
        // Where one vertex of a ring is free its distance from the center is the round-off of its place in the ring.
        let size = bodies.iter().map(|body| body.arm.length_squared()).fold(0.0, f64::max);
        Some(Self { mass, center, moments, axes, round_off: ROUND_OFF * mass * size })
    }

    /// The angular velocity \[rad/s\] that carries an angular momentum about the center: the pseudo-inverse of the
    /// inertia. A collinear ring has no inertia about its line, a single vertex none at all.
    fn rate_of(&self, angular: DVec3) -> DVec3 {
        let limit = (INERTIA_CUTOFF * self.moments.max_element()).max(self.round_off);
        let along = self.axes.transpose() * angular;
        let mut rate = DVec3::ZERO;
        for k in 0..3 {
            if self.moments[k] > limit {
                rate += self.axes.col(k) * (along[k] / self.moments[k]);
            }
        }
        rate
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
            let (row_p, row_q) = (a[p], a[q]);
            a[p] = std::array::from_fn(|k| c * row_p[k] - s * row_q[k]);
            a[q] = std::array::from_fn(|k| s * row_p[k] + c * row_q[k]);
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
    fn one_free_vertex_is_not_turned_about_itself() {
        let at = |x: f64, is_free| Body {
            v: VertexKey::default(),
            mass: 0.1,
            arm: DVec3::new(x, 0.3 * x, 0.7),
            velocity: DVec3::ZERO,
            last: None,
            is_free,
        };
        let mut inertia =
            Inertia::of_free(&[at(0.1, false), at(0.2, true), at(0.4, false)]).expect("one is free");
        assert_eq!(inertia.rate_of(DVec3::new(1e-3, 2e-3, -1e-3)), DVec3::ZERO);
        // What round-off may leave of it.
        inertia.moments = DVec3::splat(1e-35);
        assert_eq!(inertia.rate_of(DVec3::new(1e-3, 2e-3, -1e-3)), DVec3::ZERO);
    }

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
