//! Obstacles that move by themselves: rigid bodies with a mass, and bodies that follow a path with a force of no more than a limit.
//!
//! Their displacement and rotation are unknowns of the solve beside the positions of the cloths (`taffeta_solve`, `Carrier`). So cloth
//! and body are in balance at the end of each stage, at any length of a substep. Both have the time integration of vertices, see
//! [`crate::step::integrate`]; the inertia tensor counts as constant within a substep, and the gyroscopic torque as an acceleration.
//!
//! The drive of the motion of such an obstacle is its way in the stage: whoever looks for contacts, or for what would cross, sees an
//! obstacle that moves.

use crate::derive::clock::end_of_substep;
use crate::derive::stages::{first_share, stage_share, stage_span};
use crate::derive::world::World;
use crate::model::inertia::{Inertia, coast};
use crate::model::rigid::{RigidStage, RigidState};
use glam::{DMat3, DQuat, DVec3};
use taffeta_contact::{Contact, ContactName, Freedom, Limit, Obstacle};
use taffeta_core::{ContactRow, Drive, Pose, VertexIndex};
use taffeta_solve::drivers::newton::{BodyDrive, Carrier, FrictionSpring};
use taffeta_solve::substeps::LONGEST_SUBSTEP;

/// Stiffness of a contact between bodies, relative to `m/h²`, as that of contacts with cloth.
const RELATIVE_CONTACT_STIFFNESS: f64 = 50.0;
/// Depth by which such a contact may be pressed in, and the distance at which it is looked for at rest \[m\].
const THICKNESS: f64 = 1e-3;
/// Way that a body slides before it bears kinetic friction \[m\], see `JUNCTION` of cloth.
const JUNCTION: f64 = 15e-6;

/// Speed with which a body with a largest force makes up for what it lags behind its path, if nothing resists \[m/s\], and how far it lags
/// under all of this force \[m\].
const FASTEST: f64 = 5.0;
const GIVE: f64 = 5e-5;

/// A contact between bodies.
struct RigidContact {
    row: ContactRow,
    /// Where the point of the first body was at the start, less where it is placed \[m\].
    origin: DVec3,
    /// Mass of the lighter side \[kg\].
    mass: f64,
    carriers: Vec<Carrier>,
    /// The body, the other obstacle, and the point.
    name: (usize, usize, usize),
}

/// The numbers of vertices that stand for a body.
fn vertex_of(world: &World, body: usize) -> u32 {
    (world.state.sheet.topology.vertex_count + 2 * body) as u32
}

/// Lets the bodies go on as they move, for a step of length `dt` \[s\]: how many substeps it takes depends on it.
pub(crate) fn expect_rigid(world: &mut World, dt: f64) {
    let time = world.state.time;
    for body in &world.state.rigid {
        let obstacle = &mut world.setup.obstacles[body.obstacle];
        let to = match &obstacle.freedom {
            Freedom::Free(_) => turned(&body.pose, body.velocity * dt, body.spin * dt),
            _ => path_pose(obstacle, time + dt),
        };
        lead(obstacle, [time, time + dt], [body.pose, to]);
    }
}

/// Begins a substep.
pub(crate) fn begin_rigid(world: &mut World) {
    let obstacles = &world.setup.obstacles;
    let begin = |body: &RigidState| {
        let obstacle = &obstacles[body.obstacle];
        let Freedom::Free(rigid) = &obstacle.freedom else { return RigidStage::default() };
        let moments = rigid.moments(&obstacle.shape, obstacle.place.scale);
        let scales = DVec3::from_array(moments.to_array().map(|moment| (rigid.mass / moment).sqrt()));
        let axes = body.pose.rotation;
        let turned = |diagonal: DVec3| axes * DMat3::from_diagonal(diagonal) * axes.transpose();
        let velocities = [body.velocity, turned(scales.recip()) * body.spin];
        RigidStage { root: turned(scales), velocities, ..RigidStage::default() }
    };
    world.scratch.rigid.stages = world.state.rigid.iter().map(begin).collect();
    world.scratch.rigid.carriers.clear();
}

/// Places the bodies where inertia and gravity, or their paths, lead by the end of a stage of length `h` \[s\].
pub(crate) fn predict_rigid(world: &mut World, h: f64) {
    let (gravity, damping, share) = (world.state.gravity, world.inputs.damping, first_share(world));
    let is_trapezoidal = !world.scratch.accelerations.is_empty();
    let (time, end) = (world.state.time, end_of_substep(world, h));
    let stage_share = stage_share(world);
    for (body, stage) in world.state.rigid.iter().zip(&mut world.scratch.rigid.stages) {
        let obstacle = &world.setup.obstacles[body.obstacle];
        match &obstacle.freedom {
            Freedom::Free(rigid) => {
                let accelerations = [gravity, gyration(stage, body.spin)];
                for k in 0..2 {
                    let (v, a) = (stage.velocities[k], accelerations[k]);
                    let inertia = match stage.first {
                        Some(first) => Inertia::second_stage((DVec3::ZERO, v), first[k], (h, share)),
                        None if is_trapezoidal => Inertia::first_stage(DVec3::ZERO, v, a, h),
                        None => Inertia::euler(DVec3::ZERO, v, h),
                    };
                    stage.inertia[k] = inertia;
                    stage.predicted[k] = inertia.position + coast(inertia, (a, damping)) * inertia.scale;
                }
                let scale = stage.inertia[0].scale;
                stage.stiffness = rigid.mass * (1.0 + damping * scale) / (scale * scale);
            }
            Freedom::Limited(Limit { force, .. }) => {
                let [from, to] = [time, end].map(|time| path_pose(obstacle, time).translation);
                // What lags behind feels all of the force already; the motion of the path is to add nothing.
                let lags = from.distance(body.pose.translation) > 2.0 * GIVE;
                let way = if lags { DVec3::ZERO } else { to - from };
                stage.stiffness = force / (FASTEST * h.max(f64::MIN_POSITIVE) * stage_share);
                stage.predicted = [way, DVec3::ZERO];
            }
            Freedom::Prescribed => {}
        }
        stage.reached = stage.predicted;
    }
    place_rigid(world, h);
}

/// Lets the obstacles move to where their bodies have been placed, within a stage of length `h` \[s\].
fn place_rigid(world: &mut World, h: f64) {
    let (time, end) = (world.state.time, world.state.time + h);
    for (body, stage) in world.state.rigid.iter().zip(&world.scratch.rigid.stages) {
        let obstacle = &mut world.setup.obstacles[body.obstacle];
        let [moved, turn] = stage.reached;
        let to = match &obstacle.freedom {
            Freedom::Free(_) => turned(&body.pose, moved, stage.root * turn),
            _ => Pose {
                rotation: path_pose(obstacle, end).rotation,
                translation: body.pose.translation + moved,
            },
        };
        lead(obstacle, [time, end], [body.pose, to]);
    }
}

/// Lets an obstacle move from one pose to another between two times \[s\].
fn lead(obstacle: &mut Obstacle, [begin, end]: [f64; 2], poses: [Pose; 2]) {
    let rest = obstacle.place.pose().inverse();
    let [from, to] = poses.map(|pose| pose.after(&rest));
    obstacle.motion.drive = Some(Drive { begin, end, from, to });
}

/// Acceleration of the second coordinate of a body that no torque acts on \[m/s²\]: Euler's equations.
fn gyration(stage: &RigidStage, spin: DVec3) -> DVec3 {
    // With `B² = m I⁻¹`, `φ'' = B⁻¹ I⁻¹ (−ω × I ω) = −B (ω × B⁻² ω)`.
    let inverse = stage.root.inverse();
    stage.root * -spin.cross(inverse * (inverse * spin))
}

/// Where the path of an obstacle leads by a time \[s\].
fn path_pose(obstacle: &Obstacle, time: f64) -> Pose {
    let place = &obstacle.place;
    match &obstacle.freedom {
        Freedom::Limited(Limit { path: Some(path), .. }) => {
            path.pose_at(time, place.translate).after(&place.pose())
        }
        _ => obstacle.pose_at(time),
    }
}

/// A pose, moved and turned by a rotation vector: by Cayley's map, which takes no function of an angle and is right to third order.
fn turned(pose: &Pose, moved: DVec3, turn: DVec3) -> Pose {
    let half = turn * 0.5;
    let rotation = DQuat::from_xyzw(half.x, half.y, half.z, 1.0).normalize();
    let before = DQuat::from_mat3(&pose.rotation);
    Pose::new((rotation * before).normalize(), pose.translation + moved)
}

/// Moves the predictions of the second stage by what contacts that last do while their normals turn, as
/// [`turn_loads`](crate::step::integrate::turn_loads) those of the cloths, which they push away.
pub(crate) fn turn_rigid(world: &mut World, h: f64) {
    if world.scratch.first_stage.is_empty() || world.state.rigid.is_empty() {
        return;
    }
    let first = world.state.sheet.topology.vertex_count;
    let lasting = world.state.last.contacts.iter().filter(|contact| contact.borne.load() > 0.0);
    let carried = lasting.filter_map(|contact| {
        let carrier = find_carrier(world, contact)?;
        Some((carrier, (contact.borne.push - contact.row.normal * contact.borne.load()) * (0.5 * h)))
    });
    let carried: Vec<(Carrier, DVec3)> = carried.collect();
    for (carrier, impulse) in carried {
        let stage = &mut world.scratch.rigid.stages[(carrier.vertex as usize - first) / 2];
        let give = 1.0 / (stage.stiffness * stage.inertia[0].scale.max(f64::MIN_POSITIVE));
        if stage.inertia[0].scale > 0.0 {
            stage.predicted[0] -= impulse * give;
            stage.predicted[1] -= carrier.turn.transpose() * impulse * give;
        }
    }
}

/// How the body moves the point of a contact with it.
fn find_carrier(world: &World, contact: &Contact) -> Option<Carrier> {
    let ContactName::Body(_, obstacle) = contact.name else { return None };
    let body = find_body(world, obstacle as usize)?;
    let rows = &world.scratch.rows;
    Some(carrier(world, body, contact.row.interpolate(|vi| rows[vi.0 as usize].position()), -1.0))
}

/// What the bodies add to the unknowns and contacts of a solve.
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
    names: Vec<(usize, usize, usize)>,
}

/// The terms of a stage of length `h` \[s\]; nothing where no obstacle moves by itself.
pub(crate) fn collect_terms(world: &World, h: f64) -> RigidTerms {
    let mut terms = RigidTerms::default();
    if world.state.rigid.is_empty() {
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
            let target = path_pose(obstacle, end_of_substep(world, h)).translation - place;
            let limit = force / share;
            let vertex = vertex_of(world, number);
            terms.drives.push(BodyDrive { vertex, target, stiffness: limit / GIVE, limit });
        }
    }
    let of_cloths = world.state.last.contacts.iter().map(|contact| find_carrier(world, contact));
    terms.carriers.extend(of_cloths.map(|carrier| carrier.into_iter().collect()));
    add_rigid_contacts(world, h, &mut terms);
    terms
}

/// The loads \[N\] that the contacts with obstacles are to bear at least, in the order of the contacts, those that solutions have found included:
/// of each body its largest force, or its weight, in equal parts. A contact that begins would else be as soft as its cloth is light, and let
/// a jaw through before it has borne anything.
pub(crate) fn expected_loads(world: &World) -> Vec<f64> {
    let mut loads = world.scratch.impacts.clone();
    let contacts = &world.state.last.contacts;
    if world.state.rigid.is_empty() {
        return loads;
    }
    loads.resize(contacts.len(), 0.0);
    let touches = |contact: &Contact, body: &RigidState| matches!(contact.name, ContactName::Body(_, number) if number as usize == body.obstacle);
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

/// The body that an obstacle is.
fn find_body(world: &World, obstacle: usize) -> Option<usize> {
    world.state.rigid.iter().position(|body| body.obstacle == obstacle)
}

/// How a body moves a point \[m\] where it is placed.
fn carrier(world: &World, body: usize, point: DVec3, sign: f64) -> Carrier {
    let (state, stage) = (&world.state.rigid[body], &world.scratch.rigid.stages[body]);
    let arm = point - (state.pose.translation + stage.reached[0]);
    // θ × r = −r × θ.
    let cross = DMat3::from_cols(
        DVec3::new(0.0, -arm.z, arm.y),
        DVec3::new(arm.z, 0.0, -arm.x),
        DVec3::new(-arm.y, arm.x, 0.0),
    );
    Carrier { vertex: vertex_of(world, body), turn: cross * stage.root, sign }
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

/// Where points of a free body touch other obstacles, or may within a stage of length `h` \[s\].
fn find_rigid_contacts(world: &World, body: usize, h: f64) -> Vec<RigidContact> {
    let (time, end) = (world.state.time, end_of_substep(world, h));
    let own_number = world.state.rigid[body].obstacle;
    let own = &world.setup.obstacles[own_number];
    let Freedom::Free(rigid) = &own.freedom else { return Vec::new() };
    let (start, placed) = (own.pose_at(time), own.pose_at(end));
    let mut found = Vec::new();
    for (number, other) in world.setup.obstacles.iter().enumerate().filter(|(k, _)| *k != own_number) {
        let (other_start, other_end) = (other.pose_at(time), other.pose_at(end));
        let shape = other.shape.placed(&other_end, other.place.scale);
        for (point, (local, radius)) in own.shape.feelers(own.place.scale).into_iter().enumerate() {
            let center = placed.apply(local);
            let (distance, normal) = shape.signed_distance(center);
            let gap = distance - radius;
            let touching = center - normal * radius;
            let begun = start.apply(placed.apply_inverse(touching));
            let foot = center - normal * distance;
            let moved = foot - other_start.apply(other_end.apply_inverse(foot));
            if gap > THICKNESS + (touching - begun - moved).length() {
                continue;
            }
            let mut carriers = vec![carrier(world, body, touching, 1.0)];
            let mut mass = rigid.mass;
            if let (Some(second), Freedom::Free(rigid)) = (find_body(world, number), &other.freedom) {
                carriers.push(carrier(world, second, foot, -1.0));
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

/// Takes over what a solve has found for the bodies, `moved` \[m\] from where they were placed, and places them there. The contacts count
/// from there on.
pub(crate) fn settle_rigid(world: &mut World, terms: RigidTerms, moved: &[DVec3], h: f64) {
    for (stage, moved) in world.scratch.rigid.stages.iter_mut().zip(moved.chunks_exact(2)) {
        (0..2).for_each(|k| stage.reached[k] += moved[k]);
    }
    let first = world.state.sheet.topology.vertex_count;
    for (contact, carriers) in world.state.last.contacts.iter_mut().zip(&terms.carriers) {
        for carrier in carriers {
            let k = carrier.vertex as usize - first;
            let way = moved[k] + carrier.turn * moved[k + 1];
            contact.row.offset += contact.row.normal.dot(way);
            contact.row.body_displacement += way;
        }
    }
    note_borne(world, &terms);
    world.scratch.rigid.carriers = terms.carriers;
    place_rigid(world, h);
}

/// Notes the friction between bodies for the next substep.
fn note_borne(world: &mut World, terms: &RigidTerms) {
    let share = stage_share(world);
    let World { derived, state, .. } = world;
    let touches = derived.solver.touches().get(state.last.contacts.len()..).unwrap_or_default();
    state.rigid.iter_mut().for_each(|body| body.borne.clear());
    for ((body, other, point), (row, touch)) in terms.names.iter().zip(terms.rows.iter().zip(touches)) {
        if touch.force.dot(row.normal) > 0.0 {
            let friction = touch.force.reject_from_normalized(row.normal) * share;
            state.rigid[*body].borne.push((*other, *point, friction));
        }
    }
}

/// Notes how the bodies move at the end of the first of two stages.
pub(crate) fn note_first_rigid(world: &mut World) {
    let first = world.state.sheet.topology.vertex_count;
    let mut jolts = vec![DVec3::ZERO; 2 * world.state.rigid.len()];
    let touches = world.derived.solver.touches();
    for (carriers, touch) in world.scratch.rigid.carriers.iter().zip(touches) {
        for carrier in carriers {
            let k = carrier.vertex as usize - first;
            jolts[k] += touch.force * carrier.sign;
            jolts[k + 1] += carrier.turn.transpose() * touch.force * carrier.sign;
        }
    }
    for (stage, jolts) in world.scratch.rigid.stages.iter_mut().zip(jolts.chunks_exact(2)) {
        let free = |k: usize| {
            let Inertia { position, scale, .. } = stage.inertia[k];
            // The stiffness is the mass over the square of the scale.
            let velocity = (stage.reached[k] - position) / scale;
            (stage.reached[k], velocity - jolts[k] / (stage.stiffness * scale))
        };
        stage.first = Some([0, 1].map(free));
    }
}

/// Takes over where the bodies are at the end of a substep of length `h` \[s\], and how they move.
pub(crate) fn finish_rigid(world: &mut World, h: f64) {
    let end = world.state.time + h;
    for (body, stage) in world.state.rigid.iter_mut().zip(&world.scratch.rigid.stages) {
        let obstacle = &world.setup.obstacles[body.obstacle];
        body.pose = obstacle.pose_at(end);
        (body.velocity, body.spin) = match &obstacle.freedom {
            Freedom::Free(rigid) => {
                let velocity = |k: usize| {
                    let Inertia { position, scale, .. } = stage.inertia[k];
                    (stage.reached[k] - position) / scale
                };
                body.mobility = (1.0 / rigid.mass, stage.root * stage.root / rigid.mass);
                (velocity(0), stage.root * velocity(1))
            }
            _ => (stage.reached[0] / h, DVec3::ZERO),
        };
    }
}
