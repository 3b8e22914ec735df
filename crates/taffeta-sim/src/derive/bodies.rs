//! Bodies by number: cloths, then loose bodies.

use crate::derive::world::World;
use crate::model::setup::Setup;
use crate::model::setup::loose::LooseBody;
use crate::model::setup::solid::Solid;
use crate::model::state::State;
use glam::DVec3;
use std::ops::Range;
use taffeta_contact::boxes::Aabb;

/// Positions \[m\] and velocities \[m/s\] of the vertices of a loose body, in the order of its description. Ropes are the
/// last of the loose bodies.
///
/// # Panics
/// If there is no loose body of that number.
pub(crate) fn loose_state(world: &World, body: usize) -> (&[DVec3], &[DVec3]) {
    let (range, state) = (loose_vertices(world, body), &world.state.motion);
    (&state.positions.raw[range.clone()], &state.velocities.raw[range])
}

/// The vertices of a loose body in dense order, see [`World::sheet`]: those of [`World::loose_state`].
///
/// # Panics
/// If there is no loose body of that number.
pub fn loose_vertices(world: &World, body: usize) -> Range<usize> {
    assert!(body < world.setup.bodies.len(), "there is no loose body {body}");
    let range = world.state.sheet.vertex_range((world.setup.cloths.len() + body) as u32);
    let visible = world.setup.bodies[body].visible(range.len());
    range.start + visible.start..range.start + visible.end
}

/// Number of cloths and loose bodies together: the bodies by which vertices are counted.
pub(crate) fn body_count(setup: &Setup) -> usize {
    setup.cloths.len() + setup.bodies.len()
}

/// Name of a body in messages, for example "cloth 'sheet'".
pub(crate) fn body_name(setup: &Setup, body: usize) -> String {
    let is_of = |solid: &&Solid| {
        solid.cloth == body || solid.body.is_some_and(|inside| inside + setup.cloths.len() == body)
    };
    if let Some(solid) = setup.solids.iter().find(is_of) {
        return format!("solid '{}'", solid.name);
    }
    match setup.cloths.get(body) {
        Some(cloth) => format!("cloth '{}'", cloth.name),
        None => {
            let body = &setup.bodies[body - setup.cloths.len()];
            format!("{} '{}'", if body.rope.is_some() { "rope" } else { "body" }, body.name)
        }
    }
}

/// The ropes: numbers of loose bodies, in the order of the description.
pub fn rope_bodies(world: &World) -> impl Iterator<Item = (usize, &LooseBody)> {
    world.setup.bodies.iter().enumerate().filter(|(_, body)| body.rope.is_some())
}

/// The name of a body among those that can meet: cloths, other bodies, mesh obstacles.
pub(crate) fn contact_body_name(setup: &Setup, body: u32) -> String {
    let (body, own) = (body as usize, body_count(setup));
    if body < own { body_name(setup, body) } else { format!("mesh obstacle {}", body - own) }
}

/// The name of an obstacle in closed form.
pub(crate) fn shape_name(setup: &Setup, number: u32) -> String {
    let shape = setup.obstacles[number as usize].shape.name();
    format!("{shape} obstacle {number}")
}

/// Half the thickness of a body \[m\].
pub(crate) fn offset_of_body(setup: &Setup, body: usize) -> f64 {
    match setup.cloths.get(body) {
        Some(cloth) => cloth.surface.offset,
        None => setup.bodies[body - setup.cloths.len()].surface.offset,
    }
}

/// The largest side of the box around some points \[m\]; 0 of none.
pub(crate) fn extent(points: &[DVec3]) -> f64 {
    let low = points.iter().copied().fold(DVec3::INFINITY, DVec3::min);
    let high = points.iter().copied().fold(DVec3::NEG_INFINITY, DVec3::max);
    (high - low).max_element().max(0.0)
}

/// The largest side of the box around all layouts: the size of the cloth \[m\].
pub(crate) fn scene_extent(state: &State) -> f64 {
    extent(&state.sheet.layout.raw)
}

/// The boxes around the cloths of a world as they are now.
pub(crate) fn cloth_boxes(world: &World) -> Vec<Aabb> {
    let State { sheet, motion, .. } = &world.state;
    let of_cloth = |cloth: usize| {
        let range = sheet.vertex_range(cloth as u32);
        Aabb::around(motion.positions.raw[range].iter().copied())
    };
    (0..sheet.cloth_count()).map(of_cloth).collect()
}
