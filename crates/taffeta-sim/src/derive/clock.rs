//! Where pins and obstacles are in a substep, and whether they move.

use crate::derive::derived::Clamp;
use crate::derive::world::World;
use glam::DVec3;
use taffeta_core::Motion;
use taffeta_remesh::View;

/// The time for which pins and obstacles are placed at the end of a substep \[s\].
pub(crate) fn end_of_substep(world: &World, h: f64) -> f64 {
    if world.inputs.stands_still { world.state.time } else { world.state.time + h }
}

/// Whether neither pins nor obstacles move until a time \[s\].
pub(crate) fn stand_still(world: &World, end: f64) -> bool {
    let stands = |motion: &Motion| motion.stands_between(world.state.time, end);
    world.setup.pins.iter().all(|pin| stands(&pin.description.motion))
        && world.setup.obstacles.iter().all(|obstacle| stands(&obstacle.motion))
        && world.setup.meshes.iter().all(|m| m.stands_between(world.state.time, end))
}

/// The directions of the sheet beyond the clamped edges at a time \[s\].
pub(crate) fn clamp_normals(world: &World, time: f64) -> Vec<DVec3> {
    let turn = |clamp: &Clamp| {
        let pin = &world.setup.pins[clamp.pin as usize];
        pin.description.motion.pose_at(time, pin.center).rotation * clamp.normal
    };
    world.derived.clamps.iter().map(turn).collect()
}

/// The camera at the current time.
pub(crate) fn current_view(world: &World) -> Option<View> {
    world.setup.view.map(|view| view.moved(&world.setup.view_motion.pose_at(world.state.time, view.target())))
}
