//! Terms of the obstacles that move by themselves in the solve: unknowns, contacts with cloths and with each other, drives.

use crate::derive::clock::end_of_substep;
use crate::derive::stages::{stage_share, stage_span};
use crate::derive::world::World;
use crate::model::rigid::{Placed, RigidState};
use glam::DVec3;
use taffeta_contact::{Contact, ContactName, Freedom, Limit};
use taffeta_core::{ContactRow, VertexIndex};
use taffeta_solve::drivers::newton::{BodyDrive, Carrier, FrictionSpring};
use taffeta_solve::substeps::LONGEST_SUBSTEP;

/// Stiffness of a contact between bodies, relative to `m/h²`, as that of contacts with cloth.
const RELATIVE_CONTACT_STIFFNESS: f64 = 50.0;
/// Depth by which such a contact may be pressed in, and the distance at which it is looked for at rest \[m\].
const THICKNESS: f64 = 1e-3;
/// Way that a body slides before it bears kinetic friction \[m\], see `JUNCTION` of cloth.
const JUNCTION: f64 = 15e-6;

/// Lag of a body behind its path under all of its largest force \[m\].
pub(crate) const GIVE: f64 = 5e-5;

/// A contact between bodies.
struct RigidContact {
    row: ContactRow,
    /// Place of the point of the first body at the start, less that where it is placed \[m\].
    origin: DVec3,
    /// Mass of the lighter side \[kg\].
    mass: f64,
    carriers: Vec<Carrier>,
    /// The body, the other obstacle, and the point.
    name: (usize, usize, usize),
}

/// The bodies where they are placed.
fn placed(world: &World) -> Placed<'_> {
    let first = world.state.sheet.topology.vertex_count;
    Placed { states: &world.state.rigid, stages: &world.scratch.rigid.stages, first }
}

/// Terms of the bodies in a solve.
#[derive(Default)]
pub(crate) struct RigidTerms {
    /// Of the vertices that stand for bodies: inertia \[N/m\], predictions \[m\], and what is held.
    pub inertia: Vec<f64>,
    pub predicted: Vec<DVec3>,
    pub held: Vec<[bool; 3]>,
    /// The bodies that move the points of all contacts, those of cloths first.
    pub carriers: Vec<Vec<Carrier>>,
    /// Contacts between bodies.
    pub rows: Vec<ContactRow>,
    pub springs: Vec<FrictionSpring>,
    pub stiffnesses: Vec<f64>,
    pub drives: Vec<BodyDrive>,
    pub names: Vec<(usize, usize, usize)>,
}

/// The terms of a stage of length `h` \[s\]; nothing where no obstacle moves by itself.
pub(crate) fn collect_terms(world: &World, h: f64) -> RigidTerms {
    let mut terms = RigidTerms::default();
    if world.state.rigid.is_empty() {
        return terms;
    }
    if world.inputs.stands_still {
        // In the search for an equilibrium they stand as all obstacles do.
        let count = 2 * world.state.rigid.len();
        terms.inertia = vec![1.0; count];
        terms.predicted = vec![DVec3::ZERO; count];
        terms.held = vec![[true; 3]; count];
        return terms;
    }
    let share = stage_share(world);
    for (number, (body, stage)) in world.state.rigid.iter().zip(&world.scratch.rigid.stages).enumerate() {
        terms.inertia.extend([stage.stiffness; 2]);
        terms.predicted.extend([0, 1].map(|k| stage.predicted[k] - stage.reached[k]));
        let obstacle = &world.setup.obstacles[body.obstacle];
        let is_free = matches!(obstacle.freedom, Freedom::Free(_));
        terms.held.extend([[false; 3], [!is_free; 3]]);
        if let Freedom::Limited(Limit { force, .. }) = &obstacle.freedom {
            let place = body.pose.translation + stage.reached[0];
            let target = obstacle.path_pose_at(end_of_substep(world, h)).translation - place;
            let limit = force / share;
            let vertex = placed(world).vertex(number);
            terms.drives.push(BodyDrive { vertex, target, stiffness: limit / GIVE, limit });
        }
    }
    let (placed, rows) = (placed(world), &world.scratch.rows);
    let of_cloths = world.state.last.contacts.iter().map(|contact| placed.carrier_of(contact, rows));
    terms.carriers.extend(of_cloths.map(|carrier| carrier.into_iter().collect()));
    add_rigid_contacts(world, h, &mut terms);
    terms
}

/// The loads \[N\] that the contacts with obstacles are to bear at least, in the order of the contacts, those that solutions have found
/// included. A body brings its largest force, or its weight, in equal parts. A contact that begins would else be as soft as its cloth is
/// light, and let a jaw through before it has borne anything.
pub(crate) fn expected_loads(world: &World) -> Vec<f64> {
    let mut loads = world.scratch.impacts.clone();
    let contacts = &world.state.last.contacts;
    if world.state.rigid.is_empty() || world.inputs.stands_still {
        return loads;
    }
    loads.resize(contacts.len(), 0.0);
    let touches = |contact: &Contact, body: &RigidState| match contact.name {
        ContactName::Body(_, number) => number as usize == body.obstacle,
        ContactName::Pair(_) => false,
    };
    let mut of_vertices = vec![0.0; world.state.sheet.topology.vertex_count];
    for body in &world.state.rigid {
        let count = contacts.iter().filter(|contact| touches(contact, body)).count();
        let force = match &world.setup.obstacles[body.obstacle].freedom {
            Freedom::Limited(limit) => limit.force,
            Freedom::Free(rigid) => rigid.mass * world.state.gravity.length(),
            Freedom::Prescribed => 0.0,
        };
        for Contact { row, .. } in contacts.iter().filter(|contact| touches(contact, body)) {
            for (vi, s) in row.vertices.into_iter().zip(row.weights) {
                of_vertices[vi.0 as usize] += s * force / count as f64;
            }
        }
    }
    // Also with what is on the other side of the cloth.
    for (load, Contact { row, .. }) in loads.iter_mut().zip(contacts).filter(|(_, c)| !c.row.is_mutual()) {
        let corners = row.vertices.into_iter().zip(row.weights);
        *load = load.max(corners.map(|(vi, s)| s * of_vertices[vi.0 as usize]).sum());
    }
    loads
}

/// Adds the contacts of the bodies with other obstacles in closed form.
fn add_rigid_contacts(world: &World, h: f64, terms: &mut RigidTerms) {
    let (share, span) = (stage_share(world), stage_span(world, h).min(LONGEST_SUBSTEP));
    for body in 0..world.state.rigid.len() {
        for contact in find_rigid_contacts(world, body, h) {
            let RigidContact { row, origin, mass, carriers, name } = contact;
            let stiffness = RELATIVE_CONTACT_STIFFNESS * mass / (span * span) / share;
            let borne = &world.state.rigid[body].borne;
            let borne = borne.iter().find(|(other, point, _)| (*other, *point) == (name.1, name.2));
            let carried = borne.map_or(DVec3::ZERO, |(.., force)| *force / share);
            terms.rows.push(row);
            terms.springs.push(FrictionSpring { origin, carried, stiffness, left: JUNCTION });
            terms.stiffnesses.push(stiffness);
            terms.carriers.push(carriers);
            terms.names.push(name);
        }
    }
}

/// The points at which a free body touches other obstacles, or may within a stage of length `h` \[s\].
fn find_rigid_contacts(world: &World, body: usize, h: f64) -> Vec<RigidContact> {
    let (time, end) = (world.state.time, end_of_substep(world, h));
    let own_number = world.state.rigid[body].obstacle;
    let own = &world.setup.obstacles[own_number];
    let Freedom::Free(rigid) = &own.freedom else { return Vec::new() };
    let (start, place) = (own.pose_at(time), own.pose_at(end));
    let mut found = Vec::new();
    for (number, other) in world.setup.obstacles.iter().enumerate().filter(|(k, _)| *k != own_number) {
        let (other_start, other_end) = (other.pose_at(time), other.pose_at(end));
        let shape = other.shape.placed(&other_end, other.place.scale);
        for (point, (local, radius)) in own.shape.feelers(own.place.scale).into_iter().enumerate() {
            let center = place.apply(local);
            let (distance, normal) = shape.signed_distance(center);
            let gap = distance - radius;
            let touching = center - normal * radius;
            let begun = start.apply(place.apply_inverse(touching));
            let foot = center - normal * distance;
            let moved = foot - other_start.apply(other_end.apply_inverse(foot));
            if gap > THICKNESS + (touching - begun - moved).length() {
                continue;
            }
            let mut carriers = vec![placed(world).carrier(body, touching, 1.0)];
            let mut mass = rigid.mass;
            if let (Some(second), Freedom::Free(rigid)) = (placed(world).find(number), &other.freedom) {
                carriers.push(placed(world).carrier(second, foot, -1.0));
                mass = mass * rigid.mass / (mass + rigid.mass);
            }
            let friction = own.friction.pair(other.friction);
            let row = ContactRow {
                vertices: [VertexIndex(0); 4],
                weights: [0.0; 4],
                normal,
                offset: -gap,
                thickness: THICKNESS,
                body_displacement: moved,
                static_friction: friction.static_,
                kinetic_friction: friction.kinetic,
            };
            let name = (body, number, point);
            found.push(RigidContact { row, origin: begun - touching, mass, carriers, name });
        }
    }
    found
}
