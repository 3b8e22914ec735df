//! Loads of cloths on obstacles, for a rigid-body engine that moves these.
//!
//! The contacts give the distribution of the load. Its size follows from the momentum of the cloths, wherever nothing else can
//! take it: obstacles receive the loss beyond gravity, air, grabs and damping. This holds to round-off. The forces of contacts
//! are only as exact as the solver, lack the motion that CCD stops, and count for a whole substep if a contact begins within it.
//! Momentum that is lost while no contact is closed belongs to the obstacles that were touched last.
//!
//! If pins hold something, or pressure is part of the solve, only the sum of the forces and of the impulse of CCD is known.

use crate::derive::pressure::{has_pressure, is_pressure_explicit};
use crate::derive::world::World;
use crate::model::loads::{ObstacleLoad, Share, Wrench};
use glam::DVec3;
use taffeta_contact::{Contact, ContactName, MeshObstacle};

/// Adds what obstacles have received in a substep of length `h` \[s\], at whose end positions and velocities are in place.
pub(crate) fn note_loads(world: &mut World, h: f64) {
    if count(world) == 0 {
        return;
    }
    let outside = outer_momentum(world, h);
    let lost = is_isolated(world).then(|| outside - gained_momentum(world, h));
    let received = of_contacts(world, h);
    hand_over(world, received, lost);
}

/// Adds what obstacles receive in a step of length `dt` \[s\] of a world at rest.
pub(crate) fn note_loads_at_rest(world: &mut World, dt: f64) {
    if count(world) == 0 {
        return;
    }
    world.scratch.secured = DVec3::ZERO;
    let mass: f64 = world.state.motion.masses.iter().sum();
    let lost = is_isolated(world).then(|| world.state.gravity * (mass * dt));
    let mut received = vec![(Wrench::default(), Share::default()); count(world)];
    for ((wrench, _), rate) in received.iter_mut().zip(&world.state.loads.rates) {
        *wrench = rate.scaled(dt);
    }
    hand_over(world, received, lost);
}

/// Number of all obstacles.
fn count(world: &World) -> usize {
    world.setup.obstacles.len() + world.setup.meshes.len()
}

/// Adds what contacts have handed to obstacles, made up to what the cloths have lost \[N·s\] where that is known.
fn hand_over(world: &mut World, mut received: Vec<(Wrench, Share)>, lost: Option<DVec3>) {
    let loads = &mut world.state.loads;
    if received.iter().any(|(_, share)| share.weight > 0.0) {
        loads.shares = received.iter().map(|(_, share)| *share).collect();
    }
    let told: DVec3 = received.iter().map(|(wrench, _)| wrench.impulse).sum();
    let rest = lost.map_or(-world.scratch.secured, |lost| lost - told);
    let total: f64 = loads.shares.iter().map(|share| share.weight).sum();
    if total == 0.0 {
        // It can be pushed by a contact that is open in the end.
        loads.owed += if received.iter().any(|(_, share)| share.is_near) { rest } else { DVec3::ZERO };
    } else {
        let rest = rest + std::mem::take(&mut loads.owed);
        for ((wrench, _), share) in received.iter_mut().zip(&loads.shares) {
            wrench.add(rest * (share.weight / total), share.point);
        }
    }
    loads.wrenches.resize(received.len(), Wrench::default());
    for (sum, (wrench, _)) in loads.wrenches.iter_mut().zip(received) {
        *sum = sum.plus(wrench);
    }
}

/// The loads of a step of length `dt` \[s\], whose sums are then forgotten.
pub(crate) fn take_loads(world: &mut World, dt: f64) -> Vec<ObstacleLoad> {
    let mut wrenches = std::mem::take(&mut world.state.loads.wrenches);
    wrenches.resize(count(world), Wrench::default());
    world.state.loads.rates = wrenches.iter().map(|wrench| wrench.scaled(1.0 / dt)).collect();
    describe(world, &wrenches, dt)
}

/// The loads of an equilibrium.
pub(crate) fn loads_at_rest(world: &mut World) -> Vec<ObstacleLoad> {
    let h = world.state.last.h;
    world.state.loads.wrenches.clear();
    let wrenches: Vec<Wrench> = of_contacts(world, h).into_iter().map(|(wrench, _)| wrench).collect();
    describe(world, &wrenches, h)
}

fn describe(world: &World, wrenches: &[Wrench], dt: f64) -> Vec<ObstacleLoad> {
    let load = |((wrench, obstacle), point): ((&Wrench, _), DVec3)| ObstacleLoad {
        obstacle,
        force: wrench.impulse / dt,
        torque: (wrench.angular - point.cross(wrench.impulse)) / dt,
        point,
    };
    wrenches.iter().zip(world.obstacle_ids()).zip(reference_points(world)).map(load).collect()
}

/// The points of the obstacles about which torques are told \[m\].
fn reference_points(world: &World) -> Vec<DVec3> {
    let time = world.state.time;
    let closed = world.setup.obstacles.iter().map(|obstacle| obstacle.pose_at(time).translation);
    let of_mesh = |mesh: &MeshObstacle| match &mesh.skin {
        Some(skin) => {
            let positions = skin.points_at(time);
            positions.iter().sum::<DVec3>() / positions.len() as f64
        }
        None => mesh.pose_at(time).translation,
    };
    closed.chain(world.setup.meshes.iter().map(of_mesh)).collect()
}

/// Momentum that the contacts have handed to each obstacle in a substep of length `h` \[s\], about the origin.
/// Returns also by how much and where it was pressed.
fn of_contacts(world: &World, h: f64) -> Vec<(Wrench, Share)> {
    let mut received = vec![(Wrench::default(), Share::default()); count(world)];
    let ends = mesh_ends(world);
    for contact in &world.state.last.contacts {
        let Some(number) = obstacle_of(world, contact, &ends) else { continue };
        // Weights of cloth add up to 1, or to −1 where the row measures the obstacle against the cloth.
        let row = &contact.row;
        let side: f64 = row.weights.iter().sum();
        let point = row.interpolate(|vi| world.state.motion.positions[vi]) * side;
        let push = (row.normal * contact.normal_lambda + contact.friction_lambda) * (-side / h);
        let (wrench, share) = &mut received[number];
        wrench.add(push, point);
        share.is_near = true;
        share.add(contact.normal_lambda / h, point);
    }
    received
}

/// The number of the last vertex and one of each mesh obstacle, counted with those of the sheet.
fn mesh_ends(world: &World) -> Vec<u32> {
    let first = world.state.sheet.topology.vertex_count;
    let ends = world.setup.meshes.iter().scan(first, |end, mesh| {
        *end += mesh.vertex_count();
        Some(*end as u32)
    });
    ends.collect()
}

/// The obstacle that a contact is with, those in closed form first; `None`: with another cloth.
fn obstacle_of(world: &World, contact: &Contact, ends: &[u32]) -> Option<usize> {
    let own = world.state.sheet.topology.vertex_count as u32;
    match contact.name {
        ContactName::Body(_, number) => Some(number as usize),
        ContactName::Pair(sides) => {
            let vertex = sides.iter().map(|side| side[0]).find(|vertex| *vertex >= own)?;
            Some(world.setup.obstacles.len() + ends.partition_point(|end| *end <= vertex))
        }
    }
}

/// Returns whether no vertex is held and no pressure is implicit, so that the momentum of the cloths can only go to
/// obstacles and known forces.
fn is_isolated(world: &World) -> bool {
    let is_free = world.state.motion.held.iter().all(|held| *held == [false; 3]);
    is_free && (!has_pressure(world) || is_pressure_explicit(world))
}

/// Momentum that the cloths have gained in a substep of length `h` \[s\] beyond that of gravity \[N·s\].
fn gained_momentum(world: &World, h: f64) -> DVec3 {
    let (motion, fall) = (&world.state.motion, world.state.gravity * h);
    let starts = world.scratch.start_velocities.iter();
    let gain = |((m, v), start): ((&f64, &DVec3), &DVec3)| (*v - *start - fall) * *m;
    motion.masses.iter().zip(motion.velocities.iter()).zip(starts).map(gain).sum()
}

/// Momentum that air, grabs and damping have given in a substep of length `h` \[s\] \[N·s\].
fn outer_momentum(world: &World, h: f64) -> DVec3 {
    let (motion, work, last) = (&world.state.motion, &world.scratch, &world.state.last);
    let mut sum = DVec3::ZERO;
    for (i, (m, scale)) in motion.masses.iter().zip(&last.scales).enumerate() {
        let outer = last.outer.get(i).copied().unwrap_or(DVec3::ZERO);
        sum += (outer - motion.velocities.raw[i] * (last.damping * m)) * *scale;
        if let Some(first) = work.first_stage.get(i) {
            sum += (first.outer - first.drift * (last.damping * m)) * (h - scale);
        }
    }
    for (vertex, stiffness, target) in
        world.inputs.grabbed.iter().flat_map(|patch| patch.springs(&work.start))
    {
        sum += (target - motion.positions.raw[vertex]) * (stiffness * last.scales[vertex]);
    }
    sum
}
