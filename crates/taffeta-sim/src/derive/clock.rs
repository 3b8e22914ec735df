//! Positions of pins and obstacles in a substep, and tests of their motion.

use crate::derive::derived::Clamp;
use crate::derive::facts::Facts;
use crate::derive::world::World;
use crate::model::setup::Setup;
use crate::model::state::State;
use glam::DVec3;
use std::sync::Arc;
use taffeta_remesh::{Hold, View};

/// The time for which pins and obstacles are placed at the end of a substep \[s\].
pub(crate) fn end_of_substep(facts: Facts<'_>, h: f64) -> f64 {
    if facts.inputs.stands_still { facts.state.time } else { facts.state.time + h }
}

/// Returns whether pins and obstacles all stand still until a time \[s\]. Where an obstacle that moves by itself is to be then, nobody
/// knows before it is there.
pub(crate) fn stand_still(world: &World, end: f64) -> bool {
    let (setup, time) = (&world.setup, world.state.time);
    let stays = |hold: &Hold| hold.path.is_none_or(|path| path.stands_between(time, end));
    setup.pins.iter().all(|pin| pin.description.motion.stands_between(time, end))
        && world.state.motion.holds.iter().all(|(_, hold)| stays(hold))
        && (world.state.rigid.is_empty() || world.inputs.stands_still)
        && setup.obstacles.iter().all(|obstacle| obstacle.motion.stands_between(time, end))
        && setup.meshes.iter().all(|mesh| mesh.stands_between(time, end))
}

/// Lets the bodies that the caller moves in the step until `end` \[s\] arrive then.
pub(crate) fn schedule_drives(setup: &mut Setup, state: &mut State, end: f64) {
    let now = state.time;
    setup.pins.iter_mut().for_each(|pin| pin.description.motion.schedule(now, end));
    setup.obstacles.iter_mut().for_each(|obstacle| obstacle.path_mut().schedule(now, end));
    Arc::make_mut(&mut setup.meshes).iter_mut().for_each(|mesh| mesh.schedule(now, end));
    let sets_out = |hold: &Hold| hold.path.is_some_and(|path| path.begin == now);
    if state.motion.holds.iter().any(|(_, hold)| sets_out(hold)) {
        let holds = Arc::make_mut(&mut state.motion.holds).iter_mut();
        holds.filter_map(|(_, hold)| hold.path.as_mut()).for_each(|path| path.schedule(now, end));
    }
}

/// The directions of the sheet beyond the clamped edges at a time \[s\].
pub(crate) fn clamp_normals(setup: &Setup, clamps: &[Clamp], time: f64) -> Vec<DVec3> {
    let turn = |clamp: &Clamp| setup.pins[clamp.pin as usize].pose_at(time).rotation * clamp.normal;
    clamps.iter().map(turn).collect()
}

/// The camera at the current time.
pub(crate) fn current_view(world: &World) -> Option<View> {
    world.setup.view.map(|view| view.moved(&world.setup.view_motion.pose_at(world.state.time, view.target())))
}
