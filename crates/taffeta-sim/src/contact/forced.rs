//! Reports of CCD: forced intersections, and present ones.
//!
//! Pins and obstacles cannot be stopped. An intersection that they force is counted in the substep in which it happens, with
//! its bodies and its place. Pairs that intersect afterwards are in quarantine.

use crate::contact::path::ContactPath;
use crate::derive::bodies::{body_count, body_name, contact_body_name, offset_of_body, shape_name};
use crate::derive::clock::end_of_substep;
use crate::derive::crossings::contact_positions;
use crate::derive::facts::Facts;
use crate::derive::world::World;
use crate::model::report::error::StepError;
use crate::model::report::{ForcedMeeting, SafeguardReport};
use crate::model::workspace::Workspace;
use glam::DVec3;
use std::collections::BTreeMap;
use taffeta_contact::crossings::Crossing;
use taffeta_contact::pair_limits::StepLimits;
use taffeta_contact::proximity::{HARD_SHARE, Proximity};
use taffeta_contact::shape::WorldShape;
use taffeta_contact::shape_limits::FaceAtShape;

/// A face that crosses an edge of something else or an obstacle in closed form, so that they cannot be kept apart.
#[derive(Clone, Debug, PartialEq)]
pub struct QuarantinedPair {
    /// The bodies of edge and face; of an obstacle in closed form and face.
    pub bodies: [String; 2],
    /// The ends of the edge, by their places among the [`contact_positions`](crate::api::queries::contact_positions); `None`: the face reaches into an
    /// obstacle in closed form.
    pub edge: Option<[u32; 2]>,
    /// The corners of the face, likewise.
    pub face: [u32; 3],
    /// The middle of the edge \[m\]; without one, of the face.
    pub position: DVec3,
}

/// Largest motion in a substep of anything in contact \[m\]. On longer ways the strides of conservative advancement are no
/// longer small compared with the largest scenes.
const LONGEST_WAY: f64 = 1e5;

/// Numbers that the distance is apart that contact keeps, at least: round-off of closest points takes a few.
const LEAST_NUMBERS: f64 = 64.0;

/// Number of meetings of two bodies, and the position of the first one \[m\].
type Places = BTreeMap<[u32; 2], (u64, DVec3)>;

/// Pairs that are known to cross, and so are pulled apart rather than kept apart. The faces that reach into obstacles
/// in closed form follow.
pub(crate) fn quarantine(world: &World) -> Vec<QuarantinedPair> {
    let Some(proximity) = world.derived.proximity.as_ref() else { return Vec::new() };
    let sunken = find_sunken(world, proximity);
    if proximity.crossings().is_empty() && sunken.is_empty() {
        return Vec::new();
    }
    let x = contact_positions(world);
    let name = |v: u32| contact_body_name(&world.setup, proximity.body_of(v));
    let of_edge = |crossing: &Crossing| QuarantinedPair {
        bodies: [name(crossing.edge[0]), name(crossing.face[0])],
        edge: Some(crossing.edge),
        face: crossing.face,
        position: 0.5 * (x[crossing.edge[0] as usize] + x[crossing.edge[1] as usize]),
    };
    let of_shape = |found: &FaceAtShape| QuarantinedPair {
        bodies: [shape_name(&world.setup, found.shape), name(found.corners[0])],
        edge: None,
        face: found.corners,
        position: middle(found.corners, &x),
    };
    proximity.crossings().iter().map(of_edge).chain(sunken.iter().map(of_shape)).collect()
}

/// Number of faces of cloths that reach into obstacles in closed form; `None` if nothing can meet in this world.
pub fn sunken_faces(world: &World) -> Option<usize> {
    Some(find_sunken(world, world.derived.proximity.as_ref()?).len())
}

fn find_sunken(world: &World, proximity: &Proximity) -> Vec<FaceAtShape> {
    let shapes =
        world.setup.obstacles.iter().map(|obstacle| obstacle.over_substep(world.state.time, 0.0).shape);
    proximity.find_sunken(&world.state.motion.positions.raw, &shapes.collect::<Vec<_>>())
}

/// Counts what was forced in a substep of length `h` \[s\].
pub(crate) fn record_forced(
    facts: Facts<'_>,
    safeguard: &mut SafeguardReport,
    proximity: &Proximity,
    secured: &Secured,
    h: f64,
) {
    let setup = facts.setup;
    let Secured { found, step_limits, .. } = secured;
    if step_limits.forced_count() == 0 {
        return;
    }
    let end = end_of_substep(facts, h);
    let shapes: Vec<WorldShape> =
        setup.obstacles.iter().map(|obstacle| obstacle.over_substep(end, 0.0).shape).collect();
    let (mut pairs, mut faces) = (Places::new(), Places::new());
    for number in &step_limits.forced {
        let pair = proximity.pairs()[*number as usize];
        let [a, b] = [0, pair.split()].map(|k| pair.vertices[k]);
        let place = pairs.entry([a, b].map(|v| proximity.body_of(v)));
        place.or_insert((0, found[a as usize])).0 += 1;
    }
    let mut passed = proximity.find_passed(&step_limits.forced).len();
    for FaceAtShape { corners, shape } in &step_limits.forced_faces {
        let place = faces.entry([*shape, proximity.body_of(corners[0])]);
        place.or_insert((0, middle(*corners, found))).0 += 1;
        let is_out = shapes[*shape as usize].distance_of_face(corners.map(|v| found[v as usize])) >= 0.0;
        passed += usize::from(is_out);
    }
    safeguard.forced += step_limits.forced_count() as u64;
    safeguard.passed += passed as u64;
    for ([a, b], (count, place)) in pairs {
        record_meeting(
            &mut safeguard.meetings,
            [contact_body_name(setup, a), contact_body_name(setup, b)],
            count,
            place,
            end,
        );
    }
    for ([shape, body], (count, place)) in faces {
        record_meeting(
            &mut safeguard.meetings,
            [shape_name(setup, shape), contact_body_name(setup, body)],
            count,
            place,
            end,
        );
    }
}

/// Refuses a substep of length `h` \[s\], whose motion is predicted, in which something moves too far for contact.
///
/// # Errors
/// Who moves too far, or is too far away.
pub(crate) fn check_strides(facts: Facts<'_>, work: &mut Workspace, h: f64) -> Result<(), StepError> {
    let Facts { setup, state, .. } = facts;
    let time = state.time;
    let too_far = |body: String, distance: f64| StepError::TooFar {
        body,
        distance,
        limit: LONGEST_WAY,
        substep: h,
        time,
    };
    // Rows of the first of two stages are where velocities lead, which have no gravity in them.
    let fall = state.gravity.length() * h * h;
    for (i, (row, start)) in work.rows.iter().zip(&work.start).enumerate() {
        let body = state.sheet.vertex_cloths.raw[i] as usize;
        let distance = row.position().distance(*start) + fall;
        // What is not finite has an error of its own.
        if distance > LONGEST_WAY && distance.is_finite() {
            return Err(too_far(body_name(setup, body), distance));
        }
        let far = start.abs().max_element();
        let (resolution, separation) = (far * f64::EPSILON, HARD_SHARE * offset_of_body(setup, body));
        if separation > 0.0 && separation < LEAST_NUMBERS * resolution {
            let body = body_name(setup, body);
            return Err(StepError::TooFarOut { body, distance: far, resolution, separation, time });
        }
    }
    let end = end_of_substep(facts, h);
    for (number, obstacle) in (0..).zip(&setup.obstacles) {
        let [from, to] = [time, end].map(|time| obstacle.over_substep(time, 0.0).shape);
        let distance = match (from, to) {
            (WorldShape::Plane { normal, offset }, WorldShape::Plane { offset: last, normal: other }) => {
                // As it moves along its normal; where it turns, only about the origin.
                if normal == other { (last - offset).abs() } else { 0.0 }
            }
            _ => to.moved_since(&from),
        };
        if distance > LONGEST_WAY {
            return Err(too_far(shape_name(setup, number), distance));
        }
    }
    let first = body_count(setup) as u32;
    for (number, distance) in (first..).zip(work.placed.longest_ways(&setup.meshes, [time, end])) {
        if distance > LONGEST_WAY {
            return Err(too_far(contact_body_name(setup, number), distance));
        }
    }
    Ok(())
}

fn record_meeting(
    meetings: &mut Vec<ForcedMeeting>,
    bodies: [String; 2],
    count: u64,
    position: DVec3,
    time: f64,
) {
    match meetings.iter_mut().find(|meeting| meeting.bodies == bodies) {
        Some(meeting) => meeting.count += count,
        None => meetings.push(ForcedMeeting { bodies, count, position, time }),
    }
}

/// The middle of a face \[m\].
fn middle(corners: [u32; 3], x: &[DVec3]) -> DVec3 {
    corners.iter().map(|v| x[*v as usize]).sum::<DVec3>() / 3.0
}

/// A motion after which nothing crosses that can be kept apart.
pub(crate) struct Secured {
    /// Its end \[m\].
    pub found: Vec<DVec3>,
    pub step_limits: StepLimits,
    /// The motion as it was proposed.
    pub path: ContactPath,
}
