//! Substeps that obstacles ask for by their motion.
//!
//! The contacts of a substep are found where primitives first touch: what moves by much of a cloth in one substep is met
//! by other parts of it on its way. How much that is follows from the size of the cloth, not from its mesh.

use crate::derive::bodies::body_count;
use crate::derive::world::World;
use crate::model::capabilities::SubstepRule;
use crate::model::report::SubstepPlan;
use glam::DVec3;
use taffeta_contact::boxes::Aabb;
use taffeta_contact::shape::WorldShape;
use taffeta_contact::{MeshObstacle, Obstacle};
use taffeta_core::Pose;

/// The part of the diagonal of a cloth at rest by which an obstacle near it may move in a substep.
const STRIDE: f64 = 0.01;

/// Substeps that moving obstacles ask for at most: at 60 frames per second a body of 50 m/s then moves by 2 mm. What is
/// faster moves farther in each of them, and the substeps in which it forces cloth through something are halved
/// (`bound`).
const MOST_SUBSTEPS: f64 = 400.0;

/// Parts of a step in which the speed of an obstacle is measured: it may move in some of them only.
const LOOKS: usize = 8;

/// A cloth or another body, as obstacles come near it.
struct Target {
    /// Around the vertices at the start of the step, and around what they may reach within it \[m\].
    area: Aabb,
    /// The diagonal of the box around it at rest \[m\].
    size: f64,
}

/// Takes more substeps, unless the scene says how many, where an obstacle moves fast near a cloth. Projective
/// dynamics is left alone: its substep is part of the factorized system.
/// Also how many they ask for.
pub(crate) fn substeps_for_obstacles(world: &World, plan: SubstepPlan, dt: f64) -> (SubstepPlan, u32) {
    let rule = world.derived.choice.capabilities().substeps;
    if world.setup.settings.substeps.is_some() || rule == SubstepRule::Frame {
        return (plan, 1);
    }
    let looks = |k: usize| world.state.time + dt * (k as f64) / (LOOKS as f64);
    let times: [f64; LOOKS + 1] = std::array::from_fn(looks);
    let targets: Vec<Target> =
        (0..body_count(world)).filter_map(|body| find_target(world, body, dt)).collect();
    let closed = world.setup.obstacles.iter().map(|obstacle| share_of_closed(obstacle, &times, &targets));
    let meshes = world.setup.meshes.iter().map(|mesh| share_of_mesh(mesh, &times, &targets));
    let share = closed.chain(meshes).fold(0.0, f64::max);
    let asked = (share / STRIDE).ceil();
    let least = asked.clamp(1.0, MOST_SUBSTEPS) as u32;
    let capped_stride = (asked > MOST_SUBSTEPS).then_some(share / MOST_SUBSTEPS);
    (SubstepPlan { substeps: plan.substeps.max(least), capped_stride, ..plan }, least)
}

/// Where a body may be met within a step; `None`: it has no extent, so that no other part of it can be met instead.
fn find_target(world: &World, body: usize, dt: f64) -> Option<Target> {
    let range = world.state.sheet.vertex_range(body as u32);
    let state = &world.state.motion;
    let rest = Aabb::around(world.state.sheet.layout.raw[range.clone()].iter().copied());
    let size = (rest.high - rest.low).length();
    if range.is_empty() || size == 0.0 {
        return None;
    }
    let speed = state.velocities.raw[range.clone()].iter().map(|v| v.length()).fold(0.0, f64::max);
    let surface = match world.setup.cloths.get(body) {
        Some(cloth) => cloth.surface,
        None => world.setup.bodies[body - world.setup.cloths.len()].surface,
    };
    let reach = (speed + world.state.gravity.length() * dt) * dt + surface.offset + STRIDE * size;
    let area = Aabb::around(state.positions.raw[range].iter().copied()).inflated(reach);
    Some(Target { area, size })
}

/// How far a mesh would move in the step at its greatest speed, relative to the smallest target near it.
fn share_of_mesh(mesh: &MeshObstacle, times: &[f64], targets: &[Target]) -> f64 {
    if times.windows(2).all(|pair| mesh.stands_between(pair[0], pair[1])) {
        return 0.0;
    }
    let looks: Vec<Vec<DVec3>> = times.iter().map(|time| mesh.positions_at(*time)).collect();
    share_of_path(&looks, targets)
}

/// Displacement of an obstacle in closed form in the step at its greatest speed, relative to the smallest target near
/// it.
fn share_of_closed(obstacle: &Obstacle, times: &[f64], targets: &[Target]) -> f64 {
    let poses: Vec<Pose> = times.iter().map(|time| obstacle.pose_at(*time)).collect();
    if poses.windows(2).all(|pair| pair[0] == pair[1]) {
        return 0.0;
    }
    let Some(half) = obstacle.shape.half_size() else {
        return share_of_plane(obstacle, &poses, targets);
    };
    let half = half * obstacle.place.scale;
    share_of_path(&paths_of(&poses, &corners_of(Aabb { low: -half, high: half })), targets)
}

/// Displacement of a plane in the step at its greatest speed, relative to the smallest target near it. A plane has no
/// end: only its part at each target counts.
fn share_of_plane(obstacle: &Obstacle, poses: &[Pose], targets: &[Target]) -> f64 {
    let shapes: Vec<WorldShape> =
        poses.iter().map(|pose| obstacle.shape.placed(pose, obstacle.place.scale)).collect();
    let share = |target: &Target| {
        let corners = corners_of(target.area);
        let is_below = |shape: &WorldShape| corners.iter().any(|x| shape.signed_distance(*x).0 <= 0.0);
        if !shapes.iter().any(is_below) {
            return 0.0;
        }
        let carried = corners.map(|x| poses[0].apply_inverse(x));
        longest_stride(&paths_of(poses, &carried)) / target.size
    };
    targets.iter().map(share).fold(0.0, f64::max)
}

/// Where poses take points, pose by pose \[m\].
fn paths_of(poses: &[Pose], points: &[DVec3]) -> Vec<Vec<DVec3>> {
    poses.iter().map(|pose| points.iter().map(|x| pose.apply(*x)).collect()).collect()
}

/// Displacement of points in the step at their greatest speed, relative to the smallest target near them. `looks`
/// holds their places at several times; only targets that overlap the box around these are near.
fn share_of_path(looks: &[Vec<DVec3>], targets: &[Target]) -> f64 {
    let area = Aabb::around(looks.iter().flatten().copied());
    let near = targets.iter().filter(|target| target.area.overlaps(&area));
    match near.map(|target| target.size).min_by(f64::total_cmp) {
        Some(size) => longest_stride(looks) / size,
        None => 0.0,
    }
}

/// How far any point would move in the whole step at the greatest speed between two looks \[m\].
fn longest_stride(looks: &[Vec<DVec3>]) -> f64 {
    let paths = looks.windows(2).flat_map(|pair| pair[0].iter().zip(&pair[1]));
    let farthest = paths.map(|(x, y)| x.distance_squared(*y)).fold(0.0, f64::max).sqrt();
    farthest * (looks.len() - 1) as f64
}

/// The corners of a box.
fn corners_of(area: Aabb) -> [DVec3; 8] {
    std::array::from_fn(|k| {
        let pick = |axis: usize| if k >> axis & 1 == 0 { area.low[axis] } else { area.high[axis] };
        DVec3::new(pick(0), pick(1), pick(2))
    })
}
