//! Cloths that have fallen below everything that could catch them.

use crate::derive::world::World;
use glam::DVec3;
use taffeta_contact::{MeshObstacle, Obstacle, Shape};

/// The numbers of the cloths that have left every body and the floor behind. No pin holds them, and no plane is below them. They
/// are below all other bodies by more than their own height. None without gravity or obstacles.
pub fn cloths_left_behind(world: &World) -> Vec<usize> {
    let down = world.state.gravity.normalize_or_zero();
    if down == DVec3::ZERO || has_floor(world, down) {
        return Vec::new();
    }
    let Some(lowest) = lowest_obstacle(world, down) else { return Vec::new() };
    let sheet = &world.state.sheet;
    // From the top to the bottom of each body of the sheet, along gravity [m].
    let depths: Vec<[f64; 2]> = (0..world.setup.cloths.len() + world.setup.bodies.len())
        .map(|body| {
            let places = &world.state.motion.positions.raw[sheet.vertex_range(body as u32)];
            span(places.iter().map(|x| x.dot(down)))
        })
        .collect();
    let mut is_held = vec![false; depths.len()];
    for (vi, _) in world.state.motion.holds.iter() {
        is_held[sheet.vertex_cloths[*vi] as usize] = true;
    }
    let others = |cloth: usize| {
        let others = depths.iter().enumerate().filter(move |(other, _)| *other != cloth);
        others.map(|(_, [_, bottom])| *bottom).fold(lowest, f64::max)
    };
    let is_below = |cloth: &usize| {
        let [top, bottom] = depths[*cloth];
        !is_held[*cloth] && top - others(*cloth) > bottom - top
    };
    (0..world.setup.cloths.len()).filter(is_below).collect()
}

/// The smallest and the largest number.
fn span(numbers: impl Iterator<Item = f64>) -> [f64; 2] {
    numbers.fold([f64::INFINITY, f64::NEG_INFINITY], |[low, high], x| [low.min(x), high.max(x)])
}

/// Returns whether a plane ends what falls.
fn has_floor(world: &World, down: DVec3) -> bool {
    let time = world.state.time;
    let is_floor = |obstacle: &Obstacle| match obstacle.shape {
        Shape::Plane { normal } => (obstacle.pose_at(time).rotation * normal).dot(down) < 0.0,
        _ => false,
    };
    world.setup.obstacles.iter().any(is_floor)
}

/// Depth to which the lowest obstacle reaches, at most \[m\]; `None`: there are none.
fn lowest_obstacle(world: &World, down: DVec3) -> Option<f64> {
    let time = world.state.time;
    let closed = world.setup.obstacles.iter().filter_map(|obstacle| {
        let radius = obstacle.shape.half_size()?.length() * obstacle.place.scale;
        Some(obstacle.pose_at(time).translation.dot(down) + radius)
    });
    let depth = |mesh: &MeshObstacle| span(mesh.positions_at(time).iter().map(|x| x.dot(down)))[1];
    closed.chain(world.setup.meshes.iter().map(depth)).reduce(f64::max)
}
