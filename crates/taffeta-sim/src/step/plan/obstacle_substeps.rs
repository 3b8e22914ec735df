//! Substeps that obstacles ask for by their motion.
//!
//! The contacts of a substep are found where primitives first touch. If an obstacle moves by a large part of a cloth in one
//! substep, it meets other parts of the cloth on its way. The limit follows from the size of the cloth, not from its mesh.

use crate::derive::bodies::body_count;
use crate::derive::world::World;
use crate::model::description::capabilities::SubstepRule;
use crate::model::report::SubstepPlan;
use crate::model::report::error::StepError;
use crate::step::plan::pieces::cuts;
use glam::DVec3;
use taffeta_contact::boxes::Aabb;
use taffeta_contact::{MeshObstacle, Obstacle};

/// The part of the diagonal of a cloth at rest by which an obstacle near it may move in a substep.
const STRIDE: f64 = 0.01;

/// Angle by which a body that moves by itself may turn in a substep \[rad\], for its points move by `θ × r` in it.
const TURN: f64 = 0.1;

/// Substeps that moving obstacles ask for at most: at 60 frames per second a body of 50 m/s then moves by 2 mm. What is
/// faster moves farther in each of them, and the substeps in which it forces cloth through something are halved
/// (`step/retry.rs`).
const MOST_SUBSTEPS: f64 = 400.0;

/// Parts of a step in which the speed of an obstacle is measured: it may move in some of them only.
const LOOKS: usize = 8;

/// A cloth or another body, as obstacles come near it.
struct Target {
    /// Around the vertices at the start of the step, and around what they may reach within it \[m\].
    area: Aabb,
    /// The diagonal of the box around it at rest \[m\].
    size: f64,
    /// Its mean velocity \[m/s\].
    drift: DVec3,
}

/// Times within a step \[s\], looks and cuts between them, by the part of the step in which they lie. Each part begins with the
/// last time of the one before.
type Looks = Vec<Vec<f64>>;

/// Takes more substeps, unless the scene says how many, where an obstacle moves fast near a cloth. Projective
/// dynamics is left alone: its substep is part of the factorized system.
/// Also how many they ask for.
///
/// # Errors
/// If an obstacle turns too often.
pub(crate) fn substeps_for_obstacles(
    world: &World,
    plan: SubstepPlan,
    dt: f64,
) -> Result<(SubstepPlan, u32), StepError> {
    let rule = world.derived.choice.capabilities().substeps;
    if world.setup.settings.substeps.is_some() || rule == SubstepRule::Frame {
        return Ok((plan, 1));
    }
    let looks = looks(world, dt)?;
    let targets: Vec<Target> =
        (0..body_count(&world.setup)).filter_map(|body| find_target(world, body, dt)).collect();
    let closed = world.setup.obstacles.iter().map(|obstacle| share_of_closed(obstacle, &looks, &targets));
    let meshes = world.setup.meshes.iter().map(|mesh| share_of_mesh(mesh, &looks, &targets));
    let share = closed.chain(meshes).fold(0.0, f64::max);
    let spins = world.state.rigid.iter().map(|body| body.spin.length() * dt / TURN);
    let asked = spins.fold(share / STRIDE, f64::max).ceil();
    let least = asked.clamp(1.0, MOST_SUBSTEPS) as u32;
    let capped_stride = (asked > MOST_SUBSTEPS).then_some(share / MOST_SUBSTEPS);
    Ok((SubstepPlan { substeps: plan.substeps.max(least), capped_stride, ..plan }, least))
}

/// The looks at a step of length `dt` \[s\].
fn looks(world: &World, dt: f64) -> Result<Looks, StepError> {
    let look = |k: usize| world.state.time + dt * (k as f64) / (LOOKS as f64);
    let part = |k: usize| {
        let (start, end) = (look(k), look(k + 1));
        Ok(std::iter::once(start).chain(cuts(world, start, end - start)?).chain([end]).collect())
    };
    (0..LOOKS).map(part).collect()
}

/// Region in which a body may be met within a step; `None`: it has no extent, so that no other part of it can be met instead.
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
    let (mass, momentum) = range_momentum(world, body);
    Some(Target { area, size, drift: if mass > 0.0 { momentum / mass } else { DVec3::ZERO } })
}

/// Mass \[kg\] and momentum \[kg·m/s\] of a body.
fn range_momentum(world: &World, body: usize) -> (f64, DVec3) {
    let (range, motion) = (world.state.sheet.vertex_range(body as u32), &world.state.motion);
    range.fold((0.0, DVec3::ZERO), |(mass, momentum), i| {
        let m = motion.masses.raw[i];
        (mass + m, momentum + motion.velocities.raw[i] * m)
    })
}

/// Distance that a mesh would move in the step at its greatest speed, relative to the smallest target near it.
fn share_of_mesh(mesh: &MeshObstacle, looks: &Looks, targets: &[Target]) -> f64 {
    let [start, end] = ends_of(looks);
    if mesh.stands_between(start, end) {
        return 0.0;
    }
    let place = |time| mesh.positions_at(time);
    let walk = follow(looks, DVec3::ZERO, place);
    let near = targets.iter().filter(|target| target.area.overlaps(&walk.area));
    near.map(|target| share_at(&walk, looks, target, place)).fold(0.0, f64::max)
}

/// Displacement of points in the step at their greatest speed, relative to a target; `walk` is their motion. A target that moves on with
/// them is not passed by.
fn share_at(walk: &Walk, looks: &Looks, target: &Target, place: impl Fn(f64) -> Vec<DVec3>) -> f64 {
    let share = walk.stride / target.size;
    if share <= STRIDE || target.drift == DVec3::ZERO {
        return share;
    }
    share.min(follow(looks, target.drift, place).stride / target.size)
}

/// Displacement of an obstacle in closed form in the step at its greatest speed, relative to the smallest target near it. Only
/// its part at each target counts: what is far away may turn fast.
fn share_of_closed(obstacle: &Obstacle, looks: &Looks, targets: &[Target]) -> f64 {
    let [start, end] = ends_of(looks);
    if obstacle.motion.stands_between(start, end) {
        return 0.0;
    }
    let half = obstacle.shape.half_size().map(|half| half * obstacle.place.scale);
    let walk = half.map(|half| {
        let corners = corners_of(Aabb { low: -half, high: half });
        follow(looks, DVec3::ZERO, |time| carry(obstacle, time, &corners))
    });
    let is_near = |target: &&Target| match &walk {
        Some(walk) => walk.area.overlaps(&target.area),
        None => is_below(obstacle, looks, target),
    };
    let share = |target: &Target| {
        let corners = corners_of(target.area);
        let inside = |x: DVec3| half.map_or(x, |half| x.clamp(-half, half));
        // Where the target is at any look, for it may be there in some of them only.
        let places = looks.iter().flatten().map(|time| obstacle.pose_at(*time));
        let points: Vec<DVec3> =
            places.flat_map(|pose| corners.map(|x| inside(pose.apply_inverse(x)))).collect();
        let place = |time| carry(obstacle, time, &points);
        share_at(&follow(looks, DVec3::ZERO, place), looks, target, place)
    };
    targets.iter().filter(is_near).map(share).fold(0.0, f64::max)
}

/// Returns whether a target is below the surface of a half-space in part, at any look.
fn is_below(obstacle: &Obstacle, looks: &Looks, target: &Target) -> bool {
    let corners = corners_of(target.area);
    looks.iter().flatten().any(|time| {
        let shape = obstacle.shape.placed(&obstacle.pose_at(*time), obstacle.place.scale);
        corners.iter().any(|x| shape.signed_distance(*x).0 <= 0.0)
    })
}

/// Positions to which an obstacle takes points of its frame by a time \[s\] \[m\].
fn carry(obstacle: &Obstacle, time: f64, points: &[DVec3]) -> Vec<DVec3> {
    let pose = obstacle.pose_at(time);
    points.iter().map(|x| pose.apply(*x)).collect()
}

/// Motion of points over a step.
struct Walk {
    /// The box around their places at all looks \[m\].
    area: Aabb,
    /// Distance that any of them would move in the whole step at its greatest speed in a part \[m\].
    stride: f64,
}

/// Follows points from look to look, seen from what moves on by `drift` \[m/s\]; `place` has where they are at a time.
fn follow(looks: &Looks, drift: DVec3, place: impl Fn(f64) -> Vec<DVec3>) -> Walk {
    let mut last = place(ends_of(looks)[0]);
    let (mut area, mut farthest) = (Aabb::around(last.iter().copied()), 0.0_f64);
    for part in looks {
        let mut ways = vec![0.0; last.len()];
        for [before, time] in part.array_windows() {
            let next = place(*time);
            let passed = drift * (time - before);
            area = next.iter().fold(area, |area, x| area.with(*x));
            for (way, (x, y)) in ways.iter_mut().zip(last.iter().zip(&next)) {
                *way += (*x + passed).distance(*y);
            }
            last = next;
        }
        farthest = ways.into_iter().fold(farthest, f64::max);
    }
    Walk { area, stride: farthest * LOOKS as f64 }
}

/// When a step begins and ends \[s\].
fn ends_of(looks: &Looks) -> [f64; 2] {
    [looks[0][0], *looks.last().and_then(|part| part.last()).unwrap_or(&looks[0][0])]
}

/// The corners of a box.
fn corners_of(area: Aabb) -> [DVec3; 8] {
    std::array::from_fn(|k| {
        let pick = |axis: usize| if k >> axis & 1 == 0 { area.low[axis] } else { area.high[axis] };
        DVec3::new(pick(0), pick(1), pick(2))
    })
}
