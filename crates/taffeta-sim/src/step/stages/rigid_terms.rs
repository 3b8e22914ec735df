//! Terms of the obstacles that move by themselves in the solve: unknowns, contacts with cloths and with each other, drives.

use crate::contact::stiffness::{JUNCTION, RELATIVE_CONTACT_STIFFNESS};
use crate::derive::clock::end_of_substep;
use crate::derive::facts::Facts;
use crate::derive::stages::{stage_share, stage_span};
use crate::model::setup::Setup;
use crate::model::state::State;
use crate::model::state::rigid::{Placed, RigidState};
use crate::model::workspace::Workspace;
use glam::DVec3;
use taffeta_contact::{Contact, ContactName, Freedom, Limit, Obstacle};
use taffeta_core::{ContactRow, VertexIndex};
use taffeta_solve::drivers::newton::{BodyDrive, Carrier, FrictionSpring};
use taffeta_solve::substeps::LONGEST_SUBSTEP;

/// Depth by which such a contact may be pressed in, and the distance at which it is looked for at rest \[m\].
const THICKNESS: f64 = 1e-3;

/// Lag of a body behind its path under all of its largest force \[m\].
pub(crate) const GIVE: f64 = 5e-5;

/// A contact between bodies.
struct RigidContact {
    row: ContactRow,
    /// Place of the point of the first body at the start, less that where it is placed \[m\].
    origin: DVec3,
    /// The reduced mass \[kg\].
    mass: f64,
    carriers: Vec<Carrier>,
    /// The body, the other obstacle, and the point.
    name: (usize, usize, usize),
}

/// The bodies where they are placed.
fn placed<'a>(state: &'a State, work: &'a Workspace) -> Placed<'a> {
    let first = state.sheet.topology.vertex_count;
    Placed { states: &state.rigid, stages: &work.rigid.stages, first }
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
pub(crate) fn collect_terms(facts: Facts<'_>, work: &Workspace, h: f64) -> RigidTerms {
    let Facts { setup, inputs, state, .. } = facts;
    let mut terms = RigidTerms::default();
    if state.rigid.is_empty() {
        return terms;
    }
    if inputs.stands_still {
        // In the search for an equilibrium they stand as all obstacles do.
        let count = 2 * state.rigid.len();
        terms.inertia = vec![1.0; count];
        terms.predicted = vec![DVec3::ZERO; count];
        terms.held = vec![[true; 3]; count];
        return terms;
    }
    let share = stage_share(facts, work);
    for (number, (body, stage)) in state.rigid.iter().zip(&work.rigid.stages).enumerate() {
        terms.inertia.extend([stage.stiffness; 2]);
        terms.predicted.extend([0, 1].map(|k| stage.predicted[k] - stage.reached[k]));
        let obstacle = &setup.obstacles[body.obstacle];
        let is_free = matches!(obstacle.freedom, Freedom::Free(_));
        terms.held.extend([[stage.is_stopped; 3], [stage.is_stopped || !is_free; 3]]);
        if let Freedom::Limited(Limit { force, .. }) = &obstacle.freedom {
            let place = body.pose.translation + stage.reached[0];
            let target = obstacle.path_pose_at(end_of_substep(facts, h)).translation - place;
            let limit = force / share;
            let vertex = placed(state, work).vertex(number);
            terms.drives.push(BodyDrive { vertex, target, stiffness: limit / GIVE, limit });
        }
    }
    let (placed, rows) = (placed(state, work), &work.rows);
    let of_cloths = state.last.contacts.iter().map(|contact| placed.carrier_of(contact, rows));
    terms.carriers.extend(of_cloths.map(|carrier| carrier.into_iter().collect()));
    add_rigid_contacts(facts, work, h, &mut terms);
    terms
}

/// The loads \[N\] that the contacts with obstacles are to bear at least, in the order of the contacts, those that solutions have found
/// included. A body brings its largest force, or its weight, in equal parts. A contact that begins would else be as soft as its cloth is
/// light, and let a jaw through before it has borne anything.
pub(crate) fn expected_loads(facts: Facts<'_>, work: &Workspace) -> Vec<f64> {
    let Facts { setup, inputs, state, .. } = facts;
    let mut loads = work.impacts.clone();
    let contacts = &state.last.contacts;
    if state.rigid.is_empty() || inputs.stands_still {
        return loads;
    }
    loads.resize(contacts.len(), 0.0);
    let touches = |contact: &Contact, body: &RigidState| match contact.name {
        ContactName::Body(_, number) => number as usize == body.obstacle,
        ContactName::Pair(_) => false,
    };
    let mut of_vertices = vec![0.0; state.sheet.topology.vertex_count];
    for body in &state.rigid {
        let count = contacts.iter().filter(|contact| touches(contact, body)).count();
        let force = match &setup.obstacles[body.obstacle].freedom {
            Freedom::Limited(limit) => limit.force,
            Freedom::Free(rigid) => rigid.mass * state.gravity.length(),
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
fn add_rigid_contacts(facts: Facts<'_>, work: &Workspace, h: f64, terms: &mut RigidTerms) {
    let state = facts.state;
    let (share, span) = (stage_share(facts, work), stage_span(facts, work, h).min(LONGEST_SUBSTEP));
    for body in 0..state.rigid.len() {
        for contact in find_rigid_contacts(facts, work, body, h) {
            let RigidContact { row, origin, mass, carriers, name } = contact;
            let stiffness = RELATIVE_CONTACT_STIFFNESS * mass / (span * span) / share;
            let borne = &state.rigid[body].borne;
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

/// The points at which a free body touches other obstacles, or may within a stage of length `h` \[s\]. They are points of the body at the
/// other and of the other at the body. Of two free bodies each brings its own points.
fn find_rigid_contacts(facts: Facts<'_>, work: &Workspace, body: usize, h: f64) -> Vec<RigidContact> {
    let Facts { setup, state, .. } = facts;
    let placed = placed(state, work);
    let times = [state.time, end_of_substep(facts, h)];
    let own_number = state.rigid[body].obstacle;
    let own = &setup.obstacles[own_number];
    if !matches!(own.freedom, Freedom::Free(_)) {
        return Vec::new();
    }
    let mut found = Vec::new();
    for (number, other) in setup.obstacles.iter().enumerate().filter(|(k, _)| *k != own_number) {
        let own_points = own.shape.feelers(own.place.scale);
        let count = own_points.len();
        let mut add = |points: Vec<(DVec3, f64)>, first: usize, is_own: bool| {
            let (from, against) = if is_own { (own, other) } else { (other, own) };
            for (point, rounded) in (first..).zip(points) {
                let meeting = Meeting::find(from, against, rounded, times);
                let Some(meeting) = meeting else { continue };
                let meeting = if is_own { meeting } else { meeting.turned() };
                found.push(describe(setup, &placed, (body, number, point), meeting));
            }
        };
        add(own_points, 0, true);
        if !matches!(other.freedom, Freedom::Free(_)) {
            add(other.shape.feelers(other.place.scale), count, false);
        }
    }
    found
}

/// The nearest points of two obstacles at the end of a stage.
#[derive(Clone, Copy, Debug)]
struct Meeting {
    /// Unit normal from the second to the first, and the distance along it \[m\].
    normal: DVec3,
    gap: f64,
    /// The points of both \[m\], and how each has moved in the stage \[m\].
    points: [DVec3; 2],
    ways: [DVec3; 2],
}

impl Meeting {
    /// The meeting of a rounded point of one obstacle with another one between two times \[s\]; `None`: it is too far away.
    fn find(
        from: &Obstacle,
        against: &Obstacle,
        rounded: (DVec3, f64),
        [start, end]: [f64; 2],
    ) -> Option<Self> {
        let (local, radius) = rounded;
        let center = from.pose_at(end).apply(local);
        let shape = against.shape.placed(&against.pose_at(end), against.place.scale);
        let (distance, normal) = shape.signed_distance(center);
        let points = [center - normal * radius, center - normal * distance];
        let way = |obstacle: &Obstacle, point: DVec3| {
            point - obstacle.pose_at(start).apply(obstacle.pose_at(end).apply_inverse(point))
        };
        let ways = [way(from, points[0]), way(against, points[1])];
        let gap = distance - radius;
        (gap <= THICKNESS + (ways[0] - ways[1]).length()).then_some(Self { normal, gap, points, ways })
    }

    /// Exchanges the two obstacles.
    fn turned(self) -> Self {
        let Self { normal, gap, points: [a, b], ways: [v, w] } = self;
        Self { normal: -normal, gap, points: [b, a], ways: [w, v] }
    }
}

/// The contact of a body with another obstacle by its name.
fn describe(
    setup: &Setup,
    placed: &Placed<'_>,
    name: (usize, usize, usize),
    meeting: Meeting,
) -> RigidContact {
    let (body, number, _) = name;
    let Meeting { normal, gap, points, ways } = meeting;
    let [own, other] = [placed.states[body].obstacle, number].map(|k| &setup.obstacles[k]);
    let mass_of = |obstacle: &Obstacle| match &obstacle.freedom {
        Freedom::Free(rigid) => rigid.mass,
        _ => f64::INFINITY,
    };
    let mut carriers = vec![placed.carrier(body, points[0], 1.0)];
    if let (Some(second), true) = (placed.find(number), mass_of(other).is_finite()) {
        carriers.push(placed.carrier(second, points[1], -1.0));
    }
    let friction = own.friction.pair(other.friction);
    let row = ContactRow {
        vertices: [VertexIndex(0); 4],
        weights: [0.0; 4],
        normal,
        offset: -gap,
        thickness: THICKNESS,
        body_displacement: ways[1],
        friction,
    };
    let mass = 1.0 / (1.0 / mass_of(own) + 1.0 / mass_of(other));
    RigidContact { row, origin: -ways[0], mass, carriers, name }
}
