//! Motion of the obstacles that move by themselves.

use crate::derive::world::World;
use crate::model::description::ids::{ObstacleId, ObstaclePlace};
use glam::DVec3;

/// Velocity of the center of mass \[m/s\] and angular velocity \[rad/s\] of an obstacle that has a mass, or follows its path with a largest
/// force; `None` for others.
pub fn rigid_motion(world: &World, id: ObstacleId) -> Option<(DVec3, DVec3)> {
    let ObstaclePlace::Closed(number) = world.setup.ids.find_obstacle(id)? else { return None };
    let body = world.state.rigid.iter().find(|body| body.obstacle == number)?;
    Some((body.velocity, body.spin))
}
