//! Bodies that a caller moves from outside, step by step: obstacles and pins.
//!
//! Each call says where a body is at the end of the next step. Within the step the body moves there on a straight line, with
//! constant angular velocity, under the same friction, substeps and safeguard as one that moves by keyframes. It stays there
//! until the next call. A body that was moved once follows its keyframes no more. A checkpoint holds where bodies are.
//!
//! Where single vertices of a pin go is a part of the state: the [`Hold`] of each, which goes through every edit of the mesh.
//!
//! Everything is checked before it is touched: a refused call leaves the world as it was.

use crate::api::settings::refuse;
use crate::build::checks::find_pin_defect;
use crate::derive::rebuild::rebuild;
use crate::derive::world::World;
use crate::features::pins::{guides_of, held_vertices, hold_anew, lets_go, normals_at};
use crate::model::description::PinDescription;
use crate::model::description::ids::{ObstacleId, ObstaclePlace, PinId};
use crate::model::description::rules::{clamp_mismatch, strength_mismatch};
use crate::model::report::error::BuildError;
use crate::model::setup::Setup;
use crate::model::setup::pins::Pin;
use crate::model::state::State;
use crate::model::state::dense::DenseState;
use crate::model::state::guides::{RopeGuide, rope_guides};
use crate::model::workspace::placed::PlacedMeshes;
use glam::DVec3;
use std::sync::Arc;
use taffeta_contact::Freedom;
use taffeta_core::index::DenseIndex;
use taffeta_core::{Drive, IndexVec, Pose, VertexIndex};
use taffeta_remesh::Hold;

/// Distance of two places that counts as none, relative to how far they are away: round-off.
const ROUND_OFF: f64 = 1e-12;

/// Distance from the origin up to which points can be moved \[m\].
const FARTHEST_POINT: f64 = 1e9;

/// See [`World::set_obstacle_pose`].
pub(crate) fn set_obstacle_pose(
    setup: &mut Setup,
    placed: &mut PlacedMeshes,
    time: f64,
    id: ObstacleId,
    pose: Pose,
) -> Result<(), BuildError> {
    let place = find_obstacle(setup, id)?;
    refuse(&name_obstacle(setup, place), pose.find_defect().or_else(|| find_mass(setup, place)))?;
    match place {
        ObstaclePlace::Closed(number) => setup.obstacles[number].drive_to(time, pose),
        ObstaclePlace::Mesh(number) => Arc::make_mut(&mut setup.meshes)[number].drive_to(time, pose),
    }
    placed.forget();
    Ok(())
}

/// Why a caller cannot move an obstacle, in words: it has a mass.
pub(crate) fn find_mass(setup: &Setup, place: ObstaclePlace) -> Option<String> {
    let ObstaclePlace::Closed(number) = place else { return None };
    let is_free = matches!(setup.obstacles[number].freedom, Freedom::Free(_));
    is_free.then(|| "it has a mass, and moves by itself".to_owned())
}

/// See [`World::set_obstacle_mesh`].
pub(crate) fn set_obstacle_mesh(
    setup: &mut Setup,
    placed: &mut PlacedMeshes,
    time: f64,
    id: ObstacleId,
    positions: &[DVec3],
) -> Result<(), BuildError> {
    let place = find_obstacle(setup, id)?;
    let what = name_obstacle(setup, place);
    let ObstaclePlace::Mesh(number) = place else {
        return refuse(&what, Some("it is no mesh: move it with a pose".into()));
    };
    let count = setup.meshes[number].vertex_count();
    refuse(&what, find_point_defect(positions, count))?;
    Arc::make_mut(&mut setup.meshes)[number].skin_to(time, positions.to_vec());
    placed.forget();
    Ok(())
}

/// See [`World::set_pin_pose`].
pub(crate) fn set_pin_pose(
    setup: &mut Setup,
    state: &mut State,
    id: PinId,
    pose: Pose,
) -> Result<(), BuildError> {
    let number = find_pin(state, id)?;
    refuse(&name_pin(setup, number), pose.find_defect().or_else(|| find_leader(setup, number)))?;
    let (pin, time) = (&mut setup.pins[number], state.time);
    let now = pin.pose_at(time);
    let has_path = |(_, hold): &(VertexIndex, Hold)| hold.pin == id.0 && hold.path.is_some();
    if !state.motion.holds.iter().any(has_path) {
        pin.description.motion.drive_to(time, pin.center, pose);
        return Ok(());
    }
    let mut holds = holds_of(&mut state.motion, id);
    if holds.iter().all(|hold| has_left_path(hold, time, &now)) {
        holds.iter_mut().for_each(|hold| hold.path = None);
        pin.description.motion.drive_to(time, pin.center, pose);
    } else {
        // On straight ways, to where the pose finds them again.
        pin.description.motion.drive = Some(Drive::new(time, pose, pose));
        for hold in holds {
            let from = hold.target_at(time, &now);
            hold.path = Some(Drive::new(time, from, pose.apply(hold.rest)));
        }
    }
    Ok(())
}

/// Why a caller cannot move a pin, in words: it follows an obstacle.
fn find_leader(setup: &Setup, pin: usize) -> Option<String> {
    let leader = setup.pins[pin].description.follow.as_ref()?;
    Some(format!("it follows the obstacle {leader:?}: move that, or release the pin and add another one"))
}

/// Returns whether the path of a vertex has ended where the motion of its pin finds it at a time \[s\].
fn has_left_path(hold: &Hold, time: f64, now: &Pose) -> bool {
    let place = now.apply(hold.rest);
    let is_there = |end: DVec3| end.distance(place) <= ROUND_OFF * (hold.rest.length() + end.length());
    hold.path.is_none_or(|path| path.part(time) == 1.0 && is_there(path.to))
}

/// See [`World::set_pin_targets`].
pub(crate) fn set_pin_targets(
    setup: &Setup,
    state: &mut State,
    id: PinId,
    targets: &[DVec3],
) -> Result<(), BuildError> {
    let number = find_pin(state, id)?;
    let mut vertices = held_vertices(setup, state, id);
    let defect = find_point_defect(targets, vertices.len()).or_else(|| find_leader(setup, number));
    refuse(&name_pin(setup, number), defect)?;
    let mut targets = targets.to_vec();
    for guide in guides_of(setup, state, id) {
        targets.push(guide_target(&guide, &vertices, &targets, &state.motion.positions));
        vertices.push(guide.vertex);
    }
    let mut ways: Vec<(VertexIndex, DVec3)> = vertices.into_iter().zip(targets).collect();
    ways.sort_unstable_by_key(|(vi, _)| *vi);
    let (time, now) = (state.time, setup.pins[number].pose_at(state.time));
    for (hold, (_, target)) in holds_of(&mut state.motion, id).into_iter().zip(ways) {
        hold.path = Some(Drive::new(time, hold.target_at(time, &now), target));
    }
    Ok(())
}

/// The holds of a pin, in the order of its vertices.
fn holds_of(motion: &mut DenseState, pin: PinId) -> Vec<&mut Hold> {
    let holds = Arc::make_mut(&mut motion.holds).iter_mut().map(|(_, hold)| hold);
    holds.filter(|hold| hold.pin == pin.0).collect()
}

/// Target of a guide that moves with the vertices of its pin: in line with those that are held at its end, or beside the end as
/// it is.
fn guide_target(
    guide: &RopeGuide,
    vertices: &[VertexIndex],
    targets: &[DVec3],
    positions: &IndexVec<VertexIndex, DVec3>,
) -> DVec3 {
    let target = |vi: VertexIndex| vertices.iter().position(|own| *own == vi).map(|place| targets[place]);
    let end = target(guide.end).unwrap_or(positions[guide.end]);
    match target(guide.second) {
        Some(second) => RopeGuide::in_line([end, second]),
        None => end + (positions[guide.vertex] - positions[guide.end]),
    }
}

/// See [`World::add_pin`].
pub(crate) fn add_pin(
    world: &mut World,
    vertices: &[VertexIndex],
    description: &PinDescription,
) -> Result<PinId, BuildError> {
    let (number, motion) = (world.setup.pins.len(), &world.state.motion);
    let mut vertices = vertices.to_vec();
    vertices.sort_unstable();
    vertices.dedup();
    refuse(&format!("pin {number}"), find_defect_of_added(world, &vertices, description))?;
    check_pin_name(world, &description.name)?;
    let places = vertices.iter().map(|vi| motion.positions[*vi]);
    let center = places.clone().sum::<DVec3>() / vertices.len() as f64;
    let normals = match description.clamp {
        true => normals_at(world, &vertices).into_iter().map(Some).collect(),
        false => vec![None; vertices.len()],
    };
    let hold = |(rest, normal)| Hold { normal, ..Hold::new(number as u32, rest) };
    let added = vertices.iter().copied().zip(places.zip(normals).map(hold));
    let is_kept = |(_, hold): &&(VertexIndex, Hold)| !lets_go(world, hold, world.state.time);
    let mut holds: Vec<_> = motion.holds.iter().filter(is_kept).copied().chain(added).collect();
    holds.sort_unstable_by_key(|(vi, _)| *vi);
    let mut pin = Pin::new(description.clone(), center);
    if let Some(name) = &description.follow {
        let followed = world.setup.follow(name, world.state.time);
        let what = pin.name(number);
        pin.followed = Some(followed.map_err(|reason| BuildError::BadSetting { what, reason })?);
    }
    pin.description.motion.begin(world.state.time);
    world.setup.pins.push(pin);
    world.state.released.push(false);
    if description.axes == [true; 3] {
        let velocities = Arc::make_mut(&mut world.state.motion.velocities);
        vertices.iter().for_each(|vi| velocities[*vi] = DVec3::ZERO);
    }
    hold_anew(&world.setup, &mut world.state, &mut world.derived, holds);
    rebuild(world);
    Ok(PinId(number as u32))
}

/// Describes why a new pin cannot hold vertices; `None` if it can.
fn find_defect_of_added(
    world: &World,
    vertices: &[VertexIndex],
    description: &PinDescription,
) -> Option<String> {
    let (count, choice) = (world.vertex_count(), world.derived.choice);
    if vertices.is_empty() {
        return Some("it holds no vertex".into());
    }
    let mismatch = clamp_mismatch(description, choice).or_else(|| strength_mismatch(description, choice));
    if let Some(found) = mismatch {
        return Some(found.describe());
    }
    let guides: Vec<_> =
        rope_guides(&world.setup, &world.state.sheet).iter().map(|guide| guide.vertex).collect();
    let find_holder = |vi: &VertexIndex| {
        let i = vi.to_usize();
        if i >= count {
            return Some(format!("there is no vertex {i}; there are {count}"));
        }
        if guides.contains(vi) {
            return Some(format!("vertex {i} is no point of its rope, but lies beyond a clamped end"));
        }
        let holder = world.state.motion.hold_of(*vi)?;
        let is_free = lets_go(world, &holder, world.state.time);
        let own = world.state.sheet.own_number(*vi);
        (!is_free)
            .then(|| format!("{} holds vertex {own} already", name_pin(&world.setup, holder.pin as usize)))
    };
    find_pin_defect(description).or_else(|| vertices.iter().find_map(find_holder))
}

/// Refuses a name that a pin has which still holds.
pub(crate) fn check_pin_name(world: &World, name: &str) -> Result<(), BuildError> {
    let mut pins = world.setup.pins.iter().zip(&world.state.released);
    let is_taken = !name.is_empty() && pins.any(|(pin, released)| !released && pin.description.name == name);
    let reason = is_taken.then(|| "a pin of the world has that name already".to_owned());
    refuse(&format!("pin '{name}'"), reason)
}

/// See [`World::release_pin`].
pub(crate) fn release_pin(state: &mut State, id: PinId) -> Result<(), BuildError> {
    let number = find_pin(state, id)?;
    state.released[number] = true;
    Ok(())
}

/// Place at which an obstacle is stored.
pub(crate) fn find_obstacle(setup: &Setup, id: ObstacleId) -> Result<ObstaclePlace, BuildError> {
    let reason = || "it was removed, or its handle is of another world".to_owned();
    let unknown = || BuildError::BadSetting { what: format!("obstacle {}", id.0), reason: reason() };
    setup.ids.find_obstacle(id).ok_or_else(unknown)
}

/// The number of a pin that holds.
fn find_pin(state: &State, id: PinId) -> Result<usize, BuildError> {
    let (number, count) = (id.number(), state.released.len());
    let reason = match state.released.get(number) {
        None => Some(format!("there are {count} pins")),
        Some(true) => Some("it has let go".to_owned()),
        Some(false) => None,
    };
    refuse(&format!("pin {number}"), reason).map(|()| number)
}

pub(crate) fn name_obstacle(setup: &Setup, place: ObstaclePlace) -> String {
    let (kind, number, name) = match place {
        ObstaclePlace::Closed(k) => {
            let obstacle = &setup.obstacles[k];
            (obstacle.shape.name(), k, &obstacle.name)
        }
        ObstaclePlace::Mesh(k) => ("mesh", k, &setup.meshes[k].name),
    };
    if name.is_empty() { format!("{kind} obstacle {number}") } else { format!("obstacle '{name}'") }
}

pub(crate) fn name_pin(setup: &Setup, number: usize) -> String {
    setup.pins[number].name(number)
}

/// Describes what is wrong with points for this many vertices; `None` if they are valid.
fn find_point_defect(points: &[DVec3], count: usize) -> Option<String> {
    if points.len() != count {
        return Some(format!("it has {count} vertices, but {} points are given", points.len()));
    }
    let is_near = |point: DVec3| point.is_finite() && point.abs().max_element() <= FARTHEST_POINT;
    let bad = points.iter().position(|point| !is_near(*point))?;
    Some(format!(
        "point {bad} is {}; it must be finite and no farther than {FARTHEST_POINT:.0e} m",
        points[bad]
    ))
}
