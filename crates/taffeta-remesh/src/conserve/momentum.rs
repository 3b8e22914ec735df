//! Keeping momentum over an edit.
//!
//! An edit shifts lumped mass between the vertices of a ring, and with it momentum and kinetic energy. The velocities of
//! the ring's free vertices are corrected by `δv_i = ΔP/M + ω×(x_i − c)`, `I ω = ΔL`; if the kinetic energy rose, the
//! part of their motion that is not rigid is scaled down.
//!
//! `ΔL` is the change of the *spin*: the angular momentum about the ring's center of mass, where that is before and after.
//! Collapses and flips move the center, so that the angular momentum about a fixed point changes by `Δ(m c) × V`. Undoing that
//! on the one-ring as well was rejected: a sheet that falls without turning would get a local spin of about `V/10h` from every
//! flip. It is a [`MomentumDrift`] instead, tiny beside the sheet, and [`restore_momenta_of_sheets`] gives it back to the whole sheet.
//!
//! In a pass that is [paid for](crate::Pass::is_paid_for) rings are turned together after all edits ([`SpinRule::Spread`]). A split
//! leaves every velocity unchanged, but gathers lumped mass in its middle. A one-ring that keeps its spin turns faster, as
//! coarse faces turn too slowly, and slower again when the vertex goes. But rings that overlap do not undo each other, and what
//! each of them gets alone rings from vertex to vertex.
//!
//! A ring with held vertices keeps its linear momentum alone: the pins take what angular momentum is missing. The free
//! vertices have too little inertia for it where they are few, and none at all where there is one.
//!
//! An edit may change the mass if a rest shape in space moves. Then the velocity of the center of mass is kept: a cloth that
//! falls goes on falling as one. Keeping momentum would shake it by `Δm/m` of its speed.
//!
//! The areal density is uniform over a cloth, so it cancels: masses here are thirds of material areas \[m²\].

use crate::attributes::{SheetAttributes, lumped_mass};
use crate::conserve::inertia::{Body, Inertia};
use crate::conserve::owed::OwedMomenta;
use glam::DVec3;
use taffeta_core::geometry::doubled_area;
use taffeta_mesh::{FaceKey, HalfedgeMesh, VertexKey, slot_of};

/// A relative change of mass below this is round-off.
const MASS_SLACK: f64 = 1e-12;

/// Changes by edits beyond the ring: the sheet's mass, center and angular momentum, per unit of areal density.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct MomentumDrift {
    /// Change of the mass \[m²\]: zero but for outlines that are not quite straight and rest shapes in space.
    pub mass: f64,
    /// Change of mass times center \[m³\].
    pub moment: DVec3,
    /// Change of the momentum, that of the mass \[m³/s\].
    pub linear: DVec3,
    /// Change of the angular momentum about the origin \[m⁴/s\].
    pub angular: DVec3,
}

impl MomentumDrift {
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

/// Receiver of the angular momentum that an edit changes.
#[derive(Clone, Copy, Debug)]
pub(crate) enum SpinRule<'a> {
    /// At once, on the ring, whose kinetic energy is kept down.
    OnRing,
    /// After all edits, [`redistribution`](super::redistribution) over the one-rings and their surroundings. The remainder and the drift go to
    /// the whole sheet, in a pass after which the energy of the whole sheet is measured.
    Spread(&'a OwedMomenta),
}

/// Motion of some vertices, per unit of areal density.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RingMotion {
    /// Point about which the moments are taken \[m\]. It is near the ring, so that they do not cancel.
    reference: DVec3,
    mass: f64,
    moment: DVec3,
    linear: DVec3,
    angular: DVec3,
    kinetic: f64,
}

impl RingMotion {
    /// Measures the motion of the ring that an edit is about to change.
    pub(crate) fn measure(mesh: &HalfedgeMesh, attributes: &SheetAttributes, ring: &[VertexKey]) -> Self {
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
        };
        for body in bodies {
            let momentum = body.mass * body.velocity;
            motion.mass += body.mass;
            motion.moment += body.mass * body.arm;
            motion.linear += momentum;
            motion.angular += body.arm.cross(momentum);
            motion.kinetic += 0.5 * momentum.dot(body.velocity);
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
    pub(crate) fn restore(
        &self,
        mesh: &HalfedgeMesh,
        attributes: &mut SheetAttributes,
        ring: &[VertexKey],
        spin: SpinRule<'_>,
    ) -> MomentumDrift {
        let mut bodies = collect_bodies(mesh, attributes, ring, self.reference);
        let has_changed = match spin {
            SpinRule::OnRing => self.restore_bodies(&mut bodies),
            SpinRule::Spread(owed) => {
                let mut turned = bodies.clone();
                self.restore_momenta(&mut turned);
                let has_changed = self.restore_linear(&mut bodies);
                let gaps =
                    turned.iter().zip(&bodies).map(|(to, body)| body.mass * (to.velocity - body.velocity));
                owed.add(ring.iter().copied().zip(gaps));
                has_changed
            }
        };
        if has_changed {
            for (v, body) in ring.iter().zip(&bodies) {
                attributes.vertices[*v].velocity = body.velocity;
            }
        }
        self.drift_to(&Self::of_bodies(&bodies, self.reference))
    }

    /// Restores both momenta of bodies whose arms are from the same reference, within the energy. Returns whether any
    /// of them is free.
    fn restore_bodies(&self, bodies: &mut [Body]) -> bool {
        let Some(inertia) = self.restore_momenta(bodies) else { return false };
        self.limit_energy(bodies, &inertia);
        true
    }

    /// Restores both momenta whatever the energy; `None`: no body is free.
    fn restore_momenta(&self, bodies: &mut [Body]) -> Option<Inertia> {
        let inertia = Inertia::of_free(bodies)?;
        let now = Self::of_bodies(bodies, self.reference);
        let linear = self.linear_at(now.mass) - now.linear;
        let spin = self.spin() - now.spin() - (inertia.center - now.center()).cross(linear);
        let (shift, rate) = (linear / inertia.mass, inertia.rate_of(spin));
        for body in bodies.iter_mut().filter(|body| body.is_free) {
            body.velocity += shift + rate.cross(body.arm - inertia.center);
        }
        Some(inertia)
    }

    /// Restores linear momentum alone; whether any body is free.
    fn restore_linear(&self, bodies: &mut [Body]) -> bool {
        let free: f64 = bodies.iter().filter(|body| body.is_free).map(|body| body.mass).sum();
        if free <= 0.0 {
            return false;
        }
        let now = Self::of_bodies(bodies, self.reference);
        let shift = (self.linear_at(now.mass) - now.linear) / free;
        bodies.iter_mut().filter(|body| body.is_free).for_each(|body| body.velocity += shift);
        true
    }

    /// Scales the motion of what this is the motion of down, but for what is rigid, until it has no more kinetic energy. Of
    /// another mass it may have that much more.
    pub(crate) fn limit(
        &self,
        mesh: &HalfedgeMesh,
        attributes: &mut SheetAttributes,
        vertices: &[VertexKey],
    ) {
        let mut bodies = collect_bodies(mesh, attributes, vertices, self.reference);
        let mass: f64 = bodies.iter().map(|body| body.mass).sum();
        let kinetic = if self.has_mass(mass) { self.kinetic } else { self.kinetic * (mass / self.mass) };
        let Some(inertia) = Inertia::of_free(&bodies) else { return };
        Self { kinetic, ..*self }.limit_energy(&mut bodies, &inertia);
        for (v, body) in vertices.iter().zip(&bodies) {
            attributes.vertices[*v].velocity = body.velocity;
        }
    }

    /// The drift from this motion to a later one with the same reference.
    fn drift_to(&self, now: &Self) -> MomentumDrift {
        let mass = now.mass - self.mass;
        MomentumDrift {
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

/// Turns whole cloths a little, so that the angular momentum of each about its own center of mass is what it was before the
/// edits that drifted. `drifts` is by cloth number; later cloths have not drifted. A cloth with held vertices is left alone:
/// the pins take what is missing.
///
/// Takes time proportional to the mesh: once after a series of edits, not after each.
pub fn restore_momenta_of_sheets(
    mesh: &HalfedgeMesh,
    attributes: &mut SheetAttributes,
    drifts: &[MomentumDrift],
) {
    let has_drifted: Vec<bool> = drifts.iter().map(|drift| *drift != MomentumDrift::default()).collect();
    if !has_drifted.contains(&true) {
        return;
    }
    let cloths = collect_cloths(mesh, attributes, &has_drifted);
    for (drift, (vertices, bodies)) in drifts.iter().zip(cloths) {
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
        for (v, body) in vertices.iter().zip(&bodies) {
            attributes.vertices[*v].velocity += rate.cross(body.arm - inertia.center);
        }
    }
}

/// A vertex that has been moved though its velocity says nothing of it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MovedVertex {
    /// Mass \[kg\].
    pub mass: f64,
    /// Its positions before and now \[m\].
    pub path: [DVec3; 2],
    /// Velocity \[m/s\].
    pub velocity: DVec3,
    /// True if nothing holds it.
    pub is_free: bool,
}

/// Corrects the velocities of a connected piece of cloth of which vertices were moved. It keeps linear and angular momentum
/// about its center of mass. It has no more kinetic energy than before, as far as its motion is not rigid. A piece with held
/// vertices keeps its linear momentum alone.
pub fn restore_momenta_of_piece(vertices: &mut [MovedVertex]) {
    let Some(reference) = vertices.first().map(|vertex| vertex.path[0]) else { return };
    let before = RingMotion::of_bodies(&bodies_at(vertices, 0, reference), reference);
    let mut after = bodies_at(vertices, 1, reference);
    before.restore_bodies(&mut after);
    vertices.iter_mut().zip(after).for_each(|(vertex, body)| vertex.velocity = body.velocity);
}

/// Takes kinetic energy \[J\] from the non-rigid motion of a connected piece of cloth, as much as there is up to `amount`. That
/// motion is scaled down, so that both momenta stay. Returns how much that was. Positions are the later ones of the paths.
pub fn slow_within(vertices: &mut [MovedVertex], amount: f64) -> f64 {
    let Some(reference) = vertices.first().map(|vertex| vertex.path[1]) else { return 0.0 };
    let mut bodies = bodies_at(vertices, 1, reference);
    let Some(inertia) = Inertia::of_free(&bodies) else { return 0.0 };
    let before = RingMotion::of_bodies(&bodies, reference);
    RingMotion { kinetic: before.kinetic - amount, ..before }.limit_energy(&mut bodies, &inertia);
    vertices.iter_mut().zip(&bodies).for_each(|(vertex, body)| vertex.velocity = body.velocity);
    before.kinetic - RingMotion::of_bodies(&bodies, reference).kinetic
}

/// Vertices as they are at one end of their paths.
fn bodies_at(vertices: &[MovedVertex], end: usize, reference: DVec3) -> Vec<Body> {
    let body = |vertex: &MovedVertex| Body {
        mass: vertex.mass,
        arm: vertex.path[end] - reference,
        velocity: vertex.velocity,
        is_free: vertex.is_free,
    };
    vertices.iter().map(body).collect()
}

/// All vertices of the chosen cloths in key order, with moments about the origin; none of the others, nor of cloths beyond
/// the list.
pub(crate) fn collect_cloths(
    mesh: &HalfedgeMesh,
    attributes: &SheetAttributes,
    chosen: &[bool],
) -> Vec<(Vec<VertexKey>, Vec<Body>)> {
    let is_chosen = |f: &FaceKey| chosen.get(attributes.faces[*f].cloth as usize) == Some(&true);
    let mut faces: Vec<_> = mesh.face_keys().filter(is_chosen).collect();
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
    let mut cloths = vec![(Vec::new(), Vec::new()); chosen.len()];
    for v in vertices {
        let vertex = &attributes.vertices[v];
        let (mass, cloth) = shares[slot_of(v)];
        let (arm, velocity, is_free) = (vertex.position, vertex.velocity, vertex.hold.is_none());
        let (keys, bodies) = &mut cloths[cloth as usize];
        keys.push(v);
        bodies.push(Body { mass, arm, velocity, is_free });
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
                mass: lumped_mass(mesh, attributes, v, 1.0),
                arm: vertex.position - reference,
                velocity: vertex.velocity,
                is_free: vertex.hold.is_none(),
            }
        })
        .collect()
}
