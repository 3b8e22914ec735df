//! Bodies that a caller moves from outside, step by step: obstacles and pins.
//!
//! Each call says where a body is at the end of the next step. Within the step the body moves there on a straight line, with
//! constant angular velocity, under the same friction, substeps and safeguard as one that moves by keyframes. It stays there
//! until the next call. A body that was moved once follows its keyframes no more. A checkpoint holds where bodies are.
//!
//! Everything is checked before it is touched: a refused call leaves the world as it was.

use crate::change::refuse;
use crate::derive::world::World;
use crate::features::pins::{hold_anew, pin_vertices};
use crate::model::description::PinDescription;
use crate::model::error::BuildError;
use crate::model::ids::{ObstacleId, ObstaclePlace, PinId};
use crate::model::pins::{Pin, PinPoints};
use crate::model::sheet::VertexName;
use glam::DVec3;
use std::sync::Arc;
use taffeta_core::index::DenseIndex;
use taffeta_core::{IndexVec, Pose, VertexIndex};

/// Distance from the origin up to which points can be moved \[m\].
const FARTHEST_POINT: f64 = 1e9;

/// See [`World::set_obstacle_pose`].
pub(crate) fn set_obstacle_pose(world: &mut World, id: ObstacleId, pose: Pose) -> Result<(), BuildError> {
    let place = find_obstacle(world, id)?;
    refuse(&name_obstacle(world, place), pose.find_defect())?;
    let time = world.state.time;
    match place {
        ObstaclePlace::Closed(number) => world.setup.obstacles[number].drive_to(time, pose),
        ObstaclePlace::Mesh(number) => world.setup.meshes[number].drive_to(time, pose),
    }
    world.scratch.placed.forget();
    Ok(())
}

/// See [`World::set_obstacle_mesh`].
pub(crate) fn set_obstacle_mesh(
    world: &mut World,
    id: ObstacleId,
    positions: &[DVec3],
) -> Result<(), BuildError> {
    let place = find_obstacle(world, id)?;
    let what = name_obstacle(world, place);
    let ObstaclePlace::Mesh(number) = place else {
        return refuse(&what, Some("it is no mesh: move it with a pose".into()));
    };
    let count = world.setup.meshes[number].vertex_count();
    refuse(&what, find_point_defect(positions, count))?;
    world.setup.meshes[number].skin_to(world.state.time, positions.to_vec());
    world.scratch.placed.forget();
    Ok(())
}

/// See [`World::set_pin_pose`].
pub(crate) fn set_pin_pose(world: &mut World, id: PinId, pose: Pose) -> Result<(), BuildError> {
    let number = find_pin(world, id)?;
    refuse(&name_pin(world, number), pose.find_defect())?;
    let time = world.state.time;
    world.setup.pins[number].drive_to(time, pose);
    Ok(())
}

/// See [`World::set_pin_targets`].
pub(crate) fn set_pin_targets(world: &mut World, id: PinId, targets: &[DVec3]) -> Result<(), BuildError> {
    let number = find_pin(world, id)?;
    let vertices = pin_vertices(world, id);
    refuse(&name_pin(world, number), find_point_defect(targets, vertices.len()))?;
    let (sheet, motion) = (&world.state.sheet, &world.state.motion);
    let held = |vi: &VertexIndex| (sheet.vertex_name(*vi), [sheet.starts[*vi], motion.positions[*vi]]);
    let held: Vec<_> = vertices.iter().map(held).collect();
    world.setup.pins[number].skin_to(world.state.time, &held, targets);
    Ok(())
}

/// See [`World::add_pin`].
pub(crate) fn add_pin(
    world: &mut World,
    vertices: &[VertexIndex],
    description: &PinDescription,
) -> Result<PinId, BuildError> {
    let number = world.setup.pins.len();
    let what = format!("pin {number}");
    refuse(&what, description.motion.find_defect())?;
    refuse(&what, vertices.is_empty().then(|| "it holds no vertex".into()))?;
    let (count, motion) = (world.vertex_count(), &world.state.motion);
    let reason = vertices.iter().find_map(|vi| match motion.vertex_pins.raw.get(vi.to_usize()) {
        None => Some(format!("there is no vertex {}; there are {count}", vi.to_usize())),
        Some(holder) => holder.map(|pin| {
            format!(
                "{} holds vertex {} already",
                name_pin(world, pin as usize),
                world.state.sheet.own_number(*vi)
            )
        }),
    });
    refuse(&what, reason)?;
    let mut named: Vec<(VertexName, DVec3)> =
        vertices.iter().map(|vi| (world.state.sheet.vertex_name(*vi), motion.positions[*vi])).collect();
    named.sort_unstable_by_key(|(name, _)| *name);
    named.dedup_by_key(|(name, _)| *name);
    let (names, rest): (Vec<_>, Vec<DVec3>) = named.into_iter().unzip();
    let center = rest.iter().sum::<DVec3>() / rest.len() as f64;
    let points = Some(PinPoints { names, rest, skin: None });
    world.setup.pins.push(Pin { points, ..Pin::new(description.clone(), center) });
    world.state.released.push(false);
    let mut vertex_pins = IndexVec::clone(&motion.vertex_pins);
    let velocities = Arc::make_mut(&mut world.state.motion.velocities);
    for vi in vertices {
        if description.axes == [true; 3] {
            velocities[*vi] = DVec3::ZERO;
        }
        vertex_pins[*vi] = Some(number as u32);
    }
    hold_anew(world, vertex_pins);
    Ok(PinId(number as u32))
}

/// See [`World::release_pin`].
pub(crate) fn release_pin(world: &mut World, id: PinId) -> Result<(), BuildError> {
    let number = find_pin(world, id)?;
    world.state.released[number] = true;
    Ok(())
}

/// Where an obstacle is stored.
pub(crate) fn find_obstacle(world: &World, id: ObstacleId) -> Result<ObstaclePlace, BuildError> {
    let reason = || "it was removed, or its handle is of another world".to_owned();
    let unknown = || BuildError::BadSetting { what: format!("obstacle {}", id.0), reason: reason() };
    world.setup.ids.find_obstacle(id).ok_or_else(unknown)
}

/// The number of a pin that holds.
fn find_pin(world: &World, id: PinId) -> Result<usize, BuildError> {
    let (number, count) = (id.number(), world.setup.pins.len());
    let reason = match world.state.released.get(number) {
        None => Some(format!("there are {count} pins")),
        Some(true) => Some("it has let go".to_owned()),
        Some(false) => None,
    };
    refuse(&format!("pin {number}"), reason).map(|()| number)
}

fn name_obstacle(world: &World, place: ObstaclePlace) -> String {
    let (kind, number, name) = match place {
        ObstaclePlace::Closed(k) => {
            let obstacle = &world.setup.obstacles[k];
            (obstacle.shape.name(), k, &obstacle.name)
        }
        ObstaclePlace::Mesh(k) => ("mesh", k, &world.setup.meshes[k].name),
    };
    if name.is_empty() { format!("{kind} obstacle {number}") } else { format!("obstacle '{name}'") }
}

fn name_pin(world: &World, number: usize) -> String {
    let name = &world.setup.pins[number].description.name;
    if name.is_empty() { format!("pin {number}") } else { format!("pin '{name}'") }
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
